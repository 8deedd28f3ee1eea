"""BooleanRuleCG of aix360: the published light edition of the paper's method."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.learners.learner import MANY_ROWS, Clauses, Learner, Model, Rows, Task, Tuned
from benchmarks.learners.other_form import OtherForm
from benchmarks.learners.rivals import HOW
from benchmarks.speed import published

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


DEFAULT = 0.001  # the package's own penalty
SMALL = (0.0001, 0.00005)  # less than one row of a small table


class BooleanRuleCG(Learner):
    """It takes a penalty on complexity, which is chosen; its LPs go to HiGHS.

    A penalty at which its solver fails counts as the empty rule set.
    """

    name = "BooleanRuleCG DNF"
    has_front = True
    parameters = (0.02, 0.01, 0.005, 0.002, 0.001, 0.0002, *SMALL)
    quick_parameters = (0.01, 0.001)
    n_inner = 2  # it is slow

    def available(self) -> str | None:
        """Return None, or why it cannot run here."""
        if (published.ENVIRONMENT / "installed.txt").exists():
            return None
        return f"aix360 needs an environment of its own with older packages; make it with: {HOW}"

    def install(self) -> None:
        """Make its environment."""
        published.rival_python(None)

    def versions(self) -> dict[str, str]:
        """Return the pinned versions, of its own numpy too."""
        pins = published.PINS
        return {"aix360": pins["aix360[rbm]"], **{n: pins[n] for n in ("cvxpy", "numpy", "scipy")}}

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn with one penalty."""
        return self.fit_front(rows, y, [parameter], task)[0]

    def fit_front(
        self, rows: Rows, y: NDArray[np.bool_], parameters: Sequence[Any], task: Task
    ) -> list[Model]:
        """Learn with each penalty, in one process."""
        samples = published.Samples(rows.conditions, rows.holds, y)
        python = published.ENVIRONMENT / "bin" / "python"
        with tempfile.TemporaryDirectory() as folder:
            samples.save(Path(folder))
            with published.Worker(python, Path(folder), "SCIPY") as worker:
                answers = [worker.fit(p, task.seconds_left) for p in parameters]
        return [
            Clauses(tuple(map(tuple, one.get("clauses", ()))), failure=one.get("error", ""))
            for one in answers
        ]

    def choices(self, task: Task, n_rows: int) -> Sequence[Any]:
        """Leave out small penalties where there are few rows."""
        every = super().choices(task, n_rows)
        return [p for p in every if p not in SMALL or n_rows >= MANY_ROWS]

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> Tuned:
        """Take its default penalty where there are many rows; the others are for the front."""
        if len(y) < MANY_ROWS:
            return super().tune(rows, y, task)
        parameters = self.choices(task, len(y))
        models = self.fit_front(rows, y, parameters, task)
        return Tuned(list(zip(parameters, models, strict=True)), parameters.index(DEFAULT))


LEARNERS = [BooleanRuleCG(), OtherForm(BooleanRuleCG())]
