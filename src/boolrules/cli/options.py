"""The options that ``fit`` and ``path`` share."""

from __future__ import annotations

import argparse
import csv
import math
import re
from typing import TYPE_CHECKING, Any

from boolrules.cli.cluster import add_scheduler
from boolrules.cli.csv_reading import add_reading_options
from boolrules.estimators.parameters import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence


def add_data_options(parser: argparse.ArgumentParser, *, needs_target: bool = True) -> None:
    """Declare the file, the target and the positive label."""
    parser.add_argument("data", help="CSV or Parquet file, one row per sample")
    parser.add_argument("--target", required=needs_target, metavar="COL", help="column to predict")
    parser.add_argument(
        "--positive",
        metavar="VALUE",
        help='label that the rules describe, or a comparison such as "> 2"',
    )


def add_parameter(
    group: argparse._ActionsContainer, name: str, *, text: str | None = None, **changed: Any
) -> None:
    """Declare a parameter of the classifier as the table of parameters has it.

    ``text`` is another text for it, which says its default, and ``changed`` may have another
    default.
    """
    parameter = BY_NAME[name]
    option = parameter.option
    assert option is not None
    default = changed.get("default", parameter.default)
    if text is None:
        text = option.text if default is None else f"{option.text} (default {default})"
    keywords: dict[str, Any] = {"dest": name, "default": default, "help": text}
    if option.choices is None:
        reader = {"seconds": time_limit, "jobs": jobs}.get(option.type, option.type)
        keywords |= {"type": reader, "metavar": option.metavar}
    else:
        keywords["choices"] = option.choices
    group.add_argument(parameter.flag, **keywords)


def add_task_options(group: argparse._ArgumentGroup) -> None:
    """Declare what is learned, apart from its complexity."""
    for name in ("max_conditions", "max_clauses", "min_coverage"):
        add_parameter(group, name)
    group.add_argument(
        "--given-clause",
        action="append",
        default=[],
        metavar="TEXT",
        help="a clause that must stay, such as \"age <= 35 AND job == 'clerk'\"; repeatable",
    )
    group.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="TEXT",
        help='what rules must meet on the training rows, such as "precision >= 0.9", "flagged <= '
        '200", "recall >= 0.8 within branch" or "equal opportunity <= 0.02 between sex" (with '
        "--forbid-features sex no condition reads it); or a column, or a condition such as "
        '"age <= 35", that they must use; repeatable',
    )
    add_parameter(group, "objective")
    form = "OR of ANDs (dnf) or AND of ORs (cnf); by default rows left out choose, or dnf"
    add_parameter(group, "form", default=None, text=form)
    add_parameter(group, "class_weight")
    group.add_argument("--sample-weight", metavar="COL", help="column with the weight of each row")
    for name in ("missed_positive_cost", "covered_zero_cost", "complexity_penalty"):
        add_parameter(group, name)


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Declare how columns become conditions."""
    group = parser.add_argument_group("how the table is read")
    add_reading_options(group)
    group.add_argument(
        "--drop",
        type=names,
        default=[],
        metavar="COLS",
        help="columns to leave out, separated by commas; a name with a comma in double quotes",
    )
    group.add_argument(
        "--dates",
        choices=("parts", "drop"),
        default="parts",
        help="read dates and times as year, month, weekday, days and hour (parts, the default), "
        "or leave them out (drop)",
    )
    group.add_argument(
        "--categorical",
        type=names,
        default=[],
        metavar="COLS",
        help="numeric columns that are categories",
    )
    group.add_argument(
        "--special-values",
        type=codes,
        action="append",
        default=[],
        metavar="[COL=]NUMBERS",
        help="codes that are not measurements, of one column, such as score=-9,-8, or of all "
        "(write --special-values=-9,-8); repeatable",
    )
    group.add_argument(
        "--thresholds",
        type=thresholds,
        metavar="Q",
        help="q-quantiles as thresholds, or all for every threshold; by default rows left out "
        "choose 10 or 30, or 10",
    )
    group.add_argument(
        "--binary", action="store_true", help="columns are zeros and ones; take them as conditions"
    )


def add_constraint_options(parser: argparse.ArgumentParser) -> None:
    """Declare which conditions rules may be made of."""
    group = parser.add_argument_group("what rules may be made of")
    group.add_argument(
        "--forbid-features",
        type=names,
        default=[],
        metavar="COLS",
        help="columns that no condition may read, separated by commas",
    )
    group.add_argument(
        "--only-features",
        type=names,
        metavar="COLS",
        help="the only columns that conditions may read",
    )
    group.add_argument(
        "--forbid-condition",
        action="append",
        default=[],
        metavar="TEXT",
        help='a condition as rules print it, such as "age <= 35", or "age <=" for every value; '
        "repeatable",
    )
    group.add_argument("--no-not-equal", action="store_true", help="no condition with !=")
    group.add_argument(
        "--monotone",
        type=direction,
        action="append",
        default=[],
        metavar="COL=DIRECTION",
        help="a higher value may only help the positive label (increasing) or only hurt it "
        "(decreasing); repeatable",
    )
    group.add_argument(
        "--prefer-features",
        type=names,
        default=[],
        metavar="COLS",
        help="columns to use where that costs nothing",
    )


def add_search_options(group: argparse._ArgumentGroup) -> None:
    """Declare how the solver goes about it."""
    for name in ("mode", "engine"):
        add_parameter(group, name)
    add_scheduler(group)
    group.add_argument("--max-rounds", type=int, metavar="N", help="rounds, at most")
    group.add_argument(
        "--max-nodes", type=int, metavar="N", help="nodes of one exact search, at most"
    )
    group.add_argument(
        "--pricing-time-limit", type=time_limit, metavar="SECONDS", help="for one pricing call"
    )


def add_output_options(group: argparse._ArgumentGroup) -> None:
    """Declare what comes out."""
    group.add_argument(
        "--save", metavar="MODEL.json", help="write the model, for predict and verify"
    )
    group.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="show a row per round on standard error"
    )


def memory(text: str) -> int:
    """Read an amount of memory.

    Examples
    --------
    >>> memory("2GiB"), memory("500 MB")
    (2147483648, 500000000)
    """
    number, unit = (re.findall(r"^\s*([0-9.]+)\s*([A-Za-z]*)\s*$", text) or [("", "")])[0]
    units = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    units |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
    try:
        return int(float(number) * units[unit.lower()])
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an amount of memory such as 2GiB or 500MB"
        ) from None


def time_limit(text: str) -> float:
    """Read a time limit.

    Examples
    --------
    >>> time_limit("2.5")
    2.5
    """
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of seconds above 0, such as 60"
        )
    return limit


def jobs(text: str) -> int:
    """Read how many threads or processes there may be.

    Examples
    --------
    >>> jobs("2"), jobs("-1")
    (2, -1)
    """
    try:
        n_jobs = int(text)
    except ValueError:
        n_jobs = 0
    if n_jobs == 0:
        raise argparse.ArgumentTypeError(
            f"{text!r:.40} is not a number of threads: 1 or more, -1 for all cores, -2 for all "
            "but one"
        )
    return n_jobs


def thresholds(text: str) -> int | str:
    """Read a number of quantiles, or the word for every threshold.

    Examples
    --------
    >>> thresholds("30"), thresholds("all")
    (30, 'all')
    """
    from boolrules.data.every_threshold import ALL

    if text == ALL:
        return text
    try:
        n_quantiles = int(text)
    except ValueError:
        n_quantiles = 0
    if n_quantiles < 2:
        raise argparse.ArgumentTypeError(
            f"{text!r:.40} is neither a number of quantiles, 2 or more, such as 10, nor the word "
            "all"
        )
    return n_quantiles


def names(text: str) -> list[str]:
    """Read names separated by commas, as in a line of CSV.

    Examples
    --------
    >>> names('age, "income, monthly"')
    ['age', 'income, monthly']
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True))
    except csv.Error:
        raise argparse.ArgumentTypeError(
            f"{text!r} has a line break; write a name that has one in double quotes"
        ) from None
    return [name.strip() for row in rows for name in row if name.strip()]


def direction(text: str) -> tuple[str, str]:
    """Read a column and its direction.

    Examples
    --------
    >>> direction("income=decreasing")
    ('income', 'decreasing')
    """
    from boolrules.data.constraints import Direction

    name, _, word = text.rpartition("=")
    if not name.strip() or word.strip() not in list(Direction):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a column and its direction, such as income=increasing or "
            "income=decreasing"
        )
    return name.strip(), word.strip()


def codes(text: str) -> tuple[str | None, list[float]]:
    """Read numbers separated by commas, and the column that they are for; None for all columns.

    Examples
    --------
    >>> codes("score=-9,-8"), codes("-9")
    (('score', [-9.0, -8.0]), (None, [-9.0]))
    """
    name, equals, numbers = text.rpartition("=")
    try:
        values = [float(number) for number in names(numbers)]
    except ValueError:
        values = []
    if not values or bool(equals) is not bool(name.strip()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of numbers such as -9,-8, nor a column and such a list, "
            "score=-9,-8"
        )
    return name.strip() or None, values


def special_values(
    given: Sequence[tuple[str | None, list[float]]],
) -> list[float] | dict[str, list[float]] | None:
    """Return codes for all columns, or for each that is named; None where there are none.

    Examples
    --------
    >>> special_values([("score", [-9.0]), ("pay", [99.0]), ("score", [-8.0])])
    {'score': [-9.0, -8.0], 'pay': [99.0]}
    >>> special_values([(None, [-9.0]), (None, [-8.0])])
    [-9.0, -8.0]
    """
    by_column: dict[str | None, list[float]] = {}
    for name, values in given:
        by_column.setdefault(name, []).extend(values)
    for_all = by_column.pop(None, None)
    named = {str(name): values for name, values in by_column.items()}
    if for_all is not None and named:
        raise ValueError(
            "--special-values gives codes for all columns, and others for "
            f"{', '.join(map(repr, named))} alone. Name the column of each, or of none."
        )
    return named or for_all


def whole_numbers(text: str) -> list[int]:
    """Read whole numbers and ranges of them.

    Examples
    --------
    >>> whole_numbers("2-5,8")
    [2, 3, 4, 5, 8]
    """
    from boolrules.estimators.complexity_path import MOST_COMPLEXITIES

    ranges = []
    try:
        for part in names(text):
            first, dash, last = part.partition("-")
            ranges.append(range(int(first), int(last if dash else first) + 1))
    except ValueError:
        ranges = []
    if not ranges or not all(ranges):
        raise argparse.ArgumentTypeError(
            f"{text!r:.80} is not a list of complexities such as 2-30 or 2,5,10"
        )
    n_values = sum(numbers.stop - numbers.start for numbers in ranges)
    if n_values > MOST_COMPLEXITIES:
        raise argparse.ArgumentTypeError(
            f"{text!r:.80} names {n_values:,} complexities; at most {MOST_COMPLEXITIES:,} can be "
            "tried"
        )
    return [number for numbers in ranges for number in numbers]
