"""Search ranges of cuts: arrays in, arrays out, nothing checked.

The specification is ``numpy_cuts``; tests hold the two equal. They release the GIL, so that threads
can share the open nodes of a search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

# Shares of a row's weight are counted in 256ths, a byte each; the most that fits is all of it.
WHOLE = 255


class CutRows(NamedTuple):
    """P or Z for a kernel.

    levels: int32 (n, C), how many cuts of each chain a row passes, from the loosest on; charged:
    the same, but all of them where another chain of the group is charged for the row; places:
    uint32 (n, C), where in an array of all cuts the first one stands that is charged for the row;
    weights: int64 (n,), μ for P.
    """

    levels: Any
    charged: Any
    places: Any
    weights: Any


class Chains(NamedTuple):
    """The chains for a kernel.

    n_cuts: int64 (C,); offsets: int64 (C + 1,), where each chain's cuts start: no cut, the cuts,
    and one place for rows that pass them all; group: int64 (C,), which share of a positive pays for a loss by this chain.
    """

    n_cuts: Any
    offsets: Any
    group: Any


class CutNodes(NamedTuple):
    """Open nodes, a row each.

    first, last: int32 (B, C), the range of each chain's cuts, 0 for none; bound, M: int64 (B,);
    shares: uint8 (B, n_P, G), of a positive's weight; earned: uint8 (B, n_Z), of a zero's.
    """

    first: Any
    last: Any
    bound: Any
    M: Any
    shares: Any
    earned: Any


@numba.njit(cache=True, nogil=True, inline="always")
def _value(weight, earned):
    """What a zero counts."""
    return weight if earned == WHOLE else weight * np.int64(earned) >> 8


@numba.njit(cache=True, nogil=True, inline="always")
def _keep_covered(levels, first, rows, n):
    """Keep the rows that the loosest cuts cover; return how many."""
    kept = 0
    for place in range(n):
        i = rows[place]
        is_covered = True
        for c in range(first.shape[0]):
            if levels[i, c] < first[c]:
                is_covered = False
                break
        if is_covered:
            rows[kept] = i
            kept += 1
    return kept


@numba.njit(cache=True, nogil=True, inline="always")
def _leave_idle_cuts(levels, rows, n, first, last, most_level, open_chains):
    """Lower each range to its last cut that eliminates a zero which the one before keeps.

    A single condition may eliminate nothing: the empty clause does not stand for it.
    """
    n_open = 0
    loosest = 1
    for c in range(first.shape[0]):
        most_level[c] = -1
        if first[c] > 0:
            loosest = 0
        if first[c] < last[c]:
            open_chains[n_open] = c
            n_open += 1
    for place in range(n):
        i = rows[place]
        for place_c in range(n_open):
            c = open_chains[place_c]
            if most_level[c] < levels[i, c] < last[c]:
                most_level[c] = levels[i, c]
    for place_c in range(n_open):
        c = open_chains[place_c]
        last[c] = max(first[c], min(last[c], max(most_level[c] + 1, loosest)))


@numba.njit(cache=True, nogil=True, inline="always")
def _relax(
    P, Z, chains, terms, rows_P, n_P, rows_Z, n_Z, first, last, shares, earned, cost, least, cut,
    open_chains, share,
):  # fmt: skip
    """Choose each chain's cut by itself; return the bound, and M of the loosest cuts.

    Written are cost: int64, of every cut of every range, none instead of it included; least and
    cut: the best of each chain, none where a clause would have too many.
    """
    C = first.shape[0]
    G = shares.shape[1]
    n_open = 0
    for c in range(C):
        for t in range(first[c], last[c] + 1):
            cost[chains.offsets[c] + t] = 0
        if first[c] < last[c]:
            open_chains[n_open] = c
            n_open += 1
    M = 0
    for place in range(n_P):
        i = rows_P[place]
        M += P.weights[i]
        for g in range(G):
            share[g] = P.weights[i] * np.int64(shares[i, g]) >> 8
        for place_c in range(n_open):
            c = open_chains[place_c]
            cost[P.places[i, c]] += share[chains.group[c]]
    bound = terms.clause_price - M
    for place in range(n_Z):
        i = rows_Z[place]
        value = _value(Z.weights[i], earned[i])
        bound += value
        for place_c in range(n_open):
            cost[Z.places[i, open_chains[place_c]]] -= value
    n_used = 0
    n_wanted = 0
    for c in range(C):
        total = 0
        for t in range(first[c], last[c] + 1):
            total += cost[chains.offsets[c] + t]
            paid = total + (terms.condition_price if t > 0 else 0)
            cost[chains.offsets[c] + t] = paid
            if t == first[c] or paid < least[c]:
                least[c] = paid
                cut[c] = t
        if first[c] > 0:
            n_used += 1
            bound += least[c]
        elif cut[c] > 0:
            n_wanted += 1
    # Of the chains that may be left out, the best for which there is room.
    room = terms.longest - n_used
    if n_wanted <= room:
        for c in range(C):
            if first[c] == 0:
                bound += least[c]
        return bound, M
    is_taken = np.zeros(C, dtype=np.bool_)
    worst_taken = 0
    for _ in range(max(room, 0)):
        best = -1
        for c in range(C):
            if first[c] == 0 and not is_taken[c] and (best < 0 or least[c] < least[best]):
                best = c
        is_taken[best] = True
        bound += least[best]
        worst_taken = least[best]
    next_best = 0
    for c in range(C):
        if first[c] == 0 and not is_taken[c]:
            next_best = min(next_best, least[c])
            # Whoever comes in puts out the worst that was taken, and without room nobody does.
            cost[chains.offsets[c]] = worst_taken
            least[c] = worst_taken
            cut[c] = 0
            if room <= 0:
                last[c] = 0
    for c in range(C):
        if is_taken[c]:
            # Where this one is left out, there is room for another.
            cost[chains.offsets[c]] = next_best
    return bound, M


@numba.njit(cache=True, nogil=True, inline="always")
def _drop_dear_cuts(chains, room, first, last, cost, least):
    """Leave out the cuts at both ends of a range that cost too much; say if the first did."""
    is_tighter = False
    for c in range(first.shape[0]):
        while first[c] < last[c] and cost[chains.offsets[c] + last[c]] - least[c] >= room:
            last[c] -= 1
        while first[c] < last[c] and cost[chains.offsets[c] + first[c]] - least[c] >= room:
            first[c] += 1
            is_tighter = True
    return is_tighter


@numba.njit(cache=True, nogil=True, inline="always")
def _moved(first, cut, moved):
    """Write which chains chose a cut tighter than their loosest; return how many."""
    n = 0
    for c in range(first.shape[0]):
        if cut[c] > first[c]:
            moved[n] = c
            n += 1
    return n


@numba.njit(cache=True, nogil=True, inline="always")
def _share_anew(
    P, Z, chains, rows_P, n_P, rows_Z, n_Z, cut, moved, n_moved, shares, earned, step, loses
):
    """Move shares of positives to the chains that lose them, and of zeros to where they count.

    step: out of ``WHOLE``, how far.
    """
    G = shares.shape[1]
    for place in range(n_P):
        i = rows_P[place]
        n_losing = 0
        for g in range(G):
            loses[g] = False
        for place_c in range(n_moved):
            c = moved[place_c]
            if cut[c] > P.charged[i, c] and not loses[chains.group[c]]:
                loses[chains.group[c]] = True
                n_losing += 1
        if n_losing > 0:
            for g in range(G):
                kept = np.int64(shares[i, g]) * (256 - step) >> 8
                shares[i, g] = np.uint8(kept + (step // n_losing if loses[g] else 0))
    for place in range(n_Z):
        i = rows_Z[place]
        n_eliminating = 0
        for place_c in range(n_moved):
            if cut[moved[place_c]] > Z.levels[i, moved[place_c]]:
                n_eliminating += 1
        if n_eliminating == 0:
            earned[i] = np.uint8(min(WHOLE, np.int64(earned[i]) + step))
        elif n_eliminating > 1:
            less = 3 * step * (n_eliminating - 1) // 10
            earned[i] = np.uint8(max(0, np.int64(earned[i]) - less))


@numba.njit(cache=True, nogil=True, inline="always")
def _gains_below(
    P, Z, chains, rows_P, n_P, rows_Z, n_Z, cut, moved, n_moved, shares, earned, gain
):
    """Write by how much the bound rises if the rows below each cut leave, in turn.

    Return M and N of the cuts that were chosen. gain: int64, as ``cost``; up to the chosen cuts.
    """
    for place_c in range(n_moved):
        c = moved[place_c]
        for t in range(cut[c] + 1):
            gain[chains.offsets[c] + t] = 0
    M = 0
    N = 0
    for place in range(n_P):
        i = rows_P[place]
        rest = P.weights[i]
        is_covered = True
        for place_c in range(n_moved):
            c = moved[place_c]
            if cut[c] > P.charged[i, c]:
                rest -= P.weights[i] * np.int64(shares[i, chains.group[c]]) >> 8
            if cut[c] > P.levels[i, c]:
                is_covered = False
        if is_covered:
            M += P.weights[i]
            continue
        for place_c in range(n_moved):
            c = moved[place_c]
            if P.levels[i, c] < cut[c]:
                gain[chains.offsets[c] + P.levels[i, c] + 1] += rest
    for place in range(n_Z):
        i = rows_Z[place]
        n_eliminating = 0
        for place_c in range(n_moved):
            if cut[moved[place_c]] > Z.levels[i, moved[place_c]]:
                n_eliminating += 1
        if n_eliminating == 0:
            N += Z.weights[i]
        elif n_eliminating > 1:
            value = _value(Z.weights[i], earned[i]) * (n_eliminating - 1)
            for place_c in range(n_moved):
                c = moved[place_c]
                if Z.levels[i, c] < cut[c]:
                    gain[chains.offsets[c] + Z.levels[i, c] + 1] += value
    return M, N


@numba.njit(cache=True, nogil=True, inline="always")
def _split(chains, condition_price, room, first, last, cost, least, cut, gain):
    """Return the chain to split and its first cut above; -1 where every range is one cut.

    Best is where the bounds of both halves rise: below the chosen cut the cost of a worse one,
    above it the rows that leave.
    """
    offset = float(condition_price) if condition_price > 0 else room / 16.0
    best_chain, best_cut, best_score = -1, 0, -1.0
    for c in range(first.shape[0]):
        below = 0
        leaving = 0
        for t in range(first[c] + 1, cut[c] + 1):
            paid = cost[chains.offsets[c] + t - 1]
            if t == first[c] + 1 or paid < below:
                below = paid
            leaving += gain[chains.offsets[c] + t]
            score = (min(below - least[c], room) + offset) * (min(leaving, room) + offset)
            if score > best_score:
                best_chain, best_cut, best_score = c, t, score
    if best_chain >= 0:
        return best_chain, best_cut
    for c in range(first.shape[0]):
        above = 0
        for t in range(last[c], first[c], -1):
            paid = cost[chains.offsets[c] + t]
            if t == last[c] or paid < above:
                above = paid
            score = float(min(above - least[c], room))
            if score > best_score:
                best_chain, best_cut, best_score = c, t, score
    return best_chain, best_cut


@numba.njit(cache=True, nogil=True, inline="always")
def _is_beaten(P, Z, cut, n_chosen, only, least_level):
    """Whether a clause can be looser with the same zeros, or tighter with the same positives.

    Also where it covers no positive. only: bool (C,); least_level: int64 (C,).
    """
    C = cut.shape[0]
    n_covered = 0
    for i in range(P.levels.shape[0]):
        is_covered = True
        for c in range(C):
            if cut[c] > P.levels[i, c]:
                is_covered = False
                break
        if is_covered:
            for c in range(C):
                if n_covered == 0 or P.levels[i, c] < least_level[c]:
                    least_level[c] = P.levels[i, c]
            n_covered += 1
    if n_covered == 0:
        return True
    for c in range(C):
        only[c] = False
    for i in range(Z.levels.shape[0]):
        n_eliminating = 0
        by = 0
        for c in range(C):
            if cut[c] > Z.levels[i, c]:
                n_eliminating += 1
                by = c
                if n_eliminating > 1:
                    break
        if n_eliminating == 1 and Z.levels[i, by] == cut[by] - 1:
            only[by] = True
        elif n_eliminating == 0:
            for c in range(C):
                if cut[c] > 0 and Z.levels[i, c] < least_level[c]:
                    return True
    for c in range(C):
        if cut[c] > 0 and not only[c] and (cut[c] > 1 or n_chosen > 1):
            return True
    return False


@numba.njit(cache=True, nogil=True)
def search_cuts(
    P, Z, chains, terms, is_listing, n_rounds, step, most_nodes, root, found_sums, found_cuts, nodes
):
    """Search below one node, depth first; see ``numpy_cuts.search_cuts``.

    root: ``CutNodes`` of one row. Written are found_sums: int64 (F, 4): reduced cost, M, N, least
    length in the node; found_cuts: int32 (F, C); nodes: ``CutNodes``, those left open. Returns
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
    n_P[0] = _keep_covered(P.levels, nodes.first[0], rows_P[0], n_P[0])
    n_Z[0] = _keep_covered(Z.levels, nodes.first[0], rows_Z[0], n_Z[0])
    n_found = 0
    n_nodes = 0
    d = 0
    while d >= 0:
        if n_nodes == most_nodes or n_found == found_cuts.shape[0]:
            break
        n_nodes += 1
        first, last = nodes.first[d], nodes.last[d]
        shares, earned = nodes.shares[d], nodes.earned[d]
        _leave_idle_cuts(Z.levels, rows_Z[d], n_Z[d], first, last, scratch, open_chains)
        is_closed = False
        is_exact = False
        bound, M = nodes.bound[d], 0
        left = n_rounds
        while True:
            bound, M = _relax(
                P, Z, chains, terms, rows_P[d], n_P[d], rows_Z[d], n_Z[d], first, last,
                shares, earned, cost, least, cut, open_chains, share,
            )  # fmt: skip
            if bound >= terms.threshold:
                is_closed = True
                break
            if _drop_dear_cuts(chains, terms.threshold - bound, first, last, cost, least):
                n_P[d] = _keep_covered(P.levels, first, rows_P[d], n_P[d])
                n_Z[d] = _keep_covered(Z.levels, first, rows_Z[d], n_Z[d])
            nodes.bound[d] = max(nodes.bound[d], bound)
            nodes.M[d] = M
            n_moved = _moved(first, cut, moved)
            if left > 0:
                _share_anew(
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
        M_chosen, N = _gains_below(
            P, Z, chains, rows_P[d], n_P[d], rows_Z[d], n_Z[d], cut, moved, n_moved,
            shares, earned, gain,
        )  # fmt: skip
        paid = terms.clause_price + terms.condition_price * n_chosen - M_chosen + N
        if n_chosen > 0 and paid < terms.threshold and (is_one or not is_listing):
            if not is_listing or not _is_beaten(P, Z, cut, n_chosen, only, scratch):
                found_sums[n_found, 0] = paid
                found_sums[n_found, 1] = M_chosen
                found_sums[n_found, 2] = N
                found_sums[n_found, 3] = n_used
                found_cuts[n_found] = cut
                n_found += 1
        if is_one or (not is_listing and n_moved == 0 and n_used > 0 and paid <= bound):
            d -= 1
            continue
        chain, t = _split(
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
        kept = 0
        for place in range(n_P[d]):
            i = rows_P[d, place]
            if P.levels[i, chain] >= t:
                rows_P[e, kept] = i
                kept += 1
                nodes.shares[e, i] = shares[i]
        n_P[e] = kept
        kept = 0
        for place in range(n_Z[d]):
            i = rows_Z[d, place]
            if Z.levels[i, chain] >= t:
                rows_Z[e, kept] = i
                kept += 1
                nodes.earned[e, i] = earned[i]
        n_Z[e] = kept
        last[chain] = t - 1
        d = e
    return n_nodes, n_found, d + 1
