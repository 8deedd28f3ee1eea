"""Bayesian Rule Sets (Wang et al., 2017), written here after its description and the paper's.

Candidates are all clauses of at most three conditions that cover 5 % of the positives, the 5000 of
most information gain. A rule set has a Beta-Binomial prior on the number of clauses of each length
and a Beta prior on how pure each side is; simulated annealing looks for the most probable one: two
chains of 500 steps, each mending one misclassified row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betaln, xlogy

from benchmarks.learners.learner import Clauses, Learner, Model, Rows, Task, Tuned
from boolrules import Relation
from boolrules.data.bins import pack_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MIN_SUPPORT = 0.05
N_CANDIDATES = 5000
N_CHAINS, N_STEPS = 2, 500
ALPHA, BETA = 500.0, 1.0  # α₊ = α₋ and β₊ = β₋
FIRST_TEMPERATURE = 1000.0
RANDOM_SHARE = 0.1  # of the steps that take any clause instead of the best
MOST_CONDITIONS = 600  # triples of more take too long: those of most information gain are kept


def entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of a share, in nats."""
    return -xlogy(p, p) - xlogy(1 - p, 1 - p)


def information_gain(
    n_P: NDArray[np.float64], n_Z: NDArray[np.float64], all_P: int, all_Z: int
) -> NDArray[np.float64]:
    """Return what knowing whether a clause covers a row says of its label."""
    n = all_P + all_Z
    covered = n_P + n_Z
    inside = entropy(n_P / np.maximum(covered, 1))
    outside = entropy((all_P - n_P) / np.maximum(n - covered, 1))
    return entropy(np.array(all_P / n)) - (covered * inside + (n - covered) * outside) / n


class Candidates:
    """The clauses to choose from, and which rows each covers, as bits too."""

    def __init__(self, rows: Rows, y: NDArray[np.bool_]) -> None:
        self.y = y
        clauses = mine(rows, y)
        self.clauses = clauses
        self.covers = np.array([rows.holds[:, list(c)].all(axis=1) for c in clauses], dtype=bool)
        self.covers = self.covers.reshape(len(clauses), len(y))
        self.bits, self.bits_of_y = pack_bits(self.covers), pack_bits(y[None, :])
        self.length = np.array([len(clause) for clause in clauses], dtype=np.int64)
        self.n_of_length = np.bincount(self.length, minlength=4).astype(float)


def mine(rows: Rows, y: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the most informative clauses with enough support, at most three conditions long.

    Two conditions on one column with the same relation are never taken together: one of them
    would say nothing, or nothing would be covered. Two with ``!=`` may well be.
    """
    holds_P, holds_Z = (rows.holds[side].astype(np.float32) for side in (y, ~y))
    all_P, all_Z = len(holds_P), len(holds_Z)
    gain = information_gain(holds_P.sum(0), holds_Z.sum(0), all_P, all_Z)
    kept = np.sort(np.argsort(-gain, kind="stable")[:MOST_CONDITIONS])
    holds_P, holds_Z = holds_P[:, kept], holds_Z[:, kept]
    chains = [
        (c.feature, c.relation, c.value if c.relation is Relation.NE else None)
        for c in rows.conditions
    ]
    numbers = {chain: place for place, chain in enumerate(dict.fromkeys(chains))}
    chain = np.array([numbers[chains[j]] for j in kept])
    differs = chain[:, None] != chain[None, :]
    least = MIN_SUPPORT * all_P
    found: list[tuple[float, tuple[int, ...]]] = []

    def add(n_P: Any, n_Z: Any, allowed: Any, clauses: Any) -> None:
        places = np.flatnonzero(allowed & (n_P >= least))
        gains = information_gain(n_P[places].astype(float), n_Z[places], all_P, all_Z)
        order = np.argsort(-gains, kind="stable")[:N_CANDIDATES]
        found.extend((float(-gains[o]), clauses(places[o])) for o in order)
        if len(found) > 20 * N_CANDIDATES:
            found.sort()
            del found[N_CANDIDATES:]

    d = len(kept)
    every = np.ones(d, dtype=bool)
    add(holds_P.sum(0), holds_Z.sum(0), every, lambda p: (int(kept[p]),))
    upper = np.triu(np.ones((d, d), dtype=bool), 1)
    for i in range(d):
        of_i_P, of_i_Z = (h[h[:, i] > 0] for h in (holds_P, holds_Z))
        if len(of_i_P) < least:
            continue
        later = np.arange(d) > i
        pair = later & differs[i]
        add(of_i_P.sum(0), of_i_Z.sum(0), pair, lambda p, i=i: (int(kept[i]), int(kept[p])))
        triple = (upper & differs & pair[:, None] & pair[None, :]).ravel()
        add(
            (of_i_P.T @ of_i_P).ravel(),
            (of_i_Z.T @ of_i_Z).ravel(),
            triple,
            lambda p, i=i: (int(kept[i]), int(kept[p // d]), int(kept[p % d])),
        )
    return [clause for _, clause in sorted(found)[:N_CANDIDATES]]


class Annealing:
    """One chain."""

    def __init__(self, candidates: Candidates, kappa: float, random: np.random.Generator) -> None:
        self.of, self.kappa, self.random = candidates, kappa, random
        self.chosen: list[int] = []

    def score(self, chosen: Sequence[int]) -> float:
        """Return the logarithm of prior times likelihood."""
        of = self.of
        is_covered = of.covers[list(chosen)].any(axis=0) if chosen else np.zeros(len(of.y), bool)
        n_found, n_covered_Z = (is_covered & of.y).sum(), (is_covered & ~of.y).sum()
        n_missed, n_spared = (~is_covered & of.y).sum(), (~is_covered & ~of.y).sum()
        purity = betaln(n_found + ALPHA, n_covered_Z + BETA)
        purity += betaln(n_spared + ALPHA, n_missed + BETA)
        counts = np.bincount(of.length[list(chosen)], minlength=4)
        sizes = of.n_of_length
        prior = betaln(counts + 1, sizes - counts + self.kappa * sizes + 1e-9)
        prior -= betaln(1, self.kappa * sizes + 1e-9)
        return float(purity + prior[sizes > 0].sum())

    def proposal(self) -> list[int]:
        """Return a neighbour that mends a misclassified row, chosen at random."""
        of, chosen = self.of, list(self.chosen)
        is_covered = of.covers[chosen].any(axis=0) if chosen else np.zeros(len(of.y), dtype=bool)
        wrong = np.flatnonzero(is_covered != of.y)
        if len(wrong) == 0:
            return self._cut(chosen)
        row = int(self.random.choice(wrong))
        is_swap = self.random.random() < 0.5
        if is_covered[row]:
            chosen = self._cut(chosen, row)
            return self._add(chosen, None) if is_swap else chosen
        if is_swap and chosen:
            chosen = self._cut(chosen)
        return self._add(chosen, row)

    def _add(self, chosen: list[int], row: int | None) -> list[int]:
        """Add the clause (that covers the row) that leaves the covered rows purest."""
        of = self.of
        pool = np.arange(len(of.covers)) if row is None else np.flatnonzero(of.covers[:, row])
        pool = np.setdiff1d(pool, chosen)
        if len(pool) == 0:
            return chosen
        if self.random.random() < RANDOM_SHARE:
            return [*chosen, int(self.random.choice(pool))]
        is_covered = of.covers[chosen].any(axis=0) if chosen else np.zeros(len(of.y), dtype=bool)
        more = of.bits[pool] & ~pack_bits(is_covered[None, :])
        n = np.bitwise_count(more).sum(axis=1, dtype=np.int64)
        n_P = np.bitwise_count(more & of.bits_of_y).sum(axis=1, dtype=np.int64)
        purity = ((is_covered & of.y).sum() + n_P) / np.maximum(is_covered.sum() + n, 1)
        purity[n == 0] = -1
        return [*chosen, int(pool[purity.argmax()])]

    def _cut(self, chosen: list[int], row: int | None = None) -> list[int]:
        """Drop the clause (that covers the row) without which the covered rows are purest."""
        of = self.of
        pool = [k for k in chosen if row is None or of.covers[k, row]]
        if not pool:
            return chosen
        if self.random.random() < RANDOM_SHARE:
            gone = int(self.random.choice(pool))
            return [k for k in chosen if k != gone]
        rests = [[k for k in chosen if k != gone] for gone in pool]
        return max(rests, key=self._purity)

    def _purity(self, chosen: list[int]) -> float:
        if not chosen:
            return 0.0
        is_covered = self.of.covers[chosen].any(axis=0)
        return float(self.of.y[is_covered].mean()) if is_covered.any() else 0.0

    def run(self) -> tuple[float, list[int]]:
        """Return the best rule set met and its score."""
        score = self.score(self.chosen)
        best = (score, self.chosen)
        for step in range(N_STEPS):
            temperature = FIRST_TEMPERATURE ** (1 - step / N_STEPS)
            proposal = self.proposal()
            new = self.score(proposal)
            if np.log(self.random.random()) < (new - score) / temperature:
                self.chosen, score = proposal, new
                best = max(best, (score, self.chosen))
        return best


class BayesianRuleSets(Learner):
    """With κ = 1 for accuracy, as in the paper; κ makes the front."""

    name = "BRS"
    in_paper = "BRS"
    packages = ("scipy",)
    has_front = True
    parameters = (1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2, 1e-3)
    quick_parameters = (1e3, 1.0, 1e-3)

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn with one κ."""
        return self.fit_front(rows, y, [parameter], task)[0]

    def fit_front(
        self, rows: Rows, y: NDArray[np.bool_], parameters: Sequence[Any], task: Task
    ) -> list[Model]:
        """Mine once, then anneal with each κ."""
        candidates = Candidates(rows, y)
        models: list[Model] = []
        for kappa in parameters:
            chains = [
                Annealing(candidates, kappa, np.random.default_rng((task.seed, chain))).run()
                for chain in range(N_CHAINS)
            ]
            _, chosen = max(chains)
            models.append(Clauses(tuple(candidates.clauses[k] for k in chosen)))
        return models

    def tune(self, rows: Rows, y: NDArray[np.bool_], task: Task) -> Tuned:
        """Take κ = 1: the paper says that choosing it does not help."""
        parameters = list(self.choices(task, len(y)))
        models = self.fit_front(rows, y, parameters, task)
        return Tuned(list(zip(parameters, models, strict=True)), parameters.index(1.0))


LEARNERS = [BayesianRuleSets()]
