"""What a share of the rows says about nodes of the search: arrays in, arrays out.

A search over rows in many places asks each place twice about the conditions of a node, beside the
sums of ``extend``: which condition another beats, and which zeros all conditions before it keep.
Put together by ``PartitionedEngine``, the answers are those of ``numpy_engine``; tests hold them
equal.
"""

from __future__ import annotations

import numpy as np

from boolrules.search.engines._kernels.clauses import (
    _DEBRUIJN,
    _ONE,
    _PLACE_OF_BIT,
    _SHIFT,
    _bound_below,
    _is_within,
    _keep_largest,
    _sum_over_bits,
)
from boolrules.search.engines._kernels.compiling import compiled, inlined


@inlined
def _and_clause(bits, clause, cover):
    """Leave of ``cover`` the rows that the clause covers."""
    for place in range(clause.shape[0]):
        if clause[place] < 0:
            break
        for word in range(cover.shape[0]):
            cover[word] &= bits[clause[place], word]


@compiled
def differ(bits_P, among_P, bits_Z, among_Z, clauses, starts, members, places, is_unbeaten):
    """Say for which pairs of a node's conditions a row shows that one does not beat the other.

    among_P, among_Z: uint64 (n_words,), the rows that take part; clauses: int32 (B, width);
    starts: int64 (B + 1,) and members: int64, the conditions of each node, in order; places: int64
    (B + 1,), where each node's pairs begin. Written is is_unbeaten: bool, True at
    places[b] + a (a - 1) / 2 + e where a row keeps member e of node b from beating member a > e.
    """
    cover_P = np.empty(bits_P.shape[1], dtype=np.uint64)
    cover_Z = np.empty(bits_Z.shape[1], dtype=np.uint64)
    for b in range(clauses.shape[0]):
        cover_P[:] = among_P
        cover_Z[:] = among_Z
        _and_clause(bits_P, clauses[b], cover_P)
        _and_clause(bits_Z, clauses[b], cover_Z)
        pair = places[b]
        for a in range(starts[b], starts[b + 1]):
            for e in range(starts[b], a):
                j, k = members[a], members[e]
                is_unbeaten[pair] = not (
                    _is_within(bits_P, j, k, cover_P) and _is_within(bits_Z, k, j, cover_Z)
                )
                pair += 1


@compiled
def floors(Z, among_Z, clauses, starts, members, floor):
    """Weigh the zeros that a node's clause, each member, and all members before it cover.

    Z: Side; floor: int64 (len(members),), written.
    """
    stays = np.empty(Z.bits.shape[1], dtype=np.uint64)
    for b in range(clauses.shape[0]):
        stays[:] = among_Z
        _and_clause(Z.bits, clauses[b], stays)
        for a in range(starts[b], starts[b + 1]):
            floor[a] = _sum_over_bits(Z, members[a], stays)
            for word in range(stays.shape[0]):
                stays[word] &= Z.bits[members[a], word]


@compiled
def weigh(bits, among, weights, clauses, total):
    """Sum the weights of the rows that each clause covers: int64 (B,), written."""
    cover = np.empty(bits.shape[1], dtype=np.uint64)
    for b in range(clauses.shape[0]):
        cover[:] = among
        _and_clause(bits, clauses[b], cover)
        total[b] = 0
        for word in range(cover.shape[0]):
            left = cover[word]
            while left:
                lowest = left & (~left + _ONE)
                total[b] += weights[64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]]
                left ^= lowest


@compiled
def bounds(chain, terms, length, N_here, M, N, order, floor, bound):
    """Bound what lies below each child of a node; see ``NumpyEngine._bound``.

    chain: int64 (J,); M, N: int64 (J,); order: int64 (n,), the conditions by decreasing M; floor:
    int64 (n,), zeros that none of the conditions before eliminates; bound: int64 (n,), written.
    """
    price = terms.clause_price + terms.condition_price * (length + 1)
    most_more = terms.longest - length - 1
    top_value = np.zeros(terms.longest + 1, dtype=np.int64)
    top_chain = np.zeros(terms.longest + 1, dtype=np.int64)
    n_top = 0
    for place in range(order.shape[0]):
        j = order[place]
        bound[place] = _bound_below(
            price - M[j],
            N[j],
            floor[place],
            chain[j],
            terms,
            most_more,
            top_value,
            top_chain,
            n_top,
        )
        n_top = _keep_largest(N_here - N[j], chain[j], most_more + 1, top_value, top_chain, n_top)
