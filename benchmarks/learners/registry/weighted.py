"""ruleopt: weighted rules of both classes, by linear programming."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.learners.learner import Model, Rows, covers
from benchmarks.learners.rivals import Rival

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_WEIGHT = 1e-6  # a row that rules of less weight cover is like one that none covers


@dataclass(frozen=True)
class WeightedRule:
    """A rule with its class, its weight, and the share of positives among its training rows."""

    body: list[tuple[int, bool]]
    label: bool
    weight: float
    share: float


class Weighted:
    """The class of more weight wins; rows that no rule covers are of the more frequent class.

    Each rule counts with its conditions, as in a rule set; its weight is not counted.
    """

    def __init__(self, rules: list[WeightedRule], share: float) -> None:
        self.rules, self.share = rules, share
        self.complexity: float | None = sum(1 + len(rule.body) for rule in rules)

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        for_it, all_weights = self._sums(rows, [float(rule.label) for rule in self.rules])
        is_covered = all_weights > LEAST_WEIGHT
        return np.where(is_covered, 2 * for_it > all_weights, self.share > 0.5)

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive: the weighted mean of its rules' shares."""
        shares, all_weights = self._sums(rows, [rule.share for rule in self.rules])
        chance = np.full(len(rows.holds), self.share)
        np.divide(shares, all_weights, out=chance, where=all_weights > LEAST_WEIGHT)
        return chance

    def _sums(
        self, rows: Rows, values: list[float]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return by row the weighted sum of its rules' values, and the sum of the weights."""
        sums, weights = np.zeros(len(rows.holds)), np.zeros(len(rows.holds))
        for rule, value in zip(self.rules, values, strict=True):
            is_covered = covers(rule.body, rows.holds)
            sums[is_covered] += rule.weight * value
            weights[is_covered] += rule.weight
        return sums, weights


class RuleOpt(Rival):
    """Rules of trees; the depth of the trees and the price of rules are chosen."""

    name = "ruleopt"
    environment = "ruleopt"
    pins = ("ruleopt==1.2.1", "highspy==1.15.1", "numpy==2.4.6")
    parameters = tuple(product((2, 3, 5), (100.0, 10.0, 1.0)))
    quick_parameters = ((2, 10.0), (3, 10.0))

    def read(self, answer: Any, rows: Rows, y: NDArray[np.bool_]) -> Model:
        """Read the rules."""
        return Weighted([WeightedRule(**rule) for rule in answer], float(y.mean()))


LEARNERS = [RuleOpt()]
