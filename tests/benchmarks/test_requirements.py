"""Requirements measured: rows that are kept, folds that add up, tables that say what is proved."""

import numpy as np
import polars
import pytest
from benchmarks.learners.drawing import checksum
from benchmarks.markdown_tables import fill
from benchmarks.requirements import __main__ as bench
from benchmarks.requirements import tables
from benchmarks.requirements.results import (
    EPSILONS,
    FIELDS,
    IMPOSSIBLE,
    IN,
    NONE,
    ODDS,
    OPPORTUNITY,
    OPTIMAL,
    OUT,
    RESULTS,
    WHOLE,
    added_up,
    by_group,
    gap,
    sheets,
)

NO_TIME = ("--folds", "2", "--time-limit", "20", "--fold-limit", "20")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a table of that name in which women are missed more often by the best rule."""
    random = np.random.default_rng(0)
    n = 100
    table = {name: random.integers(0, 2, n) for name in ("sex", "cp", "fbs", "restecg", "exang")}
    table |= {name: random.integers(0, 2, n) for name in ("slope", "thal", "ca")}
    is_ill = np.where(table["sex"] == 1, table["cp"], table["thal"]) == 1
    is_ill ^= random.random(n) < 0.1
    (tmp_path / "heart").mkdir()
    polars.DataFrame({**table, "target": is_ill.astype(int)}).write_csv(
        tmp_path / "heart" / "data.csv"
    )
    monkeypatch.setenv("BOOLRULES_DATA", str(tmp_path))
    return tmp_path / "results"


def go(folder, *options):
    bench.main(["--data", "heart", *NO_TIME, "--output", str(folder), *options])
    return {part: sheet.read() for part, sheet in sheets(folder).items()}


def forbid(*arguments):
    raise AssertionError("measured, though it was there")


def test_a_run_writes_every_part_and_another_one_goes_on(folder, monkeypatch, capsys):
    found = go(folder)
    assert {key[1:] for key in found["small"]} == {
        (C, asked) for C in ("5", "10") for asked in ("precision >= 0.9", "recall >= 0.9")
    }
    proved = {row["status"] for row in found["small"].values()}
    assert proved <= {OPTIMAL, IMPOSSIBLE}
    assert len(found["folds"]) == 2 * 2 * 2
    steps = len(EPSILONS[OPPORTUNITY])
    assert len(found["fronts"]) == 3 * (2 * steps + len(EPSILONS[ODDS]))
    for (_, measure, column, epsilon, fold), row in found["fronts"].items():
        assert row["limit"] == "20"
        assert (row["new_accuracy"] == "") == (fold == WHOLE)
        if epsilon != NONE:
            assert gap([row["wrong_by_group"]], measure).value <= float(epsilon) + 1e-9
        assert not (measure == ODDS and column == IN)
    drawn = (folder / "requirements_fronts.svg").read_text(encoding="utf-8")
    assert checksum(folder / "requirements_fronts.csv") in drawn
    for part in ("small", "folds", "fronts"):
        monkeypatch.setattr(bench.Measurement, part, forbid)
    assert go(folder) == found
    assert "Proved: precision >= 0.9 at 5: 1 of 1" in capsys.readouterr().out
    with pytest.raises(AssertionError, match="though it was there"):
        go(folder, "--parts", "small", "--again")
    assert not sheets(folder)["small"].read()
    assert sheets(folder)["folds"].read() == found["folds"]


def test_a_short_run_keeps_what_it_is_told():
    options = bench.parse(["--quick", "--folds", "4"])
    assert (options.folds, options.fold_limit, options.data) == (4, 2.0, "heart,transfusion")


def test_mistakes_of_folds_add_up():
    y = np.array([1, 1, 1, 0, 0], dtype=bool)
    wrong = np.array([1, 0, 1, 0, 1], dtype=bool)
    groups = np.array(["a", "a", "b", "a", "b"])
    text = by_group(groups, y, wrong)
    assert text == "a+:1/2 a-:0/1 b+:1/1 b-:1/1"
    assert added_up([text, "a+:3/4"])["a+"] == (4, 6)
    assert gap([text], OPPORTUNITY).value == 0.5
    assert gap([text], ODDS).value == 1
    assert gap([text, "b+:0/1"], OPPORTUNITY).value == 0


def row(part, **values):
    return dict.fromkeys(FIELDS[part], "") | {"limit": "60", "facts": "here"} | values


def test_what_is_proved_is_told_from_a_bound_and_from_nothing():
    asked = "precision >= 0.9"
    rows = {
        ("heart", "5", asked): row("small", status=OPTIMAL, loss="9", bound="9", seconds="1.26"),
        ("pima", "5", asked): row("small", status=IMPOSSIBLE, seconds="2"),
        ("liver", "5", asked): row("small", status="gap", loss="9", bound="7", seconds="2"),
        ("ILPD", "5", asked): row("small", status="not found", seconds="2"),
    }
    table = tables.small(rows)
    assert f"| heart | 5 | {asked} | 9 | optimal | - | - | 1.3 |" in table
    assert f"| pima | 5 | {asked} | - | impossible |" in table
    assert f"| liver | 5 | {asked} | 9 | 7 |" in table
    assert f"| ILPD | 5 | {asked} | - | nothing found |" in table
    assert f"{asked} at 5: 2 of 4, 1 of them impossible" in table


def test_a_fold_that_flags_nothing_keeps_its_precision():
    asked = "precision >= 0.9"
    kept = row("folds", right="0", of="0", trained_right="9", trained_of="10")
    broken = row("folds", right="8", of="10", trained_right="9", trained_of="10")
    none = row("folds", status=IMPOSSIBLE)
    rows = {("heart", asked, "0", str(k)): one for k, one in enumerate((kept, broken, none))}
    table = tables.folds(rows)
    assert (
        f"| heart | {asked} | 0.900 | 0.800 | 1 of 2 (1 without rules) | - | - | 0 of 0 |" in table
    )
    assert "1 of 2 with a margin of 0, 0 of 0 with a margin of 0.05" in table


def test_a_front_adds_up_its_folds():
    text = "f+:1/2 f-:0/2 m+:1/4 m-:0/2"
    known = row(
        "fronts", accuracy="0.8", wrong_by_group=text, loss="2", status=OPTIMAL, seconds="3"
    )
    rows = {("heart", OPPORTUNITY, OUT, "0.1", WHOLE): known}
    for fold, new in enumerate(("f+:1/2 m+:1/2", "f+:0/2 m+:1/2")):
        rows["heart", OPPORTUNITY, OUT, "0.1", str(fold)] = known | {
            "new_accuracy": f"0.{7 + fold}",
            "new_wrong_by_group": new,
        }
    table = tables.front(rows, "heart", OPPORTUNITY)
    assert "| left out | 0.1 | 2 | optimal | 80.0 | 0.2500 | 3 | 75.0 ± 5.0 | 0.250 (" in table
    assert "| 1 of 2 | 2 of 2 |" in table
    assert "2 of 10 folds." in table


def test_the_page_and_its_picture_show_what_the_files_say():
    rows = {part: sheet.read() for part, sheet in sheets(RESULTS).items()}
    page = tables.PAGE.read_text(encoding="utf-8")
    assert fill(page, tables.tables(rows)) == page
    drawn = tables.PICTURE.read_text(encoding="utf-8")
    assert checksum(RESULTS / "requirements_fronts.csv") in drawn
