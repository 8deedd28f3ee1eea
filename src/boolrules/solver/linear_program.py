"""Linear and integer programs. The only file that imports HiGHS.

A thin face: columns and rows are added as arrays, a solve returns what was found and, apart from
it, what was proved. A solve is watched from outside, because solvers' own time limits leak and do
not hear Ctrl-C.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from boolrules._support.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

INFINITY = highspy.kHighsInf
# Under 1, so that an integer objective is solved to the last unit; a little over 0 for the
# solver's rounding.
INTEGER_GAP = 1.0 - 1e-3
_GRACE_SECONDS = 1.0
# A linear program with no more entries takes some milliseconds: nobody need watch it.
SMALL = 50_000
# Beyond so many entries an integer program is solved without presolve. With 850,000 it took 20 s,
# looked at no clock, and took away 18 of 4,285 rows.
MOST_PRESOLVED = 200_000
_FAILURES = (
    highspy.HighsModelStatus.kSolveError,
    highspy.HighsModelStatus.kUnknown,
    highspy.HighsModelStatus.kUnboundedOrInfeasible,
    highspy.HighsModelStatus.kPresolveError,
    highspy.HighsModelStatus.kPostsolveError,
)


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solve found and proved.

    ``values`` is None when no feasible point was found; ``row_duals`` only an optimal LP has.
    ``bound`` is the solver's proven lower bound, or None.
    """

    is_optimal: bool
    objective: float | None
    values: NDArray[np.float64] | None
    row_duals: NDArray[np.float64] | None
    bound: float | None
    pool: list[NDArray[np.float64]]


class LinearProgram:
    """Minimise a linear objective over columns and rows, some columns integer.

    Examples
    --------
    Minimise x + 2y with x + y >= 1.5, over numbers and then over integers:

    >>> from boolrules._support.budget import Budget
    >>> program = LinearProgram()
    >>> program.add_rows([1.5], [INFINITY])
    >>> program.add_columns([1.0, 2.0], upper=[1.0, 1.0], entries=[([0], [1.0]), ([0], [1.0])])
    >>> solution = program.solve(Budget.unlimited())
    >>> solution.objective, solution.row_duals.tolist()
    (2.0, [2.0])
    >>> program.make_integer([0, 1])
    >>> program.solve(Budget.unlimited()).objective
    3.0
    """

    def __init__(self, *, n_threads: int = 1) -> None:
        self._highs = highspy.Highs()
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("threads", n_threads)
        self._should_stop = threading.Event()
        for asks in ("cbSimplexInterrupt", "cbIpmInterrupt", "cbMipInterrupt"):
            getattr(self._highs, asks).subscribe(_stop_on(self._should_stop))
        self._is_integer = False

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return int(self._highs.getNumCol())

    def add_rows(
        self,
        lower: Sequence[float],
        upper: Sequence[float],
        entries: Sequence[tuple[Any, Any]] | None = None,
    ) -> None:
        """Add rows with bounds, and (columns, values) for each where columns exist already."""
        starts, indices, values = _flatten(entries or [([], [])] * len(lower))
        self._highs.addRows(
            len(lower), np.array(lower), np.array(upper), len(indices), starts, indices, values
        )

    def add_columns(
        self,
        costs: Sequence[float],
        upper: Sequence[float],
        entries: Sequence[tuple[Any, Any]] | None = None,
    ) -> None:
        """Add columns between 0 and ``upper``, with (rows, values) for each."""
        starts, indices, values = _flatten(entries or [([], [])] * len(costs))
        self._highs.addCols(
            len(costs),
            np.array(costs, dtype=np.float64),
            np.zeros(len(costs)),
            np.array(upper, dtype=np.float64),
            len(indices),
            starts,
            indices,
            values,
        )

    def change_cost(self, column: int, cost: float) -> None:
        """Give a column another cost."""
        self._highs.changeColCost(column, cost)

    def make_integer(self, columns: Sequence[int]) -> None:
        """Demand integer values of some columns."""
        kinds = np.full(len(columns), int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        self._highs.changeColsIntegrality(len(columns), np.array(columns, dtype=np.int32), kinds)
        self._is_integer = True

    def set_start(self, columns: Sequence[int], values: Sequence[float]) -> None:
        """Hand a known solution over; columns left out are completed by the solver."""
        self._highs.setSolution(
            len(columns), np.array(columns, dtype=np.int32), np.array(values, dtype=np.float64)
        )

    def set_option(self, name: str, value: float | str | bool) -> None:
        """Set one of the solver's own options."""
        self._highs.setOptionValue(name, value)

    def solve(self, budget: Budget, *, absolute_gap: float = 1e-6) -> Solution:
        """Solve within the budget; an integer program to within the gap."""
        seconds = budget.remaining_seconds
        # HiGHS counts its time limit over all solves of one object.
        limit = self._highs.getRunTime() + seconds
        self._highs.setOptionValue("time_limit", min(limit, INFINITY))
        if self._is_integer:
            self._highs.setOptionValue("mip_rel_gap", 0.0)
            self._highs.setOptionValue("mip_abs_gap", absolute_gap)
            self._highs.setOptionValue("mip_improving_solution_save", True)
            if self._is_large():
                self._highs.setOptionValue("presolve", "off")
        self._run(seconds)
        if self._highs.getModelStatus() in _FAILURES:
            # Once more from nothing: a warm start can lead the simplex method astray.
            self._highs.clearSolver()
            self._highs.setOptionValue("presolve", "off" if self._is_large() else "on")
            self._run(budget.remaining_seconds)
        return self._read_solution()

    def _run(self, seconds: float) -> None:
        """Solve in a thread of its own, and watch the clock and Ctrl-C meanwhile.

        A small program is solved at once: to start a thread takes as long. Not by ``startSolve``
        of highspy: its locks are shared by all programs of the process.
        """
        self._should_stop.clear()
        is_main = threading.current_thread() is threading.main_thread()
        if self._is_small() or (seconds == math.inf and not is_main):
            _solve(self._highs)
            return
        solve = threading.Thread(target=_solve, args=(self._highs,), daemon=True)
        patience = Budget.of(seconds + _GRACE_SECONDS)
        try:
            solve.start()
            while solve.is_alive():
                solve.join(0.1)
                if patience.is_spent:
                    self._should_stop.set()
        except KeyboardInterrupt:
            self._should_stop.set()
            if solve.is_alive():
                solve.join()
            raise

    def _is_small(self) -> bool:
        return not self._is_integer and self._highs.getNumNz() <= SMALL

    def _is_large(self) -> bool:
        return self._is_integer and self._highs.getNumNz() > MOST_PRESOLVED

    def _read_solution(self) -> Solution:
        status = self._highs.getModelStatus()
        is_optimal = status == highspy.HighsModelStatus.kOptimal
        info = self._highs.getInfo()
        is_feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        # An optimal point may miss the tolerance by a hair once it is scaled back.
        has_point = is_feasible or (is_optimal and not self._is_integer)
        solution = self._highs.getSolution()
        bound = info.mip_dual_bound if self._is_integer else None
        if not self._is_integer and is_optimal:
            bound = info.objective_function_value
        pool = []
        if self._is_integer:
            pool = [np.array(s.col_value) for s in self._highs.getSavedMipSolutions()]
        return Solution(
            is_optimal,
            info.objective_function_value if has_point else None,
            np.array(solution.col_value) if has_point else None,
            np.array(solution.row_dual) if is_optimal and not self._is_integer else None,
            bound if bound is not None and math.isfinite(bound) else None,
            pool,
        )


def _solve(highs: highspy.Highs) -> None:
    """Run HiGHS; its scheduler, one for each thread, is neither taken over nor left behind."""
    highs.resetGlobalScheduler(False)
    highs.run()
    highs.resetGlobalScheduler(False)


def _stop_on(asked: threading.Event) -> Callable[[Any], None]:
    def answer(event: Any) -> None:
        if asked.is_set():
            event.interrupt()

    return answer


def _flatten(
    entries: Sequence[tuple[Any, Any]],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Lists of (indices, values) as the three arrays of a compressed matrix."""
    lengths = [len(indices) for indices, _ in entries]
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int32)
    if not sum(lengths):
        return starts, np.empty(0, dtype=np.int32), np.empty(0)
    indices = np.concatenate([np.asarray(i) for i, _ in entries]).astype(np.int32)
    return starts, indices, np.concatenate([np.asarray(v, dtype=np.float64) for _, v in entries])
