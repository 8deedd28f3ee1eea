"""GOSDT and STreeD: trees of depth three with the fewest errors on the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.learners.learner import Model, Rows, covers
from benchmarks.learners.registry.trees import count_leaves
from benchmarks.learners.rivals import Rival

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Body = tuple[tuple[int, bool], ...]


def leaves_of(tree: Any, above: Body = ()) -> list[tuple[Body, float]]:
    """Return the leaves of a tree: what holds on the way there, and the value.

    The tree is nested: a leaf is a number, any other node a condition with the tree where it does
    not hold and the one where it does.

    >>> leaves_of([7, 0, [2, 1, 0]])
    [(((7, False),), 0), (((7, True), (2, False)), 1), (((7, True), (2, True)), 0)]
    """
    if not isinstance(tree, list):
        return [(above, tree)]
    place, without, with_it = tree
    return leaves_of(without, (*above, (place, False))) + leaves_of(
        with_it, (*above, (place, True))
    )


class OneTree:
    """A tree; its leaves know the share of positives among their training rows."""

    def __init__(self, tree: Any, rows: Rows, y: NDArray[np.bool_]) -> None:
        self.leaves = [(body, bool(label)) for body, label in leaves_of(tree)]
        self.complexity: float | None = count_leaves((label, len(b)) for b, label in self.leaves)
        reached = [y[covers(body, rows.holds)] for body, _ in self.leaves]
        self.shares = [float((inside if inside.size else y).mean()) for inside in reached]

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return self._spread(rows, [float(label) for _, label in self.leaves]) > 0.5

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive."""
        return self._spread(rows, self.shares)

    def _spread(self, rows: Rows, values: list[float]) -> NDArray[np.float64]:
        spread = np.zeros(len(rows.holds))
        for (body, _), value in zip(self.leaves, values, strict=True):
            spread[covers(body, rows.holds)] = value
        return spread


class OptimalTree(Rival):
    """Depth three, and something that limits the leaves chosen."""

    def read(self, answer: Any, rows: Rows, y: NDArray[np.bool_]) -> Model:
        """Read a tree."""
        return OneTree(answer, rows, y)


class Gosdt(OptimalTree):
    """A leaf costs a share of the rows, which is chosen."""

    name = "GOSDT"
    environment = "gosdt"
    pins = ("gosdt==1.0.4", "numpy==2.4.6", "scikit-learn==1.9.1")
    parameters = (0.05, 0.02, 0.01, 0.005, 0.002)
    quick_parameters = (0.01,)


class Streed(OptimalTree):
    """The number of branching nodes is chosen; a tree of depth three has seven at most."""

    name = "STreeD"
    environment = "pystreed"
    pins = ("pystreed==1.4.0", "numpy==2.4.6", "scikit-learn==1.9.1")
    parameters = (1, 2, 3, 4, 5, 6, 7)
    quick_parameters = (1, 3, 7)


LEARNERS = [Gosdt(), Streed()]
