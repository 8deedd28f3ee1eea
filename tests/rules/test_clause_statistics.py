"""What clauses do on rows: counted by hand, by weight, and with an interval."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.rules import ClauseStatistics
from boolrules.rules.clause_statistics import Z_95, RowCounts, count_rows, numbers

WEIGHTS = st.sampled_from([0.0, 1.0, 0.5, 3.0])


@st.composite
def decisions(draw):
    """Which clauses decide which rows, where they would be right, and what rows weigh."""
    n_rows, n_clauses = draw(st.integers(0, 8)), draw(st.integers(0, 3))
    row = st.tuples(st.lists(st.booleans(), min_size=n_clauses, max_size=n_clauses), st.booleans())
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    weights = draw(st.none() | st.lists(WEIGHTS, min_size=n_rows, max_size=n_rows))
    return rows, n_clauses, weights


def by_hand(rows, weights, k):
    """Rows that clause k decides, is right on, and alone is right on; None: no clause decides."""
    covered = right = only_here = 0
    for (decided, is_right), weight in zip(rows, weights, strict=True):
        if (not any(decided)) if k is None else decided[k]:
            covered += weight
            right += weight * is_right
            only_here += weight * is_right * (sum(decided) <= 1)
    return covered, right, only_here


@given(decisions())
def test_plain_rows_and_weights_are_counted_side_by_side(case):
    rows, n_clauses, given_weights = case
    weights = [1.0] * len(rows) if given_weights is None else given_weights
    decides = np.array([decided for decided, _ in rows], dtype=bool).reshape(len(rows), n_clauses)
    is_right = np.array([is_right for _, is_right in rows], dtype=bool)
    statistics, undecided = count_rows(decides, is_right, given_weights)
    assert len(statistics) == n_clauses
    ones = [float(weight > 0) for weight in weights]
    for k, found in [*enumerate(statistics), (None, undecided)]:
        assert numbers(found) == by_hand(rows, ones, k)
        assert numbers(found.by_weight) == by_hand(rows, weights, k)
        assert (found.weighted is None) == (set(weights) <= {0, 1})


COUNTS = st.tuples(st.integers(0, 10**6), st.floats(0, 1)).map(
    lambda pair: RowCounts(pair[0], round(pair[0] * pair[1]), 0)
)


@given(COUNTS)
def test_the_interval_holds_the_shares_that_the_rows_do_not_contradict(counts):
    low, high = counts.interval
    assert 0 <= low <= high <= 1
    n, right = counts.covered, counts.right
    assert low <= counts.smoothed_precision <= high
    if n:
        assert low - 1e-12 <= counts.precision <= high + 1e-12
        # At either end the rows seen are 1.96 standard deviations away: Wilson's definition.
        for end in {low, high} - {0.0, 1.0}:
            distance = abs(right - n * end)
            assert distance == pytest.approx(Z_95 * math.sqrt(n * end * (1 - end)), rel=1e-6)
        assert (low == 0) == (right == 0)
        assert (high == 1) == (right == n)
    else:
        assert (low, high) == (0, 1)


@given(st.floats(0, 1e308), st.floats(0, 1e308))
def test_an_interval_of_any_counts_from_a_file_is_one(covered, right):
    low, high = RowCounts(covered, right, 0).interval
    assert 0 <= low <= high <= 1


def test_three_numbers_are_plain_rows_and_six_have_weights():
    assert ClauseStatistics.from_plain([3, 2, 1]) == ClauseStatistics(3, 2, 1)
    both = ClauseStatistics(3, 2, 1, RowCounts(6.5, 4.0, 2.0))
    assert ClauseStatistics.from_plain(both.to_plain()) == both
    assert ClauseStatistics(3, 2, 1).by_weight.precision == pytest.approx(2 / 3)


@pytest.mark.parametrize("plain", [[1, 2], [1, 2, 3, 4], [3, 2, 1, 6, 5, -1], [3, 2, True], "abc"])
def test_other_numbers_are_turned_down(plain):
    with pytest.raises(ValueError, match="three numbers of 0 or more, or six"):
        ClauseStatistics.from_plain(plain)
