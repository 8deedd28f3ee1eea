"""``boolrules report``: one HTML page about rules and how good they are."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boolrules._support.budget import Budget
from boolrules.cli.choosing import FOLDS, add_choice_options, check_choice, check_objective, choose
from boolrules.cli.cluster import is_on_dask
from boolrules.cli.options import (
    add_constraint_options,
    add_data_options,
    add_output_options,
    add_parameter,
    add_search_options,
    add_table_options,
    add_task_options,
)
from boolrules.cli.output import say
from boolrules.cli.printable import printable
from boolrules.cli.stopping import INTERRUPTED

if TYPE_CHECKING:
    from boolrules.data.standing import Standings
    from boolrules.insight.report import Report

# From an empty environment to a page about 10,000 rows by 20 columns in two minutes, installation
# included.
SECONDS = 30

EXAMPLES = """examples:
  learn rules, choose among them by rows left out, and write the page:
    boolrules report credit.csv --target risk --positive high -o report.html
  take longer, keep the model, and leave the rows out of the page:
    boolrules report credit.csv --target risk --time-limit 300 --save model.json --max-rows 0
  report a model that was saved, on the rows that it was learned from or on new ones:
    boolrules report credit.csv --model model.json -o report.html
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Learn rules for a range of complexities, choose among them by rows left\n"
        "out, and write one HTML page about them that needs no network. With --model,\n"
        "report a saved model instead."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add_data_options(parser, needs_target=False)
    page = parser.add_argument_group("the page")
    page.add_argument(
        *("-o", "--output"),
        default="report.html",
        metavar="REPORT.html",
        help="where to write it (default report.html)",
    )
    page.add_argument("--title", metavar="TEXT", help="its heading")
    page.add_argument(
        "--word",
        type=_word,
        action="append",
        metavar="NAME=WORD",
        help="what rows or a label are called on it, such as rows=patients or 1=ill; give it "
        "once for each",
    )
    page.add_argument(
        "--alternatives",
        type=int,
        default=5,
        metavar="N",
        help="how many other rule sets to show that are as good (default 5; 0 for none)",
    )
    page.add_argument(
        "--max-rows",
        type=int,
        default=10_000,
        metavar="N",
        help="rows that it carries, so that they can be looked up (default 10000; 0 for none)",
    )
    page.add_argument("--model", metavar="MODEL.json", help="report this model; learn nothing")
    choice = parser.add_argument_group("how the complexity is chosen")
    add_choice_options(choice, folds=FOLDS)
    add_task_options(parser.add_argument_group("what is learned"))
    add_table_options(parser)
    add_constraint_options(parser)
    run_ = parser.add_argument_group("how long, how, and what else comes out")
    seconds = f"for learning and for the alternatives (default {SECONDS})"
    add_parameter(run_, "time_limit", default=SECONDS, text=seconds)
    add_search_options(run_)
    add_parameter(run_, "n_jobs", text="folds at a time; all cores if it is left out")
    seed = "for the folds, and for sampling on large data (default 0)"
    add_parameter(run_, "random_state", default=0, text=seed)
    add_output_options(run_)


def _word(text: str) -> tuple[str, str]:
    """Read a name and what it is called."""
    name, sign, word = text.partition("=")
    if not (name.strip() and sign and word.strip()):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a name and its word. Write it as rows=patients or 1=ill."
        )
    return name.strip(), word.strip()


def run(options: argparse.Namespace) -> int:
    """Learn or load, write the page, say what is in it."""
    from boolrules.cli.requirements import plain_standings

    _check(options)
    started = time.monotonic()
    written = _report_file(options) if options.model else _report_data(options)
    report = written.report
    report.save(options.output)
    facts = report.facts.to_plain() | {
        **plain_standings(written.standings, written.left_out),
        "output": options.output,
        "seconds": round(time.monotonic() - started, 3),
    }
    if options.json:
        say(json.dumps(facts, ensure_ascii=False, allow_nan=False))
    else:
        say(printable(_in_short(written, options.output)), end="")
    return written.code


def _check(options: argparse.Namespace) -> None:
    """Turn down what cannot work before any work is done."""
    if options.model:
        for name in ("positive", "save", "complexities", "repeats", "choice", "scoring"):
            if getattr(options, name) is not None:
                raise ValueError(
                    f"--{name} is for learning, but --model reports a model as it is. Leave one "
                    "of them out."
                )
        if options.require:
            raise ValueError(
                "--require is for learning, but --model reports a model as it is, with the "
                "requirements that it was learned under. Leave one of them out."
            )
    elif options.target is None:
        raise ValueError("the following arguments are required: --target (or --model)")
    else:
        check_objective(options)
    check_choice(options)
    if options.max_rows < 0:
        raise ValueError(f"--max-rows {options.max_rows} is below zero. Use 0 for none.")
    if options.alternatives < 0:
        raise ValueError(f"--alternatives {options.alternatives} is below zero. Use 0 for none.")


@dataclass(frozen=True, eq=False)
class _Written:
    """A page, how its rules stand to requirements on the rows given and on rows left out."""

    report: Report
    standings: Standings | None
    left_out: Standings | None = None
    code: int = 0


def _report_data(options: argparse.Namespace) -> _Written:
    from boolrules import make_report
    from boolrules.cli.task import (
        Task,
        exit_code,
        make_classifier,
        read_task,
        save_model,
        training_standings,
        warnings_as_lines,
    )
    from boolrules.estimators.reporting import STOPPED, learning_budget
    from boolrules.insight.report.words import Words

    task = read_task(options)
    if isinstance(task, Task) and options.word:  # before learning, not after
        Words.of(task.y.unique().to_list(), options.target, dict(options.word))
    budget = Budget.of(options.time_limit)
    limit = learning_budget(budget, options.alternatives).time_limit
    with warnings_as_lines():
        classifier = make_classifier(options, task)
        search = choose(options, classifier, task, proves="path", time_limit=limit)
        code = exit_code(point.classifier for point in search.path_)
        code = INTERRUPTED if search.is_interrupted_ else code
        page = _page_options(options)
        if code and options.alternatives:
            page["alternatives"] = STOPPED
        report = make_report(
            search,
            task.table,
            task.y,
            sample_weight=task.weights,
            sha256=task.sha256,
            time_limit=budget.time_limit,
            notes=[note for note in task.notes if note.column == options.target],
            row_numbers=task.row_numbers,
            **page,
        )
    if options.save:
        save_model(search.best_estimator_, options)
    standings = training_standings(search.best_estimator_, task)
    return _Written(report, standings, search.held_out_standings_, code)


def _report_file(options: argparse.Namespace) -> _Written:
    from boolrules import make_report
    from boolrules.cli.fitted_data import read_fitted_data
    from boolrules.cli.on_dask import bring_fitted_data
    from boolrules.cli.requirements import standings_on

    given = bring_fitted_data(options) if is_on_dask(options) else read_fitted_data(options)
    report = make_report(
        given.model,
        given.frame,
        given.labels.values,
        sample_weight=given.weights,
        sha256=given.sha256,
        time_limit=options.time_limit,
        notes=given.notes,
        row_numbers=given.row_numbers,
        **_page_options(options),
    )
    return _Written(report, standings_on(given, options.data))


def _page_options(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "max_rows": options.max_rows,
        "alternatives": options.alternatives,
        "words": dict(options.word) if options.word else None,
        "title": options.title,
        "source": Path(options.data).name,
    }


def _in_short(written: _Written, output: str) -> str:
    report, facts = written.report, written.report.facts
    point = facts.points[facts.chosen]
    right = f"{point.accuracy:.1%} right on the {facts.data.n_rows} rows given"
    if facts.held_out is not None:
        right = f"{facts.held_out.accuracy:.1%} right on rows left out, {right}"
    return (
        f"Wrote {output} ({len(report.html) / 1e6:.1f} MB). Open it in a browser.\n"
        f"{point.headline.sentence} {point.headline.source}\n"
        f"Chosen: complexity at most {point.max_complexity:g}, {facts.reason}; {right}.\n"
        f"{_met(written.standings, 'rows given')}{_met(written.left_out, 'rows left out')}"
    )


def _met(standings: Standings | None, rows: str) -> str:
    """Say in a line whether requirements are met on some rows; nothing where there are none."""
    if standings is None:
        return ""
    if standings.all_met:
        return f"Requirements on the {rows}: all met.\n"
    broken = []
    for one in standings.broken:
        figure, group, value, _, limit, _ = one.cells()
        broken.append(f"{figure} ({group}) is {value}, not {limit}")
    return f"Requirements on the {rows}: not all met; {'; '.join(broken)}.\n"
