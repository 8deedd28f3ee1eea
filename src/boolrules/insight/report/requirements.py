"""What the rules had to meet: what came of it on the rows given, and on rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boolrules.data.standing import Standings
from boolrules.insight.report.facts import RequirementFacts, RequirementsFacts, StandingFacts
from boolrules.rules.condition import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.data.labelled_rows import BinaryRows, LabelledRows
    from boolrules.data.requirement import Requirement
    from boolrules.data.standing import Standing
    from boolrules.insight.report.held_out import Fold
    from boolrules.model.model import Model

# What figures may be closer than to count as the same.
DUST = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """How rules learned anew, under the same requirements, stand to them on rows left out.

    Parameters
    ----------
    standings : Standings
        All folds together.
    n_judged, n_rows : float
        The weight of the rows left out, and of all: limits on numbers of rows speak of all.
    is_in_proportion : bool
        Whether limits on numbers of rows were lower where rules were learned from fewer rows.
    description : str
        What folds there were, if it is to be said.
    """

    standings: Standings
    n_judged: float
    n_rows: float
    is_in_proportion: bool = True
    description: str = ""


def judge_requirements(
    folds: Sequence[Fold], place: int, model: Model, rows: LabelledRows
) -> LeftOut | None:
    """Add up what the folds say of one complexity; None where they do not know their answers."""
    answers, left_out = [], []
    for fold in folds:
        if fold.answers is None or fold.left_out is None or not fold.is_separate:
            return None
        answers.append(fold.answers[place])
        left_out.append(fold.left_out)
    if not answers or not model.requirements:
        return None
    positive = model.rule_sets[0].positive
    places, sides = np.concatenate(left_out), rows.against_rest(positive)
    standings = Standings.of(
        model.requirements,
        rows.table.rows(places),
        sides.is_positive[places],
        np.concatenate(answers) == model.classes.index(positive),
        sides.counts[places],
    )
    return LeftOut(standings, float(sides.counts[places].sum()), float(sides.counts.sum()))


def describe_requirements(
    model: Model,
    rows: LabelledRows,
    left_out: LeftOut | None,
    *,
    are_training_rows: bool,
    n_unmet: int = 0,
    n_folds: int = 0,
) -> RequirementsFacts | None:
    """Say what was asked and what came of it; None where nothing was asked.

    In ``n_unmet`` folds, beside the ``n_folds`` that there are, no rules were found that meet the
    requirements.
    """
    if not model.requirements:
        return None
    asked = [requirement.sentence() for requirement in model.requirements]
    absent = [r.column for r in model.requirements if r.column not in (None, *rows.table.names)]
    if absent:
        return RequirementsFacts(asked, [f"The rows given have no column {absent[0]!r}."], [])
    sides = rows.against_rest(model.rule_sets[0].positive)
    given = sides.standings(model.rule_sets[0], model.requirements)
    figures = _figures(given, left_out)
    return RequirementsFacts(
        asked,
        [
            *_said_of_given(model, sides, given, left_out, are_training_rows=are_training_rows),
            *_said_of_left_out(figures, left_out, n_unmet, n_unmet + n_folds),
        ],
        figures,
    )


def _figures(given: Standings, left_out: LeftOut | None) -> list[RequirementFacts]:
    """Put the two sides beside each other: the same figure of the same group."""
    other = {}
    if left_out is not None:
        times = left_out.n_rows / left_out.n_judged
        other = {_key(one): _facts(one, times) for one in left_out.standings.standings}
    return [
        RequirementFacts(
            requirement=str(one.requirement),
            figure=one.figure,
            group=one.group or "all rows",
            limit="" if one.is_met is None else _limit(one.requirement),
            is_share=one.requirement.measure.is_share,
            given=_facts(one),
            left_out=other.get(_key(one)),
        )
        for one in given.standings
    ]


def _key(standing: Standing) -> tuple[Requirement, str, str | None]:
    return standing.requirement, standing.figure, standing.group


def _facts(standing: Standing, times: float = 1.0) -> StandingFacts:
    """Write a standing; a number of some of the rows as if it were of so many times as many."""
    requirement, value, is_met = standing.requirement, standing.value, standing.is_met
    if value is not None and not requirement.measure.is_share:
        value = value * times
        is_met = value <= requirement.limit + DUST
    short = None
    if is_met is False and value is not None:
        short = abs(value - requirement.limit)
    return StandingFacts(value, standing.n_rows, standing.interval, is_met, short)


def _limit(requirement: Requirement) -> str:
    return f"{requirement.measure.sign} {format_number(requirement.limit)}"


def _said_of_given(
    model: Model,
    sides: BinaryRows,
    given: Standings,
    left_out: LeftOut | None,
    *,
    are_training_rows: bool,
) -> list[str]:
    if not are_training_rows:
        n_broken = len(given.broken)
        found = "all of them hold here" if not n_broken else f"here {_limits(n_broken)} not kept"
        return [
            "The requirements held on the training rows, and these are other rows: "
            f"{found}, and by how much is shown."
        ]
    if not sides.meets(model.rule_sets[0], model.requirements):
        return ["On the training rows the requirements do not all hold, though they had to."]
    more = "." if left_out is None else "; rows left out show by how much."
    return [
        "On the training rows the requirements hold by construction. On new rows they may fail"
        + more
    ]


def _said_of_left_out(
    figures: Sequence[RequirementFacts], left_out: LeftOut | None, n_unmet: int, n_folds: int
) -> list[str]:
    said = []
    if left_out is not None:
        limited = [f.left_out for f in figures if f.left_out is not None and f.limit]
        n_kept = sum(one.is_met is True for one in limited)
        said.append(
            "On rows left out, by rules learned without them under the same requirements, "
            f"{n_kept} of {_counted(len(limited), 'limit')} "
            f"{'is' if len(limited) == 1 else 'are'} kept."
        )
        if not all(f.is_share for f in figures):
            said += _said_of_numbers(left_out)
        if left_out.description:
            said.append(f"Folds: {left_out.description}.")
    if n_unmet:
        are = "it is" if n_unmet == 1 else "they are"
        said.append(
            f"In {n_unmet} of {_counted(n_folds, 'fold')} no rules were found that meet the "
            f"requirements: {are} left out of these figures."
        )
    if left_out is None:
        said.append("How they do on rows left out was not measured.")
    return said


def _said_of_numbers(left_out: LeftOut) -> list[str]:
    """Say how numbers of rows can be held against limits that speak of all rows."""
    said = [
        "Limits on numbers of rows were lowered for the rules of the folds, which learn from "
        "fewer rows."
        if left_out.is_in_proportion
        else "The rules of the folds learn from fewer rows, so limits on numbers of rows were "
        "easier to keep there."
    ]
    if left_out.n_judged != left_out.n_rows:
        said.append(
            f"{left_out.n_judged:,.10g} rows were judged of {left_out.n_rows:,.10g}; numbers of "
            "rows are scaled to all of them."
        )
    return said


def _limits(n: int) -> str:
    return "one limit is" if n == 1 else f"{n} limits are"


def _counted(n: int, word: str) -> str:
    return f"{n} {word}{'' if n == 1 else 's'}"
