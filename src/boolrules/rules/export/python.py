"""A decision list as Python source that needs nothing but Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boolrules.rules.clause import Form
from boolrules.rules.condition import Relation
from boolrules.rules.export.number import finite_number

if TYPE_CHECKING:
    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.condition import Condition, Value
    from boolrules.rules.decision_list import Decision, DecisionList

_HEAD = '''\
def predict(row: dict) -> object:
    """Return the label of one row: a dict of column to value. None and NaN are missing."""
'''
_KNOWN = """
    def known(name):
        return row[name] is not None and row[name] == row[name]

"""


def python_source(decisions: DecisionList) -> str:
    """Write one function, ``predict(row)``."""
    lines = [_HEAD, _KNOWN if decisions.features else ""]
    lines += map(_if, decisions.decisions)
    return "".join([*lines, f"    return {_literal(decisions.otherwise)}\n"])


def _if(decision: Decision) -> str:
    joint = "\n        or " if decision.form is Form.DNF else "\n        and "
    tests = joint.join(_clause(clause, decision.form) for clause in decision.clauses)
    return f"    if (\n        {tests}\n    ):\n        return {_literal(decision.label)}\n"


def _clause(clause: Clause, form: Form) -> str:
    if form is Form.DNF:
        return f"({' and '.join(map(_condition, clause.conditions))})"
    return f"({' or '.join(f'({_condition(c)})' for c in clause.conditions)})"


def _condition(condition: Condition) -> str:
    name = repr(condition.feature)
    if condition.relation is Relation.IS_NULL:
        return f"not known({name})"
    if condition.relation is Relation.IS_NOT_NULL:
        return f"known({name})"
    test = f"known({name}) and {_comparison(f'row[{name}]', condition)}"
    for special in condition.except_values:
        test += f" and row[{name}] != {finite_number(special)}"
    return test


def _comparison(place: str, condition: Condition) -> str:
    if isinstance(condition.value, tuple):
        lower, upper = map(finite_number, condition.value)
        negation = "not " if condition.relation is Relation.NOT_IN else ""
        return f"{negation}{lower} < {place} <= {upper}"
    return f"{place} {condition.relation} {_value(condition.value)}"


def _value(value: Value) -> str:
    return repr(value) if isinstance(value, str | bool) else finite_number(value)  # type: ignore[arg-type]


def _literal(label: Label) -> str:
    plain = label.item() if isinstance(label, np.generic) else label
    return finite_number(plain) if isinstance(plain, float) else repr(plain)
