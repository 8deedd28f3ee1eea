"""``boolrules score``: how saved rules do on rows that they were not learned from."""

from __future__ import annotations

import argparse
import json
from typing import Any

from boolrules.cli.csv_reading import add_reading_options
from boolrules.cli.fitted_data import read_fitted_data
from boolrules.cli.output import say
from boolrules.cli.printable import printable
from boolrules.cli.requirements import plain, standings_on
from boolrules.cli.show import Output, show_standings


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "score",
        help="say how a saved model does on other rows",
        description="Answer every row and say how many answers are right: accuracy beside that of "
        "the most frequent class, precision, recall and the table of answers. Every row counts "
        "alike. Nothing is proved; for that there is verify, on the training rows.",
        epilog="examples:\n  boolrules score model.json new.csv\n"
        "  boolrules score model.json new.csv --target risk --json\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    given = read_fitted_data(options)
    figures = given.model.score_rows(given.frame, given.labels.values)
    standings = standings_on(given, options.data)
    if options.json:
        facts = figures.to_plain() | {"requirements": plain(standings)}
        say(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return 0
    say(printable(str(figures)))
    if standings is not None and standings.standings:
        say("")
        show_standings(Output(), standings, "these rows")
    return 0
