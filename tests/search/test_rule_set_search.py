"""The search over all rule sets, against every rule set: what it proves is true."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals, IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.proof.gap import MOST_CLAUSES, search_the_gap, slack_below
from boolrules.search import rule_set_search
from boolrules.search.branch_and_bound import BranchAndBound
from strategies import near_misses, set_covers, times


@st.composite
def gaps(draw, *, whole=True):
    """Training sets, problems, and feasible duals far from the best: gaps with much inside."""
    training_set = draw(st.one_of(set_covers(whole=whole), near_misses(whole=whole)))
    penalty = 0 if whole else draw(st.sampled_from([0, 0.013]))
    C, D = draw(st.integers(2, 9)), draw(st.sampled_from([1, 2, 3]))
    problem = Problem(C, D, complexity_penalty=penalty)
    share, lam = draw(st.sampled_from([0.0, 0.5, 1.0])), draw(st.sampled_from([0.0, 0.3, 1.0]))
    duals = Duals(share * training_set.weights_P, lam * training_set.unit)
    priced = BranchAndBound(training_set, problem).price(duals, Budget.unlimited())
    return training_set, problem, priced.feasible_duals


def clauses_of(training_set, rule_set):
    return [brute_force.clause(training_set, clause) for clause in rule_set]


@times(4)
@given(gaps())
def test_nothing_is_found_below_the_optimum(gap):
    training_set, problem, duals = gap
    optimum = int(brute_force.optimum(training_set, problem))
    outcome = search_the_gap(
        BranchAndBound(training_set, problem), duals, optimum, Budget.unlimited()
    )
    assert (outcome.better, outcome.is_proved) == (None, True)


@times(4)
@given(gaps(), st.integers(1, 3))
def test_a_rule_set_below_the_bound_is_found_where_there_is_one(gap, above):
    training_set, problem, duals = gap
    optimum = int(brute_force.optimum(training_set, problem))
    outcome = search_the_gap(
        BranchAndBound(training_set, problem), duals, optimum + above, Budget.unlimited()
    )
    assert not outcome.is_proved
    found = clauses_of(training_set, outcome.better)
    n_conditions = sum(len(k.conditions) for k in found)
    assert brute_force.objective(training_set, problem, found) < optimum + above
    assert brute_force.complexity(problem, len(found), n_conditions) <= problem.max_complexity


@pytest.mark.parametrize("factor", [1 + 1e-6, 1.1, 2.0])
@times(2)
@given(gaps(whole=False))
def test_no_bound_above_the_optimum_is_proved_where_weights_are_fractions(factor, gap):
    training_set, problem, duals = gap
    optimum = brute_force.optimum(training_set, problem)
    bound = float(optimum) * factor
    outcome = search_the_gap(
        BranchAndBound(training_set, problem), duals, bound, Budget.unlimited()
    )
    assert not outcome.is_proved or optimum >= Fraction(bound)


@given(gaps(whole=False))
def test_a_bound_below_the_optimum_is_proved_where_weights_are_fractions(gap):
    training_set, problem, duals = gap
    bound = float(brute_force.optimum(training_set, problem)) * (1 - 1e-6)
    outcome = search_the_gap(
        BranchAndBound(training_set, problem), duals, bound, Budget.unlimited()
    )
    # What is below one step of the grid cannot be told apart.
    assert outcome.is_proved or bound * duals.scale < 10**8


@pytest.mark.parametrize("most_nodes", [1, 5, 20])
@given(gaps(), st.integers(0, 3))
def test_a_search_stopped_early_proves_nothing_false(most_nodes, gap, above):
    training_set, problem, duals = gap
    optimum = brute_force.optimum(training_set, problem)
    search = BranchAndBound(training_set, problem, most_nodes=most_nodes)
    outcome = search_the_gap(search, duals, int(optimum) + above, Budget.unlimited())
    assert not outcome.is_proved or optimum >= int(optimum) + above


def test_a_simpler_clause_is_kept_beside_one_with_fewer_zeros():
    # a AND b covers what a does, without its zero; likewise c AND d. There is room for one AND.
    X = np.array(
        [
            [1, 1, 0, 0],
            [0, 0, 1, 1],
            [1, 0, 0, 0],
            [0, 0, 1, 0],
            [0, 1, 0, 0],
            [0, 0, 0, 1],
        ]
    )
    conditions = BinnedConditions.build([(f, [(1, 2)]) for f in range(4)], n_codes=[2] * 4)
    weights = np.array([5.0, 5.0, 1.0, 3.0, 5.0, 5.0])
    training_set = TrainingSet.merge(X.astype(np.uint8), np.arange(6) < 2, weights, conditions)
    problem, duals = Problem(max_complexity=5), IntegerDuals(np.zeros(2, dtype=int), 0, 1)
    search = BranchAndBound(training_set, problem)
    outcome = search_the_gap(search, duals, 2, Budget.unlimited())
    assert sorted(outcome.better) == [(0,), (2, 3)]


def test_no_more_clauses_are_listed_than_fit_unless_asked_for(monkeypatch):
    X = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.uint8)
    conditions = BinnedConditions.build([(f, [(1, 2)]) for f in range(2)], n_codes=[2, 2])
    training_set = TrainingSet.merge(X, np.arange(3) < 2, np.ones(3), conditions)
    duals, asked = IntegerDuals(np.zeros(2, dtype=int), 0, 1), []
    listing = BranchAndBound.enumerate

    def enumerate_clauses(self, duals, slack, budget, most):
        asked.append(most)
        return listing(self, duals, slack, budget, most)

    monkeypatch.setattr(BranchAndBound, "enumerate", enumerate_clauses)
    monkeypatch.setattr("boolrules.proof.gap.MOST_ENTRIES", 10)
    gap = BranchAndBound(training_set, Problem(2)), duals, 3, Budget.unlimited()
    assert search_the_gap(*gap).better is not None
    assert search_the_gap(*gap, most_clauses=MOST_CLAUSES).better is not None
    assert asked == [10 // 2, MOST_CLAUSES]


@pytest.mark.parametrize("n_columns", [63, 64, 65, 128, 150])
def test_the_best_pair_is_found_though_its_columns_come_last(n_columns):
    random = np.random.default_rng(n_columns)
    is_positive = np.arange(60) < 40
    X = random.random((60, n_columns)) < np.where(is_positive, 0.25, 0.0)[:, None]
    # The last two cover all positives between them and, with three zeros each, cost most.
    X[:, -2:] = False
    X[:20, -2] = X[20:40, -1] = X[40:43, -2:] = True
    conditions = BinnedConditions.build(
        [(f, [(1, 2)]) for f in range(n_columns)], n_codes=[2] * n_columns
    )
    training_set = TrainingSet.merge(X.astype(np.uint8), is_positive, np.ones(60), conditions)
    problem, duals = Problem(4, 1), IntegerDuals(np.zeros(training_set.n_P, dtype=int), 0, 1)
    proof = search_the_gap(BranchAndBound(training_set, problem), duals, 6, Budget.unlimited())
    assert (proof.better, proof.is_proved) == (None, True)
    found = search_the_gap(BranchAndBound(training_set, problem), duals, 7, Budget.unlimited())
    assert sorted(found.better) == [(n_columns - 2,), (n_columns - 1,)]


@pytest.mark.parametrize("seed", range(8))
def test_overlaps_of_many_positives_are_charged(seed):
    random = np.random.default_rng(seed)
    is_positive = np.arange(180) < 150
    X = random.random((180, 70)) < np.where(is_positive, 0.6, 0.2)[:, None]
    conditions = BinnedConditions.build([(f, [(1, 2)]) for f in range(70)], n_codes=[2] * 70)
    training_set = TrainingSet.merge(X.astype(np.uint8), is_positive, np.ones(180), conditions)
    missed, zeros = ~X[is_positive], X[~is_positive].sum(axis=0)
    losses = (missed[:, :, None] & missed[:, None, :]).sum(axis=0) + zeros[:, None] + zeros
    np.fill_diagonal(losses, len(X))
    problem, optimum = Problem(4, 1), int(losses.min())
    duals = Duals(0.5 * training_set.weights_P, 10.0)
    feasible = BranchAndBound(training_set, problem).price(duals, Budget.unlimited())
    assert feasible.feasible_duals.mu.sum() > 0
    for bound in range(optimum - 2, optimum + 3):
        search = BranchAndBound(training_set, problem)
        outcome = search_the_gap(search, feasible.feasible_duals, bound, Budget.unlimited())
        assert outcome.is_proved == (bound <= optimum)
        if not outcome.is_proved:
            (j,), (k,) = outcome.better
            assert losses[j, k] < bound


@pytest.mark.parametrize(("max_clauses", "optimum"), [(1, 2), (2, 1), (3, 0), (None, 0)])
def test_no_rule_set_has_more_clauses_than_allowed(max_clauses, optimum):
    conditions = BinnedConditions.build([(0, [(k, k + 1)]) for k in range(3)], n_codes=[4])
    codes, is_positive = np.arange(4, dtype=np.uint8)[:, None], np.arange(4) < 3
    training_set = TrainingSet.merge(codes, is_positive, np.ones(4), conditions)
    search = BranchAndBound(training_set, Problem(max_complexity=6, max_clauses=max_clauses))
    duals = IntegerDuals(np.zeros(3, dtype=int), 0, 1)
    assert search_the_gap(search, duals, optimum, Budget.unlimited()).is_proved
    better = search_the_gap(search, duals, optimum + 1, Budget.unlimited()).better
    assert len(better) == 3 - optimum


@pytest.mark.parametrize("nodes", [0, 1, 7])
@times(2)
@given(gaps(), st.integers(0, 3), st.sampled_from([1, 3]))
def test_parts_of_any_size_in_any_number_of_threads_come_to_the_same(nodes, gap, above, n_threads):
    training_set, problem, duals = gap
    bound = int(brute_force.optimum(training_set, problem)) + above
    outcomes = []
    for n in (1, n_threads):
        search = BranchAndBound(training_set, problem, n_threads=n)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rule_set_search, "FIRST_NODES", nodes)
            patch.setattr(rule_set_search, "MOST_NODES_TIMES_WORDS", 0)
            outcomes.append(search_the_gap(search, duals, bound, Budget.unlimited()))
    one, several = outcomes
    assert one.is_proved == (above == 0)
    # Several parts may have found one: the first of them counts, whoever was first to find.
    assert (one.better, one.is_proved) == (several.better, several.is_proved)
    if above:
        found = clauses_of(training_set, one.better)
        assert brute_force.objective(training_set, problem, found) < bound


@given(gaps())
def test_what_is_left_of_a_part_is_all_that_was_not_searched(gap):
    training_set, problem, duals = gap
    optimum = int(brute_force.optimum(training_set, problem))
    listed = BranchAndBound(training_set, problem).enumerate(
        duals, slack_below(training_set, problem, duals, optimum), Budget.unlimited(), 10**6
    )
    search = rule_set_search.RuleSetSearch(training_set, problem, duals, listed.clauses)
    slack = slack_below(training_set, problem, duals, optimum)
    if slack < 0:
        return
    at_once = search.find(slack, Budget.unlimited())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_set_search, "FIRST_NODES", 1)
        patch.setattr(rule_set_search, "MOST_NODES_TIMES_WORDS", 0)
        in_parts = search.find(slack, Budget.unlimited())
    assert at_once.is_complete
    assert in_parts.is_complete
    # A node where a part ends is visited again, and no other.
    assert at_once.n_nodes <= in_parts.n_nodes <= 2 * at_once.n_nodes
