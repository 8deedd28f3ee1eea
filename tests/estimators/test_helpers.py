"""Helpers do what this process would have done, and nobody waits for one to start."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future

import joblib
import pytest

from boolrules.estimators import helpers
from boolrules.estimators.helpers import Together, can_have_helpers, end_helpers

HERE = os.getpid()


@pytest.fixture
def quick_to_call(monkeypatch):
    """Whatever is left is worth a helper, which ends with the test."""
    monkeypatch.setattr(helpers, "SECONDS_TO_START", 1e-6)
    yield
    end_helpers()


def by_place(place, n_at_work):
    return (place,)


def slow_square(n):
    time.sleep(0.05)
    return n**2, os.getpid()


@pytest.mark.processes
def test_helpers_take_what_is_left_and_results_are_in_order(quick_to_call):
    together = Together(slow_square, by_place, 200, int, n_workers=3)
    numbers, processes = zip(*together.results(), strict=True)
    assert list(numbers) == [n**2 for n in range(200)]
    assert processes[0] == HERE
    assert len(set(processes)) > 1


@pytest.mark.processes
def test_functions_that_only_this_process_knows_are_packed(quick_to_call):
    secret = 3
    together = Together(lambda n: (time.sleep(0.05), n * secret)[1], by_place, 99, int, 2)
    assert list(together.results()) == [n * 3 for n in range(99)]
    assert together._given


@pytest.mark.processes
def test_what_changes_here_meanwhile_does_not_reach_helpers(quick_to_call):
    kept = [0]

    def do(n):
        time.sleep(0.05)
        if os.getpid() == HERE:
            kept[0] += 1
        return kept[0], os.getpid()

    results = list(Together(do, by_place, 99, int, 2).results())
    assert {value for value, process in results if process != HERE} == {1}  # after the first


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_what_a_helper_dies_of_is_done_here(quick_to_call):
    def do(n):
        time.sleep(0.05)
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return n, os.getpid()

    together = Together(do, by_place, 99, int, 2)
    assert list(together.results()) == [(n, HERE) for n in range(99)]
    assert together._given


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("is_known", [False, True])
def test_in_the_place_of_a_helper_that_was_ended_comes_a_new_one(quick_to_call, is_known):
    def pids():
        pairs = Together(slow_square, by_place, 99, int, 2).results()
        return {process for _, process in pairs} - {HERE}

    (first,) = pids()
    (executor,) = helpers._helpers
    os.kill(first, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while is_known and not executor._flags.broken and time.monotonic() < deadline:
        time.sleep(0.01)
    while not (second := pids()) and time.monotonic() < deadline:
        pass  # who finds it gone does without
    assert second
    assert second != {first}


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_ctrl_c_in_a_terminal_makes_no_helper_speak():
    """All processes of the group are told, also one that has just begun to load."""
    code = """
import os, signal, time
from boolrules.estimators import helpers
helpers.SECONDS_TO_START = 1e-6
def do(n):
    time.sleep(0.2)
    if n == 2:
        os.killpg(os.getpgid(0), signal.SIGINT)
try:
    list(helpers.Together(do, lambda n, _: (n,), 99, int, 2).results())
except KeyboardInterrupt:
    print("heard")
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")


@pytest.mark.processes
def test_an_error_of_a_helper_is_the_error_of_the_task(quick_to_call):
    def do(n):
        time.sleep(0.05)
        if n == 98:
            raise ValueError(f"no luck with {n}")
        return n

    with pytest.raises(ValueError, match="no luck with 98"):
        list(Together(do, by_place, 99, int, 2).results())


@pytest.mark.processes
def test_whoever_stops_asking_ends_helpers_at_work(quick_to_call):
    def do(n):
        time.sleep(0.05 if os.getpid() == HERE else 300)

    together = Together(do, by_place, 10**6, int, 2)
    results = together.results()
    while not together._given:
        next(results)
    results.close()
    assert helpers._helpers == []
    assert all(task.done() for task in together._given.values())


@pytest.mark.parametrize(
    ("seconds", "n_later", "n_workers", "n_helpers"),
    # Of ten tasks nine are left after the first; a helper is for three seconds of work.
    [(0.3, 0, 4, 0), (0.4, 0, 4, 1), (0.3, 1, 4, 1), (1.0, 0, 9, 3), (1.0, 0, 2, 1), (9, 9, 1, 0)],
)
def test_helpers_are_called_for_as_much_as_is_left(
    monkeypatch, seconds, n_later, n_workers, n_helpers
):
    asleep = []

    class Asleep:
        def submit(self, wake, *_):
            return Future()

    def helper(place):
        asleep.append(place)
        return Asleep()

    monkeypatch.setattr(helpers, "_helper", helper)
    now = [0.0]

    def do(n):
        now[0] += seconds
        return n

    together = Together(do, by_place, 10, int, n_workers, n_later=n_later, clock=lambda: now[0])
    assert list(together.results()) == list(range(10))
    assert len(asleep) == n_helpers


def test_only_processes_of_this_machine_are_helpers():
    assert can_have_helpers()
    with joblib.parallel_config("threading"):
        assert not can_have_helpers()


def test_where_none_can_be_started_all_is_done_here(quick_to_call, monkeypatch):
    def helper(place):
        raise OSError("no more processes")

    monkeypatch.setattr(helpers, "_helper", helper)
    together = Together(slow_square, by_place, 5, int, n_workers=3)
    assert list(together.results()) == [(n**2, HERE) for n in range(5)]


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody tells who the parent is")
def test_a_helper_ends_with_its_parent_even_if_that_is_killed():
    """For want of memory, say, which the helper would hold for ever."""
    code = """
import os, signal, time
from boolrules.estimators import helpers
helpers.SECONDS_TO_START = 1e-6
def do(n):
    time.sleep(0.05)
    return os.getpid()
processes = set(helpers.Together(do, lambda n, _: (n,), 99, int, 2).results())
print(*processes - {os.getpid()}, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    helper, deadline = int(done.stdout), time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(helper, 0)
        except ProcessLookupError:
            return
        time.sleep(0.2)
    os.kill(helper, signal.SIGKILL)
    raise AssertionError("it stayed")


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_fork_calls_helpers_of_its_own():
    """Those of its parent would never answer."""
    code = """
import os, time
from boolrules.estimators import helpers
helpers.SECONDS_TO_START = 1e-6
def do(n):
    time.sleep(0.05)
    return os.getpid()
def processes():
    together = helpers.Together(do, lambda n, _: (n,), 99, int, 2)
    return set(together.results())
first = processes()
reader, writer = os.pipe()
if os.fork() == 0:
    own = processes()
    os.write(writer, repr((len(own), len(own & first))).encode())
    helpers.end_helpers()
    os._exit(0)
print(os.read(reader, 99).decode(), processes() == first, os.wait()[1])
helpers.end_helpers()
"""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "(2, 0) True 0\n", "")
