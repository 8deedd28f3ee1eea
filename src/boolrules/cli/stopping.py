"""Signals that ask a command to stop: it answers with what it has, and is not asked twice."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130  # by Ctrl-C, as shells count: 128 and the number of the signal
SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
# What comes sooner after the first signal is the same wish, and what comes later gives up.
SECONDS_TO_FINISH = 5.0


class Stopping:
    """Whether a signal has come, and whether it must wait."""

    def __init__(self) -> None:
        self._signal: int | None = None
        self._came_at = 0.0
        self._is_held = False
        self._is_waiting = False
        self._is_over = False

    @property
    def is_asked(self) -> bool:
        """Whether a signal has come."""
        return self._signal is not None

    def exit_code(self, code: int) -> int:
        """Return the code of a command or, if a signal has come, that of the signal."""
        return code if self._signal is None else 128 + self._signal

    def take(self, number: int, frame: Any) -> None:
        """Take a signal: all are Ctrl-C to those who learn."""
        now = time.monotonic()
        is_again = self._signal is not None and now < self._came_at + SECONDS_TO_FINISH
        if is_again or self._is_over:
            return
        self._signal, self._came_at = number, now
        if self._is_held:
            self._is_waiting = True
        else:
            raise KeyboardInterrupt

    def end(self) -> None:
        """Take no more: what is left is to say how it ended."""
        self._is_over = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let signals wait for what is done inside."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._is_waiting:
            self._is_waiting = False
            raise KeyboardInterrupt


_current = Stopping()


@contextmanager
def stopping(*, is_own_process: bool) -> Iterator[Stopping]:
    """Take signals while a command runs, except those that whoever started it has turned off.

    A process of its own ends afterwards, and takes none any more. Threads never get signals.
    """
    global _current
    _current = Stopping()
    old: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        usual = (signal.SIG_DFL, signal.default_int_handler)
        old = {n: handler for n in SIGNALS if (handler := signal.getsignal(n)) in usual}
    for number in old:
        signal.signal(number, _current.take)
    try:
        yield _current
    finally:
        for number, handler in old.items():
            signal.signal(number, signal.SIG_IGN if is_own_process else handler)


@contextmanager
def saved_first() -> Iterator[None]:
    """Let signals wait until what was learned is saved."""
    with _current.held():
        yield
