"""Every threshold: cuts, what they print, and constraints on them, held against the slow way."""

import pickle
import sys
import warnings
from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifier, Condition, Constraints, FeatureBinarizer, Relation
from boolrules._support.table import read_table
from boolrules.data.binning import Binning
from boolrules.data.conditions import Conditions, nearest
from boolrules.data.encoding import TableEncoding
from boolrules.data.every_threshold import EveryThreshold, shortest_in_gap
from boolrules.data.labelled_rows import LabelledRows
from boolrules.rules.condition import exact_number
from boolrules.rules.mention import Mention
from strategies import NO_RECORD, frames, generators, times

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def digits(number):
    """Count the significant digits that are printed; none in 0."""
    return len(Decimal(exact_number(number)).normalize().as_tuple().digits) if number else 0


def with_digits(n_digits):
    """Return every number of so many digits from 0.01 to 10,000 and its negative."""
    mantissas = np.arange(10 ** (n_digits - 1), 10**n_digits)
    powers = range(-2 - n_digits + 1, 5 - n_digits + 1)
    each = [float(f"{m}e{power}") for power in powers for m in mantissas.tolist()]
    return np.array([*each, *(-number for number in each), 0.0])


BY_DIGITS = {n: with_digits(n) for n in (1, 2, 3)}


@times(4)
@given(NUMBERS, NUMBERS)
@example(0.1, 0.1 + 2**-56)
@example(1.0, 1.0000000000000002)
@example(-1.0000000000000002, -1.0)
@example(-5e-324, 0.0)
@example(5e-324, 1e-323)
@example(1.7976931348623155e308, sys.float_info.max)
@example(-sys.float_info.max, sys.float_info.max)
@example(-sys.float_info.max, -1e-300)
@example(2.0**53, 2.0**53 + 2)
def test_a_threshold_parts_its_neighbours_also_when_it_is_read_back(one, other):
    low, high = sorted([one, other])
    assume(low < high)
    found = shortest_in_gap(low, high)
    assert low <= found < high
    assert float(exact_number(found)) == found
    assert digits(found) <= digits(low)
    if low <= 0 < high:
        assert found == 0
    if low == np.floor(low) and high == np.floor(high):
        whole = shortest_in_gap(low, high, is_whole=True)
        assert whole == np.floor(whole)
        assert low <= whole < high
        assert digits(whole) <= digits(low)


@times(2)
@given(st.integers(-(10**5), 10**5), st.integers(1, 10**4), st.sampled_from([1, 10, 100]))
@example(1, 1, 1)
@example(-1, 1, 1)
@example(17, 7, 1)
@example(95, 900, 100)
def test_no_number_in_the_gap_is_shorter_and_none_as_short_is_nearer_to_the_middle(
    start, width, scale
):
    low, high = start / scale, (start + width) / scale
    assume(abs(low) <= 9_000 and abs(high) <= 9_000)
    is_whole = scale == 1
    found = shortest_in_gap(low, high, is_whole)
    if low <= 0 < high:
        assert found == 0
        return
    for n_digits, numbers in BY_DIGITS.items():
        if n_digits > digits(found):
            break
        inside = numbers[(low <= numbers) & (numbers < high)]
        if is_whole:
            inside = inside[inside == np.floor(inside)]
        if n_digits < digits(found):
            assert not len(inside)
        elif np.abs([low, high]).min() >= 0.01:
            distance = np.abs(inside - (low + high) / 2)
            assert abs(found - (low + high) / 2) <= distance.min() * (1 + 1e-9)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([18, 19, 33], ["x0 <= 18", "x0 <= 30"]),
        ([7, 123, 128], ["x0 <= 60", "x0 <= 125"]),
        ([123, 128], ["x0 == 123", "x0 == 128"]),
        ([-2, -1, 0, 1], ["x0 <= -2", "x0 <= -1", "x0 <= 0"]),
        ([0.1, 0.4], ["x0 <= 0.2"]),
        ([0.04938, 0.04944], ["x0 <= 0.0494"]),
        ([-0.5, 3], ["x0 <= 0"]),
        ([-0.0, 0.0], []),
        ([7], []),
    ],
    ids=str,
)
def test_thresholds_are_short(values, texts):
    binarizer = FeatureBinarizer(thresholds="all", negations=False)
    fitted = binarizer.fit(np.array(values, dtype=float)[:, None])
    assert fitted.get_feature_names_out().tolist() == texts


@st.composite
def columns(draw):
    """Numbers of every size, close to each other too, with special and missing ones."""
    values = draw(st.lists(NUMBERS | st.integers(-5, 5).map(float), min_size=1, max_size=30))
    values += [float(np.nextafter(v, np.inf)) for v in values[:3] if abs(v) < 1e308]
    more = draw(st.lists(st.sampled_from([None, NO_RECORD, 3.0]), max_size=4))
    return polars.DataFrame({"x": [*values, *more]}, schema={"x": polars.Float64})


@times(2)
@given(columns(), st.sampled_from([None, [NO_RECORD], [NO_RECORD, 3.0]]), st.booleans())
def test_every_cut_is_offered_once_and_printed_conditions_cut_as_the_codes_do(
    frame, special, negations
):
    binarizer = FeatureBinarizer(thresholds="all", special_values=special, negations=negations)
    binarizer.fit(frame)
    table, conditions = read_table(frame), binarizer.conditions_
    matrix = binarizer.transform(frame).astype(bool)
    printed = np.array([c.holds(table["x"]) for c in conditions]).reshape(-1, len(frame)).T
    assert np.array_equal(matrix, printed)
    measured = np.setdiff1d(table["x"].values[~table["x"].is_null], special or [])
    if not binarizer.encoding_.has_cuts:  # two whole numbers
        assert len(measured) == 2
        assert [c.value for c in conditions if c.relation is Relation.EQ] == measured.tolist()
        return
    for relation in (Relation.LE, Relation.GT)[: 1 + negations]:
        cuts = [
            frozenset(np.flatnonzero(column).tolist())
            for column, c in zip(matrix.T, conditions, strict=True)
            if c.relation is relation
        ]
        wanted = {
            frozenset(np.flatnonzero(np.isin(table["x"].values, part)).tolist())
            for k in range(1, len(measured))
            for part in ([measured[:k]] if relation is Relation.LE else [measured[k:]])
        }
        assert len(cuts) == len(wanted)
        assert set(cuts) == wanted


@given(columns(), st.sampled_from([(), (NO_RECORD,)]), st.booleans(), st.booleans())
def test_conditions_are_the_same_written_one_by_one_or_all_at_once(
    frame, special, has_negations, has_null
):
    column = read_table(frame)["x"]
    feature = EveryThreshold("x", None, has_null, special, special, has_negations).on(column)
    encoding = TableEncoding((feature,))
    eager = [condition for condition, _ in feature.binned_conditions()]
    assert list(encoding.conditions) == eager
    assert encoding.conditions == tuple(eager)
    assert [encoding.conditions[j] for j in range(-len(eager), len(eager))] == eager * 2
    assert encoding.conditions[1:3] == tuple(eager[1:3])
    assert [encoding.conditions.index(c) for c in eager] == list(range(len(eager)))
    ranges = [pieces + [(0, 0)] * (2 - len(pieces)) for _, pieces in feature.binned_conditions()]
    assert encoding.binned.ranges.tolist() == [[*a, *b] for a, b in ranges]
    assert encoding.binned.n_codes.tolist() == [feature.n_codes]
    with pytest.raises(IndexError, match="none at place"):
        encoding.conditions[len(eager)]


def test_all_offers_the_cuts_that_as_many_quantiles_as_values_offer():
    random = np.random.default_rng(0)
    frame = polars.DataFrame(
        {
            "a": random.normal(size=60).round(1),
            "b": random.integers(0, 30, 60),
            "c": random.choice(["u", "v"], 60),
            "d": [None if k % 7 == 0 else k % 5 for k in range(60)],
        }
    )
    every, many = (FeatureBinarizer(thresholds=q).fit(frame) for q in ("all", 1000))
    assert np.array_equal(every.transform(frame), many.transform(frame))
    assert [c.relation for c in every.conditions_] == [c.relation for c in many.conditions_]
    assert np.array_equal(every.encode(frame), many.encode(frame))
    assert np.array_equal(every.encoding_.binned.ranges, many.encoding_.binned.ranges)
    assert isinstance(many.conditions_, tuple)
    assert isinstance(every.conditions_, Conditions)


def test_new_values_are_put_where_the_printed_thresholds_put_them():
    fitted = FeatureBinarizer(thresholds="all").fit(np.array([[1.0], [2.0], [7.0], [np.nan]]))
    new = np.array([[-3.0], [1.0], [1.2], [3.9], [4.0], [4.1], [7.0], [99.0], [np.nan]])
    column = read_table(new)["x0"]
    expected = np.array([c.holds(column) for c in fitted.conditions_]).T
    assert np.array_equal(fitted.transform(new).astype(bool), expected)


def test_rows_of_weight_zero_make_no_cut():
    X, weights = np.array([[1.0], [2.0], [3.0], [3.5]]), [1, 0, 1, 1]
    fitted = FeatureBinarizer(thresholds="all", negations=False).fit(X, sample_weight=weights)
    assert fitted.get_feature_names_out().tolist() == ["x0 <= 2", "x0 <= 3"]
    again = fitted.encoding_.on(read_table(X), np.array(weights))
    assert again == fitted.encoding_
    assert again != fitted.encoding_.on(read_table(X))


@pytest.mark.parametrize(("n", "dtype"), [(254, "u1"), (300, "u2"), (70_000, "u4")])
def test_codes_take_as_many_bytes_as_the_values_need(n, dtype):
    X = np.random.default_rng(0).permutation(n).astype(float)[:, None]
    fitted = FeatureBinarizer(thresholds="all").fit(X)
    codes = fitted.encode(X)
    assert codes.dtype == dtype
    assert np.array_equal(codes[:, 0], X[:, 0])
    assert len(fitted.conditions_) == 2 * (n - 1)


def test_no_condition_is_written_before_it_is_asked_for(monkeypatch):
    written = []
    original = EveryThreshold.condition
    monkeypatch.setattr(
        EveryThreshold, "condition", lambda self, j: written.append(j) or original(self, j)
    )
    X = np.random.default_rng(0).normal(size=(5_000, 2))
    constraints = Constraints(monotone={"x0": 1}, forbidden_conditions=["x1 <= 0.5", "x0 <="])
    encoding = Binning(thresholds="all").fit(read_table(X)).constrained(constraints)
    assert len(encoding.conditions) == 3 * 4_999 - 1
    assert len(encoding.binned) == len(encoding.conditions)
    encoding.encode(read_table(X))
    assert Condition("x1", Relation.GT, 0.123) in encoding.conditions
    assert written == []


CONSTRAINTS = [
    {"forbidden_features": ["f0"]},
    {"allowed_features": ["f0", "f1"]},
    {"forbid_not_equal": True},
    {"monotone": {"f0": "increasing"}},
    {"monotone": {"f0": "decreasing", "f1": 1}},
    {"forbidden_conditions": ["f0 <= 1", "f1 >"]},
    {"forbidden_conditions": ["f0 <= 2.5", "f1 > 1.5", "f0 is null", "f1 == -9", "f2 < 3"]},
    {"forbidden_conditions": [Condition("f0", Relation.GT, 3.0, (NO_RECORD,))], "monotone": {}},
]


def is_forbidden_the_slow_way(condition, frame, constraints, special):
    """Ask the text, and the rows: whether a forbidden condition holds on the same ones."""
    if not constraints.allows(condition):
        return True
    table = read_table(frame)
    holds = condition.holds(table[condition.feature])
    for one in constraints.forbidden_conditions:
        for meant in Mention.of(one).conditions:
            if (meant.feature, meant.relation) == (condition.feature, condition.relation):
                values = table[meant.feature].values
                if isinstance(meant.value, str) != isinstance(condition.value, str):
                    continue
                like = meant.holds(table[meant.feature]) & ~np.isin(values, special)
                if meant.relation in (Relation.LE, Relation.GT) and np.array_equal(like, holds):
                    return True
    return False


@times(3)
@pytest.mark.filterwarnings("ignore:forbidden_conditions has")
@given(st.data(), st.sampled_from(CONSTRAINTS), st.sampled_from([[], [NO_RECORD]]), st.booleans())
def test_constraints_leave_out_what_they_leave_out_one_by_one(data, asked, special, negations):
    frame = data.draw(frames(12))
    numeric = [name for name, dtype in frame.schema.items() if dtype == polars.Float64]
    constraints = Constraints.of(asked)
    named = {c.feature for g in constraints.forbidden_conditions for c in Mention.of(g).conditions}
    named |= {Mention.of(g).feature for g in constraints.forbidden_conditions}
    named |= {*constraints.monotone, *constraints.forbidden_features}
    named |= {*(constraints.allowed_features or ())}
    assume(named <= set(frame.columns) and set(constraints.monotone) <= set(numeric))
    binning = Binning(thresholds="all", special_values=special or None, negations=negations)
    encoding = binning.fit(read_table(frame))
    constrained = replace(encoding, constraints=constraints)
    slow = [
        c
        for c in encoding.conditions
        if constrained.allows(c) and not is_forbidden_the_slow_way(c, frame, constraints, special)
    ]
    assert list(constrained.conditions) == slow
    places = [encoding.conditions.index(c) for c in slow]
    assert np.array_equal(constrained.binned.ranges, encoding.binned.ranges[places])
    assert np.array_equal(constrained.binned.feature, encoding.binned.feature[places])
    assert [constrained.conditions.index(c) for c in slow] == list(range(len(slow)))
    assert all(c in constrained.conditions for c in slow)
    assert not any(c in constrained.conditions for c in set(encoding.conditions) - set(slow))


@given(generators(), st.sampled_from(["<=", ">", "==", "!="]), st.integers(-2, 12))
def test_a_condition_is_among_them_if_it_cuts_the_rows_as_one_does(random, sign, half):
    frame = polars.DataFrame({"x": random.integers(0, 6, 8).astype(float)})
    encoding = Binning(thresholds="all").fit(read_table(frame))
    column = read_table(frame)["x"]
    condition = Condition("x", Relation(sign), half / 2)
    alike = [
        j
        for j, other in enumerate(encoding.conditions)
        if np.array_equal(other.holds(column), condition.holds(column))
    ]
    assert (condition in encoding.conditions) == bool(alike)
    if alike:
        assert [encoding.conditions.index(condition)] == alike
    else:
        with pytest.raises(ValueError, match="not among the conditions"):
            encoding.conditions.index(condition)


def test_a_threshold_may_be_a_special_value():
    frame = polars.DataFrame({"x": [2.0, 3.0, 4.0]})
    fitted = FeatureBinarizer(thresholds="all", special_values=[3]).fit(frame)
    assert fitted.get_feature_names_out().tolist()[:2] == ["x < 3", "x > 3"]
    column = read_table(frame)["x"]
    printed = np.array([c.holds(column) for c in fitted.conditions_]).T
    assert np.array_equal(fitted.transform(frame).astype(bool), printed)


def test_a_condition_that_holds_on_special_values_is_another():
    frame = polars.DataFrame({"x": [-9.0, 1.0, 2.0]})
    encoding = Binning(thresholds="all", special_values=[-9]).fit(read_table(frame))
    assert Condition("x", Relation.LE, 1.5, (-9.0,)) in encoding.conditions
    assert Condition("x", Relation.LE, 1.5) not in encoding.conditions
    assert Condition("x", Relation.EQ, -9) in encoding.conditions
    assert Condition("x", Relation.EQ, "a") not in encoding.conditions
    assert Condition("y", Relation.LE, 1.5) not in encoding.conditions


def test_a_forbidden_threshold_is_the_cut_that_it_makes():
    X = polars.DataFrame({"age": [18, 19, 33, 60]})
    table = read_table(X)
    encoding = Binning(thresholds="all").fit(table)
    constrained = encoding.constrained(Constraints(forbidden_conditions=["age <= 25"]))
    assert [str(c) for c in constrained.conditions] == [
        "age <= 18",
        "age > 18",
        "age > 30",
        "age <= 50",
        "age > 50",
    ]
    assert not constrained.allows(Condition("age", Relation.LE, 20))
    assert constrained.allows(Condition("age", Relation.LE, 18.5))
    with pytest.warns(UserWarning, match="'age <= 70', which is no .* the nearest is 'age <= 50'"):
        encoding.constrained(Constraints(forbidden_conditions=["age <= 70"]))


def test_a_required_threshold_is_the_cut_that_it_makes():
    X = np.array([[18.0], [19.0], [33.0], [60.0]] * 3)
    y = np.array([1, 0, 1, 0] * 3)
    model = BooleanRuleClassifier(
        max_complexity=3,
        binarizer=FeatureBinarizer(thresholds="all"),
        constraints={"required": ["x0 <= 25"]},
    ).fit(X, y)
    assert "x0 <= 30" in str(model.rule_set_)
    assert model.verify(X, y).holds
    with pytest.raises(ValueError, match=r"not one of the 6 conditions .* nearest is 'x0 <= 50'"):
        model.set_params(constraints={"required": ["x0 <= 60"]}).fit(X, y)


def test_the_nearest_condition_is_named_without_writing_all():
    X = np.arange(1000.0)[:, None]
    conditions = Binning(thresholds="all").fit(read_table(X)).conditions
    assert nearest(conditions, Mention.of("x0 <= 1001")) == "x0 <= 998"
    assert len(conditions.around(Mention.of("x0 <= 1001"))) < 20


def test_intervals_of_every_threshold_are_turned_down():
    with pytest.raises(ValueError, match=r"an interval of its own\. Use method='thresholds', or"):
        FeatureBinarizer(thresholds="all", method="intervals").fit(np.arange(5.0)[:, None])


def test_a_binarizer_travels_and_equals_itself():
    X = np.random.default_rng(0).normal(size=(50, 2))
    fitted = FeatureBinarizer(thresholds="all").fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.encoding_ == fitted.encoding_
    assert hash(again.encoding_.features) == hash(fitted.encoding_.features)
    assert again.conditions_ == fitted.conditions_
    assert fitted.encoding_ != FeatureBinarizer(thresholds="all").fit(X + 1).encoding_


def test_an_encoding_from_a_file_lists_no_threshold_and_takes_them_from_the_rows():
    frame = polars.DataFrame({"x": [-9.0, 1.0, None, 4.0], "s": ["a", "b", "a", "b"]})
    encoding = Binning(thresholds="all", special_values=[-9]).fit(read_table(frame))
    plain = encoding.to_plain()
    assert plain[0]["thresholds"] == "all"
    saved = TableEncoding.from_plain(plain)
    assert not saved.knows_its_rows
    assert encoding.knows_its_rows
    assert saved != encoding
    assert saved.to_plain() == plain
    assert saved.on(read_table(frame)) == encoding
    assert saved.listed_conditions == encoding.listed_conditions
    rows = read_table(frame)
    for ask in (lambda: saved.conditions[0], lambda: saved.binned, lambda: saved.encode(rows)):
        with pytest.raises(ValueError, match="has not met these rows yet"):
            ask()


@pytest.mark.parametrize(
    "change",
    [
        {"thresholds": "any"},
        {"thresholds": ["all"]},
        {"as_intervals": True},
        {"special_values": "all"},
        {"values": [1.0]},
        {"values": None, "condition": 1},
    ],
    ids=str,
)
def test_a_feature_that_is_not_well_formed_is_turned_down(change):
    plain = EveryThreshold("x", np.arange(3.0)).to_plain()
    with pytest.raises(ValueError, match="'x'"):
        TableEncoding.from_plain([plain | change])


def test_columns_that_no_condition_may_read_need_not_be_there():
    X = polars.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]})
    encoding = Binning(thresholds="all").fit(read_table(X))
    constrained = encoding.constrained(Constraints(forbidden_features=["b"]))
    again = constrained.on(read_table(X.drop("b")))
    assert list(again.conditions) == list(constrained.conditions)
    assert again.encode(read_table(X.drop("b"))).tolist() == [[0, 0], [1, 0], [2, 0]]


@pytest.mark.parametrize(
    ("parameters", "thresholds"),
    [
        ({"thresholds": "all"}, "all"),
        ({"thresholds": "all", "categorical_features": ["b"]}, "all"),
        ({"thresholds": "all", "categorical_features": ["a", "b"]}, None),
        ({"thresholds": "all", "negations": False}, None),
        ({"thresholds": 1000}, None),
        ({"thresholds": {"a": [1], "b": [2]}}, None),
    ],
    ids=str,
)
def test_an_encoding_says_whether_every_threshold_of_every_column_is_on_offer(
    parameters, thresholds
):
    X = polars.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0], "s": ["u", "v", "u"]})
    encoding = FeatureBinarizer(**parameters).fit(X).encoding_
    assert encoding.thresholds == thresholds
    if encoding.has_cuts:
        mixed = replace(
            encoding, features=(*encoding.features, *FeatureBinarizer().fit(X).encoding_.features)
        )
        assert mixed.thresholds is None


def test_a_column_without_a_value_or_of_text_is_as_for_deciles():
    X = polars.DataFrame(
        {"a": [None, None], "b": [1.0, 1.0]}, schema_overrides={"a": polars.Float64}
    )
    fitted = FeatureBinarizer(thresholds="all").fit(X)
    assert len(fitted.conditions_) == 0
    assert fitted.transform(X).shape == (2, 0)
    with pytest.raises(ValueError, match="'b' holds text, but held numbers in fit"):
        fitted.encoding_.on(read_table(X.with_columns(b=polars.Series(["u", "v"]))))


def test_rules_over_every_threshold_lose_what_the_best_cut_loses():
    random = np.random.default_rng(1)
    X = random.normal(size=(40, 2))
    y = (X[:, 0] > 0.3) ^ (random.random(40) < 0.15)
    rows = LabelledRows.of(X, y).against_rest(True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BooleanRuleClassifier(
            max_complexity=2, binarizer=FeatureBinarizer(thresholds="all")
        ).fit(X, y)
    losses = [
        np.sum((X[:, f] > t if side else X[:, f] <= t) != y)
        for f in (0, 1)
        for t in X[:, f]
        for side in (0, 1)
    ]
    assert model.certificate_.is_optimal
    assert model.certificate_.hamming_loss == min(*losses, y.sum())
    assert rows.hamming_loss(model.rule_set_) == model.certificate_.hamming_loss
