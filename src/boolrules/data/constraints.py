"""What rules must keep to: features, operators, directions, given clauses, required columns.

Owns what may be asked for, and reads the texts that it was asked with. ``encoding`` leaves out the
conditions that are turned down, so a certificate holds among all rule sets that keep to the
constraints. With some clauses given, eq. (1) splits, and what is left is a problem of the same
kind (``BinaryRows.without``). For limits on clauses see ``problem``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from boolrules._support.json import is_number
from boolrules.data.conditions import nearest, places_meant, places_on
from boolrules.rules import Clause, Condition, Relation
from boolrules.rules.mention import Mention, closest
from boolrules.rules.parse import parse_rules

if TYPE_CHECKING:
    from boolrules.data.encoding import TableEncoding
    from boolrules.data.problem import Problem
    from boolrules.rules import Form

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
                object.__setattr__(self, name, _read_list(name, getattr(self, name), str))
        conditions = _read_list("forbidden_conditions", self.forbidden_conditions, str | Condition)
        object.__setattr__(self, "forbidden_conditions", conditions)
        given = _read_list("given_clauses", self.given_clauses, str | Clause)
        object.__setattr__(self, "given_clauses", given)
        object.__setattr__(self, "required", _read_list("required", self.required, str))
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


def required_groups(
    required: Iterable[str],
    names: Sequence[str],
    conditions: Sequence[Condition],
    there: Sequence[Condition] = (),
) -> tuple[tuple[int, ...], ...]:
    """Return, for each name of a column or text of a condition, the places of what it stands for.

    Left out is what is ``there`` already.

    Examples
    --------
    >>> conditions = [Condition("age", Relation.LE, 35), Condition("age", Relation.GT, 35)]
    >>> required_groups(["age"], ["age"], conditions)
    ((0, 1),)
    >>> required_groups(["age", "age > 35"], ["age"], conditions)
    ((1,),)
    """
    groups = []
    for one in _read_list("required", required, str):
        mention = None if one in names else _mentioned(one, names)

        def is_meant(condition: Condition, one: str = one, mention: Any = mention) -> bool:
            return condition.feature == one if mention is None else mention.means(condition)

        if mention is not None and len(mention.conditions) > 1:
            raise ValueError(
                f"required has {one!r:.80}, which stands for any of {len(mention.conditions)} "
                "conditions. Name the one that must be used, or its column."
            )
        group = tuple(
            places_on(conditions, one) if mention is None else places_meant(conditions, mention)
        )
        if any(map(is_meant, there)):
            continue
        if not group:
            if mention is None:
                raise ValueError(
                    f"required has {one!r:.80}, a column without a condition that may be used: it "
                    "is constant, or the constraints leave none. Leave it out, or loosen them."
                )
            raise ValueError(
                f"required has {one!r:.80}, which is not one of the {len(conditions)} conditions "
                f"of this table. The nearest is {nearest(conditions, mention)!r}."
            )
        groups.append(group)
    # Who has one of the smaller group has one of the larger.
    distinct = list(dict.fromkeys(groups))
    return tuple(g for g in distinct if not any(set(other) < set(g) for other in distinct))


@dataclass(frozen=True, slots=True)
class Given:
    """Clauses that every rule set of a problem has, and what they cost.

    Parameters
    ----------
    clauses : tuple of Clause
        Part of each rule set, and of its complexity.
    loss : float
        The zeros that they cover, once for each clause.
    """

    clauses: tuple[Clause, ...] = ()
    loss: float = 0

    @property
    def size(self) -> tuple[int, int]:
        """How many clauses, and conditions in all."""
        return len(self.clauses), sum(len(clause.conditions) for clause in self.clauses)

    def constant(self, problem: Problem) -> float:
        """What they add to the objective of every rule set."""
        return self.loss + problem.complexity_penalty * problem.complexity(*self.size)

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``from_plain`` reads back."""
        clauses = [[c.to_plain() for c in clause.conditions] for clause in self.clauses]
        return {"clauses": clauses, "loss": self.loss}

    @classmethod
    def from_plain(cls, plain: Any) -> Given:
        """Read ``to_plain``'s form, checking every part of it."""
        if not (
            isinstance(plain, dict)
            and isinstance(plain.get("clauses"), list)
            and all(isinstance(clause, list) for clause in plain["clauses"])
            and is_number(plain.get("loss"))
            and plain["loss"] >= 0
        ):
            raise ValueError(f"Given clauses need a list of them and a loss; got {plain!r:.80}.")
        clauses = (Clause(tuple(map(Condition.from_plain, c))) for c in plain["clauses"])
        return cls(tuple(clauses), plain["loss"])


def read_given(
    given: Iterable[str | Clause], form: Form, encoding: TableEncoding, problem: Problem
) -> tuple[Clause, ...]:
    """Read the clauses that must stay, and check that they may."""
    names = [feature.name for feature in encoding.features]
    conditions = encoding.listed_conditions
    clauses: list[Clause] = []
    for one in given:
        if isinstance(one, Clause):
            clauses.append(one)
        else:
            rules = parse_rules(str(one), columns=names, conditions=conditions, form=form)
            clauses += rules.clauses
    for condition in (c for clause in clauses for c in clause.conditions):
        if not encoding.allows(condition):
            raise ValueError(
                f"given_clauses have '{condition}', which breaks the constraints "
                f"({encoding.constraints}). Leave it out, or loosen them."
            )
    longest = max((len(clause.conditions) for clause in clauses), default=0)
    if problem.max_conditions is not None and longest > problem.max_conditions:
        raise ValueError(
            f"given_clauses have a clause of {longest} conditions, more than max_conditions="
            f"{problem.max_conditions} allows. Raise the limit, or shorten the clause."
        )
    n_conditions = sum(len(clause.conditions) for clause in clauses)
    if not problem.fits(len(clauses), n_conditions):
        raise ValueError(
            f"given_clauses have {len(clauses)} clauses of complexity "
            f"{problem.complexity(len(clauses), n_conditions)}, more than max_complexity="
            f"{problem.max_complexity} or max_clauses={problem.max_clauses} allows. Raise the "
            "limit, or give fewer."
        )
    return tuple(clauses)


def with_required(
    problem: Problem, required: Iterable[str], encoding: TableEncoding, given: Sequence[Clause]
) -> Problem:
    """Look up what must be used, but for what the given clauses have.

    A clause that covers nothing would use it in name only, so each must then cover a row.
    """
    there = [condition for clause in given for condition in clause.conditions]
    names = [feature.name for feature in encoding.features]
    groups = required_groups(required, names, encoding.conditions, there)
    wanted = replace(
        problem, required=groups, min_coverage=max(problem.min_coverage, int(bool(groups)))
    )
    n_clauses, n_conditions = wanted.least_required
    n_conditions += len(there)
    if not problem.fits(len(given) + n_clauses, n_conditions):
        least = problem.complexity(len(given) + n_clauses, n_conditions)
        raise ValueError(
            f"required needs rules of complexity {least:g} at least, more than max_complexity="
            f"{problem.max_complexity} or max_clauses={problem.max_clauses} allows."
        )
    return wanted


def _mentioned(text: str, names: Sequence[str]) -> Mention:
    try:
        return Mention.of(text, names)
    except ValueError as error:
        raise ValueError(
            f"required has {text!r:.80}, which is neither a column nor a condition: {error}"
        ) from None


def _read_list(name: str, given: Any, kind: Any) -> tuple[Any, ...]:
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
