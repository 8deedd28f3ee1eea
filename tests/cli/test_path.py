"""``boolrules path``: the table, the JSON keys, the choice, and what can go wrong."""

import importlib
import json
import re
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from boolrules import Model
from boolrules.cli.main import main
from boolrules.estimators import rounds
from boolrules.solver.column_generation import ColumnGeneration

ROW = [
    "max_complexity",
    "complexity",
    "n_clauses",
    "hamming_loss",
    "lower_bound",
    "is_optimal",
    "is_efficient",
    "seconds",
    "form",
    "rules",
    "requirements",
]
TARGET = ["--target", "risk", "--positive", "high", "--complexities", "2-4"]
FOLDS = ["--cv", "3", "--n-jobs", "1"]


def make_table(n_rows=60, seed=0):
    random = np.random.default_rng(seed)
    age, dose = random.integers(18, 80, n_rows), random.integers(0, 9, n_rows)
    is_high = ((age > 50) & (dose > 3)) ^ (random.random(n_rows) < 0.1)
    return pl.DataFrame({"age": age, "dose": dose, "risk": np.where(is_high, "high", "low")})


TABLE = make_table()


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "table.csv"
    TABLE.write_csv(path)
    return str(path)


@pytest.fixture
def figures(call):
    """Run with ``--json``: the one object on standard output."""

    def run(*arguments):
        code, out, err = call("path", *arguments, "--json")
        assert (code, err) == (0, "")
        assert out.count("\n") == 1
        return json.loads(out)

    return run


def test_the_table_has_a_row_per_complexity_and_the_rules_follow(call, csv):
    code, out, err = call("path", csv, *TARGET)
    assert (code, err) == (0, "")
    assert re.search(r"at most +complexity +clauses +loss +bound +proved", out)
    assert len(re.findall(r"^\*? +[234] .* yes", out, re.MULTILINE)) == 3
    assert "least training loss" in out
    assert "THEN risk is 'high'" in out
    assert "Hamming loss" in out


def test_json_has_every_point_with_its_rules(figures, csv):
    found = figures(csv, *TARGET)
    assert list(found) == ["points", "chosen", "cv", "seconds", "notes"]
    assert [list(point) for point in found["points"]] == [ROW] * 3
    assert [point["max_complexity"] for point in found["points"]] == [2, 3, 4]
    assert found["cv"] is None
    for point in found["points"]:
        assert point["complexity"] == sum(1 + len(clause) for clause in point["rules"])


def test_without_folds_the_last_efficient_point_is_chosen(figures, csv):
    found = figures(csv, *TARGET)
    efficient = [p["max_complexity"] for p in found["points"] if p["is_efficient"]]
    assert found["chosen"] == efficient[-1]


def test_folds_add_scores_and_choose(call, figures, csv):
    code, out, err = call("path", csv, *TARGET, *FOLDS)
    assert (code, err) == (0, "")
    assert len(re.findall(r"\d+\.\d ± \d+\.\d", out)) == 3
    assert re.search(r" proved +accuracy %", out)
    assert len(re.findall(r" yes +\d+\.\d ± ", out)) == 3
    found = figures(csv, *TARGET, *FOLDS)
    cv = found["cv"]
    told = " ".join(out.split())
    quantiles = cv["best_params"]["thresholds"]
    assert (
        f"Chosen: complexity at most {found['chosen']}, {cv['best_params']['form'].upper()}, "
        f"thresholds at {quantiles} quantiles; by accuracy on rows left out ("
    ) in told
    assert cv["best_params"]["max_complexity"] == found["chosen"]
    assert (cv["choice"], cv["n_splits"]) == ("paired", 9)
    best = next(row for row in cv["results"] if cv["best_params"].items() <= row.items())
    assert best["mean_test_score"] == pytest.approx(cv["best_score"])


def test_scores_are_called_by_their_name(call, figures, csv):
    options = (*TARGET, *FOLDS, "--repeats", 1, "--scoring", "balanced_accuracy")
    out = call("path", csv, *options)[1]
    assert re.search(r" proved +balanced_accuracy %", out)
    assert "by balanced_accuracy on rows left out" in " ".join(out.split())
    assert figures(csv, *options)["cv"]["scoring"] == "balanced_accuracy"


def test_options_of_the_choice_reach_the_search(figures, csv):
    found = figures(
        *(csv, *TARGET, *FOLDS, "--repeats", 2, "--choice", "one_standard_error"),
        *("--thresholds", 3),
    )["cv"]
    assert (found["choice"], found["n_splits"]) == ("one_standard_error", 6)
    assert [row["form"] for row in found["results"]] == ["dnf"] * 3 + ["cnf"] * 3
    assert "thresholds" not in found["best_params"]


def test_complexities_are_lists_and_ranges(figures, csv):
    target = TARGET[:-2]
    found = figures(csv, *target, "--complexities", "2-3,5")
    assert [point["max_complexity"] for point in found["points"]] == [2, 3, 5]


def test_the_same_seed_gives_the_same_answer(figures, csv):
    first, second = (figures(csv, *TARGET, *FOLDS, "--seed", 4) for _ in range(2))
    assert first["cv"] == second["cv"]
    assert [p["rules"] for p in first["points"]] == [p["rules"] for p in second["points"]]


def test_three_classes_have_their_rules_by_label(call, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("a,y\n" + "".join(f"{k},{k // 4}\n" for k in range(12)), encoding="utf-8")
    _, out, err = call("path", path, "--target", "y", "--complexities", "2,3", "--json")
    found = json.loads(out)
    assert "'y' has 3 labels" in err
    assert [rules["label"] for rules in found["points"][0]["rule_sets"]] == [0, 1, 2]


def test_the_chosen_model_is_saved_and_can_be_verified(figures, csv, tmp_path):
    model = tmp_path / "model.json"
    found = figures(csv, *TARGET, "--save", model)
    saved = Model.load(model)
    assert saved.certificates[0].problem.max_complexity == found["chosen"]
    assert (saved.target, saved.positive_rule) == ("risk", "high")
    assert main(["verify", str(model), csv]) == 0


@pytest.mark.parametrize("name", ["front.png", "front.svg"])
@pytest.mark.parametrize("folds", [[], FOLDS], ids=["losses", "scores"])
def test_the_picture_is_written(figures, csv, tmp_path, name, folds):
    picture = tmp_path / name
    figures(csv, *TARGET, *folds, "--plot", picture)
    start = b"\x89PNG" if name.endswith("png") else b"<?xml"
    assert picture.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cv", "1"], "--cv 1 leaves no rows"),
        (["--cv", "3", "--repeats", "0"], "n_repeats"),
        (["--choice", "best"], "--choice is for cross-validation"),
        (["--scoring", "f1"], "--scoring is for cross-validation"),
        (["--cv", "3", "--scoring", "beauty"], "'beauty' is no scorer"),
        (["--repeats", "2"], "--repeats is for cross-validation"),
        (["--complexities", "few"], "'few' is not a list of complexities"),
        (["--complexities", "9-2"], "'9-2' is not a list of complexities"),
        (["--complexities", "1"], "allows no clause"),
        (["--time-limit", "0"], "--time-limit"),
        (["--plot", "no/folder/front.png"], "no folder"),
        (["--plot", "front.txt"], "must end in one of .*png"),
        (["--plot", "front"], "must end in one of"),
        (["--save", "no/folder/model.json"], "no folder"),
        (["--drop", "nope"], "no column 'nope'"),
        (["--max-complexity", "5"], "--max-complexity"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_make_no_sense_get_one_line(call, csv, options, message):
    code, out, err = call("path", csv, "--target", "risk", *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(message, err)


def test_a_missing_matplotlib_is_found_before_the_work(call, csv, tmp_path, monkeypatch):
    load = importlib.import_module

    def without_matplotlib(name):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name)

    monkeypatch.setattr(importlib, "import_module", without_matplotlib)
    code, out, err = call("path", csv, *TARGET, "--plot", tmp_path / "front.png")
    assert (code, out) == (2, "")
    assert 'pip install "boolrules[plot]"' in err


def test_help_teaches_by_example(call):
    code, out, _ = call("path", "--help")
    assert code == 0
    assert out.count("boolrules path credit.csv") == 5


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_an_interrupt_leaves_the_points_so_far_and_exits_with_130(tmp_path):
    random = np.random.default_rng(0)
    columns = {f"f{k}": random.normal(size=300) for k in range(8)}
    path = tmp_path / "hard.csv"
    pl.DataFrame(columns | {"y": random.integers(0, 2, 300)}).write_csv(path)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "boolrules", "path", str(path), "--target", "y"),
            *("--complexities", "20-40", "--time-limit", "100", "--json", "--verbose"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if line.split()[:1] == ["1"]:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode == 130
    assert json.loads(out)["points"][0]["rules"]


def test_an_interrupted_path_says_so_even_if_its_points_are_proved(call, tmp_path, monkeypatch):
    original, calls = ColumnGeneration.generate, []

    def interrupted(*arguments):
        calls.append(1)
        reason = original(*arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return reason

    monkeypatch.setattr(ColumnGeneration, "generate", interrupted)
    random = np.random.default_rng(10)  # the linear program of the third point leaves a gap
    columns = {f"f{k}": random.integers(0, 4, 60) for k in range(4)}
    path = tmp_path / "gap.csv"
    pl.DataFrame(columns | {"y": random.integers(0, 2, 60)}).write_csv(path)
    code, out, err = call("path", path, "--target", "y", "--complexities", "4-9", "--json")
    points = json.loads(out)["points"]
    assert [(p["max_complexity"], p["is_optimal"]) for p in points] == [
        (4, True),
        (5, True),
        (6, True),
    ]
    assert (code, err.count("\n")) == (130, 1)
    assert "the path was cut short at complexity 6." in err


def test_interrupted_folds_exit_with_130_and_a_choice_from_those_done(call, tmp_path, monkeypatch):
    original, calls = rounds.judge_split, []

    def interrupted(*arguments):
        calls.append(1)
        return original(*arguments) if len(calls) <= 2 else None

    monkeypatch.setattr(rounds, "judge_split", interrupted)
    random = np.random.default_rng(0)
    path = tmp_path / "rows.csv"
    a = random.integers(0, 9, 60)
    pl.DataFrame({"a": a, "y": (a > 4).astype(int)}).write_csv(path)
    options = ("--cv", 4, "--complexities", "2,3", "--n-jobs", 1, "--json")
    code, out, _ = call("path", path, "--target", "y", *options)
    assert code == 130
    assert json.loads(out)["chosen"] == 2
