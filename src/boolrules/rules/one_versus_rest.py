"""Several rule sets as one classifier.

One per class against the rest, or a single one for two classes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.rules.clause import Label
    from boolrules.rules.explanation import Explanation
    from boolrules.rules.rule_set import RuleSet


def class_probabilities(rule_sets: Sequence[RuleSet], X: Any) -> NDArray[np.float64]:
    """Return P(class) per row; for one rule set the columns are (negative, positive).

    For several classes each rule set's probability for its own class is taken, and each row is
    normalised. They speak of plain rows, and weights do not enter.
    """
    table = read_table(X)
    scores = np.column_stack([rules.positive_probability(table) for rules in rule_sets])
    if len(rule_sets) == 1:
        return np.column_stack([1.0 - scores[:, 0], scores[:, 0]])
    total = scores.sum(axis=1, keepdims=True)
    # A calibration from a file may leave every class none of the probability.
    return np.where(total > 0, scores / np.where(total > 0, total, 1.0), 1.0 / len(rule_sets))


def winning_class(rule_sets: Sequence[RuleSet], X: Any) -> NDArray[np.int64]:
    """Return the place of the class that wins each row, for three classes or more.

    Among the rule sets that cover a row, the one whose score is highest wins: the training
    precision of its clauses, weighted where there are weights, because these say which rows
    matter. Where none covers it, all of them compete.
    """
    table = read_table(X)
    covers = np.column_stack([rules.covers(table) for rules in rule_sets])
    scores = np.column_stack([rules.positive_score(table) for rules in rule_sets])
    competes = covers | ~covers.any(axis=1, keepdims=True)
    return np.where(competes, scores, -1.0).argmax(axis=1)


def explain_winners(
    rule_sets: Sequence[RuleSet], classes: Sequence[Label], X: Any
) -> list[Explanation]:
    """Say for each row why its class wins, and how often such a row is of that class."""
    table = read_table(X)
    explained = [rules.explain(table) for rules in rule_sets]
    covers = [rules.covers(table) for rules in rule_sets]
    winners = []
    for i, c in enumerate(winning_class(rule_sets, table).tolist()):
        reasons, label = explained[c][i], classes[c]
        is_own = covers[c][i]
        winners.append(
            replace(reasons, prediction=label) if is_own else reasons.turned_into(label)
        )
    return winners
