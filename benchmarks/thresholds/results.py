"""One CSV file: a row for each data set, complexity and kind of thresholds.

A row has two parts, whole tables and folds, which are measured apart and may come from different
commits. What is measured is put into its row at once, and nothing else is touched.
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.learners.results import read_rows
from benchmarks.learners.summaries import DATA_ORDER

if TYPE_CHECKING:
    from collections.abc import Mapping

RESULTS = Path(__file__).resolve().parents[1] / "results"
KINDS = ("deciles", "all")
KEY = ("data", "complexity", "thresholds")
PARTS = {
    "fits": (
        *("n_rows", "n_positives", "n_conditions", "loss", "bound", "is_optimal", "seconds"),
        *("limit", "facts"),
    ),
    "folds": (
        *("fold_accuracies", "fold_majority", "folds_proved", "fold_seconds", "fold_limit"),
        "fold_facts",
    ),
}
FIELDS = (*KEY, *PARTS["fits"], *PARTS["folds"])

Row = dict[str, str]
Key = tuple[str, int, str]


def key_of(row: Mapping[str, Any]) -> Key:
    """Name a row."""
    return row["data"], int(row["complexity"]), row["thresholds"]


def place(key: Key) -> tuple[int, int, int]:
    """Put data sets in the order of all tables, and deciles before all thresholds."""
    name, complexity, kind = key
    return DATA_ORDER.index(name), complexity, KINDS.index(kind)


@dataclass(frozen=True)
class ThresholdFile:
    """The file of a folder. It is read anew before each change: two runs may share it."""

    path: Path

    @classmethod
    def of(cls, folder: Path) -> ThresholdFile:
        """Name the file of that folder, which is made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder / "thresholds.csv")

    def read(self) -> dict[Key, Row]:
        """Return every row, in order."""
        rows = {key_of(row): row for row in read_rows(self.path)}
        return {key: rows[key] for key in sorted(rows, key=place)}

    def has(self, part: str, key: Key) -> bool:
        """Whether a part of a row was measured."""
        row = self.read().get(key)
        return row is not None and bool(row[PARTS[part][-1]])

    def put(self, key: Key, values: Mapping[str, Any]) -> None:
        """Write values into a row and leave its other ones as they are."""
        rows: dict[Key, dict[str, Any]] = dict(self.read())
        named = dict(zip(KEY, key, strict=True))
        rows[key] = dict.fromkeys(FIELDS, "") | rows.get(key, {}) | named | dict(values)
        text = io.StringIO()
        writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[one] for one in sorted(rows, key=place))
        # Whole or not at all: what a kill leaves behind is the file before.
        new = self.path.with_suffix(".new")
        new.write_text(text.getvalue(), encoding="utf-8")
        os.replace(new, self.path)

    def forget(self, part: str, key: Key) -> None:
        """Empty a part of a row, so that it is measured again."""
        if self.has(part, key):
            self.put(key, dict.fromkeys(PARTS[part], ""))
