"""RIPPER of wittgenstein, with its default settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.learners.learner import Learner, Model, Rows, Task
from benchmarks.learners.registry.jrip import Ordered
from benchmarks.learners.rivals import HOW, ask, make_environment, python_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = "0.3.5"
WORKER = Path(__file__).with_name("_ripper_worker.py")


class Wittgenstein(Learner):
    """RIPPER in Python: rules of the positive class, nothing to choose."""

    name = "wittgenstein"
    in_paper = "RIPPER"

    def available(self) -> str | None:
        """Return None, or why it cannot run here."""
        if python_of(self.name).exists():
            return None
        return f"it is not installed; make its environment with: {HOW}"

    def install(self) -> None:
        """Make its environment."""
        make_environment(self.name, f"wittgenstein=={VERSION}")

    def versions(self) -> dict[str, str]:
        """Return its version."""
        return {"wittgenstein": VERSION}

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Run it once."""
        rules = ask(self.name, WORKER, rows, y, seed=task.seed)
        bodies = [([(j, bool(value)) for j, value in rule], True) for rule in rules]
        return Ordered([*bodies, ([], False)])


LEARNERS = [Wittgenstein()]
