"""The heuristic of §3: grow clauses one condition at a time and keep the most promising.

Finds, never proves. Scores are the objective of the Pricing Problem, in exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.engines import make_engine
from boolrules.pricing.candidates import Candidates
from boolrules.pricing.pricer import PricingResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.budget import Budget
    from boolrules.column import Duals, IntegerDuals
    from boolrules.engines import Engine
    from boolrules.problem import Problem
    from boolrules.training_set import TrainingSet


@dataclass(frozen=True)
class BeamSearch:
    """Clauses of up to ``beam_depth`` (the paper's κ) conditions, the best kept per length."""

    training_set: TrainingSet
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
        engine = make_engine(self.engine, samples, integer_duals, n_threads=self.n_threads)
        candidates = Candidates(samples, self.problem)
        beam = np.empty((1, 0), dtype=np.int32)
        n_nodes = 0
        longest = min(self.beam_depth, self.problem.longest_clause or self.beam_depth)
        for _ in range(longest):
            n_nodes += len(beam)
            beam = self._grow(beam, engine, integer_duals, candidates, budget)
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
        duals: IntegerDuals,
        candidates: Candidates,
        budget: Budget,
    ) -> NDArray[np.int32]:
        """Append each condition to each clause of the beam; return the best of what came out."""
        clause_price, condition_price = duals.prices(self.problem)
        paid = clause_price + condition_price * (beam.shape[1] + 1)
        scores, grown, sums = [], [], []
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
            clauses = np.column_stack([batch[b], j]).astype(np.int32)
            is_improving = reduced_cost[b, j] < 0
            candidates.offer(
                *(a[is_improving] for a in (reduced_cost[b, j], M[b, j], N[b, j], clauses))
            )
            scores.append(reduced_cost[b, j])
            grown.append(clauses)
            sums.append(np.column_stack([M[b, j], N[b, j]]))
            if budget.is_spent:
                break
        return _best_distinct(
            np.concatenate(scores), np.concatenate(sums), np.concatenate(grown), self.beam_width
        )


def _best_distinct(
    scores: NDArray[np.int64], sums: NDArray[np.int64], clauses: NDArray[np.int32], most: int
) -> NDArray[np.int32]:
    """Return the clauses of least score, one for each pair of sums."""
    order = np.argsort(scores, kind="stable")[: 20 * most]
    _, first = np.unique(sums[order], axis=0, return_index=True)
    return clauses[order[np.sort(first)[:most]]]
