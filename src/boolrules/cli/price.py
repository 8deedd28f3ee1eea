"""``boolrules path --limits``: what each limit of a requirement costs."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from boolrules.cli.output import say
from boolrules.cli.printable import printable
from boolrules.cli.writing import write_picture

if TYPE_CHECKING:
    from boolrules.cli.on_dask import DaskTask
    from boolrules.cli.task import Task
    from boolrules.data.requirement import Requirement
    from boolrules.estimators.requirement_path import RequirementPath, RequirementPoint

LIMITS_SECONDS = 300


def numbers(text: str) -> list[float]:
    """Read a list of numbers, such as 0.01,0.05."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r:.80} is no list of numbers, such as 0.01,0.05,0.1"
        ) from None


def check_limits(options: argparse.Namespace) -> None:
    """Turn down what does not go with limits."""
    for name in ("cv", "save"):
        if getattr(options, name):
            raise ValueError(
                f"--{name} does not go with --limits, which learns rules for each. Use boolrules "
                "fit with the limit that you choose."
            )
    if options.complexities is not None and len(options.complexities) > 1:
        raise ValueError("--limits goes with one complexity. Write --complexities 8, for example.")


def run_limits(options: argparse.Namespace, task: Task | DaskTask) -> int:
    """Learn rules under each limit, draw, print."""
    from boolrules.cli.notes import plain_notes
    from boolrules.cli.task import make_classifier, warnings_as_lines
    from boolrules.estimators.requirement_path import fit_requirement_path
    from boolrules.insight.report import plot_price

    if options.time_limit is None:
        options.time_limit = LIMITS_SECONDS
    C = {"max_complexity": options.complexities[0]} if options.complexities else {}
    classifier = make_classifier(options, task, **C)
    if not classifier.requirements:
        raise ValueError(
            "--limits goes through those of a requirement. Add it, such as --require 'precision "
            ">= 0.9'."
        )
    *others, varied = classifier.requirements
    classifier.set_params(requirements=others)
    with warnings_as_lines():
        path = fit_requirement_path(
            classifier, task.table, task.y, task.weights, varied, options.limits
        )
    try:
        if options.plot:
            write_picture(lambda: plot_price(path), options.plot)
    finally:  # what cannot be drawn can still be read
        _print(path, varied, options, plain_notes(task.notes))
    return 0


def _print(
    path: RequirementPath,
    varied: Requirement,
    options: argparse.Namespace,
    notes: list[dict[str, Any]],
) -> None:
    if options.json:
        points = [
            row | {"rules": _rules(point)} for row, point in zip(path.to_rows(), path, strict=True)
        ]
        figures = {"requirement": str(varied), "points": points, "notes": notes}
        say(json.dumps(figures, ensure_ascii=False))
        return
    say(printable(str(path)))
    for point in path:
        if point.classifier is not None:
            say(printable(f"\n{point.requirement}:\n{point.classifier.rule_set_}"))


def _rules(point: RequirementPoint) -> Any:
    return None if point.classifier is None else point.classifier.rule_set_.to_text()
