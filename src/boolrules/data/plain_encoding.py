"""Columns read from a model file, every part checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boolrules._support.json import is_label, is_number
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
                if not all(is_label(c) and c is not None for c in categories):
                    raise ValueError(f"Categories of {plain['name']!r:.80} must be plain values.")
                return CategoricalEncoding(**(fields | {"categories": categories}))
            case "binary":
                return BinaryEncoding(**fields)
    except (TypeError, KeyError) as error:
        raise ValueError(f"Feature {plain['name']!r:.80} is not well formed: {error}.") from None
    raise ValueError(f"Feature {plain['name']!r:.80} has unknown kind {plain.get('kind')!r:.40}.")


def _numeric(fields: dict[str, Any]) -> FeatureEncoding:
    name, has_all = fields["name"], fields["thresholds"] == ALL
    for key in ("thresholds", "special_values", "seen_special"):
        if key == "thresholds" and has_all:
            continue
        if not all(map(is_number, fields[key])):
            raise ValueError(f"{key} of {name!r:.80} must be numbers.")
        fields[key] = tuple(map(float, fields[key]))
    if has_all:
        return EveryThreshold.from_plain(fields)
    if list(fields["thresholds"]) != sorted(set(fields["thresholds"])):
        raise ValueError(f"Thresholds of {name!r:.80} must increase.")
    return NumericEncoding(**fields)
