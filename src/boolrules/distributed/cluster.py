"""A Dask cluster to work on: one that is there, by its address, or one on this machine."""

from __future__ import annotations

import gc
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from boolrules._support.optional import require
from boolrules.distributed.dask_workers import INSTALL

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long to look for a scheduler.
SECONDS_TO_CONNECT = 10


@contextmanager
def connected(scheduler: str | None = None) -> Iterator[Any]:
    """Work on the cluster of a scheduler or, without one, on worker processes of this machine.

    Parameters
    ----------
    scheduler : str or None
        Its address, such as "tcp://10.0.0.1:8786".
    """
    distributed = require("distributed", needed_for="engine='dask'", install=INSTALL)
    if scheduler is None:
        # Any port: another cluster on this machine may have the usual one. What goes wrong is said
        # by an error, once.
        with (
            distributed.LocalCluster(
                dashboard_address=":0", silence_logs=logging.CRITICAL
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
    else:
        with client:
            yield client
        return
    # Half a client closes itself when it is collected: here, and not while the next one is made,
    # which would wait for it forever.
    gc.collect()
    raise ValueError(
        f"There is no Dask scheduler at {scheduler!r} ({reason}). Give its address, such as "
        "tcp://10.0.0.1:8786."
    )
