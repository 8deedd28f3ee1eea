"""The learners that need nothing but our own environment, and the parts of the others."""

from functools import cache
from pathlib import Path

import numpy as np
import polars
import pytest
from benchmarks.learners.learner import Clauses, Graded, Rows, Task, written
from benchmarks.learners.registry import all_learners, su2016
from benchmarks.learners.registry.brs import Annealing, Candidates, information_gain, mine
from benchmarks.learners.registry.jrip import Ordered, read_rules
from benchmarks.learners.registry.su2016 import Problem, first_clauses
from benchmarks.learners.registry.trees import complexity_of
from scipy.optimize import linprog
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

WITH_US = ["boolrules", "boolrules DNF", "boolrules every threshold", "BRS", "IDS"]
WITH_US += ["AM DNF", "AM CNF", "BCD DNF", "BCD CNF", "CART", "RF", "LR", "SVM", "boosting"]
ELSEWHERE = ["JRip", "wittgenstein", "BooleanRuleCG DNF", "BooleanRuleCG CNF"]
ELSEWHERE += ["FIGS", "GOSDT", "STreeD", "ruleopt"]
WITH_PROBABILITIES = ["boolrules", "CART", "RF", "LR", "boosting"]
TASK = Task(seconds=60, is_quick=True)


@pytest.fixture
def rows_and_labels(small_table):
    y = small_table["target"].to_numpy().astype(bool)
    train, test = np.arange(80), np.arange(80, 120)
    return *Rows.split(small_table.drop("target"), train, test), y[train], y[test]


@pytest.fixture(scope="module")
def tuned(small_table):
    """What a learner finds on the training rows, looked for once."""
    y = small_table["target"].to_numpy().astype(bool)
    train = np.arange(80)
    rows, _ = Rows.split(small_table.drop("target"), train, np.arange(80, 120))

    def tune(name):
        with threadpool_limits(1):  # on so few rows, threads do little but wait for each other
            return all_learners()[name].tune(rows, y[train], TASK)

    return cache(tune)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WITH_US)
def test_a_learner_finds_a_rule_of_one_condition_and_knows_its_positive_class(
    name, rows_and_labels, tuned
):
    _, held_out, _, y_held_out = rows_and_labels
    assert all_learners()[name].available() is None
    found = tuned(name)
    parameter, model = found.front[found.place]
    assert np.mean(model.predict(held_out) == y_held_out) > 0.8
    assert model.complexity is None or 0 < model.complexity < 20
    assert parameter is not None
    if name in WITH_PROBABILITIES:
        assert isinstance(model, Graded)
        chance = model.probabilities(held_out)
        assert chance.shape == y_held_out.shape
        assert chance[y_held_out].mean() > chance[~y_held_out].mean()


def test_ours_says_what_it_chose_and_can_learn_it_again(rows_and_labels, tuned):
    rows, _, y, _ = rows_and_labels
    learner, found = all_learners()["boolrules"], tuned("boolrules")
    form, thresholds, complexity = found.parameter
    assert (form in ("dnf", "cnf"), thresholds in (10, 30)) == (True, True)
    assert complexity == found.front[found.place][0]
    again = learner.fit(rows, y, learner.parameter(written(found.parameter)), TASK)
    chosen = found.front[found.place][1]
    assert again.certificate.hamming_loss == chosen.certificate.hamming_loss


def test_the_other_form_is_wrong_where_it_covers_a_row_of_the_other_class(rows_and_labels):
    rows, _, y, _ = rows_and_labels
    dnf, cnf = (all_learners()[f"AM {form}"] for form in ("DNF", "CNF"))
    model, other = cnf.fit(rows, y, 0.01, TASK), dnf.fit(rows, ~y, 0.01, TASK)
    assert model.clauses == other.clauses
    assert np.array_equal(model.predict(rows), ~other.predict(rows))


def test_thresholds_come_from_the_training_rows_alone(small_table):
    frame = small_table.drop("target")
    rows, _ = Rows.split(frame, np.arange(60), np.arange(60, 120))
    thresholds = {c.value for c in rows.conditions if c.feature == "variance"}
    values = np.sort(frame["variance"].to_numpy()[:60])
    expected = np.quantile(values, np.arange(0.1, 1, 0.1))
    cut = np.searchsorted(values, sorted(thresholds), side="right")
    assert cut.tolist() == np.searchsorted(values, expected, side="right").tolist()


def test_clauses_predict_and_count(rows_and_labels):
    rows, *_ = rows_and_labels
    model = Clauses(((0, 3), (5,)))
    expected = (rows.holds[:, 0] & rows.holds[:, 3]) | rows.holds[:, 5]
    assert (model.predict(rows) == expected).all()
    assert model.complexity == 5
    assert (Clauses(((5,),), is_negated=True).predict(rows) == ~rows.holds[:, 5]).all()


def test_the_first_rule_of_jrip_that_covers_a_row_decides(rows_and_labels):
    rows, *_ = rows_and_labels
    text = "(c1 = 1) and (c0 = 0) => class=1 (5.0/0.0)\n => class=0 (6.0/0.0)\n"
    model = Ordered(read_rules(text))
    assert (model.predict(rows) == (rows.holds[:, 1] & ~rows.holds[:, 0])).all()
    assert model.complexity == 3


def test_a_tree_is_counted_as_the_rules_of_its_simpler_class():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    y = X[:, 0] & X[:, 1]
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert complexity_of(tree.tree_) == 3  # one leaf at depth two
    assert complexity_of(DecisionTreeClassifier().fit(X, np.zeros(12, int)).tree_) == 0


def test_information_gain_is_all_of_the_entropy_for_a_perfect_clause():
    gain = information_gain(np.array([10.0, 5.0]), np.array([0.0, 5.0]), 10, 10)
    assert gain == pytest.approx([np.log(2), 0.0])


def test_mined_clauses_have_support_and_no_idle_condition(rows_and_labels):
    rows, _, y, _ = rows_and_labels
    for clause in mine(rows, y)[:500]:
        covers = rows.holds[:, list(clause)].all(axis=1)
        assert (covers & y).sum() >= 0.05 * y.sum()
        chains = [(rows.conditions[j].feature, str(rows.conditions[j].relation)) for j in clause]
        assert len(set(chains)) == len(clause) <= 3


def test_mined_clauses_may_rule_out_two_categories_of_a_column():
    random = np.random.default_rng(0)
    frame = polars.DataFrame({"smell": random.choice(list("abcd"), 200)})
    y = frame["smell"].is_in(["c", "d"]).to_numpy()
    rows, _ = Rows.split(frame, np.arange(200), np.arange(5))
    texts = {" AND ".join(str(rows.conditions[j]) for j in clause) for clause in mine(rows, y)}
    assert "smell != 'a' AND smell != 'b'" in texts


def test_the_best_clause_to_add_is_that_of_counting_row_by_row(rows_and_labels):
    rows, _, y, _ = rows_and_labels
    candidates = Candidates(rows, y)
    random = np.random.default_rng(0)
    for _ in range(20):
        chosen = random.choice(len(candidates.clauses), 3, replace=False).tolist()
        annealing = Annealing(candidates, 1.0, NeverRandom())
        *before, added = annealing._add(chosen, None)
        assert before == chosen
        is_covered = candidates.covers[chosen].any(axis=0)
        purity = [
            y[is_covered | covers].mean() if (covers & ~is_covered).any() else -1
            for covers in candidates.covers
        ]
        assert purity[added] == max(p for k, p in enumerate(purity) if k not in chosen)


class NeverRandom:
    def random(self):
        return 1.0


def test_the_loss_of_am_and_bcd_counts_what_each_clause_pays(rows_and_labels):
    rows, _, y, _ = rows_and_labels
    problem = Problem(rows, y, theta=0.5)
    clauses = first_clauses(problem)
    # All is said of the negated conditions: a clause turns a row away where none of its own holds.
    literals, used = ~rows.holds, [c for c in clauses if c.any()]
    zeros = sum((~literals[~y][:, c].any(axis=1)).sum() for c in used)
    positives = np.minimum.reduce([literals[y][:, c].sum(axis=1) for c in used])
    if len(used) < len(clauses):
        positives = np.minimum(positives, 1)
    assert used
    assert problem.loss(clauses) == zeros + positives.sum() + 0.5 * sum(c.sum() for c in used)


@pytest.mark.parametrize("at_a_time", [2, 1000])
def test_the_dual_gives_the_clause_of_the_linear_program(rows_and_labels, at_a_time, monkeypatch):
    monkeypatch.setattr(su2016, "LITERALS_AT_A_TIME", at_a_time)
    rows, _, y, _ = rows_and_labels
    problem = Problem(rows, y, theta=0.5)
    random = np.random.default_rng(0)
    for share in (1.0, 0.5, 0.1):
        is_assigned = random.random(len(problem.reject)) < share
        cost = 0.5 + problem.reject_weight[is_assigned] @ problem.reject[is_assigned]
        n, n_literals = problem.accept.shape
        least = linprog(
            np.concatenate([cost, problem.accept_weight]),
            A_ub=-np.hstack([problem.accept, np.eye(n)]),
            b_ub=-np.ones(n),
            bounds=[(0, 1)] * n_literals + [(0, None)] * n,
        ).fun
        w = problem.relaxed_clause(is_assigned)
        missing = np.maximum(0, 1 - problem.accept @ w)
        assert cost @ w + problem.accept_weight @ missing == pytest.approx(least)


def test_a_clause_that_no_row_is_assigned_to_is_not_used(rows_and_labels):
    rows, _, y, _ = rows_and_labels
    problem = Problem(rows, y, theta=0.5)
    good = first_clauses(problem)[0]
    idle = np.ones_like(good)  # every literal: it turns nobody away, and costs most
    clauses = su2016.minimise_alternately(problem, [good, idle])
    assert not clauses[1].any()
    assert problem.loss(clauses) < problem.loss([good, idle])


@pytest.mark.parametrize(("n_rows", "least"), [(300, 0.001), (2000, 0.0003), (9000, 0.0001)])
def test_the_least_price_of_a_literal_goes_by_the_rows(n_rows, least):
    prices = all_learners()["BCD DNF"].choices(Task(seconds=60), n_rows)
    assert (prices[0], prices[-1]) == (0.1, least)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_rival_of_another_environment_learns_where_it_is_installed(name, rows_and_labels):
    learner = all_learners()[name]
    if learner.available():
        pytest.skip(learner.available())
    rows, held_out, y, y_held_out = rows_and_labels
    tuned = learner.tune(rows, y, Task(seconds=600, is_quick=True))  # its clock starts now
    _, model = tuned.front[tuned.place]
    assert np.mean(model.predict(held_out) == y_held_out) > 0.8
    assert 0 < model.complexity < 30


def test_the_learner_of_the_documentation_learns(tmp_path, monkeypatch):
    page = Path(__file__).resolve().parents[2] / "docs" / "how_to_add.md"
    code = page.read_text("utf-8").split("```python\n")[-1].split("```")[0]
    (tmp_path / "one_condition.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("BOOLRULES_LEARNERS", str(tmp_path))
    learner = all_learners()["one condition"]
    frame = polars.DataFrame({"age": range(40)})
    y = np.arange(40) >= 20
    rows, _ = Rows.split(frame, np.arange(40), np.arange(5))
    model = learner.fit(rows, y, None, Task(seconds=60))
    assert model.complexity == 2
    assert np.mean(model.predict(rows) == y) > 0.9


def test_no_rules_answer_with_the_more_frequent_class(rows_and_labels):
    rows, held_out, y, _ = rows_and_labels
    model = all_learners()["no rules"].fit(rows, y, None, TASK)
    assert model.complexity == 0
    assert set(model.predict(held_out)) == {y.mean() > 0.5}
