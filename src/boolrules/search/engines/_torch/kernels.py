"""The kernels behind ``triton_steps``: arrays in, arrays out, nothing checked.

They are written in Triton, which comes with PyTorch for CUDA. A program takes one node, or one
condition of a node; b is the node, lanes are conditions or words of bits.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def cover(holds, clauses, lengths, covered, everything, n_words, longest, BLOCK: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    w = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    is_word = w < n_words
    words = tl.load(holds + everything * n_words + w, mask=is_word, other=0)
    for place in range(tl.load(lengths + b)):
        j = tl.load(clauses + b * longest + place).to(tl.int64)
        words &= tl.load(holds + j * n_words + w, mask=is_word, other=0)
    tl.store(covered + b * n_words + w, words, mask=is_word)


@triton.jit
def flags(
    sums_M, sums_N, allowed, lengths, chains, numbers, found, live, n_relevant,
    J, width_M, width_N, n_words,
    DIGITS_M: tl.constexpr, DIGITS_N: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0).to(tl.int64)
    clause_price = tl.load(numbers)
    condition_price = tl.load(numbers + 1)
    threshold = tl.load(numbers + 2)
    longest = tl.load(numbers + 3)
    least_elimination = tl.load(numbers + 4)
    times_M = tl.load(numbers + 5)
    plus_M = tl.load(numbers + 6)
    times_N = tl.load(numbers + 7)
    plus_N = tl.load(numbers + 8)
    j = tl.arange(0, BLOCK)
    is_condition = j < J
    M = tl.zeros([BLOCK], dtype=tl.int64)
    for d in tl.static_range(DIGITS_M):
        at = sums_M + b * (DIGITS_M * width_M) + d * width_M
        M = (M << 8) + tl.load(at + j, mask=is_condition, other=0)
    M = M * times_M + plus_M
    N = tl.zeros([BLOCK], dtype=tl.int64)
    N_here = tl.zeros([1], dtype=tl.int64)
    for d in tl.static_range(DIGITS_N):
        at = sums_N + b * (DIGITS_N * width_N) + d * width_N
        N = (N << 8) + tl.load(at + j, mask=is_condition, other=0)
        N_here = (N_here << 8) + tl.load(at + J + tl.arange(0, 1))
    N = N * times_N + plus_N
    N_here = N_here * times_N + plus_N
    word = tl.load(allowed + b * n_words + j // 64, mask=is_condition, other=0)
    is_allowed = ((word >> (j % 64)) & 1) != 0
    length = tl.load(lengths + b).to(tl.int64)
    eliminated = N_here - N
    is_useful = is_allowed & (eliminated > least_elimination)
    paid = clause_price + condition_price * (length + 1) - M
    is_found = (is_useful | (is_allowed & (length == 0))) & (paid + N < threshold)
    is_relevant = is_useful & (paid < threshold)
    chain = tl.load(chains + j, mask=is_condition, other=-1)
    left = tl.where(is_relevant, eliminated, 0)
    is_child = tl.zeros([BLOCK], dtype=tl.int1)
    rest = N
    for _ in range(longest - length - 1):
        value = tl.max(left, axis=0)
        of_value = tl.max(tl.where(left == value, chain, -1), axis=0)
        left = tl.where(chain == of_value, 0, left)
        rest -= value
        paid += condition_price
        is_child |= is_relevant & (value > 0) & (paid + tl.maximum(rest, 0) < threshold)
    flag = is_found.to(tl.int32) + 2 * is_child.to(tl.int32) + 4 * is_useful.to(tl.int32)
    flag += 8 * is_relevant.to(tl.int32)
    tl.store(found + b * J + j, flag.to(tl.uint8), mask=is_condition)
    tl.store(live + b, tl.max(flag & 3, axis=0) > 0)
    tl.store(n_relevant + b, tl.sum(flag >> 3, axis=0))


@triton.jit
def gather_relevant(
    sums_M, sums_N, flags, numbers, ids, M_of, N_of, flags_of, N_here,
    J, K, width_M, width_N,
    DIGITS_M: tl.constexpr, DIGITS_N: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0).to(tl.int64)
    unit_M = tl.load(numbers)
    unit_N = tl.load(numbers + 1)
    j = tl.arange(0, BLOCK)
    is_condition = j < J
    flag = tl.load(flags + b * J + j, mask=is_condition, other=0).to(tl.int32)
    is_relevant = (flag & 8) != 0
    M = tl.zeros([BLOCK], dtype=tl.int64)
    for d in tl.static_range(DIGITS_M):
        at = sums_M + b * (DIGITS_M * width_M) + d * width_M
        M = (M << 8) + tl.load(at + j, mask=is_relevant, other=0)
    N = tl.zeros([BLOCK], dtype=tl.int64)
    here = tl.zeros([1], dtype=tl.int64)
    for d in tl.static_range(DIGITS_N):
        at = sums_N + b * (DIGITS_N * width_N) + d * width_N
        N = (N << 8) + tl.load(at + j, mask=is_relevant, other=0)
        here = (here << 8) + tl.load(at + J + tl.arange(0, 1))
    place = b * K + tl.cumsum(is_relevant.to(tl.int32), axis=0) - 1
    tl.store(ids + place, j, mask=is_relevant)
    tl.store(M_of + place, M * unit_M, mask=is_relevant)
    tl.store(N_of + place, N * unit_N, mask=is_relevant)
    tl.store(flags_of + place, flag.to(tl.uint8), mask=is_relevant)
    tl.store(N_here + b + tl.arange(0, 1), here * unit_N)


@triton.jit
def put_in_order(
    ids, M_of, N_of, flags_of, counts, order, M_in_order, N_in_order, flags_in_order, K,
    BLOCK: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0).to(tl.int64)
    count = tl.load(counts + b)
    lane = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    is_place = lane < count
    at = b * K + lane
    M = tl.load(M_of + at, mask=is_place, other=0)
    place = tl.zeros([BLOCK], dtype=tl.int64)
    for start in range(0, count, 4):
        for more in tl.static_range(4):
            other = start + more
            M_other = tl.load(M_of + b * K + other, mask=other < count, other=-1)
            place += ((M_other > M) | ((M_other == M) & (other < lane))).to(tl.int64)
    to = b * K + place
    tl.store(order + to, tl.load(ids + at, mask=is_place, other=0).to(tl.int64), mask=is_place)
    tl.store(M_in_order + to, M, mask=is_place)
    tl.store(N_in_order + to, tl.load(N_of + at, mask=is_place, other=0), mask=is_place)
    tl.store(flags_in_order + to, tl.load(flags_of + at, mask=is_place, other=0), mask=is_place)


@triton.jit
def beaten(
    words_P, words_Z, cover_P, cover_Z, order, zeros, asked, n_places, answers,
    K, stride, n_words_P, n_words_Z,
    BLOCK: tl.constexpr, WORDS: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0).to(tl.int64)
    for place in range(tl.program_id(1), tl.load(n_places + b), tl.num_programs(1)):
        at = b * K + place
        if tl.load(asked + at) != 0:
            j = tl.load(order + at)
            N_j = tl.load(zeros + at)
            is_open = 0
            start = 0
            while (start < place) & (is_open == 0):
                lane = start + tl.arange(0, BLOCK)
                is_before = lane < place
                k = tl.load(order + b * K + lane, mask=is_before, other=0)
                N_k = tl.load(zeros + b * K + lane, mask=is_before, other=0)
                beats = (is_before & (N_k <= N_j)).to(tl.int32)
                is_open = tl.max(beats, axis=0)
                w = 0
                while (w < n_words_P) & (is_open > 0):
                    for _ in tl.static_range(WORDS):
                        at_w = w * stride
                        lost = tl.load(words_P + at_w + j) & tl.load(cover_P + b * n_words_P + w)
                        kept = tl.load(words_P + at_w + k, mask=beats > 0, other=0)
                        beats = tl.where((lost & ~kept) == 0, beats, 0)
                        w += 1
                    is_open = tl.max(beats, axis=0)
                w = 0
                while (w < n_words_Z) & (is_open > 0):
                    for _ in tl.static_range(WORDS):
                        at_w = w * stride
                        here = ~tl.load(words_Z + at_w + j) & tl.load(cover_Z + b * n_words_Z + w)
                        kept = tl.load(words_Z + at_w + k, mask=beats > 0, other=0)
                        beats = tl.where((here & kept) == 0, beats, 0)
                        w += 1
                    is_open = tl.max(beats, axis=0)
                start += BLOCK
            tl.store(answers + at, is_open > 0)


@triton.jit
def _count(word):
    """How many bits of an int32 are set."""
    word = word.to(tl.uint32, bitcast=True)
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F
    return ((word * 0x01010101) >> 24).to(tl.int64)


@triton.jit
def bounds(
    bits_Z, weight_bits, cover_Z, chains, order, sums_M, sums_N, N_before, lengths, is_kept,
    is_child, n_places, numbers, answers, K, n_words, n_planes,
    BLOCK_C: tl.constexpr, BLOCK_W: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0).to(tl.int64)
    clause_price = tl.load(numbers)
    condition_price = tl.load(numbers + 1)
    threshold = tl.load(numbers + 2)
    longest = tl.load(numbers + 3)
    unit_N = tl.load(numbers + 5)
    w = tl.arange(0, BLOCK_W)
    is_word = w < n_words
    stays = tl.load(cover_Z + b * n_words + w, mask=is_word, other=0)
    length = tl.load(lengths + b).to(tl.int64)
    N_here = tl.load(N_before + b)
    # The largest elimination of each chain, among what is kept so far.
    lane = tl.arange(0, BLOCK_C)
    largest = tl.zeros([BLOCK_C], dtype=tl.int64)
    for place in range(tl.load(n_places + b)):
        at = b * K + place
        j = tl.load(order + at)
        is_own = lane == tl.load(chains + j)
        N = tl.load(sums_N + at)
        stays &= tl.load(bits_Z + j * n_words + w, mask=is_word, other=0)
        if tl.load(is_child + at) != 0:
            paid = clause_price + condition_price * (length + 1) - tl.load(sums_M + at)
            left = tl.where(is_own, 0, largest)
            n_more = longest - length - 1
            no_floor = tl.zeros([], dtype=tl.int64)
            best = _least(left, N, paid, no_floor, condition_price, threshold, n_more)
            # A floor only raises a bound.
            if best < threshold:
                floor = tl.zeros([], dtype=tl.int64)
                for plane in range(n_planes):
                    heavy = tl.load(weight_bits + plane * n_words + w, mask=is_word, other=0)
                    floor += tl.sum(_count(stays & heavy), axis=0) << plane
                floor *= unit_N
                best = _least(left, N, paid, floor, condition_price, threshold, n_more)
                tl.store(answers + at, best)
        if tl.load(is_kept + at) != 0:
            largest = tl.where(is_own, tl.maximum(largest, N_here - N), largest)


@triton.jit
def _least(left, rest, paid, floor, condition_price, threshold, n_more):
    """Least reduced cost with 1 to n_more conditions more, the largest eliminations first."""
    best = threshold
    lane = tl.arange(0, left.shape[0])
    for _ in range(n_more):
        value = tl.max(left, axis=0)
        left = tl.where(lane == tl.max(tl.where(left == value, lane, -1), axis=0), 0, left)
        rest -= value
        paid += condition_price
        bound = tl.where(value > 0, paid + tl.maximum(rest, floor), threshold)
        best = tl.minimum(best, bound)
    return best


@triton.jit
def children(
    clauses, lengths, order, sums_M, is_kept, bounds, starts, n_places, threshold,
    new_clauses, new_lengths, new_allowed, new_bounds, new_M,
    K, longest, n_words, BLOCK_L: tl.constexpr, BLOCK_W: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK_L)
    w = tl.arange(0, BLOCK_W)
    clause = tl.load(clauses + b * longest + c, mask=c < longest, other=0)
    length = tl.load(lengths + b)
    under = tl.load(threshold)
    to = tl.load(starts + b)
    allowed = tl.zeros([BLOCK_W], dtype=tl.int64)
    for place in range(tl.load(n_places + b)):
        at = b * K + place
        j = tl.load(order + at)
        bound = tl.load(bounds + at)
        if bound < under:
            grown = tl.where(c == length, j.to(tl.int32), clause)
            tl.store(new_clauses + to * longest + c, grown, mask=c < longest)
            tl.store(new_lengths + to, length + 1)
            tl.store(new_allowed + to * n_words + w, allowed, mask=w < n_words)
            tl.store(new_bounds + to, bound)
            tl.store(new_M + to, tl.load(sums_M + at))
            to += 1
        if tl.load(is_kept + at) != 0:
            bit = tl.full([BLOCK_W], 1, dtype=tl.int64) << (j % 64)
            allowed = tl.where(w == j // 64, allowed | bit, allowed)


@triton.jit
def cover_rows(bits, clauses, lengths, covered, everything, n_words, longest, BLOCK: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    w = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    is_word = w < n_words
    words = tl.load(bits + everything * n_words + w, mask=is_word, other=0)
    for place in range(tl.load(lengths + b)):
        j = tl.load(clauses + b * longest + place).to(tl.int64)
        words &= tl.load(bits + j * n_words + w, mask=is_word, other=0)
    # Four rows at a time, a byte each: see ``Last.bits``.
    eighth = tl.arange(0, 8)
    rows = (words[:, None] >> eighth[None, :]) & 0x01010101
    to = (b * n_words + w[:, None]) * 8 + eighth[None, :]
    tl.store(covered + to, rows, mask=is_word[:, None])


@triton.jit
def least_sums(
    covered, costs, least, B, n, n_blocks,
    BLOCK_B: tl.constexpr, BLOCK_J: tl.constexpr, MORE_J: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    # A block is BLOCK_J conditions and MORE_J after them: widths need not be powers of two.
    block = tl.program_id(0) % n_blocks
    b = (tl.program_id(0) // n_blocks).to(tl.int64) * BLOCK_B + tl.arange(0, BLOCK_B)
    i = tl.arange(0, BLOCK_N)
    j = block.to(tl.int64) * (BLOCK_J + MORE_J) + tl.arange(0, BLOCK_J)
    at_rows = covered + tl.minimum(b, B - 1)[:, None] * n + i[None, :]
    at_costs = costs + j[None, :] * n + i[:, None]
    sums = tl.zeros([BLOCK_B, BLOCK_J], dtype=tl.int32)
    if MORE_J > 0:
        j = block.to(tl.int64) * (BLOCK_J + MORE_J) + BLOCK_J + tl.arange(0, MORE_J)
        at_more = costs + j[None, :] * n + i[:, None]
        more_sums = tl.zeros([BLOCK_B, MORE_J], dtype=tl.int32)
    for _ in range(0, n, BLOCK_N):
        rows = tl.load(at_rows)
        sums = tl.dot(rows, tl.load(at_costs), sums, out_dtype=tl.int32)
        at_rows += BLOCK_N
        at_costs += BLOCK_N
        if MORE_J > 0:
            more_sums = tl.dot(rows, tl.load(at_more), more_sums, out_dtype=tl.int32)
            at_more += BLOCK_N
    lowest = tl.min(sums, axis=1)
    if MORE_J > 0:
        lowest = tl.minimum(lowest, tl.min(more_sums, axis=1))
    tl.store(least + block.to(tl.int64) * B + b, lowest, mask=b < B)
