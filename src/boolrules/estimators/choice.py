"""Rules of choice: which candidate and complexity, given scores on rows left out (§4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How many standard errors behind the best, on the same splits, are more than chance.
CLEARLY_WORSE = 0.5
# The same for no rules at all: rules must be clearly better than none.
CLEARLY_WORSE_THAN_RULES = 2.0
# The same for leaving the race, where no later split can speak: of candidates, of complexities.
OUT_OF_THE_RACE, TOO_COMPLEX = 2.0, 1.0


def choose_place(
    choice: str,
    scores: NDArray[np.float64],
    *,
    has_no_rules: bool = False,
    n_splits: int | None = None,
) -> tuple[int, int]:
    """Choose a candidate and a complexity from the scores (candidates, splits, complexities).

    The best mean, or the least complexity at which some candidate is not clearly behind it. Of
    candidates that are level the better one wins, and of equal ones the first. ``has_no_rules``
    says that the first complexity stands for no rules at all, which win unless the best is far
    ahead of them. ``n_splits`` chooses as strictly as with so many splits.

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
        allowed = standard_error(scores[k], n_splits)[place]
    else:
        most = np.full(scores.shape[2], CLEARLY_WORSE)
        if has_no_rules:
            most[0] = CLEARLY_WORSE_THAN_RULES
        allowed = most * standard_error(scores[k, :, [place]].T - scores, n_splits)
    is_level = np.round(mean[k, place] - mean, 12) <= np.round(allowed, 12)
    place = int(is_level.any(axis=0).argmax())
    return int(np.where(is_level[:, place], mean[:, place], -math.inf).argmax()), place


def in_the_race(scores: NDArray[np.float64]) -> tuple[list[int], int]:
    """Return the candidates that are not clearly behind, and how many complexities to go on with.

    A candidate counts by its best score. Complexities end with the last that is not clearly
    behind the best of all.

    Examples
    --------
    >>> far_behind = [[0.5, 0.52], [0.51, 0.53], [0.5, 0.51]]
    >>> ahead = [[0.72, 0.7], [0.76, 0.72], [0.73, 0.7]]
    >>> in_the_race(np.array([far_behind, ahead]))
    ([1], 1)
    """
    mean = np.round(scores.mean(axis=1), 12)
    places = mean.argmax(axis=1)
    best = int(mean.max(axis=1).argmax())
    behind = scores[best, :, [places[best]]].T - scores
    of_best = behind[np.arange(len(scores)), :, places]
    is_in = _is_level(of_best[:, :, None], OUT_OF_THE_RACE)[:, 0]
    is_level = _is_level(behind[is_in], TOO_COMPLEX).any(axis=0)
    return np.flatnonzero(is_in).tolist(), int(np.flatnonzero(is_level)[-1]) + 1


def _is_level(behind: NDArray[np.float64], most: float) -> NDArray[np.bool_]:
    """Whether a mean difference (splits second to last) is at most so many standard errors."""
    allowed = np.round(most * standard_error(behind), 12)
    return np.asarray(np.round(behind.mean(axis=-2), 12) <= allowed)


def standard_error(
    scores: NDArray[np.float64], n_splits: int | None = None
) -> NDArray[np.float64]:
    """Of the mean over splits, which come second to last; 0 for a single split.

    ``n_splits`` gives that of a mean over so many that vary as these do.
    """
    if scores.shape[-2] == 1:
        return np.zeros_like(scores[..., 0, :])
    n_splits = scores.shape[-2] if n_splits is None else n_splits
    return np.asarray(scores.std(axis=-2, ddof=1) / math.sqrt(n_splits))
