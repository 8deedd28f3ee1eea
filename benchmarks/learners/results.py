"""The CSV files of results: appended row by row, read back when a run goes on."""

from __future__ import annotations

import csv
import io
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS = Path(__file__).resolve().parents[1] / "results"
KEY = ("settings", "data", "learner", "fold")
MEASURED = {
    "accuracy": (
        *("parameter", "inner_accuracy", "accuracy", "train_accuracy", "complexity"),
        *("brier", "log_loss", "loss", "bound", "gap"),
    ),
    "fronts": ("parameter", "accuracy", "train_accuracy", "complexity", "failure"),
    "times": ("parameter", "complexity"),
    "gaps": ("complexity", "loss", "bound", "gap", "argument"),
}
FACTS = ("n_train", "n_conditions", "seed", "limit", "machine", "versions", "commit", "date")
DONE = "done"
TRAINED = "train_accuracy"
Row = dict[str, str]


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

    def read(self) -> list[Row]:
        """Return every row."""
        return read_rows(self.path)


def read_rows(path: Path) -> list[Row]:
    """Return every row of a CSV file, or none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def with_forms(rows: list[Row]) -> list[Row]:
    """Take the better of both forms of a rival, or the one that was run.

    Better on the rows left out to choose its parameter, or on the training rows where none were.
    Of equal ones DNF. ``form`` says which was run, where the other was not.
    """
    chosen: dict[tuple[str, ...], Row] = {}
    for row in sorted(rows, key=lambda row: row["learner"].endswith("CNF")):
        name = as_one(row["learner"])
        key = (row["settings"], row["data"], name, row["fold"])
        other = chosen.get(key)
        form = {"form": row["learner"].removeprefix(name).strip()} if has_form(row) else {}
        chosen[key] = row | {"learner": name} | form if other is None else _better(other, row)
    return list(chosen.values())


def _better(dnf: Row, cnf: Row) -> Row:
    """Take one of two rows; both forms took their time."""
    if cnf["status"] != DONE or dnf["status"] != DONE:
        done = dnf if dnf["status"] == DONE else cnf
        return done | {"learner": dnf["learner"], "form": ""}
    field = "inner_accuracy" if dnf["inner_accuracy"] and cnf["inner_accuracy"] else TRAINED
    # Rounded: sums in another order make no other choice.
    best = cnf if round(float(cnf[field]), 12) > round(float(dnf[field]), 12) else dnf
    seconds = float(dnf["seconds"]) + float(cnf["seconds"])
    return best | {"learner": dnf["learner"], "form": "", "seconds": f"{seconds:g}"}


def with_points_of_forms(rows: list[Row]) -> list[Row]:
    """Give the front of a rival the points of both forms."""
    return [
        row
        | {"learner": as_one(row["learner"])}
        | ({"parameter": f"{row['learner'][-3:]} {row['parameter']}"} if has_form(row) else {})
        for row in rows
    ]


def has_form(row: Row) -> bool:
    """Say whether a row is of one form of a rival."""
    return as_one(row["learner"]) != row["learner"]


def as_one(name: str) -> str:
    """Name a rival without its form; ours are told apart by it.

    Examples
    --------
    >>> as_one("AM CNF"), as_one("boolrules CNF")
    ('AM', 'boolrules CNF')
    """
    return name if name.startswith("boolrules") else name.removesuffix(" DNF").removesuffix(" CNF")


JOINED = {"accuracy": with_forms, "fronts": with_points_of_forms}


def read_results(folder: Path) -> dict[str, list[Row]]:
    """Return the rows of each experiment: those of a full run, or else of a quick one.

    A task that was killed while it wrote was run again: of equal rows the last counts.
    """
    results = {}
    for kind in MEASURED:
        rows = read_rows(folder / f"learners_{kind}.csv")
        full = [row for row in rows if row["settings"] == "full"] or rows
        names = (*KEY, "parameter") if kind == "fronts" else KEY
        last = {tuple(row[name] for name in names): row for row in full}
        results[kind] = JOINED.get(kind, list)(list(last.values()))
    return results
