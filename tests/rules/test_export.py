"""Exports: what they compute is held against ``predict`` in the real engines.

Each engine gets 100 random rule sets with their tables, and 100 random models of three classes:
missing values, quotes, unicode and reserved words in names, thresholds that differ from a value in
the last digit.
"""

import math
import sys

import numpy as np
import polars as pl
import pytest
import sqlglot
from databases import TABLE, in_duckdb, in_sqlite, running_postgres
from random_rules import Case, run_python

from boolrules import Clause, Condition, Form, Relation, RuleSet
from boolrules.rules import ClauseStatistics
from boolrules.rules.clause_statistics import RowCounts
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.export.python import python_source
from boolrules.rules.export.sql import DIALECTS, sql_text
from boolrules.rules.one_versus_rest import winning_class

R = Relation
N_CASES = 100


def expression_as_select(sql, dialect):
    table = sqlglot.exp.to_identifier(TABLE, quoted=True).sql(dialect)
    return f'SELECT *, {sql} AS "prediction" FROM {table}'


def predicted_classes(rule_sets, frame):
    return np.array(["a", "b", "c"])[winning_class(rule_sets, frame)].tolist()


# The same answers as predict


ENGINES = {"sqlite": in_sqlite, "duckdb": in_duckdb}


def cases(**options):
    return [Case(seed, **options) for seed in range(N_CASES)]


@pytest.mark.parametrize("dialect", ENGINES)
def test_sql_predicts_as_the_rules_do(dialect):
    for case in cases():
        rules = case.rule_set()
        expected = rules.predict(case.frame).tolist()
        whole = rules.to_sql(dialect, table=TABLE)
        part = expression_as_select(rules.to_sql(dialect), dialect)
        assert ENGINES[dialect](case.frame, whole) == expected, whole
        assert ENGINES[dialect](case.frame, part) == expected, part


@pytest.mark.parametrize("dialect", ENGINES)
def test_sql_of_three_classes_finds_the_winning_class(dialect):
    for case in cases():
        rule_sets = case.classes()
        sql = sql_text(DecisionList.of_classes(rule_sets, "abc"), dialect, TABLE)
        assert ENGINES[dialect](case.frame, sql) == predicted_classes(rule_sets, case.frame), sql


def test_duckdb_compares_single_precision_as_the_rules_do():
    for case in cases(single_precision=True):
        rules = case.rule_set()
        sql = rules.to_sql("duckdb", table=TABLE)
        assert in_duckdb(case.frame, sql) == rules.predict(case.frame).tolist(), sql


@pytest.fixture(scope="module")
def postgres():
    with running_postgres() as server:
        if server is None:
            pytest.skip("PostgreSQL is not installed")
        yield server


@pytest.mark.parametrize("single_precision", [False, True])
def test_postgres_predicts_as_the_rules_do(postgres, single_precision):
    """In a server of the tests' own, where PostgreSQL is installed; skipped elsewhere."""
    chosen = cases(single_precision=single_precision)
    rule_sets = [case.rule_set() for case in chosen]
    sqls = [rules.to_sql("postgres", table=TABLE) for rules in rule_sets]
    found = postgres.answers([(case.frame, sql) for case, sql in zip(chosen, sqls, strict=True)])
    for case, rules, sql, answers in zip(chosen, rule_sets, sqls, found, strict=True):
        assert answers == rules.predict(case.frame).tolist(), sql


def test_postgres_finds_the_winning_class(postgres):
    chosen = cases()
    models = [case.classes() for case in chosen]
    sqls = [sql_text(DecisionList.of_classes(m, "abc"), "postgres", TABLE) for m in models]
    found = postgres.answers([(case.frame, sql) for case, sql in zip(chosen, sqls, strict=True)])
    for case, rule_sets, sql, answers in zip(chosen, models, sqls, found, strict=True):
        assert answers == predicted_classes(rule_sets, case.frame), sql


@pytest.mark.parametrize("dialect", [*ENGINES, "postgres"])
def test_sql_reads_back_to_the_same_tree(dialect):
    """All that is checked of PostgreSQL on a machine that does not have it."""
    for case in cases():
        sql = case.rule_set().to_sql(dialect, table=TABLE)
        tree = sqlglot.parse_one(sql, dialect=dialect)
        assert sql in (tree.sql(dialect, pretty=True), tree.sql(dialect))


def test_python_predicts_as_the_rules_do():
    for case in cases():
        rules = case.rule_set()
        source = rules.to_python()
        assert run_python(source, case.frame) == rules.predict(case.frame).tolist(), source


def test_python_of_three_classes_finds_the_winning_class():
    for case in cases():
        rule_sets = case.classes()
        source = python_source(DecisionList.of_classes(rule_sets, "abc"))
        assert run_python(source, case.frame) == predicted_classes(rule_sets, case.frame), source


# SQL


YOUNG, CLERK = Condition("age", R.LE, 35.5), Condition("job", R.NE, "clerk")


def sql_of(condition, dialect="sqlite"):
    return " ".join(
        RuleSet((Clause((condition,)),), positive=1, negative=0).to_sql(dialect).split()
    )


def test_sql_reads_as_people_write_it():
    rules = RuleSet((Clause((YOUNG, CLERK)), Clause((CLERK,))), Form.CNF, "high", "low")
    assert " ".join(rules.to_sql("postgres", "people").split()) == (
        'SELECT *, CASE WHEN ( "age" <= 35.5 OR "job" <> \'clerk\' ) AND "job" <> \'clerk\' '
        "THEN 'high' ELSE 'low' END AS \"prediction\" FROM \"people\""
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sql_of_no_clause_is_the_label(dialect):
    assert RuleSet((), Form.DNF, "high", "it's").to_sql(dialect) in ("'it''s'", r"'it\'s'")
    assert RuleSet((), Form.CNF, "high", "low").to_sql(dialect) == "'high'"


@pytest.mark.parametrize(
    ("number", "text"),
    [(35.0, "35"), (0.1 + 0.2, "0.30000000000000004"), (-2.5, "-2.5"), (1e300, "1e+300")],
)
def test_sql_loses_no_digit(number, text):
    assert f'"a" <= {text} ' in sql_of(Condition("a", R.LE, number))


def test_duckdb_gets_floats_and_not_decimals():
    assert '"a" <= 0.1e0 ' in sql_of(Condition("a", R.LE, 0.1), "duckdb")
    assert '"a" <= 1e-07 ' in sql_of(Condition("a", R.LE, 1e-7), "duckdb")
    assert '"a" <= 35 ' in sql_of(Condition("a", R.LE, 35.0), "duckdb")


def test_sqlite_is_not_given_the_word_true():
    assert '"a" = 1 ' in sql_of(Condition("a", R.EQ, True), "sqlite")
    assert '"a" = TRUE ' in sql_of(Condition("a", R.EQ, True), "postgres")


def test_sqlite_turns_down_a_table_without_the_column():
    sql = RuleSet((Clause((Condition("nope", R.NE, "x"),)),)).to_sql("sqlite", TABLE)
    with pytest.raises(Exception, match="no such column"):
        in_sqlite(pl.DataFrame({"a": [1]}), sql)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("export", [RuleSet.to_sql, RuleSet.to_python])
def test_a_number_that_is_not_finite_is_turned_down(export, number):
    for condition in (Condition("a", R.LE, number), Condition("a", R.IN, (0.0, number))):
        with pytest.raises(ValueError, match="no finite number"):
            export(RuleSet((Clause((condition,)),)))


def test_an_unknown_dialect_is_turned_down():
    with pytest.raises(ValueError, match="dialect='access' is unknown; use one of: sqlite"):
        RuleSet(()).to_sql("access")


def test_a_nul_character_is_turned_down():
    for condition in (Condition("a\0", R.IS_NULL), Condition("a", R.EQ, "\0")):
        with pytest.raises(ValueError, match="NUL"):
            sql_of(condition)
    with pytest.raises(ValueError, match="NUL"):
        RuleSet(()).to_sql(table="a\0")


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_names_that_differ_in_case_alone_are_turned_down_where_they_are_one(dialect):
    rules = RuleSet((Clause((Condition("Age", R.LE, 1.0), Condition("age", R.GT, 2.0))),))
    with pytest.raises(ValueError, match="'Age' and 'age' differ in case alone"):
        rules.to_sql(dialect)
    assert '"Age"' in rules.to_sql("postgres")


def test_labels_of_which_no_column_can_be_made_are_turned_down():
    rules = RuleSet((Clause((YOUNG,)),), positive="1", negative=0)
    with pytest.raises(ValueError, match="labels mix numbers and text"):
        rules.to_sql("duckdb")
    assert in_sqlite(pl.DataFrame({"age": [20, 40]}), rules.to_sql(table=TABLE)) == ["1", 0]


def test_sql_without_sqlglot_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(ImportError, match=r"to_sql\(\) needs sqlglot.*boolrules\[sql\]"):
        RuleSet(()).to_sql()


def test_classes_without_statistics_cannot_be_weighed():
    with pytest.raises(ValueError, match="no training statistics"):
        DecisionList.of_classes([RuleSet((Clause((YOUNG,)),))] * 3, "abc")


# Python


def test_none_and_nan_are_missing_in_python():
    rules = RuleSet((Clause((Condition("a", R.NE, 1.0),)),))
    frame = pl.DataFrame({"a": [0.0, 1.0, None, math.nan]}, strict=False)
    assert run_python(rules.to_python(), frame) == [True, False, False, False]


@pytest.mark.parametrize(
    "text", ["it's", '"""', "\\", "a\nb", "\0", "\u2028", "{x}", "🦓", "\ud800"]
)
def test_odd_names_and_labels_survive_python(text):
    rules = RuleSet((Clause((Condition(text, R.EQ, text),)),), positive=text, negative=None)
    names = {}
    exec(rules.to_python(), names)
    assert names["predict"]({text: text}) == text
    assert names["predict"]({text: "x"}) is None


def test_python_of_numpy_labels_needs_no_numpy():
    rules = RuleSet((Clause((YOUNG,)),), positive=np.int64(3), negative=np.float64(0.5))
    assert run_python(rules.to_python(), pl.DataFrame({"age": [20, 40]})) == [3, 0.5]


# LaTeX and Markdown


def with_figures(rules):
    statistics = tuple(ClauseStatistics(8, 6, 1) for _ in rules.clauses)
    return RuleSet(rules.clauses, rules.form, "a_b", None, "50% & more", statistics)


ODD = RuleSet((Clause((Condition("a_b|c", R.LE, -1.5), CLERK)), Clause((CLERK,))))


def test_latex_is_a_table_of_clauses():
    assert with_figures(ODD).to_latex().splitlines() == [
        r"\begin{tabular}{@{}llrr@{}}",
        r"& & coverage & precision \\",
        r"\textbf{if} & (a\_b\textbar{}c $\leq$ $-1.5$ \textbf{and} job $\neq$ `clerk')"
        r" & 8 & 75.0\% \\",
        r"\textbf{or} & job $\neq$ `clerk' & 8 & 75.0\% \\",
        r"\textbf{then} & 50\% \& more is `a\_b' \\",
        r"\textbf{else} & 50\% \& more is not `a\_b' \\",
        r"\end{tabular}",
    ]


def test_weighted_figures_stand_beside_plain_ones_in_documents():
    counts = ClauseStatistics(14, 1, 1, RowCounts(9, 7, 7))
    rules = RuleSet((Clause((CLERK,)),), positive=1, negative=0, statistics=(counts,))
    assert rules.to_markdown().splitlines()[:3] == [
        "| | rule | coverage | precision | weighted coverage | weighted precision |",
        "|---|---|--:|--:|--:|--:|",
        r"| **IF** | job \!= 'clerk' | 14 | 7.1% | 9 | 77.8% |",
    ]
    assert rules.to_latex().splitlines()[:3] == [
        r"\begin{tabular}{@{}llrrrr@{}}",
        r"& & coverage & precision & weighted coverage & weighted precision \\",
        r"\textbf{if} & job $\neq$ `clerk' & 14 & 7.1\% & 9 & 77.8\% \\",
    ]


def test_latex_escapes_what_latex_reads():
    text = RuleSet((Clause((Condition("\\input{x}~^$#\n%", R.EQ, '---"_'),)),)).to_latex()
    assert r"\textbackslash{}input\{x\}\textasciitilde{}\textasciicircum{}\$\# \% $=$" in text
    assert r"`-{}-{}-{\char34}\_'" in text


def test_latex_shows_intervals_and_special_values():
    text = RuleSet((Clause((Condition("a", R.NOT_IN, (-1.0, 2.5), (-9.0,)),)),)).to_latex()
    assert r"a $\notin$ $(-1, 2.5]$ (not $-9$)" in text


def test_markdown_is_a_table_of_clauses():
    assert with_figures(ODD).to_markdown().splitlines() == [
        "| | rule | coverage | precision |",
        "|---|---|--:|--:|",
        r"| **IF** | a\_b\|c &lt;= -1.5 AND job \!= 'clerk' | 8 | 75.0% |",
        r"| **OR** | job \!= 'clerk' | 8 | 75.0% |",
        r"| **THEN** | 50% &amp; more is 'a\_b' |  |  |",
        r"| **ELSE** | 50% &amp; more is not 'a\_b' |  |  |",
    ]


def test_markdown_without_statistics_has_no_figures():
    rules = RuleSet((Clause((YOUNG, CLERK)), Clause((YOUNG,))), Form.CNF, 1, 0)
    assert rules.to_markdown().splitlines() == [
        "| | rule |",
        "|---|---|",
        r"| **IF** | age &lt;= 35.5 OR job \!= 'clerk' |",
        "| **AND** | age &lt;= 35.5 |",
        "| **THEN** | 1 |",
        "| **ELSE** | 0 |",
    ]


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("export", [RuleSet.to_latex, RuleSet.to_markdown])
def test_documents_of_no_clause_say_what_always_holds(export, form):
    text = export(RuleSet((), form, "high", "low"))
    assert text.lower().count("always") == 1
    assert ("low" in text) == (form is Form.DNF)
    assert ("high" in text) == (form is Form.CNF)
