"""Probabilities corrected by what rules made of rows that they were not learned from.

Rules look better on the rows they were learned from than on others. A calibration is a line
between log-odds: it turns the odds on training rows into those on rows that were left out.
Knows nothing of rules; who learned without which rows is the business of the estimators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# How much the prior pulls towards leaving probabilities as they are: as much as four rows at even
# odds, each of which tells p (1 - p) = 1/4 of the intercept.
PRIOR = 1.0
# Log-odds of what is certain are not finite; these are certain enough.
LEAST_PROBABILITY = 1e-12
MOST_STEPS = 200
SMALLEST_STEP = 1e-12


@dataclass(frozen=True, slots=True)
class Calibration:
    """A line between log-odds: ``logistic(intercept + slope * logit(p))``.

    It never turns the order of two probabilities round, because the slope is not negative.

    Parameters
    ----------
    intercept : float
        Above 0 it makes all probabilities higher.
    slope : float
        Below 1 it draws them together, above 1 apart.

    Examples
    --------
    >>> Calibration()([0.2, 0.9]).round(3).tolist()
    [0.2, 0.9]
    >>> Calibration(slope=0.5)([0.2, 0.9]).round(3).tolist()
    [0.333, 0.75]
    """

    intercept: float = 0.0
    slope: float = 1.0

    def __post_init__(self) -> None:
        if not is_number(self.intercept) or not is_number(self.slope) or self.slope < 0:
            raise ValueError(
                "A calibration needs a finite intercept, and a finite slope of 0 or more; got "
                f"{self.intercept!r:.40} and {self.slope!r:.40}."
            )

    def __call__(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """Correct probabilities; 0 and 1 stay what they are, unless the slope is 0."""
        p = np.asarray(probabilities, dtype=np.float64)
        if self.slope == 0:
            return np.full(p.shape, _logistic(np.float64(self.intercept)))
        with np.errstate(divide="ignore", over="ignore"):
            log_odds = np.log(p) - np.log1p(-p)
            return _logistic(self.intercept + self.slope * log_odds)

    def to_plain(self) -> dict[str, float]:
        """Return what JSON can hold."""
        return {"intercept": self.intercept, "slope": self.slope}

    @classmethod
    def from_plain(cls, plain: Any) -> Calibration:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, dict) or set(plain) != {"intercept", "slope"}:
            raise ValueError(f"A calibration has an intercept and a slope; got {plain!r:.80}.")
        return cls(**plain)


def fit_calibration(
    probabilities: ArrayLike, outcomes: ArrayLike, weights: ArrayLike | None = None
) -> Calibration:
    """Learn a calibration from rows that the rules were not learned from.

    A logistic regression of the outcomes on the log-odds, with a normal prior on either number:
    an intercept of 0 and a slope of 1, which leaves probabilities as they are. So few rows change
    little, and rows of one class only do no harm. The answer is always the same one.

    Parameters
    ----------
    probabilities : array of numbers from 0 to 1
        What rules gave to rows that were left out.
    outcomes : array of bool
        Whether these rows were positive.
    weights : array of numbers, or None
        How much each pair counts. A row that is left out three times counts a third each time.

    Examples
    --------
    Of the rows to which rules gave 90 %, 60 % were positive; of those with 10 %, 40 %:

    >>> promised = np.repeat([0.9, 0.1], 50)
    >>> held_out = np.tile(np.arange(50) < 30, 2) ^ (promised < 0.5)
    >>> calibration = fit_calibration(promised, held_out)
    >>> calibration([0.9, 0.1]).round(2).tolist()
    [0.6, 0.4]
    >>> fit_calibration([], [])
    Calibration(intercept=0.0, slope=1.0)
    """
    p = np.asarray(probabilities, dtype=np.float64)
    y = np.asarray(outcomes, dtype=np.float64)
    w = np.ones(p.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    _check(p, y, w)
    p = np.clip(p, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    design = np.column_stack([np.ones(len(p)), np.log(p) - np.log1p(-p)])
    intercept, slope = _Regression(design, y, w, np.array([0.0, 1.0])).solve()
    if slope < 0:  # the loss is convex, so that 0 is the best slope of those that are allowed
        slope = 0.0
        (intercept,) = _Regression(design[:, :1], y, w, np.zeros(1)).solve()
    return Calibration(float(intercept), float(slope))


def _check(p: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64]) -> None:
    if p.ndim != 1 or not p.shape == y.shape == w.shape:
        raise ValueError(
            f"Give one outcome, and one weight if any, per probability: {p.shape} probabilities, "
            f"{y.shape} outcomes, {w.shape} weights."
        )
    if not ((p >= 0) & (p <= 1)).all() or not np.isin(y, (0, 1)).all():
        raise ValueError("Probabilities go from 0 to 1, and outcomes are true or false.")
    if not np.isfinite(w).all() or (w < 0).any():
        raise ValueError("Weights must be finite numbers, none negative.")


@dataclass(frozen=True, slots=True, eq=False)
class _Regression:
    """A logistic regression whose numbers are drawn towards those that are given."""

    design: NDArray[np.float64]
    y: NDArray[np.float64]
    weights: NDArray[np.float64]
    center: NDArray[np.float64]

    def solve(self) -> NDArray[np.float64]:
        """Return the numbers of least loss, by Newton steps that are halved until they help."""
        found, loss = self.center, self._loss(self.center)
        for _ in range(MOST_STEPS):
            step = self._step(found)
            while (new := self._loss(found - step)) >= loss:
                step = step / 2
                if np.abs(step).max() < SMALLEST_STEP:
                    return found
            found, loss = found - step, new
        return found

    def _step(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        p = _logistic(self.design @ found)
        gradient = self.design.T @ (self.weights * (p - self.y)) + PRIOR * (found - self.center)
        curvature = (self.design.T * (self.weights * p * (1 - p))) @ self.design
        step = np.linalg.solve(curvature + PRIOR * np.eye(len(found)), gradient)
        return np.asarray(step, dtype=np.float64)

    def _loss(self, numbers: NDArray[np.float64]) -> float:
        log_odds = self.design @ numbers
        log_loss = self.weights @ (np.logaddexp(0.0, log_odds) - self.y * log_odds)
        return float(log_loss + PRIOR * ((numbers - self.center) ** 2).sum() / 2)


def _logistic(log_odds: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    return np.asarray(np.exp(-np.logaddexp(0.0, -log_odds)))
