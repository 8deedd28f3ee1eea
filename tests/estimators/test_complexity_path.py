"""Paths: losses fall, certificates hold, nothing is worse than a fit on its own."""

import math
from dataclasses import replace
from unittest import mock

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_breast_cancer, load_iris

import brute_force
from boolrules import BooleanRuleClassifier, complexity_path
from boolrules._support.budget import SECONDS_AFTER_INTERRUPT, Budget
from boolrules.data.problem import Problem
from boolrules.estimators.complexity_path import (
    ComplexityPath,
    PathPoint,
    take_better_rules,
)
from boolrules.proof.bound import is_proved_again
from boolrules.proof.certificate import Argument
from boolrules.proof.shared_proof import SharedProof
from boolrules.solver.column_generation import ColumnGeneration
from boolrules.solver.incumbent import Incumbent
from boolrules.solver.path import TradeOff
from boolrules.solver.result import StopReason
from boolrules.solver.settings import Settings
from strategies import problems, times, training_sets


def nothing(*_):
    """Show no progress."""


def some_cancer(n_rows=150):
    X, y = load_breast_cancer(return_X_y=True)
    return X[:n_rows, :5], y[:n_rows]


@pytest.fixture(scope="module")
def path():
    X, y = some_cancer()
    return complexity_path(X, y, complexities=range(2, 9), time_limit=None)


@pytest.mark.parametrize(("complexities", "penalty"), [([2.5, 3], 1), ([4.5, 5], 0)])
def test_a_limit_between_whole_numbers_is_proved_as_the_lower_one(complexities, penalty):
    for seed in range(30):
        random = np.random.default_rng(seed)
        X, y = random.integers(0, 2, (10, 4)), random.integers(0, 2, 10)
        path = complexity_path(
            X, y, complexities=complexities, binarizer=None, complexity_penalty=penalty
        )
        below = BooleanRuleClassifier(
            int(complexities[0]), binarizer=None, complexity_penalty=penalty
        ).fit(X, y)
        assert path[0].is_optimal
        assert path[0].certificate.objective == below.certificate_.objective
        assert all(point.classifier.verify(X, y).holds for point in path)


def test_losses_fall_and_complexities_are_kept(path):
    losses = [point.hamming_loss for point in path]
    assert losses == sorted(losses, reverse=True)
    assert all(point.complexity <= point.max_complexity for point in path)


def test_every_point_is_proved_and_as_good_as_a_fit_on_its_own(path):
    X, y = some_cancer()
    for point in path:
        alone = BooleanRuleClassifier(point.max_complexity, time_limit=None).fit(X, y)
        assert point.is_optimal
        assert point.hamming_loss == alone.certificate_.hamming_loss


def test_every_certificate_can_be_verified(path):
    X, y = some_cancer()
    assert all(point.classifier.verify(X, y).holds for point in path)


def test_the_same_seed_gives_the_same_path(path):
    X, y = some_cancer()
    again = complexity_path(X, y, complexities=range(2, 9), time_limit=None)
    assert [str(p.rule_set) for p in again] == [str(p.rule_set) for p in path]


def test_efficient_points_are_those_that_no_other_beats(path):
    for point in path:
        is_beaten = any(
            other.hamming_loss <= point.hamming_loss
            and other.complexity <= point.complexity
            and (other.hamming_loss, other.complexity) != (point.hamming_loss, point.complexity)
            for other in path
        )
        assert not (point.is_efficient and is_beaten)
    values = [(p.hamming_loss, p.complexity) for p in path.efficient]
    assert len(values) == len(set(values))
    assert min(p.hamming_loss for p in path) == values[-1][0]


def test_points_are_found_by_their_complexity(path):
    assert path.at(5).max_complexity == 5
    assert path.at(100) is path[-1]
    with pytest.raises(ValueError, match="starts at 2"):
        path.at(1)


def test_rows_and_text_have_one_line_per_point(path):
    assert len(path.to_rows()) == len(path) == len(str(path).splitlines()) - 1
    assert "<table " in path._repr_html_()


def test_the_path_stops_where_nothing_is_lost():
    X = np.array([[0], [1]] * 5)
    path = complexity_path(X, X[:, 0], binarizer=None)
    assert [(p.max_complexity, p.hamming_loss) for p in path] == [(2, 0)]


def test_the_path_stops_where_more_complexity_no_longer_pays():
    X = np.zeros((8, 1))
    X[:2] = 1
    y = np.array([1, 0, 1, 0, 0, 0, 0, 0])
    path = complexity_path(X, y, patience=3)
    assert len(path) == 4


def test_a_path_of_three_classes_has_one_rule_set_per_class():
    X, y = load_iris(return_X_y=True)
    path = complexity_path(X[::3], y[::3], complexities=[2, 3, 4], time_limit=None)
    assert all(len(p.classifier.rule_sets_) == 3 for p in path)
    losses = [p.hamming_loss for p in path]
    assert losses == sorted(losses, reverse=True)
    with pytest.raises(AttributeError, match="rule_sets_"):
        _ = path[0].rule_set


def test_a_path_of_one_class_is_constant():
    with pytest.warns(UserWarning, match="constant"):
        path = complexity_path(np.zeros((3, 1)), ["yes"] * 3)
    assert [p.hamming_loss for p in path] == [0]


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_weights_missing_values_and_text_are_welcome(form):
    random = np.random.default_rng(0)
    frame = polars.DataFrame(
        {
            "age": [None if a == 0 else float(a) for a in random.integers(0, 9, 40)],
            "job": random.choice(["cook", "clerk", "nurse"], 40),
        }
    )
    y = (frame["age"].fill_null(0) > 4).to_numpy()
    path = complexity_path(
        frame, y, sample_weight=random.random(40), form=form, complexities=[2, 3, 4]
    )
    losses = [p.hamming_loss for p in path]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(
    ("complexities", "error", "words"),
    [([], ValueError, "empty"), (["2"], TypeError, "no number"), ([1], ValueError, "no clause")],
)
def test_bad_complexities_are_named(complexities, error, words):
    with pytest.raises(error, match=words):
        complexity_path([[0], [1]], [0, 1], complexities=complexities)


def test_a_short_time_limit_still_gives_rules_at_every_complexity():
    X, y = some_cancer()
    path = complexity_path(X, y, complexities=range(2, 12), time_limit=0.5)
    losses = [point.hamming_loss for point in path]
    assert losses == sorted(losses, reverse=True)


@settings(times(0.3))
@given(training_sets(whole=True), problems(whole=True))
def test_every_bound_on_a_path_holds_and_every_optimum_is_one(training_set, problem):
    made = TradeOff(training_set, Settings(time_limit=None))
    least = problem.min_clause_complexity
    results = []
    for more in (0, 1, 3):
        limit = Problem(
            least + more,
            problem.max_conditions,
            problem.clause_cost,
            problem.condition_cost,
            problem.complexity_penalty,
        )
        results.append(made.learn(limit, None, nothing, nothing))
    chosen = made.chosen_among_all(results, Budget.unlimited())
    for result in [*chosen, *made.proved(chosen, Budget.unlimited(), nothing)]:
        certificate = result.certificate
        optimum = brute_force.optimum(training_set, certificate.problem)
        assert certificate.objective >= optimum
        if certificate.lower_bound is not None:
            assert certificate.lower_bound <= optimum
        if certificate.is_optimal:
            assert certificate.objective == optimum
        assert is_proved_again(certificate, training_set)


@settings(times(0.3))
@given(training_sets(whole=True))
def test_every_gap_of_a_path_is_closed_where_time_allows(training_set):
    made = TradeOff(training_set, Settings(time_limit=None))
    results = [made.learn(Problem(C), None, nothing, nothing) for C in (2, 4, 5)]
    proved = made.proved(results, Budget.unlimited(), nothing)
    assert all(result.certificate.is_optimal for result in proved)
    assert all(result.stop_reason is StopReason.OPTIMAL for result in proved)


@pytest.mark.parametrize(
    "step",
    [(TradeOff, "_chosen_again"), (SharedProof, "__init__"), (SharedProof, "raise_bound")],
    ids=["choosing", "before proving", "proving"],
)
def test_an_interrupt_of_the_second_pass_keeps_the_rules(path, step):
    X, y = some_cancer()
    with mock.patch.object(*step, side_effect=KeyboardInterrupt):
        cut_short = complexity_path(X, y, complexities=range(2, 9), time_limit=None)
    assert len(cut_short) == len(path)
    results = [point.classifier.results_[0] for point in cut_short]
    assert StopReason.INTERRUPTED in {result.stop_reason for result in results}
    is_open = [result.stop_reason is not StopReason.OPTIMAL for result in results[:-1]]
    assert is_open == [not result.certificate.is_optimal for result in results[:-1]]
    losses = [point.hamming_loss for point in cut_short]
    assert losses == sorted(losses, reverse=True)


def test_an_interrupt_between_complexities_keeps_those_before(path):
    X, y = some_cancer()
    original, calls = Incumbent.offer_clauses, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(*arguments)

    with mock.patch.object(Incumbent, "offer_clauses", interrupted):
        cut_short = complexity_path(X, y, complexities=range(2, 9), time_limit=None)
    assert 0 < len(cut_short) < len(path)
    assert cut_short[-1].classifier.results_[0].stop_reason is StopReason.INTERRUPTED
    for point, whole in zip(cut_short, path, strict=False):
        assert point.max_complexity == whole.max_complexity
        assert point.hamming_loss >= whole.hamming_loss


def test_after_an_interrupt_little_time_is_left_for_what_follows(monkeypatch):
    X, y = load_iris(return_X_y=True)
    limits, left = [], []
    learn, proved, generate = TradeOff.learn, TradeOff.proved, ColumnGeneration.generate

    def learning(self, problem, time_limit, *callbacks):
        limits.append(time_limit)
        return learn(self, problem, time_limit, *callbacks)

    def proving(self, results, budget, on_step):
        left.append(budget.remaining_seconds)
        return proved(self, results, budget, on_step)

    def interrupted_once(*arguments):
        reason = generate(*arguments)
        if len(limits) == 1:
            raise KeyboardInterrupt
        return reason

    monkeypatch.setattr(TradeOff, "learn", learning)
    monkeypatch.setattr(TradeOff, "proved", proving)
    complexity_path(X, y, complexities=range(2, 20), patience=1, time_limit=None)
    assert set(limits) == {None}
    assert set(left) == {math.inf}
    limits.clear()
    left.clear()
    monkeypatch.setattr(ColumnGeneration, "generate", interrupted_once)
    path = complexity_path(X, y, complexities=range(2, 20), time_limit=None)
    assert len(path) == 1
    first, second, third = limits
    assert first is None
    # It is not shared with complexities that will not come.
    assert SECONDS_AFTER_INTERRUPT / 2 < second <= SECONDS_AFTER_INTERRUPT
    assert third <= second
    assert len(left) == 3
    assert max(left) <= SECONDS_AFTER_INTERRUPT


def test_of_equal_points_the_first_is_efficient():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    path = complexity_path(X, X[:, 0] ^ X[:, 1], binarizer=None, time_limit=None)
    assert [point.is_efficient for point in path] == [True, *[False] * (len(path) - 1)]


@pytest.fixture(scope="module")
def fast_path():
    X, y = some_cancer()
    return complexity_path(X, y, complexities=[2, 3, 5, 6, 8], mode="fast", time_limit=None)


@pytest.mark.parametrize("C", [2, 5, 8, 12], ids=["first", "between", "last", "beyond"])
def test_rules_learned_by_themselves_take_their_place_on_a_path(fast_path, C):
    X, y = some_cancer()
    alone = BooleanRuleClassifier(C, time_limit=None).fit(X, y)
    path = fast_path.with_fitted(alone)
    limits = [point.max_complexity for point in fast_path]
    assert [point.max_complexity for point in path] == sorted({*limits, C})
    point = path.at(C)
    assert point.classifier is alone
    assert point.certificate == alone.certificate_
    assert point.is_optimal
    losses = [point.hamming_loss for point in path]
    assert losses == sorted(losses, reverse=True)
    assert any(point.is_efficient for point in path)


def test_copies_of_rules_at_higher_complexities_claim_no_bound(path):
    X, y = some_cancer()
    alone = path.at(5).classifier
    bad = path.at(2).classifier
    weak = ComplexityPath(tuple(PathPoint(C, bad, is_efficient=False) for C in (2, 3, 5, 6, 8)))
    assert bad.certificate_.hamming_loss > alone.certificate_.hamming_loss > 0
    found = weak.with_fitted(alone)
    assert [point.classifier is bad for point in found] == [True, True, False, False, False]
    assert found.at(5).is_optimal
    for point in (found.at(6), found.at(8)):
        assert point.rule_set == alone.rule_set_
        assert point.classifier.max_complexity == point.max_complexity
        assert point.certificate.problem.max_complexity == point.max_complexity
        assert (point.lower_bound, point.is_optimal) == (None, False)
        assert not point.is_efficient
        assert point.classifier.verify(X, y).holds
    # The classifier itself is as it was.
    assert alone.max_complexity == alone.certificate_.problem.max_complexity == 5


def test_copies_of_rules_that_lose_nothing_are_optimal():
    X = np.arange(8)[:, None]
    y = X[:, 0] > 3
    alone = BooleanRuleClassifier(2, time_limit=None).fit(X, y)
    bad = BooleanRuleClassifier(0, time_limit=None).fit(X, y)
    weak = ComplexityPath(tuple(PathPoint(C, bad, is_efficient=False) for C in (0, 2, 4)))
    found = weak.with_fitted(alone)
    assert [point.hamming_loss for point in found] == [4, 0, 0]
    assert found.at(4).is_optimal
    assert found.at(4).classifier.verify(X, y).holds


def test_a_path_may_begin_with_no_rules():
    X, y = some_cancer(80)
    path = complexity_path(X, y, complexities=[0, 2, 3], time_limit=None)
    assert [point.max_complexity for point in path] == [0, 2, 3]
    assert (path[0].complexity, path[0].n_clauses, path[0].is_optimal) == (0, 0, True)
    assert all(point.classifier.verify(X, y).holds for point in path)


def test_what_is_given_leaves_no_path_of_no_rules():
    X, y = some_cancer(80)
    with pytest.raises(ValueError, match=r"complexities begin at 0, .* Begin at 2"):
        complexity_path(X, y, complexities=[0, 3], constraints={"given_clauses": ["x0 > 14"]})


def test_better_rules_are_taken_under_the_bound_that_holds_for_all():
    random = np.random.default_rng(5)
    X = random.integers(0, 4, (80, 3))
    y = ((X[:, 0] > 1) & (X[:, 1] > 1)) ^ (random.random(80) < 0.1)
    best = BooleanRuleClassifier(5).fit(X, y)
    worse = BooleanRuleClassifier(2).fit(X, y)
    assert worse.model_.hamming_loss > best.model_.hamming_loss
    weak = BooleanRuleClassifier(5, mode="fast").fit(X, y)
    weak.model_ = replace(
        best.model_,
        rule_sets=worse.rule_sets_,
        certificates=(
            replace(best.certificate_, hamming_loss=worse.model_.hamming_loss, complexity=2),
        ),
    )
    assert not weak.model_.is_optimal
    found = BooleanRuleClassifier(5, mode="fast").fit(X, y)
    found.model_ = replace(
        best.model_,
        certificates=(
            replace(best.certificate_, lower_bound=None, argument=Argument.NONE, duals=None),
        ),
    )
    take_better_rules(weak, found)
    assert weak.rule_set_ == best.rule_set_
    assert weak.model_.is_optimal
    assert weak.verify(X, y).holds
    take_better_rules(weak, worse)
    assert weak.rule_set_ == best.rule_set_
