"""Listed clauses as columns: the rows that each covers, with all conditions and with one fewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.bins import cover_rows, pack_bits, unpack_bits, weigh_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.column import IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet
    from boolrules.insight.alternatives.meeting import Meeting
    from boolrules.proof.gap import Clauses

    Places = NDArray[np.int64]
    Words = NDArray[np.uint64]

# In arrays of places: no condition, or no column. It is also the last place of what it points to.
NOTHING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Clauses by increasing reduced cost; then each without one of its conditions; then nothing.

    Parameters
    ----------
    clauses : int64 array (K, longest)
        Condition ids, padded with NOTHING.
    lengths : int64 array (K,)
        Number of conditions.
    looser_starts : int64 array (K + 1,)
        Column k without one condition is at the places K + looser_starts[k], ….
    covers : uint64 array (K + L + 1, n_words)
        The covered positives of all.
    paid : float array (K + L + 1,)
        What each adds to the objective.
    grid_cost, grid_paid, grid_rise : int64 arrays (K,), (K,), (L,)
        On the duals' grid: reduced cost, what is paid, and how much more without the condition.
    weights_P : float array
        Weights of the positives.
    meeting : Meeting or None
        What is asked of mistakes.
    added : int64 array (K + L + 1, S)
        What each adds to what is asked; empty where nothing is.
    covers_Z : uint64 array (K + L + 1, n_words), or None
        The covered zeros of all, where it matters that a row may count once.
    """

    clauses: Places
    lengths: Places
    looser_starts: Places
    covers: Words
    paid: NDArray[np.float64]
    grid_cost: Places
    grid_paid: Places
    grid_rise: Places
    weights_P: NDArray[np.float64]
    meeting: Meeting | None
    added: Places
    covers_Z: Words | None

    def __len__(self) -> int:
        return len(self.lengths)

    @classmethod
    def of(
        cls,
        samples: TrainingSet,
        problem: Problem,
        duals: IntegerDuals,
        clauses: Places,
        meeting: Meeting | None = None,
    ) -> Columns:
        """Sum over the rows of each clause."""
        mu, (_, grid_weights_Z) = duals.mu, samples.integer_weights(duals.scale, duals.theta)
        clause_price, condition_price = duals.prices(problem)
        lengths = (clauses != NOTHING).sum(axis=1)
        grid_cost = clause_price + condition_price * lengths
        grid_cost += weigh_rows(cover_rows(samples.Z.bits, clauses), grid_weights_Z).astype(
            np.int64
        )
        grid_cost -= weigh_rows(cover_rows(samples.P.bits, clauses), mu).astype(np.int64)
        order = np.argsort(grid_cost, kind="stable")
        clauses, lengths, grid_cost = clauses[order], lengths[order], grid_cost[order]
        looser, starts = _without_a_condition(clauses, lengths)
        every = np.concatenate([clauses, looser])
        n_conditions = (every != NOTHING).sum(axis=1)
        complexity = [problem.complexity(1, n) for n in range(clauses.shape[1] + 1)]
        penalty = problem.complexity_penalty * np.array(complexity)[n_conditions]
        grid_penalty = np.floor(penalty * duals.scale).astype(np.int64)
        zeros = cover_rows(samples.Z.bits, every)
        grid_paid = weigh_rows(zeros, grid_weights_Z).astype(np.int64) + grid_penalty
        covers = cover_rows(samples.P.bits, every)
        K = len(clauses)
        is_apart = meeting is not None and meeting.is_apart
        added = (
            np.empty((K + len(looser), 0), np.int64) if meeting is None else meeting.added(zeros)
        )
        return cls(
            clauses,
            lengths,
            starts,
            _and_nothing(covers),
            np.append(weigh_rows(zeros, samples.weights_Z) + penalty, 0.0),
            grid_cost,
            grid_paid[:K],
            grid_paid[K:] - np.repeat(grid_paid[:K], np.diff(starts)),
            samples.weights_P,
            meeting,
            _and_nothing(added),
            _and_nothing(zeros) if is_apart else None,
        )

    def objectives(self, chosen: Places) -> NDArray[np.float64]:
        """Value of eq. (1) for rule sets given as places, padded with NOTHING."""
        return weigh_rows(self._missed(chosen), self.weights_P) + self.paid[chosen].sum(axis=1)

    def meet(self, chosen: Places) -> NDArray[np.bool_]:
        """Say which rule sets meet what is asked of mistakes, by clauses and by rows."""
        if self.meeting is None:
            return np.ones(len(chosen), dtype=bool)
        covered_Z = None
        if self.covers_Z is not None:
            covered_Z = np.zeros((len(chosen), self.covers_Z.shape[1]), dtype=np.uint64)
            for places in chosen.T:
                covered_Z |= self.covers_Z[places]
        return self.meeting.are_met(
            self._missed(chosen), self.added[chosen].sum(axis=1), covered_Z
        )

    def _missed(self, chosen: Places) -> Words:
        """Return the positives that rule sets miss, as bits."""
        every_positive = pack_bits(np.ones((1, len(self.weights_P)), dtype=bool))
        missed = np.repeat(every_positive, len(chosen), axis=0)
        for places in chosen.T:
            missed &= ~self.covers[places]
        return missed

    def with_a_part_dropped(self, chosen: Places) -> list[tuple[Places, NDArray[np.bool_]]]:
        """Return rule sets with one part fewer, and which of them really have one fewer."""
        dropped = []
        n_looser = np.append(np.diff(self.looser_starts), 0)
        for d in range(chosen.shape[1]):
            shorter = chosen.copy()
            shorter[:, d] = NOTHING
            dropped.append((shorter, chosen[:, d] != NOTHING))
            for c in range(self.clauses.shape[1]):
                shorter = chosen.copy()
                is_one = c < n_looser[chosen[:, d]]
                places = len(self) + self.looser_starts[:-1][chosen[is_one, d]] + c
                shorter[is_one, d] = places
                dropped.append((shorter, is_one))
        return dropped

    def members(self, n_P: int) -> tuple[Places, NDArray[np.int32]]:
        """Return the columns that cover each positive, and where each positive's start."""
        members, sizes = [], []
        for first in range(0, n_P, 64):
            words = np.ascontiguousarray(self.covers[: len(self), first // 64][:, None])
            positives, columns = np.nonzero(unpack_bits(words, min(64, n_P - first)).T)
            members.append(columns.astype(np.int32))
            sizes.append(np.bincount(positives, minlength=min(64, n_P - first)))
        starts = np.concatenate([[0], np.cumsum(np.concatenate([[], *sizes]))]).astype(np.int64)
        return starts, np.concatenate([np.empty(0, dtype=np.int32), *members])

    def rule_set(self, places: list[int]) -> Clauses:
        """Return the sorted condition ids of one rule set."""
        read = [self.clauses[k, : self.lengths[k]].tolist() for k in places if k != NOTHING]
        return tuple(sorted(tuple(sorted(clause)) for clause in read))


def _and_nothing(rows: NDArray[Any]) -> NDArray[Any]:
    """Add a last row, which stands for no column."""
    return np.concatenate([rows, np.zeros((1, rows.shape[1]), dtype=rows.dtype)])


def _without_a_condition(clauses: Places, lengths: Places) -> tuple[Places, Places]:
    """Return every clause of two conditions or more without each of them, and where each starts.

    Conditions fill the first places of a row.
    """
    n_looser = np.where(lengths > 1, lengths, 0)
    starts = np.concatenate([[0], np.cumsum(n_looser)])
    looser = np.repeat(clauses, n_looser, axis=0)
    dropped = np.arange(len(looser)) - np.repeat(starts[:-1], n_looser)
    looser[np.arange(len(looser)), dropped] = NOTHING
    return looser, starts
