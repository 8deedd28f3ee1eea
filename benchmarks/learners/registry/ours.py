"""boolrules as users get it, and with less to choose from: one form, one kind of thresholds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.learners.learner import Learner, Model, Rows, Task, Tuned, chance_of
from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules.estimators.candidates import as_parameters, complexities_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CHOSEN = ("form", "thresholds", "max_complexity")
QUICK_COMPLEXITIES = (0, 2, 3, 4, 6, 8, 10, 15, 20, 32)
SHARE = 0.75  # of a task's limit that a choice may take, if the default is longer


class Fitted:
    """A fitted classifier of ours."""

    def __init__(self, classifier: BooleanRuleClassifier) -> None:
        self.classifier = classifier
        self.certificate = classifier.certificate_
        self.complexity: float | None = self.certificate.complexity

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return np.asarray(self.classifier.predict(rows.frame)).astype(bool)

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive."""
        return chance_of(self.classifier, rows.frame)


class Ours(Learner):
    """``BooleanRuleClassifierCV()``, where nothing is given with all its defaults.

    Its front is that of the form and thresholds that it chose.
    """

    in_paper = "CG"
    packages = ("boolrules", "highspy", "numba")
    has_front = True

    def __init__(self, name: str, **given: Any) -> None:
        self.name = name  # type: ignore[misc]
        self.given = given
        self.is_variant = bool(given)  # type: ignore[misc]
        if len(given.get("forms", ())) == 1:
            (self.form,) = given["forms"]  # type: ignore[misc]

    def parameter(self, text: str) -> Any:
        """Read what was chosen."""
        return tuple(json.loads(text))

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn what was chosen, with its certificate, as far as time allows."""
        model = BooleanRuleClassifier(
            time_limit=_seconds(task), n_jobs=task.n_threads, random_state=task.seed
        )
        chosen = dict(zip(CHOSEN, parameter, strict=True))
        return Fitted(model.set_params(**as_parameters(chosen, model)).fit(rows.frame, y))

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> Tuned:
        """Choose and learn, and say what was chosen."""
        limits: Sequence[float] = QUICK_COMPLEXITIES
        if not task.is_quick:
            limits = complexities_for(BooleanRuleClassifier(), rows.frame, y)
        model = BooleanRuleClassifierCV(
            complexities=limits,
            n_repeats=1 if task.is_quick else None,
            time_limit=_seconds(task),
            n_jobs=task.n_threads,
            random_state=task.seed,
            **self.given,
        ).fit(rows.frame, y)
        front = [(limit, Fitted(model.path_.at(limit).classifier)) for limit in limits]
        place = limits.index(model.best_complexity_)
        chosen = tuple(model.best_params_.get(name) for name in CHOSEN)
        return Tuned(front, place, model.best_score_, chosen)


def _seconds(task: Task) -> float:
    default = BooleanRuleClassifierCV().time_limit
    return min(default or task.seconds, SHARE * task.seconds)


LEARNERS = [
    Ours("boolrules"),
    Ours("boolrules DNF", forms=("dnf",)),
    Ours("boolrules CNF", forms=("cnf",)),
    Ours("boolrules deciles", thresholds=(10,)),
    Ours("boolrules every threshold", thresholds=("all",)),
]
