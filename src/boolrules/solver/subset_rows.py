"""Subset rows: inequalities over listed clauses that shorten the list.

Take three positives. Each is covered or missed, a clause takes care of all it covers, and a missed
positive takes care of itself. So the clauses of any rule set, each counted half as often as it
covers one of the three and rounded up, and the missed ones come to 2 at least. A linear program
may do with 3/2: with such rows its value is higher, and a clause of large reduced cost under
their duals is in no better rule set. Jepsen et al. (2008) use them for vehicle routing.

What is dropped is dropped in integers (``RuleSetSearch.drop``): this only finds the duals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import unpack_bits, weigh_rows
from boolrules.search.rule_set_search import SubsetRows, times_counted
from boolrules.solver.central_duals import one_thread
from boolrules.solver.linear_program import INFINITY, LinearProgram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.proof.gap import Shorten
    from boolrules.search.rule_set_search import Listed, RuleSetSearch

# Beyond these the linear program takes longer than it saves.
MOST_POSITIVES = 1000
MOST_ROUNDS = 8
# Rounds end where one leaves more than this share of the clauses.
LARGE_SHARE = 0.9
MOST_ROWS_PER_ROUND, MOST_PER_POSITIVE = 200, 10
LEAST_VIOLATION = 0.02
FIRST_COLUMNS, MORE_COLUMNS = 500, 1000
TOLERANCE = 1e-7
# Of duals, what is given up so that rounding does not take them beyond the weights.
SHORT_OF_DUALS = 1e-6


def shortening(training_set: Samples, problem: Problem) -> Shorten | None:
    """Return what shortens lists, if anything does.

    Requirements and required conditions have charges of their own.
    """
    is_plain = training_set.demands is None and not problem.required
    return shorten if is_plain else None


def shorten(search: RuleSetSearch, slack: int, budget: Budget) -> None:
    """Drop clauses that are in no rule set whose loss exceeds z by at most ``slack``."""
    listed = search.listed
    if len(listed.weights) <= MOST_POSITIVES:
        with one_thread():
            _shorten(search, _ListedProgram(listed), slack, budget)


def _shorten(search: RuleSetSearch, program: _ListedProgram, slack: int, budget: Budget) -> None:
    for _ in range(MOST_ROUNDS):
        if not program.solve(search.listed, budget):
            return
        if len(program.rows):
            n_before = search.n_columns
            search.drop(program.duals, slack)
            if search.n_columns > LARGE_SHARE * n_before or not search.n_columns:
                return
        rows = violated_rows(program.used, program.w, program.missed)
        if not len(rows):
            return
        program.add(rows)


class _ListedProgram:
    """The linear program over a list, whose columns join it as they are needed."""

    def __init__(self, listed: Listed) -> None:
        self._scale = listed.scale
        self._n = len(listed.weights)
        self._has_limit = listed.most_clauses is not None
        self._program = LinearProgram()
        self._program.add_rows([1.0] * self._n, [INFINITY] * self._n)
        self._program.add_rows([-INFINITY], [listed.room])
        if listed.most_clauses is not None:
            self._program.add_rows([-INFINITY], [listed.most_clauses])
        self._program.add_columns(
            (listed.weights / self._scale).tolist(),
            [INFINITY] * self._n,
            [([i], [1.0]) for i in range(self._n)],
        )
        self.rows = np.empty((0, 3), dtype=np.int64)
        self._covers = np.empty((0, listed.covers.shape[1]), dtype=np.uint64)
        self._y = np.zeros(0)

    def solve(self, listed: Listed, budget: Budget) -> bool:
        """Solve over all columns of a list; False where the budget did not suffice."""
        cost = listed.cost / self._scale
        counted = times_counted(listed.covers, self.rows)
        if not len(self._covers):
            self._join(listed, np.argsort(listed.reduced_cost, kind="stable")[:FIRST_COLUMNS])
        while not budget.is_spent:
            solution = self._program.solve(budget)
            if solution.row_duals is None or solution.values is None:
                return False
            self._y = solution.row_duals
            self.missed = solution.values[: self._n]
            weighs = solution.values[self._n :] > TOLERANCE
            self.w = solution.values[self._n :][weighs]
            self.used = unpack_bits(self._covers[weighs], self._n)
            mu, lam, nu, sigma = self._parts()
            reduced = cost + lam * listed.complexity + nu - counted @ sigma
            reduced -= weigh_rows(listed.covers, mu)
            worst = np.argsort(reduced, kind="stable")[:MORE_COLUMNS]
            worst = worst[reduced[worst] < -TOLERANCE]
            if not len(worst):
                return True
            self._join(listed, worst)
        return False

    def _join(self, listed: Listed, places: NDArray[np.intp]) -> None:
        covers = listed.covers[places]
        is_covered = unpack_bits(covers, self._n)
        counted = times_counted(covers, self.rows)
        n_above = self._n + 1 + self._has_limit
        entries = []
        for one, k in enumerate(places):
            rows = np.flatnonzero(is_covered[one])
            subset_rows = np.flatnonzero(counted[one])
            limits = [listed.complexity[k], 1.0][: 1 + self._has_limit]
            entries.append(
                (
                    np.concatenate([rows, np.arange(self._n, n_above), n_above + subset_rows]),
                    np.concatenate([np.ones(len(rows)), limits, counted[one, subset_rows]]),
                )
            )
        self._program.add_columns(
            (listed.cost[places] / self._scale).tolist(), [INFINITY] * len(places), entries
        )
        self._covers = np.concatenate([self._covers, covers])

    def add(self, rows: NDArray[np.int64]) -> None:
        """Add subset rows."""
        counted = times_counted(self._covers, rows)
        entries = []
        for s, row in enumerate(rows):
            places = np.flatnonzero(counted[:, s])
            columns = np.concatenate([row, self._n + places])
            entries.append((columns, np.concatenate([np.ones(3), counted[places, s]])))
        self._program.add_rows([2.0] * len(rows), [INFINITY] * len(rows), entries)
        self.rows = np.concatenate([self.rows, rows])

    def _parts(self) -> tuple[NDArray[np.float64], float, float, NDArray[np.float64]]:
        """The duals of positives, of complexity, of a limit on clauses and of subset rows."""
        y, n = self._y, self._n
        n_above = n + 1 + self._has_limit
        nu = max(0.0, -float(y[n + 1])) if self._has_limit else 0.0
        sigma = np.zeros(len(self.rows))
        sigma[: len(y) - n_above] = np.maximum(y[n_above:], 0.0)
        return np.maximum(y[:n], 0.0), max(0.0, -float(y[n])), nu, sigma

    @property
    def duals(self) -> SubsetRows:
        """The duals on the grid of the list, rounded so that they are safe."""
        mu, lam, nu, sigma = self._parts()
        scale = self._scale * (1.0 - SHORT_OF_DUALS)
        is_used = sigma * scale >= 1.0
        return SubsetRows(
            np.floor(mu * scale).astype(np.int64),
            int(np.ceil(lam * self._scale)),
            int(np.ceil(nu * self._scale)),
            self.rows[is_used],
            np.floor(sigma[is_used] * scale).astype(np.int64),
        )


def violated_rows(
    covers: NDArray[np.bool_], w: NDArray[np.float64], missed: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Find three positives whose row a solution does not keep, the worst first, none too often.

    covers: (K, n), the columns that weigh anything, w: (K,), missed: (n,), what is missed.

    Examples
    --------
    Each of three clauses covers two of three positives, and is taken by half:

    >>> pairs = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool)
    >>> violated_rows(pairs, np.full(3, 0.5), np.zeros(3)).tolist()
    [[0, 1, 2]]
    """
    # Of positives that the same columns cover, the one that is missed least.
    order = np.argsort(missed, kind="stable")
    patterns, places = np.unique(covers.T[order], axis=0, return_index=True)
    positives = order[places]
    delta, times = patterns.astype(np.float64), missed[positives] + patterns @ w
    both = (delta * w) @ delta.T
    np.fill_diagonal(both, 0.0)
    # Clauses that cover two or three of them weigh more than 1, so those of some pair a third.
    is_strong = np.triu(both >= (1 + LEAST_VIOLATION) / 3)
    found = []
    for a in np.flatnonzero(is_strong.any(axis=1)):
        with_a = np.flatnonzero(is_strong[a])
        all_three = (delta[with_a] * (w * delta[a])) @ delta.T
        two_or_three = both[a, with_a, None] + both[a] + both[with_a] - 2 * all_three
        # A clause counts as often as it covers one of the three, once less if two or three.
        value = times[a] + times[with_a, None] + times - two_or_three
        value[:, a], value[np.arange(len(with_a)), with_a] = np.inf, np.inf
        b, c = np.nonzero(value < 2 - LEAST_VIOLATION)
        triples = np.sort(np.column_stack([np.full(len(b), a), with_a[b], c]), axis=1)
        found.append(np.column_stack([value[b, c], triples]))
    worst = np.concatenate([np.empty((0, 4)), *found])
    worst = worst[np.unique(worst[:, 1:], axis=0, return_index=True)[1]]
    worst = worst[np.argsort(worst[:, 0], kind="stable")]
    n_rows_of = np.zeros(len(delta), dtype=np.int64)
    kept: list[NDArray[np.int64]] = []
    for a, b, c in worst[:, 1:].astype(np.int64):
        if n_rows_of[[a, b, c]].max() < MOST_PER_POSITIVE and len(kept) < MOST_ROWS_PER_ROUND:
            n_rows_of[[a, b, c]] += 1
            kept.append(np.sort(positives[[a, b, c]]))
    return np.array(kept, dtype=np.int64).reshape(-1, 3)
