"""Which listed rule sets meet requirements, counted by clauses and by rows.

A row that several clauses wrongly decide is as many mistakes as clauses, as in the Hamming loss,
and one mistake, as people count: an alternative meets the requirements both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import unpack_bits
from boolrules.data.requirement import MistakeLimits
from boolrules.data.training_set import TrainingSet
from boolrules.rules import Form, RuleSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.labelled_rows import BinaryRows
    from boolrules.data.requirement import Requirement
    from boolrules.rules import Clause

    Sums = NDArray[np.int64]
    Words = NDArray[np.uint64]

MOST_UNPACKED = 20_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """What mistakes on the samples may add up to, beside any given clauses.

    Parameters
    ----------
    alpha : int64 array (S, n_P)
        What missing each positive adds.
    by_clauses, by_rows : int64 arrays (S, n_Z)
        What each clause that covers a zero adds; and what it adds that any clause covers it.
    most_by_clauses, most_by_rows : int64 arrays (S,)
        What the sums may be.
    is_apart : bool
        Whether rules may meet the limits by clauses and break them by rows: only where covering a
        zero makes up for something.
    """

    alpha: Sums
    by_clauses: Sums
    by_rows: Sums
    most_by_clauses: Sums
    most_by_rows: Sums
    is_apart: bool

    @classmethod
    def of(
        cls,
        samples: TrainingSet,
        rows: BinaryRows,
        codes: NDArray[np.unsignedinteger],
        requirements: Sequence[Requirement],
        given: Sequence[Clause] = (),
        form: Form = Form.DNF,
    ) -> Meeting | None:
        """Read what is asked of samples that were encoded under requirements; None if nothing."""
        demands = samples.demands
        if demands is None:
            return None
        beta, most = demands.beta, np.array(demands.most, dtype=np.int64)
        if not given:
            return cls(demands.alpha, beta, beta, most, most, bool((beta < 0).any()))
        limits = rows.limits(requirements)
        assert limits is not None
        should = rows.is_positive if form is Form.DNF else ~rows.is_positive
        rules = RuleSet(tuple(given), form, True, False)
        is_decided = np.asarray(rules.decides(rows.table).any(axis=1))
        # A zero that a given clause covers is one mistake, whatever else covers it.
        once = limits.without(is_decided, (is_decided & ~should).astype(np.int64))
        by_rows = np.zeros_like(beta)
        merged = _merged_by_zeros(once.costs, samples, rows, codes, should)
        by_rows[:, : merged.shape[1]] = merged
        most_by_rows = np.array(once.most, dtype=np.int64)
        is_apart = bool((limits.costs[:, ~should] < 0).any())
        return cls(demands.alpha, beta, by_rows, most, most_by_rows, is_apart)

    def are_met(self, missed: Words, added: Sums, covered_Z: Words | None) -> NDArray[np.bool_]:
        """Say which rule sets meet the limits.

        ``missed`` are the positives that each misses, ``covered_Z`` the zeros that it covers, as
        bits, None where these need not be looked at; ``added`` (n, S) what its clauses add.
        """
        by_positives = _sums(missed, self.alpha)
        is_met = (by_positives + added <= self.most_by_clauses).all(axis=1)
        if covered_Z is not None:
            by_zeros = _sums(covered_Z, self.by_rows)
            is_met &= (by_positives + by_zeros <= self.most_by_rows).all(axis=1)
        return np.asarray(is_met)

    def added(self, covers_Z: Words) -> Sums:
        """Return what clauses add that cover these zeros, as bits (n, S)."""
        return _sums(covers_Z, self.by_clauses)


def _merged_by_zeros(
    costs: Sums,
    samples: TrainingSet,
    rows: BinaryRows,
    codes: NDArray[np.unsignedinteger],
    should: NDArray[np.bool_],
) -> Sums:
    """Sum up what mistakes cost over the rows that were merged into each zero."""
    parts = np.concatenate([np.maximum(costs, 0), np.maximum(-costs, 0)])
    # Without negative costs no row is put on both sides: the zeros are in their own order.
    limits = MistakeLimits(parts, (0,) * len(parts))
    merged = TrainingSet.merge(
        codes, should, rows.costs, samples.conditions, rows.weights > 0, limits
    ).demands
    assert merged is not None
    S = len(costs)
    return merged.beta[:S] - merged.beta[S:]


def _sums(words: Words, costs: Sums) -> Sums:
    """Sum costs (S, n) over the rows in each set of bits, exactly."""
    n_rows = costs.shape[1]
    size = max(1, MOST_UNPACKED // max(n_rows, 1))
    parts = [
        unpack_bits(words[first : first + size], n_rows).astype(np.int64) @ costs.T
        for first in range(0, len(words), size)
    ]
    return np.concatenate([np.empty((0, len(costs)), dtype=np.int64), *parts])
