"""The facts of a report as one HTML page that needs nothing from anywhere else."""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.resources
import json
from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING, Any

from boolrules._support.saving import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    from boolrules.insight.report.facts import Facts

# In the order in which they are written into the page; each uses those before it.
SCRIPTS = [
    "rules.js",
    "nearest_change.js",
    "elements.js",
    "charts.js",
    "overview.js",
    "copying.js",
    "clauses.js",
    "cuts.js",
    "requirements.js",
    "held_out.js",
    "notes.js",
    "trade_off.js",
    "alternatives.js",
    "convergence.js",
    "row_table.js",
    "row_finder.js",
    "row_form.js",
    "row_reasons.js",
    "look_up.js",
    "facts.js",
    "main.js",
]
FRAME_HEIGHT = 800


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A page about a model: in notebooks it shows itself, ``save`` writes it to a file.

    Parameters
    ----------
    facts : Facts
        Everything that it says.
    html : str
        The page.

    Examples
    --------
    >>> from boolrules import BooleanRuleClassifier
    >>> X, y = [[0], [1], [2], [3]] * 5, [0, 0, 1, 1] * 5
    >>> report = BooleanRuleClassifier(max_complexity=2).fit(X, y).report(X, y, cv=2)
    >>> report.facts.points[0].accuracy
    1.0
    >>> report.html.startswith("<!doctype html>")
    True
    """

    facts: Facts
    html: str

    def save(self, path: str | Path) -> None:
        """Write the page: all of it, or the file stays as it was."""
        text = self.html.encode()
        with whole_file(path) as file:
            file.write(text)

    def __repr__(self) -> str:
        return (
            f"<Report {self.facts.title!r}, {len(self.html) / 1e6:.1f} MB; save(path) writes it>"
        )

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, which can touch nothing of the notebook."""
        return (
            f'<iframe title="{html.escape(self.facts.title)}" width="100%" '
            f'height="{FRAME_HEIGHT}" sandbox="allow-scripts allow-modals" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


def render(facts: Facts, rows: dict[str, Any]) -> str:
    """Write the page: template, style, script, and the facts as data."""
    style, code = read_template("report.css"), script()
    return Template(read_template("report.html")).substitute(
        title=html.escape(facts.title),
        policy=_policy(style, code),
        style=style,
        data=embedded_json({"facts": facts.to_plain(), "rows": rows}),
        summary=html.escape(_in_short(facts)),
        script=code,
    )


def script() -> str:
    """Return all scripts as one, which leaves no name behind."""
    parts = "\n".join(read_template(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def embedded_json(value: Any) -> str:
    r"""Write JSON that no HTML parser takes for markup, whatever names and texts are in it.

    Examples
    --------
    >>> embedded_json({"</script>": "<!--"})
    '{"\\u003c/script\\u003e":"\\u003c!--"}'
    """
    # Parameters may be numpy's numbers, and then so are complexities and costs.
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), default=lambda v: v.item())
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def read_template(name: str) -> str:
    """Return the text of a file that pages are made of."""
    file = importlib.resources.files("boolrules.insight.report") / "templates" / name
    return file.read_text(encoding="utf-8")


def _policy(style: str, code: str) -> str:
    """Allow this style and this script, and nothing else: no request can leave the page."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(code)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _in_short(facts: Facts) -> str:
    """Write the chosen rules for readers whose browser runs no scripts."""
    point = facts.points[facts.chosen]
    lines = [point.headline.sentence, point.headline.source, ""]
    for rules in point.rule_sets:
        joint = "OR" if rules.form == "dnf" else "AND"
        for k, clause in enumerate(rules.clauses):
            lines.append(f"{joint if k else 'IF'} {clause.text}")
        proved = [rules.sentence, *filter(None, [rules.constraints])]
        lines += [f"THEN {rules.then}", f"ELSE {rules.otherwise}", *proved, ""]
    if point.requirements is not None:
        asked = "; ".join(point.requirements.asked)
        lines += [f"Requirements: {asked}.", *point.requirements.sentences, ""]
    lines.append(f"Accuracy on the rows given: {point.accuracy:.1%}")
    if facts.held_out is not None:
        lines += facts.held_out.sentences
    elif point.held_out is not None:
        lines.append(f"Accuracy on rows left out: {point.held_out.mean:.1%}")
    return "\n".join(lines)
