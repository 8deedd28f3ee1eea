"""Alternatives under requirements, against every rule set written out and judged by definition."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import (
    Argument,
    BooleanRuleClassifier,
    Clause,
    Model,
    RequirementsNotMetError,
    find_alternatives,
)
from boolrules._support.budget import Budget
from boolrules.data.datasets import loan_applications
from boolrules.data.requirement import read_requirements
from boolrules.insight.alternatives import duals, listing
from boolrules.insight.alternatives.listing import MinimalRuleSets
from boolrules.insight.alternatives.task import Task
from strategies import asked, generators, times

GROUP = 3  # the column that requirements speak of
MEASURES = [
    "recall >= {share}",
    "precision >= {share}",
    "missed <= {count}",
    "covered <= {count}",
    "flagged <= {count}",
    "flagged share <= {share}",
    "recall >= {share} within x3",
    "precision >= {share} where x3 = 1",
    "flagged <= {count} within x3",
    "equal opportunity <= {apart} between x3",
    "equalised odds <= {apart} between x3",
]


@st.composite
def requirements(draw):
    """One or two requirements, of any kind."""
    several = draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=2, unique=True))
    return [
        text.format(
            share=draw(st.sampled_from([0.4, 0.6, 0.75, 0.9])),
            count=draw(st.integers(1, 9)),
            apart=draw(st.sampled_from([0.05, 0.2, 0.4])),
        )
        for text in several
    ]


def noisy(random, n_rows=24, n_columns=4):
    """Zeros and ones, and labels that follow the first two columns but for some noise."""
    X = (random.random((n_rows, n_columns)) < 0.5).astype(int)
    y = (X[:, 0] | X[:, 1]) ^ (random.random(n_rows) < 0.25)
    y[:2] = 0, 1
    return X, y


class World:
    """Every rule set of a small table, judged by definition."""

    def __init__(self, X, y, weights, form, texts, costs=(1, 1), given=(), penalty=0):
        self.X, self.y, self.form, self.given = X, y == 1, form, list(given)
        self.weights = [int(w) for w in weights]
        self.texts, self.costs, self.penalty = texts, costs, penalty
        self.decides = cache(self._decides)

    def _decides(self, clause):
        """Say on which rows a clause is true in DNF, or false in CNF."""
        columns = self.X[:, sorted(clause)]
        return columns.all(axis=1) if self.form == "dnf" else ~columns.any(axis=1)

    def times(self, rule_set):
        """How often each row is mistaken, by clauses."""
        n = np.zeros(len(self.y), dtype=int)
        for clause in [*self.given, *rule_set]:
            n += self.decides(clause)
        return np.where(self.y == (self.form == "dnf"), n == 0, n).tolist()

    def objective(self, rule_set):
        complexity = sum(1 + len(k) for k in rule_set)
        return self.penalty * complexity + sum(
            w * n * self.costs[0 if is_positive else 1]
            for w, n, is_positive in zip(self.weights, self.times(rule_set), self.y, strict=True)
        )

    def meets(self, rule_set):
        """By clauses, and by rows."""
        by_clauses = self.times(rule_set)
        by_rows = [min(n, 1) for n in by_clauses]
        return all(self.keeps(t, n) for t in self.texts for n in (by_clauses, by_rows))

    def keeps(self, text, mistakes):
        measure, _, rest = text.partition("=")
        measure, limit = measure.rstrip("<> "), Fraction(rest.split()[0])
        groups = [np.ones(len(self.y), dtype=bool)]
        if "where" in text:
            groups = [self.X[:, GROUP] == 1]
        elif "x3" in text:
            groups = [self.X[:, GROUP] == value for value in (0, 1)]
        sums = [self.sums(is_there, mistakes) for is_there in groups]
        if measure.startswith("equal"):
            sides = [(0, 1)] if measure == "equal opportunity" else [(0, 1), (2, 3)]
            return all(
                abs(Fraction(g[m], g[n]) - Fraction(h[m], h[n])) <= limit
                for n, m in sides
                for g, h in combinations([s for s in sums if s[n]], 2)
            )
        return all(self.keeps_in_group(measure, limit, *s) for s in sums)

    def sums(self, is_there, mistakes):
        """Positives, missed ones, negatives, and flagged ones as often as they are mistaken."""
        totals = [0, 0, 0, 0]
        for k, (w, n) in enumerate(zip(self.weights, mistakes, strict=True)):
            if is_there[k]:
                totals[0 if self.y[k] else 2] += w
                totals[1 if self.y[k] else 3] += w * n
        return totals

    def keeps_in_group(self, measure, limit, n_P, missed, n_Z, covered):
        flagged = n_P - missed + covered
        return {
            "recall": n_P - missed >= limit * n_P,
            "precision": n_P - missed >= limit * flagged,
            "missed": missed <= limit,
            "covered": covered <= limit,
            "flagged": flagged <= limit,
            "flagged share": flagged <= limit * (n_P + n_Z),
        }[measure]

    def least(self, most_complexity):
        """Return the least objective of all that meet the requirements."""
        every = self.every(most_complexity)
        return min(self.objective(s) for s in every if self.meets(s))

    def every(self, most_complexity):
        """Write out every rule set."""
        rule_sets = [frozenset()]
        clauses = [
            frozenset(k)
            for n in range(1, most_complexity)
            for k in combinations(range(self.X.shape[1]), n)
        ]
        for clause in clauses:
            rule_sets += [
                s | {clause}
                for s in rule_sets
                if sum(1 + len(k) for k in s | {clause}) <= most_complexity
            ]
        return rule_sets

    def minimal(self, most_complexity, most):
        """Write out what should be listed, with objectives."""
        every = self.every(most_complexity)
        known = {s: self.objective(s) for s in every if self.meets(s)}
        return {
            s: value
            for s, value in known.items()
            if value <= most
            and not any(
                self.objective(t) <= value and self.meets(t) for t in with_a_part_dropped(s)
            )
        }


def with_a_part_dropped(rule_set):
    """Return lists of clauses: without a condition, one may be there twice."""
    for clause in rule_set:
        others = [k for k in rule_set if k != clause]
        yield others
        if len(clause) > 1:
            for j in clause:
                yield [*others, clause - {j}]


def is_apart(form, texts):
    """Whether a row counts for the better if a clause wrongly decides it."""
    words = ["odds", "flagged", "opportunity"] if form == "cnf" else ["odds"]
    return any(word in text for word in words for text in texts)


def as_columns(rules, n_given=0):
    """Return a rule set over conditions ``xj == 1`` as sets of columns."""
    return frozenset(
        frozenset(int(c.feature[1:]) for c in clause.conditions)
        for clause in rules.clauses[n_given:]
    )


def fitted(X, y, weights, **parameters):
    """Fit; cases in which no rule set meets the requirements are others' to test."""
    model = BooleanRuleClassifier(binarizer=None, time_limit=20, **parameters)
    try:
        return model.fit(X, y, weights)
    except RequirementsNotMetError:
        assume(False)


def are_all_listed(found, expected, n_given=0):
    """Hold alternatives against what should be listed, with losses."""
    assert found.is_complete
    listed = {as_columns(a.rule_set, n_given): a.objective for a in found}
    assert len(listed) == len(found) == found.n_rule_sets
    assert listed == expected
    assert found.best_objective == min(expected.values(), default=None)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@times(2)
@given(
    generators(),
    requirements(),
    st.sampled_from([0, 1, 3]),
    st.sampled_from([[1], [1, 2, 3], [0, 1, 2]]),
    st.sampled_from(["loss", "missed", "covered"]),
    st.sampled_from([0, 0, 0, 0.5]),
)
def test_exactly_the_minimal_rule_sets_that_meet_them_are_listed(
    form, random, texts, within, kinds, objective, penalty
):
    X, y = noisy(random)
    weights = random.choice(kinds, len(y))
    weights[:2] = 1
    asked = {"requirements": texts, "objective": objective, "complexity_penalty": penalty}
    model = fitted(X, y, weights, max_complexity=5, form=form, **asked)
    found = model.alternatives(X, y, weights, within=within, most=10**6)
    costs = (int(objective != "covered"), int(objective != "missed"))
    world = World(X, y, weights, form, texts, costs, penalty=penalty)
    own = world.objective(as_columns(model.rule_set_))
    assert own == model.certificate_.objective
    are_all_listed(found, world.minimal(5, own + within))
    # Whatever meets the requirements has one that is listed and loses no more.
    assert found.has_optimum or is_apart(form, texts)
    if found.has_optimum:
        assert found.best_objective == world.least(5) <= own


@pytest.mark.parametrize(
    ("form", "text", "seed"),
    [
        ("dnf", "equalised odds <= 0.1 between x3", 55),
        ("dnf", "equalised odds <= 0.1 between x3", 70),
        ("dnf", "equalised odds <= 0.2 between x3", 81),
        ("cnf", "equal opportunity <= 0.05 between x3", 9),
        ("cnf", "equal opportunity <= 0.05 between x3", 14),
    ],
)
def test_a_clause_that_changes_no_answer_may_be_needed_where_clauses_count(form, text, seed):
    X, y = noisy(np.random.default_rng(seed), n_rows=14)
    model = fitted(X, y, None, max_complexity=6, form=form, requirements=text)
    world = World(X, y, np.ones(len(y)), form, [text])
    expected = world.minimal(6, model.certificate_.objective + 15)

    def answers(rule_set):
        return [min(n, 1) for n in world.times(rule_set)]

    assert any(answers(s) == answers(s - {k}) for s in expected for k in s)
    are_all_listed(model.alternatives(X, y, within=15, most=10**6), expected)


@pytest.mark.parametrize(
    ("form", "text", "seed"),
    [
        ("dnf", "equalised odds <= 0.1 between x3", 70),
        ("cnf", "equal opportunity <= 0.1 between x3", 0),
    ],
)
def test_nothing_is_said_of_the_optimum_where_a_clause_may_be_there_twice(form, text, seed):
    X, y = noisy(np.random.default_rng(seed), n_rows=14)
    model = fitted(X, y, None, max_complexity=7, form=form, requirements=text)
    unproved = replace(model.certificate_, lower_bound=None, argument=Argument.NONE, duals=None)
    saved = replace(model.model_, certificates=(unproved,))
    found = find_alternatives(saved, X, y, within=15, most=10**6)
    world = World(X, y, np.ones(len(y)), form, [text])
    are_all_listed(found, world.minimal(7, model.certificate_.objective + 15))
    assert not found.has_optimum
    assert "optimal" not in str(found)
    assert "the least there is" not in str(found)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@times(2)
@given(generators(), requirements(), st.sampled_from([0, 2]), st.sampled_from([(0,), (0, 2)]))
def test_so_they_are_beside_given_clauses(form, random, texts, within, given_clause):
    """Of any rules that meet the requirements, as if they were the model's."""
    assume(not is_apart(form, texts))  # these cannot be asked together with given clauses
    X, y = noisy(random)
    weights = random.integers(1, 3, len(y))
    word = " AND " if form == "dnf" else " OR "
    text = word.join(f"x{j} == 1" for j in given_clause)
    saved = fitted(
        *(X, y, weights),
        max_complexity=6 + len(given_clause),
        form=form,
        mode="fast",  # other rules take the place of these
        constraints={"given_clauses": [text]},
    ).model_
    world = World(X, y, weights, form, texts, given=[frozenset(given_clause)])
    every = world.minimal(5, 10**9)
    assume(every)
    own = sorted(every, key=lambda s: (every[s], sorted(map(sorted, s))))[len(every) // 4]
    clauses = [Clause(tuple(saved.encoding.conditions[j] for j in sorted(k))) for k in own]
    given_clauses = saved.certificates[0].given.clauses
    rules = replace(saved.rule_sets[0], clauses=(*given_clauses, *clauses))
    certificate = replace(
        saved.certificates[0],
        hamming_loss=every[own],
        complexity=rules.complexity,
        lower_bound=None,
        argument=Argument.NONE,
        duals=None,
        requirements=read_requirements(texts),
    )
    model = replace(saved, rule_sets=(rules,), certificates=(certificate,), training_rows=None)
    found = find_alternatives(model, X, y, weights, within=within, most=10**6)
    expected = {s: loss for s, loss in every.items() if loss <= every[own] + within}
    are_all_listed(found, expected, n_given=1)
    assert found[0].is_model


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@given(generators(), requirements())
def test_any_duals_list_the_same(form, random, texts):
    X, y = noisy(random)
    model = fitted(X, y, None, max_complexity=5, form=form, requirements=texts)
    found = model.alternatives(X, y, within=1, most=10**6)
    with mock.patch.object(duals, "_kept_duals", return_value=None):
        anew = model.alternatives(X, y, within=1, most=10**6)
        with mock.patch.object(duals, "_new_duals", return_value=None):
            of_zeros = model.alternatives(X, y, within=1, most=10**6)
    assert str(found) == str(anew) == str(of_zeros)


@given(generators(), requirements())
def test_the_compiled_search_lists_what_its_specification_does(random, texts):
    X, y = noisy(random, n_rows=16)
    model = fitted(X, y, None, max_complexity=4, requirements=texts)
    task = Task.of(model.model_, model.model_.rows(X, y), None)
    samples, problem, most = task.training_set, task.problem, model.certificate_.objective + 2
    known = duals.feasible_duals(samples, problem, model.certificate_, Budget.of(5))
    one, other = (
        MinimalRuleSets(samples, problem, known, most, engine, task.meeting).list(
            Budget.unlimited()
        )
        for engine in ("numba", "numpy")
    )
    assert (one.rule_sets, one.objectives) == (other.rule_sets, other.objectives)


@times(2)
@given(asked(complexities=(2, 3, 4, 5)))
def test_all_meet_the_requirements_and_the_best_is_the_optimum(task):
    """Whatever is asked beside them: limits, prices, given clauses; with values missing."""
    assume(not task.parameters["constraints"].get("required"))
    try:
        model = task.fit()
    except RequirementsNotMetError:
        assume(False)
    found = model.alternatives(*task.rows, most=10**6)
    plain = task.plain()
    for a in found:
        clauses = [clause.conditions for clause in a.rule_set.clauses]
        assert plain.meets(task.requirements, plain.mistakes(clauses))
        assert plain.objective(clauses) == a.objective <= model.certificate_.objective
    assert found.is_complete
    if found.has_optimum:
        assert found.best_objective == plain.optimum(task.requirements)


def test_a_list_that_is_cut_short_has_nothing_false_in_it_and_says_so():
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        6, positive_label="defaulted", requirements="recall >= 0.9", time_limit=30
    ).fit(X, y)
    whole = model.alternatives(X, y, within=4, most=10**6)
    assert whole.is_complete
    assert whole[0].is_model
    assert len(whole) > 1
    for name, limit in (("MOST_CLAUSES", 50), ("MOST_CANDIDATES", 1), ("MOST_RULE_SETS", 1)):
        with mock.patch.object(listing, name, limit):
            part = model.alternatives(X, y, within=4, most=10**6)
        assert {str(a) for a in part} <= {str(a) for a in whole}
        assert part.n_rule_sets < whole.n_rule_sets or part.is_complete
    hurried = model.alternatives(X, y, within=4, time_limit=0)
    assert not hurried.is_complete
    assert hurried[0].is_model


def test_the_text_says_what_is_met_and_what_a_part_is_needed_for():
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        6,
        positive_label="defaulted",
        requirements=["precision >= 0.8", "recall >= 0.5 within housing"],
        objective="missed",
        time_limit=30,
    ).fit(X, y)
    found = model.alternatives(X, y)
    text = str(found)
    assert (
        "that meet precision >= 0.8 and recall >= 0.5 within housing (whether a row counts once "
        "or once for each clause that wrongly decides it), with at most "
        f"{model.certificate_.hamming_loss} missed positives (the model:" in text
    )
    assert "without it they would lose more or break a requirement." in text
    assert found[0].rule_set == model.rule_set_
    for a in found:
        standings = model.model_.rows(X, y).against_rest("defaulted")
        assert standings.standings(a.rule_set, model.model_.requirements).all_met


def test_a_saved_model_has_the_same_alternatives(tmp_path):
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        5, positive_label="defaulted", requirements="flagged <= 300", time_limit=30
    ).fit(X, y)
    model.save(tmp_path / "model.json")
    found = find_alternatives(Model.load(tmp_path / "model.json"), X, y, within=2)
    assert str(found) == str(model.alternatives(X, y, within=2))


def test_rules_that_break_a_requirement_on_the_data_are_turned_down():
    X, y = loan_applications()
    model = BooleanRuleClassifier(4, positive_label="defaulted", time_limit=30).fit(X, y).model_
    certificate = replace(
        model.certificates[0], requirements=read_requirements("precision >= 0.999999")
    )
    with pytest.raises(ValueError, match=r"do not meet 'precision >= 0\.999999' on this data"):
        find_alternatives(replace(model, certificates=(certificate,)), X, y)


def test_fewest_errors_are_another_measure():
    X, y = loan_applications()
    model = BooleanRuleClassifier(
        4, positive_label="defaulted", objective="errors", time_limit=30
    ).fit(X, y)
    with pytest.raises(ValueError, match="fitted with objective='errors'"):
        model.alternatives(X, y)


def test_alternatives_to_the_greatest_f1_have_no_smaller_one():
    X, y = noisy(np.random.default_rng(0), n_rows=60)
    model = BooleanRuleClassifier(5, objective="f1", binarizer=None, time_limit=30).fit(X, y)
    found = model.alternatives(X, y, most=10**6)
    assert found.is_complete
    assert "no smaller F1" in str(found)

    def f1(rule_set):
        mistakes = World(X, y, np.ones(len(y)), "dnf", []).times(as_columns(rule_set))
        fn, fp = (sum(n for n, s in zip(mistakes, y == k, strict=True) if s) for k in (1, 0))
        return Fraction(2 * (int(y.sum()) - fn), 2 * (int(y.sum()) - fn) + fp + fn)

    assert all(f1(a.rule_set) == f1(model.rule_set_) for a in found)
