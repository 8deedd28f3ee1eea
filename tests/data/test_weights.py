"""Weights are repeated rows, and CNF is DNF of the negated problem."""

from fractions import Fraction

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules import BooleanRuleClassifier
from boolrules.data.bins import BinnedConditions
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet
from boolrules.solver.result import StopReason
from strategies import generators, times


@st.composite
def weighted_tables(draw, n_rows=24):
    """Mixed tables with enough distinct numbers for quantiles, labels and integer weights."""
    random = draw(generators())
    colors = random.choice(["red", "green", "blue"], n_rows).tolist()
    length = random.normal(size=n_rows).round(2).tolist()
    if draw(st.booleans()):
        length[int(random.integers(n_rows))] = None
    y = random.random(n_rows) < draw(st.sampled_from([0.3, 0.5]))
    weights = random.integers(draw(st.integers(0, 1)), 4, n_rows)
    y[:2], weights[:2] = [True, False], 1
    return polars.DataFrame({"length": length, "color": colors}), y, weights


def repeated(X, y, weights):
    rows = np.repeat(np.arange(len(y)), weights)
    return X[rows.tolist()], y[rows]


@times(0.4)
@given(weighted_tables(), st.sampled_from(["dnf", "cnf"]))
def test_integer_weights_equal_repeated_rows(table, form):
    X, y, weights = table
    model = BooleanRuleClassifier(max_complexity=6, form=form, time_limit=None)
    weighted = model.fit(X, y, sample_weight=weights).model_
    plain = model.fit(*repeated(X, y, weights)).model_
    assert str(weighted.rule_sets[0]) == str(plain.rule_sets[0])
    assert weighted.certificates[0].to_plain() == plain.certificates[0].to_plain()


@times(0.4)
@given(weighted_tables())
def test_rows_of_weight_zero_might_as_well_not_be_there(table):
    X, y, weights = table
    keep = weights > 0
    model = BooleanRuleClassifier(max_complexity=6, time_limit=None)
    with_them = model.fit(X, y, sample_weight=weights).model_
    kept = X.filter(polars.Series(keep))
    without = model.fit(kept, y[keep], sample_weight=weights[keep]).model_
    assert str(with_them.rule_sets[0]) == str(without.rule_sets[0])
    assert with_them.certificates[0].to_plain() == without.certificates[0].to_plain()


@times(0.4)
@given(weighted_tables())
def test_costs_of_mistakes_equal_weights_of_the_sides(table):
    X, y, _ = table
    by_cost = BooleanRuleClassifier(
        max_complexity=6, missed_positive_cost=3, covered_zero_cost=2, time_limit=None
    ).fit(X, y)
    by_weight = BooleanRuleClassifier(
        max_complexity=6, class_weight={False: 2, True: 3}, time_limit=None
    ).fit(X, y)
    assert str(by_cost.rule_set_) == str(by_weight.rule_set_)
    assert by_cost.certificate_.to_plain() == by_weight.certificate_.to_plain()


@pytest.mark.parametrize(
    "weights",
    [
        [1, 1, 1],
        [0.1, 0.2, 0.3],
        [1 / 3, 1 / 3, 1 / 3],
        # Added up one by one these come to 1.0; added up exactly, to a little less.
        [0.006, 0.423, 0.571],
    ],
)
def test_no_bound_is_above_the_loss_of_its_own_rule_set(weights):
    X, y = np.array([[0], [0], [0], [0], [1]]), np.array([True, True, True, False, False])
    model = BooleanRuleClassifier(max_complexity=4)
    certificate = model.fit(X, y, sample_weight=[*weights, 1, 1]).certificate_
    assert certificate.lower_bound <= certificate.hamming_loss


@times(0.4)
@given(weighted_tables(), generators(), st.sampled_from(["dnf", "cnf"]))
def test_no_bound_is_above_the_loss_whatever_the_weights(table, random, form):
    X, y, _ = table
    weights = random.choice([0.1, 0.2, 0.25, 0.7, 1.3], len(y))
    model = BooleanRuleClassifier(max_complexity=6, form=form, time_limit=None)
    certificate = model.fit(X, y, sample_weight=weights).certificate_
    exact = Fraction(certificate.hamming_loss)
    assert certificate.lower_bound is None or Fraction(certificate.lower_bound) <= exact


@st.composite
def binary_tables(draw):
    """Tables of zeros and ones with labels."""
    random = draw(generators())
    n_rows, n_columns = draw(st.integers(4, 16)), draw(st.integers(1, 6))
    X = random.integers(0, 2, (n_rows, n_columns))
    y = random.random(n_rows) < draw(st.sampled_from([0.3, 0.5, 0.7]))
    y[:2] = [True, False]
    return X, y


def negated_problem(X, y):
    """Write De Morgan's twin out by hand: labels negated, and each condition says ``== 0``."""
    J = X.shape[1]
    conditions = BinnedConditions.build([(j, [(0, 1)]) for j in range(J)], n_codes=[3] * J)
    return TrainingSet.merge(X.astype(np.uint8), ~y, np.ones(len(y)), conditions)


def fitted(X, y, *, C, form):
    model = BooleanRuleClassifier(
        max_complexity=C, form=form, binarizer=None, time_limit=None, positive_label=True
    )
    return model.fit(X, y)


@given(binary_tables(), st.integers(2, 8))
def test_bound_of_cnf_is_at_most_the_optimum_of_the_negated_problem(table, C):
    X, y = table
    certificate = fitted(X, y, C=C, form="cnf").certificate_
    optimum = brute_force.optimum(negated_problem(X, y), Problem(max_complexity=C))
    assert certificate.lower_bound is None or Fraction(certificate.lower_bound) <= optimum
    assert certificate.hamming_loss >= optimum
    assert certificate.hamming_loss == optimum or not certificate.is_optimal


@given(binary_tables(), st.integers(2, 8))
def test_cnf_and_its_de_morgan_twin_have_the_same_bound(table, C):
    X, y = table
    cnf = fitted(X, y, C=C, form="cnf").certificate_
    dnf = fitted(1 - X, ~y, C=C, form="dnf").certificate_
    assert cnf.lower_bound == dnf.lower_bound
    # The two may choose different rule sets where neither is proved optimal.
    assert cnf.hamming_loss == dnf.hamming_loss or not (cnf.is_optimal and dnf.is_optimal)


@given(binary_tables(), st.integers(2, 8))
def test_loss_of_cnf_counts_positives_turned_away_and_zeros_let_through(table, C):
    X, y = table
    model = fitted(X, y, C=C, form="cnf")
    loss = 0
    for row, is_positive in zip(X, y, strict=True):
        turned_away = sum(
            not any(row[int(condition.feature[1:])] == 1 for condition in clause.conditions)
            for clause in model.rule_set_.clauses
        )
        loss += turned_away if is_positive else turned_away == 0
    assert model.certificate_.hamming_loss == loss


@given(binary_tables(), st.integers(2, 8))
def test_cnf_predicts_what_its_clauses_let_through(table, C):
    X, y = table
    model = fitted(X, y, C=C, form="cnf")
    expected = [
        all(
            any(row[int(condition.feature[1:])] == 1 for condition in clause.conditions)
            for clause in model.rule_set_.clauses
        )
        for row in X
    ]
    assert model.predict(X).tolist() == expected


@given(binary_tables(), st.integers(2, 8), st.sampled_from(["dnf", "cnf"]))
def test_fitted_models_verify_on_their_data_and_fail_on_flipped_labels(table, C, form):
    X, y = table
    model = fitted(X, y, C=C, form=form)
    assert model.verify(X, y).holds
    if model.certificate_.hamming_loss != model.rule_set_.hamming_loss(X, ~y):
        assert not model.verify(X, ~y).holds


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_a_table_without_conditions_has_the_certificate_of_the_empty_rule_set(form):
    X, y = np.ones((5, 2)), np.array([True, True, True, False, False])
    model = BooleanRuleClassifier(max_complexity=4, form=form).fit(X, y)
    assert model.result_.stop_reason is StopReason.NO_CONDITIONS
    assert model.certificate_.hamming_loss == (3 if form == "dnf" else 2)
    assert model.certificate_.is_optimal
