"""What is odd about the columns of a table, told in few lines before rules are learned."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from boolrules.cli.output import tell
from boolrules.data.notes import NoteKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.data.notes import ColumnNote

MOST_COLUMNS = 5
_PLAIN = (
    "Write them as plain numbers, such as 1234.5, without signs and units, and leave empty what "
    "is none."
)
_ADVICE = {
    NoteKind.UNCLEAR_DATES: "Say with --date-order dmy or mdy which it is.",
    NoteKind.DATES_AS_TEXT: "Write them all alike, such as 2024-01-31 or 2024-01-31 14:30, and "
    "leave empty what is none.",
    NoteKind.SPELLINGS: "Each spelling counts as a value of its own.",
    NoteKind.DECIDES_LABEL: "If it is known only once the label is, leave it out with --drop.",
}


def plain_notes(notes: Sequence[ColumnNote]) -> list[dict[str, Any]]:
    """Return notes as ``--json`` prints them."""
    return [note.to_plain() for note in notes]


def tell_notes(
    notes: Sequence[ColumnNote], idle: Sequence[ColumnNote], with_commas: Sequence[str] = ()
) -> None:
    """Say what was noted, one line for each kind; ``idle`` give no conditions.

    ``with_commas`` are the columns whose decimal commas can be read.
    """
    for kind in NoteKind:
        alike = [note for note in notes if note.kind is kind]
        if alike:
            tell(" ".join([_seen(alike), *_what_to_do(alike, idle, with_commas)]))


def _seen(alike: Sequence[ColumnNote]) -> str:
    shown = _shortened([f"{note.column!r} ({note.detail})" for note in alike])
    which = shown if len(alike) == 1 else f"Each of {shown}"
    return f"Note: {which} {alike[0].words}."


def _what_to_do(
    alike: Sequence[ColumnNote], idle: Sequence[ColumnNote], with_commas: Sequence[str]
) -> list[str]:
    kind, advice = alike[0].kind, []
    if kind is NoteKind.CODES:
        flags = [_flag(note) for note in alike[: MOST_COLUMNS + 1]]
        advice.append(f"If they measure nothing, give {' '.join(flags)}.")
    elif kind is NoteKind.NUMBERS_AS_TEXT:
        read = [note for note in alike if note.column in with_commas]
        advice += [] if len(read) == len(alike) else [_PLAIN]
        advice += [f"--decimal , reads the decimal commas of {_named(read)}."] if read else []
    elif kind in _ADVICE:
        advice.append(_ADVICE[kind])
    silent = [note for note in alike if note in idle]
    if silent:
        which = "It gives" if len(silent) == 1 else "They give"
        if len(silent) < len(alike):
            which = f"{_named(silent)} {'gives' if len(silent) == 1 else 'give'}"
        advice.append(f"{which} no conditions, unless named in --categorical or --only-features.")
    return advice


def _flag(note: ColumnNote) -> str:
    """Return what tells the codes of one column; elsewhere the same number may be measured."""
    codes = f"{note.column}={','.join(map(str, note.values))}"
    joint = "=" if codes.startswith("-") else " "
    return f"--special-values{joint}{shlex.quote(codes)}"


def _named(notes: Sequence[ColumnNote]) -> str:
    return _shortened([repr(note.column) for note in notes])


def _shortened(texts: Sequence[str]) -> str:
    """List what there is, and how many more where that is more than one."""
    n_shown = MOST_COLUMNS if len(texts) > MOST_COLUMNS + 1 else len(texts)
    more = [f"{len(texts) - n_shown} more"] if n_shown < len(texts) else []
    *others, last = [*texts[:n_shown], *more]
    return f"{', '.join(others)} and {last}" if others else last
