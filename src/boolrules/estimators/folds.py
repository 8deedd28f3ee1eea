"""Folds of a cross-validation: a path learned on some rows and judged on those left out (§4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import joblib
import numpy as np
from sklearn.utils import _safe_indexing

from boolrules.estimators.complexity_path import fit_path
from boolrules.solver.result import StopReason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from boolrules.estimators.classifier import BooleanRuleClassifier

# There are rounds of folds until so many rows were judged, and at most so many.
ENOUGH_JUDGED, MOST_REPEATS = 2000, 3

# What a scorer makes of a model: for scikit-learn's a number.
Judged = TypeVar("Judged")


def count_answers(
    classes: NDArray[Any], model: BooleanRuleClassifier, X: Any, y: NDArray[Any]
) -> NDArray[np.int64]:
    """Count rows by class and by answer: the confusion matrix.

    Examples
    --------
    >>> from boolrules import BooleanRuleClassifier
    >>> model = BooleanRuleClassifier().fit([[0], [1]], [0, 1])
    >>> count_answers(np.array([0, 1, 2]), model, [[0], [1], [1]], np.array([0, 1, 2])).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    """
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(counts, tuple(np.searchsorted(classes, part) for part in (y, model.predict(X))), 1)
    return counts


def default_repeats(n_rows: int) -> int:
    """How many rounds of folds so many rows need: each round judges every row once.

    Examples
    --------
    >>> [default_repeats(n_rows) for n_rows in (200, 999, 1000, 1999, 2000)]
    [3, 3, 2, 2, 1]
    """
    return min(MOST_REPEATS, math.ceil(ENOUGH_JUDGED / n_rows))


def score_fold(
    model: BooleanRuleClassifier,
    X: Any,
    labels: NDArray[Any],
    sample_weight: Any,
    split: tuple[NDArray[np.int64], NDArray[np.int64]],
    limits: Sequence[float],
    patience: int,
    scorer: Callable[..., Judged],
) -> tuple[list[Judged], list[float]] | None:
    """Learn a path on one part and score its points on the other; None if interrupted."""
    train, test = split
    weights = None if sample_weight is None else np.asarray(sample_weight)[train]
    path = fit_path(model, _safe_indexing(X, train), labels[train], weights, limits, patience)
    if any(r.stop_reason is StopReason.INTERRUPTED for r in path[-1].classifier.results_):
        return None
    X_test, y_test = _safe_indexing(X, test), labels[test]
    known = {p.max_complexity: scorer(p.classifier, X_test, y_test) for p in path}
    points = [path.at(limit) for limit in limits]
    return [known[p.max_complexity] for p in points], [p.complexity for p in points]


def judge_fold(
    scorer: Callable[..., float],
    classes: NDArray[Any],
    model: BooleanRuleClassifier,
    X: Any,
    y: NDArray[Any],
) -> tuple[float, NDArray[np.int64]]:
    """Return the score on rows left out and their confusion matrix."""
    return scorer(model, X, y), count_answers(classes, model, X, y)


def run_tasks(
    tasks: list[Any], n_jobs: int | None, n_workers: int, is_done: Callable[[], None] | None
) -> list[Any]:
    """Return the results in order; after an interrupt, those that were there before it.

    ``is_done`` is called after each, where somebody wants to know.
    """
    parts: list[Any] = []
    try:
        for part in _results(tasks, n_jobs, n_workers, one_by_one=is_done is not None):
            parts.append(part)
            if part is None:
                break
            if is_done is not None:
                is_done()
    except KeyboardInterrupt:
        pass
    return parts[: parts.index(None)] if None in parts else parts


def _results(
    tasks: list[Any], n_jobs: int | None, n_workers: int, *, one_by_one: bool
) -> Iterator[Any]:
    """Work the tasks off, side by side if there are workers; ``one_by_one`` as they are done."""
    if n_workers > 1:
        # Not every backend of joblib can hand results over one by one.
        return_as: Any = "generator" if one_by_one else "list"
        yield from joblib.Parallel(n_jobs, return_as=return_as)(tasks)
    else:
        yield from (function(*arguments, **keywords) for function, arguments, keywords in tasks)
