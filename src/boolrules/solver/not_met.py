"""What to say where no rule set was found that meets the requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.proof.certificate import COUNTED_BOTH_WAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boolrules.data.problem import Problem
    from boolrules.data.requirement import Requirement
    from boolrules.data.standing import Standings


def not_met(
    requirements: Iterable[Requirement], is_proved: bool, problem: Problem, found: Sequence[str]
) -> str:
    """Say what cannot be had, or was not found, and what was found instead."""
    asked, C = quoted(requirements), problem.max_complexity
    if is_proved:
        text = (
            f"{asked} cannot be had at complexity {C:g}: it is proved that no rule set of these "
            f"conditions meets it {COUNTED_BOTH_WAYS}."
        )
    else:
        text = (
            f"No rule set with {asked} was found at complexity {C:g} in the time given; whether "
            "there is one is not known. Allow more time, or a higher complexity."
        )
    return f"{text} Found: {'; '.join(filter(None, found)) or 'nothing near'}."


def quoted(requirements: Iterable[Requirement]) -> str:
    """Write requirements one after another."""
    return " and ".join(f"'{one}'" for one in requirements)


def told(standings: Standings) -> str:
    """Write what limited figures came to, in one line."""
    return ", ".join(
        f"{one.figure} {one.value:.3g}{f' where {one.group}' if one.group else ''}"
        for one in standings.standings
        if one.value is not None and one.is_met is not None
    )
