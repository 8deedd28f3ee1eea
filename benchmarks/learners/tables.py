"""Tables from the CSV files of results, no number typed.

They go to ``benchmarks/results/learners.md``, and into the marked places of pages in ``docs``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.learners.accuracy import Accuracy
from benchmarks.learners.behind import behind
from benchmarks.learners.dominance import dominance
from benchmarks.learners.duels import duels
from benchmarks.learners.printed import against_printed
from benchmarks.learners.ranges import ends, limits
from benchmarks.learners.registry import all_learners
from benchmarks.learners.results import DONE, RESULTS, Row, as_one, read_results
from benchmarks.learners.said_more import calibration, failures, proofs
from benchmarks.learners.standings import Standings, headline, means_of_variants
from benchmarks.learners.summaries import (
    DATA_ORDER,
    OURS,
    label,
    names_in_paper,
    paper_values,
    readable_learners,
    unreadable_learners,
    variants,
)
from benchmarks.markdown_tables import DOCS, fill_page, markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DECILES = f"{OURS} deciles"  # with the thresholds that other learners of rules have
PAGES = [DOCS / "evaluation.md"]


def gaps(rows: list[Row]) -> str:
    """Write what is proved on all rows at complexity 15; the paper prints one gap."""
    learners, lines, paper = list(names_in_paper()), [], paper_values()

    def place(row: Row) -> tuple[int, int]:
        return DATA_ORDER.index(row["data"]), learners.index(row["learner"])

    for row in sorted(rows, key=place):
        if row["status"] != DONE:
            lines.append([label(row["data"]), row["learner"], row["status"], *["-"] * 5])
            continue
        gap = f"{float(row['gap']):.1%}" if row["gap"] else "-"
        in_paper = (
            paper.get(("gap", row["data"], "CG")) if row["learner"] == "boolrules DNF" else None
        )
        printed = f"{in_paper[0]:.1f}%" if in_paper else "-"
        lines.append(
            [
                label(row["data"]),
                row["learner"],
                f"{float(row['loss']):g}",
                f"{float(row['bound']):g}" if row["bound"] else "none",
                gap,
                printed,
                row["argument"],
                f"{float(row['seconds']):.1f}",
            ]
        )
    head = ["data", "learner", "Hamming loss", "bound", "gap", "paper's gap"]
    head += ["argument", "seconds"]
    return markdown(head, lines) if lines else "No gap has been measured yet."


def missing_learners(rows: Iterable[Row]) -> str:
    """List the learners without any result, with the reason."""
    seen = {row["learner"] for row in rows}
    missing = {as_one(one.name): one for one in all_learners().values()}
    lines = [
        f"- {name}: {one.unobtainable() or 'not run yet'}."
        for name, one in missing.items()
        if name not in seen
    ]
    return "\n".join(lines) or "None."


def facts_of(rows: list[Row]) -> str:
    """Name machine, versions and commits of the rows that were measured."""

    def all_of(field: str) -> str:
        return "; ".join(dict.fromkeys(row[field] for row in rows))

    versions = dict.fromkeys(word for row in rows for word in row["versions"].split())
    folds = sorted({row["fold"] for row in rows})
    settings = "Quick settings" if rows[0]["settings"] == "quick" else "Full settings"
    return (
        f"{settings}: {len(rows)} rows, {'' if folds == ['all'] else 'folds '}"
        f"{', '.join(folds)} of ten; machine "
        f"{all_of('machine')}; seed {all_of('seed')}; commit {all_of('commit')}; "
        f"{', '.join(versions)}."
    ).replace("all of ten", "all rows of the data")


def report(rows: Mapping[str, list[Row]]) -> dict[str, str]:
    """Return every table by name, as far as there are rows for it."""
    tables = {}
    if rows["accuracy"]:
        of = Accuracy(rows["accuracy"])
        tables |= {
            "facts": facts_of(of.rows),
            "limits": limits(of.rows),
            "ends": ends(of.rows, rows["fronts"]),
            "accuracy": of.table("accuracy", readable_learners()),
            "accuracy of others": of.table("accuracy", unreadable_learners()),
            "accuracy of variants": of.table("accuracy", variants()),
            "means of variants": means_of_variants(of),
            "complexity": of.table("complexity", readable_learners()),
            "complexity of variants": of.table("complexity", variants()),
            "proofs": proofs(of.rows),
            "calibration": calibration(of.rows),
            "paper": of.against_paper(OURS),
            "duels": duels(of, OURS),
            "duels of deciles": duels(of, DECILES),
            "behind": behind(of.rows, rows["fronts"], OURS),
            "seconds": of.times(rows["times"]),
        }
        if rows["times"]:
            tables["facts of times"] = facts_of(rows["times"])
        tables |= standing(of)
    if rows["fronts"]:
        tables["facts of fronts"] = facts_of(rows["fronts"])
        tables["fronts"] = dominance(rows["fronts"], OURS)
        tables["failures"] = failures(rows["fronts"])
        tables["fronts against printed"] = against_printed(rows["fronts"], rows["accuracy"], OURS)
    if rows["gaps"]:
        tables["facts of gaps"] = facts_of(rows["gaps"])
        tables["limits of gaps"] = limits(rows["gaps"])
        tables["gaps"] = gaps(rows["gaps"])
    tables["missing"] = missing_learners(rows["accuracy"])
    return tables


def standing(of: Accuracy) -> dict[str, str]:
    """Return the tables of ranks, and what they come to."""
    small, every = (Standings.of(of, group) for group in ("small", "all"))
    tables = {
        f"ranks of {group}": f"{standings.table()}\n\n{standings.significance()}"
        for group, standings in (("small", small), ("all", every))
        if standings is not None
    }
    if small is not None:
        tables["headline"] = headline(small, every)
    return tables


PICTURES = {
    "headline": "Accuracy over complexity of every learner, means over data sets",
    "ranks of small": "Mean ranks over the small data sets, joined where they do not differ",
    "ranks of all": "Mean ranks over all data sets, joined where they do not differ",
    "accuracy": "Accuracy of each learner on each data set, with the paper's CG as a black line",
    "fronts": "Accuracy over complexity for each data set",
}


def page_tables(rows: Mapping[str, list[Row]]) -> dict[str, str]:
    """Return the tables as the pages show them: some with a picture."""
    tables = report(rows)
    for name in PICTURES.keys() & tables.keys():
        picture = f"![{PICTURES[name]}](evaluation_{name.replace(' ', '_')}.svg)"
        parts = (picture, tables[name]) if name == "headline" else (tables[name], picture)
        tables[name] = "\n\n".join(parts)
    return tables


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learners.tables", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--output", type=Path, default=RESULTS)
    folder = parser.parse_args(arguments).output.resolve()
    rows = read_results(folder)
    tables = report(rows)
    parts = ["Made by `make bench-paper` from the `learners_*.csv` files beside it.\n"]
    parts += [f"## {name.capitalize()}\n\n{table}\n" for name, table in tables.items()]
    path = folder / "learners.md"
    path.write_text("\n".join(parts), encoding="utf-8")
    print(f"Wrote {path}")
    if folder == RESULTS:
        for page in PAGES:
            fill_page(page, page_tables(rows))


if __name__ == "__main__":
    main()
