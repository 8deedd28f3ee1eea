"""Work that another process of the same Python does meanwhile, where there is a core for it."""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

MOST_SECONDS = 120


class Aside:
    """A statement that another process executes meanwhile, which is waited for at the end.

    It may help and never hinders: whoever needs what it was to do must do without, if need be. An
    error inside ``with`` ends it, and so does the end of this process. Ctrl-C does not.

    Examples
    --------
    >>> with Aside("import time"):
    ...     pass
    """

    def __init__(self, statement: str) -> None:
        self._process = _start(statement) if _can_start() else None
        if self._process is not None:
            atexit.register(self.end)

    def __enter__(self) -> None:
        """Go on with something else."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait for it, unless there was an error."""
        process = self._process
        try:
            if process is not None and kind is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(MOST_SECONDS)
        finally:
            self.end()

    def end(self) -> None:
        """End it, if it goes on."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            atexit.unregister(self.end)


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
            [sys.executable, "-P", "-c", statement],  # nothing from the folder that this is run in
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError:  # no more processes, or not allowed to start one
        return None
