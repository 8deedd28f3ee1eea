"""What clauses do on rows: counts, precision, and an interval for it.

Owns the counting. Plain rows count one each; where rows have weights, what they weigh is counted
beside them and never in their place. Knows nothing of tables or labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

Z_95 = 1.959963984540054  # leaves 2.5 % of a normal distribution on either side
# Sums of the same weights in another order may differ by less: that must not decide who wins.
SCORE_DIGITS, DUST = 12, 1e-9


def wilson_interval(right: float, n: float) -> tuple[float, float]:
    """95 % interval of a share of which ``right`` out of ``n`` rows are seen.

    >>> [tuple(round(end, 2) for end in wilson_interval(right, 10)) for right in (0, 5, 10)]
    [(0.0, 0.28), (0.24, 0.76), (0.72, 1.0)]
    """
    z, wrong = Z_95, n - right
    center = (right + z * z / 2) / (n + z * z)
    spread = (right / n) * wrong if n else 0.0
    half = z * math.sqrt(spread + z * z / 4) / (n + z * z)
    # At the ends the formula gives 0 and 1, but for rounding.
    return (center - half if right else 0.0, center + half if wrong else 1.0)


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows a clause covers, on how many it is right, and on how many only it is.

    In DNF a clause covers the rows that satisfy it, and is right on the positives; in CNF it
    covers the rows that it turns away, and is right on the zeros.

    Examples
    --------
    >>> counts = RowCounts(covered=10, right=8, only_here=3)
    >>> counts.precision, counts.smoothed_precision
    (0.8, 0.75)
    >>> low, high = counts.interval
    >>> print(f"{low:.1%} to {high:.1%}")
    49.0% to 94.3%
    """

    covered: float
    right: float
    only_here: float

    @property
    def precision(self) -> float:
        """Share of the covered rows on which it is right."""
        return self.right / self.covered if self.covered else math.nan

    @property
    def smoothed_precision(self) -> float:
        """Precision with one row of each kind added (Laplace)."""
        return (min(self.right, self.covered) + 1) / (self.covered + 2)

    @property
    def score(self) -> float:
        """By what classes compete: the smoothed precision, without the dust of sums of weights."""
        return round(self.smoothed_precision, SCORE_DIGITS)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the precision (Wilson's); all from 0 to 1 where nothing is covered."""
        return wilson_interval(min(self.right, self.covered), self.covered)


@dataclass(frozen=True, slots=True)
class ClauseStatistics(RowCounts):
    """Plain rows, of which each counts one, and beside them what they weigh.

    Parameters
    ----------
    covered, right, only_here : float
        Plain rows. Those of weight 0 are left out, as they are from learning.
    weighted : RowCounts or None
        The same with each row counted by sample weight × class weight; None where all these are 1.
        A model file from before there was this has weighted counts in the place of plain ones.
    """

    weighted: RowCounts | None = None

    @classmethod
    def of(cls, plain: RowCounts, weighted: RowCounts | None = None) -> ClauseStatistics:
        """Put weighted counts beside plain ones."""
        return cls(plain.covered, plain.right, plain.only_here, weighted)

    @property
    def by_weight(self) -> RowCounts:
        """What the rows weigh: the weighted counts, or the plain ones where all weights are 1."""
        return self if self.weighted is None else self.weighted

    def to_plain(self) -> list[float]:
        """Return three numbers, and three more where there are weights."""
        parts = [self] if self.weighted is None else [self, self.weighted]
        return [number for part in parts for number in numbers(part)]

    @classmethod
    def from_plain(cls, plain: Any) -> ClauseStatistics:
        """Read ``to_plain``'s form, checking every part of it.

        Examples
        --------
        >>> ClauseStatistics.from_plain([3, 2, 1, 6.0, 5.0, 2.0]).weighted
        RowCounts(covered=6.0, right=5.0, only_here=2.0)
        """
        is_list = isinstance(plain, list) and len(plain) in (3, 6)
        if not is_list or not all(is_number(part) and part >= 0 for part in plain):
            raise ValueError(
                "Statistics of a clause are three numbers of 0 or more, or six with weighted "
                f"ones; got {plain!r:.80}."
            )
        for covered, right, only_here in (plain[:3], plain[-3:]):
            if right > covered * (1 + DUST) or only_here > right * (1 + DUST):
                raise ValueError(
                    "A clause is right on no more rows than it covers, and alone on no more than "
                    f"that; got {plain!r:.80}."
                )
        return cls.of(RowCounts(*plain[:3]), RowCounts(*plain[3:]) if plain[3:] else None)


def numbers(counts: RowCounts) -> tuple[float, float, float]:
    """Return the counts without their names."""
    return counts.covered, counts.right, counts.only_here


def count_rows(
    decides: NDArray[np.bool_], is_right: NDArray[np.bool_], weights: NDArray[Any] | None = None
) -> tuple[list[ClauseStatistics], ClauseStatistics]:
    """Return the statistics of each clause, and those of the rows that no clause decides.

    Parameters
    ----------
    decides : bool array, (n_rows, n_clauses)
        Which clause decides which row.
    is_right : bool array
        On which rows a clause that decides them is right.
    weights : float array or None
        What each row weighs; None weighs every row 1.

    Examples
    --------
    >>> decides = np.array([[True], [True], [False]])
    >>> (of_clause,), undecided = count_rows(decides, np.array([True, False, True]), [1, 5, 1])
    >>> of_clause.precision, round(of_clause.weighted.precision, 3)
    (0.5, 0.167)
    """
    w = np.ones(len(is_right)) if weights is None else np.asarray(weights, dtype=float)
    is_counted = w > 0
    has_weights = bool((w[is_counted] != 1).any())
    n_decides = decides.sum(axis=1)

    def count(rows: NDArray[np.bool_], only: NDArray[np.bool_]) -> ClauseStatistics:
        parts = rows, rows & is_right, only & is_right
        plain = RowCounts(*(float((part & is_counted).sum()) for part in parts))
        weighted = RowCounts(*(float(w[part].sum()) for part in parts)) if has_weights else None
        return ClauseStatistics.of(plain, weighted)

    nobody = n_decides == 0
    every = [count(rows, rows & (n_decides == 1)) for rows in decides.T]
    return every, count(nobody, nobody)
