"""The published schema of model files, held against what ``save`` writes."""

import json
from dataclasses import replace
from importlib import resources

import jsonschema
import numpy as np
import polars as pl
import pytest

from boolrules import (
    Argument,
    BooleanRuleClassifier,
    Clause,
    Condition,
    Constraints,
    FeatureBinarizer,
    Form,
    Relation,
    RuleSet,
)
from boolrules.data.constraints import Direction
from boolrules.data.fingerprint import Fingerprint
from boolrules.data.problem import Problem
from boolrules.model.figures import Figures

SCHEMA = json.loads(
    (resources.files("boolrules") / "model" / "model.schema.json").read_text(encoding="utf-8")
)
MODEL = jsonschema.Draft202012Validator(SCHEMA)
RULE_SET = jsonschema.Draft202012Validator({"$ref": "#/$defs/rule_set", "$defs": SCHEMA["$defs"]})

RANDOM = np.random.default_rng(0)
X = pl.DataFrame(
    {
        "age": [None if k % 9 == 0 else float(k) for k in range(60)],
        "score": [-9.0 if k % 7 == 0 else k % 5 + 0.5 for k in range(60)],
        "job": RANDOM.choice(["clerk", "cook", "nurse"], 60),
        "member": RANDOM.random(60) < 0.5,
    }
)
Y = np.where(RANDOM.random(60) < 0.3, "low", np.where(np.arange(60) > 30, "high", "low"))
CONSTRAINTS = Constraints(
    forbidden_features=["member"],
    forbidden_conditions=["age <=", Condition("job", Relation.EQ, "cook")],
    forbid_not_equal=True,
    monotone={"score": -1},
    preferred_features=["age"],
)
ONES = (RANDOM.random((60, 4)) < 0.5).astype(int)

MODELS = {
    "dnf": (X, Y, {}),
    "cnf": (X, Y, {"form": "cnf"}),
    "three classes": (X.drop("job"), X["job"].to_numpy(), {}),
    "weights": (X, Y, {"class_weight": "balanced", "missed_positive_cost": 2.5}),
    "special values": (X, Y, {"binarizer": FeatureBinarizer(special_values=[-9])}),
    "every threshold": (
        *(X, Y),
        {"binarizer": FeatureBinarizer(thresholds="all", special_values=[-9])},
    ),
    "intervals": (X, Y, {"binarizer": FeatureBinarizer(method="intervals")}),
    "zeros and ones": (ONES, Y, {"binarizer": None}),
    "nothing proved": (X, Y, {"mode": "fast", "search_limits": {"max_rounds": 1}}),
    "one class": (X, np.zeros(60), {}),
    "constraints": (X, Y, {"constraints": CONSTRAINTS}),
    "constraints on three classes": (
        *(X.drop("job"), X["job"].to_numpy()),
        {"constraints": {"allowed_features": ["age", "score"]}},
    ),
    "a whole number picked out": (X.with_columns(k=np.arange(60) % 4), np.arange(60) % 4 == 1, {}),
    "whole numbers as labels": (X, (Y == "high").astype(int), {"max_conditions": 1}),
}


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.filterwarnings("ignore:Every label is")
@pytest.mark.parametrize("name", MODELS)
def test_what_save_writes_fits_the_schema(name, tmp_path):
    table, labels, parameters = MODELS[name]
    model = BooleanRuleClassifier(max_complexity=4, time_limit=10, **parameters)
    fitted = model.fit(table, labels).model_
    figures = fitted.score_rows(table, labels)
    replace(fitted, held_out=figures).save(tmp_path / "model.json")
    plain = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    MODEL.validate(plain)
    for rules in plain["rule_sets"]:
        RULE_SET.validate(rules)
    assert list(plain["held_out"]) == SCHEMA["$defs"]["figures"]["required"]
    assert list(plain["training_rows"]) == list(SCHEMA["$defs"]["training_rows"]["properties"])


@pytest.mark.parametrize(
    ("kind", "part", "change"),
    [
        (Figures, "figures", {"confusions": [[[1, -2], [3, 4]]]}),
        (Figures, "figures", {"confusions": []}),
        (Figures, "figures", {"n_rows": 0}),
        (Figures, "figures", {"description": "x" * 1001}),
        (Fingerprint, "training_rows", {"n_rows": 0}),
        (Fingerprint, "training_rows", {"rows": "0"}),
    ],
    ids=str,
)
def test_parts_that_from_plain_turns_down_do_not_fit_the_schema(kind, part, change):
    schema = {"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]}
    validator = jsonschema.Draft202012Validator(schema)
    good = {
        Figures: Figures.of("ab", "a", [[[1, 2], [3, 4]]], 10),
        Fingerprint: Fingerprint(10, "0" * 16, "f" * 16),
    }[kind].to_plain()
    assert validator.is_valid(good)
    assert not validator.is_valid(good | change)
    with pytest.raises(ValueError, match=r"."):
        kind.from_plain(good | change)


def every_relation():
    values = {"<=": 1.5, ">": -2, "==": "x", "!=": True, "in": (0.0, 1.0), "not in": (0.0, 1.0)}
    return [Condition("a", relation, values.get(relation)) for relation in Relation]


@pytest.mark.parametrize("condition", every_relation(), ids=str)
def test_every_relation_fits_the_schema(condition):
    RULE_SET.validate(json.loads(RuleSet((Clause((condition,)),)).to_json()))


def test_a_condition_counts_as_one_or_two():
    plain = RuleSet((Clause((Condition("a", "==", 1, n_conditions=2),)),)).to_plain()
    RULE_SET.validate(plain)
    assert RuleSet.from_plain(plain).complexity == 3
    for wrong in (0, 3, 2.0, True, "2", None):
        plain["clauses"][0][0]["n_conditions"] = wrong
        assert not RULE_SET.is_valid(plain) or wrong == 2.0  # which is 2 to other readers
        with pytest.raises(ValueError, match="cannot"):
            RuleSet.from_plain(plain)


@pytest.mark.parametrize(
    "change",
    [
        {"form": "xnf"},
        {"positive": []},
        {"clauses": [[]]},
        {"clauses": [[{"feature": "a", "relation": "<=", "value": "x"}]]},
        {"clauses": [[{"feature": "a", "relation": "<="}]]},
        {"clauses": [[{"feature": "a", "relation": "in", "value": [1]}]]},
        {"clauses": [[{"feature": "a", "relation": "is null", "value": 1}]]},
        {"clauses": [[{"feature": "a", "relation": "like", "value": "x"}]]},
        {"clauses": [[{"relation": "is null"}]]},
        {"statistics": [[1, 2]]},
        {"statistics": [[1, 2, 3, 4]]},
        {"statistics": [[1, 2, -3]]},
        {"calibration": {"intercept": 0}},
        {"calibration": {"intercept": 0, "slope": -1}},
        {"calibration": [0, 1]},
        {"undecided": 3},
    ],
    ids=str,
)
def test_what_from_json_turns_down_does_not_fit_the_schema(change):
    good = RuleSet((Clause((Condition("a", Relation.LE, 1.0),)),)).to_plain()
    assert RULE_SET.is_valid(good)
    assert not RULE_SET.is_valid(good | change)
    with pytest.raises(ValueError, match=r"."):
        RuleSet.from_plain(good | change)


def test_the_schema_knows_every_name():
    defs = SCHEMA["$defs"]
    assert defs["condition"]["properties"]["relation"]["enum"] == list(Relation)
    assert defs["rule_set"]["properties"]["form"]["enum"] == list(Form)
    certificate = defs["certificate"]["properties"]
    assert certificate["argument"]["enum"] == list(Argument)
    assert list(certificate["problem"]["properties"]) == list(Problem.__slots__)
    constraints = defs["constraints"]["properties"]
    kept = [f for f in Constraints.__slots__ if f not in ("given_clauses", "required")]
    assert list(constraints) == kept
    assert constraints["monotone"]["additionalProperties"]["enum"] == list(Direction)


@pytest.mark.parametrize(
    "change",
    [
        {"forbidden_features": "member"},
        {"allowed_features": [1]},
        {"forbidden_conditions": [{"feature": "a"}]},
        {"forbid_not_equal": "yes"},
        {"monotone": {"age": "up"}},
        {"unknown": []},
        {"given_clauses": ["age <= 3"]},
        {"required": ["age"]},
    ],
    ids=str,
)
def test_constraints_that_from_json_turns_down_do_not_fit_the_schema(change):
    schema = {"$ref": "#/$defs/constraints", "$defs": SCHEMA["$defs"]}
    validator, good = jsonschema.Draft202012Validator(schema), CONSTRAINTS.to_plain()
    assert validator.is_valid(good)
    assert not validator.is_valid(good | change)
    with pytest.raises(ValueError, match=r"."):
        Constraints.from_plain(good | change)
