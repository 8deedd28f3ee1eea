"""Files as they come: any name, packed, piped, cut off, in any encoding, with any line ends."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
import zipfile
import zlib

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.cli import fit
from boolrules.cli.csv_file import CsvText
from boolrules.cli.csv_reading import Reading
from boolrules.cli.data_file import DataFile
from boolrules.cli.files import read_file

TABLE = pl.DataFrame({"age": range(10), "risk": ["low"] * 6 + ["high"] * 4})
TEXT = TABLE.write_csv().encode()
FIT = ("--target", "risk", "--max-complexity", 2, "--no-cv")
HIGH = (*FIT, "--positive", "high")
CHOICE = ("--target", "risk", "--complexities", 2, "--cv", 2, "--repeats", 1, "--form", "dnf")


def write(path, content):
    path.write_bytes(content)
    return path


def parquet(frame):
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def every_command(call, data, folder):
    """Run every command that reads a table; yield each with what it printed."""
    model, rules = folder / "model", folder / "rules.txt"
    rules.write_text("age > 5 THEN 'high'", encoding="utf-8")
    target = ("--target", "risk")
    for arguments in (
        ("fit", data, *HIGH, "--save", model),
        ("path", data, *CHOICE),
        ("report", data, *CHOICE, "-o", folder / "page.html"),
        ("report", data, "--model", model, "-o", folder / "page.html"),
        ("predict", model, data),
        ("predict", model, data, "-o", folder / "answers.txt"),
        ("score", model, data),
        ("explain", model, data),
        ("alternatives", model, data),
        ("check", rules, data, *target),
        ("check", rules, data, "--model", model),
        ("compare", rules, model, data, *target),
        ("verify", model, data),
    ):
        code, out, err = call(*arguments)
        assert (code, err) == (0, ""), arguments
        yield arguments[0], out


# Names


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("data[1].csv", ["data1.csv"]),
        ("a*.csv", ["ab.csv", "a.csv"]),
        ("?.parquet", ["x.parquet"]),
        ("[!a]*{b,c}.pq", ["xb.pq", "xc.pq"]),
        ("**", ["anything.csv"]),
        ("~", []),
        ("%41 #.csv", ["A #.csv"]),
        ("file:x.csv", ["x.csv"]),
    ],
)
def test_a_path_is_a_path_for_every_command(call, tmp_path, monkeypatch, name, others):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for other in others:
        write(folder / other, b"this is another file\n")
    is_parquet = name.endswith((".parquet", ".pq"))
    write(folder / name, parquet(TABLE) if is_parquet else TEXT)
    printed = dict(every_command(call, name, tmp_path))
    assert "age > 5" in printed["fit"]
    assert "Everything claimed holds" in printed["verify"]


@pytest.mark.parametrize("name", ["d[1].parquet", "d*.parquet", "%64 #?.parquet"])
def test_a_path_is_a_path_with_a_memory_limit(call, tmp_path, name):
    for other in ("d1.parquet", "dx.parquet", "d #1.parquet"):
        write(tmp_path / other, b"this is another file\n")
    path = write(tmp_path / name, parquet(TABLE))
    code, out, err = call("fit", path, *HIGH, "--memory-limit", "2GiB")
    assert (code, err) == (0, "")
    assert "age > 5" in out


# Packed


def zipped(content, name="data.csv"):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
        archive.writestr("__MACOSX/._data.csv", b"")
    return buffer.getvalue()


PACKERS = [gzip.compress, bz2.compress, lzma.compress, zlib.compress, zipped]


@given(st.lists(st.sampled_from(PACKERS), max_size=3), st.booleans())
def test_what_is_packed_is_unpacked_however_often(tmp_path_factory, packers, is_parquet):
    content = parquet(TABLE) if is_parquet else TEXT
    for pack in packers:
        content = pack(content)
    path = write(tmp_path_factory.mktemp("packed") / "data", content)
    assert read_file(str(path)).equals(TABLE)


@pytest.mark.parametrize("pack", PACKERS)
def test_what_was_cut_off_is_said_to_be(turned_down, tmp_path, pack):
    path = write(tmp_path / "data.csv", pack(TEXT * 3)[:-12])
    assert "data.csv could not be read" in turned_down("fit", path, *FIT)


def archive_of(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (archive_of("a.csv", "b.csv"), "an archive of 2 files. Unpack it and name the one"),
        (archive_of(), "an archive of 0 files"),
        (archive_of("[Content_Types].xml", "xl/workbook.xml"), "Save its table as CSV"),
        (b"\xd0\xcf\x11\xe0" + bytes(100), "Save its table as CSV"),
        (b"\x28\xb5\x2f\xfd" + TEXT, "zstd -d"),
        (bytes(range(256)) * 4, "neither CSV text nor Parquet"),
        (b"\x7fELF" + bytes(100), "data.csv"),
        (b"a,risk\n\x81,0\n", "neither UTF-8 nor Latin-1 text. Say with --encoding"),
        ("a,risk\r\n1,2\r\n".encode("utf-16-le")[:-1], "begins as UTF-16-LE text, and is not"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",  # an archive knows when it was made
)
def test_what_is_no_table_is_told_with_what_to_do(turned_down, tmp_path, content, message):
    assert message in turned_down("fit", write(tmp_path / "data.csv", content), *FIT)


def test_advice_for_a_shell_has_the_name_in_quotes(turned_down, tmp_path):
    path = write(tmp_path / "a b;$(x).csv", b"\x28\xb5\x2f\xfd")
    assert f"zstd -d '{path}'" in turned_down("fit", path, *FIT)


# Text of other kinds


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"],
)
def test_any_unicode_with_any_line_ends_is_read_and_written(call, tmp_path, encoding, line_end):
    rows = [["ag\u00e9", "job, \u201cx\u201d"], ["7", "\u6599\u7406"], ["8", ""], ["9", "a\n\nb"]]
    text = "".join(f'{a},"{b}"{line_end}' if b else f"{a},{line_end}" for a, b in rows)
    path = write(tmp_path / "data.csv", text.encode(encoding))
    frame = read_file(str(path))
    assert frame.columns == rows[0]
    assert frame.rows() == [(7, "\u6599\u7406"), (8, None), (9, "a\n\nb")]
    assert DataFile.read(str(path)).as_written().rows() == [
        ("7", "\u6599\u7406"),
        ("8", None),
        ("9", "a\n\nb"),
    ]


def test_lines_may_end_in_two_ways(tmp_path):
    path = write(tmp_path / "data.csv", b'a,b\r1,x\r2,"y\nz"\r\n3,v\n')
    assert read_file(str(path)).rows() == [(1, "x"), (2, "y\nz"), (3, "v")]


# Blank lines


BLANK = st.sampled_from(["\n", "\r\n", "  \n", "\t\r\n"])
FIELD = st.sampled_from(["x", "", '"a\n\nb"', '"\n"', '""', '"q""\n\n"', " "])


@given(st.lists(st.tuples(FIELD, FIELD, st.lists(BLANK, max_size=3))), st.booleans())
def test_a_blank_line_is_no_row_to_any_command(rows, ends_at_once):
    with_blanks = "a,b\n" + "".join(f"{a},{b}\n{''.join(more)}" for a, b, more in rows)
    without = "a,b\n" + "".join(f"{a},{b}\n" for a, b, _ in rows)
    if ends_at_once:
        with_blanks, without = with_blanks.rstrip("\n"), without.rstrip("\n")
    texts = [CsvText.of("", text.encode(), Reading()) for text in (with_blanks, without)]
    read = [text.table(["a", "b"])[0] for text in texts]
    assert read[0].equals(read[1])
    assert len(read[0]) == len(rows)


def test_fit_and_predict_count_the_same_rows(call, tmp_path):
    path, model = tmp_path / "data.csv", tmp_path / "model.json"
    write(path, b"\n" + TEXT.replace(b"\n5", b"\n\n  \n5") + b"\n\n")
    code, out, _ = call("fit", path, *FIT, "--json", "--save", model)
    assert (code, json.loads(out)["n_rows"]) == (0, 10)
    assert len(call("predict", model, path)[1].split()) == 11
    assert call("predict", model, path, "-o", tmp_path / "out.csv")[0] == 0
    assert len(pl.read_csv(tmp_path / "out.csv")) == 10
    assert call("explain", model, path, "--row", 11)[0] == 2


def test_in_a_single_column_a_blank_line_is_a_missing_value(call, tmp_path):
    path, model = write(tmp_path / "data.csv", TEXT), tmp_path / "model.json"
    assert call("fit", path, *HIGH, "--save", model)[0] == 0
    ages = write(tmp_path / "ages.csv", b"age\n9\n\n1\n")
    assert call("predict", model, ages)[1].split() == ["prediction", "high", "low", "low"]


# Pipes


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
@pytest.mark.parametrize("is_parquet", [False, True], ids=["CSV", "Parquet"])
def test_a_pipe_is_read_by_every_command(call, tmp_path, is_parquet):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = parquet(TABLE) if is_parquet else TEXT

    def through_pipe(*arguments):
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        try:
            return call(*arguments)
        finally:
            writer.join(timeout=60)

    printed = dict(every_command(through_pipe, pipe, tmp_path))
    assert "Everything claimed holds" in printed["verify"]


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/stdin")
def test_standard_input_is_a_file_like_any_other():
    command = [sys.executable, "-m", "boolrules", "fit", "/dev/stdin", *map(str, HIGH)]
    done = subprocess.run(command, input=TEXT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"age > 5" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_rules_may_come_through_a_pipe(call, tmp_path):
    data, model, pipe = write(tmp_path / "data.csv", TEXT), tmp_path / "m.json", tmp_path / "pipe"
    assert call("fit", data, *HIGH, "--save", model)[0] == 0
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(model.read_bytes(),))
    writer.start()
    code, out, _ = call("check", pipe, data, "--target", "risk")
    writer.join(timeout=60)
    assert (code, "Hamming loss 0" in out) == (0, True)


# During the run


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_a_file_that_is_cut_off_after_it_was_read_is_still_whole(tmp_path, name):
    path = write(tmp_path / name, TEXT if name.endswith("csv") else parquet(TABLE))
    file = DataFile.read(str(path))
    os.truncate(path, 20)
    assert file.table().equals(TABLE)
    assert file.as_written().columns == TABLE.columns


@pytest.mark.skipif(int(pl.__version__.split(".")[0]) < 2, reason="polars maps files into memory")
def test_a_file_that_is_cut_off_while_columns_are_read_gets_one_line(
    turned_down, tmp_path, monkeypatch
):
    path = write(tmp_path / "data.parquet", parquet(TABLE))
    learn = fit._learn

    def learn_from_less(options, task):
        os.truncate(path, 20)
        return learn(options, task)

    monkeypatch.setattr(fit, "_learn", learn_from_less)
    err = turned_down("fit", path, *FIT, "--memory-limit", "2GiB")
    assert "Column 'age' could not be read" in err


def test_a_panic_of_polars_is_one_line(turned_down, tmp_path, monkeypatch):
    def panic(source):
        raise pl.exceptions.PanicException("assertion failed")

    monkeypatch.setattr(pl, "read_parquet", panic)
    path = write(tmp_path / "data.parquet", parquet(TABLE))
    assert "data.parquet could not be read: the contents" in turned_down("fit", path, *FIT)


@pytest.mark.parametrize("threads", ["0", "00"])
def test_polars_without_threads_is_told_in_one_line(turned_down, monkeypatch, threads):
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    assert f"POLARS_MAX_THREADS={threads}" in turned_down("demo")


# Labels


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([2**63, -1] * 5, "holds the label 9223372036854775808, a number beyond 64 bits"),
        ([2**64, 1] * 5, "holds the label 18446744073709551616, a number beyond 64 bits"),
        (["s\0", "s"] * 5, "'s\\x00', which ends in a NUL character"),
        (["s\0", "t"] * 5, "'s\\x00', which ends in a NUL character"),
        ([[1], [2]] * 5, "holds List(Int64), whose values are no labels"),
        ([{"a": 1}, {"a": 2}] * 5, "whose values are no labels"),
        ([b"a", b"b"] * 5, "holds Binary, whose values are no labels"),
    ],
)
@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_labels_that_are_none_get_one_line(turned_down, tmp_path, labels, message, name):
    dtype = pl.Int128 if isinstance(labels[0], int) else None
    frame = pl.DataFrame({"age": range(10), "risk": pl.Series(labels, dtype=dtype)})
    if name == "data.csv" and not isinstance(labels[0], int | str):
        pytest.skip("CSV holds numbers and text")
    content = frame.write_csv().encode() if name == "data.csv" else parquet(frame)
    if name == "data.csv" and dtype and not has_long_numbers(content):
        pytest.skip("this polars reads such numbers as text")
    assert message in turned_down("fit", write(tmp_path / name, content), *FIT)


def has_long_numbers(content):
    with contextlib.suppress(pl.exceptions.ComputeError):
        return pl.read_csv(content, infer_schema_length=None)["risk"].dtype == pl.Int128


@pytest.mark.parametrize(
    "labels", [[2**63, 1], [2**64 - 1, 2**63 + 5], [10**60, 10**60 + 1]], ids=str
)
def test_large_labels_are_told_apart_to_the_end(call, tmp_path, labels):
    rows = "".join(f"{age},{labels[age > 4]}\n" for age in range(10))
    path, model = tmp_path / "data.csv", tmp_path / "model.json"
    path.write_text("age,risk\n" + rows, encoding="utf-8")
    assert call("fit", path, *FIT, "--save", model)[0] == 0
    assert call("verify", model, path)[0] == 0
    answers = call("predict", model, path)[1].split()[1:]
    assert answers == [str(labels[0])] * 5 + [str(labels[1])] * 5


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_text_that_differs_in_a_nul_at_its_end_is_told_apart(call, tmp_path, name):
    frame = pl.DataFrame({"code": ["s", "s\0", "t"] * 6, "risk": [0, 1, 0] * 6})
    path, model = tmp_path / name, tmp_path / "model.json"
    write(path, frame.write_csv().encode() if name == "data.csv" else parquet(frame))
    wanted = ("--require", "recall >= 0.1 within code")
    assert call("fit", path, *FIT, "--save", model)[0] == 0
    assert call("verify", model, path)[0] == 0
    assert call("predict", model, path)[1].split()[1:] == ["0", "1", "0"] * 6
    code, _, err = call("fit", path, *FIT, *wanted)
    assert (code, err) == (0, "")


def test_a_column_of_numbers_that_are_too_large_can_be_dropped(call, tmp_path):
    rows = "".join(f"{age},{10**60 + age},{int(age > 4)}\n" for age in range(10))
    path = write(tmp_path / "data.csv", b"age,id,risk\n" + rows.encode())
    code, out, err = call("fit", path, *FIT, "--drop", "id")
    assert (code, err) == (0, "")
    assert "age > 4" in out


def test_options_of_columns_may_not_contradict_each_other(turned_down, call, tmp_path):
    path = write(tmp_path / "data.csv", TEXT)
    up, down = ("--monotone", "age=increasing"), ("--monotone", "age=decreasing")
    err = turned_down("fit", path, *FIT, *up, *down)
    assert "--monotone asks for 'age' to be increasing and decreasing" in err
    assert call("fit", path, *HIGH, *up, *up)[0] == 0
