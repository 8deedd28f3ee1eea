"""A model as a file: JSON in and out. Nothing is stored twice, and everything read is checked.

What can be derived is derived: sentences, gaps, optimality, figures from their counts. Where parts
must agree with each other, as the rules with the classes, it is seen to here. The form of each is
in ``definition``, and what must agree with the rows is the business of ``verify``.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from boolrules._support.json import parse
from boolrules.data.encoding import TableEncoding
from boolrules.data.fingerprint import Fingerprint
from boolrules.data.labelled_rows import Weighing
from boolrules.model.definition import check_form
from boolrules.model.figures import Figures
from boolrules.proof.certificate import Certificate
from boolrules.rules import RuleSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.model.model import Model

FORMAT = "boolrules model"
VERSION = 1
# Of figures on rows left out; all else follows from these and from the rest of the model.
FIGURES_KEPT = ("n_rows", "description", "chosen_on_the_same_rows", "confusions")


def to_json(model: Model) -> str:
    """Return a model as JSON text, with a checksum of its contents."""
    contents: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "classes": list(model.classes),
        "rule_sets": [rules.to_plain() for rules in model.rule_sets],
        "certificates": [certificate.to_plain() for certificate in model.certificates],
        "features": model.encoding.to_plain(),
        "class_weights": list(model.weighing.class_weights),
        "costs": list(model.weighing.costs),
        "has_sample_weight": model.has_sample_weight,
        "positive_rule": model.positive_rule,
    }
    if model.encoding.derived:
        contents["derived"] = dict(model.encoding.derived)
    if model.training_rows is not None:
        contents["training_rows"] = model.training_rows.to_plain()
    if model.held_out is not None:
        figures = model.held_out.to_plain()
        contents["held_out"] = {name: figures[name] for name in FIGURES_KEPT}
    return json.dumps(
        contents | {"sha256": _checksum(contents)}, ensure_ascii=False, indent=1, allow_nan=False
    )


def read_json(text: str) -> dict[str, Any]:
    """Read ``to_json``'s text, and return the fields of a model."""
    plain = _parsed(text)
    rule_sets = tuple(map(RuleSet.from_plain, plain["rule_sets"]))
    certificates = tuple(map(Certificate.from_plain, plain["certificates"]))
    if len(rule_sets) != len(certificates):
        raise ValueError("it needs one certificate per rule set.")
    classes = tuple(plain["classes"])
    _check_classes(rule_sets, classes)
    constraints = certificates[0].constraints
    if any(certificate.constraints != constraints for certificate in certificates):
        raise ValueError("its certificates speak of different constraints.")
    encoding = TableEncoding.from_plain(plain["features"], constraints, plain.get("derived"))
    _check_conditions(rule_sets, certificates, encoding)
    weights = plain["class_weights"]
    if len(classes) != len(weights):
        raise ValueError("it needs one weight per class.")
    rule = plain["positive_rule"]
    if rule is not None and not any(_is_named(label, rule) for label in classes):
        raise ValueError(f"its positive_rule, {rule!r:.80}, names none of its classes.")
    contents = {name: part for name, part in plain.items() if name != "sha256"}
    kept = plain.get("training_rows")
    return {
        "classes": classes,
        "rule_sets": rule_sets,
        "certificates": certificates,
        "encoding": encoding,
        "weighing": Weighing(classes, tuple(weights), *plain["costs"]),
        "has_sample_weight": plain["has_sample_weight"],
        "positive_rule": plain["positive_rule"],
        "is_unaltered": plain["sha256"] == _checksum(contents),
        "training_rows": None if kept is None else Fingerprint.from_plain(kept),
        "held_out": _figures(plain.get("held_out"), classes, rule_sets),
    }


def _parsed(text: str) -> dict[str, Any]:
    """Return an object of the form of a model file."""
    plain = parse(text)
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise ValueError(f"it does not say that its format is {FORMAT!r}.")
    if type(plain.get("version")) is not int or plain["version"] != VERSION:
        raise ValueError(
            f"its version is {plain.get('version')!r:.20}; this release reads {VERSION}."
        )
    try:
        check_form(plain)
    except RecursionError:
        raise ValueError("it is nested too deeply.") from None
    return plain


def _check_classes(rule_sets: Sequence[RuleSet], classes: Sequence[Any]) -> None:
    """Hold labels against the classes: predictions go by their order, and people read them."""
    if len(set(classes)) < len(classes):
        raise ValueError("its classes are not all different.")
    if len({rules.target for rules in rule_sets}) > 1:
        raise ValueError("its rule sets name different targets.")
    if len(classes) > 2 and not all(rules.has_probabilities for rules in rule_sets):
        raise ValueError("it needs statistics of all clauses, by which several classes compete.")
    labels = [[rules.positive, rules.negative] for rules in rule_sets]
    if len(classes) > 2:
        known = [[label, None] for label in classes]
    elif len(classes) == 2:
        known = [list(classes), list(classes)[::-1]][labels[0][0] != classes[0] :][:1]
    else:
        known = [[None, *classes]]
    if repr(labels) != repr(known):  # 1 and True are equal, and not the same label
        raise ValueError(
            "the labels of its rules are not its classes: it needs one rule set for two classes, "
            "or one for each of more."
        )


def _check_conditions(
    rule_sets: Sequence[RuleSet], certificates: Sequence[Certificate], encoding: TableEncoding
) -> None:
    """Hold the conditions of rules, and places of conditions, against the columns."""
    names = {feature.name for feature in encoding.features}
    unknown = [name for rules in rule_sets for name in rules.features if name not in names]
    if unknown:
        raise ValueError(f"its rules read {unknown[0]!r:.80}, which is none of its features.")
    groups = [group for certificate in certificates for group in certificate.problem.required]
    required = [j for group in groups for j in group]
    # With a million thresholds it takes seconds to write their conditions out.
    if required and encoding.knows_its_rows and max(required) >= len(encoding.conditions):
        raise ValueError("its certificates require conditions that there are not.")


def _is_named(label: Any, text: str) -> bool:
    """Whether a text, as it is given on the command line, names a label."""
    if isinstance(label, str):
        return label == text
    if isinstance(label, bool):
        return str(label).lower() == text.lower()
    for read in (int, float):
        with suppress(ValueError):
            return bool(label == read(text))
    return False


def _figures(plain: Any, classes: tuple[Any, ...], rule_sets: Sequence[RuleSet]) -> Figures | None:
    """Read figures on rows left out, which are of the model's classes."""
    if plain is None:
        return None
    positive = rule_sets[0].positive if len(classes) == 2 else None
    own = {"classes": list(classes), "positive": positive}
    if repr([plain.get(name, part) for name, part in own.items()]) != repr([*own.values()]):
        raise ValueError("its figures on rows left out are of other classes.")
    return Figures.from_plain(own | plain)


def _checksum(contents: dict[str, Any]) -> str:
    text = json.dumps(contents, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
