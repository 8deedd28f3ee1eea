"""What rules must keep to: features, operators, directions, given clauses, required columns.

Owns what may be asked for. ``encoding`` leaves out the conditions that are turned down, so a
certificate holds among all rule sets that keep to the constraints. ``given`` and ``required`` look
up the clauses and conditions that must be there. For limits on clauses see ``problem``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from boolrules.rules import Clause, Condition, Relation
from boolrules.rules.mention import Mention, closest

_NEGATED = (Relation.NE, Relation.NOT_IN)


class Direction(StrEnum):
    """How the positive answer may depend on a feature."""

    INCREASING = "increasing"
    DECREASING = "decreasing"


_DIRECTIONS = {
    "increasing": Direction.INCREASING,
    "decreasing": Direction.DECREASING,
    1: Direction.INCREASING,
    -1: Direction.DECREASING,
}


@dataclass(frozen=True, slots=True)
class Constraints:
    """Which conditions rules may be made of, and which features are preferred.

    Parameters
    ----------
    forbidden_features : list of str
        Columns that no condition may read.
    allowed_features : list of str, or None
        The only columns that conditions may read; None allows all.
    forbidden_conditions : list of str or Condition
        Conditions that may not be used, as they are printed: ``"age <= 35"``. Without a value,
        such as ``"age <="``, every condition on that feature with that operator. In a column with
        every threshold, a number stands for the cut of the training rows that it makes.
    forbid_not_equal : bool, default=False
        Whether to leave out ``!=`` and, for intervals, ``not in``.
    monotone : dict of feature to "increasing", "decreasing", +1 or -1
        With "increasing", a higher value can turn the negative answer into the positive one, never
        the reverse. For numbers and true/false, and for two classes. Missing values and special
        codes have no place in the order.
    preferred_features : list of str
        A preference, not a limit: where a condition on another feature can be exchanged for one on
        these without changing the Hamming loss, it is.
    given_clauses : list of str or Clause
        Clauses that must stay, such as ``"age <= 35 AND job == 'clerk'"`` (with OR in CNF). They
        count towards complexity and clauses. For two classes.
    required : list of str
        Columns, or conditions such as ``"age <= 35"``, that the rules must use somewhere, in a
        clause that covers something. For two classes.

    Examples
    --------
    >>> constraints = Constraints(
    ...     forbidden_features=["sex"], forbidden_conditions=["age <="], monotone={"income": -1}
    ... )
    >>> [constraints.allows(Condition("age", relation, 35)) for relation in ("<=", ">")]
    [False, True]
    >>> print(constraints)
    no sex; no 'age <='; income only decreasing
    """

    forbidden_features: Sequence[str] = ()
    allowed_features: Sequence[str] | None = None
    forbidden_conditions: Sequence[str | Condition] = ()
    forbid_not_equal: bool = False
    monotone: Mapping[str, Direction | str | int] = field(default_factory=dict, hash=False)
    preferred_features: Sequence[str] = ()
    given_clauses: Sequence[str | Clause] = ()
    required: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("forbidden_features", "allowed_features", "preferred_features"):
            if name != "allowed_features" or self.allowed_features is not None:
                object.__setattr__(self, name, read_list(name, getattr(self, name), str))
        conditions = read_list("forbidden_conditions", self.forbidden_conditions, str | Condition)
        object.__setattr__(self, "forbidden_conditions", conditions)
        given = read_list("given_clauses", self.given_clauses, str | Clause)
        object.__setattr__(self, "given_clauses", given)
        object.__setattr__(self, "required", read_list("required", self.required, str))
        if not isinstance(self.forbid_not_equal, bool):
            raise ValueError(
                f"forbid_not_equal={self.forbid_not_equal!r:.40} is neither True nor False."
            )
        if not isinstance(self.monotone, Mapping):
            raise ValueError(
                f"monotone={self.monotone!r:.80} is not a dict. Give each feature its direction, "
                "such as {'income': 'increasing'}."
            )
        directions = {name: _read_direction(name, v) for name, v in self.monotone.items()}
        object.__setattr__(self, "monotone", directions)

    @classmethod
    def of(cls, given: Constraints | Mapping[str, Any] | None) -> Constraints:
        """Read what a user gave: constraints, a dict of their fields, or nothing."""
        if isinstance(given, Constraints):
            return given
        plain: dict[str, Any] = {} if given is None else {**given}
        known = [f.name for f in fields(cls)]
        for name in plain:
            if name not in known:
                raise ValueError(
                    f"constraints has {name!r:.80}, which is unknown. "
                    f"{_nearest(name, known)} Known are: {', '.join(known)}."
                )
        return cls(**plain)

    def with_parts(self, derived: Mapping[str, str]) -> Constraints:
        """Return the same where the name of a column of dates stands for all its parts.

        Examples
        --------
        >>> parts = {"admitted.year": "admitted", "admitted.month": "admitted"}
        >>> Constraints(forbidden_features=["admitted"]).with_parts(parts).forbidden_features
        ('admitted.year', 'admitted.month')
        """
        sources = set(derived.values())
        changed: dict[str, Any] = {
            f.name: [one for name in names for one in _parts_of(name, derived)]
            for f in fields(self)
            if f.name.endswith("_features") and (names := getattr(self, f.name))
            if sources.intersection(names)
        }
        return replace(self, **changed) if changed else self

    @property
    def on_conditions(self) -> Constraints:
        """The part that speaks of single conditions: what an encoding heeds."""
        return replace(self, given_clauses=(), required=())

    @property
    def forbids_something(self) -> bool:
        """Whether any condition could be turned down; a preference turns down none."""
        return bool(
            self.forbidden_features
            or self.allowed_features is not None
            or self.forbidden_conditions
            or self.forbid_not_equal
            or self.monotone
        )

    def allows_feature(self, name: str) -> bool:
        """Whether conditions may read this column."""
        is_allowed = self.allowed_features is None or name in self.allowed_features
        return is_allowed and name not in self.forbidden_features

    def allows(self, condition: Condition) -> bool:
        """Whether rules may use the condition; directions, which need its bins, are not looked at.

        See ``keeps_direction``.
        """
        if not self.allows_feature(condition.feature):
            return False
        if self.forbid_not_equal and condition.relation in _NEGATED:
            return False
        return not any(Mention.of(given).means(condition) for given in self.forbidden_conditions)

    def keeps_direction(self, feature: str, holds: Sequence[bool]) -> bool:
        """Whether a condition, given on the feature's values in growing order, keeps to it.

        Rules are made of conditions by AND and OR alone, in DNF as in CNF, so the whole answer can
        only grow where every condition does.

        Examples
        --------
        >>> income = Constraints(monotone={"income": "increasing"})
        >>> [income.keeps_direction("income", h) for h in ([0, 0, 1], [1, 0, 0], [0, 1, 0])]
        [True, False, False]
        """
        direction = self.monotone.get(feature)
        if direction is None:
            return True
        ordered = holds if direction is Direction.INCREASING else holds[::-1]
        return list(ordered) == sorted(ordered)

    def check(self, names: Sequence[str]) -> None:
        """Turn down features that the table does not have, and texts that are no condition."""
        for f in fields(self):
            if f.name.endswith("_features") or f.name == "monotone":
                _check_features(f.name, getattr(self, f.name) or (), names)
        for given in self.forbidden_conditions:
            if isinstance(given, Condition):
                _check_features("forbidden_conditions", [given.feature], names)
                continue
            try:
                Mention.of(given, names)
            except ValueError as error:
                raise ValueError(
                    f"forbidden_conditions has {given!r:.80}, which is no condition: {error} "
                    "Write it as rules are printed, such as 'age <= 35', or 'age <=' for every "
                    "value. To forbid a column, use forbidden_features."
                ) from None

    def __str__(self) -> str:
        parts = [f"no {name}" for name in self.forbidden_features]
        if self.allowed_features is not None:
            parts.append(f"only {', '.join(self.allowed_features) or 'no feature'}")
        parts += [f"no '{condition}'" for condition in self.forbidden_conditions]
        if self.forbid_not_equal:
            parts.append("no !=")
        parts += [f"{name} only {direction}" for name, direction in self.monotone.items()]
        if self.preferred_features:
            parts.append(f"preferring {', '.join(self.preferred_features)}")
        parts += [f"with ({clause})" for clause in self.given_clauses]
        parts += [f"using {one}" for one in self.required]
        return "; ".join(parts) or "none"

    def to_plain(self) -> dict[str, Any]:
        """Return ``on_conditions`` as plain values, without what was not asked for.

        Clauses that are given, and what is required, are elsewhere in a certificate.
        """
        plain: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self.on_conditions, f.name)
            if value is None or value is False or (f.name != "allowed_features" and not value):
                continue
            if isinstance(value, tuple):
                value = [v.to_plain() if isinstance(v, Condition) else v for v in value]
            elif isinstance(value, dict):
                value = {name: str(direction) for name, direction in value.items()}
            plain[f.name] = value
        return plain

    @classmethod
    def from_plain(cls, plain: Any) -> Constraints:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, dict):
            raise ValueError(f"Constraints must be an object; got {plain!r:.80}.")
        if {"given_clauses", "required"} & plain.keys():
            raise ValueError("Given clauses and what is required are not among constraints here.")
        conditions = plain.get("forbidden_conditions", [])
        if not isinstance(conditions, list):
            raise ValueError(f"forbidden_conditions must be a list; got {conditions!r:.80}.")
        read = [Condition.from_plain(c) if isinstance(c, dict) else c for c in conditions]
        return cls.of({**plain, "forbidden_conditions": read})


def _parts_of(name: str, derived: Mapping[str, str]) -> list[str]:
    """Return the parts of a column of dates; any other column is itself."""
    return [part for part, source in derived.items() if source == name] or [name]


def read_list(name: str, given: Any, kind: Any) -> tuple[Any, ...]:
    """Read what a parameter lists, each of one kind; a text alone is no list."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ValueError(f"{name}={given!r:.80} is not a list. Write {name}=[{given!r:.80}].")
    values = tuple(given)
    for value in values:
        if not isinstance(value, kind):
            kinds = "names of columns" if kind is str else "conditions, such as 'age <= 35'"
            raise ValueError(f"{name} holds {value!r:.80}; use {kinds}.")
    return values


def _read_direction(name: Any, given: Any) -> Direction:
    direction = _DIRECTIONS.get(given) if isinstance(given, str | int) else None
    if direction is None or not isinstance(name, str):
        raise ValueError(
            f"monotone has {name!r:.80}: {given!r:.80}. Give each feature, by name, 'increasing' "
            "or 'decreasing' (or +1, -1)."
        )
    return direction


def _check_features(parameter: str, given: Iterable[str], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            raise ValueError(
                f"{parameter} names {name!r:.80}, which is not a column. {_nearest(name, names)}"
            )


def _nearest(name: Any, names: Sequence[str]) -> str:
    return f"The nearest is {closest(str(name), names)!r}."
