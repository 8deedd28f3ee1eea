"""The downloader, against a server on this machine."""

import doctest
import functools
import http.server
import io
import threading
import zipfile

import polars
import pytest
from benchmarks.learners import download as module
from benchmarks.learners.download import ChecksumError, Source, download, fingerprint

from benchmarks import data

COLUMNS = "variance skewness curtosis entropy target"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as one:
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{one.server_port}"
        one.shutdown()


def archive(table, member):
    text = table.write_csv(include_header=False)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(member, text)
    return packed.getvalue()


def test_what_is_fetched_is_checked_and_can_be_loaded(server, tmp_path, small_table, monkeypatch):
    folder, address = server
    (folder / "banknote.zip").write_bytes(archive(small_table, "inside.txt"))
    source = Source(f"{address}/banknote.zip", fingerprint(small_table), COLUMNS, ("inside.txt",))
    path = download("banknote", source, tmp_path / "got")
    assert path == tmp_path / "got" / "banknote" / "data.csv"
    monkeypatch.setenv("BOOLRULES_DATA", str(tmp_path / "got"))
    X, is_positive = data.load(data.find("banknote"))
    assert X.equals(small_table.drop("target"))
    assert is_positive.sum() == small_table["target"].sum()


def test_another_table_is_refused_and_nothing_is_written(server, tmp_path, small_table):
    folder, address = server
    changed = small_table.with_columns(target=1 - polars.col("target"))
    (folder / "banknote.zip").write_bytes(archive(changed, "inside.txt"))
    source = Source(f"{address}/banknote.zip", fingerprint(small_table), COLUMNS, ("inside.txt",))
    with pytest.raises(ChecksumError, match="Nothing was written"):
        download("banknote", source, tmp_path / "got")
    assert not (tmp_path / "got").exists()


def test_archives_inside_archives_and_files_in_parts(server, tmp_path, small_table):
    folder, address = server
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("a", small_table[:50].write_csv(include_header=False))
        file.writestr("b", small_table[50:].write_csv(include_header=False))
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as file:
        file.writestr("inner.zip", inner.getvalue())
    (folder / "x.zip").write_bytes(outer.getvalue())
    members = ("inner.zip", "a+b")
    source = Source(f"{address}/x.zip", fingerprint(small_table), COLUMNS, members)
    assert download("banknote", source, tmp_path / "got").exists()


def test_the_command_goes_on_after_a_failure_and_says_what_failed(
    server, tmp_path, small_table, monkeypatch, capsys
):
    folder, address = server
    (folder / "banknote.zip").write_bytes(archive(small_table, "inside.txt"))
    good = Source(f"{address}/banknote.zip", fingerprint(small_table), COLUMNS, ("inside.txt",))
    sources = {"liver": Source(f"{address}/none.zip", ""), "banknote": good}
    monkeypatch.setattr(module, "SOURCES", sources)
    code = module.main(["liver", "banknote", "FICO", "--folder", str(tmp_path / "got")])
    printed = capsys.readouterr()
    assert code == 1
    assert "liver: HTTP Error 404" in printed.err
    assert "FICO cannot be fetched" in printed.err
    assert "banknote: " in printed.out


def test_every_data_set_of_the_paper_has_a_source_or_a_reason():
    names = {one.name for one in data.SMALL + data.LARGE + data.VARIANTS}
    assert names == {*module.SOURCES, *module.NOT_HERE}


@pytest.mark.skipif(not data.folder().is_dir(), reason="no data folder")
@pytest.mark.parametrize("name", module.SOURCES)
def test_the_recorded_checksum_is_that_of_the_tables_measured(name):
    file = next((data.folder() / name).glob("data.csv*"), None)
    if file is None:
        pytest.skip(f"no {name} in the data folder")
    frame = polars.read_csv(file, infer_schema_length=None)
    assert fingerprint(frame) == module.SOURCES[name].sha256


def test_the_examples_in_docstrings_run():
    from benchmarks.learners import learner
    from benchmarks.learners.registry import jrip

    for one in (module, jrip, learner):
        result = doctest.testmod(one)
        assert result.attempted > 0
        assert result.failed == 0
