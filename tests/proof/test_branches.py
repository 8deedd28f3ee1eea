"""Proofs in parts, against brute force: with branching forced at every size."""

import copy
import json
import math
import time
from dataclasses import replace
from importlib import resources

import jsonschema
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import brute_force
from boolrules import BooleanRuleClassifier, Model
from boolrules._support.budget import Budget
from boolrules._support.table import read_table
from boolrules.data.column import Duals, IntegerDuals
from boolrules.data.problem import Problem
from boolrules.proof.bound import reproved_bound
from boolrules.proof.branches import (
    Branch,
    OfClauses,
    least_bound,
    leaves,
    n_leaves,
    tree_from_plain,
)
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.gap import can_be_searched
from boolrules.rules import Form
from boolrules.solver.branching import Branching, can_branch
from boolrules.solver.column_generation import ColumnGeneration
from boolrules.solver.settings import Settings
from strategies import (
    binary_encoding,
    make_training_set,
    problems,
    set_covers,
    times,
    training_sets,
)


def split(training_set, problem, most_listed, goal=None, n_used=None, *, is_known=True):
    """Prove the optimum in parts, where lists of more clauses are too long; return the tree.

    If nothing is known of the whole, all is left to the parts.
    """
    run = ColumnGeneration(training_set, problem, Settings(), time.monotonic())
    run.generate(Budget.of(20), lambda iteration: None)
    duals, bound = run.proof.searchable_duals, int(run.proof.lower_bound or 0)
    if duals is None or not is_known:
        duals, bound = training_set.rounded(Duals(np.zeros(training_set.n_P), 0.0)), 0
    best = [int(brute_force.optimum(training_set, problem)) if goal is None else goal]

    def offer(clauses):
        loss = training_set.hamming_loss(clauses)
        assert problem.fits(len(clauses), sum(map(len, clauses)))
        assert loss < best[0]
        best[0] = int(loss)
        return True

    branching = Branching(
        training_set,
        problem,
        Settings(),
        ColumnGeneration,
        lambda: best[0],
        offer,
        most_listed,
    )
    clauses = [column.clause for column in run.master.columns]
    if n_used is None:
        n_used = 0.0 if run.last is None else float(run.last.w.sum())
    return branching.prove(duals, bound, clauses, n_used, Budget.of(20)), best[0]


def certified(tree, problem):
    """A certificate that rests on a tree."""
    none = IntegerDuals(np.zeros(0, dtype=np.int64), 0, 1)
    bound = least_bound(tree)
    argument = Argument.BRANCHES
    return Certificate(bound, 0, bound, argument, problem, none, branches=tree)


@times(1.0)
@given(
    training_sets(whole=True),
    problems(whole=True),
    st.sampled_from([0, 3, 30]),
    st.booleans(),
    st.sampled_from([None, 0.0, 1.0, 1.5, 9.0]),
)
def test_no_part_is_claimed_that_brute_force_denies(
    training_set, problem, most_listed, is_far, n_used
):
    assume(can_branch(training_set, problem))
    optimum = int(brute_force.optimum(training_set, problem))
    goal = optimum + 2 if is_far else optimum
    tree, _ = split(training_set, problem, most_listed, goal, n_used, is_known=not is_far)
    assert least_bound(tree) <= optimum
    for branch, leaf in leaves(tree, training_set, problem):
        part = branch.problem(problem)
        if part is None:
            continue
        least = brute_force.optimum(branch.samples(training_set), part)
        assert leaf.bound <= least + branch.paid(training_set)
    proved = reproved_bound(certified(tree, problem), training_set, Budget.of(30))
    assert proved is not None
    assert least_bound(tree) <= proved <= optimum


@times(0.5)
@given(set_covers(whole=True), st.integers(4, 9))
def test_splitting_lowers_no_bound_and_leaves_nothing_out(training_set, C):
    problem = Problem(max_complexity=C)
    tree, best = split(training_set, problem, 0)
    run = ColumnGeneration(training_set, problem, Settings(), time.monotonic())
    run.generate(Budget.of(20), lambda iteration: None)
    assert (run.proof.lower_bound or 0) <= least_bound(tree) <= best
    every = list(leaves(tree, training_set, problem))
    assert None not in every
    assert len(every) == n_leaves(tree)


@given(set_covers(whole=True))
def test_branches_have_the_losses_of_the_rule_sets_in_them(training_set):
    """Rule sets that cover and miss as a branch says lose what they lose, and no others less."""
    problem = Problem(max_complexity=6)
    for clause in brute_force.every_clause(training_set, problem)[:40]:
        delta = training_set.P.delta(clause.conditions)
        covered, missed = np.flatnonzero(delta), np.flatnonzero(~delta)
        branch = Branch(covered=tuple(covered[:2].tolist()), missed=tuple(missed[:2].tolist()))
        loss = training_set.hamming_loss([clause.conditions])
        samples = branch.samples(training_set)
        assert samples.hamming_loss([clause.conditions]) + branch.paid(training_set) == loss
        if len(missed):
            other = Branch(covered=(int(missed[0]),)).samples(training_set)
            assert other.hamming_loss([clause.conditions]) >= training_set.weight_of_positives


def a_table_of_chance(seed):
    """Labels thrown by a coin, where the linear program is below the best rule set."""
    random = np.random.default_rng(seed)
    X, y = random.random((30, 7)) < 0.45, random.random(30) < 0.5
    table = read_table(X.astype(np.int64))
    encoding = binary_encoding(table.names)
    training_set = make_training_set(encoding, table, y, np.ones(30), Form.DNF)
    return training_set, Problem(max_complexity=7)


def a_tree():
    """A tree with a split of each kind, over a table that needs it, and what it proves."""
    training_set, problem = a_table_of_chance(8)
    tree, best = split(training_set, problem, 0)
    return training_set, problem, tree, best


def test_trees_are_written_and_read_back():
    training_set, problem, tree, best = a_tree()
    assert isinstance(tree, OfClauses)
    certificate = certified(tree, problem)
    again = Certificate.from_plain(certificate.to_plain())
    assert again.to_plain() == certificate.to_plain()
    assert f"({n_leaves(tree)} parts)" in again.reason
    proved = reproved_bound(again, training_set)
    assert proved == least_bound(tree) == best


def walk(plain):
    """Every node of a plain tree."""
    yield plain
    children = plain.get("parts", [plain[s] for s in ("covered", "missed") if s in plain])
    for child in children:
        yield from walk(child)


def test_trees_that_were_tampered_with_prove_less():
    training_set, problem, tree, best = a_tree()
    plain, n_tried = tree.to_plain(), 0
    for place, _ in enumerate(walk(plain)):
        for change in (
            raise_bound,
            raise_duals,
            drop_part,
            exchange_parts,
            skip_number,
            repeat_row,
            wrong_row,
        ):
            altered = copy.deepcopy(plain)
            node = list(walk(altered))[place]
            if not change(node, training_set):
                continue
            n_tried += 1
            forged = replace(certified(tree_from_plain(altered), problem), lower_bound=best + 1)
            proved = reproved_bound(forged, training_set, Budget.of(20))
            assert proved is None or proved <= best, change.__name__
    assert n_tried > 10


def raise_bound(node, training_set):
    if "bound" in node:
        node["bound"] += 1
        return True
    return False


def raise_duals(node, training_set):
    if "bound" in node and node["duals"]["mu"]:
        node["duals"]["mu"] = [mu + node["duals"]["scale"] for mu in node["duals"]["mu"]]
        return True
    return False


def drop_part(node, training_set):
    if len(node.get("parts", [])) > 1:
        node["parts"].pop()
        return True
    return False


def exchange_parts(node, training_set):
    if len(node.get("parts", [])) > 1:
        node["parts"].reverse()
        return True
    return False


def skip_number(node, training_set):
    if "few" in node:
        node["few"], node["parts"] = 0, node["parts"][1:]
        return bool(node["parts"])
    return False


def repeat_row(node, training_set):
    if "row" in node:
        node["covered"] = {"row": node["row"], **{s: node[s] for s in ("covered", "missed")}}
        return True
    return False


def wrong_row(node, training_set):
    if "row" in node:
        node["row"] = training_set.n_P
        return True
    return False


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        {},
        {"bound": 1.5, "duals": {"mu": [], "lam": 0, "scale": 1}},
        {"bound": 1, "duals": None},
        {"few": 1, "parts": []},
        {"few": 1, "parts": "ab"},
        {"few": True, "parts": [{}]},
        {"row": 0, "covered": {}, "missed": {}},
        {"row": "0", "covered": {}, "missed": {}},
    ],
)
def test_what_is_no_tree_is_turned_down(plain):
    with pytest.raises(ValueError, match=r"branches|Duals|list"):
        tree_from_plain(plain)


def test_a_tree_without_end_is_turned_down():
    leaf = {"bound": 1, "duals": {"mu": [1], "lam": 0, "scale": 1}}
    plain = leaf
    for row in range(200):
        plain = {"row": row, "covered": plain, "missed": leaf}
    with pytest.raises(ValueError, match="branches"):
        tree_from_plain(plain)


def test_duals_of_a_part_are_those_of_the_whole():
    duals = IntegerDuals(np.array([4, 6, 2]), 3, 1)
    problem = Problem(max_complexity=10)
    for branch, own in (
        Branch().of(3, duals, problem),
        Branch().of_fewer(2, duals),
        Branch().covering(1, duals),
    ):
        assert own.bound(branch.problem(problem)) == duals.bound(problem)
    branch, own = Branch(missed=(0,)).missing(2, replace(duals, mu=duals.mu[1:]))
    assert (branch.missed, own.mu.tolist()) == ((0, 2), [6])
    assert can_be_searched(Branch(n_clauses=3).problem(problem), duals)
    assert Branch(n_clauses=6).problem(problem) is None
    assert math.isinf(least_bound(OfClauses(1, ())))


def test_duals_of_some_clauses_or_more_are_those_of_each_number():
    duals = IntegerDuals(np.array([4, 6, 2]), 3, 1, nu=2)
    problem = Problem(max_complexity=10)
    more = Branch(n_clauses=3, has_more=True).problem(problem)
    assert (more.max_complexity, more.clause_cost, more.max_clauses) == (7, 0, 5)
    bounds = [duals.bound(Branch(n_clauses=n).problem(problem)) for n in (3, 4, 5)]
    assert duals.bound(more) <= min(bounds)


@pytest.mark.parametrize(("seed", "most_listed"), [(8, 0), (8, 9), (1, 0), (3, 0), (3, 20)])
def test_many_clauses_are_one_part_until_it_is_too_long(seed, most_listed):
    """In the tree they are a part for each number, and these are all that is left."""
    training_set, problem = a_table_of_chance(seed)
    best = int(brute_force.optimum(training_set, problem))
    tree, found = split(training_set, problem, most_listed, best + 2, n_used=1.0, is_known=False)
    assert isinstance(tree, OfClauses)
    assert (tree.few, len(tree.parts)) == (1, problem.most_clauses)
    assert least_bound(tree) <= best <= found
    proved = reproved_bound(certified(tree, problem), training_set, Budget.of(30))
    assert proved is not None
    assert least_bound(tree) <= proved <= best


def test_a_model_whose_proof_has_parts_is_saved_and_verified(monkeypatch, tmp_path):
    """Lists are forbidden, so that a run has nothing left but to split."""
    monkeypatch.setattr("boolrules.solver.incumbent.Incumbent.close_the_gap", lambda *_: None)
    random = np.random.default_rng(11)
    X, y = (random.random((40, 5)) < 0.45).astype(int), random.random(40) < 0.5
    model = BooleanRuleClassifier(max_complexity=8, time_limit=30).fit(X, y)
    certificate = model.certificate_
    assert certificate.argument is Argument.BRANCHES
    assert certificate.is_optimal
    assert model.verify(X, y).holds
    path = tmp_path / "model.json"
    model.model_.save(path)
    schema = resources.files("boolrules") / "model" / "model.schema.json"
    plain = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(plain, json.loads(schema.read_text(encoding="utf-8")))
    again = Model.load(path)
    assert n_leaves(again.certificates[0].branches) == n_leaves(certificate.branches) > 1
    assert again.verify(X, y).holds
