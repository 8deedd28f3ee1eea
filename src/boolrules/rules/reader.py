"""Words, numbers and text in quotes, read from left to right: what the grammar is made of."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NoReturn

from boolrules._support.json import is_number
from boolrules._support.rounded import LARGEST_EXACT
from boolrules.rules.names import unquoted
from boolrules.rules.tokens import Token, fail, tokenised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.rules.condition import Value

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"[-+]?[0-9]+")
MISSING = frozenset({"null", "missing", "none", "na", "nan"})
QUOTES = "Text of several words needs quotes"


class Reader:
    """Reads tokens from left to right; ``columns`` are those that there are, or None for any."""

    def __init__(self, text: str, columns: Sequence[str] | None = None) -> None:
        self._text = text
        self._columns = None if columns is None else list(columns)
        self._tokens = list(tokenised(text))
        self._place = 0

    def _number_after(self, sign: str) -> int | float:
        token = self._next
        if not token.is_name:
            self._unexpected("a number")
        self._take()
        value = token.text if token.kind == "quoted" else self._held(token)
        if isinstance(value, bool | str):
            advice = "Write the column first, then the number"
            if re.search("[&|]", token.text):
                advice = "Leave spaces around & and |"
            self._fail(token, f"{sign} compares with a number, and {token.text} is none. {advice}")
        return value

    def _values(self) -> list[Value]:
        values = [self._value()]
        while self._next.text == ",":
            self._take()
            values.append(self._value())
        return values

    def _value(self) -> Value:
        token = self._next
        if not token.is_name:
            self._unexpected("a value: a number, True, False, or text in quotes")
        self._take()
        if token.kind == "quoted":
            return self._unquoted(token)
        if token.text.lower() in MISSING:
            self._fail(
                token,
                f"nothing equals {token.text}. Write 'is null' for missing values, or put "
                f"{token.text} in quotes if it is text",
            )
        value = self._held(token)
        if isinstance(value, str) and value in (self._columns or ()):
            self._fail(
                token,
                f"{value!r} is a column, and conditions do not compare two columns. Put it in "
                "quotes if it is text",
            )
        return value

    def _name(self, may_have_brackets: bool = True) -> str:
        """Read a name in quotes, or words on one line, of which some may be in parentheses."""
        first = last = self._take()
        if first.kind == "quoted":
            return self._unquoted(first)
        while not self._next.starts_line:
            place = self._place
            is_bracketed = may_have_brackets and self._next.text == "("
            if is_bracketed:
                self._take()
            while self._next.kind == "word" and (is_bracketed or not self._next.keyword):
                self._take()
            if is_bracketed and self._take().text != ")":
                self._place = place
            if self._place == place:
                break
            last = self._tokens[self._place - 1]
        return self._text[first.start : last.start + len(last.text)]

    def _unquoted(self, token: Token) -> str:
        try:
            return unquoted(token.text)
        except ValueError as error:
            self._fail(token, f"in {token.text}, {error}")

    def _read_word(self, start: Token, text: str) -> bool | int | float | str:
        """Read a number or a truth value; any other word is itself."""
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        if not _NUMBER.fullmatch(text):
            return text
        number = float(text)
        if not math.isfinite(number):
            self._fail(start, f"{text} is too large for a number")
        if _WHOLE.fullmatch(text):
            return int(text)
        return int(number) if number.is_integer() and abs(number) <= LARGEST_EXACT else number

    def _held(self, token: Token) -> bool | int | float | str:
        """Read a word as a value of a column, whose numbers are of double precision."""
        value = self._read_word(token, token.text)
        if type(value) is int and not is_number(value):
            self._fail(token, f"{value} is a whole number that double precision rounds")
        return value

    def _numbers(
        self, start: Token, values: Sequence[Value], problem: str
    ) -> tuple[int | float, ...]:
        numbers = tuple(
            v for v in values if isinstance(v, int | float) and not isinstance(v, bool)
        )
        if len(numbers) < len(values):
            self._fail(start, problem)
        return numbers

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    @property
    def _after(self) -> Token:
        return self._tokens[min(self._place + 1, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._next
        self._place = min(self._place + 1, len(self._tokens) - 1)
        return token

    def _takes(self, keyword: str) -> bool:
        """Take the next token if it is this keyword."""
        is_there = self._next.keyword == keyword
        if is_there:
            self._take()
        return is_there

    def _close(self, opening: Token, wanted: str, *brackets: str) -> str:
        if self._next.kind == "end":
            self._fail(opening, "this parenthesis is not closed")
        if self._next.text not in brackets:
            self._unexpected(wanted, QUOTES)
        return self._take().text

    def _unexpected(self, wanted: str, hint: str = "") -> NoReturn:
        found = "the end of the text" if self._next.kind == "end" else repr(self._next.text)
        self._fail(self._next, f"found {found}, expected {wanted}" + (f". {hint}" if hint else ""))

    def _fail(self, token: Token, problem: str) -> NoReturn:
        fail(self._text, token.start, problem)
