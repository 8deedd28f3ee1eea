"""What is shown while a run goes on: nothing, one line, or a row per round or fold.

The algorithm never prints; it hands over ``Iteration``s. Importing this module configures nothing.
What is left is stated as what is known: of a time limit at most so much, of equal steps about so
much.
"""

from __future__ import annotations

import logging
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.status import Status
from rich.text import Text

from boolrules._support.notebook import is_notebook, live_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from boolrules.solver.result import Iteration

logger = logging.getLogger("boolrules")

HEADER = " iter      z_RMLP  reduced cost  proved  columns   new  pricer           elapsed"
ROW = (
    "{0.number:5d}  {0.z_rmlp:10.3f}  {cost:>12}  {proved:>6}  "
    "{0.n_columns:7d}  {0.n_new:4d}  {0.pricer:<15}  {0.seconds:5.1f} s"
)


@dataclass(frozen=True, slots=True)
class Run:
    """When a run began, and how long it may take.

    Examples
    --------
    >>> now = [100.0]
    >>> run = Run(started=100.0, limit=60.0, clock=lambda: now[0])
    >>> now[0] = 112.0
    >>> run.text()
    '12 of at most 60 s'
    >>> Run(started=100.0, limit=None, clock=lambda: now[0]).text()
    '12 s'
    """

    started: float
    limit: float | None
    clock: Callable[[], float] = time.monotonic

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return self.clock() - self.started

    def text(self) -> str:
        """Say how long it has taken and, with a limit, how long it may."""
        if self.limit is None:
            return f"{self.seconds:.0f} s"
        return f"{self.seconds:.0f} of at most {round(self.limit, 1):g} s"

    def estimate(self, n_done: int, n_all: int) -> str:
        """Say how long it has taken and, from the steps that are done, about what is left.

        Examples
        --------
        >>> run = Run(started=0.0, limit=None, clock=lambda: 12.0)
        >>> run.estimate(0, 10), run.estimate(3, 10)
        ('12 s', '12 s, about 28 s left')
        """
        if not n_done:
            return f"{self.seconds:.0f} s"
        left = self.seconds / n_done * (n_all - n_done)
        return f"{self.seconds:.0f} s, about {left:.0f} s left"


_current: ContextVar[Run | None] = ContextVar("boolrules_run", default=None)


@contextmanager
def within(time_limit: float | None) -> Iterator[Run]:
    """Let all that is shown inside speak of this time limit; inside another, of the outer one."""
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    run = Run(time.monotonic(), time_limit)
    token = _current.set(run)
    try:
        yield run
    finally:
        _current.reset(token)


def row(iteration: Iteration) -> str:
    """Write one round as a row of the table under ``HEADER``."""
    cost = iteration.best_reduced_cost
    return ROW.format(
        iteration,
        cost="none found" if cost is None else f"{cost:.3f}",
        proved="yes" if iteration.is_proved else "no",
    )


def line(iteration: Iteration) -> str:
    """Write one round as a line that replaces the last one.

    Examples
    --------
    >>> from boolrules.solver.result import Iteration
    >>> print(line(Iteration(7, 61.25, -0.5, False, 49, 131, 8, "exact", 1000, 2.9)))
    round 7: LP value 61.25, proved bound 49 (20 % below), 131 clauses, exact
    """
    return (
        f"round {iteration.number}: LP value {iteration.z_rmlp:.2f}, "
        f"proved bound {_bound(iteration)}, {iteration.n_columns} clauses, {iteration.pricer}"
    )


def _bound(iteration: Iteration) -> str:
    """Write the bound and how far it is from the LP value, where it is below it."""
    bound, z_rmlp = iteration.lower_bound, iteration.z_rmlp
    if bound is None:
        return "unknown"
    if bound >= z_rmlp:
        return f"{bound:.10g}"
    return f"{bound:.10g} ({100 * (1 - bound / z_rmlp):.0f} % below)"


class _Ticking:
    """A text and a time, written anew whenever it is drawn."""

    def __init__(self, text: str, elapsed: Callable[[], str], started: float = 0.0) -> None:
        self.text = text
        self.started = started
        self._elapsed = elapsed

    def __str__(self) -> str:
        return f"{self.text}; {self._elapsed()}"

    def __rich__(self) -> Text:
        return Text(str(self))


def asked_for(verbose: int | None) -> int:
    """Return how much to show where nobody said: one line in a notebook, nothing elsewhere."""
    return int(is_notebook()) if verbose is None else verbose


@contextmanager
def _live(ticking: _Ticking) -> Iterator[None]:
    """Show a line that is drawn again and again: below the cell, or on standard error.

    There, only if it is a terminal.
    """
    if is_notebook():
        with live_line(ticking.__str__, ticking.started):
            yield
        return
    with Status(ticking, console=Console(stderr=True)):
        yield


class Shown:
    """Shows rounds and steps: as a line that replaces the last one, as rows, or not at all.

    Rows also go to the logger ``boolrules`` at level DEBUG, whatever is shown.
    """

    def __init__(self, prefix: str, ticking: _Ticking | None, *, has_rows: bool) -> None:
        self._prefix = prefix
        self._ticking = ticking
        self._has_rows = has_rows
        self._last = ""

    def __call__(self, iteration: Iteration) -> None:
        """Show a round."""
        text = row(iteration)
        logger.debug(text)
        self._last = line(iteration)
        self._show(self._last)
        if self._has_rows:
            print(text, file=sys.stderr)

    def step(self, text: str) -> None:
        """Say what is being done between rounds."""
        self._show(f"{self._last}{'; ' if self._last else ''}{text}")

    def _show(self, text: str) -> None:
        if self._ticking is not None:
            self._ticking.text = self._prefix + text


@contextmanager
def reporting(verbose: int | None, title: str = "") -> Iterator[Shown]:
    """Show progress as asked for: 0 nothing, 1 one line, 2 a row per round; see ``asked_for``."""
    verbose = asked_for(verbose)
    prefix = f"{title}: " if title else ""
    if verbose == 1:
        with within(None) as run:
            ticking = _Ticking(f"{prefix}starting", run.text, run.started)
            with _live(ticking):
                yield Shown(prefix, ticking, has_rows=False)
        return
    if verbose >= 2:
        print(f"{prefix}\n{HEADER}" if prefix else HEADER, file=sys.stderr)
    yield Shown(prefix, None, has_rows=verbose >= 2)


@contextmanager
def counting(verbose: int | None, things: str, n_all: int) -> Iterator[Callable[[], None]]:
    """Show how many of some equal steps are done, and about how long the rest will take.

    Yields what to call when a step is done. 0 shows nothing, 1 one line, 2 a row per step.
    """
    verbose = asked_for(verbose)
    run = Run(time.monotonic(), None)
    n_done = 0

    def text() -> str:
        return f"{n_done} of {n_all} {things}"

    ticking = _Ticking(text(), lambda: run.estimate(n_done, n_all), run.started)

    def is_done() -> None:
        nonlocal n_done
        n_done += 1
        ticking.text = text()
        if verbose >= 2:
            print(f"{text()}; {run.estimate(n_done, n_all)}", file=sys.stderr)

    if verbose == 1:
        with _live(ticking):
            yield is_done
    else:
        yield is_done


@contextmanager
def waiting(verbose: int, text: str, time_limit: float | None) -> Iterator[None]:
    """Show that work goes on whose end cannot be foreseen: only the time that has passed."""
    if verbose == 0:
        yield
        return
    with within(time_limit) as run, _live(_Ticking(text, run.text, run.started)):
        yield
