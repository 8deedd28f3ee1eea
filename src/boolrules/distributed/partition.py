"""One worker's share of the rows, and what can be asked of it.

Every question is a pure function of a partition and its arguments. What a partition remembers
besides its rows can be worked out again, and is left behind when it travels: a worker that dies
takes nothing with it that matters.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.budget import Budget
from boolrules.data.bins import pack_bits, unpack_bits
from boolrules.data.column import Duals, IntegerDuals
from boolrules.data.patterns import row_marks
from boolrules.distributed.answers import (
    ExactPatterns,
    Facts,
    MarkedPatterns,
    Proposals,
    Signs,
    Sums,
)
from boolrules.search.engines import NumbaEngine
from boolrules.solver.pricing import BeamSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.patterns import PatternRates
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet

MOST_REMEMBERED = 2


@dataclass(frozen=True, slots=True, eq=False)
class SharedDuals:
    """Integer duals as workers get them: rates of patterns, from which each row finds its own."""

    name: int
    rates: PatternRates
    scale: int


class Partition:
    """A training set of some of the rows.

    Parameters
    ----------
    samples : TrainingSet
        The rows, merged among themselves.
    given_loss : float
        What given clauses lose on them, which are not in the samples.
    """

    def __init__(self, samples: TrainingSet, given_loss: float = 0.0) -> None:
        self.samples = samples
        self.given_loss = given_loss
        self._lock = threading.Lock()
        self._engines: dict[tuple[int, bool], NumbaEngine] = {}
        self._mu: dict[int, NDArray[np.int64]] = {}

    def __getstate__(self) -> tuple[TrainingSet, float]:
        return replace(self.samples), self.given_loss  # without what it remembers

    def __setstate__(self, state: tuple[TrainingSet, float]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __sizeof__(self) -> int:
        """Bytes of the codes, weights and bits: what Dask counts against a worker's limit."""
        samples = self.samples
        arrays = (samples.codes_P, samples.codes_Z, samples.weights_P, samples.weights_Z)
        return sum(a.nbytes for a in arrays) + samples.n_rows * len(samples.conditions) // 8

    def mu(self, duals: SharedDuals) -> NDArray[np.int64]:
        """Look up μ_i of each positive."""
        with self._lock:
            if duals.name not in self._mu:
                marks = row_marks(self.samples, duals.rates.clauses)
                _remember(self._mu, duals.name, duals.rates.mu(self.samples, duals.scale, marks))
            return self._mu[duals.name]

    def engine(self, duals: SharedDuals, is_enumerating: bool) -> NumbaEngine:
        """Return the engine over these rows."""
        mu, key = self.mu(duals), (duals.name, is_enumerating)
        with self._lock:
            if key not in self._engines:
                own = IntegerDuals(mu, 0, duals.scale)  # sums do not ask for λ
                engine = NumbaEngine(self.samples, own, is_enumerating=is_enumerating)
                _remember(self._engines, key, engine)
            return self._engines[key]

    @cached_property
    def every_Z(self) -> NDArray[np.uint64]:
        """All zeros, as bits."""
        return pack_bits(np.ones((1, len(self.samples.weights_Z)), dtype=bool))[0]


def facts(partition: Partition) -> Facts:
    """Weights and counts of the rows."""
    samples = partition.samples
    return Facts(
        float(samples.weights_P.sum()),
        float(samples.weights_Z.sum()),
        len(samples.weights_P),
        len(samples.weights_Z),
        samples.has_integer_weights,
        samples.step,
        partition.given_loss,
    )


def weigh_columns(partition: Partition, clauses: Sequence[tuple[int, ...]]) -> Sums:
    """Weight of the zeros, number of merged positives, and of rows, that each clause covers."""
    samples = partition.samples
    counts = samples.counts_P
    zeros, n_merged, n_covered = np.zeros(len(clauses)), *np.zeros((2, len(clauses)), np.int64)
    for k, clause in enumerate(clauses):
        delta_P = samples.P.delta(clause)
        zeros[k] = samples.weights_Z[samples.Z.delta(clause)].sum()
        n_merged[k] = delta_P.sum()
        n_covered[k] = n_merged[k] if counts is None else counts[delta_P].sum()
    return Sums((zeros, n_merged, n_covered))


def missed(partition: Partition, clauses: Sequence[tuple[int, ...]]) -> Sums:
    """Hamming loss of the clauses as a rule set."""
    return Sums((np.array([partition.samples.hamming_loss(clauses)], dtype=np.float64),))


def find_patterns(partition: Partition, clauses: Sequence[tuple[int, ...]]) -> MarkedPatterns:
    """Merge the positives that the same clauses cover."""
    samples = partition.samples
    marks, first, place = np.unique(
        row_marks(samples, clauses), return_index=True, return_inverse=True
    )
    weights = np.zeros(len(marks))
    np.add.at(weights, place, samples.weights_P)
    covers = np.zeros((len(first), len(clauses)), dtype=bool)
    for k, clause in enumerate(clauses):
        covers[:, k] = samples.P.delta(clause)[first]
    return MarkedPatterns(pack_bits(covers), marks, weights)


def find_exact_patterns(
    partition: Partition, clauses: Sequence[tuple[int, ...]], duals: SharedDuals
) -> ExactPatterns:
    """Merge the positives that the same clauses cover, with nothing left to chance."""
    own = IntegerDuals(partition.mu(duals), 0, duals.scale)
    found = partition.samples.merged_coverage(clauses, own)
    keys = pack_bits(unpack_bits(found.covers, len(found.mu)).T)
    return ExactPatterns(keys, found.weights, found.mu, found.zeros)


def sum_mu(partition: Partition, duals: SharedDuals) -> Sums:
    """Σ μ_i over each pattern of the duals."""
    marks = row_marks(partition.samples, duals.rates.clauses)
    sums = np.zeros(len(duals.rates.marks), dtype=np.int64)
    if len(sums):
        # A row of no known pattern has a dual of 0, wherever it is added.
        place = np.minimum(np.searchsorted(duals.rates.marks, marks), len(sums) - 1)
        np.add.at(sums, place, partition.mu(duals))
    return Sums((sums,))


def weigh(partition: Partition, duals: SharedDuals, clauses: NDArray[np.int32]) -> Sums:
    """Σ μ_i over the positives, and the weight of the zeros, that each clause covers."""
    from boolrules.search.engines import _kernels

    samples = partition.samples
    _, weights_Z = samples.integer_weights(duals.scale)
    M, N = np.zeros((2, len(clauses)), dtype=np.int64)
    among_P = pack_bits(np.ones((1, len(samples.weights_P)), dtype=bool))[0]
    _kernels.weigh(samples.P.bits, among_P, partition.mu(duals), clauses, M)
    _kernels.weigh(samples.Z.bits, partition.every_Z, weights_Z, clauses, N)
    return Sums((M, N))


def extend(partition: Partition, duals: SharedDuals, clauses: NDArray[np.int32]) -> Sums:
    """Sum over each clause, and over each clause with each condition added."""
    sums = partition.engine(duals, False).extend(clauses)
    return Sums((sums.M, sums.N, sums.M_extended, sums.N_extended))


def differ(
    partition: Partition,
    duals: SharedDuals,
    is_enumerating: bool,
    clauses: NDArray[np.int32],
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    places: NDArray[np.int64],
) -> Signs:
    """Say for which pairs of conditions some row shows that one does not beat the other."""
    from boolrules.search.engines import _kernels

    samples = partition.samples
    takes_part = np.ones(len(samples.weights_P), dtype=bool)
    if not is_enumerating:
        takes_part = partition.mu(duals) > 0
    is_unbeaten = np.zeros(int(places[-1]), dtype=bool)
    _kernels.differ(
        samples.P.bits,
        pack_bits(takes_part[None, :])[0],
        samples.Z.bits,
        partition.every_Z,
        clauses,
        starts,
        members,
        places,
        is_unbeaten,
    )
    return Signs(np.packbits(is_unbeaten))


def floors(
    partition: Partition,
    duals: SharedDuals,
    clauses: NDArray[np.int32],
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
) -> Sums:
    """Weigh the zeros that each member of a node, and all members before it, leave covered."""
    from boolrules.search.engines import _kernels

    floor = np.zeros(len(members), dtype=np.int64)
    side = partition.engine(duals, False).zeros
    _kernels.floors(side, partition.every_Z, clauses, starts, members, floor)
    return Sums((floor,))


def propose(
    partition: Partition,
    duals: SharedDuals,
    lam: float,
    nu: float,
    problem: Problem,
    n_rows: int,
    n_samples: int,
    seed: int,
    most: int,
) -> Proposals:
    """Look for clauses of negative reduced cost on about ``n_samples`` of these rows, by a beam.

    They stand for all ``n_rows`` of all partitions, so that λ and ν shrink in proportion.
    """
    samples, random = partition.samples, np.random.default_rng(seed)
    mu = partition.mu(duals)
    support = np.flatnonzero(mu)
    share = min(1.0, n_samples / max(1, len(support) + len(samples.weights_Z)))
    rows_P = support[random.random(len(support)) < share]
    rows_Z = np.flatnonzero(random.random(len(samples.weights_Z)) < share)
    if not len(rows_P):
        return Proposals(frozenset(), 0)
    small = samples.sample(rows_P, rows_Z, np.arange(len(samples.conditions)))
    share *= samples.n_rows / n_rows
    few = Duals(mu[rows_P] / duals.scale, lam * share, nu * share)
    found = BeamSearch(small, problem, most_columns=most).price(few, Budget.unlimited())
    return Proposals(frozenset(column.clause for column in found.columns), found.n_nodes)


def _remember(memory: dict[Any, Any], key: Any, value: Any) -> None:
    """Keep a value, and drop the oldest where there are too many."""
    memory[key] = value
    while len(memory) > MOST_REMEMBERED:
        memory.pop(next(iter(memory)))
