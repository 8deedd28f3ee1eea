"""Nothing is laid out before it is known to be reasonable, and too little memory is one line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolrules import BooleanRuleClassifierCV, complexity_path
from boolrules.cli import task
from boolrules.cli.options import whole_numbers
from boolrules.estimators import folds

PEOPLE = "age,risk\n20,low\n30,low\n40,low\n50,high\n60,high\n70,high\n"


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.mark.parametrize(
    "text", ["2-1000000000", "0-99999999999999999999999999", "2-30,5-20000", "1-5000,1-5001"]
)
@pytest.mark.parametrize("command", ["path", "report"])
def test_ranges_that_nobody_could_go_through_are_turned_down(turned_down, people, command, text):
    err = turned_down(command, people, "--target", "risk", "--complexities", text)
    assert f"'{text}' names " in err
    assert "complexities; at most 10,000 can be tried" in err


@pytest.mark.parametrize("text", ["5-2", "8,5-2", "", ",", "2-", "-3", "2--3", "two"])
def test_what_is_no_list_of_complexities_is_turned_down(turned_down, people, text):
    err = turned_down("path", people, "--target", "risk", f"--complexities={text}")
    assert f"'{text}' is not a list of complexities such as 2-30 or 2,5,10" in err


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1))
def test_ranges_are_read_as_they_are_written(ranges):
    pairs = [sorted(pair) for pair in ranges]
    text = ",".join(f"{first}-{last}" for first, last in pairs)
    assert whole_numbers(text) == [n for first, last in pairs for n in range(first, last + 1)]


def test_endless_complexities_are_turned_down_in_python():
    def every():
        n = 0
        while True:
            n += 1
            yield n

    X, y = [[0], [1], [2], [3]] * 5, [0, 0, 1, 1] * 5
    for complexities in (range(10**12), every()):
        with pytest.raises(ValueError, match=r"more than 10,000 values\. Give fewer"):
            complexity_path(X, y, complexities=complexities)
    with pytest.raises(ValueError, match="more than 10,000 values"):
        BooleanRuleClassifierCV(complexities=range(10**12)).fit(X, y)


def test_no_memory_is_one_line(turned_down, people, monkeypatch):
    def too_large(*_):
        return np.empty(2**50)

    monkeypatch.setattr(task, "read_task", too_large)
    assert turned_down("fit", people, "--target", "risk", "--max-complexity", 2) == (
        "boolrules: Out of memory: this machine has too little for what is asked. Ask for less.\n"
    )


def test_there_are_never_more_workers_than_work(monkeypatch):
    asked = []

    class Workers:
        def __init__(self, n_jobs, **options):
            asked.append(n_jobs)

        def __call__(self, tasks):
            return [function(*arguments, **keywords) for function, arguments, keywords in tasks]

    monkeypatch.setattr(folds.joblib, "Parallel", Workers)
    X, y = [[0], [1], [2], [3]] * 5, [0, 0, 1, 1] * 5
    BooleanRuleClassifierCV(cv=3, n_repeats=1, complexities=[2], n_jobs=100_000).fit(X, y)
    BooleanRuleClassifierCV(cv=2, n_repeats=1, complexities=[2], n_jobs=100_000).fit(
        X, [0, 1, 2, 1] * 5
    )
    assert asked
    assert max(asked) <= 3
