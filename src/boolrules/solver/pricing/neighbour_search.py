"""Clauses one step away from good ones: one condition more, fewer, or exchanged.

Finds, never proves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import padded
from boolrules.search.candidates import Candidates, places_of_least
from boolrules.search.engines import make_engine
from boolrules.search.narrowing import MOST_BITS, narrowed
from boolrules.search.pricer import PricingResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boolrules._support.budget import Budget
    from boolrules.data.column import Column, Duals
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.search.engines import Engine
    from boolrules.search.narrowing import Narrowed


@dataclass(frozen=True)
class NeighbourSearch:
    """Walks from the master's columns of least reduced cost, as long as better clauses turn up.

    After ``most_nodes`` it returns what it has: a step of the walk may lead to thousands more.
    """

    training_set: Samples
    problem: Problem
    columns: Sequence[Column]
    n_starts: int = 200
    most_columns: int = 100
    most_nodes: int = 20_000
    engine: str = "numba"
    n_threads: int = 1
    name: str = "neighbours"

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Look for clauses of negative reduced cost around those that the master has."""
        integer_duals = self.training_set.rounded(duals)
        costs = self.training_set.reduced_costs(self.columns, duals)
        best = np.argsort(costs, kind="stable")[: self.n_starts]
        starts = [self.columns[k].clause for k in best]
        needed = narrowed(
            self.training_set,
            integer_duals,
            most_bits=MOST_BITS,
            around=sorted({j for clause in starts for j in clause}),
        )
        engine = make_engine(needed.samples, self.engine, needed.duals, n_threads=self.n_threads)
        longest = self.problem.longest_clause or len(self.training_set.conditions)
        front = {needed.of_this(clause) for clause in starts}
        candidates = Candidates(self.training_set, self.problem)
        seen: set[tuple[int, ...]] = set()
        n_nodes = 0
        while front and n_nodes < self.most_nodes and not budget.is_spent:
            bases = sorted(_shortened(front, longest) - seen)
            seen.update(bases)
            n_nodes += len(bases)
            front = set()
            for start in range(0, len(bases), engine.batch_size):
                if budget.is_spent:
                    break
                some = bases[start : start + engine.batch_size]
                front |= self._improve(some, engine, needed, candidates)
        least = candidates.least
        return PricingResult(
            candidates.columns(self.most_columns, integer_duals),
            None if least is None else least / integer_duals.scale,
            lower_bound=None,
            feasible_duals=None,
            is_exact=False,
            n_nodes=n_nodes,
        )

    def _improve(
        self,
        bases: Sequence[tuple[int, ...]],
        engine: Engine,
        needed: Narrowed,
        candidates: Candidates,
    ) -> set[tuple[int, ...]]:
        """Append every condition to each base; return the best of negative reduced cost."""
        clauses = padded(bases)
        sums = engine.extend(clauses)
        lengths = np.array([len(base) for base in bases])
        clause_price, condition_price = needed.duals.prices(self.problem)
        price = clause_price + condition_price * (lengths + 1)
        cost = price[:, None] - sums.M_extended + sums.N_extended
        b, j = np.nonzero(cost < 0)
        best = places_of_least(cost[b, j], self.n_starts)
        b, j = b[best], j[best]
        found = np.column_stack([clauses[b], j]).astype(np.int32)
        M, N = sums.M_extended[b, j], sums.N_extended[b, j]
        candidates.offer(cost[b, j], M, N, needed.of_the_whole(found))
        return {tuple(sorted({k for k in row if k >= 0})) for row in found.tolist()}


def _shortened(clauses: Iterable[tuple[int, ...]], longest: int) -> set[tuple[int, ...]]:
    """Return each clause, whole and with one condition fewer, that may take one more."""
    bases: set[tuple[int, ...]] = set()
    for clause in clauses:
        bases.add(clause)
        bases.update(clause[:k] + clause[k + 1 :] for k in range(len(clause)))
    return {base for base in bases if len(base) < longest}
