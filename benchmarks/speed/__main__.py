"""``make bench``: fit each data set at several complexities, then measure ratios in the same run.

Without the data folder it runs on the tables that come with the package. Writes CSV files with
machine and versions under benchmarks/results.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import data
from benchmarks.facts import FACTS, facts, said_of
from benchmarks.markdown_tables import markdown
from boolrules import FeatureBinarizer, Form
from boolrules._support.budget import Budget
from boolrules._support.table import read_table
from boolrules.data.datasets import breast_cancer, tic_tac_toe
from boolrules.data.labelled_rows import BinaryRows, Codes
from boolrules.data.problem import Problem
from boolrules.search.branch_and_bound import BranchAndBound
from boolrules.solver.column_generation import learn
from boolrules.solver.master import RestrictedMaster
from boolrules.solver.pricing import BeamSearch, IntegerProgram, NeighbourSearch
from boolrules.solver.settings import Settings

RESULTS = Path(__file__).resolve().parents[1] / "results"


def training_set(X, is_positive):
    encoding = FeatureBinarizer().fit(X).encoding_
    weights = np.ones(len(is_positive))
    table = read_table(X)
    rows = BinaryRows(table, is_positive, weights, weights, weights, Codes(table))
    return rows.encoded(encoding, Form.DNF)


def subjects(names):
    """Yield (name, training set) for each data set that is there."""
    if not data.folder().is_dir():
        boards, x_wins = tic_tac_toe()
        yield "tic-tac-toe", training_set(boards, x_wins.to_numpy())
        tumours, diagnosis = breast_cancer()
        yield "WDBC", training_set(tumours, (diagnosis == "malignant").to_numpy())
        return
    for one in data.SMALL + data.LARGE:
        if one.name in names:
            yield one.name, training_set(*data.load(one))
        if f"~{one.name}" in names:
            X, is_positive = data.load(one)
            yield f"{one.name} (other class)", training_set(X, ~is_positive)


def fit_row(name, samples, complexity, options):
    settings = Settings(time_limit=options.time_limit, n_threads=options.threads)
    problem = Problem(complexity, options.conditions)
    result = learn(samples, problem, settings, lambda iteration: None)
    certificate = result.certificate
    return {
        "data": name,
        "rows": len(samples.weights_P) + len(samples.weights_Z),
        "conditions": len(samples.conditions),
        "complexity": complexity,
        "loss": certificate.hamming_loss,
        "bound": certificate.lower_bound,
        "gap": certificate.gap,
        "argument": str(certificate.argument),
        "stop": str(result.stop_reason),
        "seconds": round(result.seconds, 2),
        **{
            step: round(result.seconds_by_step.get(step, 0.0), 2)
            for step in ("Restricted MLP", "pricing", "selection", "proof", "Restricted MIP")
        },
        "rounds": len(result.trace),
        "columns": len(result.columns),
        "nodes": sum(iteration.n_nodes for iteration in result.trace),
    }


def converged_duals(samples, problem, seconds):
    """Return duals on which the heuristics find nothing more, and the columns behind them."""
    master, budget = RestrictedMaster(samples, problem), Budget.of(seconds)
    pricers = BeamSearch(samples, problem), NeighbourSearch(samples, problem, master.columns)
    while True:
        solution = master.solve(Budget.unlimited())
        if budget.is_spent or not any(
            master.add(pricer.price(solution.duals, budget).columns) for pricer in pricers
        ):
            return solution.duals, master.columns


def seconds_of(run):
    started = time.perf_counter()
    result = run()
    return time.perf_counter() - started, result


def ratio_row(name, samples, complexity, limit):
    """Measure the same work done two ways, on the same duals, in one run."""
    problem = Problem(complexity)
    duals, columns = converged_duals(samples, problem, limit)
    search = BranchAndBound(samples, problem, patience=10**12, most_columns=10**9)
    search.price(duals, Budget.of(0.01))  # compiled before it is timed
    one, found = seconds_of(lambda: search.price(duals, Budget.of(limit)))
    two_threads = BranchAndBound(
        samples, problem, 10**9, 10**12, most_nodes=max(1, found.n_nodes), n_threads=2
    )
    two, _ = seconds_of(lambda: two_threads.price(duals, Budget.of(limit)))
    theirs, _ = seconds_of(lambda: IntegerProgram(samples, problem).price(duals, Budget.of(limit)))
    cold, warm = master_seconds(samples, problem, columns)
    return {
        "data": name,
        "complexity": complexity,
        "nodes": found.n_nodes,
        "search_seconds": round(one, 3),
        "search_done": found.lower_bound == found.best_reduced_cost or one < limit,
        "solver_seconds": round(theirs, 2),
        "solver_done": theirs < limit,
        "solver_over_search": round(theirs / one, 1),
        "one_over_two_threads": round(one / two, 2),
        "numpy_over_numba": numpy_over_numba(samples, problem, duals),
        "cold_over_warm_master": round(cold / warm, 2),
    }


def numpy_over_numba(samples, problem, duals):
    """Expand the same few nodes with both engines."""
    from boolrules.search.engines import Nodes, Terms, make_engine

    integer_duals = samples.rounded(duals)
    longest = min(problem.longest_clause, len(samples.conditions))
    terms = Terms(*integer_duals.prices(problem), 0, longest, 0)
    root = Nodes.root(len(samples.conditions), longest, int(integer_duals.mu.sum()))
    fast = make_engine(samples, "numba", integer_duals)
    nodes = fast.expand(root, terms).children[:20]
    slow = make_engine(samples, "numpy", integer_duals)
    fast_seconds, _ = seconds_of(lambda: fast.expand(nodes, terms))
    slow_seconds, _ = seconds_of(lambda: slow.expand(nodes, terms))
    return round(slow_seconds / fast_seconds)


def master_seconds(samples, problem, columns):
    """Solve the growing master from nothing each time, and from the last basis."""
    parts = [columns[start : start + 50] for start in range(0, len(columns), 50)]
    warm = RestrictedMaster(samples, problem)
    cold_seconds = warm_seconds = 0.0
    for upto, part in enumerate(parts, start=1):
        warm.add(part)
        warm_seconds += seconds_of(lambda: warm.solve(Budget.unlimited()))[0]
        cold = RestrictedMaster(samples, problem)
        for old in parts[:upto]:
            cold.add(old)
        cold_seconds += seconds_of(lambda c=cold: c.solve(Budget.unlimited()))[0]
    return cold_seconds, warm_seconds


def show(console, title, rows):
    table = Table(title=title, box=None)
    for name in rows[0]:
        table.add_column(name, justify="left" if name == "data" else "right")
    for row in rows:
        table.add_row(*("-" if value is None else f"{value}" for value in row.values()))
    console.print(table)


def write(path, rows):
    path.parent.mkdir(exist_ok=True)
    measured_with = facts()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0], *FACTS], lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | measured_with for row in rows)


def write_tables(folder):
    """Make Markdown tables of the CSV files: numbers are never typed."""
    verbs = "`make bench`, `make bench-kernels` and `make bench-published`"
    parts = [f"# Speed\n\nMade by {verbs} from the CSV files.\n"]
    for name in ("speed_fits", "speed_medium", "speed_ratios", "speed_kernels", "speed_published"):
        path = folder / f"{name}.csv"
        if not path.exists():
            continue
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        shown = [key for key in rows[0] if key not in FACTS]
        lines = [[_short(row[key]) for key in shown] for row in rows]
        parts.append(f"## {name}\n\n{said_of(rows)}\n\n{markdown(shown, lines)}\n")
    (folder / "speed.md").write_text("\n".join(parts), encoding="utf-8")


def _short(text):
    """Write long fractions with three digits, and nothing as a dash."""
    try:
        return f"{float(text):.3g}" if len(text) > 8 and "." in text else text or "-"
    except ValueError:
        return text


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    small = ",".join([*(d.name for d in data.SMALL), "~ILPD"])
    parser.add_argument(
        "--data", default=small, help="names, ~NAME for the other class, or all (default: small)"
    )
    parser.add_argument("--complexity", default="5,10,15,20")
    parser.add_argument("--conditions", type=int, help="most of a clause (default: any number)")
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument(
        "--ratio-limit", type=float, default=30, help="seconds for each side of a ratio"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--skip-ratios", action="store_true")
    parser.add_argument("--name", default="speed_fits", help="of the CSV file of the fits")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    console = Console(width=200)
    complexities = [int(c) for c in options.complexity.split(",")]
    names = options.data.split(",")
    if names == ["all"]:
        names = [one.name for one in data.SMALL + data.LARGE]
    fits, ratios = [], []
    for name, samples in subjects(names):
        for complexity in complexities:
            row = fit_row(name, samples, complexity, options)
            fits.append(row)
            console.print("  ".join(f"{key} {value}" for key, value in row.items()), style="dim")
        if not options.skip_ratios:
            ratios.append(ratio_row(name, samples, complexities[0], options.ratio_limit))
    show(console, f"Fits within {options.time_limit:g} s", fits)
    write(options.output / f"{options.name}.csv", fits)
    if ratios:
        show(console, "Side by side", ratios)
        write(options.output / "speed_ratios.csv", ratios)
        logs = [math.log(row["solver_over_search"]) for row in ratios]
        console.print(
            f"Solver over search, geometric mean: {math.exp(sum(logs) / len(logs)):.0f} "
            f"(at least: {sum(not r['solver_done'] for r in ratios)} of {len(ratios)} solver runs "
            "were cut off)"
        )
    write_tables(options.output)


if __name__ == "__main__":
    main()
