"""Training sets as files of arrays, for a machine with a GPU and without the data or polars.

``python -m benchmarks.gpu.arrays FOLDER`` writes one file per data set, and the duals of FICO at
which the heuristics find nothing more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from boolrules.data.bins import BinnedConditions
from boolrules.data.column import Duals
from boolrules.data.problem import Problem
from boolrules.data.training_set import TrainingSet

NAMES = ("FICO", "magic", "adult", "bank-mkt-additional", "mushroom", "musk")
PROBLEM = Problem(10, max_conditions=5)
SECONDS_FOR_DUALS = 240


def write(folder: Path, name: str, samples: TrainingSet) -> None:
    """Write a training set."""
    of_rows = ("codes_P", "codes_Z", "weights_P", "weights_Z", "counts_P")
    arrays = {field: getattr(samples, field) for field in of_rows}
    of_conditions = ("feature", "ranges", "n_codes")
    arrays |= {field: getattr(samples.conditions, field) for field in of_conditions}
    np.savez_compressed(folder / f"{name}.npz", **arrays)


def read(folder: Path, name: str) -> TrainingSet:
    """Read a training set back."""
    arrays = np.load(folder / f"{name}.npz")
    conditions = BinnedConditions(arrays["feature"], arrays["ranges"], arrays["n_codes"])
    sides = [arrays[name] for name in ("codes_P", "codes_Z", "weights_P", "weights_Z")]
    return TrainingSet(conditions, *sides, counts_P=arrays["counts_P"])


def read_duals(folder: Path, name: str) -> Duals:
    """Read duals back."""
    arrays = np.load(folder / f"duals_{name}.npz")
    return Duals(arrays["mu"], float(arrays["lam"]))


def main() -> None:
    # These need polars, and the data folder: not on every machine.
    from benchmarks import data
    from benchmarks.speed.__main__ import converged_duals, training_set

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for one in data.LARGE:
        if one.name not in NAMES:
            continue
        samples = training_set(*data.load(one))
        write(folder, one.name, samples)
        if one.name == "FICO":
            duals, _ = converged_duals(samples, PROBLEM, SECONDS_FOR_DUALS)
            np.savez_compressed(folder / f"duals_{one.name}.npz", mu=duals.mu, lam=duals.lam)


if __name__ == "__main__":
    main()
