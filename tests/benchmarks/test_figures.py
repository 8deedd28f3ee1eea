"""Figures: drawn from the files of results, each learner in its own color."""

import pytest
from benchmarks.learners import figures
from benchmarks.learners.drawing import STYLES, checksum
from benchmarks.learners.fronts import fronts
from benchmarks.learners.results import RESULTS
from benchmarks.learners.standings import GROUPS
from benchmarks.markdown_tables import DOCS
from made_up import row, write_rows

NAMES = ("boolrules", "boolrules CNF", "CART", "JRip", "no rules", "LR")


def test_all_figures_are_written_from_the_files(tmp_path):
    rows = [
        row(name, fold, 0.8 + len(name) / 100, 3 if name != "LR" else "", data=data)
        for name in NAMES
        for fold in range(2)
        for data in GROUPS["small"]
    ]
    write_rows(tmp_path, "accuracy", rows)
    points = [
        row(name, fold, 0.5 + size / 20, size, parameter=size)
        for name in ("boolrules", "boolrules CNF", "AM")
        for fold in range(2)
        for size in (2, 4, 8)
    ]
    write_rows(tmp_path, "fronts", points)
    drawn = []
    for _ in range(2):
        figures.main(["--output", str(tmp_path)])
        paths = sorted(tmp_path.glob("*.svg"))
        drawn.append([path.read_bytes() for path in paths])
    names = [path.stem.removeprefix("learners_") for path in paths]
    assert names == ["accuracy", "fronts", "headline", "ranks_of_small"]  # not all are whole
    assert all(content.startswith(b"<?xml") for content in drawn[0])
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("path", sorted(DOCS.glob("evaluation_*.svg")), ids=lambda path: path.stem)
def test_the_pictures_of_the_page_were_drawn_from_the_results(path):
    kind, _ = figures.FIGURES[path.stem.removeprefix("evaluation_")]
    drawn = path.read_text(encoding="utf-8")
    assert checksum(RESULTS / f"learners_{kind}.csv") in drawn


def test_a_learner_without_a_style_is_drawn_too(tmp_path, monkeypatch):
    rows = [row("new", fold, 0.8, data="pima") for fold in range(2)]
    monkeypatch.setattr(figures, "rivals", lambda: ["new"])
    figures.front_figure(rows).savefig(tmp_path / "fronts.svg")
    assert "<!-- new -->" in (tmp_path / "fronts.svg").read_text(encoding="utf-8")


def test_a_picture_compares_points_on_the_same_folds_alone():
    rows = [row("AM", fold, 0.8, parameter="1") for fold in range(3)]
    rows += [row("AM", 0, 0.9, parameter="2"), row("BCD", 0, 0.9)]
    whole = figures.on_all_folds(fronts(rows)["banknote"])
    assert {name: [p.accuracy.value for p in points] for name, points in whole.items()} == {
        "AM": [pytest.approx(80)]
    }


def test_every_style_is_one_learner_s():
    assert len(set(STYLES.values())) == len(STYLES)
