"""Tasks that this process does together with helpers, which join in once they have started.

A helper is another process, which takes a second or two to start. Nobody waits for it: this
process begins, and a helper takes what is left when it is ready. Each result is the same whoever
made it, and results come in the order of their tasks.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections import deque
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

import joblib

from boolrules._support.forking import forget_in_forks

try:
    from joblib.externals.loky import ProcessPoolExecutor
except ImportError:  # a joblib that does not bring its own
    from loky import ProcessPoolExecutor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from concurrent.futures import Executor, Future

# A helper is worth its start where so many seconds of work are left for it.
SECONDS_TO_START = 3.0
# One that has nothing to do ends after so long.
SECONDS_IDLE = 30
# How often a helper looks whether its parent is still there.
SECONDS_TO_NOTICE = 2.0


def can_have_helpers() -> bool:
    """Whether ``joblib`` gives work to processes of this machine, and not to others or nobody."""
    backend, _ = joblib.parallel.get_active_backend()
    return type(backend) is joblib.parallel.BACKENDS["loky"]


@dataclass
class Together:
    """Tasks, of which whoever is free takes the next.

    Parameters
    ----------
    do : function
        Does a task, here or in a helper.
    arguments : function of a place and a number
        What ``do`` is given for the task of that place, while so many are at work.
    n_tasks : int
        How many there are.
    wake : function
        What a helper does first. It takes a task only after that, or others would wait for it.
    n_workers : int
        How many may be at work, this process included.
    seconds : float
        What a task is known to take.
    n_later : int
        How many more tasks come when these are done, which helpers are worth their start for.

    Examples
    --------
    >>> squares = Together(pow, lambda place, n_at_work: (place, 2), n_tasks=4, wake=int)
    >>> list(squares.results())
    [0, 1, 4, 9]
    """

    do: Callable[..., Any]
    arguments: Callable[[int, int], tuple[Any, ...]]
    n_tasks: int
    wake: Callable[[], Any]
    n_workers: int = 1
    seconds: float = 0.0
    n_later: int = 0
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._left = deque(range(self.n_tasks))
        self._given: dict[int, Future[Any]] = {}
        self._n_helpers = 0
        self._called: list[Executor] = []
        self._packed = b""
        self._lock = threading.Lock()  # to take a task is one step

    def results(self) -> Generator[Any]:
        """Yield the result of each task, in order."""
        done: dict[int, Any] = {}
        try:
            for place in range(self.n_tasks):
                while not (place in done or self._is_done_by_helper(place)):
                    self._call_helpers()
                    own = self._take()
                    if own is None:
                        break
                    done[own] = self._do(own)
                yield done.pop(place) if place in done else self._from_helper(place)
        finally:
            self._end()

    def _do(self, place: int) -> Any:
        started = self.clock()
        result = self.do(*self.arguments(place, 1 + self._n_helpers))
        self.seconds = max(self.seconds, self.clock() - started)
        return result

    def _take(self) -> int | None:
        with self._lock:
            return self._left.popleft() if self._left else None

    def _is_done_by_helper(self, place: int) -> bool:
        with self._lock:
            return place in self._given and self._given[place].done()

    def _from_helper(self, place: int) -> Any:
        """Wait for a result; what a helper fails in is done here, or fails here as well."""
        try:
            return self._given[place].result()
        except Exception:
            return self._do(place)

    def _call_helpers(self) -> None:
        """Start as many as are worth it; where none can be started, do without."""
        n_worth = int(self.seconds * (len(self._left) + self.n_later) / SECONDS_TO_START)
        n_wanted = min(n_worth, len(self._left), self.n_workers - 1)
        if n_wanted <= self._n_helpers:
            return
        # This process may change what it works with. What it is like now is what helpers get.
        self._packed = self._packed or _packed(self.do)
        for place in range(self._n_helpers, n_wanted):
            with suppress(OSError, RuntimeError):
                helper, awake = _wake_helper(place, self.wake)
                self._called.append(helper)
                awake.add_done_callback(partial(self._give, helper))
        self._n_helpers = n_wanted

    def _give(self, helper: Executor, last: Future[Any]) -> None:
        """Give the next task to a helper that has done its last; called in a thread."""
        if last.cancelled() or (error := last.exception()) is not None:
            if not last.cancelled() and isinstance(error, BrokenProcessPool):
                _drop(helper)
            return
        with self._lock, suppress(OSError, RuntimeError):  # it was ended meanwhile
            if not self._left:
                return
            arguments = self.arguments(self._left[0], 1 + self._n_helpers)
            task = _submit(helper, _do_packed, self._packed, arguments)
            self._given[self._left.popleft()] = task
            task.add_done_callback(partial(self._give, helper))

    def _end(self) -> None:
        """Leave nothing to be done, and nobody at work on what is not waited for any more."""
        with self._lock:
            self._left.clear()
            is_working = not all(task.done() for task in self._given.values())
        if is_working:
            end_helpers(self._called)


_helpers: list[Executor] = []  # of one process each, so that more can be started at any time
_abandoned: list[Executor] = []  # a forked process keeps those of its parent, and leaves them be


def _helper(place: int) -> Executor:
    helpers = list(_helpers)
    if place < len(helpers):
        return helpers[place]
    helper: Executor = ProcessPoolExecutor(1, timeout=SECONDS_IDLE)
    _helpers.append(helper)
    return helper


def _wake_helper(place: int, wake: Callable[[], Any]) -> tuple[Executor, Future[Any]]:
    """Call a helper; in the place of one that is known to be gone comes a new one."""
    helper = _helper(place)
    try:
        return helper, _submit(helper, _wake, wake, os.getpid())
    except RuntimeError:
        _drop(helper)
    helper = _helper(place)
    return helper, _submit(helper, _wake, wake, os.getpid())


def _submit(helper: Executor, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    with _deaf_to_ctrl_c():
        return helper.submit(function, *arguments)


def _wake(wake: Callable[[], Any], parent: int) -> None:
    """Make a helper ready, which ends with its parent even if that is killed; loky's stay then."""
    _watch(parent)
    wake()


@cache
def _watch(parent: int) -> None:
    def end_with_it() -> None:
        while os.getppid() == parent:
            time.sleep(SECONDS_TO_NOTICE)
        os._exit(1)

    if hasattr(os, "fork"):  # elsewhere nobody tells who the parent is
        threading.Thread(target=end_with_it, daemon=True).start()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Let a process that starts meanwhile not hear what a terminal tells all of them.

    It would say so at length while it loads. This process hears it, and ends helpers at work.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # or it would be started inside, and unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _drop(helper: Executor) -> None:
    """Forget a helper that was ended, so that the next one in its place is a new one."""
    with suppress(ValueError):
        _helpers.remove(helper)


def end_helpers(helpers: Sequence[Executor] | None = None) -> None:
    """End some of them or all, with whatever they are at; who needs some starts new ones."""
    for helper in list(_helpers if helpers is None else helpers):
        _drop(helper)
        helper.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]


def _forget_helpers() -> None:
    _abandoned.extend(_helpers)
    _helpers.clear()


forget_in_forks(_forget_helpers)


def _packed(function: Callable[..., Any]) -> bytes:
    """Pack a function with all that it holds, as a scorer from a notebook."""
    return pickle.dumps(joblib.wrap_non_picklable_objects(function, keep_wrapper=False))


def _do_packed(packed: bytes, arguments: tuple[Any, ...]) -> Any:
    return pickle.loads(packed)(*arguments)
