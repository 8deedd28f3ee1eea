"""``make bench-published``: our rule sets beside those of the published heuristic.

The rival is BooleanRuleCG of aix360, in an environment of its own that is made on the first run.
Both choose among the same conditions, and loss and complexity are counted here for both. It takes
a penalty where we take a limit, so the penalty is bisected until the complexity fits; the best
rule set that fits counts, and all its fits share one time limit.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import select
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from benchmarks import data
from benchmarks.facts import FACTS, facts
from benchmarks.speed.__main__ import RESULTS, show, write_tables
from boolrules import BooleanRuleClassifier
from boolrules._support.table import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules import Condition

    Clauses = Sequence[Sequence[int]]

PINS = {  # the newest that aix360[rbm] allows; it leaves cvxpy, ecos and matplotlib open
    "aix360[rbm]": "0.3.0",
    "numpy": "1.24.3",
    "scipy": "1.10.1",
    "pandas": "1.5.3",
    "scikit-learn": "1.1.3",
    "cvxpy": "1.3.4",
    "ecos": "2.0.14",
    "matplotlib": "3.7.5",
}
PYTHON = (3, 11)  # the newest with wheels of that numpy
ENVIRONMENT = Path(__file__).resolve().parents[1] / ".rivals" / "booleanrulecg"
WORKER = Path(__file__).with_name("_published_worker.py")
NAMES = ("FICO", "magic", "mushroom", "adult", "bank-mkt-additional")
MAX_FITS = 15
CLOSE_ENOUGH = 1.02  # ratio of two penalties between which nothing is looked for
SOLVERS = {"SCIPY": "HiGHS", "ECOS": "ECOS"}  # cvxpy's names, and what they run


@dataclass(frozen=True)
class Score:
    """What a rule set costs."""

    hamming_loss: int
    n_errors: int
    complexity: int


@dataclass(frozen=True)
class Samples:
    """One data set: which conditions hold on which rows, and which rows are positive."""

    conditions: tuple[Condition, ...]
    holds: NDArray[np.bool_]
    is_positive: NDArray[np.bool_]

    def score(self, clauses: Clauses) -> Score:
        """Count the Hamming loss of eq. (1), the rows misclassified, and the complexity."""
        n_covering = np.zeros(len(self.is_positive), dtype=np.int64)
        for clause in clauses:
            n_covering += self.holds[:, list(clause)].all(axis=1)
        return Score(
            int(np.where(self.is_positive, n_covering == 0, n_covering).sum()),
            int(((n_covering > 0) != self.is_positive).sum()),
            sum(1 + len(clause) for clause in clauses),
        )

    def save(self, folder: Path) -> None:
        """Write what the worker reads."""
        np.savez(folder / "samples.npz", holds=self.holds, is_positive=self.is_positive)
        plain = [condition.to_plain() for condition in self.conditions]
        (folder / "conditions.json").write_text(json.dumps(plain), encoding="utf-8")


class WorkerStoppedError(RuntimeError):
    """The rival's process is gone: killed at its time limit, or on its own."""


class Worker:
    """The rival's process, with one data set loaded."""

    def __init__(self, python: Path, folder: Path, solver: str) -> None:
        command = [str(python), str(WORKER), str(folder), solver]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._answer()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.kill()
        self._process.communicate()

    def fit(self, penalty: float, seconds: float) -> dict[str, Any]:
        """Return the worker's answer, and kill it where that takes too long.

        Half the time is for the rival's column generation, which looks at its own clock between
        rounds, and the rest for its last round and its selection of clauses.
        """
        request = json.dumps({"penalty": penalty, "seconds": seconds / 2})
        print(request, file=self._process.stdin, flush=True)
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self._process.kill()
            raise WorkerStoppedError("time limit, fit killed")
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerStoppedError(f"worker ended with status {self._process.wait()}")
        return json.loads(line)


@dataclass
class PenaltySearch:
    """The least penalty whose rule set is simple enough, by bisection on a logarithmic scale.

    The rival divides its loss by the number of rows. At the upper end a clause costs more than
    all positives are worth; at the lower end the whole complexity costs less than one row.
    """

    samples: Samples
    max_complexity: int
    best: Score | None = None
    best_penalty: float | None = None
    best_seconds: float | None = None
    n_fits: int = 0
    n_failed: int = 0
    seconds: float = 0.0
    stop: str = ""

    def run(self, worker: Worker, time_limit: float) -> None:
        """Fit until the penalty is found or the time is spent."""
        low = 1 / (len(self.samples.is_positive) * self.max_complexity)
        high = float(self.samples.is_positive.mean()) / 2
        while not self.stop:
            penalty = math.sqrt(low * high)
            if self._fits(worker, penalty, time_limit - self.seconds):
                high = penalty
            else:
                low = penalty
            self.stop = self.stop or self._reason_to_stop(high / low, time_limit)

    def _reason_to_stop(self, ratio: float, time_limit: float) -> str:
        if self.best and self.best.hamming_loss == 0:
            return "zero loss"
        if ratio < CLOSE_ENOUGH:
            return "bisected"
        if self.n_fits + self.n_failed == MAX_FITS:
            return "fit limit"
        return "time limit" if self.seconds >= time_limit else ""

    def _fits(self, worker: Worker, penalty: float, seconds_left: float) -> bool:
        """Fit once; say whether the rule set is simple enough, and keep it if it is the best."""
        started = time.perf_counter()
        try:
            answer = worker.fit(penalty, seconds_left)
        except WorkerStoppedError as stopped:
            self.stop = str(stopped)
            return False
        finally:
            self.seconds += time.perf_counter() - started
        if "error" in answer:
            self.n_failed += 1
            return False
        self.n_fits += 1
        score = self.samples.score(answer["clauses"])
        if score.complexity > self.max_complexity:
            return False
        if self.best is None or score.hamming_loss < self.best.hamming_loss:
            self.best = score
            self.best_penalty = float(f"{penalty:.3g}")
            self.best_seconds = round(answer["seconds"], 2)
        return True

    def row(self) -> dict[str, Any]:
        """Return the rival's part of a row."""
        return {
            "aix360_loss": self.best and self.best.hamming_loss,
            "aix360_errors": self.best and self.best.n_errors,
            "aix360_complexity": self.best and self.best.complexity,
            "aix360_penalty": self.best_penalty,
            "aix360_fits": self.n_fits,
            "aix360_failed": self.n_failed,
            "aix360_stop": self.stop,
            "aix360_best_fit_seconds": self.best_seconds,
            "aix360_seconds": round(self.seconds, 2),
        }


def rival_python(interpreter: str | None) -> Path:
    """Return the Python of the rival's environment, made anew unless it holds these versions."""
    python, note = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "installed.txt"
    wanted = [f"{name}=={pin}" for name, pin in PINS.items()]
    if note.exists() and note.read_text(encoding="utf-8").split() == wanted:
        return python
    if interpreter is None:
        name = "python{}.{}".format(*PYTHON)
        interpreter = sys.executable if sys.version_info[:2] == PYTHON else shutil.which(name)
    if interpreter is None:
        raise SystemExit(
            f"aix360 {PINS['aix360[rbm]']} needs numpy {PINS['numpy']} and so {name}, which is "
            "not on the path. Install it, or name one with --python."
        )
    subprocess.run([interpreter, "-m", "venv", "--clear", ENVIRONMENT], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
    note.write_text("\n".join(wanted), encoding="utf-8")
    return python


def our_fit(
    X: Any, is_positive: NDArray[np.bool_], complexity: int, time_limit: float, n_jobs: int
) -> tuple[Samples, dict[str, Any]]:
    """Return the conditions that the model chose among, and our part of a row."""
    model = BooleanRuleClassifier(complexity, time_limit=time_limit, n_jobs=n_jobs)
    model.fit(X, is_positive)
    table = read_table(X)
    holds = np.column_stack([c.holds(table[c.feature]) for c in model.conditions_])
    samples = Samples(model.conditions_, holds, is_positive)
    place = {condition: j for j, condition in enumerate(model.conditions_)}
    clauses = [[place[c] for c in clause.conditions] for clause in model.rule_set_.clauses]
    score, certificate = samples.score(clauses), model.certificate_
    assert score.hamming_loss == certificate.hamming_loss
    return samples, {
        "loss": score.hamming_loss,
        "errors": score.n_errors,
        "bound": certificate.lower_bound,
        "gap": certificate.gap,
        "argument": str(certificate.argument),
        "stop": str(model.result_.stop_reason),
        "seconds": round(model.result_.seconds, 2),
    }


def compare(
    X: Any, is_positive: NDArray[np.bool_], complexity: int, options: argparse.Namespace
) -> dict[str, Any]:
    """Fit both, one after the other, with the same time for each."""
    samples, ours = our_fit(X, is_positive, complexity, options.time_limit, options.threads)
    search = PenaltySearch(samples, complexity)
    with tempfile.TemporaryDirectory() as folder:
        samples.save(Path(folder))
        with Worker(options.rival, Path(folder), options.solver) as worker:
            search.run(worker, options.time_limit)
    return {
        "rows": len(is_positive),
        "conditions": len(samples.conditions),
        **ours,
        **search.row(),
    }


def rows_kept(path: Path) -> list[dict[str, Any]]:
    """Read the rows of earlier runs."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write every row with the facts of the run that measured it."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def measure(options: argparse.Namespace, console: Console) -> list[dict[str, Any]]:
    """Return a row for each data set and complexity, writing the file after each of them.

    Rows in the file stay as they are, unless they were measured with other settings.
    """
    path = options.output / "speed_published.csv"
    settings = {"limit": f"{options.time_limit:g}", "LP solver": SOLVERS[options.solver]}
    versions = {"aix360": PINS["aix360[rbm]"], "cvxpy": PINS["cvxpy"]}
    old = {(row["data"], row["complexity"]): row for row in rows_kept(path)}
    rows: list[dict[str, Any]] = []
    for one in (one for name in options.data.split(",") for one in data.LARGE if one.name == name):
        X, is_positive = data.load(one)
        for complexity in options.complexity.split(","):
            row = old.get((one.name, complexity))
            if options.fresh or row is None or row | settings != row:
                task = {"data": one.name, "complexity": complexity} | settings
                measured = compare(X, is_positive, int(complexity), options)
                row = task | measured | facts(versions)
                console.print("  ".join(f"{k} {v}" for k, v in row.items()), style="dim")
            old.pop((one.name, complexity), None)
            rows.append(row)
            write_rows(path, [*rows, *old.values()])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.published", description=__doc__
    )
    parser.add_argument("--data", default=",".join(NAMES))
    parser.add_argument("--complexity", default="10,20")
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for each side")
    parser.add_argument("--threads", type=int, default=2, help="of ours")
    parser.add_argument(
        "--solver", choices=SOLVERS, default="SCIPY", help="of the rival's LPs; ECOS is slower"
    )
    parser.add_argument("--python", help="to make the rival's environment with")
    parser.add_argument("--fresh", action="store_true", help="measure again what is in the file")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    if not data.folder().is_dir():
        raise SystemExit("There is no data folder; name one with BOOLRULES_DATA.")
    options.rival = rival_python(options.python)
    console = Console(width=250)
    rows = measure(options, console)
    shown = [{key: row[key] for key in row if key not in FACTS} for row in rows]
    show(console, f"Ours and aix360's, {options.time_limit:g} s each", shown)
    write_tables(options.output)


if __name__ == "__main__":
    main()
