"""Features and conditions that rules must use, against brute force."""

from dataclasses import replace

import numpy as np
import polars
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import brute_force
from boolrules import BooleanRuleClassifier, complexity_path
from boolrules._support.budget import Budget
from boolrules.proof.bound import is_proved_again
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver.column_generation import learn
from boolrules.solver.settings import Settings
from strategies import generators, pricing_problems, problems, times, training_sets


def nothing(*_):
    """Show no progress."""


@st.composite
def groups_of_conditions(draw, training_set):
    """One or two groups of conditions, which may overlap."""
    random, J = draw(generators()), len(training_set.conditions)
    assume(J > 0)
    sizes = draw(st.lists(st.integers(1, min(3, J)), min_size=1, max_size=2))
    return tuple(tuple(sorted(random.choice(J, n, replace=False).tolist())) for n in sizes)


@settings(times(1))
@given(st.data(), training_sets(whole=True), problems(whole=True))
def test_what_is_required_is_used_and_the_rest_is_optimal(data, training_set, problem):
    problem = replace(problem, required=data.draw(groups_of_conditions(training_set)))
    try:
        optimum = brute_force.optimum(training_set, problem)
    except ValueError:
        with pytest.raises(ValueError, match="all that is required"):
            learn(training_set, problem, Settings(time_limit=None), nothing)
        return
    result = learn(training_set, problem, Settings(time_limit=None), nothing)
    assert problem.uses_all(column.clause for column in result.chosen_columns)
    assert result.certificate.objective == optimum
    assert result.certificate.is_optimal
    assert is_proved_again(result.certificate, training_set)


@settings(times(0.5))
@given(st.data(), pricing_problems())
def test_every_clause_of_the_gap_is_listed_or_beaten_by_one_that_uses_as_much(data, priced):
    training_set, problem, float_duals = priced
    problem = replace(problem, required=data.draw(groups_of_conditions(training_set)))
    search = BranchAndBound(training_set, problem)
    duals = search.price(float_duals, Budget.unlimited()).feasible_duals
    most = int(1.5 * duals.scale * training_set.unit)
    listed = search.enumerate(duals, most, Budget.unlimited(), 10**6)
    assert listed.is_complete
    clause_price, condition_price = duals.prices(problem)
    _, weights_Z = training_set.integer_weights(duals.scale)
    P, Z = training_set.P.delta, training_set.Z.delta
    for clause in brute_force.every_clause(training_set, problem):
        features = tuple(clause.conditions)
        M, N = int(duals.mu[P(features)].sum()), int(weights_Z[Z(features)].sum())
        if clause_price + condition_price * len(features) - M + N > most:
            continue
        assert any(
            (P(features) <= P(other)).all()
            and (Z(other) <= Z(features)).all()
            and len(other) <= len(features)
            and all(np.array(problem.uses(features)) <= np.array(problem.uses(other)))
            for other in listed.clauses
        )


@pytest.fixture
def people():
    random = np.random.default_rng(1)
    n = 120
    frame = polars.DataFrame(
        {
            "age": random.integers(18, 70, n),
            "pay": random.integers(1, 9, n),
            "job": random.choice(["clerk", "cook", "nurse"], n),
        }
    )
    return frame, (frame["age"] > 50).to_numpy() ^ (random.random(n) < 0.05)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_features_and_conditions_are_required_by_name(people, form):
    frame, y = people
    model = BooleanRuleClassifier(
        max_complexity=7,
        form=form,
        constraints={"required": ["pay", "job == 'cook'"]},
        time_limit=None,
    ).fit(frame, y)
    used = {str(c) for clause in model.rule_set_.clauses for c in clause.conditions}
    assert "pay" in model.rule_set_.features
    assert "job == 'cook'" in used
    assert model.certificate_.is_optimal
    assert "all that is required" in str(model.certificate_)
    assert model.verify(frame, y).holds
    free = BooleanRuleClassifier(max_complexity=7, form=form, time_limit=None).fit(frame, y)
    assert free.certificate_.hamming_loss <= model.certificate_.hamming_loss


def test_what_a_given_clause_has_is_there(people):
    frame, y = people
    model = BooleanRuleClassifier(
        max_complexity=5,
        constraints={"given_clauses": ["pay > 7 AND age > 40"], "required": ["pay"]},
    ).fit(frame, y)
    assert model.certificate_.problem.required == ()


def test_rules_without_what_is_required_do_not_verify(people):
    frame, y = people
    model = BooleanRuleClassifier(
        max_complexity=4, constraints={"required": ["pay"]}, time_limit=None
    ).fit(frame, y)
    saved = model.model_
    free = BooleanRuleClassifier(max_complexity=4, time_limit=None).fit(frame, y)
    altered = replace(saved, rule_sets=(free.rule_set_,))
    texts = [f.text for f in altered.verify(frame, y).findings if not f.holds]
    assert any("required" in text for text in texts)


def test_a_path_uses_what_is_required_at_every_complexity(people):
    frame, y = people
    path = complexity_path(
        frame,
        y,
        complexities=range(3, 8),
        constraints={"required": ["pay", "job"]},
        time_limit=None,
    )
    assert all({"pay", "job"} <= set(point.rule_set.features) for point in path)
    assert all(point.is_optimal for point in path)


@pytest.mark.parametrize(
    ("required", "max_complexity", "words"),
    [
        (["agee"], 15, "no column 'agee'. Did you mean 'age'"),
        (["age <= 20.5"], 15, "'age <= 20.5', which is not one of .* nearest is 'age <= "),
        (["age < 25"], 15, "'age < 25', which is not one of .* nearest is 'age <= "),
        (["job not in ('cook', 'clerk')"], 15, "several conditions at once"),
        (["job in ('cook', 'clerk')"], 15, "any of 2 conditions. Name the one"),
        (["pay", "job"], 2, "complexity 3"),
        ("pay", 15, "required"),
    ],
)
def test_what_cannot_be_required_is_named(people, required, max_complexity, words):
    frame, y = people
    model = BooleanRuleClassifier(max_complexity, constraints={"required": required})
    with pytest.raises(ValueError, match=words):
        model.fit(frame, y)


@pytest.mark.parametrize(("form", "objective"), [("cnf", "missed"), ("dnf", "covered")])
def test_rows_that_the_objective_does_not_ask_for_count_as_covered(form, objective):
    X = polars.DataFrame({"x": [1.0, 2.0, 2.0, 2.0], "group": "A"})  # nothing to compare
    y = np.array([True, True, False, False]) if form == "cnf" else [False, False, True, True]
    model = BooleanRuleClassifier(
        max_complexity=2,
        form=form,
        objective=objective,
        constraints={"required": ["x"]},
        requirements=["equal opportunity <= 0 between group"],
    ).fit(X, y)
    assert model.certificate_.objective == 1
    assert model.certificate_.is_optimal
    assert model.verify(X, y).holds
