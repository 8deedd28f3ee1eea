"""Search all rule sets over given columns, depth first, in integers; see ``rule_set_search``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boolrules.search.engines._kernels.clauses import _DEBRUIJN, _ONE, _PLACE_OF_BIT, _SHIFT
from boolrules.search.engines._kernels.compiling import compiled, inlined

FILL = -1
NO_COLUMN = 2**62
# With more room than this, what it costs to fill it is not worked out at every node.
MOST_ROOM = 256
# Of more undecided positives than this, those that cost most are compared.
MOST_COMPARED = 1000
# Columns that a node looks at in about the time that it takes otherwise.
COLUMNS_PER_NODE = 128


@inlined
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


@compiled
def weigh_columns(covers, among, weights, total):
    """Write the weight of the positives, among some of them, that each column covers.

    covers: uint64 (K, n_words); among: uint64 (n_words,); weights: float64 (n_P,), not negative;
    total: float64 (K,), written.
    """
    for k in range(covers.shape[0]):
        total[k] = _overlap(covers[k], among, weights, np.inf)


@inlined
def _meets(cover, others):
    for word in range(cover.shape[0]):
        if cover[word] & others[word]:
            return True
    return False


@inlined
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


@inlined
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


@inlined
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


@inlined
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


class Columns(NamedTuple):
    """The columns to choose among, and the positives.

    covers: uint64 (K, n_words), the positives of each; cost: int64 (K,), reduced costs;
    complexity: int64 (K,), at least 1; mu, penalty: int64 (n_P,), μ_i and weight_i − μ_i;
    by_penalty: int64 (n_P,), positives by decreasing penalty.
    """

    covers: Any
    cost: Any
    complexity: Any
    mu: Any
    penalty: Any
    by_penalty: Any


class Part(NamedTuple):
    """A part of all rule sets: the way down to a node, and which of its children are searched.

    way: int64 (n_levels,), which child to take of each node, counted in the order in which they
    are tried: the columns that cover its positive, then to give it up. first, last: int64, those
    of the node where the way ends.
    """

    way: Any
    first: Any
    last: Any


class Limits(NamedTuple):
    """What a rule set may come to, all integers.

    room: complexity allowed; unit: λ; most_chosen: clauses allowed; per_clause: ν; slack: what all
    charges may sum up to; most_nodes: where to give up, counted from the end of the way.
    """

    room: Any
    unit: Any
    most_chosen: Any
    per_clause: Any
    slack: Any
    most_nodes: Any


@inlined
def _price_room(least, unit, per_clause, room, price):
    """Write what it costs at least to fill, or to leave, each amount of room up to ``room``.

    least: int64, the least charge of a column of each complexity, NO_COLUMN where there is none;
    price: int64 (room + 1,), less ν for each clause, which is then not left unused.
    """
    for r in range(room + 1):
        best = unit * r
        for c in range(1, min(r, least.shape[0] - 1) + 1):
            if least[c] < NO_COLUMN:
                best = min(best, least[c] - per_clause + price[r - c])
        price[r] = best


@inlined
def _keep(columns, limits, places, charges, first, last, room, n_left, slack, least, price):
    """Drop the columns of a list with which no rule set fits into ``slack``; return its end.

    places, charges: the columns, and what each adds at least beside those chosen, from ``first``
    to ``last``. However the rest of the room is used, it costs what ``_price_room`` says.
    """
    least[:] = NO_COLUMN
    for at in range(first, last):
        c = columns.complexity[places[at]]
        if charges[at] < least[c]:
            least[c] = charges[at]
    _price_room(least, limits.unit, limits.per_clause, room, price)
    paid = limits.per_clause * (n_left - 1)
    kept = first
    for at in range(first, last):
        k = places[at]
        if charges[at] + paid + price[room - columns.complexity[k]] <= slack:
            places[kept] = k
            charges[kept] = charges[at]
            kept += 1
    return kept


@inlined
def _choose_positive(columns, places, first, last, decided, slack, among, counts):
    """The undecided positive that leaves least to try: few columns cover it, it costs much.

    decided: uint64 (n_words,), the positives that are covered or given up. Of many others, those
    that cost most are compared. Written are among: uint64 (n_words,), and counts: int64 (n_P,),
    how many columns of the list cover each of them. FILL where none is undecided.
    """
    among[:] = 0
    n_among = 0
    for place in range(columns.by_penalty.shape[0]):
        i = columns.by_penalty[place]
        if columns.penalty[i] == 0 or n_among == MOST_COMPARED:
            break
        bit = _ONE << np.uint64(i & 63)
        if not decided[i >> 6] & bit:
            among[i >> 6] |= bit
            counts[i] = 0
            n_among += 1
    for at in range(first, last):
        for word in range(among.shape[0]):
            both = columns.covers[places[at], word] & among[word]
            while both:
                lowest = both & (~both + _ONE)
                counts[64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]] += 1
                both ^= lowest
    best, least = FILL, np.inf
    for word in range(among.shape[0]):
        left = among[word]
        while left:
            lowest = left & (~left + _ONE)
            i = 64 * word + _PLACE_OF_BIT[(lowest * _DEBRUIJN) >> _SHIFT]
            left ^= lowest
            score = counts[i] / min(columns.penalty[i], slack + 1)
            if best == FILL or score < least:
                best, least = i, score
    return best


@inlined
def _skip(covers, i, places, first, last, n_skipped):
    """Strike out the first children of a node: columns that cover ``i``, or any if it is FILL."""
    n_children = 0
    word, bit = i >> 6, _ONE << np.uint64(i & 63)
    for at in range(first, last):
        k = places[at]
        if i == FILL or covers[k, word] & bit:
            if n_children == n_skipped:
                return
            places[at] = FILL
            n_children += 1


@inlined
def _children(covers, i, places):
    """Count the children of a node: columns that cover ``i``, and to give it up."""
    if i == FILL:
        return places.shape[0]
    n_children = 1
    for k in places:
        if k != FILL and covers[k, i >> 6] & (_ONE << np.uint64(i & 63)):
            n_children += 1
    return n_children


@compiled
def find_rule_set(columns, limits, demands, part, chosen):
    """Find a rule set whose charges fit into ``limits.slack``, or prove that there is none.

    columns: ``Columns``; limits: ``Limits``; demands: ``RuleSetDemands``; part: ``Part``, what is
    searched; chosen: int64 (depth,), written. Returns (number chosen or -1, nodes, whether one was
    met that takes a column twice, and what is left of the part: a way, and for each part that is
    left how much of it to go, and the first and the last child). A node that looks at many columns
    counts for several.

    Each node has a list of the columns that may still be taken, with what each would add, which
    only grows as others are taken. It decides one positive: some column of the list covers it,
    each in turn, or it is given up.
    """
    K, n_words = columns.covers.shape
    depth = chosen.shape[0] + 1
    places = np.empty(2 * K + 64, dtype=np.int64)
    charges = np.empty(2 * K + 64, dtype=np.int64)
    # One frame per column that is taken: its list, the positive to decide, what is left.
    frame_first = np.zeros(depth + 1, dtype=np.int64)
    frame_last = np.zeros(depth + 1, dtype=np.int64)
    frame_place = np.zeros(depth + 1, dtype=np.int64)
    frame_positive = np.empty(depth + 1, dtype=np.int64)
    frame_slack = np.empty(depth + 1, dtype=np.int64)
    frame_room = np.empty(depth + 1, dtype=np.int64)
    frame_covered = np.zeros((depth + 1, n_words), dtype=np.uint64)
    frame_given_up = np.zeros((depth + 1, n_words), dtype=np.uint64)
    n_demands = demands.most.shape[0]
    # What each requirement has come to: at least so far, and with all that is not covered missed.
    frame_least = np.zeros((depth + 1, n_demands), dtype=np.int64)
    frame_missed = np.zeros((depth + 1, n_demands), dtype=np.int64)
    for s in range(n_demands):
        for i in range(demands.alpha.shape[1]):
            frame_missed[0, s] += demands.alpha[s, i]
    # A zero that two clauses cover may be worth more than one: then two clauses that another beats
    # are not as good as that one, but as that one twice.
    may_repeat = demands.zeros.shape[1] > 0
    has_double = False
    largest = 0
    for k in range(K):
        largest = max(largest, columns.complexity[k])
    least = np.empty(largest + 1, dtype=np.int64)
    price = np.zeros(min(limits.room, MOST_ROOM) + 1, dtype=np.int64)
    counts = np.zeros(columns.mu.shape[0], dtype=np.int64)
    new = np.empty(n_words, dtype=np.uint64)
    decided = np.empty(n_words, dtype=np.uint64)
    among = np.empty(n_words, dtype=np.uint64)
    n_listed = 0
    for k in range(K):
        if columns.complexity[k] <= limits.room and limits.most_chosen > 0:
            places[n_listed] = k
            charges[n_listed] = columns.cost[k]
            n_listed += 1
    frame_last[0] = n_listed
    frame_slack[0] = limits.slack
    frame_room[0] = limits.room
    top, n_nodes, is_new = 0, 0, True
    # The way to each frame's node, and how many of its children were tried. The way of the part is
    # gone until ``level`` is its end; ``narrow`` is the frame of its last node so far.
    n_levels = part.way.shape[0]
    way = np.empty(n_levels + depth + columns.mu.shape[0] + 1, dtype=np.int64)
    frame_way = np.zeros(depth + 1, dtype=np.int64)
    frame_child = np.zeros(depth + 1, dtype=np.int64)
    level, narrow, narrow_last = 0, 0, 0
    nothing = np.empty((0, 3), dtype=np.int64)
    while top >= narrow:
        first, last, slack = frame_first[top], frame_last[top], frame_slack[top]
        n_left = limits.most_chosen - top
        if is_new:
            # Whatever was decided last, less fits now.
            is_new = False
            n_nodes += 1 + (last - first) // COLUMNS_PER_NODE
            if n_nodes > limits.most_nodes and level > n_levels:
                left = np.empty((top - narrow + 1, 3), dtype=np.int64)
                for frame in range(narrow, top + 1):
                    n_left_of = NO_COLUMN
                    if frame < top:
                        n_left_of = _children(
                            columns.covers,
                            frame_positive[frame],
                            places[frame_place[frame] : frame_last[frame]],
                        )
                    last_of = narrow_last if frame == narrow else NO_COLUMN
                    left[top - frame, 0] = frame_way[frame]
                    left[top - frame, 1] = frame_child[frame]
                    left[top - frame, 2] = min(last_of, frame_child[frame] + n_left_of)
                return -1, n_nodes, has_double, way, left
            if limits.room <= MOST_ROOM:
                last = _keep(
                    columns,
                    limits,
                    places,
                    charges,
                    first,
                    last,
                    frame_room[top],
                    n_left,
                    slack,
                    least,
                    price,
                )
            frame_last[top] = last
            frame_place[top] = first
            for word in range(n_words):
                decided[word] = frame_covered[top, word] | frame_given_up[top, word]
            frame_positive[top] = _choose_positive(
                columns, places, first, last, decided, slack, among, counts
            )
            is_searched = level > n_levels
            if level <= n_levels:
                narrow, n_nodes = top, 0
                n_skipped = part.first if level == n_levels else part.way[level]
                narrow_last = part.last if level == n_levels else n_skipped + 1
                _skip(columns.covers, frame_positive[top], places, first, last, n_skipped)
                frame_child[top] = n_skipped
                is_searched = level == n_levels and n_skipped == 0
                level += 1
            unused = limits.unit * frame_room[top] + limits.per_clause * n_left
            if is_searched and frame_positive[top] == FILL and unused <= slack:
                left = _left_of_requirements(demands, chosen, top, frame_missed[top])
                if left >= 0 and unused + left <= slack:
                    if not _has_double(chosen, top):
                        return top, n_nodes, False, way, nothing
                    has_double = True
        i = frame_positive[top]
        word_of_i, bit_of_i = i >> 6, _ONE << np.uint64(i & 63)
        has_branched = False
        while frame_place[top] < last:
            at = frame_place[top]
            frame_place[top] += 1
            k = places[at]
            if k == FILL or (i != FILL and not columns.covers[k, word_of_i] & bit_of_i):
                continue
            if top == narrow and frame_child[top] >= narrow_last:
                return -1, n_nodes, has_double, way, nothing
            frame_child[top] += 1
            charge = charges[at]
            # Whoever comes after in this frame does without k: every rule set is met once.
            if not may_repeat:
                places[at] = FILL
            if charge > slack:
                continue
            if n_demands > 0:
                charge += _newly_covered(
                    columns.covers[k],
                    frame_covered[top],
                    demands.alpha,
                    demands.charge,
                    frame_missed[top + 1],
                    frame_missed[top],
                )
                is_broken = charge > slack
                for s in range(n_demands):
                    frame_least[top + 1, s] = frame_least[top, s] + demands.added[k, s]
                    if demands.is_one_sided[s] and frame_least[top + 1, s] > demands.most[s]:
                        is_broken = True
                if is_broken:
                    if may_repeat:
                        places[at] = FILL
                    continue
            if top >= chosen.shape[0]:
                return -1, n_nodes, True, way, nothing
            for word in range(n_words):
                new[word] = columns.covers[k, word] & ~frame_covered[top, word]
                frame_covered[top + 1, word] = frame_covered[top, word] | new[word]
                frame_given_up[top + 1, word] = frame_given_up[top, word]
            frame_slack[top + 1] = slack - charge
            frame_room[top + 1] = frame_room[top] - columns.complexity[k]
            chosen[top] = k
            if places.shape[0] < last + (last - first):
                more = np.empty(2 * (last + (last - first)), dtype=np.int64)
                for other in range(last):
                    more[other] = places[other]
                places = more
                more = np.empty(2 * (last + (last - first)), dtype=np.int64)
                for other in range(last):
                    more[other] = charges[other]
                charges = more
            end = last
            if n_left > 1:
                for other in range(first, last):
                    one = places[other]
                    if one == FILL or columns.complexity[one] > frame_room[top + 1]:
                        continue
                    left = frame_slack[top + 1] - charges[other]
                    if left < 0:
                        continue
                    overlap = _overlap(columns.covers[one], new, columns.mu, left)
                    if overlap <= left:
                        places[end] = one
                        charges[end] = charges[other] + overlap
                        end += 1
            n_nodes += (last - first) // COLUMNS_PER_NODE
            if may_repeat:
                places[at] = FILL
            frame_first[top + 1] = last
            frame_last[top + 1] = end
            way[frame_way[top]] = frame_child[top] - 1
            frame_way[top + 1] = frame_way[top] + 1
            frame_child[top + 1] = 0
            top += 1
            is_new = True
            has_branched = True
            break
        if has_branched:
            continue
        if i != FILL:
            if top == narrow:
                if frame_child[top] >= narrow_last:
                    break
                narrow_last = NO_COLUMN  # the last child is all that is left of this frame
            way[frame_way[top]] = frame_child[top]
            frame_way[top] += 1
            frame_child[top] = 0
            # Giving i up: all columns that cover it have been tried, and are out.
            slack -= columns.penalty[i]
            for s in range(n_demands):
                frame_least[top, s] += demands.alpha[s, i]
                if demands.is_one_sided[s] and frame_least[top, s] > demands.most[s]:
                    slack = -1
            if slack >= 0:
                frame_given_up[top, word_of_i] |= bit_of_i
                frame_slack[top] = slack
                end = first
                for at in range(first, last):
                    if places[at] != FILL and charges[at] <= slack:
                        places[end] = places[at]
                        charges[end] = charges[at]
                        end += 1
                frame_last[top] = end
                is_new = True
                continue
        top -= 1
    return -1, n_nodes, has_double, way, nothing
