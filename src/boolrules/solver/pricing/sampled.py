"""Any pricer on random samples and conditions, for large data (§3). Finds, never proves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.column import DUAL_TOLERANCE, Duals
from boolrules.search.pricer import PricingResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from boolrules._support.budget import Budget
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet
    from boolrules.search.pricer import Pricer

N_SAMPLES = 2_000
N_NONZEROS = 100_000


@dataclass(frozen=True)
class Sampled:
    """Prices on a couple of thousand samples, and on as many conditions as keep the problem small.

    The sampled sums are scaled back to the whole, and what is found is priced again on all
    samples.
    """

    training_set: TrainingSet
    problem: Problem
    make_pricer: Callable[[TrainingSet, Problem], Pricer]
    random: np.random.Generator
    n_samples: int = N_SAMPLES
    n_nonzeros: int = N_NONZEROS

    @property
    def name(self) -> str:
        """A word for the progress line."""
        return "sampled"

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Look for clauses of negative reduced cost on a fresh sample."""
        samples = self.training_set
        support = np.flatnonzero(duals.mu > 0)
        n = len(support) + len(samples.weights_Z)
        share = min(1.0, self.n_samples / max(n, 1))
        rows_P = support[self.random.random(len(support)) < share]
        rows_Z = np.flatnonzero(self.random.random(len(samples.weights_Z)) < share)
        J = len(samples.conditions)
        # About half of the conditions are false on a sample; each is a non-zero of eqs. (7) and
        # (8).
        n_nonzeros = max(1, (len(rows_P) + len(rows_Z)) * J // 2)
        chosen = np.flatnonzero(self.random.random(J) < self.n_nonzeros / n_nonzeros)
        if not len(chosen) or not len(rows_P):
            return PricingResult([], None, None, None, is_exact=False, n_nodes=0)
        small = samples.sample(rows_P, rows_Z, chosen)
        # A share of the samples carries a share of the sums, so λ shrinks in proportion.
        unlimited = replace(self.problem, min_coverage=0, required=())
        found = self.make_pricer(small, unlimited).price(
            Duals(duals.mu[rows_P], duals.lam * share, duals.nu * share, duals.theta), budget
        )
        clauses = [chosen[list(column.clause)].astype(np.int32) for column in found.columns]
        columns = [
            samples.column(clause.tolist(), self.problem)
            for clause in clauses
            if samples.covers_enough(clause[None, :], self.problem)[0]
        ]
        costs = samples.reduced_costs(columns, duals).tolist()
        priced = sorted(zip(costs, columns, strict=True), key=lambda pair: pair[0])
        return PricingResult(
            [column for cost, column in priced if cost < -DUAL_TOLERANCE * samples.unit],
            priced[0][0] if priced else None,
            lower_bound=None,
            feasible_duals=None,
            is_exact=False,
            n_nodes=found.n_nodes,
        )
