"""Several rule sets as one classifier.

One per class against the rest, or a single one for two classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.rules.rule_set import RuleSet


def class_probabilities(rule_sets: Sequence[RuleSet], X: Any) -> NDArray[np.float64]:
    """Return P(class) per row; for one rule set the columns are (negative, positive).

    For several classes each rule set's probability for its own class is taken, and each row is
    normalised.
    """
    table = read_table(X)
    scores = np.column_stack([rules.positive_probability(table) for rules in rule_sets])
    if len(rule_sets) == 1:
        return np.column_stack([1.0 - scores[:, 0], scores[:, 0]])
    return scores / scores.sum(axis=1, keepdims=True)


def winning_class(rule_sets: Sequence[RuleSet], X: Any) -> NDArray[np.int64]:
    """Return the place of the class that wins each row, for three classes or more.

    Among the rule sets that cover a row, the one whose probability is highest wins: the training
    precision of its clauses. Where none covers it, all of them compete.
    """
    table = read_table(X)
    covers = np.column_stack([rules.covers(table) for rules in rule_sets])
    scores = np.column_stack([rules.positive_probability(table) for rules in rule_sets])
    competes = covers | ~covers.any(axis=1, keepdims=True)
    return np.where(competes, scores, -1.0).argmax(axis=1)
