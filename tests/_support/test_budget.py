"""Limits on what a search looks at, against a clock that the test turns."""

from boolrules._support.budget import Budget


def limits(seconds_per_unit, seconds, most=None):
    """Run a search that takes so many seconds per unit; return what it was allowed each time."""
    now = [0.0]
    allowed = []
    for limit in Budget.of(seconds, clock=lambda: now[0]).growing_limits(100, most):
        allowed.append(limit)
        now[0] += limit * seconds_per_unit
    return allowed, now[0]


def test_limits_grow_while_the_time_allows_it():
    allowed, taken = limits(seconds_per_unit=0.001, seconds=60.0)
    assert allowed[:3] == [100, 401, 1605]
    assert allowed == sorted(allowed)
    assert 30.0 < taken <= 60.001


def test_a_search_is_not_begun_again_that_would_not_get_further():
    allowed, taken = limits(seconds_per_unit=0.006, seconds=1.0)
    assert allowed == [100]
    assert taken < 1.0


def test_limits_end_with_the_most():
    assert limits(0.001, 60.0, most=150)[0] == [100, 150]
    assert limits(0.001, 60.0, most=50)[0] == [50]
