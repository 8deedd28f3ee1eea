"""Every condition that may be used, as a sequence that writes each when it is asked for.

With every threshold on offer there can be millions of conditions, and few of them are ever read.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from boolrules._support.table import Kind, TableColumn
from boolrules.data.bins import BinnedConditions
from boolrules.rules.mention import Mention

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules.data.column_encoding import FeatureEncoding, NumericEncoding
    from boolrules.data.constraints import Constraints
    from boolrules.data.every_threshold import EveryThreshold
    from boolrules.rules import Condition


@dataclass(frozen=True, slots=True, eq=False)
class ListedConditions:
    """The conditions of one column that may be used, written out."""

    name: str
    conditions: tuple[Condition, ...]
    ranges: NDArray[np.int64]

    @classmethod
    def of(cls, feature: FeatureEncoding, constraints: Constraints) -> ListedConditions:
        """Leave out what the constraints turn down."""
        may_be_read = constraints.allows_feature(feature.name)
        kept = feature.binned_conditions() if may_be_read else []
        if constraints.forbids_something:
            kept = [one for one in kept if is_allowed(one[0], feature, constraints)]
        binned = BinnedConditions.build([(0, ranges) for _, ranges in kept], [feature.n_codes])
        return cls(feature.name, tuple(condition for condition, _ in kept), binned.ranges)

    def __len__(self) -> int:
        return len(self.conditions)

    def __getitem__(self, place: int) -> Condition:
        return self.conditions[place]

    def place(self, condition: Condition) -> int | None:
        """Return the place of a condition, if it is there."""
        return self.conditions.index(condition) if condition in self.conditions else None

    def meant(self, mention: Mention) -> list[int]:
        """Return the places of the conditions that are meant."""
        return [place for place, c in enumerate(self.conditions) if mention.means(c)]

    def around(self, mention: Mention) -> Sequence[Condition]:
        """Return those that a mention of none of them may have been for: all."""
        return self.conditions


class ThresholdConditions:
    """The conditions of a column with very many thresholds, as ``ListedConditions`` has them.

    Each is written when it is asked for: to write out those of a million thresholds takes longer
    than to verify a model that has them.
    """

    def __init__(self, feature: NumericEncoding) -> None:
        self._feature = feature
        self._n_per_threshold = 2 if feature.has_negations else 1
        self._n_of_thresholds = len(feature.thresholds) * self._n_per_threshold
        self._beside = feature.beside_thresholds()

    @property
    def name(self) -> str:
        """The column."""
        return self._feature.name

    @property
    def ranges(self) -> NDArray[np.int64]:
        """The codes on which each condition holds."""
        n_bins, n_codes = self._feature.n_bins, self._feature.n_codes
        ranges = np.zeros((n_bins - 1, 2, 4), dtype=np.int64)
        ranges[:, 0, 1] = ranges[:, 1, 0] = np.arange(1, n_bins)
        ranges[:, 1, 1] = n_bins
        beside = BinnedConditions.build([(0, pieces) for _, pieces in self._beside], [n_codes])
        of_thresholds = ranges[:, : self._n_per_threshold].reshape(-1, 4)
        return np.concatenate([of_thresholds, beside.ranges])

    def __len__(self) -> int:
        return self._n_of_thresholds + len(self._beside)

    def __getitem__(self, place: int) -> Condition:
        if place >= self._n_of_thresholds:
            return self._beside[place - self._n_of_thresholds][0]
        k, is_above = divmod(place, self._n_per_threshold)
        return self._feature.above(k) if is_above else self._feature.at_most(k)

    def place(self, condition: Condition) -> int | None:
        """Return the place of a condition, if it is there."""
        candidates = [*range(self._n_of_thresholds, len(self))]
        if isinstance(condition.value, int | float):
            k = bisect_left(self._feature.thresholds, condition.value)
            candidates += range(self._n_of_thresholds)[k * self._n_per_threshold :][:2]
        return next((place for place in candidates if self[place] == condition), None)

    def meant(self, mention: Mention) -> list[int]:
        """Return the places of the conditions that are meant."""
        return [place for place in range(len(self)) if mention.means(self[place])]

    def around(self, mention: Mention) -> Sequence[Condition]:
        """Return those that a mention of none of them may have been for: all."""
        return [self[place] for place in range(len(self))]


@dataclass(frozen=True, slots=True, eq=False)
class CutConditions:
    """The conditions of a column with every threshold that may be used.

    ``kept`` are their places among all of the column; None where nothing is left out.
    """

    feature: EveryThreshold
    kept: NDArray[np.int64] | None

    @classmethod
    def of(cls, feature: EveryThreshold, constraints: Constraints) -> CutConditions:
        """Leave out what the constraints turn down: one look for each side, not for each cut."""
        if not constraints.forbids_something:
            return cls(feature, None)
        is_kept = np.full(feature.n_conditions, constraints.allows_feature(feature.name))
        n_of_cuts = feature.n_cuts * feature.n_per_cut
        for side, holds in enumerate([[True, False], [False, True]][: feature.n_per_cut]):
            if not constraints.keeps_direction(feature.name, holds):
                is_kept[side : n_of_cuts : feature.n_per_cut] = False
        for given in constraints.forbidden_conditions:
            is_kept[feature.meant(Mention.of(given))] = False
        for place, (condition, _) in enumerate(feature.listed_conditions(), start=n_of_cuts):
            is_kept[place] &= is_allowed(condition, feature, constraints)
        return cls(feature, None if is_kept.all() else np.flatnonzero(is_kept))

    @property
    def name(self) -> str:
        """The column."""
        return self.feature.name

    @property
    def ranges(self) -> NDArray[np.int64]:
        """The codes on which each condition holds."""
        ranges = self.feature.ranges()
        return ranges if self.kept is None else ranges[self.kept]

    def __len__(self) -> int:
        return self.feature.n_conditions if self.kept is None else len(self.kept)

    def __getitem__(self, place: int) -> Condition:
        return self.feature.condition(place if self.kept is None else int(self.kept[place]))

    def place(self, condition: Condition) -> int | None:
        """Return the place of the condition that holds on the same rows, if it is there."""
        place = self.feature.place(condition)
        found = [] if place is None else self._among_kept([place])
        return found[0] if found else None

    def meant(self, mention: Mention) -> list[int]:
        """Return the places of the conditions that are meant."""
        return self._among_kept(self.feature.meant(mention))

    def around(self, mention: Mention) -> Sequence[Condition]:
        """Return a few that a mention of none of them may have been for."""
        return [self[place] for place in self._among_kept(self.feature.around(mention))]

    def _among_kept(self, places: Sequence[int] | NDArray[np.int64]) -> list[int]:
        if self.kept is None:
            return [int(place) for place in places]
        wanted = np.asarray(places, dtype=np.int64)
        found = np.searchsorted(self.kept, wanted)
        is_there = np.isin(wanted, self.kept)
        return [int(place) for place in found[is_there]]


Columns = ListedConditions | ThresholdConditions | CutConditions


class Conditions(Sequence["Condition"]):
    """The conditions of all columns, one column after another.

    With every threshold on offer, a condition is in it if it holds on the same training rows as
    one of them, and ``index`` is the place of that one.

    Examples
    --------
    >>> from boolrules.data.constraints import Constraints
    >>> from boolrules.data.every_threshold import EveryThreshold
    >>> from boolrules.rules import Condition, Relation
    >>> age = EveryThreshold("age", np.array([18.0, 19.0, 33.0]))
    >>> conditions = Conditions([CutConditions.of(age, Constraints())])
    >>> len(conditions), str(conditions[-1]), conditions.index(Condition("age", Relation.GT, 25))
    (4, 'age > 30', 3)
    """

    def __init__(self, columns: Sequence[Columns]) -> None:
        self._columns = tuple(columns)
        self._starts = np.cumsum([0, *map(len, self._columns)])

    @property
    def are_listed(self) -> bool:
        """Whether all of them are written out."""
        return all(isinstance(column, ListedConditions) for column in self._columns)

    def __len__(self) -> int:
        return int(self._starts[-1])

    @overload
    def __getitem__(self, place: int) -> Condition: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Condition, ...]: ...
    def __getitem__(self, place: int | slice) -> Condition | tuple[Condition, ...]:
        if isinstance(place, slice):
            return tuple(self[j] for j in range(*place.indices(len(self))))
        if not -len(self) <= place < len(self):
            raise IndexError(f"There are {len(self)} conditions, and none at place {place}.")
        j = int(place) % len(self)
        column = int(np.searchsorted(self._starts, j, side="right")) - 1
        return self._columns[column][j - int(self._starts[column])]

    def __iter__(self) -> Iterator[Condition]:
        return (column[place] for column in self._columns for place in range(len(column)))

    def __contains__(self, condition: object) -> bool:
        return self._find(condition) is not None

    def index(self, condition: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the place of the condition that holds on the same training rows."""
        place = self._find(condition)
        if place is None or place not in range(len(self))[start:stop]:
            raise ValueError(f"'{condition}' is not among the conditions.")
        return place

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conditions | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} conditions on {len(self._columns)} columns>"

    def _find(self, condition: Any) -> int | None:
        for start, column in zip(self._starts.tolist(), self._columns, strict=False):
            if column.name == getattr(condition, "feature", None):
                place = column.place(condition)
                if place is not None:
                    return int(start) + place
        return None

    def binned(self, n_codes: Sequence[int]) -> BinnedConditions:
        """Return the same conditions as the solver sees them."""
        sizes = [len(column) for column in self._columns]
        ranges = [np.zeros((0, 4), dtype=np.int64), *(column.ranges for column in self._columns)]
        return BinnedConditions(
            np.repeat(np.arange(len(sizes)), sizes),
            np.concatenate(ranges),
            np.array(n_codes, dtype=np.int64),
        )

    def meant(self, mention: Mention) -> list[int]:
        """Return the places of the conditions that are meant."""
        return [
            start + place
            for start, column in zip(self._starts.tolist(), self._columns, strict=False)
            if column.name == mention.feature
            for place in column.meant(mention)
        ]

    def on(self, name: str) -> range:
        """Return the places of the conditions on one column."""
        for start, column in zip(self._starts.tolist(), self._columns, strict=False):
            if column.name == name:
                return range(start, start + len(column))
        return range(0)

    def around(self, mention: Mention) -> list[Condition]:
        """Return those that a mention of none of them may have been for, to name the nearest."""
        return [condition for column in self._columns for condition in column.around(mention)]


def is_allowed(condition: Condition, feature: FeatureEncoding, constraints: Constraints) -> bool:
    """Whether a condition on a column keeps to the constraints, its direction included."""
    if not constraints.allows(condition):
        return False
    if feature.name not in constraints.monotone:
        return True
    column = TableColumn(feature.name, Kind.NUMERIC, feature.values_around(condition))
    return constraints.keeps_direction(feature.name, condition.holds(column).tolist())


def places_meant(conditions: Sequence[Condition], mention: Mention) -> list[int]:
    """Return the places of the conditions that are meant."""
    if isinstance(conditions, Conditions):
        return conditions.meant(mention)
    return [place for place, condition in enumerate(conditions) if mention.means(condition)]


def places_on(conditions: Sequence[Condition], name: str) -> Sequence[int]:
    """Return the places of the conditions on one column."""
    if isinstance(conditions, Conditions):
        return conditions.on(name)
    return [place for place, condition in enumerate(conditions) if condition.feature == name]


def around(conditions: Sequence[Condition], mention: Mention) -> Sequence[Condition]:
    """Return those that a mention of none of them may have been for."""
    return conditions.around(mention) if isinstance(conditions, Conditions) else conditions


def nearest(conditions: Sequence[Condition], mention: Mention) -> str:
    """Return the text of the condition that is nearest to a mention of none of them."""
    return mention.nearest(around(conditions, mention))
