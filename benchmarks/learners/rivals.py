"""Rivals that clash with our packages: environments under ``benchmarks/.rivals``, made on request.

``python -m benchmarks.learners.rivals`` makes them all; it needs a package index.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from benchmarks.learners.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.learners.learner import Model, Rows, Task

RIVALS = Path(__file__).resolve().parents[1] / ".rivals"
WORKER = Path(__file__).parent / "registry" / "_rival_worker.py"
HOW = "make bench-rivals"
TO_CHOOSE = 0.5  # share of a task's time for the fits that a parameter is chosen with
LAST = 0.8  # share of what is left then for the last fit


class Rival(Learner):
    """A learner in an environment of its own, with pinned versions; it is given the conditions."""

    environment: ClassVar[str]
    pins: ClassVar[tuple[str, ...]]  # as pip has them, the rival's own package first

    def unobtainable(self) -> str | None:
        """Return None, or what pip said where it failed."""
        said = message_of(self.environment)
        return f"pip says: {said.read_text(encoding='utf-8')}" if said.exists() else None

    def available(self) -> str | None:
        """Return None, or why it cannot run here."""
        if python_of(self.environment).exists():
            return None
        failed = self.unobtainable()
        return failed or f"it is not installed; make its environment with: {HOW}"

    def install(self) -> None:
        """Make its environment."""
        make_environment(self.environment, *self.pins)

    def versions(self) -> dict[str, str]:
        """Return the pinned versions."""
        return dict(pin.split("==") for pin in self.pins)

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn with one parameter, in most of the time that is left."""
        return self._models(rows, y, [parameter], LAST * task.seconds_left, task)[0]

    def fit_front(
        self, rows: Rows, y: NDArray[np.bool_], parameters: Sequence[Any], task: Task
    ) -> list[Model]:
        """Learn with each parameter, in one process."""
        n_splits = task.inner_splits(len(y), self.n_inner).get_n_splits()
        seconds = TO_CHOOSE * task.seconds / (n_splits * len(parameters))
        return self._models(rows, y, parameters, seconds, task)

    def _models(
        self,
        rows: Rows,
        y: NDArray[np.bool_],
        parameters: Sequence[Any],
        seconds: float,
        task: Task,
    ) -> list[Model]:
        answers = ask(
            self.environment,
            {"holds": rows.holds, "is_positive": y},
            rival=self.name,
            parameters=list(parameters),
            seconds=seconds,
            seed=task.seed,
        )
        return [self.read(answer, rows, y) for answer in answers]

    def read(self, answer: Any, rows: Rows, y: NDArray[np.bool_]) -> Model:
        """Make a model of what the worker says."""
        raise NotImplementedError


def python_of(name: str) -> Path:
    """Return where the Python of an environment is, or would be."""
    return RIVALS / name / "bin" / "python"


def message_of(name: str) -> Path:
    """Return the file that says why an environment could not be made."""
    return RIVALS / f"{name}.txt"


def make_environment(name: str, *requirements: str) -> None:
    """Make an environment anew, a rival in it; where that fails, keep what pip said."""
    folder = RIVALS / name
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    command = [python_of(name), "-m", "pip", "install", "--quiet", *requirements]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        message_of(name).unlink(missing_ok=True)
        return
    shutil.rmtree(folder)
    message_of(name).write_text(what_pip_said(done.stderr), encoding="utf-8")


def what_pip_said(text: str) -> str:
    r"""Return the first error among pip's lines, or else the last line.

    >>> what_pip_said("WARNING: slow\nERROR: No matching distribution found for drnet\n")
    'No matching distribution found for drnet'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return (errors or lines[-1:])[0].removeprefix("ERROR: ")


def ask(name: str, arrays: dict[str, NDArray[Any]], **request: Any) -> Any:
    """Run the worker in a rival's environment; it is given a folder, and prints a line of JSON.

    The folder holds ``arrays.npz`` and ``request.json``.
    """
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "arrays.npz", **arrays)
        (Path(folder) / "request.json").write_text(json.dumps(request), encoding="utf-8")
        command = [str(python_of(name)), str(WORKER), folder]
        # Sets of text are in the same order each time, and so are what some rivals make of them.
        env = os.environ | {"PYTHONHASHSEED": "0"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        error = MemoryError if "MemoryError" in last else RuntimeError
        raise error(f"{name} ended with status {done.returncode}: {last}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    from benchmarks.learners.registry import all_learners

    for learner in all_learners().values():
        reason = learner.available()
        if reason is not None:
            print(f"{learner.name}: {reason}", file=sys.stderr)
            learner.install()
            if learner.available() != reason:
                print(f"{learner.name}: {learner.available() or 'ready'}", file=sys.stderr)


if __name__ == "__main__":
    main()
