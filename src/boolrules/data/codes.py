"""Numbers that stand for something else: -9, 99 and the like, far off those that were measured."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers that show how far off a code is; fewer do if they are a scale, such as 1 to 5.
SCALE = 10
_NINES = re.compile(r"9{2,}")
_NEGATIVE_CODES = (-1.0, -7.0, -8.0, -9.0, -99.0, -999.0, -9999.0, -99999.0)


def codes_among(values: NDArray[np.float64]) -> dict[int, int]:
    """Find numbers far off the others that occur again and again; return how often each does.

    Examples
    --------
    >>> codes_among(np.array([*range(20, 60), -9, -9, 999, 999, 999], dtype=float))
    {-9: 2, 999: 3}
    >>> codes_among(np.array([0.0, 1.0, 2.0, 9.0, 9.0]))
    {}
    """
    has_nines = len(values) and _NINES.fullmatch(f"{values.max():.0f}")
    if not len(values) or not (has_nines or values.min() in _NEGATIVE_CODES):
        return {}  # as a rule, and at once
    distinct, counts = np.unique(values, return_counts=True)
    often = distinct[counts > 1]
    negative = often[np.isin(often, _NEGATIVE_CODES)]
    rest, nines = _without_nines(np.setdiff1d(distinct, negative), often)
    if not _are_far_below(negative, rest):
        negative, (_, nines) = negative[:0], _without_nines(distinct, often)
    found = [*negative.tolist(), *nines.tolist()]
    return {int(code): int(counts[distinct == code][0]) for code in found}


def _without_nines(
    distinct: NDArray[np.float64], often: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the numbers below those that are nines and far above the others, and these."""
    n = len(distinct) - 1
    while n > 0 and distinct[n] in often and _is_nine_far_above(distinct[n], distinct[:n]):
        n -= 1
    return distinct[: n + 1], distinct[n + 1 :]


def _are_far_below(codes: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether negative codes stand apart: below ten other numbers, or far below a scale."""
    if not len(codes) or not len(others) or others[0] < 0:
        return False
    gap = others[0] - codes[-1]
    is_apart = _is_scale(others) and gap > max(_span(others), SCALE / 2)
    return len(others) >= SCALE or bool(is_apart)


def _is_nine_far_above(top: float, others: NDArray[np.float64]) -> bool:
    """Whether 99, 999 or so stands far above ten other numbers, or very far above a scale."""
    if top % 1 or not _NINES.fullmatch(f"{top:.0f}"):
        return False
    far = 1 if len(others) + 1 >= SCALE else SCALE if _is_scale(others) else math.inf
    return bool(top - others[-1] > far * _span(others))


def _is_scale(numbers: NDArray[np.float64]) -> bool:
    """Whether numbers are a scale, such as 1 to 5: two or more, 0 or 1 first, without a gap."""
    return len(numbers) >= 2 and numbers[0] in (0, 1) and bool((np.diff(numbers) == 1).all())


def _span(numbers: NDArray[np.float64]) -> float:
    return float(numbers[-1] - numbers[0])
