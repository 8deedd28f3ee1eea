"""Environments of rivals that clash with ours: under ``benchmarks/.rivals``, made on request.

``python -m benchmarks.learners.rivals`` makes them all; it needs a package index.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.learners.learner import Rows

RIVALS = Path(__file__).resolve().parents[1] / ".rivals"
HOW = "make bench-rivals"


def python_of(name: str) -> Path:
    """Return where the Python of an environment is, or would be."""
    return RIVALS / name / "bin" / "python"


def make_environment(name: str, *requirements: str) -> None:
    """Make an environment anew and install a rival into it."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", RIVALS / name], check=True)
    command = [python_of(name), "-m", "pip", "install", "--quiet", *requirements]
    subprocess.run(command, check=True)


def ask(name: str, script: Path, rows: Rows, y: NDArray[np.bool_], **request: Any) -> Any:
    """Run a script in a rival's environment; it is given a folder, and prints a line of JSON.

    The folder holds ``samples.npz`` (which conditions hold, which rows are positive) and
    ``request.json``.
    """
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "samples.npz", holds=rows.holds, is_positive=y)
        (Path(folder) / "request.json").write_text(json.dumps(request), encoding="utf-8")
        command = [str(python_of(name)), str(script), folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{name} ended with status {done.returncode}: {last}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    from benchmarks.learners.registry import all_learners

    for learner in all_learners().values():
        if learner.available() is not None:
            print(f"{learner.name}: {learner.available()}", file=sys.stderr)
            learner.install()
            print(f"{learner.name}: {learner.available() or 'ready'}", file=sys.stderr)


if __name__ == "__main__":
    main()
