"""Where thresholds and categories come from: a column's values become its encoding (§4, A.1).

The rule alone, apart from scikit-learn: ``FeatureBinarizer`` asks it about whole columns, Dask
about summaries of them. How a column becomes codes is in ``encoding``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_number
from boolrules._support.table import Kind, TableColumn
from boolrules.data.column_encoding import (
    BinaryEncoding,
    CategoricalEncoding,
    FeatureEncoding,
    NumericEncoding,
    tidy,
)
from boolrules.data.encoding import TableEncoding
from boolrules.data.every_threshold import ALL, EveryThreshold
from boolrules.data.problem import are_whole
from boolrules.data.shortest import shortest_in_gap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.table import Table

DECILES = 10


@dataclass(frozen=True, slots=True)
class Binning:
    """How columns are cut into bins; the fields are ``FeatureBinarizer``'s parameters.

    Examples
    --------
    >>> ages = TableColumn("age", Kind.NUMERIC, np.array([20.0, 30.0, 40.0]))
    >>> Binning().fit_column(ages).thresholds
    (20.0, 30.0)
    """

    thresholds: str | int | Mapping[str, Sequence[float]] = "deciles"
    method: str = "thresholds"
    negations: bool = True
    special_values: Sequence[float] | Mapping[str, Sequence[float]] | None = None
    categorical_features: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.has_every_threshold and self.method == "intervals":
            raise ValueError(
                "thresholds='all' with method='intervals' would make each value an interval of "
                "its own. Use method='thresholds', or a number of quantiles."
            )

    def fit(self, table: Table, weights: NDArray[np.float64] | None = None) -> TableEncoding:
        """Find the thresholds or categories of every column; rows of weight zero count nothing."""
        self.check_names(table.names)
        if weights is not None:
            table, weights = table.rows(weights > 0), weights[weights > 0]
        features, derived = [], {}
        for column in table.columns:  # which may be read from a file one at a time
            features.append(self.fit_column(column, weights))
            if column.part_of is not None:
                derived[column.name] = column.part_of
        return TableEncoding(tuple(features), derived=derived)

    def check_names(self, names: Sequence[str]) -> None:
        """Turn down parameters that name columns which are not there."""
        for parameter in ("thresholds", "special_values", "categorical_features"):
            given = getattr(self, parameter)
            if parameter != "categorical_features" and not isinstance(given, Mapping):
                continue
            unknown = [name for name in given or () if name not in names]
            if unknown:
                raise ValueError(
                    f"{parameter} names {unknown[0]!r}, which is not a column. The columns are: "
                    f"{', '.join(names)}."
                )

    def fit_column(
        self, column: TableColumn, weights: NDArray[np.float64] | None = None
    ) -> FeatureEncoding:
        """Find the thresholds or categories of one column."""
        is_number = column.kind is Kind.NUMERIC and not column.is_category
        if is_number and not self.is_forced(column.name):
            return self._fit_numeric(column, weights)
        return self._fit_categorical(column)

    def is_forced(self, name: str) -> bool:
        """Whether numbers are to be treated as categories."""
        return name in (self.categorical_features or ())

    def has_thresholds_of(self, name: str) -> bool:
        """Whether the thresholds of a column are given."""
        return isinstance(self.thresholds, Mapping) and name in self.thresholds

    @property
    def has_every_threshold(self) -> bool:
        """Whether every cut of the rows is on offer."""
        return isinstance(self.thresholds, str) and self.thresholds == ALL

    @property
    def n_quantiles(self) -> int:
        """The q of q-quantiles, where thresholds are not given."""
        return int(self.thresholds) if isinstance(self.thresholds, Integral) else DECILES

    def _fit_categorical(self, column: TableColumn) -> CategoricalEncoding:
        is_null = column.is_null
        present = sorted(set(column.values[~is_null].tolist()))
        if column.kind is Kind.BOOLEAN:
            present = [bool(value) for value in present]
        elif column.kind is Kind.NUMERIC:
            present = [tidy(value) for value in present]
        has_null = bool(present) and bool(is_null.any())
        return CategoricalEncoding(column.name, tuple(present), has_null, self.negations)

    def _fit_numeric(
        self, column: TableColumn, weights: NDArray[np.float64] | None
    ) -> FeatureEncoding:
        special = self.special_values_of(column.name)
        is_special = np.isin(column.values, special)
        is_measured = ~column.is_null & ~is_special
        measured = column.values[is_measured]
        distinct = np.unique(measured)
        weights = None if weights is None else weights[is_measured]
        seen = tuple(v for v in special if np.any(column.values == v))
        # No number lies between them that a threshold would be for: sex == 1, not sex > 0.
        is_pair = len(distinct) == 2 and are_whole(distinct) and not seen
        if is_pair and not self.has_thresholds_of(column.name):
            return self._fit_categorical(column)
        if len(seen) == 1 and not len(measured) and not column.is_null.any():
            seen = ()
        has_null = bool(column.is_null.any()) and not column.is_null.all()
        if self.has_every_threshold:
            every = EveryThreshold(
                column.name, None, has_null, special, seen, has_negations=self.negations
            )
            return every.on(column)
        return NumericEncoding(
            column.name,
            self._find_thresholds(column.name, measured, distinct, weights),
            has_null,
            special,
            seen,
            self.method == "intervals",
            self.negations,
        )

    def special_values_of(self, name: str) -> tuple[float, ...]:
        """Return the codes of a column that are no measurements."""
        given = self.special_values
        if isinstance(given, Mapping):
            given = given.get(name)
        values = () if given is None else given
        for value in values:
            if not isinstance(value, Real) or not _is_held(value):
                raise ValueError(
                    f"special_values holds {value!r:.40}; use finite numbers that double "
                    "precision holds. Missing values need no code."
                )
        return tuple(sorted({float(value) for value in values}))

    def _find_thresholds(
        self,
        name: str,
        values: NDArray[np.float64],
        distinct: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
    ) -> tuple[float, ...]:
        if isinstance(self.thresholds, Mapping) and name in self.thresholds:
            given = list(self.thresholds[name])
            if not all(map(_is_held, given)):
                raise ValueError(
                    f"thresholds[{name!r}] holds {self.thresholds[name]!r:.80}; use finite "
                    "numbers that double precision holds."
                )
            return tuple(np.unique(np.array(given, dtype=np.float64)).tolist())
        q = self.n_quantiles
        if len(distinct) <= q and are_whole(distinct):  # each is known by its own name
            return tuple(distinct[:-1].tolist())
        if len(distinct) <= q:
            return _shortened(distinct[:-1], distinct)
        quantiles = np.unique(weighted_quantiles(values, np.arange(1, q) / q, weights))
        return _shortened(quantiles[quantiles < distinct[-1]], distinct)


def _is_held(number: Any) -> bool:
    """Whether a number is finite and, if it is whole, not rounded by double precision."""
    plain = number.item() if isinstance(number, np.generic) else number
    if isinstance(plain, Integral):
        return is_number(int(plain))
    return bool(np.isfinite(float(plain)))


def weighted_quantiles(
    values: NDArray[np.float64], shares: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Quantiles of weighted values; integer weights give exactly those of repeated values.

    Examples
    --------
    >>> values, weights = np.array([1.0, 5.0, 9.0]), np.array([3.0, 1.0, 2.0])
    >>> shares = np.array([0.5, 0.9])
    >>> weighted_quantiles(values, shares, weights).tolist()
    [3.0, 9.0]
    >>> np.quantile(np.repeat(values, [3, 1, 2]), shares).tolist()
    [3.0, 9.0]
    """
    if weights is None:
        return np.quantile(values, shares)
    if not are_whole(weights):
        return np.quantile(values, shares, weights=weights, method="inverted_cdf")
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weights[order])
    place = (upto[-1] - 1) * shares
    below = values[order][np.searchsorted(upto, np.floor(place), side="right")]
    above = values[order][np.searchsorted(upto, np.ceil(place), side="right")]
    between = zip(below, above, place - np.floor(place), strict=True)
    return np.array([np.quantile([low, high], share) for low, high, share in between])


def _shortened(
    thresholds: NDArray[np.float64], distinct: NDArray[np.float64]
) -> tuple[float, ...]:
    """Write thresholds with the fewest digits that part the distinct values in the same way."""
    place = np.searchsorted(distinct, thresholds, side="right")
    is_whole = are_whole(distinct)
    gaps = zip(
        distinct[place - 1].tolist(), distinct[place].tolist(), thresholds.tolist(), strict=True
    )
    return tuple(sorted({shortest_in_gap(low, high, is_whole, t) for low, high, t in gaps}))


def binary_encoding(names: Sequence[str]) -> TableEncoding:
    """Take a table of zeros and ones as it is: ``binarizer=None``."""
    return TableEncoding(tuple(BinaryEncoding(name) for name in names))
