"""CART and random forest of scikit-learn, on the conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.learners.learner import Learner, Model, Rows, Task, chance_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

ROWS_PER_LEAF = (100, 50, 25, 15, 10, 5, 3, 2, 1)


class Tree:
    """A tree or a forest; only a tree has a complexity."""

    def __init__(self, model: Any) -> None:
        self.model = model
        is_tree = isinstance(model, DecisionTreeClassifier)
        self.complexity: float | None = complexity_of(model.tree_) if is_tree else None

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return np.asarray(self.model.predict(rows.holds))

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive."""
        return chance_of(self.model, rows.holds)


def complexity_of(tree: Any) -> int:
    """Count a tree of scikit-learn."""
    leaves = []
    open_nodes = [(0, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        if tree.children_left[node] < 0:
            leaves.append((bool(tree.value[node][0].argmax()), depth))
            continue
        open_nodes += [
            (child[node], depth + 1) for child in (tree.children_left, tree.children_right)
        ]
    return count_leaves(leaves)


def count_leaves(leaves: Iterable[tuple[bool, int]]) -> int:
    """Count one rule per leaf and one condition per node above it, for the simpler class.

    As the paper counts; a leaf is its class and its depth. A tree of one leaf predicts a constant,
    which needs no rule.
    """
    sums = [0, 0]
    for label, depth in leaves:
        sums[label] += 1 + depth
    return min(sums)


class Cart(Learner):
    """A decision tree, with the least number of rows per leaf chosen."""

    name = "CART"
    in_paper = "CART"
    packages = ("scikit-learn",)
    parameters = ROWS_PER_LEAF

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Grow one tree."""
        tree = DecisionTreeClassifier(min_samples_leaf=parameter, random_state=task.seed)
        return Tree(tree.fit(rows.holds, y))


class Forest(Learner):
    """A hundred trees; for the accuracy that nobody can read."""

    name = "RF"
    in_paper = "RF"
    is_readable = False
    packages = ("scikit-learn",)
    parameters = (25, 10, 5, 2, 1)
    quick_parameters = (10, 2, 1)

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Grow a hundred trees."""
        forest = RandomForestClassifier(
            100, min_samples_leaf=parameter, random_state=task.seed, n_jobs=task.n_threads
        )
        return Tree(forest.fit(rows.holds, y))


LEARNERS = [Cart(), Forest()]
