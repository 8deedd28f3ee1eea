"""Certificates: what they say, what they survive, and what they do not."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules import Argument, Certificate, Clause, Condition, Constraints, Relation
from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.given import Given
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.proof.bound import is_proved_again, rounded_bound
from boolrules.proof.gap import objective_step
from boolrules.solver.column_generation import learn
from boolrules.solver.settings import Settings
from brute_force import ExactDuals
from strategies import problems, training_sets

SCALE = 2**10
UNIT = SCALE  # one row, on the grid


def certified(training_set, problem):
    result = learn(training_set, problem, Settings(time_limit=None), lambda iteration: None)
    return result.certificate


@pytest.fixture
def two_codes():
    """One feature with codes 0 and 1: ``== 1`` covers five positives and one zero."""
    conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    codes = np.array([[0], [1], [0], [1]], dtype=np.uint8)
    is_positive = np.array([True, True, False, False])
    return TrainingSet.merge(codes, is_positive, np.array([2.0, 5, 4, 1]), conditions)


@pytest.fixture(params=[Argument.EXACT_SEARCH, Argument.ENUMERATION])
def tight(request):
    """μ = (2, 3) and λ = 1: no slack in ``== 1``, and 2 + 3 - 2 = 3 is the optimum."""
    duals = IntegerDuals(np.array([2 * UNIT, 3 * UNIT]), 1 * UNIT, SCALE)
    return Certificate(3, 2, 3, request.param, Problem(max_complexity=2), duals)


def tampered(certificate, *, mu=(0, 0), lam=0):
    duals = certificate.duals
    changed = IntegerDuals(duals.mu + np.array(mu), duals.lam + lam, duals.scale)
    return replace(certificate, duals=changed)


def test_the_hand_made_certificate_is_the_optimum(two_codes, tight):
    assert brute_force.optimum(two_codes, tight.problem) == tight.lower_bound


def test_a_right_certificate_verifies(two_codes, tight):
    assert is_proved_again(tight, two_codes)


@pytest.mark.parametrize("changes", [{"mu": (0, 1)}, {"mu": (0, UNIT)}, {"mu": (0, 2 * UNIT)}])
def test_a_certificate_with_a_raised_mu_fails(two_codes, tight, changes):
    assert not is_proved_again(tampered(tight, **changes), two_codes)


def test_a_certificate_with_mu_above_the_weight_fails(two_codes, tight):
    # No clause covers this positive at a profit, so that only the weight limits its μ.
    assert not is_proved_again(tampered(tight, mu=(1, 0)), two_codes)


def test_a_certificate_with_a_negative_mu_fails(two_codes, tight):
    assert not is_proved_again(
        replace(tampered(tight, mu=(-3 * UNIT, 0)), lower_bound=0), two_codes
    )


@pytest.mark.parametrize("lam", [-1, -UNIT])
def test_a_certificate_with_a_lowered_lambda_fails(two_codes, tight, lam):
    assert not is_proved_again(tampered(tight, lam=lam), two_codes)


def test_a_certificate_with_a_negative_lambda_fails(two_codes, tight):
    assert not is_proved_again(tampered(tight, mu=(0, -3 * UNIT), lam=-UNIT - 1), two_codes)


@pytest.mark.parametrize("lower_bound", [4, 3.0001, 1e9, 1e30, math.inf, math.nan])
def test_a_certificate_with_a_raised_bound_fails(two_codes, tight, lower_bound):
    assert not is_proved_again(replace(tight, lower_bound=lower_bound), two_codes)


def test_a_certificate_that_claims_less_than_it_proves_verifies(two_codes, tight):
    assert is_proved_again(replace(tight, lower_bound=2), two_codes)


def test_a_certificate_whose_duals_are_taken_away_fails(two_codes, tight):
    assert not is_proved_again(replace(tight, duals=None), two_codes)


def test_a_certificate_with_duals_of_other_data_fails(two_codes, tight):
    duals = replace(tight.duals, mu=tight.duals.mu[:1])
    assert not is_proved_again(replace(tight, lower_bound=0, duals=duals), two_codes)


def test_a_certificate_on_a_grid_too_fine_for_exact_sums_fails(two_codes, tight):
    finer = 2**45
    duals = IntegerDuals(tight.duals.mu * finer, tight.duals.lam * finer, SCALE * finer)
    assert not is_proved_again(replace(tight, duals=duals), two_codes)


def test_duals_on_a_grid_that_weights_do_not_fit_are_turned_down():
    # Ten positives of 0.7, which is a little less than 7/10: their sum is a little less than 7.
    conditions = BinnedConditions.build([(0, [(20, 21)])], n_codes=[21])
    codes = np.arange(11, dtype=np.uint8)[:, None]
    training_set = TrainingSet.merge(codes, codes[:, 0] < 10, np.full(11, 0.7), conditions)
    problem, duals = Problem(max_complexity=2), IntegerDuals(np.full(10, 7), 0, scale=10)
    forged = Certificate(7.0, 0, 7.0, Argument.EXACT_SEARCH, problem, duals)
    assert brute_force.optimum(training_set, problem) < 7
    assert not is_proved_again(forged, training_set)


def test_zero_loss_argues_for_nothing_above_zero(two_codes, tight):
    claim = replace(tight, argument=Argument.ZERO_LOSS, duals=None)
    assert not is_proved_again(claim, two_codes)


def test_a_certificate_fails_on_data_with_one_zero_less(two_codes, tight):
    fewer = replace(two_codes, weights_Z=np.array([4.0, 0.5]))
    assert not is_proved_again(tight, fewer)


def test_verifying_without_time_proves_nothing(two_codes, tight):
    assert not is_proved_again(tight, two_codes, Budget.of(0.0))


def test_a_certificate_without_a_bound_claims_nothing_and_verifies(two_codes, tight):
    nothing = replace(tight, lower_bound=None, argument=Argument.NONE, duals=None)
    assert is_proved_again(nothing, two_codes)


@given(
    training_sets(),
    problems(),
    st.floats(0.0, 1.0),
    st.one_of(st.just(0), st.integers(-(2**41), 2**41)),
    st.one_of(st.just(0), st.integers(-(2**41), 2**41)),
    st.sampled_from([0, 0, 0.01, 0.5, 1, 2]),
)
def test_whatever_is_tampered_with_only_true_bounds_verify(
    training_set, problem, where, change_mu, change_lam, more
):
    certificate = certified(training_set, problem)
    if certificate.duals is None:
        return
    mu = certificate.duals.mu.copy()
    mu[int(where * (len(mu) - 1))] += change_mu
    lam = certificate.duals.lam + change_lam
    duals = replace(certificate.duals, mu=mu, lam=lam)
    honest = max(certificate.lower_bound, rounded_bound(duals, training_set, problem))
    claimed = honest + more * training_set.unit
    forged = replace(certificate, duals=duals, lower_bound=claimed)
    if is_proved_again(forged, training_set):
        assert Fraction(claimed) <= brute_force.optimum(training_set, problem)


@given(training_sets(), problems())
def test_kept_duals_are_feasible_and_worth_the_bound(training_set, problem):
    certificate = certified(training_set, problem)
    if certificate.duals is None:
        return
    exact = ExactDuals.of(certificate.duals)
    every = brute_force.reduced_costs(training_set, problem, exact)
    step, worth = objective_step(training_set, problem), exact.bound(problem)
    assert all(rc >= 0 for rc, _ in every)
    assert all(m <= w for m, w in zip(exact.mu, training_set.weights_P, strict=True))
    if certificate.argument is Argument.EXACT_SEARCH:
        most = worth if step is None else math.ceil(worth / step) * step
        assert Fraction(certificate.lower_bound) <= most


@given(training_sets(), problems())
def test_one_more_than_the_bound_fails_to_verify(training_set, problem):
    certificate = certified(training_set, problem)
    if certificate.lower_bound is None:
        return
    more = certificate.lower_bound + max(1e-4 * training_set.unit, 1e-12)
    assert not is_proved_again(replace(certificate, lower_bound=more), training_set)


@given(training_sets(), problems())
def test_a_certificate_survives_json(training_set, problem):
    certificate = certified(training_set, problem)
    text = json.dumps(certificate.to_plain(), allow_nan=False)
    again = Certificate.from_plain(json.loads(text))
    assert again.to_plain() == certificate.to_plain()
    assert again.sentence() == certificate.sentence()
    assert is_proved_again(again, training_set)


@pytest.mark.parametrize("weight", [1e-12, 1e-10, 1e-3, 1e3 + 0.5, 1e9 + 0.5])
def test_a_certificate_survives_json_whatever_the_scale_of_the_weights(two_codes, weight):
    scaled = replace(
        two_codes,
        weights_P=two_codes.weights_P * weight * 1.1,
        weights_Z=two_codes.weights_Z * weight * 1.1,
    )
    certificate = certified(scaled, Problem(max_complexity=2))
    again = Certificate.from_plain(json.loads(json.dumps(certificate.to_plain())))
    assert again.to_plain() == certificate.to_plain()


@pytest.mark.parametrize("C", [np.int64(2), np.float64(2.0), np.float32(2.0)])
def test_numbers_of_numpy_are_written_as_json(two_codes, C):
    certificate = certified(two_codes, Problem(max_complexity=C))
    again = Certificate.from_plain(json.loads(json.dumps(certificate.to_plain())))
    assert is_proved_again(again, two_codes)


@pytest.mark.parametrize(
    "damage",
    [
        {"hamming_loss": "3"},
        {"hamming_loss": None},
        {"lower_bound": True},
        {"lower_bound": math.inf},
        {"argument": "trust me"},
        {"problem": None},
        {"problem": {"max_complexity": 1}},
        {"problem": {"max_complexity": 2, "max_depth": 3}},
        {"duals": {"mu": [1.5], "lam": 0, "scale": 1}},
        {"duals": {"mu": [-1], "lam": 0, "scale": 1}},
        {"duals": {"mu": [1], "lam": 0, "scale": 0}},
        {"duals": {"mu": [1], "lam": 0}},
        {"thresholds": "deciles"},
        {"thresholds": True},
    ],
)
def test_damaged_json_is_turned_down(tight, damage):
    with pytest.raises(ValueError, match=r"certificate|Duals|max_complexity"):
        Certificate.from_plain(tight.to_plain() | damage)


def certificate_of(loss, bound, **limits):
    problem = Problem(**({"max_complexity": 15} | limits))
    return Certificate(loss, 14, bound, Argument.EXACT_SEARCH, problem)


@pytest.mark.parametrize(
    ("certificate", "sentence"),
    [
        (
            certificate_of(143, 143),
            "Hamming loss 143, lower bound 143: optimal among all rule sets of complexity at "
            "most 15.",
        ),
        (
            certificate_of(143, 142),
            "Hamming loss 143, lower bound 142: no rule set of complexity at most 15 can be "
            "better by more than 1 (0.7 %).",
        ),
        (
            certificate_of(143, None),
            "Hamming loss 143; no lower bound was proved within the limits.",
        ),
        (
            certificate_of(0, 0, max_conditions=3),
            "Hamming loss 0, lower bound 0: optimal among all rule sets of complexity at most 15 "
            "with at most 3 conditions per clause.",
        ),
        (
            certificate_of(3, 3, max_conditions=1, min_coverage=20),
            "Hamming loss 3, lower bound 3: optimal among all rule sets of complexity at most 15 "
            "with at most 1 condition per clause and at least 20 rows of its class covered per "
            "clause.",
        ),
        (
            replace(certificate_of(143, 143), argument=Argument.INTEGER_PROGRAM),
            "Hamming loss 143, lower bound 143: optimal among all rule sets of complexity at "
            "most 15, by the solver's word.",
        ),
        (
            certificate_of(4, 2, clause_cost=0.5, condition_cost=2),
            "Hamming loss 4, lower bound 2: no rule set of complexity at most 15 (a clause "
            "counts 0.5, a condition 2) can be better by more than 2 (50.0 %).",
        ),
        (
            certificate_of(4, 3, complexity_penalty=0.5),
            "Hamming loss 4 + 0.5 x complexity 14 = 11, lower bound 3: no rule set of complexity "
            "at most 15 can be better by more than 8 (72.7 %).",
        ),
        (
            replace(certificate_of(143, 143), thresholds="all"),
            "Hamming loss 143, lower bound 143: optimal among all rule sets of complexity at "
            "most 15, over all thresholds.",
        ),
        (
            replace(
                certificate_of(143, 143, max_clauses=2, max_conditions=3),
                thresholds="all",
                constraints=Constraints(forbidden_features=["sex"]),
                given=Given((Clause((Condition("age", Relation.LE, 35),)),), 3),
                argument=Argument.INTEGER_PROGRAM,
            ),
            "Hamming loss 143, lower bound 143: optimal among all rule sets of complexity at "
            "most 15 with at most 2 clauses, at most 3 conditions per clause and the given "
            "clauses that keep to the constraints, over all thresholds, by the solver's word.",
        ),
        (
            replace(certificate_of(143, 142), thresholds="all"),
            "Hamming loss 143, lower bound 142: over all thresholds, no rule set of complexity at "
            "most 15 can be better by more than 1 (0.7 %).",
        ),
        (
            replace(certificate_of(143, None), thresholds="all"),
            "Hamming loss 143; no lower bound was proved within the limits.",
        ),
    ],
)
def test_a_certificate_says_what_is_proved(certificate, sentence):
    assert certificate.sentence() == sentence


@pytest.mark.parametrize(
    ("loss", "bound", "gap", "is_optimal"),
    [(4, 3, 0.25, False), (4, 4, 0.0, True), (0, 0, 0.0, True), (4, 0, 1.0, False)],
)
def test_the_gap_is_relative_to_the_objective(loss, bound, gap, is_optimal):
    certificate = certificate_of(loss, bound)
    assert (certificate.gap, certificate.is_optimal) == (gap, is_optimal)


@pytest.mark.parametrize("loss", [10**3, 2 * 10**9 + 1, 10**15])
def test_a_loss_of_one_above_the_bound_is_not_called_optimal(loss):
    certificate = certificate_of(loss, loss - 1)
    assert not certificate.is_optimal
    assert "optimal" not in certificate.sentence()


def test_without_a_bound_there_is_no_gap_and_no_optimality():
    certificate = certificate_of(4, None)
    assert (certificate.gap, certificate.is_optimal) == (None, False)


def test_a_bound_is_rounded_up_only_where_every_loss_is_whole(two_codes):
    duals = IntegerDuals(np.array([2 * UNIT, 3 * UNIT - 1]), 1 * UNIT, SCALE)
    halves = replace(two_codes, weights_Z=np.array([4.5, 1.0]))
    plain, penalised = Problem(max_complexity=2), Problem(2, complexity_penalty=0.5)
    assert rounded_bound(duals, two_codes, plain) == 3
    assert rounded_bound(duals, halves, plain) == 3 - 1 / SCALE
    assert rounded_bound(duals, two_codes, penalised) == 3 - 1 / SCALE


def test_every_argument_is_on_the_page_of_certificates():
    page = (Path(__file__).parents[2] / "docs" / "certificate.md").read_text(encoding="utf-8")
    table = page[page.index("## The arguments") :].split("\n\n")[1]
    assert {line.split("`")[1].strip('"') for line in table.splitlines()[2:]} == set(Argument)
