"""The heuristic of §3 on samples where the rows are: clauses come back, and are priced on all.

Finds, never proves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import padded
from boolrules.data.column import DUAL_TOLERANCE
from boolrules.distributed import partition
from boolrules.distributed.samples import PartitionedTrainingSet
from boolrules.search.pricer import PricingResult
from boolrules.solver.pricing.in_turn import LARGE_N_ROWS, sampled_beam

if TYPE_CHECKING:
    from boolrules._support.budget import Budget
    from boolrules.data.column import Duals
    from boolrules.data.problem import Problem
    from boolrules.search.pricer import Pricer
    from boolrules.solver.pricing import BeamSearch

N_PARTITIONS = 4


@dataclass(frozen=True)
class LocalBeams:
    """Asks a few partitions, others each time, for clauses that are good on a sample of theirs."""

    training_set: PartitionedTrainingSet
    problem: Problem
    random: np.random.Generator
    n_samples: int = LARGE_N_ROWS
    most_columns: int = 100

    @property
    def name(self) -> str:
        """A word for the progress line."""
        return "sampled"

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Look for clauses of negative reduced cost."""
        samples = self.training_set
        workers, shared = samples.workers, samples.shared(samples.rounded(duals))
        n_asked = min(len(workers), N_PARTITIONS)
        some = self.random.permutation(len(workers))[:n_asked].tolist()
        seed = int(self.random.integers(2**31))
        # What the sample misses, the price of all rows finds out.
        unlimited = replace(self.problem, min_coverage=0, required=())
        proposed = workers.ask(
            partition.propose,
            shared,
            duals.lam,
            duals.nu,
            unlimited,
            samples.n_rows,
            self.n_samples // n_asked,
            seed,
            self.most_columns,
            some=some,
        )
        clauses = sorted(proposed.clauses)
        enough = samples.covers_enough(padded(clauses), self.problem)
        kept = [clause for clause, is_enough in zip(clauses, enough, strict=True) if is_enough]
        columns = samples.columns(kept, self.problem)
        costs = samples.reduced_costs(columns, duals)
        order = np.argsort(costs, kind="stable")
        least = -DUAL_TOLERANCE * samples.unit
        best = [columns[k] for k in order if costs[k] < least][: self.most_columns]
        return PricingResult(
            best,
            float(costs[order[0]]) if len(order) else None,
            lower_bound=None,
            feasible_duals=None,
            is_exact=False,
            n_nodes=proposed.n_nodes,
        )


@sampled_beam.register(PartitionedTrainingSet)
def _(
    training_set: PartitionedTrainingSet, beam: BeamSearch, random: np.random.Generator
) -> Pricer:
    return LocalBeams(training_set, beam.problem, random, most_columns=beam.most_columns)
