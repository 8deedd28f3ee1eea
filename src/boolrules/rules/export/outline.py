"""A rule set as the lines that documents show: IF, OR, THEN, ELSE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boolrules.rules.answers import answer_texts
from boolrules.rules.clause import Form
from boolrules.rules.condition import format_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.clause_statistics import RowCounts
    from boolrules.rules.rule_set import RuleSet

# What a clause covers or, in CNF, turns away, and how often it is right there.
DECIDED = {Form.DNF: ("coverage", "precision"), Form.CNF: ("turned away", "rightly")}


@dataclass(frozen=True, slots=True)
class Line:
    """A keyword and what follows it: a clause with its figures, or a label."""

    keyword: str
    clause: Clause | None = None
    label: Label = None
    is_negated: bool = False
    is_positive: bool = False
    figures: Mapping[str, str] | None = None


def outline(rules: RuleSet) -> Iterator[Line]:
    """List the lines of a rule set, with the figures of its clauses where they are known."""
    is_dnf = rules.form is Form.DNF
    known = clause_figures(rules)
    for k, clause in enumerate(rules.clauses):
        figures = known[k] if known else None
        yield Line("IF" if k == 0 else "OR" if is_dnf else "AND", clause, figures=figures)
    keyword = "THEN" if rules.clauses else "ALWAYS"
    yes = Line(keyword, label=rules.positive, is_positive=True)
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


def clause_figures(rules: RuleSet) -> list[dict[str, str]]:
    """Return what is shown of each clause, by name: plain rows first, then weighted ones.

    Examples
    --------
    >>> from boolrules import Clause, Condition, RuleSet
    >>> from boolrules.rules.clause_statistics import ClauseStatistics, RowCounts
    >>> counts = ClauseStatistics(14, 1, 1, RowCounts(9, 7, 7))
    >>> young = Clause((Condition("age", "<=", 35),))
    >>> for name, text in clause_figures(RuleSet((young,), statistics=(counts,)))[0].items():
    ...     print(name, text)
    coverage 14
    precision 7.1%
    only here 1
    weighted coverage 9
    weighted precision 77.8%
    """
    every = []
    decided, rightly = DECIDED[rules.form]
    for s in rules.statistics:
        figures = {
            decided: format_number(s.covered),
            rightly: _precision(s),
            "only here": format_number(s.only_here),
        }
        if rules.has_weighted_statistics:
            figures[f"weighted {decided}"] = _sum(s.by_weight.covered)
            figures[f"weighted {rightly}"] = _precision(s.by_weight)
        every.append(figures)
    return every


def figure_names(rules: RuleSet) -> list[str]:
    """Return the names of the figures; none where there are no statistics."""
    return [name for figures in clause_figures(rules)[:1] for name in figures]


def printed_names(rules: RuleSet) -> list[str]:
    """Return the names of the figures that go into documents, which have less room."""
    return [name for name in figure_names(rules) if name != "only here"]


def _precision(counts: RowCounts) -> str:
    return f"{counts.precision:.1%}" if counts.covered else "-"


def line_text(line: Line, rules: RuleSet) -> str:
    """Write what follows the keyword, as plain text."""
    if line.clause is not None:
        return line.clause.text(rules.form)
    yes, no = answer_texts(rules.target or "", rules.positive, rules.negative)
    return yes if line.is_positive else no


def _sum(weight: float) -> str:
    """Write a sum of weights: all digits of a whole one, six of any other."""
    return format_number(weight if float(weight).is_integer() else float(f"{weight:.6g}"))
