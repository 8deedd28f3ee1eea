"""Which rows are positive: a label, a comparison such as "> 2", or the labels as they are."""

from __future__ import annotations

import operator
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from boolrules._support.values import equals
from boolrules.cli.output import tell
from boolrules.data.notes import is_measured, too_many_texts
from boolrules.rules.answers import opposite
from boolrules.rules.condition import format_number, format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.model.model import Model

MOST_SHOWN = 8
_COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels for fit, and which of them is positive (None leaves it to the classifier)."""

    values: NDArray[Any]
    positive: Any


@dataclass(frozen=True, slots=True)
class Labelled:
    """The rows of a table that have a label, their column of labels, and their row numbers.

    ``numbers`` are those of the file, where the first row is 1; None where every row has a label.
    """

    frame: Any
    column: polars.Series
    numbers: NDArray[np.int64] | None = None


def with_labels(frame: Any, column: polars.Series, path: str) -> Labelled:
    """Leave out the rows of a table that have no label, and say how many they are."""
    _check_type(column)
    is_labelled = polars.col(column.name).is_not_null()
    if column.dtype.is_float():
        is_labelled &= polars.col(column.name).is_not_nan()
    kept = column.to_frame().filter(is_labelled).to_series()
    if len(kept) == len(column):
        return Labelled(frame, column)
    if not len(kept):
        raise ValueError(f"{path} has no label in column {column.name!r}, in none of its rows.")
    tell_left_out(path, column.name, len(column) - len(kept))
    is_kept = column.to_frame().select(is_labelled).to_series().to_numpy()
    return Labelled(frame.filter(is_labelled), kept, numbers_of(is_kept))


def numbers_of(is_kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the row numbers of those rows of a file that are kept.

    Examples
    --------
    >>> numbers_of(np.array([True, False, True])).tolist()
    [1, 3]
    """
    return np.flatnonzero(is_kept) + 1


def tell_left_out(path: str, name: str, n_rows: int) -> None:
    """Say how many rows have no label."""
    verbs = ("row has", "is") if n_rows == 1 else ("rows have", "are")
    tell(f"{path}: {n_rows} {verbs[0]} no label in column {name!r} and {verbs[1]} left out.")


def check_labels(name: str, labels: Labels) -> None:
    """Turn down what was measured, or is no class: of 140 labels, 140 rule sets are learned."""
    distinct = np.unique(labels.values)
    if labels.positive is not None or len(distinct) <= 2:
        return
    texts = too_many_texts(distinct)
    if texts is not None:
        what_to_do = f"such as --positive {shlex.quote(str(distinct[0]))}"
        if texts.are_numbers:
            what_to_do = 'once they are written as plain numbers, such as --positive "> 1000"'
        raise ValueError(
            f"Column {name!r} holds {texts.words}, and each would get a rule set of its own. Say "
            f"which of them to describe, {what_to_do}."
        )
    if is_measured(distinct):
        middle = format_number(float(np.median(labels.values)))
        raise ValueError(
            f"Column {name!r} holds {len(distinct)} different numbers, and rules tell labels "
            f'apart. Say which of them to describe, such as --positive "> {middle}".'
        )


def tell_labels(name: str, labels: Sequence[Any]) -> None:
    """Announce labels that get a rule set each."""
    shown = ", ".join(map(format_value, labels[:MOST_SHOWN]))
    more = f" and {len(labels) - MOST_SHOWN} more" if len(labels) > MOST_SHOWN else ""
    tell(
        f"Column {name!r} has {len(labels)} labels: {shown}{more}. Each gets a rule set of its "
        "own; --positive LABEL describes one of them."
    )


def read_labels(column: polars.Series, positive: str | None) -> Labels:
    """Read labels from the target column; ``positive`` makes the task one against the rest.

    Examples
    --------
    >>> import polars
    >>> drinks = polars.Series("drinks", [0, 2, 5])
    >>> read_labels(drinks, "> 2").values.tolist()
    ['<= 2', '<= 2', '> 2']
    >>> read_labels(drinks, "5").values.tolist()
    ['not 5', 'not 5', '5']
    >>> read_labels(polars.Series("risk", ["low", "high"]), "high").positive
    'high'
    """
    values = _values(column)
    if positive is None:
        return Labels(values, None)
    is_positive = _is_positive(column.name, values, positive)
    if not is_positive.any():
        raise ValueError(
            f"No row of column {column.name!r} is {positive}. Its values are: {_some(values)}."
        )
    distinct = np.unique(values)
    if (
        len(distinct) == 2
        and len(np.unique(values[is_positive])) == 1
        and not _comparison(positive)
    ):
        return Labels(values, values[is_positive][0].item())
    return Labels(np.where(is_positive, positive, _rest(positive)), positive)


def read_labels_as_fitted(column: polars.Series, model: Model) -> Labels:
    """Read labels as those of a model, though the rows at hand may lack some of them.

    Examples
    --------
    >>> import polars
    >>> class Fitted:
    ...     positive_rule, classes = "> 2", ("> 2", "not > 2")
    >>> read_labels_as_fitted(polars.Series("drinks", [0, 1]), Fitted).values.tolist()
    ['not > 2', 'not > 2']
    """
    values = _values(column)
    if not is_against_rest(model):
        return Labels(values, None)
    positive = str(model.positive_rule)
    is_positive = _is_positive(column.name, values, positive)
    rest = next((label for label in model.classes if label != positive), _rest(positive))
    return Labels(np.where(is_positive, positive, rest), positive)


def is_against_rest(model: Model) -> bool:
    """Whether the model tells one label, or what meets a comparison, from all others."""
    rule = model.positive_rule
    return rule is not None and set(model.classes) <= {rule, _rest(rule), f"not {rule}"}


def _rest(positive: str) -> str:
    """Return the label of all rows that are not positive."""
    return opposite(positive) or f"not {positive}"


def _check_type(column: polars.Series) -> None:
    """Turn down values that are no labels."""
    if column.dtype.is_temporal():
        raise ValueError(
            f"Column {column.name!r} holds dates, which are not labels. Choose another target."
        )
    if column.dtype.is_nested() or column.dtype in (polars.Binary, polars.Object):
        raise ValueError(
            f"Column {column.name!r} holds {column.dtype}, whose values are no labels. Choose "
            "another target, or make it text."
        )


def _values(column: polars.Series) -> NDArray[Any]:
    """Return the labels as they stand in the column."""
    _check_type(column)
    if column.dtype.is_integer():  # also those of 128 bits
        column = _in_64_bits(column)
    values = column.to_numpy()
    return _texts(column.name, column.to_list()) if values.dtype == object else values


def _in_64_bits(column: polars.Series) -> polars.Series:
    """Return whole numbers as numpy has them."""
    for dtype in (polars.Int64, polars.UInt64):
        numbers = column.cast(dtype, strict=False)
        if not numbers.null_count():
            return numbers
    largest = max(column.to_list(), key=abs)
    raise ValueError(
        f"Column {column.name!r} holds the label {largest}, a number beyond 64 bits. Make its "
        "labels text: put a letter before them."
    )


def _texts(name: str, labels: list[Any]) -> NDArray[np.str_]:
    texts = list(map(str, labels))
    for text in texts:
        if text.endswith("\0"):  # numpy would drop it, and make one label of two
            raise ValueError(
                f"Column {name!r} holds the label {text!r:.80}, which ends in a NUL character. "
                "Take it out."
            )
    return np.array(texts, dtype=str)


def _comparison(positive: str) -> re.Match[str] | None:
    return re.fullmatch(r"\s*(>=|<=|>|<)\s*(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*", positive)


def _is_positive(name: str, values: NDArray[Any], positive: str) -> NDArray[np.bool_]:
    comparison = _comparison(positive)
    is_number = values.dtype.kind in "iuf"
    if comparison:
        if not is_number:
            raise ValueError(
                f"--positive '{positive}' compares numbers, but column {name!r} holds "
                f"{_some(values)}."
            )
        compare, limit = _COMPARISONS[comparison[1]], _number(comparison[2])
        # numpy would round whole numbers first.
        return np.array([compare(value, limit) for value in values.tolist()], dtype=bool)
    if is_number:
        try:
            return equals(values, _number(positive))
        except ValueError:
            return np.zeros(len(values), dtype=bool)
    return (
        np.array([str(value).lower() == positive.lower() for value in values])
        if (values.dtype.kind == "b")
        else equals(values, positive)
    )


def _number(text: str) -> int | float:
    """Read a number; a whole one keeps all of its digits."""
    return int(text) if re.fullmatch(r"\s*[-+]?[0-9]+\s*", text) else float(text)


def _some(values: NDArray[Any]) -> str:
    distinct = np.unique(values).tolist()
    return ", ".join(map(str, distinct[:8])) + (" and more" if len(distinct) > 8 else "")
