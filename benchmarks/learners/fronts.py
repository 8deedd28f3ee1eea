"""The first experiment: trade-off fronts, and which of them dominates which."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.learners.registry.no_rules import NoRules
from benchmarks.learners.results import DONE
from benchmarks.learners.summaries import Mean, Row, label, names_in_paper
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NO_RULES = NoRules.name


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
    """Say whether no efficient point of theirs lies above the line through ours.

    Lines, as in the picture: a mean complexity between two of ours is some folds at the one and
    some at the other. Before our first point there is nothing.
    """
    line = efficient(ours)
    x, y = ([p.complexity.value for p in line], [p.accuracy.value for p in line])
    return all(
        b.complexity.value >= x[0] - 1e-9
        and np.interp(b.complexity.value, x, y) >= b.accuracy.value - slack(b) - 1e-9
        for b in efficient(theirs)
    )


def on_common_folds(rows: list[Row], one: str, *names: str) -> list[Row]:
    """Return the rows of some learners on one data set, on the folds that all of them have."""
    kept = [r for r in rows if r["data"] == one and r["learner"] in names and r["status"] == DONE]
    folds = [{r["fold"] for r in kept if r["learner"] == name} for name in names]
    return [r for r in kept if r["fold"] in set.intersection(*folds)]


def n_folds(rows: list[Row]) -> int:
    """Count the folds of some rows."""
    return len({row["fold"] for row in rows})


def dominance(rows: list[Row], ours: str) -> str:
    """Say whose front ours dominates, data set by data set."""
    found, lines = fronts(rows), []
    rivals = [
        name
        for name, printed in names_in_paper().items()
        if printed != "CG"
        and name != NO_RULES
        and any(name in of_data for of_data in found.values())
    ]
    n_all = {"strictly": 0, "within one standard error": 0}
    for one, of_data in found.items():
        if ours not in of_data:
            continue
        cells = [label(one)]
        kept = dict.fromkeys(n_all, True)
        for name in rivals:
            if name not in of_data:
                cells.append("not run")
                kept = dict.fromkeys(kept, False)
                continue
            names = [n for n in (ours, name, NO_RULES) if n in of_data]
            common = on_common_folds(rows, one, *names)
            both = fronts(common)[one]
            line = both[ours] + both.get(NO_RULES, [])
            exact = dominates(line, both[name], lambda point: 0.0)
            # One fold has no standard error.
            near = exact or dominates(line, both[name], lambda point: point.accuracy.error)
            kept["strictly"] &= exact
            kept["within one standard error"] &= near
            said = "yes" if exact else "within one s.e." if near else "no"
            n = n_folds(common)
            few = "" if n == n_folds(rows) else f" ({n} fold{'s' * (n > 1)})"
            cells.append(said + few)
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
