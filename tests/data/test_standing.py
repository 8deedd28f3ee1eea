"""How rules stand to requirements on some rows: figures, intervals, and what is met."""

import json
from fractions import Fraction

import numpy as np
import polars
import pytest
from hypothesis import given

import brute_force
from boolrules import Requirement
from boolrules._support.table import read_table
from boolrules.data.requirement import read_requirements
from boolrules.data.standing import HEAD, Standings
from strategies import asked, generators, times

TABLE = polars.DataFrame({"g": ["a", "a", "a", "b", "b", "b", None, None]})
Y = np.array([1, 1, 0, 1, 0, 0, 0, 0], dtype=bool)
FLAGGED = np.array([1, 0, 1, 1, 1, 0, 0, 0], dtype=bool)


def stand(*requirements, weights=None):
    asked_for = read_requirements(list(requirements))
    return Standings.of(asked_for, read_table(TABLE), Y, FLAGGED, weights)


def figures(*requirements, weights=None):
    found = stand(*requirements, weights=weights).standings
    return [(one.group, None if one.value is None else round(one.value, 4)) for one in found]


def test_figures_are_counted_group_by_group_each_row_once():
    assert figures("recall >= 0.5") == [(None, 0.6667)]
    assert figures("precision >= 0.5 within g") == [
        ("g = a", 0.5),
        ("g = b", 0.5),
        ("g = (missing)", None),
    ]
    assert figures("missed <= 0 where g = a") == [("g = a", 1)]
    assert figures("covered <= 0") == [(None, 2)]
    assert figures("flagged <= 3") == [(None, 4)]
    assert figures("flagged share <= 0.5 where g = b") == [("g = b", 0.6667)]
    assert figures("equalised odds <= 0.1 between g") == [
        ("g = a", 0.5),
        ("g = b", 0),
        ("g = (missing)", None),
        ("between g", 0.5),
        ("g = a", 1),
        ("g = b", 0.5),
        ("g = (missing)", 0),
        ("between g", 1),
    ]


def test_figures_count_by_weight():
    weights = np.array([1.0, 3.0, 0.5, 1.0, 1.0, 0.0, 2.0, 2.0])
    assert figures("recall >= 0.5", weights=weights) == [(None, 0.4)]
    assert figures("covered <= 1.5", weights=weights) == [(None, 1.5)]
    assert stand("covered <= 1.5", "flagged <= 3.5", weights=weights).all_met


def test_what_is_not_met_is_named_and_undefined_precision_is_met():
    found = stand("precision >= 0.5 within g", "recall >= 0.7", "equal opportunity <= 0 between g")
    assert not found.all_met
    assert [str(one.requirement) for one in found.broken] == [
        "recall >= 0.7",
        "equal opportunity <= 0 between g",
    ]
    assert [one.is_met for one in found.standings if one.value is None] == [True, None]


def test_new_rows_are_held_to_the_limit_without_its_margin():
    assert stand("recall >= 0.66 margin 0.3").all_met
    assert not stand("recall >= 0.67").all_met


@times(2)
@given(asked(is_plain=True), generators())
def test_what_is_met_is_what_fractions_say(task, random):
    plain = task.plain()
    is_flagged = random.random(len(task.frame)) < 0.5
    once = (is_flagged != task.is_positive).astype(int).tolist()
    for requirement in task.requirements:
        bare = Requirement.from_plain(requirement.to_plain() | {"margin": 0})
        found = Standings.of(
            [bare], read_table(task.frame), task.is_positive, is_flagged, task.weights
        )
        is_met = brute_force.is_met(bare, task.frame, plain.is_positive, plain.counts, once)
        assert found.all_met == is_met
        for standing in found.standings:
            if standing.interval is not None:
                low, high = standing.interval
                assert 0 <= low <= standing.value + 1e-9
                assert standing.value - 1e-9 <= high <= 1


def test_intervals_are_wilsons():
    """Of 10 rows 8: 0.490 to 0.943, as tables have it; the same where each weighs seven."""
    table, y = read_table(np.zeros((10, 1))), np.ones(10, dtype=bool)
    for weights in (None, np.full(10, 7.0)):
        recall = read_requirements("recall >= 0.5")
        (found,) = Standings.of(recall, table, y, np.arange(10) < 8, weights).standings
        assert found.interval == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_the_interval_of_a_difference_is_newcombes():
    """56 of 70 against 48 of 80: 0.0524 to 0.3339 (Newcombe 1998, method 10)."""
    groups = ["a"] * 70 + ["b"] * 80
    missed = np.concatenate([np.arange(70) < 56, np.arange(80) < 48])
    table = read_table(polars.DataFrame({"g": groups}))
    wanted = read_requirements("equal opportunity <= 0.1 between g")
    *_, apart = Standings.of(wanted, table, np.ones(150, dtype=bool), ~missed).standings
    assert apart.value == pytest.approx(0.2)
    assert apart.interval == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert apart.is_met is False


def test_shown_as_text_as_html_and_as_json():
    found = stand("recall >= 0.7", "missed <= 1", "equal opportunity <= 0.6 between g")
    head, recall, missed, *_, apart = str(found).splitlines()
    assert head.split() == " ".join(HEAD).split()
    assert " ".join(recall.split()) == "recall all rows 0.667 0.208 to 0.939 >= 0.7 NOT MET"
    assert " ".join(missed.split()) == "positives missed all rows 1 <= 1 met"
    assert apart.endswith("<= 0.6  met")
    assert "NOT MET" in found._repr_html_()
    plain = json.loads(json.dumps(found.to_plain()))
    assert plain[0]["requirement"] == "recall >= 0.7"
    assert plain[0]["is_met"] is False
    assert [len(row) for row in found.cells()] == [len(HEAD)] * len(found.standings)


def test_an_edge_is_met_whatever_floats_make_of_it():
    """0.1 + 0.2 of 0.6 is half, and 0.3 of rows flagged is no more than 0.3."""
    table, y = read_table(np.zeros((3, 1))), np.ones(3, dtype=bool)
    weights = np.array([0.1, 0.2, 0.3])
    wanted = read_requirements(["recall >= 0.5", "flagged <= 0.3", "flagged share <= 0.5"])
    is_flagged = np.array([True, True, False])
    assert Standings.of(wanted, table, y, is_flagged, weights).all_met
    assert Fraction("0.1") + Fraction("0.2") == Fraction("0.3")


def test_limits_are_kept_exactly_where_rows_weigh_whole_numbers():
    """Recall is 2/3: of 0.666667 it falls short, by a third of a millionth."""
    assert stand("recall >= 0.66666").all_met
    assert not stand("recall >= 0.666667").all_met
