"""The nearest change: exact against brute force, and the same in JavaScript."""

import itertools
import json
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import Clause, Condition, FeatureBinarizer, Form, Relation, RuleSet
from boolrules._support.table import Kind, read_table
from boolrules.insight.report import nearest_change as module
from boolrules.insight.report.domain import UNIT, Domain, make_domains
from boolrules.insight.report.embed import number_conditions, plain_conditions, plain_decisions
from boolrules.insight.report.nearest_change import holds, nearest_change
from boolrules.insight.report.page import read_template
from boolrules.rules.decision_list import DecisionList
from strategies import NO_RECORD, frames, generators, times

LABELS = ["a", "b", "c"]
# Every row of five columns is still quickly written out.
MOST_COLUMNS = 5
DRIVER = """
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { point, conditions, features, row, wanted, kept } = JSON.parse(line);
  const found = nearestChange(point, conditions, features, row, wanted, new Set(kept));
  const truth = truthOf(conditions, row);
  console.log(JSON.stringify({ ...found, truth, answer: answerOf(point, truth) }));
});
"""


@st.composite
def tasks(draw):
    """Tables, rules over them in one rule set or three, and a row."""
    n_rows = draw(st.sampled_from([3, 8, 20]))
    frame = draw(frames(n_rows))
    frame = frame.select(frame.columns[:MOST_COLUMNS])
    binarizer = FeatureBinarizer(
        thresholds=draw(st.sampled_from(["deciles", 3])),
        method=draw(st.sampled_from(["thresholds", "intervals"])),
        special_values=draw(st.sampled_from([None, [NO_RECORD]])),
    ).fit(frame)
    conditions = binarizer.encoding_.conditions
    random, table = draw(generators()), read_table(frame)
    form = draw(st.sampled_from([Form.DNF, Form.CNF]))

    def rule_set(positive, negative):
        clauses = []
        for _ in range(random.integers(0, 5) if conditions else 0):
            chosen = random.permutation(len(conditions))[: random.integers(1, 4)]
            clauses.append(Clause(tuple(conditions[j] for j in sorted(chosen.tolist()))))
        rules = RuleSet(tuple(clauses), form, positive, negative)
        return rules.with_statistics(table, random.random(n_rows) < 0.5)

    if draw(st.booleans()):
        decisions = DecisionList.of_rule_set(rule_set("a", "b"))
    else:
        rule_sets = [rule_set(label, None) for label in LABELS]
        decisions = DecisionList.of_classes(rule_sets, LABELS)
    domains = make_domains(table, number_conditions([decisions]), binarizer.encoding_)
    row = {d.feature: cell(table[d.feature].values[random.integers(n_rows)]) for d in domains}
    return table, decisions, domains, row


def cell(value):
    if value is None or value != value:
        return None
    return value if isinstance(value, str) else float(value)


def answer(decisions, row):
    for decision in decisions.decisions:
        is_dnf = decision.form is Form.DNF
        is_decided = any(
            all(holds(c, row[c.feature]) == is_dnf for c in clause.conditions)
            for clause in decision.clauses
        )
        if is_decided == is_dnf:
            return decision.label
    return decisions.otherwise


def every_change(table, domains, row):
    """Yield (columns changed, cost, new row) for all values that occur, not one per cell."""
    choices = []
    for domain in domains:
        own = row[domain.feature]
        occurring = {cell(value) for value in table[domain.feature].values}
        costs = {value: _cost(domain, own, value) for value in occurring} | {own: 0}
        choices.append(list(costs.items()))
    for changes in itertools.product(*choices):
        new = {d.feature: value for d, (value, _) in zip(domains, changes, strict=True)}
        yield sum(new[f] != row[f] for f in new), sum(cost for _, cost in changes), new


def _cost(domain, value, other):
    if domain.kind is Kind.TEXT or None in (value, other) or not domain.is_ordered:
        return UNIT
    return max(1, int(abs(other - value) / domain.spread * UNIT + 0.5))


@times(10)
@given(tasks(), st.sampled_from(LABELS), st.data())
def test_no_change_to_values_that_occur_is_smaller(task, wanted, data):
    table, decisions, domains, row = task
    kept = data.draw(st.sets(st.sampled_from([d.feature for d in domains]))) if domains else set()
    found = nearest_change(decisions, domains, row, wanted, kept)
    possible = [
        (n_changes, cost)
        for n_changes, cost, new in every_change(table, domains, row)
        if all(new[name] == row[name] for name in kept) and answer(decisions, new) == wanted
    ]
    assert found.is_proved
    assert (found.values is None) == (not possible)
    if possible:
        assert not kept & set(found.values)
        assert answer(decisions, row | found.values) == wanted
        assert (len(found.values), found.cost) == min(possible)


@times(10)
@given(tasks())
def test_one_value_is_judged_as_a_column_is(task):
    table, decisions, _, _ = task
    for condition in number_conditions([decisions]):
        column = table[condition.feature]
        alone = [holds(condition, cell(value)) for value in column.values]
        np.testing.assert_array_equal(alone, condition.holds(column))


@pytest.fixture(scope="module")
def node():
    """Ask the page's own script, run by Node.js."""
    if shutil.which("node") is None:
        pytest.skip("needs node (Node.js); the browser tests run the same script")
    code = "\n".join([read_template("rules.js"), read_template("nearest_change.js"), DRIVER])
    process = subprocess.Popen(
        ["node", "-e", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def ask(question):
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield ask
    process.stdin.close()
    process.wait(timeout=10)
    process.stdout.close()


@times(10)
@given(task=tasks(), wanted=st.sampled_from(LABELS))
def test_the_script_of_the_page_finds_the_same(node, task, wanted):
    _, decisions, domains, row = task
    places = number_conditions([decisions])
    labels = {label: place for place, label in enumerate(LABELS)}
    plain, otherwise = plain_decisions(decisions, places, labels)
    names = [domain.feature for domain in domains]
    found = node(
        {
            "point": {
                "decisions": [
                    {"form": d.form, "clauses": d.clauses, "label": d.label} for d in plain
                ],
                "otherwise": otherwise,
            },
            "conditions": plain_conditions(places, domains),
            "features": [domain.to_plain() for domain in domains],
            "row": [row[name] for name in names],
            "wanted": labels[wanted],
            "kept": [],
        }
    )
    expected = nearest_change(decisions, domains, row, wanted)
    values = found["values"]
    assert found["truth"] == [holds(c, row[c.feature]) for c in places]
    assert LABELS[found["answer"]] == answer(decisions, row)
    assert (found["isProved"], found["cost"]) == (expected.is_proved, expected.cost)
    assert (None if values is None else {names[f]: v for f, v in values}) == expected.values


def threshold_rules(n_clauses):
    """One clause per column: covered by all of them, a row must change in every column."""
    clauses = [Clause((Condition(f"f{k}", Relation.GT, 5),)) for k in range(n_clauses)]
    decisions = DecisionList.of_rule_set(RuleSet(tuple(clauses), positive="a", negative="b"))
    domains = [
        Domain(f"f{k}", Kind.NUMERIC, True, ranges=((0, 5), (6, 9)), spread=4)
        for k in range(n_clauses)
    ]
    return decisions, domains, {f"f{k}": 8.0 for k in range(n_clauses)}


def test_many_clauses_on_their_own_columns_take_one_look():
    decisions, domains, row = threshold_rules(20)
    found = nearest_change(decisions, domains, row, "b")
    assert found.is_proved
    assert found.values == dict.fromkeys(row, 5.0)


def test_a_search_cut_short_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 3)
    decisions, domains, row = threshold_rules(5)
    found = nearest_change(decisions, domains, row, "b")
    assert not found.is_proved
    assert found.values is None


def test_the_nearer_of_two_values_is_proposed():
    rules = RuleSet((Clause((Condition("f", Relation.NOT_IN, (2, 6)),)),))
    domain = Domain("f", Kind.NUMERIC, True, ranges=((0, 1), (2, 2), (3, 6), (7, 9)), spread=1)
    decisions = DecisionList.of_rule_set(rules)
    assert nearest_change(decisions, [domain], {"f": 3.0}, True).values == {"f": 2}
    assert nearest_change(decisions, [domain], {"f": 6.0}, True).values == {"f": 7}


def test_ranges_have_values_that_occur_and_stop_at_each_threshold():
    table = read_table(np.array([[1.0], [2.0], [3.0], [5.0], [8.0], [np.nan]]))
    encoding = FeatureBinarizer().fit(np.array([[1.0], [2.0], [8.0]])).encoding_
    conditions = [Condition("x0", Relation.LE, 3), Condition("x0", Relation.GT, 4.5)]
    (domain,) = make_domains(table, conditions, encoding)
    assert domain.ranges == ((1, 2), (3, 3), (5, 8))
    assert (domain.middle, domain.has_missing, domain.is_ordered) == (3, True, True)


def test_of_many_categories_only_those_that_rules_name_and_one_other_are_kept():
    table = read_table(np.array([["a"], ["b"], ["c"], ["c"], ["d"]]))
    encoding = FeatureBinarizer().fit(table_of("abcd")).encoding_
    (domain,) = make_domains(table, [Condition("x0", Relation.EQ, "b")], encoding)
    assert domain.values == ("b", "c")
    assert not domain.is_ordered


def table_of(letters):
    return np.array([[letter] for letter in letters])


def test_a_missing_value_may_become_one_that_occurs():
    rules = RuleSet((Clause((Condition("f", Relation.GT, 5),)),))
    domain = Domain("f", Kind.NUMERIC, True, ranges=((0, 5), (6, 9)), middle=4.0, has_missing=True)
    decisions = DecisionList.of_rule_set(rules)
    found = nearest_change(decisions, [domain], {"f": None}, True)
    assert (found.values, found.cost) == ({"f": 6}, UNIT)
