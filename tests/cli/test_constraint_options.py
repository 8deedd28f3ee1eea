"""Constraints from the command line: they reach the model, its file and its certificate."""

import json
import re

import numpy as np
import polars as pl
import pytest

from boolrules import Constraints, Model

RANDOM = np.random.default_rng(0)
AGE = RANDOM.integers(18, 80, 60)
SEX = RANDOM.choice(["f", "m"], 60)
PEOPLE = pl.DataFrame(
    {
        "age": AGE,
        "sex": SEX,
        "job": RANDOM.choice(["clerk", "cook", "nurse"], 60),
        "pay": RANDOM.normal(size=60).round(2),
        "risk": np.where((AGE > 50) & (SEX == "f"), "high", "low"),
    }
)
FIT = ["--target", "risk", "--positive", "high", "--max-complexity", "4"]


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    return str(path)


def test_every_option_reaches_the_model_and_its_file(call, csv, tmp_path):
    path = tmp_path / "model.json"
    code, out, err = call(
        *("fit", csv, *FIT, "--save", path, "--forbid-features", "sex, pay"),
        *("--only-features", "sex,age,job", "--forbid-condition", "age >"),
        *("--forbid-condition", "job == 'cook'", "--no-not-equal"),
        *("--monotone", "age=decreasing", "--prefer-features", "job"),
    )
    assert (code, err) == (0, "")
    saved = Model.load(path)
    constraints = Constraints(
        forbidden_features=["sex", "pay"],
        allowed_features=["sex", "age", "job"],
        forbidden_conditions=["age >", "job == 'cook'"],
        forbid_not_equal=True,
        monotone={"age": "decreasing"},
        preferred_features=["job"],
    )
    assert saved.certificates[0].constraints == saved.encoding.constraints == constraints
    told = " ".join(out.split())
    assert (
        "Constraints: no sex; no pay; only sex, age, job; no 'age >'; no 'job == 'cook''" in told
    )
    assert "that keep to the constraints." in told
    conditions = {str(c) for c in saved.encoding.conditions}
    assert {c for c in conditions if c.startswith("job")} == {"job == 'clerk'", "job == 'nurse'"}
    assert all(c.startswith(("age <=", "job ==")) for c in conditions)
    code, out, _ = call("verify", path, csv)
    assert code == 0
    assert "ranges over and keeps to the constraints" in out


def test_without_options_there_are_no_constraints(call, csv, tmp_path):
    path = tmp_path / "model.json"
    code, out, _ = call("fit", csv, *FIT, "--save", path)
    assert code == 0
    assert "onstraints" not in out
    assert "constraints" not in path.read_text(encoding="utf-8")


def test_a_forbidden_feature_costs_what_the_json_says(call, csv):
    free = json.loads(call("fit", csv, *FIT, "--json")[1])
    bound = json.loads(call("fit", csv, *FIT, "--json", "--forbid-features", "sex")[1])
    assert free["hamming_loss"] == 0 < bound["hamming_loss"]
    assert bound["is_optimal"]
    assert bound["n_conditions"] == free["n_conditions"] - 2


@pytest.mark.parametrize("cv", [(), ("--cv", 2, "--repeats", 1)], ids=["training", "cv"])
def test_a_path_keeps_to_constraints(call, csv, tmp_path, cv):
    path = tmp_path / "model.json"
    code, out, err = call(
        *("path", csv, "--target", "risk", "--positive", "high", "--complexities", "2-4", *cv),
        *("--forbid-features", "sex", "--monotone", "age=increasing", "--save", path, "--json"),
        *("--n-jobs", 1),
    )
    assert (code, err) == (0, "")
    assert "sex" not in json.dumps([point["rules"] for point in json.loads(out)["points"]])
    saved = Model.load(path)
    assert saved.encoding.constraints.monotone == {"age": "increasing"}
    assert call("verify", path, csv)[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--forbid-features", "sxe"), "forbidden_features names 'sxe', .*The nearest is 'sex'"),
        (("--forbid-features", "risk"), "forbidden_features names 'risk', which is not a column"),
        (("--forbid-condition", "age ~ 3"), "'age ~ 3', which is no condition"),
        (("--monotone", "age"), "argument --monotone: 'age' is not a column and its direction"),
        (("--monotone", "age=up"), "'age=up' is not a column and its direction, such as income="),
        (("--monotone", "agee=increasing"), "monotone names 'agee', .* The nearest is 'age'"),
        (("--monotone", "job=increasing"), "a column of categories"),
        (
            ("--only-features", "job", "--forbid-condition", "job ==", "--no-not-equal"),
            "leave none",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_kept_to_is_told_in_one_line(call, csv, options, message):
    code, out, err = call("fit", csv, *FIT, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert re.search(message, err)


def test_a_condition_that_the_table_does_not_have_is_told_in_one_line(call, csv):
    code, out, err = call("fit", csv, *FIT, "--forbid-condition", "job == clrek")
    assert code == 0
    assert err == (
        "boolrules: forbidden_conditions has 'job == clrek', which is no condition of this table; "
        "the nearest is 'job == 'clerk''. It forbids nothing.\n"
    )
    assert out
