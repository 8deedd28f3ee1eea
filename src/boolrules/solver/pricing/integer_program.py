"""The Pricing Problem as an integer program, eqs. (6)-(10) word for word, solved by HiGHS.

The reference that the other pricers are tested against. What it proves is the solver's word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.column import DUAL_TOLERANCE, IntegerDuals, reduced_cost
from boolrules.search.pricer import PricingResult
from boolrules.solver.linear_program import INFINITY, LinearProgram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import Duals
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet


@dataclass(frozen=True)
class IntegerProgram:
    """Finds the clause of least reduced cost, and others on the way."""

    training_set: TrainingSet
    problem: Problem
    n_threads: int = 1
    name: str = "integer program"

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Solve the Pricing Problem within the budget."""
        J = len(self.training_set.conditions)
        if J == 0:
            return PricingResult([], None, 0.0, self._rounded(duals), is_exact=True, n_nodes=0)
        model = _PricingProblem(self.training_set, self.problem, duals, self.n_threads)
        solution = model.program.solve(budget)
        clauses = {
            tuple(np.flatnonzero(values[:J] > 0.5).tolist())
            for values in [*solution.pool, *([] if solution.values is None else [solution.values])]
        }
        columns = [
            self.training_set.column(f, self.problem)
            for f in sorted(clauses)
            if f and self.training_set.covers_enough(np.array([f]), self.problem)[0]
        ]
        priced = sorted(((reduced_cost(c, duals), c) for c in columns), key=lambda pair: pair[0])
        unit, bound = self.training_set.unit, None
        if solution.bound is not None:
            bound = min(0.0, solution.bound + DUAL_TOLERANCE) * unit
        return PricingResult(
            [column for cost, column in priced if cost < -DUAL_TOLERANCE * unit],
            priced[0][0] if priced else None,
            bound,
            None if bound is None else self._raised(duals, bound),
            is_exact=False,
            n_nodes=0,
        )

    def _rounded(self, duals: Duals) -> IntegerDuals:
        samples = self.training_set
        return samples.rounded(duals)

    def _raised(self, duals: Duals, bound: float) -> IntegerDuals:
        """The paper's bound z_RMLP + (C/2) z_CG.

        Every clause has complexity at least 2 (or its price).
        """
        rounded = self._rounded(duals)
        epsilon = (
            DUAL_TOLERANCE * self.training_set.unit - bound
        ) / self.problem.min_clause_complexity
        return rounded.raised(math.ceil(epsilon * rounded.scale))


class _PricingProblem:
    """Columns z_j and δ_i; only positives with μ_i > 0 matter, but for a least coverage."""

    def __init__(
        self, training_set: TrainingSet, problem: Problem, duals: Duals, n_threads: int
    ) -> None:
        conditions = training_set.conditions
        self._problem = problem
        self._J = len(conditions)
        support = np.flatnonzero((duals.mu > 0) | (problem.min_coverage > 0))
        self._mu = duals.mu[support] / training_set.unit
        self._weights_Z = training_set.weights_Z / training_set.unit
        self._unit_price = (duals.lam + problem.complexity_penalty) / training_set.unit
        self._clause_price = self._unit_price * problem.clause_cost + duals.nu / training_set.unit
        self._S_P = _zero_valued(training_set, training_set.codes_P[support])
        self._S_Z = _zero_valued(training_set, training_set.codes_Z)
        self.program = LinearProgram(n_threads=n_threads)
        self._add_objective()  # eq. (6)
        self._add_positive_rows()  # eq. (7)
        self._add_zero_rows()  # eq. (8)
        self._add_length_row()  # eq. (9)
        self._add_coverage_row(training_set)
        self.program.make_integer(range(self._J))  # eq. (10)

    def _add_objective(self) -> None:
        """λ(1 + Σ z_j) − Σ μ_i δ_i + Σ δ_i, eq. (6); its constant is a fixed column of value 1."""
        z = [self._unit_price * self._problem.condition_cost] * self._J
        self.program.add_columns(z, [1.0] * self._J)
        self.program.add_columns((-self._mu).tolist(), [1.0] * len(self._mu))
        self.program.add_columns(self._weights_Z.tolist(), [1.0] * len(self._weights_Z))
        self.program.add_columns([self._clause_price], [1.0])
        self.program.add_rows([1.0], [1.0], [([self.program.n_columns - 1], [1.0])])

    def _add_positive_rows(self) -> None:
        """δ_i + z_j <= 1 for j in S_i, i in P, eq. (7)."""
        entries = [
            ([j, self._J + i], [1.0, 1.0])
            for i, S_i in enumerate(self._S_P)
            for j in np.flatnonzero(S_i).tolist()
        ]
        self.program.add_rows([-INFINITY] * len(entries), [1.0] * len(entries), entries)

    def _add_zero_rows(self) -> None:
        """δ_i + Σ_{j in S_i} z_j >= 1 for i in Z, eq. (8)."""
        first = self._J + len(self._mu)
        entries = []
        for i, S_i in enumerate(self._S_Z):
            columns = np.append(np.flatnonzero(S_i), first + i)
            entries.append((columns, np.ones(len(columns))))
        self.program.add_rows([1.0] * len(entries), [INFINITY] * len(entries), entries)

    def _add_length_row(self) -> None:
        """Σ z_j <= D, eq. (9); and >= 1: the paper's C/2 assumes that no clause is empty."""
        longest = self._problem.longest_clause
        D = float(self._J if longest is None else longest)
        self.program.add_rows([1.0], [D], [(range(self._J), [1.0] * self._J)])

    def _add_coverage_row(self, training_set: TrainingSet) -> None:
        """Σ δ_i over P, rows counted one by one, is at least what each clause must cover.

        What is lacking has a column that costs more than any clause, so that there always is a
        solution.
        """
        least = self._problem.min_coverage
        if least:
            n_P = len(self._mu)
            counts = np.ones(n_P) if training_set.counts_P is None else training_set.counts_P
            condition_price = self._unit_price * self._problem.condition_cost
            price = 1.0 + self._clause_price + self._J * condition_price
            price += float(self._mu.sum() + self._weights_Z.sum())
            self.program.add_columns([price], [float(least)])
            places = [*range(self._J, self._J + n_P), self.program.n_columns - 1]
            entry = (places, [*counts.astype(float).tolist(), 1.0])
            self.program.add_rows([float(least)], [INFINITY], [entry])


def _zero_valued(
    training_set: TrainingSet, codes: NDArray[np.unsignedinteger]
) -> NDArray[np.bool_]:
    """S_i, the conditions that are false on each sample: Boolean, (n, J)."""
    conditions = training_set.conditions
    false = [~conditions.holds(j, codes) for j in range(len(conditions))]
    return np.column_stack(false) if len(codes) else np.zeros((0, len(conditions)), dtype=bool)
