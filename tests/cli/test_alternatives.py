"""``boolrules alternatives``: text, JSON, one clear line for bad input."""

import json

import numpy as np
import polars as pl
import pytest

from boolrules import Model
from boolrules.data.datasets import loan_applications

KEYS = ["within", "n_rule_sets", "n_answers", "is_complete", "features", "alternatives"]
ROW_KEYS = {
    "rank",
    "rules",
    "hamming_loss",
    "objective",
    "complexity",
    "n_clauses",
    "n_different",
    "differs_on",
    "distance",
    "answers",
    "is_model",
}


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    table, outcome = loan_applications(300)
    path = tmp_path_factory.mktemp("loans") / "loans.csv"
    table.with_columns(outcome, amount=pl.Series(np.arange(1, 301) % 3 + 1)).write_csv(path)
    return str(path)


@pytest.fixture
def model(call, loans, tmp_path):
    path = str(tmp_path / "model.json")
    fit = ["--target", "outcome", "--positive", "defaulted", "--drop", "amount"]
    code, _, err = call("fit", loans, *fit, "--max-complexity", "4", "--save", path)
    assert (code, err) == (0, "")
    return path


def test_the_text_has_the_model_first_and_the_columns_last(call, model, loans):
    code, out, err = call("alternatives", model, loans, "--within", "15")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("There are ")
    assert lines[4].endswith("(the model)")
    assert "in rule sets  feature" in out


def test_json_has_every_key_and_rows_count_from_one(call, model, loans):
    code, out, err = call("alternatives", model, loans, "--within", "15", "--most", "3", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert list(found) == KEYS
    assert found["is_complete"]
    assert len(found["alternatives"]) == 3 <= found["n_rule_sets"]
    rules = Model.load(model).rule_sets[0]
    first, second, _ = found["alternatives"]
    assert all(set(row) == ROW_KEYS for row in found["alternatives"])
    assert first["rules"] == rules.to_text()
    assert first["differs_on"] == []
    assert len(second["differs_on"]) == second["n_different"] > 0
    assert min(second["differs_on"]) >= 1


def test_sample_weights_are_asked_for(call, loans, tmp_path):
    path = str(tmp_path / "model.json")
    fit = ["--target", "outcome", "--sample-weight", "amount", "--max-complexity", "3"]
    assert call("fit", loans, *fit, "--save", path)[0] == 0
    code, out, err = call("alternatives", path, loans)
    assert (code, out) == (2, "")
    assert "fitted with sample weights" in err
    assert call("alternatives", path, loans, "--sample-weight", "amount")[0] == 0


def test_three_labels_need_one_to_be_named(call, tmp_path):
    frame = pl.DataFrame({"x": list(range(30)), "y": [k // 10 for k in range(30)]})
    frame.write_csv(tmp_path / "data.csv")
    data, path = str(tmp_path / "data.csv"), str(tmp_path / "model.json")
    assert call("fit", data, "--target", "y", "--max-complexity", "3", "--save", path)[0] == 0
    code, out, err = call("alternatives", path, data)
    assert (code, out) == (2, "")
    assert "a rule set for each of 0, 1, 2. Say with --label whose" in err
    assert "--label '7' has none." in call("alternatives", path, data, "--label", "7")[2]
    code, out, _ = call("alternatives", path, data, "--label", "1", "--json")
    assert code == 0
    assert json.loads(out)["alternatives"][0]["is_model"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--within", "-1"], "within=-1.0 is no distance"),
        (["--most", "0"], "most=0 asks for nothing"),
        (["--target", "nothing"], "has no column 'nothing'"),
    ],
)
def test_bad_input_is_one_line(call, model, loans, options, message):
    code, out, err = call("alternatives", model, loans, *options)
    assert (code, out) == (2, "")
    assert err.startswith("boolrules: ")
    assert err.count("\n") == 1
    assert message in err


def test_other_data_are_turned_down(call, model, loans, tmp_path):
    pl.read_csv(loans)[:200].write_csv(tmp_path / "part.csv")
    code, out, err = call("alternatives", model, str(tmp_path / "part.csv"))
    assert (code, out) == (2, "")
    assert "on this data" in err
