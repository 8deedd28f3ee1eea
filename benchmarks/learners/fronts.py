"""The first experiment: the points of trade-off fronts. See ``dominance`` for who is ahead."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.learners.registry.no_rules import NoRules
from benchmarks.learners.results import DONE, Row
from benchmarks.learners.summaries import Mean

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_RULES = NoRules.name


@dataclass(frozen=True)
class Point:
    """One parameter of one learner: means over folds, and the accuracy on each of them."""

    complexity: Mean
    accuracy: Mean
    by_fold: dict[str, float] = field(default_factory=dict)


def fronts(rows: list[Row]) -> dict[str, dict[str, list[Point]]]:
    """Return the points by data set and learner, from simple to complex."""
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["status"] == DONE and row["complexity"]:
            groups[row["data"], row["learner"], row["parameter"]].append(row)
    found: dict[str, dict[str, list[Point]]] = defaultdict(lambda: defaultdict(list))
    for (one, name, _), of_group in groups.items():
        complexity = Mean.of([float(row["complexity"]) for row in of_group])
        by_fold = {row["fold"]: 100 * float(row["accuracy"]) for row in of_group}
        accuracy = Mean.of(list(by_fold.values()))
        found[one][name].append(Point(complexity, accuracy, by_fold))
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


def on_common_folds(rows: list[Row], one: str, *names: str) -> list[Row]:
    """Return the rows of some learners on one data set, on the folds that all of them have.

    A learner has a fold if it has all of its parameters there.
    """
    kept = [r for r in rows if r["data"] == one and r["learner"] in names and r["status"] == DONE]
    folds: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name in names}
    for row in kept:
        folds[row["learner"]][row["parameter"]].add(row["fold"])
    if not all(folds.values()):
        return []
    common = set.intersection(*(f for of_learner in folds.values() for f in of_learner.values()))
    return [r for r in kept if r["fold"] in common]


def n_folds(rows: list[Row]) -> int:
    """Count the folds of some rows."""
    return len({row["fold"] for row in rows})
