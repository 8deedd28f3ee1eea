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
    sums_M, sums_N, allowed, lengths, chains, numbers, found, live,
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
    tl.store(found + b * J + j, flag.to(tl.uint8), mask=is_condition)
    tl.store(live + b, tl.max(flag & 3, axis=0) > 0)


@triton.jit
def beaten(
    words_P, words_Z, cover_P, cover_Z, order, zeros, asked, answers,
    K, stride, n_words_P, n_words_Z,
    BLOCK: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0).to(tl.int64)
    b = at // K
    place = at % K
    if tl.load(asked + at) == 0:
        tl.store(answers + at, False)
    else:
        lane = tl.arange(0, BLOCK)
        is_before = lane < place
        j = tl.load(order + at)
        k = tl.load(order + b * K + lane, mask=is_before, other=0)
        N_k = tl.load(zeros + b * K + lane, mask=is_before, other=0)
        beats = (is_before & (N_k <= tl.load(zeros + at))).to(tl.int32)
        w = 0
        is_open = tl.max(beats, axis=0)
        while (w < n_words_P) & (is_open > 0):
            for _ in tl.static_range(2):
                lost = tl.load(words_P + w * stride + j) & tl.load(cover_P + b * n_words_P + w)
                kept = tl.load(words_P + w * stride + k, mask=beats > 0, other=0)
                beats = tl.where((lost & ~kept) == 0, beats, 0)
                w += 1
            is_open = tl.max(beats, axis=0)
        w = 0
        while (w < n_words_Z) & (is_open > 0):
            for _ in tl.static_range(2):
                here = ~tl.load(words_Z + w * stride + j) & tl.load(cover_Z + b * n_words_Z + w)
                kept = tl.load(words_Z + w * stride + k, mask=beats > 0, other=0)
                beats = tl.where((here & kept) == 0, beats, 0)
                w += 1
            is_open = tl.max(beats, axis=0)
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
    BLOCK_J: tl.constexpr, BLOCK_W: tl.constexpr,
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
    lane = tl.arange(0, BLOCK_J)
    is_place = lane < K
    ids = tl.load(order + b * K + lane, mask=is_place, other=0)
    chain = tl.load(chains + ids, mask=is_place, other=-1)
    N = tl.load(sums_N + b * K + lane, mask=is_place, other=0)
    kept = tl.load(is_kept + b * K + lane, mask=is_place, other=0) != 0
    eliminated = tl.load(N_before + b) - N
    length = tl.load(lengths + b).to(tl.int64)
    for place in range(tl.load(n_places + b)):
        at = b * K + place
        j = tl.load(order + at)
        stays &= tl.load(bits_Z + j * n_words + w, mask=is_word, other=0)
        if tl.load(is_child + at) != 0:
            floor = tl.zeros([], dtype=tl.int64)
            for plane in range(n_planes):
                heavy = tl.load(weight_bits + plane * n_words + w, mask=is_word, other=0)
                floor += tl.sum(_count(stays & heavy), axis=0) << plane
            floor *= unit_N
            paid = clause_price + condition_price * (length + 1) - tl.load(sums_M + at)
            rest = tl.load(sums_N + at)
            best = threshold
            is_other = kept & (lane < place) & (chain != tl.load(chains + j))
            left = tl.where(is_other, eliminated, 0)
            for _ in range(longest - length - 1):
                value = tl.max(left, axis=0)
                of_value = tl.max(tl.where(left == value, chain, -1), axis=0)
                left = tl.where(chain == of_value, 0, left)
                rest -= value
                paid += condition_price
                bound = tl.where(value > 0, paid + tl.maximum(rest, floor), threshold)
                best = tl.minimum(best, bound)
            tl.store(answers + at, best)


@triton.jit
def allowed_before(standing, nodes, places, words, J, n_words, BLOCK: tl.constexpr):
    c = tl.program_id(0).to(tl.int64)
    b = tl.load(nodes + c)
    k = tl.arange(0, BLOCK)
    stands = tl.load(standing + b * J + k, mask=k < J, other=2**31 - 1)
    bit = (stands < tl.load(places + c)).to(tl.int64) << (k % 64)
    word = tl.arange(0, BLOCK // 64)
    packed = tl.sum(tl.reshape(bit, [BLOCK // 64, 64]), axis=1)
    tl.store(words + c * n_words + word, packed, mask=word < n_words)
