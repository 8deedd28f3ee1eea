"""How the learners stand over many data sets: mean ranks, accuracies and complexities.

A learner takes part where it has every fold of every data set of the group. One entry of ours
alone: several would push each rival down more than once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from benchmarks import data
from benchmarks.learners.duels import Lead
from benchmarks.learners.fronts import NO_RULES
from benchmarks.learners.summaries import (
    OURS,
    Mean,
    averaged,
    label,
    readable_learners,
    rivals,
    variants,
)
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.learners.accuracy import Accuracy

GROUPS = {
    "small": [one.name for one in data.SMALL],
    "all": [one.name for one in data.SMALL + data.LARGE],
}
LEVEL = 0.05
Cells = dict[tuple[str, str], dict[str, float]]


@dataclass(frozen=True)
class Standing:
    """One learner: means over data sets of its means over folds, each with its standard error."""

    name: str
    rank: float
    accuracy: Mean
    complexity: Mean | None


@dataclass(frozen=True)
class Standings:
    """All that take part, best rank first."""

    data: list[str]
    learners: list[Standing]
    absent: list[str]
    critical_difference: float
    p_value: float
    leads: dict[str, Lead]  # of ours over each of the others
    leads_of_absent: dict[str, tuple[int, Lead]]  # and on so many data sets, where they are whole

    @classmethod
    def of(cls, measured: Accuracy, group: str) -> Standings | None:
        """Rank who has every cell of a group; None where ours or every rival is missing."""
        names = GROUPS[group]
        seen = [name for name in (OURS, *rivals()) if name in measured.learners]
        whole = [n for n in seen if _is_whole(measured.accuracy, names, n, measured.n_folds)]
        if OURS not in whole or len(whole) < 2:
            return None
        means = np.array([[_mean(measured.accuracy, d, n).value for n in whole] for d in names])
        # Rounded, for sums in another order are no better or worse.
        ranks = rankdata(-means.round(6), axis=1).mean(axis=0)
        learners = [
            Standing(
                name,
                float(ranks[k]),
                _over(measured.accuracy, names, name),
                _over(measured.complexity, names, name)
                if _is_whole(measured.complexity, names, name, measured.n_folds)
                else None,
            )
            for k, name in enumerate(whole)
        ]
        absent = [name for name in seen if name not in whole]
        elsewhere = {
            n: [d for d in names if _is_whole(measured.accuracy, [d], n, measured.n_folds)]
            for n in absent
        }
        return cls(
            names,
            sorted(learners, key=lambda one: one.rank),
            absent,
            critical_difference(len(whole), len(names)),
            float(friedmanchisquare(*means.T).pvalue) if len(whole) > 2 else math.nan,
            {n: Lead.of(measured, names, OURS, n) for n in whole if n != OURS},
            {n: (len(ds), Lead.of(measured, ds, OURS, n)) for n, ds in elsewhere.items() if ds},
        )

    def ours(self) -> Standing:
        """Return our entry."""
        return next(one for one in self.learners if one.name == OURS)

    def table(self) -> str:
        """Write who stands where, and who is missing."""
        lines = [
            [
                one.name,
                f"{one.rank:.2f}",
                f"{one.accuracy.value:.2f} ({one.accuracy.error:.2f})",
                f"{one.complexity.value:.1f} ({one.complexity.error:.1f})"
                if one.complexity
                else "-",
            ]
            for one in self.learners
        ]
        text = markdown(["learner", "mean rank", "accuracy", "complexity"], lines)
        text += f"\n\nOver {', '.join(map(label, self.data))}."
        if self.absent:
            text += f" Without every fold, and so not ranked: {', '.join(self.absent)}."
        return text

    def significance(self) -> str:
        """Say how far apart two mean ranks must be."""
        said = f"{len(self.data)} data sets and {len(self.learners)} learners: "
        said += f"Friedman's test has p = {self.p_value:.1g}; two mean ranks differ at the level "
        return said + f"of {LEVEL:.0%} (Nemenyi) if they are {self.critical_difference:.2f} apart."


def means_of_variants(measured: Accuracy) -> str:
    """Write means over the small data sets of ours, and how much each has more, fold by fold.

    With the commit: what differs by it may not be the choice alone.
    """
    names = GROUPS["small"]
    whole = [n for n in variants() if _is_whole(measured.accuracy, names, n, measured.n_folds)]
    if OURS not in whole:
        return "Not measured yet."
    lines = []
    for name in whole:
        accuracy = _over(measured.accuracy, names, name)
        complexity = _over(measured.complexity, names, name)
        gain = averaged([Mean.of(measured.gains(one, name, OURS)) for one in names])
        more = "-" if name == OURS else f"{gain.value:+.2f} ({gain.error:.2f})"
        cells = [f"{accuracy.value:.2f} ({accuracy.error:.2f})", more]
        commits = {
            row["commit"]
            for row in measured.rows
            if row["learner"] == name and row["data"] in names
        }
        cells.append(f"{complexity.value:.1f} ({complexity.error:.1f})")
        lines.append([name, *cells, ", ".join(sorted(commits))])
    head = ["learner", "accuracy", "more than ours as users get it", "complexity", "commit"]
    return markdown(head, lines)


def critical_difference(n_learners: int, n_data: int) -> float:
    """Return how far apart two mean ranks must be to differ (Nemenyi; Demšar, 2006).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = studentized_range.ppf(1 - LEVEL, n_learners, math.inf) / math.sqrt(2)
    return float(q * math.sqrt(n_learners * (n_learners + 1) / (6 * n_data)))


def cliques(learners: Sequence[Standing], difference: float) -> list[tuple[int, int]]:
    """Return the longest runs of learners whose ranks do not differ, as first and last place."""
    runs: list[tuple[int, int]] = []
    for first, one in enumerate(learners):
        close = [k for k, o in enumerate(learners) if 0 <= o.rank - one.rank <= difference]
        last = max(close)
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def headline(small: Standings, every: Standings | None) -> str:
    """Say in three sentences what we win, what we lose, and on what it rests."""
    widest = every or small
    return f"{_won(widest)} {_lost(widest)} {RESTS_ON}"


def _won(of: Standings) -> str:
    ours, readable = of.ours(), [n for n in readable_learners() if n not in (OURS, NO_RULES)]
    others = [one for one in of.learners if one.name in readable]
    best = max(others, key=lambda one: one.accuracy.value)
    is_partial = any(name in readable for name in of.absent)
    those = f"{len(others)} other learner{'s' if len(others) > 1 else ''} of readable rules"
    those += " that have every fold there" if is_partial else ""
    apart = [one.name for one in others if one.rank - ours.rank > of.critical_difference]
    text = f"Over {len(of.data)} data sets boolrules has {_said(ours)} on rows left out, "
    if best.accuracy.value >= ours.accuracy.value:
        return f"{text}behind {best.name} with {_said(best)}."
    lead = of.leads[best.name]
    return (
        f"{text}more than the {those}: the best of them is {best.name} with {_said(best)}, "
        f"{lead.value:.1f} less (standard error {lead.error_over_folds:.1f} over folds, "
        f"{lead.error_over_data:.1f} over data sets), and by mean rank "
        f"{'only ' + ', '.join(apart) if apart else 'none'} of them "
        f"{'are' if len(apart) > 1 else 'is'} behind by more than chance."
    )


def _lost(of: Standings) -> str:
    ours, readable = of.ours(), readable_learners()
    ahead = [
        f"{one.name} {one.accuracy.value:.1f} %"
        for one in sorted(of.learners, key=lambda one: -one.accuracy.value)
        if one.name not in readable and one.accuracy.value > ours.accuracy.value
    ]
    ranked = [
        one.name
        for one in of.learners
        if one.rank < ours.rank and one.accuracy.value <= ours.accuracy.value
    ]
    simpler = [
        one.name
        for one in of.learners
        if one.complexity and ours.complexity and one.complexity.value < ours.complexity.value
        if one.name != NO_RULES
    ]
    lost = (
        f"Models that nobody reads have more ({', '.join(ahead)})" if ahead else "Nobody has more"
    )
    elsewhere = [
        f"{name} ({-lead.value:.1f} more over {n_data})"
        for name, (n_data, lead) in of.leads_of_absent.items()
        if lead.value < 0
    ]
    if elsewhere:
        lost += f", and so {_has(elsewhere)} {', '.join(elsewhere)}, without every fold there"
    better = f", {', '.join(ranked)} {_has(ranked)} a better mean rank" if ranked else ""
    shorter = f"{', '.join(simpler) or 'nobody'} {_has(simpler)} shorter rules"
    return f"{lost}{better}, and {shorter}."


def _has(names: Sequence[str]) -> str:
    return "have" if len(names) > 1 else "has"


RESTS_ON = (
    "It rests on ten folds of each data set, the same for all, with nothing chosen on the rows "
    "left out; but our defaults were made on these tables, and ours chooses between ten and "
    "thirty quantiles as thresholds where other learners of rules have ten."
)


def _said(one: Standing) -> str:
    text = f"{one.accuracy.value:.1f} %"
    return text + (f" at complexity {one.complexity.value:.1f}" if one.complexity else "")


def _is_whole(cells: Cells, names: Sequence[str], learner: str, n_folds: int) -> bool:
    return all(len(cells.get((one, learner), {})) == n_folds for one in names)


def _mean(cells: Cells, one: str, learner: str) -> Mean:
    return Mean.of(list(cells[one, learner].values()))


def _over(cells: Cells, names: Sequence[str], learner: str) -> Mean:
    return averaged([_mean(cells, one, learner) for one in names])
