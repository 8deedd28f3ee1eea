"""One line in the output of a notebook's cell that is written anew while work goes on.

Outside notebooks nothing happens, and IPython is never imported: where there is a notebook, it
has been.
"""

from __future__ import annotations

import html
import sys
import threading
import time
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What is done sooner needs no line.
SECONDS_UNSEEN = 1.0
SECONDS_BETWEEN = 0.5

_STYLE = "font-size: 0.9em; opacity: 0.8; font-variant-numeric: tabular-nums"


def is_notebook() -> bool:
    """Whether somebody watches cells, of Jupyter or of what works like it."""
    shell = _shell()
    return shell is not None and getattr(shell, "kernel", None) is not None


@contextmanager
def live_line(text: Callable[[], str], started: float) -> Iterator[None]:
    """Show a text below the cell while this lasts, and write it anew twice a second.

    ``started`` is when the whole began, on ``time.monotonic``: a line is only worth showing after
    a second of it.
    """
    is_over = threading.Event()

    def show() -> None:
        wait = max(0.0, started + SECONDS_UNSEEN - time.monotonic())
        line = None
        while not is_over.wait(wait):
            line = line or _Line.of_this_cell()
            line.write(text())
            wait = SECONDS_BETWEEN
        if line is not None:
            line.write("")

    # Jupyter finds the cell to write below by context, which threads do not inherit.
    thread = threading.Thread(target=copy_context().run, args=(show,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


class _Line:
    """A place in the output of one cell."""

    last: _Line | None = None

    def __init__(self, cell: Any) -> None:
        self.cell = cell
        self._name = f"boolrules-progress-{id(self)}"
        self._is_there = False

    @classmethod
    def of_this_cell(cls) -> _Line:
        """Return the line that the cell has, or a new one: a cell has no more than one."""
        cell = getattr(_shell(), "execution_count", None)
        if cls.last is None or cls.last.cell != cell:
            cls.last = cls(cell)
        return cls.last

    def write(self, text: str) -> None:
        """Show a text in the place of the last one."""
        shown = {
            "text/plain": text,
            "text/html": f'<span style="{_STYLE}">{html.escape(text)}</span>' if text else "",
        }
        publisher = _shell().display_pub
        transient = {"display_id": self._name}
        publisher.publish(data=shown, metadata={}, transient=transient, update=self._is_there)
        self._is_there = True


def _shell() -> Any:
    """Return the shell that runs this, if it is one of IPython's."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()
