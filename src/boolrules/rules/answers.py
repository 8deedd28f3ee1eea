"""What rules answer: "risk is 'high'", or "drinks > 2" where a comparison made the labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from boolrules.rules.condition import format_value

if TYPE_CHECKING:
    from boolrules.rules.clause import Label

_COMPARISON = re.compile(r"(>=|<=|>|<)( ?-?[0-9.]+(?:[eE][-+]?[0-9]+)?)")
_OPPOSITE = {">": "<=", "<=": ">", ">=": "<", "<": ">="}


def is_comparison(label: Label) -> bool:
    """Whether a label is what a comparison of numbers calls the rows that meet it.

    Examples
    --------
    >>> [is_comparison(label) for label in ("> 2", "<=-1.5", "high", 2)]
    [True, True, False, False]
    """
    return isinstance(label, str) and _COMPARISON.fullmatch(label) is not None


def opposite(label: Label) -> str:
    """Return the comparison that all other numbers meet; labels are numbers, none is missing.

    Examples
    --------
    >>> opposite("> 2"), opposite("<=-1.5"), opposite("high")
    ('<= 2', '>-1.5', '')
    """
    match = _COMPARISON.fullmatch(label) if isinstance(label, str) else None
    return "" if match is None else _OPPOSITE[match[1]] + match[2]


def answer_texts(name: str, positive: Label, negative: Label) -> tuple[str, str]:
    """Write both answers about a target; its name is empty where it has none.

    Examples
    --------
    >>> answer_texts("drinks", "> 2", "<= 2"), answer_texts("risk", "high", None)
    (('drinks > 2', 'drinks <= 2'), ("risk is 'high'", "risk is not 'high'"))
    >>> answer_texts("", True, False)
    ('True', 'False')
    """
    if name and is_comparison(positive) and negative == opposite(positive):
        return f"{name} {positive}", f"{name} {negative}"
    target = f"{name} is " if name else ""
    other = f"not {format_value(positive)}" if negative is None else format_value(negative)
    return f"{target}{format_value(positive)}", f"{target}{other}"


def label_text(label: Label) -> str:
    """Write a label where the target is not named; a comparison says itself what it is.

    Examples
    --------
    >>> label_text("> 2"), label_text("low"), label_text(2)
    ('> 2', "'low'", '2')
    """
    return str(label) if is_comparison(label) else format_value(label)
