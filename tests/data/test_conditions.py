"""Conditions that are written when they are asked for are those that are written out."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, Condition, Constraints, Model, Relation
from boolrules.data import encoding as encoding_module
from boolrules.data.column_encoding import CategoricalEncoding, NumericEncoding
from boolrules.data.conditions import Conditions, ListedConditions, ThresholdConditions
from boolrules.rules.mention import Mention

NUMBERS = st.lists(st.integers(-9, 9).map(float), unique=True, max_size=6)


@st.composite
def columns(draw):
    special = draw(NUMBERS)
    seen = draw(st.sets(st.sampled_from(special))) if special else ()
    return NumericEncoding(
        "age",
        tuple(sorted(draw(NUMBERS))),
        draw(st.booleans()),
        tuple(special),
        tuple(sorted(seen)),
        has_negations=draw(st.booleans()),
    )


def test_a_fit_lists_no_conditions_of_columns_that_give_none(monkeypatch):
    listed = []
    every = CategoricalEncoding.binned_conditions

    def noted(feature):
        listed.append(feature.name)
        return every(feature)

    monkeypatch.setattr(CategoricalEncoding, "binned_conditions", noted)
    table = pl.DataFrame({"who": [f"P-{i}" for i in range(40)], "job": ["cook", "clerk"] * 20})
    BooleanRuleClassifier(3, constraints={"forbidden_features": ["who"]}).fit(table, [0, 1] * 20)
    assert {*listed} == {"job"}


@given(columns(), st.sampled_from(list(Relation)), st.integers(-10, 10).map(float))
def test_both_kinds_of_columns_are_the_same(column, relation, value):
    listed = ListedConditions.of(column, Constraints())
    lazy = ThresholdConditions(column)
    assert (len(lazy), lazy.name) == (len(listed), listed.name)
    assert list(lazy) == list(listed.conditions)
    assert np.array_equal(lazy.ranges, listed.ranges)
    assert [lazy.place(condition) for condition in listed.conditions] == list(range(len(lazy)))
    for other in (Condition("age", relation, value), Condition("age", Relation.EQ, "old")):
        assert lazy.place(other) == listed.place(other)
    mention = Mention.of("age <= 3")
    assert lazy.meant(mention) == listed.meant(mention)
    assert list(lazy.around(mention)) == list(listed.around(mention))


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("required", [[], ["x0 > 3"]], ids=["free", "required"])
def test_a_model_is_the_same_and_holds_however_its_conditions_are_kept(
    tmp_path, monkeypatch, form, required
):
    random = np.random.default_rng(0)
    X = random.integers(0, 9, size=(80, 2))
    y = (X[:, 0] > 4) ^ (random.random(80) < 0.2)
    texts = []
    for most in (10_000, 0):
        monkeypatch.setattr(encoding_module, "MOST_WRITTEN_OUT", most)
        model = BooleanRuleClassifier(5, form=form, constraints={"required": required}).fit(X, y)
        assert isinstance(model.conditions_, tuple if most else Conditions)
        model.model_.save(tmp_path / "model.json")
        texts.append((tmp_path / "model.json").read_text())
        again = Model.load(tmp_path / "model.json")
        assert again.verify(X, y).holds
    assert texts[0] == texts[1]


def test_a_model_is_read_without_writing_its_conditions_out(tmp_path, monkeypatch):
    X = np.arange(40.0).reshape(-1, 1)
    model = BooleanRuleClassifier(2).fit(X, X[:, 0] > 20)
    model.model_.save(tmp_path / "model.json")

    def fail(*_):
        raise AssertionError("nobody asked for them")

    monkeypatch.setattr(NumericEncoding, "binned_conditions", fail)
    assert Model.load(tmp_path / "model.json").predict(X).sum() == 20
