"""A fit changes all or nothing, and what was fitted keeps the parameters that it was asked with.

scikit-learn lets anyone change the parameters of a fitted estimator, and fit it once more. Neither
may leave a mixture of two models.
"""

from __future__ import annotations

import copy
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from sklearn.base import BaseEstimator, clone

from boolrules._support.interrupts import answering

if TYPE_CHECKING:
    from collections.abc import Callable

Estimator = TypeVar("Estimator", bound=BaseEstimator)
Asked = ParamSpec("Asked")


def whole(
    fit: Callable[Concatenate[Estimator, Asked], Estimator],
) -> Callable[Concatenate[Estimator, Asked], Estimator]:
    """Make a ``fit`` learn on a copy that has learned nothing, and take it over when all is done.

    An estimator whose ``fit`` is refused or fails stays what it was.

    Examples
    --------
    >>> from boolrules import BooleanRuleClassifier
    >>> model = BooleanRuleClassifier(2).fit([[0], [1]], ["no", "yes"])
    >>> model.fit([[0, 0], [1, 1]], ["no", None])
    Traceback (most recent call last):
    ...
    ValueError: Input y contains NaN in 1 rows; drop them first.
    >>> model.predict([[0], [1]]).tolist()
    ['no', 'yes']
    """

    @wraps(fit)
    def fit_whole(estimator: Estimator, /, *args: Asked.args, **kwargs: Asked.kwargs) -> Estimator:
        fresh = copy.copy(estimator)
        for name in learned_names(fresh):
            delattr(fresh, name)
        with answering():
            fit(fresh, *args, **kwargs)
            for name in learned_names(estimator):
                delattr(estimator, name)
            take_learned(estimator, fresh)
        return estimator

    return fit_whole


def take_learned(estimator: BaseEstimator, other: BaseEstimator) -> None:
    """Take all that another estimator learned."""
    for name in learned_names(other):
        setattr(estimator, name, getattr(other, name))


def learned_names(estimator: BaseEstimator) -> list[str]:
    """Return the attributes that ``fit`` made, by scikit-learn's custom of naming them."""
    return [name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")]


def keep_parameters(estimator: BaseEstimator) -> None:
    """Keep the parameters as ``params_``: ``set_params`` is for the next fit."""
    estimator.params_ = {
        name: clone(value) if isinstance(value, BaseEstimator) else value
        for name, value in estimator.get_params(deep=False).items()
    }


def as_asked(fitted: Estimator) -> Estimator:
    """Return an estimator that has learned nothing, with the parameters that this was fitted with.

    Examples
    --------
    >>> from boolrules import BooleanRuleClassifier
    >>> model = BooleanRuleClassifier(2).fit([[0], [1]], ["no", "yes"])
    >>> as_asked(model.set_params(max_complexity=9)).max_complexity
    2
    """
    parameters: dict[str, Any] = fitted.params_
    return type(fitted)(**parameters)
