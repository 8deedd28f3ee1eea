"""Clauses and rule sets: print, predict, explain one row, JSON in and out. No solver needed.

DNF and CNF share one mechanism. A clause *decides* a row: in DNF it covers the row and makes it
positive, in CNF it turns the row away (none of its conditions holds) and makes it negative.
Everything else, from ``predict`` to the Hamming loss, follows from which clauses decide which
rows.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.json import is_label, is_number, parse
from boolrules._support.optional import require
from boolrules._support.table import Table, read_table
from boolrules.rules.clause import (
    Clause,
    ClauseStatistics,
    Explanation,
    Form,
    Label,
    as_labels,
)
from boolrules.rules.condition import Condition, format_value
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.export.html import html_text
from boolrules.rules.export.latex import latex_text
from boolrules.rules.export.markdown import markdown_text
from boolrules.rules.export.python import python_source
from boolrules.rules.export.sql import sql_text
from boolrules.rules.names import format_name

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules that people read and that predict on raw tables.

    Parameters
    ----------
    clauses : tuple of Clause
        In DNF a row is positive when any clause holds, in CNF when all do.
    form : Form
        ``"dnf"`` or ``"cnf"``.
    positive, negative : label
        What is predicted.
    target : str or None
        Name of the predicted column, for printing.
    statistics : tuple of ClauseStatistics
        One per clause, from the training data; empty when unknown.
    undecided : ClauseStatistics or None
        The same for the rows that no clause decides: ``right`` counts those that a clause should
        have decided.

    Examples
    --------
    >>> from boolrules import Condition, Relation
    >>> young = Clause((Condition("age", Relation.LE, 35),))
    >>> clerk = Clause((Condition("age", Relation.GT, 60), Condition("job", Relation.EQ, "clerk")))
    >>> rules = RuleSet((young, clerk), Form.DNF, positive="high", negative="low", target="risk")
    >>> print(rules)
    IF   age <= 35
      OR (age > 60 AND job == 'clerk')
    THEN risk is 'high'
    ELSE risk is 'low'
    >>> import polars
    >>> people = polars.DataFrame({"age": [20, 70, 70], "job": ["cook", "clerk", None]})
    >>> rules.predict(people).tolist()
    ['high', 'high', 'low']
    >>> print(rules.explain(people)[2])
    'low' because no clause covers it; nearest: age <= 35, where 'age <= 35' failed
    >>> RuleSet.from_json(rules.to_json()) == rules
    True
    """

    clauses: tuple[Clause, ...]
    form: Form = Form.DNF
    positive: Label = True
    negative: Label = False
    target: str | None = None
    statistics: tuple[ClauseStatistics, ...] = ()
    undecided: ClauseStatistics | None = None

    @property
    def complexity(self) -> int:
        """Clauses plus conditions."""
        return sum(clause.complexity for clause in self.clauses)

    @property
    def n_clauses(self) -> int:
        """How many clauses there are."""
        return len(self.clauses)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that the rules read, in order of appearance."""
        return tuple(
            dict.fromkeys(c.feature for clause in self.clauses for c in clause.conditions)
        )

    def decides(self, X: Any) -> NDArray[np.bool_]:
        """Which clause decides which row: Boolean, (n_rows, n_clauses)."""
        table = read_table(X, self.features)
        decides = np.ones((len(table), self.n_clauses), dtype=bool)
        for k, clause in enumerate(self.clauses):
            for condition in clause.conditions:
                holds = condition.holds(table[condition.feature])
                decides[:, k] &= holds if self.form is Form.DNF else ~holds
        return decides

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """On which rows the answer is positive."""
        is_decided = np.asarray(self.decides(X).any(axis=1))
        return is_decided if self.form is Form.DNF else ~is_decided

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict a label for each row of a raw table."""
        return as_labels([self.negative, self.positive])[self.covers(X).astype(int)]

    def positive_probability(self, X: Any) -> NDArray[np.float64]:
        """Smoothed training precision of the best clause that decides each row, as P(positive).

        Rows that no clause decides take the share of positives among such rows in training.
        """
        if len(self.statistics) != self.n_clauses or self.undecided is None:
            raise ValueError(
                "This rule set has no training statistics, so it has no probabilities."
            )
        decides = self.decides(X)
        precisions = np.array([s.smoothed_precision for s in self.statistics])
        best = np.where(decides, precisions, 0.0).max(axis=1, initial=0.0)
        decided = np.where(decides.any(axis=1), best, self.undecided.smoothed_precision)
        return decided if self.form is Form.DNF else 1.0 - decided

    def hamming_loss(
        self, X: Any, is_positive: NDArray[np.bool_], weights: NDArray[Any] | None = None
    ) -> float:
        """Hamming loss of eq. (1), from the raw table: what a certificate speaks of.

        A row that a clause should have decided counts once; a row that clauses wrongly decide
        counts once for each of them.
        """
        n_decides = self.decides(X).sum(axis=1)
        should = np.asarray(is_positive, dtype=bool)
        if self.form is Form.CNF:
            should = ~should
        if weights is None:
            weights = np.ones(len(should), dtype=np.int64)
        times = np.where(should, n_decides == 0, n_decides)
        loss = math.fsum((times * weights).tolist())
        return int(loss) if loss.is_integer() else loss

    def with_statistics(
        self, X: Any, is_positive: NDArray[np.bool_], weights: NDArray[Any] | None = None
    ) -> RuleSet:
        """Return the same rules with statistics from the given rows."""
        decides = self.decides(X)
        is_right = np.asarray(is_positive, dtype=bool)
        if self.form is Form.CNF:
            is_right = ~is_right
        w = np.ones(len(is_right)) if weights is None else np.asarray(weights, dtype=float)
        n_decides = decides.sum(axis=1)

        def count(rows: NDArray[np.bool_], only: NDArray[np.bool_]) -> ClauseStatistics:
            return ClauseStatistics(
                *(float(w[chosen].sum()) for chosen in (rows, rows & is_right, only & is_right))
            )

        statistics = tuple(
            count(decides[:, k], decides[:, k] & (n_decides == 1)) for k in range(self.n_clauses)
        )
        nobody = n_decides == 0
        return RuleSet(
            self.clauses,
            self.form,
            self.positive,
            self.negative,
            self.target,
            statistics,
            count(nobody, nobody),
        )

    def explain(self, X: Any) -> list[Explanation]:
        """Say for each row which clauses decided it, or what stood in the way of the nearest."""
        table = read_table(X, self.features)
        decides = self.decides(table)
        failures = np.column_stack(
            [self._n_failures(clause, table) for clause in self.clauses]
            or [np.empty((len(table), 0), dtype=np.int64)]
        )
        holds = {
            c: c.holds(table[c.feature]) for clause in self.clauses for c in clause.conditions
        }
        predictions = self.predict(table)
        explanations = []
        for i in range(len(table)):
            decided_by = tuple(c for c, d in zip(self.clauses, decides[i], strict=True) if d)
            nearest = failed = None
            if not decided_by and self.clauses:
                nearest = self.clauses[int(failures[i].argmin())]
                failed = tuple(
                    c for c in nearest.conditions if holds[c][i] != (self.form is Form.DNF)
                )
            explanations.append(
                Explanation(
                    predictions[i].item()
                    if isinstance(predictions[i], np.generic)
                    else predictions[i],
                    decided_by,
                    nearest,
                    failed or (),
                    self.form,
                )
            )
        return explanations

    def __str__(self) -> str:
        name = f"{format_name(self.target)} is " if self.target else ""
        yes = f"{name}{format_value(self.positive)}"
        no = f"{name}{format_value(self.negative)}"
        if self.negative is None:
            no = f"{name}not {format_value(self.positive)}"
        if not self.clauses:
            return f"ALWAYS {no if self.form is Form.DNF else yes} (there is no clause)"
        joint = "OR " if self.form is Form.DNF else "AND"
        lines = [
            f"{'IF  ' if k == 0 else f'  {joint}'[:4] if joint == 'OR ' else ' AND'} "
            f"{self._bracketed(c)}"
            for k, c in enumerate(self.clauses)
        ]
        return "\n".join([*lines, f"THEN {yes}", f"ELSE {no}"])

    def to_text(self) -> list[list[str]]:
        """Return the conditions of each clause as text."""
        return [[str(condition) for condition in clause.conditions] for clause in self.clauses]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per clause.

        Conditions, coverage, precision, rows that only it gets right.
        """
        connective = " AND " if self.form is Form.DNF else " OR "
        rows: list[dict[str, Any]] = []
        for k, clause in enumerate(self.clauses):
            row: dict[str, Any] = {
                "clause": connective.join(map(str, clause.conditions)),
                "n_conditions": len(clause.conditions),
            }
            if self.statistics:
                s = self.statistics[k]
                row |= {"coverage": s.covered, "precision": s.precision, "only_here": s.only_here}
            rows.append(row)
        return rows

    def to_frame(self, library: str | None = None) -> Any:
        """Return ``to_rows`` as a data frame.

        Parameters
        ----------
        library : "pandas", "polars" or None
            None takes pandas where it is installed, and polars otherwise.
        """
        if library not in (None, "pandas", "polars"):
            raise ValueError(f"library={library!r} is unknown; use 'pandas', 'polars' or None.")
        columns = ["clause", "n_conditions", "coverage", "precision", "only_here"]
        data = {name: [row.get(name) for row in self.to_rows()] for name in columns}
        if library != "polars":
            try:
                pandas = require(
                    "pandas", needed_for="to_frame('pandas')", install="pip install pandas"
                )
                return pandas.DataFrame(data)
            except ImportError:
                if library == "pandas":
                    raise
        return require("polars", needed_for="to_frame()", install="pip install polars").DataFrame(
            data
        )

    def to_sql(self, dialect: str = "sqlite", table: str | None = None) -> str:
        """Return a CASE expression that predicts as ``predict`` does; needs sqlglot.

        A missing value must be NULL: DuckDB and PostgreSQL take NaN for the largest number.

        Parameters
        ----------
        dialect : "sqlite", "duckdb" or "postgres"
            For which database it is written.
        table : str or None
            With a table, a whole SELECT: its columns and a further one, ``prediction``.

        Examples
        --------
        >>> from boolrules import Condition, Relation
        >>> job = Clause((Condition("job title", Relation.NE, "chef d'équipe"),))
        >>> print(RuleSet((job,), positive="high", negative="low").to_sql(table="people"))
        SELECT
          *,
          CASE
            WHEN "people"."job title" <> 'chef d''équipe'
            THEN 'high'
            ELSE 'low'
          END AS "prediction"
        FROM "people"
        """
        return sql_text(DecisionList.of_rule_set(self), dialect, table)

    def to_python(self) -> str:
        """Return the source of a function ``predict(row)`` that needs nothing but Python.

        The row is a dict of column to value; None and NaN are missing.

        Examples
        --------
        >>> from boolrules import Condition, Relation
        >>> rules = RuleSet((Clause((Condition("age", Relation.LE, 35),)),))
        >>> names = {}
        >>> exec(rules.to_python(), names)
        >>> names["predict"]({"age": 20}), names["predict"]({"age": None})
        (True, False)
        """
        return python_source(DecisionList.of_rule_set(self))

    def to_latex(self) -> str:
        """Return a LaTeX ``tabular``, with coverage and precision where they are known."""
        return latex_text(self)

    def to_markdown(self) -> str:
        """Return a Markdown table, with coverage and precision where they are known."""
        return markdown_text(self)

    def _repr_html_(self) -> str:
        """Show the rules in notebooks."""
        return html_text(self)

    def to_json(self) -> str:
        """Return JSON text that ``from_json`` reads back to an equal rule set."""
        return json.dumps(self.to_plain(), ensure_ascii=False, allow_nan=False)

    def to_plain(self) -> dict[str, Any]:
        """Return lists, dicts and scalars that JSON can hold."""

        def numbers(s: ClauseStatistics) -> list[float]:
            return [s.covered, s.right, s.only_here]

        return {
            "form": str(self.form),
            "positive": self.positive,
            "negative": self.negative,
            "target": self.target,
            "clauses": [[c.to_plain() for c in clause.conditions] for clause in self.clauses],
            "statistics": [numbers(s) for s in self.statistics],
            "undecided": None if self.undecided is None else numbers(self.undecided),
        }

    @classmethod
    def from_json(cls, text: str) -> RuleSet:
        """Read ``to_json``'s text. Safe on hostile input: nothing is executed."""
        return cls.from_plain(parse(text))

    @classmethod
    def from_plain(cls, plain: Any) -> RuleSet:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, dict) or not isinstance(plain.get("clauses"), list):
            raise ValueError(f"A rule set needs a list of clauses; got {plain!r:.80}.")
        if plain.get("form") not in list(Form):
            raise ValueError(f"form={plain.get('form')!r:.40} is unknown; use 'dnf' or 'cnf'.")
        if not all(isinstance(clause, list) for clause in plain["clauses"]):
            raise ValueError("Each clause must be a list of conditions.")
        labels = [plain.get(name) for name in ("positive", "negative", "target")]
        if not all(map(is_label, labels)) or not isinstance(labels[2], str | None):
            raise ValueError(f"Labels must be text, numbers or true/false; got {labels!r:.80}.")
        if not isinstance(plain.get("statistics", []), list):
            raise ValueError("The statistics of a rule set must be a list.")
        clauses = tuple(
            Clause(tuple(map(Condition.from_plain, clause))) for clause in plain["clauses"]
        )
        statistics = tuple(map(_read_statistics, plain.get("statistics", [])))
        if statistics and len(statistics) != len(clauses):
            raise ValueError(f"{len(clauses)} clauses have {len(statistics)} rows of statistics.")
        undecided = plain.get("undecided")
        return cls(
            clauses,
            Form(plain["form"]),
            labels[0],
            labels[1],
            labels[2],
            statistics,
            None if undecided is None else _read_statistics(undecided),
        )

    def _bracketed(self, clause: Clause) -> str:
        text = clause.text(self.form)
        return f"({text})" if len(clause.conditions) > 1 else text

    def _n_failures(self, clause: Clause, table: Table) -> NDArray[np.int64]:
        """How many conditions keep the clause from deciding each row."""
        holds = np.array([c.holds(table[c.feature]) for c in clause.conditions])
        return (~holds if self.form is Form.DNF else holds).sum(axis=0)


def _read_statistics(plain: Any) -> ClauseStatistics:
    if not (isinstance(plain, list) and len(plain) == 3 and all(map(is_number, plain))):
        raise ValueError(f"Statistics of a clause are three numbers; got {plain!r:.80}.")
    return ClauseStatistics(*plain)
