"""What ``--require`` asks for: limits on mistakes, or columns and conditions that must be used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from boolrules import Requirement
from boolrules.cli.output import tell
from boolrules.data.labelled_rows import LabelledRows
from boolrules.data.measure import NAMES, Measure, suggestion
from boolrules.rules.mention import Mention, closest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from boolrules.cli.fitted_data import FittedData
    from boolrules.data.standing import Standings

# "recall > 0.8" is no requirement, but meant to be one: its own error says how to write it.
_MEASURE = re.compile(rf"\s*(?P<name>{NAMES})\s*[<>=]", re.IGNORECASE)
_HOW = (
    "Requirements are written as 'precision >= 0.9' or 'recall >= 0.8 within branch', and their "
    f"measures are: {', '.join(Measure)}"
)


def read_required(
    options: argparse.Namespace, columns: Sequence[str], n_labels: int
) -> tuple[list[str], list[Requirement]]:
    """Tell the texts that name a column or a condition from requirements, and read those."""
    used: list[str] = []
    requirements: list[Requirement] = []
    for text in options.require:
        measure = _MEASURE.match(text)
        name = "" if measure is None else measure["name"]
        # A column that is called as only others call a measure is a column.
        if name and (name.lower() in list(Measure) or name not in columns):
            requirements.append(_read(text, options, columns))
            if name in columns:
                tell(_could_be_a_condition(text, name))
        else:
            _check_mention(text, columns)
            used.append(text)
    if requirements and n_labels > 2:
        raise ValueError(
            f"--require '{requirements[0]}' is for two labels; column {options.target!r} has "
            f"{n_labels}. Say with --positive which of them the rules describe: all others are "
            "the rest."
        )
    return used, requirements


def _read(text: str, options: argparse.Namespace, columns: Sequence[str]) -> Requirement:
    """Read a requirement whose column, if it names one, is in the table."""
    requirement = Requirement.of(text)
    name = requirement.column
    if name is None or name in columns:
        return requirement
    said = f"The requirement '{requirement}' names {name!r:.80}, which "
    if name in options.drop:
        raise ValueError(
            f"{said}--drop leaves out. Write --forbid-features {name} instead: conditions may "
            "not read it then, and requirements can."
        )
    if name in (options.target, options.sample_weight):
        raise ValueError(f"{said}holds the labels or weights. Choose another column.")
    raise ValueError(
        f"{said}is not a column of {options.data}. The nearest is {closest(name, columns)!r}."
    )


def _check_mention(text: str, columns: Sequence[str]) -> None:
    """Turn down what is no column, no condition on one, and no requirement either."""
    if text in columns:
        return
    try:
        Mention.of(text, columns)
    except ValueError as error:
        _, _, reason = str(error).partition(": ")  # after the place in the text
        near = suggestion(text, columns)
        why = f". {near}" if near else f": {reason}"
        raise ValueError(
            f"--require {text!r:.80} is neither a requirement, nor a column or condition that "
            f"rules can use{why} {_HOW}."
        ) from None


def _could_be_a_condition(text: str, name: str) -> str:
    condition = text.strip().replace(name, f"'{name}'", 1)
    return (
        f"--require {text!r} is read as a limit on the rules' mistakes. For a "
        f'condition on the column {name!r}, write "{condition}".'
    )


def standings_on(given: FittedData, path: str) -> Standings | None:
    """Say how a saved model stands to its requirements on the rows of a file.

    None where it has none. One that speaks of a column that the file lacks is left out, and a line
    says so: rows can be judged without the columns that no condition reads.
    """
    model = given.model
    if not model.requirements:
        return None
    known, names = [], given.frame.columns
    for requirement in model.requirements:
        if requirement.column is None or requirement.column in names:
            known.append(requirement)
            continue
        tell(
            f"the requirement '{requirement}' is not judged: {path} has no column "
            f"{requirement.column!r}."
        )
    rules = model.rule_sets[0]
    rows = LabelledRows.of(given.frame, given.labels.values, given.weights).against_rest(
        rules.positive
    )
    return rows.standings(rules, known)


def plain(standings: Standings | None) -> list[dict[str, Any]]:
    """Return what ``--json`` prints of requirements: nothing in a list where there are none."""
    return [] if standings is None else standings.to_plain()


def plain_standings(given: Standings | None, left_out: Standings | None) -> dict[str, Any]:
    """Return what ``--json`` prints of requirements: on the rows given, and on rows left out."""
    return {
        "requirements": plain(given),
        "held_out_requirements": None if left_out is None else left_out.to_plain(),
    }
