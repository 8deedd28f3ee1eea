"""Tables from the CSV files of results, no number typed.

They go to ``benchmarks/results/learners.md``, and into the marked places of the page in ``docs``.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import data
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import DONE, RESULTS, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

PAPER = Path(__file__).with_name("paper.csv")
IN_PAPER = {"bank-mkt-additional": "bank-mkt"}  # which of the two the paper used: see the data
OURS = "boolrules DNF"
UNREADABLE = ("RF", "LR", "SVM")
PAGE = Path(__file__).resolve().parent / "evaluation.md"
KINDS = ("accuracy", "fronts", "gaps")
Row = dict[str, str]


@dataclass(frozen=True)
class Mean:
    """A mean over folds with its standard error."""

    value: float
    error: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Average; the error of one value alone is not a number."""
        numbers = np.array(values, dtype=float)
        spread = float(numbers.std(ddof=1)) if len(numbers) > 1 else math.nan
        error = spread / math.sqrt(len(numbers))
        return cls(float(numbers.mean()), error, len(numbers))

    def text(self, n_folds: int) -> str:
        """Write as the paper does; fewer folds than the others have are told."""
        if self.n == 1:
            return f"{self.value:.1f} (1 fold)"
        short = "" if self.n == n_folds else f", {self.n} folds"
        return f"{self.value:.1f} ({self.error:.1f}{short})"


def paper_values() -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return the printed value and error by measure, data set, learner; Tables 1 and 2 first."""
    with PAPER.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    values: dict[tuple[str, str, str], tuple[float, float]] = {}
    for row in rows:
        key = row["measure"], row["data"], row["learner"]
        values.setdefault(key, (float(row["value"]), float(row["standard_error"])))
    return values


def by_fold(rows: Iterable[Row], field: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the values of a column by data set and learner, then by fold."""
    values: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["status"] == DONE and row[field]:
            values[row["data"], row["learner"]][row["fold"]] = float(row[field])
    return values


def label(name: str) -> str:
    """Name a data set, and say so where it is not whole."""
    return name if data.find(name).is_complete else f"{name} (partial)"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    parts = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(part) + " |" for part in parts)


class Accuracy:
    """The second experiment: nested cross-validation."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        order = [one.name for one in data.SMALL + data.LARGE + data.VARIANTS]
        self.data = sorted({row["data"] for row in rows}, key=order.index)
        known = list(all_learners())
        seen = {row["learner"] for row in rows}
        self.learners = [name for name in known if name in seen]
        self.accuracy = {
            key: {fold: 100 * value for fold, value in folds.items()}
            for key, folds in by_fold(rows, "accuracy").items()
        }
        self.complexity = by_fold(rows, "complexity")
        self.seconds = by_fold(rows, "seconds")
        self.n_folds = len({row["fold"] for row in rows})

    def table(self, measure: str, *, readable: bool = True) -> str:
        """Write a measure with the paper's printed value beside it, in square brackets.

        Either of the learners of rules and trees, or of the others.
        """
        values = {"accuracy": self.accuracy, "complexity": self.complexity}[measure]
        paper, learners = paper_values(), all_learners()
        of_kind = [n for n in self.learners if (n in UNREADABLE) != readable]
        names = [n for n in of_kind if any((d, n) in values for d in self.data)]
        lines = []
        for one in self.data:
            cells = [label(one)]
            for name in names:
                folds = values.get((one, name))
                cell = (
                    Mean.of(list(folds.values())).text(self.n_folds)
                    if folds
                    else self.why(one, name)
                )
                printed = paper.get(
                    (measure, IN_PAPER.get(one, one), learners[name].in_paper or "")
                )
                if printed and data.find(one).is_complete:
                    cell += f" [{printed[0]:.1f}]"
                cells.append(cell)
            lines.append(cells)
        return markdown(["data", *names], lines)

    def why(self, one: str, name: str) -> str:
        """Say why there is no value: what the first fold ran into, or that it was not run."""
        found = [r["status"] for r in self.rows if r["data"] == one and r["learner"] == name]
        return found[0].split(":")[0] if found else "not run"

    def times(self) -> str:
        """Write the median seconds of a task: choosing the parameter and the last fit."""
        lines = []
        for one in self.data:
            medians = (self.seconds.get((one, name)) for name in self.learners)
            cells = (f"{np.median(list(m.values())):.1f}" if m else "-" for m in medians)
            lines.append([label(one), *cells])
        return markdown(["data", *self.learners], lines)

    def common(self, one: str, first: str, second: str) -> list[tuple[float, float]]:
        """Return the accuracies of two learners on the folds that both have."""
        a, b = (self.accuracy.get((one, name), {}) for name in (first, second))
        return [(a[fold], b[fold]) for fold in a if fold in b]

    def duels(self, ours: str) -> str:
        """Count wins, ties and losses of ours against each.

        A tie is a mean difference, fold by fold, within its standard error.
        """
        lines = []
        for name in self.learners:
            counts = {"win": [], "tie": [], "loss": []}  # type: dict[str, list[str]]
            for one in self.data:
                pairs = self.common(one, ours, name)
                if len(pairs) > 1 and name != ours:
                    gain = Mean.of([a - b for a, b in pairs])
                    counts[outcome(gain)].append(one)
            if any(counts.values()):
                record = " - ".join(str(len(counts[kind])) for kind in counts)
                lines.append([name, record, ", ".join(counts["loss"]) or "none"])
        return markdown(["against", "win - tie - loss", "lost on"], lines)

    def ranks(self) -> str:
        """Average the ranks over the data sets that every learner here completed."""
        names = [n for n in self.learners if any((d, n) in self.accuracy for d in self.data)]
        whole = [d for d in self.data if all(self._is_whole(d, n) for n in names)]
        if not whole:
            return "No data set is complete for every learner yet."
        means = np.array([[self._mean(d, n) for n in names] for d in whole])
        ranks = np.array([[_rank(line, value) for value in line] for line in means]).mean(axis=0)
        order = np.argsort(ranks, kind="stable")
        lines = [
            [
                names[k],
                f"{ranks[k]:.2f}",
                f"{means[:, k].mean():.2f}",
                self._complexity(whole, names[k]),
            ]
            for k in order
        ]
        text = markdown(["learner", "mean rank", "mean accuracy", "mean complexity"], lines)
        return f"{text}\n\nOver {len(whole)} data sets: {', '.join(map(label, whole))}."

    def _is_whole(self, one: str, name: str) -> bool:
        return len(self.accuracy.get((one, name), {})) == self.n_folds

    def _mean(self, one: str, name: str) -> float:
        return round(float(np.mean(list(self.accuracy[one, name].values()))), 6)

    def _complexity(self, whole: list[str], name: str) -> str:
        values = [
            list(self.complexity[d, name].values()) for d in whole if (d, name) in self.complexity
        ]
        return f"{np.mean([np.mean(v) for v in values]):.1f}" if values else "-"

    def against_paper(self, ours: str) -> str:
        """Hold our accuracy and complexity against the paper's CG."""
        paper, lines, n_kept, complexities = paper_values(), [], 0, []
        complete = [
            d for d in self.data if data.find(d).is_complete and (d, ours) in self.accuracy
        ]
        for one in complete:
            key = IN_PAPER.get(one, one)
            mean = Mean.of(list(self.accuracy[one, ours].values()))
            size = Mean.of(list(self.complexity[one, ours].values()))
            printed = paper.get(("accuracy", key, "CG"))
            simple = paper.get(("complexity", key, "CG"))
            if printed is None or simple is None:
                continue
            is_kept = bool(mean.value + mean.error >= printed[0])  # never with one fold
            n_kept += is_kept
            complexities.append((size.value, simple[0]))
            lines.append(
                [
                    one,
                    mean.text(self.n_folds),
                    f"{printed[0]:.1f} ({printed[1]:.1f})",
                    "yes" if is_kept else "no",
                    f"{size.value:.1f}",
                    f"{simple[0]:.1f}",
                ]
            )
        if not lines:
            return "Nothing to compare yet."
        head = ["data", "ours", "paper's CG", "as accurate within our standard error"]
        means = np.mean(complexities, axis=0)
        return (
            markdown([*head, "our complexity", "paper's"], lines)
            + f"\n\nAs accurate on {n_kept} of {len(lines)}; mean complexity {means[0]:.1f}, "
            f"the paper's {means[1]:.1f}."
        )


def outcome(gain: Mean) -> str:
    """Say whether a mean difference is a win, a tie or a loss."""
    if abs(gain.value) <= max(gain.error, 1e-9):
        return "tie"
    return "win" if gain.value > 0 else "loss"


def _rank(line: np.ndarray, value: float) -> float:
    """Return the rank of a value, equal ones sharing theirs; 1 is best."""
    return 1 + float((line > value).sum()) + (float((line == value).sum()) - 1) / 2


@dataclass(frozen=True)
class Point:
    """One parameter of one learner: means over folds."""

    complexity: Mean
    accuracy: Mean


def fronts(rows: list[Row]) -> dict[str, dict[str, list[Point]]]:
    """Return the points by data set and learner, from simple to complex."""
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["status"] == DONE and row["complexity"]:
            groups[row["data"], row["learner"], row["parameter"]].append(row)
    found: dict[str, dict[str, list[Point]]] = defaultdict(lambda: defaultdict(list))
    for (one, name, _), of_group in groups.items():
        complexity = Mean.of([float(row["complexity"]) for row in of_group])
        accuracy = Mean.of([100 * float(row["accuracy"]) for row in of_group])
        found[one][name].append(Point(complexity, accuracy))
    for of_data in found.values():
        for points in of_data.values():
            points.sort(key=lambda point: (point.complexity.value, -point.accuracy.value))
    return found


def efficient(points: Sequence[Point]) -> list[Point]:
    """Return the points that none beats: each more accurate than all simpler ones."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.complexity.value, -p.accuracy.value)):
        if not best or point.accuracy.value > best[-1].accuracy.value:
            best.append(point)
    return best


def dominates(
    ours: Sequence[Point], theirs: Sequence[Point], slack: Callable[[Point], float]
) -> bool:
    """Say whether for each efficient point of theirs we have one as simple and as accurate."""
    return all(
        any(
            a.complexity.value <= b.complexity.value + 1e-9
            and a.accuracy.value >= b.accuracy.value - slack(b) - 1e-9
            for a in ours
        )
        for b in efficient(theirs)
    )


def dominance(rows: list[Row], ours: str) -> str:
    """Say whose front ours dominates, data set by data set."""
    found, lines = fronts(rows), []
    rivals = [
        n for n in all_learners() if any(n in of for of in found.values()) and "boolrules" not in n
    ]
    n_all = {"strictly": 0, "within one standard error": 0}
    for one, of_data in found.items():
        if ours not in of_data:
            continue
        cells = [label(one)]
        kept = dict.fromkeys(n_all, True)
        for name in rivals:
            theirs = of_data.get(name)
            if theirs is None:
                cells.append("not run")
                kept = dict.fromkeys(kept, False)
                continue
            exact = dominates(of_data[ours], theirs, lambda point: 0.0)
            near = dominates(of_data[ours], theirs, lambda point: point.accuracy.error)
            kept["strictly"] &= exact
            kept["within one standard error"] &= near
            cells.append("yes" if exact else "within one s.e." if near else "no")
        for kind in n_all:
            n_all[kind] += kept[kind]
        lines.append(cells)
    if not lines:
        return "No front has been measured yet."
    said = ", ".join(f"{count} {kind}" for kind, count in n_all.items())
    return (
        markdown(["data", *rivals], lines)
        + f"\n\nAll of them on {said}, of {len(lines)} data sets; the paper's CG: 8 of 16."
    )


def gaps(rows: list[Row]) -> str:
    """Write what is proved on all rows at complexity 15; the paper prints one gap."""
    lines = []
    for row in rows:
        if row["status"] != DONE:
            lines.append([label(row["data"]), row["learner"], row["status"], *["-"] * 5])
            continue
        gap = f"{float(row['gap']):.1%}" if row["gap"] else "-"
        printed = "0.7%" if (row["data"], row["learner"]) == ("transfusion", OURS) else "-"
        lines.append(
            [
                label(row["data"]),
                row["learner"],
                f"{float(row['loss']):g}",
                f"{float(row['bound']):g}" if row["bound"] else "none",
                gap,
                printed,
                row["argument"],
                f"{float(row['seconds']):.1f}",
            ]
        )
    head = ["data", "learner", "loss", "bound", "gap", "paper's gap", "argument", "seconds"]
    return markdown(head, lines) if lines else "No gap has been measured yet."


def missing_learners(rows: Iterable[Row]) -> str:
    """List the learners without any result, with the reason."""
    seen = {row["learner"] for row in rows}
    missing = [one for one in all_learners().values() if one.name not in seen]
    lines = [f"- {one.name}: {one.available() or 'not run yet'}." for one in missing]
    return "\n".join(lines) or "None."


def facts_of(rows: list[Row]) -> str:
    """Name limits, machine, versions and commits of some rows."""

    def all_of(field: str) -> str:
        return "; ".join(dict.fromkeys(row[field] for row in rows))

    versions = dict.fromkeys(word for row in rows for word in row["versions"].split())
    folds = sorted({row["fold"] for row in rows})
    settings = "Quick settings" if rows[0]["settings"] == "quick" else "Full settings"
    return (
        f"{settings}: {len(rows)} rows, {'' if folds == ['all'] else 'folds '}"
        f"{', '.join(folds)} of ten; limit of a task {all_of('limit')}; machine "
        f"{all_of('machine')}; seed {all_of('seed')}; commit {all_of('commit')}; "
        f"{', '.join(versions)}."
    ).replace("all of ten", "all rows of the data")


def report(rows: Mapping[str, list[Row]]) -> dict[str, str]:
    """Return every table by name, as far as there are rows for it."""
    tables = {}
    if rows["accuracy"]:
        of = Accuracy(rows["accuracy"])
        tables |= {
            "facts": facts_of(of.rows),
            "accuracy": of.table("accuracy"),
            "accuracy of others": of.table("accuracy", readable=False),
            "complexity": of.table("complexity"),
            "paper": of.against_paper(OURS),
            "duels": of.duels(OURS),
            "duels of best": of.duels("boolrules best"),
            "ranks": of.ranks(),
            "seconds": of.times(),
        }
    if rows["fronts"]:
        tables["facts of fronts"] = facts_of(rows["fronts"])
        tables["fronts"] = dominance(rows["fronts"], OURS)
    if rows["gaps"]:
        tables["facts of gaps"] = facts_of(rows["gaps"])
        tables["gaps"] = gaps(rows["gaps"])
    tables["missing"] = missing_learners(rows["accuracy"])
    return tables


PICTURES = {
    "accuracy": "Accuracy of each learner on each data set, with the paper's CG as a black line",
    "fronts": "Accuracy over complexity for each data set",
}


def page_tables(rows: Mapping[str, list[Row]]) -> dict[str, str]:
    """Return the tables as the page shows them: some with a picture."""
    tables = report(rows)
    for name in PICTURES.keys() & tables.keys():
        tables[name] += f"\n\n![{PICTURES[name]}](evaluation_{name}.svg)"
    return tables


def read_results(folder: Path) -> dict[str, list[Row]]:
    """Return the rows of each experiment: those of a full run, or else of a quick one."""
    results = {}
    for kind in KINDS:
        rows = read_rows(folder / f"learners_{kind}.csv")
        full = [row for row in rows if row["settings"] == "full"]
        results[kind] = full or rows
    return results


def fill(text: str, tables: Mapping[str, str]) -> str:
    """Put each table between the marks that name it."""

    def replaced(match: re.Match[str]) -> str:
        table = tables.get(match[1], "Not measured yet.")
        return f"<!-- begin {match[1]} -->\n\n{table}\n\n<!-- end {match[1]} -->"

    return re.sub(r"<!-- begin ([\w ]+) -->.*?<!-- end \1 -->", replaced, text, flags=re.DOTALL)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learners.tables", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--output", type=Path, default=RESULTS)
    folder = parser.parse_args(arguments).output
    rows = read_results(folder)
    tables = report(rows)
    parts = ["Made by `make bench-paper` from the `learners_*.csv` files beside it.\n"]
    parts += [f"## {name.capitalize()}\n\n{table}\n" for name, table in tables.items()]
    (folder / "learners.md").write_text("\n".join(parts), encoding="utf-8")
    if folder == RESULTS:
        PAGE.write_text(fill(PAGE.read_text("utf-8"), page_tables(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
