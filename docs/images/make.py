"""Make the pictures of the report and of a notebook: ``make pictures``.

Needs Chromium and ``pip install --group browser``, as the tests of the page do.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules.data.datasets import loan_applications

FOLDER = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WORDS = {"rows": "loans"}


def main() -> None:
    """Learn once, show twice."""
    X, y = loan_applications()
    classifier = BooleanRuleClassifier(positive_label="defaulted")
    search = BooleanRuleClassifierCV(
        classifier, complexities=[0, 2, 3, 4, 6, 8, 10], n_repeats=1, random_state=0
    ).fit(X, y)
    report = search.report(
        X, y, title="Which loans default?", source="loans.csv", words=WORDS, alternatives=0
    )
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        is_root = getattr(os, "geteuid", lambda: 1)() == 0
        browser = driver.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS)), None),
            args=["--no-sandbox"] if is_root else [],
        )

        def take(name: str, page_html: str, width: int, height: int) -> None:
            path = Path(folder) / f"{name}.html"
            path.write_text(page_html, encoding="utf-8")
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(path.as_uri())
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()

        take("report", report.html, 1180, 820)
        model = search.best_estimator_
        take("notebook", notebook(model, X, y), 1180, 600)
        browser.close()


def notebook(model: BooleanRuleClassifier, X: object, y: object) -> str:
    """Write what cells show, on a light and on a dark ground."""
    cells = [
        ("model.rule_set_", model.rule_set_),
        ("model.explain(X)[2]", model.explain(X)[2]),
        ("model.verify(X, y)", model.verify(X, y)),
    ]
    shown = "".join(
        f'<p style="font: 12px monospace; opacity: 0.6; margin: 14px 0 4px">{name}</p>'
        f"{thing._repr_html_()}"
        for name, thing in cells
    )
    halves = "".join(
        f'<div style="flex: 1; padding: 1em; background: {ground}; color: {ink}">{shown}</div>'
        for ground, ink in (("#ffffff", "#222222"), ("#111418", "#dddddd"))
    )
    style = "margin: 0; min-height: 100vh; display: flex; font: 13px system-ui, sans-serif"
    return f'<!doctype html><meta charset="utf-8"><body style="{style}">{halves}</body>'


if __name__ == "__main__":
    main()
