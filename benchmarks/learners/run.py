"""``make bench-paper``: every learner on every data set, in parts that can be resumed.

One task is one data set, learner and fold, in a process of its own with a limit on time and
memory. Its rows are appended to a CSV file as soon as it ends; a run that was killed goes on where
it stopped. Tables and figures are made from those files alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from benchmarks import data
from benchmarks.facts import commit, machine, today
from benchmarks.learners.processes import Groups, run_task
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import DONE, KEY, MEASURED, RESULTS, ResultFile

if TYPE_CHECKING:
    from benchmarks.learners.learner import Learner

N_FOLDS = 10
EXPERIMENTS = ("accuracy", "times", "gaps")
FOLDS_TIMED = (0,)


@dataclass(frozen=True)
class Settings:
    """What tasks are given. Rows share a table if they share its name, "full" or "quick".

    Limits on time and memory may be set beside a name, so rows of one table may differ in them:
    the limit stands in each row, and there is a table of them.
    """

    name: str
    seconds: float
    seconds_for_large: float
    folds: tuple[int, ...]
    gibibytes: float = 8.0
    seed: int = 0

    def limit(self, name: str) -> float:
        """Return the seconds of one task on that data set."""
        is_small = name in {one.name for one in data.SMALL}
        return self.seconds if is_small else self.seconds_for_large


QUICK = Settings("quick", 40, 120, (0, 1))
FULL = Settings("full", 240, 600, tuple(range(N_FOLDS)))


def versions(learner: Learner) -> str:
    """Name the versions that matter to a row."""
    ours = {"python": platform.python_version(), "numpy": version("numpy")}
    return " ".join(f"{name}-{number}" for name, number in (ours | learner.versions()).items())


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in KEY)


@dataclass(frozen=True)
class Run:
    """Which tasks are wanted, and where their rows go."""

    experiment: str
    settings: Settings
    names: list[str]
    learners: list[Learner]
    files: dict[str, ResultFile]
    n_jobs: int
    console: Console
    retry: bool = False

    def requests(self) -> list[dict[str, Any]]:
        """Return the tasks that have no row yet, fold by fold, so that early results are broad."""
        done = {
            _key(row)
            for row in self.files[self.experiment].read()
            if row["status"] == DONE or not self.retry
        }
        folds: dict[str, tuple[int | str, ...]] = {"gaps": ("all",), "times": FOLDS_TIMED}
        wanted = [
            {"settings": self.settings.name, "data": name, "learner": one.name, "fold": fold}
            for fold in folds.get(self.experiment, self.settings.folds)
            for name in self.names
            for one in self.learners
        ]
        left = [w for w in wanted if _key(w) not in done]
        return self.with_parameters(left) if self.experiment == "times" else left

    def with_parameters(self, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Add the parameter that was chosen in the second experiment, where it was run."""
        chosen = {
            _key(row): row["parameter"]
            for row in self.files["accuracy"].read()
            if row["status"] == DONE
        }
        return [r | {"parameter": chosen[_key(r)]} for r in requests if _key(r) in chosen]

    def go(self) -> None:
        """Work the missing tasks off, a few at a time; an error or Ctrl-C ends all at once."""
        requests = self.requests()
        started = time.monotonic()
        self.console.print(f"{self.experiment}: {len(requests)} tasks to do")
        groups = Groups()
        with ThreadPoolExecutor(self.n_jobs) as pool:
            futures = [pool.submit(self.work, request, groups) for request in requests]
            try:
                for n_done, future in enumerate(as_completed(futures), start=1):
                    left = (time.monotonic() - started) / n_done * (len(requests) - n_done)
                    self.show(n_done, len(requests), future.result(), left)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                groups.end_all()
                raise

    def work(self, request: dict[str, Any], groups: Groups) -> dict[str, Any]:
        """Run one task and write its rows."""
        learner = next(one for one in self.learners if one.name == request["learner"])
        seconds = self.settings.limit(request["data"])
        commit_before = commit()
        reply = run_task(
            request
            | {
                "experiment": self.experiment,
                "n_folds": N_FOLDS,
                "seconds": seconds,
                "seed": self.settings.seed,
                "is_quick": self.settings.name == QUICK.name,
                "n_threads": 1,
                "gibibytes": self.settings.gibibytes,
            },
            groups,
        )
        facts = {
            "status": reply.get("status", DONE),
            "seed": self.settings.seed,
            "limit": f"{seconds:g} s {self.settings.gibibytes:g} GiB",
            "machine": machine(),
            "versions": versions(learner),
            "commit": commit_before,
            "date": today(),
        }
        rows = {
            kind: [request | facts | row for row in of_kind]
            for kind, of_kind in reply["rows"].items()
        }
        # The file that says what is done comes last.
        for kind in sorted(rows, key=lambda kind: kind == self.experiment):
            self.files[kind].append(rows[kind])
        return rows[self.experiment][0]

    def show(self, n_done: int, n: int, row: dict[str, Any], left: float) -> None:
        """Print a line of progress with an estimate of what is left."""
        what = f"{row['data']}, {row['learner']}, fold {row['fold']}"
        said = row["status"]
        if said == DONE and "accuracy" in row:
            complexity = "" if row["complexity"] is None else f", complexity {row['complexity']:g}"
            said = f"{row['accuracy']:.1%}{complexity}"
        self.console.print(
            f"[{n_done}/{n}] {what}: {said} in {row['seconds']:.1f} s; "
            f"about {left / 60:.0f} min left",
            markup=False,
            highlight=False,
        )


def chosen_learners(
    names: str, experiment: str, console: Console, *, is_quick: bool = False
) -> list[Learner]:
    """Return the learners that can run; say why the others cannot.

    All of them are without variants in a quick run, but for gaps, which are measured by form.
    """
    known = all_learners()
    leaves_out = is_quick and experiment != "gaps"
    every = [name for name, one in known.items() if not (leaves_out and one.is_variant)]
    wanted = every if names == "all" else names.split(",")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"No learner {unknown[0]!r}. There are: {', '.join(known)}.")
    chosen = []
    for learner in (known[name] for name in wanted):
        reason = learner.available()
        if reason:
            console.print(f"{learner.name} cannot run here: {reason}", markup=False)
        elif experiment != "gaps" or learner.form:
            chosen.append(learner)
    return chosen


def chosen_data(names: str) -> list[str]:
    """Return the names of data sets that a word or a list stands for."""
    groups = {"small": data.SMALL, "large": data.LARGE, "all": data.SMALL + data.LARGE}
    if names in groups:
        return [one.name for one in groups[names]]
    return [data.find(name).name for name in names.split(",")]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learners.run", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--experiment", choices=(*EXPERIMENTS, "all"), default="all")
    parser.add_argument("--quick", action="store_true", help="two folds, short limits")
    parser.add_argument("--data", default="small", help="small, large, all, or names with commas")
    parser.add_argument("--learners", default="all", help="all, or names with commas")
    parser.add_argument("--folds", help="numbers from 0 to 9 with commas (default: all of them)")
    parser.add_argument("--seconds", type=float, help="limit of one task on a small data set")
    parser.add_argument("--seconds-for-large", type=float, help="the same on a large one")
    parser.add_argument("--gibibytes", type=float, default=8, help="limit of memory (default 8)")
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count() or 1, help="tasks at a time")
    parser.add_argument("--retry", action="store_true", help="repeat tasks that did not end well")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    preset = QUICK if options.quick else FULL
    folds = tuple(int(f) for f in options.folds.split(",")) if options.folds else preset.folds
    settings = Settings(
        preset.name,
        options.seconds or preset.seconds,
        options.seconds_for_large or preset.seconds_for_large,
        folds,
        options.gibibytes,
    )
    console = Console(stderr=True, soft_wrap=True)
    files = {kind: ResultFile(options.output / f"learners_{kind}.csv", kind) for kind in MEASURED}
    for experiment in EXPERIMENTS if options.experiment == "all" else (options.experiment,):
        learners = chosen_learners(options.learners, experiment, console, is_quick=options.quick)
        Run(
            experiment,
            settings,
            chosen_data(options.data),
            learners,
            files,
            options.n_jobs,
            console,
            options.retry,
        ).go()


if __name__ == "__main__":
    main()
