"""Which of the columns become the rule set: local search, then the Restricted MIP (§2.3, §3).

Finds rule sets, proves nothing: bounds are the business of ``certificate``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import pack_bits
from boolrules.search.engines.loading import load_kernels
from boolrules.solver.linear_program import INFINITY, INTEGER_GAP, LinearProgram

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import Column
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples

    # The columns chosen and, where breaking a requirement is priced softly, its price.
    Place = tuple[tuple[int, ...], float | None]

# A move must gain more than what floating-point sums may err by, relative to all weights.
LEAST_GAIN = 1e-11
# What a row too many in a requirement costs where it is priced softly, in mean weights.
SOFT_PRICES = (0.5, 2.0, 8.0)
# What sums of a requirement's coefficients, the largest being one, may err by.
BREAKING = 1e-9


@dataclass(frozen=True, slots=True)
class Selected:
    """Chosen columns, and their value in eq. (1)."""

    chosen: tuple[int, ...]
    objective: float


def price_of_missing(training_set: Samples, problem: Problem) -> float:
    """What a required group that no clause has adds to the objective: more than all else can."""
    complexity = float(problem.max_complexity) * problem.complexity_penalty
    most = training_set.total_weight or 1.0  # nothing weighs where requirements are all there is
    return (1 + len(problem.required)) * most + complexity


def price_of_breaking(training_set: Samples, problem: Problem) -> float:
    """What broken requirements add to the objective at least: more than any rule set loses."""
    complexity = float(problem.max_complexity) * problem.complexity_penalty
    most = (1 + problem.most_clauses) * training_set.total_weight + complexity
    return most + len(problem.required) * price_of_missing(training_set, problem) + 1.0


class Selection:
    """Eqs. (1)-(4) over a fixed list of columns; positives that the same ones cover are merged."""

    def __init__(self, training_set: Samples, problem: Problem, columns: Sequence[Column]) -> None:
        self._problem = problem
        self._room_for_conditions = cache(problem.room_for_conditions)
        patterns = training_set.patterns()
        patterns.add(columns)
        self._covers, self._weights = patterns.merge()
        self._unit = training_set.unit
        self._least_gain = LEAST_GAIN * training_set.total_weight
        self._columns = columns
        self._costs = np.array([column.cost for column in columns])
        self._lengths = np.array([len(column.clause) for column in columns], dtype=np.int64)
        self._alpha, self._added = patterns.demands(), np.zeros((len(columns), 0))
        self._demands = training_set.demands
        self._soft_price: float | None = None
        self._ends: dict[Place, Selected] = {}
        self._price_of_breaking = price_of_breaking(training_set, problem)
        if self._demands is not None:
            self._least_gain = LEAST_GAIN * self._price_of_breaking
            norms = np.array(self._demands.norms)
            self._alpha = self._alpha / norms[:, None]
            added = np.array([column.demands for column in columns])
            self._added = added.reshape(len(columns), len(norms)) / norms
        if problem.required:
            self._add_required(training_set)
        self._packed = pack_bits(self._covers)
        self._has_integer_objective = training_set.has_integer_weights and bool(
            (self._costs == np.floor(self._costs)).all()
        )

    def _add_required(self, training_set: Samples) -> None:
        """Treat each required group as a positive that costs more to miss than anything gains."""
        n_groups = len(self._problem.required)
        used = [self._problem.uses(column.clause) for column in self._columns]
        groups = np.array(used, dtype=bool).reshape(len(self._columns), n_groups)
        self._covers = np.column_stack([self._covers, groups])
        price = price_of_missing(training_set, self._problem)
        self._weights = np.append(self._weights, np.full(n_groups, price))
        self._alpha = np.pad(self._alpha, ((0, 0), (0, n_groups)))

    def objective(self, chosen: Sequence[int]) -> float:
        """Value of eq. (1), and a price that nothing is worth where requirements are broken."""
        missed = ~self._covers[list(chosen)].any(axis=0)
        loss = float(self._weights[missed].sum() + self._costs[list(chosen)].sum())
        if self._demands is None:
            return loss
        value = self._alpha[:, missed].sum(axis=1) + self._added[list(chosen)].sum(axis=0)
        return loss + float(self._broken(value))

    def _broken(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Price what requirements have come to, one in each last place, above their limits."""
        assert self._demands is not None
        over = np.maximum(values - self._demands.prices[2], 0.0)
        over = np.where(over > BREAKING, over, 0.0).sum(axis=-1)
        if self._soft_price is not None:
            return self._soft_price * over
        return self._price_of_breaking * (over + (over > 0))

    def local_search(self, start: Sequence[int], budget: Budget) -> Selected:
        """Add, drop and swap columns while the objective falls; drop those that change nothing."""
        chosen, way = tuple(start), []
        while not budget.is_spent:
            way.append((chosen, self._soft_price))
            if way[-1] in self._ends:
                return self._remembered(way, self._ends[way[-1]])
            move = self._best_move(list(chosen))
            if move is None:
                return self._remembered(way, self._tidied(chosen))
            chosen = tuple(move)
        return self._tidied(chosen)

    def _remembered(self, way: Sequence[Place], end: Selected) -> Selected:
        """Keep where a local search ended, for those that come to some place on its way."""
        self._ends |= dict.fromkeys(way, end)
        return end

    def _softly(self, start: Sequence[int], budget: Budget) -> Iterator[list[int]]:
        """Search where breaking a requirement has a price that something may be worth.

        Between two rule sets that meet requirements there is often none, one step from both, that
        does.
        """
        if self._demands is None:
            return
        for price in SOFT_PRICES:
            self._soft_price = price * self._unit
            try:
                found = self.local_search(start, budget)
            finally:
                self._soft_price = None
            yield list(found.chosen)

    def _from(self, start: Sequence[int], budget: Budget) -> Selected:
        """Search from a start and, under requirements, from where they had softer prices."""
        starts = [list(start), *self._softly(start, budget)]
        found = [self.local_search(one, budget) for one in starts]
        return min(found, key=lambda selected: selected.objective)

    def best_of_starts(
        self,
        w: NDArray[np.float64],
        budget: Budget,
        n_kicks: int = 0,
        least: float = 0.0,
    ) -> Selected:
        """Local search from nothing, from what the LP likes most, and from kicks of the best."""
        rounded = self._greedy(np.argsort(-w, kind="stable")[: int((w > 1e-6).sum())])
        starts = [self._from([], budget), self._from(rounded, budget)]
        best = min(starts, key=lambda selected: selected.objective)
        return self.kicked(best, budget, n_kicks, least)

    def kicked(self, best: Selected, budget: Budget, n_kicks: int, least: float = 0.0) -> Selected:
        """Drop some columns at random, add others, and search from there, again and again.

        Whoever gets to ``least`` is done: the caller knows that none is better.
        """
        # The same kicks whatever random_state is: equal data give equal rules.
        random = np.random.default_rng(0)
        for _ in range(n_kicks):
            if budget.is_spent or not best.chosen or best.objective <= least + self._least_gain:
                break
            n_left = int(random.integers(0, len(best.chosen)))
            left = random.choice(best.chosen, size=n_left, replace=False).tolist()
            order = random.permutation(len(self._columns))[:3]
            found = self._from(self._greedy(np.array([*left, *order])), budget)
            if found.objective < best.objective - self._least_gain:
                best = found
        return best

    def _tidied(self, chosen: Sequence[int]) -> Selected:
        """Drop clauses that change nothing."""
        left, objective = sorted(chosen), self.objective(chosen)
        for k in tuple(left):
            without = [other for other in left if other != k]
            if self.objective(without) <= objective:
                left = without
        return Selected(tuple(left), self.objective(left))

    def restricted_mip(self, incumbent: Selected, budget: Budget, n_threads: int = 1) -> Selected:
        """Impose eq. (4) on the columns; never worse than the incumbent that is handed over."""
        n_P, K = len(self._weights), len(self._columns)
        if K == 0 or budget.is_spent:
            return incumbent
        program = LinearProgram(n_threads=n_threads)
        program.add_rows([1.0] * n_P, [INFINITY] * n_P)  # eq. (2)
        program.add_rows([-INFINITY], [float(self._problem.max_complexity)])  # eq. (3)
        program.add_rows([-INFINITY], [float(self._problem.max_clauses or K)])
        program.add_columns(
            (self._weights / self._unit).tolist(), [1.0] * n_P, [([i], [1.0]) for i in range(n_P)]
        )
        entries = []
        for column, cover in zip(self._columns, self._covers, strict=True):
            rows = np.append(np.flatnonzero(cover), [n_P, n_P + 1])
            values = np.ones(len(rows))
            values[-2] = column.complexity
            entries.append((rows, values))
        program.add_columns((self._costs / self._unit).tolist(), [1.0] * K, entries)
        program.make_integer(range(n_P, n_P + K))  # eq. (4)
        self._demand_rows(program)
        start = np.zeros(K)
        start[list(incumbent.chosen)] = 1.0
        missed = ~self._covers[list(incumbent.chosen)].any(axis=0)
        program.set_start(range(n_P + K), [*missed.astype(float), *start])
        gap = INTEGER_GAP / self._unit if self._has_integer_objective else 1e-6
        solution = program.solve(budget, absolute_gap=gap)
        if solution.values is None:
            return incumbent
        chosen = np.flatnonzero(solution.values[n_P:] > 0.5).tolist()
        if not self._fits(chosen):
            return incumbent
        found = Selected(tuple(chosen), self.objective(chosen))
        return min(incumbent, found, key=lambda selected: selected.objective)

    def _demand_rows(self, program: LinearProgram) -> None:
        """Demand what requirements do. A positive that is better missed is so where it is."""
        if self._demands is None:
            return
        n_P, K = len(self._weights), len(self._columns)
        most = self._demands.prices[2]
        entries = []
        for alpha, added in zip(self._alpha, self._added.T, strict=True):
            values = np.concatenate([alpha, added])
            entries.append((np.flatnonzero(values), values[values != 0]))
        program.add_rows([-INFINITY] * len(most), most.tolist(), entries)
        two_sided = np.flatnonzero((self._alpha < 0).any(axis=0)).tolist()
        entries = []
        for i in two_sided:
            covering = np.flatnonzero(self._covers[:, i])
            places = np.append(n_P + covering, i)
            entries.append((places, np.append(np.ones(len(covering)), float(K))))
        if entries:
            program.add_rows([-INFINITY] * len(entries), [float(K)] * len(entries), entries)
            program.make_integer(two_sided)

    def _fits(self, chosen: Sequence[int]) -> bool:
        return self._problem.fits(len(chosen), int(self._lengths[list(chosen)].sum()))

    def _greedy(self, order: NDArray[np.int64]) -> list[int]:
        """Take columns in the given order as long as they fit."""
        chosen: list[int] = []
        for k in order.tolist():
            if k not in chosen and self._fits([*chosen, k]):
                chosen.append(k)
        return chosen

    def _room(self, chosen: Sequence[int]) -> NDArray[np.bool_]:
        """Which columns still fit beside the chosen ones."""
        taken = int(self._lengths[list(chosen)].sum())
        longest = self._room_for_conditions(len(chosen) + 1, taken)
        return self._lengths <= longest

    def _gained(
        self, missed: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Weight that each column covers of the positives that are missed."""
        kernels = load_kernels()
        gained = np.empty(len(self._columns))
        weights = self._weights if weights is None else weights
        kernels.weigh_columns(self._packed, pack_bits(missed[None])[0], weights, gained)
        return gained

    def _best_move(self, chosen: list[int]) -> list[int] | None:
        """Return the best of all additions, drops and swaps, or None when none gains."""
        if not len(self._columns):
            return None
        if self._demands is not None:
            return self._best_move_under_demands(chosen)
        times = self._covers[chosen].sum(axis=0)
        best_gain, best = self._least_gain, None
        # Dropping nothing and adding is an addition; dropping and adding nothing is a drop.
        drops = [None, *chosen]
        gained = self._gained(times == 0)  # by adding each column
        for dropped in drops:
            kept = [k for k in chosen if k != dropped]
            loss_of_drop, gains = 0.0, gained - self._costs
            if dropped is not None:
                missed = (times == 1) & self._covers[dropped]
                loss_of_drop = float(self._weights[missed].sum() - self._costs[dropped])
                if -loss_of_drop > best_gain:
                    best_gain, best = -loss_of_drop, kept
                gains += self._gained(missed)
            gains = np.where(self._room(kept), gains, -np.inf)
            gains[kept] = -np.inf
            k = int(gains.argmax())
            if gains[k] - loss_of_drop > best_gain:
                best_gain, best = float(gains[k] - loss_of_drop), [*kept, k]
        return best

    def _best_move_under_demands(self, chosen: list[int]) -> list[int] | None:
        """Return the best of the same moves where requirements have their price."""
        times = self._covers[chosen].sum(axis=0)
        least, best = self.objective(chosen) - self._least_gain, None
        for dropped in (None, *chosen):
            kept = [k for k in chosen if k != dropped]
            missed = times == 0
            if dropped is not None:
                missed = missed | ((times == 1) & self._covers[dropped])
                without = self.objective(kept)
                if without < least:
                    least, best = without, kept
            loss = self._weights[missed].sum() + self._costs[kept].sum() + self._costs
            loss = loss - self._gained(missed)
            value = self._alpha[:, missed].sum(axis=1) + self._added[kept].sum(axis=0)
            gained = [self._gained(missed, alpha) for alpha in self._alpha]
            value = value + self._added - np.array(gained).T.reshape(len(loss), len(value))
            after = np.where(self._room(kept), loss + self._broken(value), np.inf)
            after[kept] = np.inf
            k = int(after.argmin())
            if after[k] < least:
                least, best = float(after[k]), [*kept, k]
        return best
