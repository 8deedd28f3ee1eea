"""``python -m benchmarks.gpu.tables``: gpu.md from the CSV files."""

from __future__ import annotations

import csv

from benchmarks.gpu.__main__ import RESULTS

FACTS = ("gpu", "cores", "python", "boolrules", "numpy", "numba", "highspy", "torch", "triton")
PARTS = {
    "gpu_nodes": "FICO, all clauses of at most 5 conditions, at the duals where the heuristics "
    "find nothing more: the best of three runs. `is_done` says whether the search came to an end.",
    "gpu_fits": "Whole fits with clauses of at most 5 conditions. Both engines ran on the same "
    "machine at the same time, on the threads that are named.",
}


def main() -> None:
    lines = ["# GPU", "", "Made by `python -m benchmarks.gpu.tables` from the CSV files.", ""]
    for name, text in PARTS.items():
        path = RESULTS / f"{name}.csv"
        if not path.exists():
            continue
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        facts = {", ".join(f"{f} {row[f]}" for f in FACTS if row[f]) for row in rows}
        shown = [key for key in rows[0] if key not in FACTS]
        lines += [f"## {name}", "", text, "", *(f"- {fact}" for fact in sorted(facts)), ""]
        lines += [f"| {' | '.join(shown)} |", f"|{' --- |' * len(shown)}"]
        if "complexity" in shown:
            rows.sort(key=lambda row: (row["data"], int(row["complexity"]), row["engine"]))
        lines += [f"| {' | '.join(row[key] for key in shown)} |" for row in rows]
        lines.append("")
    (RESULTS / "gpu.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
