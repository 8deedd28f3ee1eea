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
# What rounding may change of a weight, relative to it.
MOST_ROUNDING = 1 / 32
# How often rounding enters a requirement: in its sum, in its limit, in totals that it compares.
TIMES_ROUNDED = 4


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
        exact = weights * unit
        counts = np.round(exact).astype(np.int64)
        rounding = np.abs(counts - exact)
        if (rounding > MOST_ROUNDING * exact).any():
            least = weights[rounding > MOST_ROUNDING * exact].min()
            raise ValueError(
                f"A sample weight of {least:.3g} is too small beside their sum, "
                f"{weights.sum():.3g}, for requirements to count it. Leave such rows out, or make "
                f"all weights multiples of 1/{unit}."
            )
        rows = [row for one in requirements for row in one.rows(table, is_positive, counts, unit)]
        if not rows:
            return None
        costs = np.array([row for row, _ in rows])
        most = [most + _slack(row, counts, rounding) for row, most in rows]
        return cls(costs, tuple(most))

    def without(self, is_done: NDArray[np.bool_], times: NDArray[np.integer]) -> MistakeLimits:
        """Return what is left where some rows cannot be mistaken, and others are, so often."""
        most = np.array(self.most) - self.costs @ times.astype(np.int64)
        return MistakeLimits(np.where(is_done, 0, self.costs), tuple(map(int, most)))

    def are_met(self, times: NDArray[np.integer]) -> bool:
        """Whether they are met where each row is mistaken so many times."""
        return bool(np.all(self.costs @ times.astype(np.int64) <= np.array(self.most)))


def _slack(
    costs: NDArray[np.int64], counts: NDArray[np.int64], rounding: NDArray[np.float64]
) -> int:
    """Return what rounded weights may add to a sum: what only they tell apart is the same.

    Always less than half of what any row adds, so that no mistake is overlooked.
    """
    is_asked = costs != 0
    if not rounding[is_asked].any():
        return 0
    costs = np.abs(costs[is_asked])
    rounded = TIMES_ROUNDED * float((costs / counts[is_asked] * rounding[is_asked]).sum())
    return int(min(math.ceil(rounded), (costs.min() - 1) // 2))


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
