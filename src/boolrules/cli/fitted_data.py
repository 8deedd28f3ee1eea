"""A saved model and a table with its labels, as several commands read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boolrules import Model
from boolrules.cli.csv_reading import Reading
from boolrules.cli.data_file import DataFile
from boolrules.cli.files import check_rows, column_of, text_columns, weights_of
from boolrules.cli.labels import is_against_rest, read_labels_as_fitted, with_labels
from boolrules.data.notes import label_notes

if TYPE_CHECKING:
    import argparse

    import numpy as np
    import polars
    from numpy.typing import NDArray

    from boolrules.cli.labels import Labels
    from boolrules.data.notes import ColumnNote


@dataclass(frozen=True)
class FittedData:
    """What the model, the file, ``--target`` and ``--sample-weight`` come to.

    With its checksum, where it is one file, and what is odd about its labels as they are written.
    ``row_numbers`` are those of the file, where rows without a label were left out; else None.
    """

    model: Model
    frame: polars.DataFrame
    labels: Labels
    weights: NDArray[np.float64] | None
    sha256: str | None
    notes: tuple[ColumnNote, ...] = ()
    row_numbers: NDArray[np.int64] | None = None


def read_model(options: argparse.Namespace) -> tuple[Model, str]:
    """Read the model, and say which column it predicts: its own unless another is named."""
    model = Model.load(options.model)
    target = options.target or model.target
    if target is None:
        raise ValueError(
            f"{options.model} does not name its target column. Give it with --target."
        )
    return model, target


def read_fitted_data(options: argparse.Namespace) -> FittedData:
    """Read the model and its table."""
    model, target = read_model(options)
    texts = text_columns(model)
    file = DataFile.read(options.data, Reading.of(options))
    has_texts = all(isinstance(label, str) for label in model.classes)
    if has_texts and not is_against_rest(model) and not file.is_parquet:
        texts.append(target)
    frame = file.table(texts)
    check_rows(len(frame), options.data)
    rows = with_labels(frame, column_of(frame, target, options.data), options.data)
    frame, column = rows.frame, rows.column
    labels = read_labels_as_fitted(column, model)
    weights = None
    if getattr(options, "sample_weight", None) is not None:
        weights = weights_of(frame, options.sample_weight, options.data)
    notes = label_notes(column.unique(maintain_order=True).to_list(), target)
    return FittedData(model, frame, labels, weights, file.sha256, notes, rows.numbers)
