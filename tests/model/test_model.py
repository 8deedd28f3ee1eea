"""Model files: exact round trips, forgeries that are found out, corrupt files turned down."""

import copy
import json
from dataclasses import replace

import numpy as np
import pandas
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV, FeatureBinarizer, Model
from boolrules._support.budget import Budget
from boolrules.model.figures import Figures
from boolrules.proof.certificate import Argument

MANY = settings(max_examples=max(200, settings.default.max_examples))


def table(seed=0, n_rows=60):
    """Numbers with a special code and missing values, text, true/false; noisy labels."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n_rows)
    job = random.choice(["clerk", "cook", "nurse"], n_rows)
    X = pl.DataFrame(
        {
            "age": [None if k % 13 == 0 else int(a) for k, a in enumerate(age)],
            "score": [-9.0 if k % 7 == 0 else k % 5 + 0.5 for k in range(n_rows)],
            "job": [None if k % 11 == 0 else str(j) for k, j in enumerate(job)],
            "member": random.integers(0, 2, n_rows).astype(bool),
        }
    )
    y = np.where(((age > 50) & (job == "clerk")) ^ (random.random(n_rows) < 0.2), "high", "low")
    return X, y


def learn(X, y, sample_weight=None, **parameters):
    parameters = {
        "max_complexity": 5,
        "positive_label": "high",
        "binarizer": FeatureBinarizer(special_values=[-9], thresholds=4),
        "time_limit": 20,
    } | parameters
    return BooleanRuleClassifier(**parameters).fit(X, y, sample_weight=sample_weight)


X, Y = table()
MODEL = learn(X, Y).model_
GOOD = json.loads(MODEL.to_json())


def test_the_model_under_test_has_something_to_forge():
    assert MODEL.certificates[0].lower_bound > 0
    assert MODEL.rule_sets[0].n_clauses > 0
    assert sum(GOOD["certificates"][0]["duals"]["mu"]) > 0


def resigned(plain):
    """The file of a forger who knows the checksum."""
    return replace(Model.from_json(json.dumps(plain)), is_unaltered=True).to_json()


# Round trips


@pytest.mark.filterwarnings("ignore:time_limit=1e-09 ended")
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"form": "cnf"},
        {"max_conditions": 2},
        {"class_weight": {"high": 2.5, "low": 1}},
        {"missed_positive_cost": 3, "covered_zero_cost": 0.5},
        {"complexity_penalty": 0.25, "clause_cost": 2},
        {"binarizer": FeatureBinarizer(method="intervals")},
        {"binarizer": FeatureBinarizer(negations=False, special_values={"score": [-9, -8]})},
        {"time_limit": 1e-9},
    ],
    ids=repr,
)
def test_a_file_reads_back_to_the_same_model(tmp_path, parameters):
    model = learn(X, Y, **parameters)
    model.save(tmp_path / "model.json")
    loaded, saved = Model.load(tmp_path / "model.json"), model.model_
    assert loaded.is_unaltered
    assert loaded.rule_sets == saved.rule_sets
    assert loaded.encoding == saved.encoding
    assert loaded.to_json() == saved.to_json()
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.verify(X, Y).holds


def test_a_file_of_three_classes_reads_back_to_the_same_model(tmp_path):
    y = np.where(X["member"].to_numpy(), Y, "none")
    model = learn(X, y, positive_label=None)
    model.save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.verify(X, y).holds
    assert str(loaded.verify(X, y)).count("Hamming loss") == 3


def test_a_model_with_sample_weights_is_verified_with_them(tmp_path):
    weights = np.random.default_rng(0).random(60)
    learn(X, Y, sample_weight=weights).save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    assert loaded.verify(X, Y, weights).holds
    assert not loaded.verify(X, Y, weights * 2).holds
    assert not loaded.verify(X, Y).holds


def test_odd_names_and_labels_survive(tmp_path):
    odd = pl.DataFrame({"größe 'x' \"y\"\n": [1, 2, 3, 4], "🦓": ["<a>", "\\", "ü", "<a>"]})
    y = ["no ☹", "no ☹", "yes ☺", "yes ☺"]
    model = learn(odd, y, positive_label="yes ☺", binarizer="auto")
    model.save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    assert loaded.predict(odd).tolist() == y
    assert loaded.verify(odd, y).holds


def test_a_file_is_plain_json_with_integer_duals():
    duals = GOOD["certificates"][0]["duals"]
    assert all(type(mu) is int for mu in duals["mu"])
    assert type(duals["lam"]) is int
    assert GOOD["format"] == "boolrules model"


def test_verification_that_runs_out_of_time_claims_nothing():
    verification = MODEL.verify(X, Y, budget=Budget.of(0.0))
    assert not verification.holds
    assert "nothing proved from the duals" in str(verification)


@pytest.mark.filterwarnings("ignore:time_limit=1e-09 ended")
def test_a_model_that_claims_no_bound_holds_without_one():
    model = learn(X, Y, time_limit=1e-9)
    assert model.certificate_.lower_bound is None
    assert "no lower bound is claimed" in str(model.verify(X, Y))


def test_costs_and_class_weights_are_shown_because_they_come_from_the_model():
    model = learn(X, Y, missed_positive_cost=5, class_weight={"low": 2, "high": 1})
    first = str(model.verify(X, Y)).splitlines()[0]
    assert first == (
        "holds: weighed as the model says: a missed positive 5, a covered zero 1; "
        "class weights 'high' 1, 'low' 2"
    )
    assert "weighed" not in str(MODEL.verify(X, Y))


def asking(model, **changes):
    """The same model, whose problem asks for more."""
    certificate = model.certificates[0]
    problem = replace(certificate.problem, **changes)
    return replace(model, certificates=(replace(certificate, problem=problem),))


def test_limits_are_checked_where_no_loss_needs_no_proof():
    y = np.where(X["member"].to_numpy(), "high", "low")
    model = learn(X, y).model_
    assert model.certificates[0].argument is Argument.ZERO_LOSS
    n_covered = int((y == "high").sum())
    assert asking(model, min_coverage=n_covered).verify(X, y).holds
    assert not asking(model, min_coverage=n_covered + 1).verify(X, y).holds
    assert not asking(model, required=((),)).verify(X, y).holds


def test_limits_are_checked_where_no_bound_is_claimed():
    nothing = replace(MODEL.certificates[0], lower_bound=None, argument=Argument.NONE, duals=None)
    model = replace(MODEL, certificates=(nothing,))
    assert model.verify(X, Y).holds
    assert not asking(model, min_coverage=len(Y)).verify(X, Y).holds


# Altered by hand


def change(path, new):
    """Return a function that changes one place of a model's plain form."""

    def changed(plain):
        *way, last = path
        place = plain
        for key in way:
            place = place[key]
        place[last] = new(place[last]) if callable(new) else new

    return changed


CERTIFICATE = ("certificates", 0)
CONDITION = ("rule_sets", 0, "clauses", 0, 0)
STATISTICS = ("rule_sets", 0, "statistics")


def drop_first_clause(plain):
    del plain["rule_sets"][0]["clauses"][0]
    del plain["rule_sets"][0]["statistics"][0]


def add_condition(plain):
    clause = plain["rule_sets"][0]["clauses"][0]
    clause.append({"feature": "member", "relation": "==", "value": True})


def raise_duals_and_bound(plain):
    duals = plain["certificates"][0]["duals"]
    duals["mu"] = [mu + duals["scale"] // 2 for mu in duals["mu"]]
    plain["certificates"][0]["lower_bound"] += 1


def claim_optimality(plain):
    plain["certificates"][0]["lower_bound"] = plain["certificates"][0]["hamming_loss"]
    plain["certificates"][0]["hamming_loss"] = plain["certificates"][0]["lower_bound"]


def shift_thresholds(plain):
    age = plain["features"][0]
    assert age["name"] == "age"
    age["thresholds"] = [t - 7.25 for t in age["thresholds"]]


def shift_the_rules_threshold(plain):
    for clause in plain["rule_sets"][0]["clauses"]:
        for condition in clause:
            if condition["relation"] in ("<=", ">"):
                condition["value"] += 1.5
                return
    raise AssertionError("no threshold in the rules")


def swap_labels(plain):
    rules = plain["rule_sets"][0]
    rules["positive"], rules["negative"] = rules["negative"], rules["positive"]


def drop_a_dual(plain):
    plain["certificates"][0]["duals"]["mu"].pop()


def lower_a_dual(plain):
    duals = plain["certificates"][0]["duals"]
    largest = max(range(len(duals["mu"])), key=duals["mu"].__getitem__)
    duals["mu"][largest] = 0


FORGERIES = {
    "loss lowered": change((*CERTIFICATE, "hamming_loss"), lambda v: v - 1),
    "loss raised": change((*CERTIFICATE, "hamming_loss"), lambda v: v + 1),
    "loss a fraction": change((*CERTIFICATE, "hamming_loss"), lambda v: v + 0.001),
    "bound raised": change((*CERTIFICATE, "lower_bound"), lambda v: v + 1),
    "bound a fraction": change((*CERTIFICATE, "lower_bound"), lambda v: v + 0.5),
    "bound by decree": change((*CERTIFICATE, "argument"), "zero loss"),
    "complexity": change((*CERTIFICATE, "complexity"), lambda v: v - 1),
    "limit": change((*CERTIFICATE, "problem", "max_complexity"), 2),
    "longest clause": change((*CERTIFICATE, "problem", "max_conditions"), 1),
    "duals and bound raised": raise_duals_and_bound,
    "a dual lowered": lower_a_dual,
    "a dual dropped": drop_a_dual,
    "lambda to zero": change((*CERTIFICATE, "duals", "lam"), 0),
    "scale": change((*CERTIFICATE, "duals", "scale"), lambda v: v // 2),
    "duals dropped": change((*CERTIFICATE, "duals"), None),
    "a clause dropped": drop_first_clause,
    "a condition added": add_condition,
    "form": change(("rule_sets", 0, "form"), "cnf"),
    "rules' threshold": shift_the_rules_threshold,
    "labels swapped": swap_labels,
    "thresholds of a column": shift_thresholds,
    "class weights": change(("class_weights",), [2, 1]),
    "costs": change(("costs",), [2, 1]),
    "coverage": change((*STATISTICS, 0, 0), lambda v: v + 1),
    "precision": change((*STATISTICS, 0), lambda v: [v[0], v[1] - 1, v[2] - 1]),
    "rows of one clause alone": change((*STATISTICS, 0, 2), lambda v: v - 0.5),
    "rows that nobody decides": change(("rule_sets", 0, "undecided", 0), lambda v: v + 1),
    "weights where there are none": change((*STATISTICS, 0), lambda v: v * 2),
}


# Labels that are none of the classes are turned down before there is a model.
CONTRADICTIONS = {
    "negative label": change(("rule_sets", 0, "negative"), "medium"),
    "positive label": change(("rule_sets", 0, "positive"), "medium"),
    "no negative label": change(("rule_sets", 0, "negative"), None),
    "one label twice": change(("rule_sets", 0, "negative"), "high"),
    "classes": change(("classes",), ["high", "medium"]),
    "one class twice": change(("classes",), ["high", "high"]),
    "three classes": lambda plain: plain.update(
        classes=["a", "high", "low"], class_weights=[1] * 3
    ),
    "a column that is none": change((*CONDITION, "feature"), "income"),
    "a column twice": change(("features", 1, "name"), "age"),
    "a category twice": change(("features", 2, "categories"), ["clerk", "cook", "cook"]),
    "categories of two kinds": change(("features", 2, "categories"), ["clerk", 1]),
    "1 and true": change(("features", 3, "categories"), [1, True]),
    "special values twice": change(("features", 1, "special_values"), [-9, -9]),
    "a special value seen that is none": change(("features", 1, "seen_special"), [-8]),
    "a positive rule of no class": change(("positive_rule",), "medium"),
    "every rule set": change((*CERTIFICATE, "argument"), "every rule set"),
}


@pytest.mark.parametrize("forge", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_file_that_contradicts_itself_is_turned_down_in_one_line(forge):
    plain = copy.deepcopy(GOOD)
    forge(plain)
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_an_altered_file_is_turned_down(forge):
    plain = copy.deepcopy(GOOD)
    forge(plain)
    assert plain != GOOD
    verification = Model.from_json(json.dumps(plain)).verify(X, Y)
    assert not verification.holds
    assert "altered after it was saved" in str(verification)


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_file_altered_and_signed_anew_is_turned_down_by_the_data(forge):
    plain = copy.deepcopy(GOOD)
    forge(plain)
    forged = Model.from_json(resigned(plain))
    assert forged.is_unaltered
    assert not forged.verify(X, Y).holds


def test_a_condition_that_the_bound_does_not_range_over_is_turned_down():
    plain = copy.deepcopy(GOOD)
    threshold = next(
        condition
        for clause in plain["rule_sets"][0]["clauses"]
        for condition in clause
        if condition["feature"] == "age" and condition["relation"] in ("<=", ">")
    )
    # Ages are whole numbers: the rules decide every row as before, by a threshold of their own.
    threshold["value"] = float(np.floor(threshold["value"])) + 0.5
    forged = Model.from_json(resigned(plain))
    assert forged.predict(X).tolist() == MODEL.predict(X).tolist()
    findings = forged.verify(X, Y).findings
    assert [f.text for f in findings if not f.holds] == [
        "every condition is among those that the bound ranges over"
    ]


def test_signing_anew_without_a_change_changes_nothing():
    assert resigned(GOOD) == MODEL.to_json()
    assert Model.from_json(resigned(GOOD)).verify(X, Y).holds


def test_a_file_with_another_checksum_is_turned_down():
    loaded = Model.from_json(json.dumps(GOOD | {"sha256": "0" * 64}))
    assert not loaded.is_unaltered
    assert not loaded.verify(X, Y).holds


@pytest.mark.parametrize("checksum", ["", None, 7, "0" * 64 + "\n"])
def test_what_is_no_checksum_is_turned_down(checksum):
    with pytest.raises(ValueError, match="sha256"):
        Model.from_json(json.dumps(GOOD | {"sha256": checksum}))


def test_a_reformatted_file_is_not_altered():
    assert Model.from_json(json.dumps(GOOD, indent=4)).verify(X, Y).holds


# Other rows


def test_other_rows_are_no_false_claim_and_do_not_verify():
    X_other, y_other = table(seed=1)
    for X_given, y_given, how in [
        (X_other, y_other, "there are 60 as in fit, but values, labels or weights differ"),
        (X.head(59), Y[:59], "there are 59, and fit had 60"),
    ]:
        verification = MODEL.verify(X_given, y_given)
        assert not verification.holds
        assert verification.findings == ()
        assert str(verification).splitlines() == [
            f"These are not the training rows: {how}.",
            "A certificate speaks of the training rows alone: nothing was verified on these.",
            "How the rules do on these rows: boolrules score, or Model.score_rows in Python.",
        ]


def test_rows_of_fit_are_known_in_any_order_and_by_any_weights_that_say_the_same():
    order = np.random.default_rng(0).permutation(60)
    assert MODEL.verify(X[order], Y[order]).holds
    assert MODEL.verify(X, Y, np.ones(60)).holds
    assert MODEL.verify(pl.concat([X, X.head(1)]), np.append(Y, Y[0]), [1] * 60 + [0]).holds
    assert not MODEL.verify(X, Y, np.full(60, 2)).holds


def test_a_file_without_a_fingerprint_is_checked_as_ever():
    old = {key: value for key, value in GOOD.items() if key != "training_rows"}
    loaded = Model.from_json(resigned(old))
    assert loaded.training_rows is None
    assert loaded.verify(X, Y).holds
    said = str(loaded.verify(X.head(59), Y[:59]))
    assert "FAILS: lower bound" in said
    assert "training rows" not in said


def test_an_altered_file_is_told_before_anything_is_said_of_its_rows():
    plain = copy.deepcopy(GOOD)
    plain["training_rows"]["n_rows"] = 7
    verification = Model.from_json(json.dumps(plain)).verify(X.head(59), Y[:59])
    assert str(verification).startswith("FAILS: the file was altered after it was saved")
    assert "training rows" not in str(verification)


@pytest.mark.parametrize("digits", ["0" * 16, "f" * 16])
def test_no_fingerprint_makes_a_false_claim_pass(digits):
    plain = copy.deepcopy(GOOD)
    plain["certificates"][0]["lower_bound"] += 1
    for rows in (GOOD["training_rows"]["rows"], digits):
        plain["training_rows"]["rows"] = rows
        assert not Model.from_json(resigned(plain)).verify(X, Y).holds


def test_under_another_encoding_a_fingerprint_says_nothing():
    plain = copy.deepcopy(GOOD)
    shift_thresholds(plain)
    said = str(Model.from_json(resigned(plain)).verify(X, Y))
    assert "FAILS" in said
    assert "training rows" not in said


def test_rows_of_fit_are_told_from_others_where_nothing_is_lost():
    frame, y = pl.DataFrame({"a": range(8)}), np.arange(8) > 3
    model = BooleanRuleClassifier(2).fit(frame, y).model_
    assert model.hamming_loss == 0
    assert model.verify(frame, y).holds
    assert not model.verify(frame[:6], y[:6]).holds
    assert model.are_training_rows(model.rows(frame, y))
    assert not model.are_training_rows(model.rows(frame[:6], y[:6]))


def test_without_all_columns_the_loss_says_whether_rows_are_those_of_fit():
    used = X.select(MODEL.features)
    assert set(used.columns) < set(X.columns)
    assert MODEL.are_training_rows(MODEL.rows(used, Y))


# Figures on rows


def test_the_rules_are_scored_on_any_rows_with_labels():
    X_other, y_other = table(seed=1)
    figures = MODEL.score_rows(X_other, y_other)
    answers = MODEL.predict(X_other)
    assert figures.accuracy == pytest.approx(np.mean(answers == y_other))
    assert figures.precision == pytest.approx(np.mean(y_other[answers == "high"] == "high"))
    assert figures.recall == pytest.approx(np.mean(answers[y_other == "high"] == "high"))
    assert (figures.classes, figures.positive, figures.n_rows) == (("high", "low"), "high", 60)
    assert figures.description == ""
    day = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)
    assert MODEL.score_rows(X_other.with_columns(day=day), y_other) == figures


def test_three_classes_are_scored_without_a_positive_one():
    y = np.where(X["member"].to_numpy(), Y, "none")
    model = learn(X, y, positive_label=None).model_
    figures = model.score_rows(X, y)
    assert figures.accuracy == pytest.approx(np.mean(model.predict(X) == y))
    assert figures.positive is None


@pytest.mark.parametrize("label", ["medium", None, float("nan"), pandas.NA])
def test_a_label_that_the_model_does_not_know_cannot_be_scored(label):
    labels = np.array(Y, dtype=object)
    labels[3] = label
    with pytest.raises(ValueError, match=r"the label .*, the model knows 'high', 'low'"):
        MODEL.score_rows(X, labels)


def test_labels_and_rows_that_do_not_fit_together_cannot_be_scored():
    with pytest.raises(ValueError, match="one label per row"):
        MODEL.score_rows(X, Y[:59])
    with pytest.raises(ValueError, match="no rows"):
        MODEL.score_rows(X[:0], Y[:0])


def with_figures(model=MODEL):
    figures = Figures.of(model.classes, "high", [[[5, 3], [2, 50]]], 60, "5 folds")
    return replace(model, held_out=figures)


def test_figures_on_rows_left_out_are_saved_and_read_back():
    saved = with_figures()
    loaded = Model.from_json(saved.to_json())
    assert loaded.is_unaltered
    assert loaded.held_out == saved.held_out
    assert loaded.to_json() == saved.to_json()
    assert loaded.verify(X, Y).holds
    plain = json.loads(saved.to_json())
    plain["held_out"]["confusions"][0][0][0] += 1
    assert not Model.from_json(json.dumps(plain)).is_unaltered


@pytest.mark.parametrize("change", [{"classes": ["a", "b"], "positive": "a"}, {"n_rows": 0}])
def test_figures_that_do_not_belong_to_the_model_are_turned_down(change):
    plain = json.loads(with_figures().to_json())
    plain["held_out"] |= change
    with pytest.raises(ValueError, match=r"other classes|n_rows"):
        Model.from_json(json.dumps(plain))


def test_a_model_shows_rules_then_figures_then_what_is_proved():
    for shown, rules in [
        (str(with_figures()), "THEN 'high'"),
        (with_figures()._repr_html_(), "&#x27;high&#x27;"),
    ]:
        places = [shown.index(words) for words in (rules, "accuracy 91.7 %", "lower bound")]
        assert places == sorted(places)
    assert "accuracy" not in (str(MODEL) + MODEL._repr_html_()).lower()


def test_several_rule_sets_are_shown_with_the_label_of_each_certificate():
    y = np.where(X["member"].to_numpy(), Y, "none")
    model = learn(X, y, positive_label=None).model_
    for shown in (str(model), model._repr_html_().replace("&#x27;", "'")):
        assert shown.count("Hamming loss") == 3
        assert all(f"'{label}': " in shown for label in model.classes)


# Corrupt files


CORRUPT = {
    "empty": b"",
    "not text": b"\x80\xff\x00model",
    "not JSON": b"IF age > 3",
    "cut off": json.dumps(GOOD).encode()[:-20],
    "a list": b"[]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "another format": json.dumps(GOOD | {"format": "pmml"}).encode(),
    "another version": json.dumps(GOOD | {"version": 99}).encode(),
    "rules alone": json.dumps(GOOD["rule_sets"][0]).encode(),
}


@pytest.mark.parametrize("contents", CORRUPT.values(), ids=CORRUPT)
def test_a_corrupt_file_gives_a_value_error_that_names_it(tmp_path, contents):
    path = tmp_path / "model.json"
    path.write_bytes(contents)
    with pytest.raises(ValueError, match=r"model\.json is not a (usable )?boolrules model"):
        Model.load(path)


@pytest.mark.parametrize("key", [k for k in GOOD if k not in ("has_sample_weight", "sha256")])
def test_a_file_without_one_of_its_parts_is_turned_down_or_known_to_be_altered(key):
    plain = {k: v for k, v in GOOD.items() if k != key}
    try:
        loaded = Model.from_json(json.dumps(plain))
    except ValueError:
        return
    assert not loaded.is_unaltered


HUGE = 10**400
BROKEN = {
    "no certificate": change(("certificates",), []),
    "two certificates": change(("certificates",), lambda v: v * 2),
    "no rule set": change(("rule_sets",), []),
    "one class weight": change(("class_weights",), [1]),
    "class weight negative": change(("class_weights", 0), -1),
    "class weight infinite": change(("class_weights", 0), float("inf")),
    "class weight huge": change(("class_weights", 0), HUGE),
    "class weight text": change(("class_weights", 0), "1"),
    "cost NaN": change(("costs", 0), float("nan")),
    "cost huge": change(("costs", 1), HUGE),
    "three costs": change(("costs",), [1, 1, 1]),
    "a class that is a list": change(("classes", 0), [1]),
    "a class that is an object": change(("classes", 0), {"a": 1}),
    "a class that is NaN": change(("classes", 0), float("nan")),
    "target number": change(("rule_sets", 0, "target"), 3),
    "loss text": change((*CERTIFICATE, "hamming_loss"), "3"),
    "loss NaN": change((*CERTIFICATE, "hamming_loss"), float("nan")),
    "loss huge": change((*CERTIFICATE, "hamming_loss"), HUGE),
    "bound infinite": change((*CERTIFICATE, "lower_bound"), float("inf")),
    "bound huge": change((*CERTIFICATE, "lower_bound"), HUGE),
    "argument": change((*CERTIFICATE, "argument"), "trust me"),
    "problem list": change((*CERTIFICATE, "problem"), []),
    "problem extra": change((*CERTIFICATE, "problem", "shell"), 1),
    "limit text": change((*CERTIFICATE, "problem", "max_complexity"), "5"),
    "limit huge": change((*CERTIFICATE, "problem", "max_complexity"), HUGE),
    "limit null": change((*CERTIFICATE, "problem", "max_complexity"), None),
    "price null": change((*CERTIFICATE, "problem", "clause_cost"), None),
    "max_conditions fraction": change((*CERTIFICATE, "problem", "max_conditions"), 1.5),
    "duals text": change((*CERTIFICATE, "duals", "mu"), "123"),
    "duals fraction": change((*CERTIFICATE, "duals", "mu", 0), 0.5),
    "duals negative": change((*CERTIFICATE, "duals", "mu", 0), -1),
    "duals huge": change((*CERTIFICATE, "duals", "mu", 0), HUGE),
    "scale zero": change((*CERTIFICATE, "duals", "scale"), 0),
    "features object": change(("features",), {}),
    "feature without name": change(("features", 0, "name"), None),
    "feature kind": change(("features", 0, "kind"), "pickle"),
    "feature extra": change(("features", 0, "code"), "import os"),
    "feature flag": change(("features", 0, "has_null"), "yes"),
    "thresholds text": change(("features", 0, "thresholds"), "123"),
    "thresholds null": change(("features", 0, "thresholds"), None),
    "thresholds not sorted": change(("features", 0, "thresholds"), [2, 1]),
    "threshold text": change(("features", 0, "thresholds", 0), "12"),
    "threshold NaN": change(("features", 0, "thresholds", 0), float("nan")),
    "threshold infinite": change(("features", 0, "thresholds", -1), float("inf")),
    "threshold huge": change(("features", 0, "thresholds", 0), HUGE),
    "special value NaN": change(("features", 1, "special_values", 0), float("nan")),
    "categories text": change(("features", 2, "categories"), "abc"),
    "category list": change(("features", 2, "categories", 0), ["a"]),
    "category NaN": change(("features", 2, "categories", 0), float("nan")),
    "statistics number": change(("rule_sets", 0, "statistics"), 5),
    "condition": change((*CONDITION, "value"), {"a": 1}),
    "condition huge": change((*CONDITION, "value"), HUGE),
}


@pytest.mark.parametrize("break_it", BROKEN.values(), ids=BROKEN)
def test_a_file_with_a_part_of_the_wrong_kind_gives_a_value_error(break_it):
    plain = copy.deepcopy(GOOD)
    break_it(plain)
    with pytest.raises(ValueError, match=r".+"):
        Model.from_json(json.dumps(plain))


def places(plain, path=()):
    if path:
        yield path
    items = plain.items() if isinstance(plain, dict) else enumerate(plain)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


PLAIN = st.one_of(
    st.sampled_from([None, True, 0, -1, 1.5, float("nan"), float("inf"), HUGE, 2**61]),
    st.sampled_from(["", "x", "cnf", "zero loss", "1", [], {}, [1], [[1]], {"a": 1}, ["a", "b"]]),
    st.integers(),
    st.floats(),
)


@MANY
@given(st.sampled_from(list(places(GOOD))), PLAIN)
def test_whatever_stands_in_a_file_it_gives_a_value_error_or_is_found_to_be_altered(path, value):
    plain = copy.deepcopy(GOOD)
    change(path, lambda _: value)(plain)
    try:
        loaded = Model.from_json(json.dumps(plain))
        verification = loaded.verify(X, Y)
    except ValueError:
        return
    is_same = json.dumps(plain, sort_keys=True) == json.dumps(GOOD, sort_keys=True)
    assert verification.holds == is_same


@pytest.mark.parametrize(
    ("path", "number"),
    [
        (("class_weights", 0), 1e308),
        (("costs", 0), 1e308),
        (("class_weights", 0), 2**64),
        (("costs", 0), 2**64),
        (("costs", 1), 2**64),
        ((*CERTIFICATE, "problem", "complexity_penalty"), 1e308),
        ((*CERTIFICATE, "problem", "max_complexity"), 1e308),
        ((*CERTIFICATE, "duals", "lam"), 2**61),
        ((*CERTIFICATE, "duals", "mu", 0), 2**61),
    ],
    ids=repr,
)
def test_numbers_too_large_to_sum_do_not_verify(path, number):
    plain = copy.deepcopy(GOOD)
    change(path, number)(plain)
    try:
        verification = Model.from_json(resigned(plain)).verify(X, Y)
    except ValueError:
        return
    assert not verification.holds


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Model.load(tmp_path / "nope.json")


SMALL = pl.DataFrame({"a": [0, 0, 1, 1, 2, 2, 3, 3], "b": list("xyxyxyxy")})
LABELS = np.array([1, 0, 1, 0, 1, 1, 0, 1])


def with_a_given_clause(**parameters):
    model = BooleanRuleClassifier(
        7, constraints={"given_clauses": ["a <= 0"]}, time_limit=None, **parameters
    )
    return model.fit(SMALL, LABELS)


def test_a_given_clause_counts_as_often_as_the_rules_have_it():
    plain = json.loads(with_a_given_clause().model_.to_json())
    rules, certificate = plain["rule_sets"][0], plain["certificates"][0]
    assert certificate["hamming_loss"] == 2
    for part in ("clauses", "statistics"):
        rules[part] = rules[part][:1]
    clause = certificate["given"]["clauses"][0]
    certificate["given"] = {"clauses": [clause] * 3, "loss": 3}
    certificate |= {"hamming_loss": 5, "complexity": 2, "lower_bound": 7}
    plain["certificates"] = [certificate | {"argument": "no room", "duals": None}]
    forged = Model.from_json(resigned(plain))
    assert forged.certificates[0].is_optimal
    assert not forged.verify(SMALL, LABELS).holds


def test_what_a_given_clause_has_is_not_required_of_the_others():
    plain = json.loads(with_a_given_clause(min_coverage=1).model_.to_json())
    certificate = plain["certificates"][0]
    certificate["problem"]["required"] = [[0]]  # a <= 0
    certificate |= {"lower_bound": 3, "argument": "enumeration"}
    verification = Model.from_json(resigned(plain)).verify(SMALL, LABELS)
    failures = [finding.text for finding in verification.findings if not finding.holds]
    assert any("required" in text for text in failures)
    assert any("above the objective" in text for text in failures)


def test_whole_weights_are_summed_to_the_last_unit():
    X, y = pl.DataFrame({"a": [0, 0, 1, 2, 3, 4]}), np.array([1, 0, 1, 1, 0, 0])
    weights = np.array([1e14, 2e14, 3, 3, 2, 2])
    model = BooleanRuleClassifier(6, time_limit=None).fit(X, y, sample_weight=weights)
    assert model.verify(X, y, weights).holds
    plain = json.loads(model.model_.to_json())
    plain["rule_sets"][0] |= {"clauses": [], "statistics": []}
    plain["certificates"][0]["complexity"] = 0
    assert not Model.from_json(resigned(plain)).verify(X, y, weights).holds


@pytest.mark.parametrize(
    "forge",
    [
        lambda parts: parts[1:] + parts[:1],
        lambda parts: parts[:2],
        lambda parts: parts[:1],
        lambda parts: parts[:1] * 3,
    ],
)
def test_rule_sets_of_three_classes_stand_in_their_order(forge):
    random = np.random.default_rng(0)
    X = pl.DataFrame({"a": random.integers(0, 6, 12), "b": random.integers(0, 3, 12)})
    y = np.array(["u", "v", "w"])[random.integers(0, 3, 12)]
    plain = json.loads(BooleanRuleClassifier(5).fit(X, y).model_.to_json())
    for part in ("rule_sets", "certificates"):
        plain[part] = forge(plain[part])
    with pytest.raises(ValueError, match="one rule set"):
        Model.from_json(json.dumps(plain))


def test_a_required_condition_that_there_is_not_is_turned_down():
    plain = copy.deepcopy(GOOD)
    plain["certificates"][0]["problem"]["required"] = [[1, 10_000]]
    with pytest.raises(ValueError, match="conditions that there are not"):
        Model.from_json(json.dumps(plain))


def test_prices_in_tenths_beside_given_clauses_are_counted_exactly():
    y = np.array([1, 1, 0, 1, 0, 0, 0, 1])
    model = BooleanRuleClassifier(
        6, clause_cost=0.1, constraints={"given_clauses": ["a <= 0", "b == 'x'"]}
    )
    model.fit(SMALL, y)
    assert model.certificate_.complexity == round(model.certificate_.complexity, 1)
    assert model.verify(SMALL, y).holds


def test_weights_that_fit_can_sum_verify_can():
    X, y = np.arange(8)[:, None], np.array([1, 0, 1, 0, 0, 0, 0, 0])
    weights = np.full(8, 1e14)
    model = BooleanRuleClassifier(2, missed_positive_cost=10).fit(X, y, sample_weight=weights)
    assert model.verify(X, y, weights).holds


@pytest.mark.parametrize("label", ["High", None, pandas.NA])
def test_labels_that_the_model_does_not_know_do_not_verify(label):
    labels = np.array(Y, dtype=object)
    labels[3] = label
    verification = MODEL.verify(X, labels)
    assert not verification.holds
    assert f"the data have the label {label!r}, the model knows 'high', 'low'" in str(verification)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_that_no_rule_reads_may_hold_anything(n_classes):
    frame = pl.DataFrame({"a": range(12), "b": ["x", "y", "z"] * 4})
    y = np.arange(12) * n_classes // 12
    model = BooleanRuleClassifier(4).fit(frame, y).model_
    day = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 12), eager=True)
    other = frame.with_columns(date=day)
    assert model.predict(other).tolist() == model.predict(frame).tolist()
    assert model.predict_proba(other).tolist() == model.predict_proba(frame).tolist()
    assert list(map(str, model.explain(other))) == list(map(str, model.explain(frame)))


def test_a_loss_of_fractions_that_is_off_by_a_trifle_is_turned_down():
    random = np.random.default_rng(0)
    X, y, weights = random.integers(0, 9, (60, 2)), random.random(60) < 0.5, random.random(60) * 9
    model = BooleanRuleClassifier(4).fit(X, y, weights).model_
    assert model.verify(X, y, weights).holds
    claimed = model.certificates[0].hamming_loss * (1 - 5e-10)
    forged = replace(model, certificates=(replace(model.certificates[0], hamming_loss=claimed),))
    assert not forged.verify(X, y, weights).holds


def findings_of(model, X, y, words):
    return [finding.holds for finding in model.verify(X, y).findings if words in finding.text]


def test_rules_without_a_given_clause_are_told():
    model = with_a_given_clause().model_
    (rules,), (certificate,) = model.rule_sets, model.certificates
    assert findings_of(model, SMALL, LABELS, "given clauses are there") == [True]
    without = replace(rules, clauses=rules.clauses[1:])
    assert certificate.given.clauses[0] == rules.clauses[0]
    forged = replace(model, rule_sets=(without,))
    assert findings_of(forged, SMALL, LABELS, "given clauses are there") == [False]


def test_all_that_is_required_must_be_used():
    demands = {"required": ["a"]}
    model = BooleanRuleClassifier(2, constraints=demands).fit(SMALL, LABELS).model_
    conditions = model.encoding.conditions
    a, b = ([j for j, c in enumerate(conditions) if c.feature == name] for name in "ab")
    words = "all that is required is used"
    for groups, holds in (((a,), True), ((a, b), False), ((b, a), False)):
        problem = replace(model.certificates[0].problem, required=groups)
        certificate = replace(model.certificates[0], problem=problem)
        forged = replace(model, certificates=(certificate,))
        assert findings_of(forged, SMALL, LABELS, words) == [holds]


@pytest.mark.parametrize("beyond", [0, 1])
def test_the_first_condition_that_there_is_not_is_turned_down(beyond):
    plain = copy.deepcopy(GOOD)
    n_conditions = len(MODEL.encoding.conditions)
    plain["certificates"][0]["problem"]["required"] = [[n_conditions + beyond]]
    with pytest.raises(ValueError, match="require conditions that there are not"):
        Model.from_json(json.dumps(plain))


def test_nothing_is_known_of_all_classes_where_nothing_is_known_of_one():
    X = np.arange(12)[:, None]
    model = BooleanRuleClassifier(2).fit(X, np.arange(12) // 4).model_
    assert model.lower_bound == sum(c.lower_bound for c in model.certificates)
    first = replace(model.certificates[0], lower_bound=None, argument=Argument.NONE)
    unknown = replace(model, certificates=(first, *model.certificates[1:]))
    assert unknown.lower_bound is None
    assert not unknown.is_optimal


def test_a_model_shows_itself_as_people_read_it():
    X, y = [[0], [1], [2], [3]] * 5, [0, 1, 0, 1] * 5
    model = BooleanRuleClassifierCV(complexities=[3], cv=3, n_repeats=1, random_state=0).fit(X, y)
    shown = repr(model.model_)
    parts = [str(model.rule_set_), str(model.held_out_), str(model.certificate_)]
    assert shown == str(model.model_)
    assert [shown.index(part) for part in parts] == sorted(shown.index(part) for part in parts)
