"""Parts of a table as one: the same columns, kinds and labels as if it had never been split.

A part may be empty, or know less of a column than others do. What cannot be one column, or one
kind of label, is turned down in the words of a table in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import Kind, Table, TableColumn, mixed_types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_TYPES = {Kind.NUMERIC: "float", Kind.BOOLEAN: "bool", Kind.TEXT: "str"}


def check_same_columns(one: Sequence[str], other: Sequence[str]) -> None:
    """Turn down parts with different columns."""
    if list(one) != list(other):
        raise ValueError(
            f"The parts of the table have different columns: {list(one)} and {list(other)}."
        )


def joined_kind(name: str, one: Kind, other: Kind) -> Kind:
    """Return what a column holds whose parts hold two kinds; true/false beside numbers are these.

    Examples
    --------
    >>> joined_kind("paid", Kind.BOOLEAN, Kind.NUMERIC)
    <Kind.NUMERIC: 'numeric'>
    """
    if one is other:
        return one
    if Kind.TEXT in (one, other):
        raise mixed_types(name, sorted({_TYPES[one], _TYPES[other]}))
    return Kind.NUMERIC


def check_categories(name: str, kind: Kind, is_category: bool, other_is: bool) -> None:
    """Turn down numbers that are categories in one part alone: text is one thing either way."""
    if kind is not Kind.TEXT and is_category != other_is:
        raise TypeError(
            f"Column {name!r} holds categories in one part of the table and numbers in another. "
            "Give it one type in all of them."
        )


def joined_tables(parts: Sequence[Table]) -> Table:
    """Put the rows of all parts one below the other.

    Examples
    --------
    >>> one = Table((TableColumn("x", Kind.BOOLEAN, np.array([1.0])),), 1)
    >>> two = Table((TableColumn("x", Kind.NUMERIC, np.array([5.0])),), 1)
    >>> joined_tables([one, two])["x"].values.tolist()
    [1.0, 5.0]
    """
    for part in parts[1:]:
        check_same_columns(parts[0].names, part.names)
    columns = zip(*(part.columns for part in parts), strict=True)
    return Table(tuple(map(_joined_column, columns)), sum(map(len, parts)))


def _joined_column(parts: Sequence[TableColumn]) -> TableColumn:
    """Join a column; a part without values has no kind of its own."""
    known = [part for part in parts if not part.is_null.all()] or parts[:1]
    name, kind, is_category = known[0].name, known[0].kind, known[0].is_category
    for part in known[1:]:
        kind = joined_kind(name, kind, part.kind)
        check_categories(name, kind, is_category, part.is_category)
    if kind is Kind.TEXT:
        values = [p.values if p.kind is kind else np.full(len(p.values), None) for p in parts]
    else:
        values = [
            np.full(len(p.values), np.nan) if p.kind is Kind.TEXT else p.values for p in parts
        ]
    return TableColumn(name, kind, np.concatenate(values), is_category)


def joined_labels(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Put labels one below the other; objects where their types differ, as in one column."""
    parts = [part for part in parts if len(part)] or list(parts[:1])
    if len({label_kind(part) for part in parts}) == 1:
        return np.concatenate(parts)
    return np.array([label for part in parts for label in part.tolist()], dtype=object)


def label_kind(labels: NDArray[Any]) -> str:
    """Say what labels are: text, numbers, true/false, or other objects."""
    if labels.dtype.kind == "b":
        return "true/false"
    if labels.dtype.kind in "iuf":
        return "numbers"
    is_text = labels.dtype.kind in "UT" or all(isinstance(label, str) for label in labels.tolist())
    return "text" if is_text else "objects"
