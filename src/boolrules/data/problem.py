"""What a rule set may have and what it pays: C, D and the prices of complexity (§2.1).

The paper counts one for a clause and one for each of its conditions, and notes that "other linear
combinations can be handled equally well", with a bound on complexity, a penalty, or both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


# Prices are nothing, or within these; so counts of clauses and conditions stay whole numbers that
# programs can hold, and nobody reads rules beyond them.
LEAST_PRICE, LARGEST = 1e-6, 1e9
LARGEST_PENALTY = 2**52  # like any weight
MOST_CLAUSES = 10**6
# Of whole numbers, floats hold all up to here.
MOST_ROWS = 2**53


@cache
def as_written(number: float) -> Fraction:
    """Read a number as the decimal that was written, so that 0.1 is exactly one tenth.

    Examples
    --------
    >>> as_written(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(number))


def as_number(exact: Fraction | float) -> float:
    """Return a whole number as an int, any other as the nearest float."""
    is_whole = exact.is_integer() if isinstance(exact, float) else exact.denominator == 1
    return int(exact) if is_whole else float(exact)


def are_whole(weights: NDArray[np.float64]) -> bool:
    """Whether all weights are whole numbers, so that their sums are exact."""
    return bool((weights == np.floor(weights)).all())


@dataclass(frozen=True, slots=True)
class Problem:
    """The limits and prices of one Master IP, eqs. (1)-(4).

    Parameters
    ----------
    max_complexity : float
        The paper's C; 0 for no clause at all.
    max_conditions : int or None
        The paper's D; ``None`` relaxes it to what C leaves room for.
    clause_cost, condition_cost : float
        What a clause, and each of its conditions, adds to the complexity.
    complexity_penalty : float
        What a unit of complexity adds to the objective, eq. (1).
    max_clauses : int or None
        Most clauses of a rule set; ``None`` leaves it to C.
    min_coverage : int
        Least number of positives that each clause covers, rows counted one by one.
    required : tuple of tuples of int
        Groups of conditions; some clause must have one of each group.

    Examples
    --------
    >>> problem = Problem(max_complexity=15)
    >>> problem.complexity(n_clauses=2, n_conditions=5), problem.longest_clause
    (7, 14)
    >>> problem.min_clause_complexity
    2
    """

    max_complexity: float
    max_conditions: int | None = None
    clause_cost: float = 1
    condition_cost: float = 1
    complexity_penalty: float = 0
    max_clauses: int | None = None
    min_coverage: int = 0
    required: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        for name in ("clause_cost", "condition_cost", "complexity_penalty", "max_complexity"):
            number = getattr(self, name)
            if number < 0 and name != "max_complexity":  # of which more is said below
                raise ValueError(f"{name}={number} is negative; use 0 or more.")
            most = LARGEST_PENALTY if name == "complexity_penalty" else LARGEST
            if not number <= most:
                raise ValueError(f"{name}={number!s:.40} is too large; use {most:.16g} at most.")
            if 0 < number < LEAST_PRICE and name.endswith("cost"):
                raise ValueError(
                    f"{name}={number} is too small; use 0, or {LEAST_PRICE:g} or more."
                )
        for name in ("max_conditions", "max_clauses"):
            limit = getattr(self, name)
            if limit is not None and (not isinstance(limit, Integral) or limit < 1):
                raise ValueError(f"{name}={limit} allows no clause. Use 1 or more, or None.")
            if limit is not None and int(limit) > LARGEST:
                raise ValueError(
                    f"{name}={limit!s:.40} is too large; use {LARGEST:g} at most, or None."
                )
        if not isinstance(self.min_coverage, Integral) or not 0 <= self.min_coverage <= MOST_ROWS:
            raise ValueError(
                f"min_coverage={self.min_coverage!s:.40} is no count of rows. Use 0 or more."
            )
        if self.min_clause_complexity <= 0:
            raise ValueError(
                "clause_cost and condition_cost are both 0: every rule set would have "
                "complexity 0. Give at least one of them a positive cost."
            )
        object.__setattr__(self, "required", tuple(tuple(group) for group in self.required))
        if self.max_complexity != 0 and not self.fits(n_clauses=1, n_conditions=1):
            raise ValueError(
                f"max_complexity={self.max_complexity} allows no clause: the smallest has "
                f"complexity {self.min_clause_complexity}. Use max_complexity="
                f"{self.min_clause_complexity} or more, or 0 for no rules at all."
            )
        if self.most_clauses > MOST_CLAUSES:
            raise ValueError(
                f"max_complexity={self.max_complexity} allows {self.most_clauses} clauses; at "
                f"most {MOST_CLAUSES} can be. Use max_complexity="
                f"{MOST_CLAUSES * self.min_clause_complexity:.10g} at most, or limit max_clauses."
            )

    def complexity(self, n_clauses: int, n_conditions: int) -> float:
        """Complexity of so many clauses with so many conditions in all."""
        return as_number(self._exact_complexity(n_clauses, n_conditions))

    def fits(self, n_clauses: int, n_conditions: int) -> bool:
        """Whether eq. (3) and the limit on clauses allow it, in exact arithmetic."""
        if self.max_clauses is not None and n_clauses > self.max_clauses:
            return False
        return self._exact_complexity(n_clauses, n_conditions) <= as_written(self.max_complexity)

    def room_for_conditions(self, n_clauses: int, n_conditions: int) -> float:
        """Return how many conditions eq. (3) still allows beside so many clauses and conditions.

        Negative where that many do not fit.

        Examples
        --------
        >>> Problem(max_complexity=7).room_for_conditions(n_clauses=2, n_conditions=2)
        3
        """
        left = as_written(self.max_complexity) - self._exact_complexity(n_clauses, n_conditions)
        if left < 0 or not self.fits(n_clauses, n_conditions):
            return -1
        if self.condition_cost == 0:
            return math.inf
        return int(left // as_written(self.condition_cost))

    def uses(self, clause: Iterable[int]) -> tuple[bool, ...]:
        """Which of the required groups a clause has a condition of.

        Examples
        --------
        >>> Problem(max_complexity=5, required=((0, 1), (2,))).uses((1, 3))
        (True, False)
        """
        conditions = set(clause)
        return tuple(not conditions.isdisjoint(group) for group in self.required)

    def uses_all(self, clauses: Iterable[Iterable[int]]) -> bool:
        """Whether some clause has a condition of each required group."""
        used = [self.uses(clause) for clause in clauses]
        return all(any(of_group) for of_group in zip(*used, strict=True)) and (
            bool(used) or not self.required
        )

    @property
    def most_clauses(self) -> int:
        """How many clauses a rule set has at most."""
        room = int(as_written(self.max_complexity) // as_written(self.min_clause_complexity))
        return room if self.max_clauses is None else min(room, int(self.max_clauses))

    @property
    def least_required(self) -> tuple[int, int]:
        """The fewest clauses, and conditions, that can have one condition of each group."""
        n = len(self.required)
        return -(-n // (self.max_conditions or max(n, 1))), n

    def without(self, n_clauses: int, n_conditions: int) -> Problem | None:
        """Return what is left of it beside so many clauses and conditions; None where nothing is.

        Examples
        --------
        >>> rest = Problem(max_complexity=9, max_clauses=3).without(n_clauses=1, n_conditions=2)
        >>> rest.max_complexity, rest.max_clauses
        (6, 2)
        >>> Problem(max_complexity=4).without(n_clauses=1, n_conditions=2) is None
        True
        """
        if not self.fits(n_clauses + 1, n_conditions + 1):
            return None
        left = as_written(self.max_complexity) - self._exact_complexity(n_clauses, n_conditions)
        C = as_number(left)
        K = None if self.max_clauses is None else self.max_clauses - n_clauses
        return replace(self, max_complexity=C, max_clauses=K)

    @property
    def min_clause_complexity(self) -> float:
        """Complexity of a clause with one condition: the empty clause is excluded."""
        return self.complexity(n_clauses=1, n_conditions=1)

    @property
    def longest_clause(self) -> int | None:
        """Most conditions that a clause may have; None when neither C nor D limits it."""
        limits = []
        if self.max_conditions is not None:
            limits.append(self.max_conditions)
        if self.condition_cost > 0:
            room = as_written(self.max_complexity) - as_written(self.clause_cost)
            limits.append(int(room // as_written(self.condition_cost)))
        return min(limits, default=None)

    def to_plain(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        values = {name: getattr(self, name) for name in self.__slots__}
        plain = {name: v.item() if hasattr(v, "item") else v for name, v in values.items()}
        required = [list(group) for group in plain.pop("required")]
        return {**plain, "required": required} if required else plain

    def _exact_complexity(self, n_clauses: int, n_conditions: int) -> Fraction:
        return n_clauses * as_written(self.clause_cost) + n_conditions * as_written(
            self.condition_cost
        )
