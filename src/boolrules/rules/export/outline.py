"""A rule set as the lines that documents show: IF, OR, THEN, ELSE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boolrules.rules.clause import Form
from boolrules.rules.condition import format_number, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.rule_set import RuleSet


@dataclass(frozen=True, slots=True)
class Line:
    """A keyword and what follows it: a clause with its figures, or a label."""

    keyword: str
    clause: Clause | None = None
    label: Label = None
    is_negated: bool = False
    figures: tuple[str, str] | None = None


def outline(rules: RuleSet) -> Iterator[Line]:
    """List the lines of a rule set, with coverage and precision where they are known."""
    is_dnf = rules.form is Form.DNF
    for k, clause in enumerate(rules.clauses):
        figures = None
        if rules.statistics:
            s = rules.statistics[k]
            figures = format_number(s.covered), f"{s.precision:.1%}" if s.covered else "-"
        yield Line("IF" if k == 0 else "OR" if is_dnf else "AND", clause, figures=figures)
    yes = Line("THEN" if rules.clauses else "ALWAYS", label=rules.positive)
    is_open = rules.negative is None
    no = Line(
        "ELSE" if rules.clauses else "ALWAYS",
        label=rules.positive if is_open else rules.negative,
        is_negated=is_open,
    )
    if rules.clauses or not is_dnf:
        yield yes
    if rules.clauses or is_dnf:
        yield no


def line_text(line: Line, rules: RuleSet) -> str:
    """Write what follows the keyword, as plain text."""
    if line.clause is not None:
        return line.clause.text(rules.form)
    target = f"{rules.target} is " if rules.target else ""
    return f"{target}{'not ' if line.is_negated else ''}{format_value(line.label)}"
