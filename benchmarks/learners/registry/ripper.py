"""RIPPER of wittgenstein, with its default settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.learners.registry.jrip import Ordered
from benchmarks.learners.rivals import Rival

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchmarks.learners.learner import Model, Rows


class Wittgenstein(Rival):
    """RIPPER in Python: rules of the positive class, nothing to choose."""

    name = "wittgenstein"
    in_paper = "RIPPER"
    environment = "wittgenstein"
    pins = ("wittgenstein==0.3.5",)

    def read(self, answer: Any, rows: Rows, y: NDArray[np.bool_]) -> Model:
        """Read its rules, and the class of the rows that none covers."""
        return Ordered([*((body, True) for body in answer), ([], False)])


LEARNERS = [Wittgenstein()]
