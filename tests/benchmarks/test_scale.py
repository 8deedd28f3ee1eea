"""The cost model of the scale benchmark."""

import pytest
from benchmarks.scale.__main__ import STAGES, fitted_model, generated, markdown


def test_cost_model_finds_the_line_through_the_points():
    points = [
        {"rows": n, "workers": 2, **dict.fromkeys(STAGES, 3 + 5 * n / 2e6)}
        for n in (1e6, 3e6, 1e7)
    ]
    for stage in fitted_model(points):
        assert stage["seconds_anyhow"] == pytest.approx(3, abs=0.01)
        assert stage["seconds_per_million_rows_per_worker"] == pytest.approx(5, abs=0.01)
        assert stage["predicted_1e9_rows_100_workers"] == 53


def test_generated_rows_are_always_the_same():
    assert generated(10, 1).equals(generated(10, 1))
    assert not generated(10, 1).equals(generated(10, 2))


def test_tables_are_written_with_all_columns():
    assert markdown([{"a": 1, "b": 2}]).splitlines() == ["| a | b |", "|--:|--:|", "| 1 | 2 |"]
