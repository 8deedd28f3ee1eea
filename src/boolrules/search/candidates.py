"""The clauses a search came across: the best of them become columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import pack_bits
from boolrules.search.engines.loading import load_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.column import Column, IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples

MOST_PER_BATCH = 2000
# Of the duals of the positives that a new column covers: what the columns after it do without.
SHARE_TAKEN = 0.5
# So many columns are taken in any case, more only while what is left of the duals pays for them.
LEAST_TAKEN = 10
# How many clauses are compared, and at most how many truth values that may take.
LEAST_COMPARED, MOST_COMPARED = 20, 1000
MOST_ENTRIES = 20_000_000


def places_of_least(values: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return where the least values are, least first; of equal ones the first.

    Examples
    --------
    >>> places_of_least(np.array([5, 1, 3, 1, 9]), 3).tolist()
    [1, 3, 2]
    """
    if len(values) <= most:
        return np.argsort(values, kind="stable")
    kept = np.flatnonzero(values <= np.partition(values, most)[most])
    return kept[np.argsort(values[kept], kind="stable")[:most]]


class Candidates:
    """Clauses of negative reduced cost that cover enough, one per pair of sums (M, N).

    Equal sums are most often equal covers.
    """

    def __init__(self, training_set: Samples, problem: Problem) -> None:
        self._training_set = training_set
        self._problem = problem
        self._best: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}

    def __len__(self) -> int:
        return len(self._best)

    def offer(
        self,
        reduced_costs: NDArray[np.int64],
        M: NDArray[np.int64],
        N: NDArray[np.int64],
        clauses: NDArray[np.int32],
    ) -> None:
        """Take in the best of a batch of clauses, each a row of condition ids padded with -1."""
        best = places_of_least(reduced_costs, MOST_PER_BATCH)
        best = best[self._training_set.covers_enough(clauses[best], self._problem)]
        values = (array[best].tolist() for array in (reduced_costs, M, N, clauses))
        for reduced_cost, *sums, clause in zip(*values, strict=True):
            held = self._best.get(tuple(sums))
            if held is not None and held[0] < reduced_cost:
                continue
            entry = (reduced_cost, tuple(sorted({j for j in clause if j >= 0})))
            if held is None or entry < held:
                self._best[tuple(sums)] = entry

    @property
    def least(self) -> int | None:
        """Least reduced cost on offer."""
        return min((entry[0] for entry in self._best.values()), default=None)

    def best_columns(self, most: int) -> list[Column]:
        """Make columns of the clauses of least reduced cost, alike or not."""
        best = sorted(self._best.values())[:most]
        return self._training_set.columns([clause for _, clause in best], self._problem)

    def columns(self, most: int, duals: IntegerDuals) -> list[Column]:
        """Make columns of clauses that are good beside each other.

        Each takes a share of the duals of the positives that it covers, and the next is the best
        for what is left: clauses that cover the same rows would tell the master the same thing.
        """
        kernels = load_kernels()
        n_P = self._training_set.n_P
        n_compared = max(LEAST_COMPARED, min(MOST_COMPARED, MOST_ENTRIES // max(n_P, 1)))
        best = sorted(self._best.values())[:n_compared]
        clauses = [clause for _, clause in best]
        cost = np.array([cost for cost, _ in best], dtype=np.float64)
        covers, integer_mu = self._training_set.priced_covers(clauses, duals)
        packed, mu = pack_bits(covers), integer_mu.astype(np.float64)
        shared = np.empty(len(clauses))
        taken: list[int] = []
        while len(taken) < min(most, len(clauses)):
            k = int(cost.argmin())
            if len(taken) >= LEAST_TAKEN and cost[k] >= 0:
                break
            taken.append(k)
            kernels.weigh_columns(packed, packed[k], mu, shared)
            cost += SHARE_TAKEN * shared
            mu[covers[k]] *= 1 - SHARE_TAKEN
            cost[k] = np.inf
        return self._training_set.columns([clauses[k] for k in taken], self._problem)
