"""Libraries that panic where others raise an error, as polars does: one line of it.

Polars itself is not imported here.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

THREADS = "POLARS_MAX_THREADS"
_QUIET = threading.Event()
_LOCK = threading.RLock()  # standard error is one for all threads


def keep_panics_quiet() -> None:
    """From now on, keep what polars writes about a panic from standard error.

    For a program that owns standard error. A library must not meddle with that of others.
    """
    _QUIET.set()


def check_threads() -> None:
    """Turn down an environment in which polars cannot begin."""
    given = os.environ.get(THREADS, "1")
    if given.isdecimal() and int(given) == 0:
        raise ValueError(
            f"The environment says {THREADS}={given}, and polars, which reads files, needs a "
            "thread. Set it to 1 or more, or unset it."
        )


@contextmanager
def panics_as_errors(what: str) -> Iterator[None]:
    """Raise ValueError where polars panics."""
    with _quiet_standard_error():
        try:
            yield
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            reason = "the contents of the file are damaged, or were cut off meanwhile"
            raise ValueError(f"{what} could not be read: {reason}.") from None


@contextmanager
def _quiet_standard_error() -> Iterator[None]:
    """Let standard error lead nowhere meanwhile, where that was asked for."""
    if not _QUIET.is_set():
        yield
        return
    with _LOCK:
        try:
            kept = os.dup(2)
        except OSError:  # it is closed
            yield
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
