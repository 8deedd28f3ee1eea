"""``boolrules predict``: apply a saved model to a file."""

from __future__ import annotations

import argparse
import json
from typing import Any

import polars

from boolrules import Model
from boolrules._support.saving import whole_file
from boolrules.cli.files import read_as_written, read_file, text_columns
from boolrules.cli.output import say
from boolrules.cli.writing import check_one_output

PREDICTION = "prediction"


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "predict",
        help="apply a saved model to a CSV or Parquet file",
        description="Apply a saved model; print a CSV with one column, prediction.",
        epilog="examples:\n  boolrules predict model.json new.csv\n"
        "  boolrules predict model.json new.csv -o answers.csv\n"
        "  boolrules predict model.json new.csv --json\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", help="model file written by fit --save")
    parser.add_argument("data", help="CSV or Parquet file with the columns that the rules use")
    parser.add_argument(
        "-o", "--output", metavar="FILE.csv", help="write the table with a column prediction added"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON list instead")


def run(options: argparse.Namespace) -> int:
    """Predict and print or write."""
    check_one_output(options)
    model = Model.load(options.model)
    frame = read_file(options.data, text_columns(model))
    if options.output and PREDICTION in frame.columns:
        raise ValueError(
            f"{options.data} has a column {PREDICTION} already. Rename it, or print the answers: "
            "leave --output out."
        )
    predictions = polars.Series(PREDICTION, model.predict(frame).tolist(), strict=False)
    if options.output:
        answered = read_as_written(options.data).with_columns(predictions)
        with whole_file(options.output) as file:
            answered.write_csv(file)
    elif options.json:
        say(json.dumps(predictions.to_list(), ensure_ascii=False))
    else:
        say(polars.DataFrame([predictions]).write_csv(), end="")
    return 0
