"""The specification of an engine, in numpy and plain loops: slow and obvious.

A batch of clauses is a 0/1 matrix of covered rows. Times the samples' weights and the one-hot
matrix of their bins, it gives a histogram per clause and feature; cumulative sums over bins give
every condition's sum. All numbers are integers below 2**52, so double precision is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from boolrules.data.bins import NO_CONDITION, pack_bits, unpack_bits
from boolrules.search.engines.engine import (
    Expansion,
    ExtensionSums,
    Nodes,
    Terms,
)
from boolrules.search.engines.open_nodes import NodeHeap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.column import IntegerDuals
    from boolrules.data.training_set import TrainingSet

MOST_DENSE_ENTRIES = 20_000_000
MOST_BATCH_ENTRIES = 8_000_000
LARGEST_BATCH = 1024


class NumpyEngine:
    """Sums over the covered samples by matrix products.

    When pricing, only positives with μ_i > 0 take part: the others change no sum. When
    enumerating, all do, because a condition may be discarded only if another keeps the very same
    positives. With ``narrows``, as in the compiled engine, a child may use only those conditions
    that can be in a clause under the threshold.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        duals: IntegerDuals,
        *,
        is_enumerating: bool = False,
        narrows: bool = False,
    ) -> None:
        conditions = training_set.conditions
        offsets = np.concatenate([[0], np.cumsum(conditions.n_codes)])
        self._conditions = conditions
        self._narrows = narrows
        _, weights_Z = training_set.integer_weights(duals.scale, duals.theta)
        rows = np.arange(len(duals.mu)) if is_enumerating else np.flatnonzero(duals.mu)
        self._P = _Side(training_set.codes_P[rows], duals.mu[rows], training_set, offsets)
        self._Z = _Side(training_set.codes_Z, weights_Z, training_set, offsets)

    @property
    def batch_size(self) -> int:
        """As many clauses as keep the matrix of covered rows small."""
        n = max(1, self._P.n_rows + self._Z.n_rows, len(self._conditions))
        return max(1, min(LARGEST_BATCH, MOST_BATCH_ENTRIES // n))

    def extend(self, clauses: NDArray[np.int32]) -> ExtensionSums:
        """Sum over each clause, and over each clause with each condition added."""
        M, M_extended = self._P.sums(clauses)
        N, N_extended = self._Z.sums(clauses)
        return ExtensionSums(M, N, M_extended, N_extended)

    def expand(self, nodes: Nodes, terms: Terms) -> Expansion:
        """Price the children of nodes and bound what lies below them."""
        sums = self.extend(nodes.clauses)
        allowed = unpack_bits(nodes.allowed, len(self._conditions))
        found: list[tuple[int, int, int, int, int]] = []
        children: list[tuple[int, int, int, int]] = []
        before: list[NDArray[np.bool_]] = []
        for b in range(len(nodes)):
            M, N = sums.M_extended[b], sums.N_extended[b]
            length = int(nodes.lengths[b])
            price = terms.clause_price + terms.condition_price * (length + 1)
            eliminates = sums.N[b] - N > terms.least_elimination
            order = self._unbeaten(nodes.clauses[b], allowed[b] & eliminates, M)
            # The empty clause is excluded, so a single condition counts whatever it eliminates.
            singles = (allowed[b] & ~eliminates).nonzero()[0].tolist() if length == 0 else []
            for j in singles + order:
                reduced_cost = price - M[j] + N[j]
                if reduced_cost < terms.threshold:
                    found.append((b, j, reduced_cost, M[j], N[j]))
            for place, j in enumerate(order):
                others = order[:place]
                floor = self._Z.weight([*nodes.clauses[b], j, *others])
                bound = self._bound(j, others, int(sums.N[b]), M, N, floor, length, terms)
                if bound < terms.threshold:
                    children.append((b, j, bound, M[j]))
                    if self._narrows:
                        paid = price - int(M[j])
                        others = self._of_use(
                            j, others, int(sums.N[b]), N, length, paid, floor, terms
                        )
                    before.append(np.isin(np.arange(len(M)), others))
        return Expansion.of(
            nodes,
            np.array(found, dtype=np.int64).reshape(-1, 5),
            np.array(children, dtype=np.int64).reshape(-1, 4),
            pack_bits(np.array(before, dtype=bool).reshape(-1, allowed.shape[1])),
        )

    def open(self, root: Nodes | None, terms: Terms) -> NodeHeap:
        """Begin a search at some nodes."""
        return NodeHeap(self, terms, root)

    def _unbeaten(
        self, clause: NDArray[np.int32], useful: NDArray[np.bool_], M: NDArray[np.int64]
    ) -> list[int]:
        """Return the conditions by decreasing M, less each that one before it beats.

        A condition is beaten by one that keeps at least the same positives and at most the same
        zeros: in any clause below this node the other can take its place.
        """
        order: list[int] = []
        for j in sorted(useful.nonzero()[0].tolist(), key=lambda j: (-M[j], j)):
            P_j, Z_j = self._P.cover([*clause, j]), self._Z.cover([*clause, j])
            if not any(
                np.all(P_j <= self._P.cover([*clause, k]))
                and np.all(self._Z.cover([*clause, k]) <= Z_j)
                for k in order
            ):
                order.append(j)
        return order

    def _bound(
        self,
        j: int,
        others: list[int],
        N_here: int,
        M: NDArray[np.int64],
        N: NDArray[np.int64],
        floor: int,
        length: int,
        terms: Terms,
    ) -> int:
        """Least reduced cost that a clause strictly below child j could have.

        With ``more`` further conditions it pays for them, covers at most M_j, keeps N_j less at
        most the largest eliminations among the others, one per chain, and keeps the ``floor`` of
        zeros that none of the others eliminates. Its own chain adds nothing: of two nested
        conditions one is redundant, and the clause without it is reached elsewhere.
        """
        bound = terms.threshold
        price = terms.clause_price + terms.condition_price * (length + 1)
        dropped = 0
        for more, eliminated in enumerate(self._largest(j, others, N_here, N), start=1):
            if length + 1 + more > terms.longest:
                break
            dropped += eliminated
            rest = max(floor, int(N[j]) - dropped)
            bound = min(bound, price + terms.condition_price * more - int(M[j]) + rest)
        return bound

    def _largest(self, j: int, others: list[int], N_here: int, N: NDArray[np.int64]) -> list[int]:
        """Return the largest elimination of each chain but that of j, in decreasing order."""
        chain = self._conditions.chains
        largest: dict[int, int] = {}
        for k in others:
            if chain[k] != chain[j]:
                largest[chain[k]] = max(largest.get(chain[k], 0), N_here - int(N[k]))
        return sorted(largest.values(), reverse=True)

    def _of_use(
        self,
        j: int,
        others: list[int],
        N_here: int,
        N: NDArray[np.int64],
        length: int,
        paid: int,
        floor: int,
        terms: Terms,
    ) -> list[int]:
        """Return the conditions that can be in a clause under the threshold below child j.

        A clause with k and ``more`` - 1 other conditions pays for ``more``, and keeps N_j less
        what k and the largest others eliminate at most; k may be one of these, which only lowers
        the number. A looser condition of j's own chain eliminates nothing below j.
        """
        chain = self._conditions.chains
        needed = N_here
        rest = int(N[j])
        for more, eliminated in enumerate(self._largest(j, others, N_here, N), start=1):
            cost = paid + terms.condition_price * more
            if length + 1 + more > terms.longest or cost + floor >= terms.threshold:
                break
            needed = min(needed, cost + rest - terms.threshold)
            rest -= eliminated
        return [
            k
            for k in others
            if N_here - N[k] > needed and not (chain[k] == chain[j] and N[k] >= N[j])
        ]


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
        self._bins = _one_hot(codes, offsets)
        # Where each condition's two ranges start and stop in the cumulative sums over all bins.
        self._ends = self._conditions.ranges + offsets[self._conditions.feature][:, None]

    @property
    def n_rows(self) -> int:
        return len(self._codes)

    def sums(self, clauses: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weight covered by each clause (B,) and by each clause and condition (B, J)."""
        weight = np.array([self.cover(clause) for clause in clauses]) * self._weights
        histogram = np.asarray(weight @ self._bins).astype(np.int64)
        cumulative = np.zeros((len(clauses), histogram.shape[1] + 1), dtype=np.int64)
        # Sums run across features: ranges lie inside one feature, so what came before cancels out,
        # exactly, in integers even where they wrap around.
        np.cumsum(histogram, axis=1, out=cumulative[:, 1:])
        start, stop, start_2, stop_2 = self._ends.T
        extended = cumulative[:, stop] - cumulative[:, start]
        extended += cumulative[:, stop_2] - cumulative[:, start_2]
        return weight.sum(axis=1).astype(np.int64), extended

    def weight(self, clause: Sequence[int]) -> int:
        """Weight covered by one clause."""
        return int(self._weights[self.cover(clause)].sum())

    def cover(self, clause: Sequence[int]) -> NDArray[np.bool_]:
        """Which rows the clause covers."""
        cover = np.ones(self.n_rows, dtype=bool)
        for j in clause:
            if j != NO_CONDITION:
                cover &= self._conditions.holds(j, self._codes)
        return cover


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
