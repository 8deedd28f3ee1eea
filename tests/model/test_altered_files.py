"""Whatever is altered in a model file: one line, or a verdict that is true.

Every field of a file is named here, with what keeps it honest. A new field must be, too.
"""

import json
import random
from contextlib import suppress

import numpy as np
import polars as pl
import pytest
from altered import GRADE, KINDS, WHOLE, X, alter, at, fit, name_of, places, signed

from boolrules import BooleanRuleClassifier, Model
from boolrules._support.budget import Budget

# How a field is kept honest.
FIXED = "one value, or refused"
CHECKED = "recomputed from the rows by verify"
QUESTION = "part of the claim, which verify proves as it stands"
PROOF = "shown to nobody: a proof rests on it, or does not"
ASKED = "what was asked for, of which nothing is claimed"
TOLD = "cannot be seen in the training rows, and verify says so"
MARK = "tells rows or files apart, and proves nothing"

FIELDS = {
    "format": FIXED,
    "version": FIXED,
    "classes": CHECKED,
    "rule_sets": CHECKED,
    "rule_sets.#.calibration": TOLD,
    "certificates": QUESTION,
    "certificates.#.hamming_loss": CHECKED,
    "certificates.#.complexity": CHECKED,
    "certificates.#.duals": PROOF,
    "certificates.#.branches": PROOF,
    "certificates.#.constraints.preferred_features": ASKED,
    "features": QUESTION,
    "class_weights": QUESTION,
    "costs": QUESTION,
    "has_sample_weight": MARK,
    "positive_rule": CHECKED,
    "training_rows": MARK,
    "held_out": TOLD,
    "sha256": MARK,
}
# What people are shown, and which fields may change it in a file that holds.
RULES = ("rules", "target", "classes", "answers", "rows", "statistics", "python")
MAY_CHANGE = {
    QUESTION: {"certificates", "constraints"},
    ASKED: {"constraints"},
    TOLD: {"figures", "probabilities"},
}


def kept_by(path):
    """Return what keeps a field honest: what is said of it, or of what it is part of."""
    name = name_of(path)
    while name not in FIELDS:
        name, _, _ = name.rpartition(".")
        assert name, f"nothing is said of the field {name_of(path)}"
    return FIELDS[name]


def shown(model):
    """All that people see of a model, by what it is about."""
    rule_sets = model.rule_sets
    probabilities = model.predict_proba(X).tolist() if rule_sets[0].has_probabilities else None
    return {
        "rules": [rules.to_text() for rules in rule_sets] + [str(rules) for rules in rule_sets],
        "target": model.target,
        "classes": repr(model.classes),
        "answers": model.predict(X).tolist(),
        "rows": [rules.to_rows() for rules in rule_sets],
        "statistics": [rules.undecided for rules in rule_sets],
        "python": model.to_python(),
        "certificates": [f"{c} {c.reason}" for c in model.certificates],
        "constraints": str(model.certificates[0].constraints),
        "figures": str(model.held_out),
        "probabilities": probabilities,
    }


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    y, weights, model = fit(request.param)
    plain = json.loads(model.to_json())
    again = Model.from_json(signed(plain))
    verification = again.verify(X, y, weights)
    assert verification.holds, str(verification)
    assert shown(again) == shown(model)
    return y, weights, plain, shown(again)


pytestmark = pytest.mark.filterwarnings("ignore:Every label is", "ignore:forbidden_conditions has")


def test_of_every_field_it_is_known_what_keeps_it_honest(kind):
    _, _, plain, _ = kind
    for path in places(plain):
        assert kept_by(path)


def test_an_altered_file_gives_one_line_or_a_true_verdict(kind):
    y, weights, plain, before = kind
    draws = random.Random(7)
    n_held = n_refused = 0
    for _ in range(120):
        path, altered = alter(plain, draws)
        if altered == plain and json.dumps(altered) == json.dumps(plain):
            continue
        try:
            model = Model.from_json(signed(altered))
            verification = model.verify(X, y, weights, Budget.of(20))
            now = shown(model)
        except ValueError as error:
            lines = str(error).splitlines()
            assert [len(line) < 400 for line in lines] == [True], lines
            n_refused += 1
            continue
        if not verification.holds:
            continue
        n_held += 1
        changed = {name for name in before if now[name] != before[name]}
        allowed = MAY_CHANGE.get(kept_by(path), set())
        if "clauses" in path and any(f.get("thresholds") == "all" for f in plain["features"]):
            allowed = {"rules", "rows", "python"}  # another number for the same cut of the rows
        allowed = allowed | no_longer_told(plain, altered)
        assert changed <= allowed, (name_of(path), at(plain, path), changed)
        told = str(verification)
        assert "figures" not in changed or model.held_out is None or "rows left out" in told
    assert n_held
    assert n_refused > 50


def no_longer_told(plain, altered):
    """What a file that says less does not show: statistics, or the name of the target."""
    less = [
        ("undecided", None, {"statistics", "probabilities"}),
        ("statistics", [], {"rows", "probabilities"}),
        ("target", None, {"rules", "target"}),
    ]
    gone = set()
    for one, other in zip(plain["rule_sets"], altered["rule_sets"], strict=True):
        for name, nothing, what in less:
            gone |= what if other[name] == nothing != one[name] else set()
    return gone


def forged(plain, path, new):
    altered = json.loads(json.dumps(plain))
    *way, last = path
    holder = at(altered, way)
    holder[last] = new(holder[last]) if callable(new) else new
    return altered


def accepted(plain, y, weights=None):
    try:
        return Model.from_json(signed(plain)).verify(X, y, weights).holds
    except ValueError:
        return False


# The target


@pytest.mark.parametrize("name", ["three classes", "dnf"])
def test_the_target_that_people_read_is_the_one_that_is_checked(name):
    y, _, model = fit(name)
    plain = json.loads(model.to_json())
    assert plain["rule_sets"][0]["target"] == "risk"
    for k in range(len(plain["rule_sets"])):
        plain = forged(plain, ("rule_sets", k, "target"), "income")
    other = Model.from_json(signed(plain))
    assert "income" in str(other)
    said = str(other.verify(X, y))
    assert "FAILS: the rules' target is 'income', the labels are called 'risk'" in said
    assert other.verify(X, y.rename("income")).holds
    unnamed = other.verify(X, y.to_numpy())
    assert "not checked: that the labels are 'income', for those given have no name" in str(
        unnamed
    )


@pytest.mark.parametrize("k", [0, 1, 2])
def test_the_target_of_several_rule_sets_is_one(k):
    _, _, model = fit("three classes")
    plain = forged(json.loads(model.to_json()), ("rule_sets", k, "target"), "income")
    with pytest.raises(ValueError, match="its rule sets name different targets"):
        Model.from_json(signed(plain))


def test_a_part_that_stands_twice_is_refused():
    _, _, model = fit("dnf")
    text = signed(json.loads(model.to_json()))
    for twice in ('"positive_rule": null', '"target": "risk"', '"hamming_loss": 1'):
        name = twice.split(":")[0]
        with pytest.raises(ValueError, match="stands in it twice"):
            Model.from_json(text.replace(f"{name}:", f"{twice}, {name}:", 1))


def test_what_verify_cannot_see_it_names():
    y, weights, model = fit("dnf")
    verification = model.verify(X, y, weights)
    assert verification.holds
    assert verification.unchecked == (
        "the figures on rows left out, which come from rules of other rows",
        "the correction of probabilities by rows left out; no answer depends on it",
    )
    assert str(verification).splitlines()[-3:] == [
        *(f"not checked: {text}" for text in verification.unchecked),
        "Everything claimed holds.",
    ]


# Statistics, which decide among three classes or more


@pytest.fixture(scope="module", params=["three classes", "three classes by weight"])
def several(request):
    y, weights, model = fit(request.param)
    return y, weights, json.loads(model.to_json())


def test_altered_statistics_that_change_answers_do_not_hold(several):
    y, weights, plain = several
    answers = Model.from_json(signed(plain)).predict(X).tolist()
    n_changed = 0
    for k, rules in enumerate(plain["rule_sets"]):
        rows = [("statistics", c) for c in range(len(rules["statistics"]))] + [("undecided",)]
        for row in rows:
            for place in range(len(at(rules, row))):
                for new in (0, 1e6, lambda v: v + 1, lambda v: v / 2, lambda v: v * (1 + 1e-6)):
                    altered = forged(plain, ("rule_sets", k, *row, place), new)
                    if altered == plain:
                        continue
                    assert not accepted(altered, y, weights)
                    with suppress(ValueError):  # right on more rows than it covers
                        now = Model.from_json(signed(altered)).predict(X).tolist()
                        n_changed += now != answers
    assert n_changed


def test_statistics_of_two_classes_change_no_answer_and_are_checked_all_the_same():
    y, _, model = fit("dnf")
    plain = json.loads(model.to_json())
    altered = forged(plain, ("rule_sets", 0, "statistics", 0, 1), lambda v: v - 1)
    forged_model = Model.from_json(signed(altered))
    assert forged_model.predict(X).tolist() == model.predict(X).tolist()
    said = str(forged_model.verify(X, y))
    assert "FAILS: coverage and precision of the clauses are those of this data" in said


def test_classes_without_statistics_cannot_compete(several):
    _, _, plain = several
    for path, new in [(("undecided",), None), (("statistics",), [])]:
        with pytest.raises(ValueError, match="it needs statistics of all clauses"):
            Model.from_json(signed(forged(plain, ("rule_sets", 0, *path), new)))


def test_sums_in_another_order_change_no_answer_and_no_verdict(several):
    y, weights, plain = several
    model = Model.from_json(signed(plain))
    order = np.random.default_rng(0).permutation(len(X))
    own = None if weights is None else weights[order]
    verification = model.verify(X[order], y[order], own)
    assert verification.holds, str(verification)
    assert "holds: of several classes, the more precise one is the answer" in str(verification)


def test_dust_in_the_sums_of_weights_decides_nothing(several):
    y, weights, plain = several
    if weights is None:
        pytest.skip("whole rows have no dust")
    before = Model.from_json(signed(plain)).decisions
    for k, rules in enumerate(plain["rule_sets"]):
        dusty = [[v * (1 + 3e-16) for v in row] for row in rules["statistics"]]
        dusty = [row[:3] + dust[3:] for row, dust in zip(rules["statistics"], dusty, strict=True)]
        plain = forged(plain, ("rule_sets", k, "statistics"), dusty)
    model = Model.from_json(signed(plain))
    assert model.decisions == before
    assert model.verify(X, y, weights).holds


def test_a_class_that_no_row_has_is_no_class():
    y, _, model = fit("three classes")
    plain = json.loads(model.to_json())
    never = json.loads(json.dumps(plain["rule_sets"][0])) | {"positive": "z", "clauses": []}
    n = float(len(X))
    plain["classes"].append("z")
    plain["class_weights"].append(1.0)
    plain["rule_sets"].append(never | {"statistics": [], "undecided": [n, 0.0, 0.0]})
    nothing = plain["certificates"][0] | {"hamming_loss": 0, "complexity": 0, "lower_bound": 0}
    plain["certificates"].append(nothing | {"argument": "zero loss", "duals": None})
    del plain["held_out"]
    said = str(Model.from_json(signed(plain)).verify(X, y))
    assert "FAILS: the model has the class 'z', which no row of the data has" in said


def test_classes_of_weightless_rows_may_be_left_out():
    y, weights = pl.Series("risk", GRADE), WHOLE * (GRADE != "c")
    model = BooleanRuleClassifier(4, time_limit=None).fit(X, y, weights).model_
    assert model.verify(X, y, weights).holds
    kept = weights > 0
    assert model.verify(X.filter(kept), y.filter(kept), weights[kept]).holds
