"""What the columns that rules read hold, by what they are compared with."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boolrules.rules.clause import Label
    from boolrules.rules.decision_list import DecisionList


class Kind(StrEnum):
    """What a column or a label is."""

    TEXT = "text"
    NUMBER = "numbers"
    BOOLEAN = "true/false"


def column_kinds(decisions: DecisionList, unknown: Kind) -> dict[str, Kind]:
    """Return what each column holds: ``unknown`` where it is only asked whether it is missing."""
    found: dict[str, set[Kind]] = {name: set() for name in decisions.features}
    for decision in decisions.decisions:
        for clause in decision.clauses:
            for condition in clause.conditions:
                if condition.value is not None:
                    found[condition.feature].add(_kind(condition.value))
    for name, kinds in found.items():
        if len(kinds) > 1:
            raise ValueError(
                f"The column {name!r} is compared with {' and '.join(sorted(kinds))}, and this "
                "language knows one type for each. Give it one type before fit."
            )
    return {name: next(iter(kinds), unknown) for name, kinds in found.items()}


def label_kind(labels: tuple[Label, ...], language: str) -> Kind:
    """Return what all labels are; None, for no label, may stand beside any."""
    kinds = {_kind(label) for label in labels if label is not None}
    if len(kinds) > 1:
        raise ValueError(
            f"The labels mix {' and '.join(sorted(kinds))}, which {language} cannot. Give them "
            "one type before fit."
        )
    return next(iter(kinds), Kind.TEXT)


def _kind(value: object) -> Kind:
    if isinstance(value, str):
        return Kind.TEXT
    return Kind.BOOLEAN if isinstance(value, bool | np.bool_) else Kind.NUMBER
