"""Rules of choice: which complexity, given the scores of several on rows left out (§4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHOICES = ("paired", "one_standard_error", "best", "smoothed")
# How many standard errors behind the best, on the same splits, are more than chance.
CLEARLY_WORSE = 1.5


def choose_place(choice: str, scores: NDArray[np.float64]) -> tuple[int, int]:
    """Choose a candidate and a complexity from the scores (candidates, splits, complexities).

    Of equal means beside each other the simpler rules win, and of candidates the first.

    Examples
    --------
    >>> splits = [0.7, 0.79, 0.74, 0.8], [0.66, 0.76, 0.72, 0.78], [0.74, 0.82, 0.76, 0.82]
    >>> scores = np.array([splits])
    >>> choices = ("best", "smoothed", "one_standard_error", "paired")
    >>> [choose_place(choice, scores)[1] for choice in choices]
    [3, 3, 1, 3]
    """
    # Rounded, so that sums in another order make no other choice.
    mean = np.round(scores.mean(axis=1), 12)
    smoothed = np.round(_smoothed(mean), 12) if choice == "smoothed" else mean
    k = int(smoothed.max(axis=1).argmax())
    place = int(smoothed[k].argmax())
    if choice == "one_standard_error":
        least = mean[k, place] - standard_error(scores[k])[place]
        place = int(np.flatnonzero(mean[k] >= least)[0])
    if choice == "paired":
        behind = scores[k, :, [place]].T - scores[k]
        most = np.round(CLEARLY_WORSE * standard_error(behind), 12)
        place = int(np.flatnonzero(mean[k, place] - mean[k] <= most)[0])
    while place > 0 and mean[k, place - 1] >= mean[k, place]:
        place -= 1
    return k, place


def standard_error(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the mean over splits, which come second to last; 0 for a single split."""
    n_splits = scores.shape[-2]
    if n_splits == 1:
        return np.zeros_like(scores[..., 0, :])
    return np.asarray(scores.std(axis=-2, ddof=1) / math.sqrt(n_splits))


def _smoothed(mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average each score, with double weight, with those of the complexities beside it."""
    padded = np.pad(mean, ((0, 0), (1, 1)), mode="edge")
    return (padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]) / 4
