"""Learning under requirements, against every rule set: nothing claimed is wrong."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, Requirement, RequirementsNotMetError
from boolrules._support.budget import Budget
from boolrules.data.requirement import Measure
from brute_force import length
from strategies import MEASURES, asked, likes_mistakes, times

# What weights that are no whole numbers are rounded by, of all rows' weight, is far less.
ROUNDED = Fraction(1, 10**6)


def is_below(one, other):
    """Whether a value is below an exact one, by more than sums of floats err."""
    return float(one) < float(other) - 1e-9 * max(1.0, abs(float(other)))


def fitted(task):
    """Return the model, or why there is none."""
    try:
        return task.fit(), None
    except ValueError as error:
        return None, error


def check(task):
    """Learn, and hold whatever is claimed against all rule sets; return whether all is proved.

    Where weights are rounded, a rule set on the very edge of a limit may be in or out.
    """
    plain, spare = task.plain(), 0 if task.has_whole_weights else ROUNDED
    optimum = plain.optimum(task.requirements, -spare)
    least = plain.optimum(task.requirements, spare) if spare else optimum
    model, error = fitted(task)
    if model is None:
        assert optimum is None or not getattr(error, "is_proved", False), str(error)
        if not isinstance(error, RequirementsNotMetError):
            assert "all that is required" in str(error)
            assert optimum is None
            return False
        assert "Found: " in str(error)
        again = error.unmet.is_proved_again(task.training_set(), Budget.of(20))
        assert again == error.is_proved
        return error.is_proved
    certificate = model.certificate_
    clauses = [clause.conditions for clause in model.rule_set_.clauses]
    mistakes = plain.mistakes(clauses)
    assert certificate.objective == pytest.approx(float(plain.objective(clauses)))
    assert plain.problem.fits(len(clauses), sum(map(length, clauses)))
    assert len(set(map(frozenset, clauses))) >= len(clauses) - len(plain.given)
    assert plain.meets(task.requirements, mistakes, spare)
    assert least is not None
    assert not is_below(certificate.objective, least)
    if certificate.lower_bound is not None and optimum is not None:
        assert not is_below(optimum, certificate.lower_bound)
    assert model.verify(*task.rows).holds
    assert model.model_.standings(*task.rows).all_met
    assert certificate.requirements == task.requirements
    return certificate.is_optimal


def may_take_twice(task):
    """Whether it could help to have clauses of which one beats the other: not all is proved."""
    return any(likes_mistakes(one, task.parameters["form"]) for one in task.requirements)


@pytest.mark.parametrize("measure", MEASURES)
def test_each_requirement_alone_is_met_at_the_least_loss_or_proved_out_of_reach(measure):
    @times(0.3)
    @given(asked([measure], n_requirements=(1, 1), is_plain=True))
    def check_all(task):
        assert check(task) or may_take_twice(task)

    check_all()


@times(0.7)
@given(st.data(), st.sampled_from(list(combinations(MEASURES, 2))))
def test_two_requirements_are_met_at_the_least_loss_or_proved_out_of_reach(data, pair):
    several = [asked([measure], n_requirements=(1, 1), is_plain=True) for measure in pair]
    one, other = map(data.draw, several)
    # By their words: Python holds that True is 1.0.
    groups = set(map(str, one.frame["group"].to_list()))
    assume(all(r.where is None or str(r.where[1]) in groups for r in other.requirements))
    task = replace(one, requirements=one.requirements + other.requirements)
    assert check(task) or may_take_twice(task)


@times(0.7)
@given(asked())
def test_whatever_is_asked_beside_requirements_no_claim_is_wrong(task):
    check(task)


@times(0.5)
@given(asked(whole=False))
def test_no_claim_is_wrong_where_weights_are_fractions(task):
    check(task)


@times(0.4)
@given(asked(has_every_cut=True, complexities=(2, 3, 4, 5)))
def test_no_claim_is_wrong_over_every_threshold(task):
    check(task)


LIKES_MISTAKES = (Measure.EQUALISED_ODDS, Measure.EQUAL_OPPORTUNITY, Measure.FLAGGED)


@times(0.5)
@given(asked(LIKES_MISTAKES, n_requirements=(1, 2), is_plain=True, complexities=(8,)))
def test_no_claim_is_wrong_where_clauses_are_many_and_mistakes_may_help(task):
    check(task)


def table_of(names, rows):
    """Zeros and ones: for each kind of rows its number, label, group, and the names that are 1."""
    lines, labels = [], []
    for n, label, group, ones in rows:
        lines += n * [{name: int(name in ones) for name in names} | {"group": group}]
        labels += n * [label]
    return polars.DataFrame(lines), np.array(labels)


def test_no_clause_is_taken_twice():
    """To flag a negative of the one group twice would even out those of the other."""
    rows = [(3, 1, group, name) for group in (0, 1) for name in "bde"]
    rows += [(1, 0, 1, "b"), (1, 0, 1, ""), (1, 0, 0, "de"), (1, 0, 0, "")]
    X, y = table_of("bde", rows)
    model = BooleanRuleClassifier(
        8,
        requirements="equalised odds <= 0.4 between group",
        binarizer=None,
        constraints={"forbidden_features": ["group"]},
    ).fit(X, y)
    assert len(set(model.rule_set_.clauses)) == model.rule_set_.n_clauses
    assert model.certificate_.hamming_loss == 8
    assert model.certificate_.lower_bound <= 8


@pytest.mark.filterwarnings("ignore:Every label is")
def test_a_constant_answer_must_meet_requirements_too():
    X = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="of one class"):
        BooleanRuleClassifier(3, requirements="flagged <= 1").fit(X, np.ones(4))


def test_without_any_rules_the_answer_that_meets_requirements_is_taken():
    X, y = np.arange(4.0)[:, None], [0, 0, 0, 1]
    no = BooleanRuleClassifier(0).fit(X, y)
    yes = BooleanRuleClassifier(0, requirements="recall >= 1").fit(X, y)
    assert (no.certificate_.hamming_loss, yes.certificate_.hamming_loss) == (1, 3)
    with pytest.raises(RequirementsNotMetError, match="cannot be had at complexity 0"):
        BooleanRuleClassifier(0, requirements=["recall >= 1", "covered <= 2"]).fit(X, y)


@pytest.mark.parametrize("weight", [0.5, 1.5, 0.1])
def test_limits_in_rows_are_limits_on_their_weight(weight):
    X, y = np.arange(6.0)[:, None], [0, 1, 1, 0, 1, 1]
    limit = round(2 * weight, 6)
    model = BooleanRuleClassifier(2, requirements=f"flagged <= {limit}")
    model.fit(X, y, sample_weight=np.full(6, weight))
    assert model.certificate_.hamming_loss == pytest.approx(2 * weight)
    assert model.certificate_.lower_bound == pytest.approx(2 * weight)


def test_given_clauses_and_what_may_like_mistakes_are_turned_down_together():
    X = polars.DataFrame({"x": range(8), "group": ["A", "B"] * 4})
    y = np.arange(8) % 3 == 0
    for form, requirement in [
        ("dnf", "equalised odds <= 0.5 between group"),
        ("cnf", "flagged <= 3"),
        ("cnf", "equal opportunity <= 0.5 between group"),
    ]:
        model = BooleanRuleClassifier(
            6, form=form, requirements=requirement, constraints={"given_clauses": ["x <= 3"]}
        )
        with pytest.raises(ValueError, match="given_clauses cannot be asked together"):
            model.fit(X, y)


@pytest.mark.parametrize("objective", ["loss", "missed", "covered"])
def test_what_is_required_is_used_though_nothing_else_is_left_to_gain(objective):
    X = polars.DataFrame({"x": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0], "z": [1.0, 2.0, 3.0] * 2})
    model = BooleanRuleClassifier(
        6,
        objective=objective,
        requirements="flagged share <= 0.9",
        constraints={"given_clauses": ["x <= 1"], "required": ["z"]},
    ).fit(X, [1, 1, 1, 0, 0, 0])
    assert "z" in model.rule_set_.features
    assert model.certificate_.is_optimal


def test_a_search_that_ends_without_rules_says_so_in_words_and_in_fields():
    X = polars.DataFrame({"x": [1.0, 1.0, 2.0, 2.0]})
    model = BooleanRuleClassifier(4, requirements=["recall >= 1", "precision >= 1"])
    with pytest.raises(RequirementsNotMetError) as caught:
        model.fit(X, [1, 0, 1, 0])
    error = caught.value
    assert error.is_proved
    assert str(error).startswith(
        "'recall >= 1' and 'precision >= 1' cannot be had at complexity 4"
    )
    assert isinstance(error, ValueError)
    assert error.nearest.n_clauses <= 2


def test_the_class_weights_count_in_the_loss_and_not_in_requirements():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 0, 1, 1, 1])
    model = BooleanRuleClassifier(
        2, requirements=Requirement("recall", 0.7), class_weight={0: 10, 1: 1}
    ).fit(X, y)
    assert model.certificate_.hamming_loss == 1
    assert model.verify(X, y).holds


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"mode": "paper"}, "mode='paper' knows no requirements"),
        ({"requirements": "recall > 1"}, "cannot be read"),
        ({"requirements": "recall >= 0.5 within groop"}, "The nearest is 'group'"),
        ({"requirements": 3}, "requirements"),
    ],
)
def test_what_cannot_be_asked_is_named(parameters, words):
    X = polars.DataFrame({"x": range(6), "group": ["A", "B"] * 3})
    model = BooleanRuleClassifier(**({"requirements": "recall >= 0.5"} | parameters))
    with pytest.raises(ValueError, match=words):
        model.fit(X, [0, 1] * 3)


def test_three_classes_have_no_requirements():
    model = BooleanRuleClassifier(requirements="recall >= 0.5")
    with pytest.raises(ValueError, match="requirements is for two classes"):
        model.fit(np.arange(6.0)[:, None], [0, 1, 2] * 2)
