"""Rules of choice: which candidate and complexity, given scores on rows left out (§4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHOICES = ("paired", "one_standard_error", "best")
# How many standard errors behind the best, on the same splits, are more than chance.
CLEARLY_WORSE = 0.5
# The same for leaving the race, where no later split can speak for a candidate.
OUT_OF_THE_RACE = 2.0


def choose_place(choice: str, scores: NDArray[np.float64]) -> tuple[int, int]:
    """Choose a candidate and a complexity from the scores (candidates, splits, complexities).

    The best mean, or the least complexity at which some candidate is not clearly behind it. Of
    candidates that are level the better one wins, and of equal ones the first.

    Examples
    --------
    >>> splits = [0.7, 0.79, 0.74, 0.8], [0.66, 0.76, 0.72, 0.78], [0.74, 0.82, 0.76, 0.82]
    >>> scores = np.array([splits])
    >>> [choose_place(choice, scores)[1] for choice in ("best", "one_standard_error", "paired")]
    [3, 1, 3]
    """
    # Rounded, so that sums in another order make no other choice.
    mean = np.round(scores.mean(axis=1), 12)
    place = int(mean.max(axis=0).argmax())
    k = int(mean[:, place].argmax())
    if choice == "best":
        return k, place
    if choice == "one_standard_error":
        allowed = standard_error(scores[k])[place]
    else:
        allowed = CLEARLY_WORSE * standard_error(scores[k, :, [place]].T - scores)
    is_level = mean[k, place] - mean <= np.round(allowed, 12)
    place = int(is_level.any(axis=0).argmax())
    return int(np.where(is_level[:, place], mean[:, place], -math.inf).argmax()), place


def in_the_race(scores: NDArray[np.float64]) -> list[int]:
    """Return the candidates whose best score is not clearly behind the best of all.

    Examples
    --------
    >>> far_behind = [[0.5, 0.52], [0.51, 0.53], [0.5, 0.51]]
    >>> ahead = [[0.7, 0.71], [0.72, 0.75], [0.7, 0.72]]
    >>> in_the_race(np.array([far_behind, ahead]))
    [1]
    """
    mean = np.round(scores.mean(axis=1), 12)
    places = mean.argmax(axis=1)
    best = int(mean.max(axis=1).argmax())
    tops = scores[np.arange(len(scores)), :, places]
    behind = tops[best] - tops
    allowed = OUT_OF_THE_RACE * standard_error(behind[:, :, None])[:, 0]
    return np.flatnonzero(behind.mean(axis=1) <= np.round(allowed, 12)).tolist()


def standard_error(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the mean over splits, which come second to last; 0 for a single split."""
    n_splits = scores.shape[-2]
    if n_splits == 1:
        return np.zeros_like(scores[..., 0, :])
    return np.asarray(scores.std(axis=-2, ddof=1) / math.sqrt(n_splits))
