"""Ctrl-C ends a search, and never loses what one has found.

Signals come between any two instructions. Searches expect them, and answer with the best so far.
What comes after a search (to count, to certify, to make a model of it) does not: there they wait
for the next search or, if none comes, until the answer is whole.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@dataclass
class _Answer:
    """What takes signals while an answer is made, and which of them waits."""

    handlers: dict[int, Callable[[int, Any], Any]] = field(default_factory=dict)
    has_found: bool = False
    n_searches: int = 0  # one inside another
    waiting: int | None = None

    def take(self, number: int, frame: Any) -> None:
        if self.has_found:
            self.waiting = number
        else:
            self.handlers[number](number, frame)

    def hand_over(self) -> None:
        """Give a signal that waits to whoever takes it, who raises ``KeyboardInterrupt``."""
        number, self.waiting = self.waiting, None
        if number is not None:
            self.handlers[number](number, None)


_current: _Answer | None = None


@contextmanager
def answering() -> Iterator[None]:
    """Let signals wait from the end of the first search on, until all inside is done.

    Then nothing is left to be interrupted, and the answer stands.

    Examples
    --------
    >>> with answering():
    ...     try:
    ...         with searching():
    ...             signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         found = "the best so far"
    ...     signal.raise_signal(signal.SIGINT)
    ...     print(found)
    the best so far
    """
    global _current
    if _current is not None or not _hears_signals():
        yield
        return
    with _taking() as answer:
        _current = answer
        try:
            yield
        finally:
            _current = None
            with suppress(KeyboardInterrupt):  # it came too late to end anything
                answer.hand_over()


@contextmanager
def _taking() -> Iterator[_Answer]:
    """Take signals, in the place of whoever does else."""
    taken = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    answer = _Answer({n: handler for n in taken if callable(handler := signal.getsignal(n))})
    for number in answer.handlers:
        signal.signal(number, answer.take)
    try:
        yield answer
    finally:
        for number, handler in answer.handlers.items():
            signal.signal(number, handler)


def _hears_signals() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def searching() -> Iterator[None]:
    """Let signals raise ``KeyboardInterrupt`` inside, one that waits at once.

    Compiled code that one meets while it hands over its results makes a ``SystemError`` of it.
    """
    answer = _current
    if answer is None or not _hears_signals():
        yield
        return
    answer.has_found, answer.n_searches = False, answer.n_searches + 1
    try:
        answer.hand_over()
        yield
    except SystemError as error:
        if _is_of_a_signal(error):
            raise KeyboardInterrupt from error
        raise
    finally:
        answer.n_searches -= 1
        answer.has_found = not answer.n_searches


@contextmanager
def not_now() -> Iterator[None]:
    """Let signals wait inside, where somebody would swallow what they raise.

    As code does that a compiler calls back: the error is printed there, and lost.

    Examples
    --------
    >>> try:
    ...     with not_now():
    ...         signal.raise_signal(signal.SIGINT)
    ...         compiled = True
    ... except KeyboardInterrupt:
    ...     print(compiled)
    True
    """
    if not _hears_signals():
        yield
        return
    with _taking() if _current is None else nullcontext(_current) as answer:
        before, answer.has_found = answer.has_found, True
        try:
            yield
        finally:
            answer.has_found = before
            if not before:
                answer.hand_over()


def _is_of_a_signal(error: BaseException | None) -> bool:
    """Whether a signal is behind an error, of which compiled code may have made several."""
    while isinstance(error, SystemError):
        error = error.__cause__
    return isinstance(error, KeyboardInterrupt)


def has_been_asked_to_stop() -> bool:
    """Whether a signal waits, which is heard with that.

    Examples
    --------
    >>> with answering():
    ...     with searching():
    ...         found = "the best so far"
    ...     signal.raise_signal(signal.SIGINT)
    ...     print(has_been_asked_to_stop(), has_been_asked_to_stop(), found)
    True False the best so far
    """
    try:
        with searching():
            return False
    except KeyboardInterrupt:
        return True
