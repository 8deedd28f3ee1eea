"""Rules and labels as people give them: text beside a model, a table and its labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boolrules._support.table import Kind
from boolrules.data.labelled_rows import LabelledRows
from boolrules.data.whole_values import as_counted
from boolrules.model.model import Model
from boolrules.rules import RuleSet
from boolrules.rules.condition import format_value
from boolrules.rules.parse import parse_rules, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boolrules._support.table import Table
    from boolrules.rules import Condition


def read_rows(X: Any, y: Any, sample_weight: Any, model: Model | None) -> LabelledRows:
    """Read what a user gave, weighed as the model is where there is one."""
    rows = (
        LabelledRows.of(X, y, sample_weight) if model is None else model.rows(X, y, sample_weight)
    )
    if not len(rows):
        raise ValueError("The table has no rows.")
    return rows


def read_text(
    text: str, table: Table, beside: RuleSet | Model | None, labels: Sequence[Any] | None
) -> RuleSet:
    """Read rules with what the table, the labels, and the rules or model beside them tell."""
    context: dict[str, Any] = {"columns": table.names, "positive": None, "negative": None}
    classes = distinct(labels or ())
    own = beside if isinstance(beside, RuleSet) else None
    if own is not None:
        context["conditions"] = conditions_of(own)
    if isinstance(beside, Model):
        # Clauses that were given to fit may have conditions of their own.
        printed = [c for rules in beside.rule_sets for c in conditions_of(rules)]
        context["conditions"] = [*beside.encoding.listed_conditions, *printed]
        classes = list(beside.classes)
        own = beside.rule_sets[0] if len(beside.rule_sets) == 1 else None
    if own is not None and own.positive is not None:
        context |= {"positive": own.positive, "negative": own.negative, "form": own.form}
    elif len(classes) == 2:
        context |= {"positive": classes[1], "negative": classes[0]}
    elif not classes:
        context |= {"positive": True, "negative": False}
    rules = parse_rules(text, **context)
    if rules.positive is None and rules.clauses:
        raise ValueError(
            "The rules do not say which label they describe. Add a line such as THEN "
            f"{format_value(classes[0])}; there are: {listed(classes)}."
        )
    return rules


def check_columns(rules: RuleSet, table: Table) -> None:
    """Turn down columns that there are not, and values of another kind than their column's."""
    for name in rules.features:
        if name not in table.names:
            raise ValueError(
                f"The table has no column {name!r}, which the rules use. "
                f"{suggestion(name, table.names)}"
            )
    for condition in conditions_of(rules):
        column = table[condition.feature]
        is_text = isinstance(condition.value, str)
        if condition.value is None or is_text == (column.kind is Kind.TEXT):
            continue
        if not column.is_null.all():
            held = {Kind.TEXT: "text", Kind.BOOLEAN: "true/false"}.get(column.kind, "numbers")
            remedy = "Take the quotes off" if is_text else "Put the value in quotes"
            raise ValueError(
                f"Column {condition.feature!r} holds {held}, but the condition '{condition}' "
                f"compares {'text' if is_text else 'numbers'}. {remedy}, if that is what it means."
            )


def check_labels(rules: RuleSet, labels: Sequence[Any], classes: Sequence[Any] = ()) -> None:
    """Turn down rules for a label that no row has, unless there are only others by chance."""
    positive, negative = rules.positive, rules.negative
    if positive in labels or positive in classes or set(labels) <= {negative}:
        return
    known = distinct(labels)
    texts = [label for label in known if isinstance(label, str)]
    hint = f"The labels are: {listed(known)}."
    if isinstance(positive, str) and len(texts) == len(known):
        hint = suggestion(positive, texts)
    raise ValueError(
        f"No row has the label {format_value(positive)}, which the rules describe. {hint}"
    )


def counted_beside(rules: RuleSet, model: Model, rows: LabelledRows) -> RuleSet:
    """Return rules whose conditions count as the model's do, those of given clauses once."""
    if {feature.name for feature in model.encoding.features} <= set(rows.table.names):
        model = model.on(rows)
    if not model.encoding.knows_its_rows:
        return rules
    offered = model.encoding.conditions
    given = [clause for certificate in model.certificates for clause in certificate.given.clauses]
    counted = (
        clause.as_written() if clause in given else as_counted(clause, rules.form, offered)
        for clause in rules.clauses
    )
    return replace(rules, clauses=tuple(counted))


def size_of(rules: RuleSet) -> tuple[int, int]:
    """How many clauses there are, and conditions in all."""
    return rules.n_clauses, sum(clause.n_conditions for clause in rules.clauses)


def conditions_of(rules: RuleSet) -> list[Condition]:
    """Each condition once, in order of appearance."""
    return list(dict.fromkeys(c for clause in rules.clauses for c in clause.conditions))


def distinct(values: Iterable[Any]) -> list[Any]:
    """Each value once, in order, numbers first; missing ones left out.

    Examples
    --------
    >>> distinct(["b", 2, "a", None, 1, 2])
    [1, 2, 'a', 'b']
    """
    known = {value for value in values if value is not None and value == value}
    return sorted(known, key=lambda value: (isinstance(value, str), value))


def listed(values: Sequence[Any], most: int = 8) -> str:
    """Write values in a row, the first few of many."""
    shown = ", ".join(map(format_value, values[:most]))
    return shown + (f" and {len(values) - most} more" if len(values) > most else "")
