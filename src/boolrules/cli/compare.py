"""``boolrules compare``: where two models or rule sets answer differently."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boolrules.cli.csv_reading import Reading, add_reading_options
from boolrules.cli.output import say
from boolrules.cli.printable import printable

if TYPE_CHECKING:
    import argparse

    import numpy as np
    from numpy.typing import NDArray

    from boolrules.insight.editing import Comparison

EXAMPLES = """examples:
  boolrules compare rules.txt model.json data.csv --target risk
  boolrules compare old.json new.json data.csv --json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Answer every row twice and say where the answers differ, by which clauses "
        "and, with the labels, who is right."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "first", metavar="FILE_A", help="model written by fit --save, or text file with rules"
    )
    parser.add_argument("second", metavar="FILE_B", help="the same, to hold against it")
    parser.add_argument("data", help="CSV or Parquet file with the columns that the rules use")
    parser.add_argument("--target", metavar="COL", help="label column, to see who is right")
    parser.add_argument(
        "--positive",
        metavar="VALUE",
        help='label that the rules describe, or a comparison such as "> 2" (default: as saved in '
        "the model)",
    )
    add_reading_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of text"
    )


def run(options: argparse.Namespace) -> int:
    """Compare and print."""
    from boolrules import Model, compare
    from boolrules.cli.files import column_of, read_rows
    from boolrules.cli.labels import with_labels
    from boolrules.cli.rules_file import columns_of_text, read_rules_file, read_target

    files = (options.first, options.second)
    given = [read_rules_file(file) for file in files]
    models = [thing for thing in given if isinstance(thing, Model)]
    texts = {name for thing in models or given for name in columns_of_text(thing)}
    frame = read_rows(options.data, sorted(texts), Reading.of(options))
    labels = numbers = None
    if options.target:
        column = column_of(frame, options.target, options.data)
        rows = with_labels(frame, column, options.data)
        frame, numbers = rows.frame, rows.numbers
        labels = read_target(rows.column, options.positive, given).values
    comparison = compare(given[0], given[1], frame, labels, names=_short(*files), first_row=1)
    if numbers is not None:
        comparison = _numbered(comparison, numbers)
    if options.json:
        say(json.dumps(comparison.to_plain(), ensure_ascii=False, allow_nan=False))
    else:
        say(printable(str(comparison)))
    return 0


def _numbered(comparison: Comparison, numbers: NDArray[np.int64]) -> Comparison:
    """Name rows by their numbers in the file, from which rows without a label were left out."""
    differences = (replace(d, row=int(numbers[d.row - 1])) for d in comparison.differences)
    return replace(comparison, differences=tuple(differences))


def _short(first: str, second: str) -> tuple[str, str]:
    """Call each by its file's name, where that tells them apart."""
    if first == second:
        return f"{first} (1)", f"{second} (2)"
    names = Path(first).name, Path(second).name
    return names if names[0] != names[1] else (first, second)
