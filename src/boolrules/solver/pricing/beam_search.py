"""The heuristic of §3: grow clauses one condition at a time and keep the most promising.

Finds, never proves. Scores are the objective of the Pricing Problem, in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.search.candidates import MOST_PER_BATCH, Candidates, places_of_least
from boolrules.search.engines import make_engine
from boolrules.search.narrowing import MOST_BITS, narrowed
from boolrules.search.pricer import PricingResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.budget import Budget
    from boolrules.data.column import Duals
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.search.engines import Engine
    from boolrules.search.narrowing import Narrowed


@dataclass(frozen=True)
class BeamSearch:
    """Clauses of up to ``beam_depth`` (the paper's κ) conditions, the best kept per length."""

    training_set: Samples
    problem: Problem
    beam_depth: int = 5
    beam_width: int = 100
    most_columns: int = 100
    engine: str = "numba"
    n_threads: int = 1
    name: str = "beam"

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Look for clauses of negative reduced cost."""
        samples = self.training_set
        integer_duals = samples.rounded(duals)
        needed = narrowed(samples, integer_duals, most_bits=MOST_BITS)
        engine = make_engine(needed.samples, self.engine, needed.duals, n_threads=self.n_threads)
        candidates = Candidates(samples, self.problem)
        beam = np.empty((1, 0), dtype=np.int32)
        n_nodes = 0
        longest = min(self.beam_depth, self.problem.longest_clause or self.beam_depth)
        for _ in range(longest):
            n_nodes += len(beam)
            beam = self._grow(beam, engine, needed, candidates, budget)
            if not len(beam) or budget.is_spent:
                break
        least = candidates.least
        return PricingResult(
            candidates.columns(self.most_columns, integer_duals),
            None if least is None else least / integer_duals.scale,
            lower_bound=None,
            feasible_duals=None,
            is_exact=False,
            n_nodes=n_nodes,
        )

    def _grow(
        self,
        beam: NDArray[np.int32],
        engine: Engine,
        needed: Narrowed,
        candidates: Candidates,
        budget: Budget,
    ) -> NDArray[np.int32]:
        """Append each condition to each clause of the beam; return the best of what came out."""
        clause_price, condition_price = needed.duals.prices(self.problem)
        paid = clause_price + condition_price * (beam.shape[1] + 1)
        scores, places, sums = [], [], []
        for start in range(0, len(beam), engine.batch_size):
            batch = beam[start : start + engine.batch_size]
            extension = engine.extend(batch)
            M, N = extension.M_extended, extension.N_extended
            reduced_cost = paid - M + N
            # Only a clause that drops zeros and may still turn negative is worth extending.
            useful = (extension.N[:, None] > N) & (paid + condition_price - M < 0)
            useful |= reduced_cost < 0
            useful[np.arange(len(batch))[:, None], batch] = False
            b, j = np.nonzero(useful)
            score = reduced_cost[b, j]
            of_clause = np.column_stack([M[b, j], N[b, j]])
            improving = np.flatnonzero(score < 0)
            best = improving[places_of_least(score[improving], MOST_PER_BATCH)]
            M_best, N_best = of_clause[best].T
            grown = needed.of_the_whole(_grown(batch, b[best], j[best]))
            candidates.offer(score[best], M_best, N_best, grown)
            scores.append(score)
            places.append(np.column_stack([b + start, j]))
            sums.append(of_clause)
            if budget.is_spent:
                break
        best = _best_distinct(np.concatenate(scores), np.concatenate(sums), self.beam_width)
        return _grown(beam, *np.concatenate(places)[best].T)


def _grown(
    clauses: NDArray[np.int32], b: NDArray[np.int64], j: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Append conditions to clauses."""
    return np.column_stack([clauses[b], j]).astype(np.int32)


def _best_distinct(
    scores: NDArray[np.int64], sums: NDArray[np.int64], most: int
) -> NDArray[np.int64]:
    """Return where the least scores are, one for each pair of sums."""
    order = places_of_least(scores, 20 * most)
    M, N = sums[order].T
    by_sums = np.lexsort((N, M))  # stable: the best of equal ones comes first
    M, N = M[by_sums], N[by_sums]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (M[1:] != M[:-1]) | (N[1:] != N[:-1])
    return order[np.sort(by_sums[is_first])[:most]]
