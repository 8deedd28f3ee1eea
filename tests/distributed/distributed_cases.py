"""Training sets dealt out among partitions."""

import numpy as np

from boolrules.distributed import InProcess, Partition, PartitionedTrainingSet


def split(training_set, random, n_parts=3):
    """Deal the rows out among partitions; some may get none."""
    owner_P = random.integers(n_parts, size=len(training_set.weights_P))
    owner_Z = random.integers(n_parts, size=len(training_set.weights_Z))
    every = np.arange(len(training_set.conditions))
    parts = [
        training_set.sample(np.flatnonzero(owner_P == p), np.flatnonzero(owner_Z == p), every)
        for p in range(n_parts)
    ]
    workers = InProcess([Partition(part) for part in parts])
    return PartitionedTrainingSet(training_set.conditions, workers)
