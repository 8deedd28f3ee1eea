"""A decision list as a formula that Excel and its like compute.

Functions have their English names and commas between arguments, as files store them. A cell may
hold anything, so each is asked what it is before it is compared; IF looks at nothing else then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from boolrules.rules.clause import Form
from boolrules.rules.condition import Relation
from boolrules.rules.export.number import finite_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.condition import Condition
    from boolrules.rules.decision_list import Decision, DecisionList

# What Excel takes.
LONGEST_FORMULA, LONGEST_TEXT, DEEPEST, MOST_ARGUMENTS = 8192, 255, 60, 255
MOST_DIGITS = 15
_CONTROL = "\t\n\r"
_PIECES = re.compile(rf"[{_CONTROL}]|[^{_CONTROL}]{{1,{LONGEST_TEXT}}}")
_CELL = re.compile(r"(\S*!)?\$?[A-Za-z]{1,3}\$?[1-9][0-9]*$")
_PLAIN_NAME = re.compile(r"[^\W\d]\w*$")


def excel_formula(decisions: DecisionList, cells: Mapping[str, str] | None) -> str:
    """Write a formula for one row; see ``Runnable.to_excel``."""
    places = {name: _place(name, cells) for name in decisions.features}
    if len(decisions.decisions) > DEEPEST:
        raise ValueError(
            f"The rules make {len(decisions.decisions)} decisions, and a formula can nest "
            f"{DEEPEST}. Learn fewer clauses, or export to another language."
        )
    text = _text(decisions.otherwise)
    for decision in reversed(decisions.decisions):
        text = f"IF({_decision(decision, places)},{_text(decision.label)},{text})"
    if len(text) >= LONGEST_FORMULA:
        raise ValueError(
            f"The formula has {len(text):,} characters, and a cell takes {LONGEST_FORMULA:,}. "
            "Learn simpler rules, or export to another language."
        )
    return f"={text}"


def _place(name: str, cells: Mapping[str, str] | None) -> str:
    if cells is None:
        if _PLAIN_NAME.match(name):
            return f"[@{name}]"
        escaped = re.sub(r"(['#@\[\]])", r"'\1", name)
        return f"[@[{escaped}]]"
    if name not in cells:
        given = ", ".join(cells) or "none"
        raise ValueError(f"cells has no cell for the column {name!r}; it has {given}. Add it.")
    if not _CELL.match(cells[name]):
        raise ValueError(f"cells[{name!r}] is {cells[name]!r:.40}; give a cell such as A2.")
    return cells[name]


def _decision(decision: Decision, places: Mapping[str, str]) -> str:
    clauses = [_clause(clause, decision.form, places) for clause in decision.clauses]
    return _joined("OR" if decision.form is Form.DNF else "AND", clauses)


def _clause(clause: Clause, form: Form, places: Mapping[str, str]) -> str:
    conditions = [_condition(c, places[c.feature]) for c in clause.conditions]
    return _joined("AND" if form is Form.DNF else "OR", conditions)


def _joined(function: str, tests: list[str]) -> str:
    if not tests:
        return "TRUE" if function == "AND" else "FALSE"
    while len(tests) > 1:  # a function takes so many at a time
        parts = [tests[k : k + MOST_ARGUMENTS] for k in range(0, len(tests), MOST_ARGUMENTS)]
        tests = [f"{function}({','.join(part)})" for part in parts]
    return tests[0]


def _condition(condition: Condition, cell: str) -> str:
    match condition.relation, condition.value:
        case Relation.IS_NULL, _:
            return f'IF(ISERROR({cell}),TRUE,{cell}="")'
        case Relation.IS_NOT_NULL, _:
            return f'IF(ISERROR({cell}),FALSE,{cell}<>"")'
        case relation, bool(value):
            is_true = value == (relation is Relation.EQ)
            return f"IF(ISLOGICAL({cell}),{cell if is_true else f'NOT({cell})'},FALSE)"
        case relation, str(value):
            is_it = f'EXACT({cell}&"",{_text(_checked(value))})'
            test = is_it if relation is Relation.EQ else f"NOT({is_it})"
            return f'IF(ISERROR({cell}),FALSE,IF({cell}="",FALSE,{test}))'
        case _:
            return f"IF(ISNUMBER({cell}),{_comparison(condition, cell)},FALSE)"


def _comparison(condition: Condition, cell: str) -> str:
    match condition.relation, condition.value:
        case Relation.IN, (lower, upper):
            tests = [f"{cell}>{_number(lower)}", f"{cell}<={_number(upper)}"]
        case Relation.NOT_IN, (lower, upper):
            tests = [f"OR({cell}<={_number(lower)},{cell}>{_number(upper)})"]
        case relation, value:
            sign = {Relation.EQ: "=", Relation.NE: "<>"}.get(relation, str(relation))
            tests = [f"{cell}{sign}{_number(value)}"]  # type: ignore[arg-type]
    return _joined("AND", tests + [f"{cell}<>{_number(v)}" for v in condition.except_values])


def _number(value: float) -> str:
    text = finite_number(value)
    short = text if len(text) <= MOST_DIGITS else f"{float(value):.{MOST_DIGITS}g}"
    return short.upper()  # 1E+20


def _checked(value: str) -> str:
    if not value:
        raise ValueError(
            "A spreadsheet cannot tell the empty text, which the rules ask for, from an empty "
            "cell. Give that category a name before fit."
        )
    return value


def _text(label: Label) -> str:
    """Write a value as a formula has it; text in pieces that are not too long."""
    plain = label.item() if isinstance(label, np.generic) else label
    if plain is None:
        return '""'
    if isinstance(plain, bool):
        return "TRUE" if plain else "FALSE"
    if not isinstance(plain, str):
        if float(_number(plain)) != plain:
            raise ValueError(
                f"A spreadsheet keeps {MOST_DIGITS} digits of a number, and the label {plain} has "
                "more. Give the classes other labels before fit."
            )
        return _number(plain)
    return "&".join(_piece(piece) for piece in _PIECES.findall(plain)) or '""'


def _piece(text: str) -> str:
    """Write a control character by its number: a line break would end a formula that is pasted."""
    if text in _CONTROL:
        return f"CHAR({ord(text)})"
    return '"' + text.replace('"', '""') + '"'
