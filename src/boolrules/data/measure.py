"""What requirements limit: the measures, what they are called, and what may have been meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class Measure(StrEnum):
    """What is limited."""

    RECALL = "recall"
    PRECISION = "precision"
    MISSED = "missed"
    COVERED = "covered"
    FLAGGED = "flagged"
    FLAGGED_SHARE = "flagged share"
    EQUAL_OPPORTUNITY = "equal opportunity"
    EQUALISED_ODDS = "equalised odds"

    @property
    def is_at_least(self) -> bool:
        """Whether more of it is better."""
        return self in (Measure.RECALL, Measure.PRECISION)

    @property
    def compares(self) -> bool:
        """Whether it speaks of groups beside each other."""
        return self in (Measure.EQUAL_OPPORTUNITY, Measure.EQUALISED_ODDS)

    @property
    def is_share(self) -> bool:
        """Whether its limit is between 0 and 1, rather than a number of rows."""
        return self not in (Measure.MISSED, Measure.COVERED, Measure.FLAGGED)

    @property
    def sign(self) -> str:
        """How a limit is written."""
        return ">=" if self.is_at_least else "<="


# What others call the same; nothing that is counted or compared in another way.
_ALSO_CALLED = {
    "sensitivity": Measure.RECALL,
    "true positive rate": Measure.RECALL,
    "positive predictive value": Measure.PRECISION,
    "false negatives": Measure.MISSED,
    "false positives": Measure.COVERED,
    "equality of opportunity": Measure.EQUAL_OPPORTUNITY,
    "equalized odds": Measure.EQUALISED_ODDS,
    "equality of odds": Measure.EQUALISED_ODDS,
}
_CALLED = {str(measure): measure for measure in Measure} | _ALSO_CALLED
# What people ask for and is none of them, with the nearest that is.
_INSTEAD = {
    "demographic parity": "flagged share <= 0.2 within sex",
    "statistical parity": "flagged share <= 0.2 within sex",
    "false positive rate": "covered <= 20",
    "false negative rate": "recall >= 0.9",
    "specificity": "covered <= 20",
}
# A pattern of all names, the longest first.
NAMES = "|".join(sorted(_CALLED, key=len, reverse=True)).replace(" ", r"[\s_-]+")


def as_measure(name: Any) -> Measure | None:
    """Return the measure that a name stands for; None if there is none.

    Examples
    --------
    >>> as_measure("equalized_odds"), as_measure("demographic parity")
    (<Measure.EQUALISED_ODDS: 'equalised odds'>, None)
    """
    return _CALLED.get(_plain(name)) if isinstance(name, str) else None


def suggestion(text: str, columns: Sequence[str] = ()) -> str:
    """Say what a text may have been meant for; nothing where a column is as near.

    Examples
    --------
    >>> suggestion("precisin >= 0.9"), suggestion("age <= 35")
    ("Did you mean 'precision >= 0.9'?", '')
    >>> suggestion("demographic parity <= 0.1 between sex")
    "There is no 'demographic parity'; the nearest is 'flagged share <= 0.2 within sex'."
    """
    given = re.split("[<>=]", text, maxsplit=1)[0]
    name, rest = _plain(given), text[len(given) :]
    if name in _CALLED:
        return ""
    if name in _INSTEAD:
        return f"There is no {name!r}; the nearest is '{_INSTEAD[name]}'."
    known = {column.lower(): "" for column in columns} | {called: called for called in _CALLED}
    (near,) = get_close_matches(name, known, n=1, cutoff=0.75) or [""]
    if not known.get(near):
        return ""
    return f"Did you mean '{f'{near} {rest}'.rstrip():.80}'?"


def _plain(name: str) -> str:
    """Write a name in one way."""
    return " ".join(re.split(r"[\s_-]+", name.strip().lower()))
