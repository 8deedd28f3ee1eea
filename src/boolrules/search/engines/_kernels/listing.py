"""List all clauses up to a reduced cost, and all rule sets over them, depth first, in integers.

``engines/numpy_listing`` is the specification; tests hold the two equal.
"""

from __future__ import annotations

import numpy as np

from boolrules.search.engines._kernels.clauses import (
    _DEBRUIJN,
    _PLACE_OF_BIT,
    _SHIFT,
    _bound_below,
    _count,
    _keep_largest,
)
from boolrules.search.engines._kernels.compiling import compiled, inlined
from boolrules.search.engines._kernels.rule_sets import FILL, _meets, _next_positive
from boolrules.search.engines._kernels.sorting import sort_places

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@inlined
def _weight(rows, others, weights, unit):
    """Weight of the rows in both sets of bits; ``unit`` is what each weighs, 0 if they differ."""
    total = 0
    for word in range(rows.shape[0]):
        both = rows[word] & others[word]
        if unit > 0:
            total += unit * _count(both)
            continue
        while both:
            lowest = both & (~both + _ONE)
            total += weights[64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]]
            both ^= lowest
    return total


@inlined
def _unit(weights):
    """What every row weighs, or 0 if they differ."""
    for i in range(weights.shape[0]):
        if weights[i] != weights[0]:
            return 0
    return weights[0] if weights.shape[0] else 1


@inlined
def _cover_all(n_rows, cover):
    for word in range(cover.shape[0]):
        left = max(0, n_rows - 64 * word)
        cover[word] = ~_ZERO if left >= 64 else (_ONE << np.uint64(left)) - _ONE


@inlined
def _eliminates(holds, cover):
    """Whether a condition that holds on some rows fails on one that is covered."""
    for word in range(cover.shape[0]):
        if cover[word] & ~holds[word]:
            return True
    return False


@compiled
def list_clauses(
    bits_mu,
    mu,
    bits_P,
    weights_P,
    counts_P,
    bits_Z,
    weights_Z,
    chains,
    terms,
    least_gain,
    least_coverage,
    most_nodes,
    clauses,
):
    """List the clauses of reduced cost below ``terms.threshold`` that a minimal rule set may use.

    Each condition eliminates a zero that no other one of the clause does, unless it is the only
    one; the positives weigh at least ``least_gain`` more than the zeros, and are at least
    ``least_coverage`` in number.

    bits_mu: uint64 (J, words) and mu: int64, of the positives with μ_i > 0; bits_P, weights_P,
    counts_P: of all positives; bits_Z, weights_Z: of the zeros; chains: int64 (J,), as in
    ``Conditions``; clauses: int64 (most, longest), padded already, written. Returns (number
    listed, nodes, whether these are all).
    """
    J = bits_Z.shape[0]
    longest = clauses.shape[1]
    unit_P = _unit(weights_P)
    unit_counts = _unit(counts_P)
    unit_Z = _unit(weights_Z)
    unit_mu = _unit(mu)
    # One frame per condition of the clause at hand.
    cover_mu = np.empty((longest + 1, bits_mu.shape[1]), dtype=np.uint64)
    cover_P = np.empty((longest + 1, bits_P.shape[1]), dtype=np.uint64)
    cover_Z = np.empty((longest + 1, bits_Z.shape[1]), dtype=np.uint64)
    stays_Z = np.empty(bits_Z.shape[1], dtype=np.uint64)
    # Zeros that only the i-th condition eliminates.
    only = np.empty((longest + 1, longest, bits_Z.shape[1]), dtype=np.uint64)
    frame_order = np.empty((longest + 1, J), dtype=np.int64)
    frame_size = np.zeros(longest + 1, dtype=np.int64)
    frame_is_open = np.zeros((longest + 1, J), dtype=np.bool_)
    clause = np.empty(longest, dtype=np.int64)
    allowed = np.arange(J)
    n_allowed = J
    useful = np.empty(J, dtype=np.int64)
    minus_M = np.empty(J, dtype=np.int64)
    N_of = np.empty(J, dtype=np.int64)
    weight_of = np.empty(J, dtype=np.int64)
    order = np.empty(J, dtype=np.int64)
    spare = np.empty(J, dtype=np.int64)
    top_value = np.zeros(longest + 1, dtype=np.int64)
    top_chain = np.zeros(longest + 1, dtype=np.int64)
    _cover_all(mu.shape[0], cover_mu[0])
    _cover_all(weights_P.shape[0], cover_P[0])
    _cover_all(weights_Z.shape[0], cover_Z[0])
    n_listed = 0
    n_nodes = 0
    length = 0
    is_new = True
    while length >= 0:
        if is_new:
            is_new = False
            n_nodes += 1
            if n_nodes > most_nodes:
                return n_listed, n_nodes, False
            price = terms.clause_price + terms.condition_price * (length + 1)
            N_here = _weight(cover_Z[length], cover_Z[length], weights_Z, unit_Z)
            n_useful = 0
            for a in range(n_allowed):
                j = allowed[a]
                weight_j = _weight(bits_P[j], cover_P[length], weights_P, unit_P)
                if weight_j < least_gain:
                    continue
                if least_coverage > 0:
                    covered = _weight(bits_P[j], cover_P[length], counts_P, unit_counts)
                    if covered < least_coverage:
                        continue
                M_j = _weight(bits_mu[j], cover_mu[length], mu, unit_mu)
                if price - M_j >= terms.threshold:
                    continue
                is_needed = _eliminates(bits_Z[j], cover_Z[length])
                for place in range(length):
                    if not is_needed:
                        break
                    is_needed = _meets(bits_Z[j], only[length, place])
                if not is_needed and length > 0:
                    continue
                N_j = _weight(bits_Z[j], cover_Z[length], weights_Z, unit_Z)
                if price - M_j + N_j < terms.threshold and weight_j - N_j >= least_gain:
                    if n_listed == clauses.shape[0]:
                        return n_listed, n_nodes, False
                    clauses[n_listed, :length] = clause[:length]
                    clauses[n_listed, length] = j
                    n_listed += 1
                if is_needed:
                    useful[n_useful] = j
                    minus_M[n_useful] = -M_j
                    N_of[n_useful] = N_j
                    weight_of[n_useful] = weight_j
                    n_useful += 1
            # A clause is reached through the last of its conditions in this order; see
            # ``BranchAndBound``. Nothing is discarded but what no needed clause can use.
            sort_places(minus_M, n_useful, order, spare)
            frame_size[length] = n_useful
            n_top = 0
            stays_Z[:] = cover_Z[length]
            for place in range(n_useful):
                u = order[place]
                j = useful[u]
                frame_order[length, place] = j
                frame_is_open[length, place] = False
                chain = chains[j]
                if length + 1 < longest:
                    floor = _weight(bits_Z[j], stays_Z, weights_Z, unit_Z)
                    bound = _bound_below(
                        price + minus_M[u],
                        N_of[u],
                        floor,
                        chain,
                        terms,
                        longest - length - 1,
                        top_value,
                        top_chain,
                        n_top,
                    )
                    frame_is_open[length, place] = (
                        bound < terms.threshold and weight_of[u] - floor >= least_gain
                    )
                for word in range(stays_Z.shape[0]):
                    stays_Z[word] &= bits_Z[j, word]
                n_top = _keep_largest(
                    N_here - N_of[u], chain, longest - length, top_value, top_chain, n_top
                )
        # The next open child, the last in order first.
        while frame_size[length] > 0 and not frame_is_open[length, frame_size[length] - 1]:
            frame_size[length] -= 1
        if frame_size[length] == 0:
            length -= 1
            continue
        frame_size[length] -= 1
        place = frame_size[length]
        j = frame_order[length, place]
        for word in range(bits_mu.shape[1]):
            cover_mu[length + 1, word] = cover_mu[length, word] & bits_mu[j, word]
        for word in range(bits_P.shape[1]):
            cover_P[length + 1, word] = cover_P[length, word] & bits_P[j, word]
        for word in range(bits_Z.shape[1]):
            cover_Z[length + 1, word] = cover_Z[length, word] & bits_Z[j, word]
            for i in range(length):
                only[length + 1, i, word] = only[length, i, word] & bits_Z[j, word]
            only[length + 1, length, word] = cover_Z[length, word] & ~bits_Z[j, word]
        clause[length] = j
        allowed[:place] = frame_order[length, :place]
        n_allowed = place
        length += 1
        is_new = True
    return n_listed, n_nodes, True


@inlined
def _are_clauses_needed(covers, chosen, n_chosen, once, paid, weights, unit, least_gain):
    """Whether dropping any one of the chosen columns would raise the objective."""
    for place in range(n_chosen):
        k = chosen[place]
        if _weight(covers[k], once, weights, unit) - paid[k] < least_gain:
            return False
    return True


@inlined
def _are_conditions_needed(
    chosen, n_chosen, missed, looser_starts, looser_covers, rise, weights, unit, least_gain
):
    """Whether dropping any one condition of the chosen columns would raise the objective."""
    for place in range(n_chosen):
        k = chosen[place]
        for c in range(looser_starts[k], looser_starts[k + 1]):
            if rise[c] - _weight(looser_covers[c], missed, weights, unit) < least_gain:
                return False
    return True


@compiled
def list_rule_sets(
    covers,
    cost,
    paid,
    complexity,
    looser_starts,
    looser_covers,
    rise,
    mu,
    weights,
    by_penalty,
    starts,
    members,
    room,
    unit,
    most_chosen,
    per_clause,
    slack,
    least_gain,
    most_nodes,
    listed,
):
    """List every minimal rule set whose charges fit into ``slack``; see ``find_rule_set``.

    Minimal means that dropping any one clause, or any one condition, raises the objective by at
    least ``least_gain``.

    covers: uint64 (K, n_words), columns by increasing reduced cost; cost: int64 (K,), reduced
    costs; paid: int64 (K,), what each adds to the objective; complexity: int64 (K,). Column k
    without one of its conditions covers the positives looser_covers[c], uint64 (*, n_words), and
    pays rise[c] more, for c from looser_starts[k] up to looser_starts[k + 1]. mu, weights: int64
    (n_P,); by_penalty: int64 (n_P,), positives by decreasing weight_i − μ_i; starts: int64 (n_P +
    1,) and members: int32, the columns that cover each positive. room: complexity allowed; unit:
    λ; most_chosen: clauses allowed; per_clause: ν; listed: int64 (most, depth), places of columns,
    padded already, written. Returns (number listed, nodes, whether these are all).
    """
    K, n_words = covers.shape
    depth_limit = listed.shape[1]
    penalty = weights - mu
    unit_P = _unit(weights)
    unit_mu = _unit(mu)
    is_out = np.zeros(K, dtype=np.bool_)
    undo = np.empty(K, dtype=np.int64)
    n_undo = 0
    chosen = np.empty(depth_limit, dtype=np.int64)
    # One frame per chosen column: which positive is decided, where in its list, what is left.
    frame_positive = np.empty(depth_limit + 1, dtype=np.int64)
    frame_place = np.empty(depth_limit + 1, dtype=np.int64)
    frame_undo = np.empty(depth_limit + 1, dtype=np.int64)
    frame_slack = np.empty(depth_limit + 1, dtype=np.int64)
    frame_room = np.empty(depth_limit + 1, dtype=np.int64)
    frame_covered = np.zeros((depth_limit + 1, n_words), dtype=np.uint64)
    frame_once = np.zeros((depth_limit + 1, n_words), dtype=np.uint64)
    frame_given_up = np.zeros((depth_limit + 1, n_words), dtype=np.uint64)
    everything = np.empty(n_words, dtype=np.uint64)
    _cover_all(weights.shape[0], everything)
    n_listed = 0
    n_nodes = 0
    n_chosen = 0
    frame_slack[0] = slack
    frame_room[0] = room
    frame_undo[0] = 0
    is_new = True
    while n_chosen >= 0:
        top = n_chosen
        if is_new:
            is_new = False
            n_nodes += 1
            if n_nodes > most_nodes:
                return n_listed, n_nodes, False
            frame_place[top] = 0
            frame_positive[top] = _next_positive(
                by_penalty, penalty, frame_covered[top], frame_given_up[top]
            )
            # With every positive decided, the columns chosen so far are a rule set to list.
            unused = unit * frame_room[top] + per_clause * (most_chosen - n_chosen)
            is_whole = frame_positive[top] == FILL and unused <= frame_slack[top]
            if is_whole and _are_conditions_needed(
                chosen,
                n_chosen,
                everything & ~frame_covered[top],
                looser_starts,
                looser_covers,
                rise,
                weights,
                unit_P,
                least_gain,
            ):
                if n_listed == listed.shape[0]:
                    return n_listed, n_nodes, False
                listed[n_listed, :n_chosen] = chosen[:n_chosen]
                n_listed += 1
        i = frame_positive[top]
        first = starts[i] if i >= 0 else 0
        n_here = starts[i + 1] - first if i >= 0 else K
        while frame_place[top] < n_here and top < depth_limit:
            k = members[first + frame_place[top]] if i >= 0 else frame_place[top]
            if cost[k] > frame_slack[top]:
                break
            frame_place[top] += 1
            if is_out[k] or complexity[k] > frame_room[top]:
                continue
            if _meets(covers[k], frame_given_up[top]):
                continue
            charge = cost[k] + _weight(covers[k], frame_covered[top], mu, unit_mu)
            if charge > frame_slack[top]:
                continue
            # Whoever comes after in this frame does without k: every rule set is met once.
            is_out[k] = True
            undo[n_undo] = k
            n_undo += 1
            for word in range(n_words):
                new = covers[k, word] & ~frame_covered[top, word]
                frame_once[top + 1, word] = (frame_once[top, word] & ~covers[k, word]) | new
                frame_covered[top + 1, word] = frame_covered[top, word] | covers[k, word]
                frame_given_up[top + 1, word] = frame_given_up[top, word]
            chosen[top] = k
            # What only one column covers can but shrink: no rule set below needs them all.
            if not _are_clauses_needed(
                covers, chosen, top + 1, frame_once[top + 1], paid, weights, unit_P, least_gain
            ):
                continue
            frame_slack[top + 1] = frame_slack[top] - charge
            frame_room[top + 1] = frame_room[top] - complexity[k]
            frame_undo[top + 1] = n_undo
            is_new = True
            break
        if is_new:
            n_chosen += 1
            continue
        if i >= 0 and penalty[i] <= frame_slack[top]:
            # Giving i up: its columns are out below. The frame is reused, and what it excluded
            # stays excluded, because every rule set with one of those columns has been searched.
            frame_given_up[top, i >> 6] |= _ONE << np.uint64(i & 63)
            frame_slack[top] -= penalty[i]
            is_new = True
            continue
        while n_undo > frame_undo[top]:
            n_undo -= 1
            is_out[undo[n_undo]] = False
        n_chosen -= 1
    return n_listed, n_nodes, True
