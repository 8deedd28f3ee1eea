"""Rounds of folds: who is judged on which splits, and how long that may take (§4).

The first round judges every candidate at every complexity. Later ones only those that are still in
the race, as long as there is time.
"""

from __future__ import annotations

import math
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np

from boolrules._support.budget import Budget
from boolrules.estimators.choice import choose_place, in_the_race
from boolrules.estimators.folds import (
    JudgedPath,
    describe_splits,
    get_ready,
    judge_split,
    side_by_side,
    until_interrupted,
    wake_workers,
)
from boolrules.estimators.helpers import Together, can_have_helpers
from boolrules.estimators.pairs import are_enough, can_choose_for_each, leave_out_pairs, pairs_of
from boolrules.proof.unmet import RequirementsNotMetError
from boolrules.solver.learner import count_workers
from boolrules.solver.progress import counting

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from numpy.typing import NDArray

    from boolrules.estimators.candidates import Candidate
    from boolrules.estimators.classifier import BooleanRuleClassifier
    from boolrules.estimators.folds import Parts, Scorer, Split
    from boolrules.estimators.pairs import Pair

# A round may take longer than the one before it by so much.
NOISE = 1.2
# With so few rows this process begins while others start. Those that judge more rows share large
# arrays through joblib, and the first split would take longer than they take to start.
FEW_ROWS = 5000


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """What came of the rounds.

    Parameters
    ----------
    rounds : list of list of Split
        The splits that were judged, by round.
    paths : dict from candidate to list of JudgedPath
        One per split, as far as the candidate came; none for those that there was no time for.
    is_interrupted : bool
        Whether Ctrl-C ended them early.
    has_no_rules : bool
        Whether the first complexity is 0.
    unmet : list of RequirementsNotMetError
        One per split that was left out because requirements cannot be met on its rows.
    seconds_per_path : float
        What the first round took for a candidate and a split.
    pairs : dict from pair of splits of the first round to list of list of JudgedPath
        By candidate, what was learned without the rows of either made of the rows of each. Empty
        where there is no choice, no time for them, or no way to leave out two.
    has_time_for_pairs : bool
        Whether there was time for them.
    """

    rounds: list[list[Split]]
    paths: dict[int, list[JudgedPath]]
    is_interrupted: bool = False
    has_no_rules: bool = False
    unmet: list[RequirementsNotMetError] = field(default_factory=list)
    seconds_per_path: float = 0.0
    pairs: dict[Pair, list[list[JudgedPath]]] = field(default_factory=dict)
    has_time_for_pairs: bool = True

    @property
    def splits(self) -> list[Split]:
        """All of them, in order."""
        return [split for some in self.rounds for split in some]

    def choose(self, choice: str, by: Sequence[Sequence[JudgedPath]]) -> tuple[int, int]:
        """Choose a candidate and a complexity by paths, which are given by candidate and split.

        No rules are held to less where they are one answer, whatever was left out. Where the
        classes weigh the same, as balanced ones do, chance decides which it is: such scores vary
        widely, and nobody can tell whether rules are clearly better. Some of the splits choose as
        strictly as all of them do, or they would choose simpler rules than those that are judged.
        """
        has_one_answer = self.has_no_rules and (
            len({answer for paths in by for path in paths for answer in path.answers[0]}) <= 1
        )
        n_splits = len(self.splits)
        return choose_place(choice, _scores(by), has_no_rules=has_one_answer, n_splits=n_splits)

    def beside(self, s: int) -> list[list[JudgedPath]]:
        """Return by candidate what chooses for a split of the first round.

        Paths that were learned without its rows, if there are any. Else those of the other splits,
        which were judged on other rows but learned from these.
        """
        if not self.pairs:
            n_splits = len(self.rounds[0])
            others = [t for t in range(n_splits) if t != s]
            return [[paths[t] for t in others] for paths in self.paths.values()]
        # Of the two parts of a pair, the one that is not this split.
        own = [(paths, 1 - pair.index(s)) for pair, paths in self.pairs.items() if s in pair]
        return [[paths[k][part] for paths, part in own] for k in range(len(self.paths))]

    @property
    def finalists(self) -> list[int]:
        """The candidates that were judged on every split."""
        n_splits = len(self.splits)
        return [k for k, paths in self.paths.items() if len(paths) == n_splits]

    def description(self, cv: Any, n_planned: int, n_candidates: int) -> str:
        """Say how rows were left out, and what there was no time for of what was planned."""
        n_rounds, n_judged = len(self.rounds), len(self.paths)
        words = describe_splits(cv, self.rounds)
        if self.is_interrupted:
            n = len(self.splits)
            some = "split" if n == 1 else f"{n} splits"
            words = f"the first {some}, for the search was interrupted"
        elif n_rounds < n_planned:
            words += f"; time for {n_rounds} of {n_planned} rounds"
        if n_judged < n_candidates:
            words += f"; time for {n_judged} of {n_candidates} candidates"
        if any(path.is_cut_short for paths in self.paths.values() for path in paths):
            words += "; time ran out within some of them, so that longer rules may do better"
        if self.unmet:
            words += f"; requirements could not be met in {len(self.unmet)} more"
        return words

    def scores(
        self, candidates: Sequence[int], splits: slice = slice(None)
    ) -> NDArray[np.float64]:
        """Scores on some splits, (candidates, splits, complexities that all of them have)."""
        return _scores([self.paths[k][splits] for k in candidates])

    def results(self, candidates: Sequence[Candidate], limits: Sequence[float]) -> dict[str, Any]:
        """Return all scores as ``cv_results_``; NaN where a candidate did not take part."""
        n_splits = len(self.splits)
        shape = (len(candidates), n_splits, len(limits))
        scores, complexities = np.full((2, *shape), np.nan)
        for k, paths in self.paths.items():
            for s, path in enumerate(paths):
                n = len(path.scores)
                scores[k, s, :n], complexities[k, s, :n] = path.scores, path.complexities
        params = [{**c, "max_complexity": C} for c in candidates for C in limits]
        n_judged = np.isfinite(scores).sum(axis=1)
        mean = _mean(scores, n_judged).ravel()
        std = np.sqrt(_mean((scores - _mean(scores, n_judged)[:, None]) ** 2, n_judged))
        # As ``standard_error``, over the splits that there are.
        error = np.where(n_judged > 1, std / np.sqrt(np.maximum(n_judged - 1, 1)), 0.0)
        return {
            "params": params,
            **{f"param_{n}": np.array([p[n] for p in params], dtype=object) for n in params[0]},
            **{f"split{s}_test_score": scores[:, s].ravel() for s in range(n_splits)},
            "mean_test_score": mean,
            "std_test_score": std.ravel(),
            "standard_error": error.ravel(),
            "mean_complexity": _mean(complexities, n_judged).ravel(),
            "rank_test_score": 1 + np.array([(mean > value).sum() for value in mean]),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Race:
    """Candidates to be judged on rounds of splits.

    Parameters
    ----------
    models : list of BooleanRuleClassifier
        One per candidate; without proofs, whose time limits are set here.
    X, labels, sample_weight
        All rows.
    limits : list of float
        Complexities.
    patience : int
        Of each path.
    scorer : callable or None
        None is accuracy.
    n_jobs : int or None
        Splits at a time.
    verbose : int or None
        As for the estimator.
    """

    models: Sequence[BooleanRuleClassifier]
    X: Any
    labels: NDArray[Any]
    sample_weight: Any
    limits: Sequence[float]
    patience: int
    scorer: Scorer | None
    n_jobs: int | None = None
    verbose: int | None = 0
    clock: Callable[[], float] = field(default=time.monotonic)

    def run(self, rounds: Iterable[Sequence[Split]], time_limit: float | None) -> Judgements:
        """Judge all candidates in the first round, and in later ones those still in the race.

        A later round begins only if it can be expected to end within the time limit; the first has
        as many candidates as there is time for on every split, and one at least.
        """
        budget = Budget.of(time_limit, self.clock)
        nothing: dict[int, list[JudgedPath]] = {k: [] for k in range(len(self.models))}
        done = Judgements([], nothing, has_no_rules=self.limits[0] == 0)
        candidates, limits = list(done.paths), list(self.limits)
        seconds_per_path, unmet = 0.0, done.unmet
        for splits in rounds:
            expected = NOISE * seconds_per_path * len(candidates) * len(splits)
            if done.rounds and expected > budget.remaining_seconds:
                break
            started = self.clock()
            each = seconds_per_path * len(candidates)
            n_later = self._n_pairs(splits, len(candidates))
            judged = self._round(candidates, limits, splits, budget, each, n_later=n_later)
            seconds = self.clock() - started
            seconds_per_path = seconds / (len(candidates) * len(splits))
            if not done.rounds:
                done = replace(done, seconds_per_path=seconds_per_path)
            candidates = _judged_everywhere(candidates, judged)
            kept = []
            for split, paths in zip(splits, judged, strict=False):
                if isinstance(paths, RequirementsNotMetError):
                    unmet.append(paths)
                    continue
                kept.append(split)
                for k, (path,) in zip(candidates, paths, strict=False):
                    done.paths[k].append(path)
            if kept:
                if not done.rounds:
                    for k in set(done.paths).difference(candidates):
                        del done.paths[k]
                done.rounds.append(kept)
            elif unmet and not done.rounds:
                raise unmet[0]
            if len(judged) < len(splits):
                return replace(done, is_interrupted=True)
            places, n_limits = in_the_race(done.scores(candidates))
            candidates, limits = [candidates[k] for k in places], limits[:n_limits]
        return done

    def run_pairs(self, done: Judgements, time_limit: float | None) -> Judgements:
        """Judge what was learned without two splits of the first round on each of them.

        All candidates at all complexities, or none of it where there is nothing to choose or that
        cannot be expected to end within the time limit.
        """
        budget = Budget.of(time_limit, self.clock)
        splits, candidates = done.rounds[0], list(done.paths)
        if done.is_interrupted or not self._n_pairs(splits, len(candidates)):
            return done
        pairs = leave_out_pairs(splits, self.labels)
        seconds_per_split = done.seconds_per_path * len(candidates)
        expected = NOISE * seconds_per_split * len(pairs)
        if expected > budget.remaining_seconds:
            return replace(done, has_time_for_pairs=False)
        parts, things = list(pairs.values()), "pairs of splits"
        judged = self._round(
            candidates, self.limits, parts, budget, seconds_per_split, things=things
        )
        if len(judged) < len(pairs):
            return replace(done, is_interrupted=True)
        known = {
            pair: paths
            for pair, paths in zip(pairs, judged, strict=True)
            if not isinstance(paths, RequirementsNotMetError)
        }
        if len(_judged_everywhere(candidates, judged)) < len(candidates):
            return replace(done, has_time_for_pairs=False)
        return replace(done, pairs=known if are_enough(known, len(splits)) else {})

    def _n_pairs(self, splits: Sequence[Split], n_candidates: int) -> int:
        """How many pairs of splits choose for each; none where there is nothing to choose."""
        has_choice = n_candidates * len(self.limits) > 1 and can_choose_for_each(splits)
        return len(pairs_of(len(splits))) if has_choice else 0

    def _round(
        self,
        candidates: Sequence[int],
        limits: Sequence[float],
        splits: Sequence[Parts],
        budget: Budget,
        seconds_per_split: float = 0.0,
        *,
        n_later: int = 0,
        things: str = "splits of the rows",
    ) -> list[list[list[JudgedPath]] | RequirementsNotMetError]:
        """Judge candidates on the splits of one round; fewer results after an interrupt.

        ``seconds_per_split`` is what a split is known to take, and ``n_later`` how many more come
        after this round.
        """
        models = [self.models[k] for k in candidates]
        rows = self.X, self.labels, self.sample_weight
        judge = partial(judge_split, models, *rows, limits, self.patience, self.scorer)
        n_workers = count_workers(self.n_jobs, len(splits))
        results: Generator[Any]

        def arguments(place: int, n_at_work: int) -> tuple[Parts, float | None]:
            n_turns = math.ceil((len(splits) - place) / n_at_work)
            return splits[place], budget.share(1 / n_turns).time_limit

        if n_workers > 1 and (len(self.labels) > FEW_ROWS or not can_have_helpers()):
            wake_workers(n_workers, models[0].engine)
            each = budget.share(1 / math.ceil(len(splits) / n_workers)).time_limit
            tasks = (joblib.delayed(judge)(split, each) for split in splits)
            results = side_by_side(tasks, n_workers)
        else:
            wake = partial(get_ready, models[0].engine)
            known = seconds_per_split, n_later, self.clock
            results = Together(judge, arguments, len(splits), wake, n_workers, *known).results()
        with counting(self.verbose, things, len(splits)) as is_done, closing(results):
            return until_interrupted(results, is_done)


def _judged_everywhere(
    candidates: list[int], judged: Sequence[list[list[JudgedPath]] | RequirementsNotMetError]
) -> list[int]:
    """Return the candidates that there was time for on every split."""
    counts = [len(paths) for paths in judged if not isinstance(paths, RequirementsNotMetError)]
    return candidates[: min(counts, default=None)]


def _scores(paths: Sequence[Sequence[JudgedPath]]) -> NDArray[np.float64]:
    """Scores (candidates, splits, complexities that all of them have)."""
    n_limits = min(len(path.scores) for some in paths for path in some)
    return np.array([[path.scores[:n_limits] for path in some] for some in paths])


def _mean(values: NDArray[np.float64], n_judged: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean over the splits that there are; NaN where there is none."""
    sums = np.nansum(values, axis=1)
    return np.where(n_judged, sums / np.maximum(n_judged, 1), np.nan)
