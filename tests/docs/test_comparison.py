"""The figures on the page of comparisons are those of the benchmark's own file."""

import csv
import re

from pages import ROOT


def number(text):
    return f"{round(float(text)):,}" if text else "\N{EN DASH}"


def test_the_table_beside_the_published_code_is_that_of_the_benchmark():
    page = (ROOT / "docs/comparison.md").read_text("utf-8")
    printed = re.findall(r"^\| ([\w-]+) \| ([\d,]+ \|.*) \|$", page, re.MULTILINE)
    names = ["rows", "complexity", "loss", "bound", "seconds"]
    names += ["aix360_loss", "aix360_complexity", "aix360_seconds"]
    with (ROOT / "benchmarks/results/speed_published.csv").open(encoding="utf-8") as file:
        measured = [
            (row["data"], " | ".join(number(row[name]) for name in names))
            for row in csv.DictReader(file)
        ]
    assert printed == measured
