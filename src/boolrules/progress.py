"""What is shown while column generation runs: nothing, one line, or a row per round.

The algorithm never prints; it hands over ``Iteration``s. Importing this module configures nothing.
"""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.status import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boolrules.result import Iteration

logger = logging.getLogger("boolrules")

HEADER = " iter      z_RMLP  reduced cost  proved  columns   new  pricer           elapsed"
ROW = (
    "{0.number:5d}  {0.z_rmlp:10.3f}  {cost:>12}  {proved:>6}  "
    "{0.n_columns:7d}  {0.n_new:4d}  {0.pricer:<15}  {0.seconds:5.1f} s"
)


def row(iteration: Iteration) -> str:
    """Write one round as a row of the table under ``HEADER``."""
    cost = iteration.best_reduced_cost
    return ROW.format(
        iteration,
        cost="none found" if cost is None else f"{cost:.3f}",
        proved="yes" if iteration.is_proved else "no",
    )


def line(iteration: Iteration) -> str:
    """Write one round as a line that replaces the last one."""
    bound = "unknown" if iteration.lower_bound is None else f"{iteration.lower_bound:.10g}"
    return (
        f"round {iteration.number}: LP value {iteration.z_rmlp:.2f}, proved bound {bound}, "
        f"{iteration.n_columns} clauses, {iteration.pricer}, {iteration.seconds:.1f} s"
    )


class Shown:
    """Shows rounds and steps: as a line that replaces the last one, as rows, or not at all.

    Rows also go to the logger ``boolrules`` at level DEBUG, whatever is shown.
    """

    def __init__(self, prefix: str, status: Status | None, *, has_rows: bool) -> None:
        self._prefix = prefix
        self._status = status
        self._has_rows = has_rows
        self._last = ""

    def __call__(self, iteration: Iteration) -> None:
        """Show a round."""
        text = row(iteration)
        logger.debug(text)
        self._last = line(iteration)
        if self._status is not None:
            self._status.update(self._prefix + self._last)
        if self._has_rows:
            print(text, file=sys.stderr)

    def step(self, text: str) -> None:
        """Say what is being done between rounds."""
        if self._status is not None:
            self._status.update(f"{self._prefix}{self._last}{'; ' if self._last else ''}{text}")


@contextmanager
def reporting(verbose: int, title: str = "") -> Iterator[Shown]:
    """Show progress on standard error as asked for: 0 nothing, 1 one line, 2 a row per round."""
    prefix = f"{title}: " if title else ""
    if verbose == 1:
        with Status(f"{prefix}starting", console=Console(stderr=True)) as status:
            yield Shown(prefix, status, has_rows=False)
        return
    if verbose >= 2:
        print(f"{prefix}\n{HEADER}" if prefix else HEADER, file=sys.stderr)
    yield Shown(prefix, None, has_rows=verbose >= 2)
