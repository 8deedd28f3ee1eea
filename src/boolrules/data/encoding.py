"""The columns of a table as bin codes, and every condition over them that may be used (§4, A.1).

How a single column is encoded is in ``column_encoding`` and ``every_threshold``, which conditions
may be used in ``constraints``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from boolrules._support.dates import source_of
from boolrules.data.column_encoding import FeatureEncoding, NumericEncoding, is_pair
from boolrules.data.conditions import (
    Columns,
    Conditions,
    CutConditions,
    ListedConditions,
    ThresholdConditions,
    is_allowed,
    nearest,
    places_meant,
)
from boolrules.data.constraints import Constraints
from boolrules.data.every_threshold import ALL, EveryThreshold
from boolrules.data.plain_encoding import encoding_from_plain
from boolrules.rules.mention import Mention

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.data.bins import BinnedConditions
    from boolrules.rules import Condition

# Thresholds of a column whose conditions are all written out at once.
MOST_WRITTEN_OUT = 10_000


@dataclass(frozen=True)
class TableEncoding:
    """The columns of a table as bin codes, and every condition over them that may be used.

    Parameters
    ----------
    features : tuple of FeatureEncoding
        One per column.
    constraints : Constraints
        Which conditions are left out.
    derived : dict of str
        For each column that is a part of dates or times, the column that it is a part of.

    Examples
    --------
    >>> from boolrules.data.column_encoding import NumericEncoding
    >>> age = NumericEncoding("age", thresholds=(35.0,))
    >>> encoding = TableEncoding((age,)).constrained(Constraints(monotone={"age": "increasing"}))
    >>> [str(condition) for condition in encoding.conditions]
    ['age > 35']
    """

    features: tuple[FeatureEncoding, ...]
    constraints: Constraints = field(default_factory=Constraints)
    derived: Mapping[str, str] = field(default_factory=dict, hash=False)

    def constrained(self, constraints: Constraints) -> TableEncoding:
        """Return the same columns under constraints, after a check that these fit the columns.

        The name of a column of dates stands for all its parts.
        """
        constraints = constraints.with_parts(self.derived)
        if constraints == self.constraints:
            return self
        features = tuple(self._ordered(feature, constraints) for feature in self.features)
        free = replace(self, features=features, constraints=Constraints())
        constrained = replace(free, constraints=constraints)
        constrained.check()
        # To list the conditions of a column of identifiers takes longer than many a fit.
        if constraints.forbidden_conditions:
            _warn_of_idle(constraints, free.conditions)
        if not constrained.conditions and free.conditions:
            raise ValueError(
                f"The constraints leave none of the {len(free.conditions)} conditions that this "
                "table has, so there is nothing to make rules of. Loosen one of them: "
                f"{constraints}."
            )
        return constrained

    def _ordered(self, feature: FeatureEncoding, constraints: Constraints) -> FeatureEncoding:
        """Give a column of two numbers thresholds if it must keep to a direction.

        ``sex == 1`` does not: it is true of 1 and false of 2.
        """
        if feature.name not in constraints.monotone or not is_pair(feature):
            return feature
        values = np.array(feature.categories, dtype=float)
        has_null, has_negations = feature.has_null, feature.has_negations
        if self.has_cuts:
            return EveryThreshold(feature.name, values, has_null, has_negations=has_negations)
        threshold = float(values[0])
        return NumericEncoding(feature.name, (threshold,), has_null, has_negations=has_negations)

    def check(self) -> None:
        """Turn down constraints on columns that are not there, or that have no order."""
        self.constraints.check([feature.name for feature in self.features])
        for feature in self.features:
            if feature.name in self.constraints.monotone and not feature.is_ordered:
                raise ValueError(
                    f"monotone names {feature.name!r:.80}, a column of categories, which have no "
                    "order. Use it for numbers and true/false."
                )

    def encode(self, table: Table) -> NDArray[np.unsignedinteger]:
        """Return the bin codes, (n_rows, n_features), in the smallest type that holds them.

        Columns that no condition may read are not read here either: their codes are 0.
        """
        most = max(self._n_codes, default=1)
        codes = np.zeros((len(table), len(self.features)), dtype=np.min_scalar_type(most - 1))
        for f, feature in enumerate(self.features):
            if self.constraints.allows_feature(feature.name):
                codes[:, f] = feature.encode(table[feature.name])
        return codes

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the conditions, which can be built again."""
        kept = ("features", "constraints", "derived")
        return {name: getattr(self, name) for name in kept}

    @cached_property
    def conditions(self) -> Sequence[Condition]:
        """Every condition that may be used, as people read it.

        A tuple or, where a column has very many thresholds or every one, a sequence that writes
        each condition when it is asked for.
        """
        return tuple(self._by_column) if self._by_column.are_listed else self._by_column

    @cached_property
    def binned(self) -> BinnedConditions:
        """The same conditions, in the same order, as the solver sees them."""
        return self._by_column.binned(self._n_codes)

    @property
    def _n_codes(self) -> list[int]:
        """Codes of each column: one where no condition may read it."""
        return [
            feature.n_codes if self.constraints.allows_feature(feature.name) else 1
            for feature in self.features
        ]

    @cached_property
    def _by_column(self) -> Conditions:
        return Conditions([self._of_column(feature) for feature in self.features])

    def _of_column(self, feature: FeatureEncoding) -> Columns:
        if isinstance(feature, EveryThreshold):
            return CutConditions.of(feature, self.constraints)
        if _has_very_many(feature) and not self.constraints.forbids_something:
            return ThresholdConditions(feature)
        return ListedConditions.of(feature, self.constraints)

    @property
    def listed_conditions(self) -> tuple[Condition, ...]:
        """Those whose values are listed: all, or all but the cuts of columns that have every one.

        A number of any other condition on such a column is as good as that of another.
        """
        if not self.has_cuts:
            return tuple(self.conditions)
        return tuple(
            condition
            for feature in self.features
            for condition, _ in (
                feature.listed_conditions()
                if isinstance(feature, EveryThreshold)
                else feature.binned_conditions()
            )
            if is_allowed(condition, feature, self.constraints)
        )

    @property
    def has_cuts(self) -> bool:
        """Whether some column has every threshold."""
        return any(isinstance(feature, EveryThreshold) for feature in self.features)

    @property
    def thresholds(self) -> str | None:
        """``"all"`` where every numeric column has every threshold, with ``<=`` and with ``>``."""
        numeric = [f for f in self.features if isinstance(f, NumericEncoding | EveryThreshold)]
        has_all = [isinstance(f, EveryThreshold) and f.has_negations for f in numeric]
        return ALL if has_all and all(has_all) else None

    @property
    def knows_its_rows(self) -> bool:
        """Whether it has all thresholds that it speaks of; those of a file come with ``on``."""
        return not any(isinstance(f, EveryThreshold) and f.values is None for f in self.features)

    def on(self, table: Table, weights: NDArray[np.float64] | None = None) -> TableEncoding:
        """Return the same columns, those that have every threshold with the cuts of these rows.

        As ``fit`` finds them: rows of weight zero count nothing.

        Examples
        --------
        >>> from boolrules._support.table import read_table
        >>> saved = TableEncoding.from_plain(TableEncoding((EveryThreshold("x0"),)).to_plain())
        >>> again = saved.on(read_table(np.array([[1.0], [2.0], [7.0]])))
        >>> [str(condition) for condition in again.conditions]
        ['x0 <= 1', 'x0 > 1', 'x0 <= 4', 'x0 > 4']
        """
        if not self.has_cuts:
            return self
        if weights is not None:
            table = table.rows(weights > 0)
        return replace(self, features=tuple(self._on(feature, table) for feature in self.features))

    def _on(self, feature: FeatureEncoding, table: Table) -> FeatureEncoding:
        if not isinstance(feature, EveryThreshold):
            return feature
        if not self.constraints.allows_feature(feature.name):
            return feature.without_cuts()
        return feature.on(table[feature.name])

    def allows(self, condition: Condition) -> bool:
        """Whether a condition keeps to the constraints, be it one of ``conditions`` or not.

        One that cuts the training rows as a forbidden one does is forbidden as well.
        """
        named = [feature for feature in self.features if feature.name == condition.feature]
        return all(self._allows(feature, condition) for feature in named)

    def _allows(self, feature: FeatureEncoding, condition: Condition) -> bool:
        if not is_allowed(condition, feature, self.constraints):
            return False
        if not isinstance(feature, EveryThreshold) or not self.constraints.forbidden_conditions:
            return True
        return feature.place(condition) is None or condition in self.conditions

    def to_plain(self) -> list[dict[str, Any]]:
        """Return the columns as plain values; the constraints are with the certificates."""
        return [feature.to_plain() for feature in self.features]

    @classmethod
    def from_plain(
        cls,
        plain: Any,
        constraints: Constraints | None = None,
        derived: Mapping[str, str] | None = None,
    ) -> TableEncoding:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, list):
            raise ValueError(f"The features of a model must be a list; got {plain!r:.80}.")
        features = tuple(map(encoding_from_plain, plain))
        encoding = cls(features, constraints or Constraints(), derived or {})
        names = [feature.name for feature in encoding.features]
        if len(set(names)) < len(names):
            raise ValueError("The features of a model must have different names.")
        for name, source in encoding.derived.items():
            if name not in names or source_of(name) != source:
                raise ValueError(f"{name!r:.80} is no feature that is a part of {source!r:.80}.")
        encoding.check()
        return encoding


def _has_very_many(feature: FeatureEncoding) -> TypeGuard[NumericEncoding]:
    """Whether a column has more thresholds than are worth writing out."""
    return (
        isinstance(feature, NumericEncoding)
        and not feature.as_intervals
        and len(feature.thresholds) > MOST_WRITTEN_OUT
    )


def _warn_of_idle(constraints: Constraints, conditions: Sequence[Condition]) -> None:
    """Say which forbidden conditions this table does not have: a threshold, or a slip."""
    for given in constraints.forbidden_conditions:
        mention = Mention.of(given)
        if conditions and not places_meant(conditions, mention):
            warnings.warn(
                f"forbidden_conditions has '{given}', which is no condition of this table; "
                f"the nearest is '{nearest(conditions, mention)}'. It forbids nothing.",
                UserWarning,
                stacklevel=7,
            )
