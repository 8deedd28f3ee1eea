"""``boolrules predict``: apply a saved model to a file."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

from boolrules._support.saving import whole_file
from boolrules.cli.cluster import PREDICTION, add_scheduler, is_on_dask
from boolrules.cli.csv_reading import Reading, add_reading_options
from boolrules.cli.output import say
from boolrules.cli.writing import check_one_output

if TYPE_CHECKING:
    import argparse

    import polars

    from boolrules.cli.data_file import DataFile


ROWS_AT_A_TIME = 100_000  # of a file that is written


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = "Apply a saved model; print a CSV with one column, prediction."
    parser.epilog = (
        "examples:\n  boolrules predict model.json new.csv\n"
        "  boolrules predict model.json new.csv -o answers.csv\n"
        "  boolrules predict model.json new.csv --json\n"
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", help="model file written by fit --save")
    parser.add_argument("data", help="CSV or Parquet file with the columns that the rules use")
    parser.add_argument(
        *("-o", "--output"),
        metavar="FILE.csv",
        help="write the table with a column prediction added; as Parquet where its name ends so",
    )
    parser.add_argument(
        "--engine",
        choices=("numba", "dask"),
        default="numba",
        help="who applies the rules: this process (numba, the default), or the workers of a Dask "
        "cluster, part by part (dask; Parquet files)",
    )
    add_scheduler(parser)
    add_reading_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON list instead")


def run(options: argparse.Namespace) -> int:
    """Predict and print or write."""
    import polars

    from boolrules import Model
    from boolrules.cli.data_file import DataFile
    from boolrules.cli.files import text_columns
    from boolrules.cli.on_dask import predict_on_dask

    check_one_output(options)
    if is_on_dask(options):
        return predict_on_dask(options)
    model = Model.load(options.model)
    file = DataFile.read(options.data, Reading.of(options))
    frame = file.table(text_columns(model))
    if options.output and PREDICTION in frame.columns:
        raise ValueError(
            f"{options.data} has a column {PREDICTION} already. Rename it, or print the answers: "
            "leave --output out."
        )
    written = _to_write(file, frame, options.output) if options.output else None
    predictions = polars.Series(PREDICTION, model.predict(frame).tolist(), strict=False)
    if written is not None:
        _write(written.with_columns(predictions), options.output, file.separator)
    elif options.json:
        say(json.dumps(predictions.to_list(), ensure_ascii=False))
    else:
        say(polars.DataFrame([predictions]).write_csv(), end="")
    return 0


def _to_write(file: DataFile, frame: polars.DataFrame, path: str) -> polars.DataFrame:
    """Return the table that answers are added to: with types for Parquet, as written for CSV."""
    from boolrules.cli.data_file import is_named_parquet

    if not is_named_parquet(path):
        return file.as_written()
    return file.as_typed() if file.is_parquet else frame


def _write(answered: polars.DataFrame, path: str, separator: str) -> None:
    """Write a file as its name ends."""
    from boolrules.cli.data_file import is_named_parquet

    with whole_file(path) as output:
        # Not by polars, which before 1.37 does not say when a disk is full.
        if is_named_parquet(path):
            content = io.BytesIO()
            answered.write_parquet(content)
            output.write(content.getbuffer())
            return
        output.write(answered.clear().write_csv(separator=separator).encode())
        for part in answered.iter_slices(ROWS_AT_A_TIME):
            output.write(part.write_csv(separator=separator, include_header=False).encode())
