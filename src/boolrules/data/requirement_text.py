"""Requirements as people write them: ``recall >= 80% within branch margin 0.02``."""

from __future__ import annotations

import re
from typing import Any

from boolrules.data.measure import NAMES, Measure, as_measure, suggestion
from boolrules.data.problem import as_number, as_written

HOW = (
    "Write it as 'precision >= 0.9', 'recall >= 0.8 within branch', 'flagged <= 200 where month = "
    "May' or 'equal opportunity <= 0.02 between sex'; the measures are: "
    f"{', '.join(Measure)}."
)
_TEXT = re.compile(
    rf"\s*(?P<measure>{NAMES})"
    r"\s*(?P<sign>>=|<=)\s*(?P<limit>[-+.\deE]+)(?P<percent>\s*%)?"
    r"(?:\s+(?P<word>within|between|where)\s+(?P<scope>.+?))?"
    r"(?:\s+margin\s+(?P<margin>[-+.\deE]+)(?P<margin_percent>\s*%)?)?\s*",
    re.IGNORECASE,
)
_PAIR = re.compile(r"\s*('[^']*'|\"[^\"]*\"|`[^`]*`|[^=]*?)\s*==?\s*(.*)")


def parts_of(text: str) -> dict[str, Any]:
    """Read the fields of a requirement.

    Examples
    --------
    >>> parts_of("flagged <= 200 where month = May")
    {'measure': <Measure.FLAGGED: 'flagged'>, 'limit': 200, 'margin': 0, 'where': ('month', 'May')}
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        near = " ".join(filter(None, [suggestion(text), HOW]))
        raise ValueError(f"requirements have {text!r:.80}, which cannot be read. {near}")
    measure = as_measure(match["measure"])
    assert measure is not None
    if match["sign"] != measure.sign:
        raise ValueError(
            f"requirements have {text!r:.80}; {measure} is limited by {measure.sign}."
        )
    limit = _number(text, match["limit"], match["percent"])
    margin = _number(text, match["margin"] or "0", match["margin_percent"])
    parts: dict[str, Any] = {"measure": measure, "limit": limit, "margin": margin}
    word = (match["word"] or "").lower()
    if word in ("within", "between"):
        parts[word] = _unquoted(match["scope"])
    if word == "where":
        pair = _PAIR.fullmatch(match["scope"])
        if pair is None:
            raise ValueError(f"requirements have {text!r:.80}; write 'where column = value'.")
        parts[word] = (_unquoted(pair[1]), _unquoted(pair[2]))
    return parts


def _number(text: str, digits: str, percent: str | None) -> float:
    try:
        return as_number(as_written(float(digits)) / (100 if percent else 1))
    except ValueError:
        raise ValueError(f"requirements have {text!r:.80}; {digits!r} is no number.") from None


def _unquoted(text: str) -> str:
    text = text.strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`"
    return text[1:-1] if is_quoted else text
