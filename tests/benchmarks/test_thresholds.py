"""Deciles against every threshold: a row for each, parts that keep to themselves, true tables."""

import numpy as np
import polars
import pytest
from benchmarks.markdown_tables import fill
from benchmarks.thresholds import __main__ as bench
from benchmarks.thresholds import tables
from benchmarks.thresholds.results import FIELDS, KINDS, PARTS, RESULTS, ThresholdFile

NO_TIME = ("--complexities", "3", "--folds", "2", "--time-limit", "20", "--n-jobs", "1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a table of that name whose best cut is at none of its deciles."""
    x = np.random.default_rng(0).permutation(400)
    table = polars.DataFrame({"x": x, "target": ((x > 30) & (x <= 110)).astype(int)})
    (tmp_path / "banknote").mkdir()
    table.write_csv(tmp_path / "banknote" / "data.csv")
    monkeypatch.setenv("BOOLRULES_DATA", str(tmp_path))
    return tmp_path / "results"


def go(folder, *options):
    bench.main(["--data", "banknote", *NO_TIME, "--output", str(folder), *options])
    return ThresholdFile.of(folder).read()


def forbid(*arguments):
    raise AssertionError("measured, though it was there")


def test_a_run_writes_a_row_for_each_kind_and_another_one_goes_on(folder, monkeypatch, capsys):
    only_fits = go(folder, "--parts", "fits")
    deciles, every = (only_fits["banknote", 3, kind] for kind in KINDS)
    assert (every["loss"], every["bound"], every["is_optimal"]) == ("0", "0", "True")
    assert float(deciles["loss"]) > 0
    assert int(deciles["n_conditions"]) == 18
    assert int(every["n_conditions"]) == 2 * 399
    assert not any(row[field] for row in only_fits.values() for field in PARTS["folds"])
    monkeypatch.setattr(bench.Measurement, "fits", forbid)
    both = go(folder)
    for key, row in both.items():
        assert {f: row[f] for f in PARTS["fits"]} == {f: only_fits[key][f] for f in PARTS["fits"]}
        assert len(row["fold_accuracies"].split()) == 2
        assert row["folds_proved"] == "2"
    monkeypatch.setattr(bench.Measurement, "folds", forbid)
    assert go(folder) == both
    with pytest.raises(AssertionError, match="though it was there"):
        go(folder, "--parts", "folds", "--again")
    emptied = ThresholdFile.of(folder).read()
    assert not any(row["fold_facts"] for row in emptied.values())
    assert all(row["facts"] for row in emptied.values())
    assert "| banknote | 3 | 18 | 798 |" in capsys.readouterr().out


def test_a_short_run_keeps_what_it_is_told():
    options = bench.parse(["--quick", "--folds", "4"])
    assert (options.folds, options.fold_limit, options.complexities) == (4, 2.0, "5")


def rows(**more):
    """Make rows of one data set and complexity, one for each kind."""
    made = {}
    for kind, loss, accuracies in (("deciles", 20, "0.9 0.8"), ("all", 10, "0.9 0.7")):
        row = dict.fromkeys(FIELDS, "") | {"data": "pima", "complexity": "5", "thresholds": kind}
        row |= {"n_conditions": "1000", "loss": str(loss), "bound": "10", "seconds": "1.26"}
        row |= {"is_optimal": str(loss == 10), "limit": "60", "facts": "here"}
        row |= {"fold_accuracies": accuracies, "fold_majority": "0.65", "folds_proved": "2"}
        made["pima", 5, kind] = row | {"fold_limit": "10", "fold_facts": "there"} | more
    return made


def test_what_is_proved_is_told_from_a_bound():
    table = tables.fits(rows())
    assert "| pima | 5 | 1,000 | 1,000 | 20 | 10 | 10 | optimal | 1.3 | 1.3 |" in table
    assert table.endswith(
        "Proved optimal: deciles 0 of 1, all 1 of 1. Limit of a fit: 60 s. here."
    )
    assert "| 10 | none | none |" in tables.fits(rows(bound="", is_optimal="False"))


def test_differences_are_those_on_the_same_folds():
    table = tables.held_out(rows())
    assert "| pima | 5 | 85.0 ± 5.0 | 80.0 ± 10.0 | -5.0 ± 5.0 | 65.0 | 2, 2 |" in table
    assert "| mean of 1 | 5 | 85.0 | 80.0 | -5.0 | 65.0 |  |" in table
    assert "better in 0 of 1 lines and worse in 0. 2 folds, limit of a fit: 10 s. there." in table


def test_a_difference_that_rounds_to_nothing_is_not_a_loss():
    assert [tables.signed(value) for value in (-0.04, 0.04, -0.06)] == ["+0.0", "+0.0", "-0.1"]


def test_folds_of_one_kind_alone_are_held_against_nothing():
    made = rows()
    made["pima", 5, "all"]["fold_accuracies"] = "0.9"
    assert "| - | 65.0 | 2, 2 |" in tables.held_out(made)
    del made["pima", 5, "all"]
    assert "| pima | 5 | 85.0 ± 5.0 | - | - | 65.0 | 2, - |" in tables.held_out(made)
    assert "mean of" not in tables.held_out(made)


def test_parts_that_were_not_measured_have_no_table():
    assert set(tables.tables(rows(fold_facts=""))) == {"fits"}
    assert not tables.tables({})


def test_the_page_shows_what_the_file_says():
    page = tables.PAGE.read_text(encoding="utf-8")
    assert fill(page, tables.tables(ThresholdFile.of(RESULTS).read())) == page
