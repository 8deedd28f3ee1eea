"""Rules of choice, on scores made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from boolrules.estimators.choice import choose_place, in_the_race, standard_error
from boolrules.estimators.parameters import CHOICES

# Few values, so that there are ties.
SCORES = arrays(
    np.float64,
    array_shapes(min_dims=3, max_dims=3, max_side=4),
    elements=st.sampled_from([0.5, 0.6, 0.65, 0.7, 0.9]),
)


def around(means, apart=0.02):
    """Two splits, so far to each side of the means that this is the standard error, too."""
    means = np.array(means)
    return np.stack([means - apart, means + apart], axis=-2)


@pytest.mark.parametrize(
    ("choice", "place"), [("best", 4), ("one_standard_error", 1), ("paired", 2)]
)
def test_rules_of_choice(choice, place):
    means = [0.70, 0.78, 0.79, 0.79, 0.80, 0.70]
    # Paired: only where the difference varies from split to split, at 2, may it be chance.
    scores = around(means, np.array([0.02, 0.02, 0.05, 0.02, 0.02, 0.02]))[None]
    assert choose_place(choice, scores) == (0, place)


def test_the_simplest_place_may_be_that_of_another_candidate():
    best = around([0.5, 0.6, 0.9])
    other = around([0.5, 0.89, 0.7], np.array([0.02, 0.06, 0.02]))
    assert choose_place("best", np.array([best, other])) == (0, 2)
    # Behind by 0.01 on average, but by 0.05 and -0.03: a standard error of 0.04.
    assert choose_place("paired", np.array([best, other])) == (1, 1)


def test_a_constant_lag_is_no_chance():
    """On the same splits, a candidate that is always a little behind is behind."""
    scores = around([[0.5, 0.9], [0.89, 0.5]], apart=0.1)
    assert choose_place("one_standard_error", scores) == (1, 0)
    assert choose_place("paired", scores) == (0, 1)


@pytest.mark.parametrize("choice", CHOICES)
def test_of_equal_ones_the_simplest_and_the_first_is_chosen(choice):
    scores = np.full((3, 4, 5), 0.7)
    assert choose_place(choice, scores) == (0, 0)
    scores[:, :, 0] = 0.5
    scores[0, :, 1] = 0.6
    assert choose_place(choice, scores) == (1, 1)


def test_of_candidates_that_are_level_the_better_one_is_chosen():
    scores = np.array([around([0.70, 0.9], 0.0), around([0.89, 0.9], 0.3)])
    scores = np.concatenate([scores, around([[0.895, 0.5]], 0.3)])
    assert choose_place("paired", scores) == (2, 0)


@pytest.mark.parametrize("choice", CHOICES)
def test_one_split_has_no_error(choice):
    scores = np.array([[[0.7, 0.79, 0.8]], [[0.7, 0.8, 0.8]]])
    assert choose_place(choice, scores) == (1, 1)
    assert standard_error(scores).tolist() == [[0, 0, 0]] * 2


@given(SCORES, st.sampled_from(CHOICES))
def test_a_choice_is_never_more_complex_than_the_best_and_splits_have_no_order(scores, choice):
    k, place = choose_place(choice, scores)
    _, best = choose_place("best", scores)
    assert place <= best
    assert scores[k, :, place].mean() == pytest.approx(scores[:, :, place].mean(axis=1)[k])
    assert choose_place(choice, scores[:, ::-1]) == (k, place)


@given(SCORES)
def test_what_would_be_chosen_stays_in_the_race(scores):
    candidates, n_limits = in_the_race(scores)
    assert candidates == sorted(set(candidates))
    for choice in ("best", "paired"):
        k, place = choose_place(choice, scores)
        assert k in candidates
        assert place < n_limits


def test_who_is_clearly_behind_leaves_the_race():
    ahead, close, behind = around([0.8, 0.9]), around([0.87, 0.6], 0.06), around([0.8, 0.8])
    assert in_the_race(np.array([ahead, close, behind])) == ([0, 1], 2)


def test_complexities_end_with_the_last_that_is_not_clearly_behind():
    scores = around([[0.6, 0.9, 0.7, 0.89, 0.8]], np.array([0.02, 0.02, 0.02, 0.06, 0.02]))
    assert in_the_race(scores) == ([0], 4)


def test_of_one_split_only_the_best_stay():
    assert in_the_race(np.array([[[0.8, 0.9]], [[0.9, 0.7]], [[0.8, 0.8]]])) == ([0, 1], 2)


def test_rules_must_be_far_ahead_of_no_rules():
    """Half a standard error makes a complexity clearly worse, but no rules win up to two."""
    none, some = np.full(5, 0.7), np.array([0.74, 0.69, 0.75, 0.7, 0.73])
    scores = np.column_stack([none, some])[None]
    assert choose_place("paired", scores) == (0, 1)
    assert choose_place("paired", scores, has_no_rules=True) == (0, 0)
    scores[0, :, 1] += 0.1
    assert choose_place("paired", scores, has_no_rules=True) == (0, 1)
    assert choose_place("best", scores - [0, 0.101], has_no_rules=True) == (0, 1)


def test_some_splits_choose_as_strictly_as_all_of_them():
    """Ahead by 1.8 standard errors over four splits, and by 3.7 over sixteen that vary alike."""
    ahead = np.array([0.5, 0.0, 0.2, 0.1])
    scores = np.array([np.stack([np.full(4, 0.5), 0.5 + ahead], axis=1)])
    assert choose_place("paired", scores, has_no_rules=True) == (0, 0)
    assert choose_place("paired", scores, has_no_rules=True, n_splits=4) == (0, 0)
    assert choose_place("paired", scores, has_no_rules=True, n_splits=16) == (0, 1)
