"""Rounds of folds, with splits that take as long as a clock says, and an interrupt."""

import math
from dataclasses import replace

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier
from boolrules._support.budget import LEAST_SECONDS
from boolrules.estimators import helpers, rounds
from boolrules.estimators.folds import JudgedPath, judge_split
from boolrules.estimators.helpers import Together
from boolrules.estimators.rounds import Judgements, Race

ROWS = np.arange(12)
SPLITS = [
    [(np.setdiff1d(ROWS, test), test) for test in np.split(ROWS[::step], 3)] for step in (1, -1, 1)
]
LIMITS = [2, 3]


def judged(scores):
    scores = np.array(scores, dtype=float)
    n = len(scores)
    return JudgedPath(scores, np.zeros(n), np.zeros((n, 2, 2), int), np.zeros((n, 2, 4)), None)


@pytest.fixture
def race(monkeypatch):
    """Make a race whose splits take ``seconds`` per candidate, and where ``None`` interrupts."""

    class Fake:
        """A race, what time it is, and what every split was asked for."""

        def __init__(self, scores, seconds=1.0, interrupt_at=None):
            self.now, self.asked = 0.0, []
            models = [BooleanRuleClassifier() for _ in scores]
            self.race = Race(models, ROWS, ROWS, None, LIMITS, 5, None, clock=lambda: self.now)

            def judge_split(
                models_, X, labels, weights, limits, patience, scorer, split, time_limit
            ):
                if len(self.asked) == interrupt_at:
                    return None
                places = [next(k for k, m in enumerate(models) if m is own) for own in models_]
                self.asked.append((places, list(limits), time_limit))
                if time_limit is not None:
                    places = places[: max(1, math.ceil(time_limit / seconds))]
                self.now += seconds * len(places)
                # So that differences vary, as those of real splits do.
                noise = 0.001 * (len(self.asked) % 3)
                return [
                    [judged(np.array(scores[k][: len(limits)]) + noise * (k % 2))] * len(split[1:])
                    for k in places
                ]

            monkeypatch.setattr(rounds, "judge_split", judge_split)

        def run(self, time_limit):
            return self.race.run(SPLITS, time_limit)

        def run_pairs(self, time_limit):
            """Run one round without a limit, then pairs of its splits with one."""
            race = replace(self.race, labels=ROWS % 2)
            done = race.run(SPLITS[:1], None)
            return race.run_pairs(done, time_limit)

    return Fake


def test_without_a_limit_every_round_is_done(race):
    fake = race([[0.5, 0.7]])
    done = fake.run(None)
    assert [len(splits) for splits in done.rounds] == [3, 3, 3]
    assert done.splits == [split for some in SPLITS for split in some]
    assert not done.is_interrupted
    assert done.scores([0]).shape == (1, 9, 2)
    assert {limit for *_, limit in fake.asked} == {None}


@pytest.mark.parametrize(
    ("time_limit", "n_rounds"),
    # A round takes 3 seconds; the next may take 20 % more.
    [(0.001, 1), (6.5, 1), (6.7, 2), (9.5, 2), (9.7, 3), (100, 3)],
)
def test_a_later_round_begins_only_if_it_fits_and_the_first_in_any_case(
    race, time_limit, n_rounds
):
    fake = race([[0.5, 0.7]])
    done = fake.run(time_limit)
    assert len(done.rounds) == n_rounds
    assert not done.is_interrupted
    assert fake.asked[0][2] == pytest.approx(max(time_limit / 3, LEAST_SECONDS))


def test_candidates_and_complexities_that_are_clearly_behind_leave_after_a_round(race):
    fake = race([[0.8, 0.5], [0.5, 0.5], [0.8, 0.5]])
    done = fake.run(None)
    assert [places for places, *_ in fake.asked] == [[0, 1, 2]] * 3 + [[0, 2]] * 6
    assert [len(limits) for _, limits, _ in fake.asked] == [2] * 3 + [1] * 6
    assert done.finalists == [0, 2]
    assert [len(done.paths[k]) for k in range(3)] == [9, 3, 9]
    # What all splits have: the least complexity.
    assert done.scores(done.finalists).shape == (2, 9, 1)
    assert done.scores([0, 1, 2], slice(0, 3)).shape == (3, 3, 2)


def test_fewer_candidates_make_a_later_round_fit(race):
    # Three seconds a candidate: 9 seconds for the first round, 3.6 expected for the second.
    assert len(race([[0.8, 0.8], [0.5, 0.5], [0.5, 0.5]]).run(13).rounds) == 2
    assert len(race([[0.8, 0.8], [0.8, 0.8], [0.8, 0.8]]).run(13).rounds) == 1


@pytest.mark.parametrize(("interrupt_at", "sizes"), [(2, [2]), (3, [3]), (5, [3, 2])])
def test_an_interrupt_keeps_the_splits_that_are_done(race, interrupt_at, sizes):
    done = race([[0.8, 0.5], [0.5, 0.5]], interrupt_at=interrupt_at).run(None)
    assert done.is_interrupted
    assert [len(splits) for splits in done.rounds] == sizes
    assert 0 in done.finalists
    assert all(len(done.paths[k]) == sum(sizes) for k in done.finalists)


def test_one_split_is_not_said_to_be_several(race):
    done = race([[0.8, 0.5]], interrupt_at=1).run(None)
    assert done.description(3, 3, 1) == "the first split, for the search was interrupted"


@pytest.mark.parametrize("seconds", [1e-9, None])
def test_paths_that_time_ran_out_for_are_told(seconds):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), np.arange(60) % 2
    models = [BooleanRuleClassifier(mode="fast")]
    split = np.arange(40), np.arange(40, 60)
    [[path]] = judge_split(models, X, y, None, [2, 5, 8], 5, None, split, seconds)
    assert path.is_cut_short == (seconds is not None)
    done = Judgements([[split]], {0: [path]})
    assert done.description(5, 1, 1).endswith("longer rules may do better") == path.is_cut_short


def test_an_interrupt_before_the_first_split_leaves_nothing(race):
    done = race([[0.8, 0.5]], interrupt_at=0).run(None)
    assert done.is_interrupted
    assert done.rounds == []


@pytest.mark.parametrize(("time_limit", "n_judged"), [(0.001, 1), (3.5, 1), (5.5, 2), (12, 4)])
def test_candidates_that_there_is_no_time_for_are_left_out(race, recwarn, time_limit, n_judged):
    fake = race([[0.5, 0.7]] * 4)
    done = fake.run(time_limit)
    assert done.finalists == list(range(n_judged))
    assert fake.now <= max(time_limit, 3) + 1
    results = done.results([{"form": k} for k in range(4)], LIMITS)
    assert np.isfinite(results["mean_test_score"]).tolist() == [k < 2 * n_judged for k in range(8)]
    assert not recwarn


def test_what_one_split_takes_too_long_is_taken_from_the_others(race):
    fake = race([[0.5, 0.7]], seconds=4.0)
    fake.run(9)
    assert [limit for *_, limit in fake.asked] == pytest.approx([3.0, 2.5, 1.0])


def test_with_many_rows_workers_judge_and_with_few_this_process_begins(race, monkeypatch):
    by_workers = []

    def with_workers(tasks, n_workers):
        for judge, (split, time_limit), _ in tasks:
            by_workers.append(n_workers)
            yield judge(split, time_limit)

    monkeypatch.setattr(rounds, "side_by_side", with_workers)
    monkeypatch.setattr(rounds, "wake_workers", lambda n_workers, engine: None)
    fake = race([[0.5, 0.7]], seconds=0.1)
    alone = fake.run(None)
    for n_rows, n_by_workers in ((5000, 0), (5001, 9)):
        together = replace(fake.race, n_jobs=2, labels=np.zeros(n_rows)).run(SPLITS, None)
        assert by_workers == [2] * n_by_workers
        sizes = [len(splits) for splits in alone.rounds]
        assert [len(splits) for splits in together.rounds] == sizes


def refused(place):
    raise OSError("no more processes")


def test_helpers_are_asked_for_as_long_as_pairs_are_to_come(race, monkeypatch):
    """A round of three splits, one second each, then three pairs of them."""
    asked = []

    class Counting(Together):
        def results(self):
            asked.append((self.n_tasks, self.n_workers, round(self.seconds, 3), self.n_later))
            return super().results()

    monkeypatch.setattr(rounds, "Together", Counting)
    monkeypatch.setattr(helpers, "_helper", refused)
    fake = race([[0.5, 0.7]])
    fake.race = replace(fake.race, n_jobs=2, labels=ROWS % 2)
    fake.run_pairs(None)
    assert asked == [(3, 2, 0.0, 3), (3, 2, 1.0, 0)]


def test_what_workers_take_to_start_is_no_part_of_what_is_shared_out_to_them(race, monkeypatch):
    fake = race([[0.7, 0.8]])

    def wake_workers(n_workers, engine):
        assert (n_workers, engine) == (2, "numba")
        fake.now += 4

    monkeypatch.setattr(rounds, "FEW_ROWS", 0)
    monkeypatch.setattr(rounds, "wake_workers", wake_workers)
    monkeypatch.setattr(
        rounds, "side_by_side", lambda tasks, n: (judge(*each) for judge, each, _ in tasks)
    )
    replace(fake.race, n_jobs=2).run(SPLITS[:1], time_limit=10)
    assert [asked[2] for asked in fake.asked] == [3, 3, 3]  # in two turns


# Pairs of splits


@pytest.mark.parametrize(
    ("time_limit", "has_pairs"),
    # Three pairs take 3 seconds a candidate; they may take 20 % more.
    [(None, True), (7.3, True), (7.1, False), (0.001, False)],
)
def test_pairs_are_judged_only_if_they_fit(race, time_limit, has_pairs):
    fake = race([[0.5, 0.7], [0.5, 0.6]])
    done = fake.run_pairs(time_limit)
    assert set(done.pairs) == ({(0, 1), (0, 2), (1, 2)} if has_pairs else set())
    assert len(fake.asked) == 3 + 3 * has_pairs
    assert not done.is_interrupted
    assert done.has_time_for_pairs == has_pairs
    if has_pairs:
        assert {len(paths) for paths in done.pairs.values()} == {2}
        assert all((places, limits) == ([0, 1], LIMITS) for places, limits, _ in fake.asked)


def test_all_candidates_are_judged_on_pairs_or_none(race, monkeypatch):
    """Pairs that take longer than splits did: the last candidate is not reached in time."""
    fake = race([[0.5, 0.7]] * 2)
    monkeypatch.setattr(rounds, "NOISE", 0.1)
    done = fake.run_pairs(3.0)
    assert len(fake.asked) == 6
    assert done.pairs == {}
    assert not done.has_time_for_pairs


@pytest.mark.parametrize("interrupt_at", [3, 5])
def test_an_interrupt_among_pairs_keeps_the_round(race, interrupt_at):
    done = race([[0.5, 0.7]], interrupt_at=interrupt_at).run_pairs(None)
    assert done.is_interrupted
    assert done.pairs == {}
    assert len(done.paths[0]) == 3


def test_nothing_is_judged_again_where_there_is_nothing_to_choose(race):
    fake = race([[0.5, 0.7]])
    fake.race = replace(fake.race, limits=LIMITS[:1])
    assert fake.run_pairs(None).pairs == {}
    assert len(fake.asked) == 3
