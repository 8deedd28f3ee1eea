"""The steps of an expansion as kernels for a GPU; ``steps`` says what each must come to.

Tensors must be contiguous; the kernels check nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton

from boolrules.engines._torch import kernels
from boolrules.engines._torch.steps import cover_bits

if TYPE_CHECKING:
    from boolrules.engines._torch.device_nodes import DeviceNodes
    from boolrules.engines._torch.samples import Samples, Side
    from boolrules.engines.engine import Terms

__all__ = ["beaten", "bounds", "cover", "cover_bits", "flags"]


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
        _numbers(terms, P.unit, Z.unit, sums_M.device), found, is_live,
        samples.J, P.width, Z.width, nodes.allowed.shape[1],
        DIGITS_M=P.n_digits, DIGITS_N=Z.n_digits, BLOCK=block, num_warps=_warps(block),
    )  # fmt: skip
    return found, is_live


def beaten(samples: Samples, covers: tuple[Any, Any], order: Any, N: Any, is_asked: Any) -> Any:
    """Which conditions one before them in order beats, where asked: bool (B, K)."""
    B, K = order.shape
    answers = torch.empty((B, K), dtype=torch.bool, device=order.device)
    block = triton.next_power_of_2(K)
    kernels.beaten[(B * K,)](
        samples.P.bits, samples.Z.bits, *covers, order, N, is_asked, answers,
        K, samples.P.bits.shape[1], samples.Z.bits.shape[1],
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
        _numbers(terms, 1, samples.Z.unit, order.device), answers,
        K, samples.Z.bits.shape[1], len(samples.Z.weight_bits),
        BLOCK_J=block_J, BLOCK_W=block_W, num_warps=_warps(max(block_J, block_W)),
    )  # fmt: skip
    return answers


def _numbers(terms: Terms, unit_M: int, unit_N: int, device: Any) -> Any:
    """What kernels read as 64-bit numbers: were they arguments, small ones would be 32-bit."""
    return torch.tensor([*terms, unit_M, unit_N], dtype=torch.int64, device=device)


def _warps(block: int) -> int:
    return max(1, min(8, block // 128))
