"""Calibration: probabilities corrected by rows left out, and how the correction is learned."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.rules import Calibration
from boolrules.rules.calibration import LEAST_PROBABILITY, PRIOR, fit_calibration

SHARES = st.floats(0, 1)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
PAIRS = st.lists(st.tuples(SHARES, st.booleans(), st.floats(0, 100)), max_size=30)


def loss(calibration, p, y, w):
    """The penalised log-loss, from its definition."""
    total = PRIOR / 2 * (calibration.intercept**2 + (calibration.slope - 1) ** 2)
    for share, outcome, weight in zip(p, y, w, strict=True):
        inside = min(max(share, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
        log_odds = calibration.intercept + calibration.slope * math.log(inside / (1 - inside))
        total += weight * float(np.logaddexp(0, -log_odds if outcome else log_odds))
    return total


@given(PAIRS)
def test_no_neighbour_of_the_learned_line_has_less_loss(pairs):
    p, y, w = zip(*pairs, strict=True) if pairs else ((), (), ())
    found = fit_calibration(p, y, w)
    least = loss(found, p, y, w)
    for step in (1e-3, 0.1, 1.0):
        for a in (-step, 0, step):
            for b in (-step, 0, step):
                near = Calibration(found.intercept + a, max(0.0, found.slope + b))
                assert least <= loss(near, p, y, w) * (1 + 1e-9) + 1e-9


@given(PAIRS)
def test_the_same_pairs_in_any_order_give_the_same_line(pairs):
    p, y, w = zip(*pairs, strict=True) if pairs else ((), (), ())
    found = fit_calibration(p, y, w)
    assert found == fit_calibration(p, y, w)
    turned = fit_calibration(p[::-1], y[::-1], w[::-1])
    assert (turned.intercept, turned.slope) == pytest.approx(
        (found.intercept, found.slope), rel=1e-4, abs=1e-4
    )


@given(FINITE, st.floats(0, allow_infinity=False), SHARES, SHARES)
def test_the_order_of_probabilities_is_never_turned_round(intercept, slope, one, other):
    low, high = Calibration(intercept, slope)(sorted([one, other]))
    assert 0 <= low <= high <= 1


@given(st.floats(1e-9, 1 - 1e-9))
def test_a_line_through_the_origin_changes_nothing(p):
    assert Calibration()(p) == pytest.approx(p)


def test_a_flat_line_gives_one_probability_to_all():
    assert Calibration(0.0, 0.0)([0.0, 0.3, 1.0]).tolist() == [0.5, 0.5, 0.5]


def test_many_rows_outweigh_the_prior():
    random = np.random.default_rng(0)
    p = random.uniform(0.02, 0.98, 20_000)
    truth = Calibration(-0.5, 0.6)
    found = fit_calibration(p, random.random(20_000) < truth(p))
    assert (found.intercept, found.slope) == pytest.approx((-0.5, 0.6), abs=0.05)


def test_outcomes_against_the_probabilities_leave_a_flat_line():
    p = np.repeat([0.9, 0.1], 50)
    found = fit_calibration(p, p < 0.5)
    assert found.slope == 0
    assert found([0.1, 0.9]) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("outcome", [False, True])
@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
def test_rows_of_one_class_and_extreme_probabilities_do_no_harm(outcome, p):
    corrected = fit_calibration([p] * 20, [outcome] * 20)([0.2, 0.8])
    assert ((corrected > 0) & (corrected < 1)).all()


def test_a_pair_that_counts_twice_is_two_pairs():
    p, y = np.array([0.9, 0.2, 0.7]), np.array([True, True, False])
    weighted = fit_calibration(p, y, [2, 1, 1])
    repeated = fit_calibration(p[[0, 0, 1, 2]], y[[0, 0, 1, 2]])
    assert (weighted.intercept, weighted.slope) == pytest.approx(
        (repeated.intercept, repeated.slope)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5], [True, False]), "one outcome"),
        (([[0.5]], [[True]]), "one outcome"),
        (([1.5], [True]), "from 0 to 1"),
        (([math.nan], [True]), "from 0 to 1"),
        (([0.5], [2]), "true or false"),
        (([0.5], [True], [-1]), "none negative"),
        (([0.5], [True], [math.inf]), "finite"),
    ],
)
def test_pairs_that_make_no_sense_are_turned_down(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_calibration(*arguments)


@given(FINITE, st.floats(0, allow_infinity=False))
def test_plain_values_read_back_to_an_equal_line(intercept, slope):
    calibration = Calibration(intercept, slope)
    assert Calibration.from_plain(json.loads(json.dumps(calibration.to_plain()))) == calibration


@pytest.mark.parametrize(
    "plain",
    [
        [0, 1],
        3,
        {},
        {"intercept": 0},
        {"intercept": 0, "slope": 1, "more": 2},
        {"intercept": 0, "slope": -1},
        {"intercept": "0", "slope": 1},
        {"intercept": True, "slope": 1},
        {"intercept": 10**400, "slope": 1},
        {"intercept": math.nan, "slope": 1},
        {"intercept": 0, "slope": math.inf},
        {"intercept": [[]], "slope": {}},
    ],
    ids=str,
)
def test_a_hostile_line_is_turned_down(plain):
    with pytest.raises(ValueError, match="calibration"):
        Calibration.from_plain(plain)
