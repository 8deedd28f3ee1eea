"""A rule set as a LaTeX table; it needs no package."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from boolrules.rules.answers import is_comparison, opposite
from boolrules.rules.clause import Form
from boolrules.rules.condition import Relation, exact_number
from boolrules.rules.export.outline import outline, printed_names

if TYPE_CHECKING:
    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.condition import Condition, Value
    from boolrules.rules.export.outline import Line
    from boolrules.rules.rule_set import RuleSet

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    }
)
_SIGNS = {
    Relation.LE: r"$\leq$",
    Relation.GT: "$>$",
    Relation.EQ: "$=$",
    Relation.NE: r"$\neq$",
    Relation.IN: r"$\in$",
    Relation.NOT_IN: r"$\notin$",
    Relation.IS_NULL: "is null",
    Relation.IS_NOT_NULL: "is not null",
}


def latex_text(rules: RuleSet) -> str:
    """Write a ``tabular`` with one line per clause."""
    names = printed_names(rules)
    lines = [r"\begin{tabular}{@{}ll" + "r" * len(names) + "@{}}"]
    if names:
        lines.append(rf"& & {' & '.join(names)} \\")
    lines += [_row(line, rules) for line in outline(rules)]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


def _row(line: Line, rules: RuleSet) -> str:
    text = _answer(line, rules) if line.clause is None else _clause(line.clause, rules.form)
    cells = [rf"\textbf{{{line.keyword.lower()}}}", text]
    if line.figures:
        cells += [_escaped(line.figures[name]) for name in printed_names(rules)]
    return " & ".join(cells) + r" \\"


def _answer(line: Line, rules: RuleSet) -> str:
    if rules.target and is_comparison(line.label):
        compared = opposite(line.label) if line.is_negated else line.label
        return _escaped(f"{rules.target} {compared}")
    target = f"{_escaped(rules.target)} is " if rules.target else ""
    return f"{target}{'not ' if line.is_negated else ''}{_value(line.label)}"


def _clause(clause: Clause, form: Form) -> str:
    joint = r" \textbf{and} " if form is Form.DNF else r" \textbf{or} "
    text = joint.join(map(_condition, clause.conditions))
    return f"({text})" if len(clause.conditions) > 1 else text


def _condition(condition: Condition) -> str:
    text = f"{_escaped(condition.feature)} {_SIGNS[condition.relation]}"
    if isinstance(condition.value, tuple):
        lower, upper = map(_value, condition.value)
        text += f" $({lower[1:-1]}, {upper[1:-1]}]$"
    elif condition.value is not None:
        text += f" {_value(condition.value)}"
    if condition.except_values:
        text += f" (not {', '.join(map(_value, condition.except_values))})"
    return text


def _value(value: Value | Label) -> str:
    """Numbers in mathematics, for the minus sign; text in quotes."""
    if isinstance(value, str):
        return f"`{_escaped(value)}'"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    mantissa, e, exponent = exact_number(value).replace("inf", r"\infty").partition("e")
    # Mathematics would set 1e-07 as "1e minus 07".
    return rf"${mantissa} \times 10^{{{int(exponent)}}}$" if e else f"${mantissa}$"


def _escaped(text: str) -> str:
    # LaTeX makes one long dash of two short ones.
    return re.sub("-(?=-)", "-{}", " ".join(text.split()).translate(_ESCAPES))
