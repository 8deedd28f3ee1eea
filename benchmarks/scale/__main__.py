"""``make bench-scale``: Dask on worker processes of this machine, and a million rows without it.

``equal`` fits the small data sets both ways. ``rows`` fits generated tables of growing length, all
in one run, on workers with 4 GiB each. ``varied`` changes one thing at a time: columns,
thresholds, workers. ``million`` fits one file of a million rows in a process of its own. ``model``
fits the cost model to the points of ``rows`` and ``varied``, and writes the page.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars
from rich.console import Console

from benchmarks import data
from benchmarks.facts import FACTS, facts, said_of
from benchmarks.learners.results import read_rows
from benchmarks.markdown_tables import DOCS, fill_page, markdown
from boolrules import BooleanRuleClassifier, FeatureBinarizer
from boolrules.distributed import dask_workers

RESULTS = Path(__file__).resolve().parents[1] / "results"
N_COLUMNS = 20
PART = 500_000
# Clauses of two conditions: then the exact search ends, and every answer is proved.
PARAMETERS = {"max_complexity": 6, "max_conditions": 2, "time_limit": None, "random_state": 0}
WORKER_LIMIT = "4GiB"
CONSOLE = Console(stderr=True)


def generated(n_rows, seed, n_columns=N_COLUMNS):
    """Make numbers whose label is a rule set with a tenth of the labels flipped."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    is_positive = ((X[:, 0] > 0) & (X[:, 1] > 0.5)) | ((X[:, 2] < -0.5) & (X[:, 3] < 0.5))
    is_positive ^= random.random(n_rows) < 0.1
    frame = polars.DataFrame(X, [f"x{f}" for f in range(n_columns)])
    return frame.with_columns(target=polars.Series(is_positive))


def write_parts(folder, n_rows, n_columns):
    """Write a table as Parquet files of half a million rows."""
    for part, start in enumerate(range(0, n_rows, PART)):
        rows = generated(min(PART, n_rows - start), part, n_columns)
        rows.write_parquet(folder / f"part{part:05}.parquet")


@contextmanager
def cluster(n_workers):
    """Start worker processes on this machine, and end them."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            memory_limit=WORKER_LIMIT,
            dashboard_address=None,
        ) as made,
        Client(made) as client,
    ):
        yield client


def most_memory():
    """Most memory that this process ever held, in GiB.

    From Linux's own file: what ``resource`` says begins with the memory of whoever started it.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(peak) / 2**20


class Traffic:
    """Counts the questions that workers are asked, their seconds, and the bytes both ways."""

    def __init__(self):
        self.n, self.seconds, self.bytes_out, self.bytes_back = (Counter() for _ in range(4))
        self._ask, self._share = dask_workers.DaskWorkers.ask, dask_workers.DaskWorkers.share

    def __enter__(self):
        traffic = self

        def ask(self, question, *arguments, **options):
            started = time.monotonic()
            answer = traffic._ask(self, question, *arguments, **options)
            name = question.__name__
            traffic.n[name] += 1
            traffic.seconds[name] += time.monotonic() - started
            own = [a for a in arguments if type(a).__name__ != "Future"]
            traffic.bytes_out[name] += len(pickle.dumps(own))
            traffic.bytes_back[name] += len(pickle.dumps(answer))
            return answer

        def share(self, value):
            traffic.bytes_out["share"] += len(pickle.dumps(value))
            return traffic._share(self, value)

        dask_workers.DaskWorkers.ask, dask_workers.DaskWorkers.share = ask, share
        return self

    def __exit__(self, *_):
        dask_workers.DaskWorkers.ask, dask_workers.DaskWorkers.share = self._ask, self._share


def answer(model):
    """Loss, bound and rules."""
    certificate = model.certificate_
    rules = [str(clause) for clause in model.rule_set_.clauses]
    return certificate.hamming_loss, certificate.lower_bound, certificate.is_optimal, rules


def equal(options):
    """Fit every small data set on one machine and on workers, with the same thresholds."""
    from boolrules.distributed import table

    table.FEW_VALUES = 0  # or all of them would be learned from here
    rows = []
    with cluster(options.workers):
        for subject in data.SMALL:
            X, y = data.load(subject)
            one = BooleanRuleClassifier(options.complexity, time_limit=None)
            started = time.monotonic()
            one.fit(X, y)
            here = time.monotonic() - started
            thresholds = {
                f.name: list(f.thresholds)
                for f in one.encoding_.features
                if hasattr(f, "thresholds")
            }
            many = BooleanRuleClassifier(
                options.complexity,
                time_limit=None,
                engine="dask",
                binarizer=FeatureBinarizer(thresholds=thresholds),
            )
            started = time.monotonic()
            many.fit(X, y)
            there = time.monotonic() - started
            found, expected = answer(many), answer(one)
            rows.append(
                {
                    "data": subject.name,
                    "complexity": options.complexity,
                    "rows": len(X),
                    "loss": expected[0],
                    "bound": expected[1],
                    "proved": expected[2],
                    "dask_loss": found[0],
                    "dask_bound": found[1],
                    "dask_proved": found[2],
                    "equal": found[:3] == expected[:3],
                    "same_rules": sorted(found[3]) == sorted(expected[3]),
                    "verified": many.verify(X, y).holds,
                    "seconds": round(here, 1),
                    "dask_seconds": round(there, 1),
                }
            )
            CONSOLE.print(rows[-1])
    write(options.output / "scale_equal.csv", rows)


def fit_rows(n_rows, n_workers, n_columns=N_COLUMNS, thresholds="deciles"):
    """Fit a generated table on workers; return what it took."""
    from boolrules.distributed.rows import DaskRows
    from boolrules.distributed.table import DaskTable

    stages = Counter()

    def timed(name, function):
        def call(*arguments, **keywords):
            started = time.monotonic()
            result = function(*arguments, **keywords)
            stages[name] += time.monotonic() - started
            return result

        return call

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parts(folder, n_rows, n_columns)
        table_bytes = sum(file.stat().st_size for file in folder.iterdir())
        with cluster(n_workers) as client:
            kept = DaskTable.summary, DaskRows.record, DaskTable.partitions
            DaskTable.summary = timed("summary", kept[0])
            DaskRows.record = timed("check", kept[1])

            def partitions(self, *arguments):
                from distributed import wait

                started = time.monotonic()
                workers = kept[2](self, *arguments)
                wait(workers.partitions)
                stages["encode"] += time.monotonic() - started
                return workers

            DaskTable.partitions = partitions
            try:
                with Traffic() as traffic:
                    started = time.monotonic()
                    binarizer = FeatureBinarizer(thresholds=thresholds)
                    model = BooleanRuleClassifier(binarizer=binarizer, **PARAMETERS)
                    model.fit(str(folder), "target")
                    seconds = time.monotonic() - started
            finally:
                DaskTable.summary, DaskRows.record, DaskTable.partitions = kept
            most = max(client.run(most_memory).values())
    result, certificate = model.result_, model.certificate_
    row = {
        "rows": n_rows,
        "columns": n_columns,
        "conditions": len(model.conditions_),
        "workers": n_workers,
        "table_GB": round(table_bytes / 1e9, 2),
        "seconds": round(seconds, 1),
        "summary": round(stages["summary"], 1),
        "encode": round(stages["encode"], 1),
        "check": round(stages["check"], 1),
        "learn": round(result.seconds, 1),
        "rounds": len(result.trace),
        "clauses": len(result.columns),
        "questions": sum(traffic.n.values()),
        "asking": round(sum(traffic.seconds.values()), 1),
        "MB_out": round(sum(traffic.bytes_out.values()) / 1e6, 2),
        "MB_back": round(sum(traffic.bytes_back.values()) / 1e6, 2),
        "worker_GiB": round(most, 2),
        "client_GiB": round(most_memory(), 2),
        "loss": certificate.hamming_loss,
        "bound": certificate.lower_bound,
        "proved": certificate.is_optimal,
    }
    detail = [
        {
            "rows": n_rows,
            "question": name,
            "times": traffic.n[name],
            "seconds": round(traffic.seconds[name], 2),
            "MB_out": round(traffic.bytes_out[name] / 1e6, 3),
            "MB_back": round(traffic.bytes_back[name] / 1e6, 3),
        }
        for name in sorted(traffic.n, key=lambda name: -traffic.seconds[name])
    ]
    return row, detail


def rows(options):
    """Fit tables of growing length, in one run."""
    points, details = [], []
    for n_rows in options.rows:
        row, detail = fit_rows(n_rows, options.workers)
        points.append(row)
        details += detail
        CONSOLE.print(row)
        write(options.output / "scale_rows.csv", points)
        write(options.output / "scale_questions.csv", details)


def varied(options):
    """Change columns, thresholds and workers one at a time, in one run."""
    n_rows, n_workers = options.rows[0], options.workers
    changes = [
        {"n_columns": N_COLUMNS // 2},
        {"n_columns": N_COLUMNS * 2},
        {"thresholds": 5},
        {"thresholds": 20},
    ]
    points = []
    for workers, change in [(n_workers, c) for c in changes] + [(1, {})]:
        points.append(fit_rows(n_rows, workers, **change)[0])
        CONSOLE.print(points[-1])
        write(options.output / "scale_varied.csv", points)


def million(options):
    """Fit a million rows in a process of its own, from a file, without Dask."""
    points = []
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "million.parquet"
        generated(1_000_000, 0).write_parquet(file)
        for complexity, longest in ((6, 2), (10, None)):
            arguments = ["--max-complexity", str(complexity), "--time-limit", "60"]
            arguments += ["--memory-limit", "2GiB", "--json"]
            arguments += [] if longest is None else ["--max-conditions", str(longest)]
            code = (
                "import sys, time; from boolrules.cli.main import main; "
                "from benchmarks.scale.__main__ import most_memory; "
                "t = time.monotonic(); main(sys.argv[1:]); "
                "print(time.monotonic() - t, most_memory())"
            )
            command = [sys.executable, "-c", code, "fit", str(file), "--target", "target"]
            done = subprocess.run(
                [*command, *arguments], capture_output=True, text=True, check=True
            )
            *_, printed, measured = done.stdout.strip().splitlines()
            figures, (seconds, memory) = json.loads(printed), map(float, measured.split())
            points.append(
                {
                    "rows": figures["n_rows"],
                    "complexity": complexity,
                    "max_conditions": longest or "",
                    "seconds": round(seconds, 1),
                    "learn": figures["seconds"],
                    "GiB": round(memory, 2),
                    "loss": figures["hamming_loss"],
                    "bound": figures["lower_bound"],
                    "proved": figures["is_optimal"],
                    "stop": figures["stop_reason"],
                }
            )
            CONSOLE.print(points[-1])
    write(options.output / "scale_million.csv", points)


def write(path, points):
    """Write what was measured, and where it comes from."""
    measured_with = facts({name: version(name) for name in ("dask", "distributed")})
    write_rows(path, [point | measured_with for point in points])


def write_rows(path, rows):
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def table_of(points):
    """Write rows as a Markdown table, and where they come from."""
    shown = [name for name in points[0] if name not in FACTS]
    table = markdown(shown, [[str(point[name]) for name in shown] for point in points])
    said = said_of(points)
    return f"{table}\n\nMeasured on {said}." if said else table


# What each stage looks at: every value of its rows, or every condition on them.
STAGES = {"summary": "columns", "encode": "columns", "check": "columns", "asking": "conditions"}
UNIT = 1e8


def looked_at(point, per):
    """How much of the table each worker looks at, in hundreds of millions."""
    return float(point["rows"]) * float(point[per]) / float(point["workers"]) / UNIT


def fitted_model(points):
    """Return what each stage takes anyhow, and for what each worker looks at.

    Least squares of relative errors; no stage takes less than nothing anyhow.
    """
    far = {"rows": 1e9, "columns": N_COLUMNS, "conditions": 18 * N_COLUMNS, "workers": 100}
    model = []
    for stage, per in STAGES.items():
        seconds = np.array([float(p[stage]) for p in points])
        amount = np.array([looked_at(p, per) for p in points])
        slope, base = np.polyfit(amount, seconds, 1, w=1 / seconds)
        if base < 0:
            ratios = amount / seconds
            slope, base = ratios.sum() / (ratios**2).sum(), 0.0
        errors = (base + slope * amount) / seconds - 1
        model.append(
            {
                "stage": stage,
                "per_worker": f"rows x {per}",
                "seconds_anyhow": round(base, 2),
                "seconds_per_1e8": round(slope, 2),
                "median_error": f"{np.median(np.abs(errors)):.0%}",
                "largest_error": f"{np.abs(errors).max():.0%}",
                "predicted_1e9_rows_100_workers": round(base + slope * looked_at(far, per)),
            }
        )
    return model


PAGE = DOCS / "scale.md"
SHOWN = {
    "equal": "data rows loss bound dask_loss dask_bound same_rules verified seconds dask_seconds",
    "rows": "rows columns conditions workers seconds summary encode asking check rounds questions "
    "MB_out MB_back worker_GiB loss bound",
    "model": "stage per_worker seconds_anyhow seconds_per_1e8 median_error largest_error "
    "predicted_1e9_rows_100_workers",
    "million": "complexity max_conditions seconds learn GiB loss bound stop",
}


def points_of_model(folder):
    """Return what the cost model is fitted to."""
    return read_rows(folder / "scale_rows.csv") + read_rows(folder / "scale_varied.csv")


def page_tables(folder):
    """Return the tables of the page: of each file the columns that a reader wants."""
    tables = {}
    for name, fields in SHOWN.items():
        shown = fields.split()
        file = folder / f"scale_{name}.csv"
        points = points_of_model(folder) if name == "rows" else read_rows(file)
        if points:
            lines = [[point[field] or "-" for field in shown] for point in points]
            table = markdown([field.replace("_", " ") for field in shown], lines)
            said = said_of(points)
            tables[name] = f"{table}\n\nMeasured on {said}." if said else table
    return tables


def model(options):
    """Fit the cost model, and write the page."""
    parts = ["# Scale\n\nMade by `make bench-scale`."]
    titles = {
        "scale_equal.csv": "Equal answers on the small data sets",
        "scale_rows.csv": "Growing tables on worker processes",
        "scale_varied.csv": "Other columns, thresholds and workers",
        "scale_questions.csv": "What workers were asked",
        "scale_million.csv": "A million rows without Dask",
    }
    points = points_of_model(options.output)
    if len(points) > 1:
        write_rows(options.output / "scale_model.csv", fitted_model(points))
        titles["scale_model.csv"] = "The cost model"
    for name, title in titles.items():
        table = read_rows(options.output / name)
        if table:
            parts.append(f"## {title}\n\n{table_of(table)}")
    (options.output / "scale.md").write_text("\n\n".join(parts) + "\n")
    if options.output == RESULTS:
        fill_page(PAGE, page_tables(options.output))


def main():
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = {"equal": equal, "rows": rows, "varied": varied, "million": million, "model": model}
    parser.add_argument("what", nargs="*", choices=[*every, []], default=list(every))
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 3e6, 1e7])
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--complexity", type=int, default=5, help="of the small data sets")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.rows = [int(n) for n in options.rows]
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.what or every:
        every[name](options)


if __name__ == "__main__":
    main()
