"""List, rank and count the alternatives to a model's rule set."""

from __future__ import annotations

import math
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.budget import Budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.column import IntegerDuals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.insight.alternatives.alternative import Alternatives
from boolrules.insight.alternatives.listing import MinimalRuleSets
from boolrules.insight.alternatives.ranking import Ranking
from boolrules.insight.alternatives.task import Task
from boolrules.model.model import as_model
from boolrules.solver.warm_up import warm_up_to_read

if TYPE_CHECKING:
    from boolrules.data.labelled_rows import LabelledRows
    from boolrules.model.model import HasModel, Model


def find_alternatives(
    model: Model | HasModel,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    within: float = 0,
    most: int = 100,
    time_limit: float | None = 60,
    label: Any = None,
) -> Alternatives:
    """List the rule sets about as good as a model's, from the data that it was fitted on.

    Where the model had to meet requirements, those that meet them too.

    Parameters
    ----------
    model : Model or fitted classifier
        Such as from ``Model.load``.
    X, y, sample_weight
        What was given to ``fit``. The Hamming loss of the model must be that of its certificate.
    within : float, default=0
        How much above the model's an objective may be.
    most : int, default=100
        Most alternatives to return. All that are found are counted and ranked.
    time_limit : float or None, default=60
        Seconds for the searches; None means no limit.
    label : label or None
        With three classes or more: whose rule set.

    Examples
    --------
    >>> import numpy as np
    >>> from boolrules import BooleanRuleClassifier
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> model = BooleanRuleClassifier(max_complexity=2, binarizer=None).fit(X, [1, 1, 0, 0])
    >>> print(find_alternatives(model, X, [1, 1, 0, 0]))
    There are 2 rule sets of complexity at most 2 with a Hamming loss of at most 0 (the model: 0)
    in which every clause and every condition is needed.
    They answer the 4 rows in 1 way.
    <BLANKLINE>
    rank  loss  complexity  rows otherwise  rules
       1     0           2               0  x0 == 1  (the model)
       2     0           2               0  x1 == 1
    <BLANKLINE>
    in rule sets  feature
          1 of 2  x0
          1 of 2  x1
    """
    _check_limits(within, most)
    model = as_model(model)
    rows = model.rows(X, y, sample_weight)
    return list_alternatives(
        model, rows, within=within, most=most, time_limit=time_limit, label=label
    )


def list_alternatives(
    model: Model,
    rows: LabelledRows,
    *,
    within: float = 0,
    most: int = 100,
    time_limit: float | None = 60,
    label: Any = None,
) -> Alternatives:
    """List them as ``find_alternatives`` does, from rows that were read before."""
    task = Task.of(model, rows, label)
    warm_up_to_read(model.encoding, "numba")
    _warm_up()
    budget = Budget.of(time_limit)
    listing = task.list(within, budget)
    ranking = Ranking(task, listing.rule_sets)
    return Alternatives(
        tuple(ranking.alternative(*ranked) for ranked in ranking.first(most)),
        len(listing.rule_sets),
        ranking.n_answers,
        task.features(listing.rule_sets),
        listing.is_complete,
        task.objective(listing.objectives[0]) if listing.objectives else None,
        within,
        len(task.rows.table),
        task.certificate,
        task.meeting is None or not task.meeting.is_apart,
    )


def _check_limits(within: Any, most: Any) -> None:
    if (
        not isinstance(within, Real)
        or isinstance(within, bool)
        or not 0 <= float(within) < math.inf
    ):
        raise ValueError(f"within={within!r:.40} is no distance. Use a number of 0 or more.")
    if not isinstance(most, Integral) or isinstance(most, bool) or most < 1:
        raise ValueError(f"most={most!r:.40} asks for nothing. Use a whole number of 1 or more.")


@cache
def _warm_up() -> None:
    """Load the compiled kernels of the listing: once per process, outside any time limit."""
    conditions = BinnedConditions.build([(0, [(0, 1)]), (0, [(1, 2)])], n_codes=[2])
    codes = np.array([[0], [1], [1]], dtype=np.uint8)
    samples = TrainingSet.merge(codes, np.array([True, True, False]), np.ones(3), conditions)
    zero = IntegerDuals(np.zeros(2, dtype=np.int64), 0, 1)
    MinimalRuleSets(samples, Problem(max_complexity=4), zero, 2).list(Budget.unlimited())
