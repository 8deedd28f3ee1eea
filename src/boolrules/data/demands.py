"""Requirements as rows of the master: what mistakes may add up to, in integers.

A requirement limits a weighted number of mistakes. Over the samples it reads

    Σ_{i in P missed} α_i + Σ_k Σ_{z in Z covered by k} β_z <= most,

and its dual θ >= 0 shifts weights: a positive weighs θ α_i more, a zero θ β_z more, and the bound
pays θ · most. Under shifted weights the problem is a Hamming problem as before, and whatever
prices, lists and searches asks for nothing else. A zero counts here as in the Hamming loss, once
for each clause that covers it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# What θ may be at most, relative to the largest weight: beyond it, breaking a requirement is
# cheaper to the linear program than meeting it. Any θ gives a valid bound.
DEAREST = 256.0


@dataclass(frozen=True, eq=False)
class Demands:
    """What some requirements ask of the samples of a training set.

    Parameters
    ----------
    alpha : int64 array (S, n_P)
        What missing each positive adds.
    beta : int64 array (S, n_Z)
        What each clause that covers a zero adds.
    most : tuple of int
        What each sum may be.
    dearest : float
        What each θ may be at most, in weights of the dearest mistake.

    Examples
    --------
    At most one of three positives, of which the first stands for two rows, may be missed:

    >>> one = Demands(np.array([[2, 1, 1]]), np.array([[0]]), (1,))
    >>> one.norms, one.shifts((8,))[0].tolist()
    ((2,), [8, 4, 4])
    """

    alpha: NDArray[np.int64]
    beta: NDArray[np.int64]
    most: tuple[int, ...]
    dearest: float = DEAREST

    def __len__(self) -> int:
        return len(self.most)

    @cached_property
    def norms(self) -> tuple[int, ...]:
        """The largest coefficient of each row: θ is the price of so much."""
        both = np.concatenate([self.alpha, self.beta], axis=1)
        return tuple(int(n) for n in np.abs(both).max(axis=1, initial=1))

    @cached_property
    def is_two_sided_P(self) -> NDArray[np.bool_]:
        """Which positives some requirement would rather see missed."""
        return np.asarray((self.alpha < 0).any(axis=0))

    @cached_property
    def is_two_sided_Z(self) -> NDArray[np.bool_]:
        """Which zeros some requirement would rather see covered."""
        return np.asarray((self.beta < 0).any(axis=0))

    def sample(self, rows_P: NDArray[np.int64], rows_Z: NDArray[np.int64]) -> Demands:
        """Keep some samples; their limits stay."""
        small = Demands(self.alpha[:, rows_P], self.beta[:, rows_Z], self.most, self.dearest)
        small.__dict__["norms"] = self.norms  # θ keeps its meaning
        return small

    def shifts(self, theta: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Σ_s θ_s α_si and Σ_s θ_s β_sz on the grid of θ, rounded down."""
        return self._shift(self._distinct_P, theta), self._shift(self._distinct_Z, theta)

    def paid(self, theta: Sequence[int]) -> Fraction:
        """Σ_s θ_s most_s, on the grid of θ."""
        terms = zip(theta, self.most, self.norms, strict=True)
        return sum((Fraction(t * most, norm) for t, most, norm in terms), Fraction(0))

    @cached_property
    def prices(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """α, β and the limits, each in the row's largest coefficient: as solvers like them."""
        norms = np.array(self.norms, dtype=np.float64)
        most = np.array(self.most, dtype=np.float64)
        return self.alpha / norms[:, None], self.beta / norms[:, None], most / norms

    @cached_property
    def _distinct_P(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _distinct(self.alpha)

    @cached_property
    def _distinct_Z(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _distinct(self.beta)

    def _shift(
        self, distinct: tuple[NDArray[np.int64], NDArray[np.int64]], theta: Sequence[int]
    ) -> NDArray[np.int64]:
        """Work out the shift of each kind of row in exact arithmetic."""
        kinds, place = distinct
        unit = math.lcm(*self.norms)
        factors = [t * (unit // norm) for t, norm in zip(theta, self.norms, strict=True)]
        sums = [
            sum(f * c for f, c in zip(factors, kind, strict=True)) // unit
            for kind in kinds.T.tolist()
        ]
        return np.array(sums, dtype=np.int64)[place]


def _distinct(coefficients: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different kinds of rows, and the kind of each."""
    if not coefficients.shape[1]:
        return coefficients, np.empty(0, dtype=np.int64)
    kinds, place = np.unique(coefficients, axis=1, return_inverse=True)
    return kinds, np.asarray(place).reshape(-1)
