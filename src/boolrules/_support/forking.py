"""Pools of workers do not survive a fork: the child forgets them, and begins its own.

Whatever a forked process gives to the threads of its parent is never done, so that it would wait
for ever. ``multiprocessing`` forks on Linux, and so do servers that load a model first.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_abandoned: list[Any] = []  # kept, for what cleans up after a pool would disturb the parent's


def forget_in_forks(forget: Callable[[], Any]) -> None:
    """Call this in every process that is forked from here on."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


def _forget_processes() -> None:
    """Forget the worker processes that joblib keeps for the next call; it makes new ones."""
    pools: Any = sys.modules.get("joblib.externals.loky.reusable_executor")
    if getattr(pools, "_executor", None) is not None:
        _abandoned.append(pools._executor)  # noqa: SLF001
        pools._executor = pools._executor_kwargs = None  # noqa: SLF001
        pools._executor_lock = threading.RLock()  # noqa: SLF001


forget_in_forks(_forget_processes)
