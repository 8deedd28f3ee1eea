"""What each learner was allowed: its limits, and where its range of parameters was too short."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from benchmarks import data
from benchmarks.learners.learner import written
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import DONE, as_one
from benchmarks.learners.summaries import in_order, names_in_paper
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.learners.results import Row

ENDS = {"most complex": -1, "simplest": 0}


def limits(rows: list[Row]) -> str:
    """Write the limit of a task of each learner, on small data sets and on large ones."""
    small = {one.name for one in data.SMALL}
    found: dict[tuple[str, bool], dict[str, None]] = defaultdict(dict)
    for row in rows:
        found[row["learner"], row["data"] in small][row["limit"]] = None
    seen = {learner for learner, _ in found}
    lines = [
        [name, *(_joined(found[name, is_small]) for is_small in (True, False))]
        for name in names_in_paper()
        if name in seen
    ]
    stopped = [row for row in rows if row["status"].endswith("limit")]
    text = markdown(["learner", "small data sets", "large data sets"], lines)
    return f"{text}\n\nTasks that ran into a limit: {len(stopped) or 'none'}."


def _joined(limits: Iterable[str]) -> str:
    """Join limits such as "600 s 8 GiB", the shortest first."""
    return " or ".join(sorted(limits, key=lambda text: float(text.split()[0]))) or "-"


def ends(rows: list[Row], front_rows: list[Row]) -> str:
    """Name the learners that chose an end of their range on half of the folds or more."""
    ranges: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for row in front_rows:
        # The front of a rival has the points of two forms.
        parameter = row["parameter"].removeprefix("DNF ").removeprefix("CNF ")
        ranges[row["data"], row["learner"]][parameter] = None
    chosen: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row["status"] == DONE:
            chosen[row["data"], row["learner"]].append(row["parameter"])
    known = {
        as_one(one.name): [written(p) for p in one.parameters] for one in all_learners().values()
    }
    found: dict[str, dict[str, list[str]]] = {kind: defaultdict(list) for kind in ENDS}
    for (one, name), parameters in chosen.items():
        whole = list(ranges.get((one, name), known[name]))
        for kind, end in ENDS.items():
            if len(whole) > 1 and 2 * parameters.count(whole[end]) >= len(parameters):
                found[kind][name].append(one)
    return "\n".join(f"- the {kind}: {_listed(found[kind])}." for kind in ENDS)


def _listed(found: dict[str, list[str]]) -> str:
    """Write data sets by learner."""
    parts = [f"{n} on {', '.join(in_order(found[n]))}" for n in names_in_paper() if n in found]
    return "; ".join(parts) or "nobody"
