"""Who sums the covered samples: the same two steps, done by different machinery."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from boolrules.engines.engine import Engine, Expansion, ExtensionSums, Nodes, Terms
from boolrules.engines.numba_engine import NumbaEngine
from boolrules.engines.numpy_engine import NumpyEngine

if TYPE_CHECKING:
    from boolrules.column import IntegerDuals
    from boolrules.training_set import TrainingSet


def make_engine(
    name: str,
    training_set: TrainingSet,
    duals: IntegerDuals,
    *,
    n_threads: int = 1,
    is_enumerating: bool = False,
) -> Engine:
    """Return the engine of that name: "numba" or "numpy".

    Rows on other machines bring an engine of their own.
    """
    own_engine = getattr(training_set, "engine", None)
    if own_engine is not None:
        return cast("Engine", own_engine(duals, is_enumerating=is_enumerating))
    if name == "numba":
        return NumbaEngine(training_set, duals, n_threads=n_threads, is_enumerating=is_enumerating)
    if name == "numpy":
        return NumpyEngine(training_set, duals, is_enumerating=is_enumerating)
    raise ValueError(f"engine={name!r} is unknown; use 'numba' or 'numpy'.")


__all__ = [
    "Engine",
    "Expansion",
    "ExtensionSums",
    "Nodes",
    "NumbaEngine",
    "NumpyEngine",
    "Terms",
    "make_engine",
]
