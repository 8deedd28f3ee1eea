"""``boolrules export``: a saved model in another language."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from boolrules._support.saving import whole_file
from boolrules.cli.options import names
from boolrules.cli.output import say, tell
from boolrules.cli.writing import check_one_output
from boolrules.rules.export.sql import DIALECTS

if TYPE_CHECKING:
    from boolrules import Model

LANGUAGES = ("sql", "python", "excel", "pmml", "onnx", "latex", "markdown", "json")
# Which language an option is for.
ONLY_FOR = {"dialect": "sql", "table": "sql", "cells": "excel"}
EXAMPLES = """examples:
  boolrules export model.json --to sql --dialect postgres --table people
  boolrules export model.json --to python -o rules.py
  boolrules export model.json --to excel --cells age=A2,job=C2
  boolrules export model.json --to pmml -o rules.pmml
  boolrules export model.json --to markdown
  boolrules export model.json --to sql --json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Write the rules of a saved model in another language. SQL, Python, Excel formulas, PMML "
        "and ONNX predict as the model does, with three classes or more as well."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument("model", help="model file written by fit --save")
    parser.add_argument("--to", required=True, choices=LANGUAGES, help="the language")
    parser.add_argument(
        "--dialect", choices=DIALECTS, help="for which database (default sqlite; SQL only)"
    )
    parser.add_argument(
        "--table", metavar="NAME", help="write a whole SELECT from this table (SQL only)"
    )
    parser.add_argument(
        "--cells",
        type=cells,
        metavar="COL=CELL,…",
        help="where the columns of a row are, such as age=A2,job=C2 (default: a formula for an "
        "Excel table, by the names of its columns; Excel only)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to this file instead of printing"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object that holds the text"
    )


def run(options: argparse.Namespace) -> int:
    """Export and print or write."""
    from boolrules import Model

    for name, language in ONLY_FOR.items():
        if getattr(options, name) is not None and options.to != language:
            raise ValueError(f"--{name} is for --to {language}, not --to {options.to}.")
    check_one_output(options)
    if options.to == "onnx" and not options.output:
        raise ValueError("--to onnx writes no text, but a file. Name it: --output rules.onnx")
    model = Model.load(options.model)
    content = model.to_onnx() if options.to == "onnx" else b""
    text = "" if content else _exported(model, options).rstrip("\n") + "\n"
    for line in model.definitions:
        tell(f"The table that these rules read needs one more column: {line}.")
    if options.output:
        with whole_file(options.output) as file:
            file.write(content or text.encode())
    elif options.json:
        say(json.dumps({"to": options.to, "text": text}, ensure_ascii=False))
    else:
        say(text, end="")
    return 0


def cells(text: str) -> dict[str, str]:
    """Read which cell each column is in.

    Examples
    --------
    >>> cells('age=A2, "income, monthly=B2"')
    {'age': 'A2', 'income, monthly': 'B2'}
    """
    pairs = [pair.rpartition("=") for pair in names(text)]
    if not pairs or not all(name and cell for name, _, cell in pairs):
        raise argparse.ArgumentTypeError(
            f"{text!r:.80} is not a list of columns and their cells, such as age=A2,job=C2"
        )
    return {name.strip(): cell.strip() for name, _, cell in pairs}


def _exported(model: Model, options: argparse.Namespace) -> str:
    match options.to:
        case "sql":
            return model.to_sql(options.dialect or DIALECTS[0], options.table)
        case "python":
            return model.to_python()
        case "excel":
            return model.to_excel(options.cells)
        case "pmml":
            return model.to_pmml()
        case "latex":
            return "\n".join(rules.to_latex() for rules in model.rule_sets)
        case "markdown":
            return "\n".join(rules.to_markdown() for rules in model.rule_sets)
        case _:
            plain = [rules.to_plain() for rules in model.rule_sets]
            return json.dumps(plain[0] if len(plain) == 1 else plain, ensure_ascii=False)
