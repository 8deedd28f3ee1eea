"""The table of answers on a terminal: as it is where it fits, in parts where it does not."""

import numpy as np
import pytest

from boolrules.model.figures import Figures

CITIES = ["Größe", "Müller", "Nord", "Ost", "Süd"]


def figures_of(labels):
    counts = np.arange(len(labels) ** 2).reshape(len(labels), -1) + 1
    return Figures.of(labels, None, [counts], int(counts.sum()))


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal_and_every_count_is_below_its_head(width):
    figures = figures_of(CITIES)
    lines = figures.lines(width)
    table = lines[len(figures.sentences()) : -2 if figures.advice else None]
    assert max(map(len, table)) <= width
    counts, heads = {}, []
    for line in table:
        if line.startswith(" "):
            heads = [(head, line.index(head) + len(head)) for head in line.split("  ") if head]
            heads = [(head.strip(), end) for head, end in heads]
        elif line:
            label = line.split("'")[1]
            counts |= {(label, head): int(line[:end].split()[-1]) for head, end in heads}
    assert counts == {
        (label, f"answer '{answer}'"): figures.table[i][j]
        for i, label in enumerate(CITIES)
        for j, answer in enumerate(CITIES)
    }


def test_a_table_that_fits_is_as_it_was():
    assert figures_of(CITIES).lines(120) == figures_of(CITIES).lines()
    assert figures_of(["a", "b"]).lines(80) == figures_of(["a", "b"]).lines()
    many = figures_of([f"label {k}" for k in range(20)])  # no table: it would be too large
    assert many.lines(80) == many.lines()


def test_means_of_rounds_keep_their_digit():
    figures = Figures.of(CITIES[:3], None, [np.full((3, 3), 1), np.full((3, 3), 2)], 14)
    assert any("1.6" in line for line in figures.lines(40))
