"""The search over all rule sets under requirements, against every rule set."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import Argument, BooleanRuleClassifier, RequirementsNotMetError
from boolrules._support.budget import Budget
from boolrules.data.column import Duals
from boolrules.data.requirement import Measure
from boolrules.proof.gap import search_the_gap
from boolrules.search.branch_and_bound import BranchAndBound
from strategies import MEASURES, asked, generators, times

LIKED = (Measure.EQUAL_OPPORTUNITY, Measure.EQUALISED_ODDS, Measure.FLAGGED)
# In DNF these like no clause to be wrong; the first two like some positives missed.
ONE_SIDED = (Measure.EQUAL_OPPORTUNITY, Measure.FLAGGED, Measure.RECALL, Measure.PRECISION)


@st.composite
def gaps(draw, measures=MEASURES, complexities=(2, 4, 5, 6)):
    """A task, its samples, and feasible duals far from the best: gaps with much inside."""
    task = draw(asked(measures, is_plain=True, complexities=complexities))
    task.parameters["objective"] = "loss"
    samples, problem = task.training_set(), task.problem()
    assume(samples.demands is not None)
    random, size = draw(generators()), draw(st.sampled_from([0.0, 0.5, 5.0, 40.0]))
    theta = tuple((size * random.random(len(samples.demands))).tolist())
    weights = np.maximum(samples.weights_P + np.array(theta) @ samples.demands.prices[0], 0)
    share, lam = draw(st.sampled_from([0.0, 0.5, 1.0])), draw(st.sampled_from([0.0, 0.3]))
    duals = Duals(share * weights, lam, theta=theta)
    priced = BranchAndBound(samples, problem).price(duals, Budget.unlimited())
    return task, samples, problem, priced.feasible_duals


def objective_of(task, clauses):
    """Count a rule set on the table, and say whether it meets the requirements there."""
    plain = task.plain()
    named = [[plain.conditions[j] for j in clause] for clause in clauses]
    return plain.objective(named), plain.meets(task.requirements, plain.mistakes(named))


@times(0.7)
@given(gaps(), st.integers(0, 3))
def test_what_is_found_is_there_and_what_is_proved_is_true(gap, above):
    task, samples, problem, duals = gap
    optimum = task.plain().optimum(task.requirements)
    bound = (99 if optimum is None else int(optimum)) + above
    search = BranchAndBound(samples, problem)
    outcome = search_the_gap(search, duals, bound, Budget.unlimited())
    if outcome.better is not None:
        objective, is_met = objective_of(task, outcome.better)
        assert is_met
        # Zeros whose weight was raised are paid for as if every clause covered them.
        assert objective < bound or samples.demands.is_two_sided_Z.any()
        assert problem.fits(len(outcome.better), sum(map(len, outcome.better)))
        assert len(set(outcome.better)) == len(outcome.better)
    if outcome.is_proved:
        assert optimum is None or optimum >= bound
    assert not (outcome.better and outcome.is_proved)


@times(2)
@given(gaps(ONE_SIDED), st.integers(0, 1))
def test_all_is_decided_where_no_clause_is_liked_for_its_mistakes(gap, above):
    task, samples, problem, duals = gap
    assume(not samples.demands.is_two_sided_Z.any())
    optimum = task.plain().optimum(task.requirements)
    bound = (50 if optimum is None else int(optimum)) + above
    search = BranchAndBound(samples, problem)
    outcome = search_the_gap(search, duals, bound, Budget.unlimited())
    assert outcome.is_proved == (optimum is None or above == 0)
    assert (outcome.better is not None) != outcome.is_proved


@times(0.5)
@given(gaps((Measure.EQUALISED_ODDS,), complexities=(8,)), st.integers(1, 9))
def test_nothing_false_is_proved_where_a_mistake_may_be_liked_twice(gap, above):
    task, samples, problem, duals = gap
    optimum = task.plain().optimum(task.requirements)
    bound = (99 if optimum is None else int(optimum)) + above
    outcome = search_the_gap(BranchAndBound(samples, problem), duals, bound, Budget.unlimited())
    assert not outcome.is_proved or optimum is None


@times(2)
@given(gaps(LIKED, complexities=(3, 5)), st.sampled_from(["numba", "numpy"]))
def test_every_clause_of_the_gap_is_listed_or_beaten_by_one_that_is_liked_as_much(gap, engine):
    """Whatever beats a clause covers the same of the rows that may be liked mistaken."""
    task, samples, problem, duals = gap
    most = int(1.5 * duals.scale)
    search = BranchAndBound(samples, problem, engine=engine)
    listed = search.enumerate(duals, most, Budget.unlimited(), 10**6)
    assert listed.is_complete
    demands, P, Z = samples.demands, samples.P.delta, samples.Z.delta
    liked_P = (demands.alpha < 0).any(axis=0)
    liked_Z = (demands.beta < 0).any(axis=0)
    clause_price, condition_price = duals.prices(problem)
    _, weights_Z = samples.integer_weights(duals.scale, duals.theta)
    J = len(task.plain().conditions)
    for clause in [(j,) for j in range(J)] + [(i, j) for j in range(J) for i in range(j)]:
        if len(clause) > (problem.longest_clause or J):
            continue
        price = clause_price + condition_price * len(clause)
        if price - int(duals.mu[P(clause)].sum()) + int(weights_Z[Z(clause)].sum()) > most:
            continue
        assert not P(clause).any() or any(
            (P(clause) <= P(other)).all()
            and (Z(other) <= Z(clause)).all()
            and (P(clause) == P(other))[liked_P].all()
            and (Z(clause) == Z(other))[liked_Z].all()
            and len(other) <= len(clause)
            for other in listed.clauses
        )


def test_a_mistake_that_two_clauses_make_is_one_mistake_as_well():
    """Two positives that both clauses turn down are four to one count, and two to the other."""
    rows = [[0, 0]] * 2 + [[1, 1]] + [[1, 0], [0, 1], [1, 1]]
    y = [1, 1, 1, 0, 0, 0]
    model = BooleanRuleClassifier(
        4, form="cnf", requirements="flagged <= 1", binarizer=None, time_limit=20
    )
    with pytest.raises(RequirementsNotMetError, match="it is proved") as caught:
        model.fit(np.array(rows), y)
    assert caught.value.unmet.argument is Argument.ENUMERATION
    assert model.set_params(requirements="flagged <= 2").fit(np.array(rows), y).rule_set_.n_clauses
