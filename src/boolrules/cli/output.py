"""Standard output and error, whatever has become of them: closed, full, or with no reader."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from boolrules.cli.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator


def say(text: str, end: str = "\n") -> None:
    """Print an answer, at once."""
    print(text, end=end, flush=True)


def tell(text: str) -> None:
    """Print a line on standard error that says who speaks; names in it are only names."""
    print(f"boolrules: {printable(text)}", file=sys.stderr)


@contextmanager
def safe_streams() -> Iterator[None]:
    """Let closed streams lead nowhere, and those that break go quiet.

    Without the first, the next file to be opened would take the number of a closed stream, and
    get what is printed there.
    """
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(opened, True)
    os.close(opened)
    old = sys.stdout, sys.stderr
    with open(os.devnull, "w") as nowhere:
        sys.stdout = _Stream(old[0] or nowhere, "standard output")
        sys.stderr = _Stream(old[1] or nowhere, None)
        try:
            yield
        finally:
            sys.stderr.flush()
            sys.stdout, sys.stderr = old


class _Stream:
    """A stream that goes quiet once it cannot be written to.

    A reader that goes away is no error. Any other reason is one where ``name`` says what is
    written there: answers. Notes are never worth the work that they are about.
    """

    def __init__(self, stream: Any, name: str | None) -> None:
        self._stream = stream
        self._name = name

    def write(self, text: str) -> int:
        """Write, if it can be written."""
        self._attempt(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Flush, if it can be flushed."""
        self._attempt(self._stream.flush)

    def _attempt(self, action: Any, *arguments: Any) -> None:
        try:
            action(*arguments)
        except OSError as error:
            self._discard()
            if self._name is not None and not isinstance(error, BrokenPipeError):
                reason = f"Cannot write to {self._name}: {error.strerror}."
                raise OSError(error.errno, reason) from error

    def _discard(self) -> None:
        """Let it lead nowhere, with what it still holds: Python flushes it when it ends."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
