"""Search all rule sets over given columns, depth first, in integers; see ``rule_set_search``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from boolrules.search.engines._kernels.clauses import _DEBRUIJN, _ONE, _PLACE_OF_BIT, _SHIFT

FILL = -1


@numba.njit(cache=True, nogil=True, inline="always")
def _overlap(cover, covered, mu, most):
    """Σ μ_i over the positives of ``cover`` that are covered already; beyond ``most``, a part."""
    total = 0
    for word in range(cover.shape[0]):
        both = cover[word] & covered[word]
        while both:
            lowest = both & (~both + _ONE)
            total += mu[64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]]
            both ^= lowest
        if total > most:
            break
    return total


@numba.njit(cache=True, nogil=True)
def weigh_columns(covers, among, weights, total):
    """Write the weight of the positives, among some of them, that each column covers.

    covers: uint64 (K, n_words); among: uint64 (n_words,); weights: float64 (n_P,), not negative;
    total: float64 (K,), written.
    """
    for k in range(covers.shape[0]):
        total[k] = _overlap(covers[k], among, weights, np.inf)


@numba.njit(cache=True, nogil=True, inline="always")
def _next_bit(bits, first, n):
    """The first place from ``first`` on whose bit is set; n where there is none."""
    word = first >> 6
    left = bits[word] >> np.uint64(first & 63) << np.uint64(first & 63)
    while not left:
        word += 1
        if 64 * word >= n:
            return n
        left = bits[word]
    lowest = left & (~left + _ONE)
    return 64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]


@numba.njit(cache=True, nogil=True, inline="always")
def _meets(cover, others):
    for word in range(cover.shape[0]):
        if cover[word] & others[word]:
            return True
    return False


@numba.njit(cache=True, nogil=True, inline="always")
def _next_positive(by_penalty, penalty, covered, given_up):
    """The undecided positive that costs most to give up; FILL when none costs anything."""
    for place in range(by_penalty.shape[0]):
        i = by_penalty[place]
        if penalty[i] == 0:
            return FILL
        word = i >> 6
        bit = _ONE << np.uint64(i & 63)
        if not (covered[word] | given_up[word]) & bit:
            return i
    return FILL


@numba.njit(cache=True, nogil=True, inline="always")
def _newly_covered(cover, covered, alpha, charge, missed, before):
    """Write what positives add to each requirement once those of ``cover`` are not missed.

    Returns what covering them costs where they were better missed.
    """
    for s in range(missed.shape[0]):
        missed[s] = before[s]
    total = 0
    for word in range(cover.shape[0]):
        new = cover[word] & ~covered[word]
        while new:
            lowest = new & (~new + _ONE)
            i = 64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]
            total += charge[i]
            for s in range(missed.shape[0]):
                missed[s] -= alpha[s, i]
            new ^= lowest
    return total


@numba.njit(cache=True, nogil=True)
def _left_of_requirements(demands, chosen, n_chosen, missed):
    """What the requirements leave of their limits, at their prices; -1 where one is not met.

    A zero counts once for each clause and, where ``beta`` has anything, once in all as well.
    """
    total = 0.0
    n_words = demands.zeros.shape[1]
    for s in range(missed.shape[0]):
        value = missed[s]
        for place in range(n_chosen):
            value += demands.added[chosen[place], s]
        if value > demands.most[s]:
            return -1
        total += np.floor((demands.most[s] - value) * demands.price[s])
        once = missed[s]
        for word in range(n_words):
            union = np.uint64(0)
            for place in range(n_chosen):
                union |= demands.zeros[chosen[place], word]
            while union:
                lowest = union & (~union + _ONE)
                once += demands.beta[s, 64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]]
                union ^= lowest
        if n_words > 0 and once > demands.most[s]:
            return -1
    return int(min(total, 2.0**61))


@numba.njit(cache=True, nogil=True)
def _has_double(chosen, n_chosen):
    """Whether some column is chosen more than once."""
    for one in range(n_chosen):
        for other in range(one):
            if chosen[one] == chosen[other]:
                return True
    return False


class RuleSetDemands(NamedTuple):
    """What requirements ask of rule sets over K columns.

    charge: int64 (n_P,), what covering a positive costs, once; alpha: int64 (S, n_P), what missing
    it adds; added: int64 (K, S), what each column adds; most: int64 (S,); price: float64 (S,),
    what is left of a limit costs, rounded down; is_one_sided: bool (S,), whether nothing lowers
    the sum again; zeros: uint64 (K, *), the zeros that each column covers, and beta: int64 (S, *),
    what each adds, where each must also count once.
    """

    charge: Any
    alpha: Any
    added: Any
    most: Any
    price: Any
    is_one_sided: Any
    zeros: Any
    beta: Any


@numba.njit(cache=True, nogil=True)
def find_rule_set(
    covers,
    cost,
    complexity,
    mu,
    penalty,
    by_penalty,
    members,
    room,
    unit,
    most_chosen,
    per_clause,
    slack,
    most_nodes,
    demands,
    chosen,
):
    """Find a rule set whose charges fit into ``slack``, or prove that there is none.

    covers: uint64 (K, n_words), columns by increasing reduced cost; cost: int64 (K,), reduced
    costs; complexity: int64 (K,); mu, penalty: int64 (n_P,), μ_i and weight_i − μ_i; by_penalty:
    int64 (n_P,), positives by decreasing penalty; members: uint64 (n_P, *), the columns that cover
    each positive, as bits. room: complexity allowed; unit: λ; most_chosen: clauses allowed;
    per_clause: ν; demands: a ``RuleSetDemands``; chosen: int64 (depth,), written. Returns (number
    chosen or -1, nodes, whether the search is complete).
    """
    K, n_words = covers.shape
    depth_limit = chosen.shape[0]
    is_out = np.zeros(K, dtype=np.bool_)
    undo = np.empty(K, dtype=np.int64)
    n_undo = 0
    # One frame per decision: which positive, which column next, what it started with.
    frame_positive = np.empty(depth_limit + 1, dtype=np.int64)
    frame_place = np.empty(depth_limit + 1, dtype=np.int64)
    frame_undo = np.empty(depth_limit + 1, dtype=np.int64)
    frame_slack = np.empty(depth_limit + 1, dtype=np.int64)
    frame_room = np.empty(depth_limit + 1, dtype=np.int64)
    frame_chosen = np.empty(depth_limit + 1, dtype=np.int64)
    frame_covered = np.zeros((depth_limit + 1, n_words), dtype=np.uint64)
    frame_given_up = np.zeros((depth_limit + 1, n_words), dtype=np.uint64)
    n_demands = demands.most.shape[0]
    # What each requirement has come to: at least so far, and with all that is not covered missed.
    frame_least = np.zeros((depth_limit + 1, n_demands), dtype=np.int64)
    frame_missed = np.zeros((depth_limit + 1, n_demands), dtype=np.int64)
    for s in range(n_demands):
        for i in range(demands.alpha.shape[1]):
            frame_missed[0, s] += demands.alpha[s, i]
    # A zero that two clauses cover may be worth more than one: then two clauses that another beats
    # are not as good as that one, but as that one twice.
    may_repeat = demands.zeros.shape[1] > 0
    frame_last = np.full(depth_limit + 1, -1, dtype=np.int64)
    has_double = False
    n_chosen = 0
    n_nodes = 0
    top = 0
    frame_slack[0] = slack
    frame_room[0] = room
    is_new = True
    while top >= 0:
        if is_new:
            n_nodes += 1
            if n_nodes > most_nodes:
                return -1, n_nodes, False
            is_new = False
            frame_chosen[top] = n_chosen
            frame_undo[top] = n_undo
            frame_place[top] = 0
            frame_last[top] = -1
            frame_positive[top] = _next_positive(
                by_penalty, penalty, frame_covered[top], frame_given_up[top]
            )
            unused = unit * frame_room[top] + per_clause * (most_chosen - n_chosen)
            if frame_positive[top] == FILL and unused <= frame_slack[top]:
                left = _left_of_requirements(demands, chosen, n_chosen, frame_missed[top])
                if left >= 0 and unused + left <= frame_slack[top]:
                    if not _has_double(chosen, n_chosen):
                        return n_chosen, n_nodes, True
                    has_double = True
        elif frame_last[top] >= 0:
            is_out[frame_last[top]] = True
            undo[n_undo] = frame_last[top]
            n_undo += 1
            frame_last[top] = -1
        n_chosen = frame_chosen[top]
        i = frame_positive[top]
        has_branched = False
        while frame_place[top] < K:
            k = frame_place[top] if i < 0 else _next_bit(members[i], frame_place[top], K)
            if k == K or cost[k] > frame_slack[top] or n_chosen >= most_chosen:
                frame_place[top] = K
                break
            frame_place[top] = k + 1
            if is_out[k] or complexity[k] > frame_room[top]:
                continue
            if _meets(covers[k], frame_given_up[top]):
                continue
            left = frame_slack[top] - cost[k]
            charge = cost[k] + _overlap(covers[k], frame_covered[top], mu, left)
            if charge > frame_slack[top]:
                continue
            if n_demands > 0:
                if top + 1 > depth_limit:
                    return -1, n_nodes, False
                charge += _newly_covered(
                    covers[k],
                    frame_covered[top],
                    demands.alpha,
                    demands.charge,
                    frame_missed[top + 1],
                    frame_missed[top],
                )
                is_broken = charge > frame_slack[top]
                for s in range(n_demands):
                    frame_least[top + 1, s] = frame_least[top, s] + demands.added[k, s]
                    if demands.is_one_sided[s] and frame_least[top + 1, s] > demands.most[s]:
                        is_broken = True
                if is_broken:
                    continue
            # Whoever comes after in this frame does without k: every rule set is met once.
            if may_repeat:
                frame_last[top] = k
            else:
                is_out[k] = True
                undo[n_undo] = k
                n_undo += 1
            if top + 1 > depth_limit or n_chosen >= depth_limit:
                return -1, n_nodes, False
            for word in range(n_words):
                frame_covered[top + 1, word] = frame_covered[top, word] | covers[k, word]
                frame_given_up[top + 1, word] = frame_given_up[top, word]
            frame_slack[top + 1] = frame_slack[top] - charge
            frame_room[top + 1] = frame_room[top] - complexity[k]
            chosen[n_chosen] = k
            n_chosen += 1
            top += 1
            is_new = True
            has_branched = True
            break
        if has_branched:
            continue
        if i >= 0 and frame_place[top] == K:
            frame_place[top] += 1
            left = frame_slack[top] - penalty[i]
            for s in range(n_demands):
                frame_least[top, s] += demands.alpha[s, i]
                if demands.is_one_sided[s] and frame_least[top, s] > demands.most[s]:
                    left = -1
            if left >= 0:
                # Giving i up: its columns are out below. The frame is reused, and what it excluded
                # stays excluded, because every rule set with one of those columns has been
                # searched.
                frame_given_up[top, i >> 6] |= _ONE << np.uint64(i & 63)
                frame_slack[top] = left
                n_nodes += 1
                if n_nodes > most_nodes:
                    return -1, n_nodes, False
                positive = _next_positive(
                    by_penalty, penalty, frame_covered[top], frame_given_up[top]
                )
                unused = unit * frame_room[top] + per_clause * (most_chosen - n_chosen)
                if positive == FILL and unused <= left:
                    spared = _left_of_requirements(demands, chosen, n_chosen, frame_missed[top])
                    if spared >= 0 and unused + spared <= left:
                        if not _has_double(chosen, n_chosen):
                            return n_chosen, n_nodes, True
                        has_double = True
                frame_positive[top] = positive
                frame_place[top] = 0
                continue
        while n_undo > frame_undo[top]:
            n_undo -= 1
            is_out[undo[n_undo]] = False
        top -= 1
    return -1, n_nodes, not has_double
