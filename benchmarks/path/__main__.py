"""``make bench-path``: whole paths, and cross-validated ones, on the small data sets.

Each path goes from 2 to 30 within 60 s, and each 5-fold ``BooleanRuleClassifierCV`` has 180 s. How
far the points are proved is what counts. Killed and restarted, it goes on.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

from rich.console import Console

from benchmarks import data
from boolrules import BooleanRuleClassifierCV, complexity_path

RESULTS = Path(__file__).resolve().parents[1] / "results"
FIELDS = ("data", "what", "seconds", "points", "proved", "proved_to", "chosen", "losses", "bounds")


def proved_to(path):
    """The complexity up to which every point is proved optimal."""
    unproved = [point.max_complexity for point in path if not point.is_optimal]
    return min(unproved) - 1 if unproved else path[-1].max_complexity


def measured(name, what, n_jobs):
    """Learn one path, alone or cross-validated; return a row of the table."""
    X, y = data.load(next(subject for subject in data.SMALL if subject.name == name))
    started = time.monotonic()
    if what == "path":
        path, chosen = complexity_path(X, y, time_limit=60, n_jobs=n_jobs), ""
    else:
        model = BooleanRuleClassifierCV(cv=5, n_repeats=1, n_jobs=n_jobs, random_state=0)
        path, chosen = model.fit(X, y).path_, model.best_complexity_
    values = (
        name,
        what,
        round(time.monotonic() - started, 1),
        len(path),
        sum(point.is_optimal for point in path),
        proved_to(path),
        chosen,
        " ".join(f"{point.hamming_loss:g}" for point in path),
        " ".join("-" if p.lower_bound is None else f"{p.lower_bound:g}" for p in path),
    )
    return dict(zip(FIELDS, values, strict=True))


def table(rows):
    """Write the rows as a Markdown table."""
    lines = [
        "| data | what | seconds | points | proved | proved up to | chosen |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        lines.append("| " + " | ".join(str(row[name]) for name in FIELDS[:7]) + " |")
    return "\n".join(lines)


def main():
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--what", nargs="+", choices=["path", "cv"], default=["path", "cv"])
    parser.add_argument("--n-jobs", type=int, default=2, help="cores (default 2)")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    file, console = options.output / "path.csv", Console(stderr=True)
    rows = list(csv.DictReader(file.open())) if file.exists() else []
    for what in options.what:
        for subject in data.SMALL:
            if any((row["data"], row["what"]) == (subject.name, what) for row in rows):
                continue
            rows.append(measured(subject.name, what, options.n_jobs))
            with file.open("w", newline="") as written:
                writer = csv.DictWriter(written, FIELDS)
                writer.writeheader()
                writer.writerows(rows)
            console.print(f"{subject.name}, {what}: {rows[-1]['seconds']} s")
    text = table(rows)
    (options.output / "path.md").write_text(
        "# Paths on the small data sets\n\nMade by `make bench-path`: complexities 2 to 30, 60 s "
        f"for a path, 180 s with five folds (`cv`).\n\n{text}\n"
    )
    print(text)


if __name__ == "__main__":
    main()
