"""Writing files: whole, or not at all. Every file that the package writes is written here."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

# How systems say that a folder takes no new file, or that a file is mounted where it is.
ONLY_IN_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV)


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file to write, which takes the place of the one at ``path`` once it is whole.

    Until then the old file stays as it was, and whatever goes wrong leaves nothing beside it. A
    link stays a link, the new file has the permissions of the old one, and pipes and devices are
    written to as they are.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "rules.txt"
    >>> with whole_file(path) as file:
    ...     _ = file.write(b"age > 40")
    >>> path.read_text()
    'age > 40'
    """
    with _naming(path):
        old = _status(path)
        if old is not None and not stat.S_ISREG(old.st_mode):
            with open(path, "wb") as file:
                yield file
            return
        place = Path(os.path.realpath(path))  # a link may lead into another folder
        if old is not None and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with _beside(place, old) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                file.close()
                _put(file.name, place)
            finally:  # it is gone already, if all went well
                Path(file.name).unlink(missing_ok=True)
        _flush_folder(place.parent)


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Let errors of the system name the file that was asked for: a full disk names none."""
    try:
        yield
    except OSError as error:
        reason = f"Cannot write {path}: {error.strerror or error}."
        raise (OSError(reason) if error.errno is None else OSError(error.errno, reason)) from error


def _status(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _beside(place: Path, old: os.stat_result | None) -> BinaryIO:
    """Open a new file beside a place or, where only the old one can be written to, elsewhere."""
    name = f".boolrules-{secrets.token_hex(8)}"
    try:
        file = open(place.with_name(name), "xb")  # noqa: SIM115
    except OSError as error:
        if old is None or error.errno not in ONLY_IN_PLACE:
            raise
        file = open(Path(tempfile.gettempdir(), name), "xb")  # noqa: SIM115
    if old is not None:
        with contextlib.suppress(OSError, AttributeError):  # only root gives files away
            os.chown(file.name, old.st_uid, old.st_gid)
        with contextlib.suppress(OSError):  # some file systems have no permissions
            os.chmod(file.name, stat.S_IMODE(old.st_mode))
    return file


def _put(written: str, place: Path) -> None:
    """Let a whole file take a place; where no file can be replaced, copy it there."""
    try:
        os.replace(written, place)
    except OSError as error:
        if error.errno not in ONLY_IN_PLACE:
            raise
        shutil.copyfile(written, place)


def _flush_folder(folder: Path) -> None:
    """Let the new name survive a power cut, where the system can."""
    with contextlib.suppress(OSError):  # Windows opens no folders
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
