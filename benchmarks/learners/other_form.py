"""The other form of a learner of DNF: rules for the other class, turned round."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchmarks.learners.learner import Clauses, Learner, Model, Rows, Task, Tuned

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class OtherForm(Learner):
    """A CNF is the negation of a DNF for the other class.

    Every condition has its negation among the conditions, so this is all the CNFs that there are.
    """

    def __init__(self, dnf: Learner) -> None:
        self.dnf = dnf
        self.is_variant = True  # type: ignore[misc]
        self.name = dnf.name.replace("DNF", "CNF")  # type: ignore[misc]
        self.in_paper = dnf.in_paper  # type: ignore[misc]
        self.has_front = dnf.has_front  # type: ignore[misc]
        self.parameters = dnf.parameters  # type: ignore[misc]

    def available(self) -> str | None:
        """Return None, or why it cannot run here."""
        return self.dnf.available()

    def install(self) -> None:
        """Fetch what is missing."""
        self.dnf.install()

    def versions(self) -> dict[str, str]:
        """Return the version of each package that learns."""
        return self.dnf.versions()

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn the other class."""
        return _negated(self.dnf.fit(rows, ~y, parameter, task))

    def fit_front(
        self, rows: Rows, y: NDArray[np.bool_], parameters: Sequence[Any], task: Task
    ) -> list[Model]:
        """Learn the other class with each parameter."""
        return [_negated(model) for model in self.dnf.fit_front(rows, ~y, parameters, task)]

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> Tuned:
        """Choose for the other class: a row is right for both forms or for none."""
        tuned = self.dnf.tune(rows, ~y, task)
        return replace(tuned, front=[(p, _negated(model)) for p, model in tuned.front])


def _negated(model: Model) -> Model:
    assert isinstance(model, Clauses)
    return replace(model, is_negated=not model.is_negated)
