"""The compiled kernels, loaded when they are first asked for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import SimpleNamespace
from typing import Any

from boolrules._support.forking import forget_in_forks


@cache
def load_kernels() -> Any:
    """Return the compiled kernels: numba takes half a second to import, so not before this."""
    from boolrules.search.engines import _kernels

    return _kernels


@cache
def load_fast_path(engine: str) -> Any:
    """Return the kernels of fast paths or, for the numpy engine, what they are held to."""
    kernels = load_kernels()
    if engine != "numpy":
        return kernels
    from boolrules.search.engines import numpy_fast_path

    return SimpleNamespace(
        **vars(numpy_fast_path) | {"CodedRows": kernels.CodedRows, "Ranges": kernels.Ranges}
    )


@cache
def threads(n_threads: int) -> ThreadPoolExecutor:
    """Threads that live as long as the process: starting them for every batch would cost more."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="boolrules")


forget_in_forks(threads.cache_clear)
