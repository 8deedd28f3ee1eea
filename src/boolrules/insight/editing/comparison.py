"""Two rule sets or models side by side: where they differ, by which clauses, and who is right."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.html import paragraph
from boolrules._support.html import table as html_table
from boolrules._support.table import read_table
from boolrules.insight.editing.context import (
    check_columns,
    distinct,
    listed,
    read_rows,
    read_text,
)
from boolrules.model.model import HasModel, Model, as_model
from boolrules.rules import Form, RuleSet
from boolrules.rules.answers import label_text
from boolrules.rules.condition import format_value
from boolrules.rules.parse import parse_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules._support.table import Table
    from boolrules.data.labelled_rows import LabelledRows
    from boolrules.data.standing import Standing, Standings
    from boolrules.rules import Explanation

MOST_GROUPS = 12  # that text shows
MOST_ROWS = 10  # of a group
Answerer = RuleSet | Model


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that two rule sets answer differently.

    Parameters
    ----------
    row : int
        Its number.
    first, second : label
        The answers.
    first_because, second_because : str
        The clauses that decided, or that none did.
    label : label
        Of the row, where labels were given.
    """

    row: int
    first: Any
    second: Any
    first_because: str
    second_because: str
    label: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What two rule sets or models answer on the same rows.

    Parameters
    ----------
    names : (str, str)
        What to call them.
    labels : tuple
        The answers that there may be. None stands for any other than the second of two.
    counts : tuple of tuples of int
        Rows by answer: ``counts[i][j]`` have ``labels[i]`` from the first, ``labels[j]`` from the
        second.
    differences : tuple of Difference
        The rows on which they differ.
    n_right : dict of str to int, or None
        With labels: on how many rows ``"both"``, ``"first only"``, ``"second only"`` or
        ``"neither"`` is right.
    standings : (Standings, Standings), or None
        With labels, and beside a model that had to meet requirements: how the two stand to them
        on these rows, each row counted once.
    """

    names: tuple[str, str]
    labels: tuple[Any, ...]
    counts: tuple[tuple[int, ...], ...]
    differences: tuple[Difference, ...]
    n_right: dict[str, int] | None = None
    standings: tuple[Standings, Standings] | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return sum(map(sum, self.counts))

    @property
    def n_agree(self) -> int:
        """On how many the answers are equal."""
        return self.n_rows - len(self.differences)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per row on which they differ, ready for a data frame."""
        keys = ["row", "first", "second", "first_because", "second_because"]
        if self.n_right is not None:
            keys.append("label")
        return [{key: getattr(d, key) for key in keys} for d in self.differences]

    def to_plain(self) -> dict[str, Any]:
        """Return lists, dicts and scalars that JSON can hold."""
        plain = {
            "first": self.names[0],
            "second": self.names[1],
            "n_rows": self.n_rows,
            "n_agree": self.n_agree,
            "n_differ": len(self.differences),
            "labels": list(self.labels),
            "counts": [list(row) for row in self.counts],
            "n_right": self.n_right,
            "differences": self.to_rows(),
        }
        if self.standings is not None:
            plain["requirements"] = [standings.to_plain() for standings in self.standings]
        return plain

    def __str__(self) -> str:
        lines = [self._headline(), ""]
        cells = [self._head(), *self._body()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for head, *numbers in cells:
            row = [head.ljust(widths[0])]
            row += [n.rjust(width) for n, width in zip(numbers, widths[1:], strict=True)]
            lines.append("  ".join(row).rstrip())
        lines += ["", *self._verdict()]
        if self.differences:
            lines += ["Where they differ:", *self._groups()]
        return "\n".join(lines).rstrip()

    def _repr_html_(self) -> str:
        """Show the table of answers and the rows on which they differ, in notebooks."""
        parts = [
            paragraph(self._headline()),
            html_table("h" + "r" * len(self.labels), self._head(), self._body()),
            *map(paragraph, self._verdict()),
        ]
        if self.differences:
            rows = [list(map(str, row.values())) for row in self.to_rows()]
            head = [name.replace("_", " ") for name in self.to_rows()[0]]
            parts.append(html_table("r" + "l" * (len(head) - 1), head, rows))
        return "\n".join(parts)

    def _headline(self) -> str:
        return (
            f"{_rows(self.n_rows)}: {self.names[0]} and {self.names[1]} agree on {self.n_agree} "
            f"and differ on {len(self.differences)}."
        )

    def _head(self) -> list[str]:
        return ["", *(f"{self.names[1]}: {self._shown(label)}" for label in self.labels)]

    def _body(self) -> list[list[str]]:
        return [
            [f"{self.names[0]}: {self._shown(label)}", *map(str, row)]
            for label, row in zip(self.labels, self.counts, strict=True)
        ]

    def _verdict(self) -> list[str]:
        if self.n_right is None:
            return []
        n = self.n_right
        return [
            f"Right: both on {_rows(n['both'])}, only {self.names[0]} on {n['first only']}, only "
            f"{self.names[1]} on {n['second only']}, neither on {n['neither']}.",
            *self._requirements(),
        ]

    def _requirements(self) -> list[str]:
        """Say who meets the requirements on these rows, and what is not met."""
        if self.standings is None:
            return []
        said = []
        for name, standings in zip(self.names, self.standings, strict=True):
            broken = [_in_short(one) for one in standings.broken]
            found = "meets all" if not broken else f"does not meet {len(broken)}"
            details = f" ({'; '.join(broken)})" if broken else ""
            said.append(f"Limits that were required: {name} {found}{details}.")
        return said

    def _groups(self) -> list[str]:
        """One entry for the rows that differ for the same reasons, the largest first."""
        groups: dict[tuple[Any, ...], list[Difference]] = {}
        for d in self.differences:
            key = (d.first, d.first_because, d.second, d.second_because)
            groups.setdefault(key, []).append(d)
        largest = sorted(groups.values(), key=lambda group: -len(group))
        lines = []
        for group in largest[:MOST_GROUPS]:
            numbers = ", ".join(str(d.row) for d in group[:MOST_ROWS])
            more = f" and {len(group) - MOST_ROWS} more" if len(group) > MOST_ROWS else ""
            lines.append(f"- {_rows(len(group))} ({numbers}{more}){self._right_in(group)}:")
            d = group[0]
            lines.append(f"    {self.names[0]}: {self._shown(d.first)} because {d.first_because}")
            lines.append(
                f"    {self.names[1]}: {self._shown(d.second)} because {d.second_because}"
            )
        if len(groups) > MOST_GROUPS:
            lines.append(f"and {len(groups) - MOST_GROUPS} more such groups.")
        return lines

    def _right_in(self, group: Sequence[Difference]) -> str:
        if self.n_right is None:
            return ""
        first = sum(d.label == d.first for d in group)
        second = sum(d.label == d.second for d in group)
        return f"; {self.names[0]} is right on {first}, {self.names[1]} on {second}"

    def _shown(self, label: Any) -> str:
        return label_text(label) if label is not None else f"not {label_text(self.labels[1])}"


def compare(
    first: RuleSet | Model | HasModel | str,
    second: RuleSet | Model | HasModel | str,
    X: Any,
    y: Any = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    first_row: int = 0,
) -> Comparison:
    """Answer every row twice and say where the answers differ, and by which clauses.

    Parameters
    ----------
    first, second : RuleSet, BooleanRuleClassifier, Model or str
        Rules, a fitted model of any number of classes, or text that ``parse_rules`` reads. Text
        is read with the conditions and labels of the other, if that is a model.
    X
        The table.
    y : array of labels, or None
        With labels, it is counted who is right and, where one is a model that had to meet
        requirements, said who meets them here. Rows count alike.
    names : (str, str)
        What to call them.
    first_row : int, default=0
        Number of the first row.

    Examples
    --------
    >>> import polars
    >>> people = polars.DataFrame({"age": [20, 30, 40, 50], "job": ["cook", "clerk"] * 2})
    >>> young, clerk = "age <= 30 THEN high ELSE low", "job == 'clerk' THEN high ELSE low"
    >>> both = compare(young, clerk, people, ["low", "high", "low", "low"])
    >>> print(both)
    4 rows: first and second agree on 2 and differ on 2.
    <BLANKLINE>
                   second: 'low'  second: 'high'
    first: 'low'               1               1
    first: 'high'              1               1
    <BLANKLINE>
    Right: both on 2 rows, only first on 1, only second on 1, neither on 0.
    Where they differ:
    - 1 row (0); first is right on 0, second on 1:
        first: 'high' because age <= 30
        second: 'low' because no clause covers it
    - 1 row (3); first is right on 1, second on 0:
        first: 'low' because no clause covers it
        second: 'high' because job == 'clerk'
    >>> both.to_rows()[0]["first_because"]
    'age <= 30'
    """
    table = read_table(X)
    rows = None if y is None else read_rows(table, y, None, None)
    labels = None if rows is None else rows.labels.tolist()
    one = _read(first, second, table, labels, names)
    other = _read(second, first, table, labels, names[::-1])
    against = _described_alone(one, other)
    answers = []
    for model in (one, other):
        found = model.predict(table).tolist()
        answers.append(found if against is None else _against(found, against))
    if labels is not None and against is not None:
        labels = _against(labels, against)
    _check_labels(one, other, labels, names)
    shown = _shown_labels(one, other, against)
    pairs = Counter(zip(*answers, strict=True))
    return Comparison(
        names,
        tuple(shown),
        tuple(tuple(pairs[a, b] for b in shown) for a in shown),
        _differences(one, other, table, answers, labels, first_row),
        None if labels is None else _count_right(answers, labels),
        None if rows is None else _standings(first, second, one, other, rows),
    )


def _standings(
    first: Any, second: Any, one: Answerer, other: Answerer, rows: LabelledRows
) -> tuple[Standings, Standings] | None:
    """Say how both stand to what either, as a model, had to meet, if both describe one label."""
    asked = dict.fromkeys(
        requirement
        for thing in (first, second)
        if not isinstance(thing, str | RuleSet)
        for requirement in as_model(thing).requirements
    )
    has_columns = all(r.column in (None, *rows.table.names) for r in asked)
    if not asked or not has_columns or isinstance(one, Model) or isinstance(other, Model):
        return None
    if one.positive != other.positive:
        return None
    sides = rows.against_rest(one.positive)
    return sides.standings(one, tuple(asked)), sides.standings(other, tuple(asked))


def _read(
    thing: Any, beside: Any, table: Table, labels: list[Any] | None, names: tuple[str, ...]
) -> Answerer:
    """Return rules, or a model of several classes; text is read beside the other of the two."""
    if isinstance(thing, str):
        other: Answerer
        if isinstance(beside, str):
            with _named(names[1]):
                other = parse_rules(beside, positive=None, negative=None)
        else:
            other = beside if isinstance(beside, RuleSet) else as_model(beside)
        with _named(names[0]):
            thing = read_text(thing, table, other, labels)
    elif not isinstance(thing, RuleSet):
        thing = as_model(thing)
        if len(thing.rule_sets) > 1:
            return thing
        thing = thing.rule_sets[0]
    rules: RuleSet = thing
    check_columns(rules, table)
    return rules


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Say in which of the two texts an error is."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}, {error}") from None


def _described_alone(one: Answerer, other: Answerer) -> Any:
    """Return the label of rules that answer "x" or "not x", if there are such."""
    alone = [m.positive for m in (one, other) if isinstance(m, RuleSet) and m.negative is None]
    if len(set(alone)) > 1:
        raise ValueError(
            f"One describes {format_value(alone[0])} against all others, the other "
            f"{format_value(alone[1])}. Rules for different labels cannot be compared."
        )
    return alone[0] if alone else None


def _against(labels: Sequence[Any], positive: Any) -> list[Any]:
    return [label if label == positive else None for label in labels]


def _possible(model: Answerer) -> list[Any]:
    return [model.negative, model.positive] if isinstance(model, RuleSet) else list(model.classes)


def _check_labels(
    one: Answerer, other: Answerer, labels: list[Any] | None, names: tuple[str, str]
) -> None:
    answers = [set(_possible(one)), set(_possible(other))]
    if not (answers[0] & answers[1]) - {None}:
        raise ValueError(
            f"{names[0]} answers with {listed(distinct(answers[0]))}, {names[1]} with "
            f"{listed(distinct(answers[1]))}: they have no label in common. Name the labels with "
            "THEN and ELSE."
        )
    if labels and not (answers[0] | answers[1]) & set(labels):
        raise ValueError(
            f"No row has a label that the rules know ({listed(distinct(answers[0]))}). The labels "
            f"are: {listed(distinct(labels))}."
        )


def _shown_labels(one: Answerer, other: Answerer, against: Any) -> list[Any]:
    if against is not None:
        return [None, against]
    return list(dict.fromkeys([*_possible(one), *_possible(other)]))


def _differences(
    one: Answerer,
    other: Answerer,
    table: Table,
    answers: Sequence[Sequence[Any]],
    labels: list[Any] | None,
    first_row: int,
) -> tuple[Difference, ...]:
    rows = np.flatnonzero([a != b for a, b in zip(*answers, strict=True)])
    few = table.rows(rows)
    reasons = zip(_reasons(one, few), _reasons(other, few), strict=True)
    return tuple(
        Difference(
            i + first_row,
            answers[0][i],
            answers[1][i],
            *because,
            None if labels is None else labels[i],
        )
        for i, because in zip(rows.tolist(), reasons, strict=True)
    )


def _reasons(model: Answerer, table: Table) -> list[str]:
    return list(map(_reason, model.explain(table)))


def _reason(explanation: Explanation) -> str:
    texts = [clause.text(explanation.form) for clause in explanation.decided_by]
    if explanation.form is Form.DNF:
        return "; and because ".join(texts) or "no clause covers it"
    if not texts:
        return "every clause has a condition that holds"
    return "none of these holds: " + "; nor any of these: ".join(texts)


def _count_right(answers: Sequence[Sequence[Any]], labels: Sequence[Any]) -> dict[str, int]:
    right = Counter((a == label, b == label) for a, b, label in zip(*answers, labels, strict=True))
    return {
        "both": right[True, True],
        "first only": right[True, False],
        "second only": right[False, True],
        "neither": right[False, False],
    }


def _in_short(standing: Standing) -> str:
    """Write a figure that is not met on one line."""
    figure, group, value, _, limit, _ = standing.cells()
    where = "" if standing.group is None else f" where {group}"
    return f"{figure}{where} {value}, {limit}"


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"
