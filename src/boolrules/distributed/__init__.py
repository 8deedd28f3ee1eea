"""Rows in many places: sums come back, rows never do (§3, large data).

Each worker keeps its share of the rows as bin codes. The client sends clauses out and gets sums
back, and holds one row per coverage pattern in the master. Dask enters through ``dask_workers``,
and only when it is asked for.
"""

from boolrules.distributed.cluster import connected
from boolrules.distributed.engine import PartitionedEngine
from boolrules.distributed.local_beams import LocalBeams
from boolrules.distributed.partition import Partition
from boolrules.distributed.samples import PartitionedTrainingSet
from boolrules.distributed.table import predict_parts as predict
from boolrules.distributed.table import read_parquet
from boolrules.distributed.verifying import verify
from boolrules.distributed.workers import InProcess, Workers

__all__ = [
    "InProcess",
    "LocalBeams",
    "Partition",
    "PartitionedEngine",
    "PartitionedTrainingSet",
    "Workers",
    "connected",
    "predict",
    "read_parquet",
    "verify",
]
