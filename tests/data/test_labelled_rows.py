"""What a row weighs is defined once: sample weight times class weight times cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import Clause, Condition, RuleSet
from boolrules.data.labelled_rows import LabelledRows, Weighing, is_same_loss

LABELS = st.sampled_from(["low", "mid", "high"])
NUMBERS = st.sampled_from([0.25, 1, 2, 3.5])


@given(st.data())
def test_a_mistake_costs_sample_weight_times_class_weight_times_cost(data):
    n = data.draw(st.integers(1, 6))
    labels = data.draw(st.lists(LABELS, min_size=n, max_size=n))
    samples = data.draw(st.lists(NUMBERS, min_size=n, max_size=n))
    classes = ("high", "low", "mid")
    of_class = dict(zip(classes, data.draw(st.tuples(NUMBERS, NUMBERS, NUMBERS)), strict=True))
    missed, covered = data.draw(st.tuples(NUMBERS, NUMBERS))
    weighing = Weighing(classes, tuple(of_class.values()), missed, covered)
    rows = LabelledRows.of(np.zeros((n, 1)), labels, samples, weighing)
    positive = data.draw(LABELS)
    sides = rows.against_rest(positive)
    for i, (label, sample) in enumerate(zip(labels, samples, strict=True)):
        weight = sample * of_class[label]
        assert sides.weights[i] == weight
        assert sides.costs[i] == weight * (missed if label == positive else covered)
        assert sides.is_positive[i] == (label == positive)


def test_the_loss_pays_each_kind_of_mistake_its_own_cost():
    weighing = Weighing((0, 1), (10, 100), missed_positive_cost=2, covered_zero_cost=3)
    rows = LabelledRows.of(np.array([[1.0], [2.0], [3.0]]), [1, 0, 1], [1, 1, 5], weighing)
    rules = RuleSet((Clause((Condition("x0", "<=", 2),)),), positive=1, negative=0)
    assert rows.against_rest(1).hamming_loss(rules) == 10 * 3 + 5 * 100 * 2


@pytest.mark.parametrize(
    "labels", [[0, 1, 1], [False, True, True], ["a", "b", "b"], [0.5, 2.5, 2.5]]
)
def test_rows_of_a_label_are_found_whatever_its_type(labels):
    rows = LabelledRows.of(np.zeros((3, 1)), labels)
    assert rows.has(labels[1]).tolist() == [False, True, True]
    objects = np.empty(3, dtype=object)
    objects[:] = labels
    assert LabelledRows.of(np.zeros((3, 1)), objects).has(labels[1]).tolist() == [
        False,
        True,
        True,
    ]
    assert not rows.has("none of them").any()


@pytest.mark.parametrize(
    ("one", "other", "n_rows", "is_whole", "is_same"),
    [
        (5, 5, 9, True, True),
        (2**52, 2**52 + 1, 9, True, False),
        (0.1 + 0.2, 0.3, 2, False, True),
        (1.0, 1.0 + 1e-11, 100, False, False),
        (1.0, 1.0 + 1e-11, 100_000, False, True),
        (1.0, 1.0 + 1e-9, 100_000, False, False),
    ],
)
def test_losses_are_the_same_but_for_rounding_of_fractions(one, other, n_rows, is_whole, is_same):
    assert is_same_loss(one, other, n_rows, is_whole) == is_same


def test_labels_and_weights_that_do_not_fit_are_turned_down():
    X = np.zeros((2, 1))
    with pytest.raises(ValueError, match="Give one label per row: 2 rows"):
        LabelledRows.of(X, [1, 2, 3])
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\), expected \(2,\)"):
        LabelledRows.of(X, [1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="finite numbers, none negative"):
        LabelledRows.of(X, [1, 2], [1, -2])
