"""The scores of a cross-validation that belong to one path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boolrules.complexity_path import ComplexityPath

# What a cross-validation calls otherwise than the classifier does.
_PARAMETERS = {"thresholds": "binarizer__thresholds"}


@dataclass(frozen=True, slots=True)
class Score:
    """How well rules of one complexity did on rows left out.

    Parameters
    ----------
    max_complexity : float
        What the rules were allowed.
    mean, standard_error : float
        Over the folds.
    complexity : float
        What the rules had, on average.
    """

    max_complexity: float
    mean: float
    standard_error: float
    complexity: float


def scores_of(path: ComplexityPath, cv_results: Mapping[str, Any]) -> list[Score]:
    """Return the scores at each complexity, for the form and thresholds of the path.

    Parameters
    ----------
    path : ComplexityPath
        Such as ``path_`` of a ``BooleanRuleClassifierCV``.
    cv_results : dict of arrays
        Its ``cv_results_``, which may have other forms and thresholds as well.

    Examples
    --------
    >>> from boolrules import BooleanRuleClassifierCV
    >>> X = [[0], [1], [0], [1], [0], [1]]
    >>> model = BooleanRuleClassifierCV(complexities=[2, 3], cv=3, random_state=0)
    >>> model = model.fit(X, [0, 1, 0, 1, 0, 1])
    >>> [(score.max_complexity, score.mean) for score in scores_of(model.path_, model.cv_results_)]
    [(2, 1.0), (3, 1.0)]
    """
    own = path[0].classifier.get_params()
    scores = [
        Score(params["max_complexity"], float(mean), float(error), float(complexity))
        for params, mean, error, complexity in zip(
            cv_results["params"],
            cv_results["mean_test_score"],
            cv_results["standard_error"],
            cv_results["mean_complexity"],
            strict=True,
        )
        if all(
            own[_PARAMETERS.get(name, name)] == value
            for name, value in params.items()
            if name != "max_complexity"
        )
    ]
    if not scores:
        raise ValueError(
            "cv_results has no scores for the form and thresholds of this path. Give path_ and "
            "cv_results_ of the same BooleanRuleClassifierCV."
        )
    return scores
