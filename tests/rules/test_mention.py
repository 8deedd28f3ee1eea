"""Texts that stand for conditions are read as whole rules are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import Condition, Relation, parse_rules
from boolrules.rules.mention import Mention
from strategies import encodings, frames


@given(st.data())
def test_a_printed_condition_stands_for_itself_alone(data):
    frame = data.draw(frames(9))
    conditions = data.draw(encodings(frame)).conditions
    for condition in conditions:
        mention = Mention.of(str(condition), frame.columns)
        assert [other for other in conditions if mention.means(other)] == [condition]
        (clause,) = parse_rules(str(condition)).clauses
        assert clause.conditions == (condition,)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("age < 35", [Condition("age", Relation.LE, 35, (35,))]),
        ("age >= 35", [Condition("age", Relation.GT, 35), Condition("age", Relation.EQ, 35)]),
        ("job in ('a', 'b')", [Condition("job", Relation.EQ, v) for v in ("a", "b")]),
        ("job is missing", [Condition("job", Relation.IS_NULL)]),
        ('"born in" = 7', [Condition("born in", Relation.EQ, 7)]),
    ],
)
def test_a_text_means_what_it_means_in_rules(text, meant):
    mention = Mention.of(text)
    assert list(mention.conditions) == meant
    assert all(map(mention.means, meant))
    written = {c for clause in parse_rules(text).clauses for c in clause.conditions}
    assert written == set(meant)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("zip == 007", "007"), ("zip == 7", "7"), ("zip = '7'", "7"), ("zip == true", "true")],
)
def test_a_category_that_looks_like_a_number_is_meant_as_it_is_written(text, meant):
    categories = [Condition("zip", Relation.EQ, value) for value in ("007", "7", "true", "True")]
    assert [c.value for c in categories if Mention.of(text).means(c)] == [meant]


@pytest.mark.parametrize(
    "text",
    ["job not in ('a', 'b')", "age <= 3 AND job == 'a'", "<= 3", "age <= 3 4", "age ~ 3", ""],
)
def test_anything_but_one_condition_is_turned_down(text):
    with pytest.raises(ValueError, match="line 1, column"):
        Mention.of(text)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"there is no column 'agee'. Did you mean 'age'"):
        Mention.of("agee <= 3", ["age"])
    with pytest.raises(ValueError, match="there is no column 'agee'"):
        Mention.of("agee <=", ["age"])
