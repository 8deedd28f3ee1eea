"""The engine in PyTorch, for a GPU: the only folder that imports PyTorch."""

from boolrules.search.engines._torch.torch_engine import TorchEngine

__all__ = ["TorchEngine"]
