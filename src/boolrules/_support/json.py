"""Reading JSON that may be hostile: what is not plain and finite gives a ValueError."""

from __future__ import annotations

import json
import sys
from typing import Any

LARGEST = sys.float_info.max


def parse(text: str) -> Any:
    """Parse JSON text.

    Examples
    --------
    >>> parse('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: it is not JSON that can be read (nested too deeply)
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is not JSON that can be read (nested too deeply)") from None
    except ValueError as error:
        raise ValueError(f"it is not JSON that can be read ({error})") from None


def is_number(value: Any) -> bool:
    """Whether this is a number that a float can hold, and not true or false.

    Examples
    --------
    >>> is_number(3), is_number(True), is_number(float("nan")), is_number(10**400)
    (True, False, False, False)
    """
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -LARGEST <= value <= LARGEST
    )


def is_label(value: Any) -> bool:
    """Whether this may be a label: text, a number, true, false or null."""
    return isinstance(value, str | bool | None) or is_number(value)
