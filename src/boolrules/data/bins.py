"""Conditions as sets of bins: the form that every engine sums over.

A feature is one small integer per row, its bin code. Each condition holds on at most two ranges of
codes, so its sums come from cumulative histograms, whatever the number of thresholds or
categories.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Range = tuple[int, int]


@dataclass(frozen=True)
class BinnedConditions:
    """For each condition j: its feature and the codes on which it holds.

    Parameters
    ----------
    feature : int array (J,)
        Which column of the codes the condition reads.
    ranges : int array (J, 4)
        It holds on ``[ranges[0], ranges[1])`` and on ``[ranges[2], ranges[3])``, which are
        disjoint.
    n_codes : int array (n_features,)
        How many codes each feature has.

    Examples
    --------
    Three bins and a last code for missing values; ``<=`` the first threshold, and its twin:

    >>> conditions = BinnedConditions.build([(0, [(0, 1)])], n_codes=[4])
    >>> codes = np.array([[0], [1], [3]], dtype=np.uint8)
    >>> conditions.holds(0, codes).tolist()
    [True, False, False]
    >>> conditions.complement().holds(0, codes).tolist()
    [False, True, True]
    """

    feature: NDArray[np.int64]
    ranges: NDArray[np.int64]
    n_codes: NDArray[np.int64]

    @classmethod
    def build(
        cls, conditions: Sequence[tuple[int, Sequence[Range]]], n_codes: Sequence[int]
    ) -> BinnedConditions:
        """Collect conditions given as (feature, one or two ranges of codes)."""
        ranges = np.zeros((len(conditions), 4), dtype=np.int64)
        for j, (_, pieces) in enumerate(conditions):
            pieces = [piece for piece in pieces if piece[0] < piece[1]]
            for place, (start, stop) in enumerate(pieces):
                ranges[j, 2 * place : 2 * place + 2] = start, stop
        feature = np.array([f for f, _ in conditions], dtype=np.int64)
        return cls(feature, ranges, np.array(n_codes, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.feature)

    def holds(self, j: int, codes: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
        """On which rows condition j is true."""
        column = codes[:, self.feature[j]]
        start, stop, start_2, stop_2 = self.ranges[j]
        return ((column >= start) & (column < stop)) | ((column >= start_2) & (column < stop_2))

    def complement(self) -> BinnedConditions:
        """Negate every condition: De Morgan's step from DNF to CNF."""
        negated = []
        for j, f in enumerate(self.feature):
            pieces = sorted(r for r in (tuple(self.ranges[j, :2]), tuple(self.ranges[j, 2:])))
            edges = [0, *(edge for piece in pieces if piece[0] < piece[1] for edge in piece)]
            edges.append(int(self.n_codes[f]))
            gaps = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
            negated.append((int(f), [gap for gap in gaps if gap[0] < gap[1]]))
        return BinnedConditions.build(negated, self.n_codes.tolist())

    def subset(self, chosen: NDArray[np.int64]) -> BinnedConditions:
        """Keep some of the conditions, in the given order."""
        return BinnedConditions(self.feature[chosen], self.ranges[chosen], self.n_codes)

    @cached_property
    def chains(self) -> NDArray[np.int64]:
        """Number the chains, whose conditions are nested, as ``age <= 20`` in ``age <= 30``.

        Two ways to be nested: ranges that share all ends but the first stop (``<=``), or all but
        the first start (``>``).
        """
        chain = np.arange(len(self))
        is_taken = np.zeros(len(self), dtype=bool)
        for free_end in (1, 0):
            groups: dict[tuple[int, ...], list[int]] = {}
            for j in np.flatnonzero(~is_taken).tolist():
                ends = tuple(np.delete(self.ranges[j], free_end).tolist())
                groups.setdefault((int(self.feature[j]), *ends), []).append(j)
            for members in groups.values():
                if len(members) > 1:
                    chain[members] = members[0]
                    is_taken[members] = True
        return np.unique(chain, return_inverse=True)[1]


def pack_bits(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack Boolean rows into words of 64 bits, the first in the lowest bit.

    Examples
    --------
    >>> pack_bits(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    n_rows, n = rows.shape
    padded = np.zeros((n_rows, max(1, -(-n // 64)) * 64), dtype=bool)
    padded[:, :n] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def unpack_bits(words: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """Undo ``pack_bits``."""
    octets = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little", count=n).astype(bool)


def distinct_rows(
    codes: NDArray[np.unsignedinteger],
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]:
    """Return the distinct rows in growing order, and which of them each row is.

    As ``np.unique`` along the first axis, but in a fraction of its time and memory: eight codes of
    a byte make one word to sort by.

    Examples
    --------
    >>> distinct, place = distinct_rows(np.array([[2, 1], [1, 9], [2, 1]], dtype=np.uint8))
    >>> distinct.tolist(), place.tolist()
    ([[1, 9], [2, 1]], [1, 0, 1])
    """
    n_rows, n_features = codes.shape
    per_word = 8 // codes.dtype.itemsize
    n_words = -(-n_features // per_word)
    order = np.arange(n_rows)
    differs = np.zeros(max(n_rows - 1, 0), dtype=bool)
    for word in reversed(range(n_words)):
        # Stable sorts, from the last word to the first, as radix sort does.
        order = order[np.argsort(_big_endian(codes, word, per_word)[order], kind="stable")]
    for word in range(n_words):
        keys = _big_endian(codes, word, per_word)[order]
        differs |= keys[1:] != keys[:-1]
    is_first = np.concatenate([np.ones(min(n_rows, 1), dtype=bool), differs])
    place = np.empty(n_rows, dtype=np.int64)
    place[order] = np.cumsum(is_first) - 1
    return codes[order[is_first]], place


def _big_endian(
    codes: NDArray[np.unsignedinteger], word: int, per_word: int
) -> NDArray[np.uint64]:
    """Write some codes of each row one after another, the first in the highest bits."""
    keys = np.zeros(len(codes), dtype=np.uint64)
    shift = np.uint64(8 * codes.dtype.itemsize % 64)
    for f in range(word * per_word, min((word + 1) * per_word, codes.shape[1])):
        keys = (keys << shift) | codes[:, f]
    return keys
