"""Texts that stand for conditions: for one, for any of several, or for all of a kind.

Read by the same grammar as whole rules. ``"age <= 35"`` is one condition, ``"job in ('a', 'b')"``
any of two, and ``"age <="``, without a value, every condition on that column with that operator.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from boolrules.rules.condition import Condition, Relation, format_number
from boolrules.rules.parse import Parser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.rules.condition import Value


@dataclass(frozen=True, slots=True)
class Mention:
    """What a text stands for.

    Parameters
    ----------
    feature : str
        The column.
    relation : Relation or None
        With an operator alone: every condition that has it.
    conditions : tuple of Condition
        Otherwise any of these.
    word : str or None
        Their single value as it was written, where it has no quotes: ``007`` may be a number, or
        the text of a category.

    Examples
    --------
    >>> young, clerk = Condition("age", Relation.LE, 35.0), Condition("job", Relation.EQ, "clerk")
    >>> texts = ("age <= 35", "age<=35.0", "age <=", "age < 35", "age > 35")
    >>> [Mention.of(text).means(young) for text in texts]
    [True, True, True, False, False]
    >>> texts = ("job == 'clerk'", "job = clerk", "job in ('clerk', 'cook')", "job == cook")
    >>> [Mention.of(text).means(clerk) for text in texts]
    [True, True, True, False]
    """

    feature: str
    relation: Relation | None
    conditions: tuple[Condition, ...]
    word: str | None = None

    @classmethod
    def of(cls, given: str | Condition, columns: Sequence[str] | None = None) -> Mention:
        """Read a text; with ``columns``, any other name is an error."""
        if isinstance(given, Condition):
            return cls(given.feature, None, (given,))
        return _read(given, None if columns is None else tuple(columns))

    def means(self, condition: Condition) -> bool:
        """Whether a condition is meant; special codes on which it is false need not be given."""
        if self.relation is not None:
            return (condition.feature, condition.relation) == (self.feature, self.relation)
        return any(self._is_same(given, condition) for given in self.conditions)

    def nearest(self, conditions: Sequence[Condition]) -> str:
        """Return the text of the condition that is nearest to one that is not among them.

        Examples
        --------
        >>> thresholds = [Condition("age", Relation.LE, value) for value in (20.0, 36.0, 65.0)]
        >>> Mention.of("age <= 35").nearest(thresholds)
        'age <= 36'
        """
        distances: dict[str, float] = {}
        for given in self.conditions:
            for other in conditions:
                if (given.feature, given.relation) == (other.feature, other.relation):
                    values = given.value, other.value
                    if all(isinstance(value, int | float) for value in values):
                        distances[str(other)] = abs(float(values[0]) - float(values[1]))  # type: ignore[arg-type]
        if distances:
            return min(distances, key=distances.__getitem__)
        return closest(str(self), list(map(str, conditions)))

    def _is_same(self, given: Condition, condition: Condition) -> bool:
        if (given.feature, given.relation) != (condition.feature, condition.relation):
            return False
        if given.except_values and set(given.except_values) != set(condition.except_values):
            return False
        if isinstance(condition.value, str):
            return condition.value in (self.word, given.value)
        return _is_number(given.value, condition.value)

    def __str__(self) -> str:
        if self.relation is not None:
            return f"{self.feature} {self.relation}"
        return " or ".join(map(str, self.conditions))


def closest(text: str, texts: Sequence[str]) -> str:
    """Return the text that is most like another; an empty one where there is none."""
    return next(iter(difflib.get_close_matches(text, texts, n=1, cutoff=0.0)), "")


@lru_cache(256)
def _read(text: str, columns: tuple[str, ...] | None) -> Mention:
    return Mention(*Parser(text, columns).mention())


def _is_number(given: Value, value: Value) -> bool:
    """Whether a value is the one that was given, with every digit or with ten."""
    if isinstance(given, tuple) and isinstance(value, tuple):
        return all(map(_is_number, given, value))
    if isinstance(given, bool) or isinstance(value, bool) or given is None or value is None:
        return given is value
    if isinstance(given, int | float) and isinstance(value, int | float):
        return given in (value, float(format_number(value)))
    return False
