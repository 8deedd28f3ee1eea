"""Best F1 as a Hamming problem (Dinkelbach).

F1 = 2 TP / (2 TP + FP + FN) is above a / b if and only if (2b − a) FN + a FP < 2 (b − a) |P|: a
Hamming loss, at costs 2b − a of a missed positive and a of a covered negative. So the rules with
F1 = a / b are best where no rule set loses less than that at those costs, and a bound on that loss
is one on F1. A row counts once for each clause that wrongly decides it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_number

if TYPE_CHECKING:
    from boolrules.data.labelled_rows import BinaryRows
    from boolrules.rules import RuleSet

# Of a score that is no ratio of small numbers, so many digits are kept.
STEPS = 10**6


@dataclass(frozen=True, slots=True)
class F1:
    """A score that some rules have, and what it takes to have more.

    Parameters
    ----------
    numerator, denominator : int
        The score, a millionth where it is less.
    positives : float
        |P|, by sample weight.

    Examples
    --------
    >>> score = F1.of(tp=8, fp=2, fn=2)
    >>> score.value, score.costs, score.loss
    (0.8, (3, 2), 10)
    >>> score.most(lower_bound=9) > score.most(lower_bound=10) == 0.8
    True
    """

    numerator: int
    denominator: int
    positives: float

    @classmethod
    def of(cls, tp: float, fp: float, fn: float) -> F1:
        """Return the score of rules that find, flag wrongly and miss so much."""
        counted = [Fraction(2 * tp), Fraction(fp), Fraction(fn)]
        exact = counted[0] / sum(counted) if any(counted) else Fraction(0)
        if exact.denominator > STEPS:
            exact = Fraction(math.floor(exact * STEPS), STEPS)
        exact = max(exact, Fraction(1, STEPS))  # at nothing, covered negatives would cost nothing
        return cls(exact.numerator, exact.denominator, tp + fn)

    @classmethod
    def on(cls, rows: BinaryRows, rules: RuleSet) -> F1:
        """Return the score of rules on some rows, by sample weight."""
        positives = np.where(rows.is_positive, rows.counts, 0.0)
        fn = rules.hamming_loss(rows.table, rows.is_positive, positives)
        fp = rules.hamming_loss(rows.table, rows.is_positive, rows.counts - positives)
        n_P = float(positives.sum())
        # In CNF a positive may be missed by several clauses: such rules find less than nothing.
        return cls.of(max(n_P - fn, 0.0), fp, min(fn, n_P))

    @property
    def value(self) -> float:
        """The score."""
        return self.numerator / self.denominator

    @property
    def costs(self) -> tuple[int, int]:
        """What a missed positive and a covered negative cost where it is the best."""
        missed, covered = 2 * self.denominator - self.numerator, self.numerator
        common = math.gcd(missed, covered)
        return missed // common, covered // common

    @property
    def loss(self) -> float:
        """What rules of just this score lose at those costs."""
        common = math.gcd(2 * self.denominator - self.numerator, self.numerator)
        exact = Fraction(2 * (self.denominator - self.numerator), common)
        loss = exact * Fraction(self.positives)
        return int(loss) if loss.denominator == 1 else float(loss)

    def most(self, lower_bound: float) -> float:
        """What F1 any rule set has at most, where none loses less than a bound at those costs.

        2 TP b − a D = loss of this score − loss, times what the costs were divided by, where
        D = 2 TP + FP + FN is at least |P|.
        """
        common = math.gcd(2 * self.denominator - self.numerator, self.numerator)
        spare = max(Fraction(0), Fraction(self.loss) - Fraction(lower_bound)) * common
        if not self.positives:
            return 1.0
        more = spare / (self.denominator * Fraction(self.positives))
        return float(min(Fraction(1), Fraction(self.numerator, self.denominator) + more))

    def to_plain(self) -> list[float]:
        """Return plain values that ``from_plain`` reads back."""
        return [self.numerator, self.denominator, self.positives]

    @classmethod
    def from_plain(cls, plain: Any) -> F1:
        """Read ``to_plain``'s form, checking every part of it."""
        if not (
            isinstance(plain, list)
            and len(plain) == 3
            and all(type(number) is int for number in plain[:2])
            and is_number(plain[2])
            and 0 < plain[0] <= plain[1] < 2**53
            and plain[2] >= 0
        ):
            raise ValueError(
                f"An F1 score needs two integers and the positives; got {plain!r:.80}."
            )
        return cls(*plain)
