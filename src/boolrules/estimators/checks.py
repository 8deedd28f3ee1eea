"""What estimators check before they begin, as scikit-learn expects it: tables, labels, weights."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names, make_scorer
from sklearn.utils import assert_all_finite, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from boolrules._support.dates import source_of
from boolrules._support.table import LazyTable, Table, TableColumn, is_lazy, read_table
from boolrules._support.values import check_labels_kept, is_missing
from boolrules.data.notes import is_measured, too_many_texts
from boolrules.rules.condition import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator


def checked_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """Read a table and hold it against the columns that the estimator was fitted on."""
    if is_lazy(X):
        lazy = LazyTable(X)
        if not len(lazy) or not lazy.names:
            raise ValueError(f"The table is empty: {len(lazy)} rows, {len(lazy.names)} columns.")
        validate_data(estimator, lazy.header(), reset=reset, skip_check_array=True)
        return lazy
    if isinstance(X, Table) and reset:  # read already, for rows that are left out
        estimator.n_features_in_ = len(X.names)
        return X
    is_frame = hasattr(X, "columns") or hasattr(X, "column_names")
    if is_frame:
        table = read_table(X)
        if len(table) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={getattr(X, 'shape', None)}) while a "
                "minimum of 1 is "
                "required: the table is empty."
            )
        if not table.columns:
            raise ValueError("Found 0 feature(s) while a minimum of 1 is required: no column.")
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        # Text and missing values are fine; infinite values are turned down by read_table, with the
        # column's name.
        X = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        table = read_table(X)
    if reset:
        return table
    # Where both have names, scikit-learn has found them equal; elsewhere position counts.
    return _renamed(table, [feature.name for feature in estimator.encoding_.features])


def checked_labels(estimator: BaseEstimator, y: Any, table: Table) -> NDArray[Any]:
    """Return the labels as an array, one per row of the table, or say what is wrong with them."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target "
            "y is None."
        )
    labels = np.asarray(column_or_1d(y, warn=True))
    check_consistent_length(table, labels)
    check_labels_kept(y, labels)
    n_missing = 0
    if labels.dtype.kind == "O":
        n_missing = sum(map(is_missing, labels.tolist()))
    check_label_values(labels, n_missing)
    return labels


def check_label_values(labels: NDArray[Any], n_missing: int) -> None:
    """Turn down what cannot be labels: dates, what is no class, and missing ones.

    The labels of all rows, or each of them once.
    """
    if labels.dtype.kind in "mM":
        raise ValueError("y holds dates or times, which are no labels. Make them text or classes.")
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if n_missing:
        raise ValueError(f"Input y contains NaN in {n_missing} rows; drop them first.")
    types = sorted({type(label).__name__ for label in labels.tolist()})
    if labels.dtype.kind == "O" and "str" in types and len(types) > 1:
        raise ValueError(
            f"y mixes {', '.join(types)}: labels must be all text, or all numbers. Convert them, "
            "e.g. with .astype(str)."
        )
    distinct = np.unique(labels)
    if is_measured(distinct):
        middle = format_number(float(np.median(labels)))
        raise ValueError(
            f"Unknown label type: continuous. y holds {len(distinct)} different numbers, "
            f"and rules tell classes apart. Make two of them, such as y > {middle}; numbers that "
            "are classes, make text, such as with .astype(str)."
        )
    texts = too_many_texts(distinct)
    if texts is not None:
        what_to_do = f"Choose one, such as y == {str(distinct[0])!r:.40}"
        if texts.are_numbers:
            what_to_do = "Make them numbers, and of these two classes, such as y > 1000"
        raise ValueError(
            f"y holds {texts.words}, and a rule set would be learned for each. {what_to_do}."
        )
    check_classification_targets(labels)


def take_columns(fitted: Any, other: Any) -> None:
    """Let another estimator know the columns that one was fitted on."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(fitted, name):
            setattr(other, name, getattr(fitted, name))


def resolved_class_weights(
    class_weight: Any, classes: NDArray[Any], labels: NDArray[Any], weights: NDArray[np.float64]
) -> tuple[float, ...]:
    """Return what a row of each class weighs; rows of weight zero do not count."""
    kept = labels[weights > 0]
    present = np.unique(kept)
    resolved = dict(
        zip(
            present.tolist(),
            compute_class_weight(
                class_weight, classes=present, y=kept, sample_weight=weights[weights > 0]
            ),
            strict=True,
        )
    )
    for label, weight in resolved.items():
        if not (np.isfinite(weight) and weight > 0):
            raise ValueError(
                f"class_weight gives {plain(label)!r} the weight {weight:g}; use finite "
                "numbers above 0. To leave a class out, drop its rows."
            )
    return tuple(float(resolved.get(label, 1.0)) for label in classes.tolist())


def plain(label: Any) -> Any:
    """Return a numpy scalar as the Python value that JSON can hold."""
    return label.item() if isinstance(label, np.generic) else label


def allow_raw_tables(tags: Any) -> Any:
    """Tell scikit-learn that tables may hold text, categories and missing values."""
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags


def _renamed(table: Table, names: Sequence[str]) -> Table:
    """Give an unnamed table the names that the estimator was fitted with."""
    columns = tuple(table.columns)
    if len(columns) != len(names):
        raise _other_dates(columns, names)
    renamed = (replace(c, name=str(name)) for name, c in zip(names, columns, strict=True))
    return Table(tuple(renamed), len(table))


def _other_dates(columns: Sequence[TableColumn], names: Sequence[str]) -> TypeError:
    """Say which columns are dates or times where ``fit`` had something else, or the reverse."""
    now = {str(c.part_of) for c in columns if c.part_of and c.name not in names}
    then = {str(source_of(name)) for name in names} & {c.name for c in columns}
    which, verb, had = (now, "holds", "none") if now else (then, "holds no", "them")
    shown = ", ".join(sorted(which))
    return TypeError(
        f"Column {shown!r:.120} {verb} dates or times, but held {had} in fit. Give the column the "
        "type that it had in fit."
    )


def check_scorer(name: str) -> None:
    """Turn down an option that names no score of classes, before any work is done.

    Examples
    --------
    >>> check_scorer("balanced_accuracy")
    """
    wrong = None
    if name not in get_scorer_names():
        wrong = "is no scorer of scikit-learn"
    elif name.endswith("_samples"):
        wrong = "is for rows of several labels each"
    elif get_scorer(name)._score_func.__module__.endswith("._regression"):  # noqa: SLF001
        wrong = "is a score of numbers and not of classes"
    if wrong is not None:
        raise ValueError(
            f"--scoring {name!r:.80} {wrong}. Use accuracy, balanced_accuracy, f1, precision, "
            "recall or roc_auc, for example."
        )


def make_binary_scorer(estimator: Any, scoring: Any, positive: Any) -> Any:
    """Return a scorer; one that asks for a positive class is told which it is.

    Examples
    --------
    >>> from boolrules import BooleanRuleClassifier
    >>> model = BooleanRuleClassifier(2).fit([[0], [1]], ["no", "yes"])
    >>> make_binary_scorer(model, "f1", "yes")(model, [[0], [1]], ["no", "yes"])
    1.0
    """
    scorer = check_scoring(estimator, scoring)
    function = getattr(scorer, "_score_func", None)
    if not isinstance(scoring, str) or function is None or positive is None:
        return scorer
    given = scorer._kwargs  # noqa: SLF001
    asks = "pos_label" in signature(function).parameters and "pos_label" not in given
    if not asks or given.get("average", "binary") != "binary":
        return scorer
    sign, response = scorer._sign, scorer._response_method  # noqa: SLF001
    return make_scorer(
        function,
        response_method=response,
        greater_is_better=sign > 0,
        **(given | {"pos_label": positive}),
    )
