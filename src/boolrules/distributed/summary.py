"""What is known of columns spread over many machines: enough for thresholds and categories.

Summaries of parts are combined into one of the whole. Distinct values are exact as long as they
are few; the quantiles of many come from a t-digest, whose answers depend on nothing but the data
and how they are split.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from boolrules._support.optional import require
from boolrules._support.table import Kind, TableColumn
from boolrules._support.values import is_missing
from boolrules.data.encoding import TableEncoding
from boolrules.data.problem import are_whole
from boolrules.data.shortest import shortest_in_gap
from boolrules.distributed.joining import (
    check_categories,
    check_same_columns,
    joined_kind,
    label_kind,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.data.binning import Binning
    from boolrules.data.column_encoding import FeatureEncoding

# Ranks are within about 1 / DIGEST_SIZE of the share asked for.
DIGEST_SIZE = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSummary:
    """One column of one part, or of all.

    Parameters
    ----------
    name, kind, is_category
        As in ``TableColumn``.
    has_null, has_value : bool
        Whether there are missing values, and others.
    distinct : tuple or None
        The distinct values, special codes aside; None for more numbers than are told apart.
    special : tuple of float
        The special codes that occur.
    digest : bytes
        A t-digest of the numbers, special codes aside.
    is_whole : bool
        Whether these are whole numbers.
    """

    name: str
    kind: Kind
    is_category: bool
    has_null: bool
    distinct: tuple[Any, ...] | None
    special: tuple[float, ...] = ()
    digest: bytes = b""
    is_whole: bool = False

    @classmethod
    def of(cls, column: TableColumn, most: int | None, special: Sequence[float]) -> ColumnSummary:
        """Summarise a column; of numbers up to ``most`` are told apart, or all."""
        is_null = column.is_null
        values = column.values[~is_null]
        known = (column.name, column.kind, column.is_category, bool(is_null.any()))
        if column.kind is Kind.TEXT:
            return cls(*known, tuple(sorted(set(values.tolist()))))
        is_special = np.isin(values, special)
        ordered = np.sort(values[~is_special])
        distinct = ordered[np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)]
        is_many = most is not None and len(distinct) > most
        return cls(
            *known,
            None if is_many else tuple(distinct.tolist()),
            tuple(np.unique(values[is_special]).tolist()),
            b"" if most is None else _digest(ordered),
            are_whole(distinct),
        )

    @property
    def is_empty(self) -> bool:
        """Whether all values are missing: then it has no kind of its own."""
        return self.distinct == () and not self.special

    def combined(self, other: Self, most: int | None) -> ColumnSummary:
        """Return what is known of both parts."""
        has_null = self.has_null or other.has_null
        if self.is_empty or other.is_empty:
            return replace(other if self.is_empty else self, has_null=has_null)
        kind = joined_kind(self.name, self.kind, other.kind)
        check_categories(self.name, kind, self.is_category, other.is_category)
        distinct = None
        if self.distinct is not None and other.distinct is not None:
            distinct = tuple(sorted({*self.distinct, *other.distinct}))
            if most is not None and kind is not Kind.TEXT and len(distinct) > most:
                distinct = None
        return replace(
            self,
            kind=kind,
            has_null=has_null,
            distinct=distinct,
            special=tuple(sorted({*self.special, *other.special})),
            digest=_merged(self.digest, other.digest),
            is_whole=self.is_whole and other.is_whole,
        )


@dataclass(frozen=True, slots=True, eq=False)
class LabelSummary:
    """The labels of one part, or of all, and what rows weigh.

    Parameters
    ----------
    weights : dict from label to (int, float)
        Number of rows of each label, and their weight.
    kinds : frozenset of str
        What the labels are, by ``label_kind``.
    n_missing : int
        Rows without a label.
    least, largest : float
        Weights of rows; of no row at all, infinities.
    are_whole : bool
        Whether all weights are whole numbers.
    """

    weights: Mapping[Any, tuple[int, float]]
    kinds: frozenset[str]
    n_missing: int
    least: float
    largest: float
    are_whole: bool

    @classmethod
    def of(cls, labels: NDArray[Any], weights: NDArray[np.float64]) -> LabelSummary:
        """Summarise the labels of one part."""
        is_known = _is_known(labels)
        known = labels[is_known]
        kinds = frozenset([label_kind(known)] if len(known) else [])
        return cls(
            _totals(known, weights[is_known], is_sortable="objects" not in kinds),
            kinds,
            int((~is_known).sum()),
            float(weights.min(initial=np.inf)),
            float(weights.max(initial=-np.inf)),
            are_whole(weights),
        )

    @property
    def n_rows(self) -> int:
        """How many rows have a label."""
        return sum(n for n, _ in self.weights.values())

    @property
    def values(self) -> NDArray[Any]:
        """Each label once; objects where their types differ, as in one column.

        A number that is missing is NaN there, and anything else None.
        """
        is_one = len(self.kinds) < 2 and "objects" not in self.kinds
        labels: NDArray[Any] = np.array(list(self.weights), dtype=None if is_one else object)
        if not self.n_missing:
            return labels
        if self.kinds == {"numbers"}:
            return np.append(labels, np.nan)
        return np.append(labels.astype(object), [None])

    def combined(self, others: Sequence[Self]) -> LabelSummary:
        """Return what is known of all parts, taken in this order."""
        every = [self, *others]
        weights: dict[Any, tuple[int, float]] = {}
        for summary in every:
            for label, (n, weight) in summary.weights.items():
                before = weights.get(label, (0, 0.0))
                weights[label] = (before[0] + n, before[1] + weight)
        return LabelSummary(
            weights,
            frozenset().union(*(summary.kinds for summary in every)),
            sum(summary.n_missing for summary in every),
            float(np.min([summary.least for summary in every])),  # NaN where any is
            float(np.max([summary.largest for summary in every])),
            all(summary.are_whole for summary in every),
        )


@dataclass(frozen=True, slots=True, eq=False)
class TableSummary:
    """Columns, and labels with their weights, of one part or of all.

    ``most`` says how many distinct numbers are told apart in each column, None where all are.
    """

    columns: tuple[ColumnSummary, ...]
    labels: LabelSummary
    most: tuple[int | None, ...]

    @classmethod
    def of(
        cls,
        table: Table,
        labels: NDArray[Any],
        weights: NDArray[np.float64],
        binning: Binning | None,
    ) -> TableSummary:
        """Summarise one part; rows of weight zero are left out, but for their labels."""
        most: list[int | None] = []
        columns = []
        for column in table.rows(weights > 0).columns:
            n_told_apart: int | None = None
            special: tuple[float, ...] = ()
            is_number = column.kind is not Kind.TEXT and not column.is_category
            if is_number and binning is not None and not binning.is_forced(column.name):
                n_told_apart = binning.n_quantiles
                special = binning.special_values_of(column.name)
            most.append(n_told_apart)
            columns.append(ColumnSummary.of(column, n_told_apart, special))
        return cls(tuple(columns), LabelSummary.of(labels, weights), tuple(most))

    def combined(self, others: Sequence[Self]) -> TableSummary:
        """Return what is known of all parts, taken in this order."""
        columns, most = list(self.columns), list(self.most)
        for other in others:
            check_same_columns([c.name for c in columns], [c.name for c in other.columns])
            # A part whose values are all missing does not know what the column is.
            most = [
                two if one.is_empty else known
                for one, known, two in zip(columns, most, other.most, strict=True)
            ]
            columns = [
                one.combined(two, n)
                for one, two, n in zip(columns, other.columns, most, strict=True)
            ]
        labels = self.labels.combined([other.labels for other in others])
        return TableSummary(tuple(columns), labels, tuple(most))

    @property
    def whole(self) -> frozenset[str]:
        """The columns that hold whole numbers alone, special codes aside."""
        return frozenset(column.name for column in self.columns if column.is_whole)

    def encoding(self, binning: Binning) -> TableEncoding:
        """Find thresholds and categories, as ``Binning.fit`` does on a whole table."""
        return TableEncoding(tuple(_encoding_of(column, binning) for column in self.columns))


def _encoding_of(summary: ColumnSummary, binning: Binning) -> FeatureEncoding:
    """Fit a column that has each value once or, of many, its ends: then thresholds are given."""
    is_text = summary.kind is Kind.TEXT
    missing = [None if is_text else np.nan] * summary.has_null
    distinct = summary.distinct
    if distinct is None:
        digest = _read(summary.digest)
        distinct = (digest.get_min_value(), digest.get_max_value())
        if not binning.has_thresholds_of(summary.name):
            thresholds = _quantiles(digest, binning.n_quantiles, summary.is_whole)
            binning = replace(binning, thresholds={summary.name: thresholds})
    values = np.array(
        [*distinct, *summary.special, *missing], dtype=object if is_text else np.float64
    )
    column = TableColumn(summary.name, summary.kind, values, summary.is_category)
    return binning.fit_column(column)


def _quantiles(digest: Any, q: int, is_whole: bool) -> list[float]:
    """Return q-quantiles, with the fewest digits that the digest cannot tell from others."""
    thresholds = set()
    for share in np.arange(1, q) / q:
        # Between its own means a digest may fall where it should rise.
        low, near, high = sorted(
            digest.get_quantile(float(np.clip(share + step / DIGEST_SIZE, 0, 1)))
            for step in (-1, 0, 1)
        )
        if is_whole:  # what is up to 35.7 is up to 35
            low, near, high = np.floor(low), np.floor(near), np.floor(high) + 1
        thresholds.add(shortest_in_gap(low, high, is_whole, near))
    return [threshold for threshold in thresholds if threshold < digest.get_max_value()]


def _is_known(labels: NDArray[Any]) -> NDArray[np.bool_]:
    if labels.dtype.kind == "f":
        return ~np.isnan(labels)
    if labels.dtype.kind == "O":
        return np.array([not is_missing(label) for label in labels.tolist()], dtype=bool)
    return np.ones(len(labels), dtype=bool)


def _totals(
    labels: NDArray[Any], weights: NDArray[np.float64], *, is_sortable: bool
) -> dict[Any, tuple[int, float]]:
    """Return the number of rows and their weight for each label."""
    if not is_sortable:  # labels that are turned down for what they are
        return dict.fromkeys(labels.tolist(), (1, 0.0))
    distinct, place = np.unique(labels, return_inverse=True)
    counts = np.bincount(place, minlength=len(distinct)).tolist()
    totals = np.bincount(place, weights, minlength=len(distinct)).tolist()
    return dict(zip(distinct.tolist(), zip(counts, totals, strict=True), strict=True))


def _sketches() -> Any:
    how = 'pip install "boolrules[dask]", with Python 3.11 to 3.13'
    return require("datasketches", needed_for="engine='dask'", install=how)


def _digest(values: NDArray[np.float64]) -> bytes:
    digest = _sketches().tdigest_double(DIGEST_SIZE)
    digest.update(np.ascontiguousarray(values))
    return bytes(digest.serialize())


def _read(digest: bytes) -> Any:
    return _sketches().tdigest_double.deserialize(digest)


def _merged(one: bytes, other: bytes) -> bytes:
    if not one or not other:
        return one or other
    digest = _read(one)
    digest.merge(_read(other))
    return bytes(digest.serialize())
