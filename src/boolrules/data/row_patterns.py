"""Positives that the same columns cover, merged: what they weigh, owe and share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from boolrules.data.column import EXACT_BITS, CoveragePatterns, Duals, grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.column import Column
    from boolrules.data.training_set import TrainingSet

# With grids coarser than the first, rates of duals lie on the second.
COARSEST_RATES = 2**16
FINE_RATES = 2**30


class RowPatterns:
    """Columns, and the positives that they cover: those that all cover alike are merged."""

    def __init__(self, training_set: TrainingSet) -> None:
        self._training_set = training_set
        self._marks = CoveragePatterns(len(training_set.weights_P))
        self._columns: list[Column] = []

    def add(self, columns: Sequence[Column]) -> None:
        """Take columns into account."""
        for column in columns:
            self._marks.add(column.delta_P)
        self._columns.extend(columns)

    def merge(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which patterns each column covers (K, n), and the weights of the patterns."""
        first, self._row, self._totals = self._marks.merge(self._training_set.weights_P)
        word, bit = first >> 6, (first & 63).astype(np.uint64)
        covers = np.zeros((len(self._columns), len(first)), dtype=bool)
        for k, column in enumerate(self._columns):
            assert column.cover_P is not None
            covers[k] = (column.cover_P[word] >> bit) & np.uint64(1)
        return covers, self._totals

    def demands(self) -> NDArray[np.int64]:
        """Return what missing each pattern, as last merged, adds to requirements (S, n)."""
        demands = self._training_set.demands
        if demands is None:
            return np.empty((0, len(self._totals)), dtype=np.int64)
        sums = np.zeros((len(demands), len(self._totals)), dtype=np.int64)
        for sum_s, alpha_s in zip(sums, demands.alpha, strict=True):
            np.add.at(sum_s, self._row, alpha_s)
        return sums

    def duals(self, duals: Duals) -> Duals:
        """Share the dual of each pattern, as last merged, among its positives, by weight.

        A unit of weight gets a share on the grid, so that it does not matter which rows were
        merged with which.
        """
        rate = rates(duals.mu, self._totals, self._training_set)
        return Duals(self._training_set.weights_P * rate[self._row], duals.lam, duals.nu)


def rates(
    mu: NDArray[np.float64], totals: NDArray[np.float64], training_set: HasGrid
) -> NDArray[np.float64]:
    """Return the dual of a unit of weight in each pattern: at most 1, rounded down to the grid."""
    scale = grid(training_set.total_weight, training_set.unit)
    # With huge weights the duals' own grid is too coarse for shares of one.
    scale = min(scale, 2**EXACT_BITS) if scale >= COARSEST_RATES else FINE_RATES
    share = mu / np.where(totals > 0, totals, 1.0)
    return np.minimum(np.floor(share * scale) / scale, 1.0)


class HasGrid(Protocol):
    """What the grid of the duals depends on."""

    @property
    def total_weight(self) -> float:
        """Weight of all samples."""
        ...

    @property
    def unit(self) -> float:
        """A power of two near the mean weight."""
        ...
