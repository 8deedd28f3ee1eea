"""The paper's data sets, read from the folder BOOLRULES_DATA or ../shared/data."""

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


SMALL = [
    DataSet("banknote", lambda t: t == 1),
    DataSet("heart", lambda t: t > 0, needed=("ca",)),
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
    DataSet("magic", lambda t: t == "g"),
    DataSet("mushroom", lambda t: t == "p"),
    DataSet("FICO", lambda t: t == "Good"),
]


def folder() -> Path:
    """Where the data sets are."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("BOOLRULES_DATA", default))


def load(data: DataSet) -> tuple[polars.DataFrame, NDArray[np.bool_]]:
    """Return the features and whether each row is positive, after the paper's removal of rows."""
    file = next((folder() / data.name).glob("data.csv*"))
    frame = polars.read_csv(file, infer_schema_length=None)
    if data.needed:
        frame = frame.drop_nulls(list(data.needed))
    if data.name == "FICO":
        scores = [name for name in frame.columns if name != "target"]
        frame = frame.filter(~polars.all_horizontal(polars.col(scores) == -9))
    is_positive = data.positive(frame["target"]).to_numpy()
    return frame.drop("target", *data.dropped), is_positive
