"""Limits on what a search looks at, against a clock that the test turns."""

import os
import threading
from contextlib import suppress
from types import SimpleNamespace

import pytest

from boolrules._support import budget
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


@pytest.fixture
def turn(monkeypatch):
    """Turn the clock that budgets read."""
    now = [0.0]
    monkeypatch.setattr(budget, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(budget.clock, "_state", (None, 0.0))

    def turn(seconds):
        now[0] += seconds

    return turn


def test_what_is_loaded_counts_against_no_limit(turn):
    limit = Budget.of(10)
    turn(1)
    with budget.clock.standing_still():
        turn(100)
        assert limit.remaining_seconds == 9
    turn(2)
    assert limit.remaining_seconds == 7


def test_what_several_load_at_once_is_taken_off_once(turn):
    limit = Budget.of(10)
    first, second = budget.clock.standing_still(), budget.clock.standing_still()
    first.__enter__()
    turn(100)
    other = threading.Thread(target=second.__enter__)
    other.start()
    other.join()
    turn(100)
    first.__exit__(None, None, None)
    turn(100)
    assert limit.remaining_seconds == 10
    second.__exit__(None, None, None)
    turn(3)
    assert limit.remaining_seconds == 7


def test_an_error_while_something_is_loaded_lets_the_clock_go_on(turn):
    limit = Budget.of(10)
    with suppress(KeyboardInterrupt), budget.clock.standing_still():
        turn(100)
        raise KeyboardInterrupt
    turn(4)
    assert limit.remaining_seconds == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_in_a_fork_the_clock_goes_on():
    with budget.clock.standing_still():
        child = os.fork()
        if child == 0:
            before = budget.clock()
            while budget.clock() <= before:
                pass
            os._exit(0)
        _, status = os.waitpid(child, 0)
    assert status == 0
