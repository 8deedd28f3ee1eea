"""What the reader calls the rows and the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boolrules.rules.answers import is_comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS = "rows"
# Labels that say nothing without the name of their column.
BARE = {"yes", "no", "y", "n", "true", "false", "t", "f", "positive", "negative", "pos", "neg"}


@dataclass(frozen=True, slots=True)
class Words:
    """The reader's words: for rows, and for each class in the order of the model's.

    Examples
    --------
    >>> ill = Words.of([0, 1], "disease", {"rows": "patients", 1: "ill"})
    >>> ill.rows, ill.classes
    ('patients', ['0', 'ill'])
    >>> ill.telling(1), ill.telling(0)
    (('are ill', 'the ill'), ('have disease = 0', 'all such patients'))
    >>> ill.name(1), ill.name(0)
    ('ill', 'disease = 0')
    >>> Words.of(["<= 2", "> 2"], "drinks", None).name(1)
    'drinks > 2'
    """

    rows: str
    classes: list[str]
    telling_names: tuple[str | None, ...]
    target: str | None

    @classmethod
    def of(
        cls, labels: Sequence[Any], target: str | None, given: Mapping[Any, str] | None
    ) -> Words:
        """Take the words given, and the labels themselves where there is none."""
        own = _checked(given, labels)
        classes = [own.get(str(label), str(label)) for label in _plain(labels)]
        told = tuple(
            name if str(label) in own or _is_telling(label) else None
            for name, label in zip(classes, labels, strict=True)
        )
        return cls(own.get(ROWS, ROWS), classes, told, target)

    def telling(self, k: int) -> tuple[str, str]:
        """Say that things are of a class, and name all those that are."""
        name = self.telling_names[k]
        if name is not None:
            return f"are {name}", f"the {name}"
        return f"have {self.name(k)}", f"all such {self.rows}"

    def name(self, k: int) -> str:
        """Name a class so that it is understood on its own."""
        name = self.telling_names[k]
        if name is not None:
            return name
        if not self.target:
            return f"label {self.classes[k]}"
        sign = "" if is_comparison(self.classes[k]) else "= "
        return f"{self.target} {sign}{self.classes[k]}"


def _plain(labels: Sequence[Any]) -> list[Any]:
    """Write whole numbers without a point, as people do."""
    return [int(x) if isinstance(x, float) and x.is_integer() else x for x in labels]


def _is_telling(label: Any) -> bool:
    return isinstance(label, str) and label.lower() not in BARE and label.isalpha()


def _checked(given: Mapping[Any, str] | None, labels: Sequence[Any]) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(
            f"words={given!r:.60} is no dictionary. Give one such as "
            "{'rows': 'patients', 1: 'ill', 0: 'healthy'}."
        )
    known = {ROWS, *map(str, _plain(labels))}
    own = {str(key): str(word) for key, word in zip(_plain([*given]), given.values(), strict=True)}
    for key in own.keys() - known:
        raise ValueError(
            f"words names {key!r}, which is neither 'rows' nor one of the labels: "
            f"{', '.join(map(repr, sorted(known - {ROWS})))}."
        )
    return own
