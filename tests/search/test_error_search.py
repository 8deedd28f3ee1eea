"""Fewest mistaken rows, each counted once: against every rule set, and what is claimed of it."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier
from boolrules._support.budget import Budget
from boolrules.data.problem import Problem
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.few_errors import reproved_errors, with_dear_positives
from boolrules.search.error_search import ErrorSearch
from boolrules.solver.fewest_errors import learn_fewest_errors
from boolrules.solver.settings import Settings
from brute_force import clause, complexity, decimal, every_clause
from strategies import set_covers, times


def mistaken(training_set, clauses):
    """Weight of the rows that plain clauses mistake, each counted once."""
    covered_P = set().union(*(one.covered_P for one in clauses))
    covered_Z = set().union(*(one.covered_Z for one in clauses))
    missed = set(range(training_set.n_P)) - covered_P
    weights_P, weights_Z = training_set.weights_P, training_set.weights_Z
    return sum(weights_P[i] for i in missed) + sum(weights_Z[z] for z in covered_Z)


def fewest(training_set, problem):
    """Look at every rule set."""
    clauses = every_clause(training_set, problem)
    best = mistaken(training_set, [])
    for n in range(1, problem.most_clauses + 1):
        for chosen in combinations(clauses, n):
            size = complexity(problem, n, sum(len(one.conditions) for one in chosen))
            if size <= decimal(problem.max_complexity):
                best = min(best, mistaken(training_set, chosen))
    return best


@st.composite
def small(draw, *, whole=True):
    training_set = draw(set_covers(whole=whole))
    C = draw(st.integers(2, 6))
    D = draw(st.none() | st.integers(1, 2))
    K = draw(st.none() | st.integers(1, 2)) if C < 6 else 3
    return training_set, Problem(C, max_conditions=D, max_clauses=K)


@times(0.4)
@given(small())
def test_it_finds_what_is_better_and_proves_what_is_not(case):
    training_set, problem = case
    search = ErrorSearch(training_set, problem)
    best = fewest(training_set, problem)
    assert search.below(best, Budget.unlimited()).is_proved
    outcome = search.below(best + 1, Budget.unlimited())
    assert not outcome.is_proved
    assert search.errors(outcome.better) == best
    plain = [clause(training_set, one) for one in outcome.better]
    assert mistaken(training_set, plain) == best
    n_conditions = sum(len(one) for one in outcome.better)
    assert problem.fits(len(outcome.better), n_conditions)


@times(1)
@given(small())
def test_zeros_at_a_share_of_their_weight_give_a_bound(case):
    training_set, problem = case
    dear = with_dear_positives(training_set, problem)
    best = fewest(training_set, problem)
    for chosen in combinations(every_clause(training_set, problem), min(2, problem.most_clauses)):
        clauses = [one.conditions for one in chosen]
        once = mistaken(training_set, chosen)
        assert dear.hamming_loss(clauses) <= problem.most_clauses * once
    claim = Certificate(best, 0, best, Argument.EVERY_RULE_SET, problem, minimises="errors")
    assert reproved_errors(claim, training_set) == best
    too_much = replace(claim, lower_bound=best + 1)
    assert reproved_errors(too_much, training_set) is None


@times(0.4)
@given(small(whole=False))
def test_no_bound_is_above_what_rows_that_weigh_fractions_come_to(case):
    training_set, problem = case
    settings = Settings(time_limit=20)
    certificate = learn_fewest_errors(training_set, problem, settings, lambda _: None).certificate
    if certificate.lower_bound is not None:
        assert certificate.lower_bound <= fewest(training_set, problem) * (1 + 1e-9)
        assert reproved_errors(certificate, training_set) >= certificate.lower_bound


def test_a_claim_beside_given_clauses_is_not_accepted():
    """A zero of a given clause that a learned one covers too counts once: no proof is of that."""
    X, y = np.array([[1, 1], [1, 0], [0, 1], [0, 1], [0, 0]]), np.array([0, 1, 1, 1, 0])
    given = {"given_clauses": ["x0 == 1"]}
    model = BooleanRuleClassifier(4, binarizer=None, constraints=given).fit(X, y).model_
    (rules,), (claim,) = model.rule_sets, model.certificates
    assert claim.lower_bound == 2  # the first row, twice
    assert np.sum(rules.covers(X) != y) == 1  # the first row, once
    poor = replace(rules, clauses=rules.clauses[:1], statistics=())
    forged = replace(claim, hamming_loss=3, complexity=2, minimises="errors")
    assert not replace(model, rule_sets=(poor,), certificates=(forged,)).verify(X, y).holds


def test_overlapping_zeros_count_once():
    """Two clauses share their zeros: the Hamming loss counts these twice, people do not."""
    a = np.array([1] * 6 + [0] * 6 + [1] * 4 + [0] * 8)
    b = np.array([0] * 6 + [1] * 6 + [1] * 4 + [0] * 8)
    y = np.array([1] * 12 + [0] * 12)
    X = np.column_stack([a, b])
    loss = BooleanRuleClassifier(4, binarizer=None).fit(X, y).certificate_
    errors = BooleanRuleClassifier(4, binarizer=None, objective="errors").fit(X, y)
    assert loss.hamming_loss == 8
    assert errors.certificate_.hamming_loss == errors.certificate_.lower_bound == 4
    assert str(errors.certificate_).startswith("Misclassified rows, each counted once: 4")
    assert errors.verify(X, y).holds
    model = errors.model_
    for bound in (3, 5):
        certificate = replace(errors.certificate_, lower_bound=bound)
        holds = replace(model, certificates=(certificate,)).verify(X, y).holds
        assert holds == (bound == 3)


def test_what_it_does_without_is_said():
    X, y = [[0], [1]], [0, 1]
    for parameters in ({"requirements": "recall >= 0.5"}, {"min_coverage": 1}):
        with pytest.raises(ValueError, match="objective='errors' does without"):
            BooleanRuleClassifier(5, objective="errors", **parameters).fit(X, y)
    model = BooleanRuleClassifier(5, objective="errors")
    with pytest.raises(ValueError, match="one complexity at a time"):
        model.fit_path(X, y, [2, 3], 5)
