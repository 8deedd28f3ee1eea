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
    "accuracy": ("parameter", "inner_accuracy", "accuracy", "train_accuracy", "complexity"),
    "fronts": ("parameter", "inner_accuracy", "accuracy", "train_accuracy", "complexity"),
    "gaps": ("complexity", "loss", "bound", "gap", "argument"),
}
FACTS = ("n_train", "n_conditions", "seed", "limit", "machine", "versions", "commit", "date")
DONE = "done"


def fields(experiment: str) -> tuple[str, ...]:
    """Return the columns of an experiment."""
    return (*KEY, "status", *MEASURED[experiment], "seconds", *FACTS)


class ResultFile:
    """A CSV file that many threads append to and that a kill cannot spoil.

    Rows are written with one system call each; what a kill left of a line is cut off on opening.
    """

    def __init__(self, path: Path, experiment: str) -> None:
        self.path, self.fields = path, fields(experiment)
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or not path.read_bytes().strip():
            path.write_bytes(self._lines([dict(zip(self.fields, self.fields, strict=True))]))
        self._cut_off_broken_line()
        head = path.read_text(encoding="utf-8").splitlines()[0].split(",")
        if tuple(head) != self.fields:
            raise ValueError(
                f"{path} has columns {head} and not {list(self.fields)}. Move it away, or name "
                "another folder with --output."
            )

    def _cut_off_broken_line(self) -> None:
        content = self.path.read_bytes()
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
