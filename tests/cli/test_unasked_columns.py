"""Columns that nobody asks for may hold anything: commands read those that the model knows."""

import datetime
import json

import polars as pl
import pytest

from boolrules import Model, assess, compare, find_alternatives, make_report

DAY = datetime.date(2020, 1, 31)
N_ROWS = 12
# What no condition can compare, by the type that holds it.
ODD = {
    "day": pl.Series([DAY + datetime.timedelta(k) for k in range(N_ROWS)]),
    "moment": pl.Series([datetime.datetime(2020, 1, 1, k) for k in range(N_ROWS)]),
    "clock": pl.Series([datetime.time(k) for k in range(N_ROWS)]),
    "tags": pl.Series([["a", None], [], None] * 4),
    "place": pl.Series([{"x": 1, "y": [k]} for k in range(N_ROWS)]),
    "code": pl.Series([2**53 + k for k in range(N_ROWS)]),
    "infinite": pl.Series([float("inf")] * N_ROWS),
    "id": pl.Series([10**30 + k for k in range(N_ROWS)], dtype=pl.Int128),
}
UNWRITABLE = {
    "bytes": pl.Series([b"\xff"] * N_ROWS),
    "wait": pl.Series([datetime.timedelta(seconds=k) for k in range(N_ROWS)]),
}
TABLE = pl.DataFrame(
    {"age": range(N_ROWS), "weight": [1, 2] * 6, "risk": ["low"] * 7 + ["high"] * 5}
)
FIELDS = {name: column for name, column in ODD.items() if not column.dtype.is_nested()}
NAMES = [*ODD, *UNWRITABLE]


@pytest.fixture
def csv(tmp_path):
    TABLE.with_columns(**FIELDS).write_csv(tmp_path / "data.csv")
    return tmp_path / "data.csv"


@pytest.fixture
def parquet(tmp_path):
    TABLE.with_columns(**ODD, **UNWRITABLE).write_parquet(tmp_path / "data.parquet")
    return tmp_path / "data.parquet"


@pytest.mark.parametrize("fixture", ["csv", "parquet"])
@pytest.mark.parametrize("weights", [(), ("--sample-weight", "weight")], ids=["plain", "weighted"])
def test_what_fit_dropped_nobody_minds(call, request, tmp_path, fixture, weights):
    data, model = request.getfixturevalue(fixture), tmp_path / "model.json"
    rules = tmp_path / "rules.txt"
    rules.write_text("age > 6 THEN 'high'", encoding="utf-8")
    odd = [*ODD, *UNWRITABLE] if fixture == "parquet" else FIELDS
    dropped = ",".join([*odd, *([] if weights else ["weight"])])
    learn = ("--target", "risk", "--positive", "high", "--drop", dropped, *weights)
    for arguments in (
        ("fit", data, *learn, "--max-complexity", 2, "--no-cv", "--save", model),
        ("path", data, *learn, "--complexities", 2),
        ("verify", model, data, *weights),
        ("alternatives", model, data, *weights),
        ("check", rules, data, "--target", "risk"),
        ("check", rules, data, "--model", model, *weights),
        ("compare", rules, model, data, "--target", "risk"),
        ("compare", model, model, data),
        ("score", model, data),
        ("explain", model, data),
        ("predict", model, data),
        ("report", data, "--model", model, "-o", tmp_path / "page.html", *weights),
    ):
        code, _, err = call(*arguments)
        assert (code, err) == (0, ""), arguments


@pytest.mark.parametrize("name", NAMES)
def test_an_odd_target_is_nothing_to_those_who_do_not_ask_for_it(call, parquet, tmp_path, name):
    data, model = tmp_path / "plain.csv", tmp_path / "model.json"
    TABLE.write_csv(data)
    learn = ("--target", "risk", "--max-complexity", 2, "--no-cv", "--save", model)
    assert call("fit", data, *learn)[0] == 0
    odd = (ODD | UNWRITABLE)[name]
    TABLE.with_columns(risk=odd).write_parquet(parquet)
    for arguments in (
        ("predict", model, parquet),
        ("explain", model, parquet),
        ("compare", model, model, parquet),
    ):
        code, _, err = call(*arguments)
        assert (code, err) == (0, ""), arguments
    code, _, err = call("verify", model, parquet)
    if name in ("code", "infinite"):  # numbers may be labels: those of other rows
        assert (code, err) == (1, "")
    else:
        assert (code, err.count("\n")) == (2, 1)


def test_a_column_that_rules_ask_for_is_still_turned_down(turned_down, parquet, tmp_path):
    rules = tmp_path / "rules.txt"
    for name in ("tags", "code"):
        rules.write_text(f"{name} > 6 THEN 'high'", encoding="utf-8")
        assert f"Column '{name}' holds" in turned_down("check", rules, parquet, "--target", "risk")
        assert f"Column '{name}' holds" in turned_down("compare", rules, rules, parquet)
    without = ("--drop", "day,moment,wait,clock")
    assert "Column 'tags' holds" in turned_down("fit", parquet, "--target", "risk", *without)
    rules.write_text("day > 6 THEN 'high'", encoding="utf-8")
    assert "no column 'day'" in turned_down("check", rules, parquet, "--target", "risk")


def test_predict_writes_every_column_through(call, tmp_path):
    data, model, out = (tmp_path / name for name in ("data.parquet", "model.json", "out.csv"))
    TABLE.with_columns(**ODD).write_parquet(data)
    learn = ("--target", "risk", "--drop", ",".join(ODD), "--max-complexity", 2, "--no-cv")
    assert call("fit", data, *learn, "--save", model)[0] == 0
    assert call("predict", model, data, "-o", out)[0] == 0
    written = pl.read_csv(out, infer_schema=False)
    assert written.columns == [*TABLE.columns, *ODD, "prediction"]
    assert written["day"][0] == "2020-01-31"
    assert [json.loads(text) for text in written["tags"][:2]] == [["a", None], []]
    assert written["tags"][2] is None
    assert json.loads(written["place"][3]) == {"x": 1, "y": [3]}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_predict_names_a_column_that_it_cannot_write(turned_down, call, tmp_path, name):
    data, model, out = (tmp_path / name for name in ("data.parquet", "model.json", "out.csv"))
    TABLE.with_columns(UNWRITABLE[name].alias(name)).write_parquet(data)
    learn = ("--target", "risk", "--drop", name, "--max-complexity", 2, "--no-cv")
    assert call("fit", data, *learn, "--save", model)[0] == 0
    err = turned_down("predict", model, data, "-o", out)
    assert f"has a column '{name}' of {UNWRITABLE[name].dtype}, which CSV cannot hold" in err
    assert not out.exists()


def test_the_same_in_python(call, parquet, tmp_path):
    path = tmp_path / "model.json"
    dropped = ",".join(["weight", *NAMES])
    learn = ("--target", "risk", "--drop", dropped, "--max-complexity", 2, "--no-cv")
    assert call("fit", parquet, *learn, "--save", path)[0] == 0
    model, X = Model.load(path), pl.read_parquet(parquet)
    y = X["risk"].to_numpy()
    assert model.verify(X, y).holds
    assert assess("age > 6 THEN 'high'", X, y, model).n_mistakes == 0
    assert compare(model, model, X).differences == ()
    assert find_alternatives(model, X, y).is_complete
    report = make_report(model, X, y)
    assert [column.name for column in report.facts.data.columns] == ["age"]
    assert report.facts.data.are_training_rows
