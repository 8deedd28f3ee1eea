"""The compiled kernels, loaded when they are first asked for."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def load_kernels() -> Any:
    """Return the compiled kernels: numba takes half a second to import, so not before this."""
    from boolrules.search.engines import _kernels

    return _kernels
