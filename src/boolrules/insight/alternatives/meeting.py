"""Which listed rule sets meet requirements, counted by clauses and by rows.

A row that several clauses wrongly decide is as many mistakes as clauses, as in the Hamming loss,
and one mistake, as people count: an alternative meets the requirements both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.bins import sum_costs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.training_set import TrainingSet

    Sums = NDArray[np.int64]
    Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """What mistakes on the samples may add up to.

    Parameters
    ----------
    alpha : int64 array (S, n_P)
        What missing each positive adds.
    beta : int64 array (S, n_Z)
        What covering each zero adds.
    most : int64 array (S,)
        What the sums may be.
    """

    alpha: Sums
    beta: Sums
    most: Sums

    @classmethod
    def of(cls, samples: TrainingSet) -> Meeting | None:
        """Read what is asked of samples that were encoded under requirements; None if nothing."""
        demands = samples.demands
        if demands is None:
            return None
        return cls(demands.alpha, demands.beta, np.array(demands.most, dtype=np.int64))

    @property
    def is_apart(self) -> bool:
        """Whether rules may meet the limits by clauses and break them by rows.

        Only where covering a zero makes up for something. Given clauses cannot be asked together
        with that.
        """
        return bool((self.beta < 0).any())

    def are_met(self, missed: Words, added: Sums, covered_Z: Words | None) -> NDArray[np.bool_]:
        """Say which rule sets meet the limits.

        ``missed`` are the positives that each misses, ``covered_Z`` the zeros that it covers, as
        bits, None where these need not be looked at; ``added`` (n, S) what its clauses add.
        """
        by_positives = sum_costs(missed, self.alpha)
        is_met = (by_positives + added <= self.most).all(axis=1)
        if covered_Z is not None:
            is_met &= (by_positives + self.added(covered_Z) <= self.most).all(axis=1)
        return np.asarray(is_met)

    def added(self, covers_Z: Words) -> Sums:
        """Return what covering these zeros, as bits, adds (n, S)."""
        return sum_costs(covers_Z, self.beta)
