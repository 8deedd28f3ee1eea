"""Two learners of imodels: FIGS, a sum of trees, and its Bayesian rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from benchmarks.learners.learner import Model, Rows, covers
from benchmarks.learners.registry.jrip import Ordered
from benchmarks.learners.registry.optimal_trees import leaves_of
from benchmarks.learners.rivals import Rival

if TYPE_CHECKING:
    from numpy.typing import NDArray

PINS = ("imodels==3.0.4", "numpy==2.4.6", "scikit-learn==1.9.1", "pandas==3.1.1")
PINS += ("six==1.17.0",)  # imodels needs it, and does not say so


class SumOfTrees:
    """Each tree adds the value of the leaf that a row reaches; a positive sum is a positive row.

    A split counts as a condition and a leaf as a rule: what a reader has to look at. A tree
    of one leaf is a constant, which needs no rule.
    """

    def __init__(self, trees: list[Any]) -> None:
        self.trees = [leaves_of(tree) for tree in trees]
        self.complexity: float | None = sum(
            2 * len(leaves) - 1 for leaves in self.trees if len(leaves) > 1
        )

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Add the leaves up."""
        total = np.zeros(len(rows.holds))
        for body, value in (leaf for leaves in self.trees for leaf in leaves):
            total[covers(body, rows.holds)] += value
        return total

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return self.score(rows) > 0

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive, as imodels makes it of the sum."""
        return np.asarray(expit(self.score(rows)))


class Figs(Rival):
    """The number of splits in all trees is chosen."""

    name = "FIGS"
    environment = "imodels"
    pins = PINS
    parameters = (1, 2, 4, 8, 12, 20, 32)
    quick_parameters = (2, 8, 20)

    def read(self, answer: Any, rows: Rows, y: NDArray[np.bool_]) -> Model:
        """Read the trees."""
        return SumOfTrees(answer)


class BayesianRuleSet(Rival):
    """Rules of at most three conditions; all else is its default, so nothing is chosen."""

    name = "BRS imodels"
    environment = "imodels"
    pins = PINS
    is_variant = True  # another program for BRS

    def read(self, answer: Any, rows: Rows, y: NDArray[np.bool_]) -> Model:
        """Read its rules, and the class of the rows that none covers."""
        return Ordered([*((body, True) for body in answer), ([], False)])


LEARNERS = [Figs(), BayesianRuleSet()]
