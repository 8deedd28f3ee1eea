"""A decision list as SQL, written by sqlglot, which knows how each dialect quotes and escapes.

Nothing is negated, so that a comparison with NULL, which SQL leaves unknown, ends as False: what
``predict`` says of missing values, ``!=`` included.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.optional import require
from boolrules.rules.clause import Form
from boolrules.rules.condition import Relation
from boolrules.rules.export.number import finite_number

if TYPE_CHECKING:
    from boolrules.rules.clause import Clause, Label
    from boolrules.rules.condition import Condition, Value
    from boolrules.rules.decision_list import Decision, DecisionList

DIALECTS = ("sqlite", "duckdb", "postgres", "tsql", "oracle", "snowflake", "bigquery", "spark")
# Of these, which...
TELLS_CASE = ("postgres", "oracle", "snowflake")  # ...take quoted Age and age for two columns
HAS_NO_BOOLEAN = ("sqlite", "tsql", "oracle")  # ...write true and false as 1 and 0
READS_DECIMALS = ("duckdb", "tsql", "spark")  # ...read a float only where it has an exponent
MIXES_LABELS = ("sqlite",)  # ...hold text and numbers in one column
# By default SQL Server takes 'Clerk' for 'clerk', and keeps other alphabets in N'...' alone.
COLLATION = "Latin1_General_BIN2"
LARGEST_IN_SINGLE = 2**24  # whole numbers up to here are exact in single precision


def sql_text(decisions: DecisionList, dialect: str, table: str | None) -> str:
    """Write a CASE expression or, with a table, a whole SELECT."""
    if dialect not in DIALECTS:
        raise ValueError(f"dialect={dialect!r} is unknown; use one of: {', '.join(DIALECTS)}.")
    _check_names(decisions.features, dialect)
    if dialect == "oracle":
        _check_for_oracle(decisions, table)
    _check_labels(decisions.labels, dialect)
    sqlglot = require("sqlglot", needed_for="to_sql()", install='pip install "boolrules[sql]"')
    return _Writer(sqlglot.exp, dialect, table).write(decisions)


class _Writer:
    """Builds sqlglot's tree of a decision list."""

    def __init__(self, exp: Any, dialect: str, table: str | None) -> None:
        self.exp, self.dialect, self.table = exp, dialect, table

    def write(self, decisions: DecisionList) -> str:
        answer = self._case(decisions)
        if self.table is not None:
            _check_text(self.table)
            name = self.exp.to_identifier(self.table, quoted=True)
            prediction = self.exp.alias_(answer, "prediction", quoted=True)
            # Oracle takes no further column beside a bare star.
            star = self.exp.Column(this=self.exp.Star(), table=name.copy())
            columns = star if self.dialect == "oracle" else self.exp.Star()
            answer = self.exp.select(columns, prediction).from_(self.exp.Table(this=name))
        # Pretty printing in older releases of sqlglot indents within a name of two lines.
        is_plain = not any("\n" in name for name in (*decisions.features, self.table or ""))
        return str(answer.sql(dialect=self.dialect, pretty=is_plain))

    def _case(self, decisions: DecisionList) -> Any:
        otherwise = self._label(decisions.otherwise)
        if not decisions.decisions:
            return otherwise
        case = self.exp.case()
        for decision in decisions.decisions:
            case = case.when(self._decision(decision), self._label(decision.label), copy=False)
        return case.else_(otherwise, copy=False)

    def _decision(self, decision: Decision) -> Any:
        clauses = [self._clause(clause, decision.form) for clause in decision.clauses]
        return self.exp.or_(*clauses) if decision.form is Form.DNF else self.exp.and_(*clauses)

    def _clause(self, clause: Clause, form: Form) -> Any:
        conditions = [self._condition(condition) for condition in clause.conditions]
        return self.exp.and_(*conditions) if form is Form.DNF else self.exp.or_(*conditions)

    def _condition(self, condition: Condition) -> Any:
        exp, column = self.exp, self._column(condition.feature)
        match condition.relation, condition.value:
            case Relation.IS_NULL, _:
                return exp.Is(this=column, expression=exp.null())
            case Relation.IS_NOT_NULL, _:
                return exp.not_(exp.Is(this=column, expression=exp.null()))
            case Relation.IN, (lower, upper):
                is_above = self._compare(exp.GT, column, lower)
                test = exp.and_(is_above, self._compare(exp.LTE, column, upper))
            case Relation.NOT_IN, (lower, upper):
                is_below = self._compare(exp.LTE, column, lower)
                test = exp.or_(is_below, self._compare(exp.GT, column, upper))
            case relation, value:
                comparison = {
                    Relation.LE: exp.LTE,
                    Relation.GT: exp.GT,
                    Relation.EQ: exp.EQ,
                    Relation.NE: exp.NEQ,
                }[relation]
                test = self._compare(comparison, column, value)
        excepted = [self._compare(exp.NEQ, column, v) for v in condition.except_values]
        return exp.and_(test, *excepted) if excepted else test

    def _compare(self, comparison: Any, column: Any, value: Value) -> Any:
        place = column.copy()
        if self.dialect == "tsql" and isinstance(value, str):
            place = self.exp.Collate(this=place, expression=self.exp.Var(this=COLLATION))
        return comparison(this=place, expression=self._value(value))

    def _column(self, name: str) -> Any:
        # SQLite takes a quoted name that is no column for text, unless its table is named.
        table = self.table if self.dialect == "sqlite" else None
        return self.exp.column(name, table=table, quoted=True)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            _check_text(value)
            if self.dialect == "tsql" and not value.isascii():
                return self.exp.National(this=value)
            return self.exp.Literal.string(value)
        if isinstance(value, bool) and self.dialect not in HAS_NO_BOOLEAN:
            return self.exp.Boolean(this=value)
        # SQLite takes TRUE for a column of that name where there is one: there it is 1.
        text = finite_number(int(value) if isinstance(value, bool) else value)
        if self.dialect in READS_DECIMALS and not _is_small_integer(text):
            # Without an exponent, DuckDB reads a decimal, and turns it into a float with an error.
            text += "" if "e" in text else "e0"
        return self._number(text)

    def _label(self, label: Label) -> Any:
        plain = label.item() if isinstance(label, np.generic) else label
        if plain is None:
            return self.exp.null()
        is_integer = isinstance(plain, int) and not isinstance(plain, bool)
        return self._number(str(plain)) if is_integer else self._value(plain)

    def _number(self, text: str) -> Any:
        number = self.exp.Literal.number(text.removeprefix("-"))
        return self.exp.Neg(this=number) if text.startswith("-") else number


def _is_small_integer(text: str) -> bool:
    return text.removeprefix("-").isdigit() and abs(int(text)) <= LARGEST_IN_SINGLE


def _check_names(names: tuple[str, ...], dialect: str) -> None:
    for name in names:
        _check_text(name)
    if dialect in TELLS_CASE:
        return
    repeated = [name for name, n in Counter(name.lower() for name in names).items() if n > 1]
    if repeated:
        alike = [name for name in names if name.lower() == repeated[0]]
        raise ValueError(
            f"The columns {' and '.join(map(repr, alike))} differ in case alone, and {dialect} "
            "takes them for one. Rename one of them before fit."
        )


def _check_text(text: str) -> None:
    if "\0" in text:
        raise ValueError(f"{text!r:.40} holds a NUL character, which SQL text cannot.")


def _check_for_oracle(decisions: DecisionList, table: str | None) -> None:
    """Turn down what Oracle has no way to write."""
    for name in (*decisions.features, table or ""):
        if '"' in name:
            raise ValueError(
                f"Oracle has no names with a double quote, such as {name!r:.40}. Rename it before "
                "fit."
            )
    conditions = [
        condition
        for decision in decisions.decisions
        for clause in decision.clauses
        for condition in clause.conditions
    ]
    if "" in decisions.labels or any(condition.value == "" for condition in conditions):
        raise ValueError(
            "Oracle takes the empty text for NULL, and the rules tell them apart. Give that "
            "category or label a name before fit."
        )


def _check_labels(labels: tuple[Label, ...], dialect: str) -> None:
    """Turn down labels of which a CASE makes no one column."""
    kinds = {_kind(label) for label in labels if label is not None}
    if len(kinds) > 1 and dialect not in MIXES_LABELS:
        raise ValueError(
            f"The labels mix {' and '.join(sorted(kinds))}, which a column of {dialect} cannot "
            "hold. Give them one type before fit, or use dialect='sqlite'."
        )


def _kind(label: Label) -> str:
    if isinstance(label, str):
        return "text"
    return "true/false" if isinstance(label, bool | np.bool_) else "numbers"
