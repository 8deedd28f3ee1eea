"""Spreadsheets, PMML, ONNX, and SQL for databases that cannot be had here, against ``predict``.

SQL is read back by sqlglot as its database would, and run in DuckDB. Formulas are computed by
``formulas``, ONNX by ONNX Runtime and PMML by PMML4S, each where it is installed. PMML is also
evaluated here, by the few rules that the standard has for such a document.
"""

import importlib
import math
import shutil
import sys
import warnings
from dataclasses import replace
from itertools import islice
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import sqlglot
from databases import TABLE, in_duckdb
from random_rules import NAMES, Case, run_python

from boolrules import Clause, Condition, Form, Relation, RuleSet
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.export.excel import excel_formula
from boolrules.rules.export.onnx import onnx_model
from boolrules.rules.export.pmml import NAMESPACE, pmml_document
from boolrules.rules.export.python import python_source
from boolrules.rules.export.sql import sql_text
from boolrules.rules.one_versus_rest import winning_class

R = Relation
N_CASES = 40
ELSEWHERE = ["tsql", "oracle", "snowflake", "bigquery", "spark"]
AGE, JOB = Condition("age", R.LE, 35.5), Condition("job", R.NE, "clerk")
RISK = RuleSet((Clause((AGE, JOB)), Clause((JOB,))), Form.CNF, "high", "low", target="risk")


def cases(names=NAMES, with_empty_text=True):
    """Random rules with what they answer, of two classes and of three.

    Where a language cannot tell the empty text from none, there is none in the table.
    """
    for seed in range(N_CASES):
        case = Case(seed, names=names)
        if not with_empty_text:
            text = pl.col(case.names["text"])
            case.frame = case.frame.with_columns(pl.when(text != "").then(text))
        rules, rule_sets = case.rule_set(), case.classes()
        winners = np.array(["a", "b", "c"])[winning_class(rule_sets, case.frame)]
        for decisions, answers in (
            (rules.decisions, rules.predict(case.frame)),
            (DecisionList.of_classes(rule_sets, "abc"), winners),
        ):
            if with_empty_text or not asks_for_empty_text(decisions):
                yield case.frame, decisions, answers.tolist()


def asks_for_empty_text(decisions):
    clauses = [clause for decision in decisions.decisions for clause in decision.clauses]
    return any(c.value == "" for clause in clauses for c in clause.conditions)


# SQL


def in_another(dialect, frame, sql):
    """Run what sqlglot reads as another database does; DuckDB has other ways to say it."""
    tree = sqlglot.parse_one(sql, dialect=dialect)
    for collated in tree.find_all(sqlglot.exp.Collate):
        collated.replace(collated.this)
    if dialect in ("tsql", "oracle"):
        frame = frame.with_columns(pl.selectors.boolean().cast(pl.Int64))
    for table in tree.find_all(sqlglot.exp.Table):
        table.this.set("this", TABLE)
    for column in tree.find_all(sqlglot.exp.Column):
        column.set("table", None)
    return in_duckdb(frame, tree.sql("duckdb"))


@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_sql_for_other_databases_says_what_the_rules_say(dialect):
    is_oracle = dialect == "oracle"
    unknown = {"oracle": '"', "bigquery": "."}.get(dialect, "\0")  # no column there has it
    names = [name for name in NAMES if unknown not in name]
    table = "people" if is_oracle else TABLE
    for frame, decisions, expected in cases(names, with_empty_text=not is_oracle):
        if is_oracle and "" in decisions.labels:
            continue
        sql = sql_text(decisions, dialect, table)
        assert in_another(dialect, frame, sql) == expected, sql


def sql_of(dialect, *conditions, table=None):
    rules = RuleSet((Clause(conditions),), positive=True, negative=False)
    return " ".join(rules.to_sql(dialect, table).split())


def test_databases_without_true_and_false_get_numbers():
    for dialect in ("tsql", "oracle"):
        sql = sql_of(dialect, Condition("a", R.EQ, True))
        assert "= 1 THEN 1 ELSE 0 END" in sql
    assert "= TRUE THEN TRUE ELSE FALSE" in sql_of("spark", Condition("a", R.EQ, True))


def test_sql_server_tells_capitals_and_keeps_other_alphabets():
    sql = sql_of("tsql", Condition("a]", R.EQ, "Größe"), Condition("a]", R.NE, "b"))
    assert "[a]]] COLLATE Latin1_General_BIN2 = N'Größe'" in sql
    assert "[a]]] COLLATE Latin1_General_BIN2 <> 'b'" in sql


def test_oracle_names_the_table_of_its_star():
    assert 'SELECT "people".*, CASE' in sql_of("oracle", AGE, table="people")


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "spark"])
def test_backslashes_are_escaped_where_they_escape(dialect):
    assert r"'\\\'; --'" in sql_of(dialect, Condition("a", R.EQ, "\\'; --"))


def test_what_oracle_cannot_say_is_turned_down():
    for condition in (Condition("a", R.EQ, ""), Condition("a", R.NE, "")):
        with pytest.raises(ValueError, match="Oracle takes the empty text for NULL"):
            sql_of("oracle", condition)
    with pytest.raises(ValueError, match="Oracle has no names with a double quote"):
        sql_of("oracle", Condition('a"', R.EQ, "x"))
    with pytest.raises(ValueError, match="Oracle has no names with a double quote"):
        sql_of("oracle", AGE, table='a"')


@pytest.mark.parametrize("dialect", ["tsql", "bigquery", "spark"])
def test_names_that_differ_in_case_are_one_in_some_databases(dialect):
    with pytest.raises(ValueError, match="'Age' and 'age' differ in case alone"):
        sql_of(dialect, Condition("Age", R.LE, 1.0), Condition("age", R.GT, 2.0))


# Spreadsheets


def short(value):
    """Leave of a number the digits that a spreadsheet keeps."""
    return float(f"{value:.15g}") if isinstance(value, float) else value


def in_spreadsheet(formulas, frame, decisions):
    """Compute a formula in each row, as a spreadsheet would."""
    cells = {name: f"{'ABCD'[k]}2" for k, name in enumerate(decisions.features)}
    compute = formulas.Parser().ast(excel_formula(decisions, cells))[1].compile()
    empty = importlib.import_module("schedula").EMPTY
    answers = []
    for row in frame.to_dicts():
        by_cell = {cell: empty if row[n] is None else row[n] for n, cell in cells.items()}
        given = [np.array([[by_cell[str(cell)]]], dtype=object) for cell in compute.inputs]
        answers.append(np.asarray(compute(*given), dtype=object).ravel()[0])
    return answers


def test_formulas_say_what_the_rules_say():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = pytest.importorskip("formulas")
        for frame, decisions, _ in cases(with_empty_text=False):
            if 2**60 in decisions.labels:
                continue
            plain = short_decisions(decisions)
            table = pl.DataFrame(
                {name: [short(v) for v in frame[name]] for name in frame.columns},
                schema=frame.schema,
            )
            expected = ["" if v is None else v for v in answers_of(plain, table)]
            assert in_spreadsheet(formulas, table, plain) == expected


def short_decisions(decisions):
    """The same decisions with thresholds of 15 digits."""

    def shortened(condition):
        value = condition.value
        value = tuple(map(short, value)) if isinstance(value, tuple) else short(value)
        special = tuple(map(short, condition.except_values))
        return replace(condition, value=value, except_values=special)

    def clause(given):
        return Clause(tuple(map(shortened, given.conditions)))

    return replace(
        decisions,
        decisions=tuple(
            replace(d, clauses=tuple(map(clause, d.clauses)), label=short(d.label))
            for d in decisions.decisions
        ),
    )


def answers_of(decisions, frame):
    """What exported Python says, which is held against ``predict`` elsewhere."""
    return run_python(python_source(decisions), frame)


def test_a_formula_goes_by_names_in_a_table():
    odd = Condition("a [b] #'x", R.IS_NULL)
    formula = RuleSet((Clause((AGE, odd)),), positive=1, negative=0).to_excel()
    assert formula == (
        "=IF(AND(IF(ISNUMBER([@age]),[@age]<=35.5,FALSE),IF(ISERROR([@[a '[b'] '#''x]]),TRUE,"
        "[@[a '[b'] '#''x]]=\"\")),1,0)"
    )


def test_a_label_of_many_digits_is_turned_down_in_a_spreadsheet():
    with pytest.raises(ValueError, match="keeps 15 digits of a number, and the label 1152921504"):
        RuleSet((Clause((AGE,)),), positive=2**60, negative=0).to_excel()


def test_long_text_is_put_together():
    rules = RuleSet((Clause((AGE,)),), positive="x" * 300, negative='"')
    assert rules.to_excel().endswith(f',"{"x" * 255}"&"{"x" * 45}","""")')


@pytest.mark.parametrize(
    ("condition", "cells", "message"),
    [
        (AGE, {"job": "A2"}, "no cell for the column 'age'; it has job. Add it"),
        (AGE, {"age": "A2:A9"}, "cells\\['age'\\] is 'A2:A9'; give a cell such as A2"),
        (Condition("job", R.EQ, ""), None, "cannot tell the empty text"),
        (Condition("job", R.EQ, "x" * 9000), None, "9,.* characters, and a cell takes 8,192"),
    ],
)
def test_what_no_formula_can_say_is_turned_down(condition, cells, message):
    with pytest.raises(ValueError, match=message):
        RuleSet((Clause((condition,)),)).to_excel(cells)


# PMML


def tag(name):
    return f"{{{NAMESPACE}}}{name}"


def holds(predicate, row):
    """Evaluate a predicate as PMML 4.4 says: true, false, or None where it is unknown."""
    match predicate.tag.removeprefix(tag("")):
        case "True" | "False" as word:
            return word == "True"
        case "CompoundPredicate":
            parts = [holds(part, row) for part in predicate]
            is_and = predicate.get("booleanOperator") == "and"
            if any(part is (not is_and) for part in parts):
                return not is_and
            return None if None in parts else is_and
    value, operator = row[predicate.get("field")], predicate.get("operator")
    if operator in ("isMissing", "isNotMissing"):
        return (value is None) == (operator == "isMissing")
    if value is None:
        return None
    given = predicate.get("value")
    if isinstance(value, bool):
        given = {"true": True, "false": False}[given]
    elif not isinstance(value, str):
        given = float(given)
    return {
        "equal": value == given,
        "notEqual": value != given,
        "lessOrEqual": operator == "lessOrEqual" and value <= given,
        "greaterThan": operator == "greaterThan" and value > given,
    }[operator]


def evaluated(text, frame):
    """The score of the first rule that is true, in each row."""
    rules = ElementTree.fromstring(text).find(f".//{tag('RuleSet')}")
    default = rules.get("defaultScore")
    return [
        next((r.get("score") for r in rules.iter(tag("SimpleRule")) if holds(r[0], row)), default)
        for row in frame.to_dicts()
    ]


def as_score(label):
    if isinstance(label, bool):
        return str(label).lower()
    return None if label is None else str(label)


def test_pmml_says_what_the_rules_say():
    for frame, decisions, expected in cases():
        text = pmml_document(decisions, "risk")
        assert evaluated(text, frame) == [as_score(label) for label in expected], text


def test_pmml_has_the_parts_of_a_rule_set_model_in_order():
    root = ElementTree.fromstring(RISK.to_pmml())
    assert (root.tag, root.get("version")) == (tag("PMML"), "4.4")
    parts = [tag(name) for name in ("Header", "DataDictionary", "RuleSetModel")]
    assert [child.tag for child in root] == parts
    fields = [(f.get("name"), f.get("optype"), f.get("dataType")) for f in root[1]]
    assert fields == [
        ("age", "continuous", "double"),
        ("job", "categorical", "string"),
        ("risk", "categorical", "string"),
    ]
    schema, rules = root[2]
    assert [(f.get("name"), f.get("usageType")) for f in schema][-1] == ("risk", "target")
    assert rules[0].attrib == {"criterion": "firstHit"}
    assert [child.tag for child in rules[1:]] == [tag("SimpleRule")]


@pytest.mark.parametrize("text", ["\0", "\x1b", "\ud800", "\uffff"])
def test_what_xml_cannot_hold_is_turned_down(text):
    with pytest.raises(ValueError, match="a character that XML cannot"):
        RuleSet((Clause((Condition("a", R.EQ, text),)),)).to_pmml()


def test_pmml_is_understood_by_an_engine():
    pypmml = pytest.importorskip("pypmml")
    if shutil.which("java") is None:
        pytest.skip("PMML4S needs Java")
    for frame, decisions, expected in islice(cases(), 0, None, 4):
        model = pypmml.Model.fromString(pmml_document(decisions, "risk"))
        rows = frame.to_dicts() if decisions.features else []
        found = [model.predict(row).get("predicted_risk") for row in rows]
        assert found == expected[: len(rows)]


# ONNX


def in_onnx_runtime(onnxruntime, frame, decisions):
    session = onnxruntime.InferenceSession(onnx_model(decisions))
    given = {}
    for part in session.get_inputs():
        column = frame[part.name]
        if part.type == "tensor(string)":
            values = column.fill_null("").to_numpy().astype(object)
        else:
            if column.dtype == pl.String:  # all that is asked is whether it is missing
                column = column.is_null().replace_strict({True: None, False: 0.0})
            values = column.cast(pl.Float64).fill_null(math.nan).to_numpy()
        given[part.name] = values.reshape(-1, 1)
    (answers,) = session.run(None, given)
    return np.broadcast_to(answers, (len(frame), 1))[:, 0].tolist()


def test_onnx_says_what_the_rules_say():
    pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    for frame, decisions, expected in cases(with_empty_text=False):
        plain = ["" if label is None else label for label in expected]
        assert in_onnx_runtime(onnxruntime, frame, decisions) == plain


@pytest.mark.parametrize(
    ("condition", "negative", "message"),
    [
        (Condition("", R.LE, 1.0), "low", "no input without a name"),
        (Condition("a", R.EQ, ""), "low", "cannot tell the empty text"),
        (Condition("a", R.EQ, "\ud800"), "low", "cannot be written as UTF-8"),
        (AGE, 0, "The labels mix numbers and text, which ONNX cannot"),
    ],
)
def test_what_no_onnx_model_can_hold_is_turned_down(condition, negative, message):
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match=message):
        RuleSet((Clause((condition,)),), positive="high", negative=negative).to_onnx()


def test_no_number_stands_for_no_label():
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match="no place for no label"):
        RuleSet((Clause((AGE,)),), positive=1, negative=None).to_onnx()


def test_onnx_that_is_missing_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"to_onnx\(\) needs onnx.*boolrules\[onnx\]"):
        RISK.to_onnx()


# All


@pytest.mark.parametrize("number", [math.inf, math.nan])
@pytest.mark.parametrize("export", [RuleSet.to_excel, RuleSet.to_pmml])
def test_a_number_that_is_not_finite_is_turned_down(export, number):
    with pytest.raises(ValueError, match="no finite number"):
        export(RuleSet((Clause((Condition("a", R.LE, number),)),)))
