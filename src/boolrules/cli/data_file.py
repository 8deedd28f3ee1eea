"""A file as bytes, read once: whatever becomes of it later, all that follows is about the same.

A path is a path, whatever characters it has, and may lead to a pipe. Compressed contents are
unpacked here; what is in them is read by ``csv_file`` and polars.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import re
import shlex
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars

from boolrules._support.panics import panics_as_errors
from boolrules._support.rounded import LARGEST_EXACT
from boolrules.cli.csv_file import CsvText, as_fields
from boolrules.cli.csv_reading import COMMA, Reading
from boolrules.cli.output import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PARQUET_MARK = b"PAR1"
_PACKED = (
    (re.compile(rb"\x1f\x8b"), gzip.decompress),
    (re.compile(rb"x[\x01\x9c\xda]"), zlib.decompress),
    (re.compile(rb"BZh[1-9]1AY&SY"), bz2.decompress),
    (re.compile(rb"\xfd7zXZ\x00"), lzma.decompress),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
# How the libraries say that packed contents are not what they began as; or locked, in an archive.
_DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
_BAD_ARCHIVE = (zipfile.BadZipFile, RuntimeError, *_DAMAGE)


@dataclass(frozen=True, slots=True, eq=False)
class DataFile:
    """What a CSV or Parquet file held when it was read.

    Parameters
    ----------
    path : str
        Its name, for messages.
    content : bytes
        What is in it, unpacked.
    sha256 : str
        The checksum of the file as it is.
    reading : Reading
        How CSV text is to be read.
    """

    path: str
    content: bytes
    sha256: str
    reading: Reading

    @classmethod
    def read(cls, path: str, reading: Reading | None = None) -> DataFile:
        """Read a file or pipe to its end."""
        try:
            raw = Path(path).read_bytes()
        except FileNotFoundError:
            raise ValueError(f"There is no file {path}.") from None
        except IsADirectoryError:
            raise ValueError(f"{path} is a folder. Name a CSV or Parquet file.") from None
        except OSError as error:
            raise ValueError(f"{path} could not be read: {error.strerror}.") from None
        sha256 = hashlib.sha256(raw).hexdigest()
        return cls(path, _unpacked(path, raw), sha256, reading or Reading())

    @property
    def is_parquet(self) -> bool:
        """Whether its name says so or, as for a pipe that has none, its contents do."""
        has_marks = self.content[:4] == self.content[-4:] == PARQUET_MARK
        return has_marks or is_named_parquet(self.path)

    def table(self, text_columns: Sequence[str] = ()) -> polars.DataFrame:
        """Return the table; ``text_columns`` are read as text whatever they look like.

        How CSV text is written is said on standard error, where it is not as most is.
        """
        try:
            if self.is_parquet:
                frame = self._parquet()
                long = [n for n in text_columns if n in frame.columns and is_long(frame[n])]
                return frame.with_columns(polars.col(long).cast(polars.String))
            frame, found = self._text().table(text_columns)
        except polars.exceptions.PolarsError as error:
            raise _unreadable(self.path, error) from None
        if found:
            tell(f"{self.path}: read {', '.join(found)}.")
        return frame

    def as_written(self) -> polars.DataFrame:
        """Return the table to write it as CSV: the fields of a CSV file stay what they are."""
        if not self.is_parquet:
            return self._text().fields()
        return as_fields(self.path, self._parquet())

    def as_typed(self) -> polars.DataFrame:
        """Return the table of a Parquet file to write it as Parquet."""
        return self._parquet()

    def texts(self, names: Sequence[str]) -> polars.DataFrame:
        """Return some columns as ``table`` does that is told to read them as text."""
        if self.is_parquet:
            return self._parquet().select(polars.col(names).cast(polars.String))
        return self._text().fields().select(names)

    @property
    def separator(self) -> str:
        """What stands between its columns, and in what is written beside them."""
        return COMMA if self.is_parquet else self._text().separator

    def _text(self) -> CsvText:
        return CsvText.of(self.path, self.content, self.reading)

    def _parquet(self) -> polars.DataFrame:
        with panics_as_errors(self.path):
            return polars.read_parquet(io.BytesIO(self.content))


def is_long(column: polars.Series) -> bool:
    """Whether a column has whole numbers of more digits than double precision holds."""
    if not column.dtype.is_integer() or column.null_count() == len(column):
        return False
    ends: Any = (column.min(), column.max())
    return max(map(abs, ends)) > LARGEST_EXACT


def is_named_parquet(path: str) -> bool:
    """Whether a name ends as those of Parquet files do."""
    return Path(path).suffix.lower() in (".parquet", ".pq")


def _unreadable(path: str, error: Exception) -> ValueError:
    return ValueError(f"{path} could not be read: {str(error).splitlines()[0]}")


def _unpacked(path: str, content: bytes) -> bytes:
    """Unpack contents until they are no longer packed."""
    while unpack := _unpacker(path, content):
        try:
            content = unpack(content)
        except _BAD_ARCHIVE as error:
            raise ValueError(
                f"{path} could not be read: its compressed contents are damaged, cut off or "
                f"locked ({error})."
            ) from None
    return content


def _unpacker(path: str, content: bytes) -> Callable[[bytes], bytes] | None:
    """Return what unpacks contents; None where they are not packed."""
    if content.startswith(_ZSTANDARD):
        raise ValueError(
            f"{path} is compressed by Zstandard, which boolrules does not read. Unpack it, for "
            f"example with: zstd -d {shlex.quote(path)}"
        )
    if content.startswith(_OLD_OFFICE):
        raise _workbook(path)
    if not content.startswith(_ZIP):
        return next((unpack for mark, unpack in _PACKED if mark.match(content)), None)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except _BAD_ARCHIVE as error:
        raise ValueError(f"{path} could not be read: {error}.") from None
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX/")
    ]
    if "[Content_Types].xml" in names:
        raise _workbook(path)
    if len(names) != 1:
        raise ValueError(
            f"{path} is an archive of {len(names)} files. Unpack it and name the one that you "
            "mean."
        )
    return lambda _: archive.read(names[0])


def _workbook(path: str) -> ValueError:
    return ValueError(f"{path} is a workbook or another office document. Save its table as CSV.")
