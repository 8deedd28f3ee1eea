"""One test of one column: "age <= 35", "job is null", "color != 'red'"."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_number
from boolrules._support.rounded import LARGEST_EXACT
from boolrules._support.table import Kind
from boolrules._support.values import equals
from boolrules.rules.names import format_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.table import TableColumn

Value = float | int | bool | str | tuple[float, float] | None


class Relation(StrEnum):
    """How a condition compares its column with its value."""

    LE = "<="
    GT = ">"
    EQ = "=="
    NE = "!="
    IN = "in"
    NOT_IN = "not in"
    IS_NULL = "is null"
    IS_NOT_NULL = "is not null"


_NULL_TESTS = (Relation.IS_NULL, Relation.IS_NOT_NULL)
_ORDER_TESTS = (Relation.LE, Relation.GT)
_INTERVAL_TESTS = (Relation.IN, Relation.NOT_IN)
_EQUAL_TESTS = (Relation.EQ, Relation.NE)


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one column, the paper's binary feature X_j.

    Every comparison with a missing value is False, ``!=`` included. ``in`` compares with the
    half-open interval ``(lower, upper]``.

    Parameters
    ----------
    feature : str
        Name of the column.
    relation : Relation
        How it is compared.
    value : number, bool, str, (lower, upper) or None
        What it is compared with; None for ``is null`` and ``is not null``.
    except_values : tuple of float
        Special codes (such as -9 for "no record") on which the comparison is False although the
        number alone would satisfy it.
    n_conditions : int
        How many it counts as in complexity: 2 for a whole number that two thresholds of a learned
        clause pick out, else 1. What it says is the same, and so it does not make conditions
        differ.

    Examples
    --------
    >>> from boolrules._support.table import read_table
    >>> ages = read_table(np.array([[20.0], [35.0], [np.nan], [-9.0]]))["x0"]
    >>> young = Condition("x0", Relation.LE, 35.0)
    >>> print(young, young.holds(ages).tolist())
    x0 <= 35 [True, True, False, True]
    >>> known = Condition("x0", Relation.LE, 35.0, except_values=(-9.0,))
    >>> print(known, known.holds(ages).tolist())
    x0 <= 35 (not -9) [True, True, False, False]
    >>> print(Condition("x0", Relation.LE, 35.0, except_values=(-9.0, 35.0)))
    x0 < 35 (not -9)
    """

    feature: str
    relation: Relation
    value: Value = None
    except_values: tuple[float, ...] = ()
    n_conditions: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        for number in (*values, *self.except_values):
            if type(number) is int and not is_number(number):
                raise ValueError(
                    f"{self.feature!r:.40} is compared with {number!s:.40}, a whole number that "
                    "double precision rounds. If these are codes, make them text."
                )
        if self.n_conditions != 1 and not self._may_be_two:
            raise ValueError(f"'{self}' is one condition, and no two thresholds pick it out.")

    def __str__(self) -> str:
        *others, last = self.except_values or (None,)
        is_below = self.relation is Relation.LE and last == self.value and last not in others
        text = f"{format_name(self.feature)} {'<' if is_below else self.relation}"
        if self.relation in _INTERVAL_TESTS and isinstance(self.value, tuple):
            text += f" ({exact_number(self.value[0])}, {exact_number(self.value[1])}]"
        elif self.relation not in _NULL_TESTS:
            text += f" {format_value(self.value)}"
        excepted = others if is_below else self.except_values
        if excepted:
            text += f" (not {', '.join(map(exact_number, excepted))})"
        return text

    def holds(self, column: TableColumn) -> NDArray[np.bool_]:
        """On which rows the condition is true."""
        if self.relation is Relation.IS_NULL:
            return column.is_null
        if self.relation is Relation.IS_NOT_NULL:
            return ~column.is_null
        is_null = column.is_null
        if is_null.all():
            return np.zeros(len(is_null), dtype=bool)
        self._check_kind(column)
        holds = self._compare(column) & ~is_null
        for special in self.except_values:
            holds &= column.values != special
        return holds

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``from_plain`` reads back exactly."""
        plain: dict[str, Any] = {"feature": self.feature, "relation": str(self.relation)}
        if self.relation not in _NULL_TESTS:
            plain["value"] = list(self.value) if isinstance(self.value, tuple) else self.value
        if self.except_values:
            plain["except_values"] = list(self.except_values)
        if self.n_conditions != 1:
            plain["n_conditions"] = self.n_conditions
        return plain

    @classmethod
    def from_plain(cls, plain: Any) -> Condition:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, dict) or not isinstance(plain.get("feature"), str):
            raise ValueError(f"A condition needs a feature and a relation; got {plain!r:.80}.")
        if plain.get("relation") not in list(Relation):
            raise ValueError(
                f"Unknown relation {plain.get('relation')!r:.40} in a condition; known are: "
                f"{', '.join(Relation)}."
            )
        relation = Relation(plain["relation"])
        value = plain.get("value")
        if isinstance(value, list):
            value = tuple(value)
        except_values = plain.get("except_values", [])
        n_conditions = plain.get("n_conditions", 1)
        if (
            not _is_allowed(relation, value)
            or not (isinstance(except_values, list) and all(map(is_number, except_values)))
            or type(n_conditions) is not int
            or n_conditions not in (1, 2)
        ):
            raise ValueError(
                f"The condition {plain!r:.80} compares with something that it cannot."
            )
        return cls(plain["feature"], relation, value, tuple(except_values), n_conditions)

    @property
    def _may_be_two(self) -> bool:
        """Whether it compares a whole number in the way that two thresholds can."""
        is_one = self.relation in _EQUAL_TESTS and not self.except_values
        return is_one and is_number(self.value) and float(self.value).is_integer()  # type: ignore[arg-type]

    def _compare(self, column: TableColumn) -> NDArray[np.bool_]:
        values = column.values
        match self.relation, self.value:
            case Relation.LE, value:
                return np.asarray(values <= value, dtype=bool)
            case Relation.GT, value:
                return np.asarray(values > value, dtype=bool)
            case (Relation.IN | Relation.NOT_IN) as relation, (lower, upper):
                inside = (values > lower) & (values <= upper)
                return inside if relation is Relation.IN else ~inside
            case Relation.EQ, value:
                return equals(values, value)
            case _, value:
                return ~equals(values, value)

    def _check_kind(self, column: TableColumn) -> None:
        needs_text = isinstance(self.value, str)
        if needs_text != (column.kind is Kind.TEXT):
            held, wanted = ("numbers", "text") if needs_text else ("text", "numbers")
            raise ValueError(
                f"Column {self.feature!r} holds {held}, but the condition '{self}' compares "
                f"{wanted}. "
                "Give the column the type that it had in fit."
            )


def format_number(value: float) -> str:
    """Write a figure for people: no trailing zeros, no floating-point dust.

    Ten digits; the values of conditions need all of theirs, see ``exact_number``.

    Examples
    --------
    >>> format_number(35.0), format_number(0.1 + 0.2), format_number(1e-7), format_number(16e11)
    ('35', '0.3', '1e-07', '1600000000000')
    """
    if float(value).is_integer() and abs(value) < LARGEST_EXACT:
        return str(int(value))
    return f"{value:.10g}"


def exact_number(value: float) -> str:
    """Write a number in the shortest text that reads back as the same one.

    Examples
    --------
    >>> exact_number(35.0), exact_number(0.3), exact_number(0.1 + 0.2), exact_number(1e-7)
    ('35', '0.3', '0.30000000000000004', '1e-07')
    >>> exact_number(2**53 + 1)
    '9007199254740993'
    """
    if isinstance(value, int):
        return str(int(value))
    number = float(value)
    is_short = number.is_integer() and abs(number) < LARGEST_EXACT
    return str(int(number)) if is_short else repr(number)


def format_value(value: Value) -> str:
    """Write a category or number with every digit; text in quotes."""
    if isinstance(value, bool | str):
        return repr(value)
    return exact_number(value) if isinstance(value, int | float) else str(value)


def _is_allowed(relation: Relation, value: Any) -> bool:
    if relation in _NULL_TESTS:
        return value is None
    if relation in _ORDER_TESTS:
        return is_number(value)
    if relation in _INTERVAL_TESTS:
        return isinstance(value, tuple) and len(value) == 2 and all(map(is_number, value))
    return isinstance(value, bool | str) or is_number(value)
