"""What the benchmark of time limits says of a call that ends in time, and of one that does not."""

import pytest
from benchmarks.limits import SHAPES, Shape

from benchmarks import limits


@pytest.mark.parametrize(("seconds", "rc"), [(10, 0), (11.5, 0), (11.6, 1), (30, 1)])
def test_more_than_five_percent_and_a_second_is_an_overrun(monkeypatch, capsys, seconds, rc):
    shape = Shape("made up", 10, lambda: ([], []), lambda X, y, limit: None)
    monkeypatch.setattr(limits, "SHAPES", [shape])
    monkeypatch.setattr(limits, "measured", lambda shape, clock: seconds)
    monkeypatch.setattr("sys.argv", ["limits"])
    assert limits.main() == rc
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith(f"| made up | 10 | {seconds:.1f} |")
    assert ("more than 11.50" in line) == bool(rc)


def test_a_call_gets_its_table_and_its_limit_and_its_seconds_are_counted():
    now, asked = [0.0], []

    def call(X, y, limit):
        now[0] += 7
        asked.append((X, y, limit))

    assert limits.measured(Shape("made up", 3, lambda: (1, 2), call), lambda: now[0]) == 7
    assert asked == [(1, 2, 3)]
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
