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
    from collections.abc import Callable, Iterator

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


@contextmanager
def reporting(verbose: int, title: str = "") -> Iterator[Callable[[Iteration], None]]:
    """Show rounds as asked for: 0 nothing, 1 one line on stderr, 2 a row per round on stderr.

    Rows also go to the logger ``boolrules`` at level DEBUG, whatever ``verbose`` is.
    """
    prefix = f"{title}: " if title else ""
    if verbose == 1:
        console = Console(stderr=True)
        with Status(f"{prefix}starting", console=console) as status:

            def show_line(iteration: Iteration) -> None:
                logger.debug(row(iteration))
                status.update(prefix + line(iteration))

            yield show_line
        return
    if verbose >= 2:
        print(prefix + "\n" + HEADER if prefix else HEADER, file=sys.stderr)

    def show_row(iteration: Iteration) -> None:
        logger.debug(row(iteration))
        if verbose >= 2:
            print(row(iteration), file=sys.stderr)

    yield show_row
