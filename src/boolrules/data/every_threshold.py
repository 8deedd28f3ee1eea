"""A numeric column with a threshold between any two neighbouring values: every cut of its rows.

A column may have a million of them, so they are kept as an array of the values, and a condition is
written when it is asked for. A file does not list them: the training rows give them again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from boolrules._support.table import Kind, TableColumn
from boolrules.data.column_encoding import (
    Binned,
    check_all_null,
    equal_to,
    null_tests,
    numbers_around,
    tidy,
)
from boolrules.data.shortest import shortest_in_gap
from boolrules.rules import Condition, Relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.rules.mention import Mention

ALL = "all"


@dataclass(frozen=True, eq=False)
class EveryThreshold:
    """Every cut: cut k parts the values up to ``values[k]`` from those above it.

    Parameters
    ----------
    name : str
        The column.
    values : float array, or None
        The distinct values of the training rows in growing order, special ones apart; None for a
        model from a file that has not met its rows yet, see ``on``.
    has_null, special_values, seen_special, has_negations
        As in ``NumericEncoding``.

    Examples
    --------
    >>> age = EveryThreshold("age", np.array([18.0, 19.0, 33.0]), has_null=True)
    >>> [str(condition) for condition, _ in age.binned_conditions()]
    ['age <= 18', 'age > 18', 'age <= 30', 'age > 30', 'age is null', 'age is not null']
    """

    name: str
    values: NDArray[np.float64] | None = field(default=None, repr=False)
    has_null: bool = False
    special_values: tuple[float, ...] = ()
    seen_special: tuple[float, ...] = ()
    has_negations: bool = True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EveryThreshold):
            return NotImplemented
        if self.values is None or other.values is None:
            return self.values is other.values and self._rest == other._rest
        return self._rest == other._rest and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self._rest, None if self.values is None else len(self.values)))

    @property
    def _rest(self) -> tuple[Any, ...]:
        return (
            self.name,
            self.has_null,
            self.special_values,
            self.seen_special,
            self.has_negations,
        )

    @property
    def known(self) -> NDArray[np.float64]:
        """The values, which a model from a file must have been given."""
        if self.values is None:
            raise ValueError(
                f"The thresholds of column {self.name!r} are all that its training rows allow, "
                "and the model has not met these rows yet. Give it the rows with on."
            )
        return self.values

    def on(self, column: TableColumn) -> EveryThreshold:
        """Return the same column with the cuts of these rows."""
        if column.kind is Kind.TEXT:
            check_all_null(column, "numbers")
            return replace(self, values=np.empty(0))
        is_measured = ~column.is_null & ~np.isin(column.values, self.special_values)
        return replace(self, values=np.unique(column.values[is_measured]) + 0.0)

    def without_cuts(self) -> EveryThreshold:
        """Return the same column without a value, for when no condition may read it."""
        return replace(self, values=np.empty(0))

    @property
    def n_bins(self) -> int:
        """One for each value."""
        return max(1, len(self.known))

    @property
    def n_cuts(self) -> int:
        """One fewer than the values."""
        return self.n_bins - 1

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
        """Return the bin, special value or "missing" of each row.

        A value that was not there in ``fit`` is put where the printed thresholds put it.
        """
        if column.kind is Kind.TEXT:
            check_all_null(column, "numbers")
            return np.full(len(column.values), self.n_codes - 1)
        values, known = column.values, self.known
        codes = np.minimum(np.searchsorted(known, values, side="left"), self.n_bins - 1)
        is_special = np.isin(values, self.special_values)
        if self.n_cuts:
            is_new = (known[codes] != values) & ~np.isnan(values) & ~is_special
            is_between = np.flatnonzero(is_new & (codes > 0) & (values < known[-1]))
            codes[is_between] -= values[is_between] <= self._thresholds(codes[is_between] - 1)
        for place, special in enumerate(self.special_values):
            codes[values == special] = self.n_bins + place
        codes[np.isnan(values)] = self.n_codes - 1
        return codes

    def _thresholds(self, cuts: NDArray[np.int64]) -> NDArray[np.float64]:
        distinct, place = np.unique(cuts, return_inverse=True)
        return np.array([self.threshold(k) for k in distinct.tolist()])[place]

    def threshold(self, k: int) -> float:
        """Return the number that people read for a cut."""
        low, high = self.known[k : k + 2].tolist()
        return shortest_in_gap(low, high, self._is_whole)

    @cached_property
    def _is_whole(self) -> bool:
        return bool((self.known == np.floor(self.known)).all())

    # Conditions: two for each cut, or one without negations; then those that are listed.

    @property
    def n_per_cut(self) -> int:
        """``<=`` and, with negations, ``>``."""
        return 2 if self.has_negations else 1

    @property
    def n_conditions(self) -> int:
        """How many there are before constraints."""
        return self.n_cuts * self.n_per_cut + len(self.listed_conditions())

    def condition(self, place: int) -> Condition:
        """Write the condition at a place."""
        k, side = divmod(place, self.n_per_cut)
        if k >= self.n_cuts:
            return self.listed_conditions()[place - self.n_cuts * self.n_per_cut][0]
        return self._with_exceptions(
            Condition(self.name, Relation.GT if side else Relation.LE, self.threshold(k))
        )

    def _with_exceptions(self, condition: Condition) -> Condition:
        """Except the special values on which a comparison with a number would be true."""
        value, given = condition.value, condition.except_values
        if condition.relation not in (Relation.LE, Relation.GT):
            return condition
        assert isinstance(value, int | float)
        is_below = condition.relation is Relation.LE
        more = (v for v in self.special_values if (v <= value) is is_below and v not in given)
        return replace(condition, except_values=(*more, *given))

    def place(self, condition: Condition) -> int | None:
        """Return the place of the condition that holds on the same training rows, if there is one.

        Examples
        --------
        >>> age = EveryThreshold("age", np.array([18.0, 19.0, 33.0]))
        >>> texts = ("<=", 30), ("<=", 20), (">", 18.5), (">", 33), ("==", 33)
        >>> [age.place(Condition("age", Relation(sign), value)) for sign, value in texts]
        [2, 2, 1, None, 3]
        """
        listed = self.listed_conditions()
        for place, (other, _) in enumerate(listed):
            if other == condition:
                return self.n_cuts * self.n_per_cut + place
        if condition.feature != self.name or isinstance(condition.value, str):
            return None
        holds, by_special = self._held(condition)
        n_held = int(holds.sum())
        if by_special or not 0 < n_held < self.n_bins:
            return None
        if holds[:n_held].all():
            return (n_held - 1) * self.n_per_cut
        if holds[-n_held:].all() and self.has_negations:
            return (self.n_bins - n_held - 1) * self.n_per_cut + 1
        return None

    def meant(self, mention: Mention) -> NDArray[np.int64]:
        """Return the places of the conditions that are meant.

        A number stands for the cut that it makes, and special values need not be excepted.

        Examples
        --------
        >>> from boolrules.rules.mention import Mention
        >>> age = EveryThreshold("age", np.array([18.0, 19.0, 33.0]))
        >>> [age.meant(Mention.of(text)).tolist() for text in ("age <= 25", "age >", "age <= 40")]
        [[2], [1, 3], []]
        """
        if mention.feature != self.name:
            return np.empty(0, dtype=np.int64)
        n_of_cuts = self.n_cuts * self.n_per_cut
        listed = enumerate(self.listed_conditions(), start=n_of_cuts)
        places = {place for place, (condition, _) in listed if mention.means(condition)}
        if mention.relation in (Relation.LE, Relation.GT):
            first = int(mention.relation is Relation.GT)
            if first < self.n_per_cut:
                return np.arange(first, n_of_cuts, self.n_per_cut)
        for condition in mention.conditions:
            place = self.place(self._with_exceptions(condition))
            places |= set() if place is None else {place}
        return np.array(sorted(places), dtype=np.int64)

    def around(self, mention: Mention) -> list[int]:
        """Return a few places, among them the cuts nearest to what is not meant by any."""
        cuts = {0, self.n_cuts - 1}
        for condition in mention.conditions:
            if condition.feature == self.name and isinstance(condition.value, int | float):
                k = int(np.searchsorted(self.known, condition.value, side="right"))
                cuts |= {k - 2, k - 1, k}
        sides = range(self.n_per_cut)
        kept = sorted(k for k in cuts if 0 <= k < self.n_cuts)
        near = [k * self.n_per_cut + side for k in kept for side in sides]
        return [*near, *range(self.n_cuts * self.n_per_cut, self.n_conditions)]

    def _held(self, condition: Condition) -> tuple[NDArray[np.bool_], bool]:
        """On which values a condition is true, and whether on any that is special or missing."""
        others = [*self.seen_special, *([np.nan] if self.has_null else [])]
        values = np.concatenate([self.known, others])
        holds = condition.holds(TableColumn(self.name, Kind.NUMERIC, values))
        n_known = len(self.known)
        return holds[:n_known], bool(holds[n_known:].any())

    def ranges(self) -> NDArray[np.int64]:
        """Return the codes on which each condition holds, as ``BinnedConditions`` has them."""
        n_of_cuts = self.n_cuts * self.n_per_cut
        ranges = np.zeros((self.n_conditions, 4), dtype=np.int64)
        cuts = ranges[:n_of_cuts].reshape(self.n_cuts, self.n_per_cut, 4)
        cuts[:, 0, 1] = np.arange(1, self.n_bins)
        if self.has_negations:
            cuts[:, 1, 0] = np.arange(1, self.n_bins)
            cuts[:, 1, 1] = self.n_bins
        for place, (_, pieces) in enumerate(self.listed_conditions(), start=n_of_cuts):
            ends = [end for piece in pieces if piece[0] < piece[1] for end in piece]
            ranges[place, : len(ends)] = ends
        return ranges

    def listed_conditions(self) -> list[Binned]:
        """Return those that are no cuts: special values, then missing ones."""
        # Before the rows are there, only the conditions are known, not their codes.
        n_bins = 1 if self.values is None else self.n_bins
        last = n_bins + len(self.special_values)
        listed: list[Binned] = []
        for place, special in enumerate(self.special_values):
            if special in self.seen_special:
                listed += equal_to(
                    self.name, tidy(special), n_bins + place, last, self.has_negations
                )
        return listed + null_tests(self.name, self.has_null, last, self.has_negations)

    def binned_conditions(self) -> list[Binned]:
        """Write out all conditions, each with the ranges of codes on which it holds."""
        pieces = [
            [(a, b) for a, b in (ends[:2], ends[2:]) if a < b] for ends in self.ranges().tolist()
        ]
        return [(self.condition(place), piece) for place, piece in enumerate(pieces)]

    def to_plain(self) -> dict[str, Any]:
        """Return plain values, which do not list the thresholds."""
        return {
            "kind": "numeric",
            "name": self.name,
            "thresholds": ALL,
            "has_null": self.has_null,
            "special_values": list(self.special_values),
            "seen_special": list(self.seen_special),
            "as_intervals": False,
            "has_negations": self.has_negations,
        }

    @classmethod
    def from_plain(cls, fields: dict[str, Any]) -> Self:
        """Read the fields of ``to_plain``'s form that are numbers and flags, already checked."""
        kept = {k: v for k, v in fields.items() if k not in ("thresholds", "as_intervals")}
        if fields.get("as_intervals"):
            raise ValueError(f"{kept['name']!r:.80} has intervals, which go with no thresholds.")
        return cls(values=None, **kept)
