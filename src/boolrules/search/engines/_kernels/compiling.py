"""Compiling by numba, with a cache on disk that may help and never hinders.

A folder that cannot be written to, a full disk or a damaged file costs time: what cannot be read
is compiled anew, and what cannot be written is compiled by each process.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import logging
import os
import pickle
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    NullCache,
)
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral

from boolrules._support.budget import clock
from boolrules._support.interrupts import not_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

logger = logging.getLogger("boolrules")


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function to compile, in little time.

    ``wait`` is called first where another process compiles it.
    """

    wait: Callable[[], None] | None = None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile for types: numba would compile once more for each number that is written out."""
        return super().get_call_template(list(map(unliteral, args)), kws)

    def compile(self, sig: Any) -> Any:
        """Compile, or load what was kept, which no time limit counts.

        Signals wait, for LLVM calls back into Python. No garbage is collected meanwhile: a tenth
        of the time, for little memory.
        """
        with clock.standing_still():
            wait, self.wait = self.wait, None
            if wait is not None:
                wait()
            with not_now(), _without_collecting():
                return super().compile(sig)


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _kernel(function: Any, **options: Any) -> Any:
    if numba.config.DISABLE_JIT:
        return function
    always = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}
    return _Kernel(function, targetoptions=always | options)


def inlined(function: Any) -> Any:
    """Let a function be compiled as a part of those that call it.

    By LLVM: numba's own way of inlining takes it apart anew in each place. Nobody calls it from
    Python, so that there are no wrappers to compile. It makes no arrays and returns none, so that
    nobody counts references to those that it is given: that takes time, and far more in loops.
    """
    return _kernel(function, forceinline=True, no_cpython_wrapper=True, _nrt=False)


def compiled(function: Any) -> Any:
    """Let a function be compiled when it is first called, and be kept on disk.

    Kernels copy rows in loops: the assignment of a slice brings along the words of its error, a
    second to compile.
    """
    dispatcher = _kernel(function)
    try:
        dispatcher._cache = _Cache(function)  # noqa: SLF001
    except (RuntimeError, OSError) as error:  # there is no place for it
        _cannot_be_kept(str(error))
        dispatcher._cache = NullCache()  # noqa: SLF001
    return dispatcher


def is_to_be_kept(dispatcher: Any) -> bool:
    """Whether nothing of a compiled function is on disk yet, where there is a place for it."""
    kept = dispatcher._cache  # noqa: SLF001
    if isinstance(kept, NullCache) or not os.access(kept.cache_path, os.W_OK):
        return False
    try:
        return not kept._cache_file._load_index()  # noqa: SLF001
    except Exception:  # damaged files fail in any way
        return True


@cache
def _cannot_be_kept(reason: str) -> None:
    logger.warning(
        "The compiled searches cannot be kept on disk (%s): every process compiles them anew. Set "
        "NUMBA_CACHE_DIR to a folder that can be written to.",
        reason,
    )


def _to_read(locator: Any) -> Any:
    """Return a kind of place that need not be writable: what was kept there can still be read."""
    return type(f"{locator.__name__}ToRead", (locator,), {"ensure_cache_path": lambda self: None})


class _Places(CompileResultCacheImpl):  # type: ignore[misc]
    _usual = CompileResultCacheImpl._locator_classes  # noqa: SLF001
    _locator_classes = (*_usual, *map(_to_read, _usual))


class _SealedFile(IndexDataCacheFile):  # type: ignore[misc]
    """Machine code with its checksum: damaged code would crash, or compute something else."""

    def save(self, key: Any, data: Any, *more: Any) -> None:
        """Write what belongs to a signature."""
        code = self._dump(data)
        super().save(key, (hashlib.sha256(code).digest(), code), *more)

    def load(self, key: Any) -> Any:
        """Read it; None if there is nothing."""
        sealed = super().load(key)
        if sealed is None:
            return None
        digest, code = sealed
        if hashlib.sha256(code).digest() != digest:
            raise ValueError("its checksum is wrong")
        return pickle.loads(code)


@cache
def _sources() -> str:
    """Return a checksum of all kernels: a function has others inlined, also from other files."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


class _Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = _Places

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = (self._impl.locator.get_source_stamp(), _sources())
        self._cache_file = _SealedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled before; None if there is nothing, or nothing that is whole."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged files fail in any way
            with contextlib.suppress(OSError):
                self.flush()  # begin anew: a damaged index could not be added to
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be kept."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, or an index that is damaged and stays so
            _cannot_be_kept(str(getattr(error, "strerror", None) or error))
