"""A fingerprint of labelled rows: tells the rows of ``fit`` from others, and proves nothing.

It rests on what every claim rests on: bin codes, labels and sample weights. The order of the rows
is of no account, a row of weight 2 is two rows, and one of weight 0 is none.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from boolrules.data.problem import are_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boolrules.data.encoding import TableEncoding
    from boolrules.data.labelled_rows import LabelledRows

MOST_ROWS = 2**53
# SplitMix64 (Steele, Lea, Flood, 2014).
_STEP, _FIRST, _SECOND = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


@dataclass(frozen=True, slots=True)
class RowMarks:
    """What a fingerprint needs to know of some rows, or of several parts together.

    Parameters
    ----------
    n_rows : int
        How many there are.
    times : int or None
        Their marks, each times its weight, modulo 2**64; None where weights are no whole numbers.
    beside : int
        Marks of the rows and their weights together, modulo 2**64.
    """

    n_rows: int
    times: int | None
    beside: int

    @classmethod
    def of(cls, rows: LabelledRows, encoding: TableEncoding) -> RowMarks:
        """Add the rows up: linear in the rows, a column at a time."""
        marks = _mixed(_labels(rows) + _codes(rows, encoding))
        weights = np.ones(len(rows)) if rows.sample_weight is None else rows.sample_weight
        times = None
        if are_whole(weights) and weights.max(initial=0) < MOST_ROWS:
            times = int((marks * weights.astype(np.uint64)).sum(dtype=np.uint64))
        # In single precision, so that the last digits, which files and sums change, do not count.
        with np.errstate(over="ignore", under="ignore"):
            bits = weights.astype(np.float32).view(np.uint32).astype(np.uint64)
        beside = int(_mixed(marks + _mixed(bits))[weights > 0].sum(dtype=np.uint64))
        return cls(len(rows), times, beside)

    @property
    def digits(self) -> str:
        """The sum of all rows, times their weights where these are whole everywhere."""
        return f"{self.beside if self.times is None else self.times:016x}"

    def combined(self, others: Sequence[RowMarks]) -> RowMarks:
        """Return what is known of all parts."""
        every = [self, *others]
        times = [marks.times for marks in every if marks.times is not None]
        return RowMarks(
            sum(marks.n_rows for marks in every),
            sum(times) % 2**64 if len(times) == len(every) else None,
            sum(marks.beside for marks in every) % 2**64,
        )


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of the rows of ``fit``, so that others are not taken for them.

    Parameters
    ----------
    n_rows : int
        How many there were; for people.
    rows : str
        64 bits of all rows together, as 16 hexadecimal digits.
    encoding : str
        64 bits of the encoding that the bin codes are from: under another, nothing can be said.

    Examples
    --------
    >>> from boolrules.data.binning import Binning
    >>> from boolrules.data.labelled_rows import LabelledRows, Weighing
    >>> weighing = Weighing(("high", "low"), (1, 1))
    >>> rows = LabelledRows.of([[1.0], [2.0]], ["low", "high"], None, weighing)
    >>> encoding = Binning().fit(rows.table)
    >>> kept = Fingerprint.of(rows, encoding)
    >>> kept.is_of(LabelledRows.of([[2.0], [1.0]], ["high", "low"], None, weighing), encoding)
    True
    >>> kept.is_of(LabelledRows.of([[2.0], [1.0]], ["low", "high"], None, weighing), encoding)
    False
    """

    n_rows: int
    rows: str
    encoding: str

    @classmethod
    def of(cls, rows: HasMarks, encoding: TableEncoding) -> Fingerprint:
        """Take the fingerprint."""
        marks = rows.marks(encoding)
        return cls(marks.n_rows, marks.digits, _of_encoding(encoding))

    def speaks_of(self, encoding: TableEncoding) -> bool:
        """Whether it was taken under this encoding."""
        return self.encoding == _of_encoding(encoding)

    def is_of(self, rows: HasMarks, encoding: TableEncoding) -> bool:
        """Whether these are the rows."""
        return self.rows == rows.marks(encoding).digits

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``from_plain`` reads back."""
        return {"n_rows": self.n_rows, "rows": self.rows, "encoding": self.encoding}

    @classmethod
    def from_plain(cls, plain: Any) -> Fingerprint:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, dict):
            raise ValueError(f"A fingerprint of rows must be an object; got {plain!r:.80}.")
        n_rows, rows, encoding = (plain.get(key) for key in ("n_rows", "rows", "encoding"))
        if not isinstance(n_rows, int) or isinstance(n_rows, bool) or not 0 < n_rows <= MOST_ROWS:
            raise ValueError(f"A fingerprint needs a number of rows; got {n_rows!r:.80}.")
        for part in (rows, encoding):
            if not isinstance(part, str) or not re.fullmatch("[0-9a-f]{16}", part):
                raise ValueError(f"A fingerprint has 16 hexadecimal digits; got {part!r:.80}.")
        return cls(n_rows, str(rows), str(encoding))


class HasMarks(Protocol):
    """Rows with labels, wherever they are."""

    def marks(self, encoding: TableEncoding) -> RowMarks:
        """Return what tells these rows from others."""
        ...


def _codes(rows: LabelledRows, encoding: TableEncoding) -> NDArray[np.uint64]:
    """Add up, for each row, a random number for every column and code (Zobrist hashing)."""
    sums, codes = np.zeros(len(rows), dtype=np.uint64), rows.codes.under(encoding)
    for f, feature in enumerate(encoding.features):
        if encoding.constraints.allows_feature(feature.name):
            numbers = np.arange(feature.n_codes, dtype=np.uint64) + np.uint64((f + 1) << 32)
            sums += _mixed(numbers)[codes[:, f]]
    return sums


def _labels(rows: LabelledRows) -> NDArray[np.uint64]:
    """Return a number for the class of each row; 0 for a label that is none of them."""
    numbers = np.zeros(len(rows), dtype=np.uint64)
    for label in rows.weighing.classes:
        numbers[rows.has(label)] = int(_digits(repr(label)), 16)
    return numbers


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Turn numbers into others that look random, one to one, modulo 2**64."""
    mixed = numbers * _STEP + _STEP
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return mixed ^ (mixed >> np.uint64(31))


def _of_encoding(encoding: TableEncoding) -> str:
    parts = [encoding.to_plain(), encoding.constraints.to_plain()]
    return _digits(json.dumps(parts, sort_keys=True))


def _digits(text: str) -> str:
    """Return 64 bits of a text's checksum."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:16]
