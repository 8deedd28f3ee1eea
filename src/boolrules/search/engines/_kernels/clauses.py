"""Expand and extend clauses: arrays in, arrays out, nothing checked.

Each kernel has its specification in ``numpy_engine``; tests hold them equal. They release the GIL,
so that threads can share the nodes of a batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boolrules.search.engines._kernels.compiling import compiled, inlined
from boolrules.search.engines._kernels.sorting import sort_places

_DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACE_OF_BIT = np.zeros(64, dtype=np.int64)
for _place in range(64):
    _PLACE_OF_BIT[((0x03F79D71B4CB0A89 << _place) & 0xFFFFFFFFFFFFFFFF) >> 58] = _place
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_SHIFT = np.uint64(58)


class Side(NamedTuple):
    """P or Z for a kernel.

    bits: uint64 (J, n_words), on which rows each condition holds; codes: unsigned (n,
    n_features); weights: int64 (n,), μ for P; runs: int64 (n_runs, 3), first word, last word + 1
    and weight, where all rows of some words weigh the same; mixed: int64 (n_mixed,), the other
    words; tables: int64 (8 n_mixed, 256), the weight of every choice among eight of their rows, or
    none.
    """

    bits: Any
    codes: Any
    weights: Any
    runs: Any
    mixed: Any
    tables: Any


class Conditions(NamedTuple):
    """The conditions for a kernel.

    feature: int64 (J,); ranges: int64 (J, 4); chain: int64 (J,); offsets: int64 (n_features + 1,),
    where each feature's bins start, one more than its codes apart.
    """

    feature: Any
    ranges: Any
    chain: Any
    offsets: Any


@inlined
def _keep(bits, j, cover):
    """Leave of ``cover`` the rows on which condition j holds."""
    for word in range(cover.shape[0]):
        cover[word] &= bits[j, word]


@inlined
def _cover(bits, clause, n_rows, cover):
    """Write the rows that the clause covers to ``cover``, as bits.

    clause: int32, padded with -1; cover: uint64 (n_words,).
    """
    if clause.shape[0] == 0 or clause[0] < 0:
        for word in range(cover.shape[0]):
            left = n_rows - 64 * word
            cover[word] = ~_ZERO if left >= 64 else (_ONE << np.uint64(max(left, 0))) - _ONE
        return
    for word in range(cover.shape[0]):
        cover[word] = bits[clause[0], word]
    for place in range(1, clause.shape[0]):
        if clause[place] < 0:
            break
        _keep(bits, clause[place], cover)


@inlined
def _list_rows(cover, rows):
    """Write the numbers of the covered rows to ``rows``, int64 (n,), and return how many."""
    n = 0
    for word in range(cover.shape[0]):
        covered = cover[word]
        while covered:
            lowest = covered & (~covered + _ONE)
            rows[n] = 64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]
            n += 1
            covered ^= lowest
    return n


@inlined
def _is_within(bits, j, k, cover):
    """Whether condition j holds on no covered row on which k does not."""
    for word in range(bits.shape[1]):
        if bits[j, word] & ~bits[k, word] & cover[word]:
            return False
    return True


@inlined
def _histogram(side_weights, codes, rows, n, features, n_features, offsets, histogram):
    """Cumulative weight by bin, for some features.

    Histogram[offset + b] = weight of codes below b.
    """
    for place in range(n_features):
        f = features[place]
        for b in range(offsets[f], offsets[f + 1]):
            histogram[b] = 0
    total = 0
    for r in range(n):
        i = rows[r]
        weight = side_weights[i]
        total += weight
        for place in range(n_features):
            f = features[place]
            histogram[offsets[f] + codes[i, f] + 1] += weight
    for place in range(n_features):
        f = features[place]
        for b in range(offsets[f] + 1, offsets[f + 1]):
            histogram[b] += histogram[b - 1]
    return total


@inlined
def _count(word):
    """How many bits are set; compiled to one instruction where there is one."""
    word -= (word >> _ONE) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def _fullest(cover):
    """Which word has the most covered rows."""
    fullest = 0
    for word in range(cover.shape[0]):
        if _count(cover[word]) > _count(cover[fullest]):
            fullest = word
    return fullest


@inlined
def _count_all(cover):
    """How many rows are covered."""
    n = 0
    for word in range(cover.shape[0]):
        n += _count(cover[word])
    return n


@inlined
def _weight_of_word(side, place, left):
    """Weight of some rows of the mixed word at a place."""
    total = 0
    if side.tables.shape[0] > 0:
        octet = 8 * place
        while left:
            total += side.tables[octet, left & np.uint64(255)]
            left >>= np.uint64(8)
            octet += 1
        return total
    first = 64 * side.mixed[place]
    while left:
        lowest = left & (~left + _ONE)
        total += side.weights[first + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]]
        left ^= lowest
    return total


@inlined
def _sum_over_bits(side, j, cover):
    """Weight of the covered rows on which condition j holds, from bits alone."""
    total = 0
    for run in range(side.runs.shape[0]):
        n = 0
        for word in range(side.runs[run, 0], side.runs[run, 1]):
            n += _count(side.bits[j, word] & cover[word])
        total += n * side.runs[run, 2]
    for place in range(side.mixed.shape[0]):
        word = side.mixed[place]
        total += _weight_of_word(side, place, side.bits[j, word] & cover[word])
    return total


@inlined
def _weigh(side, cover):
    """Weight of the covered rows, from bits alone."""
    total = 0
    for run in range(side.runs.shape[0]):
        n = 0
        for word in range(side.runs[run, 0], side.runs[run, 1]):
            n += _count(cover[word])
        total += n * side.runs[run, 2]
    for place in range(side.mixed.shape[0]):
        total += _weight_of_word(side, place, cover[side.mixed[place]])
    return total


@inlined
def _prefers_bits(side, n_allowed, cover, n_active, n_bins):
    """Whether sums over bits are cheaper than a histogram of the covered rows over bins."""
    n_mixed = side.mixed.shape[0]
    if n_mixed > 0 and side.tables.shape[0] == 0:
        return False
    # Long runs are counted eight words at a time.
    n_steps = side.runs.shape[0] + side.bits.shape[1] // 8 + 8 * n_mixed
    if n_allowed * n_steps < 2 * n_bins:
        return True
    return n_allowed * n_steps < 2 * (_count_all(cover) * n_active + n_bins)


@inlined
def _sum_over_ranges(histogram, offset, ranges, j):
    return (
        histogram[offset + ranges[j, 1]]
        - histogram[offset + ranges[j, 0]]
        + histogram[offset + ranges[j, 3]]
        - histogram[offset + ranges[j, 2]]
    )


@inlined
def _bound_below(paid, N_j, floor, chain, terms, most_more, top_value, top_chain, n_top):
    """The least that a clause strictly below a child could cost; see ``NumpyEngine._bound``.

    paid: what the child's own clause costs, zeros apart; floor: zeros that no other condition
    eliminates; top_value, top_chain: the largest eliminations, one per chain.
    """
    best = terms.threshold
    rest = N_j
    more = 0
    for t in range(n_top):
        if top_chain[t] == chain:
            continue
        more += 1
        paid += terms.condition_price
        if more > most_more or paid >= best:
            break
        rest -= top_value[t]
        if rest <= floor:
            return min(best, paid + floor)
        best = min(best, paid + rest)
    return best


@inlined
def _elimination_needed(paid, N_j, floor, chain, terms, most_more, top_value, top_chain, n_top):
    """How much a condition must eliminate, and more, to be of use below a child.

    See ``NumpyEngine._of_use``; the arguments are those of ``_bound_below``.
    """
    needed = N_j
    rest = N_j
    more = 0
    for t in range(n_top):
        if top_chain[t] == chain:
            continue
        more += 1
        paid += terms.condition_price
        if more > most_more or paid + floor >= terms.threshold:
            break
        needed = min(needed, paid + rest - terms.threshold)
        rest -= top_value[t]
    return needed


@inlined
def _keep_largest(value, chain, most, top_value, top_chain, n_top):
    """Put a value into the list of the largest, in decreasing order, one per chain.

    Return its length.
    """
    spot = -1
    for t in range(n_top):
        if top_chain[t] == chain:
            spot = t
            break
    if spot >= 0:
        if value <= top_value[spot]:
            return n_top
    elif n_top < most:
        spot = n_top
        n_top += 1
    elif n_top > 0 and value > top_value[n_top - 1]:
        spot = n_top - 1
    else:
        return n_top
    while spot > 0 and top_value[spot - 1] < value:
        top_value[spot] = top_value[spot - 1]
        top_chain[spot] = top_chain[spot - 1]
        spot -= 1
    top_value[spot] = value
    top_chain[spot] = chain
    return n_top


@compiled
def extend(P, Z, conditions, clauses, M, N, M_extended, N_extended):
    """Sums of each clause and of each clause with one condition more; see ``ExtensionSums``.

    clauses: int32 (B, width); M, N: int64 (B,), written; M_extended, N_extended: int64 (B, J),
    written.
    """
    J = conditions.feature.shape[0]
    n_features = conditions.offsets.shape[0] - 1
    features = np.empty(n_features, dtype=np.int64)
    for f in range(n_features):
        features[f] = f
    histogram = np.zeros(conditions.offsets[n_features], dtype=np.int64)
    rows = np.empty(max(P.codes.shape[0], Z.codes.shape[0]), dtype=np.int64)
    cover_P = np.empty(P.bits.shape[1], dtype=np.uint64)
    cover_Z = np.empty(Z.bits.shape[1], dtype=np.uint64)
    for b in range(clauses.shape[0]):
        _cover(P.bits, clauses[b], P.codes.shape[0], cover_P)
        n = _list_rows(cover_P, rows)
        M[b] = _histogram(
            P.weights, P.codes, rows, n, features, n_features, conditions.offsets, histogram
        )
        for j in range(J):
            offset = conditions.offsets[conditions.feature[j]]
            M_extended[b, j] = _sum_over_ranges(histogram, offset, conditions.ranges, j)
        _cover(Z.bits, clauses[b], Z.codes.shape[0], cover_Z)
        n = _list_rows(cover_Z, rows)
        N[b] = _histogram(
            Z.weights, Z.codes, rows, n, features, n_features, conditions.offsets, histogram
        )
        for j in range(J):
            offset = conditions.offsets[conditions.feature[j]]
            N_extended[b, j] = _sum_over_ranges(histogram, offset, conditions.ranges, j)


@compiled
def expand(
    P, Z, conditions, terms, clauses, lengths, allowed, first, found, children, before_child
):
    """Expand nodes ``first``, ``first + 1``, ….

    Price their children and bound what lies below them.

    clauses: int32 (B, width); lengths: int64 (B,); allowed: uint64 (B, J_words). Written are
    found: int64 (F, 5): node, condition, reduced cost, M, N; children: int64 (K, 4): node,
    condition, bound, M; before_child: uint64 (K, J_words): the conditions that a child may still
    use. Returns (next node, number found, number of children); stops before a node that may not
    fit.
    """
    J = conditions.feature.shape[0]
    n_features = conditions.offsets.shape[0] - 1
    n_bins = conditions.offsets[n_features]
    hist_M = np.zeros(n_bins, dtype=np.int64)
    hist_N = np.zeros(n_bins, dtype=np.int64)
    rows = np.empty(max(P.codes.shape[0], Z.codes.shape[0]), dtype=np.int64)
    cover_P = np.empty(P.bits.shape[1], dtype=np.uint64)
    cover_Z = np.empty(Z.bits.shape[1], dtype=np.uint64)
    stays_Z = np.empty(Z.bits.shape[1], dtype=np.uint64)
    is_active = np.zeros(n_features, dtype=np.bool_)
    features = np.empty(n_features, dtype=np.int64)
    useful = np.empty(J, dtype=np.int64)
    minus_M = np.empty(J, dtype=np.int64)
    N_of = np.empty(J, dtype=np.int64)
    order = np.empty(J, dtype=np.int64)
    kept = np.empty(J, dtype=np.int64)
    zeros_kept = np.empty(J, dtype=np.int64)
    word_P = np.empty(J, dtype=np.uint64)
    word_Z = np.empty(J, dtype=np.uint64)
    survives = np.empty(J, dtype=np.bool_)
    top_value = np.zeros(terms.longest + 1, dtype=np.int64)
    top_chain = np.zeros(terms.longest + 1, dtype=np.int64)
    J_words = allowed.shape[1]
    n_found = 0
    n_children = 0
    for b in range(first, clauses.shape[0]):
        if n_found + J > found.shape[0] or n_children + J > children.shape[0]:
            return b, n_found, n_children
        n_active = 0
        n_allowed = 0
        for f in range(n_features):
            is_active[f] = False
        for word in range(J_words):
            left = allowed[b, word]
            while left:
                lowest = left & (~left + _ONE)
                left ^= lowest
                n_allowed += 1
                f = conditions.feature[64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]]
                if not is_active[f]:
                    is_active[f] = True
                    features[n_active] = f
                    n_active += 1
        _cover(P.bits, clauses[b], P.codes.shape[0], cover_P)
        has_bits_P = _prefers_bits(P, n_allowed, cover_P, n_active, n_bins)
        if not has_bits_P:
            n = _list_rows(cover_P, rows)
            _histogram(P.weights, P.codes, rows, n, features, n_active, conditions.offsets, hist_M)
        _cover(Z.bits, clauses[b], Z.codes.shape[0], cover_Z)
        has_bits_Z = _prefers_bits(Z, n_allowed, cover_Z, n_active, n_bins)
        if has_bits_Z:
            N_here = _weigh(Z, cover_Z)
        else:
            n = _list_rows(cover_Z, rows)
            N_here = _histogram(
                Z.weights, Z.codes, rows, n, features, n_active, conditions.offsets, hist_N
            )
        length = lengths[b]
        price = terms.clause_price + terms.condition_price * (length + 1)
        most_more = terms.longest - length - 1
        # The conditions that leave enough positives and eliminate enough zeros.
        n_useful = 0
        for word in range(J_words):
            left = allowed[b, word]
            while left:
                lowest = left & (~left + _ONE)
                left ^= lowest
                j = 64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]
                offset = conditions.offsets[conditions.feature[j]]
                if has_bits_P:
                    M_j = _sum_over_bits(P, j, cover_P)
                else:
                    M_j = _sum_over_ranges(hist_M, offset, conditions.ranges, j)
                if price - M_j >= terms.threshold:
                    continue
                if has_bits_Z:
                    N_j = _sum_over_bits(Z, j, cover_Z)
                else:
                    N_j = _sum_over_ranges(hist_N, offset, conditions.ranges, j)
                if most_more == 0 and price - M_j + N_j >= terms.threshold:
                    continue
                if N_here - N_j > terms.least_elimination:
                    useful[n_useful] = j
                    minus_M[n_useful] = -M_j
                    N_of[n_useful] = N_j
                    n_useful += 1
                elif length == 0 and price - M_j + N_j < terms.threshold:
                    found[n_found, 0] = b
                    found[n_found, 1] = j
                    found[n_found, 2] = price - M_j + N_j
                    found[n_found, 3] = M_j
                    found[n_found, 4] = N_j
                    n_found += 1
        if n_useful == 0:
            continue
        sort_places(minus_M, n_useful, order, kept)
        # First as if no condition beat another: the bounds can only be lower. Most nodes end here.
        n_live = 0
        n_top = 0
        for word in range(cover_Z.shape[0]):
            stays_Z[word] = cover_Z[word]
        n_stayed = 0
        floor = N_here
        for place in range(n_useful):
            u = order[place]
            j = useful[u]
            M_j = -minus_M[u]
            chain = conditions.chain[j]
            survives[place] = False
            if most_more > 0:
                bound = _bound_below(
                    price - M_j, N_of[u], 0, chain, terms, most_more, top_value, top_chain, n_top
                )
                # The floor takes time, and few need it.
                if bound < terms.threshold and floor > 0:
                    for earlier in range(n_stayed, place):
                        _keep(Z.bits, useful[order[earlier]], stays_Z)
                    n_stayed = place
                    floor = _sum_over_bits(Z, j, stays_Z)
                    bound = _bound_below(
                        price - M_j,
                        N_of[u],
                        floor,
                        chain,
                        terms,
                        most_more,
                        top_value,
                        top_chain,
                        n_top,
                    )
                survives[place] = bound < terms.threshold
            if survives[place] or price - M_j + N_of[u] < terms.threshold:
                n_live = place + 1
            n_top = _keep_largest(
                N_here - N_of[u], chain, most_more + 1, top_value, top_chain, n_top
            )
        if n_live == 0:
            continue
        fullest_P = _fullest(cover_P)
        fullest_Z = _fullest(cover_Z)
        n_kept = 0
        n_top = 0
        for word in range(cover_Z.shape[0]):
            stays_Z[word] = cover_Z[word]
        n_stayed = 0
        floor = N_here
        for place in range(n_live):
            u = order[place]
            j = useful[u]
            M_j = -minus_M[u]
            is_beaten = False
            holds_P = P.bits[j, fullest_P] & cover_P[fullest_P]
            fails_Z = ~Z.bits[j, fullest_Z] & cover_Z[fullest_Z]
            for other in range(n_kept):
                # One branch, seldom taken: N and the fullest words settle most pairs.
                differs = (holds_P & ~word_P[other]) | (fails_Z & word_Z[other])
                if (zeros_kept[other] > N_of[u]) | (differs != _ZERO):
                    continue
                k = useful[kept[other]]
                if _is_within(P.bits, j, k, cover_P) and _is_within(Z.bits, k, j, cover_Z):
                    is_beaten = True
                    break
            if is_beaten:
                continue
            reduced_cost = price - M_j + N_of[u]
            if reduced_cost < terms.threshold:
                found[n_found, 0] = b
                found[n_found, 1] = j
                found[n_found, 2] = reduced_cost
                found[n_found, 3] = M_j
                found[n_found, 4] = N_of[u]
                n_found += 1
            chain = conditions.chain[j]
            if survives[place]:
                if floor > 0:
                    for other in range(n_stayed, n_kept):
                        _keep(Z.bits, useful[kept[other]], stays_Z)
                    n_stayed = n_kept
                    floor = _sum_over_bits(Z, j, stays_Z)
                bound = _bound_below(
                    price - M_j,
                    N_of[u],
                    floor,
                    chain,
                    terms,
                    most_more,
                    top_value,
                    top_chain,
                    n_top,
                )
                if bound < terms.threshold:
                    children[n_children, 0] = b
                    children[n_children, 1] = j
                    children[n_children, 2] = bound
                    children[n_children, 3] = M_j
                    needed = _elimination_needed(
                        price - M_j,
                        N_of[u],
                        floor,
                        chain,
                        terms,
                        most_more,
                        top_value,
                        top_chain,
                        n_top,
                    )
                    for word in range(J_words):
                        before_child[n_children, word] = _ZERO
                    for other in range(n_kept):
                        k = useful[kept[other]]
                        is_looser = conditions.chain[k] == chain and zeros_kept[other] >= N_of[u]
                        if N_here - zeros_kept[other] > needed and not is_looser:
                            before_child[n_children, k >> 6] |= _ONE << np.uint64(k & 63)
                    n_children += 1
            kept[n_kept] = u
            zeros_kept[n_kept] = N_of[u]
            word_P[n_kept] = P.bits[j, fullest_P]
            word_Z[n_kept] = Z.bits[j, fullest_Z]
            n_kept += 1
            n_top = _keep_largest(
                N_here - N_of[u], chain, most_more + 1, top_value, top_chain, n_top
            )
    return clauses.shape[0], n_found, n_children
