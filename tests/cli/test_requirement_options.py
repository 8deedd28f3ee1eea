"""Requirements from the command line: met in training, kept in the file, judged on other rows."""

import json
import re

import numpy as np
import polars as pl
import pytest

from boolrules import BooleanRuleClassifier, Model, Requirement, RequirementsNotMetError
from boolrules.cli import fit
from boolrules.cli.show import _caution
from boolrules.data.standing import Standing, Standings


def make_people(n_rows, seed):
    random = np.random.default_rng(seed)
    age, pay = random.integers(18, 80, n_rows), random.integers(1, 9, n_rows)
    sex, branch = random.choice(["f", "m"], n_rows), random.choice(["A", "B"], n_rows)
    odds = 0.12 * (age - 55) + 0.9 * (sex == "f") - 0.3 * (pay - 4)
    is_high = random.random(n_rows) < 1 / (1 + np.exp(-odds))
    columns = {"age": age, "pay": pay, "sex": sex, "branch": branch}
    return pl.DataFrame(columns | {"risk": np.where(is_high, "high", "low")})


OLD, NEW = make_people(120, 0), make_people(80, 1)
FIT = ["--target", "risk", "--positive", "high", "--max-complexity", 4]
WITHIN = "recall >= 0.7 within branch"


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "old.csv"
    OLD.write_csv(path)
    NEW.write_csv(tmp_path / "new.csv")
    return str(path)


def flagged(model, frame):
    return Model.load(model).rule_sets[0].covers(frame)


def recall(model, frame):
    is_high = (frame["risk"] == "high").to_numpy()
    return (flagged(model, frame) & is_high).sum() / is_high.sum()


def words(text):
    return " ".join(text.split())


def test_requirements_reach_the_model_its_file_and_the_page(call, csv, tmp_path):
    model = tmp_path / "model.json"
    fair = "equal opportunity <= 0.1 between sex"
    code, out, err = call(
        *("fit", csv, *FIT, "--no-cv", "--save", model, "--require", WITHIN, "--require", fair),
        *("--forbid-features", "sex,branch"),
    )
    assert (code, err) == (0, "")
    saved = Model.load(model)
    assert saved.requirements == (Requirement.of(WITHIN), Requirement.of(fair))
    standings = saved.standings(OLD, OLD["risk"])
    assert standings.all_met
    for branch in "AB":
        assert recall(model, OLD.filter(pl.col("branch") == branch)) >= 0.7
    told = words(out)
    assert f"that meet {WITHIN} and {fair}" in told
    assert told.index("optimal among") < told.index("Requirements on the training rows: figure")
    for one in standings.standings[:2]:
        assert words(" ".join(one.cells())) in told
    assert "may fail on new ones; boolrules score shows how they stand there." in told
    assert not re.search(r"sex ==|branch ==", out)

    code, out, _ = call("verify", model, csv)
    assert code == 0
    assert f"holds: the rules meet '{WITHIN}'" in out
    code, out, _ = call("verify", model, tmp_path / "new.csv")
    assert code == 1


def test_a_requirement_that_does_not_hold_is_found_by_verify(call, csv, tmp_path):
    model = tmp_path / "model.json"
    assert call("fit", csv, *FIT, "--no-cv", "--save", model, "--require", "recall >= 0.7")[0] == 0
    text = model.read_text(encoding="utf-8")
    assert text.count('"limit": 0.7') == 1
    model.write_text(text.replace('"limit": 0.7', '"limit": 1'), encoding="utf-8")
    code, out, _ = call("verify", model, csv)
    assert code == 1
    assert "FAILS: the rules meet 'recall >= 1'" in out


def test_score_shows_how_a_model_stands_on_other_rows(call, csv, tmp_path):
    model, new = tmp_path / "model.json", tmp_path / "new.csv"
    assert call("fit", csv, *FIT, "--no-cv", "--save", model, "--require", WITHIN)[0] == 0
    standings = Model.load(model).standings(NEW, NEW["risk"])
    code, out, err = call("score", model, new)
    assert (code, err) == (0, "")
    assert "Requirements on these rows:" in out
    assert words(" ".join(standings.standings[0].cells())) in words(out)
    code, out, _ = call("score", model, new, "--json")
    assert code == 0
    assert json.loads(out)["requirements"] == standings.to_plain()

    NEW.drop("branch").write_csv(new)
    reads_branch = "branch" in str(Model.load(model).rule_sets[0])
    assert not reads_branch
    code, out, err = call("score", model, new)
    assert code == 0
    assert out.startswith("Accuracy ")
    assert "Requirements" not in out
    assert err == (
        f"boolrules: the requirement '{WITHIN}' is not judged: {new} has no column 'branch'.\n"
    )
    assert json.loads(call("score", model, new, "--json")[1])["requirements"] == []


def test_rows_left_out_are_held_to_requirements_too(call, csv):
    options = ["--require", "precision >= 0.8", "--cv", 3]
    code, out, err = call("fit", csv, *FIT, *options, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    (in_training,) = figures["requirements"]
    (left_out,) = figures["held_out_requirements"]
    assert in_training["is_met"]
    assert in_training["value"] >= 0.8
    assert left_out["value"] == pytest.approx(figures["held_out"]["precision"])
    told = words(call("fit", csv, *FIT, *options)[1])
    assert told.index("Requirements on the rows left out: figure") < told.index("optimal among")
    if left_out["is_met"]:
        assert "met on the rows left out too; on new rows they may still fail." in told
    else:
        assert 'asks for more in training: --require "precision >= 0.8 margin 0.02".' in told
        assert "NOT MET" in told


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        ("precision >= 0.95", '--require "precision >= 0.95 margin 0.02".'),
        ("flagged <= 50", '--require "flagged <= 50 margin 5".'),
        (WITHIN, f'--require "{WITHIN} margin 0.02".'),
        ("recall >= 0.9 within $b", "--require 'recall >= 0.9 within $b margin 0.02'."),
        ("missed <= 0", None),
    ],
)
def test_advice_is_about_what_was_not_met(asked, advice):
    met, broken = (
        Standing(Requirement.of(text), "figure", None, 0.5, 10, None, is_met)
        for text, is_met in (("recall >= 0.1", True), (asked, False))
    )
    said = _caution(Standings((met, broken, broken)))
    more = "" if advice is None else f" A margin asks for more in training: {advice}"
    assert said.endswith(f"and may fail on new ones as well.{more}")


def test_without_requirements_nothing_is_said_of_them(call, csv):
    code, out, _ = call("fit", csv, *FIT, "--no-cv")
    assert code == 0
    assert "requirement" not in out.lower()
    figures = json.loads(call("fit", csv, *FIT, "--no-cv", "--json")[1])
    assert (figures["requirements"], figures["held_out_requirements"]) == ([], None)


def test_an_objective_reaches_the_classifier(call, csv, tmp_path):
    model = tmp_path / "model.json"
    for objective in ("missed", "covered"):
        options = ["--no-cv", "--require", "recall >= 0.6", "--require", "precision >= 0.6"]
        code, _, _ = call("fit", csv, *FIT, *options, "--objective", objective, "--save", model)
        assert code == 0
        asked = {"requirements": options[2::2], "objective": objective, "positive_label": "high"}
        same = BooleanRuleClassifier(4, **asked).fit(OLD.drop("risk"), OLD["risk"])
        assert Model.load(model).rule_sets[0].to_text() == same.rule_set_.to_text()


@pytest.mark.parametrize("objective", ["f1", "errors"])
def test_objectives_for_one_complexity_leave_no_rows_out_and_say_so(call, csv, objective):
    code, out, err = call("fit", csv, *FIT, "--objective", objective, "--json")
    figures = json.loads(out)
    assert (code, figures["objective"], figures["held_out"]) == (0, objective, None)
    assert err.startswith(f"boolrules: --objective {objective} leaves no rows out")
    assert call("fit", csv, *FIT, "--objective", objective, "--no-cv", "--json")[2] == ""


@pytest.mark.parametrize("command", ["path", "report"])
def test_other_commands_name_the_one_that_knows_these_objectives(turned_down, csv, command):
    said = turned_down(command, csv, *FIT[:4], "--objective", "f1")
    assert "boolrules fit --max-complexity 10 --objective f1" in said
    assert "--cv 5 --scoring f1 instead" in said


def test_a_path_begins_where_requirements_can_be_met(call, csv, tmp_path):
    model = tmp_path / "model.json"
    options = ["--target", "risk", "--positive", "high", "--complexities", "2-5", "--form", "dnf"]
    options += ["--require", "recall >= 0.75", "--require", "precision >= 0.8", "--n-jobs", 1]
    options += ["--thresholds", 10]
    code, out, err = call("path", csv, *options, "--save", model, "--json")
    assert (code, err) == (0, "")
    points = json.loads(out)["points"]
    first = points[0]["max_complexity"]
    assert first > 2
    for point in points:
        assert [one["is_met"] for one in point["requirements"]] == [True, True]
    told = words(call("path", csv, *options)[1])
    assert f"Below complexity {first} no rules were found that meet the requirements." in told
    assert "Requirements on the training rows:" in told
    assert call("verify", model, csv)[0] == 0


def test_folds_of_a_path_are_held_to_requirements(call, csv):
    options = ["--target", "risk", "--positive", "high", "--complexities", "2-4", "--form", "dnf"]
    options += ["--thresholds", 10, "--cv", 3, "--repeats", 1, "--n-jobs", 1, "--require", WITHIN]
    code, out, err = call("path", csv, *options, "--json")
    assert (code, err) == (0, "")
    groups = [one["group"] for one in json.loads(out)["cv"]["requirements"]]
    assert groups == ["branch = A", "branch = B"]
    assert "Requirements on the rows left out:" in call("path", csv, *options)[1]


def test_a_report_says_whether_requirements_are_met(call, csv, tmp_path):
    model, page = tmp_path / "model.json", tmp_path / "page.html"
    learn = ["--target", "risk", "--positive", "high", "--complexities", "2-3", "--form", "dnf"]
    learn += ["--thresholds", 10, "--cv", 3, "--repeats", 1, "--n-jobs", 1, "--require", WITHIN]
    code, out, err = call("report", csv, *learn, "-o", page, "--save", model)
    assert (code, err) == (0, "")
    assert "Requirements on the rows given: all met.\n" in out
    assert "Requirements on the rows left out: " in out
    code, out, _ = call("report", csv, "--model", model, "-o", page, "--json")
    facts = json.loads(out)
    assert code == 0
    assert [one["is_met"] for one in facts["requirements"]] == [True, True]
    code, _, err = call("report", csv, "--model", model, "-o", page, "--require", WITHIN)
    assert code == 2
    assert "--require is for learning, but --model reports a model as it is" in err


def test_what_cannot_be_met_is_said_in_one_line_with_what_can(turned_down, csv, tmp_path):
    model = tmp_path / "model.json"
    asked = ["--require", "precision >= 0.99", "--require", "recall >= 0.9"]
    for folds in (["--no-cv"], ["--cv", 3]):
        said = turned_down("fit", csv, *FIT, *asked, *folds, "--save", model)
        assert "'precision >= 0.99' and 'recall >= 0.9' cannot be had at complexity 4" in said
        assert re.search(r"Found: .*\d\.\d", said)
        assert not model.exists()


def test_what_folds_cannot_meet_may_be_met_on_all_rows(call, csv, monkeypatch):
    def fail(*_, **__):
        raise RequirementsNotMetError("not on these rows", None, None)

    monkeypatch.setattr(fit, "choose", fail)
    code, out, err = call("fit", csv, *FIT, "--require", "recall >= 0.7", "--json")
    assert code == 0
    assert err.count("\n") == 1
    assert "can be met on all rows, but were not on some of the parts that folds learn" in err
    figures = json.loads(out)
    assert figures["requirements"][0]["is_met"]
    assert (figures["held_out"], figures["held_out_requirements"]) == (None, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["accuracy >= 0.9"],
            "'accuracy >= 0.9' is neither .* written as 'precision >= 0.9' .*recall,",
        ),
        (["agee <= 35"], "is neither a requirement, nor a column .* Did you mean 'age'"),
        (["precisin >= 0.9"], "rules can use. Did you mean 'precision >= 0.9'"),
        (["specificity >= 0.9"], "There is no 'specificity'; the nearest is 'covered <= 20'"),
        (["recall >= 90"], "recall is a share. Write 0.9, or 90 with a %"),
        (["recall > 0.8"], "'recall > 0.8', which cannot be read. Write it as 'precision >= 0.9'"),
        (["recall <= 0.8"], "recall is limited by >="),
        (["recall >= 1.2"], "Use a limit between 0 and 1"),
        (["recall >= 0.8 within brnch"], "is not a column of .*old.csv. The nearest is 'branch'"),
        (["recall >= 0.8 within risk"], "holds the labels or weights. Choose another column"),
        (["recall >= 0.8 within sex", "--drop", "sex"], "Write --forbid-features sex instead"),
        (["flagged <= 5 where sex = x"], "speaks of no row"),
        (["equal opportunity <= 0.1"], "equal opportunity needs a column to compare"),
        (["recall >= 0.8", "--mode", "paper"], "mode='paper' knows no requirements"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_makes_no_sense_is_told_in_one_line(turned_down, csv, options, message):
    said = turned_down("fit", csv, *FIT, "--no-cv", "--require", *options)
    assert re.search(message, said)


def test_three_labels_are_turned_down_with_what_to_do(turned_down, call, tmp_path):
    path = tmp_path / "grades.csv"
    grades = pl.Series("grade", ["a", "b", "c"] * 40)
    OLD.with_columns(grades).write_csv(path)
    asked = ["--max-complexity", 3, "--no-cv", "--require", "recall >= 0.5"]
    said = turned_down("fit", path, "--target", "grade", *asked)
    assert "is for two labels; column 'grade' has 3. Say with --positive which" in said
    assert call("fit", path, "--target", "grade", "--positive", "a", *asked)[0] == 0


def test_a_column_called_as_others_call_a_measure_is_a_column(call, tmp_path):
    path, model = tmp_path / "tests.csv", tmp_path / "model.json"
    OLD.rename({"pay": "sensitivity"}).write_csv(path)
    asked = ["--no-cv", "--require", "sensitivity <= 6", "--require", "false positives <= 9"]
    assert call("fit", path, *FIT, *asked, "--save", model)[0] == 0
    saved = Model.load(model)
    assert saved.requirements == (Requirement.of("covered <= 9"),)
    assert "sensitivity <= 6" in str(saved.rule_sets[0])


def test_columns_and_conditions_that_rules_must_use_are_still_required(call, csv, tmp_path):
    model = tmp_path / "model.json"
    asked = ["--require", "pay", "--require", "sex == 'f'", "--require", "recall >= 0.3"]
    assert call("fit", csv, *FIT, "--no-cv", "--save", model, *asked)[0] == 0
    saved = Model.load(model)
    assert saved.requirements == (Requirement.of("recall >= 0.3"),)
    (rules,) = saved.rule_sets
    assert "pay" in str(rules)
    assert "sex == 'f'" in str(rules)


def test_a_column_that_is_called_as_a_measure_needs_quotes_in_a_condition(call, tmp_path):
    path, model = tmp_path / "people.csv", tmp_path / "model.json"
    OLD.rename({"pay": "flagged"}).write_csv(path)
    code, _, err = call(
        "fit", path, *FIT, "--no-cv", "--save", model, "--require", "flagged <= 40"
    )
    assert code == 0
    assert Model.load(model).requirements == (Requirement.of("flagged <= 40"),)
    assert err == (
        "boolrules: --require 'flagged <= 40' is read as a limit on the rules' mistakes. For a "
        "condition on the column 'flagged', write \"'flagged' <= 40\".\n"
    )
    for text in ("flagged", "'flagged' <= 4"):
        code, _, err = call("fit", path, *FIT, "--no-cv", "--save", model, "--require", text)
        assert (code, err) == (0, "")
        assert Model.load(model).requirements == ()
        assert "flagged" in str(Model.load(model).rule_sets[0])


def test_rows_count_by_their_weight(call, tmp_path):
    path, model = tmp_path / "weighed.csv", tmp_path / "model.json"
    weights = np.random.default_rng(2).integers(1, 4, len(OLD))
    OLD.with_columns(w=pl.Series(weights)).write_csv(path)
    asked = ["--no-cv", "--sample-weight", "w", "--require", "recall >= 0.7", "--save", model]
    code, out, _ = call("fit", path, *FIT, *asked, "--json")
    assert code == 0
    (standing,) = json.loads(out)["requirements"]
    is_high = (OLD["risk"] == "high").to_numpy()
    found = weights[flagged(model, OLD) & is_high].sum() / weights[is_high].sum()
    assert standing["value"] == pytest.approx(found)
    assert standing["is_met"]
    assert call("verify", model, path, "--sample-weight", "w")[0] == 0


def test_limits_show_what_each_costs(call, csv, tmp_path):
    options = ["--target", "risk", "--positive", "high", "--complexities", 3, "--json"]
    limits = ["--require", "recall >= 0.5", "--limits", "0.9,0.1,1"]
    picture = tmp_path / "price.png"
    code, out, _ = call("path", csv, *options, *limits, "--plot", picture)
    points = json.loads(out)["points"]
    assert code == 0
    assert [point["limit"] for point in points] == [0.1, 0.9, 1]
    losses = [point["hamming_loss"] for point in points]
    assert losses == sorted(losses)
    assert picture.stat().st_size
    fitted = BooleanRuleClassifier(3, positive_label="high", requirements="recall >= 0.9")
    fitted.fit(OLD.drop("risk"), OLD["risk"].to_numpy())
    assert points[1]["hamming_loss"] == fitted.certificate_.hamming_loss


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--limits", "0.1"], "Add it, such as --require"),
        (["--limits", "a"], "is no list of numbers"),
        (["--limits", "0.1", "--cv", 5], "--cv does not go with --limits"),
        (["--limits", "0.1", "--complexities", "2-4"], "goes with one complexity"),
    ],
)
def test_limits_that_cannot_work_are_turned_down(call, csv, options, expected):
    code, _, error = call("path", csv, "--target", "risk", "--positive", "high", *options)
    assert code == 2
    assert expected in " ".join(error.split())
