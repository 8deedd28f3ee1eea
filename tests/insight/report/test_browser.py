"""The page in a real browser: clicked, typed into, heard, printed, in the dark and on a phone.

Needs Chromium and ``pip install --group browser``; without them every test here is skipped.
"""

import os
import re
import shutil
import sys
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from report_models import HOSTILE, hostile, loans, searched, three_classes

from boolrules import BooleanRuleClassifier, make_report
from boolrules._support.table import read_table
from boolrules.insight.report.domain import make_domains
from boolrules.insight.report.embed import number_conditions
from boolrules.insight.report.nearest_change import nearest_change
from boolrules.rules.decision_list import DecisionList

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install --group browser"
)

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
QUIET = ["--disable-gpu", "--disable-background-networking", "--disable-component-update"]
WIDE, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}


def reason(error):
    return next(line for line in str(error).splitlines() if line.strip())


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    arguments = QUIET + (["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else [])
    with playwright.sync_playwright() as driver:
        try:
            launched = driver.chromium.launch(executable_path=found, args=arguments)
        except playwright.Error as error:
            pytest.skip(f"needs Chromium (Debian: apt install chromium): {reason(error)}")
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a report; at the end, it must have asked for nothing and complained of nothing."""
    contexts, complaints = [], []

    def run(report, viewport=WIDE, **options):
        path = tmp_path / "report.html"
        report.save(path)
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        address = path.as_uri()
        page.on("console", lambda m: complaints.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda r: (
                None
                if r.url.split("#")[0] == address or r.url.startswith("data:")
                else complaints.append(r.url)
            ),
        )
        page.goto(address)
        return page

    yield run
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def search():
    model, X, y = searched()
    return model, X, y, make_report(model, X, y)


@pytest.fixture(scope="module")
def classes():
    model, X, y = three_classes()
    return model, X, y, make_report(model, X, y, cv=3, time_limit=None)


def shown_rules(page):
    """Return the clauses that the page shows, in words."""
    cells = page.locator("#clauses tbody tr:not(.end) td:nth-child(2)")
    return [" ".join(text.split()) for text in cells.all_inner_texts()]


def untied(text):
    """Return text with plain spaces before percent signs."""
    return text.replace("\u00a0", " ")


def rules_of(model, place):
    rules = model.path_[place].rule_set
    return [clause.text(rules.form) for clause in rules.clauses]


def answer(page):
    return page.locator(".answer strong").inner_text()


def go_to(page, number):
    page.fill("#row-number", str(number))
    page.click("#row-number + button")


def test_the_chosen_rules_are_shown_first(open_page, search):
    model, *_, report = search
    page = open_page(report)
    assert shown_rules(page) == rules_of(model, report.facts.chosen)
    assert "chosen by rows left out" in page.inner_text("#shown-text")
    assert untied(page.inner_text("#certificate strong")) == str(model.certificate_)
    for sentence in report.facts.points[report.facts.chosen].rule_sets[0].reading:
        assert sentence in page.inner_text("#certificate")


def test_requirements_are_shown_where_there_are_any(open_page, search):
    *_, report = search
    page = open_page(report)
    assert page.locator("#requirements").count() == 0
    assert page.locator("nav a[href='#requirements']").count() == 0
    X, y = loans()
    asked = ["precision >= 0.7", "recall >= 0.3 within home"]
    model = BooleanRuleClassifier(5, positive_label="refused", requirements=asked).fit(X, y)
    page = open_page(make_report(model, X, y, cv=3, time_limit=None))
    cells = page.locator("#standings tbody tr").all_inner_texts()
    assert len(cells) == 4
    assert all("✓ met" in text for text in cells)
    assert "hold by construction" in page.inner_text("#standings .note")


def test_a_click_on_a_point_shows_its_rules(open_page, search):
    model, *_, report = search
    page = open_page(report)
    for place in range(len(model.path_)):
        page.get_by_role("radiogroup").first.locator(".hit").nth(place).click()
        assert shown_rules(page) == rules_of(model, place)
        point = report.facts.points[place]
        assert f"at most {point.max_complexity}" in page.inner_text("#shown-text")
        assert f"Hamming loss {point.hamming_loss}" in page.inner_text("#status")
        assert f"{point.headline.accuracy:.1%}" in page.inner_text("#overview")
        assert untied(page.inner_text("#headline")) == point.headline.sentence
        assert f"{point.accuracy:.1%}" in page.inner_text("#overview")
        assert page.inner_text("#certificate strong") == str(model.path_[place].certificate)


def test_arrow_keys_move_between_points_and_keep_the_focus(open_page, search):
    model, *_, report = search
    page = open_page(report)
    last = len(model.path_) - 1
    for chart in (0, 1):
        page.get_by_role("radiogroup").nth(chart).locator("[aria-checked=true]").focus()
        page.keyboard.press("Home")
        assert shown_rules(page) == rules_of(model, 0)
        page.keyboard.press("ArrowRight")
        assert shown_rules(page) == rules_of(model, 1)
        page.keyboard.press("End")
        assert shown_rules(page) == rules_of(model, last)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert shown_rules(page) == rules_of(model, last - 1)
        focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert f"at most {model.path_[last - 1].max_complexity}" in focused
    assert page.locator("#front [role=radio][tabindex='0']").count() == 2


def test_buttons_step_and_lead_back_to_the_chosen(open_page, search):
    model, *_, report = search
    page = open_page(report)
    chosen = report.facts.chosen
    assert page.is_disabled("#to-chosen")
    page.click("#simpler")
    assert shown_rules(page) == rules_of(model, chosen - 1)
    page.click("#to-chosen")
    assert shown_rules(page) == rules_of(model, chosen)
    page.click("#appendix > summary")
    page.get_by_role("button", name="Show complexity at most 2").click()
    assert shown_rules(page) == rules_of(model, 0)
    assert page.evaluate("document.activeElement.textContent") == "Shown"
    assert page.is_disabled("#simpler")


def test_each_clause_has_its_figures(open_page, search):
    model, *_, report = search
    page = open_page(report)
    rows = page.locator("#clauses tbody tr:not(.end)")
    intervals = model.rule_set_.precision_intervals()
    for k, expected in enumerate(model.rule_set_.to_rows()):
        numbers = rows.nth(k).locator("td.number").all_inner_texts()
        assert [text.strip() for text in numbers] == [
            f"{expected['coverage']:g}",
            f"{expected['precision']:.1%}",
            "{:.1%} to {:.1%}".format(*intervals[k]),
            f"{expected['only_here']:g}",
        ]


def matrices(page):
    """Return the counts of each table of answers, as they stand."""
    return [
        [
            int(text)
            for text in page.locator("#confusion .matrix")
            .nth(k)
            .locator("strong")
            .all_inner_texts()
        ]
        for k in range(2)
    ]


def flat(confusion):
    """The positive class comes first."""
    return [confusion[i][j] for i in (1, 0) for j in (1, 0)]


def test_the_matrices_say_which_rows_they_count(open_page, search):
    model, *_, report = search
    page = open_page(report)
    point = report.facts.points[report.facts.chosen]
    captions = page.locator("#confusion .matrix caption").all_inner_texts()
    assert captions == [
        "Rows left out: 3 stratified folds, shuffled",
        "Training rows, which the rules were fitted to",
    ]
    figures = model.held_out_  # as at the top of the page
    assert matrices(page) == [flat(figures.table), flat(point.confusion)]
    text = page.inner_text("#confusion")
    assert f"On rows left out, {figures.accuracy:.1%}" in text
    assert f"on training rows, {point.accuracy:.1%}" in text
    assert "Expect the first on new rows" in text
    assert "mean of the folds, which also chose" in page.inner_text("#front")
    page.emulate_media(media="print")
    printed = page.inner_text("body")
    assert f"{figures.accuracy:.1%} of the answers" in printed
    assert f"{point.held_out.mean:.1%}" not in printed.replace(f"{figures.accuracy:.1%}", "")
    page.emulate_media(media="screen")
    page.click("text=Simpler")
    point = report.facts.points[report.facts.chosen - 1]
    assert matrices(page)[0] == flat(point.held_out.confusion)
    assert "expect somewhat less on new rows" in page.inner_text("#confusion")
    page.click("text=Back to the chosen")
    page.click("#appendix > summary")
    assert page.locator("#fold-list tbody tr").count() == 9


def test_rows_are_looked_up_by_number(open_page, search):
    model, X, y, report = search
    page = open_page(report)
    predictions, reasons = model.predict(X), model.explain(X)
    for k in (0, 7, 50, 119):
        go_to(page, k + 1)
        assert answer(page) == f"{predictions[k]}"
        sentence = page.inner_text(".answer")
        assert f"Row {k + 1} is answered" in sentence
        assert ("✓ right" in sentence) == (predictions[k] == y[k])
        holding = page.locator(".clause-list > li.holds").count()
        assert holding == len(reasons[k].decided_by)
        failing = page.locator(".conditions li.fails .condition").all_inner_texts()
        assert {str(c) for c in reasons[k].failed} <= set(failing)


def test_a_row_that_does_not_exist_is_named(open_page, search):
    *_, report = search
    page = open_page(report)
    go_to(page, 4000)
    assert "numbered from 1 to 120" in page.inner_text(".message")
    go_to(page, 5)
    assert page.inner_text(".message") == ""


def test_rows_are_found_by_their_numbers_in_the_file(open_page, search):
    model, X, y, _ = search
    numbers = [*range(1, 4), *range(5, len(y) + 2)]  # row 4 has no label
    page = open_page(make_report(model, X, y, alternatives=0, row_numbers=numbers))
    assert "rows without a label have a number too" in page.inner_text("#row > p")
    go_to(page, 5)
    assert "Row 5 is answered" in page.inner_text(".answer")
    go_to(page, 4)
    assert "Row 4 is not among those" in page.inner_text(".message")


@pytest.mark.parametrize("media", ["screen", "print"])
def test_constraints_are_named_where_the_proof_is(open_page, media):
    for model, X, y in (
        searched(constraints=kept("noise")),
        three_classes(constraints=kept("x2")),
    ):
        page = open_page(make_report(model, X, y, cv=None, alternatives=0))
        page.emulate_media(media=media)
        assert len(re.findall(r"Constraints: no \w+\.", page.inner_text("#certificate"))) == 1


def kept(name):
    return {"forbidden_features": [name]}


def test_the_list_finds_rows_by_their_values_and_answers(open_page, search):
    model, X, y, report = search
    page = open_page(report)
    is_wrong = model.predict(X) != y.to_numpy()
    page.select_option("#row-kind", "wrong")
    options = page.locator("#row-list option")
    assert options.count() == is_wrong.sum()
    first = int(np.flatnonzero(is_wrong)[0])
    page.focus("#row-list")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert f"Row {first + 1} is answered" in page.inner_text(".answer")
    page.select_option("#row-kind", "all")
    page.fill("#row-search", "rent refused")
    expected = ((X["home"] == "rent") & (y == "refused")).sum()
    assert options.count() == expected
    page.fill("#row-search", "no such thing")
    assert "0 rows found" in page.inner_text("#row")


def test_typed_values_change_the_answer(open_page, search):
    model, X, _, report = search
    page = open_page(report)
    names = [feature["name"] for feature in report.facts.features]
    go_to(page, 1)
    for late, debt, home, truth in [
        (4, 60, "own", "true"),
        (0, 10, "rent", "false"),
        (0, "", "own", "true"),
    ]:
        page.fill(f"#value-{names.index('late')}", str(late))
        page.fill(f"#value-{names.index('debt')}", str(debt))
        page.select_option(f"#value-{names.index('home')}", label=f"'{home}'")
        page.select_option(f"#value-{names.index('guarantor')}", label=truth)
        row = X[:1].with_columns(
            late=late, debt=None if debt == "" else debt, guarantor=truth == "true"
        )
        row = row.with_columns(home=np.array([home])).cast(X.schema)
        assert answer(page) == f"{model.predict(row)[0]}"
    assert "with changed values" in page.inner_text(".answer")
    page.click("#undo")
    assert "Row 1 is answered" in page.inner_text(".answer")


def test_what_is_no_number_is_said(open_page, search):
    *_, report = search
    page = open_page(report)
    field = page.locator(".controls input[inputmode=decimal]").first
    field.fill("much")
    assert "Not a number" in page.inner_text(".answer")
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("3")
    assert field.get_attribute("aria-invalid") == "false"
    assert answer(page) in ("granted", "refused")


def test_the_nearest_change_is_that_of_the_twin_and_turns_the_answer(open_page, search):
    model, X, y, report = search
    page = open_page(report)
    table, rules = read_table(X), model.rule_set_
    every = [DecisionList.of_rule_set(point.rule_set) for point in model.path_]
    domains = make_domains(table, number_conditions(every), model.best_estimator_.encoding_)
    predictions = model.predict(X)
    for k in range(0, len(y), 11):
        row = {d.feature: _cell(table[d.feature].values[k]) for d in domains}
        wanted = "granted" if predictions[k] == "refused" else "refused"
        expected = nearest_change(DecisionList.of_rule_set(rules), domains, row, wanted)
        go_to(page, k + 1)
        cells = page.locator(".result .table-box tbody tr").all_inner_texts()
        changed = {text.split("\t")[0]: text.split("\t")[2] for text in cells}
        assert changed == {name: _shown(name, value) for name, value in expected.values.items()}
        page.click("#try")
        assert answer(page) == f"{wanted}"
        assert page.evaluate("document.activeElement.id") == "undo"
        page.click("#undo")
        assert answer(page) == f"{predictions[k]}"


def _cell(value):
    if value is None or value != value:
        return None
    return value if isinstance(value, str) else float(value)


def _shown(name, value):
    if value is None:
        return "missing"
    if name == "guarantor":
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else f"{value:g}"


def test_columns_that_may_not_change_stay_as_they_are(open_page, search):
    _, _, _, report = search
    page = open_page(report)
    first = page.locator(".result .table-box tbody th").first.inner_text()
    page.get_by_label(f"{first} may change").uncheck()
    assert first not in page.locator(".result .table-box tbody th").all_inner_texts()
    for box in page.locator(".controls input[type=checkbox]").all():
        box.uncheck()
    assert "No change of these columns" in page.inner_text(".result")


def test_three_classes_are_looked_up_and_turned(open_page, classes):
    model, X, _, report = classes
    page = open_page(report)
    predictions = model.predict(X)
    assert page.locator("#clauses table").count() == 3
    for k in (0, 10, 33):
        for wanted in set(model.classes_) - {predictions[k]}:
            go_to(page, k + 1)
            assert answer(page) == f"{predictions[k]}"
            page.select_option("#wanted", label=f"{wanted}")
            page.click("#try")
            assert answer(page) == f"{wanted}"
    go_to(page, 1)
    page.select_option("#wanted", label="any other")
    page.click("#try")
    assert answer(page) != f"{predictions[0]}"


def test_rules_of_the_other_form_are_explained_and_turned(open_page):
    X, y = loans()
    model = BooleanRuleClassifier(max_complexity=6, form="cnf", positive_label="granted").fit(X, y)
    page = open_page(make_report(model, X, y, cv=None))
    predictions = model.predict(X)
    for k in (0, 1, 2, 3):
        go_to(page, k + 1)
        assert answer(page) == f"{predictions[k]}"
        page.click("#try")
        assert answer(page) != f"{predictions[k]}"
    assert "turned away" in page.inner_text("#clauses")
    assert "No rows were left out" in page.inner_text("#confusion")


def test_hostile_names_are_shown_as_text(open_page):
    model, X, y = hostile()
    page = open_page(make_report(model, X, y, cv=None, title=HOSTILE[0]))
    assert page.inner_text("h1") == HOSTILE[0]
    assert page.title() == HOSTILE[0]
    assert HOSTILE[0] in page.inner_text("#clauses")
    assert page.evaluate("window.stolen") is None
    page.click("#try")


def test_a_report_without_rows_takes_typed_values(open_page, search):
    model, X, y, _ = search
    page = open_page(make_report(model, X, y, max_rows=0))
    assert "carries no rows" in page.inner_text("#row")
    assert page.locator("#row-number").count() == 0
    before = answer(page)
    page.click("#try")
    assert answer(page) != before


def test_a_report_with_some_of_the_rows_says_so(open_page, search):
    model, X, y, _ = search
    page = open_page(make_report(model, X, y, max_rows=10))
    assert "carries 10 of the 120 rows" in page.inner_text("#row")
    go_to(page, 2)
    assert "not among those that this report carries" in page.inner_text(".message")


def test_a_notebook_shows_the_page_in_a_frame(browser, search, tmp_path):
    *_, report = search
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html>{report._repr_html_()}", encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#simpler").click()
    assert "not the chosen one" in frame.locator("#shown-text").inner_text()
    frame.locator("#row-number").fill("8")
    frame.locator("#row-number").press("Enter")
    assert "Row 8 is answered" in frame.locator(".answer").inner_text()
    page.close()


def test_without_scripts_the_rules_can_still_be_read(browser, search, tmp_path):
    *_, report = search
    report.save(tmp_path / "report.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    clause = report.facts.points[report.facts.chosen].rule_sets[0].clauses[0]
    assert clause.text in page.inner_text("pre")
    context.close()


@pytest.mark.parametrize("name", ["search", "classes"])
def test_everything_has_a_name_and_headings_are_in_order(open_page, name, request):
    page = open_page(request.getfixturevalue(name)[-1])
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    problems = page.evaluate(BASICS)
    assert problems == []
    assert page.locator("h1").count() == 1
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1
    assert page.get_by_role("status").count() >= 3
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => +h.tagName[1])"
    )
    assert all(after - before <= 1 for before, after in pairwise(levels))


BASICS = """() => {
  const problems = [];
  const named = (e) => e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim();
  for (const e of document.querySelectorAll("input, select, button, a, [role=radio]")) {
    if (!named(e)) problems.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  }
  for (const t of document.querySelectorAll("table")) {
    if (!t.caption?.textContent) problems.push("a table without a caption");
    if (!t.querySelector("th[scope]")) problems.push("a table without heads");
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) problems.push("an id twice");
  for (const e of document.querySelectorAll("[for], [aria-labelledby]")) {
    const id = e.getAttribute("for") ?? e.getAttribute("aria-labelledby");
    if (!document.getElementById(id)) problems.push(`nothing has the id ${id}`);
  }
  for (const a of document.querySelectorAll("a[href^='#']")) {
    if (!document.querySelector(a.getAttribute("href"))) problems.push(`dead link ${a}`);
  }
  if (document.documentElement.lang !== "en") problems.push("no language");
  return problems;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_page, classes, search, scheme):
    for *_, report in (classes, search):
        page = open_page(report, color_scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
        faint = page.evaluate(CONTRAST)
        assert faint == []


CONTRAST = """() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = [r, g, b].map((v) => {
      const s = v / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.getClientRects().length) continue;
    if (e.closest("script, noscript, :disabled, option")) continue;
    const style = getComputedStyle(e);
    const color = parse(e.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(color), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${walker.currentNode.data.slice(0, 40)}`);
  }
  return faint;
}"""


def ground(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_page_follows_the_system_and_the_button(open_page, search):
    *_, report = search
    page = open_page(report, color_scheme="light")
    light = ground(page)
    page.click("#theme")
    dark = ground(page)
    assert dark != light
    assert page.inner_text("#theme") == "Light colours"
    other = open_page(report, color_scheme="dark")
    assert ground(other) == dark
    other.click("#theme")
    assert ground(other) == light


def test_the_keyboard_shows_where_it_is(open_page, search):
    *_, report = search
    page = open_page(report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the rules"
    stops = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.add(page.evaluate(FOCUS))
    assert not [stop for stop in stops if stop.startswith("false") and "BODY" not in stop]
    for expected in ("theme", "simpler", "radio", "row-number", "row-list", "wanted", "try"):
        assert f"true {expected}" in stops


FOCUS = """() => {
  const e = document.activeElement;
  const hit = e.querySelector(":scope > .hit");
  const isRinged = getComputedStyle(e).outlineStyle !== "none";
  const isSeen = isRinged || (hit && getComputedStyle(hit).strokeWidth === "3px");
  return `${isSeen} ${e.id || e.getAttribute("role") || e.tagName}`;
}"""


@pytest.mark.parametrize("name", ["search", "classes", "hostile"])
def test_a_phone_needs_no_scrolling_sideways(open_page, name, request):
    if name == "hostile":  # names and labels that are long and have no spaces
        model, X, y = hostile()
        report = make_report(model, X, y, cv=None, alternatives=0)
    else:
        report = request.getfixturevalue(name)[-1]
    page = open_page(report, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(CLIPPED) == []
    page.click("#appendix > summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.click("#try")
    assert "with changed values" in page.inner_text(".answer")


CLIPPED = """() => [...document.querySelectorAll("p, dd, dt, h2, h3, li, label, button, .chart")]
  .filter((e) => e.getClientRects().length)
  .filter((e) => !e.closest(".table-box, .only-heard, noscript, svg *"))
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
  .map((e) => e.textContent.slice(0, 40))"""


def pages_of(page, path):
    """Print to A4 and count the pages."""
    data = page.pdf(path=path, prefer_css_page_size=True)
    return len(re.findall(rb"/Type\s*/Page\b", data))


@pytest.mark.parametrize("name", ["search", "classes"])
def test_printing_gives_one_page_and_the_appendix_when_it_is_open(
    open_page, name, request, tmp_path
):
    page = open_page(request.getfixturevalue(name)[-1], color_scheme="dark")
    assert pages_of(page, tmp_path / "one.pdf") == 1
    page.emulate_media(media="print", color_scheme="dark")
    for hidden in ("#theme", "#print", ".controls", ".sections", "#try", "#rounds", "#front"):
        assert not page.locator(hidden).first.is_visible()
    for seen in ("#headline", "#overview", "#clauses table", "#certificate", "#confusion table"):
        assert page.locator(seen).first.is_visible()
    assert ground(page) == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    page.click("#appendix > summary")
    assert pages_of(page, tmp_path / "all.pdf") > 1
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})
    for seen in ("#rounds", "#details table", "#points table", "#fold-list", "#others"):
        assert page.locator(seen).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    edges = "[...document.querySelectorAll('table')].map((t) => t.getBoundingClientRect().right)"
    assert max(page.evaluate(edges)) <= 700


def test_the_first_screen_says_what_the_rules_do(open_page, search):
    *_, report = search
    page = open_page(report, viewport={"width": 1280, "height": 900})
    point = report.facts.points[report.facts.chosen]
    (own,) = point.headline.by_class
    assert untied(page.inner_text("#headline")) == point.headline.sentence
    assert page.inner_text("#source") == point.headline.source
    tiles = dict(
        zip(
            page.locator("#overview dt").all_inner_texts(),
            page.locator("#overview dd.value").all_inner_texts(),
            strict=True,
        )
    )
    assert tiles == {
        "Base rate": f"{own.base_rate:.1%}",
        "Held-out accuracy": f"{point.headline.accuracy:.1%}",
        "Precision": f"{own.precision:.1%}",
        "Recall": f"{own.recall:.1%}",
        "Lift": f"{own.lift:.1f}\N{MULTIPLICATION SIGN}",
        "Certificate": "✓ Optimal",
    }
    for seen in ("#headline", "#overview", "#clauses tr.end", "#copy-text", "#print"):
        assert page.locator(seen).last.bounding_box()["y"] < 900


def test_the_rules_are_copied_as_text_and_as_sql(open_page, search, monkeypatch):
    model, X, y, report = search
    page = open_page(report, permissions=["clipboard-read", "clipboard-write"])
    point = report.facts.points[report.facts.chosen]
    page.click("#copy-text")
    page.get_by_role("button", name="Copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith(f"IF {point.rule_sets[0].clauses[0].text}")
    assert text.endswith("THEN outcome is 'refused'\nELSE outcome is 'granted'")
    page.click("#copy-sql")
    page.get_by_role("button", name="Copied").last.wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == point.sql
    assert point.sql.startswith("CASE")
    # Without sqlglot there is no button for it.
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    bare = open_page(make_report(model, X, y, alternatives=0))
    assert not bare.locator("#copy-sql").is_visible()
    assert bare.locator("#copy-text").is_visible()
    assert bare.locator("#alternatives").count() == 0


def test_every_condition_has_a_picture_and_the_clauses_their_overlap(open_page, search):
    *_, report = search
    page = open_page(report)
    facts = report.facts
    (rules,) = facts.points[facts.chosen].rule_sets
    counts = {
        text: holding
        for clause in rules.clauses
        for text, holding in zip(clause.texts, clause.n_holding, strict=True)
    }
    assert page.locator("#pictures figure").count() == len(counts)
    for picture in page.locator("#pictures svg[role=img]").all():
        told = picture.get_attribute("aria-label")
        (text,) = [text for text in counts if told.startswith(f"{text}:")]
        share = counts[text][1] / facts.data.n_by_class[1]
        assert f"holds on {share:.0%} of refused" in told
        assert picture.locator(".tint").count() >= 1
    cells = page.locator("#overlap tbody td").all_inner_texts()
    assert [int(text) for text in cells] == [n for row in rules.overlap for n in row]


def test_values_that_are_written_as_one_have_one_picture(open_page):
    random = np.random.default_rng(0)
    town, size = random.choice(list("abcdefghij"), 400), random.integers(0, 40, 400)
    X = pl.DataFrame({"town": town, "size": size})
    y = np.where((town != "a") & (town != "b") & (size > 9) & (size <= 29), "yes", "no")
    model = BooleanRuleClassifier(5, positive_label="yes").fit(X, y)
    page = open_page(make_report(model, X, y, cv=None, alternatives=0))
    captions = page.locator("#pictures figcaption").all_inner_texts()
    towns = captions.index("town not in {'a', 'b'}")
    sizes = 1 - towns
    assert len(captions) == 2
    assert re.fullmatch(r"\d+ < size <= \d+", captions[sizes])
    drawn = page.locator("#pictures svg[role=img]")
    bars = drawn.nth(towns).locator("text").all_text_contents()
    assert ({text[0] for text in bars[:2]}, bars[-1][:6], len(bars)) == ({"a", "b"}, "others", 8)
    assert drawn.nth(towns).locator(".tint").count() == 6  # all but the two
    assert drawn.nth(sizes).locator(".tint").count() == 1
    assert drawn.nth(sizes).locator("line.at").count() == 2


def test_heads_and_percents_do_not_break(open_page, search):
    *_, report = search
    page = open_page(report)
    assert re.search("finds \\d+\u00a0%", page.inner_text("#headline"))
    head = page.locator("#clauses thead th").last
    script = """head => {
      const range = document.createRange();
      const text = head.firstChild, from = text.data.indexOf("(");
      range.setStart(text, from);
      range.setEnd(text, text.length);
      return range.getClientRects().length;
    }"""
    assert head.inner_text().endswith("(positives)")
    assert head.evaluate(script) == 1


def test_rules_have_the_words_of_the_reader_beside_the_labels(open_page, search):
    model, X, y, _ = search
    words = {"refused": "risky", "rows": "people"}
    page = open_page(make_report(model, X, y, words=words, alternatives=0))
    ends = page.locator("#clauses tr.end td").all_inner_texts()
    assert ends == ["outcome is 'refused' (risky)", "outcome is 'granted'"]
    assert "of 100 people" in page.inner_text("#headline")
    assert "answered risky" in page.inner_text("#confusion")


def test_alternatives_are_listed(open_page, classes):
    *_, report = classes
    page = open_page(report)
    text = page.inner_text("#others")
    for found in report.facts.alternatives:
        assert found.sentence in text


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["search", "classes"])
def test_labels_in_pictures_keep_clear_of_each_other(open_page, name, width, request):
    report = request.getfixturevalue(name)[-1]
    page = open_page(report, viewport={"width": width, "height": 800})
    page.click("#appendix > summary")
    for place in range(len(report.facts.points)):
        if place:
            page.click("#simpler" if page.is_enabled("#simpler") else "#longer")
        assert page.evaluate(COLLISIONS) == []


COLLISIONS = """() => {
  const found = [];
  for (const picture of document.querySelectorAll("svg")) {
    const texts = [...picture.querySelectorAll("text")].map((t) => [t, t.getBoundingClientRect()]);
    for (const [i, [one, a]] of texts.entries()) {
      for (const [other, b] of texts.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 2) found.push(`${one.textContent} | ${other.textContent}`);
      }
    }
  }
  return found;
}"""


def test_tables_of_several_classes_line_up(open_page, classes):
    *_, report = classes
    page = open_page(report)
    edges = page.evaluate(
        "[...document.querySelectorAll('#clauses table')].map((t) =>"
        " [...t.querySelectorAll('thead th')].map((c) => c.getBoundingClientRect().left))"
    )
    assert len(edges) == 3
    assert edges[0] == pytest.approx(edges[1])
    assert edges[0] == pytest.approx(edges[2])
