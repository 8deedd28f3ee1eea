"""What each learner was allowed: its limits, and where its range of parameters was too short."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from benchmarks import data
from benchmarks.learners.learner import written
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import BEST, DONE
from benchmarks.learners.summaries import in_order, names_in_paper
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.learners.summaries import Row


def limits(rows: list[Row]) -> str:
    """Write the limit of a task of each learner, on small data sets and on large ones."""
    small = {one.name for one in data.SMALL}
    found: dict[tuple[str, bool], dict[str, None]] = defaultdict(dict)
    for row in rows:
        found[row["learner"], row["data"] in small][row["limit"]] = None
    seen = {learner for learner, _ in found} - {BEST}
    lines = [
        [name, *(_joined(found[name, is_small]) for is_small in (True, False))]
        for name in names_in_paper()
        if name in seen
    ]
    return markdown(["learner", "small data sets", "large data sets"], lines)


def _joined(limits: Iterable[str]) -> str:
    """Join limits such as "600 s 8 GiB", the shortest first."""
    return " or ".join(sorted(limits, key=lambda text: float(text.split()[0]))) or "-"


def ends(rows: list[Row], front_rows: list[Row]) -> str:
    """Name the learners that chose an end of their range on half of the folds or more."""
    ranges = _ranges(front_rows)
    chosen: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row["status"] == DONE and row["learner"] != BEST:
            chosen[row["data"], row["learner"]].append(row["parameter"])

    def at(end: int) -> Callable[[str, str], bool]:
        def is_often(one: str, name: str) -> bool:
            parameters = ranges(one, name)
            n_there = Counter(chosen[one, name])[parameters[end]]
            return len(parameters) > 1 and 2 * n_there >= len(chosen[one, name])

        return is_often

    lines = [
        f"- the {kind}: " + ("; ".join(_found(chosen, is_often)) or "nobody") + "."
        for kind, is_often in (("most complex", at(-1)), ("simplest", at(0)))
    ]
    return "\n".join(lines)


def _ranges(front_rows: list[Row]) -> Callable[[str, str], list[str]]:
    """Return the parameters of a learner on a data set: those of its front, or all it has."""
    of_front: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for row in front_rows:
        of_front[row["data"], row["learner"]][row["parameter"]] = None
    known = {one.name: [written(p) for p in one.parameters] for one in all_learners().values()}

    def parameters(one: str, name: str) -> list[str]:
        return list(of_front.get((one, name), ())) or known[name]

    return parameters


def _found(
    chosen: dict[tuple[str, str], list[str]], is_often: Callable[[str, str], bool]
) -> list[str]:
    parts = []
    for name in names_in_paper():
        those = [one for one in in_order(d for d, n in chosen if n == name) if is_often(one, name)]
        if those:
            parts.append(f"{name} on {', '.join(those)}")
    return parts
