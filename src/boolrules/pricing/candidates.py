"""The clauses a search came across: the best of them become columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.column import Column
    from boolrules.problem import Problem
    from boolrules.training_set import TrainingSet

MOST_PER_BATCH = 2000


class Candidates:
    """Clauses of negative reduced cost that cover enough, one per pair of sums (M, N).

    Equal sums are most often equal covers.
    """

    def __init__(self, training_set: TrainingSet, problem: Problem) -> None:
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
        best = np.argsort(reduced_costs, kind="stable")[:MOST_PER_BATCH]
        best = best[self._training_set.covers_enough(clauses[best], self._problem)]
        for place in best:
            key = (int(M[place]), int(N[place]))
            features = tuple(sorted({int(j) for j in clauses[place] if j >= 0}))
            entry = (int(reduced_costs[place]), features)
            if key not in self._best or entry < self._best[key]:
                self._best[key] = entry

    @property
    def least(self) -> int | None:
        """Least reduced cost on offer."""
        return min((entry[0] for entry in self._best.values()), default=None)

    def columns(self, most: int) -> list[Column]:
        """Make columns of the best candidates."""
        best = sorted(self._best.values())[:most]
        return self._training_set.columns([features for _, features in best], self._problem)
