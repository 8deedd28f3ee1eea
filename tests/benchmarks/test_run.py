"""The runner: one row per task, limits that hold, and going on after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.learners import run
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import DONE, ResultFile, read_rows

ROOT = Path(__file__).resolve().parents[2]


def go(folder, *options):
    run.main(["--quick", "--data", "banknote", "--output", str(folder), "--n-jobs", "2", *options])
    return read_rows(folder / "learners_accuracy.csv")


def test_there_is_one_row_per_learner_and_fold_with_its_facts(generated):
    rows = go(generated, "--experiment", "accuracy", "--learners", "constant,CART")
    keys = [(row["learner"], row["fold"]) for row in rows]
    assert sorted(keys) == [(n, f) for n in ("CART", "constant") for f in "01"]
    assert {row["status"] for row in rows} == {DONE}
    assert all(row[name] for row in rows for name in ("machine", "versions", "commit", "seed"))
    assert all(0 <= float(row["accuracy"]) <= 1 for row in rows)


def test_a_learner_is_one_file(generated):
    assert {"constant", "boolrules DNF", "CART"} <= set(all_learners())


def test_a_task_past_its_time_is_killed_and_makes_a_row_that_says_so(generated):
    options = ["--experiment", "accuracy", "--learners", "sleeper", "--folds", "0"]
    (row,) = go(generated, *options, "--seconds", "3")
    assert row["status"] == "time limit"


def test_an_error_or_too_much_memory_makes_a_row_that_says_so(generated):
    options = ["--experiment", "accuracy", "--learners", "broken,hungry", "--folds", "0"]
    status = {row["learner"]: row["status"] for row in go(generated, *options)}
    assert status["broken"] == "ValueError: no luck"
    assert "memory" in status["hungry"].lower()


def test_who_cannot_run_is_named_with_the_reason(generated, capsys):
    rows = go(generated, "--experiment", "accuracy", "--learners", "absent")
    assert rows == []
    assert "absent cannot run here: it is a test" in capsys.readouterr().err


def test_a_front_has_a_row_per_parameter(generated):
    go(generated, "--experiment", "accuracy", "--learners", "constant,CART", "--folds", "0")
    rows = read_rows(generated / "learners_fronts.csv")
    assert [(row["learner"], row["parameter"]) for row in rows] == [
        ("constant", "1"),
        ("constant", "2"),
    ]


def test_our_front_keeps_the_scores_of_the_inner_folds(generated):
    go(generated, "--experiment", "accuracy", "--learners", "boolrules DNF", "--folds", "0")
    rows = read_rows(generated / "learners_fronts.csv")
    assert {len(row["inner_accuracies"].split()) for row in rows} == {3}


def test_what_is_done_is_not_done_again(generated):
    options = ["--experiment", "accuracy", "--learners", "constant"]
    go(generated, *options, "--folds", "0")
    path = generated / "learners_accuracy.csv"
    first = path.read_text(encoding="utf-8")
    go(generated, *options)
    assert path.read_text(encoding="utf-8").startswith(first)
    assert len(read_rows(path)) == len(run.QUICK.folds)


def test_a_killed_run_goes_on_where_it_stopped(generated):
    path = generated / "learners_accuracy.csv"
    command = [sys.executable, "-m", "benchmarks.learners.run", "--quick", "--data", "banknote"]
    command += ["--output", str(generated), "--n-jobs", "1", "--experiment", "accuracy"]
    process = subprocess.Popen(
        [*command, "--learners", "constant,sleeper"], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    while not path.exists() or len(read_rows(path)) < 1:
        assert process.poll() is None
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with path.open("ab") as file:
        file.write(b"quick,banknote,constant,1,do")  # what a kill leaves of a line
    rows = go(generated, "--experiment", "accuracy", "--learners", "constant")
    assert sorted(int(row["fold"]) for row in rows) == list(run.QUICK.folds)
    assert {row["status"] for row in rows} == {DONE}


def test_a_file_with_other_columns_is_not_touched(tmp_path):
    path = tmp_path / "learners_accuracy.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="Move it away"):
        ResultFile(path, "accuracy")
    assert path.read_text(encoding="utf-8") == "a,b\n1,2\n"
