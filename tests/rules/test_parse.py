"""Rules read from text: what rule sets print comes back, what people write is understood."""

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolrules import Clause, Condition, Form, Relation, RuleSet
from boolrules.rules.condition import format_number
from boolrules.rules.formula import MOST_CLAUSES
from boolrules.rules.names import format_name
from boolrules.rules.parse import parse_rules
from strategies import times

R = Relation
NASTY = [
    *(
        "AND",
        "or",
        "If",
        "THEN",
        "else",
        "x and y",
        "born in",
        "is null",
        "not",
        "a <= 3",
        "ALWAYS",
    ),
    *(
        "it's",
        'a "b"',
        "\\",
        "a\\'b",
        "''",
        "#1",
        "a # b",
        "line\nbreak",
        "tab\there",
        " lead",
        "",
    ),
    *(
        "größe",
        "表",
        "🦓 zebra",
        "\u2028",
        "\xa0",
        "\u2018curly\u2019",
        "a,b",
        "(x",
        "x)",
        "x (y)",
        "a(b c)d",
    ),
    *(
        "R&D",
        "a & b",
        "a|b",
        "||",
        "9",
        "-9",
        "1e5",
        "True",
        "null",
        "a≤b",
        "[k]",
        "\x00",
        "\ud800",
    ),
]
NAMES = st.one_of(st.sampled_from(NASTY), st.text(max_size=6))
TARGETS = NAMES.filter(bool)  # a rule set without a name for its target prints none


def in_ten_digits(number):
    return float(format_number(number))


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
# Rounded up, the largest floats are infinite.
MODERATE = st.floats(-1e300, 1e300)
WHOLE = st.integers(-(10**6), 10**6)
NUMBERS = st.one_of(WHOLE, FLOATS, MODERATE.map(in_ten_digits))


@st.composite
def conditions(draw, numbers=NUMBERS):
    relation = draw(st.sampled_from(list(R)))
    excepted = tuple(draw(st.lists(numbers, max_size=2)))
    if relation in (R.IS_NULL, R.IS_NOT_NULL):
        return Condition(draw(NAMES), relation, None, excepted)
    if relation in (R.LE, R.GT):
        return Condition(draw(NAMES), relation, draw(numbers), excepted)
    if relation in (R.IN, R.NOT_IN):
        return Condition(draw(NAMES), relation, (draw(numbers), draw(numbers)), excepted)
    value = draw(st.one_of(NAMES, numbers, st.booleans()))
    return Condition(draw(NAMES), relation, value, excepted)


@st.composite
def neighbours(draw, numbers=NUMBERS):
    """Conditions on one column, which print as one where they can."""
    name = draw(NAMES)
    values = {
        R.GT: numbers,
        R.LE: numbers,
        R.EQ: st.one_of(NAMES, numbers, st.booleans()),
        R.NE: st.one_of(NAMES, numbers, st.booleans()),
    }
    relations = draw(st.lists(st.sampled_from(list(values)), min_size=1, max_size=4))
    return [Condition(name, relation, draw(values[relation])) for relation in relations]


LABELS = st.one_of(NAMES, NUMBERS, st.booleans())
COMPARISONS = [
    *(("> 0", "<= 0"), (">=-1.5e3", "<-1.5e3"), ("< 2", ">= 2"), ("> 1", None)),
    ("> 0", "not > 0"),  # as files of earlier versions call it
]


@st.composite
def rule_sets(draw, numbers=NUMBERS, min_clauses=0):
    several = st.lists(conditions(numbers), min_size=1, max_size=3)
    clause = st.one_of(several, neighbours(numbers)).map(tuple).map(Clause)
    clauses = draw(st.lists(clause, min_size=min_clauses, max_size=3))
    pairs = st.tuples(LABELS, st.one_of(LABELS, st.none()))
    positive, negative = draw(st.one_of(pairs, st.sampled_from(COMPARISONS)))
    assume(positive != negative)
    form, target = draw(st.sampled_from(list(Form))), draw(st.one_of(TARGETS, st.none()))
    return RuleSet(tuple(clauses), form, positive, negative, target)


def same_types(rules):
    """Tell 1 from True, which Python takes for equal."""
    values = [c.value for clause in rules.clauses for c in clause.conditions]
    return [isinstance(v, bool) for v in (*values, rules.positive, rules.negative)]


# What rule sets print


@times(10)
@given(rule_sets(min_clauses=1))
def test_what_a_rule_set_prints_reads_back_to_it(rules):
    # One clause of one condition prints alike in both forms.
    is_either = len(rules.clauses) == len(rules.clauses[0].conditions) == 1
    read = parse_rules(str(rules), form=rules.form if is_either else None)
    assert read == rules
    assert same_types(read) == same_types(rules)


@times(3)
@given(rule_sets())
def test_the_labels_may_come_from_the_caller_where_the_text_has_only_one(rules):
    given_labels = {"positive": rules.positive, "negative": rules.negative}
    assert parse_rules(str(rules), form=rules.form, **given_labels) == rules


@times(3)
@given(rule_sets(min_clauses=1))
def test_conditions_of_a_model_read_back_where_they_are_known(rules):
    known = {c for clause in rules.clauses for c in clause.conditions}
    read = parse_rules(str(rules), conditions=known, form=rules.form)
    assert read == rules


def rounded(rules):
    """Write every number with ten digits, as people copy them."""

    def number(value):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return in_ten_digits(value) if is_number else value

    def condition(c):
        value = tuple(map(number, c.value)) if isinstance(c.value, tuple) else number(c.value)
        return replace(c, value=value, except_values=tuple(map(number, c.except_values)))

    clauses = (Clause(tuple(map(condition, clause.conditions))) for clause in rules.clauses)
    return replace(rules, clauses=tuple(clauses))


@times(3)
@given(rule_sets(numbers=MODERATE, min_clauses=1))
def test_conditions_of_a_model_may_be_written_with_ten_digits(rules):
    known = {c for clause in rules.clauses for c in clause.conditions}
    short = rounded(rules)
    # Two that are alike in ten digits cannot be told apart.
    assume(len({c for clause in short.clauses for c in clause.conditions}) == len(known))
    assume(same_types(short) == same_types(rules))
    assert parse_rules(str(short), conditions=known, form=rules.form) == rules


@times(3)
@given(NAMES)
def test_a_name_is_bare_or_quoted_so_that_it_reads_back(name):
    rules = parse_rules(f"{format_name(name)} <= 1")
    assert rules.features == (name,)


@pytest.mark.parametrize(
    "name", ["age", "petal length (cm)", "R&D", "x.y", "größe", "50%", "a-b", "2nd visit", "a(b)"]
)
def test_plain_names_stay_bare(name):
    assert str(Condition(name, R.LE, 1)) == f"{name} <= 1"


@pytest.mark.parametrize(
    "name", ["x AND y", "born in", 'say "x"', "a\nb", "a, b", "(x", "0(", "a(b", "a ", "r& x", ""]
)
def test_names_that_could_be_misread_print_in_quotes(name):
    assert str(Condition(name, R.LE, 1)).startswith('"')


# What people write

YOUNG, OLD = Condition("age", R.LE, 35), Condition("age", R.GT, 60)
CLERK, COOK = Condition("job", R.EQ, "clerk"), Condition("job", R.EQ, "cook")
NO_CLERK, NO_COOK = Condition("job", R.NE, "clerk"), Condition("job", R.NE, "cook")
UNKNOWN = Condition("age", R.IS_NULL)


def dnf(*clauses):
    return RuleSet(tuple(map(Clause, clauses)))


def cnf(*clauses):
    return RuleSet(tuple(map(Clause, clauses)), Form.CNF)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age <= 35 AND job != 'clerk'", dnf((YOUNG, NO_CLERK))),
        ("age<=35 and job<>'clerk'", dnf((YOUNG, NO_CLERK))),
        ('age ≤ 35.0 & "job" ≠ "clerk"', dnf((YOUNG, NO_CLERK))),
        ("(age <= 35) && (job != clerk)", dnf((YOUNG, NO_CLERK))),
        ("age <= 35\njob = 'clerk'", dnf((YOUNG,), (CLERK,))),
        ("age <= 35 OR job == 'clerk'", dnf((YOUNG,), (CLERK,))),
        ("age <= 35 | job is 'clerk'", dnf((YOUNG,), (CLERK,))),
        ("age <= 35\n\n  OR job = clerk  # a comment\n# another\n", dnf((YOUNG,), (CLERK,))),
        ("age <= 35 OR\njob = clerk", dnf((YOUNG,), (CLERK,))),
        ("age <= 35 or age > 60 and job = 'clerk'", dnf((YOUNG,), (OLD, CLERK))),
        ("age > 60 AND\n job = 'clerk'\nage <= 35", dnf((OLD, CLERK), (YOUNG,))),
        ("(age > 60\n\n AND job = 'clerk'\n)\nOR age <= 35", dnf((OLD, CLERK), (YOUNG,))),
        ("((age > 60 AND (job = 'clerk')))", dnf((OLD, CLERK))),
        ("(age <= 35 OR age > 60) AND job = 'clerk'", cnf((YOUNG, OLD), (CLERK,))),
        ("job = 'clerk' AND (age <= 35 OR age > 60)", cnf((CLERK,), (YOUNG, OLD))),
        ("(age <= 35 OR age > 60)", cnf((YOUNG, OLD))),
        ("age <= 35\nAND job = 'clerk'", cnf((YOUNG,), (CLERK,))),
        ("age is missing", dnf((UNKNOWN,))),
        ("age IS NULL OR age Is Not Missing", dnf((UNKNOWN,), (Condition("age", R.IS_NOT_NULL),))),
        ("job in ('clerk', 'cook')", dnf((CLERK,), (COOK,))),
        ("age > 60 AND job in ('clerk', cook)", dnf((OLD, CLERK), (OLD, COOK))),
        ("job not in ('clerk', 'cook') AND age > 60", dnf((NO_CLERK, NO_COOK, OLD))),
        (
            "(age <= 35 OR job in ('clerk', 'cook')) AND age > 60",
            cnf((YOUNG, CLERK, COOK), (OLD,)),
        ),
        (
            "(age <= 35 OR job not in ('clerk', 'cook')) AND age > 60",
            cnf((YOUNG, NO_CLERK), (YOUNG, NO_COOK), (OLD,)),
        ),
        ("job in {'clerk', cook}", dnf((CLERK,), (COOK,))),
        ("(job in {'clerk', cook})", cnf((CLERK, COOK))),
        ("job not in {'clerk', 'cook'} AND age > 60", dnf((NO_CLERK, NO_COOK, OLD))),
        ("60 < age <= 65 AND job = clerk", dnf((OLD, Condition("age", R.LE, 65), CLERK))),
        ("65 ≥ age > 60", dnf((Condition("age", R.LE, 65), OLD))),
        ("60 <= age <= 65", dnf((OLD, Condition("age", R.LE, 65)),
                                (Condition("age", R.EQ, 60), Condition("age", R.LE, 65)))),
        ("1 < 9 <= 5\n9 <= 5", dnf((Condition("9", R.GT, 1), Condition("9", R.LE, 5)),
                                   (Condition("9", R.LE, 5),))),
        ("age in (35, 60]", dnf((Condition("age", R.IN, (35, 60)),))),
        ("age not in (35, 60]", dnf((Condition("age", R.NOT_IN, (35, 60)),))),
        ("age < 35", dnf((Condition("age", R.LE, 35, (35,)),))),
        ("age < 35 (not -9)", dnf((Condition("age", R.LE, 35, (-9, 35)),))),
        ("age >= 60", dnf((OLD,), (Condition("age", R.EQ, 60),))),
        ("age <= 35 (not -9, -8)", dnf((Condition("age", R.LE, 35, (-9, -8)),))),
        ("smoker = true OR smoker = 'true'", dnf((Condition("smoker", R.EQ, True),),
                                                (Condition("smoker", R.EQ, "true"),))),
        ("job = 'it''s' OR job = \"a \"\"b\"\"\"", dnf((Condition("job", R.EQ, "it's"),),
                                                    (Condition("job", R.EQ, 'a "b"'),))),
        ("petal length (cm) <= 1.7", dnf((Condition("petal length (cm)", R.LE, 1.7),))),
    ],
)  # fmt: skip
def test_what_people_write_is_understood(text, expected):
    assert parse_rules(text) == expected


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("IF age <= 35 THEN high", ("high", None, None)),
        ("if age <= 35 then risk is 'high' else risk is 'low'", ("high", "low", "risk")),
        ("age <= 35\nTHEN risk = high\nELSE low", ("high", "low", "risk")),
        ("IF age <= 35 THEN high risk ELSE low risk", ("high risk", "low risk", None)),
        ("age <= 35 THEN 1 ELSE 0", (1, 0, None)),
        ("age <= 35 THEN drinks > 2 ELSE drinks <= 2", ("> 2", "<= 2", "drinks")),
        ("age <= 35 THEN drinks > 2 ELSE drinks is '<= 2'", ("> 2", "<= 2", "drinks")),
        ("age <= 35 THEN True ELSE False", (True, False, None)),
        ("age <= 35 THEN a\nELSE not a", ("a", None, None)),
        ("age <= 35", (True, False, None)),
        ("age <= 35 THEN True", (True, False, None)),
    ],
)
def test_labels_are_read_after_then_and_else(text, labels):
    rules = parse_rules(text)
    assert (rules.positive, rules.negative, rules.target) == labels
    assert rules.clauses == (Clause((YOUNG,)),)


def test_the_form_decides_where_a_text_fits_both():
    both = "age <= 35 AND job = 'clerk'"
    assert parse_rules(both, form="cnf") == cnf((YOUNG,), (CLERK,))
    assert parse_rules("age <= 35\nAND job = 'clerk'", form="dnf") == dnf((YOUNG, CLERK))
    either = "age <= 35 OR job = 'clerk'"
    assert parse_rules(either, form="cnf") == cnf((YOUNG, CLERK))
    only_dnf = "age <= 35 OR (age > 60 AND job = 'clerk')"
    assert parse_rules(only_dnf, form="cnf") == parse_rules(only_dnf, form="dnf")


# The meaning: what is read answers as the text does, on every row

PEOPLE = pl.DataFrame(
    [
        pl.Series("age", [None, -9.0, 10.0, 34.9, 35.0, 35.1, 60.0, 61.0] * 4),
        pl.Series("job", [job for job in ["clerk", "cook", "nurse", None] for _ in range(8)]),
    ]
)
WRITTEN = {
    "age < 35": lambda age, job: age is not None and age < 35,
    "age <= 35": lambda age, job: age is not None and age <= 35,
    "age > 35": lambda age, job: age is not None and age > 35,
    "age >= 35": lambda age, job: age is not None and age >= 35,
    "age == 35": lambda age, job: age == 35,
    "age <> 35": lambda age, job: age is not None and age != 35,
    "age in (35, 60]": lambda age, job: age is not None and 35 < age <= 60,
    "age in (35, 60)": lambda age, job: age in (35, 60),
    "10 < age < 61": lambda age, job: age is not None and 10 < age < 61,
    "60 >= age > 35": lambda age, job: age is not None and 35 < age <= 60,
    "age is missing": lambda age, job: age is None,
    "age < 35 (not -9)": lambda age, job: age is not None and age < 35 and age != -9,
    "age >= 35 (not 35)": lambda age, job: age is not None and age > 35,
    "job in ('clerk', cook)": lambda age, job: job in ("clerk", "cook"),
    "job in {clerk, 'cook'}": lambda age, job: job in ("clerk", "cook"),
    "job not in (clerk, 'cook')": lambda age, job: job not in (None, "clerk", "cook"),
}
LINES = st.lists(st.sampled_from(list(WRITTEN)), min_size=1, max_size=3)


@times(5)
@given(
    st.lists(LINES, min_size=1, max_size=3), st.booleans(), st.sampled_from(["dnf", "cnf", None])
)
def test_rules_answer_as_the_text_reads(groups, is_dnf, form):
    inner, outer = (" AND ", " OR ") if is_dnf else (" OR ", " AND ")
    text = outer.join(f"({inner.join(group)})" for group in groups)
    every, some = (all, any) if is_dnf else (any, all)
    expected = [
        some(every(WRITTEN[line](*row) for line in group) for group in groups)
        for row in PEOPLE.rows()
    ]
    rules = parse_rules(text, form=form)
    assert rules.covers(PEOPLE).tolist() == expected
    assert parse_rules(str(rules), form=rules.form) == rules


# Conditions of a model


def test_a_threshold_in_ten_digits_is_taken_for_the_one_that_it_stands_for():
    exact = Condition("x", R.LE, 20.299999999999997)
    assert parse_rules("x <= 20.3", conditions=[exact]) == dnf((exact,))
    assert parse_rules("x <= 20.30", conditions=[exact]) == dnf((exact,))
    assert parse_rules("x <= 20.3") == dnf((Condition("x", R.LE, 20.3),))


@pytest.mark.parametrize("text", ["x <= 20.31", "x > 20.3", "y <= 20.3", "x <= 20.29999999999999"])
def test_another_condition_is_not_taken_for_one_of_the_model(text):
    exact = Condition("x", R.LE, 20.299999999999997)
    assert parse_rules(text, conditions=[exact]) == parse_rules(text)


def test_a_large_threshold_that_is_rounded_up_is_known_as_well():
    exact = Condition("x", R.LE, 9999999999.5)
    assert parse_rules("x <= 1e+10", conditions=[exact]) == dnf((exact,))


def test_two_thresholds_that_are_alike_in_ten_digits_need_every_digit():
    pair = [Condition("x", R.LE, 0.1 + 0.2), Condition("x", R.LE, np.nextafter(0.3, 0).item())]
    with pytest.raises(ValueError, match=r"2 conditions .* 0\.30000000000000004 or 0\.29999"):
        parse_rules("x <= 0.3", conditions=pair)
    assert parse_rules("x <= 0.30000000000000004", conditions=pair) == dnf((pair[0],))


# Errors

COLUMNS = ["age", "job", "income (EUR)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: found the end of the text, expected a condition"),
        ("# nothing\n\n", "line 3, column 1: found the end"),
        ("agee <= 35", "line 1, column 1: there is no column 'agee'. Did you mean 'age'?"),
        ("age <= 3\nOR Job = 'x'", "line 2, column 4: there is no column 'Job'. Did you mean"),
        ("income <= 3", "Did you mean 'income (EUR)'?"),
        ("zzz <= 3", "There are: age, job, income (EUR)."),
        ("age", "line 1, column 4: found the end of the text, expected a comparison of 'age'"),
        ("age AND job = 1", "line 1, column 5: found 'AND', expected a comparison of 'age'"),
        ("age <= old", "line 1, column 8: <= compares with a number, and old is none"),
        ("18 < age", "Write the column first"),
        ("age <= 1&age > 0", "Leave spaces around"),
        ("age <= 'x'", "compares with a number"),
        ("age <= True", "compares with a number"),
        ("age <=", "line 1, column 7: found the end of the text, expected a number"),
        ("age <= <= 3", "line 1, column 8: found '<=', expected a number"),
        ("age => 3", "line 1, column 6: found '>', expected a value"),
        ("age <= 3 4", "line 1, column 10: found '4', expected AND, OR, a new line or THEN"),
        ("job = team lead", "found 'lead', expected AND, OR, a new line or THEN. Text of several"),
        ("job = 'clerk", "line 1, column 7: the quote ' is not closed on its line"),
        ("job = \u2018clerk\u2019", "Use the straight quotes"),
        ("job = 'a\\d'", "the backslash before 'd' has no meaning"),
        ("(age <= 3", "line 1, column 1: this parenthesis is not closed"),
        ("age <= 3)", "found ')', expected AND, OR"),
        ("(age <= 3]", "found ']'"),
        ("job = age", "'age' is a column, and conditions do not compare two columns"),
        ("job = null", "nothing equals null. Write 'is null'"),
        ("NOT age <= 3", "NOT is not understood"),
        ("age <= 3 AND NOT (job = 'x')", "line 1, column 14: NOT is not understood"),
        ("age <= 1e999", "too large"),
        ("age in [1, 5]", "found '['. Write (1, 5]"),
        ("age in (1, 'x']", "an interval has two numbers"),
        ("age in (1, 2, 3]", "an interval has two numbers"),
        ("age in 3", "expected a list such as"),
        ("age <= 3 THEN job > low", "line 1, column 19: > low is no label"),
        ("age in {1, 3", "line 1, column 8: this parenthesis is not closed"),
        ("age in {1, 3]", "found ']', expected ',' or '}'"),
        ("1 < age > 3", "line 1, column 9: a column between two numbers is written as in 0 <"),
        ("1 < agee <= 3", "line 1, column 5: there is no column 'agee'. Did you mean 'age'?"),
        ("age in (1", "line 1, column 8: this parenthesis is not closed"),
        ("age in ()", "found ')', expected a value"),
        ("age <= 3 (not 'x')", "numbers must follow 'not'"),
        ("age between 1 and 3", "found 'and', expected a comparison of 'age between 1'"),
        ("age <= 3 OR (job = 'a' AND (age > 1 OR job = 'b'))", "neither an OR of ANDs nor"),
        ("age <= 3 THEN", "line 1, column 14: found the end of the text, expected a label"),
        ("age <= 3 THEN a THEN b", "found 'THEN', expected"),
        ("age <= 3 THEN a\nIF age > 3 THEN b", "line 2, column 1: a second IF"),
        ("age <= 3 THEN a ELSE not b", "line 1, column 22: ELSE not 'b' does not fit THEN 'a'"),
        ("age <= 3 THEN x is a ELSE y is b", "ELSE speaks of 'y', THEN of 'x'"),
        ("age ! 3", "line 1, column 5: '!' is not understood here"),
        ("OR age <= 3", "line 1, column 1: found 'OR', expected a condition"),
        ("age <= 3 AND", "found the end of the text, expected a condition"),
    ],
)  # fmt: skip
def test_errors_say_where_what_and_what_is_allowed(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_rules(text, columns=COLUMNS)


def test_text_that_stands_for_very_many_clauses_is_turned_down():
    values = ", ".join(map(str, range(11)))
    text = " AND ".join(f"f{k} in ({values})" for k in range(30))
    with pytest.raises(ValueError, match=f"more than {MOST_CLAUSES} clauses"):
        parse_rules(text)


def test_very_deep_text_is_turned_down():
    with pytest.raises(ValueError, match="parentheses within each other"):
        parse_rules("(" * 100_000 + "age <= 3")


@times(10)
@given(st.text(alphabet="ab 1'\"()[],<>=!&|#\n\\ANDORINTHELSaisnotlway.", max_size=40))
def test_any_text_gives_rules_or_a_value_error(text):
    try:
        rules = parse_rules(text)
    except ValueError as error:
        if not str(error).startswith("line "):
            raise
    else:
        assert parse_rules(str(rules), form=rules.form) == rules
