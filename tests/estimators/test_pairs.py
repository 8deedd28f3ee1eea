"""Pairs of splits: what is learned without both, and whether that is enough."""

from collections import Counter

import numpy as np
import pytest

from boolrules.estimators.pairs import (
    LEAST_OTHERS,
    NEXT_ONES,
    are_enough,
    can_choose_for_each,
    leave_out_pairs,
)

ROWS = np.arange(40)


def folds(n_folds):
    return [(np.setdiff1d(ROWS, test), test) for test in np.array_split(ROWS, n_folds)]


@pytest.mark.parametrize("n_folds", [3, 4, 5, 6, 10])
def test_every_split_is_left_out_with_others(n_folds):
    splits = folds(n_folds)
    pairs = leave_out_pairs(splits, ROWS % 2)
    counts = Counter(s for pair in pairs for s in pair)
    assert set(counts.values()) == {min(2 * NEXT_ONES, n_folds - 1)}
    assert len(counts) == n_folds
    assert are_enough(pairs, n_folds)
    for (s, t), (learned, one, other) in pairs.items():
        assert s < t
        np.testing.assert_array_equal(one, splits[s][1])
        np.testing.assert_array_equal(other, splits[t][1])
        assert sorted([*learned, *one, *other]) == ROWS.tolist()


def test_rows_that_a_split_does_not_learn_from_are_not_learned_from():
    """As those of later days, which a split of earlier ones does not know."""
    splits = [(np.arange(n), np.arange(n, n + 10)) for n in (10, 20, 30)]
    pairs = leave_out_pairs(splits, ROWS % 2)
    assert {pair: len(learned) for pair, (learned, *_) in pairs.items()} == {
        (0, 1): 10,
        (0, 2): 10,
        (1, 2): 20,
    }


def test_there_are_no_pairs_where_one_leaves_a_class_out():
    assert leave_out_pairs(folds(4), ROWS < 20) == {}
    assert leave_out_pairs(folds(5), ROWS < 20)


def test_others_can_choose_where_they_are_enough_and_share_no_rows():
    assert can_choose_for_each(folds(3))
    assert not can_choose_for_each(folds(3)[:LEAST_OTHERS])
    assert not can_choose_for_each([*folds(3), folds(5)[0]])


def test_a_split_needs_two_pairs():
    assert are_enough([(0, 1), (0, 2), (1, 2)], 3)
    assert not are_enough([(0, 1), (0, 2)], 3)
    assert not are_enough([], 3)
