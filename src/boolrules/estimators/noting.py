"""Columns that look like identifiers or free text give no conditions, unless they are asked for.

The choice rests on the table alone, never on labels, and becomes a part of the constraints: so
certificates say it, and ``verify`` ranges over the same conditions.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.constraints import Constraints
from boolrules.data.notes import NoteKind, idle_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boolrules._support.table import Table, TableColumn
    from boolrules.data.notes import ColumnNote
    from boolrules.estimators.classifier import BooleanRuleClassifier

# What makes a column of text useful, by what it looks like.
_WAYS = {
    NoteKind.NUMBERS_AS_TEXT: "Make numbers written as text numbers first.",
    NoteKind.DATES_AS_TEXT: "Make dates written as text dates first, such as with "
    "pandas.to_datetime or polars.col(name).str.to_datetime().",
}
_WAYS[NoteKind.UNCLEAR_DATES] = _WAYS[NoteKind.DATES_AS_TEXT]


def idle_columns(
    classifier: BooleanRuleClassifier, notes: Iterable[ColumnNote], table: Table
) -> list[ColumnNote]:
    """Return the notes on columns that are to give no conditions: nobody asked for them."""
    constraints = Constraints.of(classifier.constraints)
    if classifier.binarizer is None or constraints.allowed_features is not None:
        return []
    asked = _asked_for(classifier.binarizer, constraints)
    idle = [
        note
        for note in notes
        if note.is_idle
        and note.column not in asked
        and not any(note.column in text for text in _texts(constraints))
        and constraints.allows_feature(note.column)
    ]
    silent = {note.column for note in idle}
    others = (n for n in table.names if n not in silent and constraints.allows_feature(n))
    # Where nothing else has conditions, rules are made of these.
    return idle if idle and any(_varies(table[name]) for name in others) else []


def without(constraints: Any, notes: Sequence[ColumnNote]) -> Constraints:
    """Return constraints that forbid the columns of some notes."""
    given = Constraints.of(constraints)
    names = [note.column for note in notes]
    return replace(given, forbidden_features=(*given.forbidden_features, *names))


def heeded(classifier: BooleanRuleClassifier, table: Table) -> Any:
    """Return the constraints of a classifier on a table, and warn of what they leave out by it."""
    idle = idle_columns(classifier, idle_notes(table), table)
    if not idle:
        return classifier.constraints
    ways = dict.fromkeys(_WAYS[note.kind] for note in idle if note.kind in _WAYS)
    by_name = (
        "To use such a column, name it in categorical_features of FeatureBinarizer, or in "
        "allowed_features of constraints."
    )
    warnings.warn(
        " ".join([f"{'; '.join(map(str, idle))}: no conditions are made of it.", *ways, by_name]),
        UserWarning,
        stacklevel=5,
    )
    return without(classifier.constraints, idle)


def _asked_for(binarizer: Any, constraints: Constraints) -> set[str]:
    """Return the columns that somebody named, other than to forbid them."""
    asked = {*constraints.preferred_features, *constraints.monotone}
    for name in ("categorical_features", "thresholds", "special_values"):
        given = getattr(binarizer, name, None)
        if name == "categorical_features" or isinstance(given, Mapping):
            asked |= set(given or ())
    return asked


def _varies(column: TableColumn) -> bool:
    """Whether a column has two values, a missing one among them: one alone gives no conditions."""
    known = column.values[~column.is_null]
    return bool(len(known) and (len(known) < len(column.values) or np.any(known != known[0])))


def _texts(constraints: Constraints) -> list[str]:
    """Return the texts that name what rules must have."""
    return [*constraints.required, *map(str, constraints.given_clauses)]
