"""Files as people have them: quotes, dialects, marks of missing values."""

import gzip
import json

import polars as pl
import pytest

from boolrules import Model
from boolrules.cli.csv_file import MARKS_OF_MISSING
from boolrules.cli.files import read_file

PEOPLE = pl.DataFrame({"age": [20, 30, None], "job": ["cook", "clerk", None]})
QUOTES = '"age, ""years""",code,y\n10,1,0\n20,2,0\n30,1,1\n40,2,1\n'


def write(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("mark", MARKS_OF_MISSING)
def test_a_mark_in_a_column_of_numbers_is_a_missing_value(tmp_path, mark):
    text = f"a,b,c,d\n1,2.5,true,{mark}\n{mark},{mark},{mark},{mark}\n3,4,false,{mark}\n"
    frame = read_file(write(tmp_path, text)).fill_nan(None)
    assert frame.to_dict(as_series=False) == {
        "a": [1, None, 3],
        "b": [2.5, None, 4],
        "c": [True, None, False],
        "d": [None] * 3,
    }


def test_a_label_that_is_a_mark_is_missing(turned_down, tmp_path):
    path = write(tmp_path, "a,y\n1,0\n2,NA\n3,1\n")
    assert "no label in 1 rows" in turned_down("fit", path, "--target", "y", "--positive", "1")


def test_predict_writes_fields_as_they_were(call, tmp_path):
    path, model = write(tmp_path, "age,y\n10,0\n20,0\n40,1\n50,1\n"), tmp_path / "m.json"
    assert call("fit", path, "--target", "y", "--max-complexity", 2, "--save", model)[0] == 0
    path = write(tmp_path, 'age,"note, ""x"""\nNA,NA\n050,1.50\nNaN,?\n')
    assert call("predict", model, path, "-o", tmp_path / "out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == (
        'age,"note, ""x""",prediction\nNA,NA,0\n050,1.50,1\nNaN,?,0\n'
    )


def test_a_mark_among_text_is_text(tmp_path):
    path = write(tmp_path, "country,code\nNA,1\nDE,NA\n,3\n")
    frame = read_file(path, ["code"])
    assert frame["country"].to_list() == ["NA", "DE", None]
    assert frame["code"].to_list() == ["1", "NA", "3"]


def test_rules_with_missing_values_hold_for_a_file_with_marks(call, tmp_path):
    path, model = write(tmp_path, "age,y\n10,0\n20,0\nNA,0\n40,1\n50,1\n"), tmp_path / "m.json"
    assert call("fit", path, "--target", "y", "--max-complexity", 2, "--save", model)[0] == 0
    assert call("verify", model, path)[0] == 0
    new = write(tmp_path, "age\nNA\nNA\n")
    assert call("predict", model, new)[1].split() == ["prediction", "0", "0"]


def test_a_name_with_a_comma_goes_in_quotes(call, tmp_path):
    path = write(tmp_path, '"age, years",b,y\n10,0,0\n20,1,0\n30,0,1\n40,1,1\n')
    options = ("--target", "y", "--drop", '"age, years"', "--max-complexity", 2, "--json")
    code, out, _ = call("fit", path, *options)
    assert (code, json.loads(out)["n_conditions"]) == (0, 2)


def test_quotes_in_column_names_are_read(call, tmp_path):
    path, model = write(tmp_path, QUOTES), tmp_path / "model.json"
    options = ("--target", "y", "--drop", "code", "--max-complexity", 2, "--save", model)
    code, _, err = call("fit", path, *options)
    assert (code, err) == (0, "")
    assert Model.load(model).encoding.features[0].name == 'age, "years"'
    assert call("verify", model, path)[0] == 0


def test_text_columns_with_quotes_in_their_names_stay_text(tmp_path):
    path = write(tmp_path, QUOTES)
    frame = read_file(path, ['age, "years"'])
    assert frame.schema == {'age, "years"': pl.String, "code": pl.Int64, "y": pl.Int64}


@pytest.mark.parametrize("name", ["PEOPLE.PARQUET", "people.Pq", "PEOPLE.CSV", "PEOPLE.CSV.GZ"])
def test_a_suffix_may_be_in_capitals(tmp_path, name):
    path = tmp_path / name
    if name.upper().endswith(("PARQUET", "PQ")):
        PEOPLE.write_parquet(path)
    else:
        text = PEOPLE.write_csv().encode()
        path.write_bytes(gzip.compress(text) if name.endswith("GZ") else text)
    assert read_file(str(path)).equals(PEOPLE)


@pytest.mark.parametrize("is_zipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;b;y\n1;2;0\n3;4;1\n", "has fields separated by semicolons; boolrules reads commas"),
        ("a;b;y\n1,5;2;0\n3,5;4;1\n", "separator=';'"),
        ("a\tb\ty\n1\t2\t0\n3,5\t4\t1\n", "has fields separated by tabs"),
        ("a,y\nä,0\nö,1\n", "is not UTF-8 text. Convert it"),
    ],
    ids=["semicolons", "decimal commas", "tabs", "Latin-1"],
)
def test_another_dialect_is_told_with_what_to_do(turned_down, tmp_path, text, message, is_zipped):
    raw = text.encode("latin-1")
    path = tmp_path / ("data.csv.gz" if is_zipped else "data.csv")
    path.write_bytes(gzip.compress(raw) if is_zipped else raw)
    assert message in turned_down("fit", path, "--target", "y")


def test_a_lone_column_may_have_a_semicolon_in_quotes(tmp_path):
    assert read_file(write(tmp_path, '"a;b"\n1\n')).columns == ["a;b"]
