"""Names and values from files reach a terminal as text, never as what it obeys."""

import os
import sys
import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules.cli.printable import printable

TEXT = b"age,risk\n" + b"".join(b"%d,%d\n" % (k, k > 5) for k in range(10))
HOSTILE = "\x1b[31m\x1b]0;title\x07\x9b2J\x7f\u202e"


def is_tame(text):
    return all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") or c in "\n" for c in text)


@given(st.text())
def test_what_is_printable_has_no_control_characters(text):
    assert is_tame(printable(text).replace("\t", ""))


@given(st.text(st.characters(exclude_categories=["C", "Z"])))
def test_printable_text_stays_as_it_is(text):
    assert printable(text) == text


def test_names_and_values_cannot_tell_a_terminal_what_to_do(call, tmp_path):
    name, target = f"col{HOSTILE}", f"goal{HOSTILE}"
    values = [f"a{HOSTILE}", f"b{HOSTILE}"]
    frame = pl.DataFrame(
        {name: [values[k > 5] for k in range(10)], target: [values[k > 4] for k in range(10)]}
    )
    path, model = tmp_path / f"data{HOSTILE}.csv", tmp_path / f"model{HOSTILE}.json"
    frame.write_csv(path)
    learn = ("--target", target, "--max-complexity", 2, "--positive", values[1])
    wanted = ("--require", f"flagged <= 9 within '{name}'")
    for arguments in (
        ("fit", path, *learn, *wanted, "--save", model),
        ("path", path, "--target", target, "--complexities", 2, "--cv", 2, "--repeats", 1),
        ("path", path, "--target", target, "--complexities", 2, *wanted, "--limits", "8,9"),
        ("report", path, "--model", model, "-o", tmp_path / f"page{HOSTILE}.html"),
        ("score", model, path),
        ("explain", model, path),
        ("alternatives", model, path),
        ("check", model, path, "--target", target),
        ("check", model, path, "--model", model),
        ("compare", model, model, path, "--target", target),
        ("verify", model, path),
    ):
        code, out, err = call(*arguments)
        assert code == 0, err
        assert is_tame(out + err), (arguments[0], out + err)


@pytest.mark.parametrize(
    "arguments",
    [
        (f"no{HOSTILE}.csv", "--target", "risk"),
        ("data.csv", "--target", f"no{HOSTILE}"),
        ("data.csv", "--target", "risk", "--drop", f"no{HOSTILE}"),
        ("data.csv", "--target", "risk", "--monotone", HOSTILE),
        ("data.csv", "--target", "risk", "--time-limit", HOSTILE),
        ("data.csv", "--target", "risk", "--require", f"x{HOSTILE}"),
        ("data.csv", "--target", "risk", f"--no{HOSTILE}"),
        ("twice.csv", "--target", "risk"),
    ],
)
def test_messages_cannot_tell_a_terminal_what_to_do(turned_down, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_bytes(TEXT)
    twice = f"{HOSTILE},{HOSTILE},risk\n1,2,3\n"
    (tmp_path / "twice.csv").write_text(twice, encoding="utf-8")
    assert is_tame(turned_down("fit", *arguments))


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")
def test_a_name_that_is_no_text_can_be_read_and_written(call, tmp_path):
    data, page = (
        os.fsdecode(os.fsencode(tmp_path) + b"/" + end) for end in (b"\xe9.csv", b"\xe9")
    )
    choice = ("--target", "risk", "--complexities", 2, "--cv", 2, "--repeats", 1, "--form", "dnf")
    with open(data, "wb") as file:
        file.write(TEXT)
    code, out, err = call("report", data, *choice, "-o", page)
    assert (code, err) == (0, "")
    assert "\\udce9" in out
