"""``boolrules path``: rules for a whole range of complexities, and help to choose one."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from boolrules.cli.choosing import (
    add_choice_options,
    check_choice,
    check_objective,
    choose,
    what_chose,
    what_was_chosen,
)
from boolrules.cli.options import (
    add_constraint_options,
    add_data_options,
    add_output_options,
    add_parameter,
    add_search_options,
    add_table_options,
    add_task_options,
)
from boolrules.cli.output import say, tell
from boolrules.cli.stopping import INTERRUPTED
from boolrules.cli.writing import write_picture

if TYPE_CHECKING:
    import argparse

    from boolrules import BooleanRuleClassifierCV
    from boolrules.cli.on_dask import DaskTask
    from boolrules.cli.task import Task
    from boolrules.estimators.complexity_path import ComplexityPath, PathPoint

PATH_SECONDS, CV_SECONDS = 60, 180

EXAMPLES = """examples:
  what each complexity buys on the training data, as a table and a picture:
    boolrules path credit.csv --target risk --positive high --plot front.png
  let ten folds choose among them, and keep the rules that they choose:
    boolrules path credit.csv --target risk --positive high --cv 10 --save model.json
  choose by what a rare class is worth, and prefer simple rules:
    boolrules path credit.csv --target risk --cv 10 --scoring f1 --choice one_standard_error
  a few complexities only, for a program to read:
    boolrules path credit.csv --target risk --complexities 2-6,10 --json
  what each limit of a requirement costs, at one complexity:
    boolrules path credit.csv --target risk --require "recall >= 0.5" --limits 0.5,0.7,0.9
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    from boolrules.cli.price import LIMITS_SECONDS, numbers

    parser.description = (
        "Learn rules for a range of complexities in one run. With --cv, rows left\n"
        "out choose among them; otherwise the rules of least training loss are printed."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add_data_options(parser)
    choice = parser.add_argument_group("how the complexity is chosen")
    add_choice_options(choice, folds=None)
    choice.add_argument(
        "--limits",
        type=numbers,
        metavar="LIST",
        help="limits of the last --require to go through instead, such as 0.01,0.05,0.1",
    )
    add_task_options(parser.add_argument_group("what is learned"))
    add_table_options(parser)
    add_constraint_options(parser)
    run_ = parser.add_argument_group("how long, how, and what comes out")
    seconds = f"for the whole run (default {PATH_SECONDS}; {CV_SECONDS} with --cv, "
    seconds += f"{LIMITS_SECONDS} with --limits)"
    add_parameter(run_, "time_limit", default=None, text=seconds)
    add_search_options(run_)
    threads = "threads, or folds at a time with --cv; all cores if it is left out"
    add_parameter(run_, "n_jobs", text=threads)
    seed = "for the folds, and for sampling on large data (default 0)"
    add_parameter(run_, "random_state", default=0, text=seed)
    run_.add_argument("--plot", metavar="FRONT.png", help="draw the trade-off; also .pdf and .svg")
    add_output_options(run_)


def run(options: argparse.Namespace) -> int:
    """Learn, choose, save, draw, print."""
    from boolrules.cli.price import run_limits
    from boolrules.cli.show import show_model, show_path
    from boolrules.cli.task import (
        exit_code,
        make_classifier,
        read_task,
        save_model,
        training_figures,
        training_standings,
        warnings_as_lines,
    )
    from boolrules.estimators.complexity_path import DEFAULT_PATIENCE, fit_path

    _check(options)
    started = time.monotonic()
    task = read_task(options)
    if options.limits:
        return run_limits(options, task)
    if options.time_limit is None:
        options.time_limit = PATH_SECONDS if options.cv is None else CV_SECONDS
    classifier = make_classifier(options, task)
    search = None
    with warnings_as_lines():
        if options.cv is None:
            path = fit_path(
                *(classifier, task.table, task.y, task.weights, options.complexities),
                patience=DEFAULT_PATIENCE,
            )
        else:
            search = choose(options, classifier, task, proves="path")
            path = search.path_
    chosen = path.efficient[-1] if search is None else path.at(search.best_complexity_)
    seconds = round(time.monotonic() - started, 3)
    try:
        if options.save:
            save_model(chosen.classifier, options)
        if options.plot:
            _draw(options.plot, path, chosen, search)
    finally:  # what cannot be written can still be read
        if options.json:
            figures = _figures(path, chosen, search, task, seconds)
            say(json.dumps(figures, ensure_ascii=False, allow_nan=False))
        else:
            scores = [] if search is None else path.scores(search.cv_results_)
            scoring = what_chose(search) if search is not None else ""
            show_path(
                path, chosen, scores, scoring, _reason(chosen, search), _notes(path, options)
            )
            model = chosen.classifier
            standings = training_standings(model, task)
            left_out = None if search is None else search.held_out_standings_
            show_model(model, training_figures(model, task), standings, left_out)
    code = exit_code(point.classifier for point in path)
    if search is not None and search.is_interrupted_:
        code = INTERRUPTED
    if code:
        tell(_cut_short(path))
    return code


def _cut_short(path: ComplexityPath) -> str:
    return (
        "interrupted: the path was cut short at complexity "
        f"{path[-1].max_complexity:g}. A whole run may go further, lose less and prove more."
    )


def _check(options: argparse.Namespace) -> None:
    """Turn down what cannot work before any work is done."""
    from boolrules.cli.price import check_limits
    from boolrules.insight.report import check_picture

    if options.cv is None:
        for name in ("repeats", "choice", "scoring"):
            if getattr(options, name) is not None:
                raise ValueError(
                    f"--{name} is for cross-validation. Add --cv 10, or leave it out."
                )
    if options.limits:
        check_limits(options)
    else:
        check_objective(options)
    check_choice(options)
    if options.plot:
        check_picture(options.plot)


def _reason(chosen: PathPoint, search: BooleanRuleClassifierCV | None) -> str:
    if search is None:
        return (
            f"complexity at most {chosen.max_complexity:g}, the least training loss, which need "
            "not be best on new rows. To choose by rows left out, add --cv 10"
        )
    return what_was_chosen(search)


def _notes(path: ComplexityPath, options: argparse.Namespace) -> list[str]:
    """Say why a path begins later than it was asked to."""
    from boolrules.estimators.complexity_path import DEFAULT_COMPLEXITIES

    first, asked = path[0], options.complexities or DEFAULT_COMPLEXITIES
    if first.max_complexity <= min(asked):
        return []
    return [
        f"Below complexity {first.max_complexity:g} no rules were found that meet the "
        "requirements."
    ]


def _figures(
    path: ComplexityPath,
    chosen: PathPoint,
    search: BooleanRuleClassifierCV | None,
    task: Task | DaskTask,
    seconds: float,
) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    from boolrules.cli.notes import plain_notes

    return {
        "points": [point.to_row() | _rules(point) | _requirements(point, task) for point in path],
        "chosen": chosen.max_complexity,
        "cv": None if search is None else _cv_figures(search),
        "seconds": seconds,
        "notes": plain_notes(task.notes),
    }


def _rules(point: PathPoint) -> dict[str, Any]:
    rule_sets = [
        {"label": rules.positive, "form": str(rules.form), "rules": rules.to_text()}
        for rules in point.classifier.rule_sets_
    ]
    if len(rule_sets) > 1:
        return {"rule_sets": rule_sets}
    return {"form": rule_sets[0]["form"], "rules": rule_sets[0]["rules"]}


def _requirements(point: PathPoint, task: Task | DaskTask) -> dict[str, Any]:
    from boolrules.cli.requirements import plain
    from boolrules.cli.task import training_standings

    standings = training_standings(point.classifier, task)
    return {"requirements": plain(standings)}


def _cv_figures(search: BooleanRuleClassifierCV) -> dict[str, Any]:
    from boolrules.cli.requirements import plain

    results = search.cv_results_
    columns = ("mean_test_score", "std_test_score", "standard_error", "mean_complexity")
    return {
        "choice": search.choice,
        "n_splits": sum(name.startswith("split") for name in results),
        "scoring": what_chose(search),
        "best_params": search.best_params_,
        "best_score": search.best_score_,
        "requirements": plain(search.held_out_standings_),
        "results": [
            params
            | {name: float(results[name][k]) for name in columns}
            | {"rank_test_score": int(results["rank_test_score"][k])}
            for k, params in enumerate(results["params"])
        ],
    }


def _draw(
    file: str, path: ComplexityPath, chosen: PathPoint, search: BooleanRuleClassifierCV | None
) -> None:
    from boolrules.insight.report import plot_path

    cv_results = None if search is None else search.cv_results_
    write_picture(
        lambda: plot_path(path, cv_results=cv_results, chosen=chosen.max_complexity), file
    )
