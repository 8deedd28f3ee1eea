"""Progress below a cell: one line, only where somebody watches, and only if it takes long."""

import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules._support import notebook
from boolrules._support.notebook import is_notebook, live_line


@pytest.fixture
def cell(monkeypatch):
    """A shell with a kernel; ``shown`` are the messages that its page would get."""
    shown = []

    def publish(data, metadata, transient, update):
        shown.append((transient["display_id"], update, data["text/plain"]))

    shell = SimpleNamespace(
        kernel=object(), execution_count=1, display_pub=SimpleNamespace(publish=publish)
    )
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(notebook._Line, "last", None)
    return SimpleNamespace(shell=shell, shown=shown)


def until(condition):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def test_one_line_is_written_anew_and_taken_away(cell, monkeypatch):
    monkeypatch.setattr(notebook, "SECONDS_BETWEEN", 0.01)
    long_ago = time.monotonic() - 60
    for text in ("round <1>", "round 2"):
        with live_line(lambda text=text: text, long_ago):
            until(lambda text=text: any(text in message for message in cell.shown))
        assert cell.shown[-1][2] == ""
    assert len({name for name, *_ in cell.shown}) == 1
    assert [update for _, update, _ in cell.shown] == [False] + [True] * (len(cell.shown) - 1)
    cell.shell.execution_count = 2
    with live_line(lambda: "next cell", long_ago):
        until(lambda: cell.shown[-1][2] == "next cell")
    assert len({name for name, *_ in cell.shown}) == 2


def test_what_is_done_soon_shows_nothing(cell, monkeypatch):
    monkeypatch.setattr(notebook, "SECONDS_UNSEEN", 1e6)
    assert is_notebook()
    with live_line(lambda: "quick", time.monotonic()):
        pass
    X = np.arange(40).reshape(-1, 1) % 10
    BooleanRuleClassifier(max_complexity=2).fit(X, X[:, 0] > 4)
    assert cell.shown == []


def test_a_long_fit_shows_a_line_by_default_and_none_where_it_is_not_wanted(cell, monkeypatch):
    monkeypatch.setattr(notebook, "SECONDS_UNSEEN", 0.0)
    monkeypatch.setattr(notebook, "SECONDS_BETWEEN", 0.001)
    random = np.random.default_rng(0)
    X, y = random.integers(0, 9, (200, 5)), random.random(200) < 0.4
    BooleanRuleClassifier(max_complexity=8, time_limit=20).fit(X, y)
    texts = [text for *_, text in cell.shown]
    assert any("round " in text and "of at most 20 s" in text for text in texts)
    assert texts[-1] == ""
    cell.shown.clear()
    BooleanRuleClassifier(max_complexity=4, verbose=0).fit(X, y)
    assert cell.shown == []
    search = BooleanRuleClassifierCV(complexities=[2, 3], cv=2, n_repeats=1, n_jobs=1)
    search.fit(X, y)
    assert any("splits of the rows" in text for *_, text in cell.shown)
    assert len({name for name, *_ in cell.shown}) == 1


def test_elsewhere_nothing_is_shown_by_default(monkeypatch, capfd):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not is_notebook()
    X = np.arange(40).reshape(-1, 1) % 10
    BooleanRuleClassifier(max_complexity=2).fit(X, X[:, 0] > 4)
    assert capfd.readouterr() == ("", "")
    # A shell in a terminal is no notebook.
    shell = SimpleNamespace(execution_count=1)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert not is_notebook()
