"""A decision list as PMML 4.4: a ``RuleSetModel`` whose first rule that holds gives the score.

As in SQL nothing is negated: what PMML leaves unknown, where a value is missing, does not hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from boolrules.rules.clause import Form
from boolrules.rules.condition import Relation
from boolrules.rules.export.kinds import Kind, column_kinds, label_kind
from boolrules.rules.export.number import finite_number

if TYPE_CHECKING:
    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.condition import Condition, Value
    from boolrules.rules.decision_list import Decision, DecisionList

NAMESPACE = "http://www.dmg.org/PMML-4_4"
PREDICTION = "prediction"
_TYPES = {
    Kind.TEXT: ("categorical", "string"),
    Kind.NUMBER: ("continuous", "double"),
    Kind.BOOLEAN: ("categorical", "boolean"),
}
_OPERATORS = {
    Relation.LE: "lessOrEqual",
    Relation.GT: "greaterThan",
    Relation.EQ: "equal",
    Relation.NE: "notEqual",
    Relation.IS_NULL: "isMissing",
    Relation.IS_NOT_NULL: "isNotMissing",
}
# What no XML document can hold, however it is written.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Element = ElementTree.Element


def pmml_document(decisions: DecisionList, target: str | None) -> str:
    """Write a whole document; ``target`` is the name of what is predicted."""
    name = target or PREDICTION
    while name in decisions.features:
        name += "_"
    root = Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    header = _add(root, "Header", {})
    _add(header, "Application", {"name": "boolrules"})
    fields = column_kinds(decisions, unknown=Kind.TEXT)
    _dictionary(root, fields, name, decisions.labels)
    model = _add(root, "RuleSetModel", {"functionName": "classification"})
    schema = _add(model, "MiningSchema", {})
    for column in fields:
        _add(schema, "MiningField", {"name": column, "invalidValueTreatment": "asIs"})
    _add(schema, "MiningField", {"name": name, "usageType": "target"})
    _rules(model, decisions)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _dictionary(
    root: Element, fields: dict[str, Kind], target: str, labels: tuple[Label, ...]
) -> None:
    dictionary = _add(root, "DataDictionary", {"numberOfFields": str(len(fields) + 1)})
    for column, kind in fields.items():
        optype, data_type = _TYPES[kind]
        _add(dictionary, "DataField", {"name": column, "optype": optype, "dataType": data_type})
    kind = label_kind(labels, "PMML")
    answer = {"name": target, "optype": "categorical", "dataType": _label_type(kind, labels)}
    field = _add(dictionary, "DataField", answer)
    for label in dict.fromkeys(label for label in labels if label is not None):
        _add(field, "Value", {"value": _value(label)})


def _label_type(kind: Kind, labels: tuple[Label, ...]) -> str:
    is_whole = all(isinstance(label, int | np.integer) for label in labels if label is not None)
    return "integer" if kind is Kind.NUMBER and is_whole else _TYPES[kind][1]


def _rules(model: Element, decisions: DecisionList) -> None:
    otherwise = decisions.otherwise
    # No label where no rule holds: then there is no score either.
    rules = _add(
        model, "RuleSet", {} if otherwise is None else {"defaultScore": _value(otherwise)}
    )
    _add(rules, "RuleSelectionMethod", {"criterion": "firstHit"})
    for k, decision in enumerate(decisions.decisions, start=1):
        if decision.label is None:
            raise ValueError("A rule without a label cannot be written as PMML. Give it one.")
        rule = _add(rules, "SimpleRule", {"id": str(k), "score": _value(decision.label)})
        rule.append(_decision(decision))


def _decision(decision: Decision) -> Element:
    clauses = [_clause(clause, decision.form) for clause in decision.clauses]
    return _joined("or" if decision.form is Form.DNF else "and", clauses)


def _clause(clause: Clause, form: Form) -> Element:
    conditions = [_condition(condition) for condition in clause.conditions]
    return _joined("and" if form is Form.DNF else "or", conditions)


def _condition(condition: Condition) -> Element:
    name = condition.feature
    match condition.relation, condition.value:
        case Relation.IN, (lower, upper):
            tests = [_simple(name, Relation.GT, lower), _simple(name, Relation.LE, upper)]
        case Relation.NOT_IN, (lower, upper):
            either = [_simple(name, Relation.LE, lower), _simple(name, Relation.GT, upper)]
            tests = [_joined("or", either)]
        case relation, value:
            tests = [_simple(name, relation, value)]
    tests += [_simple(name, Relation.NE, special) for special in condition.except_values]
    return _joined("and", tests)


def _simple(name: str, relation: Relation, value: Value) -> Element:
    attributes = {"field": name, "operator": _OPERATORS[relation]}
    if value is not None:
        attributes["value"] = _value(value)  # type: ignore[arg-type]
    return _element("SimplePredicate", attributes)


def _joined(operator: str, parts: list[Element]) -> Element:
    if not parts:
        return _element("True" if operator == "and" else "False", {})
    if len(parts) == 1:
        return parts[0]
    whole = _element("CompoundPredicate", {"booleanOperator": operator})
    whole.extend(parts)
    return whole


def _value(value: Label) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, int):
        return str(plain)
    return finite_number(plain) if isinstance(plain, float) else str(plain)


def _add(parent: Element, tag: str, attributes: dict[str, str]) -> Element:
    child = _element(tag, attributes)
    parent.append(child)
    return child


def _element(tag: str, attributes: dict[str, str]) -> Element:
    for text in attributes.values():
        if _FORBIDDEN.search(text):
            raise ValueError(f"{text!r:.40} holds a character that XML cannot.")
    return Element(tag, attributes)
