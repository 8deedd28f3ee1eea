"""Rules from a file: text that a person wrote, a saved model, or a rule set as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boolrules import Model, RuleSet, parse_rules
from boolrules.cli.files import text_columns
from boolrules.cli.labels import read_labels
from boolrules.insight.editing.context import conditions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from boolrules.cli.labels import Labels
    from boolrules.rules.clause import Label

Given = str | RuleSet | Model


def read_rules_file(path: str) -> Given:
    """Return the text of rules, after a check that it can be read, or what the JSON holds."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} holds no rules: it is not text.") from None
    if text.lstrip().startswith("{"):
        is_model = '"format"' in text
        try:
            return Model.from_json(text) if is_model else RuleSet.from_json(text)
        except ValueError as error:
            kind = "boolrules model" if is_model else "rule set"
            raise ValueError(f"{path} is not a usable {kind}: {error}") from None
    try:
        parse_rules(text)
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from None
    return text


def columns_of_text(given: Given) -> list[str]:
    """Return the columns to be read as text, whatever they look like in a file.

    Those that were text in ``fit`` or that the rules compare with text alone.
    """
    if isinstance(given, Model):
        return text_columns(given)
    rules = parse_rules(given) if isinstance(given, str) else given
    kinds: dict[str, set[bool]] = {}
    for condition in conditions_of(rules):
        if condition.value is not None:
            kinds.setdefault(condition.feature, set()).add(isinstance(condition.value, str))
    return [name for name, is_text in kinds.items() if is_text == {True}]


def read_target(column: polars.Series, positive: str | None, given: Sequence[Given]) -> Labels:
    """Read labels as ``--positive`` says, or else as a model was fitted, or as rules name them."""
    models = [thing for thing in given if isinstance(thing, Model)]
    if positive is not None:
        return read_labels(column, positive)
    if models:
        rules = [model.positive_rule for model in models if model.positive_rule is not None]
        return read_labels(column, rules[0] if rules else None)
    labels = read_labels(column, None)
    named = [label for thing in given if (label := _label(thing)) is not None]
    if not named or named[0] in labels.values.tolist():
        return labels
    return read_labels(column, str(named[0]))  # such as "> 2"


def _label(given: Given) -> Label:
    """Return the label that rules describe; None where they do not say it."""
    if isinstance(given, str):
        return parse_rules(given, positive=None, negative=None).positive
    return given.positive if isinstance(given, RuleSet) else None
