"""Work that another process of the same Python does meanwhile, where there is a core for it."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_SECONDS = 120
SECONDS_TO_LOOK = 0.01


class Aside:
    """A statement that another process executes meanwhile, which is waited for at the end.

    It may help and never hinders: whoever needs what it was to do must do without, if need be. The
    end of this process ends it, and so does Ctrl-C where it is waited for, but not elsewhere.

    Examples
    --------
    >>> Aside("import time").wait()
    """

    def __init__(self, statement: str) -> None:
        self._process = _start(statement) if _can_start() else None
        if self._process is not None:
            atexit.register(self.end)

    def wait(
        self, until: Callable[[], bool] = lambda: False, seconds: float = MOST_SECONDS
    ) -> None:
        """Wait until it has ended or come so far, but no longer than that."""
        process, deadline = self._process, time.monotonic() + seconds
        try:
            while process is not None and process.poll() is None and not until():
                if time.monotonic() > deadline:
                    break
                time.sleep(SECONDS_TO_LOOK)
        except BaseException:
            self.end()
            raise

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
