"""The runner: one row per task, limits that hold, and going on after a kill."""

import io
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks.learners import run, worker
from benchmarks.learners.learner import Task
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import DONE, ResultFile, fields, read_rows
from rich.console import Console

ROOT = Path(__file__).resolve().parents[2]


def go(folder, *options):
    run.main(["--quick", "--data", "banknote", "--output", str(folder), "--n-jobs", "2", *options])
    return read_rows(folder / "learners_accuracy.csv")


def wait_for_child(folder, learner="sleeper"):
    """Return the process that a learner started, once it did so."""
    note = folder / "learners" / f"{learner}.pid"
    for _ in range(600):
        if note.exists():
            return int(note.read_text(encoding="utf-8"))
        time.sleep(0.1)
    raise AssertionError("no task has started a process")


def is_gone(pid):
    """Say whether a process ends soon; one that nobody has reaped is at its end, too."""
    for _ in range(100):
        command = ["ps", "-o", "stat=", "-p", str(pid)]
        state = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        if not state.strip() or state.startswith("Z"):
            return True
        time.sleep(0.1)
    return False


def a_run(folder, learners=("constant",), folds=(0, 1), **more):
    """Return a run on banknote that writes to a folder."""
    files = {
        kind: ResultFile(folder / f"learners_{kind}.csv", kind) for kind in ("accuracy", "fronts")
    }
    known = all_learners()
    settings = run.Settings("quick", 120, 120, folds)
    chosen = [known[name] for name in learners]
    quiet = Console(quiet=True)
    return run.Run("accuracy", settings, ["banknote"], chosen, files, 2, quiet, **more)


@pytest.fixture(scope="module")
def measured(tmp_path_factory, generate):
    """Runs that add to each other's files, and what was said.

    The sleeper sleeps until its time is over, while the others of its run have their turn.
    """
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(io.StringIO()) as said:
        folder = generate(tmp_path_factory.mktemp("measured"), patch)
        for learners, *options in (
            ("sleeper,dying,broken,hungry,absent,constant", "--seconds", "10"),
            ("CART,boolrules DNF",),
        ):
            only_first = ["--experiment", "accuracy", "--folds", "0", *options]
            go(folder, *only_first, "--learners", learners)
        first = (folder / "learners_accuracy.csv").read_text(encoding="utf-8")
        go(folder, "--experiment", "accuracy", "--learners", "constant,CART")
        go(folder, "--experiment", "times", "--learners", "CART,boolrules DNF,dying")
    tables = {
        kind: read_rows(folder / f"learners_{kind}.csv")
        for kind in ("accuracy", "fronts", "times")
    }
    return SimpleNamespace(folder=folder, first=first, said=said.getvalue(), **tables)


def status_of(measured, learner):
    (status,) = [row["status"] for row in measured.accuracy if row["learner"] == learner]
    return status


def test_there_is_one_row_per_learner_and_fold_with_its_facts(measured):
    done = [row for row in measured.accuracy if row["status"] == DONE]
    keys = [(row["learner"], row["fold"]) for row in done if row["learner"] != "boolrules DNF"]
    assert sorted(keys) == [(n, f) for n in ("CART", "constant") for f in "01"]
    facts = ("machine", "versions", "commit", "seed")
    assert all(row[name] for row in measured.accuracy for name in facts)
    assert all(0 <= float(row["accuracy"]) <= 1 for row in done)


def test_what_is_done_is_not_done_again(measured):
    text = (measured.folder / "learners_accuracy.csv").read_text(encoding="utf-8")
    assert text.startswith(measured.first)
    n_added = text.count("\n") - measured.first.count("\n")
    assert n_added == 2 * (len(run.QUICK.folds) - 1)


def test_a_task_past_its_time_is_killed_and_makes_a_row_that_says_so(measured):
    assert status_of(measured, "sleeper") == "time limit"
    assert is_gone(wait_for_child(measured.folder, "sleeper"))


def test_a_worker_that_dies_takes_along_what_it_started(measured):
    assert status_of(measured, "dying") == "ended with status 3"
    assert is_gone(wait_for_child(measured.folder, "dying"))


def test_an_error_or_too_much_memory_makes_a_row_that_says_so(measured):
    assert status_of(measured, "broken") == "ValueError: no luck"
    assert "memory" in status_of(measured, "hungry").lower()


def test_who_cannot_run_is_named_with_the_reason(measured):
    assert "absent" not in {row["learner"] for row in measured.accuracy}
    assert "absent cannot run here: it is a test" in measured.said


def test_a_front_has_a_row_per_parameter(measured):
    found = {
        name: [row["parameter"] for row in measured.fronts if of(row) == name]
        for name in (("constant", "0"), ("constant", "1"), ("CART", "0"), ("CART", "1"))
    }
    assert list(found.values()) == [["1", "2"], ["1", "2"], [], []]


def of(row):
    return row["learner"], row["fold"]


def test_ours_proves_its_choice_and_has_probabilities(measured):
    ours = [row for row in measured.accuracy if row["learner"] == "boolrules DNF"]
    assert all(0 <= float(row["brier"]) <= 1 and float(row["log_loss"]) > 0 for row in ours)
    assert all(float(row["bound"]) <= float(row["loss"]) for row in ours)
    assert {row["loss"] for row in measured.accuracy if row["learner"] == "CART"} == {""}


def test_one_fit_is_timed_with_the_parameter_that_was_chosen(measured):
    chosen = {row["learner"]: row["parameter"] for row in measured.accuracy if row["fold"] == "0"}
    found = {row["learner"]: row["parameter"] for row in measured.times}
    # The third has no parameter that was chosen.
    assert found == {name: chosen[name] for name in ("CART", "boolrules DNF")}
    assert {row["fold"] for row in measured.times} == {"0"}
    assert all(row["status"] == DONE and float(row["seconds"]) > 0 for row in measured.times)


def test_a_learner_is_one_file(generated):
    assert {"constant", "boolrules DNF", "CART"} <= set(all_learners())


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_ctrl_c_or_an_error_ends_all_tasks_at_once(generated, monkeypatch, error):
    children = []

    def fail(*_):
        children.append(wait_for_child(generated))
        raise error

    monkeypatch.setattr(run.Run, "show", fail)
    a_run_of_both = a_run(generated, ("constant", "sleeper"))
    with pytest.raises(error):
        a_run_of_both.go()
    (child,) = children
    assert is_gone(child)
    rows = read_rows(generated / "learners_accuracy.csv")
    # One that went on until its time was over, or was killed in vain, would have a row.
    assert "sleeper" not in {row["learner"] for row in rows}


def test_a_row_names_the_commit_that_its_task_began_with(generated, monkeypatch):
    commits = ["first"]

    def run_task(request, groups):
        commits.append(f"after fold {request['fold']}")
        return {"rows": {"accuracy": [{"seconds": 1.0, "accuracy": 1.0, "complexity": 2}]}}

    monkeypatch.setattr(run, "commit", lambda: commits[-1])
    monkeypatch.setattr(run, "run_task", run_task)
    one_at_a_time = a_run(generated)
    for request in one_at_a_time.requests():
        one_at_a_time.work(request, None)
    rows = read_rows(generated / "learners_accuracy.csv")
    assert [row["commit"] for row in rows] == ["first", "after fold 0"]


def test_only_what_did_not_end_well_is_done_again_with_retry(generated):
    done = {"settings": "quick", "data": "banknote", "learner": "constant"}
    rows = [done | {"fold": 0, "status": DONE}, done | {"fold": 1, "status": "time limit"}]
    a_run(generated).files["accuracy"].append(rows)
    assert a_run(generated).requests() == []
    assert [r["fold"] for r in a_run(generated, retry=True).requests()] == [1]


def test_a_quick_run_leaves_variants_out_unless_they_are_named():
    def names(asked, experiment="accuracy"):
        console = Console(file=io.StringIO())
        chosen = run.chosen_learners(asked, experiment, console, is_quick=True)
        return [one.name for one in chosen if one.name.startswith(("boolrules", "AM"))]

    assert names("all") == ["boolrules", "AM DNF"]
    assert names("all", "gaps") == ["boolrules DNF", "boolrules CNF"]
    assert names("AM CNF,boolrules deciles") == ["AM CNF", "boolrules deciles"]


def test_a_gap_is_what_is_proved_on_all_rows(small_table):
    y = small_table["target"].to_numpy().astype(bool)
    row = worker.gap(small_table.drop("target"), y, "dnf", Task(seconds=20))
    assert set(row) <= set(fields("gaps"))
    assert row["n_train"] == len(y)
    assert 0 <= row["bound"] <= row["loss"] <= min(y.sum(), (~y).sum())
    assert row["gap"] == pytest.approx((row["loss"] - row["bound"]) / max(row["loss"], 1))
    assert 0 < row["complexity"] <= 15


def test_a_killed_run_goes_on_where_it_stopped(generated):
    path = generated / "learners_accuracy.csv"
    command = [sys.executable, "-m", "benchmarks.learners.run", "--quick", "--data", "banknote"]
    command += ["--output", str(generated), "--n-jobs", "1", "--experiment", "accuracy"]
    process = subprocess.Popen(
        [*command, "--learners", "constant,sleeper"], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    child = wait_for_child(generated)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert is_gone(child)
    assert [row["learner"] for row in read_rows(path)] == ["constant"]
    with path.open("ab") as file:
        file.write(b"quick,banknote,constant,1,do")  # what a kill leaves of a line
    rows = go(generated, "--experiment", "accuracy", "--learners", "constant")
    assert sorted(int(row["fold"]) for row in rows) == list(run.QUICK.folds)
    assert {row["status"] for row in rows} == {DONE}


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "a,b\n1,2"])
def test_a_file_with_other_columns_is_not_touched(tmp_path, text):
    path = tmp_path / "learners_accuracy.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="Move it away"):
        ResultFile(path, "accuracy")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("left", ["", "\n", "sett", ",".join(fields("accuracy"))])
def test_what_a_kill_left_of_the_first_line_is_written_anew(tmp_path, left):
    path = tmp_path / "learners_accuracy.csv"
    path.write_text(left, encoding="utf-8")
    ResultFile(path, "accuracy").append([{"data": "banknote"}])
    assert [row["data"] for row in read_rows(path)] == ["banknote"]
