"""``--engine dask``: the command line on a cluster says what it says on one machine."""

import gc
import json
import re

import numpy as np
import pandas
import pytest

from boolrules.cli.main import main
from boolrules.distributed import table
from boolrules.distributed.cluster import connected

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
pytest.importorskip("dask.dataframe")
TASK = ("--target", "drinks", "--positive", "> 2", "--drop", "note", "--sample-weight", "weight")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same table in one file, and in a folder of parts, some of which are empty."""
    random = np.random.default_rng(3)
    n = 90
    age, job = random.integers(20, 28, n), random.choice(["cook", "clerk"], n)
    drinks = np.where((age > 24) & (job == "clerk"), 3, 1) + random.integers(0, 2, n)
    people = pandas.DataFrame({"age": age, "job": job, "drinks": drinks})
    people = people.assign(weight=random.integers(1, 3, n), note=[f"n{k}" for k in range(n)])
    folder = tmp_path_factory.mktemp("people")
    people.to_parquet(folder / "whole.parquet")
    (folder / "parts").mkdir()
    for k, rows in enumerate((people[:40], people[:0], people[40:])):
        rows.to_parquet(folder / "parts" / f"{k}.parquet")
    return folder


@pytest.fixture(params=["here", "workers"])
def place(request, monkeypatch):
    if request.param == "workers":
        monkeypatch.setattr(table, "FEW_VALUES", 0)
    return request.param


@pytest.fixture
def said(client, capsys):
    """Run a command, on the cluster of the tests where it asks for one; return what it says."""

    def run(*arguments, dask=False, code=0):
        cluster = ("--engine", "dask", "--scheduler", client.scheduler.address) if dask else ()
        assert main([*map(str, arguments), *cluster]) == code
        out, err = capsys.readouterr()
        return err if code else out

    return run


def without_times(text):
    figures = json.loads(text)
    for name in ("seconds", "n_columns", "n_iterations", "points", "output"):
        figures.pop(name, None)
    return figures


def without_seconds(text):
    """The words alone: a longer number may break a line elsewhere."""
    return re.sub(r"[\d.]+ s\b", "? s", text).split()


def test_fit_verify_predict_and_report(place, said, files, tmp_path):
    model, other = tmp_path / "model.json", tmp_path / "other.json"
    fit = ("fit", *TASK, "--max-complexity", "3", "--no-cv", "--json")
    alone = said(*fit, files / "whole.parquet", "--save", model)
    found = said(*fit, files / "parts", "--save", other, dask=True)
    assert without_times(found) == without_times(alone)
    verify = ("verify", "--sample-weight", "weight")
    assert said(*verify, other, files / "parts", dask=True) == said(
        *verify, other, files / "whole.parquet"
    )
    assert said("predict", other, files / "parts", dask=True) == said(
        "predict", other, files / "whole.parquet"
    )
    for k, (data, dask) in enumerate((("whole.parquet", False), ("parts", True))):
        said("predict", other, files / data, "-o", tmp_path / f"answers{k}.csv", dask=dask)
    assert (tmp_path / "answers0.csv").read_text() == (tmp_path / "answers1.csv").read_text()
    parquet = ("predict", other, files / "parts", "-o", tmp_path / "answers.parquet")
    assert "Give it a name that ends in .csv." in said(*parquet, dask=True, code=2)
    report = ("report", "--model", other, "--sample-weight", "weight", "--json")
    report += ("-o", tmp_path / "report.html")
    assert without_times(said(*report, files / "parts", dask=True))["data"]["n_rows"] == 90


def test_row_numbers_in_reports_are_those_of_the_files(said, tmp_path):
    labels = [None if k in (3, 50) else "yes" if k % 3 else "no" for k in range(60)]
    rows = pandas.DataFrame({"a": range(60), "b": [k % 3 for k in range(60)], "y": labels})
    (tmp_path / "parts").mkdir()
    for k, part in enumerate((rows[:20], rows[20:])):
        part.to_parquet(tmp_path / "parts" / f"{k}.parquet")
    model, page = tmp_path / "m.json", tmp_path / "p.html"
    fit = ("--target", "y", "--complexities", "2", "--cv", "2", "--repeats", "1")
    for command in ((*fit, "--save", model), ("--model", model)):
        said("report", tmp_path / "parts", *command, "-o", page, dask=True)
        data = re.search('id="data">(.*?)</script>', page.read_text(encoding="utf-8"))[1]
        numbers = json.loads(data)["rows"]["numbers"]
        assert numbers == [k for k in range(1, 61) if k not in (4, 51)]


def test_rows_left_out_choose(place, said, files):
    fit = ("fit", *TASK, "--cv", "2", "--repeats", "1", "--json", "--form", "dnf")
    fit += ("--thresholds", "4", "--require", "recall >= 0.5")
    alone = said(*fit, files / "whole.parquet")
    found = said(*fit, files / "parts", dask=True)
    assert without_times(found) == without_times(alone)


def test_a_path(place, said, files):
    path = ("path", *TASK, "--complexities", "2-3")
    alone = said(*path, files / "whole.parquet")
    found = said(*path, files / "parts", dask=True)
    assert without_seconds(found) == without_seconds(alone)


def test_a_csv_file_is_read_here(said, files, tmp_path):
    pandas.read_parquet(files / "whole.parquet").to_csv(tmp_path / "people.csv", index=False)
    fit = ("fit", tmp_path / "people.csv", *TASK, "--max-complexity", "3", "--no-cv", "--json")
    assert without_times(said(*fit, dask=True)) == without_times(said(*fit))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--target", "nothing"), "has no column 'nothing'. Its columns are: age, job, drinks"),
        ((*TASK, "--drop", "nothing"), "has no column 'nothing'"),
        (("--target", "drinks", "--positive", "> 9"), "No row of column 'drinks' is > 9"),
        (("--target", "drinks", "--sample-weight", "job"), "'job' needs a number in every row"),
        ((*TASK, "--memory-limit", "1GiB"), "--memory-limit reads in this process"),
    ],
)
def test_what_cannot_work_is_said_in_one_line(said, files, arguments, text):
    fit = ("fit", files / "parts", "--max-complexity", "3", *arguments)
    message = said(*fit, dask=True, code=2)
    assert message.startswith("boolrules: ")
    assert message.count("\n") == 1
    assert text in message


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--scheduler", "tcp://127.0.0.1:1"), "--scheduler is for --engine dask"),
        (("--scheduler", "nowhere", "--engine", "dask"), "no Dask scheduler at 'nowhere'"),
    ],
)
def test_a_scheduler_must_be_there(said, files, arguments, text, monkeypatch):
    monkeypatch.setattr("boolrules.distributed.cluster.SECONDS_TO_CONNECT", 0.5)
    message = said("fit", files / "parts", *TASK, *arguments, code=2)
    assert text in message
    assert message.count("\n") == 1


def test_files_that_are_not_there_or_not_parquet(said, tmp_path):
    (tmp_path / "text.parquet").write_text("no table")
    for name, text in (("nothing", "no file"), ("text.parquet", "could not be read as Parquet")):
        file = tmp_path / f"{name}"
        message = said("fit", file, "--target", "y", dask=True, code=2)
        assert text in message
        assert message.count("\n") == 1


def test_a_client_that_did_not_connect_is_closed_at_once(client):
    distributed = pytest.importorskip("distributed")
    with pytest.raises(ValueError, match="no Dask scheduler"), connected("nowhere"):
        pass
    left = [one for one in gc.get_objects() if isinstance(one, distributed.Client)]
    assert all(one.status in ("running", "closed") for one in left)
    assert sum(one.status == "running" for one in left) == 1
