"""Alternatives to a model's rule set: which there are, their ranking, what is said of them."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, Clause, Constraints, Form, Model, find_alternatives
from boolrules.data.bins import pack_bits
from boolrules.data.datasets import breast_cancer, loan_applications
from boolrules.insight.alternatives import Alternatives, listing
from boolrules.insight.alternatives.ranking import spread
from strategies import generators


def make(max_complexity=4, **parameters):
    return BooleanRuleClassifier(max_complexity, **({"time_limit": 20} | parameters))


def noisy(random, n_rows=24, n_columns=4):
    """Zeros and ones, and labels that follow the first two columns but for some noise."""
    X = (random.random((n_rows, n_columns)) < 0.5).astype(int)
    y = (X[:, 0] | X[:, 1]) ^ (random.random(n_rows) < 0.2)
    y[:2] = 0, 1
    return X, y


def rule_sets_of(X, form, most_complexity):
    """Write out every rule set over conditions ``x == 1``, as a set of clauses."""
    clauses = []
    for mask in range(1, 2 ** X.shape[1]):
        columns = frozenset(j for j in range(X.shape[1]) if mask >> j & 1)
        if 1 + len(columns) <= most_complexity:
            clauses.append(columns)
    rule_sets = [frozenset()]
    for clause in clauses:
        rule_sets += [
            s | {clause}
            for s in rule_sets
            if sum(1 + len(k) for k in s | {clause}) <= most_complexity
        ]
    return rule_sets


def loss_of(rule_set, X, y, weights, form):
    """Hamming loss by its definition: in CNF, clauses turn rows away."""
    loss = 0
    for row, label, weight in zip(X, y, weights, strict=True):
        if form == "dnf":
            n_decide = sum(all(row[j] for j in clause) for clause in rule_set)
            loss += weight * ((n_decide == 0) if label else n_decide)
        else:
            n_decide = sum(not any(row[j] for j in clause) for clause in rule_set)
            loss += weight * (n_decide if label else (n_decide == 0))
    return loss


def answers_of(rule_set, X, form):
    if form == "dnf":
        return [any(all(row[j] for j in clause) for clause in rule_set) for row in X]
    return [all(any(row[j] for j in clause) for clause in rule_set) for row in X]


def with_a_part_dropped(rule_set):
    for clause in rule_set:
        yield rule_set - {clause}
        if len(clause) > 1:
            for j in clause:
                yield (rule_set - {clause}) | {clause - {j}}


def as_columns(rules):
    """Return a rule set over conditions ``xj == 1`` as sets of columns."""
    return frozenset(
        frozenset(int(c.feature[1:]) for c in clause.conditions) for clause in rules.clauses
    )


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@given(generators(), st.sampled_from([0, 1, 3]), st.booleans())
def test_alternatives_are_all_minimal_rule_sets_within_the_distance(form, random, within, weighed):
    X, y = noisy(random)
    weights = random.integers(1, 4, len(y)) if weighed else np.ones(len(y), dtype=int)
    model = make(5, form=form, binarizer=None).fit(X, y, weights)
    found = model.alternatives(X, y, weights, within=within, most=10**6)
    most = model.certificate_.hamming_loss + within

    def loss(rule_set):
        return loss_of(rule_set, X, y, weights, form)

    expected = {
        s: loss(s)
        for s in rule_sets_of(X, form, 5)
        if loss(s) <= most and all(loss(t) > loss(s) for t in with_a_part_dropped(s))
    }
    assert found.is_complete
    assert {as_columns(a.rule_set): a.hamming_loss for a in found} == expected
    assert found.n_rule_sets == len(found) == len(expected)
    answers = {tuple(answers_of(s, X, form)) for s in expected}
    assert found.n_answers == len(answers)
    by_model = model.predict(X) == model.rule_set_.positive
    for a in found:
        differs = answers_of(as_columns(a.rule_set), X, form) != by_model
        assert a.differs_on.tolist() == np.flatnonzero(differs).tolist()
    for column in range(X.shape[1]):
        n = sum(any(column in clause for clause in s) for s in expected)
        assert found.features.get(f"x{column}", 0) == n


@given(generators())
def test_each_is_farther_from_those_before_it_than_any_that_comes_later(random):
    X, y = noisy(random, n_rows=40)
    model = make(5, binarizer=None).fit(X, y)
    found = model.alternatives(X, y, within=2, most=10**6)
    answers = [a.rule_set.covers(X) for a in found]
    shown = [model.rule_set_.covers(X)]
    for place, a in enumerate(found):
        to_nearest = [min(int((r ^ b).sum()) for b in shown) for r in answers[place:]]
        assert a.distance == to_nearest[0] == (max(to_nearest) if not a.is_model else 0)
        shown.append(answers[place])
    numbers = {tuple(r.tolist()): a.answers for r, a in zip(answers, found, strict=True)}
    assert len(set(numbers.values())) == len(numbers) == found.n_answers


def test_the_model_comes_first_and_the_rest_can_be_left_out():
    X, y = breast_cancer()
    model = make(4, positive_label="malignant").fit(X, y)
    every = model.alternatives(X, y, within=3, most=1000)
    few = model.alternatives(X, y, within=3, most=3)
    assert every.is_complete
    assert len(few) == 3 < len(every) == every.n_rule_sets == few.n_rule_sets
    assert [str(a) for a in few] == [str(a) for a in every][:3]
    assert few.features == every.features
    assert [a.is_model for a in few] == [True, False, False]
    assert few[0].rule_set == model.rule_set_
    assert few[0].hamming_loss == model.certificate_.hamming_loss


def test_where_nothing_is_lost_all_that_lose_nothing_are_found(solved_tic_tac_toe):
    boards, x_wins, model = solved_tic_tac_toe
    found = model.alternatives(boards, x_wins)
    assert (found.n_rule_sets, found.n_answers, found.is_complete) == (64, 1, True)
    assert all((a.rule_set.predict(boards) == x_wins.to_numpy()).all() for a in found)


@pytest.mark.parametrize(
    "parameters",
    [
        {"mode": "fast"},
        {"mode": "paper"},
        {"search_limits": {"max_rounds": 1}},
        {"clause_cost": 0.5, "max_complexity": 4},
    ],
)
def test_a_model_without_a_proof_has_the_same_alternatives(parameters):
    X, y = noisy(np.random.default_rng(1), n_rows=40)
    proved = make(5, binarizer=None).fit(X, y)
    parameters = {"max_complexity": 5} | parameters
    other = make(binarizer=None, **parameters).fit(X, y)
    above = proved.certificate_.hamming_loss + 2 - other.certificate_.hamming_loss
    one = proved.alternatives(X, y, within=2, most=1000)
    two = other.alternatives(X, y, within=max(above, 0), most=1000)
    assert one.is_complete
    assert two.is_complete
    if above >= 0 and "clause_cost" not in parameters:
        assert {str(a) for a in one} == {str(a) for a in two}


@given(generators(), st.sampled_from([0.5, 1, 2]))
def test_a_penalty_on_complexity_counts(random, penalty):
    X, y = noisy(random)
    model = make(5, binarizer=None, complexity_penalty=penalty).fit(X, y)
    found = model.alternatives(X, y, within=1, most=10**6)
    most = model.certificate_.objective + 1

    def objective(rule_set):
        complexity = sum(1 + len(clause) for clause in rule_set)
        return loss_of(rule_set, X, y, np.ones(len(y)), "dnf") + penalty * complexity

    expected = {
        s
        for s in rule_sets_of(X, "dnf", 5)
        if objective(s) <= most
        and all(objective(t) > objective(s) for t in with_a_part_dropped(s))
    }
    assert found.is_complete
    assert {as_columns(a.rule_set) for a in found} == expected
    assert all(a.objective == objective(as_columns(a.rule_set)) for a in found)


def test_a_complete_list_says_whether_the_model_is_optimal():
    X, y = noisy(np.random.default_rng(3), n_rows=40)
    model = make(6, binarizer=None).fit(X, y)
    proved = model.model_
    unproved = make(6, binarizer=None, mode="fast").fit(X, y).model_
    rules = replace(model.rule_set_, clauses=model.rule_set_.clauses[:1])
    certificate = replace(
        unproved.certificates[0],
        hamming_loss=rules.hamming_loss(X, y == 1),
    )
    worse = replace(unproved, rule_sets=(rules,), certificates=(certificate,))
    found = [find_alternatives(m, X, y) for m in (proved, unproved, worse)]
    assert all(f.is_complete for f in found)
    assert {f.best_objective for f in found} == {model.certificate_.hamming_loss}
    assert "optimal" not in str(found[0])
    assert "None is better, so the model is optimal" in str(found[1])
    assert "the least there is: the model is not optimal" in str(found[2])


def test_a_search_that_has_no_time_still_has_the_model():
    X, y = loan_applications()
    model = make(8, positive_label="defaulted", mode="fast").fit(X, y)
    found = model.alternatives(X, y, within=20, time_limit=0)
    assert not found.is_complete
    assert found[0].is_model
    assert "at least" in found.sentence()
    assert "cut short" in str(found)


def test_no_more_clauses_are_summed_over_than_there_is_time_for(monkeypatch):
    random = np.random.default_rng(3)
    X, y = noisy(random)[:2]
    model = make().fit(X, y)
    every = model.alternatives(X, y, within=1, time_limit=600)
    monkeypatch.setattr(listing, "BYTES_PER_SECOND", 0)
    found = model.alternatives(X, y, within=1, time_limit=600)
    assert every.is_complete
    assert not found.is_complete
    assert {str(one) for one in found} <= {str(one) for one in every}
    assert model.alternatives(X, y, within=1, time_limit=None).is_complete


def test_a_rule_set_with_a_part_too_many_is_not_its_own_alternative():
    X = np.array([[1, 1], [1, 1], [0, 1], [0, 0]])
    model = make(3, binarizer=None).fit(X, X[:, 0])
    saved = model.model_
    longer = replace(saved.rule_sets[0], clauses=(Clause(model.conditions_),))
    found = find_alternatives(replace(saved, rule_sets=(longer,)), X, X[:, 0])
    assert [str(a) for a in found] == ["x0 == 1"]
    assert "part of it can be dropped" in str(found)


def test_given_clauses_are_in_every_alternative():
    X, y = loan_applications()
    given = "age > 61"
    model = make(6, positive_label="defaulted", constraints={"given_clauses": [given]}).fit(X, y)
    found = model.alternatives(X, y, within=10, most=1000)
    assert found.is_complete
    assert found.n_rule_sets > 1
    assert found.features["age"] == found.n_rule_sets
    assert all([given] in a.rule_set.to_text() for a in found)
    assert all(a.complexity <= 6 for a in found)
    assert all(a.objective <= model.certificate_.objective + 10 for a in found)
    assert found[0].rule_set == model.rule_set_


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_no_rules_have_no_alternative(form):
    X, y = noisy(np.random.default_rng(0))
    found = find_alternatives(make(0, form=form).fit(X, y), X, y, within=5)
    assert found.is_complete
    assert [a.rule_set.n_clauses for a in found] == [0]


def test_required_conditions_are_turned_down():
    X, y = loan_applications()
    model = make(6, positive_label="defaulted", constraints={"required": ["age"]}).fit(X, y)
    with pytest.raises(ValueError, match="fitted with required conditions"):
        model.alternatives(X, y)


def test_constraints_and_limits_hold_for_alternatives_too():
    X, y = loan_applications()
    constraints = Constraints(forbidden_features=["housing"], monotone={"debt_to_income": 1})
    model = make(
        7,
        positive_label="defaulted",
        constraints=constraints,
        max_conditions=2,
        max_clauses=2,
        min_coverage=30,
    ).fit(X, y)
    found = model.alternatives(X, y, within=15, most=1000)
    assert found.is_complete
    assert found.n_rule_sets > 1
    assert "housing" not in found.features
    for a in found:
        assert a.rule_set.n_clauses <= 2
        assert all(len(clause.conditions) <= 2 for clause in a.rule_set.clauses)
        assert all(s.right >= 30 for s in a.rule_set.statistics)
        texts = [str(c) for clause in a.rule_set.clauses for c in clause.conditions]
        assert not any(text.startswith("debt_to_income <=") for text in texts)
    assert "other limits" in found.sentence()


def test_with_several_classes_one_is_asked_for():
    random = np.random.default_rng(0)
    X = random.integers(0, 6, (60, 3)).astype(float)
    y = np.array(["a", "b", "c"])[(X[:, 0] > 2).astype(int) + (X[:, 1] > 3)]
    model = make(4).fit(X, y)
    with pytest.raises(ValueError, match="a rule set for each of 'a', 'b', 'c'"):
        model.alternatives(X, y)
    with pytest.raises(ValueError, match="label='d' has none"):
        model.alternatives(X, y, label="d")
    found = model.alternatives(X, y, label="b", within=1)
    assert found[0].rule_set == model.rule_sets_[1]


def test_other_data_are_turned_down():
    X, y = noisy(np.random.default_rng(0))
    model = make(binarizer=None).fit(X, y, np.arange(1, len(y) + 1))
    with pytest.raises(ValueError, match="fitted with sample weights"):
        model.alternatives(X, y)
    with pytest.raises(ValueError, match=r"in its certificate, but .* on this data"):
        model.alternatives(X, y, np.ones(len(y)))
    with pytest.raises(ValueError, match="one label per row"):
        find_alternatives(model.model_, X, y[:5], np.ones(len(y)))
    with pytest.raises(ValueError, match="finite numbers, none negative"):
        model.alternatives(X, y, -np.ones(len(y)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"within": -1}, "within=-1 is no distance"),
        ({"within": np.inf}, "within=inf is no distance"),
        ({"within": "1"}, "within='1' is no distance"),
        ({"most": 0}, "most=0 asks for nothing"),
        ({"most": 2.5}, "most=2.5 asks for nothing"),
    ],
)
def test_limits_that_make_no_sense_are_turned_down(parameters, message):
    X, y = noisy(np.random.default_rng(0))
    model = make(binarizer=None).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.alternatives(X, y, **parameters)


def test_a_constant_model_is_its_only_alternative():
    X = np.array([[0], [1], [1]])
    with pytest.warns(UserWarning, match="the rule set is constant"):
        model = make(binarizer=None).fit(X, [1, 1, 1])
    found = model.alternatives(X, [1, 1, 1], within=5)
    assert (found.n_rule_sets, found.is_complete, str(found[0])) == (1, True, "no clause")


def test_a_saved_model_has_the_same_alternatives(tmp_path):
    X, y = loan_applications()
    model = make(6, positive_label="defaulted").fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = Model.load(tmp_path / "model.json")
    found = find_alternatives(loaded, X, y, within=8)
    assert str(found) == str(model.alternatives(X, y, within=8))


@pytest.fixture(scope="module")
def loans():
    X, y = loan_applications()
    model = make(6, positive_label="defaulted").fit(X, y)
    return model.alternatives(X, y, within=8, most=4)


def test_rows_have_the_figures_and_the_rules_on_one_line(loans):
    rows = loans.to_rows()
    assert [row["rank"] for row in rows] == list(range(1, len(loans) + 1))
    assert rows[0]["rules"] == str(loans[0])
    assert rows[0] | {"is_model": True, "n_different": 0, "distance": 0} == rows[0]
    assert all(row["n_different"] == len(a.differs_on) for row, a in zip(rows, loans, strict=True))
    assert "\n" not in rows[0]["rules"]
    assert " OR " in rows[0]["rules"]


def test_the_text_says_how_many_there_are_and_that_these_are_all(loans):
    text = str(loans)
    assert text.startswith(f"There are {loans.n_rule_sets} rule sets of complexity at most 6")
    assert "(the model: 66)" in text
    assert "cut short" not in text
    assert f"{loans.n_rule_sets} of {loans.n_rule_sets}  missed_payments" in text
    assert all(str(a) in text for a in loans)


def test_html_is_escaped(loans):
    html = loans._repr_html_()
    assert "years_employed &lt;= 1" in html
    assert "<= 1" not in html


def test_a_cnf_is_written_with_and_between_its_clauses():
    X, y = loan_applications()
    found = make(6, positive_label="defaulted", form="cnf").fit(X, y).alternatives(X, y)
    assert isinstance(found, Alternatives)
    assert found[0].rule_set.form is Form.CNF
    assert ") AND (" in str(found[0])


def test_spread_takes_the_farthest_from_its_nearest_and_of_equals_the_first():
    rows = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [1, 1, 1, 1]], dtype=bool)
    places, distances = spread(pack_bits(rows), pack_bits(np.zeros((1, 4), dtype=bool)), 10)
    assert places == [3, 0, 1, 2]
    assert distances == [4, 1, 1, 1]


def test_nothing_found_is_shown_without_a_fuss():
    X = np.array([[1, 1], [1, 1], [0, 1], [0, 0]])
    saved = make(3, binarizer=None).fit(X, X[:, 0]).model_
    longer = replace(saved.rule_sets[0], clauses=(Clause(saved.encoding.conditions),))
    longer_model = replace(saved, rule_sets=(longer,))
    # The model is not minimal, and there is no time to look for others.
    with mock.patch.object(listing, "MOST_CLAUSES", 0):
        found = find_alternatives(longer_model, X, X[:, 0], time_limit=0)
    assert (len(found), found.n_rule_sets, found.features, found.is_complete) == (0, 0, {}, False)
    assert str(found).startswith("There are at least 0 rule sets")


def test_the_best_objective_counts_what_given_clauses_cost():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2), [0, 0, 1, 1, 1, 0, 1, 1]
    given = {"given_clauses": ["x1 == 1"]}
    model = BooleanRuleClassifier(6, binarizer=None, constraints=given, time_limit=None).fit(X, y)
    found = find_alternatives(model, X, y, time_limit=None)
    assert model.certificate_.given.loss > 0
    assert found.is_complete
    assert found.best_objective == model.certificate_.objective
