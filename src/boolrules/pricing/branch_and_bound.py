"""Exact pricing as a search over clauses, in integers: no solver, nothing rounded.

A node is a clause S with the conditions that may still join it. Expanding it gives, for every
condition j, the sums M_j = Σ μ_i over the positives and N_j = weight of the zeros that S with j
covers. Conditions are ordered by decreasing M_j, and child j may use only conditions before it: so
each clause is reached once, and no clause below child j covers more than M_j. Stopped early, the
open nodes still give a valid bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from boolrules.engines import NumpyEngine
from boolrules.engines.engine import NO_CONDITION
from boolrules.pricing.candidates import Candidates
from boolrules.pricing.pricer import PricingResult
from boolrules.problem import as_written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.budget import Budget
    from boolrules.column import Duals, IntegerDuals
    from boolrules.engines import Engine, ExtensionSums
    from boolrules.problem import Problem
    from boolrules.training_set import TrainingSet


@dataclass(frozen=True)
class BranchAndBound:
    """Finds the clauses of negative reduced cost, or proves that there is none."""

    training_set: TrainingSet
    problem: Problem
    most_columns: int = 200
    name: str = "exact"

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Round the duals to integers, then search."""
        samples = self.training_set
        rounded = samples.rounded(duals)
        return self.price_integer(rounded, budget)

    def price_integer(self, duals: IntegerDuals, budget: Budget) -> PricingResult:
        """Search until all is proved, enough is found, or the budget is spent."""
        search = _Search(self.training_set, self.problem, duals)
        while search.open_nodes and not budget.is_spent:
            if len(search.candidates) >= self.most_columns:
                break
            search.expand_a_batch()
        least_by_length = search.least_by_length()
        least = search.candidates.least
        return PricingResult(
            search.candidates.columns(self.training_set, self.problem, self.most_columns),
            None if least is None else least / duals.scale,
            lower_bound=min(least_by_length, default=0) / duals.scale,
            feasible_duals=duals.raised(_raise_needed(least_by_length, self.problem)),
            is_exact=True,
            n_nodes=search.n_nodes,
        )


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Open nodes; ``bound`` holds for every clause below a node, not for its own."""

    clauses: NDArray[np.int64]
    allowed: NDArray[np.uint8]
    bound: NDArray[np.int64]
    M: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bound)

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> _Nodes:
        return _Nodes(self.clauses[rows], self.allowed[rows], self.bound[rows], self.M[rows])


@dataclass
class _Search:
    """The state of one search.

    Open nodes, candidates, and the least reduced cost by clause length.
    """

    training_set: TrainingSet
    problem: Problem
    duals: IntegerDuals
    candidates: Candidates = field(default_factory=Candidates)
    n_nodes: int = 0

    def __post_init__(self) -> None:
        self._engine: Engine = NumpyEngine(self.training_set, self.duals)
        J = len(self.training_set.conditions)
        self._clause_price, self._condition_price = self.duals.prices(self.problem)
        limit = self.problem.longest_clause
        # A clause needs no more than two conditions per chain's feature; J bounds it in any case.
        self._longest = J if limit is None else min(limit, J)
        chain, self._tighter = self.training_set.conditions.chains
        self._by_chain = np.argsort(chain, kind="stable")
        self._chain_starts = np.flatnonzero(np.diff(chain[self._by_chain], prepend=-1))
        self._least_found = np.zeros(self._longest + 1, dtype=np.int64)
        self.open_nodes: list[_Nodes] = []
        if J:
            root = np.full((1, self._longest), NO_CONDITION)
            everything = np.packbits(np.ones((1, J), dtype=bool), axis=1)
            total = np.array([int(self.duals.mu.sum())])
            self.open_nodes.append(_Nodes(root, everything, np.array([-total[0]]), total))

    def expand_a_batch(self) -> None:
        """Expand the newest open nodes and keep the children that may lead below zero."""
        nodes = self._take(self._engine.batch_size)
        self.n_nodes += len(nodes)
        sums = self._engine.extend(nodes.clauses)
        J = len(self.training_set.conditions)
        allowed = np.unpackbits(nodes.allowed, axis=1, count=J).astype(bool)
        length = (nodes.clauses != NO_CONDITION).sum(axis=1)
        self._evaluate(nodes, sums, allowed, length)
        self._branch(nodes, sums, allowed, length)

    def least_by_length(self) -> list[int]:
        """Lower bounds, at most 0, on the reduced cost of clauses with 1, 2, … conditions."""
        least = self._least_found.copy()
        for nodes in self.open_nodes:
            length = (nodes.clauses != NO_CONDITION).sum(axis=1)
            for n in range(1, self._longest + 1):
                below = length < n
                if below.any():
                    by_length = self._price(n) - nodes.M[below]
                    least[n] = min(least[n], np.maximum(nodes.bound[below], by_length).min())
        # A clause that was discarded is no better than a shorter one that was not.
        return [int(value) for value in np.minimum.accumulate(least)[1:]]

    def _take(self, most: int) -> _Nodes:
        taken: list[_Nodes] = []
        while self.open_nodes and most > 0:
            newest = self.open_nodes.pop()
            if len(newest) > most:
                self.open_nodes.append(newest[most:])
                newest = newest[:most]
            taken.append(newest)
            most -= len(newest)
        return _Nodes(
            *(np.concatenate([getattr(n, name) for n in taken]) for name in _Nodes.__slots__)
        )

    def _price(self, n_conditions: int) -> int:
        return self._clause_price + self._condition_price * n_conditions

    def _evaluate(
        self,
        nodes: _Nodes,
        sums: ExtensionSums,
        allowed: NDArray[np.bool_],
        length: NDArray[np.int64],
    ) -> None:
        """Price every child's own clause: eq. (5) in integers."""
        price = self._clause_price + self._condition_price * (length + 1)
        reduced_cost = price[:, None] - sums.M_extended + sums.N_extended
        b, j = np.nonzero(allowed & (reduced_cost < 0))
        if len(b):
            found = reduced_cost[b, j]
            np.minimum.at(self._least_found, length[b] + 1, found)
            clauses = _appended(nodes.clauses[b], j, length[b])
            self.candidates.offer(found, sums.M_extended[b, j], sums.N_extended[b, j], clauses)

    def _branch(
        self,
        nodes: _Nodes,
        sums: ExtensionSums,
        allowed: NDArray[np.bool_],
        length: NDArray[np.int64],
    ) -> None:
        """Open the children below which a clause of negative reduced cost may lie."""
        M = sums.M_extended
        eliminated = np.where(allowed, sums.N[:, None] - sums.N_extended, 0)
        # A condition that eliminates no more than it pays is better left out, here and below; and
        # where a threshold keeps the same positives, the tighter one of its chain is at least as
        # good.
        useful = eliminated > self._condition_price
        has_tighter = self._tighter >= 0
        useful[:, has_tighter] &= M[:, has_tighter] != M[:, self._tighter[has_tighter]]
        eliminated[~useful] = 0
        order = np.argsort(np.where(useful, -M, 1), axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(order.shape[1])[None, :], axis=1)
        bound = self._bound_below(sums, eliminated, order, rank, length)
        b, j = np.nonzero(useful & (rank > 0) & (bound < 0))
        if not len(b):
            return
        for start in range(0, len(b), 8192):
            some = slice(start, start + 8192)
            before = useful[b[some]] & (rank[b[some]] < rank[b[some], j[some]][:, None])
            children = _Nodes(
                _appended(nodes.clauses[b[some]], j[some], length[b[some]]),
                np.packbits(before, axis=1),
                bound[b[some], j[some]],
                M[b[some], j[some]],
            )
            self.open_nodes.append(children[np.argsort(children.bound, kind="stable")])

    def _bound_below(
        self,
        sums: ExtensionSums,
        eliminated: NDArray[np.int64],
        order: NDArray[np.int64],
        rank: NDArray[np.int64],
        length: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Least reduced cost that a clause strictly below each child could have, (B, J).

        With t conditions beyond S (t >= 2), such a clause pays for |S| + t conditions, covers at
        most M_j, and keeps N_j less at most the t - 1 largest eliminations among the conditions
        before j, one per chain.
        """
        M, N = sums.M_extended, sums.N_extended
        sorted_eliminated = np.take_along_axis(eliminated, order, axis=1)
        most_so_far = np.maximum.accumulate(sorted_eliminated, axis=1)
        most_before = np.zeros_like(most_so_far)
        most_before[:, 1:] = most_so_far[:, :-1]
        most_before = np.take_along_axis(most_before, rank, axis=1)
        best_of_chain = np.maximum.reduceat(
            eliminated[:, self._by_chain], self._chain_starts, axis=1
        )
        best_of_chain = -np.sort(-best_of_chain, axis=1)
        best_of_chain = np.cumsum(best_of_chain, axis=1)
        bound = np.zeros_like(M)
        for t in range(2, self._longest - int(length.min()) + 1):
            in_chains = best_of_chain[:, min(t - 1, best_of_chain.shape[1]) - 1]
            dropped = np.minimum((t - 1) * most_before, in_chains[:, None])
            price = self._clause_price + self._condition_price * (length + t)
            least = price[:, None] - M + np.maximum(N - dropped, 0)
            is_allowed = length + t <= self._longest
            np.minimum(bound, np.where(is_allowed[:, None], least, 0), out=bound)
            if (price[:, None] >= M).all():
                break
        return bound


def _appended(
    clauses: NDArray[np.int64], j: NDArray[np.int64], length: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return clauses with one condition more."""
    grown = clauses.copy()
    grown[np.arange(len(grown)), length] = j
    return grown


def _raise_needed(least_by_length: list[int], problem: Problem) -> int:
    """By how much λ must rise so that no reduced cost is negative: ε = −min rc_k / c_k.

    Where costs are not whole numbers, prices are rounded down, by at most one for the clause and
    one for each condition.
    """
    costs = as_written(problem.clause_cost), as_written(problem.condition_cost)
    is_whole = all(cost.denominator == 1 for cost in costs)
    needed = 0
    for n, least in enumerate(least_by_length, start=1):
        if least < 0:
            shortfall = -least + (0 if is_whole else 1 + n)
            needed = max(needed, math.ceil(shortfall / (costs[0] + n * costs[1])))
    return needed
