"""Paths without proofs: rules that fit at every complexity, and no claim that was not proved."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules import Argument, BooleanRuleClassifier, complexity_path
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.solver.fast_path import ClausePool, FastPath
from boolrules.solver.result import StopReason
from strategies import generators, problems, set_covers, times, training_sets

FOREVER = 10**6


def grown(problem, factors=(1, 1.5, 2, 3)):
    """Return problems whose complexities grow from that of one."""
    return [replace(problem, max_complexity=round(f * problem.max_complexity, 6)) for f in factors]


def learn(training_set, path, patience=FOREVER, seconds=None, engine="numba"):
    return FastPath(training_set, path, engine, Budget.of(seconds)).learn(patience)


def clauses_of(result):
    return [column.clause for column in result.chosen_columns]


# What is claimed of every path, one function per claim.


def rule_sets_are_allowed(training_set, path, results):
    for problem, result in zip(path, results, strict=False):
        allowed = {k.conditions for k in brute_force.every_clause(training_set, problem)}
        clauses = clauses_of(result)
        n_conditions = sum(map(len, clauses))
        complexity = brute_force.complexity(problem, len(clauses), n_conditions)
        assert {*clauses} <= allowed
        assert len({*clauses}) == len(clauses) <= (problem.max_clauses or len(clauses))
        assert complexity <= brute_force.decimal(problem.max_complexity)
        assert result.certificate.complexity == float(complexity)
        assert result.certificate.problem == problem
        assert problem.uses_all(clauses)


def objectives_are_counted_and_never_rise(training_set, path, results):
    counted = [
        float(brute_force.objective_of_columns(training_set, problem, result.chosen_columns))
        for problem, result in zip(path, results, strict=False)
    ]
    assert [r.certificate.objective for r in results] == pytest.approx(counted, rel=1e-12)
    # The kernels do not tell apart what differs by less.
    least = 1e-8 * training_set.unit
    assert all(after <= before + least for before, after in pairwise(counted))


def only_zero_is_claimed(results):
    for certificate in (result.certificate for result in results):
        is_zero = certificate.objective == 0
        assert certificate.lower_bound == (0 if is_zero else None)
        assert certificate.argument is (Argument.ZERO_LOSS if is_zero else Argument.NONE)
        assert certificate.duals is None
        assert certificate.is_optimal == is_zero


def promises_are_kept(training_set, path, results):
    rule_sets_are_allowed(training_set, path, results)
    objectives_are_counted_and_never_rise(training_set, path, results)
    only_zero_is_claimed(results)


@st.composite
def binary_sets(draw):
    """Tables of at most four columns of zeros and ones, each with both its conditions."""
    random, n_features = draw(generators()), draw(st.integers(1, 4))
    n_rows = draw(st.sampled_from([4, 10, 20]))
    ranges = [(f, [piece]) for f in range(n_features) for piece in ((0, 1), (1, 2))]
    conditions = BinnedConditions.build(ranges, [2] * n_features)
    codes = random.integers(2, size=(n_rows, n_features), dtype=np.uint8)
    is_positive = random.random(n_rows) < draw(st.sampled_from([0.3, 0.6, 0.9]))
    is_positive[:2] = True, False
    weights = random.choice(draw(st.sampled_from([[1.0], [1.0, 2.0, 5.0]])), size=n_rows)
    return TrainingSet.merge(codes, is_positive, weights, conditions)


@st.composite
def required_groups(draw, training_set):
    """One or two groups of conditions that some clause must have."""
    random, J = draw(generators()), len(training_set.conditions)
    n_groups = draw(st.integers(1, min(2, J)))
    chosen = random.permutation(J)[: random.integers(n_groups, min(4, J) + 1)].tolist()
    return tuple(tuple(sorted(chosen[g::n_groups])) for g in range(n_groups))


@times(2)
@given(training_sets(), problems(), st.sampled_from([None, None, 1e-9, 1e-3]))
def test_a_path_keeps_all_its_promises_whatever_the_time(training_set, problem, seconds):
    path = grown(problem)
    results = learn(training_set, path, seconds=seconds)
    promises_are_kept(training_set, path, results)
    assert len(results) == len(path) or results[-1].certificate.objective == 0
    if seconds == 1e-9:
        assert {result.stop_reason for result in results} == {StopReason.TIME_LIMIT}


def test_small_optima_are_never_passed_and_seldom_missed():
    missed, n_points = [], 0

    @times(2)
    @given(st.one_of(binary_sets(), set_covers(whole=True)), st.sampled_from([None, 1, 2]))
    def check(training_set, K):
        nonlocal n_points
        path = [Problem(C, max_clauses=K) for C in (2, 3, 5, 7)]
        results = learn(training_set, path)
        for problem, result in zip(path, results, strict=False):
            optimum = brute_force.optimum(training_set, problem)
            loss = brute_force.objective_of_columns(training_set, problem, result.chosen_columns)
            assert loss >= optimum
            n_points += 1
            missed.extend([problem] * (loss > optimum))

    check()
    assert len(missed) <= 0.05 * n_points


@times(2)
@given(st.data(), st.one_of(binary_sets(), set_covers()))
def test_what_is_required_is_used_at_every_complexity(data, training_set):
    groups = data.draw(required_groups(training_set))
    D = data.draw(st.sampled_from([None, 1, 2]))
    problem = Problem(2 * len(groups), D, min_coverage=1, required=groups)
    path = [replace(problem, max_complexity=C) for C in (2 * len(groups), 5, 8)]
    clauses = {k.conditions for k in brute_force.every_clause(training_set, path[0])}
    is_possible = all(any((j,) in clauses for j in group) for group in groups)
    if is_possible:
        promises_are_kept(training_set, path, learn(training_set, path))
    else:
        with pytest.raises(ValueError, match="No rule set was found that uses all"):
            learn(training_set, path)


def table(n_rows=80, n_classes=2):
    """Numbers with gaps, categories, and labels that a few conditions tell apart but for some."""
    random = np.random.default_rng(3)
    age, pay = random.integers(20, 70, n_rows), random.normal(30, 10, n_rows).round(1)
    town = random.choice(["Aachen", "Bonn", "Cologne"], n_rows)
    y = ((age > 40) & (pay > 25)).astype(int) + (town == "Bonn") * (n_classes > 2)
    y = np.where(random.random(n_rows) < 0.1, random.integers(n_classes, size=n_rows), y)
    gaps = [
        None if is_gap else p for p, is_gap in zip(pay, random.random(n_rows) < 0.1, strict=True)
    ]
    return polars.DataFrame({"age": age, "pay": gaps, "town": town}), y


X, Y = table()


def fast(X=X, y=Y, complexities=range(2, 9), **parameters):
    return complexity_path(X, y, complexities=complexities, mode="fast", **parameters)


def losses_of(path):
    return [point.hamming_loss for point in path.points]


GIVEN = "age > 45 AND town == 'Cologne'"
ASKED = [
    {},
    {"form": "cnf"},
    {"max_clauses": 2, "missed_positive_cost": 5},
    {"max_conditions": 1, "min_coverage": 9, "form": "cnf"},
    {"clause_cost": 0.5, "complexity_penalty": 0.3},
    {"sample_weight": np.linspace(0.1, 2.3, len(Y))},
    {"constraints": {"required": ["town"]}},
    {"constraints": {"given_clauses": [GIVEN]}, "complexities": [3, 4, 5, 8]},
]


@pytest.mark.parametrize("asked", ASKED)
def test_rules_of_a_table_keep_to_what_is_asked_and_lose_what_is_said(asked):
    costs = np.where(Y == 1, asked.get("missed_positive_cost", 1), 1.0)
    costs = costs * asked.get("sample_weight", 1)
    path = fast(**asked)
    for point in path.points:
        (rules,), (certificate,) = point.model.rule_sets, point.model.certificates
        lengths = [len(clause.conditions) for clause in rules.clauses]
        is_right = Y == 1 if rules.form == "dnf" else Y == 0
        n_covered = (rules.decides(X) & is_right[:, None]).sum(axis=0)
        complexity = asked.get("clause_cost", 1) * len(lengths) + sum(lengths)
        assert complexity == point.complexity <= point.max_complexity
        assert len(lengths) <= asked.get("max_clauses", len(lengths))
        assert max(lengths) <= asked.get("max_conditions", max(lengths))
        assert (n_covered >= asked.get("min_coverage", 0)).all()
        assert all(words[0] in str(rules) for words in asked.get("constraints", {}).values())
        assert rules.hamming_loss(X, Y == 1, costs) == pytest.approx(point.hamming_loss, rel=1e-12)
        # The given clause has all the complexity of the first point, and there is one rule set.
        is_full = certificate.argument is Argument.NO_ROOM
        assert is_full == ("given_clauses" in asked.get("constraints", {}) and complexity == 3)
        assert is_full or (certificate.lower_bound, certificate.argument) == (None, Argument.NONE)
    objectives = [point.model.certificates[0].objective for point in path.points]
    assert objectives == sorted(objectives, reverse=True)


@pytest.mark.parametrize("scale", [2.0**-200, 1e-6, 1 / 3, 1e12])
def test_the_scale_of_weights_does_not_matter(scale):
    weights = np.random.default_rng(0).choice([1.0, 2.0, 2.5], size=len(Y))
    one, other = (fast(sample_weight=w) for w in (weights, scale * weights))
    assert losses_of(other) == pytest.approx([scale * loss for loss in losses_of(one)], rel=1e-9)


def test_three_classes_have_as_many_points_each_and_share_the_time(monkeypatch):
    shares = []
    learned = FastPath.learn

    def learn_and_tell(path, patience):
        shares.append(path._budget.remaining_seconds)
        return learned(path, patience)

    monkeypatch.setattr(FastPath, "learn", learn_and_tell)
    X, y = table(n_classes=3)
    path = fast(X, y, time_limit=60)
    assert path.points[-1].max_complexity == 8
    assert {len(point.model.rule_sets) for point in path.points} == {3}
    losses = losses_of(path)
    assert losses == sorted(losses, reverse=True)
    assert shares[0] <= 20
    assert max(shares) <= 60


def test_one_class_has_one_constant_point():
    with pytest.warns(UserWarning, match="Every label is"):
        path = fast(y=np.ones(len(Y)))
    assert losses_of(path) == [0]


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_long_clauses_are_found_where_each_condition_gains(form):
    random = np.random.default_rng(2)
    job, is_member = random.integers(12, size=600), random.integers(2, size=600)
    table = polars.DataFrame({"job": [f"job {j}" for j in job], "member": is_member})
    is_positive = (job >= 8) & (is_member == 1)
    if form == "cnf":
        is_positive = ~is_positive
    # One clause of nine conditions: member == 1 AND job not in {...}, or what denies it.
    path = complexity_path(
        table, is_positive, complexities=[10], mode="fast", form=form, positive_label=True
    )
    assert path.at(10).hamming_loss == 0
    assert len(path.at(10).rule_set.clauses[0].conditions) == 9


def test_without_conditions_no_clause_is_found():
    path = fast(np.ones((4, 2)), [0, 1, 1, 0], complexities=[2, 3])
    assert losses_of(path) == [2, 2]
    assert {p.model.certificates[0].argument for p in path.points} == {Argument.NONE}
    for model in BooleanRuleClassifier(mode="fast").fit_path(
        np.ones((4, 2)), [0, 1, 1, 0], [2], 5
    ):
        assert model.results_[0].stop_reason is StopReason.NO_CONDITIONS


def test_given_clauses_that_cover_all_leave_one_point_or_what_is_required():
    X = polars.DataFrame({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0], "c": [0, 1, 1, 0]})
    given = {"given_clauses": ["a == 1"]}
    done = fast(X, [1, 1, 0, 0], binarizer=None, constraints=given)
    assert losses_of(done) == [0]
    assert done.points[0].model.certificates[0].argument is Argument.ZERO_LOSS
    both = {**given, "required": ["b"]}
    path = fast(X, [1, 1, 0, 0], binarizer=None, constraints=both, complexities=[4, 5, 6])
    assert all(str(point.model.rule_sets[0]).count("b == ") for point in path.points)


def test_preferred_features_are_used_where_that_costs_nothing():
    X = polars.DataFrame({"a": [1, 1, 0, 0], "b": [1, 1, 0, 0]})
    path = fast(X, [1, 1, 0, 0], binarizer=None, constraints={"preferred_features": ["b"]})
    assert "b == 1" in str(path.points[0].model.rule_sets[0])


def test_a_path_ends_where_patience_does():
    X, y = np.array([[0], [1], [0], [1]]), [0, 1, 1, 0]
    path = fast(X, y, complexities=range(2, 20), patience=3)
    assert len(path.points) == 4


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_time_still_gives_rules_at_every_complexity(n_classes):
    path = fast(*table(n_classes=n_classes), time_limit=0.001, patience=FOREVER)
    assert [point.max_complexity for point in path.points] == list(range(2, 9))
    losses = losses_of(path)
    assert losses == sorted(losses, reverse=True)
    assert all(rules.clauses for rules in path.points[-1].model.rule_sets[:1])


def test_what_is_required_is_used_where_single_moves_do_not_get_to():
    ranges = [(f, [piece]) for f in range(3) for piece in ((0, 1), (1, 2))]
    positives = [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
    zeros = [[0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    codes = np.array(positives + zeros, dtype=np.uint8)
    weights = np.array([1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0])
    conditions = BinnedConditions.build(ranges, [2, 2, 2])
    training_set = TrainingSet.merge(codes, np.arange(8) < 3, weights, conditions)
    # No clause has both, and the best that has one of them leaves no room for the other.
    path = [Problem(4, min_coverage=1, required=((3,), (2,)))]
    (result,) = learn(training_set, path)
    assert sorted(clauses_of(result)) == [(2,), (3,)]


class Interrupted:
    """Searches that Ctrl-C ends after some."""

    def __init__(self, n_calls):
        self.n_left = n_calls
        self._search = ClausePool.search

    def __call__(self, pool, *arguments):
        self.n_left -= 1
        if self.n_left == -1:
            raise KeyboardInterrupt
        return self._search(pool, *arguments)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_interrupt_leaves_the_points_that_were_done(n_classes):
    whole = fast(*table(n_classes=n_classes), patience=FOREVER)
    lengths = []
    for n_calls in (3, 10, 15, 20, 30, 40, 60, 10_000):
        with pytest.MonkeyPatch.context() as patch:
            interrupted = Interrupted(n_calls)
            patch.setattr(ClausePool, "search", lambda *args, i=interrupted: i(*args))
            try:
                path = fast(*table(n_classes=n_classes), patience=FOREVER)
            except KeyboardInterrupt:
                lengths.append(0)
                continue
        lengths.append(len(path.points))
        losses = losses_of(path)
        assert losses == sorted(losses, reverse=True)
        assert all(c.lower_bound in (None, 0) for p in path.points for c in p.model.certificates)
    assert lengths[0] == 0
    assert lengths[-1] == len(whole.points)
    assert any(0 < n < len(whole.points) for n in lengths)


@times(0.3)
@given(training_sets(whole=True), problems(whole=True))
def test_numpy_and_numba_give_the_same_rules(training_set, problem):
    path = grown(problem, (1, 2))
    one, other = (learn(training_set, path, engine=engine) for engine in ("numba", "numpy"))
    assert [clauses_of(result) for result in one] == [clauses_of(result) for result in other]
