"""Optimality over integer rule sets, without a MIP solver.

Every term of the loss is charged (§2.3).

Under duals (μ, λ) with no clause of negative reduced cost and z = Σμ − Cλ, the loss of a rule set
S is

    z + Σ_{k in S} rc_k + Σ_{i uncovered} (weight_i − μ_i) + Σ_i μ_i (times covered − 1)⁺ + λ (C −
    complexity(S)) + ν (K − clauses in S),

and no term is negative. Requirements add, of each, θ times what is left of its limit, and what
covering a positive costs that is better missed. A rule set better than the incumbent must fit all
of them into the gap: so its clauses have reduced cost within the gap, and a depth-first search
over those clauses finds it or proves that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.bins import pack_bits, unpack_bits, weigh_rows
from boolrules.search.engines.loading import load_kernels, threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Coverage, Samples

NEVER_MISSED = 2**61
# What is left of a limit is priced in floating point: a trifle less than it is worth.
PRICE_TOLERANCE = 1e-12
# Nodes after which what is left of a part is shared out: at first, and at most, times the words of
# a column's bits, some tenths of a second.
FIRST_NODES = 2_000
MOST_NODES_TIMES_WORDS = 2_000_000
GROWTH = 2
PARTS_AT_ONCE = 32
MOST_SHARES = 4
ALL = 2**62


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A better rule set as places in the list of columns, or None.

    And whether the search is complete.
    """

    chosen: tuple[int, ...] | None
    is_complete: bool
    n_nodes: int


@dataclass(frozen=True, slots=True)
class _Part:
    """Children ``first`` to ``last`` of a node, counted in the order in which they are tried.

    ``way`` is which child to take at each node from the root down to there.
    """

    way: tuple[int, ...] = ()
    first: int = 0
    last: int = ALL

    def shared_out(self) -> list[_Part]:
        """Return parts of fewer children, if their number is known."""
        n = min(self.last - self.first, MOST_SHARES)
        if self.last >= ALL or n < 2:
            return [self]
        ends = [self.first + (self.last - self.first) * one // n for one in range(n + 1)]
        return [_Part(self.way, *ends_of) for ends_of in pairwise(ends)]


@dataclass(frozen=True, slots=True)
class _PartResult:
    """What searching a part came to: a rule set, or what is left to be searched.

    ``has_double`` says that one was met that takes a clause twice.
    """

    chosen: tuple[int, ...] | None
    n_nodes: int
    has_double: bool
    left: list[_Part]


@dataclass(frozen=True, slots=True)
class SubsetRows:
    """Duals of a linear program over listed clauses that has subset rows (``times_counted``).

    μ of each positive, λ, ν, and of each row, which is three positives, σ.
    """

    mu: NDArray[np.int64]
    lam: int
    nu: int
    rows: NDArray[np.int64]
    sigma: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Listed:
    """The columns of a search as a linear program takes them, on the grid of the duals.

    ``cost`` is without duals, ``reduced_cost`` with those of the search.
    """

    covers: NDArray[np.uint64]
    cost: NDArray[np.int64]
    reduced_cost: NDArray[np.int64]
    complexity: NDArray[np.int64]
    weights: NDArray[np.int64]
    room: int
    most_clauses: int | None
    scale: int


class RuleSetSearch:
    """All rule sets over a list of clauses, in integers.

    Parameters
    ----------
    training_set, problem
        What is solved; complexity must count in whole numbers.
    duals : IntegerDuals
        Feasible, or the search proves nothing: see ``is_feasible``.
    clauses : list of tuple of int
        Every clause whose reduced cost is within the gap, except those that another beats.
    """

    def __init__(
        self,
        training_set: Samples,
        problem: Problem,
        duals: IntegerDuals,
        clauses: Sequence[tuple[int, ...]],
    ) -> None:
        clause_price, condition_price = duals.prices(problem)
        coverage = training_set.coverage(clauses, duals)
        covers, weights_P, mu = coverage.covers, coverage.weights, coverage.mu
        n_groups = len(problem.required)
        if problem.required:
            # A required group is a positive that costs more than any gap to miss.
            used = np.array([problem.uses(f) for f in clauses], dtype=bool)
            used = used.reshape(len(clauses), n_groups)
            covers = pack_bits(np.column_stack([unpack_bits(covers, len(mu)), used]))
            weights_P = np.append(weights_P, np.full(n_groups, NEVER_MISSED))
            mu = np.append(mu, np.zeros(n_groups, dtype=np.int64))
        zeros = coverage.zeros
        lengths = np.fromiter(map(len, clauses), dtype=np.int64, count=len(clauses))
        complexity = int(problem.clause_cost) + int(problem.condition_cost) * lengths
        covered = weigh_rows(covers, mu).astype(np.int64)
        cost = clause_price + condition_price * lengths + zeros - covered
        kept = _undominated(covers, zeros, complexity, _told_apart(coverage, len(clauses)))
        self._order = kept[np.lexsort((kept, cost[kept]))]
        self._packed = covers[self._order]
        self._cost = cost[self._order]
        self._complexity = complexity[self._order]
        self._mu = mu
        self._penalty = weights_P - mu
        self._room = int(problem.max_complexity)
        self._unit = duals.lam
        self._scale = duals.scale
        self._most_clauses = problem.max_clauses
        self._per_clause = duals.nu
        self._demands = self._demands_of(training_set, duals, coverage, n_groups)

    def _demands_of(
        self, training_set: Samples, duals: IntegerDuals, coverage: Coverage, n_groups: int
    ) -> Any:
        """Return what requirements ask, for the columns in their order."""
        kernels = load_kernels()
        K, n = len(self._order), len(self._mu)
        demands = training_set.demands
        if demands is None or coverage.alpha is None or coverage.added is None:
            empty = np.empty(0, dtype=np.int64)
            none, bits = np.empty((0, n), dtype=np.int64), np.empty((K, 0), dtype=np.uint64)
            return kernels.RuleSetDemands(
                empty,
                none,
                np.empty((K, 0), dtype=np.int64),
                empty,
                np.empty(0),
                np.empty(0, dtype=bool),
                bits,
                none,
            )
        assert coverage.covers_Z is not None
        alpha = np.pad(coverage.alpha, ((0, 0), (0, n_groups)))
        theta = np.array(duals.theta, dtype=np.float64)
        is_one_sided = (demands.alpha >= 0).all(axis=1) & (demands.beta >= 0).all(axis=1)
        return kernels.RuleSetDemands(
            np.pad(training_set.charges_if_covered(duals), (0, n_groups)),
            np.ascontiguousarray(alpha),
            np.ascontiguousarray(coverage.added[self._order]),
            np.array(demands.most, dtype=np.int64),
            theta / np.array(demands.norms) * (1 - PRICE_TOLERANCE),
            is_one_sided,
            coverage.covers_Z[self._order],
            np.ascontiguousarray(coverage.beta),
        )

    @property
    def n_columns(self) -> int:
        """Clauses that are left once dominated ones are dropped."""
        return len(self._order)

    @property
    def listed(self) -> Listed:
        """Return what is left, with what each costs by itself."""
        covered = weigh_rows(self._packed, self._mu).astype(np.int64)
        paid = self._unit * self._complexity + self._per_clause
        return Listed(
            self._packed,
            self._cost + covered - paid,
            self._cost,
            self._complexity,
            self._mu + self._penalty,
            self._room,
            self._most_clauses,
            self._scale,
        )

    def drop(self, duals: SubsetRows, slack: int) -> None:
        """Drop the clauses that are in no rule set whose loss exceeds z by at most ``slack``.

        With subset rows, z + Σ rc + ... as above has 2 Σσ more in z, σ less for each positive of
        a row that is missed, σ less in rc each time that the row counts the clause, and σ times
        what the row has beyond 2. No term is negative: nothing is dropped where one is.
        """
        listed = self.listed
        on_row = np.zeros(len(self._mu), dtype=np.int64)
        np.add.at(on_row, duals.rows, duals.sigma[:, None])
        mu = np.minimum(duals.mu, listed.weights - on_row)
        if min(mu.min(initial=0), duals.sigma.min(initial=0), duals.lam, duals.nu) < 0:
            return
        covered = weigh_rows(listed.covers, mu).astype(np.int64)
        counted = times_counted(listed.covers, duals.rows).astype(np.int64) @ duals.sigma
        cost = listed.cost + duals.nu - covered - counted
        # λ is raised by the little that rounding leaves short.
        short = -(cost // listed.complexity)
        lam = max(duals.lam, int(short.max(initial=0)))
        cost += lam * listed.complexity
        most = 0 if listed.most_clauses is None else int(listed.most_clauses) * duals.nu
        z = int(mu.sum()) + 2 * int(duals.sigma.sum()) - lam * self._room - most
        paid = self._room * self._unit + (self._most_clauses or 0) * self._per_clause
        kept = np.flatnonzero(cost <= slack + int(self._mu.sum()) - paid - z)
        self._order = self._order[kept]
        self._packed, self._cost = self._packed[kept], self._cost[kept]
        self._complexity = self._complexity[kept]

    @property
    def is_feasible(self) -> bool:
        """Whether no clause of these has negative reduced cost."""
        return int(self._cost.min(initial=0)) >= 0

    def find(
        self, slack: int, budget: Budget, most_nodes: int | None = None, n_threads: int = 1
    ) -> SearchResult:
        """Find a rule set whose loss exceeds z by at most ``slack`` (both on the duals' grid).

        What is left of a part that takes long is shared out, and several are searched at a time.
        What is found does not depend on how many. Some nodes are visited in any case.
        """
        if slack < 0:
            return SearchResult(None, True, 0)
        in_turn = map if n_threads == 1 else threads(n_threads).map
        largest = max(FIRST_NODES, MOST_NODES_TIMES_WORDS // max(1, self._packed.shape[1]))
        parts, limit, n_nodes, has_double = [_Part()], FIRST_NODES, 0, False
        while parts:
            now, parts = parts[:PARTS_AT_ONCE], parts[PARTS_AT_ONCE:]
            if most_nodes is not None:
                limit = min(limit, most_nodes - n_nodes)
            search_part = self._search_of(slack, limit, budget if n_nodes else None)
            found = [one for one in in_turn(search_part, now) if one is not None]
            n_nodes += sum(one.n_nodes for one in found)
            better = next((one.chosen for one in found if one.chosen is not None), None)
            if better is not None or len(found) < len(now):
                return SearchResult(better, False, n_nodes)
            has_double = has_double or any(one.has_double for one in found)
            parts = [*chain.from_iterable(one.left for one in found), *parts]
            if parts and most_nodes is not None and n_nodes >= most_nodes:
                return SearchResult(None, False, n_nodes)
            if len(parts) < PARTS_AT_ONCE:
                parts = [*chain.from_iterable(part.shared_out() for part in parts)]
            limit = min(GROWTH * limit, largest)
        return SearchResult(None, not has_double, n_nodes)

    def _search_of(
        self, slack: int, most_nodes: int, budget: Budget | None
    ) -> Callable[[_Part], _PartResult | None]:
        """Return what searches one part, or does nothing once the budget is spent."""
        kernels = load_kernels()
        least = int(self._complexity.min(initial=1))
        most = self._room // max(least, 1)
        if not self._demands.zeros.shape[1]:
            most = min(self.n_columns, most)
        most_clauses = most if self._most_clauses is None else int(self._most_clauses)
        columns = kernels.Columns(
            self._packed,
            self._cost,
            self._complexity,
            self._mu,
            self._penalty,
            np.argsort(-self._penalty, kind="stable"),
        )
        limits = kernels.Limits(
            self._room, self._unit, most_clauses, self._per_clause, slack, most_nodes
        )

        def search_part(part: _Part) -> _PartResult | None:
            if budget is not None and budget.is_spent:
                return None
            chosen = np.empty(most + 1, dtype=np.int64)
            way = np.array(part.way, dtype=np.int64)
            n_chosen, n_nodes, has_double, way, left = kernels.find_rule_set(
                columns,
                limits,
                self._demands,
                kernels.Part(way, part.first, part.last),
                chosen,
            )
            if n_chosen >= 0:
                places = tuple(int(self._order[k]) for k in chosen[:n_chosen])
                return _PartResult(places, n_nodes, False, [])
            left = [_Part(tuple(way[:n].tolist()), *rest) for n, *rest in left.tolist()]
            return _PartResult(None, n_nodes, has_double, left)

        return search_part


def times_counted(covers: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """How often each subset row counts each column: half as often as it covers one, rounded up.

    Examples
    --------
    >>> covers = np.array([[0b001], [0b011], [0b111], [0b000]], dtype=np.uint64)
    >>> times_counted(covers, np.array([[0, 1, 2]])).T.tolist()
    [[1, 1, 2, 0]]
    """
    n_covered = np.zeros((len(covers), len(rows)), dtype=np.int8)
    for i in rows.T:
        bits = covers[:, i >> 6] >> (i & 63).astype(np.uint64)
        n_covered += (bits & np.uint64(1)).astype(np.int8)
    return (n_covered + 1) // 2


def _told_apart(coverage: Coverage, K: int) -> NDArray[np.uint64]:
    """Return what else of columns is not to be taken for the same, under requirements."""
    if coverage.added is None or coverage.covers_Z is None:
        return np.empty((K, 0), dtype=np.uint64)
    added = coverage.added.astype(np.int64).view(np.uint64)
    return np.column_stack([added, coverage.zeros.view(np.uint64), coverage.covers_Z])


def _undominated(
    covers: NDArray[np.uint64],
    zeros: NDArray[np.int64],
    complexity: NDArray[np.int64],
    told_apart: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """Places of the columns that no other beats: same positives, not fewer zeros, not simpler."""
    keys = np.column_stack([covers, told_apart])
    order = np.lexsort((complexity, zeros, *keys.T))
    keys = keys[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    # The least complexity so far among those with the same positives: each group of them lies
    # below the one before.
    below = int(complexity.max(initial=0)) + 1
    least = np.minimum.accumulate(complexity[order] - below * np.cumsum(is_new))
    is_simpler = np.ones(len(order), dtype=bool)
    is_simpler[1:] = least[1:] < least[:-1]
    return order[is_simpler]
