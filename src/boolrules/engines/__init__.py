"""Who sums the covered samples: the same steps, done by different machinery."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from boolrules._optional import require
from boolrules.engines.engine import (
    Engine,
    Expansion,
    ExtensionSums,
    Found,
    Nodes,
    OpenNodes,
    Terms,
)
from boolrules.engines.numba_engine import NumbaEngine
from boolrules.engines.numpy_engine import NumpyEngine

if TYPE_CHECKING:
    from boolrules.column import IntegerDuals
    from boolrules.training_set import TrainingSet

TORCH_DEVICES = {"cuda": "cuda", "torch on a cpu": "cpu"}


def make_engine(
    name: str,
    training_set: TrainingSet,
    duals: IntegerDuals,
    *,
    n_threads: int = 1,
    is_enumerating: bool = False,
) -> Engine:
    """Return the engine of that name: "numba", "numpy" or "cuda".

    "torch on a cpu" is "cuda" without a GPU: slow, and there for tests. Rows on other machines
    bring an engine of their own.
    """
    own_engine = getattr(training_set, "engine", None)
    if own_engine is not None:
        return cast("Engine", own_engine(duals, is_enumerating=is_enumerating))
    if name == "numba":
        return NumbaEngine(training_set, duals, n_threads=n_threads, is_enumerating=is_enumerating)
    if name == "numpy":
        return NumpyEngine(training_set, duals, is_enumerating=is_enumerating)
    if name in TORCH_DEVICES:
        require("torch", needed_for=f"engine={name!r}", install='pip install "boolrules[gpu]"')
        from boolrules.engines._torch import TorchEngine

        device = TORCH_DEVICES[name]
        return TorchEngine(training_set, duals, is_enumerating=is_enumerating, device=device)
    raise ValueError(f"engine={name!r} is unknown; use 'numba', 'numpy' or 'cuda'.")


__all__ = [
    "Engine",
    "Expansion",
    "ExtensionSums",
    "Found",
    "Nodes",
    "NumbaEngine",
    "NumpyEngine",
    "OpenNodes",
    "Terms",
    "make_engine",
]
