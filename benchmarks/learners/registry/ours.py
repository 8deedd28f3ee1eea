"""boolrules as users get it, and its two forms, each with a front of complexities.

Whichever of the two forms does better on rows left out needs no fit of its own:
``results.with_best`` takes it from their rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.learners.learner import MANY_ROWS, Learner, Model, Rows, Task, Tuned
from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMPLEXITIES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 32)
MORE_COMPLEXITIES = (2, 3, 4, 5, 6, 8, 10, 15, 25, 45, 70, 100, 130)
QUICK_COMPLEXITIES = (2, 3, 4, 6, 8, 10, 15, 20, 32)
SECONDS, SHARE = 180, 0.75  # beyond them, or that share of a task's limit, a path ends as it is


class Fitted:
    """A fitted classifier of ours."""

    def __init__(self, classifier: BooleanRuleClassifier) -> None:
        self.classifier = classifier
        self.complexity: float | None = classifier.certificate_.complexity

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return np.asarray(self.classifier.predict(rows.frame)).astype(bool)


class Default(Learner):
    """``BooleanRuleClassifierCV()``, which chooses complexity, form and thresholds."""

    name = "boolrules"
    in_paper = "CG"
    packages = ("boolrules", "highspy", "numba")
    # What a choice may come to, for the files of results.
    parameters = ((None, None, None),)

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Choose and learn, as users do."""
        return Fitted(self._chosen(rows, y, task).best_estimator_)

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> Tuned:
        """Choose and learn, and say what was chosen."""
        model = self._chosen(rows, y, task)
        names = ("form", "thresholds", "max_complexity")
        chosen = tuple(model.best_params_.get(name) for name in names)
        return Tuned([(chosen, Fitted(model.best_estimator_))], 0, model.best_score_)

    def _chosen(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> BooleanRuleClassifierCV:
        default = BooleanRuleClassifierCV()
        limit = min(default.time_limit or SECONDS, SHARE * task.seconds)
        return default.set_params(
            time_limit=limit, n_jobs=task.n_threads, random_state=task.seed
        ).fit(rows.frame, y)


class Ours(Learner):
    """One form, with its own choice of the complexity."""

    in_paper = "CG"
    packages = ("boolrules", "highspy", "numba")
    has_front = True
    parameters = tuple(sorted({*COMPLEXITIES, *MORE_COMPLEXITIES, *QUICK_COMPLEXITIES}))

    def __init__(self, name: str, form: str) -> None:
        self.name = name  # type: ignore[misc]
        self.form = form

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn at one complexity, without proofs."""
        model = self._classifier(task).set_params(
            max_complexity=parameter, time_limit=_seconds(task), random_state=task.seed
        )
        return Fitted(model.fit(rows.frame, y))

    def _classifier(self, task: Task) -> BooleanRuleClassifier:
        return BooleanRuleClassifier(form=self.form, n_jobs=task.n_threads, mode="fast")

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> Tuned:
        """Choose by ``BooleanRuleClassifierCV``, without proofs."""
        limits = COMPLEXITIES if len(y) < MANY_ROWS else MORE_COMPLEXITIES
        if task.is_quick:
            limits = QUICK_COMPLEXITIES
        splits = task.inner_splits(len(y), self.n_inner)
        n_splits = splits.get_n_splits()
        model = BooleanRuleClassifierCV(
            self._classifier(task),
            complexities=limits,
            forms=None,
            thresholds=None,
            cv=splits if n_splits == 1 else n_splits,
            n_repeats=1 if task.is_quick else None,
            time_limit=_seconds(task),
            n_jobs=1,
            random_state=task.seed,
        ).fit(rows.frame, y)
        found = model.cv_results_
        best = float(found["mean_test_score"].max())
        # Later rounds leave out complexities that are clearly behind.
        by_split = [
            scores
            for name, scores in found.items()
            if name.startswith("split") and np.isfinite(scores).all()
        ]
        front = [(limit, Fitted(model.path_.at(limit).classifier)) for limit in limits]
        place = limits.index(model.best_complexity_)
        return Tuned(front, place, best, np.transpose(by_split).tolist())


def _seconds(task: Task) -> float:
    return min(SECONDS, SHARE * task.seconds)


LEARNERS = [Default(), Ours("boolrules DNF", "dnf"), Ours("boolrules CNF", "cnf")]
