"""Whole numbers that no float is: codes, most of the time, of which none may become another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LARGEST_EXACT = 2**53  # of whole numbers, floats hold all up to here


class RoundedError(ValueError):
    """Whole numbers of a column that floats would round, so that of two codes came one.

    Parameters
    ----------
    column : str
        Its name.
    value : Any
        One of them.
    advice : str
        What to do with codes.
    """

    def __init__(
        self,
        column: str,
        value: Any,
        advice: str = "make them text, such as with .astype(str), or drop the column",
    ) -> None:
        self.column, self.value, self.advice = column, value, advice
        super().__init__(
            f"Column {column!r} holds {value}, which double precision rounds to "
            f"{int(float(value))}. If these are codes, {advice}. If they measure something, "
            "divide them or subtract a constant."
        )

    def __reduce__(self) -> Any:
        return RoundedError, (self.column, self.value, self.advice)


def check_not_rounded(name: str, floats: NDArray[np.float64], values: Sequence[Any]) -> None:
    """Turn down whole numbers that no float is: of two codes it would make one."""
    for row in np.flatnonzero(np.abs(floats) >= LARGEST_EXACT).tolist():
        if int(values[row]) != int(floats[row]):
            raise RoundedError(name, values[row])
