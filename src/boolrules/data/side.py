"""P or Z: the distinct rows of one side, and which of them clauses cover."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import cover_rows, distinct_rows, pack_bits, padded, unpack_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.bins import BinnedConditions

# Clauses whose coverage is told apart in one step: their bits share a word with a pattern's id.
CLAUSES_PER_STEP = 31


@dataclass(frozen=True)
class Side:
    """The rows of P or of Z, and which of them conditions and clauses cover.

    Parameters
    ----------
    conditions : BinnedConditions
        J, as sets of bins.
    codes : unsigned array (n, n_features)
        The rows.
    has_bits : bool
        Whether conditions are laid out as bits; else what a clause covers is read from the codes
        each time.

    Examples
    --------
    >>> from boolrules.data.bins import BinnedConditions
    >>> conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    >>> P = Side(conditions, np.array([[0], [1]], dtype=np.uint8), has_bits=True)
    >>> P.delta((0,)).tolist(), P.covers([(0,), (1,)]).ravel().tolist()
    ([True, False], [1, 2])
    """

    conditions: BinnedConditions
    codes: NDArray[np.unsignedinteger]
    has_bits: bool

    @cached_property
    def bits(self) -> NDArray[np.uint64]:
        """On which rows each condition is true (J, n_words), as bits."""
        return self.conditions.bits(self.codes)

    def delta(self, clause: Sequence[int]) -> NDArray[np.bool_]:
        """Which rows the clause covers, δ_i."""
        if not self.has_bits:
            return self.conditions.all_hold(clause, self.codes)
        if not len(clause):
            return np.ones(len(self.codes), dtype=bool)
        cover = np.bitwise_and.reduce(self.bits[list(clause)], axis=0)
        return unpack_bits(cover[None, :], len(self.codes))[0]

    def covers(self, clauses: Sequence[Sequence[int]]) -> NDArray[np.uint64]:
        """Which rows each clause of one condition or more covers (K, n_words), as bits."""
        if self.has_bits and len(clauses):
            return cover_rows(self.bits, padded(clauses))
        covers = np.zeros((len(clauses), _n_words(len(self.codes))), dtype=np.uint64)
        for k, clause in enumerate(clauses):
            covers[k] = pack_bits(self.delta(clause)[None, :])[0]
        return covers

    def told_apart(
        self, clauses: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Merge the rows that every clause treats alike, whatever else is in them.

        Returns which of the merged rows each clause covers (K, n_words), as bits, and which of
        them each row is in (n,).
        """
        ids = np.zeros(len(self.codes), dtype=np.int64)
        first = np.zeros(min(1, len(self.codes)), dtype=np.int64)
        for start in range(0, len(clauses), CLAUSES_PER_STEP):
            bits = np.zeros(len(ids), dtype=np.int64)
            for k, clause in enumerate(clauses[start : start + CLAUSES_PER_STEP]):
                bits |= self.delta(clause).astype(np.int64) << k
            _, first, ids = np.unique(
                (ids << CLAUSES_PER_STEP) | bits, return_index=True, return_inverse=True
            )
        covers = np.zeros((len(clauses), _n_words(len(first))), dtype=np.uint64)
        for k, clause in enumerate(clauses):
            covers[k] = pack_bits(self.delta(clause)[None, first])
        return covers, ids


def merge_equal_rows(
    codes: NDArray[np.unsignedinteger], weights: NDArray[np.float64]
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.float64], NDArray[np.int64]]:
    """Return distinct rows, their weights, and how many there were of each."""
    if codes.shape[1] == 0 or len(codes) == 0:
        n = min(1, len(codes))
        return codes[:n], weights.sum(keepdims=True)[:n], np.full(n, len(codes))
    distinct, place = distinct_rows(codes)
    merged = np.zeros(len(distinct))
    np.add.at(merged, place, weights)
    n_merged = np.bincount(place).astype(np.int64)
    if not (weights == np.floor(weights)).all():
        # A bound must not rest on a sum that was rounded up.
        merged *= 1.0 - np.where(n_merged > 1, n_merged, 0) * np.finfo(float).eps
    return distinct, merged, n_merged


def merged_sums(codes: NDArray[np.unsignedinteger], costs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum up, for each distinct row, what mistakes on the equal ones cost (S, n)."""
    if codes.shape[1] == 0 or len(codes) == 0:
        return costs.sum(axis=1, keepdims=True)[:, : min(1, len(codes))]
    distinct, place = distinct_rows(codes)
    merged = np.zeros((len(costs), len(distinct)), dtype=np.int64)
    for merged_s, costs_s in zip(merged, costs, strict=True):
        np.add.at(merged_s, place, costs_s)
    return merged


def _n_words(n_rows: int) -> int:
    return max(1, -(-n_rows // 64))
