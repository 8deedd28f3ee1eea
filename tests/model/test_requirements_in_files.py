"""Requirements in model files: kept exactly, in the schema, and safe from forgers."""

import json
from dataclasses import replace
from importlib import resources

import jsonschema
import numpy as np
import polars
import pytest

from boolrules import BooleanRuleClassifier, Model
from boolrules.data.requirement import Measure, Requirement

SCHEMA = json.loads(
    (resources.files("boolrules") / "model" / "model.schema.json").read_text(encoding="utf-8")
)
MODEL = jsonschema.Draft202012Validator(SCHEMA)
REQUIREMENT = jsonschema.Draft202012Validator(
    {"$ref": "#/$defs/requirement", "$defs": SCHEMA["$defs"]}
)
RANDOM = np.random.default_rng(6)
X = polars.DataFrame(
    {
        "age": RANDOM.integers(18, 80, 60),
        "group": [None if k % 9 == 0 else "ab"[k % 2] for k in range(60)],
    }
)
Y = (X["age"].to_numpy() > 45) ^ (RANDOM.random(60) < 0.25)
WEIGHTS = RANDOM.integers(1, 4, 60).astype(float)
ASKED = ["recall >= 0.6", "precision >= 0.75 within group", "flagged <= 55"]
CONSTRAINTS = {"forbidden_features": ["group"]}


@pytest.fixture(scope="module")
def model():
    """A model whose bound rests on the price of a requirement."""
    classifier = BooleanRuleClassifier(
        4, requirements=ASKED, constraints=CONSTRAINTS, time_limit=None
    )
    return classifier.fit(X, Y, WEIGHTS).model_


def altered(model, change):
    """The file of a forger who knows the checksum."""
    plain = json.loads(model.to_json())
    change(plain["certificates"][0])
    return replace(Model.from_json(json.dumps(plain)), is_unaltered=True)


def test_a_model_under_requirements_is_kept_and_verified(model, tmp_path):
    model.save(tmp_path / "model.json")
    again = Model.load(tmp_path / "model.json")
    assert again.requirements == model.requirements
    assert [str(one) for one in again.requirements] == ASKED
    assert again.to_json() == model.to_json()
    assert again.verify(X, Y, WEIGHTS).holds
    assert again.standings(X, Y, WEIGHTS).all_met
    assert str(again.certificates[0]) == str(model.certificates[0])
    MODEL.validate(json.loads(model.to_json()))


def test_there_is_something_to_forge(model):
    (certificate,) = model.certificates
    assert certificate.is_optimal
    assert sum(certificate.duals.theta) > 0
    free = BooleanRuleClassifier(4, constraints=CONSTRAINTS).fit(X, Y, WEIGHTS).certificate_
    assert free.hamming_loss < certificate.lower_bound


def loosened(certificate):
    for one in certificate["requirements"]:
        one["limit"] = {"flagged": 200}.get(one["measure"], 0.1)


def removed(certificate):
    del certificate["requirements"]


def removed_with_prices(certificate):
    removed(certificate)
    del certificate["duals"]["theta"]


def without_prices(certificate):
    del certificate["duals"]["theta"]


def one_price_less(certificate):
    certificate["duals"]["theta"].pop()


def one_price_more(certificate):
    certificate["duals"]["theta"].append(0)


def dearer(certificate):
    certificate["duals"]["theta"] = [4 * t + 2**20 for t in certificate["duals"]["theta"]]


def cheaper(certificate):
    certificate["duals"]["theta"] = [0] * len(certificate["duals"]["theta"])


def out_of_reach(certificate):
    certificate["duals"]["theta"] = [2**61] * len(certificate["duals"]["theta"])


def another_measure(certificate):
    certificate["requirements"][0]["measure"] = "precision"
    certificate["requirements"][0]["limit"] = 0.99


def tighter_than_the_rules(certificate):
    certificate["requirements"][0]["limit"] = 1


def other_scope(certificate):
    certificate["requirements"][1].pop("within")


def higher_bound(certificate):
    certificate["lower_bound"] += 1


def higher_bound_and_loss(certificate):
    certificate["lower_bound"] += 1
    certificate["hamming_loss"] += 1


@pytest.mark.parametrize(
    "change",
    [
        loosened,
        removed,
        removed_with_prices,
        without_prices,
        one_price_less,
        one_price_more,
        dearer,
        cheaper,
        out_of_reach,
        another_measure,
        tighter_than_the_rules,
        other_scope,
        higher_bound,
        higher_bound_and_loss,
    ],
)
def test_a_forgery_is_turned_down(model, change):
    forged = altered(model, change)
    assert not forged.verify(X, Y, WEIGHTS).holds


@pytest.mark.parametrize(
    "requirements",
    [
        3,
        "recall >= 0.5",
        {"measure": "recall", "limit": 0.5},
        [3],
        [None],
        ["recall >= 0.5"],
        [{"measure": "recall"}],
        [{"measure": "rcl", "limit": 0.5}],
        [{"measure": ["recall"], "limit": 0.5}],
        [{"measure": "recall", "limit": "0.5"}],
        [{"measure": "recall", "limit": 1.5}],
        [{"measure": "recall", "limit": 0.5, "where": 3}],
        [{"measure": "recall", "limit": 0.5, "where": []}],
        [{"measure": "recall", "limit": 0.5, "where": {"a": {}}}],
        [{"measure": "recall", "limit": 0.5, "more": 1}],
        [{"measure": "equal opportunity", "limit": 0.5}],
        [{"measure": "recall", "limit": 0.5, "within": ["age"]}],
    ],
    ids=str,
)
def test_damaged_requirements_are_refused_in_words(model, requirements):
    plain = json.loads(model.to_json())
    plain["certificates"][0]["requirements"] = requirements
    with pytest.raises(ValueError, match=r"."):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize("theta", [3, "0", [-1], [0.5], [True], [2**70], [None], {}], ids=str)
def test_damaged_prices_are_refused_in_words(model, theta):
    plain = json.loads(model.to_json())
    plain["certificates"][0]["duals"]["theta"] = theta
    with pytest.raises(ValueError, match="theta"):
        Model.from_json(json.dumps(plain))
    assert not MODEL.is_valid(plain) or theta == [2**70]


@pytest.mark.parametrize("minimises", [3, "f1", ["loss"], None, {}], ids=str)
def test_a_damaged_objective_is_refused_in_words(model, minimises):
    plain = json.loads(model.to_json())
    plain["certificates"][0]["minimises"] = minimises
    with pytest.raises(ValueError, match="minimises"):
        Model.from_json(json.dumps(plain))
    assert not MODEL.is_valid(plain)


def test_a_column_that_the_rows_lack_is_named(model):
    def renamed(certificate):
        certificate["requirements"][1]["within"] = "groop"

    with pytest.raises(ValueError, match="'groop', which is not a column"):
        altered(model, renamed).verify(X, Y, WEIGHTS)


@pytest.mark.parametrize(
    "text",
    [
        "recall >= 0.8",
        "flagged <= 200 where month = May",
        "recall >= 0.8 within branch margin 0.02",
        "equal opportunity <= 0.02 between sex",
        "flagged share <= 5%",
    ],
)
def test_the_schema_has_every_form_of_a_requirement(text):
    plain = json.loads(json.dumps(Requirement.of(text).to_plain()))
    REQUIREMENT.validate(plain)
    assert Requirement.from_plain(plain) == Requirement.of(text)


def test_a_column_without_a_name_is_kept():
    one = Requirement("equal opportunity", 0.5, between="")
    assert Requirement.from_plain(one.to_plain()) == one
    assert one.column == ""


def test_the_schema_knows_every_measure():
    measures = SCHEMA["$defs"]["requirement"]["properties"]["measure"]["enum"]
    assert measures == list(Measure)


@pytest.mark.parametrize(
    "change",
    [
        {"measure": "rcl"},
        {"limit": "0.5"},
        {"limit": -1},
        {"within": 3},
        {"where": {}},
        {"where": {"a": 1, "b": 2}},
        {"where": {"a": []}},
        {"margin": -0.1},
        {"unknown": 1},
    ],
    ids=str,
)
def test_what_is_turned_down_does_not_fit_the_schema(change):
    good = {"measure": "recall", "limit": 0.5}
    assert REQUIREMENT.is_valid(good)
    assert not REQUIREMENT.is_valid(good | change)
    with pytest.raises(ValueError, match=r"."):
        Requirement.from_plain(good | change)


@pytest.mark.parametrize(
    ("objective", "requirement"),
    [("errors", None), ("f1", None), ("missed", "precision >= 0.8"), ("covered", "recall >= 0.8")],
)
def test_every_objective_fits_the_schema(objective, requirement):
    classifier = BooleanRuleClassifier(3, objective=objective, requirements=requirement)
    model = classifier.fit(X, Y).model_
    MODEL.validate(json.loads(model.to_json()))
    assert Model.from_json(model.to_json()).verify(X, Y).holds
