"""FeatureBinarizer: a raw table becomes bin codes and the conditions over them (§4, A.1).

The scikit-learn face of ``data.binning``, which owns where thresholds and categories come from.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from boolrules.data.binning import Binning
from boolrules.data.labelled_rows import checked_weights
from boolrules.estimators.checks import allow_raw_tables, checked_table
from boolrules.estimators.whole_fit import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.rules import Condition


class FeatureBinarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn numbers, text, categories and missing values into conditions.

    Numbers are compared with thresholds (``age <= 35``, ``age > 35``), categories with their
    values (``job == 'clerk'`` and, from three categories on, ``job != 'clerk'``). A column with
    missing values adds ``is null`` and ``is not null``; every other comparison with a missing
    value is False. A category that was not seen in ``fit`` satisfies every ``!=`` and no ``==``.
    Constant columns give no condition.

    Parameters
    ----------
    thresholds : "deciles", int, "all", or dict of lists, default="deciles"
        Thresholds of numeric columns. An integer q takes the q-quantiles, 10 being the deciles; a
        column with at most q distinct values takes each of them but the largest. With "all" there
        is one between any two neighbouring values, so that the rows can be cut in every way. A
        dict gives thresholds by column name; columns that it leaves out take the deciles.
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
    conditions_ : sequence of Condition
        Every condition, in the order of ``transform``'s columns. A tuple but for "all".

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
        "thresholds": [
            StrOptions({"deciles", "all"}),
            Interval(Integral, 2, None, closed="left"),
            dict,
        ],
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

    @whole
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
        table = checked_table(self, X, reset=True)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(table))
        return self.fit_table(table, weights)

    def fit_table(self, table: Table, weights: NDArray[np.float64] | None) -> FeatureBinarizer:
        """Find thresholds and categories of a table that was read and checked already."""
        self.encoding_ = self.binning().fit(table, weights)
        return self

    @property
    def conditions_(self) -> Sequence[Condition]:
        """Every condition, listed when it is asked for: a fit may use few of them."""
        if not hasattr(self, "encoding_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet; call fit first.")
        return self.encoding_.conditions

    def binning(self) -> Binning:
        """Return the rule that the parameters stand for, after a check of these."""
        self._validate_params()
        return Binning(
            self.thresholds,
            self.method,
            self.negations,
            self.special_values,
            self.categorical_features,
        )

    def transform(self, X: Any) -> NDArray[np.int8]:
        """Return a 0/1 matrix with one column per condition."""
        codes = self.encode(X)
        binned = self.encoding_.binned
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

    def __sklearn_tags__(self) -> Any:
        tags = allow_raw_tables(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags
