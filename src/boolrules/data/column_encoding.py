"""How one column becomes bin codes, and the conditions over them (§4, A.1).

Everything needed to re-read a column as it was in ``fit``, as plain values that a model file can
hold. Codes of a column: its bins or categories first, then special or unseen values, then
"missing", last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np

from boolrules._support.json import is_number
from boolrules._support.table import Kind
from boolrules.data.bins import Range
from boolrules.rules import Condition, Relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.table import TableColumn

Binned = tuple[Condition, list[Range]]


class FeatureEncoding(Protocol):
    """One column's codes and the conditions over them."""

    @property
    def name(self) -> str:
        """Name of the column."""
        ...

    @property
    def n_codes(self) -> int:
        """How many codes there are, the one for "missing" included."""
        ...

    @property
    def is_ordered(self) -> bool:
        """Whether one value can be above another."""
        ...

    def values_around(self, condition: Condition) -> NDArray[np.float64]:
        """Return values in growing order, from either side of where the condition changes.

        Missing values and special codes, which have no place in the order, are none of them.
        """
        ...

    def encode(self, column: TableColumn) -> NDArray[np.int64]:
        """Return a code for each row."""
        ...

    def binned_conditions(self) -> list[Binned]:
        """Return the conditions, each with the ranges of codes on which it holds."""
        ...

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``encoding_from_plain`` reads back."""
        ...


@dataclass(frozen=True, slots=True)
class NumericEncoding:
    """Thresholds: bin k holds the values in ``(thresholds[k-1], thresholds[k]]``.

    Examples
    --------
    >>> age = NumericEncoding("age", thresholds=(35.0, 60.0), has_null=True)
    >>> [str(condition) for condition, _ in age.binned_conditions()]
    ['age <= 35', 'age > 35', 'age <= 60', 'age > 60', 'age is null', 'age is not null']
    """

    name: str
    thresholds: tuple[float, ...]
    has_null: bool = False
    special_values: tuple[float, ...] = ()
    seen_special: tuple[float, ...] = ()
    as_intervals: bool = False
    has_negations: bool = True

    @property
    def n_bins(self) -> int:
        """One more than the thresholds."""
        return len(self.thresholds) + 1

    @property
    def n_codes(self) -> int:
        """Bins, special values, and one code for "missing"."""
        return self.n_bins + len(self.special_values) + 1

    @property
    def is_ordered(self) -> bool:
        """Whether one value can be above another: numbers always can."""
        return True

    def values_around(self, condition: Condition) -> NDArray[np.float64]:
        """Return its ends, and the next numbers below and above them."""
        return numbers_around(condition, self.special_values)

    def encode(self, column: TableColumn) -> NDArray[np.int64]:
        """Return the bin, special value or "missing" of each row."""
        if column.kind is Kind.TEXT:
            check_all_null(column, "numbers")
            return np.full(len(column.values), self.n_codes - 1)
        values = column.values
        codes = np.searchsorted(np.array(self.thresholds), values, side="left")
        for place, special in enumerate(self.special_values):
            codes[values == special] = self.n_bins + place
        codes[np.isnan(values)] = self.n_codes - 1
        return codes

    def binned_conditions(self) -> list[Binned]:
        """Return threshold or interval conditions, then special values, then missing ones."""
        binned = self._intervals() if self.as_intervals else self._comparisons()
        return binned + self.beside_thresholds()

    def beside_thresholds(self) -> list[Binned]:
        """Return those of special values, then those of missing ones."""
        binned: list[Binned] = []
        last = self.n_codes - 1
        for place, special in enumerate(self.special_values):
            if special in self.seen_special:
                code = self.n_bins + place
                binned += equal_to(self.name, tidy(special), code, last, self.has_negations)
        return binned + null_tests(self.name, self.has_null, last, self.has_negations)

    def _comparisons(self) -> list[Binned]:
        binned: list[Binned] = []
        for k in range(len(self.thresholds)):
            binned.append((self.at_most(k), [(0, k + 1)]))
            if self.has_negations:
                binned.append((self.above(k), [(k + 1, self.n_bins)]))
        return binned

    def _intervals(self) -> list[Binned]:
        """Intervals, then one-hot: the paper's other method for numbers."""
        top = len(self.thresholds)
        if top == 0:
            return []
        first = [(self.at_most(0), [(0, 1)])]
        final = [(self.above(top - 1), [(top, self.n_bins)])]
        if top == 1:
            return first + final
        inner: list[Binned] = []
        for k in range(1, top):
            ends = (self.thresholds[k - 1], self.thresholds[k])
            excepted = tuple(v for v in self.special_values if not ends[0] < v <= ends[1])
            inside = tuple(v for v in self.special_values if ends[0] < v <= ends[1])
            inner.append((Condition(self.name, Relation.IN, ends, inside), [(k, k + 1)]))
            if self.has_negations:
                condition = Condition(self.name, Relation.NOT_IN, ends, excepted)
                inner.append((condition, [(0, k), (k + 1, self.n_bins)]))
        if self.has_negations:
            first.append((self.above(0), [(1, self.n_bins)]))
            final.append((self.at_most(top - 1), [(0, top)]))
        return first + inner + final

    def at_most(self, k: int) -> Condition:
        """Write the condition that holds up to a threshold."""
        value = self.thresholds[k]
        excepted = tuple(v for v in self.special_values if v <= value)
        return Condition(self.name, Relation.LE, value, excepted)

    def above(self, k: int) -> Condition:
        """Write the condition that holds above a threshold."""
        value = self.thresholds[k]
        excepted = tuple(v for v in self.special_values if v > value)
        return Condition(self.name, Relation.GT, value, excepted)

    def to_plain(self) -> dict[str, Any]:
        """Return plain values."""
        return {"kind": "numeric"} | {
            name: list(v) if isinstance(v := getattr(self, name), tuple) else v
            for name in self.__slots__
        }


@dataclass(frozen=True, slots=True)
class CategoricalEncoding:
    """Categories: one code each, one for any category not seen in ``fit``, one for "missing".

    Examples
    --------
    >>> color = CategoricalEncoding("color", categories=("blue", "green", "red"))
    >>> [str(condition) for condition, _ in color.binned_conditions()][:2]
    ["color == 'blue'", "color != 'blue'"]
    """

    name: str
    categories: tuple[str | float | bool, ...]
    has_null: bool = False
    has_negations: bool = True

    @property
    def n_codes(self) -> int:
        """Categories, "unseen" and "missing"."""
        return len(self.categories) + 2

    @property
    def is_ordered(self) -> bool:
        """True is above false, and a single category needs no order."""
        is_truth = all(isinstance(category, bool) for category in self.categories)
        return is_truth or len(self.categories) == 1

    def values_around(self, condition: Condition) -> NDArray[np.float64]:
        """Return false and true."""
        return np.empty(0) if isinstance(condition.value, str) else np.array([0.0, 1.0])

    def encode(self, column: TableColumn) -> NDArray[np.int64]:
        """Return the category, "unseen" or "missing" of each row."""
        unseen, missing = len(self.categories), len(self.categories) + 1
        is_text = any(isinstance(category, str) for category in self.categories)
        if self.categories and is_text != (column.kind is Kind.TEXT):
            check_all_null(column, "text" if is_text else "numbers")
            return np.full(len(column.values), missing)
        place = {category: code for code, category in enumerate(self.categories)}
        codes = np.array(
            [place.get(value, unseen) for value in column.values.tolist()], dtype=np.int64
        )
        codes[column.is_null] = missing
        return codes

    def binned_conditions(self) -> list[Binned]:
        """``==`` for each category and, for three or more, ``!=``; then missing values."""
        n, last = len(self.categories), self.n_codes - 1
        binned: list[Binned] = []
        if n > 1:
            for code, category in enumerate(self.categories):
                negated = self.has_negations and n > 2
                binned += equal_to(self.name, category, code, last, negated)
        return binned + null_tests(self.name, self.has_null, last, self.has_negations)

    def to_plain(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "kind": "categorical",
            "name": self.name,
            "categories": list(self.categories),
            "has_null": self.has_null,
            "has_negations": self.has_negations,
        }


@dataclass(frozen=True, slots=True)
class BinaryEncoding:
    """A column of zeros and ones that the user binarised: one condition, ``== 1``."""

    name: str

    @property
    def n_codes(self) -> int:
        """Zero, one, and "missing"."""
        return 3

    @property
    def is_ordered(self) -> bool:
        """One is above zero."""
        return True

    def values_around(self, condition: Condition) -> NDArray[np.float64]:
        """Return zero and one."""
        return np.array([0.0, 1.0])

    def encode(self, column: TableColumn) -> NDArray[np.int64]:
        """Return the value itself, after a check that it is 0 or 1."""
        if column.kind is Kind.TEXT or not np.isin(column.values, (0.0, 1.0)).all():
            raise ValueError(
                f"binarizer=None takes a table of zeros and ones, but column {self.name!r} holds "
                "something else. Leave binarizer at its default, or binarise the column yourself."
            )
        return column.values.astype(np.int64)

    def binned_conditions(self) -> list[Binned]:
        """Return the single condition ``name == 1``."""
        return [(Condition(self.name, Relation.EQ, 1), [(1, 2)])]

    def to_plain(self) -> dict[str, Any]:
        """Return plain values."""
        return {"kind": "binary", "name": self.name}


def is_pair(feature: FeatureEncoding) -> TypeGuard[CategoricalEncoding]:
    """Whether a column is taken as two numbers, such as 0 and 1."""
    return (
        isinstance(feature, CategoricalEncoding)
        and len(feature.categories) == 2
        and not any(isinstance(category, bool | str) for category in feature.categories)
    )


def numbers_around(condition: Condition, special: tuple[float, ...]) -> NDArray[np.float64]:
    """Return a condition's ends, and the next numbers below and above them; no special ones."""
    value = condition.value
    given = [v for v in (value if isinstance(value, tuple) else (value,)) if is_number(v)]
    ends = np.array([*given, *condition.except_values], dtype=float)
    below, above = (np.nextafter(ends, to) for to in (-np.inf, np.inf))
    return np.setdiff1d(np.concatenate([below, ends, above]), special)


def equal_to(
    name: str, value: str | float | bool, code: int, last: int, has_negation: bool
) -> list[Binned]:
    """Return ``==`` a value that has a code and, if asked for, ``!=``."""
    binned: list[Binned] = [(Condition(name, Relation.EQ, value), [(code, code + 1)])]
    if has_negation:
        ranges = [(0, code), (code + 1, last)]
        binned.append((Condition(name, Relation.NE, value), ranges))
    return binned


def null_tests(name: str, has_null: bool, last: int, has_negations: bool) -> list[Binned]:
    """Return ``is null`` and, if asked for, ``is not null``, where there are missing values."""
    if not has_null:
        return []
    is_null: Binned = (Condition(name, Relation.IS_NULL), [(last, last + 1)])
    not_null: Binned = (Condition(name, Relation.IS_NOT_NULL), [(0, last)])
    return [is_null, not_null] if has_negations else [is_null]


def check_all_null(column: TableColumn, wanted: str) -> None:
    """Turn down a column of another kind than in ``fit``, unless it is empty."""
    if not column.is_null.all():
        held = "text" if column.kind is Kind.TEXT else "numbers"
        raise ValueError(
            f"Column {column.name!r} holds {held}, but held {wanted} in fit. "
            "Give the column the type that it had in fit."
        )


def tidy(value: float) -> float | int:
    """Write whole numbers as integers: ``== 4``, not ``== 4.0``."""
    return int(value) if float(value).is_integer() else float(value)
