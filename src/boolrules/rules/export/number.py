"""Numbers as programs read them: no digit is lost."""

from __future__ import annotations

from boolrules._support.json import is_number
from boolrules.rules.condition import exact_number


def finite_number(value: float) -> str:
    """Write a number so that a program reads the same float; turn down what is not finite.

    Examples
    --------
    >>> finite_number(35.0), finite_number(0.1 + 0.2), finite_number(1e300)
    ('35', '0.30000000000000004', '1e+300')
    >>> finite_number(float("inf"))
    Traceback (most recent call last):
    ...
    ValueError: inf cannot be exported: it is no finite number. Use 'is not null' instead.
    """
    if not is_number(value):
        raise ValueError(
            f"{value!r:.40} cannot be exported: it is no finite number. Use 'is not null' instead."
        )
    return exact_number(value)
