"""The greatest F1: costs, bounds and claims against every rule set."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from boolrules import BooleanRuleClassifier
from boolrules.data.problem import Problem
from boolrules.proof.f1 import F1, STEPS
from brute_force import complexity, decimal, every_clause
from strategies import generators, set_covers, times


def counts(training_set, clauses):
    """Return (TP, FP, FN), a zero counted once for each clause that covers it."""
    covered = set().union(*(one.covered_P for one in clauses))
    P = sum(Fraction(w) for w in training_set.weights_P)
    tp = sum(Fraction(training_set.weights_P[i]) for i in covered)
    fp = sum(Fraction(training_set.weights_Z[z]) for one in clauses for z in one.covered_Z)
    return tp, fp, P - tp


def score(tp, fp, fn):
    return 2 * tp / (2 * tp + fp + fn) if tp else Fraction(0)


@times(1)
@given(set_covers(whole=True), st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
def test_a_bound_on_the_loss_is_one_on_the_score(training_set, flagged, missed, less):
    problem = Problem(5)
    P = int(training_set.weights_P.sum())
    guess = F1.of(max(P - missed, 0), flagged, min(missed, P))
    missed_cost, covered_cost = guess.costs
    every = [counts(training_set, [])]
    for n in (1, 2):
        for chosen in combinations(every_clause(training_set, problem), n):
            size = complexity(problem, n, sum(len(one.conditions) for one in chosen))
            if size <= decimal(problem.max_complexity):
                every.append(counts(training_set, chosen))
    losses = [missed_cost * fn + covered_cost * fp for _, fp, fn in every]
    best = max(score(*c) for c in every)
    value = Fraction(guess.numerator, guess.denominator)
    assert (min(losses) < Fraction(guess.loss)) == (best > value)
    assert guess.most(float(min(losses) - less)) >= float(best)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@times(0.3)
@given(generators())
def test_the_rules_have_the_greatest_score(form, random):
    n_rows = int(random.integers(6, 20))
    X = random.integers(0, 2, (n_rows, 4))
    y = random.random(n_rows) < 0.4
    y[:2] = True, False
    model = BooleanRuleClassifier(4, binarizer=None, objective="f1", form=form).fit(X, y)
    holds = X.astype(bool) if form == "dnf" else ~X.astype(bool)
    should = y if form == "dnf" else ~y
    clauses = [[j] for j in range(4)] + [
        list(c) for n in (2, 3) for c in combinations(range(4), n)
    ]
    rule_sets = [[], *([c] for c in clauses), *combinations(clauses[:4], 2)]
    best = Fraction(0)
    for rules in rule_sets:
        n_decides = sum(
            (holds[:, c].all(axis=1).astype(int) for c in rules), np.zeros(n_rows, int)
        )
        mistaken = np.where(should, n_decides == 0, n_decides)
        fn, fp = (int(mistaken[side].sum()) for side in (y, ~y))
        best = max(best, score(Fraction(max(int(y.sum()) - fn, 0)), fp, fn))
    claim = model.certificate_
    assert claim.f1.value == pytest.approx(max(float(best), 1 / STEPS))
    assert claim.f1.most(claim.lower_bound) == claim.f1.value
    assert f1_score(y, model.predict(X)) >= claim.f1.value - 1 / STEPS
    assert model.verify(X, y).holds
    for numerator in (claim.f1.numerator + 1, claim.f1.numerator - 1):
        if 0 < numerator <= claim.f1.denominator:
            altered = replace(claim, f1=replace(claim.f1, numerator=numerator))
            other = replace(model.model_, certificates=(altered,))
            assert not other.verify(X, y).holds


def test_what_it_does_without_is_said():
    X, y = [[0], [1], [1]], [0, 1, 1]
    with pytest.raises(ValueError, match="costs of its own"):
        BooleanRuleClassifier(5, objective="f1", class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match=r"one complexity at a time.*max_complexity=3, .*\.fit"):
        BooleanRuleClassifier(5, objective="f1").fit_path(X, y, [2, 3], 5)
    with pytest.raises(ValueError, match="two classes"):
        BooleanRuleClassifier(5, objective="f1").fit(X, [0, 1, 2])
