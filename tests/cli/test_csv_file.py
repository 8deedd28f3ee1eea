"""Files as people have them: quotes, dialects, marks of missing values."""

import gzip
import json

import polars as pl
import pytest

from boolrules import Model
from boolrules.cli.csv_file import FIRST_ROWS
from boolrules.cli.csv_reading import Reading
from boolrules.cli.csv_values import MARKS_OF_MISSING
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


def test_a_label_that_is_a_mark_is_missing(call, tmp_path):
    path = write(tmp_path, "a,y\n1,0\n2,NA\n3,1\n")
    assert "1 row has no label" in call("fit", path, "--target", "y", "--positive", "1")[2]


def test_predict_writes_fields_as_they_were(call, tmp_path):
    path, model = write(tmp_path, "age,y\n10,0\n20,0\n40,1\n50,1\n"), tmp_path / "m.json"
    assert call("fit", path, "--target", "y", "--max-complexity", 2, "--save", model)[0] == 0
    path = write(tmp_path, 'age,"note, ""x"""\nNA,NA\n050,1.50\nNaN,?\n')
    assert call("predict", model, path, "-o", tmp_path / "out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == (
        'age,"note, ""x""",prediction\nNA,NA,0\n050,1.50,1\nNaN,?,0\n'
    )


@pytest.mark.parametrize("given", ["new.csv", "new.parquet"])
def test_predict_writes_parquet_where_the_name_says_so(call, tmp_path, given):
    path, model = write(tmp_path, "age,y\n10,0\n20,0\n40,1\n50,1\n"), tmp_path / "m.json"
    assert call("fit", path, "--target", "y", "--max-complexity", 2, "--save", model)[0] == 0
    new, out = pl.DataFrame({"age": [10, 50], "seen": ["a", None]}), tmp_path / "out.parquet"
    new.write_csv(tmp_path / given) if given == "new.csv" else new.write_parquet(tmp_path / given)
    assert call("predict", model, tmp_path / given, "-o", out)[0] == 0
    assert pl.read_parquet(out).equals(new.with_columns(prediction=pl.Series([0, 1])))


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


NO_WAY_IN = {
    "a field too many": (
        'a,b,t\n1,"x\ny",0\n\n2,z,1,9\n',
        "line 5 has 4 fields, the header 3. Put a value that has ',' in it in double quotes",
    ),
    "two columns without a name": (
        ",a,,t\n1,2,3,4\n",
        "has no name for columns 1 and 3. Name them in its first line.",
    ),
    "no header": (
        "0,0,1.5\n1,0,2\n",
        "has duplicated column names: 0. If its first line is a row and no header, put names",
    ),
    "a blank at the end": (
        "x,t \n1,2\n",
        "has no column 't'. Its columns are: 'x', 't '. The nearest is 't '.",
    ),
    "capitals": ("x,T\n1,2\n", "has no column 't'. Its columns are: x, T. The nearest is 'T'."),
}


@pytest.mark.parametrize(("text", "message"), NO_WAY_IN.values(), ids=NO_WAY_IN)
def test_what_is_wrong_with_lines_and_names_is_told_with_a_way_out(
    turned_down, tmp_path, text, message
):
    assert message in turned_down("fit", write(tmp_path, text), "--target", "t")


READ = {
    "semicolons": ("a;b\n1.5;2\n3;4\n", "utf-8", "with ';' between columns"),
    "tabs": ("a\tb\n1.5\t2\n3\t4\n", "utf-8", "with tabs between columns"),
    "pipes": ("a|b\n1.5|2\n3|4\n", "utf-8", "with '|' between columns"),
    "decimal commas": (
        "a;b\n1,5;2\n3;4\n",
        "utf-8",
        "with ';' between columns, with decimal commas",
    ),
    "UTF-16": ("a;b\n1,5;2\n3,0;4\n", "utf-16", "with ';' between columns, as UTF-16 text"),
    "UTF-16 without a mark": ("a,b\n1.5,2\n3.0,4\n", "utf-16-be", "as UTF-16 text"),
}


@pytest.mark.parametrize("is_zipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("text", "encoding", "found"), READ.values(), ids=READ)
def test_another_dialect_is_read_and_told(tmp_path, capsys, text, encoding, found, is_zipped):
    raw = text.encode(encoding)
    path = tmp_path / ("data.csv.gz" if is_zipped else "data.csv")
    path.write_bytes(gzip.compress(raw) if is_zipped else raw)
    assert read_file(str(path)).to_dict(as_series=False) == {"a": [1.5, 3], "b": [2, 4]}
    assert found in capsys.readouterr().err


@pytest.mark.parametrize(
    ("encoding", "name"), [("latin-1", "Latin-1"), ("cp1252", "Windows-1252")]
)
def test_text_of_one_byte_is_read_and_told(tmp_path, capsys, encoding, name):
    text = "größe" if encoding == "latin-1" else "5 € „größe“"
    (tmp_path / "data.csv").write_bytes(f"a,b\n{text},1\n".encode(encoding))
    assert read_file(str(tmp_path / "data.csv"))["a"].to_list() == [text]
    assert capsys.readouterr().err.endswith(f"data.csv: read as {name} text.\n")


def test_damaged_utf_8_is_not_taken_for_another_encoding(tmp_path):
    (tmp_path / "data.csv").write_bytes("a,b\nä,1\nö,2\n".encode()[:-4] + b"\xff,2\n")
    with pytest.raises(ValueError, match=r"is UTF-8 text, but damaged at byte 9\."):
        read_file(str(tmp_path / "data.csv"))


GROUPS = {
    "points": (
        "a;b\n1.234,5;1\n12;2\nNA;3\n",
        "';' between columns, with decimal commas, with points",
    ),
    "points, quoted": ('a,b\n"1.234,5",1\n"12",2\n,3\n', "with points between thousands"),
    "commas": ("a;b\n1,234.5;1\n12;2\n;3\n", "columns, with commas between thousands"),
    "commas, quoted": ('a,b\n"+1,234.5",1\n 12 ,2\n,3\n', "with commas between thousands"),
}


@pytest.mark.parametrize(("text", "found"), GROUPS.values(), ids=GROUPS)
def test_thousands_apart_are_read_where_some_number_has_both_signs(tmp_path, capsys, text, found):
    path = write(tmp_path, text)
    assert read_file(path).to_dict(as_series=False) == {"a": [1234.5, 12, None], "b": [1, 2, 3]}
    assert found in capsys.readouterr().err
    for sign in ",.":
        numbers = read_file(path, (), Reading(decimal=sign))["a"]
        assert (numbers.dtype == pl.Float64) == (sign == ("," if "points" in found else "."))


@pytest.mark.parametrize("odd", ["1234,5", "12.34,5", "0.123,4", "1.234.5", "x"])
def test_thousands_apart_are_text_where_one_is_written_otherwise(tmp_path, odd):
    frame = read_file(write(tmp_path, f"a;b\n1.234,56;1\n{odd};2\n"))
    assert frame["a"].to_list() == ["1.234,56", odd]


def test_points_between_thousands_make_the_other_commas_decimal(tmp_path):
    text = "a;b;c;d\n1.234,5;1,234;1.234;33,5\n2,5;5,678;2.000;1\n"
    assert read_file(write(tmp_path, text)).to_dict(as_series=False) == {
        "a": [1234.5, 2.5],
        "b": [1.234, 5.678],
        "c": ["1.234", "2.000"],
        "d": [33.5, 1],
    }


def test_thousands_apart_in_two_ways_leave_all_else_as_it_is(tmp_path):
    text = "a;b;c\n1.234,5;1,234.5;33,7\n2,5;2.5;1\n"
    assert read_file(write(tmp_path, text)).to_dict(as_series=False) == {
        "a": [1234.5, 2.5],
        "b": [1234.5, 2.5],
        "c": ["33,7", "1"],
    }


TWO_MEANINGS = {
    "thousands, or thousandths": "a;b\n1,234;x\n12,500;y\n",
    "points and commas": "a;b\n1,5;0.25\n2,5;0.5\n",
    "commas between columns": 'a,b\n"1,5",x\n"33,7",y\n',
}


@pytest.mark.parametrize("text", TWO_MEANINGS.values(), ids=TWO_MEANINGS)
def test_a_comma_that_may_mean_two_things_stays(tmp_path, text):
    path = write(tmp_path, text)
    assert read_file(path)["a"].dtype == pl.String
    numbers = read_file(path, (), Reading(decimal=","))["a"]
    assert numbers.to_list() in ([1.234, 12.5], [1.5, 2.5], [1.5, 33.7])


def test_a_point_that_may_part_thousands_is_none_beside_decimal_commas(tmp_path):
    frame = read_file(write(tmp_path, "a;b\n1,5;1.234\n2,5;2.000\n"))
    assert frame.to_dict(as_series=False) == {"a": [1.5, 2.5], "b": ["1.234", "2.000"]}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--separator", "ab", "'ab' is not one plain character"),
        ("--encoding", "klingon", "'klingon' is no encoding; try utf-8, latin-1"),
        ("--encoding", "base64", "'base64' is no encoding"),
        ("--encoding", "ascii", "--encoding ascii does not fit: ordinal not in range"),
    ],
)
def test_a_reading_that_cannot_be_is_told(turned_down, tmp_path, option, value, message):
    path = write(tmp_path, "a,y\nä,0\nö,1\n")
    assert message in turned_down("fit", path, "--target", "y", option, value)


def test_a_model_is_learned_checked_and_used_on_the_same_reading(call, tmp_path):
    rows = [f"{10 + k},5;{'größer' if k % 3 else 'klein'};{int(k > 20)}" for k in range(40)]
    path, model = tmp_path / "data.csv", tmp_path / "m.json"
    path.write_bytes("\n".join(["alter;stufe;y", *rows]).encode("latin-1"))
    line = "read with ';' between columns, as Latin-1 text, with decimal commas."
    options = ("--target", "y", "--max-complexity", 2, "--no-cv", "--save", model)
    for command in (
        ("fit", path, *options),
        ("verify", model, path),
        ("score", model, path),
        ("explain", model, path, "--row", 1),
        ("check", model, path, "--target", "y"),
        ("compare", model, model, path),
        ("alternatives", model, path),
        ("predict", model, path, "-o", tmp_path / "out.csv"),
    ):
        code, _, err = call(*command)
        assert (code, line in err) == (0, True), command
    assert (tmp_path / "out.csv").read_text().startswith("alter;stufe;y;prediction\n10,5;klein;")
    given = ("--separator", ";", "--encoding", "latin-1", "--decimal", ",")
    assert call("verify", model, path, *given)[::2] == (0, "")


def test_types_are_those_of_all_rows(tmp_path):
    n = FIRST_ROWS + 5
    late = pl.DataFrame(
        {
            "whole, then not": ["1"] * n + ["1.5"],
            "numbers, then text": ["1"] * n + ["x"],
            "nothing, then numbers": [None] * n + ["7"],
        }
    )
    late.write_csv(tmp_path / "late.csv")
    dtypes = read_file(str(tmp_path / "late.csv")).dtypes
    assert dtypes == [pl.Float64, pl.String, pl.Int64]


def test_a_lone_column_may_have_a_semicolon_in_quotes(tmp_path):
    assert read_file(write(tmp_path, '"a;b"\n1\n')).columns == ["a;b"]
