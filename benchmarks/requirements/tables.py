"""``python -m benchmarks.requirements.tables``: requirements.md, the picture and the page."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from benchmarks.learners.summaries import Mean, label
from benchmarks.markdown_tables import DOCS, fill_page, markdown
from benchmarks.requirements.figures import draw_fronts
from benchmarks.requirements.results import (
    ASKED,
    COMPLEXITIES,
    FRONTS,
    IMPOSSIBLE,
    MARGINS,
    NONE,
    NOT_FOUND,
    OPTIMAL,
    RESULTS,
    WHOLE,
    Row,
    Rows,
    gap,
    left_out,
    sheets,
)
from boolrules import Requirement

PAGE = DOCS / "requirements.md"
PICTURE = DOCS / "requirements_fronts.svg"
UNKNOWN = "-"


def small(rows: Rows) -> str:
    """Write what was lost and proved on whole tables, and of how many it was."""
    lines = []
    for (name, complexity, asked), row in rows.items():
        shares = [f"{float(row[one]):.3f}" if row[one] else UNKNOWN for one in _SHARES]
        cells = [label(name), complexity, asked, row["loss"] or UNKNOWN, bound(row), *shares]
        lines.append([*cells, f"{float(row['seconds']):.1f}"])
    head = ["data", "complexity", "asked", "Hamming loss", "bound", *_SHARES, "seconds"]
    counts = [
        proved([row for key, row in rows.items() if key[1:] == (str(C), asked)], asked, C)
        for C in COMPLEXITIES
        for asked in ASKED
    ]
    return f"{markdown(head, lines)}\n\nProved: {'; '.join(counts)}. {facts(rows)}"


_SHARES = ("precision", "recall")


def proved(rows: list[Row], asked: str, complexity: int) -> str:
    """Count the rows that are proved optimal or impossible."""
    found = [row["status"] for row in rows]
    n_impossible = found.count(IMPOSSIBLE)
    text = f"{asked} at {complexity}: {found.count(OPTIMAL) + n_impossible} of {len(found)}"
    return text + (f", {n_impossible} of them impossible" if n_impossible else "")


def bound(row: Row) -> str:
    """Write what is proved, or the bound where the optimum is not."""
    words = {OPTIMAL: "optimal", IMPOSSIBLE: "impossible", NOT_FOUND: "nothing found"}
    return words.get(row["status"]) or row["bound"] or "none"


def folds(rows: Rows) -> str:
    """Write what was asked for, what training rows gave, and what rows left out gave."""
    lines = []
    for name, asked in dict.fromkeys((key[0], key[1]) for key in rows):
        cells = []
        for margin in MARGINS:
            of = [row for key, row in rows.items() if key[:3] == (name, asked, margin)]
            found = [row for row in of if row["of"]]
            cells += [share(found, "trained_"), share(found, ""), kept(found, len(of), asked)]
        lines.append([label(name), asked, *cells])
    measures = ("training", "new", "folds that keep it")
    head = [f"{what}, margin {margin}" for margin in MARGINS for what in measures]
    table = markdown(["data", "asked", *head], lines)
    sentences = [f"{in_all(rows, margin)} with a margin of {margin}" for margin in MARGINS]
    n_proved = sum(row["status"] in (OPTIMAL, IMPOSSIBLE) for row in rows.values())
    text = f"Folds that keep it, of all: {', '.join(sentences)}."
    return f"{table}\n\n{text} {n_proved} of {len(rows)} fits are proved. {facts(rows)}"


def share(rows: list[Row], prefix: str) -> str:
    """Write the share of all folds together."""
    right = sum(int(row[f"{prefix}right"]) for row in rows)
    of = sum(int(row[f"{prefix}of"]) for row in rows)
    return f"{right / of:.3f}" if of else UNKNOWN


def n_kept(rows: list[Row], asked: str) -> int:
    """Count the folds that keep to the limit on rows left out; who flags nothing does."""
    limit = Requirement.of(asked).limit
    return sum(int(row["right"]) >= limit * int(row["of"]) - 1e-9 for row in rows)


def kept(rows: list[Row], n_folds: int, asked: str) -> str:
    """Write how many folds keep to it, and how many have no rules."""
    without = n_folds - len(rows)
    text = f"{n_kept(rows, asked)} of {len(rows)}"
    return text + (f" ({without} without rules)" if without else "")


def in_all(rows: Rows, margin: str) -> str:
    """Write how many folds keep to what they were asked for, of all with rules."""
    found = [(k[1], row) for k, row in rows.items() if k[2] == margin and row["of"]]
    return f"{sum(n_kept([row], asked) for asked, row in found)} of {len(found)}"


def front(rows: Rows, name: str, measure: str) -> str:
    """Write what each ε costs, on training rows with a proof and on rows left out."""
    of = {key: row for key, row in rows.items() if key[:2] == (name, measure)}
    lines = []
    for key, row in of.items():
        if key[-1] == WHOLE:
            *_, column, epsilon, _ = key
            lines.append([column, epsilon, *known(row, measure), *new(of, *key[:-1])])
    head = [FRONTS[name].group, "ε", "Hamming loss", "bound", "training %", "training gap"]
    head += ["seconds", "new %", "new gap (95 %)", "folds beyond ε", "folds proved"]
    n_folds = len({key[-1] for key in of} - {WHOLE})
    return f"{markdown(head, lines)}\n\n{n_folds} of 10 folds. {facts(of)}"


def known(row: Row, measure: str) -> list[str]:
    """Write loss, bound, accuracy, gap and seconds on the training rows."""
    cells = [row["loss"] or UNKNOWN, bound(row), UNKNOWN, UNKNOWN, f"{float(row['seconds']):.0f}"]
    if row["accuracy"]:
        cells[2] = f"{100 * float(row['accuracy']):.1f}"
        cells[3] = f"{gap([row['wrong_by_group']], measure).value:.4f}"
    return cells


def new(rows: Rows, *key: str) -> list[str]:
    """Write accuracy and gap on rows left out, and the folds that are beyond the limit."""
    found, measure, epsilon = left_out(rows, *key), key[1], key[3]
    if not found:
        return [UNKNOWN] * 4
    mean = Mean.of([100 * float(row["new_accuracy"]) for row in found])
    together = gap([row["new_wrong_by_group"] for row in found], measure)
    assert together.interval is not None
    low, high = together.interval
    n_proved = sum(row["status"] == OPTIMAL for row in found)
    return [
        f"{mean.value:.1f} ± {mean.error:.1f}",
        f"{together.value:.3f} ({low:.3f} to {high:.3f})",
        UNKNOWN if epsilon == NONE else f"{n_beyond(found, measure, epsilon)} of {len(found)}",
        f"{n_proved} of {len(found)}",
    ]


def n_beyond(rows: list[Row], measure: str, epsilon: str) -> int:
    """Count the folds whose rows left out have a larger gap."""
    gaps = [gap([row["new_wrong_by_group"]], measure).value or 0.0 for row in rows]
    return sum(one > float(epsilon) + 1e-9 for one in gaps)


def facts(rows: Rows) -> str:
    """Name limits, machine and commit of what was measured."""

    def all_of(name: str) -> str:
        return " or ".join(dict.fromkeys(row[name] for row in rows.values()))

    return f"Limit of a fit: {all_of('limit')} s. {all_of('facts')}."


def tables(of: dict[str, Rows]) -> dict[str, str]:
    """Return what there are rows for."""
    made = {}
    for part, write in (("small", small), ("folds", folds)):
        if of[part]:
            made[part] = write(of[part])
    for name, measure in dict.fromkeys((key[0], key[1]) for key in of["fronts"]):
        made[f"{measure} {name}"] = front(of["fronts"], name, measure)
    return made


TITLES = {
    "small": "Whole tables: what the rules lose, what is proved, and seconds",
    "folds": "Rows left out: what is left of a precision or a recall",
}


def write_tables(folder: Path) -> str:
    """Write requirements.md, the picture and, for the committed results, the page."""
    rows = {part: sheet.read() for part, sheet in sheets(folder).items()}
    made = tables(rows)
    parts = ["# Requirements", "Made by `make bench-requirements`."]
    for name, table in made.items():
        parts += [f"## {TITLES.get(name, name.capitalize())}", table]
    text = "\n\n".join(parts) + "\n"
    (folder / "requirements.md").write_text(text, encoding="utf-8")
    if rows["fronts"]:
        draw_fronts(rows["fronts"], folder / "requirements_fronts.svg")
    if folder == RESULTS:
        fill_page(PAGE, made)
        shutil.copy(folder / "requirements_fronts.svg", PICTURE)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.requirements.tables")
    parser.add_argument("--output", type=Path, default=RESULTS)
    print(write_tables(parser.parse_args().output.resolve()))


if __name__ == "__main__":
    main()
