"""The checker that is not the solver comes to the verdict of ``verify``, true files or not."""

import ast
import copy
import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import polars
import pytest
from altered import signed

import boolrules_check
from boolrules import BooleanRuleClassifier, FeatureBinarizer, Model
from boolrules.proof.certificate import Argument

SOURCE = Path(boolrules_check.__file__)


def table(seed):
    """Some rows with numbers, codes, text and missing values, and labels that follow."""
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 40))
    age = random.integers(18, 60, n).astype(float)
    age[random.random(n) < 0.1] = np.nan
    debt = random.choice([0.5, 1.25, 2.0, 7.0, -9.0], n)
    job = random.choice(["cook", "clerk", "none"], n)
    sex = random.choice([1, 2], n)
    is_high = ((np.nan_to_num(age) < 35) & (sex == 2)) ^ (random.random(n) < 0.25)
    is_high[:2] = [True, False]
    columns = {"age": age, "debt": debt, "job": job, "sex": sex}
    return polars.DataFrame(columns), np.where(is_high, "yes", "no")


OPTIONS = [
    {},
    {"form": "cnf"},
    {"max_complexity": 3},
    {"form": "cnf", "max_complexity": 4, "max_clauses": 2},
    {"class_weight": {"yes": 3, "no": 1}},
    {"missed_positive_cost": 2.5, "covered_zero_cost": 0.75},
    {"complexity_penalty": 0.3},
    {"max_conditions": 1},
    {"min_coverage": 3},
    {"positive_label": "no"},
    {"constraints": {"monotone": {"age": "decreasing"}}},
    {"constraints": {"monotone": {"sex": "increasing"}}},
    {"binarizer": FeatureBinarizer(thresholds="all"), "constraints": {"monotone": {"sex": 1}}},
    {"constraints": {"given_clauses": ["age < 30"]}},
    {"constraints": {"given_clauses": ["age < 30"]}, "max_complexity": 2},
    {"constraints": {"required": ["debt"]}},
    {"mode": "paper"},
]
LONG = {"max_complexity": 30}


def fitted(folder, seed, options):
    """Learn, and write the model and its table."""
    X, y = table(seed)
    options = {"max_complexity": 5, "positive_label": "yes"} | options
    model = BooleanRuleClassifier(**options).fit(X, polars.Series("risk", y))
    X.with_columns(risk=polars.Series(y)).write_csv(folder / "table.csv")
    model.save(folder / "model.json")
    return model, X, polars.Series("risk", y)


def checked(folder, text=None):
    """Return the checker's exit code for a model file."""
    path = folder / "model.json"
    if text is not None:
        path = folder / "altered.json"
        path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["boolrules_check.py", str(path), str(folder / "table.csv")])
        try:
            return boolrules_check.main()
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
            return 2


@pytest.mark.parametrize(("seed", "options"), [*product(range(4), OPTIONS), (0, LONG)], ids=str)
def test_what_a_fit_claims_holds(tmp_path, seed, options):
    model, X, y = fitted(tmp_path, seed, options)
    assert model.verify(X, y).holds
    assert checked(tmp_path) == 0


def test_every_argument_that_it_knows_is_tried(tmp_path):
    elsewhere = {Argument.ZERO_LOSS, Argument.BRANCHES}
    missing = {*Argument} - elsewhere - {Argument.EVERY_RULE_SET, Argument.NONE}
    for seed, options in product(range(2), OPTIONS):
        if missing:  # one fit for each is enough
            missing.discard(fitted(tmp_path, seed, options)[0].certificate_.argument)
    assert not missing


def test_intervals_are_not_checked_as_if_they_were_comparisons(tmp_path):
    model, X, y = fitted(tmp_path, 0, {"binarizer": FeatureBinarizer(method="intervals")})
    assert model.verify(X, y).holds
    assert checked(tmp_path) == 2


def test_zero_loss_holds_where_nothing_is_mistaken_alone(tmp_path):
    X, _ = table(0)
    y = polars.Series("risk", np.where(X["debt"] > 1.5, "yes", "no"))
    model = BooleanRuleClassifier(positive_label="yes").fit(X, y)
    assert model.certificate_.argument is Argument.ZERO_LOSS
    model.save(tmp_path / "model.json")
    X.with_columns(y).write_csv(tmp_path / "table.csv")
    assert checked(tmp_path) == 0
    other = y.to_list()
    other[0] = "yes" if other[0] == "no" else "no"
    X.with_columns(polars.Series("risk", other)).write_csv(tmp_path / "table.csv")
    assert checked(tmp_path) == 1


def numbers_of(part, way=()):
    """Yield where numbers are in what a certificate holds."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from numbers_of(value, (*way, name))
    elif isinstance(part, list):
        for place, value in enumerate(part):
            yield from numbers_of(value, (*way, place))
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield way


def with_changed(plain, way, change):
    altered = copy.deepcopy(plain)
    part = altered["certificates"][0]
    for step in way[:-1]:
        part = part[step]
    part[way[-1]] = change(part[way[-1]])
    return altered


@pytest.mark.parametrize("options", OPTIONS[:9], ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_altered_certificates_get_the_verdict_of_verify(tmp_path, seed, options):
    _, X, y = fitted(tmp_path, seed, options)
    plain = json.loads((tmp_path / "model.json").read_text())
    ways = list(numbers_of(plain["certificates"][0]))
    ways = ways[:: max(1, len(ways) // 12)]
    for way in ways:
        for change in (lambda v: v + 1, lambda v: v - 1, lambda v: 2 * v):
            text = signed(with_changed(plain, way, change))
            try:
                holds = Model.from_json(text).verify(X, y).holds
            except ValueError:
                continue  # no model file: nothing to agree on
            assert (checked(tmp_path, text) == 0) == holds, (way, text[:0])


@pytest.mark.parametrize("seed", range(3))
def test_altered_rules_do_not_hold(tmp_path, seed):
    fitted(tmp_path, seed, {})
    plain = json.loads((tmp_path / "model.json").read_text())
    fewer = copy.deepcopy(plain)
    fewer["rule_sets"][0]["clauses"].pop()
    fewer["rule_sets"][0].pop("statistics", None)
    assert checked(tmp_path, signed(fewer)) != 0
    assert checked(tmp_path, signed(plain)) == 0


def with_number(folder, form="dnf", thresholds="deciles", **asked):
    """Learn to pick out a number, and return the file as plain values."""
    n = np.arange(60)
    X = polars.DataFrame({"ca": n % 5, "age": n * 7 % 40 / 2})
    y = (n % 5 == 1) ^ (n % 17 == 0) ^ (form == "cnf")
    y = polars.Series("risk", np.where(y, "yes", "no"))
    binarizer = FeatureBinarizer(thresholds=thresholds)
    asked = {"max_complexity": 5, "positive_label": "yes", "binarizer": binarizer} | asked
    BooleanRuleClassifier(form=form, **asked).fit(X, y).save(folder / "model.json")
    X.with_columns(y).write_csv(folder / "table.csv")
    return X, y, json.loads((folder / "model.json").read_text())


def read_as_two(condition):
    """The two thresholds that a number counts as: what files held before."""
    signs = (">", "<=") if condition["relation"] == "==" else ("<=", ">")
    ends = zip(signs, (condition["value"] - 1.0, float(condition["value"])), strict=True)
    return [{"feature": "ca", "relation": sign, "value": end} for sign, end in ends]


def numbered(plain):
    """Where the number is: its clause, and its place there."""
    return next(
        (clause, place)
        for clause in plain["rule_sets"][0]["clauses"]
        for place, condition in enumerate(clause)
        if "n_conditions" in condition
    )


FORMS = pytest.mark.parametrize(
    ("form", "thresholds"), [*product(["dnf", "cnf"], ["deciles", "all"])]
)


@FORMS
def test_a_number_that_counts_as_two_thresholds_holds(tmp_path, form, thresholds):
    X, y, plain = with_number(tmp_path, form, thresholds)
    assert checked(tmp_path) == 0
    clause, place = numbered(plain)
    assert clause[place] == {
        "feature": "ca",
        "relation": "==" if form == "dnf" else "!=",
        "value": 1,
        "n_conditions": 2,
    }
    clause[place : place + 1] = read_as_two(clause[place])
    old = Model.from_json(signed(plain))
    assert old.verify(X, y).holds
    assert checked(tmp_path, signed(plain)) == 0
    assert old.predict(polars.DataFrame({"ca": [0.5], "age": [0.0]})).tolist() == [
        "yes" if form == "dnf" else "no"
    ]


@FORMS
@pytest.mark.parametrize(
    "change",
    [
        {"n_conditions": None},
        {"relation": "=="},
        {"relation": "!="},
        {"value": 2},
        {"value": 7},
        {"feature": "age"},
    ],
    ids=str,
)
def test_a_number_that_is_not_what_it_counts_as_does_not_hold(tmp_path, form, thresholds, change):
    X, y, plain = with_number(tmp_path, form, thresholds)
    clause, place = numbered(plain)
    altered = {name: v for name, v in (clause[place] | change).items() if v is not None}
    if altered == clause[place]:
        return
    clause[place] = altered
    assert not Model.from_json(signed(plain)).verify(X, y).holds
    assert checked(tmp_path, signed(plain)) != 0


@FORMS
def test_conditions_on_offer_and_given_ones_count_as_one(tmp_path, form, thresholds):
    given = {"constraints": {"given_clauses": ["ca == 3"]}, "max_complexity": 7}
    X, y, plain = with_number(tmp_path, form, thresholds, **given)
    assert checked(tmp_path) == 0
    (rules,), (certificate,) = plain["rule_sets"], plain["certificates"]
    assert rules["clauses"][0] == certificate["given"]["clauses"][0]
    for clauses in ([rules["clauses"]], [rules["clauses"], certificate["given"]["clauses"]]):
        for some in clauses:
            some[0][0]["n_conditions"] = 2
        for more in (0, 1):
            certificate["complexity"] += more
            assert not Model.from_json(signed(plain)).verify(X, y).holds
            assert checked(tmp_path, signed(plain)) != 0
        certificate["complexity"] -= 1


def test_a_number_that_is_forbidden_does_not_hold(tmp_path):
    X, y, plain = with_number(tmp_path)
    clause, place = numbered(plain)
    number = {name: v for name, v in clause[place].items() if name != "n_conditions"}
    plain["certificates"][0]["constraints"] = {"forbidden_conditions": [number]}
    assert not Model.from_json(signed(plain)).verify(X, y).holds
    assert checked(tmp_path, signed(plain)) == 1


def test_a_number_with_a_fraction_beside_it_is_not_two_thresholds(tmp_path):
    X, y, plain = with_number(tmp_path)
    clause, place = numbered(plain)
    clause[:] = [clause[place]]
    X = X.with_columns(ca=polars.Series([0.5 if k == 1 else float(k % 5) for k in range(60)]))
    X.with_columns(y).write_csv(tmp_path / "table.csv")
    del plain["training_rows"]
    text = str(Model.from_json(signed(plain)).verify(X, y))
    assert "FAILS: every condition is among those that the bound ranges over" in text
    assert checked(tmp_path, signed(plain)) == 1


def test_trees_hold_and_trees_with_a_branch_cut_off_do_not(tmp_path, monkeypatch):
    monkeypatch.setattr("boolrules.solver.incumbent.Incumbent.close_the_gap", lambda *_: None)
    random = np.random.default_rng(11)
    X = (random.random((40, 5)) < 0.45).astype(int)
    frame = polars.DataFrame(X, schema=[f"x{k}" for k in range(5)])
    y = polars.Series("risk", np.where(random.random(40) < 0.5, "yes", "no"))
    model = BooleanRuleClassifier(max_complexity=8, positive_label="yes").fit(frame, y)
    assert model.certificate_.argument is Argument.BRANCHES
    frame.with_columns(y).write_csv(tmp_path / "table.csv")
    model.save(tmp_path / "model.json")
    assert checked(tmp_path) == 0
    plain = json.loads((tmp_path / "model.json").read_text())
    less, more = copy.deepcopy(plain), copy.deepcopy(plain)
    less["certificates"][0]["branches"]["parts"].pop()
    more["certificates"][0]["lower_bound"] += 1
    for altered in (less, more):
        assert checked(tmp_path, signed(altered)) != 0


def test_what_it_does_not_know_it_does_not_call_true(tmp_path):
    model, X, y = fitted(tmp_path, 1, {"requirements": "recall >= 0.2"})
    assert model.verify(X, y).holds
    assert checked(tmp_path) == 2


def test_it_is_one_short_file_without_the_package():
    text = SOURCE.read_text()
    assert len(text.splitlines()) <= 300
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module.split(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"numpy"}


def test_it_runs_as_a_program(tmp_path):
    fitted(tmp_path, 0, {})
    files = [str(tmp_path / "model.json"), str(tmp_path / "table.csv")]
    run = subprocess.run(
        [sys.executable, str(SOURCE), *files], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0
    assert "holds: bound" in run.stdout
    lost = subprocess.run(
        [sys.executable, str(SOURCE), files[0], "nowhere.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (lost.returncode, "Traceback" in lost.stderr) == (2, False)
