"""Tables as people have them: dates, rows without a label, targets that are no labels."""

import datetime
import json
import re

import numpy as np
import polars as pl
import pytest

from boolrules import Model
from boolrules.cli.csv_reading import Reading
from boolrules.cli.files import read_file
from boolrules.cli.labels import check_labels, read_labels

MONDAY = datetime.date(2024, 1, 1)
DAYS = [MONDAY + datetime.timedelta(days=5 * k) for k in range(60)]
FIT = ("--max-complexity", 2, "--no-cv")


def write(path, frame):
    frame.write_csv(path)
    return path


def visits(tmp_path, form="%Y-%m-%d", name="visits.csv"):
    """Visits at weekends are urgent."""
    frame = pl.DataFrame(
        {
            "seen": [day.strftime(form) for day in DAYS],
            "age": [20 + k % 37 for k in range(60)],
            "urgent": ["yes" if day.weekday() > 4 else "no" for day in DAYS],
        }
    )
    return write(tmp_path / name, frame)


# Dates


@pytest.mark.parametrize(
    ("form", "dtype"),
    [
        ("%Y-%m-%d", pl.Date),
        ("%Y/%m/%d", pl.Date),
        ("%d.%m.%Y", pl.Date),
        ("%d/%m/%Y", pl.Date),
        ("%m/%d/%Y", pl.Date),
        ("%d-%m-%Y", pl.Date),
        ("%Y-%m-%dT%H:%M:%S", pl.Datetime("us")),
        ("%Y-%m-%d %H:%M:%S.000+01:00", pl.Datetime("us")),
        ("%m/%d/%Y %I:%M %p", pl.Datetime("us")),
        ("%H:%M", pl.Time),
    ],
)
def test_dates_and_times_of_text_are_read(tmp_path, form, dtype):
    seen = read_file(str(visits(tmp_path, form)))["seen"]
    assert seen.dtype == dtype
    expected = [datetime.time(0)] * 60 if dtype == pl.Time else DAYS
    assert (seen if dtype == pl.Time else seen.cast(pl.Date)).to_list() == expected


@pytest.mark.parametrize(
    "text",
    ["03/04/2024", "3-4-2024", "31/12/24", "2024-02-30", "25:00", "12:61", "2024-01-01 24:01"],
)
def test_text_that_is_no_date_or_may_be_two_stays_text(tmp_path, text):
    path = write(tmp_path / "data.csv", pl.DataFrame({"a": [text] * 3, "b": [1, 2, 3]}))
    assert read_file(str(path))["a"].to_list() == [text] * 3


def test_the_order_of_day_and_month_can_be_said(tmp_path):
    path = write(tmp_path / "data.csv", pl.DataFrame({"a": ["03/04/2024"], "b": [1]}))
    read = [read_file(str(path), (), Reading(date_order=o))["a"][0] for o in ("dmy", "mdy")]
    assert read == [datetime.date(2024, 4, 3), datetime.date(2024, 3, 4)]


@pytest.mark.parametrize("order", ["dmy", "mdy"])
def test_columns_whose_dates_show_their_order_keep_it(tmp_path, order):
    frame = pl.DataFrame(
        {
            "open": ["03/04/2024", "05/06/2024"],
            "us": ["03/04/2024", "12/31/2024"],
            "fr": ["03/04/2024", "31/12/2024"],
            "de": ["03.04.2024", "05.06.2024"],
            "both": ["31/12/2024", "12/31/2024"],
        }
    )
    read = read_file(str(write(tmp_path / "data.csv", frame)), (), Reading(date_order=order))
    months = [read[name][0].month for name in ("open", "us", "fr", "de")]
    assert months == [4 if order == "dmy" else 3, 3, 4, 4]
    assert read["both"].to_list() == frame["both"].to_list()


def test_a_date_that_is_missing_is_missing(tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n2024-01-01,1\nNA,2\n,3\n")
    assert read_file(str(tmp_path / "data.csv"))["a"].to_list() == [MONDAY, None, None]


def test_rules_over_dates_are_learned_verified_applied_and_told(call, tmp_path):
    path, model = visits(tmp_path), tmp_path / "m.json"
    code, out, err = call("fit", path, "--target", "urgent", *FIT, "--save", model)
    assert code == 0
    assert "\nIF   seen.weekday > 5 " in out
    assert "seen.weekday is the day of the week of 'seen', 1 (Monday) to 7 (Sunday).\n" in out
    assert err.count("\n") == 2
    assert "'seen.weekday' (by one threshold) decides the label alone" in err
    assert "read as year, month, weekday, days and the like: 'seen'." in err
    assert call("verify", model, path)[0] == 0
    again = visits(tmp_path, "%m/%d/%Y", "again.csv")
    answers = call("predict", model, again)[1].split()[1:]
    assert answers == pl.read_csv(path)["urgent"].to_list()
    told = call("explain", model, path, "--row", 2)[1]
    assert "row 2: 'yes' because seen.weekday > 5" in told
    assert told.endswith(
        "\nseen.weekday is the day of the week of 'seen', 1 (Monday) to 7 (Sunday).\n"
    )
    _, out, err = call("export", model, "--to", "sql")
    assert '"seen.weekday" > 5' in out
    assert "needs one more column: seen.weekday is the day of the week of 'seen'" in err


def test_dates_whose_parts_are_wanted_and_cannot_be_read_are_told(call, turned_down, tmp_path):
    path, model = visits(tmp_path), tmp_path / "m.json"
    call("fit", path, "--target", "urgent", *FIT, "--save", model)
    new = write(tmp_path / "new.csv", pl.DataFrame({"seen": ["03/04/2024"]}))
    assert "a part of the dates or times of column 'seen'" in turned_down("predict", model, new)
    code, out, _ = call("predict", model, new, "--date-order", "mdy")
    assert (code, out.split()[1:]) == (0, ["no"])


def test_dates_are_left_out_when_asked_all_named_at_once(call, tmp_path):
    path, model = visits(tmp_path), tmp_path / "m.json"
    frame = pl.read_csv(path).with_columns(born=pl.lit("1980-05-05"))
    options = ("--target", "urgent", *FIT, "--dates", "drop", "--save", model)
    code, _, err = call("fit", write(path, frame), *options)
    assert (code, "dates and times are left out: 'seen', 'born'." in err) == (0, True)
    assert [feature.name for feature in Model.load(model).encoding.features] == ["age"]


def test_the_name_of_a_column_of_dates_forbids_all_its_parts(call, tmp_path):
    options = ("--target", "urgent", *FIT, "--forbid-features", "seen")
    out = call("fit", visits(tmp_path), *options)[1]
    assert "no seen.year; no seen.month; no seen.weekday; no seen.days." in out


# Column notes


def patients(tmp_path):
    frame = pl.DataFrame(
        {
            "Patient ID": [f"P-{100000 + k}" for k in range(60)],
            "case": [f"C{k}" for k in range(60)],
            "age": [20 + 7 * k % 60 for k in range(60)],
            "score": [-9 if k % 6 == 0 else k % 23 for k in range(60)],
            "smoker": ["Y", "y", "n", " Y"] * 15,
            "y": [int(k % 7 == 0 or 20 + 7 * k % 60 > 50) for k in range(60)],
        }
    )
    return write(tmp_path / "patients.csv", frame)


def test_notes_come_before_rules_and_identifiers_give_none(call, tmp_path):
    path, model = patients(tmp_path), tmp_path / "m.json"
    code, out, err = call("fit", path, "--target", "y", *FIT, "--save", model, "--json")
    assert code == 0
    assert err.splitlines() == [
        "boolrules: Note: Each of 'Patient ID' (60 different values in 60 rows) and 'case' (60 "
        "different values in 60 rows) looks like an identifier. They give no conditions, unless "
        "named in --categorical or --only-features.",
        "boolrules: Note: 'smoker' ('Y', 'y' and ' Y') has one value in several spellings. Each "
        "spelling counts as a value of its own.",
        "boolrules: Note: 'score' (-9 in 10 rows) has codes that may be no measurements. If they "
        "measure nothing, give --special-values score=-9.",
    ]
    facts = json.loads(out)
    assert [note["column"] for note in facts["notes"] if note["is_idle"]] == ["Patient ID", "case"]
    constraints = Model.load(model).encoding.constraints
    assert constraints.forbidden_features == ("Patient ID", "case")
    assert call("verify", model, path)[0] == 0


@pytest.mark.parametrize(
    "more", [["--complexities", "2"], ["--require", "recall >= 0.5", "--limits", "0.5"]]
)
def test_paths_have_the_notes_as_data_too(call, tmp_path, more):
    code, out, _ = call("path", patients(tmp_path), "--target", "y", *more, "--json")
    assert code == 0
    columns = [note["column"] for note in json.loads(out)["notes"]]
    assert columns == ["Patient ID", "case", "score", "smoker"]


def test_dates_that_are_not_read_are_called_dates_with_what_to_do(call, tmp_path):
    path = visits(tmp_path, "%d-%b-%Y")
    _, _, err = call("fit", path, "--target", "urgent", *FIT)
    assert (
        "Note: 'seen' ('01-Jan-2024' and '06-Jan-2024') has dates or times written as text. Write "
        "them all alike, such as 2024-01-31 or 2024-01-31 14:30, and leave empty what is none. It "
        "gives no conditions, unless named"
    ) in err


@pytest.mark.parametrize(("n", "end"), [(6, "'e' (1) and 'f' (1) has"), (7, "and 2 more has")])
def test_one_column_more_is_named_and_not_counted(call, tmp_path, n, end):
    frame = pl.DataFrame({name: [1] * 20 for name in "abcdefg"[:n]})
    path = write(
        tmp_path / "data.csv", frame.with_columns(x=pl.int_range(20) % 7, y=pl.Series([0, 1] * 10))
    )
    assert f"{end} one value only.\n" in call("fit", path, "--target", "y", *FIT)[2]


def test_an_identifier_that_is_named_gives_conditions(call, tmp_path):
    options = ("--target", "y", *FIT, "--categorical", "case", "--json")
    _, out, err = call("fit", patients(tmp_path), *options)
    assert "'Patient ID' gives no conditions, unless named in" in err
    assert json.loads(out)["n_conditions"] > 100


LONG = 965_799_989_944_555_008  # which a float is; the next 63 are rounded to it


def payments(tmp_path, kind="csv", n_accounts=4):
    accounts = [LONG + k % n_accounts for k in range(60)]
    frame = pl.DataFrame(
        {
            "account": accounts,
            "amount": [7 * k % 60 for k in range(60)],
            "y": [int(account - LONG == 2) for account in accounts],
        }
    )
    path = tmp_path / f"payments.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_long_codes_that_are_named_categories_are_never_merged(call, tmp_path, kind):
    path, model = payments(tmp_path, kind), tmp_path / "m.json"
    options = ("--target", "y", *FIT, "--categorical", "account", "--save", model)
    more = [(), ("--memory-limit", "2GiB")] if kind == "parquet" else [()]
    for limit in more:
        code, out, _ = call("fit", path, *options, *limit)
        assert (code, f"IF   account == '{LONG + 2}'" in out) == (0, True)
        assert call("verify", model, path)[0] == 0
    new = pl.DataFrame({"account": [LONG, LONG + 1, LONG + 2, LONG + 3]})
    assert len(set(map(float, new["account"].to_list()))) == 1
    for name in ("new.csv", "new.parquet"):
        new.write_csv(tmp_path / name) if name == "new.csv" else new.write_parquet(tmp_path / name)
        assert call("predict", model, tmp_path / name)[1].split()[1:] == ["0", "0", "1", "0"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_long_identifiers_give_no_conditions_and_a_note(call, tmp_path, kind):
    path, model = payments(tmp_path, kind, n_accounts=60), tmp_path / "m.json"
    code, out, err = call("fit", path, "--target", "y", *FIT, "--save", model)
    assert (code, "Constraints: no account." in out) == (0, True)
    assert "Note: 'account' (60 different values in 60 rows) looks like an identifier." in err
    assert call("verify", model, path)[0] == 0
    assert call("predict", model, path)[0] == 0


def test_long_codes_that_are_neither_are_turned_down_with_what_works(call, turned_down, tmp_path):
    path = payments(tmp_path)
    told = turned_down("fit", path, "--target", "y", *FIT)
    assert (
        f"holds {LONG + 1}, which double precision rounds to {LONG}. If these are codes, take"
        in told
    )
    assert "take them as such with --categorical, or leave the column out with --drop." in told
    for way in ("--categorical", "--drop", "--forbid-features"):
        assert call("fit", path, "--target", "y", *FIT, way, "account")[0] == 0


@pytest.mark.parametrize("has_points", [False, True], ids=["commas", "and points"])
def test_decimal_commas_are_to_be_read_only_where_that_helps(call, tmp_path, has_points):
    columns = {
        "cost": [f"€{k}.68" for k in range(60)],
        "rate": [f"{k % 7} %" for k in range(60)],
        "wert": [f"{k % 9},5" for k in range(60)],
        "bmi": [20 + k % 7 + 0.5 * has_points for k in range(60)],
        "y": [k % 7 % 2 for k in range(60)],
    }
    path = write(tmp_path / "data.csv", pl.DataFrame(columns))
    plain = (
        "has numbers written as text. Write them as plain numbers, such as 1234.5, without "
        "signs and units, and leave empty what is none. "
    )
    silent = "'cost' gives no conditions, unless named in --categorical or --only-features.\n"
    for reading in ((), ("--decimal", ",")):
        err = call("fit", path, "--target", "y", *FIT, *reading)[2]
        is_told = not has_points and not reading
        told = "--decimal , reads the decimal commas of 'wert'. " if is_told else ""
        assert f"{plain}{told}{silent}" in err
    alone = write(tmp_path / "alone.csv", pl.DataFrame(columns).select("wert", "y"))
    err = call("fit", alone, "--target", "y", *FIT)[2]
    assert "as text. --decimal , reads the decimal commas of 'wert'.\n" in err
    parquet = tmp_path / "alone.parquet"
    pl.DataFrame(columns).select("wert", "y").write_parquet(parquet)
    assert "--decimal" not in call("fit", parquet, "--target", "y", *FIT)[2]


@pytest.mark.parametrize("given", ["--special-values=-9", "--special-values=score=-9"])
def test_special_values_that_are_given_are_no_longer_noted(call, tmp_path, given):
    path, model, page = patients(tmp_path), tmp_path / "m.json", tmp_path / "page.html"
    task = ("--target", "y", given)
    assert "-9" not in call("fit", path, *task, *FIT, "--save", model)[2]
    folds = ("--complexities", 2, "--cv", 2, "--repeats", 1, "--n-jobs", 1)
    for asked in ((*task, *folds), ("--model", model), ("--target", "y", *folds)):
        _, out, _ = call("report", path, *asked, "--alternatives", 0, "-o", page, "--json")
        noted = [note for note in json.loads(out)["notes"] if "may be no measurements" in note]
        assert len(noted) == (asked[0] == "--target" and given not in asked)


def test_codes_of_one_column_are_measurements_in_others(call, tmp_path):
    path, model = tmp_path / "data.csv", tmp_path / "m.json"
    degrees = [k % 40 - 20 for k in range(200)]
    score = [-9 if k % 11 == 0 else k % 10 for k in range(200)]
    columns = {"°C": degrees, "first score": score, "y": [int(t < -3) for t in degrees]}
    write(path, pl.DataFrame(columns))
    _, _, err = call("fit", path, "--target", "y", *FIT)
    assert "nothing, give --special-values 'first score=-9'.\n" in err
    more = ("--special-values", "first score=-9", "--special-values", "first score=-8")
    code, _, err = call("fit", path, "--target", "y", *FIT, *more, "--save", model)
    assert (code, "-9" in err) == (0, False)
    special = {f.name: f.special_values for f in Model.load(model).encoding.features}
    assert special == {"°C": (), "first score": (-9, -8)}


def test_codes_of_all_columns_and_of_one_are_turned_down(turned_down, tmp_path):
    options = ("--target", "y", *FIT, "--special-values=-9", "--special-values", "age=-8")
    told = turned_down("fit", patients(tmp_path), *options)
    assert "for all columns, and others for 'age' alone. Name the column of each" in told


@pytest.mark.parametrize("positive", [[], ["--positive", "yes"]], ids=["all", "one"])
def test_spellings_of_the_target_are_noted_wherever_notes_are(call, tmp_path, positive):
    labels = ["yes" if k % 9 else "yes " for k in range(45)] + [" no", "no", "no"] * 5
    path = write(tmp_path / "data.csv", pl.DataFrame({"a": range(60), "ill": labels}))
    page, model = tmp_path / "page.html", tmp_path / "m.json"
    options = ("--target", "ill", *positive, "--json")
    _, out, err = call("fit", path, *options, *FIT, "--save", model)
    seen = "'yes ' and 'yes'; ' no' and 'no'"
    assert f"Note: 'ill' ({seen}) has one value in several spellings." in err
    assert [n["detail"] for n in json.loads(out)["notes"] if n["column"] == "ill"] == [seen]
    folds = ("--complexities", 2, "--cv", 2, "--repeats", 1, "--n-jobs", 1, "--alternatives", 0)
    for command in ((*options, *folds), ("--model", model, "--alternatives", 0, "--json")):
        facts = json.loads(call("report", path, *command, "-o", page)[1])
        spelled = [note for note in facts["notes"] if "several spellings" in note]
        assert spelled == [f"'ill' has one value in several spellings ({seen})"]


# Rows without a label


def test_rows_without_a_label_are_left_out_and_counted(call, tmp_path):
    path, model = visits(tmp_path), tmp_path / "m.json"
    frame = pl.read_csv(path).with_columns(
        urgent=pl.when(pl.int_range(60) < 3).then(None).otherwise("urgent")
    )
    write(path, frame)
    line = f"boolrules: {path}: 3 rows have no label in column 'urgent' and are left out.\n"
    code, out, err = call("fit", path, "--target", "urgent", *FIT, "--save", model)
    assert (code, line in err) == (0, True)
    assert "on 57 rows" in out
    for command in (
        ("verify", model, path),
        ("score", model, path),
        ("check", model, path, "--target", "urgent"),
        ("compare", model, model, path, "--target", "urgent"),
    ):
        code, _, err = call(*command)
        assert (code, line in err) == (0, True)
    assert len(call("predict", model, path)[1].split()) == 61


def test_row_numbers_are_those_of_the_file(call, tmp_path):
    y = [None if k in (3, 20) else "yes" if k % 3 else "no" for k in range(60)]
    frame = pl.DataFrame({"a": range(60), "b": [k % 3 for k in range(60)], "y": y})
    path, model, page = write(tmp_path / "d.csv", frame), tmp_path / "m.json", tmp_path / "p.html"
    learn = ("--target", "y", "--positive", "yes")
    assert call("fit", path, *learn, "--max-complexity", 2, "--no-cv", "--save", model)[0] == 0
    rules = tmp_path / "rules.txt"
    rules.write_text("a <= 30 THEN yes ELSE no")
    differences = [
        json.loads(call("compare", rules, model, path, *target, "--json")[1])["differences"]
        for target in ([], ["--target", "y"])
    ]
    every, labelled = ({d["row"] for d in found} for found in differences)
    assert labelled == every - {4, 21}
    assert labelled & set(range(22, 61))
    found = json.loads(call("alternatives", model, path, "--within", 60, "--json")[1])
    differs_on = {number for one in found["alternatives"] for number in one["differs_on"]}
    assert 60 in differs_on
    assert not {4, 21} & differs_on
    folds = ("--complexities", 2, "--cv", 2, "--repeats", 1, "--n-jobs", 1)
    for command in ((*learn, *folds), ("--model", model)):
        assert call("report", path, *command, "--alternatives", 0, "-o", page)[0] == 0
        data = re.search('id="data">(.*?)</script>', page.read_text(encoding="utf-8"))[1]
        numbers = json.loads(data)["rows"]["numbers"]
        assert numbers == [k for k in range(1, 61) if k not in (4, 21)]


def test_a_target_without_any_label_is_told(turned_down, tmp_path):
    path = write(tmp_path / "data.csv", pl.DataFrame({"a": [1, 2], "y": [None, None]}))
    assert "has no label in column 'y', in none" in turned_down("fit", path, "--target", "y")


def test_labels_that_are_no_numbers_are_missing(call, tmp_path):
    (tmp_path / "data.csv").write_text("a,y\n1,0\n2,NaN\n3,1\n4,1\n")
    code, _, err = call("fit", tmp_path / "data.csv", "--target", "y", *FIT)
    assert (code, "1 row has no label in column 'y' and is left out." in err) == (0, True)


# What is no label


@pytest.mark.parametrize("values", [np.arange(31), np.array([0.5, 1.5, 2.5] * 4)])
def test_numbers_that_were_measured_are_turned_down_with_the_way_out(values):
    column = pl.Series("pressure", values)
    middle = f"{np.median(values):g}"
    with pytest.raises(ValueError, match=rf'different numbers.*--positive "> {middle}"'):
        check_labels("pressure", read_labels(column, None))
    check_labels("pressure", read_labels(column, f"> {middle}"))


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("name {}", "holds 101 different texts, .* such as --positive 'name 100'"),
        ("${}00", r"101 different numbers written as text, .* plain numbers, .* \"> 1000\""),
    ],
)
def test_more_texts_than_classes_are_turned_down_with_the_way_out(form, told):
    texts = [form.format(k) for k in range(100, 201)]
    with pytest.raises(ValueError, match=told):
        check_labels("who", read_labels(pl.Series("who", texts * 2), None))
    check_labels("who", read_labels(pl.Series("who", texts[1:] * 2), None))
    check_labels("who", read_labels(pl.Series("who", texts), texts[0]))


def test_no_words_of_scikit_learn_reach_the_command_line(call, tmp_path):
    frame = pl.DataFrame({"a": range(25), "y": [*"abcdefghijklm", *["n"] * 12]})
    path = write(tmp_path / "data.csv", frame)
    code, _, err = call("fit", path, "--target", "y", *FIT, "--mode", "fast")
    assert (code, "regression" in err) == (0, False)


def test_several_labels_are_announced_before_they_are_learned(call, tmp_path):
    grades = pl.DataFrame({"a": range(50), "grade": [k // 10 for k in range(50)]})
    path = write(tmp_path / "data.csv", grades)
    _, _, err = call("fit", path, "--target", "grade", *FIT)
    assert "Column 'grade' has 5 labels: 0, 1, 2, 3, 4. Each gets a rule set of its own" in err
