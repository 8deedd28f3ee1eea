"""Rules on a terminal: every clause once, its figures beside it, no line too long."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from boolrules import Clause, Condition, Form, Relation, RuleSet
from boolrules.cli.rule_lines import rule_lines
from boolrules.cli.show import what_next
from boolrules.rules.clause_statistics import ClauseStatistics, RowCounts
from boolrules.rules.parse import parse_rules
from boolrules.solver.result import StopReason

R = Relation
JOBS = ("farmer", "cleaner", "cook", "clerk", "pilot", "nurse", "none")
CLAUSES = (
    Clause(
        (
            Condition("marital_status", R.EQ, "married"),
            Condition("years_of_school", R.GT, 9),
            Condition("years_of_school", R.LE, 13),
            *(Condition("occupation", R.NE, job) for job in JOBS),
        )
    ),
    Clause((Condition("capital_gain", R.GT, 5100),)),
)
COUNTS = ClauseStatistics(12345, 9876, 8000), ClauseStatistics(500, 499, 20)
WEIGHTED = tuple(replace(s, weighted=RowCounts(1.5, 1, 1)) for s in COUNTS)
RULES = RuleSet(CLAUSES, target="income", positive="> 50000", negative="<= 50000")


def printed(rules, width):
    return [line.plain for line in rule_lines(rules, width)]


@pytest.mark.parametrize("width", [60, 80, 120, 400])
@pytest.mark.parametrize("statistics", [(), COUNTS, WEIGHTED], ids=["none", "counts", "weighted"])
def test_a_clause_is_printed_once_with_its_figures_beside_it(statistics, width):
    lines = printed(replace(RULES, statistics=statistics), width)
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    for once in ("married", "9 < years_of_school <= 13", "farmer", "none", "capital_gain > 5100"):
        assert text.count(once) == 1
    assert lines[-2:] == ["THEN income > 50000", "ELSE income <= 50000"]
    if statistics:
        (first,) = [line for line in lines if line.startswith("IF")]
        assert {"12345", "80.0%"} <= set(first.split())
        assert ("here" in lines[0].split() + lines[1].split()) == (width >= 80)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("form", list(Form))
def test_lines_that_were_wrapped_read_back(form, width):
    rules = replace(RULES, form=form)
    assert parse_rules("\n".join(printed(rules, width))) == rules


def test_rules_without_a_clause_are_one_line():
    assert printed(replace(RULES, clauses=()), 80) == [
        "ALWAYS income <= 50000 (there is no clause)"
    ]


def test_names_cannot_tell_the_terminal_what_to_do():
    rules = RuleSet((Clause((Condition("\x1b[31mred", R.LE, 1),)),))
    assert "\x1b" not in "\n".join(printed(rules, 80))


class Fitted:
    mode = "certify"


@pytest.mark.parametrize(
    ("reason", "flag"),
    [
        (StopReason.TIME_LIMIT, "--time-limit"),
        (StopReason.INTERRUPTED, "run it again"),
        (StopReason.ROUND_LIMIT, "--max-rounds"),
        (StopReason.CONVERGED, "--max-complexity"),
    ],
)
def test_an_unfinished_proof_comes_with_what_to_do(reason, flag):
    assert flag in what_next(Fitted, reason)
