"""``boolrules score``: how saved rules do on rows that they were not learned from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from boolrules.cli.csv_reading import add_reading_options
from boolrules.cli.output import say
from boolrules.cli.printable import printable

if TYPE_CHECKING:
    import argparse

    from boolrules.cli.fitted_data import FittedData


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Answer every row and say how many answers are right: accuracy beside that of "
        "the most frequent class, precision, recall and the table of answers. Every row counts "
        "alike. Nothing is proved; for that there is verify, on the training rows."
    )
    parser.epilog = (
        "examples:\n  boolrules score model.json new.csv\n"
        "  boolrules score model.json new.csv --target risk --json\n"
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", help="model file written by fit --save")
    parser.add_argument(
        "data", help="CSV or Parquet file with the columns that the rules use, and the labels"
    )
    parser.add_argument(
        "--target", metavar="COL", help="label column (default: as saved in the model)"
    )
    add_reading_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of text"
    )


def run(options: argparse.Namespace) -> int:
    """Score and print."""
    from boolrules.cli.fitted_data import read_fitted_data
    from boolrules.cli.requirements import plain, standings_on
    from boolrules.cli.show import Output, show_standings

    given = read_fitted_data(options)
    figures = given.model.score_rows(given.frame, given.labels.values)
    standings = standings_on(given, options.data)
    are_training_rows = _are_training_rows(given)
    if options.json:
        facts = figures.to_plain() | {
            "requirements": plain(standings),
            "are_training_rows": are_training_rows,
        }
        say(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return 0
    say(printable("\n".join(figures.lines(Output().width))))
    if are_training_rows:
        say("\nThe rules were learned from these rows; on others they may do worse.")
    if standings is not None and standings.standings:
        say("")
        show_standings(Output(), standings, "these rows")
    return 0


def _are_training_rows(given: FittedData) -> bool:
    """Whether the fingerprint of the rows of ``fit`` is that of these.

    Where they had weights, which are not asked for here, it cannot be told.
    """
    model, kept = given.model, given.model.training_rows
    if kept is None or model.has_sample_weight or kept.n_rows != len(given.frame):
        return False
    try:
        rows = model.rows(given.frame, given.labels.values)
        return kept.speaks_of(model.encoding) and kept.is_of(rows, model.on(rows).encoding)
    except ValueError:  # columns that no rule reads may be missing, or hold anything
        return False
