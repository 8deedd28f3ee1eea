"""``python -m benchmarks.gpu nodes|fits FOLDER``: on a machine with a GPU, over written arrays.

``nodes`` searches all clauses of FICO at fixed duals with one engine and counts nodes per second.
``fits`` fits data sets with one engine. Both append to a CSV file, with the commit that the
environment variable BOOLRULES_COMMIT names, and ``python -m benchmarks.gpu.tables`` makes tables
of them.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks.gpu.arrays import NAMES, PROBLEM, read, read_duals
from boolrules.data.problem import Problem
from boolrules.search.engines import Nodes, Terms, make_engine
from boolrules.solver.column_generation import learn
from boolrules.solver.settings import Settings

RESULTS = Path(__file__).resolve().parents[1] / "results"
MAX_CONDITIONS = 5
REPEATS = 3


def machine(engine: str) -> dict[str, str]:
    """Return what ran it."""
    commit = os.environ.get("BOOLRULES_COMMIT", "")
    facts = {"cores": str(os.cpu_count()), "python": platform.python_version()}
    facts |= {name: version(name) for name in ("boolrules", "numpy", "numba", "highspy")}
    if engine != "cuda":
        return facts | {"gpu": "", "torch": "", "triton": "", "commit": commit}
    import torch

    return facts | {
        "gpu": torch.cuda.get_device_name(0),
        "torch": version("torch"),
        "triton": version("triton"),
        "commit": commit,
    }


def count_nodes(folder: Path, engine: str, n_threads: int, seconds: float) -> dict[str, object]:
    """Search from the root until the end, or the last batch that begins within the seconds."""
    samples = read(folder, "FICO")
    duals, J = samples.rounded(read_duals(folder, "FICO")), len(samples.conditions)
    prices = duals.prices(PROBLEM)
    terms = Terms(*prices, 0, MAX_CONDITIONS, prices[1])
    summing = make_engine(samples, engine, duals, n_threads=n_threads)
    best = None
    for _ in range(1 + REPEATS):  # the first loads the kernels
        open_nodes = summing.open(Nodes.root(J, MAX_CONDITIONS, int(duals.mu.sum())), terms)
        n_nodes = n_found = most_open = 0
        started = time.perf_counter()
        while len(open_nodes) and time.perf_counter() - started < seconds:
            found = open_nodes.expand_a_batch()
            n_nodes, n_found = n_nodes + found.n_nodes, n_found + len(found.sums)
            most_open = max(most_open, len(open_nodes))
        taken = time.perf_counter() - started
        row = {
            "data": "FICO",
            "conditions": J,
            "rows": int((duals.mu > 0).sum()) + len(samples.weights_Z),
            "engine": engine,
            "threads": n_threads,
            "nodes": n_nodes,
            "found": n_found,
            "most_open": most_open,
            "is_done": not len(open_nodes),
            "seconds": round(taken, 3),
            "nodes_per_second": round(n_nodes / taken),
        }
        best = row if best is None or row["nodes_per_second"] > best["nodes_per_second"] else best
    assert best is not None
    return {**best, **machine(engine)}


def fit(
    folder: Path, name: str, complexity: int, engine: str, n_threads: int, seconds: float
) -> dict[str, object]:
    """Fit one data set, and say what came out."""
    samples = read(folder, name)
    settings = Settings(time_limit=seconds, n_threads=n_threads, engine=engine)
    problem = Problem(complexity, MAX_CONDITIONS)
    result = learn(samples, problem, settings, lambda iteration: None)
    certificate = result.certificate
    steps = ("Restricted MLP", "pricing", "selection", "proof", "Restricted MIP")
    return {
        "data": name,
        "rows": len(samples.weights_P) + len(samples.weights_Z),
        "conditions": len(samples.conditions),
        "complexity": complexity,
        "max_conditions": MAX_CONDITIONS,
        "engine": engine,
        "threads": n_threads,
        "time_limit": seconds,
        "loss": certificate.hamming_loss,
        "bound": certificate.lower_bound,
        "gap": None if certificate.gap is None else round(certificate.gap, 5),
        "argument": str(certificate.argument),
        "stop": str(result.stop_reason),
        "seconds": round(result.seconds, 1),
        **{step: round(result.seconds_by_step.get(step, 0.0), 1) for step in steps},
        "rounds": len(result.trace),
        "columns": len(result.columns),
        "nodes": sum(iteration.n_nodes for iteration in result.trace),
        **machine(engine),
    }


def append(path: Path, row: dict[str, object]) -> None:
    """Write a row, under a header if it is the first."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["nodes", "fits"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", default="cuda")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one fit, or one count")
    parser.add_argument("--data", default=",".join(NAMES))
    parser.add_argument("--complexity", default="10,20")
    parser.add_argument("--to", type=Path, default=RESULTS)
    asked = parser.parse_args()
    asked.to.mkdir(parents=True, exist_ok=True)
    if asked.what == "nodes":
        row = count_nodes(asked.folder, asked.engine, asked.threads, asked.seconds)
        append(asked.to / "gpu_nodes.csv", row)
        print(row, flush=True)
        return
    for name in asked.data.split(","):
        for complexity in map(int, asked.complexity.split(",")):
            row = fit(asked.folder, name, complexity, asked.engine, asked.threads, asked.seconds)
            append(asked.to / "gpu_fits.csv", row)
            print(row, flush=True)


if __name__ == "__main__":
    main()
