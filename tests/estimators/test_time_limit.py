"""A time limit is for the whole call: against a clock that the test turns, or by counting."""

from types import SimpleNamespace

import numpy as np
import polars
import pytest

from boolrules import BooleanRuleClassifier, FeatureBinarizer, complexity_path
from boolrules._support import budget
from boolrules.data.bins import BinnedConditions
from boolrules.data.encoding import TableEncoding
from boolrules.estimators import classifier as classifier_module
from boolrules.estimators import reporting
from boolrules.search import narrowing
from boolrules.search.branch_and_bound import NOTHING_PRICED
from boolrules.search.engines._kernels import clauses
from boolrules.solver import column_generation, learner, warm_up
from boolrules.solver.learner import Learner
from boolrules.solver.pricing import beam_search, neighbour_search


@pytest.fixture
def clock(monkeypatch):
    """Let budgets read a clock that stands still; ``turning`` makes a step take seconds."""

    class Clock:
        now = 0.0

        def turning(self, owner, name, seconds):
            original = getattr(owner, name)

            def slow(*arguments, **keywords):
                self.now += seconds
                return original(*arguments, **keywords)

            monkeypatch.setattr(owner, name, slow)

    made = Clock()
    monkeypatch.setattr(budget, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


@pytest.fixture
def limits(monkeypatch):
    """Collect the time limits that tasks are learned with."""
    asked, original = [], learner.learn

    def learn(training_set, problem, settings, *others, **more):
        asked.append(settings.time_limit)
        return original(training_set, problem, settings, *others, **more)

    monkeypatch.setattr(learner, "learn", learn)
    return asked


def make_rows(n_classes=2):
    X = np.random.default_rng(0).random((60, 2))
    return X, np.arange(60) % n_classes


def test_reading_the_table_counts_and_compiling_does_not(clock, limits):
    clock.turning(classifier_module, "prepare", 4)
    clock.turning(Learner, "_split", 1)
    clock.turning(warm_up, "_load", 1000)
    BooleanRuleClassifier(4, time_limit=10).fit(*make_rows())
    assert limits == [5]


def test_classes_share_what_those_before_them_leave(clock, limits):
    clock.turning(classifier_module, "prepare", 2)
    clock.turning(Learner, "_split", 1)
    clock.turning(learner, "learn", 1)
    BooleanRuleClassifier(4, time_limit=20).fit(*make_rows(n_classes=3))
    assert limits == pytest.approx([18 / 3 - 1, 16 / 2 - 1, 14 - 1])


def test_after_the_limit_classes_get_no_time(clock, limits):
    clock.turning(Learner, "_split", 10)
    BooleanRuleClassifier(4, time_limit=5).fit(*make_rows(n_classes=3))
    assert limits[0] <= 1e-3
    assert limits == [limits[0]] * 3


def test_a_path_counts_reading_too(clock, monkeypatch):
    clock.turning(classifier_module, "prepare", 4)
    clock.turning(warm_up, "_load", 1000)
    left, original = [], Learner._first_pass

    def first_pass(self, *arguments):
        left.append(arguments[-1].remaining_seconds)
        return original(self, *arguments)

    monkeypatch.setattr(Learner, "_first_pass", first_pass)
    complexity_path(*make_rows(), time_limit=10, complexities=[2, 3])
    assert left == [6]


def test_complexities_that_are_fitted_one_by_one_share_a_limit(clock, monkeypatch):
    asked = []

    def fit(self, X, y, sample_weight=None):
        asked.append(self.time_limit)
        clock.now += 4
        return self

    monkeypatch.setattr(BooleanRuleClassifier, "fit", fit)
    one_by_one = reporting._OneByOne(time_limit=9)
    one_by_one.fit_path(*make_rows(), complexities=[2, 3, 4], patience=5)
    assert asked == pytest.approx([3, 2.5, 1])


def test_all_classes_are_encoded_once(monkeypatch):
    n_encoded, original = 0, TableEncoding.encode

    def encode(self, table):
        nonlocal n_encoded
        n_encoded += 1
        return original(self, table)

    monkeypatch.setattr(TableEncoding, "encode", encode)
    BooleanRuleClassifier(4, time_limit=None).fit(*make_rows(n_classes=5))
    assert n_encoded == 1


@pytest.mark.parametrize(
    ("n_classes", "who"), [(2, "the rules are constant"), (4, "4 of 4 classes have rules")]
)
def test_a_limit_that_ends_before_any_clause_is_said_in_one_line(
    clock, monkeypatch, n_classes, who
):
    class Hopeless:
        name = "hopeless"

        def price(self, duals, budget):
            clock.now += 10
            return NOTHING_PRICED

    monkeypatch.setattr(column_generation, "make_pricers", lambda *_: (Hopeless(),))
    with pytest.warns(UserWarning, match="before any clause was found") as heard:
        BooleanRuleClassifier(time_limit=5).fit(*make_rows(n_classes))
    (warning,) = heard
    assert who in str(warning.message)
    assert "time_limit=5" in str(warning.message)
    assert "\n" not in str(warning.message)
    assert warning.filename == __file__


def test_nothing_is_said_where_no_rules_are_the_best(recwarn):
    X = np.zeros((9, 1))
    X[4:, 0] = 1
    fitted = BooleanRuleClassifier(2, time_limit=None).fit(X, np.arange(9) == 0)
    assert not fitted.rule_set_.clauses
    assert not recwarn


@pytest.mark.parametrize("mode", ["fast", "prove"])
def test_a_column_of_distinct_texts_does_not_hide_the_others(monkeypatch, mode):
    n, most_bits = 400, 30_000
    x = np.arange(n) % 10
    table = polars.DataFrame({"text": [f"t{i}" for i in range(n)], "x": x})
    for module in (narrowing, beam_search, neighbour_search):
        monkeypatch.setattr(module, "MOST_BITS", most_bits)
    monkeypatch.setattr(narrowing, "LEAST_OF_KIND", 16)
    n_bits, original = [], BinnedConditions.bits

    def bits(self, codes):
        n_bits.append(len(self) * len(codes))
        return original(self, codes)

    monkeypatch.setattr(BinnedConditions, "bits", bits)
    monkeypatch.setattr("boolrules.data.training_set.MOST_BITS", most_bits)
    monkeypatch.setattr("boolrules.search.branch_and_bound.MOST_BITS_OF_EXACT", most_bits)
    asked = FeatureBinarizer(categorical_features=["text"])
    classifier = BooleanRuleClassifier(4, mode=mode, time_limit=None, binarizer=asked)
    fitted = classifier.fit(table, x > 4)
    assert fitted.certificate_.hamming_loss == 0
    assert max(n_bits) <= 1.1 * most_bits  # conditions in use come on top


@pytest.mark.parametrize(("n_codes", "code"), [(2, "uint8"), (300, "uint16"), (70_000, "uint32")])
def test_kernels_for_many_categories_are_loaded_before_the_limit_begins(n_codes, code):
    warm_up.warm_up(n_codes=n_codes)
    for kernel in (clauses.extend, clauses.expand):
        assert any(f"array({code}," in str(signature) for signature in kernel.signatures)
