"""The benchmarks of speed run from end to end, on a table of a few rows."""

import csv

import numpy as np
import pytest
from benchmarks.gpu import arrays
from benchmarks.speed import __main__ as speed
from benchmarks.speed import kernels

SHORT = {
    speed: ["--complexity", "4", "--time-limit", "5", "--ratio-limit", "0.2"],
    kernels: ["--complexity", "4", "--limit", "0.2", "--nodes", "20", "--repeats", "1"],
}


FILES = {speed: ("speed_fits", "speed_ratios"), kernels: ("speed_kernels",)}


@pytest.mark.parametrize("module", [speed, kernels], ids=["fits", "kernels"])
def test_a_benchmark_of_speed_writes_its_rows(module, generated, monkeypatch):
    output = ["--data", "banknote", "--output", str(generated / "results")]
    monkeypatch.setattr("sys.argv", ["speed", *SHORT[module], *output])
    module.main()
    page = (generated / "results" / "speed.md").read_text(encoding="utf-8")
    for name in FILES[module]:
        with (generated / "results" / f"{name}.csv").open(encoding="utf-8") as file:
            (row,) = csv.DictReader(file)
        assert row["data"] == "banknote"
        assert f"## {name}" in page


def test_arrays_for_a_gpu_are_read_as_they_were_written(small_table, tmp_path):
    y = small_table["target"].to_numpy().astype(bool)
    samples = speed.training_set(small_table.drop("target"), y)
    arrays.write(tmp_path, "some", samples)
    again = arrays.read(tmp_path, "some")
    assert np.array_equal(again.codes_P, samples.codes_P)
    assert np.array_equal(again.weights_Z, samples.weights_Z)
    assert len(again.conditions) == len(samples.conditions)
