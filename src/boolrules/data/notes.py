"""What is odd about the columns of a table, before rules are learned from it.

Each note is about one column and says what was seen, no more: whether a code is a measurement is
for people to say. Columns that look like identifiers or free text give no conditions unless they
are asked for, since ``Patient ID != 'P-100007'`` is no rule; all other notes are only said. None
but one looks at labels: what decides them alone, which may be known only with them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules._support.table import Kind, TableColumn, UnreadColumn, read_table
from boolrules._support.values import is_missing
from boolrules.data.codes import codes_among
from boolrules.data.texts import are_open_dates, dates_among, numbers_among, says_none
from boolrules.rules.condition import format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from boolrules._support.table import Table

# How many rows it takes to tell an identifier, by text and by numbers, and a column that decides.
FEWEST_TEXTS, FEWEST_NUMBERS, FEWEST_LABELS = 30, 50, 30
NEARLY_ALL = 0.9
# Numbers or dates beside words: so many rows and words, and more numbers than these; half of
# them do where all words say that there is none.
MOST, MOST_WORDS, FEWEST_BESIDE_WORDS = 0.7, 5, 4
FIRST_TEXTS = 200
WORDS_OF_FREE_TEXT = 4
MOST_SHOWN = 3
ROWS_AT_A_TIME = 1000
# More numbers than these are no classes.
MOST_NUMBERS = 30
# More texts than these are none either: each class has a rule set of its own to be read.
MOST_LABELS = 100
_ID = re.compile(
    r"(?:^|[^a-z])(?:id|ids|uuid|guid|identifier|index|key|nr|no|number|#)$|^id[^a-z]"
)


class NoteKind(StrEnum):
    """What a note says of a column."""

    IDENTIFIER = "identifier"
    FREE_TEXT = "free text"
    NUMBERS_AS_TEXT = "numbers as text"
    UNCLEAR_DATES = "unclear dates"
    DATES_AS_TEXT = "dates as text"
    SPELLINGS = "spellings"
    CODES = "codes"
    DECIDES_LABEL = "decides label"
    MOSTLY_MISSING = "mostly missing"
    CONSTANT = "constant"


_WORDS = {
    NoteKind.IDENTIFIER: "looks like an identifier",
    NoteKind.FREE_TEXT: "looks like free text",
    NoteKind.NUMBERS_AS_TEXT: "has numbers written as text",
    NoteKind.UNCLEAR_DATES: "has dates in which day or month may come first",
    NoteKind.DATES_AS_TEXT: "has dates or times written as text",
    NoteKind.SPELLINGS: "has one value in several spellings",
    NoteKind.CODES: "has codes that may be no measurements",
    NoteKind.DECIDES_LABEL: "decides the label alone",
    NoteKind.MOSTLY_MISSING: "is mostly missing",
    NoteKind.CONSTANT: "has one value only",
}


@dataclass(frozen=True, slots=True)
class ColumnNote:
    """What is odd about one column.

    Parameters
    ----------
    column : str
        Its name.
    kind : NoteKind
        What it looks like.
    detail : str
        What shows it: values, or counts.
    values : tuple
        Values that it is about: codes, or spellings.
    is_idle : bool
        Whether the column gives no conditions unless it is asked for.

    Examples
    --------
    >>> print(ColumnNote("score", NoteKind.CODES, "-9 in 12 rows", (-9,)))
    'score' has codes that may be no measurements (-9 in 12 rows)
    """

    column: str
    kind: NoteKind
    detail: str
    values: tuple[Any, ...] = ()
    is_idle: bool = False

    @property
    def words(self) -> str:
        """The kind as a part of a sentence."""
        return _WORDS[self.kind]

    def __str__(self) -> str:
        return f"{self.column!r} {self.words} ({self.detail})"

    def to_plain(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "column": self.column,
            "kind": str(self.kind),
            "detail": self.detail,
            "values": list(self.values),
            "is_idle": self.is_idle,
        }


def table_notes(X: Any, y: Any = None) -> tuple[ColumnNote, ...]:
    """Say what is odd about the columns of a table, as data.

    Parameters
    ----------
    X : pandas, polars or numpy table
        One row per sample.
    y : array of labels, or None
        One per row, to see which column decides them alone.

    Examples
    --------
    >>> import polars
    >>> people = polars.DataFrame(
    ...     {"code": [f"P-{k}" for k in range(40)], "smoker": ["Y", "y", "n", " Y"] * 10}
    ... )
    >>> for note in table_notes(people):
    ...     print(note)
    'code' looks like an identifier (40 different values in 40 rows)
    'smoker' has one value in several spellings ('Y', 'y' and ' Y')
    """
    notes = column_notes(X, y)
    return notes if y is None else notes + label_notes(y, getattr(y, "name", None))


def column_notes(X: Any, y: Any = None) -> tuple[ColumnNote, ...]:
    """Say what is odd about the columns of a table, without a word on the labels themselves."""
    table = read_table(X)
    labels = None if y is None else np.asarray(y)
    if labels is not None and len(labels) != len(table):
        raise ValueError(f"y has {len(labels)} labels, the table {len(table)} rows.")
    known = None if labels is None else _Labels.of(labels)
    return tuple(note for column in _readable(table) for note in _notes_on(column, known))


def label_notes(y: Any, name: Any = None) -> tuple[ColumnNote, ...]:
    """Say what is odd about labels as they are written.

    Examples
    --------
    >>> for note in label_notes(["yes", "yes ", "no"], "ill"):
    ...     print(note)
    'ill' has one value in several spellings ('yes' and 'yes ')
    """
    labels = y if isinstance(y, list) else np.asarray(y)
    if not isinstance(labels, list):
        labels = labels.tolist() if labels.dtype.kind in "OU" else []
    texts = Counter(one for one in labels if isinstance(one, str))
    return tuple(_spellings(str(name or "y"), texts))


@dataclass(frozen=True, slots=True, eq=False)
class _Labels:
    """The rows that have a label, the classes, and the place of each row's class."""

    known: NDArray[np.bool_]
    classes: NDArray[Any]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, labels: NDArray[Any]) -> _Labels | None:
        """Return them; None where there are too few to say what decides them."""
        known = np.ones(len(labels), dtype=bool)
        if labels.dtype.kind in "Of":
            known[:] = [not is_missing(label) for label in labels.tolist()]
        texts = labels[known].astype(str) if labels.dtype.kind == "O" else labels[known]
        classes, codes = np.unique(texts, return_inverse=True)
        is_enough = len(codes) >= FEWEST_LABELS and len(classes) > 1
        return cls(known, classes, codes) if is_enough and np.bincount(codes).min() >= 5 else None


def idle_notes(table: Table) -> tuple[ColumnNote, ...]:
    """Return the notes on columns that give no conditions unless they are asked for."""
    return tuple(
        note
        for column in _readable(table)
        for note in (_note_on_text(column) or _note_on_numbers(column),)
        if note is not None and note.is_idle
    )


def _readable(table: Table) -> Iterator[TableColumn]:
    if not hasattr(table, "held"):  # a file, read one column at a time
        yield from table.columns
        return
    yield from (column for column in table.held if not isinstance(column, UnreadColumn))


def _notes_on(column: TableColumn, labels: _Labels | None) -> Iterator[ColumnNote]:
    if column.part_of is not None:  # of dates, which is no oddity
        yield from () if labels is None else _deciding(column, labels)
        return
    n_rows, n_null = len(column.values), int(column.is_null.sum())
    if n_rows and n_null >= n_rows / 2:
        yield ColumnNote(column.name, NoteKind.MOSTLY_MISSING, f"{n_null} of {n_rows} rows")
    known = column.values[~column.is_null]
    if n_rows > 1 and not n_null and bool((known == known[0]).all()):
        value = _shown(column, known[0])
        yield ColumnNote(column.name, NoteKind.CONSTANT, value)
        return
    note = _note_on_text(column) or _note_on_numbers(column)
    if note is not None:
        yield note
    elif column.kind is Kind.TEXT:
        yield from _spellings(column.name, Counter(known.tolist()))
    elif column.kind is Kind.NUMERIC:
        yield from _codes(column.name, known)
    if labels is not None and not (note is not None and note.is_idle):
        yield from _deciding(column, labels)


def _note_on_text(column: TableColumn) -> ColumnNote | None:
    """Say what text looks like, if it is not plain categories; what is declared a category is."""
    if column.kind is not Kind.TEXT or column.is_category:
        return None
    counts = Counter(value for value in column.values.tolist() if value is not None)
    n, n_distinct = sum(counts.values()), len(counts)
    if not n:
        return None
    is_distinct = n >= FEWEST_TEXTS and n_distinct >= NEARLY_ALL * n
    for kind, detail in (
        (NoteKind.NUMBERS_AS_TEXT, _numbers_as_text(counts, n)),
        (NoteKind.UNCLEAR_DATES, _unclear_dates(counts)),
        (NoteKind.DATES_AS_TEXT, _dates_as_text(counts, n)),
    ):
        if detail is not None:
            return ColumnNote(column.name, kind, detail, is_idle=is_distinct)
    how_many = f"{n_distinct} different values in {n} rows"
    if n_distinct >= FEWEST_TEXTS and n_distinct >= n / 2:
        n_words = float(np.mean([len(text.split()) for text in counts]))
        if n_words >= WORDS_OF_FREE_TEXT:
            return ColumnNote(column.name, NoteKind.FREE_TEXT, how_many, is_idle=True)
    if is_distinct:
        return ColumnNote(column.name, NoteKind.IDENTIFIER, how_many, is_idle=True)
    return None


def _note_on_numbers(column: TableColumn) -> ColumnNote | None:
    """Tell an identifier: whole numbers, all different, as name or order give away."""
    is_plain = column.kind is Kind.NUMERIC and not column.is_category and column.part_of is None
    if not is_plain or len(column.values) < FEWEST_NUMBERS or column.is_null.any():
        return None
    values = column.values
    counts_rows = values[0] in (0.0, 1.0) and bool((np.diff(values) == 1).all())
    # An array has no names that could say it, and its first column may well be a count.
    is_numbered = counts_rows and not re.fullmatch(r"x\d+", column.name)
    if not is_numbered and not _ID.search(_in_words(column.name)):
        return None
    if bool((values % 1 != 0).any()) or len(np.unique(values)) < len(values):
        return None
    detail = "it numbers the rows" if counts_rows else f"{len(values)} different values"
    return ColumnNote(column.name, NoteKind.IDENTIFIER, detail, is_idle=True)


def _in_words(name: str) -> str:
    """Return a name in small letters, with its words apart: ``PatientId`` is two."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.strip()).lower()


def _numbers_as_text(counts: Counter[str], n: int) -> str | None:
    numbers = _found(numbers_among, counts, n)
    in_order = [text for text in counts if text in numbers]
    marked = sorted(in_order, key=lambda text: (text.strip().isdigit(), len(text)))
    return _beside_words(marked, counts, n)


def _unclear_dates(counts: Counter[str]) -> str | None:
    return _listed(list(counts)[:2]) if are_open_dates(counts) else None


def _dates_as_text(counts: Counter[str], n: int) -> str | None:
    dates = _found(dates_among, counts, n)
    return _beside_words([text for text in counts if text in dates], counts, n)


def _found(find: Callable[[Iterable[str]], set[str]], counts: Counter[str], n: int) -> set[str]:
    """Return the texts that are found, where nearly all values are, or all but few words."""
    found = find(counts) if _mostly(find, counts) else set()
    if not found:
        return found
    n_found = sum(counts[text] for text in found)
    others = [text for text in counts if text not in found]
    fewest = FEWEST_BESIDE_WORDS if not all(map(says_none, others)) else FEWEST_BESIDE_WORDS // 2
    is_all_but_words = len(found) > fewest and n_found >= MOST * n and len(others) <= MOST_WORDS
    is_most = len(found) > 1 and n_found >= NEARLY_ALL * n
    return found if is_most or is_all_but_words else set()


def _beside_words(found: list[str], counts: Counter[str], n: int) -> str | None:
    """Show what was found, or what stands beside it; None where nothing was."""
    if not found or len(found) == len(counts):
        return _listed(found[:2]) if found else None
    n_others = n - sum(counts[text] for text in found)
    others = [text for text in counts if text not in set(found)]
    return f"all but {n_others} of {n} values, which are {_listed(others)}"


def _mostly(find: Callable[[Iterable[str]], set[str]], counts: Counter[str]) -> bool:
    """Whether half of the first values are found, which spares a look at all of long columns."""
    first = list(islice(counts, FIRST_TEXTS))
    return len(first) < FIRST_TEXTS or len(find(first)) >= len(first) / 2


def _spellings(name: str, counts: Counter[str]) -> Iterator[ColumnNote]:
    """Find texts that differ in blanks and capitals alone."""
    alike: dict[str, list[str]] = {}
    for text in counts:
        alike.setdefault(" ".join(text.split()).casefold(), []).append(text)
    several = [tuple(texts) for texts in alike.values() if len(texts) > 1]
    if several:
        detail = "; ".join(map(_listed, several[:MOST_SHOWN]))
        detail += f"; and {len(several) - MOST_SHOWN} more" if len(several) > MOST_SHOWN else ""
        yield ColumnNote(name, NoteKind.SPELLINGS, detail, several[0])


def _codes(name: str, values: NDArray[np.float64]) -> Iterator[ColumnNote]:
    times = codes_among(values)
    if times:
        detail = ", ".join(f"{code} in {n} rows" for code, n in times.items())
        yield ColumnNote(name, NoteKind.CODES, detail, tuple(times))


def _deciding(column: TableColumn, labels: _Labels) -> Iterator[ColumnNote]:
    """Tell a column by which every label is known, though it has far fewer values than rows."""
    values = column.values[labels.known]
    is_number = column.kind is Kind.NUMERIC
    if is_number and len(labels.classes) == 2 and _is_parted(values, labels.codes):
        yield ColumnNote(column.name, NoteKind.DECIDES_LABEL, "by one threshold")
        return
    label_of: dict[Any, int] = {}
    for start in range(0, len(values), ROWS_AT_A_TIME):  # most columns fail on the first few
        rows = slice(start, start + ROWS_AT_A_TIME)
        for value, code in zip(values[rows].tolist(), labels.codes[rows].tolist(), strict=True):
            known = None if is_missing(value) else value
            if label_of.setdefault(known, code) != code or len(label_of) > len(values) / 5:
                return
    same = {_shown(column, value).strip("'").lower() for value in label_of if value is not None}
    is_equal = same == {str(label).lower() for label in labels.classes.tolist()}
    how = (
        "it equals the label" if is_equal else f"each of its {len(label_of)} values has one label"
    )
    yield ColumnNote(column.name, NoteKind.DECIDES_LABEL, how)


def _is_parted(values: NDArray[np.float64], codes: NDArray[np.intp]) -> bool:
    """Whether one threshold parts two classes, with no value missing."""
    if np.isnan(values).any():
        return False
    first, second = values[codes == 0], values[codes == 1]
    return bool(first.max() < second.min() or second.max() < first.min())


def _shown(column: TableColumn, value: Any) -> str:
    return repr(bool(value)) if column.kind is Kind.BOOLEAN else f"{format_value(value):.40}"


def _listed(texts: Any) -> str:
    shown = [repr(text)[:40] for text in list(texts)[:MOST_SHOWN]]
    more = [] if len(texts) <= MOST_SHOWN else ["others"]
    *first, last = [*shown, *more]
    return f"{', '.join(first)} and {last}" if first else last


def is_measured(distinct: NDArray[Any]) -> bool:
    """Whether labels are numbers that were measured and not classes: fractions, or very many.

    Examples
    --------
    >>> is_measured(np.arange(10)), is_measured(np.arange(200)), is_measured(np.array([0.5, 2]))
    (False, True, True)
    """
    if distinct.dtype.kind not in "iuf":
        return False
    return len(distinct) > MOST_NUMBERS or bool(np.any(distinct != np.round(distinct)))


@dataclass(frozen=True, slots=True)
class ManyTexts:
    """Labels of text that are too many for classes, in words, and whether they are numbers."""

    words: str
    are_numbers: bool


def too_many_texts(distinct: NDArray[Any]) -> ManyTexts | None:
    """Say what labels of text are where they are too many for classes; None elsewhere.

    Examples
    --------
    >>> too_many_texts(np.array([f"no. {k}" for k in range(101)]))
    ManyTexts(words='101 different texts', are_numbers=False)
    >>> too_many_texts(np.array([f"${k},500" for k in range(1, 102)])).words
    "101 different numbers written as text, such as '$1,500'"
    >>> too_many_texts(np.array(["a", "b"]))
    """
    if distinct.dtype.kind not in "OUT" or len(distinct) <= MOST_LABELS:
        return None
    texts = [str(label) for label in distinct.tolist()]
    numbers = numbers_among(texts)
    if len(numbers) < NEARLY_ALL * len(texts):
        return ManyTexts(f"{len(texts)} different texts", are_numbers=False)
    shown = next(text for text in texts if text in numbers)
    words = f"{len(texts)} different numbers written as text, such as {shown!r:.40}"
    return ManyTexts(words, are_numbers=True)
