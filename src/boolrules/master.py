"""The Restricted Master: choose among the clauses generated so far (§2.1, §2.2).

Owns eqs. (1)-(3), solved as an LP for the duals. Knows nothing about how clauses are found
(``pricing``) or about integer rule sets (``selection``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.column import Column, CoveragePatterns, Duals
from boolrules.linear_program import INFINITY, LinearProgram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.budget import Budget
    from boolrules.problem import Problem
    from boolrules.training_set import TrainingSet

# Beyond this many positives, those that the same columns cover share a row of the LP.
MANY_POSITIVES = 20_000


@dataclass(frozen=True, slots=True)
class MasterSolution:
    """The solved Restricted MLP: its value, its duals, and the weight w_k of each column."""

    z_rmlp: float
    duals: Duals
    w: NDArray[np.float64]


class RestrictedMaster:
    """Eqs. (1)-(3) over the columns so far.

    With up to ``MANY_POSITIVES`` merged rows, each positive is a row of the LP and every solve
    starts from the last basis. With more, the rows are *coverage patterns*: positives that the
    same columns cover share a row, and its dual in proportion to their weights; then the LP is
    built anew.
    """

    def __init__(self, training_set: TrainingSet, problem: Problem) -> None:
        self._training_set = training_set
        self._problem = problem
        self._unit = training_set.unit
        self.columns: list[Column] = []
        self._known: set[tuple[int, ...]] = set()
        weights_P = training_set.weights_P
        self._has_patterns = len(weights_P) > MANY_POSITIVES
        self._patterns = CoveragePatterns(len(weights_P))
        rows = weights_P[:0] if self._has_patterns else weights_P
        self._program = _Program(rows, problem, self._unit)

    def add(self, columns: Sequence[Column]) -> int:
        """Add clauses that are not there yet; return how many were new."""
        fresh = []
        for column in columns:
            if column.features not in self._known:
                self._known.add(column.features)
                fresh.append(column)
        self.columns.extend(fresh)
        if self._has_patterns:
            for column in fresh:
                self._patterns.add(column.delta_P)
        elif fresh:
            self._program.add(fresh, [column.delta_P for column in fresh])
        return len(fresh)

    def solve(self, budget: Budget) -> MasterSolution | None:
        """Solve the Restricted MLP; None when the budget did not suffice."""
        weights = self._training_set.weights_P
        if not self._has_patterns:
            return self._program.solve(budget)
        first, row, totals = self._patterns.merge(weights)
        program = _Program(totals, self._problem, self._unit)
        program.add(self.columns, [column.delta_P[first] for column in self.columns])
        solution = program.solve(budget)
        if solution is None:
            return None
        mu = solution.duals.mu[row] * (weights / totals[row])
        return MasterSolution(solution.z_rmlp, Duals(mu, solution.duals.lam), solution.w)


class _Program:
    """The LP itself: rows with weights, then columns.

    Of its columns, the first are the ξ_i, then come the clauses in the order they were added. The
    solver sees costs relative to the mean weight (``TrainingSet.unit``), because its tolerances
    are absolute.
    """

    def __init__(self, weights: NDArray[np.float64], problem: Problem, unit: float) -> None:
        self._n_rows = len(weights)
        self._unit = unit
        self._program = LinearProgram()
        self._program.set_option("presolve", "off")
        self._add_coverage_rows()
        self._add_complexity_row(problem)
        self._add_missed_positives(weights)

    def _add_coverage_rows(self) -> None:
        """ξ_i + Σ_k w_k >= 1 for i in P, eq. (2)."""
        self._program.add_rows([1.0] * self._n_rows, [INFINITY] * self._n_rows)

    def _add_complexity_row(self, problem: Problem) -> None:
        """Σ_k c_k w_k <= C, eq. (3)."""
        self._program.add_rows([-INFINITY], [float(problem.max_complexity)])

    def _add_missed_positives(self, weights: NDArray[np.float64]) -> None:
        """ξ_i >= 0, each with the weight of its merged rows in eq. (1)."""
        entries = [([i], [1.0]) for i in range(self._n_rows)]
        costs = (weights / self._unit).tolist()
        self._program.add_columns(costs, [INFINITY] * self._n_rows, entries)

    def add(self, columns: Sequence[Column], deltas: Sequence[NDArray[np.bool_]]) -> None:
        """Add the clauses' columns, with their costs in eq. (1).

        w_k <= 1 is implied, because no clause pays twice, so its dual need not be priced.
        """
        entries = []
        for column, delta in zip(columns, deltas, strict=True):
            rows = np.append(np.flatnonzero(delta), self._n_rows)
            values = np.ones(len(rows))
            values[-1] = column.complexity
            entries.append((rows, values))
        costs = [column.cost / self._unit for column in columns]
        self._program.add_columns(costs, [INFINITY] * len(columns), entries)

    def solve(self, budget: Budget) -> MasterSolution | None:
        solution = self._program.solve(budget)
        if not solution.is_optimal or solution.objective is None:
            return None
        assert solution.values is not None
        assert solution.row_duals is not None
        mu = np.maximum(solution.row_duals[: self._n_rows], 0.0) * self._unit
        lam = max(-float(solution.row_duals[self._n_rows]), 0.0) * self._unit
        z_rmlp = solution.objective * self._unit
        return MasterSolution(z_rmlp, Duals(mu, lam), solution.values[self._n_rows :])
