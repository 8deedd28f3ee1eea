"""``python -m benchmarks.thresholds.tables``: thresholds.md, and the page, from the CSV file."""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean

from benchmarks.learners.summaries import Mean, label
from benchmarks.markdown_tables import DOCS, fill_page, markdown
from benchmarks.thresholds.results import KINDS, PARTS, RESULTS, Key, Row, ThresholdFile

PAGE = DOCS / "every_threshold.md"
NONE = "-"
Pair = dict[str, Row]


def pairs(rows: dict[Key, Row], part: str) -> dict[tuple[str, int], Pair]:
    """Return, for each data set and complexity, the rows that have that part, by thresholds."""
    found: dict[tuple[str, int], Pair] = {}
    for (name, complexity, kind), row in rows.items():
        if row[PARTS[part][-1]]:
            found.setdefault((name, complexity), {})[kind] = row
    return found


def fits(rows: dict[Key, Row]) -> str:
    """Write what was lost and proved on whole tables, and how many lines were proved."""
    lines = []
    for (name, complexity), pair in pairs(rows, "fits").items():
        cells = [_fit_cells(pair[kind]) if kind in pair else [NONE] * 4 for kind in KINDS]
        columns = [cell for both in zip(*cells, strict=True) for cell in both]
        lines.append([label(name), str(complexity), *columns])
    measures = ("conditions", "Hamming loss", "bound", "seconds")
    head = ["data", "complexity", *(f"{m}: {kind}" for m in measures for kind in KINDS)]
    counts = ", ".join(
        f"{kind} {sum(row['is_optimal'] == 'True' for row in of)} of {len(of)}"
        for kind in KINDS
        if (of := [row for row in rows.values() if row["thresholds"] == kind and row["facts"]])
    )
    return f"{markdown(head, lines)}\n\nProved optimal: {counts}. {facts(rows, 'fits')}"


def _fit_cells(row: Row) -> list[str]:
    bound = "optimal" if row["is_optimal"] == "True" else row["bound"] or "none"
    return [
        f"{int(row['n_conditions']):,}",
        f"{float(row['loss']):g}",
        bound,
        f"{float(row['seconds']):.1f}",
    ]


def accuracies(row: Row) -> list[float]:
    """Accuracy in percent on each fold."""
    return [100 * float(word) for word in row["fold_accuracies"].split()]


def differences(pair: Pair) -> list[float]:
    """What all thresholds gain over deciles, fold by fold; none where folds are not the same."""
    if len(pair) < len(KINDS):
        return []
    before, after = (accuracies(pair[kind]) for kind in KINDS)
    if len(before) != len(after):
        return []
    return [b - a for a, b in zip(before, after, strict=True)]


def signed(value: float) -> str:
    """Write a difference; one that rounds to nothing has no sign of its own."""
    return f"{round(value, 1) + 0.0:+.1f}"


def held_out(rows: dict[Key, Row]) -> str:
    """Write accuracy on rows left out, the difference on the same folds, and means of these."""
    measured = pairs(rows, "folds")
    lines = [_fold_cells(*key, pair) for key, pair in measured.items()]
    whole = {key: pair for key, pair in measured.items() if differences(pair)}
    for complexity in sorted({complexity for _, complexity in whole}):
        of = [pair for (_, c), pair in whole.items() if c == complexity]
        means = [fmean(fmean(accuracies(pair[kind])) for pair in of) for kind in KINDS]
        gain = fmean(fmean(differences(pair)) for pair in of)
        majority = 100 * fmean(float(pair["all"]["fold_majority"]) for pair in of)
        cells = [f"{value:.1f}" for value in means] + [signed(gain), f"{majority:.1f}", ""]
        lines.append([f"mean of {len(of)}", str(complexity), *cells])
    head = ["data", "complexity", "deciles %", "all %", "all - deciles", "no rules %"]
    table = markdown([*head, "folds proved: deciles, all"], lines)
    gains = [Mean.of(differences(pair)) for pair in whole.values()]
    better = sum(gain.value > gain.error for gain in gains)
    worse = sum(-gain.value > gain.error for gain in gains)
    return (
        f"{table}\n\nBy more than one standard error of the difference, all thresholds are better "
        f"in {better} of {len(gains)} lines and worse in {worse}. {facts(rows, 'folds')}"
    )


def _fold_cells(name: str, complexity: int, pair: Pair) -> list[str]:
    means = [
        "{0.value:.1f} ± {0.error:.1f}".format(Mean.of(accuracies(pair[kind])))
        if kind in pair
        else NONE
        for kind in KINDS
    ]
    gain = NONE
    if gained := differences(pair):
        mean = Mean.of(gained)
        gain = f"{signed(mean.value)} ± {mean.error:.1f}"
    majority = 100 * float(next(iter(pair.values()))["fold_majority"])
    proved = ", ".join(pair[kind]["folds_proved"] if kind in pair else NONE for kind in KINDS)
    return [label(name), str(complexity), *means, gain, f"{majority:.1f}", proved]


def facts(rows: dict[Key, Row], part: str) -> str:
    """Name limits, folds, machine and commit of what was measured."""
    limit, name = PARTS[part][-2:]
    of = [row for row in rows.values() if row[name]]

    def all_of(values: list[str]) -> str:
        return " or ".join(dict.fromkeys(values))

    folds = all_of([str(len(row["fold_accuracies"].split())) for row in of])
    what = "Limit of a fit" if part == "fits" else f"{folds} folds, limit of a fit"
    return f"{what}: {all_of([row[limit] for row in of])} s. {all_of([row[name] for row in of])}."


def tables(rows: dict[Key, Row]) -> dict[str, str]:
    """Return what there are rows for."""
    written = {"fits": fits, "folds": held_out}
    return {part: write(rows) for part, write in written.items() if pairs(rows, part)}


TITLES = {
    "fits": "Whole tables: what the rules lose, what is proved, and seconds",
    "folds": "Rows left out: accuracy, thresholds found without the rows of the fold",
}


def write_tables(folder: Path) -> str:
    """Write thresholds.md and, for the committed results, the page; return the former."""
    made = tables(ThresholdFile.of(folder).read())
    parts = ["# Deciles against every threshold", "Made by `make bench-thresholds`."]
    for part, table in made.items():
        parts += [f"## {TITLES[part]}", table]
    text = "\n\n".join(parts) + "\n"
    (folder / "thresholds.md").write_text(text, encoding="utf-8")
    if folder == RESULTS:
        fill_page(PAGE, made)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.thresholds.tables")
    parser.add_argument("--output", type=Path, default=RESULTS)
    print(write_tables(parser.parse_args().output.resolve()))


if __name__ == "__main__":
    main()
