"""Requirements over the rows of a table, as limits on sums of mistakes in whole numbers.

Owns how weights are counted, and what is left where mistakes are made already. Which mistakes a
requirement counts is said in ``requirement``; ``demands`` has the limits over merged rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.requirement import LARGEST_TOTAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.data.requirement import Requirement

# Weights that are no whole numbers are rounded to a grid of about so many steps for all rows.
FRACTION_STEPS = 2**28


@dataclass(frozen=True, eq=False)
class MistakeLimits:
    """Requirements over the rows of a table: Σ cost of the mistakes on them <= most, for each.

    Parameters
    ----------
    costs : int64 array (S, n)
        What a mistake on each row adds.
    most : tuple of int
        What they may add up to.
    """

    costs: NDArray[np.int64]
    most: tuple[int, ...]

    @classmethod
    def of(
        cls,
        requirements: Iterable[Requirement],
        table: Table,
        is_positive: NDArray[np.bool_],
        weights: NDArray[np.float64],
    ) -> MistakeLimits | None:
        """Read requirements on a table; None without any."""
        requirements = tuple(requirements)
        if not requirements:
            return None
        unit = counting_unit(weights)
        counts = np.round(weights * unit).astype(np.int64)
        rows = [row for one in requirements for row in one.rows(table, is_positive, counts, unit)]
        if not rows:
            return None
        costs = np.array([row for row, _ in rows])
        most = np.array([most for _, most in rows])
        if unit > 1:
            # Weights were rounded: sums that only this tells apart are the same.
            per_count = costs / np.maximum(counts, 1)
            most = most + np.ceil(np.abs(per_count).sum(axis=1) / 2).astype(np.int64)
        return cls(costs, tuple(most.tolist()))

    def without(self, is_done: NDArray[np.bool_], times: NDArray[np.integer]) -> MistakeLimits:
        """Return what is left where some rows cannot be mistaken, and others are, so often."""
        most = np.array(self.most) - self.costs @ times.astype(np.int64)
        return MistakeLimits(np.where(is_done, 0, self.costs), tuple(map(int, most)))

    def are_met(self, times: NDArray[np.integer]) -> bool:
        """Whether they are met where each row is mistaken so many times."""
        return bool(np.all(self.costs @ times.astype(np.int64) <= np.array(self.most)))


def counting_unit(weights: NDArray[np.float64]) -> int:
    """Return what a weight of one counts: one, or a power of two where weights are no integers."""
    total = float(weights.sum())
    if (weights == np.floor(weights)).all() or total >= LARGEST_TOTAL:
        if total >= LARGEST_TOTAL:
            raise ValueError(
                f"The sample weights sum to {total:.3g}, too much for requirements. Divide them "
                "all by a constant; the rules do not change."
            )
        return 1
    return int(2 ** max(1, math.floor(math.log2(FRACTION_STEPS / total))))
