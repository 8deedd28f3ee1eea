"""Alternatives over every threshold: every rule set over every cut, and what is too much."""

from itertools import combinations
from unittest import mock

import numpy as np
import polars
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import brute_force
from boolrules import BooleanRuleClassifier, FeatureBinarizer, Model, find_alternatives
from boolrules.data.whole_values import clause_as_offered
from boolrules.insight.alternatives import task as task_module
from boolrules.rules import Relation
from strategies import NO_RECORD, frames_of_cuts, generators, times

# All rule sets over so many conditions are still quickly written out.
MOST_CONDITIONS = 12


def make(C, special=(), **parameters):
    binarizer = FeatureBinarizer(thresholds="all", special_values=list(special) or None)
    given = {"binarizer": binarizer, "time_limit": None, "positive_label": True}
    return BooleanRuleClassifier(C, **(given | parameters))


def every_rule_set(keys, C):
    """Write out all rule sets of complexity at most C, as sets of sets of conditions."""
    clauses = [frozenset(k) for n in range(1, C) for k in combinations(keys, n)]
    rule_sets = [frozenset()]
    for clause in clauses:
        size = 1 + len(clause)
        rule_sets += [s | {clause} for s in rule_sets if size + sum(1 + len(k) for k in s) <= C]
    return rule_sets


def losses_of(rule_sets, truths, y, weights, form):
    """Hamming loss of each by its definition: in CNF, clauses turn rows away."""
    truths = {key: np.array(holds) for key, holds in truths.items()}
    is_missed = y if form == "dnf" else ~y

    def decides(clause):
        held = [truths[key] for key in clause]
        return np.all(held, axis=0) if form == "dnf" else ~np.any(held, axis=0)

    known = {clause: decides(clause) for s in rule_sets for clause in s}
    losses = {}
    for s in rule_sets:
        n_decide = sum((known[clause].astype(int) for clause in s), np.zeros(len(y), dtype=int))
        losses[s] = (weights * np.where(is_missed, n_decide == 0, n_decide)).sum()
    return losses


def with_a_part_dropped(rule_set):
    for clause in rule_set:
        yield rule_set - {clause}
        if len(clause) > 1:
            for key in clause:
                yield (rule_set - {clause}) | {clause - {key}}


def as_cuts(rules, frame, special):
    """Read a rule set by what its conditions do to the rows: the highest value below each cut."""

    def key(condition):
        name, sign, value = condition.feature, condition.relation.value, condition.value
        if condition.relation in (Relation.LE, Relation.GT):
            values = frame[name].fill_nan(None).drop_nulls().to_list()
            value = max(v for v in values if v <= value and v not in special)
        elif sign == "==" and type(value) in (int, float) and value not in special:
            # One of two numbers.
            low = min(v for v in frame[name].fill_nan(None).drop_nulls() if v not in special)
            return name, "<=" if value == low else ">", low
        return name, sign, value

    clauses = (clause_as_offered(clause, rules.form) for clause in rules.clauses)
    return frozenset(frozenset(map(key, clause.conditions)) for clause in clauses)


@st.composite
def tasks(draw):
    n_rows = draw(st.sampled_from([6, 9]))
    frame, random = draw(frames_of_cuts(n_rows)), draw(generators())
    special = draw(st.sampled_from([(), (NO_RECORD,)]))
    frame = frame.select(frame.columns[: draw(st.integers(1, 2))])
    truths = brute_force.every_cut(frame, special)
    assume(0 < len(truths) <= MOST_CONDITIONS)
    y = random.random(n_rows) < 0.5
    y[:2] = True, False
    weights = random.choice([1, 2, 3], n_rows) if draw(st.booleans()) else np.ones(n_rows)
    return frame, y, weights.astype(float), special, truths


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@times(2)
@given(tasks(), st.integers(2, 5), st.sampled_from([0, 1, 2]))
def test_alternatives_are_all_minimal_rule_sets_over_every_cut(form, task, C, within):
    frame, y, weights, special, truths = task
    model = make(C, special, form=form).fit(frame, y, weights)
    losses = losses_of(every_rule_set(list(truths), C), truths, y, weights, form)
    most = min(losses.values()) + within
    expected = {
        s: loss
        for s, loss in losses.items()
        if loss <= most and all(losses[t] > loss for t in with_a_part_dropped(s))
    }
    found = model.alternatives(frame, y, weights, within=within, most=10**6)
    assert found.is_complete
    assert {as_cuts(a.rule_set, frame, special): a.hamming_loss for a in found} == expected
    assert found.n_rule_sets == len(found) == len(expected)
    for name in frame.columns:
        n = sum(any(key[0] == name for k in s for key in k) for s in expected)
        assert found.features.get(name, 0) == n
    again = Model.from_json(model.model_.to_json())
    assert again.encoding.knows_its_rows != again.encoding.has_cuts
    assert str(find_alternatives(again, frame, y, weights, within=within)) == str(
        model.alternatives(frame, y, weights, within=within)
    )


def rows(n_rows=60, seed=0):
    random = np.random.default_rng(seed)
    frame = polars.DataFrame({"a": random.normal(size=n_rows), "b": random.normal(size=n_rows)})
    return frame, (frame["a"] > 0.3).to_numpy() ^ (random.random(n_rows) < 0.1)


def test_rows_that_weigh_nothing_are_answered_too():
    frame, y = rows()
    weights = np.arange(len(y)) % 3 + 0.0
    model = make(3).fit(frame, y, weights)
    found = model.alternatives(frame, y, weights, within=8, most=50)
    by_model = model.predict(frame)
    for a in found:
        differs = np.flatnonzero(a.rule_set.predict(frame) != by_model)
        assert a.differs_on.tolist() == differs.tolist()
    assert any(weights[a.differs_on].min(initial=1) == 0 for a in found)


def test_given_clauses_stay():
    frame, y = rows()
    model = make(4, constraints={"given_clauses": ["b > 1.2"]}).fit(frame, y)
    again = Model.from_json(model.model_.to_json())
    found = find_alternatives(again, frame, y, within=1)
    assert found.is_complete
    assert all("b > 1.2" in str(a) for a in found)


def test_other_rows_are_turned_down_before_their_cuts_are_asked_for():
    frame, y = rows()
    again = Model.from_json(make(3).fit(frame, y).model_.to_json())
    with pytest.raises(ValueError, match=r"in its certificate, but .* on this data"):
        find_alternatives(again, *rows(seed=1))
    with pytest.raises(ValueError, match="'a'"):
        find_alternatives(again, frame.drop("a"), y)


def test_too_large_a_table_is_turned_down_in_one_line():
    frame, y = rows()
    model = make(3).fit(frame, y)
    with (
        mock.patch.object(task_module, "MOST_BITS_OF_EXACT", 236 * 60 - 1),
        pytest.raises(ValueError, match=r"over 236 conditions on 60 rows.*'deciles'") as raised,
    ):
        model.alternatives(frame, y)
    assert "\n" not in str(raised.value)
    with mock.patch.object(task_module, "MOST_BITS_OF_EXACT", 236 * 60):
        assert model.alternatives(frame, y).is_complete


def test_a_condition_is_laid_out_when_a_clause_has_it():
    frame, y = rows(400)
    model = make(2).fit(frame, y).model_
    task = task_module.Task.of(model, model.rows(frame, y), None)
    assert task._known == {}
    task.read(((0,), (3,)))
    assert sorted(task._known) == [0, 3]
