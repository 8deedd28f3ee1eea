"""Read a rule set from text: what ``RuleSet`` prints, and what people write.

By recursive descent, into ANDs and ORs. Nothing is approximated: what no condition can say is
written out in several (``in ('a', 'b')``, ``>=``) or turned down.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from boolrules.rules.answers import is_comparison
from boolrules.rules.clause import Form, Label
from boolrules.rules.condition import Condition, Relation, format_number
from boolrules.rules.formula import AND, OR, Formula, Group, Leaf, clauses_of, joined
from boolrules.rules.reader import MISSING, QUOTES, Reader
from boolrules.rules.rule_set import RuleSet
from boolrules.rules.tokens import Token, fail

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boolrules.rules.condition import Value


DEEPEST = 50  # parentheses within parentheses
_SIGNS = {"=": "==", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}
_ORDER = ("<", "<=", ">", ">=")
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SEVERAL = "these are several conditions at once. Name them one by one"
_ENDS = {"{": "}", "(": ")]"}
_COMPARISONS = "<=, <, >, >=, ==, !=, in {...}, not in {...}, is null or is not null"


def parse_rules(
    text: str,
    *,
    columns: Sequence[str] | None = None,
    conditions: Iterable[Condition] = (),
    form: Form | str | None = None,
    positive: Label = True,
    negative: Label = False,
    target: str | None = None,
) -> RuleSet:
    """Read a rule set from text that a person wrote or edited.

    It reads what ``str(rule_set)`` prints, and less formal text: a clause per line, or OR between
    clauses; AND, ``&``, OR, ``|`` in any case; ``=``, ``<>``, ``<``, ``>=``, ``1 <= age < 5``,
    ``in ('a', 'b')``, ``is missing``; comments after ``#``. IF, THEN and ELSE may be left out.

    Parameters
    ----------
    text : str
        The rules.
    columns : sequence of str, or None
        The columns that there are; any other name is an error. None allows all names.
    conditions : iterable of Condition
        Those of a model, such as ``model.conditions_``. A number that is written with ten digits
        stands for the one of the model that it is the rounding of.
    form : "dnf", "cnf" or None
        How to read text that fits both forms, such as ``a <= 1 AND b > 2``. None reads it as rule
        sets print: as one clause, unless the AND begins a line.
    positive, negative, target : label, label, str or None
        What is predicted, and the name of its column, where the text does not say it with THEN
        and ELSE.

    Examples
    --------
    >>> rules = parse_rules('''
    ... age < 35 and job in ("clerk", "cook")   # young
    ... income is missing
    ... ''')
    >>> print(rules)
    IF   (age < 35 AND job == 'clerk')
      OR (age < 35 AND job == 'cook')
      OR income is null
    THEN True
    ELSE False
    >>> parse_rules(str(rules)) == rules
    True
    >>> parse_rules("agee <= 35", columns=["age", "job"])
    Traceback (most recent call last):
    ...
    ValueError: line 1, column 1: there is no column 'agee'. Did you mean 'age'?
    """
    parser = Parser(text, columns, conditions)
    formula = parser.formula()
    rules = parser.labels(RuleSet((), Form.DNF, positive, negative, target))
    if formula is None:
        return rules
    try:
        form, clauses = clauses_of(formula, None if form is None else Form(form))
    except ValueError as error:
        fail(text, formula.start if isinstance(formula, Group) else 0, str(error))
    return replace(rules, clauses=clauses, form=form)


def suggestion(name: str, known: Sequence[str]) -> str:
    """Say which known name was probably meant, or which there are.

    Examples
    --------
    >>> suggestion("AGE", ["age", "job"]), suggestion("zzz", ["age", "job"])
    ("Did you mean 'age'?", 'There are: age, job.')
    """
    lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), list(lower), n=1)
    if near:
        return f"Did you mean {lower[near[0]]!r}?"
    shown = ", ".join(known[:8]) + (f" and {len(known) - 8} more" if len(known) > 8 else "")
    return f"There are: {shown}."


class Parser(Reader):
    """Reads whole rules, or one condition."""

    def __init__(
        self,
        text: str,
        columns: Sequence[str] | None = None,
        conditions: Iterable[Condition] = (),
    ) -> None:
        super().__init__(text, columns)
        self._known = {condition: condition for condition in conditions}
        self._by_rounded: dict[Condition, list[Condition]] = {}
        for condition in self._known:
            self._by_rounded.setdefault(_rounded(condition), []).append(condition)

    # The whole

    def formula(self) -> Formula | None:
        """Read up to THEN, or to the end; nothing where the text says ALWAYS."""
        if self._next.keyword == "always":
            return None
        if self._next.keyword == "if":
            self._take()
        return self._any(depth=0)

    def mention(self) -> tuple[str, Relation | None, tuple[Condition, ...], str | None]:
        """Read one condition and nothing else, of which the value may be left out.

        Returns the column, the operator where it stands alone, what was written out, of which any
        is meant, and a single value as it was written, if it has no quotes.
        """
        if not self._next.is_name:
            self._unexpected("a condition, such as age <= 35")
        start, first = self._place, self._next
        if self._begins_range():
            self._fail(first, _SEVERAL)
        name = self._name()
        self._check_column(first, name)
        rest = self._tokens[self._place : -1]
        text = " ".join(token.text.lower() for token in rest)
        operator = _SIGNS.get(text, text)
        if operator in list(Relation):
            return name, Relation(operator), (), None
        self._place = start
        leaf = self._condition()
        if self._next.kind != "end":
            self._unexpected("nothing after the condition", QUOTES)
        if len(leaf.conditions) > 1 and not leaf.is_any:
            self._fail(first, _SEVERAL)
        is_word = len(rest) == 2 and rest[1].kind == "word"
        return name, None, leaf.conditions, rest[1].text if is_word else None

    def labels(self, default: RuleSet) -> RuleSet:
        """Read THEN and ELSE, or ALWAYS, into a rule set that has no clauses yet."""
        rules = default
        if self._next.keyword == "always":
            rules = self._always(default)
        elif self._next.keyword == "then":
            self._take()
            target, positive = self._target() or default.target, self._label()
            negative = default.negative if _is_same(positive, default.positive) else None
            rules = replace(default, positive=positive, negative=negative, target=target)
            if self._next.keyword == "else":
                rules = self._else(rules)
        if self._next.keyword == "if":
            self._fail(self._next, "a second IF. Give one rule set at a time")
        if self._next.kind != "end":
            self._unexpected("AND, OR, a new line or THEN", QUOTES)
        return rules

    def _always(self, default: RuleSet) -> RuleSet:
        self._take()
        target, is_negated = self._target() or default.target, self._takes("not")
        label = self._label()
        if self._next.text == "(":  # "(there is no clause)"
            while self._next.kind != "end" and self._take().text != ")":
                pass
        if is_negated:
            return RuleSet((), Form.DNF, label, None, target)
        if _is_same(label, default.positive):
            return RuleSet((), Form.CNF, default.positive, default.negative, target)
        positive = default.positive if _is_same(label, default.negative) else None
        return RuleSet((), Form.DNF, positive, label, target)

    def _else(self, rules: RuleSet) -> RuleSet:
        self._take()
        start, target = self._next, self._target()
        if target not in (None, rules.target):
            self._fail(start, f"ELSE speaks of {target!r}, THEN of {rules.target!r}")
        start, is_negated = self._next, self._takes("not")
        label = self._label()
        if not is_negated:
            return replace(rules, negative=label)
        if not _is_same(label, rules.positive):
            self._fail(start, f"ELSE not {label!r} does not fit THEN {rules.positive!r}")
        return replace(rules, negative=None)

    def _target(self) -> str | None:
        """Read "risk is" or "risk =", if it is there, or "risk" before a comparison."""
        place = self._place
        if self._next.is_name:
            name = self._name()
            if self._next.text in _ORDER:
                return name
            if self._next.keyword == "is" or self._next.text in ("=", "=="):
                self._take()
                return name
        self._place = place
        return None

    def _label(self) -> Label:
        """Read a label: a word, a number, text in quotes, or a comparison such as "> 2"."""
        start = self._next
        if start.text in _ORDER:
            self._take()
            number = self._take()
            label = self._text[start.start : number.start + len(number.text)]
            if not is_comparison(label):
                self._fail(start, f"{label} is no label. Write a number after {start.text}")
            return label
        if not start.is_name:
            self._unexpected("a label: a word, a number, or text in quotes")
        text = self._name(may_have_brackets=False)
        if start.kind == "quoted":
            return text
        return None if text.lower() == "none" else self._read_word(start, text)

    # Formulas

    def _any(self, depth: int) -> Formula:
        start, is_by_line = self._next.start, False
        parts = [self._all(depth)]
        while self._next.keyword == "or" or (depth == 0 and self._begins_clause()):
            is_by_line |= self._next.starts_line
            self._takes("or")
            parts.append(self._all(depth))
        return joined(OR, parts, start, is_by_line)

    def _begins_clause(self) -> bool:
        """Whether the line is a clause of its own: OR may be left out there."""
        token = self._next
        return token.starts_line and (token.is_name or token.text == "(" or token.keyword == "not")

    def _all(self, depth: int) -> Formula:
        start, is_by_line = self._next.start, False
        parts = [self._one(depth)]
        while self._next.keyword == "and":
            is_by_line |= self._take().starts_line
            parts.append(self._one(depth))
        return joined(AND, parts, start, is_by_line)

    def _one(self, depth: int) -> Formula:
        opening = self._next
        if opening.text != "(":
            return self._range() if self._begins_range() else self._condition()
        if depth == DEEPEST:
            self._fail(opening, f"more than {DEEPEST} parentheses within each other")
        self._take()
        inner = self._any(depth + 1)
        self._close(opening, "AND, OR or ')'", ")")
        return replace(inner, is_bracketed=True)

    # Conditions

    def _begins_range(self) -> bool:
        """Whether what follows compares twice, as in ``0 < age <= 5``."""
        place, token, sign = self._place, self._next, self._after
        if token.kind != "word" or _SIGNS.get(sign.text, sign.text) not in _ORDER:
            return False
        if isinstance(self._read_word(token, token.text), bool | str):
            return False
        self._place += 2
        is_range = self._next.is_name
        if is_range:
            self._name()  # which may be empty
            is_range = self._next.kind == "sign"
        self._place = place
        return is_range

    def _range(self) -> Formula:
        """Read two comparisons of one column, with a number on either side of it."""
        first = self._next
        low = self._number_after(self._after.text)
        sign, start = self._sign(), self._next
        name, second = self._name(), self._next
        other = self._sign()
        if other[0] != sign[0]:
            self._fail(second, "a column between two numbers is written as in 0 < age <= 5")
        leaves = [self._ordered(name, _TURNED[sign], low), self._compared(name, other)]
        self._check_column(start, name)
        low_end, high_end = (self._known_leaf(start, leaf) for leaf in leaves)
        if low_end.is_any or high_end.is_any:
            return joined(AND, [low_end, high_end], first.start, False)
        return Leaf((*low_end.conditions, *high_end.conditions))

    def _sign(self) -> str:
        text = self._take().text
        return _SIGNS.get(text, text)

    def _condition(self) -> Leaf:
        start = self._next
        if start.keyword == "not":
            self._fail(
                start,
                "NOT is not understood, because of missing values: neither age <= 35 nor age > 35 "
                "holds on them. Write the condition that you mean",
            )
        if not start.is_name:
            self._unexpected("a condition, such as age <= 35")
        name = self._name()
        leaf = self._comparison(name)
        self._check_column(start, name)
        return self._known_leaf(start, leaf)

    def _known_leaf(self, start: Token, leaf: Leaf) -> Leaf:
        return replace(leaf, conditions=tuple(self._meant(start, c) for c in leaf.conditions))

    def _check_column(self, start: Token, name: str) -> None:
        if self._columns is not None and name not in self._columns:
            self._fail(start, f"there is no column {name!r}. {suggestion(name, self._columns)}")

    def _comparison(self, name: str) -> Leaf:
        token = self._next
        if token.kind == "sign":
            return self._compared(name, self._sign())
        if self._takes("is"):
            return self._tested(name)
        is_list = token.keyword == "in" or (token.keyword == "not" and self._after.keyword == "in")
        if not is_list:
            self._unexpected(
                f"a comparison of {name!r}: {_COMPARISONS}",
                "Names that hold words such as AND or IN need quotes",
            )
        return self._among(name)

    def _compared(self, name: str, sign: str) -> Leaf:
        value = self._number_after(sign) if sign in _ORDER else self._value()
        return self._ordered(name, sign, value, self._excepted())

    def _ordered(
        self, name: str, sign: str, value: Value, excepted: tuple[float, ...] = ()
    ) -> Leaf:
        """Return what one or two conditions say of a sign and a value."""
        match sign:
            case "<":  # at most the number, and not the number
                more = () if value in excepted else (value,)
                return Leaf((Condition(name, Relation.LE, value, (*excepted, *more)),))
            case ">=":
                above = Condition(name, Relation.GT, value, excepted)
                at = () if value in excepted else (Condition(name, Relation.EQ, value),)
                return Leaf((above, *at), is_any=True)
            case _:
                return Leaf((Condition(name, Relation(sign), value, excepted),))

    def _tested(self, name: str) -> Leaf:
        """Read what follows "is": null or missing, or a value, as after an equals sign."""
        is_negated = self._takes("not")
        if self._next.kind == "word" and self._next.text.lower() in MISSING:
            self._take()
            relation = Relation.IS_NOT_NULL if is_negated else Relation.IS_NULL
            return Leaf((Condition(name, relation, None, self._excepted()),))
        return self._compared(name, "!=" if is_negated else "==")

    def _among(self, name: str) -> Leaf:
        """Read "in (1, 5]", an interval, or "in {'a', 'b'}", a list; parentheses do as well."""
        is_negated = self._takes("not")
        self._take()
        opening = self._next
        if opening.text == "[":
            self._fail(
                opening,
                "found '['. Write (1, 5] for the numbers above 1 and up to 5, or (1, 5) for a "
                "list of two",
            )
        if opening.text not in _ENDS:
            self._unexpected("a list such as {'a', 'b'} or an interval such as (1, 5]")
        self._take()
        values, ends = self._values(), _ENDS[opening.text]
        if self._close(opening, f"',' or '{ends[0]}'", *ends) == ends[0]:
            relation = Relation.NE if is_negated else Relation.EQ
            excepted = self._excepted()
            listed = [Condition(name, relation, value, excepted) for value in values]
            return Leaf(tuple(dict.fromkeys(listed)), is_any=not is_negated)
        relation = Relation.NOT_IN if is_negated else Relation.IN
        numbers = self._numbers(opening, values, "an interval has two numbers, as in (1, 5]")
        if len(numbers) != 2:
            self._fail(opening, "an interval has two numbers, as in (1, 5]")
        return Leaf((Condition(name, relation, (numbers[0], numbers[1]), self._excepted()),))

    def _excepted(self) -> tuple[float, ...]:
        """Read "(not -9, -8)" after a condition, if it is there."""
        if self._next.text != "(" or self._after.keyword != "not":
            return ()
        opening = self._take()
        self._take()
        values = self._values()
        self._close(opening, "',' or ')'", ")")
        return self._numbers(opening, values, "numbers must follow 'not', as in (not -9, -8)")

    def _meant(self, start: Token, condition: Condition) -> Condition:
        """Return the known condition that was written, or rounded to this; or else this one."""
        if condition in self._known:
            return self._known[condition]
        alike = self._by_rounded.get(condition, [condition])
        if len(alike) > 1:
            values = " or ".join(repr(known.value) for known in alike)
            self._fail(
                start,
                f"{len(alike)} conditions of the model are {condition} in ten digits. Write all: "
                f"{values}",
            )
        return alike[0]


def _is_same(one: Label, other: Label) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _rounded(condition: Condition) -> Condition:
    """Round every number to ten digits, as people copy them."""
    value = condition.value
    if isinstance(value, tuple):
        value = (_ten_digits(value[0]), _ten_digits(value[1]))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = _ten_digits(value)
    return replace(
        condition, value=value, except_values=tuple(map(_ten_digits, condition.except_values))
    )


def _ten_digits(number: float) -> float:
    return float(format_number(number))
