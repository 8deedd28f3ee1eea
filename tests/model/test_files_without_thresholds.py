"""Models over every threshold, saved without the thresholds and read again."""

import json
from dataclasses import replace

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import (
    BooleanRuleClassifier,
    FeatureBinarizer,
    Model,
    assess,
    compare,
    make_report,
    parse_rules,
)
from strategies import NO_RECORD, frames, generators

ALL = FeatureBinarizer(thresholds="all", special_values=[NO_RECORD])


def make_rows(n_rows=80, seed=0):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=n_rows).round(2), random.integers(0, 40, n_rows)
    frame = polars.DataFrame(
        {
            "a": a,
            "b": [None if k % 11 == 4 else int(v) for k, v in enumerate(b)],
            "c": random.choice(["u", "v", "w"], n_rows),
            "d": [NO_RECORD if k % 13 == 5 else float(k % 7) for k in range(n_rows)],
        }
    )
    y = ((a > 0.31) & (b <= 23)) ^ (random.random(n_rows) < 0.1)
    return frame, np.where(y, "high", "low")


X, Y = make_rows()
WEIGHTS = np.array([k % 4 for k in range(len(Y))], dtype=float)
CASES = {
    "dnf": {},
    "cnf": {"form": "cnf"},
    "weights": {"class_weight": "balanced"},
    "constraints": {
        "constraints": {
            "forbidden_features": ["c"],
            "forbidden_conditions": ["a > 0.5", "b is null"],
            "monotone": {"b": "decreasing"},
        }
    },
    "demands": {
        "constraints": {"given_clauses": ["b <= 7"], "required": ["a > 0.4"]},
        "min_coverage": 2,
    },
    "nothing proved": {"mode": "fast", "search_limits": {"max_rounds": 1}},
}


def fit(**parameters):
    given = {"max_complexity": 6, "binarizer": ALL, "time_limit": 20, "positive_label": "high"}
    return BooleanRuleClassifier(**(given | parameters))


def read_again(model):
    return Model.from_json(model.to_json())


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "some weigh nothing"])
@pytest.mark.parametrize("case", CASES)
def test_a_model_is_read_again_and_verified_without_its_thresholds(case, weights):
    model = fit(**CASES[case]).fit(X, Y, weights).model_
    again = read_again(model)
    assert again.to_json() == model.to_json()
    assert not again.encoding.knows_its_rows
    rows = again.rows(X, Y, weights)
    met = again.on(rows)
    assert met.encoding.conditions == model.encoding.conditions
    assert np.array_equal(met.encoding.binned.ranges, model.encoding.binned.ranges)
    for one in (model, again):
        verification = one.verify(X, Y, weights)
        assert verification.holds, str(verification)
        assert one.are_training_rows(rows)
        others = one.verify(*make_rows(seed=1), weights).other_rows
        assert others == "there are 80 as in fit, but values, labels or weights differ"
        assert not one.are_training_rows(one.rows(*make_rows(seed=1), weights))
    assert again.predict(X).tolist() == model.predict(X).tolist()


@given(st.data(), generators(), st.sampled_from(["dnf", "cnf"]))
def test_small_models_survive_the_file(data, random, form):
    frame = data.draw(frames(14))
    y = random.random(14) < 0.5
    y[:2] = True, False
    model = fit(max_complexity=3, form=form, positive_label=True).fit(frame, y).model_
    again = read_again(model)
    assert again.verify(frame, y).holds
    assert again.certificates[0].sentence() == model.certificates[0].sentence()
    assert list(again.on(again.rows(frame, y)).encoding.conditions) == list(
        model.encoding.conditions
    )


def test_the_file_is_small():
    random = np.random.default_rng(0)
    wide = random.normal(size=(3_000, 3))
    model = fit(max_complexity=2, positive_label=None, mode="fast").fit(wide, wide[:, 0] > 0.5)
    assert len(model.model_.encoding.conditions) == 6 * 2_999
    assert len(model.model_.to_json()) < 20_000


def test_a_file_of_three_classes_is_verified():
    labels = np.array(["x", "y", "z"])[(X["a"].to_numpy() > 0).astype(int) + (np.arange(80) % 2)]
    model = fit(max_complexity=3, positive_label=None).fit(X, labels).model_
    assert read_again(model).verify(X, labels).holds
    assert all(c.thresholds == "all" for c in read_again(model).certificates)


def few(plain):
    """List the thresholds of a column that had all of them."""
    plain["features"][0]["thresholds"] = [0.25, 0.305]


def one_sided(plain):
    plain["features"][0]["has_negations"] = False


def raised_bound(plain):
    plain["certificates"][0]["lower_bound"] += 1


def no_cut(plain):
    """Compare with a number that no training value exceeds."""
    plain["rule_sets"][0]["clauses"][0][0] |= {"relation": "<=", "value": 1000.0}


def unknown_requirement(plain):
    plain["certificates"][0]["problem"]["required"] = [[10**6]]


@pytest.mark.parametrize("is_signed_anew", [False, True], ids=["by hand", "signed anew"])
@pytest.mark.parametrize("change", [few, one_sided, raised_bound, no_cut, unknown_requirement])
def test_a_tampered_file_is_not_accepted(change, is_signed_anew):
    plain = json.loads(fit().fit(X, Y).model_.to_json())
    change(plain)
    model = Model.from_json(json.dumps(plain))
    assert not model.is_unaltered
    if is_signed_anew:
        model = read_again(model)
        assert model.is_unaltered
    verification = model.verify(X, Y)
    assert not verification.holds
    assert any(not finding.holds for finding in verification.findings)


@pytest.mark.parametrize("change", [few, one_sided])
def test_a_claim_of_all_thresholds_over_fewer_fails_by_name(change):
    plain = json.loads(fit().fit(X, Y).model_.to_json())
    change(plain)
    findings = read_again(Model.from_json(json.dumps(plain))).verify(X, Y).findings
    failed = [finding.text for finding in findings if not finding.holds]
    assert "every threshold of every numeric column is on offer" in failed


def test_a_claim_of_all_thresholds_over_deciles_fails_though_the_bound_holds():
    model = fit(binarizer="auto").fit(X, Y).model_
    claim = replace(model.certificates[0], thresholds="all")
    findings = replace(model, certificates=(claim,), training_rows=None).verify(X, Y).findings
    failed = [finding.text for finding in findings if not finding.holds]
    assert failed == ["every threshold of every numeric column is on offer"]


def test_deciles_raised_to_all_are_not_proved_by_the_duals_of_deciles():
    coarse = fit(binarizer=FeatureBinarizer(thresholds=2, special_values=[NO_RECORD]))
    plain = json.loads(coarse.fit(X, Y).model_.to_json())
    for feature in plain["features"]:
        if feature["kind"] == "numeric":
            feature["thresholds"] = "all"
    plain["certificates"][0]["thresholds"] = "all"
    best = fit().fit(X, Y).certificate_
    assert best.is_optimal
    assert plain["certificates"][0]["lower_bound"] > best.hamming_loss
    verification = read_again(Model.from_json(json.dumps(plain))).verify(X, Y)
    failed = [finding.text for finding in verification.findings if not finding.holds]
    assert any("proved from the duals" in text for text in failed)


def test_a_rule_may_say_the_same_cut_with_another_number():
    model = fit().fit(X, Y).model_
    plain = json.loads(model.to_json())
    condition = next(
        c for clause in plain["rule_sets"][0]["clauses"] for c in clause if c["feature"] == "a"
    )
    above = np.unique(X["a"].to_numpy())
    low = above[above <= condition["value"]][-1]
    condition["value"] = float(low)
    assert read_again(Model.from_json(json.dumps(plain))).verify(X, Y).holds


def test_edited_rules_are_held_against_the_bound_whatever_their_thresholds():
    again = read_again(fit().fit(X, Y).model_)
    assessment = assess("a > 0.123 and b < 24", X, Y, again)
    assert assessment.certificate is not None
    assert "over all thresholds" in str(assessment)
    assert assessment.to_plain()["thresholds"] == "all"
    beyond = assess("a > 99", X, Y, again).standing
    assert "'a > 99' is not among the model's conditions (the nearest is" in beyond.reasons[0]
    lacking = assess("a > 0.1", X.drop("c"), Y, again).standing
    assert lacking.certificate is None
    assert lacking.n_conditions is None
    assert "lacks columns of the model ('c')" in lacking.reasons[0]
    assert compare("a > 0.123 and b < 24", again, X, Y).n_rows == 80


def test_a_text_with_the_printed_rules_is_the_model():
    model = fit().fit(X, Y).model_
    again = read_again(model)
    rules = parse_rules(str(model.rule_sets[0]), conditions=again.encoding.listed_conditions)
    assert assess(rules, X, Y, again).hamming_loss == model.hamming_loss
    assert assess(str(model.rule_sets[0]), X, Y, again).certificate.is_optimal


def test_a_report_of_a_file_counts_conditions_where_it_has_the_rows():
    model = fit().fit(X, Y).model_
    facts = make_report(read_again(model), X, Y, cv=None).facts
    assert facts.n_conditions == len(model.encoding.conditions)
    assert "any thresholds" in facts.points[0].rule_sets[0].reading[0]
    assert "over all thresholds" in facts.points[0].rule_sets[0].sentence
    assert make_report(read_again(model), *make_rows(seed=1), cv=None).facts.n_conditions is None
    numeric = [f for f in facts.features if f["name"] != "c"]
    assert numeric
    assert all(f["is_ordered"] for f in numeric)
