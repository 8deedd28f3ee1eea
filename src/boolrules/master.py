"""The Restricted Master: choose among the clauses generated so far (§2.1, §2.2).

Owns eqs. (1)-(3), solved as an LP for the duals. Knows nothing about how clauses are found
(``pricing``) or about integer rule sets (``selection``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.column import Column, Duals
from boolrules.linear_program import INFINITY, LinearProgram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.budget import Budget
    from boolrules.problem import Problem
    from boolrules.training_set import TrainingSet


@dataclass(frozen=True, slots=True)
class MasterSolution:
    """The solved Restricted MLP: its value, its duals, and the weight w_k of each column."""

    z_rmlp: float
    duals: Duals
    w: NDArray[np.float64]


class RestrictedMaster:
    """Eqs. (1)-(3) over the columns so far; every solve starts from the last basis.

    The rows are the positives, merged where equal, and one row for complexity. Of the columns, the
    first are the ξ_i, then come the clauses in the order they were added. The solver sees costs
    relative to the mean weight (``TrainingSet.unit``), because its tolerances are absolute.
    """

    def __init__(self, training_set: TrainingSet, problem: Problem) -> None:
        self._training_set = training_set
        self._problem = problem
        self._n_positives = len(training_set.weights_P)
        self._unit = training_set.unit
        self._program = LinearProgram()
        self._program.set_option("presolve", "off")
        self.columns: list[Column] = []
        self._known: set[tuple[int, ...]] = set()
        self._add_coverage_rows()
        self._add_complexity_row()
        self._add_missed_positives()

    def _add_coverage_rows(self) -> None:
        """ξ_i + Σ_k w_k >= 1 for i in P, eq. (2)."""
        self._program.add_rows([1.0] * self._n_positives, [INFINITY] * self._n_positives)

    def _add_complexity_row(self) -> None:
        """Σ_k c_k w_k <= C, eq. (3)."""
        self._program.add_rows([-INFINITY], [float(self._problem.max_complexity)])

    def _add_missed_positives(self) -> None:
        """ξ_i >= 0, each with the weight of its merged rows in eq. (1)."""
        entries = [([i], [1.0]) for i in range(self._n_positives)]
        weights = (self._training_set.weights_P / self._unit).tolist()
        self._program.add_columns(weights, [INFINITY] * self._n_positives, entries)

    def add(self, columns: Sequence[Column]) -> int:
        """Add clauses that are not there yet; return how many were new."""
        fresh = []
        for column in columns:
            if column.features not in self._known:
                self._known.add(column.features)
                fresh.append(column)
        if fresh:
            # w_k <= 1 is implied: no clause pays twice, so that its dual need not be priced.
            self._program.add_columns(
                [column.cost / self._unit for column in fresh],
                [INFINITY] * len(fresh),
                [self._entries(column) for column in fresh],
            )
            self.columns.extend(fresh)
        return len(fresh)

    def solve(self, budget: Budget) -> MasterSolution | None:
        """Solve the Restricted MLP; None when the budget did not suffice."""
        solution = self._program.solve(budget)
        if not solution.is_optimal or solution.objective is None:
            return None
        assert solution.values is not None
        assert solution.row_duals is not None
        mu = np.maximum(solution.row_duals[: self._n_positives], 0.0) * self._unit
        lam = max(-float(solution.row_duals[self._n_positives]), 0.0) * self._unit
        z_rmlp = solution.objective * self._unit
        return MasterSolution(z_rmlp, Duals(mu, lam), solution.values[self._n_positives :])

    def _entries(self, column: Column) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        rows = np.append(np.flatnonzero(column.delta_P), self._n_positives)
        values = np.ones(len(rows))
        values[-1] = column.complexity
        return rows, values
