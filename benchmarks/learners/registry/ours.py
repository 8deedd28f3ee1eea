"""boolrules: DNF, CNF, and whichever does better on rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.learners.learner import Learner, Model, Rows, Task
from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SMALL_COMPLEXITIES = (*range(2, 17), 18, 20, 24, 28, 32)
LARGE_COMPLEXITIES = (*SMALL_COMPLEXITIES, 40, 60, 90, 120)
QUICK_COMPLEXITIES = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 26, 32)
MANY_ROWS = 2000


class Fitted:
    """A fitted classifier of ours."""

    def __init__(self, classifier: BooleanRuleClassifier) -> None:
        self.classifier = classifier
        self.complexity: float | None = classifier.certificate_.complexity

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        return np.asarray(self.classifier.predict(rows.frame)).astype(bool)


class Ours(Learner):
    """Our classifier with its own choice of the complexity."""

    in_paper = "CG"
    packages = ("boolrules", "highspy", "numba")
    has_front = True
    parameters = LARGE_COMPLEXITIES
    quick_parameters = QUICK_COMPLEXITIES

    def __init__(self, name: str, *forms: str) -> None:
        self.name = name  # type: ignore[misc]
        self.forms = forms

    def limits(self, n_rows: int, task: Task) -> Sequence[int]:
        """Return the complexities to choose from: more of them where there are many rows."""
        if task.is_quick:
            return QUICK_COMPLEXITIES
        return SMALL_COMPLEXITIES if n_rows < MANY_ROWS else LARGE_COMPLEXITIES

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn rules of that complexity; the form of less loss."""
        return self.fit_front(rows, y, [parameter], task)[0]

    def fit_front(
        self, rows: Rows, y: NDArray[np.bool_], parameters: Sequence[Any], task: Task
    ) -> list[Model]:
        """Learn one path for each form; at each complexity the form of less loss."""
        paths = []
        for n_left, form in zip(range(len(self.forms), 0, -1), self.forms, strict=True):
            classifier = BooleanRuleClassifier(
                form=form,
                mode="fast",
                time_limit=0.8 * task.seconds_left / n_left,
                n_jobs=task.n_threads,
                random_state=task.seed,
            )
            models = classifier.fit_path(rows.frame, y, sorted(parameters), patience=5)
            models += [models[-1]] * (len(parameters) - len(models))
            paths.append(models)
        best = (
            min(p, key=lambda m: m.certificate_.hamming_loss) for p in zip(*paths, strict=True)
        )
        return [Fitted(model) for model in best]

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> tuple[Model, Any]:
        """Choose by ``BooleanRuleClassifierCV``, as any user would."""
        model = BooleanRuleClassifierCV(
            BooleanRuleClassifier(
                n_jobs=task.n_threads, mode="fast" if task.is_quick else "prove"
            ),
            complexities=self.limits(len(y), task),
            cv=task.n_inner,
            n_repeats=1 if task.is_quick else 2,
            forms=list(self.forms),
            time_limit=0.6 * task.seconds,
            n_jobs=1,
            random_state=task.seed,
        ).fit(rows.frame, y)
        form = model.best_params_.get("form", self.forms[0])
        chosen = f"{model.best_complexity_:g}" + (f" {form}" if len(self.forms) > 1 else "")
        return Fitted(model.best_estimator_), chosen


LEARNERS = [
    Ours("boolrules DNF", "dnf"),
    Ours("boolrules CNF", "cnf"),
    Ours("boolrules best", "dnf", "cnf"),
]
