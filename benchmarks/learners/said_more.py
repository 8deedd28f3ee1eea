"""What some learners say beside yes and no: how likely, and how good any rules could be."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.learners.accuracy import by_fold
from benchmarks.learners.results import DONE
from benchmarks.learners.summaries import in_order, label, names_in_paper, variants
from benchmarks.markdown_tables import markdown

if TYPE_CHECKING:
    from benchmarks.learners.results import Row

RECORDED_SINCE = "2026-11-18"  # failed fits of fronts


def calibration(rows: list[Row]) -> str:
    """Write Brier score and log loss on rows left out, of the learners that have probabilities."""
    brier, log_loss = by_fold(rows, "brier"), by_fold(rows, "log_loss")
    ours = variants()[1:]  # with less to choose from
    names = [n for n in names_in_paper() if n not in ours and any(k[1] == n for k in brier)]
    if not names:
        return "No probability has been measured yet."
    n_folds = max(len(folds) for folds in brier.values())
    lines = []
    for one in in_order(name for name, _ in brier):
        cells = []
        for name in names:
            both = [values.get((one, name)) for values in (brier, log_loss)]
            means = [f"{np.mean(list(v.values())):.3f}" for v in both if v]
            n = len(brier.get((one, name), ()))
            fewer = f" ({n} fold{'s' if n > 1 else ''})" if 0 < n < n_folds else ""
            cells.append((" / ".join(means) or "-") + fewer)
        lines.append([label(one), *cells])
    return markdown(["data", *names], lines)


def proofs(rows: list[Row]) -> str:
    """Write what refits of ours prove: mean loss and bound, and how many are optimal."""
    done = [row for row in rows if row["status"] == DONE and row.get("loss")]
    names = [name for name in variants() if name in {row["learner"] for row in done}]
    if not names:
        return "No refit has been measured yet."
    lines = []
    for one in in_order(row["data"] for row in done):
        cells = []
        for name in names:
            of = [r for r in done if (r["data"], r["learner"]) == (one, name)]
            cells.append(_proved(of) if of else "-")
        lines.append([label(one), *cells])
    return markdown(["data", *names], lines)


def failures(front_rows: list[Row]) -> str:
    """Say how many fits of a front failed, by learner and parameter, and where it is unknown."""
    done = [row for row in front_rows if row["status"] == DONE]
    recorded = [row for row in done if row["date"] >= RECORDED_SINCE]
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in recorded:
        counts[row["learner"], row["parameter"]].append(bool(row["failure"]))
    lines = [
        [name, parameter, str(sum(failed)), str(len(failed))]
        for (name, parameter), failed in counts.items()
        if any(failed)
    ]
    head = ["learner", "parameter", "failed", "of"]
    known = {row["learner"] for row in recorded}
    older = [name for name in names_in_paper() if name in {r["learner"] for r in done} - known]
    text = markdown(head, lines) if lines else f"None of {len(recorded)} fits failed."
    return text + (f" Not recorded for {', '.join(older)}." if older else "")


def _proved(rows: list[Row]) -> str:
    """Mean loss, mean bound where each fold has one, and the folds that are proved optimal."""
    n_proved = sum(row["gap"] != "" and float(row["gap"]) == 0 for row in rows)
    loss = np.mean([float(row["loss"]) for row in rows])
    bounds = [float(row["bound"]) for row in rows if row["bound"]]
    n_without = len(rows) - len(bounds)
    bound = f"none on {n_without}" if n_without else f"{np.mean(bounds):.1f}"
    return f"{loss:.1f} / {bound}, {n_proved} of {len(rows)}"
