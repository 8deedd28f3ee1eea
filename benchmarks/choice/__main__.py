"""``make bench-choice``: what the default choice costs and comes to, beside rivals.

First whole tables: seconds of ``BooleanRuleClassifierCV()`` on all cores, with what it chose and
whether that is proved. Then folds: every learner chooses and learns on the same outer folds, in
one run, one core each. Killed and restarted, it goes on; ``--again`` measures whole tables anew.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console

from benchmarks import data
from benchmarks.facts import FACTS, facts, said_of
from benchmarks.learners.results import DONE, read_rows
from benchmarks.markdown_tables import DOCS, fill_page, markdown

RESULTS = Path(__file__).resolve().parents[1] / "results"
RUN = Path(__file__).resolve().parents[1] / ".run" / "choice"
PAGE = DOCS / "path.md"
LEARNERS = ("boolrules", "JRip", "wittgenstein", "CART", "BooleanRuleCG", "no rules")
FIELDS = (
    *("data", "n_rows", "seconds", "form", "thresholds", "max_complexity", "n_rounds"),
    *("is_optimal", "held_out", "standard_error", "majority"),
    *FACTS,
)


def measured(name: str, n_jobs: int) -> dict[str, Any]:
    """Choose and learn on a whole table."""
    from boolrules import BooleanRuleClassifierCV
    from boolrules.solver.warm_up import warm_up, warm_up_fast_paths

    X, y = data.load(data.find(name), recode=True)
    warm_up()
    warm_up_fast_paths()
    measured_with = facts()
    started = time.monotonic()
    model = BooleanRuleClassifierCV(n_jobs=n_jobs, random_state=0).fit(X, y)
    seconds = round(time.monotonic() - started, 1)
    figures = model.held_out_
    return {
        "data": name,
        "n_rows": len(y),
        "seconds": seconds,
        **model.best_params_,
        "n_rounds": model.n_repeats_,
        "is_optimal": model.best_estimator_.model_.is_optimal,
        "held_out": round(figures.accuracy, 4),
        "standard_error": round(figures.standard_error, 4),
        "majority": round(figures.majority_accuracy, 4),
    } | measured_with


def time_tables(
    names: list[str], file: Path, n_jobs: int, console: Console, *, again: bool
) -> list[Any]:
    """Measure what the file does not have yet, or all of these tables again."""
    kept = read_rows(file)
    rows: list[dict[str, Any]] = [row for row in kept if not again or row["data"] not in names]
    for name in names:
        if name in [row["data"] for row in rows]:
            continue
        rows.append(measured(name, n_jobs))
        console.print(f"{name}: {rows[-1]['seconds']} s")
        with file.open("w", newline="", encoding="utf-8") as written:
            writer = csv.DictWriter(written, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return rows


def table_of_times(rows: list[dict[str, Any]]) -> str:
    """Write what whole tables took as Markdown."""
    head = ["data", "rows", "seconds", "chosen", "proved", "held-out accuracy %", "majority %"]
    order = [one.name for one in data.SMALL + data.LARGE]
    lines = []
    for row in sorted(rows, key=lambda row: order.index(row["data"])):
        form = str(row["form"]).upper()
        chosen = f"{form}, {row['thresholds'] or '-'} quantiles, {row['max_complexity']}"
        if float(row["max_complexity"]) == 0:
            chosen = "no rules"
        held_out, error = 100 * float(row["held_out"]), 100 * float(row["standard_error"])
        lines.append(
            [
                row["data"],
                str(row["n_rows"]),
                str(row["seconds"]),
                chosen,
                "optimal" if str(row["is_optimal"]) == "True" else "no",
                f"{held_out:.1f} ± {error:.1f}",
                f"{100 * float(row['majority']):.1f}",
            ]
        )
    return f"{markdown(head, lines)}\n\nMeasured on {said_of(rows)}."


def run_folds(names: str, folds: str, learners: str) -> None:
    """Let every learner choose and learn on the same outer folds."""
    command = [sys.executable, "-m", "benchmarks.learners.run", "--experiment", "accuracy"]
    command += ["--data", names, "--folds", folds, "--learners", learners, "--output", str(RUN)]
    subprocess.run(command, check=True)


def table_of_folds(rows: list[dict[str, str]]) -> str:
    """Write accuracy, complexity and seconds, means over the folds, as Markdown."""
    done = [row for row in rows if row["status"] == DONE]
    learners = [name for name in LEARNERS if name in {row["learner"] for row in done}]
    names = [one.name for one in data.SMALL + data.LARGE]
    lines = []
    for name in [n for n in names if n in {row["data"] for row in done}]:
        cells = [name]
        for learner in learners:
            of = [r for r in done if (r["data"], r["learner"]) == (name, learner)]
            cells.append(_cell(of) if of else "-")
        lines.append(cells)
    return markdown(["data", *learners], lines)


def _cell(rows: list[dict[str, str]]) -> str:
    """Accuracy in percent / complexity / seconds."""
    accuracy, complexity, seconds = (
        fmean(float(row[name] or "nan") for row in rows)
        for name in ("accuracy", "complexity", "seconds")
    )
    return f"{100 * accuracy:.1f} / {complexity:.0f} / {seconds:.1f} s"


def main() -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="small", help="small, large, all, or names with commas")
    parser.add_argument("--folds", default="0,1,2", help="outer folds (default 0,1,2)")
    parser.add_argument("--learners", default=",".join(LEARNERS), help="names with commas")
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count(), help="cores")
    parser.add_argument("--again", action="store_true", help="measure whole tables anew")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    groups = {"small": data.SMALL, "large": data.LARGE, "all": data.SMALL + data.LARGE}
    names = [one.name for one in groups.get(options.data, [])] or options.data.split(",")
    console = Console(stderr=True)
    file = options.output / "choice_times.csv"
    times = time_tables(names, file, options.n_jobs, console, again=options.again)
    if options.learners:
        run_folds(options.data, options.folds, options.learners)
    table = table_of_times(times)
    parts = [
        "Made by `make bench-choice`.",
        f"## Whole tables, {options.n_jobs} cores",
        table,
        "## The same outer folds: accuracy % / complexity / seconds on one core",
        table_of_folds(read_rows(RUN / "learners_accuracy.csv")),
    ]
    (options.output / "choice.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    if options.output == RESULTS:
        fill_page(PAGE, {"times of choice": table})
    print("\n\n".join(parts))


if __name__ == "__main__":
    main()
