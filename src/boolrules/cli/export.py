"""``boolrules export``: a saved model in another language."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from boolrules._support.saving import whole_file
from boolrules.cli.output import say, tell
from boolrules.cli.writing import check_one_output
from boolrules.rules.export.sql import DIALECTS

if TYPE_CHECKING:
    import argparse

    from boolrules import Model

LANGUAGES = ("sql", "python", "latex", "markdown", "json")
EXAMPLES = """examples:
  boolrules export model.json --to sql --dialect postgres --table people
  boolrules export model.json --to python -o rules.py
  boolrules export model.json --to markdown
  boolrules export model.json --to sql --json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Write the rules of a saved model in another language. SQL and Python predict "
        "exactly as the model does, with three classes or more as well."
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
        "-o", "--output", metavar="FILE", help="write to this file instead of printing"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object that holds the text"
    )


def run(options: argparse.Namespace) -> int:
    """Export and print or write."""
    from boolrules import Model

    if options.to != "sql" and (options.dialect or options.table):
        raise ValueError(f"--dialect and --table are for --to sql, not --to {options.to}.")
    check_one_output(options)
    model = Model.load(options.model)
    text = _exported(model, options).rstrip("\n") + "\n"
    for line in model.definitions:
        tell(f"The table that these rules read needs a column more: {line}.")
    if options.output:
        with whole_file(options.output) as file:
            file.write(text.encode())
    elif options.json:
        say(json.dumps({"to": options.to, "text": text}, ensure_ascii=False))
    else:
        say(text, end="")
    return 0


def _exported(model: Model, options: argparse.Namespace) -> str:
    match options.to:
        case "sql":
            return model.to_sql(options.dialect or DIALECTS[0], options.table)
        case "python":
            return model.to_python()
        case "latex":
            return "\n".join(rules.to_latex() for rules in model.rule_sets)
        case "markdown":
            return "\n".join(rules.to_markdown() for rules in model.rule_sets)
        case _:
            plain = [rules.to_plain() for rules in model.rule_sets]
            return json.dumps(plain[0] if len(plain) == 1 else plain, ensure_ascii=False)
