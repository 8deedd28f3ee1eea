"""Figures: drawn from the files of results, each learner in its own color."""

import pytest
from benchmarks.learners import figures
from benchmarks.learners.fronts import fronts
from benchmarks.learners.results import BEST, FORMS, RESULTS
from benchmarks.markdown_tables import DOCS
from made_up import row, write_rows

NAMES = (*FORMS, "CART", "no rules", "LR")


def test_both_figures_are_written_from_the_files(tmp_path):
    rows = [
        row(name, fold, 0.8 + fold / 100, data=data, inner_accuracy="0.9")
        for name in NAMES
        for fold in range(2)
        for data in ("pima", "banknote")
    ]
    write_rows(tmp_path, "accuracy", rows)
    points = [
        row(name, fold, 0.5 + size / 20, size, parameter=size, inner_accuracies="0.9 0.8")
        for name in (*FORMS, "AM")
        for fold in range(2)
        for size in (2, 4, 8)
    ]
    write_rows(tmp_path, "fronts", points)
    drawn = []
    for _ in range(2):
        figures.main(["--output", str(tmp_path)])
        paths = (tmp_path / f"learners_{kind}.svg" for kind in ("accuracy", "fronts"))
        drawn.append([path.read_bytes() for path in paths])
    assert all(content.startswith(b"<?xml") for content in drawn[0])
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("kind", ["accuracy", "fronts"])
def test_the_pictures_of_the_page_were_drawn_from_the_results(kind):
    drawn = (DOCS / f"evaluation_{kind}.svg").read_text(encoding="utf-8")
    assert figures.checksum(RESULTS / f"learners_{kind}.csv") in drawn


def test_a_learner_without_a_style_is_drawn_too(tmp_path):
    rows = [row("new", fold, 0.8, data="pima") for fold in range(2)]
    figures.front_figure(rows, tmp_path / "fronts.svg")
    assert "<!-- new -->" in (tmp_path / "fronts.svg").read_text(encoding="utf-8")


def test_a_picture_compares_points_on_the_same_folds_alone():
    rows = [row("AM", fold, 0.8, parameter="1") for fold in range(3)]
    rows += [row("AM", 0, 0.9, parameter="2"), row("BCD", 0, 0.9)]
    whole = figures.on_all_folds(fronts(rows)["banknote"])
    assert {name: [p.accuracy.value for p in points] for name, points in whole.items()} == {
        "AM": [pytest.approx(80)]
    }


def test_the_better_of_our_forms_has_a_style_of_its_own():
    assert BEST in figures.STYLES
    assert len(set(figures.STYLES.values())) == len(figures.STYLES)
