"""The CSV files of results: appended row by row, read back when a run goes on."""

from __future__ import annotations

import csv
import io
import os
import threading
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS = Path(__file__).resolve().parents[1] / "results"
KEY = ("settings", "data", "learner", "fold")
MEASURED = {
    "accuracy": ("parameter", "inner_accuracy", "accuracy", "train_accuracy", "complexity"),
    "fronts": ("parameter", "inner_accuracies", "accuracy", "train_accuracy", "complexity"),
    "times": ("parameter", "complexity"),
    "gaps": ("complexity", "loss", "bound", "gap", "argument"),
}
FACTS = ("n_train", "n_conditions", "seed", "limit", "machine", "versions", "commit", "date")
DONE = "done"
BEST = "boolrules best"
FORMS = ("boolrules DNF", "boolrules CNF")


def fields(experiment: str) -> tuple[str, ...]:
    """Return the columns of an experiment."""
    return (*KEY, "status", *MEASURED[experiment], "seconds", *FACTS)


class ResultFile:
    """A CSV file that many threads append to and that a kill cannot spoil.

    Rows are written with one system call each; what a kill left of a line is cut off on opening,
    and what it left of the first line is written anew. A file of other columns is not touched.
    """

    def __init__(self, path: Path, experiment: str) -> None:
        self.path, self.fields = path, fields(experiment)
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        header = self._lines([dict(zip(self.fields, self.fields, strict=True))])
        content = path.read_bytes() if path.exists() else b""
        if not content.strip() or header.startswith(content):
            path.write_bytes(header)
            return
        self._check_columns(content)
        self._cut_off_broken_line(content)

    def _check_columns(self, content: bytes) -> None:
        head = content.decode(errors="replace").splitlines()[0].split(",")
        if tuple(head) != self.fields:
            raise ValueError(
                f"{self.path} has columns {head} and not {list(self.fields)}. Move it away, or "
                "name another folder with --output."
            )

    def _cut_off_broken_line(self, content: bytes) -> None:
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            with self.path.open("r+b") as file:
                file.truncate(whole)

    def _lines(self, rows: Iterable[dict[str, Any]]) -> bytes:
        text = io.StringIO()
        csv.DictWriter(text, self.fields, lineterminator="\n").writerows(rows)
        return text.getvalue().encode()

    def append(self, rows: list[dict[str, Any]]) -> None:
        """Write the rows of one task, all or none of them."""
        with self._lock, self.path.open("ab", buffering=0) as file:
            file.write(self._lines(rows))
            os.fsync(file.fileno())

    def read(self) -> list[dict[str, str]]:
        """Return every row."""
        return read_rows(self.path)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return every row of a CSV file, or none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def with_best(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Add the better of our two forms, wherever both were run.

    Better on the rows left out to choose a parameter with. Of equal ones DNF.
    """
    pairs: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for row in rows:
        if row["learner"] in FORMS and row["status"] == DONE and _inner_scores(row):
            point = "" if "inner_accuracy" in row else row["parameter"]
            pairs.setdefault((row["settings"], row["data"], row["fold"], point), {})[
                row["learner"]
            ] = row
    best = []
    for pair in pairs.values():
        if len(pair) == len(FORMS):
            both = [pair[name] for name in FORMS]
            # Rounded as in estimators.choice: sums in another order make no other choice.
            chosen = max(both, key=lambda row: round(fmean(_inner_scores(row)), 12))
            seconds = sum(float(row["seconds"]) for row in both)
            best.append(chosen | {"learner": BEST, "seconds": f"{seconds:g}"})
    return rows + best


def _inner_scores(row: dict[str, str]) -> list[float]:
    """Return the mean of an accuracy row, or what a point of a front has on each split."""
    return [
        float(score)
        for score in (row.get("inner_accuracy") or row.get("inner_accuracies", "")).split()
    ]


def read_results(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return the rows of each experiment: those of a full run, or else of a quick one.

    A task that was killed while it wrote was run again: of equal rows the last counts.
    """
    results = {}
    for kind in MEASURED:
        rows = read_rows(folder / f"learners_{kind}.csv")
        full = [row for row in rows if row["settings"] == "full"] or rows
        names = (*KEY, "parameter") if kind == "fronts" else KEY
        last = {tuple(row[name] for name in names): row for row in full}
        has_best = kind in ("accuracy", "fronts")
        results[kind] = with_best([*last.values()]) if has_best else list(last.values())
    return results
