"""The columns of a table as bin codes, and every condition over them that may be used (§4, A.1).

How a single column is encoded is in ``column_encoding``, which conditions may be used in
``constraints``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import Kind, TableColumn
from boolrules.data.bins import BinnedConditions
from boolrules.data.column_encoding import FeatureEncoding, encoding_from_plain
from boolrules.data.constraints import Constraints
from boolrules.rules.mention import Mention

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boolrules._support.table import Table
    from boolrules.rules import Condition


@dataclass(frozen=True)
class TableEncoding:
    """The columns of a table as bin codes, and every condition over them that may be used.

    Parameters
    ----------
    features : tuple of FeatureEncoding
        One per column.
    constraints : Constraints
        Which conditions are left out.

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

    def constrained(self, constraints: Constraints) -> TableEncoding:
        """Return the same columns under constraints, after a check that these fit the columns."""
        if constraints == self.constraints:
            return self
        constrained = replace(self, constraints=constraints)
        constrained.check()
        every = self.conditions
        _warn_of_idle(constraints, every)
        if every and not constrained.conditions:
            raise ValueError(
                f"The constraints leave none of the {len(every)} conditions that this table has, "
                f"so there is nothing to make rules of. Loosen one of them: {constraints}."
            )
        return constrained

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
        most = max((feature.n_codes for feature in self.features), default=1)
        codes = np.zeros((len(table), len(self.features)), dtype=np.min_scalar_type(most - 1))
        for f, feature in enumerate(self.features):
            if self.constraints.allows_feature(feature.name):
                codes[:, f] = feature.encode(table[feature.name])
        return codes

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the conditions, which can be built again."""
        return {"features": self.features, "constraints": self.constraints}

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition that may be used, as people read it."""
        return self._both[0]

    @property
    def binned(self) -> BinnedConditions:
        """The same conditions, in the same order, as the solver sees them."""
        return self._both[1]

    @cached_property
    def _both(self) -> tuple[tuple[Condition, ...], BinnedConditions]:
        read, binned = [], []
        for f, feature in enumerate(self.features):
            for condition, ranges in feature.binned_conditions():
                if self._allows(feature, condition):
                    read.append(condition)
                    binned.append((f, ranges))
        n_codes = [feature.n_codes for feature in self.features]
        return tuple(read), BinnedConditions.build(binned, n_codes)

    def allows(self, condition: Condition) -> bool:
        """Whether a condition keeps to the constraints, be it one of ``conditions`` or not."""
        named = [feature for feature in self.features if feature.name == condition.feature]
        return all(self._allows(feature, condition) for feature in named)

    def _allows(self, feature: FeatureEncoding, condition: Condition) -> bool:
        if not self.constraints.allows(condition):
            return False
        if feature.name not in self.constraints.monotone:
            return True
        column = TableColumn(feature.name, Kind.NUMERIC, feature.values_around(condition))
        holds = condition.holds(column)
        return self.constraints.keeps_direction(feature.name, holds.tolist())

    def to_plain(self) -> list[dict[str, Any]]:
        """Return the columns as plain values; the constraints are with the certificates."""
        return [feature.to_plain() for feature in self.features]

    @classmethod
    def from_plain(cls, plain: Any, constraints: Constraints | None = None) -> TableEncoding:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, list):
            raise ValueError(f"The features of a model must be a list; got {plain!r:.80}.")
        encoding = cls(tuple(map(encoding_from_plain, plain)), constraints or Constraints())
        encoding.check()
        return encoding


def _warn_of_idle(constraints: Constraints, conditions: tuple[Condition, ...]) -> None:
    """Say which forbidden conditions this table does not have: a threshold, or a slip."""
    for given in constraints.forbidden_conditions:
        mention = Mention.of(given)
        if conditions and not any(map(mention.means, conditions)):
            warnings.warn(
                f"forbidden_conditions has '{given}', which is no condition of this table; "
                f"the nearest is '{mention.nearest(conditions)}'. It forbids nothing.",
                UserWarning,
                stacklevel=7,
            )
