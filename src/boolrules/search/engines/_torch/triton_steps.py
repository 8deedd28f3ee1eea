"""The steps of an expansion as kernels for a GPU; ``steps`` says what each must come to.

Tensors must be contiguous; the kernels check nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton

from boolrules.search.engines._torch import kernels
from boolrules.search.engines._torch.samples import DIGIT_BITS
from boolrules.search.engines._torch.steps import cover_bits

if TYPE_CHECKING:
    from boolrules.search.engines._torch.device_nodes import DeviceNodes
    from boolrules.search.engines._torch.samples import Samples, Side
    from boolrules.search.engines.engine import Terms

__all__ = ["allowed_before", "beaten", "bounds", "cover", "cover_bits", "flags"]


def cover(side: Side, nodes: DeviceNodes) -> Any:
    """Which rows each node's clause covers: int8 (B, n)."""
    words = side.holds.view(torch.int32)
    n_words = words.shape[1]
    covered = torch.empty((len(nodes.clauses), n_words), dtype=torch.int32, device=words.device)
    grid = (len(nodes.clauses), triton.cdiv(n_words, 512))
    kernels.cover[grid](
        words, nodes.clauses, nodes.lengths, covered,
        len(words) - 1, n_words, nodes.clauses.shape[1], BLOCK=512, num_warps=4,
    )  # fmt: skip
    return covered.view(torch.int8)


def flags(
    samples: Samples, sums_M: Any, sums_N: Any, nodes: DeviceNodes, terms: Terms
) -> tuple[Any, Any]:
    """Tell what may come of each condition: uint8 (B, J), and of each node, bool (B,)."""
    P, Z, B = samples.P, samples.Z, len(nodes)
    found = torch.empty((B, samples.J), dtype=torch.uint8, device=sums_M.device)
    is_live = torch.empty(B, dtype=torch.bool, device=sums_M.device)
    block = triton.next_power_of_2(samples.J)
    kernels.flags[(B,)](
        sums_M, sums_N, nodes.allowed, nodes.lengths, samples.chain,
        _numbers(terms, sums_M.device, *_reading(P, sums_M), *_reading(Z, sums_N)), found, is_live,
        samples.J, P.width, Z.width, nodes.allowed.shape[1],
        DIGITS_M=sums_M.shape[1], DIGITS_N=sums_N.shape[1], BLOCK=block, num_warps=_warps(block),
    )  # fmt: skip
    return found, is_live


def beaten(samples: Samples, covers: tuple[Any, Any], order: Any, N: Any, is_asked: Any) -> Any:
    """Which conditions one before them in order beats, where asked: bool (B, K)."""
    B, K = order.shape
    answers = torch.empty((B, K), dtype=torch.bool, device=order.device)
    block = triton.next_power_of_2(K)
    kernels.beaten[(B * K,)](
        samples.P.words, samples.Z.words, *covers, order, N, is_asked, answers,
        K, samples.J + 1, samples.P.bits.shape[1], samples.Z.bits.shape[1],
        BLOCK=block, num_warps=max(1, block // 1024),
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
    n_children = (is_child * torch.arange(1, K + 1, device=order.device)).amax(dim=1)
    block_J = triton.next_power_of_2(K)
    block_W = triton.next_power_of_2(samples.Z.bits.shape[1])
    kernels.bounds[(B,)](
        samples.Z.bits, samples.Z.weight_bits, cover_Z, samples.chain, order, M, N, N_here,
        lengths, is_kept, is_child, n_children,
        _numbers(terms, order.device, samples.Z.unit), answers,
        K, samples.Z.bits.shape[1], len(samples.Z.weight_bits),
        BLOCK_J=block_J, BLOCK_W=block_W, num_warps=_warps(max(block_J, block_W)),
    )  # fmt: skip
    return answers


def allowed_before(standing: Any, nodes: Any, places: Any, n_words: int) -> Any:
    """Pack which conditions stand before some places of some nodes: int64 (F, n_words)."""
    words = torch.empty((len(nodes), n_words), dtype=torch.int64, device=standing.device)
    block = 64 * triton.next_power_of_2(n_words)
    if len(nodes):
        kernels.allowed_before[(len(nodes),)](
            standing, nodes, places, words,
            standing.shape[1], n_words, BLOCK=block, num_warps=max(1, block // 512),
        )  # fmt: skip
    return words


def _numbers(terms: Terms, device: Any, *others: int) -> Any:
    """What kernels read as 64-bit numbers: were they arguments, small ones would be 32-bit."""
    return torch.tensor([*terms, *others], dtype=torch.int64, device=device)


def _reading(side: Side, digit_sums: Any) -> tuple[int, int]:
    """Return how to make a sum of its digits: times, and plus; see ``Side.sums``."""
    n_left = side.n_digits - digit_sums.shape[1]
    return side.unit << (DIGIT_BITS * n_left), side.most_behind if n_left else 0


def _warps(block: int) -> int:
    return max(1, min(8, block // 128))
