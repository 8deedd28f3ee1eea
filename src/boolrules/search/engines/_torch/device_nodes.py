"""Nodes of the search on the device, and the open ones among them."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boolrules.data.bins import NO_CONDITION
from boolrules.search.engines.engine import Found, Nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.search.engines._torch.torch_engine import TorchEngine
    from boolrules.search.engines.engine import Terms

# Open nodes beyond what the device has room for go to the machine's memory; beyond that, they are
# taken newest first, which keeps their number from growing.
MOST_BYTES_ON_HOST = 4_000_000_000


@dataclass(frozen=True)
class DeviceNodes:
    """Like ``Nodes``, in tensors: clauses are padded with J, which is true of every sample.

    Parameters
    ----------
    clauses : int32 tensor (B, longest)
    lengths : int32 tensor (B,)
    allowed : int64 tensor (B, n_words)
    bound, M : int64 tensors (B,)
    """

    clauses: Any
    lengths: Any
    allowed: Any
    bound: Any
    M: Any

    @classmethod
    def of(cls, nodes: Nodes, J: int, device: Any) -> DeviceNodes:
        """Put nodes on the device."""
        clauses = np.where(nodes.clauses == NO_CONDITION, J, nodes.clauses).astype(np.int32)
        arrays = (
            clauses,
            nodes.lengths.astype(np.int32),
            nodes.allowed.view(np.int64),
            nodes.bound,
            nodes.M,
        )
        return cls(*(torch.from_numpy(np.ascontiguousarray(a)).to(device) for a in arrays))

    def to_nodes(self, J: int) -> Nodes:
        """Fetch nodes from the device."""
        return Nodes(
            as_clauses(self.clauses, J),
            self.lengths.cpu().numpy().astype(np.int64),
            self.allowed.cpu().numpy().view(np.uint64),
            self.bound.cpu().numpy(),
            self.M.cpu().numpy(),
        )

    def __len__(self) -> int:
        return len(self.bound)

    def __getitem__(self, rows: Any) -> DeviceNodes:
        return DeviceNodes(*(tensor[rows] for tensor in self.tensors()))

    @classmethod
    def concatenate(cls, parts: list[DeviceNodes]) -> DeviceNodes:
        """Join batches of nodes."""
        if len(parts) == 1:
            return parts[0]
        return cls(*map(torch.cat, zip(*(part.tensors() for part in parts), strict=True)))

    def to(self, device: Any) -> DeviceNodes:
        """Move them to another device, or back."""
        return DeviceNodes(*(tensor.to(device) for tensor in self.tensors()))

    def copied(self) -> DeviceNodes:
        """Return a copy that shares no memory."""
        return DeviceNodes(*(tensor.clone() for tensor in self.tensors()))

    def is_allowed(self, J: int) -> Any:
        """Unpack which conditions may still join each clause: bool (B, J)."""
        octets = self.allowed.contiguous().view(torch.uint8)
        shifts = torch.arange(8, device=octets.device, dtype=torch.uint8)
        return ((octets[:, :, None] >> shifts) & 1).view(len(self), -1)[:, :J].bool()

    def appended(self, parents: Any, j: Any) -> Any:
        """Return the clauses of some nodes, each with one condition more."""
        grown = self.clauses[parents]
        grown.scatter_(1, self.lengths[parents].long()[:, None], j.int()[:, None])
        return grown

    @property
    def n_bytes(self) -> int:
        """Memory that they take up."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self.tensors())

    def tensors(self) -> tuple[Any, ...]:
        """Return all fields, in order."""
        return self.clauses, self.lengths, self.allowed, self.bound, self.M


def packed(is_allowed: Any, n_words: int) -> Any:
    """Undo ``is_allowed``: int64 (B, n_words)."""
    B, J = is_allowed.shape
    padded = torch.nn.functional.pad(is_allowed.to(torch.uint8), (0, 64 * n_words - J))
    powers = 2 ** torch.arange(8, device=is_allowed.device, dtype=torch.uint8)
    octets = (padded.view(B, 8 * n_words, 8) * powers).sum(dim=2, dtype=torch.uint8)
    return octets.view(torch.int64)


def as_clauses(clauses: Any, J: int) -> NDArray[np.int32]:
    """Fetch clauses from the device, padded as elsewhere."""
    rows = clauses.cpu().numpy()
    return np.where(rows == J, NO_CONDITION, rows).astype(np.int32)


class DeviceHeap:
    """Open nodes on the device, the best first; the worst on the host if need be."""

    def __init__(self, engine: TorchEngine, terms: Terms, root: Nodes | None) -> None:
        self._engine = engine
        self._terms = terms
        self._heap: list[tuple[float, int, DeviceNodes, bool]] = []
        self._n_pushed = 0
        self._n_open = 0
        self._n_bytes = 0
        self.n_spilled = 0
        if root is not None:
            self._push(DeviceNodes.of(root, engine.J, engine.device))

    def __len__(self) -> int:
        return self._n_open

    def expand_a_batch(self) -> Found:
        """Expand the open nodes of least bound; keep their children, return what was found."""
        nodes = self._take()
        try:
            found, children = self._engine.expand_on_device(nodes, self._terms)
        except torch.OutOfMemoryError:
            if len(nodes) == 1:
                raise
            self._engine.halve_the_batch(len(nodes))
            self._push(nodes)
            return self.expand_a_batch()
        if len(children):
            self._push(children)
        if not len(found):
            clauses = np.empty((0, nodes.clauses.shape[1]), dtype=np.int32)
            return Found(len(nodes), np.empty((0, 3), dtype=np.int64), clauses)
        clauses = as_clauses(nodes.appended(found[:, 0], found[:, 1]), self._engine.J)
        return Found(len(nodes), found[:, 2:].cpu().numpy(), clauses)

    def least_by_length(self) -> NDArray[np.int64]:
        """Lower bounds, at most 0, on the reduced cost of longer clauses, by length."""
        least = np.zeros(self._terms.longest + 1, dtype=np.int64)
        for _, _, nodes, _ in self._heap:
            shortest = int(nodes.lengths.min())
            for n in range(shortest + 1, self._terms.longest + 1):
                price = self._terms.clause_price + self._terms.condition_price * n
                bound = torch.maximum(nodes.bound, price - nodes.M)
                below = torch.where(nodes.lengths < n, bound, 0).min()
                least[n] = min(least[n], int(below))
        return least

    def _push(self, nodes: DeviceNodes) -> None:
        key = self._key(nodes)
        order = torch.argsort(key, stable=True)
        self._n_open += len(nodes)
        self._n_bytes += nodes.n_bytes
        is_full = self._n_bytes > self._engine.most_open_bytes + MOST_BYTES_ON_HOST
        size = self._engine.nodes_at_once
        *keys, shortest = torch.cat([key[order[::size]], nodes.lengths.min()[None]]).tolist()
        are_last = shortest == self._terms.longest - 1
        for start, least in zip(range(0, len(nodes), size), keys, strict=True):
            self._n_pushed += 1
            entry = (-math.inf if is_full else least, -self._n_pushed)
            heapq.heappush(self._heap, (*entry, nodes[order[start : start + size]], are_last))
        self._spill()

    def _key(self, nodes: DeviceNodes) -> Any:
        """Least first: the bound, per what the shortest clause below a node pays.

        If the search is cut short, λ must rise by the most negative of these: float64 (B,).
        """
        price = self._terms.clause_price + self._terms.condition_price * (nodes.lengths + 1.0)
        return nodes.bound / price.clamp(min=1.0)

    def _take(self) -> DeviceNodes:
        """Take the best nodes; more where all of them may be given one condition more."""
        are_last = self._heap[0][3]
        most = self._engine.last_nodes_at_once if are_last else self._engine.nodes_at_once
        taken: list[DeviceNodes] = []
        n_taken = 0
        while self._heap and n_taken < most and self._heap[0][3] >= are_last:
            _, _, chunk, _ = heapq.heappop(self._heap)
            taken.append(chunk.to(self._engine.device))
            n_taken += len(chunk)
            self._n_bytes -= chunk.n_bytes
        self._n_open -= n_taken
        nodes = DeviceNodes.concatenate(taken)
        if n_taken > most:
            self._push(nodes[most:].copied())
        return nodes[:most]

    def _spill(self) -> None:
        """Move the chunks of worst bound to the host until the others fit the device."""
        if self._n_bytes <= self._engine.most_open_bytes:
            return
        room = self._engine.most_open_bytes
        kept = []
        for key, number, chunk, are_last in sorted(self._heap, key=lambda entry: entry[:2]):
            room -= chunk.n_bytes
            if room < 0 and chunk.bound.device == self._engine.device:
                chunk = chunk.to("cpu")
                self.n_spilled += len(chunk)
            kept.append((key, number, chunk, are_last))
        self._heap = kept
