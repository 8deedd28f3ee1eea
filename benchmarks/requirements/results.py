"""Three CSV files: whole small tables, their folds, and fronts of accuracy against fairness.

A row has a key, which names what was measured, what came out, and where. Mistakes are kept by
group and sign, so that folds can be added up.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from benchmarks import data
from benchmarks.learners.results import read_rows
from benchmarks.learners.summaries import DATA_ORDER
from boolrules import Requirement
from boolrules._support.table import read_table
from boolrules.data.standing import Standings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from boolrules.data.standing import Standing

RESULTS = Path(__file__).resolve().parents[1] / "results"
ASKED = ("precision >= 0.9", "recall >= 0.9")
MARGINS = ("0", "0.05")
COMPLEXITIES = (5, 10)
OPPORTUNITY, ODDS = "equal opportunity", "equalised odds"
NONE = "none"
EPSILONS = {OPPORTUNITY: (NONE, "0.1", "0.05", "0.025", "0.01", "0.005"), ODDS: ("0.025",)}
IN, OUT = "on offer", "left out"
WHOLE = "all"
OPTIMAL, IMPOSSIBLE, GAP, NOT_FOUND = "optimal", "impossible", "gap", "not found"
KEYS = {
    "small": ("data", "complexity", "requirement"),
    "folds": ("data", "requirement", "margin", "fold"),
    "fronts": ("data", "measure", "group_column", "epsilon", "fold"),
}
_PROVED = ("loss", "bound", "status", "seconds", "limit", "facts")
FIELDS = {
    "small": ("n_rows", "n_positives", "precision", "recall", *_PROVED),
    "folds": ("right", "of", "trained_right", "trained_of", *_PROVED),
    "fronts": (
        *("complexity", "max_conditions", "n_train", "accuracy", "wrong_by_group"),
        *("new_accuracy", "new_wrong_by_group", *_PROVED),
    ),
}

Key = tuple[str, ...]
Row = dict[str, str]
Rows = dict[Key, Row]


@dataclass(frozen=True)
class Front:
    """A table with a group column, and what is learned on it."""

    data: str
    group: str
    complexity: int
    max_conditions: int | None
    dropped: tuple[str, ...] = ()

    def load(self) -> tuple[Any, NDArray[np.bool_]]:
        """Return the table and whether each row is positive."""
        X, y = data.load(data.find(self.data), recode=True)
        return X.drop(*self.dropped), y


# fnlwgt is how many people a row stands for, and no trait of a person.
FRONTS = {
    front.data: front
    for front in (Front("adult", "sex", 15, 3, ("fnlwgt",)), Front("heart", "sex", 10, None))
}


@dataclass(frozen=True)
class Sheet:
    """One file. It is read anew before each change, and a kill leaves it whole."""

    path: Path
    part: str

    def read(self) -> Rows:
        """Return every row by its key, data sets in the order of all tables."""
        rows = {tuple(row[k] for k in KEYS[self.part]): row for row in read_rows(self.path)}
        return dict(sorted(rows.items(), key=lambda pair: DATA_ORDER.index(pair[0][0])))

    def put(self, key: Key, values: Mapping[str, Any]) -> None:
        """Write one row, in its place or at the end."""
        rows: dict[Key, Any] = dict(self.read())
        rows[key] = dict(zip(KEYS[self.part], key, strict=True)) | dict(values)
        self._write(rows)

    def forget(self, keys: Iterable[Key]) -> None:
        """Leave rows out, so that they are measured again."""
        gone = set(keys)
        self._write({key: row for key, row in self.read().items() if key not in gone})

    def _write(self, rows: Mapping[Key, Any]) -> None:
        text = io.StringIO()
        names = (*KEYS[self.part], *FIELDS[self.part])
        writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())
        new = self.path.with_suffix(".new")
        new.write_text(text.getvalue(), encoding="utf-8")
        os.replace(new, self.path)


def sheets(folder: Path) -> dict[str, Sheet]:
    """Name the files of a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    return {part: Sheet(folder / f"requirements_{part}.csv", part) for part in KEYS}


def by_group(groups: NDArray[Any], y: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> str:
    """Write how many positives (+) and negatives (-) of each group are mistaken, of how many."""
    parts = []
    for name in sorted(set(groups.tolist())):
        for sign, of_sign in (("+", y), ("-", ~y)):
            there = (groups == name) & of_sign
            parts.append(f"{name}{sign}:{int((wrong & there).sum())}/{int(there.sum())}")
    return " ".join(parts)


def added_up(texts: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Add up what ``by_group`` wrote: mistaken ones and all, by group and sign."""
    wrong: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for part in (part for text in texts for part in text.split()):
        name, _, share = part.rpartition(":")
        wrong[name] += int(share.split("/")[0])
        total[name] += int(share.split("/")[1])
    return {name: (wrong[name], total[name]) for name in total}


def gap(texts: Iterable[str], measure: str) -> Standing:
    """How far apart the groups are on all these rows together, at their furthest."""
    groups: list[str] = []
    labels: list[bool] = []
    answers: list[bool] = []
    for name, (wrong, total) in added_up(texts).items():
        is_positive = name.endswith("+")
        groups += [name[:-1]] * total
        labels += [is_positive] * total
        answers += [not is_positive] * wrong + [is_positive] * (total - wrong)
    asked = [Requirement.of(f"{measure} <= 1 between group")]
    table = read_table(polars.DataFrame({"group": groups}))
    found = Standings.of(asked, table, np.array(labels), np.array(answers)).standings
    return max((one for one in found if one.is_met is not None), key=lambda one: one.value or 0.0)


def left_out(rows: Rows, *key: str) -> list[Row]:
    """Return the folds of a front's point that have rules."""
    return [row for k, row in rows.items() if k[:-1] == key and row["new_accuracy"]]
