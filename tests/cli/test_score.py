"""``boolrules score``: how saved rules do on other rows, by the labels of the model."""

import json

import numpy as np
import polars as pl
import pytest

from boolrules import Model


def make_people(n_rows, seed):
    random = np.random.default_rng(seed)
    age, pay = random.integers(18, 80, n_rows), random.integers(1, 9, n_rows)
    is_high = (age > 50) ^ (random.random(n_rows) < 0.1)
    group = random.choice(["1", "2", "A"], n_rows)
    frame = pl.DataFrame({"age": age, "pay": pay, "risk": np.where(is_high, "high", "low")})
    return frame.with_columns(grade=pl.Series(np.where(age > 40, group, "A")), drinks=age // 20)


OLD, NEW = make_people(80, 0), make_people(60, 1)


@pytest.fixture
def files(call, tmp_path):
    """Fit on the old rows; return the model's file and one of new rows."""

    def make(target, *options, new=NEW, drop="risk,grade,drinks"):
        old, model, new_file = (tmp_path / name for name in ("old.csv", "model.json", "new.csv"))
        OLD.write_csv(old)
        new.write_csv(new_file)
        left_out = ",".join(name for name in drop.split(",") if name != target)
        arguments = ["--target", target, "--drop", left_out, "--max-complexity", 4, *options]
        assert call("fit", old, *arguments, "--save", model)[0] == 0
        return str(model), str(new_file)

    return make


def test_score_prints_the_figures_of_the_new_rows(call, files):
    model, new = files("risk", "--positive", "high")
    code, out, err = call("score", model, new)
    figures = Model.load(model).score_rows(NEW, NEW["risk"])
    assert (code, err) == (0, "")
    assert out == f"{figures}\n"
    assert out.startswith("Accuracy ")
    assert "on 60 rows; always 'low' has " in out
    assert "Recall " in out


def test_score_json_is_one_object(call, files):
    model, new = files("risk", "--positive", "high")
    code, out, err = call("score", model, new, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    plain = json.loads(out)
    figures = Model.load(model).score_rows(NEW, NEW["risk"])
    assert plain == figures.to_plain() | {"requirements": [], "are_training_rows": False}
    assert (plain["n_rows"], plain["n_splits"], plain["description"]) == (60, 1, "")
    assert plain["accuracy"] == pytest.approx(np.trace(plain["confusion"]) / 60)


def test_score_says_where_rows_are_those_of_training(call, files, tmp_path):
    model, new = files("risk", "--positive", "high")
    old = tmp_path / "old.csv"
    said = "\nThe rules were learned from these rows; on others they may do worse.\n"
    assert call("score", model, old)[1].endswith(said)
    OLD.reverse().write_csv(old)
    assert json.loads(call("score", model, old, "--json")[1])["are_training_rows"]
    assert "pay" not in Model.load(model).features
    for other in (OLD.with_columns(pay=pl.lit("text")), OLD.drop("pay")):
        other.write_csv(old)
        assert said not in call("score", model, old)[1]
    assert not json.loads(call("score", model, new, "--json")[1])["are_training_rows"]


def test_the_target_may_have_another_name(call, turned_down, files):
    model, new = files("risk", new=NEW.rename({"risk": "outcome"}))
    assert "has no column 'risk'" in turned_down("score", model, new)
    assert call("score", model, new, "--target", "outcome")[0] == 0


def test_columns_that_no_rule_reads_may_be_missing(call, files):
    model, new = files("risk", new=NEW.select("age", "pay", "risk"))
    assert call("score", model, new)[0] == 0


def test_a_column_that_the_rules_read_may_not(turned_down, files):
    model, new = files("risk", new=NEW.drop("age"))
    assert "no column 'age'" in turned_down("score", model, new)


def test_rows_without_a_positive_can_be_scored(call, files):
    model, new = files("risk", "--positive", "high", new=NEW.filter(pl.col("risk") == "low"))
    code, out, _ = call("score", model, new)
    assert code == 0
    assert "No row is 'high'." in out


def test_a_label_that_the_model_does_not_know_is_named(turned_down, files):
    new = NEW.with_columns(risk=pl.lit("medium"))
    model, path = files("risk", "--positive", "high", new=new)
    said = turned_down("score", model, path)
    assert "the label 'medium', the model knows 'high', 'low'" in said


def test_against_the_rest_every_other_label_is_the_rest(call, files):
    new = NEW.with_columns(grade=pl.Series(["A", "Z"] * 30))
    model, path = files("grade", "--positive", "A", new=new)
    plain = json.loads(call("score", model, path, "--json")[1])
    assert plain["classes"] == ["A", "not A"]
    assert np.sum(plain["confusion"], axis=1).tolist() == [30, 30]


def test_a_comparison_is_made_on_the_new_rows(call, files):
    new = NEW.with_columns(drinks=pl.Series([0, 1, 7] * 20))
    model, path = files("drinks", "--positive", "> 1", new=new)
    plain = json.loads(call("score", model, path, "--json")[1])
    assert plain["classes"] == ["<= 1", "> 1"]
    assert np.sum(plain["confusion"], axis=1).tolist() == [40, 20]


def test_labels_that_were_text_stay_text_where_only_numbers_are_left(call, files):
    model, path = files("grade", new=NEW.with_columns(grade=pl.Series(["1", "2"] * 30)))
    code, out, _ = call("score", model, path, "--json")
    assert code == 0
    assert json.loads(out)["classes"] == ["1", "2", "A"]


def test_a_row_without_a_label_is_left_out(call, files):
    new = NEW.with_columns(risk=pl.Series([None, *NEW["risk"][1:]]))
    model, path = files("risk", new=new)
    code, out, err = call("score", model, path)
    assert (code, "1 row has no label in column 'risk' and is left out." in err) == (0, True)
    assert f"on {len(NEW) - 1} rows" in out


def test_a_model_without_a_target_asks_for_it(turned_down, call, files, tmp_path):
    model, path = files("risk")
    plain = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    plain["rule_sets"][0]["target"] = None
    (tmp_path / "model.json").write_text(json.dumps(plain), encoding="utf-8")
    assert "Give it with --target." in turned_down("score", model, path)
    assert call("score", model, path, "--target", "risk")[0] == 0
