"""Rules of greatest F1: a sequence of weighted problems, with the proof of the last."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from boolrules._support.budget import Budget
from boolrules.data.labelled_rows import LabelledRows
from boolrules.estimators.complexity_path import take_better_rules
from boolrules.proof.f1 import F1
from boolrules.proof.unmet import RequirementsNotMetError

if TYPE_CHECKING:
    from boolrules.estimators.classifier import BooleanRuleClassifier

# Scores grow from one problem to the next, by more and more digits: few are ever needed.
MOST_ROUNDS = 30
FAST_SHARE = 0.2


def fit_best_f1(
    classifier: BooleanRuleClassifier, X: Any, y: Any, sample_weight: Any
) -> BooleanRuleClassifier:
    """Return a classifier of the rules with the greatest F1 that was found, with its proof.

    Each problem asks for rules that beat the score so far. Where none are found without proofs,
    the last one is solved with them.
    """
    budget = Budget.of(classifier.time_limit)
    plain = clone(classifier).set_params(objective="loss")
    try:
        best = _fitted(plain, budget, (X, y, sample_weight), mode="fast")
    except RequirementsNotMetError:  # which is proved with proofs alone
        best = _fitted(plain, budget, (X, y, sample_weight), mode=classifier.mode)
    score = _score(best, X, y, sample_weight)
    is_fast = True
    for _ in range(MOST_ROUNDS):
        missed, covered = score.costs
        plain.set_params(missed_positive_cost=missed, covered_zero_cost=covered)
        mode = "fast" if is_fast else classifier.mode
        found = _fitted(plain, budget, (X, y, sample_weight), mode=mode)
        better = _score(found, X, y, sample_weight)
        if better.value > score.value:
            best, score, is_fast = found, better, True
        elif is_fast and classifier.mode != "fast":
            is_fast = False
        else:
            break
    if best.rule_set_ != found.rule_set_ and better.value < score.value:
        # The rules of the score are no worse at the last costs than what was found there.
        best = _at_costs(best, found, X, y, sample_weight)
        take_better_rules(found, best)
    certificate = replace(found.certificate_, f1=score)
    found.model_ = replace(found.model_, certificates=(certificate,))
    return found


def _fitted(
    plain: BooleanRuleClassifier, budget: Budget, rows: tuple[Any, Any, Any], mode: str
) -> BooleanRuleClassifier:
    limit = budget.share(FAST_SHARE if mode == "fast" else 1.0).time_limit
    return clone(plain).set_params(mode=mode, time_limit=limit).fit(*rows)


def _score(fitted: BooleanRuleClassifier, X: Any, y: Any, sample_weight: Any) -> F1:
    """F1 of the rules, a row counted once for each clause that wrongly decides it."""
    if len(fitted.classes_) != 2:
        raise ValueError(f"objective='f1' is for two classes; there are {len(fitted.classes_)}.")
    rules = fitted.rule_set_
    sides = LabelledRows.of(X, y, sample_weight).against_rest(rules.positive)
    return F1.on(sides, rules)


def _at_costs(
    best: BooleanRuleClassifier,
    last: BooleanRuleClassifier,
    X: Any,
    y: Any,
    sample_weight: Any,
) -> BooleanRuleClassifier:
    """Return the rules of one fit with what they lose at the costs of another."""
    rules = best.rule_set_
    sides = last.model_.rows(X, y, sample_weight).against_rest(rules.positive)
    certificate = replace(
        last.certificate_,
        hamming_loss=sides.hamming_loss(rules),
        complexity=best.certificate_.complexity,
    )
    again = clone(last)
    again.classes_, again.results_ = last.classes_, last.results_
    again.model_ = replace(last.model_, rule_sets=(rules,), certificates=(certificate,))
    return again
