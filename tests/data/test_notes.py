"""Notes say what is odd about a column, and nothing of columns that are not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import table_notes
from boolrules._support.table import read_table
from boolrules.data.notes import NoteKind, idle_notes

RANDOM = np.random.default_rng(0)
N = 100
LABELS = ["yes", "no"] * (N // 2)
HALF = [k // 2 for k in range(N)]


def noted(values, y=None, name="a"):
    return {note.kind: note for note in table_notes(pl.DataFrame({name: values}, strict=False), y)}


ODD = {
    "identifier of text": (NoteKind.IDENTIFIER, [f"P-{k}" for k in range(N)]),
    "identifier with some twice": (
        NoteKind.IDENTIFIER,
        [f"P-{k}" for k in range(95)] + ["P-1"] * 5,
    ),
    "row numbers": (NoteKind.IDENTIFIER, list(range(1, N + 1))),
    "free text": (NoteKind.FREE_TEXT, [f"seen on day {k} again" for k in HALF]),
    "decimal commas": (NoteKind.NUMBERS_AS_TEXT, ["33,7", "5,25"] * 50),
    "money": (NoteKind.NUMBERS_AS_TEXT, ["$113,000", "€ 5", "12 %", "-3"] * 25),
    "numbers beside a word": (NoteKind.NUMBERS_AS_TEXT, ["12", "13.5"] * 47 + ["unknown"] * 6),
    "a word among numbers": (
        NoteKind.NUMBERS_AS_TEXT,
        ["-" if k % 7 == 0 else "n/a" if k % 20 == 1 else str(k % 40) for k in range(N)],
    ),
    "no answer on a scale": (
        NoteKind.NUMBERS_AS_TEXT,
        ["1", "2", "3", "4", "1", "2", "k. A."] * 14,
    ),
    "no day": (
        NoteKind.DATES_AS_TEXT,
        [*["unknown", "not known"] * 8, *["31.01.24", "1.2.24", "3.4.24"] * 28],
    ),
    "units": (NoteKind.NUMBERS_AS_TEXT, [f"{k % 9} kg" for k in range(N)]),
    "degrees": (NoteKind.NUMBERS_AS_TEXT, [f"{38 + k % 4},7 C" for k in range(N)]),
    "a unit that only they have": (NoteKind.NUMBERS_AS_TEXT, ["3 Stück", "5 Stück"] * 50),
    "thousands": (NoteKind.NUMBERS_AS_TEXT, ["1.234,56", "12.345,10"] * 50),
    "short years": (NoteKind.DATES_AS_TEXT, ["02.02.24", "31.12.23"] * 50),
    "names of months": (NoteKind.DATES_AS_TEXT, ["31-Jan-2020", "1-Mai-2020"] * 50),
    "dates of two forms": (NoteKind.DATES_AS_TEXT, ["2020-01-31", "31.01.2020"] * 50),
    "times": (NoteKind.DATES_AS_TEXT, ["12:30", "14:00"] * 50),
    "unclear dates": (NoteKind.UNCLEAR_DATES, ["03/04/2024", "11/12/2024"] * 50),
    "spellings": (NoteKind.SPELLINGS, ["Y", "y", " Y", "n"] * 25),
    "a negative code": (NoteKind.CODES, [-9] * 10 + list(range(90))),
    "two codes": (NoteKind.CODES, [-9] * 5 + [-8] * 5 + list(range(90))),
    "nines": (NoteKind.CODES, [999.0] * 5 + [50 + 0.5 * k for k in range(95)]),
    "nines above a scale": (NoteKind.CODES, [1, 2, 3, 4, 99] * 20),
    "nines above a pair": (NoteKind.CODES, [0, 1, 99, 1, 0] * 20),
    "a code below a pair": (NoteKind.CODES, [1, 2, -9, 1, 2] * 20),
    "a code below and one above": (NoteKind.CODES, [1, 2, -9, 3, 999] * 20),
    "constant": (NoteKind.CONSTANT, ["x"] * N),
    "mostly missing": (NoteKind.MOSTLY_MISSING, [None] * 50 + ["x", "y"] * 25),
}


@pytest.mark.parametrize(("kind", "values"), ODD.values(), ids=ODD)
def test_what_is_odd_is_noted_once(kind, values):
    notes = noted(values)
    assert list(notes) == [kind]
    assert notes[kind].is_idle == (kind in (NoteKind.IDENTIFIER, NoteKind.FREE_TEXT))
    assert str(notes[kind]).startswith("'a' ")


ALL_DIFFERENT = {
    "days": (NoteKind.DATES_AS_TEXT, [f"{k % 28 + 1:02}.04.{1900 + k}" for k in range(N)]),
    "days in words": (NoteKind.DATES_AS_TEXT, [f"{k % 28 + 1}-Jan-{1900 + k}" for k in range(N)]),
    "instants": (
        NoteKind.DATES_AS_TEXT,
        [f"2020-01-{k % 28 + 1:02} 10:{k % 60:02}:00+02:00" for k in range(N)],
    ),
    "kilograms": (NoteKind.NUMBERS_AS_TEXT, [f"{k}.5 kg" for k in range(N)]),
    "dollars": (NoteKind.NUMBERS_AS_TEXT, [f"USD {300 + k}" for k in range(N)]),
    "euros": (NoteKind.NUMBERS_AS_TEXT, [f"{300 + k} EUR" for k in range(N)]),
    "debts": (NoteKind.NUMBERS_AS_TEXT, [f"({100 + k})" for k in range(N)]),
    "addresses": (NoteKind.IDENTIFIER, [f"192.168.{k}.{100 + k}" for k in range(N)]),
    "long addresses": (NoteKind.IDENTIFIER, [f"192.168.{100 + k}.{100 + k}" for k in range(N)]),
    "versions": (NoteKind.IDENTIFIER, [f"1.{k}.0" for k in range(N)]),
    "telephones": (NoteKind.IDENTIFIER, [f"030 {123 + k} 456" for k in range(N)]),
    "digits of 16": (NoteKind.IDENTIFIER, [f"{k + 1:x}{k % 7}f" for k in range(N)]),
}


@pytest.mark.parametrize(("kind", "values"), ALL_DIFFERENT.values(), ids=ALL_DIFFERENT)
def test_what_differs_in_every_row_is_called_what_it_is_and_gives_no_conditions(kind, values):
    notes = noted(values)
    assert {kind: note.is_idle for kind, note in notes.items()} == {kind: True}


def test_what_stands_between_numbers_is_told():
    note = noted(ODD["a word among numbers"][1])[NoteKind.NUMBERS_AS_TEXT]
    assert note.detail == "all but 19 of 100 values, which are '-' and 'n/a'"


def test_codes_are_given_as_values():
    assert noted(ODD["two codes"][1])[NoteKind.CODES].values == (-9, -8)


PLAIN = {
    "few rows": [f"P-{k}" for k in range(29)],
    "categories": ["cook", "clerk", "driver", "nurse"] * 25,
    "half different": [f"P-{k}" for k in HALF],
    "measurements": RANDOM.normal(size=N).tolist(),
    "ages": [20 + k % 70 for k in range(N)],
    "whole and all different": RANDOM.permutation(10_000)[:N].tolist(),
    "signs": [-1, 0, 1, 0] * 25,
    "signs and zero": [-1, 0, 1, 2, 3] * 20,
    "counts with a nine": [0, 1, 2, 9] * 25,
    "ages of the old": [85, 90, 91, 95, 99] * 20,
    "shares": [0, 1, 10, 50, 99] * 20,
    "one that was met once": [1, 2, 3, 4] * 24 + [99],
    "plus and minus": [-9, 0, 9] * 33,
    "steps": [0, 5, 10, -7] * 25,
    "temperatures": [*range(-50, 50)],
    "grades from 1 to 99": list(range(0, 100)),
    "codes of places": ["01234", "99999"] * 50,
    "seats": [f"{k % 30}{'ABCDEF'[k % 6]}" for k in range(N)],
    "ranks": ["1st", "2nd", "3rd", "4th"] * 25,
    "bands of ages": ["10-19", "20-29", "80+"] * 33,
    "results": ["1:0", "2:1"] * 50,
    "versions": ["1.2.0", "1.10.1"] * 50,
    "numbers and a word of their kind": ["0", "1", "many"] * 33,
    "answers": ["0", "1", "unknown"] * 33,
    "truth": [True, False] * 50,
}


@pytest.mark.parametrize("values", PLAIN.values(), ids=PLAIN)
def test_nothing_is_said_of_a_plain_column(values):
    assert not noted(values, name="size") or values == PLAIN["grades from 1 to 99"]


@pytest.mark.parametrize(
    "name", ["id", "ID", "Patient ID", "patient_id", "caseNumber", "id_x", "key"]
)
def test_a_name_gives_an_identifier_of_numbers_away(name):
    numbers = (RANDOM.permutation(10_000)[:N] + 500).tolist()
    assert noted(numbers, name=name)[NoteKind.IDENTIFIER].is_idle


@pytest.mark.parametrize("name", ["paid", "width", "humid", "monkey", "piano"])
def test_a_name_that_only_ends_so_gives_nothing_away(name):
    assert not noted((RANDOM.permutation(10_000)[:N] + 500).tolist(), name=name)


def test_what_is_declared_a_category_is_one():
    X = pd.DataFrame({"a": pd.Categorical([f"P-{k}" for k in range(N)])})
    assert not idle_notes(read_table(X))


def test_an_array_has_no_names_that_could_say_it():
    assert not table_notes(np.arange(N).reshape(-1, 1))


@pytest.mark.parametrize(
    ("values", "detail"),
    [
        (LABELS, "it equals the label"),
        (["a", "b"] * 50, "each of its 2 values has one label"),
        ([None, "b"] * 50, "each of its 2 values has one label"),
        ([k + 100 * (k % 2) + 0.5 for k in range(N)], "by one threshold"),
    ],
)
def test_a_column_that_decides_the_label_is_noted(values, detail):
    assert noted(values, LABELS)[NoteKind.DECIDES_LABEL].detail == detail


def test_a_column_that_decides_all_but_one_label_is_not_noted():
    assert NoteKind.DECIDES_LABEL not in noted(["no", *LABELS[1:]], LABELS)


def test_spellings_of_labels_are_noted_under_the_name_of_the_target():
    y = pd.Series(["Yes", "yes ", "no", "no"] * 20, name="outcome")
    (note,) = table_notes(pd.DataFrame({"a": [1, 2, 1, 1] * 20}), y)[-1:]
    assert (note.column, note.kind) == ("outcome", NoteKind.SPELLINGS)


def test_labels_of_another_length_are_turned_down():
    with pytest.raises(ValueError, match="y has 2 labels, the table 3 rows"):
        table_notes([[1], [2], [3]], [0, 1])


@given(
    st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(-9, 9).map(str)), max_size=40)
)
def test_any_text_is_noted_without_fail(values):
    for note in table_notes(pl.DataFrame({"a": pl.Series(values, dtype=pl.String)})):
        assert str(note)
        assert note.to_plain()["column"] == "a"
