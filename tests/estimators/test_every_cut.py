"""Rules over every threshold, end to end: against every cut of the rows themselves.

The oracle looks at the values of the table and knows nothing of encodings. With short chains
counted as long, exact searches see few cuts, as they do on large tables.
"""

from unittest import mock

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from boolrules import BooleanRuleClassifier, FeatureBinarizer, Form, Model, complexity_path
from boolrules._support.table import read_table
from boolrules.data.binning import binary_encoding
from boolrules.data.every_threshold import EveryThreshold
from boolrules.data.problem import Problem
from boolrules.search import narrowing
from strategies import NO_RECORD, frames_of_cuts, generators, make_training_set, row_weights, times

for_long_and_short = pytest.mark.parametrize("long_chain", [1, narrowing.LONG_CHAIN])


@pytest.fixture(autouse=True)
def _counts_as_long(request):
    longest = request.getfixturevalue("long_chain")
    with mock.patch.object(narrowing, "LONG_CHAIN", longest):
        yield


def oracle(truths, is_positive, weights, form):
    """Return zeros and ones, a column for each condition: in CNF, rows are what clauses let go."""
    X = np.array(list(truths.values()), dtype=bool).T.reshape(len(is_positive), len(truths))
    if form == "cnf":
        X, is_positive = ~X, ~is_positive
    table = read_table(X.astype(np.int64))
    encoding = binary_encoding(table.names)
    samples = make_training_set(encoding, table, is_positive, weights, Form.DNF)
    assert len(samples.conditions) == len(truths)
    return samples


@st.composite
def tables(draw):
    """Frames with every kind of column, labels, and weights."""
    n_rows = draw(st.sampled_from([16, 12, 8]))
    frame, random = draw(frames_of_cuts(n_rows)), draw(generators())
    first = frame["f0"].fill_null(0).to_numpy()
    y = (first > np.median(first)) ^ (random.random(n_rows) < 0.3)
    y[:2] = True, False
    weights = np.maximum(draw(row_weights(n_rows, whole=True)), 1)
    return frame, y, weights, draw(st.sampled_from([(), (NO_RECORD,)]))


def make(C, special=(), **parameters):
    binarizer = FeatureBinarizer(thresholds="all", special_values=list(special) or None)
    given = {"binarizer": binarizer, "time_limit": None, "positive_label": True}
    return BooleanRuleClassifier(C, **(given | parameters))


def check(model, rows, optimum):
    """Look at what is claimed, and whether it is proved again from the file."""
    certificate = model.certificates[0]
    assert certificate.is_optimal
    assert certificate.hamming_loss == optimum
    assert certificate.lower_bound == optimum
    # A column of two numbers has two categories, all its cuts among them, and no threshold.
    has_thresholds = any(isinstance(f, EveryThreshold) for f in model.encoding.features)
    assert certificate.thresholds == ("all" if has_thresholds else None)
    assert model.verify(*rows).holds
    assert Model.from_json(model.to_json()).verify(*rows).holds


@for_long_and_short
@times(4)
@given(tables(), st.integers(2, 5), st.sampled_from(["dnf", "cnf"]), st.sampled_from([0, 0, 3]))
def test_no_rule_set_over_any_cut_is_better(long_chain, task, C, form, min_coverage):
    frame, y, weights, special = task
    truths = brute_force.every_cut(frame, special)
    C = min(C, 4) if len(truths) > 16 else C
    model = make(C, special, form=form, min_coverage=min_coverage).fit(frame, y, weights)
    problem = Problem(C, min_coverage=min_coverage)
    optimum = brute_force.optimum(oracle(truths, y, weights, form), problem)
    check(model.model_, (frame, y, weights), optimum)


CONSTRAINTS = [
    ({"monotone": {"f0": "increasing"}}, lambda f, sign, _: (f, sign) != ("f0", "<=")),
    ({"monotone": {"f0": "decreasing"}}, lambda f, sign, _: (f, sign) != ("f0", ">")),
    ({"forbidden_features": ["f0"]}, lambda f, *_: f != "f0"),
    ({"forbidden_conditions": ["f0 >"]}, lambda f, sign, _: (f, sign) != ("f0", ">")),
    (
        {"forbidden_conditions": ["f0 <= 1.5"]},
        lambda f, sign, low: (f, sign) != ("f0", "<=") or low != 1,
    ),
]


@for_long_and_short
@pytest.mark.filterwarnings("ignore:forbidden_conditions has")
@pytest.mark.parametrize(
    ("constraints", "is_allowed"), CONSTRAINTS, ids=[str(c) for c, _ in CONSTRAINTS]
)
@times(0.5)
@given(tables(), st.sampled_from(["dnf", "cnf"]))
def test_constraints_leave_the_best_of_the_other_cuts(
    long_chain, constraints, is_allowed, task, form
):
    frame, y, weights, special = task
    frame = frame.with_columns(f0=polars.Series(np.arange(len(y)) // 3 % 5, dtype=polars.Float64))
    frame = frame.with_columns(extra=polars.Series(y.astype(float) + np.arange(len(y)) % 3))
    truths = brute_force.every_cut(frame, special, is_allowed)
    model = make(3, special, form=form, constraints=constraints).fit(frame, y, weights)
    optimum = brute_force.optimum(oracle(truths, y, weights, form), Problem(3))
    check(model.model_, (frame, y, weights), optimum)


@for_long_and_short
@given(tables(), st.integers(4, 5), st.data())
def test_given_clauses_are_there_and_the_rest_is_the_best(long_chain, task, C, data):
    frame, y, weights, special = task
    truths = brute_force.every_cut(frame, special, lambda f, sign, _: sign in ("<=", ">"))
    if not truths:
        return
    name, sign, low = data.draw(st.sampled_from(list(truths)))
    truths = brute_force.every_cut(frame, special)
    place = list(truths).index((name, sign, low))
    model = make(C, special, constraints={"given_clauses": [f"{name} {sign} {low}"]})
    model.fit(frame, y, weights)
    samples = oracle(truths, y, weights, "dnf")
    # A number stands for the cut that it makes, but special values are not excepted by it.
    values = frame[name].fill_nan(None)
    column = [v is not None and (v <= low if sign == "<=" else v > low) for v in values]
    if column != truths[name, sign, low]:
        return
    optimum = brute_force.optimum(samples, Problem(C), given=[(place,)])
    check(model.model_, (frame, y, weights), optimum)


@for_long_and_short
@times(0.5)
@given(tables(), st.sampled_from(["dnf", "cnf"]))
def test_each_point_of_a_path_is_the_best_there_is(long_chain, task, form):
    frame, y, weights, special = task
    binarizer = FeatureBinarizer(thresholds="all", special_values=list(special) or None)
    path = complexity_path(
        frame,
        y,
        complexities=[2, 3, 4],
        sample_weight=weights,
        time_limit=None,
        binarizer=binarizer,
        form=form,
        positive_label=True,
    )
    samples = oracle(brute_force.every_cut(frame, special), y, weights, form)
    for C, point in zip([2, 3, 4], path, strict=False):
        optimum = brute_force.optimum(samples, Problem(C))
        check(point.classifier.model_, (frame, y, weights), optimum)


@for_long_and_short
@given(tables(), st.integers(2, 4), generators())
def test_with_weights_that_are_fractions_the_bound_holds(long_chain, task, C, random):
    frame, y, _, special = task
    weights = random.choice([0.1, 0.25, 1 / 3, 0.7, 1.5], len(y))
    model = make(C, special).fit(frame, y, weights)
    truths = brute_force.every_cut(frame, special)
    optimum = float(brute_force.optimum(oracle(truths, y, weights, "dnf"), Problem(C)))
    certificate = model.certificate_
    assert certificate.lower_bound <= optimum * (1 + 1e-9)
    assert certificate.hamming_loss >= optimum * (1 - 1e-9)
    if certificate.is_optimal:
        assert certificate.hamming_loss == pytest.approx(optimum)
    assert Model.from_json(model.model_.to_json()).verify(frame, y, weights).holds


@for_long_and_short
@times(0.5)
@given(tables(), st.integers(2, 3), st.sampled_from([0, 1, 2]))
def test_three_classes_are_each_told_from_the_rest_as_well_as_can_be(long_chain, task, C, seed):
    frame, y, weights, special = task
    labels = np.array(["a", "b", "c"])[(y + np.random.default_rng(seed).integers(0, 2, len(y)))]
    labels[:3] = ["a", "b", "c"]
    model = make(C, special, positive_label=None).fit(frame, labels, weights)
    truths = brute_force.every_cut(frame, special)
    for label, certificate in zip("abc", model.certificates_, strict=True):
        samples = oracle(truths, labels == label, weights, "dnf")
        assert certificate.is_optimal
        assert certificate.hamming_loss == brute_force.optimum(samples, Problem(C))
    assert Model.from_json(model.model_.to_json()).verify(frame, labels, weights).holds
