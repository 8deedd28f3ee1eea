"""What is asked of the rules' mistakes: precision, recall, alert budgets, fairness.

A requirement is written as people say it and can be read back:

    precision >= 0.9
    recall >= 0.8 within branch
    flagged <= 200 where month = May
    equal opportunity <= 0.02 between sex

Each is a limit on a weighted number of mistakes, a missed positive or a flagged negative: what
``Demands`` makes a row of the master. Rows count by sample weight, whatever their classes weigh.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_label, is_number
from boolrules._support.table import Kind
from boolrules._support.values import equals
from boolrules.data.measure import Measure, as_measure
from boolrules.data.problem import as_number, as_written
from boolrules.data.requirement_text import HOW, parts_of
from boolrules.rules.condition import exact_number
from boolrules.rules.mention import closest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from boolrules._support.table import Table, TableColumn

# A column of more values than this has no groups that anybody would look at one by one.
MOST_GROUPS = 50
# Pairs of groups are many more.
MOST_COMPARED = 12
LARGEST_TOTAL = 2**30  # sample weights must sum to less
DIGITS = 6  # of shares, after the point: sums stay exact
MISSING = "(missing)"


_SENTENCES = {
    Measure.RECALL: "recall of at least {limit}",
    Measure.PRECISION: "precision of at least {limit}",
    Measure.MISSED: "at most {limit} positives missed",
    Measure.COVERED: "at most {limit} negatives flagged",
    Measure.FLAGGED: "at most {limit} rows flagged",
    Measure.FLAGGED_SHARE: "at most a share of {limit} of the rows flagged",
    Measure.EQUAL_OPPORTUNITY: "shares of missed positives at most {limit} apart",
    Measure.EQUALISED_ODDS: (
        "shares of missed positives, and of flagged negatives, at most {limit} apart"
    ),
}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One limit on mistakes.

    Parameters
    ----------
    measure : Measure
        What is limited: "recall", "precision", "missed" (positives), "covered" (negatives),
        "flagged" (rows), "flagged share" (of the rows), "equal opportunity" (how far apart
        groups' shares of missed positives are) or "equalised odds" (these, and shares of flagged
        negatives).
    limit : float
        At least this, for recall and precision; at most this, for all others.
    within : str or None
        A column: it must hold for each of its values by itself. Missing values are one of them.
    where : tuple of str and value, or None
        A column and one of its values: it must hold there.
    between : str or None
        The column whose values are compared, for the last two measures.
    margin : float
        What the training rows must do better than the limit, because new rows will do worse.

    Examples
    --------
    >>> requirement = Requirement.of("recall >= 80% within branch")
    >>> requirement.limit, requirement.within, str(requirement)
    (0.8, 'branch', 'recall >= 0.8 within branch')
    >>> requirement.sentence()
    'recall of at least 0.8 within each branch'
    """

    measure: Measure
    limit: float
    within: str | None = None
    where: tuple[str, Any] | None = None
    between: str | None = None
    margin: float = 0

    def __post_init__(self) -> None:
        measure = as_measure(self.measure)
        if measure is None:
            raise ValueError(f"measure={self.measure!r:.40} is unknown. {HOW}")
        object.__setattr__(self, "measure", measure)
        if not is_number(self.limit) or not is_number(self.margin) or self.margin < 0:
            raise ValueError(
                f"The requirement {self.measure} has limit={self.limit!r:.40} and margin="
                f"{self.margin!r:.40}; use numbers, a margin of 0 or more."
            )
        self._check_reach()
        if self.measure.is_share and any(
            (as_written(number) * 10**DIGITS).denominator != 1
            for number in (self.limit, self.margin)
        ):
            raise ValueError(f"{self} has more than {DIGITS} decimals. Round it.")
        names = [self.within, self.between, None if self.where is None else self.where[0]]
        if not all(name is None or isinstance(name, str) for name in names):
            raise ValueError(f"Columns of a requirement are named by text; got {names!r:.80}.")
        if sum(name is not None for name in names) > 1:
            raise ValueError(f"within, where and between exclude each other; got {names!r:.80}.")
        if self.measure.compares != (self.between is not None):
            asks = "needs" if self.measure.compares else "does without"
            raise ValueError(
                f"{self.measure} {asks} a column to compare, as in 'equal opportunity <= 0.02 "
                "between sex'."
            )

    def _check_reach(self) -> None:
        """Turn down a limit that nothing can be beyond, with its margin or without."""
        asked = f"{self.measure} {self.measure.sign}"
        reach = 1 if self.measure.is_share else LARGEST_TOTAL
        if not 0 <= self.limit <= reach:
            kind = "share" if self.measure.is_share else "number of rows"
            text = f"{asked} {self.limit:.10g}: {self.measure} is a {kind}. "
            if self.measure.is_share and 2 <= self.limit <= 100:
                raise ValueError(
                    f"{text}Write {self.limit / 100:.10g}, or {self.limit:.10g} with a %."
                )
            raise ValueError(f"{text}Use a limit between 0 and {reach}.")
        if not 0 <= self.limit_in_training <= reach:
            room = self.room_for_margin
            most = f"Use a margin of at most {room:.10g}" if room else "Leave the margin out"
            raise ValueError(
                f"{asked} {self.limit:.10g} with a margin of {self.margin:.10g} asks for {asked} "
                f"{self.limit_in_training:.10g} in training, which cannot be met. {most}."
            )

    @classmethod
    def of(cls, given: Requirement | Mapping[str, Any] | str) -> Requirement:
        """Read what a user gave: a requirement, a dict of its fields, or its text."""
        if isinstance(given, Requirement):
            return given
        if isinstance(given, str):
            return cls(**parts_of(given))
        return cls.from_plain(given)

    @property
    def column(self) -> str | None:
        """The column that it asks about, if there is one."""
        if self.where is not None:
            return self.where[0]
        return self.within if self.between is None else self.between

    @property
    def limit_in_training(self) -> float:
        """The limit with the margin."""
        limit, margin = as_written(self.limit), as_written(self.margin)
        return float(limit + margin if self.measure.is_at_least else limit - margin)

    @property
    def room_for_margin(self) -> float:
        """The widest margin that there can be."""
        return float(1 - as_written(self.limit)) if self.measure.is_at_least else self.limit

    def with_wider_margin(self) -> Requirement | None:
        """Ask for a little more in training; None where there is no room for it.

        Examples
        --------
        >>> texts = ("precision >= 0.95", "recall >= 0.99", "flagged <= 50", "missed <= 0")
        >>> for text in texts:
        ...     print(Requirement.of(text).with_wider_margin())
        precision >= 0.95 margin 0.02
        recall >= 0.99 margin 0.005
        flagged <= 50 margin 5
        None
        """
        room = as_written(self.room_for_margin) - as_written(self.margin)
        if self.measure.is_share:
            digits = 10**DIGITS
            step = min(as_written(0.02), as_written(math.floor(room / 2 * digits)) / digits)
        else:
            step = as_written(math.ceil(min(room, as_written(self.limit) / 10)))
        if step <= 0 or step > room:
            return None
        return replace(self, margin=as_number(as_written(self.margin) + step))

    def __str__(self) -> str:
        text = f"{self.measure} {self.measure.sign} {self.limit:.10g}"
        if self.within is not None:
            text += f" within {self.within}"
        if self.between is not None:
            text += f" between {self.between}"
        if self.where is not None:
            text += f" where {self.where[0]} = {self.where[1]}"
        return text + (f" margin {self.margin:.10g}" if self.margin else "")

    def sentence(self) -> str:
        """Say it in words."""
        text = _SENTENCES[self.measure].format(limit=f"{self.limit:.10g}")
        if self.within is not None:
            text += f" within each {self.within}"
        if self.between is not None:
            text += f" between any two values of {self.between}"
        if self.where is not None:
            text += f" where {self.where[0]} is {self.where[1]}"
        if self.margin:
            text += f" ({self.limit_in_training:.10g} in training)"
        return text

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``from_plain`` reads back."""
        plain: dict[str, Any] = {"measure": str(self.measure), "limit": self.limit}
        if self.where is not None:
            plain["where"] = {self.where[0]: self.where[1]}
        for name in ("within", "between"):
            if getattr(self, name) is not None:
                plain[name] = getattr(self, name)
        return plain | ({"margin": self.margin} if self.margin else {})

    @classmethod
    def from_plain(cls, plain: Any) -> Requirement:
        """Read ``to_plain``'s form, checking every part of it."""
        known = ("measure", "limit", "within", "where", "between", "margin")
        if not hasattr(plain, "keys") or not {"measure", "limit"} <= set(plain) <= set(known):
            raise ValueError(
                f"A requirement is a text or has {', '.join(known)}; got {plain!r:.80}."
            )
        fields = dict(plain)
        where = fields.get("where")
        if where is not None:
            pairs: list[Any] = list(where.items()) if hasattr(where, "items") else [where]
            if (
                len(pairs) != 1
                or not isinstance(pairs[0], list | tuple)
                or len(pairs[0]) != 2
                or not is_label(pairs[0][1])
            ):
                raise ValueError(f"where needs one column and its value; got {where!r:.80}.")
            fields["where"] = (pairs[0][0], pairs[0][1])
        return cls(**fields)

    @property
    def costs(self) -> tuple[float, float] | None:
        """What a missed positive and a flagged negative cost whoever cares for this alone.

        None where it is not a matter of fewer mistakes.
        """
        if self.measure.compares:
            return None
        if self.measure in (Measure.RECALL, Measure.MISSED):
            return 1, 0
        if self.measure is Measure.PRECISION:
            limit = as_written(self.limit_in_training)
            return limit.denominator - limit.numerator, limit.numerator
        return 0, 1

    def groups(self, table: Table) -> list[tuple[str | None, NDArray[np.bool_]]]:
        """Return the groups that it speaks of, with a name, and the rows of each."""
        if self.column is None:
            return [(None, np.ones(len(table), dtype=bool))]
        if self.column not in table.names:
            raise ValueError(
                f"The requirement '{self}' names {self.column!r:.80}, which is not a column. The "
                f"nearest is {closest(self.column, table.names)!r}."
            )
        column = table[self.column]
        if self.where is not None:
            is_there = _has_value(column, self.where[1])
            return [(f"{self.column} = {self.where[1]}", is_there)]
        most = MOST_COMPARED if self.measure.compares else MOST_GROUPS
        found = list(_values(column))
        if len(found) > most:
            raise ValueError(
                f"The requirement '{self}' speaks of {len(found)} values of {self.column}; at "
                f"most {most} can be kept to. Make it coarser: bands, regions, quarters."
            )
        return [(f"{self.column} = {name}", is_there) for name, is_there in found]

    def rows(
        self,
        table: Table,
        is_positive: NDArray[np.bool_],
        counts: NDArray[np.int64],
        unit: int = 1,
    ) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Return what a mistake on each row adds, and what they may add up to.

        One such row of the master for each group, or for each pair of groups. ``unit`` is what a
        weight of one counts.
        """
        groups = [is_there for _, is_there in self.groups(table)]
        if self.where is not None and not groups[0].any():
            raise ValueError(f"The requirement '{self}' speaks of no row: no such value is there.")
        if self.measure.compares:
            yield from self._apart(groups, is_positive, counts)
            if self.measure is Measure.EQUALISED_ODDS:
                yield from self._apart(groups, ~is_positive, counts)
            return
        for is_there in groups:
            yield self._row(np.where(is_there, counts, 0), is_positive, unit)

    def _row(
        self, counts: NDArray[np.int64], is_positive: NDArray[np.bool_], unit: int
    ) -> tuple[NDArray[np.int64], int]:
        limit = as_written(self.limit_in_training)
        n_P, n = int(counts[is_positive].sum()), int(counts.sum())
        missed, covered = 1, 1
        if self.measure is Measure.RECALL:
            covered, most = 0, (1 - limit) * n_P
        elif self.measure is Measure.MISSED:
            covered, most = 0, limit * unit
        elif self.measure is Measure.COVERED:
            missed, most = 0, limit * unit
        elif self.measure is Measure.PRECISION:  # (1 − p) missed + p covered <= (1 − p) |P|
            missed = limit.denominator - limit.numerator
            covered, most = limit.numerator, missed * as_written(n_P)
        else:  # covered − missed <= limit − |P|
            flagged = limit * (unit if self.measure is Measure.FLAGGED else n)
            missed, most = -1, flagged - n_P
        return counts * np.where(is_positive, missed, covered), math.floor(most)

    def _apart(
        self,
        groups: Sequence[NDArray[np.bool_]],
        is_asked: NDArray[np.bool_],
        counts: NDArray[np.int64],
    ) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Mistakes among those of g, as a share, at most so much above the share of h."""
        limit = as_written(self.limit_in_training)
        asked = [np.where(is_there & is_asked, counts, 0) for is_there in groups]
        asked = [counts_of for counts_of in asked if counts_of.any()]
        for g, h in permutations(asked, 2):
            n_g, n_h = int(g.sum()), int(h.sum())
            common = math.gcd(n_g, n_h)
            yield g * (n_h // common) - h * (n_g // common), math.floor(limit * n_g * n_h / common)


def read_requirements(given: Any) -> tuple[Requirement, ...]:
    """Read one requirement or a list of them, in any of their forms."""
    if given is None:
        return ()
    if isinstance(given, str | Requirement) or hasattr(given, "keys"):
        given = [given]
    try:
        several = list(given)
    except TypeError:
        raise ValueError(
            f"requirements={given!r:.80} is neither a text nor a list. {HOW}"
        ) from None
    return tuple(Requirement.of(one) for one in several)


def _values(column: TableColumn) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Return the distinct values of a column as text, in order, and the rows of each."""
    is_null = column.is_null
    known = column.values[~is_null]
    distinct = sorted(set(known.tolist()))
    for value in distinct:
        yield _written(value, column.kind), equals(column.values, value)
    if is_null.any():
        yield MISSING, is_null


def _written(value: Any, kind: Kind) -> str:
    if kind is Kind.BOOLEAN:
        return str(bool(value))
    return exact_number(value) if kind is Kind.NUMERIC else str(value)


def _has_value(column: TableColumn, value: Any) -> NDArray[np.bool_]:
    """Which rows have a value that may be given as text."""
    wanted = str(value)
    if value is None or wanted == MISSING:
        return column.is_null
    rows = np.zeros(len(column.values), dtype=bool)
    for written, is_there in _values(column):
        if written == wanted or _is_same_number(written, wanted, column.kind):
            rows |= is_there
    return rows


def _is_same_number(written: str, wanted: str, kind: Kind) -> bool:
    if kind is not Kind.NUMERIC:
        return False
    try:
        return float(written) == float(wanted)
    except ValueError:
        return False
