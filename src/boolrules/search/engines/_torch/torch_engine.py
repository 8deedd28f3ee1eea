"""An engine for a GPU: a batch of nodes is a matrix product, and nodes never leave the device.

Covered rows are a matrix of zeros and ones, int8 (B, n). Times the digits of the weights it gives
the sums for every node and every condition at once, exactly. A look at the sums tells which nodes
have anything below them or anything to find. Only those few have their conditions put in order,
held against each other, and bounded.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boolrules._support.optional import require
from boolrules.data.bins import NO_CONDITION
from boolrules.search.engines._torch import steps as plain_steps
from boolrules.search.engines._torch.device_nodes import DeviceHeap, DeviceNodes
from boolrules.search.engines._torch.samples import N_LEADING, Last, Samples
from boolrules.search.engines._torch.steps import IS_CHILD, IS_FOUND, IS_USEFUL
from boolrules.search.engines.engine import Expansion, ExtensionSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.column import IntegerDuals
    from boolrules.data.training_set import TrainingSet
    from boolrules.search.engines.engine import Nodes, Terms

MOST_NODES = 524_288
# Of nodes that may be given one condition more, so many times as many: little is done for each.
TIMES_LAST_NODES = 4
# What comes back of clauses is whole matrices of sums, so they are taken fewer at once.
MOST_CLAUSES = 4096
# Matrices with more entries are not asked of anyone: libraries count them in 32 bits.
MOST_ENTRIES = 2**31 - 1
# Shares of the device's memory: for a batch with all that is computed of it, for open nodes.
BATCH_SHARE, OPEN_SHARE = 0.3, 0.5
# Where there is no GPU, as in tests: as if the device had so many bytes.
BYTES_ON_A_CPU = 300_000_000


class TorchEngine:
    """Sums over the covered samples by matrix products on a device.

    When pricing, only positives with μ_i > 0 take part; when enumerating, all do.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        duals: IntegerDuals,
        *,
        is_enumerating: bool = False,
        device: str = "cuda",
    ) -> None:
        if device == "cuda" and not torch.cuda.is_available():
            raise ValueError(
                "engine='cuda' needs an NVIDIA GPU, and PyTorch sees none. Use engine='numba', or "
                "check the driver with: python -m torch.utils.collect_env"
            )
        self.device = torch.device(device, 0) if device == "cuda" else torch.device(device)
        self._samples = Samples.of(
            training_set, duals, is_enumerating=is_enumerating, device=self.device
        )
        self._steps: Any = plain_steps
        if device == "cuda":
            require("triton", needed_for="engine='cuda'", install="pip install triton")
            from boolrules.search.engines._torch import triton_steps

            self._steps = triton_steps
        n_bytes = BYTES_ON_A_CPU
        if device == "cuda":
            n_bytes = torch.cuda.get_device_properties(self.device).total_memory
        self.most_open_bytes = int(OPEN_SHARE * n_bytes)
        self._most_batch_bytes = int(BATCH_SHARE * n_bytes)
        P, Z = self._samples.P, self._samples.Z
        widest = max(P.n_rows, Z.n_rows, P.n_digits * P.width, Z.n_digits * Z.width)
        fitting = min(self._most_batch_bytes // self._node_bytes, MOST_ENTRIES // widest)
        self.nodes_at_once = max(1, min(MOST_NODES, fitting))
        self._times_last_nodes = TIMES_LAST_NODES

    @property
    def J(self) -> int:
        """How many conditions there are."""
        return self._samples.J

    @property
    def last_nodes_at_once(self) -> int:
        """How many nodes to take at once of those that may be given one condition more."""
        if self._last is None:
            return self.nodes_at_once
        fitting = self._most_batch_bytes // self._last.costs.shape[1]
        return max(self.nodes_at_once, min(self._times_last_nodes * self.nodes_at_once, fitting))

    @property
    def _node_bytes(self) -> int:
        """Memory that expanding one node takes: covered rows, sums of digits, ordered sums."""
        P, Z = self._samples.P, self._samples.Z
        digit_sums = 4 * (P.n_digits * P.width + Z.n_digits * Z.width)
        return P.n_rows + Z.n_rows + 2 * digit_sums + 100 * (self.J + 1)

    @property
    def batch_size(self) -> int:
        """How many clauses to take at once."""
        return min(MOST_CLAUSES, self.nodes_at_once)

    def halve_the_batch(self, tried: int) -> None:
        """Take fewer nodes at once from now on: the device has no room for so many."""
        self._times_last_nodes = 1
        self.nodes_at_once = max(1, min(self.nodes_at_once, tried // 2))
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def extend(self, clauses: NDArray[np.int32]) -> ExtensionSums:
        """Sum over each clause, and over each clause with each condition added."""
        lengths = np.full(len(clauses), clauses.shape[1], dtype=np.int32)
        rows = np.where(clauses == NO_CONDITION, self.J, clauses).astype(np.int32)
        if rows.shape[1] == 0:
            rows = np.full((len(rows), 1), self.J, dtype=np.int32)
        nothing = torch.empty(0, device=self.device)
        nodes = DeviceNodes(
            torch.from_numpy(rows).to(self.device),
            torch.from_numpy(lengths).to(self.device),
            *[nothing] * 3,
        )
        P, Z = self._samples.P, self._samples.Z
        sums_M = P.digit_sums(self._steps.cover(P, nodes))
        sums_N = Z.digit_sums(self._steps.cover(Z, nodes))
        M = self._samples.P.sums(sums_M).cpu().numpy()
        N = self._samples.Z.sums(sums_N).cpu().numpy()
        return ExtensionSums(M[:, -1], N[:, -1], M[:, :-1], N[:, :-1])

    def expand(self, nodes: Nodes, terms: Terms) -> Expansion:
        """Price the children of nodes and bound what lies below them."""
        found, children = self.expand_on_device(DeviceNodes.of(nodes, self.J, self.device), terms)
        return Expansion(found.cpu().numpy(), children.to_nodes(self.J))

    def open(self, root: Nodes | None, terms: Terms) -> DeviceHeap:
        """Begin a search at some nodes."""
        return DeviceHeap(self, terms, root)

    def expand_on_device(self, nodes: DeviceNodes, terms: Terms) -> tuple[Any, DeviceNodes]:
        """Do as ``expand`` does, without leaving the device: found, int64 (F, 5), and children."""
        is_open = self._is_open(nodes, terms)
        if is_open is None:
            return self._expand(nodes, terms)
        found, children = [self._nothing_found], [nodes[:0]]
        for rows in is_open.nonzero()[:, 0].split(self.nodes_at_once):
            if len(rows):
                found_here, children_here = self._expand(nodes[rows], terms)
                found_here[:, 0] = rows[found_here[:, 0]]
                found.append(found_here)
                children.append(children_here)
        return torch.cat(found), DeviceNodes.concatenate(children)

    def _is_open(self, nodes: DeviceNodes, terms: Terms) -> Any:
        """Tell which nodes to look at, bool (B,), or None for all.

        Most nodes may be given one condition more and no other, and a look at the least that one
        can cost is enough to see that it leads nowhere.
        """
        is_last = nodes.lengths == terms.longest - 1
        n_last = int(is_last.sum())
        if n_last == 0 or self._last is None:
            return None
        some = nodes if n_last == len(nodes) else nodes[is_last.nonzero()[:, 0]]
        price = terms.clause_price + terms.condition_price * terms.longest
        least = self._steps.least_sums(self._last, some)
        is_open = self._last.is_open(least, some.M, price, terms.threshold)
        if n_last < len(nodes):
            is_open = (~is_last).masked_scatter(is_last, is_open)
        return is_open

    @cached_property
    def _last(self) -> Last | None:
        return Last.of(self._samples.P, self._samples.Z)

    @cached_property
    def _nothing_found(self) -> Any:
        return torch.empty((0, 5), dtype=torch.int64, device=self.device)

    def _expand(self, nodes: DeviceNodes, terms: Terms) -> tuple[Any, DeviceNodes]:
        samples, steps = self._samples, self._steps
        live, sums_M, sums_N, flags, n_relevant = self._live(nodes, terms)
        if not len(live):
            return self._nothing_found, nodes[:0]
        chosen = nodes[live]
        lengths = chosen.lengths
        price = terms.clause_price + terms.condition_price * (lengths.long() + 1)
        K, shortest = torch.stack([n_relevant.max(), lengths.min()]).tolist()
        found = [self._nothing_found]
        if shortest == 0:
            # The empty clause is excluded, so a single condition counts whatever it eliminates.
            is_single = (flags & (IS_FOUND | IS_USEFUL)) == IS_FOUND
            sums = samples.P.sums(sums_M), samples.Z.sums(sums_N)
            found.append(_found(is_single.nonzero(), None, live, price, *sums))
        if K == 0:
            return torch.cat(found), nodes[:0]
        order, M, N, flags, N_here = steps.in_order(samples, sums_M, sums_N, flags, n_relevant, K)
        is_found, is_child = (flags & IS_FOUND) > 0, (flags & IS_CHILD) > 0
        places = torch.arange(1, K + 1, device=self.device)
        is_up_to_a_child = places <= (is_child * places).amax(dim=1, keepdim=True)
        covers = steps.cover_bits(samples.P, chosen), steps.cover_bits(samples.Z, chosen)
        beaten = steps.beaten(samples, covers, order, N, is_found | is_up_to_a_child)
        found.append(_found((is_found & ~beaten).nonzero(), order, live, price, M, N))
        if shortest == terms.longest - 1:
            return torch.cat(found), nodes[:0]
        is_kept = is_up_to_a_child & ~beaten
        bounds = steps.bounds(
            samples,
            covers[1],
            order,
            M,
            N,
            N_here,
            lengths,
            is_kept,
            is_child & ~beaten,
            terms,
        )
        children = steps.children(chosen, order, M, is_kept, bounds, terms.threshold)
        return torch.cat(found), children

    def _live(self, nodes: DeviceNodes, terms: Terms) -> tuple[Any, Any, Any, Any, Any]:
        """Tell which nodes have something to find or to go on with: their sums, and flags.

        Many have neither, and the leading digits of M are enough to see it.
        """
        P, Z, steps = self._samples.P, self._samples.Z, self._steps
        cover_P, sums_N = steps.cover(P, nodes), Z.digit_sums(steps.cover(Z, nodes))
        live = torch.arange(len(nodes), device=self.device)
        if P.n_digits > N_LEADING + 1:
            leading = P.digit_sums(cover_P, N_LEADING)
            _, is_live, _ = steps.flags(self._samples, leading, sums_N, nodes, terms)
            live = is_live.nonzero()[:, 0]
            if not len(live):
                return live, None, None, None, None
            cover_P, sums_N, nodes = cover_P[live], sums_N[live], nodes[live]
        sums_M = P.digit_sums(cover_P)
        flags, is_live, n_relevant = steps.flags(self._samples, sums_M, sums_N, nodes, terms)
        rows = is_live.nonzero()[:, 0]
        return live[rows], sums_M[rows], sums_N[rows], flags[rows], n_relevant[rows]


def _found(places: Any, order: Any, live: Any, price: Any, M: Any, N: Any) -> Any:
    """Rows of node, condition, reduced cost, M, N for places (row, column) in the ordered sums."""
    b, k = places.unbind(1)
    j = k if order is None else order[b, k]
    return torch.stack([live[b], j, price[b] - M[b, k] + N[b, k], M[b, k], N[b, k]], dim=1)
