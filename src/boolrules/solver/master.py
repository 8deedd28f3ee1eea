"""The Restricted Master: choose among the clauses generated so far (§2.1, §2.2).

Owns eqs. (1)-(3), and any limit on clauses, solved as an LP for the duals. Knows nothing about how
clauses are found (``pricing``) or about integer rule sets (``selection``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.column import DUAL_TOLERANCE, Column, Duals
from boolrules.solver.central_duals import CentralPoint, CentralProgram
from boolrules.solver.linear_program import INFINITY, LinearProgram

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.demands import Demands
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples


# Over coverage patterns: how many columns may join the LP at once, and how many stay in it.
MOST_ACTIVATED = 10
MOST_KEPT = 30
# What a column weighs in the LP's solution that is nothing but the rounding of the solver.
LEAST_W = 1e-6
# With more duals than this, an interior point: duals from the middle of all optimal ones price far
# better than those of a vertex, and there are few rows to factorise.
MANY_DUALS = 100
# With more positives and more columns than this, duals from the middle, no nearer to the optimum
# than they need be.
MANY_CENTRAL = 2000
MANY_COLUMNS = 300
# How near they can be, relative to the loss of no clause.
FINEST_GAP = 1e-7
# How many columns stay in play there, and how many for each that weighs anything. One that waits
# outside comes back when it is short of so much of the gap.
MOST_IN_PLAY, PER_USED, LEAST_USED = 150, 3, 1e-3
SHARE_SHORT = 0.03


@dataclass(frozen=True, slots=True)
class MasterSolution:
    """The Restricted MLP, solved or nearly so.

    Parameters
    ----------
    z_rmlp : float
        Its value or, where it is not solved, what the duals prove: it is no less.
    duals : Duals
        Under which no column has negative reduced cost.
    w : float array
        The weight w_k of each column.
    excess : float
        How much more than ``z_rmlp`` the weights attain; 0 where the program is solved.
    """

    z_rmlp: float
    duals: Duals
    w: NDArray[np.float64]
    excess: float = 0.0

    @property
    def attained(self) -> float:
        """What the weights attain: the value is no more than that."""
        return self.z_rmlp + self.excess


class RestrictedMaster:
    """Eqs. (1)-(3) over the columns so far.

    With few positives, each has a dual of its own in the LP and every solve starts from the last
    basis. With many, or on other machines, those that the same columns cover, a *coverage
    pattern*, share one in proportion to their weights; then the LP is built anew. There, columns
    of large reduced cost wait outside, because each one more may double the patterns. They come
    back when their reduced cost is negative, so that the solution is the same.

    In between, where the simplex method takes longer than all else, duals come from the middle
    (``central_duals``), as near to the optimum as is asked for.
    """

    def __init__(self, training_set: Samples, problem: Problem) -> None:
        self._training_set = training_set
        self._problem = problem
        self._unit = training_set.unit
        self.columns: list[Column] = []
        self._known: set[tuple[int, ...]] = set()
        self._has_patterns = training_set.has_patterns
        self._active: list[int] = []
        self._middle: _Middle | None = None
        if has_middle(training_set, problem):
            self._middle = _Middle(training_set, problem, self.columns)
        self._n_in_program = 0
        self._program = _Program(
            training_set.lp_weights,
            problem,
            self._unit,
            demands=training_set.demands,
            two_sided_zeros=training_set.two_sided_zeros,
            dearest=training_set.dearest / self._unit,
        )

    def add(self, columns: Sequence[Column]) -> int:
        """Add clauses that are not there yet; return how many were new."""
        fresh = []
        for column in columns:
            if column.clause not in self._known:
                self._known.add(column.clause)
                fresh.append(column)
        n_before = len(self.columns)
        self.columns.extend(fresh)
        if self._has_patterns:
            self._active.extend(range(n_before, len(self.columns))[:MOST_ACTIVATED])
        return len(fresh)

    def change_limit(self, problem: Problem) -> None:
        """Go on with another C in eq. (3), from the same clauses and the last basis."""
        self._problem = problem
        self._program.change_limit(problem)
        if self._middle is not None:
            self._middle.problem = problem

    def solve(self, budget: Budget, tolerance: float = 0.0) -> MasterSolution | None:
        """Solve the Restricted MLP; None when the budget did not suffice.

        Within the tolerance, relative to its value, where that saves time.
        """
        if self._has_patterns:
            return self._solve_with_some_waiting(budget)
        if self._middle is not None and len(self.columns) > MANY_COLUMNS:
            solution = self._middle.solve(budget, tolerance)
            if solution is not None or budget.is_spent:
                return solution
            self._middle = None
        return self._solve_program(budget)

    def _solve_program(self, budget: Budget) -> MasterSolution | None:
        fresh = self.columns[self._n_in_program :]
        self._n_in_program = len(self.columns)
        if fresh:
            self._program.add(fresh, [column.delta_P for column in fresh])
        return self._program.solve(budget)

    def _solve_with_some_waiting(self, budget: Budget) -> MasterSolution | None:
        while True:
            solution = self._solve_over_patterns(budget)
            if solution is None:
                return None
            costs = self._training_set.reduced_costs(self.columns, solution.duals)
            is_waiting = np.ones(len(self.columns), dtype=bool)
            is_waiting[self._active] = False
            is_violated = is_waiting & (costs < -DUAL_TOLERANCE * self._unit)
            if not is_violated.any():
                break
            worst = np.argsort(np.where(is_violated, costs, 0.0), kind="stable")
            self._active.extend(worst[: min(int(is_violated.sum()), MOST_ACTIVATED)].tolist())
        is_used = solution.w[self._active] > LEAST_W
        order = np.argsort(np.where(is_used, -np.inf, costs[self._active]), kind="stable")
        best = order[: max(MOST_KEPT, int(is_used.sum()))]
        self._active = sorted(self._active[place] for place in best)
        return solution

    def _solve_over_patterns(self, budget: Budget) -> MasterSolution | None:
        active = [self.columns[k] for k in self._active]
        patterns = self._training_set.patterns()
        patterns.add(active)
        covers, totals = patterns.merge()
        program = _Program(totals, self._problem, self._unit, is_fresh=True)
        program.add(active, covers)
        solution = program.solve(budget)
        if solution is None:
            return None
        w = np.zeros(len(self.columns))
        w[self._active] = solution.w
        return replace(solution, duals=patterns.duals(solution.duals), w=w)


def has_middle(training_set: Samples, problem: Problem) -> bool:
    """Whether duals come from the middle: positives are many, and a dual is all they have.

    Requirements have duals of their own, and clauses without a price cannot be made to pay.
    """
    weights = training_set.lp_weights
    return (
        len(weights) > MANY_CENTRAL
        and training_set.demands is None
        and problem.clause_cost > 0
        and bool((weights > 0).all())
    )


class _Middle:
    """Duals from the middle of eqs. (1)-(3), over the columns that matter."""

    def __init__(self, training_set: Samples, problem: Problem, columns: Sequence[Column]) -> None:
        self._training_set = training_set
        self.problem = problem
        self._columns = columns
        self._in_play: list[int] = []
        self._n_seen = 0
        self._last: MasterSolution | None = None

    def solve(self, budget: Budget, tolerance: float) -> MasterSolution | None:
        """Return duals whose value is within the tolerance of the optimum; None if that fails."""
        weight = self._training_set.weight_of_positives
        near = weight if self._last is None else self._last.attained
        gap = max(tolerance * near, FINEST_GAP * weight)
        self._in_play.extend(range(self._n_seen, len(self._columns)))
        self._n_seen = len(self._columns)
        while True:
            solution = self._solve_in_play(budget, gap)
            if solution is None:
                return None
            costs = self._training_set.reduced_costs(self._columns, solution.duals)
            is_short = costs < -SHARE_SHORT * gap
            is_short[self._in_play] = False
            if not is_short.any():
                break
            self._in_play = sorted({*self._in_play, *np.flatnonzero(is_short).tolist()})
        self._leave_out(costs, solution.w)
        self._last = self._feasible(solution, costs)
        return self._last

    def _solve_in_play(self, budget: Budget, gap: float) -> MasterSolution | None:
        samples, unit = self._training_set, self._training_set.unit
        if not self._columns:
            weights = samples.lp_weights
            return MasterSolution(float(weights.sum()), Duals(weights.copy(), 0.0), np.empty(0))
        columns = [self._columns[k] for k in self._in_play]
        K = self.problem.max_clauses
        uses = np.ones((len(columns), 1 if K is None else 2))
        uses[:, 0] = [column.complexity for column in columns]
        program = CentralProgram(
            np.array([column.delta_P for column in columns], dtype=np.float64),
            samples.lp_weights / unit,
            np.array([column.cost for column in columns]) / unit,
            uses,
            np.array([self.problem.max_complexity, *([] if K is None else [K])], dtype=np.float64),
        )
        start = self._start()
        point = program.solve(gap / unit, start, budget)
        if point is None and start is not None:
            point = program.solve(gap / unit, None, budget)
        if point is None:
            return None
        w = np.zeros(len(self._columns))
        w[self._in_play] = point.w
        duals = Duals(point.mu * unit, *(point.prices * unit).tolist())
        excess = (point.most - point.least) * unit
        return MasterSolution(point.least * unit, duals, w, max(excess, 0.0))

    def _start(self) -> CentralPoint | None:
        """Return the last solution as far as it has to do with the columns in play."""
        if self._last is None or not len(self._last.w):
            return None
        unit, last = self._training_set.unit, self._last
        w = np.append(last.w, np.zeros(len(self._columns) - len(last.w)))[self._in_play]
        prices = np.array([last.duals.lam, last.duals.nu]) / unit
        most = last.attained / unit
        return CentralPoint(last.duals.mu / unit, prices, w, last.z_rmlp / unit, most)

    def _feasible(self, solution: MasterSolution, costs: NDArray[np.float64]) -> MasterSolution:
        """Raise λ until no column has negative reduced cost, those outside included."""
        complexities = np.array([column.complexity for column in self._columns])
        by = float((-costs / complexities).max(initial=0.0))
        paid = by * self.problem.max_complexity
        return replace(
            solution,
            z_rmlp=solution.z_rmlp - paid,
            duals=replace(solution.duals, lam=solution.duals.lam + by),
            excess=solution.excess + paid,
        )

    def _leave_out(self, costs: NDArray[np.float64], w: NDArray[np.float64]) -> None:
        """Let the columns of largest reduced cost wait outside."""
        n_used = int((w > LEAST_USED).sum())
        in_play = np.array(self._in_play, dtype=np.int64)
        order = np.argsort(costs[in_play], kind="stable")
        self._in_play = np.sort(in_play[order[: max(MOST_IN_PLAY, PER_USED * n_used)]]).tolist()


class _Program:
    """The dual of eqs. (1)-(3): maximise Σ μ_i − Cλ − Kν, no clause of negative reduced cost.

    A new clause is a new row, which leaves the last basis dual feasible: so every solve is a warm
    start of the dual simplex method, several times faster than appending columns to the primal.
    A large program that ``is_fresh``, built for one solve, has nothing to start from. The solver
    sees costs relative to the mean weight (``TrainingSet.unit``), because its tolerances are
    absolute.
    """

    def __init__(
        self,
        weights: NDArray[np.float64],
        problem: Problem,
        unit: float,
        *,
        is_fresh: bool = False,
        demands: Demands | None = None,
        two_sided_zeros: NDArray[np.float64] | None = None,
        dearest: float = 0.0,
    ) -> None:
        self._n_positives = len(weights)
        self._demands = demands
        self._n_demands = 0 if demands is None else len(demands)
        self._n_rows_before = 0
        self._unit = unit
        self._program = LinearProgram()
        if self._n_positives > MANY_DUALS and is_fresh:
            self._program.set_option("solver", "ipm")
            self._program.set_option("run_crossover", "off")
        else:
            self._program.set_option("presolve", "off")
        self._add_duals_of_positives(weights)
        self._add_dual_of_complexity(problem)
        self._add_dual_of_clauses(problem)
        if demands is not None and two_sided_zeros is not None:
            self._add_duals_of_requirements(demands, weights, dearest)
            self._keep_zeros_from_paying(demands, two_sided_zeros)

    def _add_duals_of_positives(self, weights: NDArray[np.float64]) -> None:
        """μ_i, the dual of eq. (2), is at most what ξ_i costs in eq. (1)."""
        upper = (weights / self._unit).tolist()
        if self._demands is not None:
            is_shifted = self._demands.alpha.any(axis=0)
            upper = np.where(is_shifted, INFINITY, weights / self._unit).tolist()
        self._program.add_columns([-1.0] * self._n_positives, upper)

    def _add_dual_of_complexity(self, problem: Problem) -> None:
        """λ, the dual of eq. (3)."""
        self._program.add_columns([float(problem.max_complexity)], [INFINITY])

    def _add_dual_of_clauses(self, problem: Problem) -> None:
        """ν, the dual of Σ w_k <= K; zero where clauses are not limited."""
        K = problem.max_clauses
        self._program.add_columns([float(K or 0)], [0.0 if K is None else INFINITY])

    def _add_duals_of_requirements(
        self, demands: Demands, weights: NDArray[np.float64], dearest: float
    ) -> None:
        """θ_s, what each requirement charges: it shifts what ξ_i and a covered zero cost.

        Where it makes missing a positive a gain, the bound pays for what lies below nothing
        (ξ_i <= 1).
        """
        alpha, _, most = demands.prices
        self._program.add_columns(most.tolist(), [dearest] * len(demands))
        theta = self._n_positives + 2 + np.arange(len(demands))
        two_sided = np.flatnonzero(demands.is_two_sided_P)
        lent = {i: self._program.n_columns + k for k, i in enumerate(two_sided.tolist())}
        self._program.add_columns([1.0] * len(two_sided), [INFINITY] * len(two_sided))
        shifted = np.flatnonzero(demands.alpha.any(axis=0)).tolist()
        entries = []
        for i in shifted:
            own = [i, lent[i]] if i in lent else [i]
            values = [1.0, -1.0] if i in lent else [1.0]
            is_there = alpha[:, i] != 0
            places = np.concatenate([own, theta[is_there]])
            entries.append((places, np.concatenate([values, -alpha[is_there, i]])))
        upper = weights[shifted] / self._unit
        self._add_rows_before([-INFINITY] * len(shifted), upper.tolist(), entries)

    def _keep_zeros_from_paying(
        self, demands: Demands, two_sided_zeros: NDArray[np.float64]
    ) -> None:
        """No zero may come to cost less than nothing: w_z + Σ θ_s β_sz >= 0."""
        theta = self._n_positives + 2 + np.arange(len(demands))
        kinds = np.unique(two_sided_zeros / np.array([self._unit, *demands.norms]), axis=0)
        rows = [(theta[kind[1:] != 0], kind[1:][kind[1:] != 0]) for kind in kinds]
        self._add_rows_before((-kinds[:, 0]).tolist(), [INFINITY] * len(kinds), rows)

    def _add_rows_before(self, lower: Any, upper: Any, entries: Any) -> None:
        """Add rows that are no clauses."""
        if entries:
            self._program.add_rows(lower, upper, entries)
            self._n_rows_before += len(entries)

    def change_limit(self, problem: Problem) -> None:
        """C is the cost of λ: the last basis stays feasible."""
        self._program.change_cost(self._n_positives, float(problem.max_complexity))

    def add(self, columns: Sequence[Column], deltas: Iterable[NDArray[np.bool_]]) -> None:
        """Demand a non-negative reduced cost, eq. (5), of each clause.

        w_k <= 1 is implied, because no clause pays twice, so it has no dual.
        """
        entries = []
        for column, delta in zip(columns, deltas, strict=True):
            lam, nu = self._n_positives, self._n_positives + 1
            places = np.append(np.flatnonzero(delta), [lam, nu])
            values = np.ones(len(places))
            values[-2:] = -column.complexity, -1.0
            if self._demands is not None:
                charged = np.array(column.demands) / np.array(self._demands.norms)
                theta = nu + 1 + np.flatnonzero(charged)
                places = np.append(places, theta)
                values = np.append(values, -charged[charged != 0])
            entries.append((places, values))
        costs = [column.cost / self._unit for column in columns]
        self._program.add_rows([-INFINITY] * len(columns), costs, entries)

    def solve(self, budget: Budget) -> MasterSolution | None:
        solution = self._program.solve(budget)
        if not solution.is_optimal and not budget.is_spent:
            self._program.set_option("solver", "simplex")
            solution = self._program.solve(budget)
        if not solution.is_optimal or solution.objective is None:
            return None
        assert solution.values is not None
        assert solution.row_duals is not None
        values = np.maximum(solution.values, 0.0) * self._unit
        lam, nu, *theta = values[self._n_positives :][: 2 + self._n_demands].tolist()
        duals = Duals(values[: self._n_positives], lam, nu, tuple(theta))
        w = np.maximum(-solution.row_duals[self._n_rows_before :], 0.0)
        return MasterSolution(-solution.objective * self._unit, duals, w)
