"""Several rule sets, one per class, as one classifier."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from boolrules import Clause, Condition, Form, Relation, RuleSet
from boolrules.rules import Calibration, ClauseStatistics
from boolrules.rules.clause_statistics import RowCounts
from boolrules.rules.decision_list import DecisionList
from boolrules.rules.export.python import python_source
from boolrules.rules.one_versus_rest import (
    class_probabilities,
    explain_winners,
    winning_class,
)

X = pl.DataFrame({"a": [1, 5, 9, 20]})


def rule_set(lower, upper, right, undecided_right, label):
    """Lower < a <= upper, right on so many of 8 training rows; the rest: so many of 8."""
    clause = Clause((Condition("a", Relation.GT, lower), Condition("a", Relation.LE, upper)))
    return RuleSet(
        (clause,),
        Form.DNF,
        label,
        None,
        statistics=(ClauseStatistics(8, right, right),),
        undecided=ClauseStatistics(8, undecided_right, undecided_right),
    )


# a = 1 is covered by the first, 5 by the first and the second, 9 by the second, 20 by none.
RULES = (
    rule_set(0.0, 6.0, right=7, undecided_right=0, label="x"),
    rule_set(4.0, 10.0, right=4, undecided_right=1, label="y"),
    rule_set(50.0, 60.0, right=8, undecided_right=6, label="z"),
)


def test_a_rule_set_that_alone_covers_a_row_wins_whatever_the_others_probability():
    # For a = 9 the third class has the higher probability, but its rules do not cover the row.
    assert class_probabilities(RULES, X)[2].argmax() == 2
    assert winning_class(RULES, X)[[0, 2]].tolist() == [0, 1]


def test_the_more_precise_of_two_rule_sets_that_cover_a_row_wins():
    assert winning_class(RULES, X)[1] == 0
    assert winning_class(RULES[::-1], X)[1] == 2


def test_where_none_covers_a_row_the_likeliest_wins():
    assert winning_class(RULES, X)[3] == 2


def test_each_class_has_its_own_probability_normalised_over_the_row():
    scores = np.array([[8, 2, 7], [8, 5, 7], [1, 5, 7], [1, 2, 7]]) / 10
    expected = scores / scores.sum(axis=1, keepdims=True)
    assert class_probabilities(RULES, X) == pytest.approx(expected)


def test_one_rule_set_has_the_negative_class_first():
    found = class_probabilities(RULES[:1], X)
    assert found == pytest.approx(np.array([[0.2, 0.8], [0.2, 0.8], [0.9, 0.1], [0.9, 0.1]]))


def weighted(rules, right):
    """The same rules, where weights count so many of 8 as right."""
    (plain,) = rules.statistics
    return replace(rules, statistics=(ClauseStatistics.of(plain, RowCounts(8, right, right)),))


def test_weights_decide_who_wins_and_do_not_enter_probabilities():
    favoured = (RULES[0], weighted(RULES[1], right=8), RULES[2])
    assert winning_class(favoured, X)[1] == 1
    assert class_probabilities(favoured, X).tolist() == class_probabilities(RULES, X).tolist()
    names = {}
    exec(python_source(DecisionList.of_classes(favoured, "xyz")), names)
    answers = [names["predict"](row) for row in X.to_dicts()]
    assert answers == ["xyz"[c] for c in winning_class(favoured, X)]


def test_a_calibration_does_not_decide_who_wins():
    modest = (replace(RULES[0], calibration=Calibration(-5.0, 1.0)), *RULES[1:])
    assert winning_class(modest, X).tolist() == winning_class(RULES, X).tolist()
    assert class_probabilities(modest, X)[0, 0] < class_probabilities(RULES, X)[0, 0]


def test_probabilities_sum_to_one_whatever_a_file_says():
    none = tuple(replace(rules, calibration=Calibration(-1e308, 1.0)) for rules in RULES)
    assert class_probabilities(none, X) == pytest.approx(np.full((4, 3), 1 / 3))


def test_the_winner_is_explained_by_its_own_probability():
    winners = winning_class(RULES, X)
    for i, explanation in enumerate(explain_winners(RULES, "xyz", X)):
        rules = RULES[winners[i]]
        assert explanation.prediction == "xyz"[winners[i]]
        assert explanation.probability == pytest.approx(rules.positive_probability(X)[i])
        assert explanation.interval == pytest.approx(tuple(rules.positive_interval(X)[i]))
