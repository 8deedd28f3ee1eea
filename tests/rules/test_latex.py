"""LaTeX: what is exported compiles, with no package beyond LaTeX itself."""

import shutil
import subprocess

import pytest

from boolrules import Clause, Condition, Form, Relation, RuleSet
from boolrules.rules import ClauseStatistics

R = Relation
NAMES = [
    *("select", "a b", 'a "quoted" name', "it's", "größe", "x; --", "back\\slash", "[1mm]"),
    *("`tick`", "%s", "{brace}", "line\nbreak", "$1", "a--b---c", "<<x>>", "#$%&~_^\\{}|", "!`?`"),
]
CONDITIONS = [
    Condition(name, *rest)
    for name in NAMES
    for rest in (
        (R.LE, -3.5),
        (R.GT, 1e-7, (-9.0, -8.0)),
        (R.IN, (1.0, 2.5e20)),
        (R.NOT_IN, (-2.0, 1.0)),
        (R.IS_NULL,),
        (R.IS_NOT_NULL,),
        (R.EQ, name),
        (R.NE, True),
    )
]
CLAUSES = tuple(Clause(tuple(CONDITIONS[k : k + 2])) for k in range(0, len(CONDITIONS), 2))
STATISTICS = tuple(ClauseStatistics(3.0, 2.0, 1.0) for _ in CLAUSES)
LABELS = [
    ("high", "low"),
    (1, 0),
    (True, False),
    ("it's", 'no"pe'),
    (2.5, -1e-9),
    ("yes", None),
    ("> 2", "<= 2"),
    ("> 2", None),
]


def every_kind_of_table():
    for form in Form:
        for positive, negative in LABELS:
            yield RuleSet(CLAUSES[:2], form, positive, negative, target="a_b & c")
            yield RuleSet((), form, positive, negative)
        for k in range(0, len(CLAUSES), 20):
            part = slice(k, k + 20)
            yield RuleSet(CLAUSES[part], form, "p", "n", None, STATISTICS[part])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_every_kind_of_table_compiles(tmp_path):
    tables = "\n\\par\n".join(rules.to_latex() for rules in every_kind_of_table())
    page = f"\\documentclass{{article}}\n\\begin{{document}}\n{tables}\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert "Missing character" not in log
    assert (tmp_path / "page.pdf").stat().st_size > 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (35.5, "$35.5$"),
        (-3, "$-3$"),
        (1e-7, r"$1 \times 10^{-7}$"),
        (-2.5e20, r"$-2.5 \times 10^{20}$"),
    ],
)
def test_numbers_are_set_as_mathematics(value, text):
    rules = RuleSet((Clause((Condition("dose", R.LE, value),)),))
    assert rf"dose $\leq$ {text} \\" in rules.to_latex()


@pytest.mark.parametrize("negative", ["<= 2", None])
def test_labels_of_a_comparison_are_said_as_elsewhere(negative):
    rules = RuleSet(CLAUSES[:1], Form.DNF, "> 2", negative, target="drinks")
    lines = rules.to_latex().splitlines()
    assert r"\textbf{then} & drinks \textgreater{} 2 \\" in lines
    assert r"\textbf{else} & drinks \textless{}= 2 \\" in lines
