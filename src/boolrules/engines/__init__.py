"""Who sums the covered samples: one step, done by different machinery."""

from boolrules.engines.engine import Engine, ExtensionSums
from boolrules.engines.numpy_engine import NumpyEngine

__all__ = ["Engine", "ExtensionSums", "NumpyEngine"]
