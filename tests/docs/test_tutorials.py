"""The tutorials run as printed, in a kernel of their own, and what they say comes true."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]


def load_site():
    spec = importlib.util.spec_from_file_location("_site", ROOT / "docs/tutorials/_site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = load_site()
TRUE_RULE = [
    ["debt_to_income > 35 AND missed_payments > 1"],
    ["years_employed <= 1 AND housing == 'rent'"],
]


def losses(text):
    return [int(loss) for loss in re.findall(r"Hamming loss (\d+), lower bound \1: optimal", text)]


def shares(name, text):
    return [float(share) for share in re.findall(rf"{name}:? (\d\.\d+)", text)]


def check_credit_risk(text):
    own_cut_offs, deciles = 44, 48
    assert losses(text)[:2] == [deciles, own_cut_offs]
    assert all(clause in text for (clause,) in TRUE_RULE)
    assert "The database and the model agree: True" in text
    assert "Everything claimed holds." in text


def check_medicine(text):
    plain, careful, *_ = shares("sensitivity", text)
    assert plain < careful
    plain, careful, *_ = shares("specificity", text)
    assert plain > careful
    assert "Everything claimed holds." in text


def check_choosing_complexity(text):
    assert "complexity at most 6" in text
    on_new = dict(zip((2, 3, 6, 9, 10), shares("new loans", text), strict=False))
    assert max(on_new, key=on_new.get) == 6
    known = shares("training", text)
    assert known == sorted(known)


def check_fraud(text):
    flagged = [int(n) for n in re.findall(r"(\d+) flagged", text)]
    few, budget, careful, later = flagged
    assert few < careful < budget
    assert later <= 2 * 30
    assert "proved: True" in text
    assert text.count("NOT MET") == 1  # August, without a margin
    assert "the rules meet 'flagged <= 30 within month margin 5'" in text
    assert "Everything claimed holds." in text


def check_messy_table(text):
    assert "read with ';' between columns, as Latin-1 text, with decimal commas." in text
    assert "'seen again' (it equals the label) decides the label alone" in text
    assert text.count("left.weekday > 5") >= 2
    assert "no label in column 'back' and are left out." in text
    assert "Everything claimed holds." in text


CHECKS = {
    "messy_table": check_messy_table,
    "credit_risk": check_credit_risk,
    "medicine": check_medicine,
    "choosing_complexity": check_choosing_complexity,
    "fraud": check_fraud,
}


def test_every_tutorial_has_a_check():
    assert {path.stem for path in SITE.TUTORIALS} == set(CHECKS)


@pytest.mark.parametrize("path", SITE.TUTORIALS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")  # those of the kernel and its client, not ours
def test_a_tutorial_runs_and_what_it_says_comes_true(path):
    notebook = SITE.executed(path)
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", ())]
    assert not [o.text for o in outputs if o.get("name") == "stderr"]
    page = SITE.as_markdown(notebook, "download.ipynb")
    CHECKS[path.stem](as_text(outputs))
    assert page.startswith("# ")
    assert "(download.ipynb)" in page
    assert page.count("```python") == sum(cell.cell_type == "code" for cell in notebook.cells)


def as_text(outputs):
    shown = [o.get("text") or o.data.get("text/html") or o.data["text/plain"] for o in outputs]
    return "\n".join(shown).replace("&gt;", ">").replace("&lt;", "<").replace("&#x27;", "'")


def test_a_page_escapes_text_and_keeps_html_and_pictures():
    v4 = nbformat.v4
    cell = v4.new_code_cell(
        "show()",
        outputs=[
            v4.new_output("stream", text="a < b\n"),
            v4.new_output("execute_result", {"text/html": "<b>x</b>", "text/plain": "x"}),
            v4.new_output("display_data", {"image/png": "aW1h\nZ2U=\n", "text/plain": "<Figure>"}),
            v4.new_output("execute_result", {"text/plain": "<Thing>"}),
        ],
    )
    page = SITE.as_markdown(v4.new_notebook(cells=[v4.new_markdown_cell("# T\n\nx"), cell]), "t")
    assert "<pre><code>a &lt; b</code></pre>\n<b>x</b>\n" in page
    assert 'src="data:image/png;base64,aW1hZ2U=">' in page
    assert "&lt;Thing&gt;" in page
    assert "Figure" not in page
