"""One node of a search over ranges of cuts: its bound, its shares, where to split it.

Arrays in, arrays out, nothing checked; the specification is ``numpy_cuts``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boolrules.search.engines._kernels.compiling import inlined

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
    and one place for rows that pass them all; group: int64 (C,), which share of a positive pays
    for a loss by this chain.
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


@inlined
def counted(weight, earned):
    """What a zero counts."""
    return weight if earned == WHOLE else weight * np.int64(earned) >> 8


@inlined
def keep_covered(levels, first, rows, n):
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


@inlined
def pass_on(levels, chain, t, rows, n, passed):
    """Write the rows that pass cut t of a chain to ``passed``; return how many."""
    kept = 0
    for place in range(n):
        if levels[rows[place], chain] >= t:
            passed[kept] = rows[place]
            kept += 1
    return kept


@inlined
def leave_idle_cuts(levels, rows, n, first, last, most_level, open_chains):
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


@inlined
def relax(
    P, Z, chains, terms, rows_P, n_P, rows_Z, n_Z, first, last, shares, earned, cost, least, cut,
    open_chains, share, is_taken,
):  # fmt: skip
    """Choose each chain's cut by itself; return the bound, and M of the loosest cuts.

    Written are cost: int64, of every cut of every range, none instead of it included; least and
    cut: the best of each chain, none where a clause would have too many.
    """
    C = first.shape[0]
    n_groups = shares.shape[1]
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
        for g in range(n_groups):
            share[g] = P.weights[i] * np.int64(shares[i, g]) >> 8
        for place_c in range(n_open):
            c = open_chains[place_c]
            cost[P.places[i, c]] += share[chains.group[c]]
    bound = terms.clause_price - M
    for place in range(n_Z):
        i = rows_Z[place]
        value = counted(Z.weights[i], earned[i])
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
    for c in range(C):
        is_taken[c] = False
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


@inlined
def drop_dear_cuts(chains, room, first, last, cost, least):
    """Leave out the cuts at both ends of a range that cost too much; say if the first did."""
    is_tighter = False
    for c in range(first.shape[0]):
        while first[c] < last[c] and cost[chains.offsets[c] + last[c]] - least[c] >= room:
            last[c] -= 1
        while first[c] < last[c] and cost[chains.offsets[c] + first[c]] - least[c] >= room:
            first[c] += 1
            is_tighter = True
    return is_tighter


@inlined
def chains_moved(first, cut, moved):
    """Write which chains chose a cut tighter than their loosest; return how many."""
    n = 0
    for c in range(first.shape[0]):
        if cut[c] > first[c]:
            moved[n] = c
            n += 1
    return n


@inlined
def count_eliminating(levels, cut, moved, n_moved):
    """How many of the chosen cuts a row does not pass."""
    n = 0
    for place in range(n_moved):
        if cut[moved[place]] > levels[moved[place]]:
            n += 1
    return n


@inlined
def share_anew(
    P, Z, chains, rows_P, n_P, rows_Z, n_Z, cut, moved, n_moved, shares, earned, step, loses
):
    """Move shares of positives to the chains that lose them, and of zeros to where they count.

    step: out of ``WHOLE``, how far.
    """
    n_groups = shares.shape[1]
    for place in range(n_P):
        i = rows_P[place]
        n_losing = 0
        for g in range(n_groups):
            loses[g] = False
        for place_c in range(n_moved):
            c = moved[place_c]
            if cut[c] > P.charged[i, c] and not loses[chains.group[c]]:
                loses[chains.group[c]] = True
                n_losing += 1
        if n_losing > 0:
            for g in range(n_groups):
                kept = np.int64(shares[i, g]) * (256 - step) >> 8
                shares[i, g] = np.uint8(kept + (step // n_losing if loses[g] else 0))
    for place in range(n_Z):
        i = rows_Z[place]
        n_eliminating = count_eliminating(Z.levels[i], cut, moved, n_moved)
        if n_eliminating == 0:
            earned[i] = np.uint8(min(WHOLE, np.int64(earned[i]) + step))
        elif n_eliminating > 1:
            less = 3 * step * (n_eliminating - 1) // 10
            earned[i] = np.uint8(max(0, np.int64(earned[i]) - less))


@inlined
def gains_below(P, Z, chains, rows_P, n_P, rows_Z, n_Z, cut, moved, n_moved, shares, earned, gain):
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
        n_eliminating = count_eliminating(Z.levels[i], cut, moved, n_moved)
        if n_eliminating == 0:
            N += Z.weights[i]
        elif n_eliminating > 1:
            value = counted(Z.weights[i], earned[i]) * (n_eliminating - 1)
            for place_c in range(n_moved):
                c = moved[place_c]
                if Z.levels[i, c] < cut[c]:
                    gain[chains.offsets[c] + Z.levels[i, c] + 1] += value
    return M, N


@inlined
def split(chains, condition_price, room, first, last, cost, least, cut, gain):
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


@inlined
def is_beaten(P, Z, cut, n_chosen, only, least_level):
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
