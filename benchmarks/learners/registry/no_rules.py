"""No rules at all: the more frequent class, whatever the row. Where every front begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.learners.learner import Clauses, Learner, Model, Rows, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class NoRules(Learner):
    """A constant, of complexity 0."""

    name = "no rules"
    has_front = True

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Count the labels."""
        return Clauses((), is_negated=bool(y.mean() > 0.5))


LEARNERS = [NoRules()]
