"""The files that commands write: checked before any work is done, and never one that was read."""

from __future__ import annotations

import os
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boolrules._support.saving import whole_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

# By the names of their options, in all commands.
READ = ("data", "model", "rules", "first", "second")
WRITTEN = ("save", "output", "plot")


def check_files(options: argparse.Namespace) -> None:
    """Turn down files without a name, and outputs that cannot be written or would destroy."""
    read, written = _given(options, READ), _given(options, WRITTEN)
    for name, path in (read | written).items():
        if not path:
            raise ValueError(f"{_shown(name)} names no file: it is empty. Name one.")
    if getattr(options, "engine", None) != "dask":  # workers may see files that are not here
        for path in read.values():
            if not os.path.lexists(path):  # told before anything is loaded
                raise ValueError(f"There is no file {path}.")
    for path in written.values():
        _check_writable(path)
    for one, other in product(written, read):
        if _is_same(written[one], read[other]):
            raise ValueError(
                f"{_shown(one)} {written[one]} would overwrite {read[other]}, which is read. "
                "Write to another file."
            )
    for one, other in combinations(written, 2):
        if _is_same(written[one], written[other]):
            raise ValueError(
                f"{_shown(one)} and {_shown(other)} are both {written[one]}. Write to two files."
            )


def _given(options: argparse.Namespace, names: tuple[str, ...]) -> dict[str, str]:
    return {name: path for name in names if (path := getattr(options, name, None)) is not None}


def _shown(name: str) -> str:
    """Write an option as people do."""
    return f"--{name}" if name in WRITTEN else name


def _is_same(one: str, other: str) -> bool:
    """Whether two paths lead to one file, by whatever name, link or case."""
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is not there
        return os.path.realpath(one) == os.path.realpath(other)


def _check_writable(path: str) -> None:
    """Fail before the work is done, not after it, when a path cannot be written to."""
    folder = Path(os.path.realpath(path)).parent  # a link may lead into another one
    if not folder.is_dir():
        raise ValueError(f"Cannot write {path}: there is no folder {folder}.")
    if Path(path).is_dir() or path.endswith(os.sep):
        raise ValueError(f"Cannot write {path}: it is a folder.")
    target = path if Path(path).exists() else folder
    if not os.access(target, os.W_OK):
        raise ValueError(f"Cannot write {path}: permission denied.")


def check_one_output(options: argparse.Namespace) -> None:
    """Turn down ``--json`` beside ``--output``."""
    if options.output and options.json:
        raise ValueError("--json prints, and --output writes a file. Leave one of them out.")


def write_picture(draw: Callable[[], Any], path: str) -> None:
    """Draw, and write the picture as its name ends."""
    os.environ.setdefault("MPLBACKEND", "agg")  # a picture in a file needs no window
    figure = draw()
    with whole_file(path) as file:
        figure.savefig(file, format=Path(path).suffix.lower().lstrip("."), dpi=200)
