"""Names as rules print them: bare where they read back, in quotes elsewhere.

What ``Condition`` prints and ``parse_rules`` reads meet here, so that they cannot differ.
"""

from __future__ import annotations

import re

RESERVED = frozenset({"if", "then", "else", "always", "and", "or", "not", "in", "is"})
# What ends a word. Within a word, & and | are part of it: "R&D". No group is repeated
# possessively, as in (...)*+: Python 3.11.2 then matches more than there is.
CURLY_QUOTES = "\u2018\u2019\u201c\u201d"
SPECIAL = rf"\s'\"{CURLY_QUOTES}()\[\]{{}},<>=!&|#≤≥≠"
WORD = rf"[^{SPECIAL}]+(?:[&|]+[^{SPECIAL}]+)*"
_PLAIN = re.compile(rf"{WORD}(?: +{WORD}| *\( *{WORD}(?: +{WORD})* *\)(?:{WORD})?)*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


def format_name(name: str) -> str:
    r"""Write the name of a column, in double quotes where it could be misread.

    Examples
    --------
    >>> print(format_name("petal length (cm)"), format_name("born in"), format_name('say "x"'))
    petal length (cm) "born in" "say \"x\""
    """
    words = re.findall(WORD, name.lower())
    if name.isprintable() and _PLAIN.fullmatch(name) and RESERVED.isdisjoint(words):
        return name
    return '"' + "".join(map(_escaped, name)) + '"'


def unquoted(token: str) -> str:
    r"""Read text in quotes: what ``repr`` and ``format_name`` write, or SQL's doubled quotes.

    Examples
    --------
    >>> unquoted(r"'it\'s'"), unquoted("'it''s'"), unquoted(r'"\u00e9t\xe9"')
    ("it's", "it's", 'été')
    >>> unquoted(r"'C:\data'")
    Traceback (most recent call last):
    ...
    ValueError: the backslash before 'd' has no meaning; write two for one
    """
    quote = token[0]
    # An escape is read before a doubled quote: the first of the two may belong to it.
    parts = re.split(r"(\\(?:x..|u....|U........|.))", token[1:-1], flags=re.DOTALL)
    parts[::2] = [part.replace(quote * 2, quote) for part in parts[::2]]
    parts[1::2] = map(_read_escape, parts[1::2])
    return "".join(parts)


def _read_escape(text: str) -> str:
    match = _ESCAPE.fullmatch(text)
    code = match and (match[1] or match[2] or match[3])
    if code:
        if int(code, 16) > 0x10FFFF:
            raise ValueError(f"{text} is no character")
        return chr(int(code, 16))
    if text[1] not in _LETTERS:
        raise ValueError(f"the backslash before {text[1]!r} has no meaning; write two for one")
    return _LETTERS[text[1]]


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")
