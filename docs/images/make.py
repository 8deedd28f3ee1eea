"""Make the pictures in README and docs: ``make pictures``.

The report and a notebook need Chromium and ``pip install --group browser``, as the tests of the
page do.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import matplotlib
from playwright.sync_api import sync_playwright

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV, complexity_path, plot_path
from boolrules.data.datasets import breast_cancer, loan_applications

matplotlib.use("agg")
import matplotlib.pyplot as plt

FOLDER = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WORDS = {"rows": "loans"}


def main() -> None:
    """Make all of them."""
    show_page_and_notebook()
    show_front()
    show_proof()


def show_front() -> None:
    """Show the best loss at every complexity, each proved."""
    X, y = breast_cancer()
    path = complexity_path(
        X, y, complexities=range(2, 13), positive_label="malignant", time_limit=None
    )
    figure = plot_path(path)
    figure.set_size_inches(7, 3.6)
    save(figure, "front")


def show_proof() -> None:
    """Show what no rule set can be better than rise to what was found."""
    X, y = breast_cancer()
    model = BooleanRuleClassifier(12, positive_label="malignant", time_limit=None).fit(X, y)
    (result,), loss = model.results_, model.certificate_.hamming_loss
    assert model.certificate_.is_optimal
    rounds = [one.number for one in result.trace]
    bounds = [one.lower_bound or 0 for one in result.trace]
    end = rounds[-1] + 2
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    program = [one.z_rmlp for one in result.trace]
    axes.plot(rounds, program, color="0.6", label="linear program over the clauses so far")
    axes.axhline(loss, color="tab:blue", label=f"loss of the rules that were found: {loss}")
    axes.step(
        [*rounds, end], [*bounds, loss], color="tab:orange", where="post", linewidth=2,
        label="proved: no rule set loses less",
    )  # fmt: skip
    axes.annotate(
        "all rule sets inside the gap searched:\noptimal", (end, loss), (end - 11, 2 * loss),
        arrowprops={"arrowstyle": "->", "color": "0.4"},
    )  # fmt: skip
    axes.set(ylim=(0, 3 * loss), xlabel="round of column generation", ylabel="Hamming loss")
    axes.set_title("Breast cancer, complexity 12: how a proof ends")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper center")
    save(figure, "proof")


def save(figure: plt.Figure, name: str) -> None:
    """Write a picture of moderate size."""
    figure.savefig(FOLDER / f"{name}.png", dpi=110)
    plt.close(figure)


def show_page_and_notebook() -> None:
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
