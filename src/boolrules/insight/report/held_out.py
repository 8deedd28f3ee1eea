"""Rows left out: what rules learned without them made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.insight.report.facts import FiguresFacts, FoldsFacts, HeldOutFacts
from boolrules.rules.condition import format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.model.figures import Figures


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """How the rules learned on one part of the rows did on the other.

    Parameters
    ----------
    n_learned, n_left_out : int
        Rows of either part.
    is_separate : bool
        Whether no row is in both.
    confusion : int array, (n_complexities, n_classes, n_classes)
        Rows left out at each complexity, by class and by answer; all zeros where it was not asked
        about that complexity.
    left_out : int array, or None
        The places of the rows left out, where ``answers`` are known.
    answers : int array (n_complexities, n_left_out), or None
        The place of the class that each of them gets.
    """

    n_learned: int
    n_left_out: int
    is_separate: bool
    confusion: NDArray[np.int64]
    left_out: NDArray[np.int64] | None = None
    answers: NDArray[np.integer] | None = None


def make_fold(
    split: tuple[Any, Any],
    confusion: NDArray[np.int64],
    answers: NDArray[np.integer] | None = None,
) -> Fold:
    """Describe a fold whose parts are given as places of rows."""
    learned, left_out = split
    is_separate = not np.intersect1d(learned, left_out).size
    places = None if answers is None else np.asarray(left_out)
    return Fold(len(learned), len(left_out), is_separate, confusion, places, answers)


def describe_folds(folds: Sequence[Fold], description: str, *, has_chosen: bool) -> FoldsFacts:
    """Say which rows were left out, and what for."""
    return FoldsFacts(
        description,
        [fold.n_learned for fold in folds],
        [fold.n_left_out for fold in folds],
        all(fold.is_separate for fold in folds),
        has_chosen,
    )


def describe_figures(figures: Figures) -> FiguresFacts:
    """Say how the chosen rules did on rows that took no part in the choice."""
    return FiguresFacts(
        figures.accuracy,
        figures.standard_error,
        figures.precision,
        figures.recall,
        format_value(figures.majority),
        figures.majority_accuracy,
        figures.is_chosen_on,
        [list(row) for row in figures.table],
        figures.description,
        figures.sentences(),
        figures.advice,
    )


def judge_point(folds: Sequence[Fold], place: int) -> HeldOutFacts:
    """Add up what the folds say of one complexity, those that were asked about it."""
    every = np.array([fold.confusion[place] for fold in folds])
    parts = every[every.sum(axis=(1, 2)) > 0]
    accuracies = parts.trace(axis1=1, axis2=2) / parts.sum(axis=(1, 2))
    n = len(parts)
    error = float(accuracies.std(ddof=1) / math.sqrt(n)) if n > 1 else None
    return HeldOutFacts(
        parts.sum(axis=0).tolist(), accuracies.tolist(), float(accuracies.mean()), error
    )
