"""The steps of an expansion as kernels for a GPU; ``steps`` says what each must come to.

Tensors must be contiguous; the kernels check nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
import triton

from boolrules.search.engines._torch import kernels
from boolrules.search.engines._torch.device_nodes import DeviceNodes
from boolrules.search.engines._torch.samples import ALIGNMENT, DIGIT_BITS

if TYPE_CHECKING:
    from boolrules.search.engines._torch.samples import Last, Samples, Side
    from boolrules.search.engines.engine import Terms

__all__ = [
    "beaten",
    "bounds",
    "children",
    "cover",
    "cover_bits",
    "flags",
    "in_order",
    "least_sums",
]

# How many nodes a program multiplies, how many conditions one holds against others or puts in
# order at once, and how many conditions are left to each.
NODES_AT_ONCE = 128
MOST_COMPARED, MOST_IN_ORDER, PLACES_EACH = 32, 128, 32
# Words of bits compared before a look at what is left; n_words are multiples of it.
WORDS_AT_ONCE = 4


def cover(side: Side, nodes: DeviceNodes) -> Any:
    """Which rows each node's clause covers: int8 (B, n)."""
    return _and_of(side.holds.view(torch.int32), nodes).view(torch.int8)


def cover_bits(side: Side, nodes: DeviceNodes) -> Any:
    """Which rows each node's clause covers: int32 (B, n / 32), as bits."""
    return _and_of(side.bits, nodes)


def _and_of(words: Any, nodes: DeviceNodes) -> Any:
    n_words = words.shape[1]
    covered = torch.empty((len(nodes.clauses), n_words), dtype=torch.int32, device=words.device)
    block = min(512, triton.next_power_of_2(n_words))
    kernels.cover[(len(nodes.clauses), triton.cdiv(n_words, block))](
        words, nodes.clauses, nodes.lengths, covered,
        len(words) - 1, n_words, nodes.clauses.shape[1], BLOCK=block, num_warps=_warps(block),
    )  # fmt: skip
    return covered


def least_sums(last: Last, nodes: DeviceNodes) -> Any:
    """Least sum of costs that one condition more comes to, over all conditions: int32 (B,)."""
    B, (n_conditions, n) = len(nodes.clauses), last.costs.shape
    n_words, device = last.bits.shape[1], last.bits.device
    covered = torch.empty((B, n), dtype=torch.int8, device=device)
    kernels.cover_rows[(B, triton.cdiv(n_words, 128))](
        last.bits, nodes.clauses, nodes.lengths, covered.view(torch.int32),
        len(last.bits) - 1, n_words, nodes.clauses.shape[1], BLOCK=128, num_warps=1,
    )  # fmt: skip
    n_blocks = n_conditions // last.block
    least = torch.empty((n_blocks, B), dtype=torch.int32, device=device)
    power = 1 << (last.block.bit_length() - 1)
    kernels.least_sums[(triton.cdiv(B, NODES_AT_ONCE) * n_blocks,)](
        covered, last.costs, least, B, n, n_blocks,
        BLOCK_B=NODES_AT_ONCE, BLOCK_J=power, MORE_J=last.block - power, BLOCK_N=ALIGNMENT,
        num_warps=8, num_stages=3,
    )  # fmt: skip
    return least[0] if n_blocks == 1 else least.amin(dim=0)


def flags(
    samples: Samples, sums_M: Any, sums_N: Any, nodes: DeviceNodes, terms: Terms
) -> tuple[Any, Any, Any]:
    """Tell what may come of each condition: uint8 (B, J), and of each node, bool (B,)."""
    P, Z, B, device = samples.P, samples.Z, len(nodes), sums_M.device
    found = torch.empty((B, samples.J), dtype=torch.uint8, device=device)
    is_live = torch.empty(B, dtype=torch.bool, device=device)
    n_relevant = torch.empty(B, dtype=torch.int32, device=device)
    block = triton.next_power_of_2(samples.J)
    numbers = _numbers((*terms, *_reading(P, sums_M), *_reading(Z, sums_N)), device)
    kernels.flags[(B,)](
        sums_M, sums_N, nodes.allowed, nodes.lengths, samples.chain, numbers, found, is_live,
        n_relevant, samples.J, P.width, Z.width, nodes.allowed.shape[1],
        DIGITS_M=sums_M.shape[1], DIGITS_N=sums_N.shape[1], BLOCK=block, num_warps=_warps(block),
    )  # fmt: skip
    return found, is_live, n_relevant


def in_order(
    samples: Samples, sums_M: Any, sums_N: Any, flags: Any, n_relevant: Any, K: int
) -> tuple[Any, Any, Any, Any, Any]:
    """Put each node's relevant conditions in order: by decreasing M; of equal ones the first."""
    P, Z, B, device = samples.P, samples.Z, len(flags), flags.device
    types = torch.int32, torch.int64, torch.int64, torch.uint8
    by_id = [torch.empty((B, K), dtype=dtype, device=device) for dtype in types]
    N_here = torch.empty(B, dtype=torch.int64, device=device)
    block = triton.next_power_of_2(samples.J)
    kernels.gather_relevant[(B,)](
        sums_M, sums_N, flags, _numbers((P.unit, Z.unit), device), *by_id, N_here,
        samples.J, K, P.width, Z.width,
        DIGITS_M=P.n_digits, DIGITS_N=Z.n_digits, BLOCK=block, num_warps=_warps(block),
    )  # fmt: skip
    types = torch.int64, torch.int64, torch.int64, torch.uint8
    ordered = [torch.zeros((B, K), dtype=dtype, device=device) for dtype in types]
    block = min(MOST_IN_ORDER, triton.next_power_of_2(K))
    kernels.put_in_order[(B, triton.cdiv(K, block))](
        *by_id, n_relevant, *ordered, K, BLOCK=block, num_warps=1
    )
    return *ordered, N_here


def beaten(samples: Samples, covers: tuple[Any, Any], order: Any, N: Any, is_asked: Any) -> Any:
    """Which conditions one before them in order beats, where asked: bool (B, K)."""
    B, K = order.shape
    answers = torch.zeros((B, K), dtype=torch.bool, device=order.device)
    kernels.beaten[(B, triton.cdiv(K, PLACES_EACH))](
        samples.P.words, samples.Z.words, *covers, order, N, is_asked, _n_places(is_asked),
        answers, K, samples.J + 1, samples.P.bits.shape[1], samples.Z.bits.shape[1],
        BLOCK=min(MOST_COMPARED, triton.next_power_of_2(K)), WORDS=WORDS_AT_ONCE, num_warps=1,
    )  # fmt: skip
    return answers


def bounds(
    samples: Samples,
    cover_Z: Any,
    order: Any,
    M: Any,
    N: Any,
    N_here: Any,
    lengths: Any,
    is_kept: Any,
    is_child: Any,
    terms: Terms,
) -> Any:
    """Bound what lies below each child, where asked: int64 (B, K), elsewhere the threshold."""
    B, K = order.shape
    answers = torch.full((B, K), terms.threshold, dtype=torch.int64, device=order.device)
    block_C = triton.next_power_of_2(samples.n_chains)
    block_W = triton.next_power_of_2(samples.Z.bits.shape[1])
    kernels.bounds[(B,)](
        samples.Z.bits, samples.Z.weight_bits, cover_Z, samples.chain, order, M, N, N_here,
        lengths, is_kept, is_child, _n_places(is_child),
        _numbers((*terms, samples.Z.unit), order.device), answers,
        K, samples.Z.bits.shape[1], len(samples.Z.weight_bits),
        BLOCK_C=block_C, BLOCK_W=block_W, num_warps=_warps(max(block_C, block_W) // 2),
    )  # fmt: skip
    return answers


def children(
    nodes: DeviceNodes, order: Any, M: Any, is_kept: Any, bounds: Any, threshold: int
) -> DeviceNodes:
    """Collect the children under the threshold: each may use what is kept before it."""
    (B, K), (_, longest), n_words = order.shape, nodes.clauses.shape, nodes.allowed.shape[1]
    is_under = bounds < threshold
    ends = is_under.sum(dim=1).cumsum(dim=0)
    starts = torch.nn.functional.pad(ends, (1, 0))
    F = int(ends[-1])
    like = nodes.clauses, nodes.lengths, nodes.allowed, nodes.bound, nodes.M
    grown = DeviceNodes(*(tensor.new_empty((F, *tensor.shape[1:])) for tensor in like))
    kernels.children[(B,)](
        nodes.clauses, nodes.lengths, order, M, is_kept, bounds, starts, _n_places(is_under),
        _numbers((threshold,), order.device), *grown.tensors(), K, longest, n_words,
        BLOCK_L=triton.next_power_of_2(longest), BLOCK_W=triton.next_power_of_2(n_words),
        num_warps=1,
    )  # fmt: skip
    return grown


@lru_cache(maxsize=16)
def _numbers(numbers: tuple[int, ...], device: Any) -> Any:
    """What kernels read as 64-bit numbers: were they arguments, small ones would be 32-bit.

    They are kept, because to send them is to wait for the device.
    """
    return torch.tensor(numbers, dtype=torch.int64, device=device)


def _n_places(is_asked: Any) -> Any:
    """How many places there are up to the last that is asked for: int64 (B,)."""
    return (is_asked * torch.arange(1, is_asked.shape[1] + 1, device=is_asked.device)).amax(dim=1)


def _reading(side: Side, digit_sums: Any) -> tuple[int, int]:
    """Return how to make a sum of its digits: times, and plus; see ``Side.sums``."""
    n_left = side.n_digits - digit_sums.shape[1]
    return side.unit << (DIGIT_BITS * n_left), side.most_behind if n_left else 0


def _warps(block: int) -> int:
    return max(1, min(8, block // 128))
