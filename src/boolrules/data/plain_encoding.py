"""Columns read from a model file, every part checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boolrules._support.json import is_number
from boolrules.data.column_encoding import BinaryEncoding, CategoricalEncoding, NumericEncoding
from boolrules.data.every_threshold import ALL, EveryThreshold

if TYPE_CHECKING:
    from boolrules.data.column_encoding import FeatureEncoding


def encoding_from_plain(plain: Any) -> FeatureEncoding:
    """Read one feature's plain form, checking every part of it."""
    if not isinstance(plain, dict) or not isinstance(plain.get("name"), str):
        raise ValueError(f"A feature needs a name and a kind; got {plain!r:.80}.")
    flags = {k: v for k, v in plain.items() if k.startswith(("has_", "as_"))}
    if not all(isinstance(flag, bool) for flag in flags.values()):
        raise ValueError(f"The flags of feature {plain['name']!r:.80} must be true or false.")
    fields = {k: v for k, v in plain.items() if k != "kind"}
    try:
        match plain.get("kind"):
            case "numeric":
                return _numeric(fields)
            case "categorical":
                categories = tuple(fields["categories"])
                if not isinstance(fields["categories"], list):
                    raise TypeError("categories must be a list")
                _check_categories(plain["name"], categories)
                return CategoricalEncoding(**(fields | {"categories": categories}))
            case "binary":
                return BinaryEncoding(**fields)
    except (TypeError, KeyError) as error:
        raise ValueError(f"Feature {plain['name']!r:.80} is not well formed: {error}.") from None
    raise ValueError(f"Feature {plain['name']!r:.80} has unknown kind {plain.get('kind')!r:.40}.")


def _check_categories(name: str, categories: tuple[Any, ...]) -> None:
    """Turn down categories that a column does not tell apart: of two that are equal, one code."""
    kinds = {type(c) if isinstance(c, str | bool) else float for c in categories}
    if not all(isinstance(c, str | bool) or is_number(c) for c in categories):
        raise ValueError(f"Categories of {name!r:.80} must be text, numbers or true/false.")
    if len(kinds) > 1 or len(set(categories)) < len(categories):
        raise ValueError(f"Categories of {name!r:.80} must be of one kind, and all different.")


def _numeric(fields: dict[str, Any]) -> FeatureEncoding:
    name, has_all = fields["name"], fields["thresholds"] == ALL
    for key in ("thresholds", "special_values", "seen_special"):
        if key == "thresholds" and has_all:
            continue
        if not all(map(is_number, fields[key])):
            raise ValueError(f"{key} of {name!r:.80} must be numbers.")
        fields[key] = tuple(map(float, fields[key]))
        if list(fields[key]) != sorted(set(fields[key])):
            raise ValueError(f"{key} of {name!r:.80} must increase.")
    if not set(fields["seen_special"]) <= set(fields["special_values"]):
        raise ValueError(f"seen_special of {name!r:.80} must be among its special_values.")
    if has_all:
        return EveryThreshold.from_plain(fields)
    return NumericEncoding(**fields)
