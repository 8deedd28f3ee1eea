"""The words, signs and brackets of rules written as text, and where each begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from boolrules.rules.names import CURLY_QUOTES, RESERVED, WORD

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKENS = re.compile(
    rf"""(?P<space>[^\S\n]++|\#[^\n]*+)
    |(?P<line>\n)
    |(?P<quoted>'(?:[^'\\\n]|\\[^\n]|'')*'(?!')|"(?:[^"\\\n]|\\[^\n]|"")*"(?!"))
    |(?P<sign><=|>=|<>|!=|==|[<>=≤≥≠])
    |(?P<joint>&&?|\|\|?)
    |(?P<bracket>[()\[\]{{}},])
    |(?P<word>{WORD})""",
    re.VERBOSE,
)
_JOINTS = {"&": "and", "&&": "and", "|": "or", "||": "or"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text.

    Parameters
    ----------
    kind : "quoted", "sign", "joint", "bracket", "word" or "end"
        What it is.
    text : str
        As it was written.
    start : int
        Place of its first character.
    starts_line : bool
        Whether it is the first of its line; so is the end of the text.
    """

    kind: str
    text: str
    start: int
    starts_line: bool

    @property
    def keyword(self) -> str:
        """The reserved word that this is or stands for, in lower case; empty for any other."""
        if self.kind == "joint":
            return _JOINTS[self.text]
        lower = self.text.lower()
        return lower if self.kind == "word" and lower in RESERVED else ""

    @property
    def is_name(self) -> bool:
        """Whether a name or a value may begin with it."""
        return self.kind == "quoted" or (self.kind == "word" and not self.keyword)


def tokenised(text: str) -> Iterator[Token]:
    """Take the text apart; spaces and comments are left out.

    Examples
    --------
    >>> [(token.kind, token.text) for token in tokenised("age<=35 & job # young")]
    [('word', 'age'), ('sign', '<='), ('word', '35'), ('joint', '&'), ('word', 'job'), ('end', '')]
    """
    place, starts_line = 0, True
    while place < len(text):
        match = _TOKENS.match(text, place)
        if match is None:
            fail(text, place, _problem_with(text[place]))
        kind = str(match.lastgroup)
        if kind == "line":
            starts_line = True
        elif kind != "space":
            yield Token(kind, match[0], place, starts_line)
            starts_line = False
        place = match.end()
    yield Token("end", "", place, True)


def fail(text: str, place: int, problem: str) -> NoReturn:
    r"""Raise a ValueError that says on which line and at which column.

    Examples
    --------
    >>> fail("age <= 35\nOR ?", 13, "this is no condition")
    Traceback (most recent call last):
    ...
    ValueError: line 2, column 4: this is no condition.
    """
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
    end = "" if problem.endswith((".", "?")) else "."
    raise ValueError(f"line {line}, column {column}: {problem}{end}")


def _problem_with(character: str) -> str:
    if character in "'\"":
        return f"the quote {character} is not closed on its line"
    if character in CURLY_QUOTES:
        return f"found {character}. Use the straight quotes ' or \""
    return f"{character!r} is not understood here. Names that hold it need quotes"
