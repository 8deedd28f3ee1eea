"""The steps of an expansion in plain PyTorch: what runs on a CPU, and what kernels must equal.

Every step takes and returns tensors on one device. On a GPU, ``triton_steps`` has the same steps
under the same names, each in one kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from boolrules.search.engines._torch.device_nodes import DeviceNodes, packed
from boolrules.search.engines._torch.samples import product

if TYPE_CHECKING:
    from boolrules.search.engines._torch.samples import Last, Samples, Side
    from boolrules.search.engines.engine import Terms

IS_FOUND, IS_CHILD, IS_USEFUL, IS_RELEVANT = 1, 2, 4, 8
MOST_ENTRIES = 16_000_000


def cover(side: Side, nodes: DeviceNodes) -> Any:
    """Which rows each node's clause covers: int8 (B, n)."""
    return _and_of_truths(side.holds, nodes)


def least_sums(last: Last, nodes: DeviceNodes) -> Any:
    """Least sum of costs that one condition more comes to, over all conditions: int32 (B,)."""
    return product(_and_of_truths(last.holds, nodes), last.costs).amin(dim=1)


def cover_bits(side: Side, nodes: DeviceNodes) -> Any:
    """Which rows each node's clause covers: int32 (B, n / 32), as bits."""
    return _and_of(side.bits, nodes)


def _and_of_truths(holds: Any, nodes: DeviceNodes) -> Any:
    # Eight truth values at a time.
    return _and_of(holds.view(torch.int64), nodes).view(torch.int8)


def _and_of(words: Any, nodes: DeviceNodes) -> Any:
    covered = words[nodes.clauses[:, 0]]
    for place in range(1, int(nodes.lengths.max())):
        covered &= words[nodes.clauses[:, place]]
    return covered


def flags(
    samples: Samples, sums_M: Any, sums_N: Any, nodes: DeviceNodes, terms: Terms
) -> tuple[Any, Any, Any]:
    """Tell what may come of each condition: uint8 (B, J), and of each node, bool (B,).

    ``IS_USEFUL``: it may be used, and eliminates enough. ``IS_RELEVANT``: M alone does not speak
    against it, either; int32 (B,) says of how many. ``IS_FOUND``: the clause with it is under the
    threshold. ``IS_CHILD``: clauses below it may be, as far as the largest eliminations of *all*
    useful conditions can tell, one per chain. From the leading digits of M alone, more may be
    relevant, found and children, never fewer.
    """
    M, N = samples.P.sums(sums_M), samples.Z.sums(sums_N)
    N_here, M, N = N[:, -1:], M[:, :-1], N[:, :-1]
    is_allowed = nodes.is_allowed(samples.J)
    is_useful = is_allowed & (N_here - N > terms.least_elimination)
    price = _price(nodes.lengths, terms)[:, None]
    is_found = (is_useful | (is_allowed & (nodes.lengths[:, None] == 0))) & (
        price - M + N < terms.threshold
    )
    is_relevant = is_useful & (price - M < terms.threshold)
    left = torch.where(is_relevant, N_here - N, 0)
    is_child = torch.zeros_like(is_useful)
    rest, paid = N, price - M
    for more in range(1, terms.longest - int(nodes.lengths.min())):
        value, left = _take_largest(left, samples.chain)
        rest, paid = rest - value, paid + terms.condition_price
        is_open = (value > 0) & (nodes.lengths[:, None] + 1 + more <= terms.longest)
        is_child |= is_relevant & is_open & (paid + rest.clamp(min=0) < terms.threshold)
    found = IS_FOUND * is_found + IS_CHILD * is_child + IS_USEFUL * is_useful
    found += IS_RELEVANT * is_relevant
    n_relevant = is_relevant.sum(dim=1, dtype=torch.int32)
    return found.to(torch.uint8), (is_found | is_child).any(dim=1), n_relevant


def in_order(
    samples: Samples, sums_M: Any, sums_N: Any, flags: Any, n_relevant: Any, K: int
) -> tuple[Any, Any, Any, Any, Any]:
    """Put each node's relevant conditions in order: by decreasing M; of equal ones the first.

    Returns condition ids, int64, M, N and flags, (B, K), with zeros after the last one, and the N
    of the nodes themselves, (B,).
    """
    M, N = samples.P.sums(sums_M), samples.Z.sums(sums_N)
    is_relevant = (flags & IS_RELEVANT) > 0
    M, order = torch.where(is_relevant, M[:, :-1], -1).sort(dim=1, descending=True, stable=True)
    M, order = M[:, :K], order[:, :K]
    is_place = torch.arange(K, device=M.device) < n_relevant[:, None]
    tensors = order, M, N.gather(1, order), flags.gather(1, order)
    return *(torch.where(is_place, tensor, 0) for tensor in tensors), N[:, -1].contiguous()


def beaten(samples: Samples, covers: tuple[Any, Any], order: Any, N: Any, is_asked: Any) -> Any:
    """Which conditions one before them in order beats, where asked: bool (B, K).

    It keeps at least the same positives and at most the same zeros. ``order`` (B, K) are condition
    ids, ``N`` the zeros kept with each; ``covers`` the nodes' covered rows of P and Z, as bits.
    """
    del N
    K = order.shape[1]
    places = torch.arange(K, device=order.device)
    is_before = places[None, :] < places[:, None]
    answers = torch.zeros_like(is_asked)
    size = _batch(K * (samples.P.n_rows + samples.Z.n_rows + K))
    for start in range(0, len(order), size):
        some = slice(start, start + size)
        within_P = _shared(samples.P, covers[0][some], order[some])
        within_Z = _shared(samples.Z, covers[1][some], order[some])
        keeps_P = within_P == within_P.diagonal(dim1=1, dim2=2)[:, :, None]
        keeps_Z = within_Z == within_Z.diagonal(dim1=1, dim2=2)[:, None, :]
        answers[some] = (keeps_P & keeps_Z & is_before).any(dim=2)
    return answers & is_asked


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
    """Bound what lies below each child, where asked: int64 (B, K), elsewhere the threshold.

    ``order``, ``M`` and ``N`` (B, K) are conditions by decreasing M with their sums; ``is_kept``
    tells which of them the children after them may use. See ``NumpyEngine._bound``.
    """
    K = order.shape[1]
    places = torch.arange(K, device=order.device)
    chain = samples.chain[order]
    answers = torch.full_like(M, terms.threshold)
    size = _batch(K * (8 * K + samples.Z.n_rows))
    for start in range(0, len(order), size):
        some = slice(start, start + size)
        stays = _unpacked(samples.Z, cover_Z[some])[:, None, :] * samples.Z.holds[order[some]]
        floor = (stays.cummin(dim=1).values.double() @ samples.Z.weights).long()
        others = is_kept[some, None, :] & (places[None, :] < places[:, None])
        others &= chain[some, None, :] != chain[some, :, None]
        left = torch.where(others, (N_here[some, None] - N[some])[:, None, :], 0)
        paid = _price(lengths[some], terms)[:, None] - M[some]
        rest, best = N[some], answers[some]
        for more in range(1, terms.longest - int(lengths.min())):
            value, left = _take_largest(left, chain[some, None, :])
            rest, paid = rest - value[:, :, 0], paid + terms.condition_price
            is_open = (value[:, :, 0] > 0) & (lengths[some, None] + 1 + more <= terms.longest)
            bound = torch.where(is_open, paid + torch.maximum(rest, floor), terms.threshold)
            best = torch.minimum(best, bound)
        answers[some] = torch.where(is_child[some], best, terms.threshold)
    return answers


def children(
    nodes: DeviceNodes, order: Any, M: Any, is_kept: Any, bounds: Any, threshold: int
) -> DeviceNodes:
    """Collect the children under the threshold: each may use what is kept before it."""
    b, place = (bounds < threshold).nonzero().unbind(1)
    K, n_words = order.shape[1], nodes.allowed.shape[1]
    # Where each condition stands in order; those not kept come after all.
    standing = torch.full((len(order), 64 * n_words + 1), K, device=order.device)
    places = torch.arange(K, device=order.device)
    standing.scatter_(1, torch.where(is_kept, order, 64 * n_words), places.expand_as(order))
    parts = [nodes.allowed[:0]]
    for start in range(0, len(b), size := _batch(64 * n_words)):
        some = slice(start, start + size)
        parts.append(packed(standing[b[some], :-1] < place[some, None], n_words))
    return DeviceNodes(
        nodes.appended(b, order[b, place]),
        nodes.lengths[b] + 1,
        torch.cat(parts),
        bounds[b, place],
        M[b, place],
    )


def _price(lengths: Any, terms: Terms) -> Any:
    """What a clause with one condition more than now pays."""
    return terms.clause_price + terms.condition_price * (lengths.long() + 1)


def _take_largest(values: Any, chain: Any) -> tuple[Any, Any]:
    """Return the largest value of each row, and the values with its chain's set to zero."""
    largest, place = values.max(dim=-1, keepdim=True)
    of_largest = chain.expand_as(values).gather(-1, place)
    return largest, torch.where(chain == of_largest, 0, values)


def _unpacked(side: Side, bits: Any) -> Any:
    """Undo the packing of covered rows: int8 (B, n)."""
    shifts = torch.arange(32, device=bits.device, dtype=torch.int32)
    return ((bits[:, :, None] >> shifts) & 1).view(len(bits), side.n_rows).to(torch.int8)


def _shared(side: Side, bits: Any, order: Any) -> Any:
    """How many covered rows each two conditions share: float32 (B, K, K), exact."""
    kept = (_unpacked(side, bits)[:, None, :] * side.holds[order]).float()
    return kept @ kept.transpose(1, 2)


def _batch(entries_per_node: int) -> int:
    return max(1, MOST_ENTRIES // entries_per_node)
