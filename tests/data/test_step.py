"""What weights are multiples of: found, and never claimed of weights that are not."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.data.step import MOST_STEPS, at_steps, common_step, n_steps_up_to, rounded_up


@pytest.mark.parametrize(
    ("weights", "step"),
    [
        ([1.0, 2.0, 0.0], 1.0),
        ([3333.3, 1.0, 0.1], 0.1),
        ([0.1, 0.25, 1.5], 0.05),
        ([1 / 3, 0.5], 1 / 6),
        ([569 / (2 * 212), 569 / (2 * 357)], 569 / (2 * 212 * 357)),  # balanced classes
        ([0.1 * 3333.3 * 0.7, 0.1 * 0.7], 0.007),
        ([math.pi, 10 * math.pi], math.pi),
    ],
)
def test_steps_are_found(weights, step):
    assert float(common_step(np.array(weights))) == pytest.approx(step, rel=1e-14)


@pytest.mark.parametrize(
    "weights", [[1.0, math.pi], [1e12, 0.1], np.random.default_rng(0).random(50).tolist()]
)
def test_where_there_is_none_or_it_is_of_no_use_nothing_is_said(weights):
    assert common_step(np.array(weights)) is None


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=20).filter(any),
    st.floats(1e-6, 1e6),
    st.sampled_from([1.0, 0.1, 1 / 3, 0.7]),
)
def test_whatever_is_found_every_weight_is_a_multiple_of_it(multiples, unit, factor):
    weights = np.array(multiples) * unit * factor
    step = common_step(weights)
    assert step is not None or weights.sum() / min(w for w in weights if w) > 1000
    if step is not None:
        for weight in weights.tolist():
            n_steps = Fraction(weight) / step
            assert abs(n_steps - round(n_steps)) <= n_steps / 2**49


@given(st.integers(0, MOST_STEPS), st.floats(1e-9, 1e9))
def test_a_bound_is_read_as_the_multiple_that_it_was_made_of(n_steps, unit):
    step = Fraction(unit)
    bound = at_steps(n_steps, step)
    assert Fraction(bound) <= n_steps * step
    assert n_steps_up_to(bound, step) == n_steps
    assert rounded_up(bound, step) == bound
    assert n_steps_up_to(Fraction(bound) + step / 2, step) == n_steps + 1
