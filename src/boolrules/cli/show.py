"""Rules, certificates and figures for people."""

from __future__ import annotations

import shlex
import textwrap
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from boolrules.cli.printable import printable
from boolrules.cli.rule_lines import rule_lines
from boolrules.data.standing import HEAD
from boolrules.proof.certificate import counted
from boolrules.rules.condition import format_number, format_value
from boolrules.solver.result import StopReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules import BooleanRuleClassifier, Certificate, RuleSet
    from boolrules.data.requirement import Requirement
    from boolrules.data.standing import Standings
    from boolrules.estimators.complexity_path import ComplexityPath, PathPoint
    from boolrules.insight.report import Score
    from boolrules.model.figures import Figures
    from boolrules.proof.verification import Verification


class Output(Console):
    """Standard output for people."""

    def __init__(self) -> None:
        super().__init__(highlight=False)


def show_model(
    model: BooleanRuleClassifier,
    figures: dict[str, Any],
    standings: Standings | None = None,
    left_out: Standings | None = None,
    chosen: str | None = None,
) -> None:
    """Print the rules, how they did on rows left out, and what is proved of them.

    ``standings`` and ``left_out`` are how they stand to requirements in training and on rows left
    out.
    """
    console = Output()
    for rules in model.rule_sets_:
        show_rules(console, rules)
    for line in model.model_.definitions:
        console.print(_text(f"{line}."), soft_wrap=True)
    if model.model_.definitions:
        console.print()
    held_out = model.model_.held_out
    if held_out is not None:
        show_figures(console, held_out)
    if left_out is not None:
        show_standings(console, left_out, "the rows left out")
        console.print()
    for rules, certificate, result in zip(
        model.rule_sets_, model.certificates_, model.results_, strict=True
    ):
        title = "" if len(model.rule_sets_) == 1 else f"{format_value(rules.positive)}: "
        show_certificate(console, certificate, title)
        if not certificate.is_optimal:
            _print(console, what_next(model, result.stop_reason))
        console.print()
    if standings is not None:
        show_standings(console, standings, "the training rows")
        _print(console, _caution(left_out))
        console.print()
    if chosen is not None:
        _print(console, f"Chosen: {chosen}.")
    show_training(console, figures)


def show_training(console: Output, figures: dict[str, Any]) -> None:
    """Print how well the rules fit the rows that they were learned from, and what it took."""
    console.print(
        f"Training accuracy {figures['train_accuracy']:.1%} on "
        f"{counted(figures['n_rows'], 'row')}; "
        f"{counted(figures['n_conditions'], 'condition')} to choose from; "
        f"the rules took {figures['seconds']:.1f} s."
    )


def what_next(model: BooleanRuleClassifier, reason: StopReason) -> str:
    """Say what would prove more, where a proof did not end."""
    less = "a lower --max-complexity, --max-conditions or fewer --thresholds leave less to search"
    if model.mode == "fast" and reason is not StopReason.INTERRUPTED:
        return "--mode fast proves nothing; without it, as much is proved as there is time for."
    match reason:
        case StopReason.TIME_LIMIT:
            return f"Stopped at the time limit: a longer --time-limit may prove more; {less}."
        case StopReason.INTERRUPTED:
            return f"Stopped by hand, before the proof ended: run it again to prove more; {less}."
        case StopReason.ROUND_LIMIT | StopReason.PRICING_LIMIT:
            limits = "--max-rounds, --max-nodes or --pricing-time-limit"
            return f"Stopped at {limits}: more of these may prove more; {less}."
    return f"To prove more, {less}."


def show_rules(console: Output, rules: RuleSet) -> None:
    """Print one rule set, with the figures of each clause beside it."""
    for line in rule_lines(rules, console.width):
        console.print(line, soft_wrap=True)
    console.print()


def show_figures(console: Output, figures: Figures) -> None:
    """Print how rules did on rows that they were not learned from."""
    for line in figures.lines(console.width):
        _print(console, line)
    console.print()


def show_standings(console: Output, standings: Standings, rows: str) -> None:
    """Print what the figures of requirements come to on some rows, group by group."""
    console.print(f"Requirements on {rows}:")
    table = Table(box=None, pad_edge=False, header_style="dim")
    figure, group, value, interval, limit, verdict = HEAD
    for name in (figure, group):
        table.add_column(name, overflow="fold")
    for name in (value, interval):
        table.add_column(name, justify="right", no_wrap=True)
    for name in (limit, verdict):
        table.add_column(name, no_wrap=True)
    for standing in standings.standings:
        style = "red" if standing.is_met is False else ""
        table.add_row(*map(_text, standing.cells()), style=style)
    console.print(table)


def _caution(left_out: Standings | None) -> str:
    """Say that training is not the future, and what to do about it."""
    if left_out is None:
        return (
            "Requirements that are met on the training rows may fail on new ones; boolrules score "
            "shows how they stand there."
        )
    if left_out.all_met:
        return "They are met on the rows left out too; on new rows they may still fail."
    text = "They are not all met on the rows left out, and may fail on new ones as well."
    broken = dict.fromkeys(standing.requirement for standing in left_out.broken)
    wider = [one for one in (some.with_wider_margin() for some in broken) if one is not None]
    if not wider:
        return text
    return f"{text} A margin asks for more in training: {' '.join(map(_as_option, wider))}."


def _as_option(requirement: Requirement) -> str:
    """Write a requirement as one would in a shell."""
    text = str(requirement)
    quoted = shlex.quote(text) if set(text) & set('"$`!\\') else f'"{text}"'
    return f"--require {quoted}"


def show_certificate(console: Output, certificate: Certificate, title: str = "") -> None:
    """Print what is proved of a rule set."""
    style = "green" if certificate.is_optimal else ""
    _print(console, title + certificate.sentence(), style=style)
    if certificate.constraints.forbids_something:
        _print(console, f"Constraints: {certificate.constraints}.")
    if certificate.lower_bound is not None:
        _print(console, f"Argument: {certificate.reason}.", style="dim")


def show_verification(console: Output, verification: Verification) -> None:
    """Print what holds and, on a terminal in red, what does not."""
    for line in str(verification).splitlines():
        is_bad = line.startswith(("FAILS", "Not"))
        console.print(_text(line, style="red" if is_bad else ""), soft_wrap=True)


def show_path(
    path: ComplexityPath,
    chosen: PathPoint,
    scores: Sequence[Score],
    scoring: str,
    reason: str,
    notes: Sequence[str] = (),
) -> None:
    """Print a row per complexity and say how the one whose rules follow was chosen."""
    console = Output()
    by_complexity = {score.max_complexity: score for score in scores}
    console.print(_points(path, chosen, by_complexity, scoring))
    console.print(
        "* efficient: no other point loses less, or as little with simpler rules", style="dim"
    )
    for note in notes:
        console.print(note, style="dim")
    console.print(f"\nChosen: {reason}.\n")


def _points(
    path: ComplexityPath, chosen: PathPoint, scores: dict[float, Score], scoring: str
) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for name in ("at most", "complexity", "clauses", "loss", "bound", "proved"):
        table.add_column(name, justify="right", no_wrap=True)
    if scores:
        table.add_column(f"{scoring} %", justify="right", no_wrap=True)
    table.add_column("")
    for point, row in zip(path, path.to_rows(), strict=True):
        cells = [
            "*" if point.is_efficient else "",
            format_number(point.max_complexity),
            format_number(point.complexity),
            f"{row['n_clauses']}",
            format_number(point.hamming_loss),
            "-" if point.lower_bound is None else format_number(point.lower_bound),
            "yes" if point.is_optimal else "no",
        ]
        if scores:
            score = scores[point.max_complexity]
            cells.append(f"{score.mean * 100:.1f} ± {score.standard_error * 100:.1f}")
        is_chosen = point is chosen
        table.add_row(*cells, "chosen" if is_chosen else "", style="bold" if is_chosen else "")
    return table


def _print(console: Output, text: str, style: str = "") -> None:
    """Print a sentence over as many lines as it takes; no line begins with the sign of a unit."""
    kept = printable(text).replace(" %", "\0%").replace(" s.", "\0s.")
    lines = textwrap.wrap(kept, console.width, break_on_hyphens=False) or [""]
    for line in lines:
        console.print(Text(line.replace("\0", " "), style), soft_wrap=True)


def _text(text: str, style: str = "") -> Text:
    """Return text without markup in which names cannot tell a terminal what to do."""
    return Text(printable(text), style)
