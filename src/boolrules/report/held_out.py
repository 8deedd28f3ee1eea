"""Rows left out: what rules learned without them make of them."""

from __future__ import annotations

import math
import warnings
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from boolrules.complexity_path import DEFAULT_PATIENCE
from boolrules.folds import count_answers, make_fold, score_fold
from boolrules.learner import count_workers
from boolrules.report.facts import FoldsFacts, HeldOutFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.classifier import BooleanRuleClassifier
    from boolrules.classifier_cv import BooleanRuleClassifierCV
    from boolrules.folds import Fold


def learn_folds(
    classifier: BooleanRuleClassifier,
    limits: Sequence[float],
    X: Any,
    labels: NDArray[Any],
    sample_weight: Any,
    n_folds: int,
    time_limit: float | None,
    n_jobs: int | None,
) -> list[Fold]:
    """Learn the rules again in each fold, without proofs; an empty list if that cannot be done."""
    classes, counts = np.unique(labels, return_counts=True)
    n_folds = min(n_folds, int(counts.min()))
    if n_folds < 2 or len(classes) < 2:
        warnings.warn(
            "There are too few rows of a class to leave any out: the report has training figures "
            "only.",
            UserWarning,
            stacklevel=2,
        )
        return []
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=fold_seed(classifier))
    splits = list(splitter.split(np.zeros(len(labels)), labels))
    n_workers = count_workers(n_jobs, n_folds)
    seconds = None if time_limit is None else time_limit / math.ceil(n_folds / n_workers)
    model = clone(classifier).set_params(mode="fast", time_limit=seconds, n_jobs=1, verbose=0)
    judge = partial(count_answers, classes)
    judged = joblib.Parallel(n_jobs)(
        joblib.delayed(score_fold)(
            model, X, labels, sample_weight, train, test, limits, DEFAULT_PATIENCE, judge
        )
        for train, test in splits
    )
    return [
        make_fold(split, np.array(part[0]))
        for split, part in zip(splits, judged, strict=True)
        if part is not None
    ]


def fold_seed(classifier: BooleanRuleClassifier) -> int:
    """Return the classifier's own seed where it has one."""
    seed = classifier.random_state
    return int(seed) if isinstance(seed, Integral) else 0


def describe_folds(folds: Sequence[Fold], description: str, *, has_chosen: bool) -> FoldsFacts:
    """Say which rows were left out, and what for."""
    return FoldsFacts(
        description,
        [fold.n_learned for fold in folds],
        [fold.n_left_out for fold in folds],
        all(fold.is_separate for fold in folds),
        has_chosen,
    )


def describe_search(search: BooleanRuleClassifierCV) -> str:
    """Say how a cross-validation made its folds."""
    n_folds, n_repeats = len(search.folds_), search.n_repeats_
    if search.is_interrupted_:
        return f"the first {n_folds} splits, for the search was interrupted"
    if hasattr(search.cv, "split"):
        return " ".join(str(search.cv).split())
    if not isinstance(search.cv, Integral):
        return f"{n_folds} folds, as given"
    if n_folds > 1 and n_folds % n_repeats == 0 and n_repeats > 1:
        return (
            f"{n_folds // n_repeats} stratified folds, shuffled, {n_repeats} times with other rows"
        )
    return f"{n_folds} stratified folds, shuffled"


def judge_point(folds: Sequence[Fold], place: int) -> HeldOutFacts:
    """Add up what the folds say of one complexity."""
    parts = np.array([fold.confusion[place] for fold in folds])
    accuracies = parts.trace(axis1=1, axis2=2) / parts.sum(axis=(1, 2))
    n = len(folds)
    error = float(accuracies.std(ddof=1) / math.sqrt(n)) if n > 1 else None
    return HeldOutFacts(
        parts.sum(axis=0).tolist(), accuracies.tolist(), float(accuracies.mean()), error
    )
