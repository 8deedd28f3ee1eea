"""What the folds of a cross-validation leave behind: rows left out, by class and by answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.classifier import BooleanRuleClassifier


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
        Rows left out at each complexity, by class and by answer.
    """

    n_learned: int
    n_left_out: int
    is_separate: bool
    confusion: NDArray[np.int64]


def make_fold(split: tuple[Any, Any], confusion: NDArray[np.int64]) -> Fold:
    """Describe a fold whose parts are given as places of rows."""
    learned, left_out = split
    is_separate = not np.intersect1d(learned, left_out).size
    return Fold(len(learned), len(left_out), is_separate, confusion)


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
