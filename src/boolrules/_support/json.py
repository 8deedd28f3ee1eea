"""Reading JSON that may be hostile: what is not plain and finite gives a ValueError."""

from __future__ import annotations

import json
import sys
from typing import Any

LARGEST = sys.float_info.max


def parse(text: str) -> Any:
    """Parse JSON text: what it holds stands in it once, and numbers are finite.

    Examples
    --------
    >>> parse('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: it is not JSON that can be read ('a' stands in it twice)
    >>> parse("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: it is not JSON that can be read (nested too deeply)
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_turn_down)
    except RecursionError:
        raise ValueError("it is not JSON that can be read (nested too deeply)") from None
    except ValueError as error:
        raise ValueError(f"it is not JSON that can be read ({error})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its parts; of two that have one name, readers would see different ones."""
    plain = dict(pairs)
    if len(plain) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in plain if names.count(name) > 1)
        raise ValueError(f"{twice!r:.40} stands in it twice")
    return plain


def _turn_down(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def is_number(value: Any) -> bool:
    """Whether this is a number that a float can hold to the last digit, and not true or false.

    Examples
    --------
    >>> is_number(3), is_number(True), is_number(float("nan")), is_number(10**400)
    (True, False, False, False)
    >>> is_number(2**53), is_number(2**53 + 1)
    (True, False)
    """
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -LARGEST <= value <= LARGEST
        and float(value) == value
    )


def is_label(value: Any) -> bool:
    """Whether this may be a label: text, a number, true, false or null.

    A whole number may be any that a column of them holds, of 64 bits.
    """
    is_whole = type(value) is int and -(2**63) <= value < 2**64
    return isinstance(value, str | bool | None) or is_whole or is_number(value)
