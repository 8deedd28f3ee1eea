"""Each task in a process of its own, which ends in time and with all that it started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from benchmarks.learners.worker import WITH_PARENT

ROOT = Path(__file__).resolve().parents[2]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = dict.fromkeys(THREADS, "1")


class Groups:
    """The process groups at work, each led by a worker; what a worker starts is in its group.

    A group is killed only while its leader is not reaped: after that its number may be another's.
    """

    def __init__(self) -> None:
        self.is_over = False
        self._lock = threading.Lock()
        self._leaders: set[int] = set()

    def add(self, leader: int) -> None:
        """Count one in; it is killed at once if all is over."""
        with self._lock:
            self._leaders.add(leader)
            if self.is_over:
                os.killpg(leader, signal.SIGKILL)

    def end(self, leader: int) -> None:
        """Kill one whose leader is not reaped, and forget it."""
        with self._lock:
            self._leaders.remove(leader)
            os.killpg(leader, signal.SIGKILL)

    def end_all(self) -> None:
        """Kill all, and whatever else may come."""
        with self._lock:
            self.is_over = True
            for leader in self._leaders:
                os.killpg(leader, signal.SIGKILL)


def run_task(request: dict[str, Any], groups: Groups) -> dict[str, Any]:
    """Run one task in its own process; return its rows, or what it ran into.

    Of a task that was killed because all is over there is nothing to say: it is cancelled.
    """
    command = [sys.executable, "-m", "benchmarks.learners.worker", json.dumps(request)]
    started = time.monotonic()
    with subprocess.Popen(
        [*command, WITH_PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env=os.environ | ONE_THREAD,
        start_new_session=True,
    ) as process:
        groups.add(process.pid)
        output = _output(process, request["seconds"], groups)
    if groups.is_over:
        raise CancelledError
    reply = _reply(output, process.returncode)
    if "rows" not in reply:
        failed = {"seconds": round(time.monotonic() - started, 2)}
        reply["rows"] = {request["experiment"]: [failed]}
    return reply


def _output(process: subprocess.Popen[str], seconds: float, groups: Groups) -> str | None:
    """Return what it printed, or None if its time was over; its group is killed in any case.

    Standard input stays open meanwhile, as a sign that the parent lives.
    """
    assert process.stdout is not None
    texts: list[str] = []
    reader = threading.Thread(target=lambda: texts.append(process.stdout.read()), daemon=True)
    reader.start()
    # It is seen to end without being reaped.
    seen = (os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    waiter = threading.Thread(target=os.waitid, args=seen, daemon=True)
    waiter.start()
    try:
        waiter.join(seconds)
        is_late = waiter.is_alive()
    finally:
        groups.end(process.pid)
        waiter.join()
        process.wait()
    reader.join(10)
    return None if is_late else "".join(texts)


def _reply(output: str | None, status: int) -> dict[str, Any]:
    """Read the last line; a worker that died by itself left none."""
    if output is None:
        return {"status": "time limit"}
    try:
        return json.loads(output.splitlines()[-1])
    except (IndexError, ValueError):
        return {"status": f"ended with status {status}"}
