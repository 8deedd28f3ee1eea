"""Find clauses and choose among them, without a proof: arrays in, arrays out, nothing checked.

Each kernel has its specification in ``numpy_fast_path``; tests hold them equal. They release the
GIL, so that threads can work on folds side by side. What they write to is made before, in Python:
to compile how arrays are made would take half a second of each machine's first fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boolrules.search.engines._kernels.clauses import (
    _DEBRUIJN,
    _ONE,
    _PLACE_OF_BIT,
    _SHIFT,
    _count,
)
from boolrules.search.engines._kernels.compiling import compiled, inlined
from boolrules.search.engines._kernels.rule_sets import _overlap

NO_CONDITION = -1
# A step must gain more than what floating-point sums may err by, or two columns could take turns
# for ever: so much, and so much of all weight.
LEAST_GAIN = 1e-9
LEAST_SHARE = 1e-11


class CodedRows(NamedTuple):
    """P and Z for a kernel: unsigned codes (n, n_features), and what each zero weighs (n_Z,)."""

    codes_P: Any
    codes_Z: Any
    weights_Z: Any


class Ranges(NamedTuple):
    """The conditions: int64 feature (J,), ranges (J, 4), and offsets of each feature's bins."""

    feature: Any
    ranges: Any
    offsets: Any


@inlined
def _holds(ranges, j, code):
    """Whether condition j holds on a code of its feature."""
    return (ranges[j, 0] <= code < ranges[j, 1]) or (ranges[j, 2] <= code < ranges[j, 3])


@inlined
def _covers(conditions, clause, codes, i, left_out):
    """Whether the clause covers row i, whatever its condition at the place left out says."""
    for place in range(clause.shape[0]):
        j = clause[place]
        if j < 0:
            break
        if place != left_out and not _holds(conditions.ranges, j, codes[i, conditions.feature[j]]):
            return False
    return True


@inlined
def _add_row(codes, i, weight, offsets, histogram):
    for f in range(codes.shape[1]):
        histogram[offsets[f] + codes[i, f] + 1] += weight


@inlined
def _accumulate(offsets, histogram):
    """Make a histogram cumulative, feature by feature."""
    for f in range(offsets.shape[0] - 1):
        for b in range(offsets[f] + 1, offsets[f + 1]):
            histogram[b] += histogram[b - 1]


@inlined
def _sum_where(conditions, j, histogram):
    """Weight of the rows on which condition j holds."""
    offset = conditions.offsets[conditions.feature[j]]
    return (
        histogram[offset + conditions.ranges[j, 1]]
        - histogram[offset + conditions.ranges[j, 0]]
        + histogram[offset + conditions.ranges[j, 3]]
        - histogram[offset + conditions.ranges[j, 2]]
    )


@inlined
def _keep(found, n, most, score, M, N, parent, j):
    """Put an entry among the best, in growing order, one for each pair of sums.

    found: float64 (most, 5): score, M, N, parent, condition. Return how many there are.
    """
    if n == most and score >= found[n - 1, 0]:
        return n
    for place in range(n):
        if found[place, 1] == M and found[place, 2] == N:
            return n
    place = n if n < most else most - 1
    while place > 0 and found[place - 1, 0] > score:
        for field in range(5):
            found[place, field] = found[place - 1, field]
        place -= 1
    found[place, 0] = score
    found[place, 1] = M
    found[place, 2] = N
    found[place, 3] = parent
    found[place, 4] = j
    return min(n + 1, most)


@inlined
def _filter(conditions, j, codes, rows, n, kept):
    """Write the rows on which condition j holds; return how many."""
    f = conditions.feature[j]
    n_kept = 0
    for r in range(n):
        if _holds(conditions.ranges, j, codes[rows[r], f]):
            kept[n_kept] = rows[r]
            n_kept += 1
    return n_kept


class _Beams(NamedTuple):
    """Two beams, the one that grows and the one that comes, and what is found.

    rows_P, rows_Z: int32 (2, width, n), of which counts_P, counts_Z, int64 (2, width), are
    covered; clauses: int32 (2, width, longest); hist_M, hist_N: float64 (n_bins,); to_grow,
    gaining, float64 (width or most, 5); found: int32 (longest × most, longest); sums: float64
    (longest × most, 2).
    """

    rows_P: Any
    rows_Z: Any
    counts_P: Any
    counts_Z: Any
    clauses: Any
    hist_M: Any
    hist_N: Any
    to_grow: Any
    gaining: Any
    found: Any
    sums: Any


def grow_clauses(rows, conditions, mu, price, width, longest, most, wide, few):
    """Beam search: grow clauses one condition at a time, and keep the best of each length.

    mu: float64 (n_P,), what each positive is worth; price: what a clause costs beside the zeros
    that it covers, and each of its conditions. Beyond ``wide`` conditions the beam is as narrow as
    ``few``, and ends where no clause gains more than all that are shorter. Returns the best of
    each length that gain, int32 (n, longest) padded with -1, and their sums M, N, float64 (n, 2).
    """
    beams = _Beams(
        np.empty((2, width, len(rows.codes_P)), dtype=np.int32),
        np.empty((2, width, len(rows.codes_Z)), dtype=np.int32),
        np.zeros((2, width), dtype=np.int64),
        np.zeros((2, width), dtype=np.int64),
        np.full((2, width, longest), NO_CONDITION, dtype=np.int32),
        np.empty(conditions.offsets[-1]),
        np.empty(conditions.offsets[-1]),
        np.empty((width, 5)),
        np.empty((most, 5)),
        np.full((longest * most, longest), NO_CONDITION, dtype=np.int32),
        np.empty((longest * most, 2)),
    )
    n = grow(rows, conditions, mu, price, wide, few, beams)
    return beams.found[:n], beams.sums[:n]


@compiled
def grow(rows, conditions, mu, price, wide, few, beams):
    """Grow clauses in beams; return how many were found."""
    width, most = beams.to_grow.shape[0], beams.gaining.shape[0]
    longest = beams.found.shape[1]
    n_P = rows.codes_P.shape[0]
    n_Z = rows.codes_Z.shape[0]
    rows_P, counts_P, hist_M = beams.rows_P, beams.counts_P, beams.hist_M
    rows_Z, counts_Z, hist_N = beams.rows_Z, beams.counts_Z, beams.hist_N
    to_grow, gaining = beams.to_grow, beams.gaining
    n = 0
    for i in range(n_P):
        if mu[i] > 0:
            rows_P[0, 0, n] = i
            n += 1
    counts_P[0, 0] = n
    for i in range(n_Z):
        rows_Z[0, 0, i] = i
    counts_Z[0, 0] = n_Z
    now = 0
    n_beam = 1
    n_clauses = 0
    best = 0.0
    for length in range(1, longest + 1):
        paid = price * (length + 1)
        n_to_grow = 0
        n_gaining = 0
        for b in range(n_beam):
            hist_M[:] = 0
            hist_N[:] = 0
            for r in range(counts_P[now, b]):
                i = rows_P[now, b, r]
                _add_row(rows.codes_P, i, mu[i], conditions.offsets, hist_M)
            N_here = 0.0
            for r in range(counts_Z[now, b]):
                i = rows_Z[now, b, r]
                N_here += rows.weights_Z[i]
                _add_row(rows.codes_Z, i, rows.weights_Z[i], conditions.offsets, hist_N)
            _accumulate(conditions.offsets, hist_M)
            _accumulate(conditions.offsets, hist_N)
            for j in range(conditions.feature.shape[0]):
                M = _sum_where(conditions, j, hist_M)
                if paid >= M:
                    continue
                N = _sum_where(conditions, j, hist_N)
                is_idle = N_here <= N
                # No clause is empty, so the first condition need not leave out a zero.
                if is_idle and length > 1:
                    continue
                if length < longest and N > 0 and not is_idle:
                    n_to_grow = _keep(to_grow, n_to_grow, width, N - M, M, N, b, j)
                if N - M + paid < 0:
                    n_gaining = _keep(gaining, n_gaining, most, N - M, M, N, b, j)
        if length >= wide:
            n_to_grow = min(n_to_grow, few)
        if length > wide:
            n_gaining = min(n_gaining, few)
            if n_gaining == 0 or gaining[0, 0] + paid >= best:
                break
        if n_gaining > 0:
            best = min(best, gaining[0, 0] + paid)
        for place in range(n_gaining):
            parent = np.int64(gaining[place, 3])
            for k in range(longest):
                beams.found[n_clauses, k] = beams.clauses[now, parent, k]
            beams.found[n_clauses, length - 1] = np.int32(gaining[place, 4])
            beams.sums[n_clauses, 0] = gaining[place, 1]
            beams.sums[n_clauses, 1] = gaining[place, 2]
            n_clauses += 1
        then = 1 - now
        for place in range(n_to_grow):
            parent = np.int64(to_grow[place, 3])
            joins = np.int64(to_grow[place, 4])
            for k in range(longest):
                beams.clauses[then, place, k] = beams.clauses[now, parent, k]
            beams.clauses[then, place, length - 1] = joins
            counts_P[then, place] = _filter(
                conditions,
                joins,
                rows.codes_P,
                rows_P[now, parent],
                counts_P[now, parent],
                rows_P[then, place],
            )
            counts_Z[then, place] = _filter(
                conditions,
                joins,
                rows.codes_Z,
                rows_Z[now, parent],
                counts_Z[now, parent],
                rows_Z[then, place],
            )
        n_beam = n_to_grow
        now = then
    return n_clauses


def exchange_conditions(rows, conditions, mu, clauses):
    """Exchange one condition of each clause for a better one, the best of all, while it gains.

    clauses: int32 (n, longest) padded with -1, changed in place.
    """
    n_bins = conditions.offsets[-1]
    exchange(rows, conditions, mu, clauses, np.empty(n_bins), np.empty(n_bins))


@compiled
def exchange(rows, conditions, mu, clauses, hist_M, hist_N):
    """Exchange conditions; hist_M, hist_N: float64 (n_bins,), written."""
    for k in range(clauses.shape[0]):
        clause = clauses[k]
        best = -np.inf
        best_place = 0
        while best_place >= 0:
            best_place = -1
            best_j = -1
            for place in range(clause.shape[0]):
                if clause[place] < 0:
                    break
                hist_M[:] = 0
                hist_N[:] = 0
                for i in range(rows.codes_P.shape[0]):
                    if mu[i] > 0 and _covers(conditions, clause, rows.codes_P, i, place):
                        _add_row(rows.codes_P, i, mu[i], conditions.offsets, hist_M)
                for i in range(rows.codes_Z.shape[0]):
                    if _covers(conditions, clause, rows.codes_Z, i, place):
                        _add_row(rows.codes_Z, i, rows.weights_Z[i], conditions.offsets, hist_N)
                _accumulate(conditions.offsets, hist_M)
                _accumulate(conditions.offsets, hist_N)
                for j in range(conditions.feature.shape[0]):
                    gain = _sum_where(conditions, j, hist_M) - _sum_where(conditions, j, hist_N)
                    if gain <= best + LEAST_GAIN:
                        continue
                    is_new = True
                    for other in range(clause.shape[0]):
                        if other != place and clause[other] == j:
                            is_new = False
                    if is_new:
                        best = gain
                        best_place = place
                        best_j = j
            if best_place >= 0:
                clause[best_place] = best_j


@compiled
def cover_clauses(rows, conditions, clauses, covers, zeros):
    """Write which positives each clause covers, as bits, and the weight of the zeros it covers.

    covers: uint64 (n, n_words); zeros: float64 (n,).
    """
    for k in range(clauses.shape[0]):
        covers[k] = 0
        for i in range(rows.codes_P.shape[0]):
            if _covers(conditions, clauses[k], rows.codes_P, i, -1):
                covers[k, i >> 6] |= _ONE << np.uint64(i & 63)
        zeros[k] = 0
        for i in range(rows.codes_Z.shape[0]):
            if _covers(conditions, clauses[k], rows.codes_Z, i, -1):
                zeros[k] += rows.weights_Z[i]


@inlined
def _count_in(bits, times, by):
    """Add to how many chosen columns cover each positive."""
    for word in range(bits.shape[0]):
        left = bits[word]
        while left:
            lowest = left & (~left + _ONE)
            times[64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]] += by
            left ^= lowest


# Weights of more binary digits are added up one by one, which takes no longer.
MOST_DIGITS = 5


def _in_binary(weights: Any, n_words: int) -> Any:
    """Return weights digit by digit, uint64 (digits, n_words): bit i is that of weight i.

    None where some weight is no whole number, or too large.
    """
    top = weights.max(initial=1.0)
    if top >= 1 << MOST_DIGITS or (weights != np.rint(weights)).any():
        return None
    digits = np.zeros((int(top).bit_length(), 64 * n_words), dtype=np.bool_)
    for d in range(len(digits)):
        digits[d, : len(weights)] = weights.astype(np.int64) >> d & 1
    return np.packbits(digits, axis=1, bitorder="little").view(np.uint64)


@inlined
def _weigh(cover, among, digits, weights):
    """Weight of the positives in both: counted digit by digit, where weights have digits.

    Each of the two ways is compiled where it is met.
    """
    if digits is None:
        return _overlap(cover, among, weights, np.inf)
    total = 0
    for word in range(cover.shape[0]):
        both = cover[word] & among[word]
        if both:
            for d in range(digits.shape[0]):
                total += _count(both & digits[d, word]) << d
    return float(total)


class _Choice(NamedTuple):
    """What a choice among K columns needs to know.

    digits: weights in binary, uint64 (digits, n_words), or None; chosen: int64, as many as there
    may be; is_chosen: bool (K,); times: int64 (n_P,), how many chosen columns cover each positive;
    missed, once: uint64 (n_words,), which none or one covers; gained: float64 (K,).
    """

    digits: Any
    chosen: Any
    is_chosen: Any
    times: Any
    missed: Any
    once: Any
    gained: Any


def choose_clauses(covers, costs, lengths, weights, room, start):
    """Add, drop or swap columns, the best move each time, while the objective falls.

    covers: uint64 (K, n_words); costs: float64 (K,); lengths: int64 (K,), conditions of each;
    weights: float64 (n_P,); room: int64, most conditions of a rule set with so many clauses, -1
    where there may not be so many; start: int64, columns to begin with, for which there is room.
    Returns the chosen columns in no order and their objective.
    """
    K, n_words = covers.shape
    choice = _Choice(
        _in_binary(weights, n_words),
        np.empty(max(len(room), len(start)), dtype=np.int64),
        np.zeros(K, dtype=np.bool_),
        np.zeros(len(weights), dtype=np.int64),
        np.empty(n_words, dtype=np.uint64),
        np.empty(n_words, dtype=np.uint64),
        np.empty(K),
    )
    n, objective = choose(covers, costs, lengths, weights, room, start, choice)
    return choice.chosen[:n].copy(), objective


@compiled
def choose(covers, costs, lengths, weights, room, start, choice):
    """Choose columns; return how many, and their objective."""
    K, n_words = covers.shape
    chosen, is_chosen, times = choice.chosen, choice.is_chosen, choice.times
    missed, once, gained = choice.missed, choice.once, choice.gained
    n = start.shape[0]
    for place in range(n):
        chosen[place] = start[place]
    used = 0
    objective = 0.0
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
    least_gain = max(LEAST_GAIN, LEAST_SHARE * total)
    for place in range(n):
        k = chosen[place]
        is_chosen[k] = True
        used += lengths[k]
        objective += costs[k]
        _count_in(covers[k], times, 1)
    for i in range(weights.shape[0]):
        if times[i] == 0:
            objective += weights[i]
    while True:
        missed[:] = 0
        once[:] = 0
        for i in range(weights.shape[0]):
            if times[i] == 0:
                missed[i >> 6] |= _ONE << np.uint64(i & 63)
            elif times[i] == 1:
                once[i >> 6] |= _ONE << np.uint64(i & 63)
        best = least_gain
        best_drop = -1
        best_add = -1
        longest = room[n + 1] - used if n + 1 < room.shape[0] else -1
        for k in range(K):
            gained[k] = _weigh(covers[k], missed, choice.digits, weights) - costs[k]
            if lengths[k] <= longest and gained[k] > best and not is_chosen[k]:
                best = gained[k]
                best_add = k
        for place in range(n):
            dropped = chosen[place]
            for word in range(n_words):
                missed[word] = once[word] & covers[dropped, word]
            lost = _weigh(missed, missed, choice.digits, weights)
            saved = costs[dropped] - lost
            if saved > best:
                best = saved
                best_drop = place
                best_add = -1
            longest = room[n] - used + lengths[dropped]
            for k in range(K):
                # Whoever would not be the best with all that was lost is not looked at.
                if lengths[k] > longest or is_chosen[k] or gained[k] + costs[dropped] <= best:
                    continue
                gain = gained[k] + saved + _weigh(covers[k], missed, choice.digits, weights)
                if gain > best:
                    best = gain
                    best_drop = place
                    best_add = k
        if best_drop < 0 and best_add < 0:
            break
        objective -= best
        if best_drop >= 0:
            dropped = chosen[best_drop]
            is_chosen[dropped] = False
            used -= lengths[dropped]
            _count_in(covers[dropped], times, -1)
            n -= 1
            chosen[best_drop] = chosen[n]
        if best_add >= 0:
            is_chosen[best_add] = True
            used += lengths[best_add]
            _count_in(covers[best_add], times, 1)
            chosen[n] = best_add
            n += 1
    return n, objective
