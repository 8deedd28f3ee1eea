"""What all weights are whole multiples of, so that every loss is one too.

Weights of 3333.3, 1 and 0.1 are 33,333, 10 and one tenths: no loss lies between two tenths, and a
bound may be rounded up to the next. So does ``class_weight="balanced"`` give whole multiples.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Of more different weights than this nobody would think as multiples.
MOST_WEIGHTS = 1_000
# Parts of the least weight, and of one weight beside another.
MOST_PARTS = 1_000_000
# What weights may be off their multiple, relatively: products of three rounded numbers.
DUST = Fraction(1, 2**50)
# What a sum of them may be off at most, and how many steps all rows may weigh beside that.
SUM_DUST = Fraction(1, 2**40)
MOST_STEPS = 2**32


def common_step(weights: NDArray[np.float64]) -> Fraction | None:
    """Return what all weights are whole multiples of, but for rounding; None if nothing is known.

    One where all are whole numbers.

    Examples
    --------
    >>> float(common_step(np.array([3333.3, 1.0, 0.1, 0.0]))), common_step(np.array([2.0, 4.0]))
    (0.1, Fraction(1, 1))
    >>> common_step(np.array([1.0, np.pi])) is None
    True
    """
    if (weights == np.floor(weights)).all():
        return Fraction(1)
    distinct = np.unique(weights[weights > 0])
    if len(distinct) > MOST_WEIGHTS:
        return None
    least, *others = map(Fraction, distinct.tolist())
    parts = 1
    for weight in others:
        ratio = weight / least
        nearest = ratio.limit_denominator(MOST_PARTS)
        parts = math.lcm(parts, nearest.denominator)
        if abs(nearest - ratio) > DUST * ratio or parts > MOST_PARTS:
            return None
    step = least / parts
    return step if Fraction(float(weights.sum())) <= MOST_STEPS * step else None


def step_of_steps(steps: Sequence[Fraction | None]) -> Fraction | None:
    """Return what multiples of several steps are all multiples of; None if nothing is known.

    Examples
    --------
    >>> step_of_steps([Fraction(1), Fraction(1, 4)]), step_of_steps([Fraction(1), None])
    (Fraction(1, 4), None)
    """
    known = [step for step in steps if step is not None]
    if len(known) < len(steps):
        return None
    return known[0] if len({*known}) == 1 else common_step(np.array([*map(float, known)]))


def rounded_up(value: Fraction | float, step: Fraction) -> float:
    """Return the least multiple of a step that is not below a value, but for rounding of weights.

    Less a trifle, unless the step is one: sums of rounded weights may be as much below it.

    Examples
    --------
    >>> rounded_up(7.61, Fraction(1, 10)), rounded_up(6.2, Fraction(1))
    (7.699999999992997, 7)
    >>> rounded_up(rounded_up(7.61, Fraction(1, 10)), Fraction(1, 10))
    7.699999999992997
    """
    return at_steps(n_steps_up_to(value, step), step)


def n_steps_up_to(value: Fraction | float, step: Fraction) -> int:
    """Return how many steps the least multiple has that is not below a value, but for rounding."""
    exact = Fraction(value) / step
    nearest = round(exact)
    dust = 0 if step == 1 else 4 * SUM_DUST * abs(exact)
    return nearest if abs(exact - nearest) <= dust else math.ceil(exact)


def at_steps(n_steps: int, step: Fraction) -> float:
    """Return so many steps as a bound: what sums of rounded weights are not below."""
    return n_steps if step == 1 else rounded_down(n_steps * step * (1 - SUM_DUST))


def rounded_down(exact: Fraction) -> float:
    """Return the largest float that is not above a fraction.

    Examples
    --------
    >>> rounded_down(Fraction(1, 10)) < 0.1 == rounded_down(Fraction(0.1))
    True
    """
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)
