"""Progress: what is shown, where, and what it says of the time that is left."""

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules.solver.progress import Run, _Ticking, counting, line, reporting, waiting, within
from boolrules.solver.result import Iteration


def iteration(z_rmlp=61.25, lower_bound=None):
    return Iteration(7, z_rmlp, -0.5, False, lower_bound, 131, 8, "exact", 1000, 2.9)


@pytest.mark.parametrize(
    ("z_rmlp", "bound", "text"),
    [
        (61.25, None, "proved bound unknown,"),
        (61.25, 49, "proved bound 49 (20 % below),"),
        (61.25, 62, "proved bound 62,"),
        (0.0, 0, "proved bound 0,"),
    ],
)
def test_a_line_says_how_far_the_bound_is_from_the_lp_value(z_rmlp, bound, text):
    assert text in line(iteration(z_rmlp, bound))


def test_a_line_is_written_anew_whenever_it_is_drawn():
    now = [0.0]
    run = Run(0.0, 60.0, lambda: now[0])
    ticking = _Ticking("round 1", run.text)
    assert str(ticking.__rich__()) == "round 1; 0 of at most 60 s"
    now[0], ticking.text = 12.0, "round 2"
    assert str(ticking.__rich__()) == "round 2; 12 of at most 60 s"


def test_names_in_a_line_are_no_markup():
    assert str(_Ticking("class [red]", lambda: "1 s").__rich__()) == "class [red]; 1 s"


def test_the_outermost_limit_is_the_one_that_is_shown():
    with within(60.0) as outer, within(5.0) as inner:
        assert inner is outer
        assert inner.limit == 60.0
    with within(5.0) as after:
        assert after.limit == 5.0


def test_an_error_ends_the_limit_too():
    with pytest.raises(KeyError), within(60.0):
        raise KeyError
    with within(None) as run:
        assert run.limit is None


@pytest.mark.parametrize("limit", [92.345678, 60, 0.25])
def test_a_limit_is_written_for_people(limit):
    assert len(Run(0.0, limit, lambda: 0.0).text()) <= len("0 of at most 92.3 s")


def test_estimates_come_from_the_steps_that_are_done():
    run = Run(0.0, None, lambda: 30.0)
    assert run.estimate(3, 4) == "30 s, about 10 s left"
    assert run.estimate(4, 4) == "30 s, about 0 s left"


def test_steps_are_counted_in_rows(capsys):
    with counting(2, "paths", 3) as is_done:
        is_done()
        is_done()
    out, err = capsys.readouterr()
    assert out == ""
    assert [row.split(";")[0] for row in err.splitlines()] == ["1 of 3 paths", "2 of 3 paths"]


@pytest.mark.parametrize("verbose", [0, 1])
def test_without_a_terminal_nothing_is_left_behind(capfd, verbose):
    with counting(verbose, "paths", 3) as is_done:
        is_done()
    with waiting(verbose, "proving", 60.0), reporting(verbose, "title") as shown:
        shown(iteration())
        shown.step("choosing")
    out, err = capfd.readouterr()
    assert out == ""
    assert err.strip() == ""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_fold_gets_a_row(capfd, n_jobs):
    random = np.random.default_rng(0)
    X = random.integers(0, 10, (60, 2))
    search = BooleanRuleClassifierCV(
        BooleanRuleClassifier(time_limit=20),
        complexities=[2, 3],
        cv=3,
        n_repeats=1,
        n_jobs=n_jobs,
        random_state=0,
        verbose=2,
    )
    shown = search.fit(X, X[:, 0] > 4)
    out, err = capfd.readouterr()
    rows = [row for row in err.splitlines() if "splits of the rows" in row]
    assert out == ""
    assert [row[:6] for row in rows] == ["1 of 3", "2 of 3", "3 of 3"]
    silent = search.set_params(verbose=0).fit(X, X[:, 0] > 4)
    assert capfd.readouterr() == ("", "")
    assert silent.rule_set_ == shown.rule_set_
