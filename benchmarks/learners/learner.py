"""What a learner is: a name, a way to fit, and a model that knows its complexity.

Every learner is given the same rows: the table as it was read, and the conditions that hold on
each row, with thresholds at the deciles of the training part.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from boolrules import FeatureBinarizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars
    from numpy.typing import NDArray
    from sklearn.model_selection import BaseCrossValidator, BaseShuffleSplit

    from boolrules import Condition
    from boolrules.proof.certificate import Certificate


# From so many rows on, one part of a fifth is left out to choose parameters with.
MANY_ROWS = 5000


@dataclass(frozen=True)
class Rows:
    """Some rows of a data set: as they were read, and which conditions hold on them."""

    frame: polars.DataFrame
    holds: NDArray[np.bool_]
    conditions: tuple[Condition, ...]

    @classmethod
    def split(
        cls, frame: polars.DataFrame, train: NDArray[np.int64], test: NDArray[np.int64]
    ) -> tuple[Rows, Rows]:
        """Return training rows and test rows; the former alone make the conditions."""
        binarizer = FeatureBinarizer().fit(frame[train])
        parts = (frame[train], frame[test])
        first, second = (
            cls(part, binarizer.transform(part).astype(bool), binarizer.conditions_)
            for part in parts
        )
        return first, second


class Model(Protocol):
    """What a fit returns; ``complexity`` is None where rules are not what was learned."""

    complexity: float | None

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""


@runtime_checkable
class Graded(Protocol):
    """A model that says more than yes or no."""

    def probabilities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the chance that each row is positive."""


@runtime_checkable
class Proved(Protocol):
    """A model that says how good it is on its training rows, and how good any could be."""

    certificate: Certificate


def covers(body: Sequence[tuple[int, bool]], holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say on which rows each of some conditions has the value that it must have."""
    places, values = [place for place, _ in body], [value for _, value in body]
    return (holds[:, places] == np.array(values, dtype=bool)).all(axis=1)


@dataclass(frozen=True)
class Clauses:
    """A rule set as places of conditions; ``is_negated`` where it describes the other class.

    A fit that failed has no clauses, and says why.
    """

    clauses: tuple[tuple[int, ...], ...]
    is_negated: bool = False
    failure: str = ""

    @property
    def complexity(self) -> float | None:
        """Clauses plus conditions."""
        return sum(1 + len(clause) for clause in self.clauses)

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive."""
        is_covered = np.zeros(len(rows.holds), dtype=bool)
        for clause in self.clauses:
            is_covered |= rows.holds[:, list(clause)].all(axis=1)
        return is_covered ^ self.is_negated


@dataclass(frozen=True)
class Task:
    """How much a learner may do: folds to choose a parameter with, seconds, seed, threads."""

    seconds: float
    seed: int = 0
    is_quick: bool = False
    n_threads: int = 1
    started: float = field(default_factory=time.monotonic)

    def inner_splits(self, n_rows: int, n_folds: int) -> BaseCrossValidator | BaseShuffleSplit:
        """Return how to choose a parameter: folds, or one part left out of many rows."""
        if n_rows >= MANY_ROWS:
            return StratifiedShuffleSplit(1, test_size=0.2, random_state=self.seed)
        n_splits = min(n_folds, 3) if self.is_quick else n_folds
        return StratifiedKFold(n_splits, shuffle=True, random_state=self.seed)

    @property
    def seconds_left(self) -> float:
        """Seconds until the task is over; never less than a tenth."""
        return max(0.1, self.seconds - (time.monotonic() - self.started))


@dataclass(frozen=True)
class Tuned:
    """Models of all training rows by parameter, and which of them was chosen.

    ``front`` has one model alone where the learner has no front. ``inner_accuracy`` is the best
    mean accuracy of all parameters on the rows left out to choose one with: that of the chosen one
    for all learners but ours, which may choose simpler rules. ``parameter`` is what was chosen,
    where it is more than the parameter on the front.
    """

    front: Sequence[tuple[Any, Model]]
    place: int = 0
    inner_accuracy: float | None = None
    parameter: Any = None


def chance_of(model: Any, features: Any) -> NDArray[np.float64]:
    """Return the chance of a positive row by a classifier of scikit-learn."""
    return np.asarray(model.predict_proba(features))[:, list(model.classes_).index(True)]


def written(parameter: Any) -> str:
    """Return a parameter as the files of results have it.

    Examples
    --------
    >>> written(None), written(0.001), written((1.0, "scale"))
    ('', '0.001', '[1.0, "scale"]')
    """
    if parameter is None:
        return ""
    return json.dumps(parameter) if isinstance(parameter, tuple) else str(parameter)


class Learner:
    """A rival, or ourselves. Subclasses say what they are and how to fit.

    ``parameters`` go from simple to complex models. They are what the inner cross-validation
    chooses from, and the points of the trade-off front where ``has_front``.
    """

    name: ClassVar[str]
    in_paper: ClassVar[str | None] = None  # its name in the paper's tables
    packages: ClassVar[tuple[str, ...]] = ()  # whose versions are recorded
    has_front: ClassVar[bool] = False
    form: ClassVar[str | None] = None  # of ours: what its gaps are measured for
    is_readable: ClassVar[bool] = True  # whether a person can read what it learns
    is_variant: ClassVar[bool] = False  # of another learner; a quick run leaves it out
    parameters: ClassVar[Sequence[Any]] = (None,)
    quick_parameters: ClassVar[Sequence[Any] | None] = None
    n_inner: ClassVar[int] = 5  # folds to choose a parameter with

    def unobtainable(self) -> str | None:
        """Return None, or why it cannot be had: what the tables say of one without any result."""
        return None

    def available(self) -> str | None:
        """Return None, or why it cannot run here."""
        return self.unobtainable()

    def install(self) -> None:
        """Fetch what ``available`` misses, where that can be done."""

    def versions(self) -> dict[str, str]:
        """Return the version of each package that learns."""
        from importlib.metadata import version

        return {name: version(name) for name in self.packages}

    def choices(self, task: Task, n_rows: int) -> Sequence[Any]:
        """Return the parameters to choose from for so many rows."""
        if task.is_quick and self.quick_parameters is not None:
            return self.quick_parameters
        return self.parameters

    def parameter(self, text: str) -> Any:
        """Return the parameter that is written so in the files of results."""
        return next(one for one in self.parameters if written(one) == text)

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn from these rows."""
        raise NotImplementedError

    def fit_front(
        self, rows: Rows, y: NDArray[np.bool_], parameters: Sequence[Any], task: Task
    ) -> list[Model]:
        """Learn a model for each parameter."""
        return [self.fit(rows, y, parameter, task) for parameter in parameters]

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> Tuned:
        """Choose the parameter of best mean accuracy on rows left out, then learn from all.

        Of equal ones the first, and so the simplest, wins.
        """
        parameters = self.choices(task, len(y))
        if len(parameters) == 1:
            return Tuned([(parameters[0], self.fit(rows, y, parameters[0], task))])
        scores = []
        for train, test in task.inner_splits(len(y), self.n_inner).split(y, y):
            inside, outside = Rows.split(rows.frame, train, test)
            models = self.fit_front(inside, y[train], parameters, task)
            scores.append([float(np.mean(m.predict(outside) == y[test])) for m in models])
        mean = np.round(np.mean(scores, axis=0), 9)
        best = int(mean.argmax())
        if not self.has_front:
            only = parameters[best], self.fit(rows, y, parameters[best], task)
            return Tuned([only], 0, float(mean[best]))
        models = self.fit_front(rows, y, parameters, task)
        return Tuned(list(zip(parameters, models, strict=True)), best, float(mean[best]))
