"""What one search needs of a training set: few cuts, whatever the number of thresholds (§9).

Of nested conditions (``age <= 20``, ``age <= 30``, …) a search under given duals needs few. One
that keeps the same positives with μ_i > 0 as the next tighter one is beaten by it; one that keeps
the same zeros as the next looser one is beaten by that. What is left lies between a zero and a
positive that earns something. When clauses are listed, all positives count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.training_set import TrainingSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.bins import BinnedConditions
    from boolrules.data.column import IntegerDuals
    from boolrules.data.samples import Samples

# Chains up to this length are searched as they are: they have no cuts to spare.
LONG_CHAIN = 64
# Truth values, conditions times rows, that an exact search lays out as bits; with more there is
# none.
MOST_BITS_OF_EXACT = 2_000_000_000
# With more than so many, a search for good clauses looks at so many cuts of each chain, and at
# more around those in use.
MOST_BITS = 50_000_000
COARSE_CUTS = 48
# With more than so many still, at so many conditions of each kind and column in any case.
LEAST_OF_KIND = 128


@dataclass(frozen=True, eq=False)
class Narrowed:
    """A smaller training set on which clauses have the same reduced costs.

    Parameters
    ----------
    samples : Samples
        The conditions and the rows that matter.
    duals : IntegerDuals
        Those of its positives.
    conditions : int array, or None
        Which condition of the whole each of its conditions is; None where they are the same.
    in_place_of : int array, or None
        For each condition of the whole the one here that is at least as good in every clause; -1
        where there is none.
    is_exact : bool
        Whether no clause of the whole costs less than the best one here.
    """

    samples: Samples
    duals: IntegerDuals
    conditions: NDArray[np.int64] | None = None
    in_place_of: NDArray[np.int64] | None = None
    is_exact: bool = True

    @property
    def is_narrowed(self) -> bool:
        """Whether it is smaller than the whole."""
        return self.conditions is not None

    def of_the_whole(self, clauses: NDArray[np.integer]) -> NDArray[np.int32]:
        """Write clauses, rows of condition ids padded with -1, with the ids of the whole."""
        if self.conditions is None or not len(self.conditions):
            return clauses.astype(np.int32)
        return np.where(clauses >= 0, self.conditions[clauses], -1).astype(np.int32)

    def of_this(self, clause: Sequence[int]) -> tuple[int, ...]:
        """Write a clause of the whole with the conditions that stand in place of its own."""
        if self.in_place_of is None:
            return tuple(clause)
        return tuple(sorted({int(self.in_place_of[j]) for j in clause}))


def has_many_cuts(samples: Samples) -> bool:
    """Whether some chain is so long that not all of its cuts matter to a search."""
    return samples.conditions.has_long_chains(LONG_CHAIN)


@singledispatch
def narrowed(
    samples: Samples,
    duals: IntegerDuals,
    *,
    is_enumerating: bool = False,
    kept: Sequence[int] = (),
    most_bits: int | None = None,
    around: Sequence[int] = (),
) -> Narrowed:
    """Return what a search under these duals needs; by default, all of it.

    ``kept`` conditions stay in any case. With more than ``most_bits`` conditions times rows, some
    cuts of every chain stand for the others, more of them around the conditions in ``around``, and
    of a column that has very many conditions, those stay that tell most.
    """
    return Narrowed(samples, duals)


@narrowed.register(TrainingSet)
def _(
    samples: TrainingSet,
    duals: IntegerDuals,
    *,
    is_enumerating: bool = False,
    kept: Sequence[int] = (),
    most_bits: int | None = None,
    around: Sequence[int] = (),
) -> Narrowed:
    conditions = samples.conditions
    has_room = most_bits is None or len(conditions) * samples.n_rows <= most_bits
    if not has_many_cuts(samples) and (has_room or not _has_many_of_a_kind(conditions)):
        return Narrowed(samples, duals)
    rows_P = np.arange(samples.n_P) if is_enumerating else np.flatnonzero(duals.mu)
    codes_P, codes_Z = samples.codes_P[rows_P], samples.codes_Z
    best = _best_of_chain(conditions, codes_P, codes_Z)
    best[list(kept)] = list(kept)
    n_rows = len(codes_P) + len(codes_Z)
    chosen, is_exact = np.unique(best), True
    in_use = np.array([*kept, *around], dtype=np.int64)
    if most_bits is not None and len(chosen) * n_rows > most_bits:
        best, is_exact = _coarse(conditions, best, in_use), False
        chosen, most = np.unique(best), most_bits // n_rows
        if len(chosen) > most and _has_many_of_a_kind(conditions):
            gain = conditions.sums(codes_P, duals.mu[rows_P])
            gain -= conditions.sums(codes_Z, samples.weights_Z * duals.scale)
            chosen = _most_telling(conditions, gain, chosen, np.unique(best[in_use]), most)
    place = np.full(len(conditions), -1)
    place[chosen] = np.arange(len(chosen))
    small = samples.sample(rows_P, np.arange(len(codes_Z)), chosen)
    few, (codes_P, codes_Z) = small.conditions.recoded([small.codes_P, small.codes_Z])
    small = replace(small, conditions=few, codes_P=codes_P, codes_Z=codes_Z)
    mu = replace(duals, mu=duals.mu[rows_P])
    return Narrowed(small, mu, chosen, place[best], is_exact)


def _best_of_chain(
    conditions: BinnedConditions,
    codes_P: NDArray[np.unsignedinteger],
    codes_Z: NDArray[np.unsignedinteger],
) -> NDArray[np.int64]:
    """For each condition the one of its chain that beats it, and that none beats.

    From loose to tight positives and zeros can but get fewer. Of those that keep the same
    positives the tightest is best, and then, of those that keep the same zeros, the loosest.
    """
    chains = conditions.chains
    order = np.lexsort((-conditions.sizes, chains))
    P, Z = conditions.counts(codes_P)[order], conditions.counts(codes_Z)[order]
    starts_run = _differs(chains[order], P)
    tightest = np.append(np.flatnonzero(starts_run)[1:], len(order)) - 1
    run = np.cumsum(starts_run) - 1
    starts_step = _differs(chains[order[tightest]], Z[tightest])
    loosest = np.flatnonzero(starts_step)
    step = np.cumsum(starts_step) - 1
    best = np.empty(len(order), dtype=np.int64)
    best[order] = order[tightest[loosest[step[run]]]]
    return best


def _differs(chain: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where the chain or the count is not that of the one before."""
    differs = np.ones(len(chain), dtype=bool)
    differs[1:] = (chain[1:] != chain[:-1]) | (count[1:] != count[:-1])
    return differs


def _coarse(
    conditions: BinnedConditions, best: NDArray[np.int64], around: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Let some cuts of each chain, and those 1, 2, 4, … places from others, stand for the rest.

    Those in between go to the next looser cut, or to the loosest.
    """
    chains = conditions.chains
    needed = np.unique(best)
    needed = needed[np.lexsort((-conditions.sizes[needed], chains[needed]))]
    starts = np.searchsorted(chains[needed], np.arange(chains.max(initial=-1) + 2))
    place = np.empty(len(conditions), dtype=np.int64)
    place[needed] = np.arange(len(needed))
    lengths = np.diff(starts)
    steps = 2 ** np.arange(max(int(lengths.max(initial=1)).bit_length(), 1))
    offsets = np.concatenate([-steps, [0], steps])
    is_kept = np.zeros(len(needed), dtype=bool)
    is_kept[(lengths <= COARSE_CUTS)[chains[needed]]] = True
    for chain in np.flatnonzero(lengths > COARSE_CUTS):
        first = starts[chain]
        is_kept[np.linspace(first, starts[chain + 1] - 1, COARSE_CUTS).astype(int)] = True
    around = np.unique(best[around])
    near = place[around][:, None] + offsets
    own = chains[around][:, None]
    near = np.clip(near, starts[own], starts[own + 1] - 1)
    is_kept[near] = True
    looser = np.maximum.accumulate(np.where(is_kept, np.arange(len(needed)), 0))
    return needed[looser[place[best]]]


def _most_telling(
    conditions: BinnedConditions,
    gain: NDArray[np.float64],
    chosen: NDArray[np.int64],
    in_use: NDArray[np.int64],
    most: int,
) -> NDArray[np.int64]:
    """Keep about so many conditions, and those in use: columns of few keep all that they have.

    Of a column of many, those stay that gain most: μ of the positives less the weight of the
    zeros. Those that hold on most codes, such as ``town != 'A'``, are a kind of their own: all of
    them gain about as much as having no condition.
    """
    kind = _kinds(conditions)[chosen]
    sizes = np.bincount(kind)
    order = np.lexsort((-gain[chosen], kind))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    share = max(LEAST_OF_KIND, _fair_share(sizes, most))
    return np.union1d(chosen[rank < share], in_use)


def _kinds(conditions: BinnedConditions) -> NDArray[np.int64]:
    """Number the kinds: of each column, conditions on few of its codes, and on most of them."""
    is_wide = 2 * conditions.sizes > conditions.n_codes[conditions.feature]
    return 2 * conditions.feature + is_wide


def _has_many_of_a_kind(conditions: BinnedConditions) -> bool:
    return bool(np.bincount(_kinds(conditions)).max(initial=0) > LEAST_OF_KIND)


def _fair_share(sizes: NDArray[np.int64], most: int) -> int:
    """How many each may have at most, so that all of them together have no more than ``most``.

    >>> _fair_share(np.array([2, 10, 1000]), 100)
    88
    """
    left, n_left = most, len(sizes)
    for size in np.sort(sizes).tolist():
        if size * n_left > left:
            return left // n_left
        left, n_left = left - size, n_left - 1
    return int(sizes.max(initial=0))
