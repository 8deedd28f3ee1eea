"""The first experiment: trade-off fronts, and which of them dominates which."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.learners.results import DONE
from benchmarks.learners.summaries import Mean, Row, label, markdown, names_in_paper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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
        name
        for name, printed in names_in_paper().items()
        if printed != "CG" and any(name in of_data for of_data in found.values())
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
