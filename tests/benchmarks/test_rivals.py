"""Rivals of other environments, without those environments: made-up answers are read."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
import pytest
from benchmarks.learners import rivals
from benchmarks.learners.learner import Rows, Task
from benchmarks.learners.registry import all_learners, unread
from benchmarks.learners.registry._rival_worker import distinct
from benchmarks.learners.registry.of_imodels import SumOfTrees
from benchmarks.learners.registry.optimal_trees import OneTree
from benchmarks.learners.registry.unread import Codes
from benchmarks.learners.registry.weighted import Weighted, WeightedRule

ELSEWHERE = ["BRS imodels", "EBM", "FIGS", "GOSDT", "STreeD", "ruleopt", "wittgenstein"]


def rows_of(*lines):
    """Make rows of texts of zeros and ones."""
    holds = np.array([[digit == "1" for digit in line] for line in lines])
    return Rows(polars.DataFrame(), holds, ())


@pytest.fixture
def no_environment(tmp_path, monkeypatch):
    monkeypatch.setattr(rivals, "RIVALS", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_rival_that_is_not_installed_says_so_in_a_line(name, no_environment):
    learner = all_learners()[name]
    assert learner.available() == (
        "it is not installed; make its environment with: make bench-rivals"
    )
    (no_environment / f"{learner.environment}.txt").write_text("no wheel", encoding="utf-8")
    assert learner.available() == learner.unobtainable() == "pip says: no wheel"


@pytest.mark.parametrize("name", ["RRL", "DR-Net"])
def test_a_rival_that_no_index_has_says_so_in_a_line(name):
    assert all_learners()[name].available().startswith("no package index has ")


@pytest.mark.parametrize("name", ELSEWHERE)
def test_every_version_is_pinned_and_told(name):
    learner = all_learners()[name]
    assert all(pin.count("==") == 1 for pin in learner.pins)
    assert [f"{n}=={v}" for n, v in learner.versions().items()] == list(learner.pins)


def test_what_pip_says_is_kept_until_it_succeeds(no_environment, monkeypatch):
    said = "WARNING: slow\nERROR: No matching distribution found for gosdt==1.0.4\n"
    status = 1

    def run(command, **options):
        if "venv" in command:
            rivals.python_of("gosdt").parent.mkdir(parents=True, exist_ok=True)
            rivals.python_of("gosdt").touch()
        return subprocess.CompletedProcess(command, status if "pip" in command else 0, "", said)

    monkeypatch.setattr(rivals.subprocess, "run", run)
    learner = all_learners()["GOSDT"]
    learner.install()
    assert learner.available() == "pip says: No matching distribution found for gosdt==1.0.4"
    status = 0
    learner.install()
    assert learner.available() is None
    assert not list(no_environment.glob("*.txt"))


def test_the_worker_is_given_arrays_and_a_request(tmp_path, monkeypatch):
    script = tmp_path / "worker.py"
    script.write_text(
        "import json, sys; from pathlib import Path; import numpy as np\n"
        "folder = Path(sys.argv[1])\n"
        "request = json.loads((folder / 'request.json').read_text())\n"
        "if request['fails']: sys.exit('Traceback\\n' + request['fails'])\n"
        "print('other words')\n"
        "print(json.dumps(np.load(folder / 'arrays.npz')['holds'].tolist()))\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(rivals, "WORKER", script)
    monkeypatch.setattr(rivals, "python_of", lambda name: Path(sys.executable))
    holds = np.array([[True, False]])
    assert rivals.ask("gosdt", {"holds": holds}, fails="") == [[True, False]]
    with pytest.raises(RuntimeError, match="gosdt ended with status 1: Out of luck"):
        rivals.ask("gosdt", {"holds": holds}, fails="Out of luck")
    with pytest.raises(MemoryError):  # which the runner tells as its limit
        rivals.ask("gosdt", {"holds": holds}, fails="numpy._ArrayMemoryError: too large")


def test_half_of_the_time_is_for_choosing(monkeypatch):
    asked = []

    def ask(name, arrays, **request):
        asked.append((name, request["rival"], request["seconds"]))
        return [0] * len(request["parameters"])

    monkeypatch.setattr(rivals, "ask", ask)
    learner, rows, y = all_learners()["GOSDT"], rows_of("01", "10"), np.array([True, False])
    task = Task(seconds=100)
    learner.fit_front(rows, y, learner.parameters, task)
    learner.fit(rows, y, 0.01, task)
    assert asked[0] == ("gosdt", "GOSDT", pytest.approx(50 / 25))  # five splits, five prices
    assert asked[1][2] == pytest.approx(80, abs=1)


def test_trees_are_given_no_condition_twice():
    holds = rows_of("0100", "0011", "1001", "0110").holds
    assert distinct(holds) == [0, 1, 2]  # the last is the complement of the second


def test_a_tree_predicts_counts_and_knows_the_shares_of_its_leaves():
    rows, y = rows_of("000", "000", "010", "110", "101"), np.array([0, 1, 0, 0, 1], dtype=bool)
    model = OneTree([0, 0, [1, 1, 0]], rows, y)
    assert model.complexity == 3  # the one positive leaf is at depth two
    assert model.predict(rows).tolist() == [False, False, False, False, True]
    assert model.probabilities(rows) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 1])
    constant = OneTree(1, rows, y)
    assert (constant.complexity, constant.predict(rows).all()) == (0, True)


def test_a_sum_of_trees_counts_splits_and_leaves():
    rows = rows_of("00", "01", "10", "11")
    model = SumOfTrees([[0, -0.5, 0.25], [1, -0.5, 0.5]])
    assert model.complexity == 6
    assert model.predict(rows).tolist() == [False, False, False, True]
    assert model.probabilities(rows)[1] == 0.5
    assert SumOfTrees([0.1]).complexity == 0


def test_the_class_of_more_weight_wins():
    rules = [
        WeightedRule([(0, True)], label=True, weight=0.5, share=0.9),
        WeightedRule([(0, True), (1, False)], label=False, weight=1.0, share=0.2),
    ]
    model = Weighted(rules, share=0.6)
    rows = rows_of("11", "10", "01")
    assert model.complexity == 5
    assert model.predict(rows).tolist() == [True, False, True]  # the last is of no rule
    assert model.probabilities(rows) == pytest.approx([0.9, (0.45 + 0.2) / 1.5, 0.6])


def test_rules_of_imodels_are_read():
    learner, rows = all_learners()["BRS imodels"], rows_of("10", "11", "00")
    model = learner.read([[[0, True], [1, False]]], rows, np.array([True, False, False]))
    assert model.complexity == 3
    assert model.predict(rows).tolist() == [True, False, False]


def test_weighted_rules_are_read():
    answer = [{"body": [[0, True]], "label": True, "weight": 1.0, "share": 1.0}]
    model = all_learners()["ruleopt"].read(answer, rows_of("1", "0"), np.array([True, False]))
    assert model.predict(rows_of("0", "1")).tolist() == [False, True]


def test_categories_are_numbers_of_the_training_rows():
    train = polars.DataFrame({"x": [1, None], "smell": ["b", "a"]})
    later = polars.DataFrame({"x": [2.5, 0.0, 1.0], "smell": ["a", "never seen", None]})
    codes = Codes(train)
    table = codes.table(Rows(later, np.zeros((3, 0), dtype=bool), ()))
    assert codes.is_text == [False, True]
    assert np.array_equal(table, [[2.5, 0], [0, -1], [1, np.nan]], equal_nan=True)
    assert np.isnan(codes.table(Rows(train, np.zeros((2, 0), dtype=bool), ()))[1, 0])


def test_an_ebm_is_asked_again_for_its_probabilities(monkeypatch):
    def ask(name, arrays, **request):
        assert (name, request["rival"]) == ("interpret", "EBM")
        if "model" not in request:
            assert request["is_text"] == [False]
            return "its bytes"
        return (arrays["table"][:, 0] / 10).tolist()

    monkeypatch.setattr(unread, "ask", ask)
    rows = Rows(polars.DataFrame({"x": [1, 9]}), np.zeros((2, 0), dtype=bool), ())
    model = all_learners()["EBM"].fit(rows, np.array([False, True]), None, Task(seconds=9))
    assert model.complexity is None
    assert model.probabilities(rows).tolist() == [0.1, 0.9]
    assert model.predict(rows).tolist() == [False, True]
