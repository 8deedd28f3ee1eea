"""``make bench-path``: whole paths on the small data sets; the choice has ``make bench-choice``.

Each path goes from 2 to 30 within 60 s. How far the points are proved is what counts. Killed and
restarted, it goes on; ``--again`` measures anew what is there.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

from rich.console import Console

from benchmarks import data
from benchmarks.facts import FACTS, facts, said_of
from benchmarks.learners.results import read_rows
from benchmarks.markdown_tables import DOCS, fill_page, markdown
from boolrules import complexity_path

RESULTS = Path(__file__).resolve().parents[1] / "results"
PAGE = DOCS / "path.md"
FIELDS = ("data", "seconds", "points", "proved", "proved_to", "losses", "bounds")
SHOWN = ("data", "seconds", "points", "proved", "proved up to")


def proved_to(path):
    """The complexity up to which every point is proved optimal."""
    unproved = [point.max_complexity for point in path if not point.is_optimal]
    return min(unproved) - 1 if unproved else path[-1].max_complexity


def measured(name, n_jobs):
    """Learn one path; return a row of the table."""
    X, y = data.load(data.find(name))
    measured_with = facts()
    started = time.monotonic()
    path = complexity_path(X, y, time_limit=60, n_jobs=n_jobs)
    values = (
        name,
        round(time.monotonic() - started, 1),
        len(path),
        sum(point.is_optimal for point in path),
        proved_to(path),
        " ".join(f"{point.hamming_loss:g}" for point in path),
        " ".join("-" if p.lower_bound is None else f"{p.lower_bound:g}" for p in path),
    )
    return dict(zip(FIELDS, values, strict=True)) | measured_with


def table(rows):
    """Write the rows as a Markdown table, and where they come from."""
    lines = [[str(value) for value in list(row.values())[: len(SHOWN)]] for row in rows]
    return f"{markdown(SHOWN, lines)}\n\nMeasured on {said_of(rows)}."


def main():
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n-jobs", type=int, default=2, help="cores (default 2)")
    parser.add_argument("--again", action="store_true", help="measure anew what is there")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    file, console = options.output / "path.csv", Console(stderr=True)
    rows = [] if options.again else read_rows(file)
    for subject in data.SMALL:
        if subject.name in [row["data"] for row in rows]:
            continue
        rows.append(measured(subject.name, options.n_jobs))
        with file.open("w", newline="", encoding="utf-8") as written:
            writer = csv.DictWriter(written, (*FIELDS, *FACTS), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        console.print(f"{subject.name}: {rows[-1]['seconds']} s")
    text = table(rows)
    (options.output / "path.md").write_text(
        "# Paths on the small data sets\n\nMade by `make bench-path`: complexities 2 to 30, 60 s "
        f"for a path.\n\n{text}\n",
        encoding="utf-8",
    )
    if options.output == RESULTS:
        fill_page(PAGE, {"paths": text})
    print(text)


if __name__ == "__main__":
    main()
