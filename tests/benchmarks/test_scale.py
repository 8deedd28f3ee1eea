"""The cost model of the scale benchmark."""

import pytest
from benchmarks.markdown_tables import fill
from benchmarks.scale.__main__ import (
    PAGE,
    RESULTS,
    STAGES,
    fitted_model,
    generated,
    page_tables,
    table_of,
)


def test_cost_model_finds_the_line_through_the_points():
    tables = [(n, 20, 360, 2) for n in (1e6, 3e6, 1e7)] + [(1e6, 40, 360, 2), (1e6, 20, 160, 1)]
    points = []
    for n, columns, conditions, workers in tables:
        sizes = {"rows": n, "columns": columns, "conditions": conditions, "workers": workers}
        seconds = {stage: 3 + 5 * n * sizes[per] / workers / 1e8 for stage, per in STAGES.items()}
        points.append(sizes | seconds)
    for stage in fitted_model(points):
        assert stage["seconds_anyhow"] == pytest.approx(3, abs=0.01)
        assert stage["seconds_per_1e8"] == pytest.approx(5, abs=0.01)
        assert stage["largest_error"] == "0%"
        expected = 3 + 5 * 1e9 / 100 * (360 if stage["stage"] == "asking" else 20) / 1e8
        assert stage["predicted_1e9_rows_100_workers"] == pytest.approx(expected)


def test_generated_rows_are_always_the_same():
    assert generated(10, 1).equals(generated(10, 1))
    assert not generated(10, 1).equals(generated(10, 2))


def test_tables_are_written_with_all_columns():
    lines = ["| a | b |", "| --- | --- |", "| 1 | 2 |"]
    assert table_of([{"a": 1, "b": 2}]).splitlines() == lines


def test_the_page_shows_what_the_files_say():
    page = PAGE.read_text(encoding="utf-8")
    assert fill(page, page_tables(RESULTS)) == page
