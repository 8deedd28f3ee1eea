"""What looks like an identifier gives no conditions, unless it is asked for."""

import json
import warnings

import numpy as np
import polars as pl
import pytest

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV, FeatureBinarizer

N = 60
RANDOM = np.random.default_rng(0)
CODES = [f"P-{k}" for k in range(N)]
X = pl.DataFrame({"code": CODES, "age": RANDOM.integers(20, 60, N), "pay": RANDOM.normal(size=N)})
Y = (X["age"] > 40).to_numpy() ^ (RANDOM.random(N) < 0.1)


def make(**parameters):
    return BooleanRuleClassifier(3, time_limit=None, **parameters)


def features(model):
    return {condition.feature for condition in model.conditions_}


def test_an_identifier_gives_no_conditions_and_a_warning_says_so(tmp_path):
    with pytest.warns(UserWarning, match=r"'code' looks like an identifier \(60 .*no conditions"):
        model = make().fit(X, Y)
    assert features(model) == {"age", "pay"}
    assert "no code" in str(model.certificate_.constraints)
    assert model.verify(X, Y).holds
    model.save(tmp_path / "m.json")
    constraints = json.loads((tmp_path / "m.json").read_text())["certificates"][0]["constraints"]
    assert constraints == {"forbidden_features": ["code"]}


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ([f"{k % 28 + 1:02}.04.{1900 + k}" for k in range(N)], "dates .*pandas.to_datetime"),
        ([f"{k}.5 kg" for k in range(N)], "numbers .*Make numbers written as text numbers"),
    ],
)
def test_the_warning_says_how_to_make_use_of_text(texts, told):
    with pytest.warns(UserWarning, match=rf"'code' has {told}.* name it in categorical_features"):
        model = make().fit(X.with_columns(code=pl.Series(texts)), Y)
    assert features(model) == {"age", "pay"}


ASKED = {
    "categorical": {"binarizer": FeatureBinarizer(categorical_features=["code"])},
    "allowed": {"constraints": {"allowed_features": ["code", "age"]}},
    "preferred": {"constraints": {"preferred_features": ["code"]}},
    "required": {"constraints": {"required": ["code"]}},
    "given": {"constraints": {"given_clauses": ["code == 'P-1'"]}},
}


@pytest.mark.parametrize("parameters", ASKED.values(), ids=ASKED)
def test_an_identifier_that_is_asked_for_gives_conditions(parameters):
    assert "code" in features(make(**parameters).fit(X, Y))


def test_what_is_forbidden_already_is_not_warned_of():
    model = make(constraints={"forbidden_features": ["code"]}).fit(X, Y)
    assert features(model) == {"age", "pay"}


def test_an_identifier_alone_is_better_than_nothing():
    assert features(make().fit(X.select("code"), Y)) == {"code"}


@pytest.mark.parametrize("value", [7.5, "B2", None])
@pytest.mark.parametrize("is_lazy", [False, True])
def test_an_identifier_beside_one_value_in_all_rows_is_as_if_alone(value, is_lazy):
    table = X.select("code", ward=pl.lit(value))
    assert features(make().fit(table.lazy() if is_lazy else table, Y)) == {"code"}


def test_folds_leave_out_what_all_rows_leave_out():
    # 32 rows show an identifier, the 24 of a fold would not.
    rows = 32
    search = BooleanRuleClassifierCV(make(), complexities=[2], cv=4, n_repeats=1, time_limit=None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X[:rows], Y[:rows])
    assert len([w for w in caught if "identifier" in str(w.message)]) == 1
    for point in search.path_:
        assert "code" not in features(point.classifier)
