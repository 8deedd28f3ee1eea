"""Which cluster the options ask for, if any; what it is asked to do is in ``on_dask``."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

PARQUET = (".parquet", ".pq")
PREDICTION = "prediction"  # the column that answers are written to


def add_scheduler(group: argparse._ActionsContainer) -> None:
    """Declare where the cluster is."""
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster for --engine dask, such as tcp://10.0.0.1:8786 (default: worker "
        "processes on this machine)",
    )


@contextmanager
def on_cluster(options: argparse.Namespace) -> Iterator[None]:
    """Connect to the cluster that the options ask for, if they ask for one."""
    scheduler = getattr(options, "scheduler", None)
    if getattr(options, "engine", None) != "dask":
        if scheduler is not None:
            raise ValueError("--scheduler is for --engine dask. Add that, or leave it out.")
        yield
        return
    if getattr(options, "memory_limit", None) is not None:
        raise ValueError("--memory-limit reads in this process, --engine dask on workers. Choose.")
    from boolrules.distributed import connected

    with connected(scheduler):
        yield


def is_on_dask(options: argparse.Namespace) -> bool:
    """Whether workers read the file: Parquet, or a folder of such files."""
    path = Path(options.data)
    is_files = path.suffix.lower() in PARQUET or path.is_dir()
    return getattr(options, "engine", None) == "dask" and is_files
