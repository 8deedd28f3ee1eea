"""How CSV text is written, found by looking at it: encoding, separator, decimal comma.

Nothing is guessed that could change a number without a word: what may mean two things stays text,
and whoever knows better says so with ``--separator``, ``--encoding``, ``--decimal`` and
``--date-order``. What was found is told in one line.
"""

from __future__ import annotations

import argparse
import codecs
import re
from dataclasses import dataclass

COMMA = ","
_SEPARATORS = (COMMA, ";", "\t", "|")
_WORDS = {"tab": "\t", r"\t": "\t", "comma": COMMA, "semicolon": ";", "pipe": "|"}
DATE_ORDERS = ("dmy", "mdy", "ymd")
# How much text the separator is found in.
_LOOKED_AT = 1 << 16
_QUOTED = re.compile(rb'"[^"]*"')
_MARKS_OF_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a CSV file is to be read; what is None is found by looking at it.

    Parameters
    ----------
    separator : str or None
        The character between columns.
    encoding : str or None
        By its name in Python, such as ``"latin-1"``.
    decimal : "," or ".", or None
        What stands before the tenths.
    date_order : "dmy", "mdy", "ymd", or None
        What day, month and year stand in where dates do not show it.
    """

    separator: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    date_order: str | None = None

    @classmethod
    def of(cls, options: argparse.Namespace) -> Reading:
        """Return what the options of a command ask for."""
        return cls(options.separator, options.encoding, options.decimal, options.date_order)


def add_reading_options(parser: argparse._ActionsContainer) -> None:
    """Declare how CSV text is written, for those who know it better than what is found."""
    parser.add_argument(
        "--separator",
        type=separator,
        metavar="CHAR",
        help="what stands between the columns of a CSV file, such as ; or tab (default: found)",
    )
    parser.add_argument(
        "--encoding",
        type=encoding,
        metavar="NAME",
        help="of a CSV file, such as latin-1 (default: found; UTF-8 where it can be)",
    )
    parser.add_argument(
        "--decimal",
        choices=(".", ","),
        help="what stands before the tenths in a CSV file (default: found where it is clear)",
    )
    parser.add_argument(
        "--date-order",
        choices=DATE_ORDERS,
        help="order of day, month and year in columns of a CSV file whose dates do not show it "
        "(03/04/2024); others keep their own",
    )


def separator(text: str) -> str:
    r"""Read one character, or the word for it.

    Examples
    --------
    >>> separator(";"), separator("tab")
    (';', '\t')
    """
    read = _WORDS.get(text, text)
    if len(read.encode()) != 1 or read in '"\r\n':
        raise argparse.ArgumentTypeError(
            f"{text!r:.40} is not one plain character, such as ';', '|' or tab"
        )
    return read


def encoding(text: str) -> str:
    """Read the name of an encoding of text.

    Examples
    --------
    >>> encoding("Latin-1")
    'Latin-1'
    """
    try:
        "".encode(text)  # which knows the encodings of text, and no others
    except (LookupError, ValueError):
        raise argparse.ArgumentTypeError(
            f"{text!r:.40} is no encoding; try utf-8, latin-1, cp1252, utf-16 or mac-roman"
        ) from None
    return text


def decoded(path: str, content: bytes, given: str | None) -> tuple[bytes, str | None]:
    """Return text in UTF-8 without a mark, and what to say of its encoding, if anything."""
    if given is not None:
        return _decoded_as(path, content, given, f"--encoding {given} does not fit"), None
    marked = next((name for mark, name in _MARKS_OF_ENCODINGS if content.startswith(mark)), None)
    name = marked or _utf_16_without_mark(content)
    if name is not None:
        why = f"it begins as {name.upper()} text, and is not"
        plain = name.upper().removesuffix("-LE").removesuffix("-BE")
        told = None if marked == "utf-8-sig" else f"as {plain} text"
        return _decoded_as(path, content, name, why), told
    if _is_utf_8(content):
        return content, None
    return _from_one_byte(path, content)


def find_separator(text: bytes) -> str:
    r"""Return what parts the first lines alike, outside quotes; a comma where nothing does.

    Examples
    --------
    >>> find_separator(b"a;b\n1,5;2\n"), find_separator(b"a;b;c,d\n1;2;3,4\n")
    (';', ',')
    """
    whole = len(text) <= _LOOKED_AT
    lines = _QUOTED.sub(b"", text[:_LOOKED_AT]).split(b"\n")
    lines = [line for line in (lines if whole else lines[:-1] or lines) if line.strip()]
    if not lines:
        return COMMA
    counts = {s: [line.count(s.encode()) for line in lines] for s in _SEPARATORS}
    # Tried first: those that part every line like the first, then those that are in the first.
    for alike in (True, False):
        found = [
            s for s in _SEPARATORS if counts[s][0] and not (alike and len(set(counts[s])) > 1)
        ]
        if alike and COMMA in found:  # what others there are stands in names and values
            return COMMA
        if found:
            return max(found, key=lambda s: counts[s][0])  # the first of equals: the comma
    return COMMA


def _decoded_as(path: str, content: bytes, name: str, why: str) -> bytes:
    try:
        return content.decode(name).removeprefix("\ufeff").encode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} could not be read: {why}: {error.reason} at byte {error.start}."
        ) from None
    except UnicodeEncodeError:
        raise ValueError(f"{path} could not be read: {why}: it holds half characters.") from None


def _utf_16_without_mark(content: bytes) -> str | None:
    """Tell UTF-16 by its first two characters, of which every other byte is zero."""
    is_zero = [byte == 0 for byte in content[:4]]
    if is_zero == [False, True, False, True]:
        return "utf-16-le"
    return "utf-16-be" if is_zero == [True, False, True, False] else None


def _is_utf_8(content: bytes) -> bool:
    if content.isascii():
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _from_one_byte(path: str, content: bytes) -> tuple[bytes, str | None]:
    """Read text of one byte per character, as programs for Western languages write it."""
    if b"\0" in content:
        raise ValueError(f"{path} could not be read: it is neither CSV text nor Parquet.")
    if not content.decode(errors="ignore").isascii():
        # Other encodings have no such sequences of bytes but by accident.
        place = _first_bad_byte(content)
        raise ValueError(
            f"{path} could not be read: it is UTF-8 text, but damaged at byte {place}. Mend it, "
            "or say with --encoding what it is."
        )
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} could not be read: it is neither UTF-8 nor Latin-1 text. Say with --encoding "
            "what it is, such as mac-roman or cp437."
        ) from None
    is_latin = text == content.decode("latin-1")
    return text.encode(), "as Latin-1 text" if is_latin else "as Windows-1252 text"


def _first_bad_byte(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(content)
