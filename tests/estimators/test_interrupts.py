"""Ctrl-C at any moment: once a search has begun, rules come back."""

import signal
import sys
from contextlib import nullcontext

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV, complexity_path
from boolrules._support import interrupts
from boolrules._support.interrupts import answering, not_now, searching
from boolrules.estimators import classifier_cv
from boolrules.solver.result import StopReason

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 4, (60, 4))
Y = (X[:, 0] > 1) ^ (RANDOM.random(60) < 0.2)
THREE = X[:, 0] // 2 + (X[:, 1] > 2)

# Python loses an interrupt that comes while it throws a generator away, and says so.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def fitted(**asked):
    return BooleanRuleClassifier(**{"max_complexity": 4} | asked)


CALLS = {
    "prove": lambda: fitted().fit(X, Y).rule_sets_,
    "fast": lambda: fitted(mode="fast").fit(X, Y).rule_sets_,
    "errors": lambda: fitted(objective="errors").fit(X, Y).rule_sets_,
    "three classes": lambda: fitted().fit(X, THREE).rule_sets_,
    "path": lambda: complexity_path(X, Y, complexities=[2, 4]),
}


class Interrupted:
    """Sends one signal at the n-th call of a function, and knows whether a search had begun."""

    def __init__(self, n):
        self.n, self.has_begun = n, False

    def __call__(self, frame, event, argument):
        if event != "call":
            return
        self.n -= 1
        if self.n == 0:
            sys.setprofile(None)
            answer = interrupts._current
            self.has_begun = answer is not None and (answer.has_found or answer.n_searches > 0)
            signal.raise_signal(signal.SIGINT)


def n_calls(call):
    counter = Interrupted(-1)
    sys.setprofile(counter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return -1 - counter.n


@pytest.mark.parametrize("kind", CALLS)
def test_once_a_search_has_begun_rules_come_back(kind):
    call = CALLS[kind]
    call()  # what is compiled or imported once does not count
    moments = np.random.default_rng(1).integers(1, n_calls(call), 12)
    n_kept = 0
    for moment in moments.tolist():
        interrupt = Interrupted(moment)
        sys.setprofile(interrupt)
        try:
            assert call()
            n_kept += 1
        except KeyboardInterrupt:
            assert not interrupt.has_begun
        finally:
            sys.setprofile(None)
    assert n_kept
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_choice_keeps_what_it_has_judged():
    search = BooleanRuleClassifierCV(complexities=[2], cv=2, n_repeats=1, n_jobs=1)
    search.fit(X, Y)
    moments = np.random.default_rng(2).integers(1, n_calls(lambda: search.fit(X, Y)), 5)
    for moment in moments.tolist():
        sys.setprofile(Interrupted(moment))
        try:
            search.fit(X, Y)
        except KeyboardInterrupt:
            pass  # no fold was done
        finally:
            sys.setprofile(None)
        assert search.predict(X).shape == Y.shape


def test_a_signal_that_waits_ends_the_next_search_at_once():
    steps = []
    with answering():
        with searching():
            steps.append("first")
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), searching():
            steps.append("second")
        steps.append("end")
    assert steps == ["first", "end"]


def test_before_a_search_it_is_raised_as_ever():
    with pytest.raises(KeyboardInterrupt), answering():
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_while_the_searches_are_loaded_keeps_what_folds_chose(monkeypatch):
    def interrupt(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(classifier_cv, "load_what_proves", interrupt)
    model = BooleanRuleClassifierCV(complexities=[0, 2], cv=2, n_repeats=1).fit(X, X[:, 0] > 1)
    assert model.is_interrupted_
    assert model.rule_set_.to_text() == [["x0 > 1"]]
    assert [r.stop_reason for r in model.best_estimator_.results_] == [StopReason.INTERRUPTED]


def test_an_interrupt_that_compiled_code_met_is_one():
    """It comes as an error of the system, in the middle of handing over results."""
    with interrupts.answering():
        with pytest.raises(KeyboardInterrupt), interrupts.searching():
            raise SystemError("a result with an exception set") from KeyboardInterrupt()
        twice = SystemError("once more")
        twice.__cause__ = SystemError("a result with an exception set")
        twice.__cause__.__cause__ = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt), interrupts.searching():
            raise twice
        with pytest.raises(SystemError, match="another"), interrupts.searching():
            raise SystemError("another")


@pytest.mark.parametrize("is_searching", [False, True])
def test_what_a_compiler_calls_back_is_not_interrupted(is_searching):
    """It would print the error and go on: the signal waits until all that is compiled is."""
    steps = []

    def compile_several():
        with searching(), not_now():
            with not_now():
                signal.raise_signal(signal.SIGINT)
                steps.append("inner")
            steps.append("outer")
        steps.append("after")

    with answering() if is_searching else nullcontext(), pytest.raises(KeyboardInterrupt):
        compile_several()
    assert steps == ["inner", "outer"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # nothing of it stays
