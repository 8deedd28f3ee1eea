"""Search all rule sets for fewest mistaken rows, each row counted once; see ``error_search``."""

from __future__ import annotations

import numpy as np

from boolrules.search.engines._kernels.compiling import compiled, inlined

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


@inlined
def _count(word):
    word -= (word >> np.uint64(1)) & _M1
    word = (word & _M2) + ((word >> np.uint64(2)) & _M2)
    word = (word + (word >> np.uint64(4))) & _M4
    return np.int64((word * _H01) >> np.uint64(56))


@compiled
def find_fewer_errors(bits_P, bits_Z, n_P, lengths, first, stop, goal, most_nodes, chosen):
    """Find a rule set that mistakes at most ``goal`` rows, or prove that there is none.

    bits_P: uint64 (J, words), bits_Z: uint64 (J, words), the rows on which each condition holds,
    every row of weight one; lengths: int64 (K,), how many conditions each clause has at most; the
    first condition of the first clause is from ``first`` to before ``stop``; chosen: int64 (K,
    longest), written. Returns (rows mistaken or -1, nodes, whether the search is complete).

    A clause may name a condition twice, and so be shorter. Of clauses of equal length the first
    conditions do not decrease.
    """
    J, words_P = bits_P.shape
    words_Z = bits_Z.shape[1]
    K = lengths.shape[0]
    depth = np.sum(lengths)
    slot = np.empty(depth, dtype=np.int64)
    is_first = np.zeros(depth, dtype=np.bool_)
    is_last = np.zeros(depth, dtype=np.bool_)
    place = 0
    for k in range(K):
        is_first[place] = True
        for _ in range(lengths[k]):
            slot[place] = k
            place += 1
        is_last[place - 1] = True
    # What the clauses before cover, and what the open one covers so far.
    done_P = np.zeros((depth + 1, words_P), dtype=np.uint64)
    done_Z = np.zeros((depth + 1, words_Z), dtype=np.uint64)
    open_P = np.zeros((depth + 1, words_P), dtype=np.uint64)
    open_Z = np.zeros((depth + 1, words_Z), dtype=np.uint64)
    errors_Z = np.zeros(depth + 1, dtype=np.int64)
    at = np.empty(depth, dtype=np.int64)
    most_P = 0
    for j in range(J):
        n = 0
        for word in range(words_P):
            n += _count(bits_P[j, word])
        most_P = max(most_P, n)
    n_nodes = 0
    level = 0
    at[0] = first - 1
    while level >= 0:
        at[level] += 1
        j = at[level]
        if j >= J or (level == 0 and j >= stop):
            level -= 1
            continue
        n_nodes += 1
        if n_nodes > most_nodes:
            return -1, n_nodes, False
        covered = 0
        for word in range(words_P):
            cover = bits_P[j, word]
            if not is_first[level]:
                cover &= open_P[level, word]
            open_P[level + 1, word] = cover
            covered += _count(cover | done_P[level, word])
        # No clause after this one covers more than one condition does.
        missed = n_P - covered - (K - 1 - slot[level]) * most_P
        if errors_Z[level] + max(missed, 0) > goal:
            continue
        for word in range(words_Z):
            cover = bits_Z[j, word]
            if not is_first[level]:
                cover &= open_Z[level, word]
            open_Z[level + 1, word] = cover
        next_j = j - 1
        if not is_last[level]:
            errors_Z[level + 1] = errors_Z[level]
            for word in range(words_P):
                done_P[level + 1, word] = done_P[level, word]
            for word in range(words_Z):
                done_Z[level + 1, word] = done_Z[level, word]
        else:
            n = 0
            for word in range(words_Z):
                union = done_Z[level, word] | open_Z[level + 1, word]
                done_Z[level + 1, word] = union
                n += _count(union)
            if n + max(missed, 0) > goal:
                continue
            errors_Z[level + 1] = n
            for word in range(words_P):
                done_P[level + 1, word] = done_P[level, word] | open_P[level + 1, word]
            if level == depth - 1:
                place = 0
                for k in range(K):
                    for c in range(lengths[k]):
                        chosen[k, c] = at[place]
                        place += 1
                return n + n_P - covered, n_nodes, True
            k = slot[level]
            next_j = at[level + 1 - lengths[k]] - 1 if lengths[k + 1] == lengths[k] else -1
        level += 1
        at[level] = next_j
    return -1, n_nodes, True
