"""Who sums the covered samples: the same steps, done by different machinery."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from boolrules._support.optional import require
from boolrules.data.training_set import TrainingSet
from boolrules.search.engines.engine import (
    Engine,
    Expansion,
    ExtensionSums,
    Found,
    Nodes,
    OpenNodes,
    Terms,
)
from boolrules.search.engines.numba_engine import NumbaEngine
from boolrules.search.engines.numpy_engine import NumpyEngine

if TYPE_CHECKING:
    from boolrules.data.column import IntegerDuals
    from boolrules.data.samples import Samples

TORCH_DEVICES = {"cuda": "cuda", "torch on a cpu": "cpu"}


@singledispatch
def make_engine(
    samples: Samples,
    name: str,
    duals: IntegerDuals,
    *,
    n_threads: int = 1,
    is_enumerating: bool = False,
) -> Engine:
    """Return who sums over these samples; each kind of them registers its own.

    For rows in memory: the engine of that name, "numba", "numpy" or "cuda". "torch on a cpu" is
    "cuda" without a GPU: slow, and there for tests.
    """
    raise TypeError(f"There is no engine for samples of type {type(samples).__name__}.")


@make_engine.register(TrainingSet)
def _(
    samples: TrainingSet,
    name: str,
    duals: IntegerDuals,
    *,
    n_threads: int = 1,
    is_enumerating: bool = False,
) -> Engine:
    if name == "numba":
        return NumbaEngine(samples, duals, n_threads=n_threads, is_enumerating=is_enumerating)
    if name == "numpy":
        return NumpyEngine(samples, duals, is_enumerating=is_enumerating)
    if name in TORCH_DEVICES:
        require("torch", needed_for=f"engine={name!r}", install='pip install "boolrules[gpu]"')
        from boolrules.search.engines._torch import TorchEngine

        device = TORCH_DEVICES[name]
        return TorchEngine(samples, duals, is_enumerating=is_enumerating, device=device)
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
