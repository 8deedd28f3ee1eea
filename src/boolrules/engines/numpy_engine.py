"""The specification of an engine: histograms over bins as matrix products, in numpy alone.

A batch of clauses is a 0/1 matrix of covered rows. Times the samples' weights and the one-hot
matrix of their bins, it gives a histogram per clause and feature; cumulative sums over bins give
every condition's sum. All numbers are integers below 2**52, so double precision is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from boolrules.engines.engine import NO_CONDITION, ExtensionSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.column import IntegerDuals
    from boolrules.training_set import TrainingSet

MOST_DENSE_ENTRIES = 20_000_000
MOST_BATCH_ENTRIES = 8_000_000
LARGEST_BATCH = 1024


class NumpyEngine:
    """Sums over the covered samples by matrix products.

    Only positives with μ_i > 0 take part: the others change no sum.
    """

    def __init__(self, training_set: TrainingSet, duals: IntegerDuals) -> None:
        conditions = training_set.conditions
        offsets = np.concatenate([[0], np.cumsum(conditions.n_codes)])
        self._conditions = conditions
        support = np.flatnonzero(duals.mu)
        self._P = _Side(training_set.codes_P[support], duals.mu[support], training_set, offsets)
        _, weights_Z = training_set.integer_weights(duals.scale)
        self._Z = _Side(training_set.codes_Z, weights_Z, training_set, offsets)

    @property
    def batch_size(self) -> int:
        """As many clauses as keep the matrix of covered rows small."""
        n = max(1, self._P.n_rows + self._Z.n_rows, len(self._conditions))
        return max(1, min(LARGEST_BATCH, MOST_BATCH_ENTRIES // n))

    def extend(self, clauses: NDArray[np.int64]) -> ExtensionSums:
        """Expand a batch of clauses by every condition."""
        M, M_extended = self._P.sums(clauses)
        N, N_extended = self._Z.sums(clauses)
        return ExtensionSums(M, N, M_extended, N_extended)


class _Side:
    """P or Z: its rows' weights and one-hot bins."""

    def __init__(
        self,
        codes: NDArray[np.unsignedinteger],
        weights: NDArray[np.int64],
        training_set: TrainingSet,
        offsets: NDArray[np.int64],
    ) -> None:
        self._codes = codes
        self._weights = weights.astype(np.float64)
        self._conditions = training_set.conditions
        self._offsets = offsets
        self._bins = _one_hot(codes, offsets)
        self._holds: dict[int, NDArray[np.bool_]] = {}
        # Where each condition's two ranges start and stop in the cumulative sums over all bins.
        self._ends = self._conditions.ranges + offsets[self._conditions.feature][:, None]

    @property
    def n_rows(self) -> int:
        return len(self._codes)

    def sums(self, clauses: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weight covered by each clause (B,) and by each clause and condition (B, J)."""
        weight = self._cover(clauses) * self._weights
        histogram = np.asarray(weight @ self._bins).astype(np.int64)
        cumulative = np.zeros((len(clauses), histogram.shape[1] + 1), dtype=np.int64)
        # Sums run across features: ranges lie inside one feature, so what came before cancels out,
        # exactly, in integers even where they wrap around.
        np.cumsum(histogram, axis=1, out=cumulative[:, 1:])
        start, stop, start_2, stop_2 = self._ends.T
        extended = cumulative[:, stop] - cumulative[:, start]
        extended += cumulative[:, stop_2] - cumulative[:, start_2]
        return weight.sum(axis=1).astype(np.int64), extended

    def _cover(self, clauses: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows each clause covers, (B, n_rows)."""
        cover = np.ones((len(clauses), self.n_rows), dtype=bool)
        for place in range(clauses.shape[1]):
            joining = np.flatnonzero(clauses[:, place] != NO_CONDITION)
            if len(joining):
                cover[joining] &= self._rows_that_hold(clauses[joining, place])
        return cover

    def _rows_that_hold(self, conditions: NDArray[np.int64]) -> NDArray[np.bool_]:
        distinct, place = np.unique(conditions, return_inverse=True)
        if (len(self._holds) + len(distinct)) * self.n_rows > 4 * MOST_DENSE_ENTRIES:
            self._holds.clear()
        for j in distinct.tolist():
            if j not in self._holds:
                self._holds[j] = self._conditions.holds(j, self._codes)
        return np.stack([self._holds[j] for j in distinct.tolist()])[place]


def _one_hot(codes: NDArray[np.unsignedinteger], offsets: NDArray[np.int64]) -> Any:
    """One row per sample, one column per bin; sparse where dense would be large."""
    n_rows, n_features = codes.shape
    n_bins = int(offsets[-1])
    columns = codes.astype(np.int64) + offsets[:-1]
    if n_rows * n_bins <= MOST_DENSE_ENTRIES:
        bins = np.zeros((n_rows, n_bins))
        np.put_along_axis(bins, columns, 1.0, axis=1)
        return bins
    starts = np.arange(0, n_rows * n_features + 1, n_features)
    ones = np.ones(n_rows * n_features)
    return scipy.sparse.csr_array((ones, columns.ravel(), starts), shape=(n_rows, n_bins))
