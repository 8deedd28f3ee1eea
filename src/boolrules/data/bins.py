"""Conditions as sets of bins: the form that every engine sums over.

A feature is one small integer per row, its bin code. Each condition holds on at most two ranges of
codes, so its sums come from cumulative histograms, whatever the number of thresholds or
categories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Range = tuple[int, int]

# How many truth values are laid out at a time, a byte each.
MOST_UNPACKED = 20_000_000
# How many codes are looked up at a time, some words each.
MOST_PLACES = 2_000_000
# Stands for no condition where clauses are rows of condition ids.
NO_CONDITION = -1


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
        none = (0, 0)
        pieces = [
            [ranges[k] if k < len(ranges) else none for _, ranges in conditions] for k in range(2)
        ]
        first, second = (np.array(some, dtype=np.int64).reshape(-1, 2) for some in pieces)
        for some in (first, second):
            some[some[:, 0] >= some[:, 1]] = none
        is_empty = ~first.any(axis=1)  # the other one comes first then
        first[is_empty], second[is_empty] = second[is_empty], 0
        feature = np.array([f for f, _ in conditions], dtype=np.int64)
        return cls(feature, np.hstack([first, second]), np.array(n_codes, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.feature)

    def holds(self, j: int, codes: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
        """On which rows condition j is true."""
        column = codes[:, self.feature[j]]
        start, stop, start_2, stop_2 = self.ranges[j]
        return ((column >= start) & (column < stop)) | ((column >= start_2) & (column < stop_2))

    def all_hold(
        self, clause: Sequence[int], codes: NDArray[np.unsignedinteger]
    ) -> NDArray[np.bool_]:
        """On which rows all conditions of a clause are true."""
        hold = np.ones(len(codes), dtype=bool)
        for j in clause:
            hold &= self.holds(j, codes)
        return hold

    def complement(self) -> BinnedConditions:
        """Negate every condition: De Morgan's step from DNF to CNF."""
        every = self.n_codes[self.feature]
        pairs = self.ranges.reshape(-1, 2, 2)
        # Empty ranges last, then in order: what lies before, between and after them is left.
        starts = np.where(pairs[:, :, 0] < pairs[:, :, 1], pairs[:, :, 0], every[:, None])
        stops = np.where(pairs[:, :, 0] < pairs[:, :, 1], pairs[:, :, 1], every[:, None])
        starts, stops = np.sort(starts, axis=1), np.sort(stops, axis=1)
        edges = np.column_stack([0 * every, starts[:, 0], stops[:, 0], starts[:, 1], stops[:, 1]])
        gaps = np.column_stack([edges, every]).reshape(-1, 3, 2)
        order = np.argsort(gaps[:, :, 0] >= gaps[:, :, 1], axis=1, kind="stable")
        gaps = np.take_along_axis(gaps, order[:, :, None], axis=1)
        if (gaps[:, 2, 0] < gaps[:, 2, 1]).any():
            raise ValueError("What is not in two ranges inside a feature's codes is three ranges.")
        gaps = gaps[:, :2]
        gaps[gaps[:, :, 0] >= gaps[:, :, 1]] = 0
        return BinnedConditions(self.feature, gaps.reshape(-1, 4), self.n_codes)

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
            left = np.flatnonzero(~is_taken)
            ends = np.delete(self.ranges[left], free_end, axis=1)
            keys = _as_one(np.column_stack([self.feature[left], ends]))
            _, first, group, size = np.unique(
                keys, axis=0, return_index=True, return_inverse=True, return_counts=True
            )
            is_long = size[group] > 1
            chain[left[is_long]] = left[first[group[is_long]]]
            is_taken[left[is_long]] = True
        return np.unique(chain, return_inverse=True)[1]

    def has_long_chains(self, longest: int) -> bool:
        """Whether any chain has more conditions than that."""
        return bool(np.bincount(self.chains).max(initial=0) > longest)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """On how many codes each condition holds: of nested ones, the fewer the tighter."""
        start, stop, start_2, stop_2 = self.ranges.T
        return stop - start + stop_2 - start_2

    def counts(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
        """On how many rows each condition is true."""
        return self.sums(codes, None).astype(np.int64)

    def sums(
        self, codes: NDArray[np.unsignedinteger], weights: NDArray[np.number] | None
    ) -> NDArray[np.float64]:
        """Weight of the rows on which each condition is true: exact for integers below 2**53."""
        offsets = np.concatenate([[0], np.cumsum(self.n_codes + 1)])
        below = np.zeros(offsets[-1])
        for f, n in enumerate(self.n_codes):
            histogram = np.bincount(codes[:, f], weights, minlength=n)
            below[offsets[f] + 1 : offsets[f + 1]] = np.cumsum(histogram)
        start, stop, start_2, stop_2 = self.ranges.T + offsets[self.feature]
        return below[stop] - below[start] + below[stop_2] - below[start_2]

    def bits(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.uint64]:
        """On which rows each condition is true (J, n_words), as bits."""
        bits = np.zeros((len(self), max(1, -(-len(codes) // 64))), dtype=np.uint64)
        order = np.argsort(self.feature, kind="stable")
        per_step = max(1, MOST_PLACES // max(len(codes), 1))
        for first in range(0, len(self.n_codes), per_step):
            some = slice(first, first + per_step)
            own = order[slice(*np.searchsorted(self.feature[order], [some.start, some.stop]))]
            offsets = np.concatenate([[0], np.cumsum(self.n_codes[some])])
            ends = self.ranges[own] + offsets[self.feature[own] - first][:, None]
            edges, place = np.unique(ends, return_inverse=True)
            below = _bits_below(edges, codes[:, some] + offsets[:-1], offsets[-1])
            start, stop, start_2, stop_2 = place.reshape(ends.shape).T
            # Of what lies below the two ends of a range, all but the range is in both.
            bits[own] = below[start]
            for ends_of_one in (stop, start_2, stop_2):
                bits[own] ^= below[ends_of_one]
        return bits

    def recoded(
        self, sides: Sequence[NDArray[np.unsignedinteger]]
    ) -> tuple[BinnedConditions, list[NDArray[np.unsignedinteger]]]:
        """Merge the codes that no condition tells apart, in the conditions and on some rows.

        Examples
        --------
        >>> conditions = BinnedConditions.build([(0, [(0, 3)]), (0, [(3, 9)])], n_codes=[9])
        >>> merged, [codes] = conditions.recoded([np.array([[0], [2], [8]], dtype=np.uint8)])
        >>> merged.ranges[:, :2].tolist(), codes.ravel().tolist()
        ([[0, 1], [1, 2]], [0, 0, 1])
        """
        order = np.argsort(self.feature, kind="stable")
        edges = np.searchsorted(self.feature[order], np.arange(len(self.n_codes) + 1))
        ranges, n_codes = np.zeros_like(self.ranges), np.ones_like(self.n_codes)
        places = [np.zeros(side.shape, dtype=np.int64) for side in sides]
        for f in range(len(self.n_codes)):
            own = order[edges[f] : edges[f + 1]]
            ends = np.unique(self.ranges[own])
            ends = ends[(ends > 0) & (ends < self.n_codes[f])]
            n_codes[f] = len(ends) + 1
            ranges[own] = np.searchsorted(ends, self.ranges[own], side="right")
            is_end = self.ranges[own] == self.n_codes[f]
            ranges[own] = np.where(is_end, n_codes[f], ranges[own])
            for place, side in zip(places, sides, strict=True):
                place[:, f] = np.searchsorted(ends, side[:, f], side="right")
        smallest = np.min_scalar_type(int(n_codes.max(initial=1)) - 1)
        merged = BinnedConditions(self.feature, ranges, n_codes)
        return merged, [place.astype(smallest) for place in places]


def _bits_below(
    edges: NDArray[np.int64], codes: NDArray[np.int64], n_codes: int
) -> NDArray[np.uint64]:
    """For each edge, the rows that have an odd number of codes below it (n_edges, n_words).

    Columns have codes one after another: up to an edge of a column, each column before it adds one
    to every row, and the column itself one where its code is below the edge.

    Examples
    --------
    >>> _bits_below(np.array([0, 1, 2]), np.array([[1], [0], [0]]), 2).tolist()
    [[0], [6], [7]]
    """
    n_words = max(1, -(-len(codes) // 64))
    below = np.zeros((len(edges) + 1, n_words), dtype=np.uint64)
    first_above = np.searchsorted(edges, np.arange(n_codes), side="right")
    row = np.arange(len(codes))
    places = first_above[codes] * n_words + (row // 64)[:, None]
    marks = np.broadcast_to((np.uint64(1) << row.astype(np.uint64) % 64)[:, None], codes.shape)
    np.bitwise_xor.at(below.reshape(-1), places.ravel(), marks.ravel())
    np.bitwise_xor.accumulate(below, axis=0, out=below)
    return below[:-1]


def _as_one(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Write rows of small numbers as one number each, in the same order, where they fit.

    Single numbers are sorted several times as fast as rows.

    Examples
    --------
    >>> _as_one(np.array([[0, 2], [1, 0], [0, 1]])).tolist()
    [2, 3, 1]
    >>> _as_one(np.array([[2**40, 2**40]])).tolist()  # they do not fit
    [[1099511627776, 1099511627776]]
    """
    sizes = [int(size) + 1 for size in keys.max(axis=0, initial=0)]
    if math.prod(sizes) >= 2**62:
        return keys
    one = np.zeros(len(keys), dtype=np.int64)
    for column, size in zip(keys.T, sizes, strict=True):
        one = one * size + column
    return one


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


def padded(clauses: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Write clauses as rows of condition ids, padded with ``NO_CONDITION``.

    Examples
    --------
    >>> padded([(4,), (2, 7)]).tolist()
    [[4, -1], [2, 7]]
    """
    lengths = np.fromiter(map(len, clauses), dtype=np.int64, count=len(clauses))
    rows = np.full((len(clauses), max(1, lengths.max(initial=0))), NO_CONDITION, dtype=np.int32)
    n_conditions = int(lengths.sum())
    every = np.fromiter(chain.from_iterable(clauses), dtype=np.int32, count=n_conditions)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = every
    return rows


def cover_rows(bits: NDArray[np.uint64], clauses: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Return the rows that each clause of one condition or more covers, as bits.

    ``bits`` are the rows on which each condition is true; ``clauses`` are padded.

    Examples
    --------
    >>> bits = pack_bits(np.array([[True, True, False], [False, True, True]]))
    >>> cover_rows(bits, padded([(0,), (0, 1)])).tolist()
    [[3], [2]]
    """
    covers = np.full((len(clauses), bits.shape[1]), ~np.uint64(0))
    for conditions in clauses.T:
        is_one = conditions != NO_CONDITION
        covers[is_one] &= bits[conditions[is_one]]
    return covers


def weigh_rows(words: NDArray[np.uint64], weights: NDArray[np.number]) -> NDArray[np.float64]:
    """Weight of the rows in each set of bits: exact for integers, whose sums are below 2**52.

    Examples
    --------
    >>> weigh_rows(np.array([[5], [2]], dtype=np.uint64), np.array([1, 10, 100])).tolist()
    [101.0, 10.0]
    """
    if len(weights) and (weights == weights[0]).all():
        return np.bitwise_count(words).sum(axis=1) * float(weights[0])
    size = max(1, MOST_UNPACKED // max(len(weights), 1))
    parts = [
        unpack_bits(words[first : first + size], len(weights)) @ weights.astype(np.float64)
        for first in range(0, len(words), size)
    ]
    return np.concatenate([np.empty(0), *parts])


def sum_costs(words: NDArray[np.uint64], costs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum costs (S, n) over the rows in each set of bits, exactly, whatever they come to.

    Examples
    --------
    >>> sum_costs(np.array([[5], [2]], dtype=np.uint64), np.array([[1, 10, 100]])).tolist()
    [[101], [10]]
    """
    n_rows = costs.shape[1]
    size = max(1, MOST_UNPACKED // max(n_rows, 1))
    parts = [
        unpack_bits(words[first : first + size], n_rows).astype(np.int64) @ costs.T
        for first in range(0, len(words), size)
    ]
    return np.concatenate([np.empty((0, len(costs)), dtype=np.int64), *parts])


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
