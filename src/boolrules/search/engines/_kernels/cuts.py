"""Search ranges of cuts, depth first: arrays in, arrays out, nothing checked.

The specification is ``numpy_cuts``; tests hold the two equal. It releases the GIL, so that threads
can share the open nodes of a search.
"""

from __future__ import annotations

import numpy as np

from boolrules.search.engines._kernels.compiling import compiled
from boolrules.search.engines._kernels.cut_node import (
    WHOLE,
    chains_moved,
    drop_dear_cuts,
    gains_below,
    is_beaten,
    keep_covered,
    leave_idle_cuts,
    pass_on,
    relax,
    share_anew,
    split,
)


@compiled
def search_cuts(
    P,
    Z,
    chains,
    terms,
    is_listing,
    n_rounds,
    step,
    most_nodes,
    root,
    found_sums,
    found_cuts,
    nodes,
):
    """Search below one node, depth first; see ``numpy_cuts.search_cuts``.

    root: ``CutNodes`` of one row. Written are found_sums: int64 (F, 3): reduced cost, M, N;
    found_cuts: int32 (F, C); nodes: ``CutNodes``, those left open. Returns
    (nodes searched, number found, number left open).
    """
    C = chains.n_cuts.shape[0]
    depth_limit = nodes.bound.shape[0]
    rows_P = np.empty((depth_limit, P.levels.shape[0]), dtype=np.uint32)
    rows_Z = np.empty((depth_limit, Z.levels.shape[0]), dtype=np.uint32)
    n_P = np.zeros(depth_limit, dtype=np.int64)
    n_Z = np.zeros(depth_limit, dtype=np.int64)
    cost = np.zeros(chains.offsets[C], dtype=np.int64)
    gain = np.zeros(chains.offsets[C], dtype=np.int64)
    least = np.zeros(C, dtype=np.int64)
    cut = np.zeros(C, dtype=np.int32)
    scratch = np.zeros(C, dtype=np.int64)
    only = np.zeros(C, dtype=np.bool_)
    is_taken = np.zeros(C, dtype=np.bool_)
    open_chains = np.zeros(C, dtype=np.uint32)
    moved = np.zeros(C, dtype=np.uint32)
    share = np.zeros(nodes.shares.shape[2], dtype=np.int64)
    loses = np.zeros(nodes.shares.shape[2], dtype=np.bool_)
    n_moved = 0
    n_P[0] = P.levels.shape[0]
    n_Z[0] = Z.levels.shape[0]
    for i in range(n_P[0]):
        rows_P[0, i] = i
    for i in range(n_Z[0]):
        rows_Z[0, i] = i
    nodes.first[0] = root.first[0]
    nodes.last[0] = root.last[0]
    nodes.bound[0] = root.bound[0]
    nodes.M[0] = root.M[0]
    nodes.shares[0] = root.shares[0]
    nodes.earned[0] = root.earned[0]
    n_P[0] = keep_covered(P.levels, nodes.first[0], rows_P[0], n_P[0])
    n_Z[0] = keep_covered(Z.levels, nodes.first[0], rows_Z[0], n_Z[0])
    n_found = 0
    n_nodes = 0
    d = 0
    while d >= 0:
        if n_nodes == most_nodes or n_found == found_cuts.shape[0]:
            break
        n_nodes += 1
        first, last = nodes.first[d], nodes.last[d]
        shares, earned = nodes.shares[d], nodes.earned[d]
        leave_idle_cuts(Z.levels, rows_Z[d], n_Z[d], first, last, scratch, open_chains)
        is_closed = False
        is_exact = False
        bound, M = nodes.bound[d], 0
        left = n_rounds
        while True:
            bound, M = relax(
                P, Z, chains, terms, rows_P[d], n_P[d], rows_Z[d], n_Z[d], first, last,
                shares, earned, cost, least, cut, open_chains, share, is_taken,
            )  # fmt: skip
            if bound >= terms.threshold:
                is_closed = True
                break
            if drop_dear_cuts(chains, terms.threshold - bound, first, last, cost, least):
                n_P[d] = keep_covered(P.levels, first, rows_P[d], n_P[d])
                n_Z[d] = keep_covered(Z.levels, first, rows_Z[d], n_Z[d])
            nodes.bound[d] = max(nodes.bound[d], bound)
            nodes.M[d] = M
            n_moved = chains_moved(first, cut, moved)
            if left > 0:
                share_anew(
                    P, Z, chains, rows_P[d], n_P[d], rows_Z[d], n_Z[d], cut, moved, n_moved,
                    shares, earned, step, loses,
                )  # fmt: skip
                left -= 1
                continue
            if n_moved == 0 and not is_exact:
                # The loosest cuts are best: then let every zero count, and the bound is exact.
                for place in range(n_Z[d]):
                    earned[rows_Z[d, place]] = WHOLE
                is_exact = True
                continue
            break
        if is_closed:
            d -= 1
            continue
        n_used = 0
        n_chosen = 0
        is_one = True
        for c in range(C):
            n_used += first[c] > 0
            n_chosen += cut[c] > 0
            is_one = is_one and first[c] == last[c]
        if n_used > terms.longest:
            d -= 1
            continue
        M_chosen, N = gains_below(
            P, Z, chains, rows_P[d], n_P[d], rows_Z[d], n_Z[d], cut, moved, n_moved,
            shares, earned, gain,
        )  # fmt: skip
        paid = terms.clause_price + terms.condition_price * n_chosen - M_chosen + N
        is_wanted = n_chosen > 0 and paid < terms.threshold
        if is_wanted and is_listing:
            is_wanted = is_one and not is_beaten(P, Z, cut, n_chosen, only, scratch)
        if is_wanted:
            found_sums[n_found, 0] = paid
            found_sums[n_found, 1] = M_chosen
            found_sums[n_found, 2] = N
            found_cuts[n_found] = cut
            n_found += 1
        if is_one or (not is_listing and n_moved == 0 and n_used > 0 and paid <= bound):
            d -= 1
            continue
        chain, t = split(
            chains, terms.condition_price, terms.threshold - bound, first, last, cost, least,
            cut, gain,
        )  # fmt: skip
        if chain < 0 or d + 1 == depth_limit:
            break
        e = d + 1
        nodes.first[e] = first
        nodes.last[e] = last
        nodes.first[e, chain] = t
        nodes.bound[e] = nodes.bound[d]
        nodes.M[e] = nodes.M[d]
        n_P[e] = pass_on(P.levels, chain, t, rows_P[d], n_P[d], rows_P[e])
        n_Z[e] = pass_on(Z.levels, chain, t, rows_Z[d], n_Z[d], rows_Z[e])
        for place in range(n_P[e]):
            nodes.shares[e, rows_P[e, place]] = shares[rows_P[e, place]]
        for place in range(n_Z[e]):
            nodes.earned[e, rows_Z[e, place]] = earned[rows_Z[e, place]]
        last[chain] = t - 1
        d = e
    return n_nodes, n_found, d + 1
