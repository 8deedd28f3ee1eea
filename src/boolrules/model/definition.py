"""What a model file may hold: the published schema, and nothing beside it.

``model.schema.json`` is the one definition, of names, kinds and ranges. Whoever writes a reader in
another language reads by it, and so does ``Model.load``: a part that is not in it, or out of its
range, is turned down in one line before anything is made of it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from boolrules._support.json import is_number

if TYPE_CHECKING:
    from collections.abc import Callable


def check_form(plain: Any) -> None:
    """Turn down what is not of the form of a model file.

    Examples
    --------
    >>> check_form({"format": "boolrules model", "version": 2})
    Traceback (most recent call last):
    ...
    ValueError: 'classes' is missing.
    """
    _check(plain, _schema(), "")


@cache
def _schema() -> dict[str, Any]:
    file = resources.files("boolrules") / "model" / "model.schema.json"
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema


def _check(value: Any, schema: dict[str, Any], place: str) -> None:
    """Hold a value against a part of the schema, by the keywords that the schema uses."""
    if "$ref" in schema:
        _check(value, _referred(schema), place)
    for keyword, wanted in schema.items():
        if keyword in _KEYWORDS and not _KEYWORDS[keyword](value, wanted):
            _fail(value, schema, place)
    if isinstance(value, dict):
        _check_object(value, schema, place)
    if isinstance(value, list):
        _check_list(value, schema, place)
    if "oneOf" in schema:
        _check_forms(value, schema["oneOf"], place)


def _referred(schema: dict[str, Any]) -> dict[str, Any]:
    *_, name = schema["$ref"].split("/")
    part: dict[str, Any] = _schema()["$defs"][name]
    return part


def _check_object(value: dict[str, Any], schema: dict[str, Any], place: str) -> None:
    known = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            raise ValueError(f"{_joined(place, name)!r} is missing.")
    for name, part in value.items():
        if not _is_text(name):
            _check(name, {"type": "string"}, _joined(place, "a name"))
        other = schema.get("additionalProperties", True)
        if name in known:
            if known[name] is not True:
                _check(part, known[name], _joined(place, name))
        elif other is False:
            raise ValueError(
                f"{_joined(place, name)!r:.120} is unknown in a file of this version."
            )
        elif other is not True:
            _check(part, other, _joined(place, name))


def _check_list(value: list[Any], schema: dict[str, Any], place: str) -> None:
    first = schema.get("prefixItems", [])
    for k, (part, own) in enumerate(zip(value, first, strict=False)):
        _check(part, own, f"{place}[{k}]")
    own = schema.get("items")
    if own is None:
        return
    own = _referred(own) if own.keys() == {"$ref"} else own
    tests = [(_KEYWORDS[k], wanted) for k, wanted in own.items() if k in _KEYWORDS]
    is_flat = len(tests) == len(own.keys() - {"description"})
    for k, part in enumerate(value[len(first) :], start=len(first)):
        # Duals may be a million numbers.
        if not is_flat or not all(test(part, wanted) for test, wanted in tests):
            _check(part, own, f"{place}[{k}]")


def _check_forms(value: Any, forms: list[dict[str, Any]], place: str) -> None:
    """Hold a value against several forms, of which it must have one."""
    reasons = []
    for form in sorted(forms, key=lambda form: not _is_meant(value, form)):
        try:
            _check(value, form, place)
        except ValueError as error:
            reasons.append(error)
        else:
            return
    raise reasons[0]


def _is_meant(value: Any, form: dict[str, Any]) -> bool:
    """Whether a value goes by the name of a form or, where there is none, has its parts."""
    if not _has_kind(value, form.get("type", list(_KINDS))):
        return False
    if not isinstance(value, dict):
        return True
    named = {
        name: part
        for name, part in form.get("properties", {}).items()
        if part is not True and {"const", "enum"} & part.keys()
    }
    if not named:
        return set(form.get("required", ())) <= set(value)
    return all(
        name in value and _KEYWORDS[keyword](value[name], part[keyword])
        for name, part in named.items()
        for keyword in ("const", "enum")
        if keyword in part
    )


def _has_kind(value: Any, kinds: str | list[str]) -> bool:
    if isinstance(kinds, str):
        return _KINDS[kinds](value)
    return any(_KINDS[kind](value) for kind in kinds)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and (value.isascii() or _is_unicode(value))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_KINDS = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": _is_text,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: type(value) is int,
    # Of any two numbers that are written, double precision must not make one.
    "number": is_number,
}
# What keeps to each keyword; the first that is not kept to is told.
_KEYWORDS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, least: not _is_numeric(value) or value >= least,
    "maximum": lambda value, most: not _is_numeric(value) or value <= most,
    "type": _has_kind,
    "const": lambda value, one: type(value) is type(one) and value == one,
    "enum": lambda value, several: isinstance(value, str) and value in several,
    "pattern": lambda text, form: not isinstance(text, str) or bool(re.fullmatch(form, text)),
    "maxLength": lambda text, most: not isinstance(text, str) or len(text) <= most,
    "minItems": lambda value, least: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most: not isinstance(value, list) or len(value) <= most,
    "minProperties": lambda value, least: not isinstance(value, dict) or len(value) >= least,
    "maxProperties": lambda value, most: not isinstance(value, dict) or len(value) <= most,
}
_WORDS = {
    "minimum": "be at least {}",
    "maximum": "be at most {}",
    "type": "be {}",
    "const": "be {}",
    "enum": "be one of {}",
    "pattern": "match {}",
    "maxLength": "have at most {} letters",
    "minItems": "have at least {} parts",
    "maxItems": "have at most {} parts",
    "minProperties": "have at least {} parts",
    "maxProperties": "have at most {} parts",
}
_SPELT = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number that double precision holds",
}


def _is_numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _fail(value: Any, schema: dict[str, Any], place: str) -> None:
    """Say what is wrong, by the first keyword that is not kept to."""
    for keyword, keeps in _KEYWORDS.items():
        if keyword in schema and not keeps(value, schema[keyword]):
            wanted = schema[keyword] if isinstance(schema[keyword], list) else [schema[keyword]]
            words = _WORDS[keyword].format(", ".join(_SPELT.get(one, str(one)) for one in wanted))
            raise ValueError(f"{place or 'it'} is {value!r:.60}; it must {words}.")
