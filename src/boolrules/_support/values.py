"""Values of a column or a label, one by one: which are equal, which are missing, which are kept.

Owns what equals what, for everybody. How tables become columns is in ``table``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


def equals(values: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    r"""Say which values equal one, exactly, as Python does; numpy rounds numbers and cuts text.

    The one definition for categories, conditions and labels, so that none is unseen to the one
    and equal to the other.

    Examples
    --------
    >>> equals(np.array([2**53, 2**53 + 1]), float(2**53)).tolist()
    [True, False]
    >>> equals(np.array(["s", "s\0"], dtype=object), "s\0").tolist()
    [False, True]
    """
    kind, plain = values.dtype.kind, value.item() if isinstance(value, np.generic) else value
    if kind == "O":
        boxed = np.empty(1, dtype=object)
        boxed[0] = plain
        return np.asarray(values == boxed, dtype=bool)
    if isinstance(plain, str):
        can_be = kind in "UT" and not plain.endswith("\0")
    elif kind == "f":
        can_be = isinstance(plain, bool) or is_number(plain)
    else:
        can_be = kind in "biu" and isinstance(plain, int | float) and plain % 1 == 0
        if can_be:
            limits = np.iinfo(np.int8 if kind == "b" else values.dtype)
            plain = int(plain)
            can_be = limits.min <= plain <= limits.max
    if not can_be:
        return np.zeros(values.shape, dtype=bool)
    return np.asarray(values == plain, dtype=bool)


def is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, or the mark of pandas for either."""
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def check_labels_kept(y: Any, labels: NDArray[Any]) -> None:
    """Turn down labels of which an array makes others: 1 and "1", 2**53 + 1 beside 0.5."""
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return
    given = np.asarray(y, dtype=object).ravel().tolist()
    for one, kept in zip(given, labels.ravel().tolist(), strict=True):
        if one is kept or is_missing(one):
            continue
        if one != kept or isinstance(one, str) != isinstance(kept, str):
            raise ValueError(
                f"The label {one!r:.60} becomes {kept!r:.60} beside the others, and could not be "
                "told from it. Give all labels one type: text, without a NUL at its end, or "
                "whole numbers."
            )
