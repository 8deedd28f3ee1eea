"""Interpretable Decision Sets: its objective, both searches, and what a decision set predicts."""

from itertools import combinations

import numpy as np
import polars
import pytest
from benchmarks.learners.learner import Rows, Task
from benchmarks.learners.registry import all_learners, ids
from benchmarks.learners.registry.ids import (
    Candidates,
    DecisionSet,
    Objective,
    deterministic_search,
    drawn,
    mean_gains,
    mine,
    smooth_search,
)

from boolrules import FeatureBinarizer

PRICES = (3.0, 2.0, 0.5, 0.7, 5.0, 1.0, 1.5)
NO_OVERLAP = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0)  # without their large constants, rules are chosen


def candidates(seed, n_rows=60, n_items=5):
    random = np.random.default_rng(seed)
    holds = random.random((n_rows, n_items)) < random.uniform(0.2, 0.6, n_items)
    y = holds[:, 0] ^ (random.random(n_rows) < 0.2)
    return Candidates(holds, y), holds, y


def random_set(of, seed, share=0.3):
    return np.random.default_rng(seed).random((2, len(of.itemsets))) < share


def counted(of, holds, y, chosen):
    """Return the seven parts, counted row by row and pair by pair."""
    rules = [
        (set(np.flatnonzero(holds[:, list(itemset)].all(axis=1)).tolist()), bool(label), itemset)
        for label, itemset in ((c, of.itemsets[k]) for c, k in np.argwhere(chosen))
    ]
    n, n_rows = 2 * len(of.itemsets), len(y)
    own = [{i for i in cover if y[i] == label} for cover, label, _ in rules]
    pairs = list(combinations(rules, 2))
    return [
        n - len(rules),
        max(map(len, of.itemsets)) * n - sum(len(itemset) for *_, itemset in rules),
        n_rows * n**2 - sum(len(a[0] & b[0]) for a, b in pairs if a[1] == b[1]),
        n_rows * n**2 - sum(len(a[0] & b[0]) for a, b in pairs if a[1] != b[1]),
        len({label for _, label, _ in rules}),
        n_rows * n - sum(len(rule[0] - mine) for rule, mine in zip(rules, own, strict=True)),
        len(set().union(*own)),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_itemsets_are_all_that_are_frequent_and_short(seed):
    of, holds, _ = candidates(seed)
    every = [s for n in (1, 2, 3) for s in combinations(range(holds.shape[1]), n)]
    frequent = [s for s in every if holds[:, list(s)].all(axis=1).mean() >= 0.05]
    assert of.itemsets == frequent


def test_too_many_itemsets_are_refused(monkeypatch):
    monkeypatch.setattr(ids, "MOST_ITEMSETS", 20)
    with pytest.raises(ValueError, match="more than 20 itemsets are frequent"):
        mine(np.ones((10, 6), dtype=bool))


@pytest.mark.parametrize("seed", range(8))
def test_the_parts_of_the_objective_are_those_of_counting(seed):
    of, holds, y = candidates(seed)
    for chosen in (random_set(of, seed), random_set(of, seed, 0.0), random_set(of, seed, 1.0)):
        assert Objective(of, PRICES).parts(chosen).tolist() == counted(of, holds, y, chosen)


@pytest.mark.parametrize("seed", range(8))
def test_gains_are_differences_of_the_objective(seed):
    of, holds, y = candidates(seed, n_items=4)
    objective, chosen = Objective(of, PRICES), random_set(of, seed)
    gains = objective.gains(chosen)
    for place in np.ndindex(*chosen.shape):
        values = []
        for is_in in (True, False):
            other = chosen.copy()
            other[place] = is_in
            values.append(np.dot(PRICES, counted(of, holds, y, other)))
        assert gains[place] == pytest.approx(values[0] - values[1])


@pytest.mark.parametrize("prices", [PRICES, NO_OVERLAP])
@pytest.mark.parametrize("seed", range(5))
def test_no_rule_more_or_less_would_gain_what_the_search_asks_for(seed, prices):
    of, holds, y = candidates(seed, n_items=4)
    chosen = deterministic_search(Objective(of, prices))
    singles = np.eye(chosen.size, dtype=bool).reshape(-1, *chosen.shape)
    asked = 1 + ids.EPSILON / chosen.size**2

    def value(chosen):
        return np.dot(prices, counted(of, holds, y, chosen))

    def is_local_optimum(chosen):
        return all(value(chosen ^ one) <= asked * value(chosen) + 1e-6 for one in singles)

    # The search ended at one of the two, and the better of them is returned.
    assert is_local_optimum(chosen) or is_local_optimum(~chosen)
    assert value(chosen) >= max(value(~chosen), *map(value, singles))


def test_a_random_set_has_each_rule_as_often_as_its_probability():
    chosen = np.zeros((2, 5000), dtype=bool)
    chosen[0] = True
    random = np.random.default_rng(0)
    for delta in (1 / 3, 0.0, -1.0):
        shares = drawn(chosen, delta, random).mean(axis=1)
        assert shares == pytest.approx([(1 + delta) / 2, (1 - delta) / 2], abs=0.03)


def test_mean_gains_are_as_exact_as_was_asked_for():
    of, *_ = candidates(0, n_items=3)
    objective, chosen, error = Objective(of, NO_OVERLAP), random_set(of, 0), 0.5
    found = mean_gains(objective, chosen, error, np.random.default_rng(0))
    random = np.random.default_rng(1)
    many = [objective.gains(drawn(chosen, ids.DELTA, random)) for _ in range(2000)]
    assert np.abs(found - np.mean(many, axis=0)).max() < 4 * error


def test_the_smooth_search_draws_its_ends_around_where_it_ended(monkeypatch):
    of, *_ = candidates(1, n_items=4)
    objective, ends = Objective(of, (0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 1.0)), []

    def watched(objective, chosen, error, random):
        gains = mean_gains(objective, chosen, error, random)
        ends.append((chosen.copy(), gains, error))
        return gains

    monkeypatch.setattr(ids, "mean_gains", watched)
    found = smooth_search(objective, 0)
    chosen, gains, error = ends[-1]
    assert 0 < chosen.sum() < chosen.size
    assert (gains[~chosen] <= 2 * error).all()
    assert (gains[chosen] >= -2 * error).all()
    assert objective.value(found) >= objective.value(~chosen)


def test_the_smooth_search_takes_a_third_of_all_rules_at_the_paper_s_prices():
    of, *_ = candidates(2, n_rows=200, n_items=10)
    found = smooth_search(Objective.with_share(of, 0.01), 0)
    assert found.mean() == pytest.approx(1 / 3, abs=0.1)


@pytest.mark.parametrize("search", [deterministic_search, smooth_search])
def test_a_search_is_as_near_to_the_best_set_as_its_authors_prove(search):
    of, *_ = candidates(3, n_rows=40, n_items=2)
    objective = Objective(of, NO_OVERLAP)
    shape = (2, len(of.itemsets))
    n = 2 * len(of.itemsets)
    every = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
    best = max(objective.value(chosen.reshape(shape)) for chosen in every)
    values = [objective.value(search(objective, seed)) for seed in range(30)]
    share = 1 / 3 if search is deterministic_search else 2 / 5
    assert share * best <= np.mean(values) <= best


@pytest.mark.parametrize("name", ["IDS", "IDS (smooth)"])
def test_a_parameter_is_chosen_and_every_one_has_a_model(name, rows_to_part):
    rows, held_out, y, y_held_out = rows_to_part
    learner = all_learners()[name]
    tuned = learner.tune(rows, y, Task(seconds=60, is_quick=True))
    assert [parameter for parameter, _ in tuned.front] == list(learner.quick_parameters)
    _, model = tuned.front[tuned.place]
    accuracy = np.mean(model.predict(held_out) == y_held_out)
    if name == "IDS":
        assert accuracy == 1
        assert model.complexity <= 6  # x, not y, not z
    else:
        assert accuracy > 0.4  # a third of the rules, drawn at random
        assert model.complexity > 20


@pytest.fixture
def rows_to_part():
    random = np.random.default_rng(0)
    frame = polars.DataFrame({"a": random.choice(["x", "y", "z"], 300), "b": random.random(300)})
    y = (frame["a"] == "x").to_numpy()
    return *Rows.split(frame, np.arange(200), np.arange(200, 300)), y[:200], y[200:]


def test_of_rules_that_disagree_the_one_of_best_f1_decides():
    frame = polars.DataFrame({"a": list("xxxxyyyy"), "b": list("ppqqppqq")})
    y = np.array([1, 1, 1, 1, 0, 0, 1, 0], dtype=bool)
    rows, _ = Rows.split(frame, np.arange(8), np.arange(1))
    items = FeatureBinarizer(method="intervals", negations=False).fit(frame)
    of = Candidates(items.transform(frame).astype(bool), y)
    texts = [" ".join(str(items.conditions_[j]) for j in itemset) for itemset in of.itemsets]
    chosen = np.zeros((2, len(texts)), dtype=bool)
    chosen[1, texts.index("a == 'x'")] = True  # F1 8/9
    chosen[0, texts.index("b == 'p'")] = True  # F1 4/7
    model = DecisionSet(items, of.rules(chosen), default=True)
    assert model.predict(rows).astype(int).tolist() == [1, 1, 1, 1, 0, 0, 1, 1]
    assert model.complexity == 4


def test_without_a_frequent_itemset_the_more_frequent_class_is_the_answer():
    frame = polars.DataFrame({"a": [f"only {k}" for k in range(40)]})
    y = np.arange(40) < 30
    rows, _ = Rows.split(frame, np.arange(40), np.arange(1))
    for name in ("IDS", "IDS (smooth)"):
        model = all_learners()[name].fit(rows, y, 0.0, Task(seconds=60))
        assert model.complexity == 0
        assert model.predict(rows).all()
