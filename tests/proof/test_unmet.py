"""Requirements that cannot be met: what is proved is true, and is proved again by anyone."""

from dataclasses import replace

import numpy as np
import polars
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import Argument, BooleanRuleClassifier, RequirementsNotMetError
from boolrules._support.budget import Budget
from boolrules.data.column import Duals, IntegerDuals
from boolrules.data.labelled_rows import LabelledRows
from boolrules.data.problem import Problem
from boolrules.data.requirement import Measure, Requirement
from boolrules.proof.unmet import Unmet, proves_unmet
from boolrules.rules import Form
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver.column_generation import ColumnGeneration, meet_demands
from boolrules.solver.incumbent import Incumbent
from boolrules.solver.not_met import not_met
from boolrules.solver.settings import Settings
from strategies import asked, generators, times

HARD = (Measure.RECALL, Measure.PRECISION, Measure.FLAGGED, Measure.EQUALISED_ODDS)


def unmet(task):
    """Return why there are no rules; None where there are."""
    try:
        task.fit()
    except RequirementsNotMetError as error:
        return error
    return None


@times(0.4)
@given(asked(HARD, n_requirements=(2, 3), is_plain=True, complexities=(2, 3, 4)))
def test_what_cannot_be_had_is_proved_again_and_nothing_else_is(task):
    error = unmet(task)
    samples, budget = task.training_set(), Budget.of(20)
    if error is None or not error.is_proved:
        return
    assert task.plain().optimum(task.requirements) is None
    found = error.unmet
    assert found.is_proved_again(samples, budget)
    if found.duals is None:
        return
    n = len(found.duals.mu)
    assert not replace(found, duals=None).is_proved_again(samples, budget)
    assert not replace(found, argument=Argument.NONE).is_proved
    short = replace(found.duals, mu=found.duals.mu[: n - 1])
    assert not replace(found, duals=short).is_proved_again(samples, budget)
    none = replace(found.duals, theta=())
    assert not replace(found, duals=none).is_proved_again(samples, budget)


@times(1.5)
@given(
    asked(complexities=(2, 4, 5)), generators(), st.booleans(), st.sampled_from([0.1, 1.0, 9.0])
)
def test_no_duals_prove_that_what_can_be_had_cannot(task, random, is_bare, size):
    """Any duals under which no clause has negative reduced cost, and the most that is claimed."""
    task.parameters["constraints"].pop("given_clauses", None)
    plain = task.plain()
    assume(plain.optimum(task.requirements) is not None)
    samples, problem = task.training_set(), task.problem()
    assume(samples.demands is not None)
    bare = samples.without_objective() if is_bare else samples
    theta = tuple((size * random.random(len(samples.demands))).tolist())
    weights = np.maximum(bare.weights_P + np.array(theta) @ samples.demands.prices[0], 0)
    duals = Duals(weights * random.choice([0.5, 1.0]), 0.0, theta=theta)
    free = replace(problem, complexity_penalty=0)
    priced = BranchAndBound(bare, free if is_bare else problem).price(duals, Budget.unlimited())
    argument = Argument.EXACT_SEARCH if is_bare else Argument.ENUMERATION
    beyond = 100.0 * samples.total_weight + 100.0
    false = Unmet(problem, (), argument, priced.feasible_duals, beyond)
    assert not false.is_proved_again(samples, Budget.of(20))


def feasible_with_a_penalty():
    X = polars.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
    return X, np.array([0, 1, 1, 1])


def test_a_price_of_complexity_proves_nothing_about_requirements():
    X, y = feasible_with_a_penalty()
    model = BooleanRuleClassifier(4, requirements="recall >= 0.5", complexity_penalty=1).fit(X, y)
    certificate = model.certificate_
    _, samples = (
        LabelledRows.of(X, y)
        .against_rest(1)
        .without((), model.encoding_, Form.DNF, certificate.problem, certificate.requirements)
    )
    bare = samples.without_objective()
    price = 2**40
    duals = IntegerDuals(np.full(3, 2 * price // 3), 1, price, theta=(2 * price // 3,))
    problem = certificate.problem
    assert proves_unmet(bare, problem, duals)  # were it not for the price of complexity
    false = Unmet(problem, (), Argument.EXACT_SEARCH, duals)
    assert not false.is_proved_again(samples, Budget.unlimited())


@times(1)
@given(asked(complexities=(3, 4, 5)))
def test_looking_for_any_rule_set_that_meets_requirements_claims_nothing_false(task):
    """As where the first choice of a rule set found none, whatever complexity costs."""
    task.parameters["constraints"].pop("given_clauses", None)
    samples, problem, settings = task.training_set(), task.problem(), Settings(time_limit=20)
    assume(samples.demands is not None)
    run = ColumnGeneration(samples, problem, settings, 0.0)
    incumbent = Incumbent(samples, problem, settings, run.master, run.proof)
    found = meet_demands(incumbent, samples, problem, settings, Budget.of(20))
    if found.is_proved:
        assert task.plain().optimum(task.requirements) is None
        assert found.is_proved_again(samples, Budget.of(20))


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_given_clauses_that_leave_no_room_are_a_proof(form):
    X, y = feasible_with_a_penalty()
    model = BooleanRuleClassifier(
        2, form=form, requirements="covered <= 0", constraints={"given_clauses": ["x <= 1"]}
    )
    with pytest.raises(RequirementsNotMetError, match="cannot be had at complexity 2") as caught:
        model.fit(X, y if form == "dnf" else 1 - y)
    assert caught.value.unmet.argument is Argument.NO_ROOM
    assert caught.value.is_proved


def test_what_was_not_found_is_advised_in_words_of_python_and_the_command_line_alike():
    text = not_met([Requirement.of("recall >= 0.7")], False, Problem(4), ["recall 0.5"])
    assert "is not known. Allow more time, or a higher complexity. Found: recall 0.5." in text
    assert "_" not in text
