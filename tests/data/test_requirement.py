"""Requirements: what is read, what is said, and what they ask of rows, counted in fractions."""

import json
import math
from fractions import Fraction

import numpy as np
import polars
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import brute_force
from boolrules import Requirement
from boolrules._support.table import read_table
from boolrules.data.mistake_limits import MistakeLimits
from boolrules.data.requirement import Measure, read_requirements
from strategies import GROUPS, MEASURES, asked, generators, requirements_on, times


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("precision >= 0.9", Requirement("precision", 0.9)),
        ("  recall>=80%  ", Requirement("recall", 0.8)),
        ("Recall >= 0.8 WITHIN branch", Requirement("recall", 0.8, within="branch")),
        ("recall >= .5 margin 2%", Requirement("recall", 0.5, margin=0.02)),
        ("missed <= 3", Requirement("missed", 3)),
        ("covered <= 1e2", Requirement("covered", 100)),
        ("flagged <= 200 where month = May", Requirement("flagged", 200, where=("month", "May"))),
        ("flagged share <= 5%", Requirement("flagged share", 0.05)),
        ("flagged <= 9 where 'a b' = 'c d'", Requirement("flagged", 9, where=("a b", "c d"))),
        ("flagged <= 9 where x == 1", Requirement("flagged", 9, where=("x", "1"))),
        (
            "equal opportunity <= 0.02 between sex margin 0.01",
            Requirement("equal opportunity", 0.02, between="sex", margin=0.01),
        ),
        ("equalised odds <= 0 between a", Requirement("equalised odds", 0, between="a")),
        ("Equalized-Odds <= 0 between a", Requirement("equalised odds", 0, between="a")),
        ("equality of odds <= 0 between a", Requirement("equalised odds", 0, between="a")),
        ("equal_opportunity <= 0 between a", Requirement("equal opportunity", 0, between="a")),
        ("sensitivity >= 0.8", Requirement("recall", 0.8)),
        ("positive predictive value >= 0.8", Requirement("precision", 0.8)),
        ("false positives <= 3", Requirement("covered", 3)),
        ("false negatives <= 3", Requirement("missed", 3)),
    ],
)
def test_texts_are_read_as_they_are_meant(text, expected):
    read = Requirement.of(text)
    assert read == expected
    assert Requirement.of(str(read)) == read
    assert Requirement.of(read.to_plain()) == read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("recall", "cannot be read"),
        ("recall 0.8", "cannot be read"),
        ("recall > 0.8", "cannot be read"),
        ("rcl >= 0.8", "cannot be read"),
        ("precisin >= 0.9", "Did you mean 'precision >= 0.9'"),
        ("demographic parity <= 0.1 between sex", "There is no 'demographic parity'"),
        ("false positive rate <= 0.1", "the nearest is 'covered <= 20'"),
        ("recall >= 0.8 or so", "cannot be read"),
        ("recall >= 0.8 within", "cannot be read"),
        ("recall <= 0.8", "recall is limited by >="),
        ("missed >= 3", "missed is limited by <="),
        ("recall >= 80", "recall is a share. Write 0.8, or 80 with a %."),
        ("recall >= 800", "recall is a share. Use a limit between 0 and 1"),
        ("missed <= -1", "missed is a number of rows. Use a limit between 0 and 1073741824"),
        ("recall >= 0.99 margin 0.02", "asks for recall >= 1.01.*margin of at most 0.01"),
        ("missed <= 1 margin 2", "asks for missed <= -1 in training.*margin of at most 1"),
        ("missed <= 0 margin 0.02", "cannot be met. Leave the margin out"),
        ("recall >= 1.2.3", "is no number"),
        ("recall >= 0.1234567", "more than 6 decimals"),
        ("recall >= 0.8 margin -0.1", "a margin of 0 or more"),
        ("flagged <= 3 where month", "write 'where column = value'"),
        ("equal opportunity <= 0.1", "needs a column to compare"),
        ("equal opportunity <= 0.1 within sex", "needs a column to compare"),
        ("recall >= 0.8 between sex", "does without a column to compare"),
    ],
)
def test_texts_that_say_nothing_are_turned_down_in_words(text, words):
    with pytest.raises(ValueError, match=words):
        Requirement.of(text)


@pytest.mark.parametrize(
    ("text", "margins"),
    [
        ("precision >= 0.95", [0.02, 0.035, 0.0425]),
        ("recall >= 1 within branch", []),
        ("flagged share <= 0.000001", []),
        ("equal opportunity <= 0.02 between sex", [0.01, 0.015]),
        ("flagged <= 50 where month = May", [5, 10]),
        ("covered <= 2.5", [1, 2]),
        ("missed <= 0", []),
    ],
)
def test_a_wider_margin_can_be_read_and_leaves_room(text, margins):
    requirement = Requirement.of(text)
    for margin in margins:
        requirement = requirement.with_wider_margin()
        assert requirement.margin == margin
        assert Requirement.of(str(requirement)) == requirement
    if not margins:
        assert requirement.with_wider_margin() is None


@pytest.mark.parametrize(
    "plain",
    [
        {},
        [],
        3,
        None,
        {"measure": "recall"},
        {"measure": "recall", "limit": "0.8"},
        {"measure": "recall", "limit": True},
        {"measure": "recall", "limit": float("nan")},
        {"measure": "recall", "limit": float("inf")},
        {"measure": "recall", "limit": 0.8, "margin": None},
        {"measure": "recall", "limit": 0.8, "unknown": 1},
        {"measure": "rcl", "limit": 0.8},
        {"measure": ["recall"], "limit": 0.8},
        {"measure": "recall", "limit": 0.8, "within": 3},
        {"measure": "recall", "limit": 0.8, "where": {}},
        {"measure": "recall", "limit": 0.8, "where": {"a": 1, "b": 2}},
        {"measure": "recall", "limit": 0.8, "where": {"a": [1]}},
        {"measure": "recall", "limit": 0.8, "where": "a"},
        {"measure": "recall", "limit": 0.8, "where": 3},
        {"measure": "recall", "limit": 0.8, "within": "a", "where": {"b": 1}},
    ],
    ids=str,
)
def test_hostile_json_gives_a_value_error(plain):
    with pytest.raises(ValueError, match=r"."):
        Requirement.from_plain(plain)


@given(st.sampled_from(GROUPS).flatmap(lambda groups: requirements_on(groups, MEASURES, 24)))
def test_requirements_are_read_back_from_text_and_from_json(requirement):
    assert Requirement.from_plain(json.loads(json.dumps(requirement.to_plain()))) == requirement
    assert str(Requirement.of(str(requirement))) == str(requirement)
    assert f"{requirement.limit:.10g}" in requirement.sentence()


@pytest.mark.parametrize("given", [None, [], ()])
def test_nothing_asked_is_no_requirement(given):
    assert read_requirements(given) == ()


def test_several_forms_may_be_mixed_in_a_list():
    one = Requirement("recall", 0.5)
    forms = ["recall >= 0.5", one, one.to_plain(), {"measure": "recall", "limit": 0.5}]
    assert read_requirements(forms) == (one,) * 4
    assert [read_requirements(form) for form in forms] == [(one,)] * 4


def test_what_is_said_names_groups_values_and_margins():
    texts = [
        "recall >= 0.8 within branch margin 0.02",
        "flagged <= 200 where month = May",
        "equalised odds <= 0.1 between sex",
    ]
    assert [one.sentence() for one in read_requirements(texts)] == [
        "recall of at least 0.8 within each branch (0.82 in training)",
        "at most 200 rows flagged where month is May",
        "shares of missed positives, and of flagged negatives, at most 0.1 apart between any two "
        "values of sex",
    ]


def test_missing_values_are_a_group_of_their_own():
    for values, names in [
        (["b", None, "a", "b"], ["a", "b", "(missing)"]),
        ([2.0, None, 1.5, float("nan")], ["1.5", "2", "(missing)"]),
        ([True, None, False, True], ["False", "True", "(missing)"]),
    ]:
        table = read_table(polars.DataFrame({"g": values}, strict=False))
        groups = Requirement("recall", 0.5, within="g").groups(table)
        assert [name for name, _ in groups] == [f"g = {name}" for name in names]
        assert sum(rows.sum() for _, rows in groups) == 4
        (_, rows), *others = Requirement("recall", 0.5, where=("g", "(missing)")).groups(table)
        assert not others
        assert rows.sum() == sum(value is None or value != value for value in values)


@pytest.mark.parametrize(
    ("values", "wanted", "n_rows"),
    [
        ([1, 2, 2], "2", 2),
        ([1, 2, 2], 2, 2),
        ([1.0, 2.5, 2.5], "2.50", 2),
        (["a", "b"], "a", 1),
        ([True, False], True, 1),
        ([True, False], "True", 1),
        (["1", "2"], 1, 1),
    ],
)
def test_one_value_may_be_given_as_text_or_as_it_is(values, wanted, n_rows):
    table = read_table(polars.DataFrame({"g": values}))
    ((_, rows),) = Requirement("recall", 0.5, where=("g", wanted)).groups(table)
    assert rows.sum() == n_rows


def test_columns_of_too_many_values_are_no_groups():
    table = read_table(polars.DataFrame({"g": range(60)}))
    with pytest.raises(ValueError, match="60 values of g; at most 50"):
        Requirement("recall", 0.5, within="g").groups(table)
    with pytest.raises(ValueError, match="60 values of g; at most 12"):
        Requirement("equal opportunity", 0.5, between="g").groups(table)


@times(4)
@given(asked(is_plain=True), generators())
def test_limits_on_mistakes_are_what_fractions_say(task, random):
    """However often each row is mistaken, and on the very edge of the limit too."""
    plain, weights = task.plain(), np.ones(len(task.frame))
    weights = weights if task.weights is None else task.weights
    table = read_table(task.frame)
    for requirement in task.requirements:
        limits = MistakeLimits.of([requirement], table, task.is_positive, weights)
        for _ in range(8):
            often = random.integers(0, 3, len(weights)) * (random.random(len(weights)) < 0.4)
            rows = task.frame, plain.is_positive, plain.counts, often.tolist()
            assert (limits is None or limits.are_met(often)) == brute_force.is_met(
                requirement, *rows
            )


@times(2)
@given(asked(is_plain=True, whole=False), generators())
def test_limits_on_rounded_weights_are_those_of_the_weights_but_for_dust(task, random):
    plain, table = task.plain(), read_table(task.frame)
    for requirement in task.requirements:
        limits = MistakeLimits.of([requirement], table, task.is_positive, task.weights)
        for _ in range(8):
            often = (random.random(len(task.weights)) < 0.4).astype(int)
            rows = task.frame, plain.is_positive, plain.counts, often.tolist()
            is_met = limits is None or limits.are_met(often)
            if brute_force.is_met(requirement, *rows):
                assert is_met
            if not brute_force.is_met(requirement, *rows, Fraction(1, 10**6)):
                assert not is_met


@pytest.mark.parametrize("measure", [Measure.RECALL, Measure.PRECISION, Measure.FLAGGED_SHARE])
@given(st.integers(1, 40), st.integers(0, 10**6))
def test_shares_that_are_met_to_the_row_are_met(measure, n_rows, millionths):
    """Of so many positives, just as many as the limit asks for may be missed, and not one more."""
    limit = millionths / 10**6
    table = read_table(np.arange(float(n_rows))[:, None])
    is_positive = np.ones(n_rows, dtype=bool)
    limits = MistakeLimits.of([Requirement(measure, limit)], table, is_positive, np.ones(n_rows))
    most = math.floor(n_rows * (1 - brute_force.decimal(limit)))
    least = math.ceil(n_rows * (1 - brute_force.decimal(limit)))
    for n_missed in range(n_rows + 1):
        is_met = limits.are_met((np.arange(n_rows) < n_missed).astype(int))
        if measure is Measure.RECALL:
            assert is_met == (n_missed <= most)
        elif measure is Measure.FLAGGED_SHARE:
            assert is_met == (n_missed >= least)
        else:
            assert is_met


@given(generators(), st.integers(2, 8))
def test_whole_weights_are_as_good_as_repeated_rows(random, n_rows):
    groups = random.choice(["A", "B"], n_rows)
    weights = random.integers(1, 4, n_rows)
    is_positive, often = random.random(n_rows) < 0.5, random.integers(0, 2, n_rows)
    assume(len(set(groups.tolist())) == 2)
    several = np.repeat(np.arange(n_rows), weights)
    for measure in MEASURES:
        between = "g" if measure.compares else None
        limit = 0.4 if measure.is_share else 3
        requirement = Requirement(measure, limit, between=between)
        met = []
        for rows, counts in ((np.arange(n_rows), weights), (several, np.ones(len(several)))):
            table = read_table(polars.DataFrame({"g": groups[rows].tolist()}))
            limits = MistakeLimits.of(
                [requirement], table, is_positive[rows], counts.astype(float)
            )
            met.append(limits is None or limits.are_met(often[rows]))
        assert met[0] == met[1]


def test_weights_beyond_exact_sums_are_turned_down():
    table = read_table(np.arange(2.0)[:, None])
    one = [Requirement("recall", 0.5)]
    with pytest.raises(ValueError, match="Divide them all by a constant"):
        MistakeLimits.of(one, table, np.array([True, False]), np.array([2.0**30, 1.0]))


@pytest.mark.parametrize("least", [0.5, 0.51])
def test_no_mistake_is_overlooked_because_weights_are_rounded(least):
    """However many rows there are: rounding them all adds up to more than one of them."""
    n_rows = 40_000
    weights = (
        np.random.default_rng(0).uniform(least, 2.0, n_rows) if least > 0.5 else np.ones(n_rows)
    )
    weights[0] = least
    table, is_positive = read_table(np.zeros((n_rows, 1))), np.arange(n_rows) >= n_rows // 2
    for measure in ("covered", "missed"):
        limits = MistakeLimits.of([Requirement(measure, 0)], table, is_positive, weights)
        row = 0 if measure == "covered" else n_rows - 1
        assert limits.are_met(np.zeros(n_rows, dtype=int))
        assert not limits.are_met((np.arange(n_rows) == row).astype(int))


def test_what_only_rounding_tells_apart_is_the_same():
    table, weights = read_table(np.zeros((4, 1))), np.array([0.1, 0.1, 0.1, 0.2])
    for limit, n_missed in ((0.3, 3), (0.2, 2), (0.25, 2)):
        limits = MistakeLimits.of([Requirement("missed", limit)], table, weights > 0, weights)
        for n in range(4):
            assert limits.are_met((np.arange(4) < n).astype(int)) == (n <= n_missed)


def test_a_weight_that_rounding_would_change_much_is_turned_down():
    table, weights = read_table(np.zeros((3, 1))), np.array([2.0**29, 1.0, 0.2])
    with pytest.raises(ValueError, match=r"weight of 0\.2 is too small beside their sum"):
        MistakeLimits.of([Requirement("recall", 1)], table, weights > 0, weights)
    weights[2] = 0.5  # a multiple of the step
    assert MistakeLimits.of([Requirement("recall", 1)], table, weights > 0, weights).most == (0,)


def test_a_value_that_is_not_there_is_named():
    table = read_table(polars.DataFrame({"g": ["a", "b"]}))
    one = [Requirement("recall", 0.5, where=("g", "c"))]
    with pytest.raises(ValueError, match="speaks of no row"):
        MistakeLimits.of(one, table, np.array([True, False]), np.ones(2))
