"""Rows of results, made up."""

import csv

from benchmarks.learners.results import fields


def row(name, fold, accuracy, complexity=3, data="banknote", **more):
    facts = {
        "settings": "quick",
        "status": "done",
        "parameter": "1",
        "seconds": "1",
        "commit": "c0ffee",
    }
    return {"data": data, "learner": name, "fold": str(fold), "accuracy": str(accuracy)} | (
        {"complexity": str(complexity)} | facts | more
    )


def write_rows(folder, experiment, rows):
    with (folder / f"learners_{experiment}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fields(experiment), restval="0")
        writer.writeheader()
        writer.writerows(rows)
