"""``python -m benchmarks.gpu.tables``: gpu.md, and the table on the page, from the CSV files."""

from __future__ import annotations

import csv

from benchmarks.gpu.__main__ import RESULTS
from benchmarks.markdown_tables import DOCS, fill_page, markdown

PAGE = DOCS / "gpu.md"
ENGINES = ("cuda", "numba")
FACTS = ("gpu", "cores", "python", "boolrules", "numpy", "numba", "highspy", "torch", "triton")
PARTS = {
    "gpu_nodes": "FICO, all clauses of at most 5 conditions, at the duals where the heuristics "
    "find nothing more: the best of three runs. `is_done` says whether the search came to an end.",
    "gpu_fits": "Whole fits with clauses of at most 5 conditions, on the threads that are named; "
    "where cuda has 4 and numba 12, both ran at the same time.",
}


Row = dict[str, str]


def read_rows(name: str) -> list[Row]:
    """Return the rows of a CSV file, those of one data set and complexity beside each other."""
    with (RESULTS / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    if "complexity" in rows[0]:
        rows.sort(key=lambda row: (row["data"], int(row["complexity"]), row["engine"]))
    return rows


def result_of(row: Row) -> str:
    """Say what a fit came to, in a few words."""
    if row["stop"] == "optimal":
        proved = "optimal"
    elif row["bound"]:
        proved = f"bound {row['bound']}, gap {float(row['gap']):.1%}"
    else:
        proved = "no bound"
    seconds, limit = float(row["seconds"]), float(row["time_limit"])
    return f"loss {row['loss']}, {proved}, {seconds:.0f} s of {limit:g}"


def fits() -> str:
    """Write one line for each data set and complexity, the engines beside each other."""
    results: dict[tuple[str, str], dict[str, str]] = {}
    for row in read_rows("gpu_fits"):
        of_fit = results.setdefault((row["data"], row["complexity"]), {})
        of_fit[row["engine"]] = result_of(row)
    lines = [
        [data, complexity, *(of_fit.get(engine, "not run") for engine in ENGINES)]
        for (data, complexity), of_fit in results.items()
    ]
    return markdown(["data", "complexity", *ENGINES], lines)


def page_tables() -> dict[str, str]:
    """Return the tables that the page shows."""
    lines = [
        [row["data"], row["engine"], row["threads"], f"{int(row['nodes_per_second']):,}"]
        for row in read_rows("gpu_nodes")
    ]
    head = ["data", "engine", "threads", "nodes per second"]
    return {"nodes": markdown(head, lines), "fits": fits()}


def report() -> str:
    """Write all figures."""
    parts = ["# GPU", "Made by `python -m benchmarks.gpu.tables` from the CSV files."]
    for name, text in PARTS.items():
        rows = read_rows(name)
        facts = {", ".join(f"{f} {row[f]}" for f in FACTS if row[f]) for row in rows}
        shown = [key for key in rows[0] if key not in FACTS]
        parts += [f"## {name}", text, "\n".join(f"- {fact}" for fact in sorted(facts))]
        parts.append(markdown(shown, [[row[key] for key in shown] for row in rows]))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    (RESULTS / "gpu.md").write_text(report(), encoding="utf-8")
    fill_page(PAGE, page_tables())


if __name__ == "__main__":
    main()
