"""Work that another process of the same Python does meanwhile, where there is a core for it."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_SECONDS = 120


@contextmanager
def aside(statement: str) -> Iterator[None]:
    """Let another process execute a statement meanwhile, and wait for it at the end.

    It may help and never hinders: whoever needs what it was to do must do without, if need be.

    Examples
    --------
    >>> with aside("import time"):
    ...     pass
    """
    process = _start(statement) if _can_start() else None
    try:
        yield
    except BaseException:
        if process is not None:
            process.kill()
        raise
    finally:
        if process is not None:
            _wait(process)


def _can_start() -> bool:
    """Whether there are two cores, and a Python to start that is not itself one of many."""
    has_affinity = hasattr(os, "sched_getaffinity")
    n_cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    is_python = Path(sys.executable or "").name.lower().startswith("python")
    is_frozen = getattr(sys, "frozen", False)
    is_first = multiprocessing.parent_process() is None
    return n_cores > 1 and is_python and not is_frozen and is_first


def _start(statement: str) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(
            [sys.executable, "-c", statement],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:  # no more processes, or not allowed to start one
        return None


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
