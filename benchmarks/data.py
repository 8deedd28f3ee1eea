"""The paper's data sets, read from the folder BOOLRULES_DATA or benchmarks/.data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class DataSet:
    """A table and the rule that makes its target positive."""

    name: str
    positive: Callable[[polars.Series], polars.Series]
    dropped: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    folder: str | None = None
    recode: Callable[[polars.DataFrame], polars.DataFrame] | None = None
    is_complete: bool = True


def _categories_of_heart(frame: polars.DataFrame) -> polars.DataFrame:
    """Make categories of the numbers that are codes (datasets.json; the paper does not say)."""
    codes = ("sex", "cp", "fbs", "restecg", "exang", "slope", "thal")
    return frame.with_columns(polars.col(codes).cast(polars.Int64).cast(polars.String))


def _scores_of_fico(frame: polars.DataFrame) -> polars.DataFrame:
    """Treat the special codes as the paper's supplement does.

    -7 (never happened) becomes one month more than the most in the data; -8 and -9 become null;
    more than 7 in MaxDelq2PublicRecLast12M (other) becomes 7.
    """
    months = [name for name in frame.columns if name.startswith("MSince")]
    most = max(int(frame[name].max()) for name in months)  # type: ignore[arg-type]
    every = polars.all()
    frame = frame.with_columns(
        polars.when(every == -7).then(most + 1).when(every < 0).then(None).otherwise(every)
        .name.keep()
    )  # fmt: skip
    return frame.with_columns(polars.col("MaxDelq2PublicRecLast12M").clip(upper_bound=7))


SMALL = [
    DataSet("banknote", lambda t: t == 1),
    DataSet("heart", lambda t: t > 0, needed=("ca",), recode=_categories_of_heart),
    DataSet("ILPD", lambda t: t == 2, needed=("ag_ratio",)),
    DataSet("ionosphere", lambda t: t == "g"),
    DataSet("liver", lambda t: t > 2),
    DataSet("pima", lambda t: t == 1),
    DataSet("tic-tac-toe", lambda t: t == "positive"),
    DataSet("transfusion", lambda t: t == 1),
    DataSet("WDBC", lambda t: t == "M"),
]
LARGE = [
    DataSet("adult", lambda t: t == ">50K"),
    DataSet("bank-mkt-additional", lambda t: t == "yes", dropped=("duration",)),
    DataSet("gas", lambda t: t > 3, folder="gas-partial", is_complete=False),
    DataSet("magic", lambda t: t == "g"),
    DataSet("mushroom", lambda t: t == "p"),
    DataSet("musk", lambda t: t == 1),
    DataSet("FICO", lambda t: t == "Good", recode=_scores_of_fico),
]
VARIANTS = [DataSet("bank-mkt", lambda t: t == "yes")]  # fits the paper's numbers less well


def folder() -> Path:
    """Where the data sets are."""
    return Path(os.environ.get("BOOLRULES_DATA") or Path(__file__).resolve().parent / ".data")


def find(name: str) -> DataSet:
    """Return the data set of that name."""
    known = {data.name: data for data in SMALL + LARGE + VARIANTS}
    if name not in known:
        raise ValueError(f"Data set {name!r} is not one of {', '.join(known)}.")
    return known[name]


def load(data: DataSet, *, recode: bool = False) -> tuple[polars.DataFrame, NDArray[np.bool_]]:
    """Return the features and whether each row is positive, after the paper's removal of rows.

    ``recode`` also treats special codes and coded categories as in the paper's evaluation.
    """
    place = folder() / (data.folder or data.name)
    file = next(place.glob("data.csv*"), None)
    if file is None:
        raise FileNotFoundError(
            f"No data.csv or data.csv.gz in {place}. Set BOOLRULES_DATA to the folder of the data "
            "sets, or fetch them with: python -m benchmarks.learners.download"
        )
    frame = polars.read_csv(file, infer_schema_length=None)
    if data.needed:
        frame = frame.drop_nulls(list(data.needed))
    if data.name == "FICO":
        scores = [name for name in frame.columns if name != "target"]
        frame = frame.filter(~polars.all_horizontal(polars.col(scores) == -9))
    is_positive = data.positive(frame["target"]).to_numpy()
    frame = frame.drop("target", *data.dropped)
    return data.recode(frame) if recode and data.recode else frame, is_positive
