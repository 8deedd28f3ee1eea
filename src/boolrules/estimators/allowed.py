"""What each of the classifier's parameters may be, as scikit-learn checks it before a fit.

In words it stands in ``parameters``, which the command line reads and which is free of
scikit-learn, so that ``--help`` need not wait for it.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from boolrules.data.constraints import Constraints
from boolrules.data.requirement import Requirement
from boolrules.estimators.binarizer import FeatureBinarizer
from boolrules.solver.settings import SearchLimits

_COUNT = Interval(Integral, 1, None, closed="left")
_COST = Interval(Real, 0, None, closed="left")
_POSITIVE = Interval(Real, 0, None, closed="neither")

ALLOWED: dict[str, Any] = {
    "max_complexity": [Interval(Real, None, None, closed="neither")],
    "max_conditions": [_COUNT, None],
    "max_clauses": [_COUNT, None],
    "min_coverage": [Interval(Integral, 0, None, closed="left")],
    "form": [StrOptions({"dnf", "cnf"})],
    "positive_label": "no_validation",
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "missed_positive_cost": [_POSITIVE],
    "covered_zero_cost": [_POSITIVE],
    "objective": [StrOptions({"loss", "errors", "f1", "missed", "covered"})],
    "requirements": [str, Requirement, dict, list, tuple, None],
    "clause_cost": [_COST],
    "condition_cost": [_COST],
    "complexity_penalty": [_COST],
    "binarizer": [StrOptions({"auto"}), FeatureBinarizer, None],
    "constraints": [Constraints, dict, None],
    "mode": [StrOptions({"prove", "fast", "paper"})],
    "time_limit": [_POSITIVE, None],
    "search_limits": [SearchLimits, dict, None],
    "engine": [StrOptions({"numba", "cuda", "dask"})],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
    "verbose": ["verbose", None],
}
