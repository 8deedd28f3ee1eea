"""FeatureBinarizer: a raw table becomes bin codes and the conditions over them (§4, A.1).

Owns where thresholds and categories come from. How a column becomes codes is in ``encoding``; what
a condition means is in ``rules``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from boolrules.encoding import (
    BinaryEncoding,
    CategoricalEncoding,
    FeatureEncoding,
    NumericEncoding,
    TableEncoding,
    tidy,
)
from boolrules.rules.condition import format_number
from boolrules.table import Kind, LazyTable, Table, TableColumn, is_lazy, read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECILES = 10


class FeatureBinarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn numbers, text, categories and missing values into conditions.

    Numbers are compared with thresholds (``age <= 35``, ``age > 35``), categories with their
    values (``job == 'clerk'`` and, from three categories on, ``job != 'clerk'``). A column with
    missing values adds ``is null`` and ``is not null``; every other comparison with a missing
    value is False. A category that was not seen in ``fit`` satisfies every ``!=`` and no ``==``.
    Constant columns give no condition.

    Parameters
    ----------
    thresholds : "deciles", int, or dict of lists, default="deciles"
        Thresholds of numeric columns. An integer q takes the q-quantiles, 10 being the deciles; a
        column with at most q distinct values takes each of them but the largest. A dict gives
        thresholds by column name; columns that it leaves out take the deciles.
    method : "thresholds" or "intervals", default="thresholds"
        Compare numbers with each threshold, or cut them into intervals that are then treated as
        categories.
    negations : bool, default=True
        Whether to add ``>``, ``!=``, ``not in`` and ``is not null``.
    special_values : list of numbers, dict of lists, or None, default=None
        Codes that are not measurements, such as -9 for "no record": for all numeric columns, or by
        column name. They have ``==`` and ``!=`` conditions of their own, and every other
        comparison with them is False.
    categorical_features : list of str, or None, default=None
        Numeric columns to treat as categories.

    Attributes
    ----------
    encoding_ : TableEncoding
        How each column becomes bin codes.
    conditions_ : tuple of Condition
        Every condition, in the order of ``transform``'s columns.

    See Also
    --------
    BooleanRuleClassifier : Learns rules over these conditions.

    Examples
    --------
    >>> import polars
    >>> jobs = ["cook", "clerk", "cook", "cook"]
    >>> people = polars.DataFrame({"age": [20, 30, 40, None], "job": jobs})
    >>> binarizer = FeatureBinarizer().fit(people)
    >>> binarizer.get_feature_names_out().tolist()
    ['age <= 20', 'age > 20', 'age <= 30', 'age > 30', 'age is null', 'age is not null',
     "job == 'clerk'", "job == 'cook'"]
    >>> binarizer.transform(people)[3].tolist()
    [0, 0, 0, 0, 1, 0, 0, 1]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "thresholds": [StrOptions({"deciles"}), Interval(Integral, 2, None, closed="left"), dict],
        "method": [StrOptions({"thresholds", "intervals"})],
        "negations": ["boolean"],
        "special_values": ["array-like", dict, None],
        "categorical_features": ["array-like", None],
    }

    def __init__(
        self,
        *,
        thresholds: str | int | Mapping[str, Sequence[float]] = "deciles",
        method: str = "thresholds",
        negations: bool = True,
        special_values: Sequence[float] | Mapping[str, Sequence[float]] | None = None,
        categorical_features: Sequence[str] | None = None,
    ) -> None:
        self.thresholds = thresholds
        self.method = method
        self.negations = negations
        self.special_values = special_values
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FeatureBinarizer:
        """Find thresholds and categories.

        Parameters
        ----------
        X : pandas, polars or numpy table
            One row per sample.
        y : ignored
            Here for scikit-learn's sake.
        sample_weight : array of numbers, or None
            Weights for the quantiles: integer weights equal repeated rows.
        """
        self._validate_params()
        table = checked_table(self, X, reset=True)
        self.check_names(table.names)
        weights = None
        if sample_weight is not None:
            weights = checked_weights(sample_weight, table)
            table, weights = table.rows(weights > 0), weights[weights > 0]
        self.encoding_ = TableEncoding(tuple(self.fit_column(c, weights) for c in table.columns))
        self.conditions_, _ = self.encoding_.conditions()
        return self

    def transform(self, X: Any) -> NDArray[np.int8]:
        """Return a 0/1 matrix with one column per condition."""
        codes = self.encode(X)
        _, binned = self.encoding_.conditions()
        matrix = np.zeros((len(codes), len(binned)), dtype=np.int8)
        for j in range(len(binned)):
            matrix[:, j] = binned.holds(j, codes)
        return matrix

    def encode(self, X: Any) -> NDArray[np.unsignedinteger]:
        """Return the bin codes, one small integer per row and column.

        The form that ``fit`` works on.
        """
        check_is_fitted(self)
        return self.encoding_.encode(checked_table(self, X, reset=False))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the conditions as text."""
        check_is_fitted(self)
        if input_features is not None:
            known = list(
                getattr(self, "feature_names_in_", [f.name for f in self.encoding_.features])
            )
            if len(input_features) != len(known):
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({len(known)}), "
                    f"got {len(input_features)}"
                )
            if hasattr(self, "feature_names_in_") and list(input_features) != known:
                raise ValueError("input_features is not equal to feature_names_in_")
        return np.array([str(condition) for condition in self.conditions_], dtype=object)

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
    ) -> NumericEncoding:
        special = self.special_values_of(column.name)
        is_special = np.isin(column.values, special)
        is_measured = ~column.is_null & ~is_special
        measured = column.values[is_measured]
        weights = None if weights is None else weights[is_measured]
        seen = tuple(v for v in special if np.any(column.values == v))
        if len(seen) == 1 and not len(measured) and not column.is_null.any():
            seen = ()
        return NumericEncoding(
            column.name,
            self._find_thresholds(column.name, measured, weights),
            bool(column.is_null.any()) and not column.is_null.all(),
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
            if not isinstance(value, Real) or not np.isfinite(float(value)):
                raise ValueError(
                    f"special_values holds {value!r}; use finite numbers. Missing values need "
                    "no code."
                )
        return tuple(sorted({float(value) for value in values}))

    def _find_thresholds(
        self, name: str, values: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> tuple[float, ...]:
        if isinstance(self.thresholds, Mapping) and name in self.thresholds:
            given = np.unique(np.asarray(self.thresholds[name], dtype=np.float64))
            if not np.isfinite(given).all():
                raise ValueError(
                    f"thresholds[{name!r}] holds {self.thresholds[name]!r}; use finite numbers."
                )
            return tuple(given.tolist())
        q = self.n_quantiles
        distinct = np.unique(values)
        if len(distinct) <= q:
            return _shortened(distinct[:-1], distinct)
        quantiles = np.unique(weighted_quantiles(values, np.arange(1, q) / q, weights))
        return _shortened(quantiles[quantiles < distinct[-1]], distinct)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


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
    if not (weights == np.floor(weights)).all():
        return np.quantile(values, shares, weights=weights, method="inverted_cdf")
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weights[order])
    place = (upto[-1] - 1) * shares
    below = values[order][np.searchsorted(upto, np.floor(place), side="right")]
    above = values[order][np.searchsorted(upto, np.ceil(place), side="right")]
    between = zip(below, above, place - np.floor(place), strict=True)
    return np.array([np.quantile([low, high], share) for low, high, share in between])


def shortest_between(threshold: float, low: float, high: float) -> float:
    """Return the number with the fewest digits, from ten on, that parts ``low`` from ``high``.

    That is, ``low <= number < high``, as it holds for the threshold. Numbers that print with all
    their digits stay as they are.

    Examples
    --------
    >>> shortest_between(20.299999999999997, 19.6, 21.0)
    20.3
    >>> shortest_between(20.300000000000004, 20.300000000000004, 21.0)  # 20.3 would be below low
    20.30000001
    """
    if float(format_number(threshold)) == threshold:
        return threshold
    for n_digits in range(10, 17):
        for rounding in (ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR):
            context = Context(prec=n_digits, rounding=rounding)
            number = float(context.create_decimal(Decimal(threshold)))
            if low <= number < high:
                return number
    return threshold


def _shortened(
    thresholds: NDArray[np.float64], distinct: NDArray[np.float64]
) -> tuple[float, ...]:
    """Write thresholds with fewer digits where they part the distinct values in the same way."""
    place = np.searchsorted(distinct, thresholds, side="right")
    parted = zip(
        thresholds.tolist(), distinct[place - 1].tolist(), distinct[place].tolist(), strict=True
    )
    return tuple(sorted({shortest_between(*one) for one in parted}))


def binary_encoding(names: Sequence[str]) -> TableEncoding:
    """Take a table of zeros and ones as it is: ``binarizer=None``."""
    return TableEncoding(tuple(BinaryEncoding(name) for name in names))


def checked_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """Read a table and hold it against the columns that the estimator was fitted on."""
    if is_lazy(X):
        lazy = LazyTable(X)
        if not len(lazy) or not lazy.names:
            raise ValueError(f"The table is empty: {len(lazy)} rows, {len(lazy.names)} columns.")
        validate_data(estimator, lazy.header(), reset=reset, skip_check_array=True)
        return lazy
    is_frame = hasattr(X, "columns") or hasattr(X, "column_names")
    if is_frame:
        table = read_table(X)
        if len(table) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={getattr(X, 'shape', None)}) while a "
                "minimum of 1 is "
                "required: the table is empty."
            )
        if not table.columns:
            raise ValueError("Found 0 feature(s) while a minimum of 1 is required: no column.")
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        # Text and missing values are fine; infinite values are turned down by read_table, with the
        # column's name.
        X = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        table = read_table(X)
    if reset:
        return table
    # Where both have names, scikit-learn has found them equal; elsewhere position counts.
    return _renamed(table, [feature.name for feature in estimator.encoding_.features])


def checked_weights(sample_weight: Any, table: Table) -> NDArray[np.float64]:
    """Read sample weights: one finite number per row, none negative, not all zero."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(len(table), float(weights))
    if weights.shape != (len(table),):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected ({len(table)},): one weight per "
            "row."
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not (weights > 0).any():
        raise ValueError(
            "sample_weight must hold finite numbers, none negative and not all zero; "
            f"its least is {weights.min()} and its largest {weights.max()}."
        )
    return weights


def _renamed(table: Table, names: Sequence[str]) -> Table:
    """Give an unnamed table the names that the estimator was fitted with."""
    columns = (
        TableColumn(str(name), c.kind, c.values, c.is_category)
        for name, c in zip(names, table.columns, strict=True)
    )
    return Table(tuple(columns), len(table))
