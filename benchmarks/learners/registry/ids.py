"""Interpretable Decision Sets (Lakkaraju et al., 2016), written anew; its program was read.

Candidates are itemsets that 5 % of the rows satisfy, at most three items long, each once for
either class. An item is a category or an interval between neighbouring deciles: IDS was made for
these, and with them the paper's seven data sets are those with fewer than 900 itemsets. A decision
set is chosen among them for the seven parts of an objective that is submodular, by either local
search of Feige, Mirrokni and Vondrák (2007). The paper ran the deterministic one.

From the program that its authors published come the maxima of the parts, which count rules and not
itemsets, and how the smooth search estimates; no line of it is here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.learners.learner import Learner, Model, Rows, Task
from boolrules import FeatureBinarizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Rule = tuple[tuple[int, ...], bool]  # items, and the class of rows that satisfy them all
    # One line for each class, one place for each itemset: whether that rule is chosen.
    Chosen = NDArray[np.bool_]
    Search = Callable[["Objective", int], Chosen]

MIN_SUPPORT = 0.05
MAX_LENGTH = 3
MOST_ITEMSETS = 10_000  # what the memory of a task has room for
OVERLAP_PRICE = 0.5  # λ₃ = λ₄
CLASSES = (False, True)
EPSILON = 0.05
DELTA = 1 / 3
N_SAMPLES = 10  # at a time
# λ₁ = λ₂ as a share of the number of rows.
SHARES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0)


def mine(holds: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the itemsets that enough rows satisfy, short ones first: Apriori, level by level."""
    least = MIN_SUPPORT * len(holds)
    items = np.flatnonzero(holds.sum(axis=0) >= least)
    of_items = holds[:, items].T.astype(np.float32)
    level: list[tuple[int, ...]] = [(place,) for place in range(len(items))]
    found = list(level)
    for _ in range(1, MAX_LENGTH):
        longer = []
        for itemset in level:
            later = of_items[itemset[-1] + 1 :]
            n_rows = later @ of_items[list(itemset)].prod(axis=0)
            next_items = itemset[-1] + 1 + np.flatnonzero(n_rows >= least)
            longer += [(*itemset, item) for item in next_items.tolist()]
            if len(found) + len(longer) > MOST_ITEMSETS:
                raise ValueError(f"more than {MOST_ITEMSETS} itemsets are frequent")
        level = longer
        found += level
    return [tuple(int(items[place]) for place in itemset) for itemset in found]


class Candidates:
    """The itemsets, the rows of each class that they cover, and the rows that any two share."""

    def __init__(self, holds: NDArray[np.bool_], y: NDArray[np.bool_]) -> None:
        self.itemsets = mine(holds)
        self.length = np.array([len(itemset) for itemset in self.itemsets], dtype=np.int64)
        covers = np.empty((len(self.itemsets), len(y)), dtype=np.float32)
        for place, itemset in enumerate(self.itemsets):
            covers[place] = holds[:, list(itemset)].all(axis=1)
        self.covers = [covers[:, y == label] for label in CLASSES]
        self.n_rows = len(y)
        self.n_of_class = np.array([(y == label).sum() for label in CLASSES])
        self.n_correct = np.array([of_class.sum(axis=1) for of_class in self.covers], dtype=float)
        self.n_covered = self.n_correct.sum(axis=0)
        self.overlap = covers @ covers.T

    @property
    def n_rules(self) -> int:
        """Itemsets times classes."""
        return len(CLASSES) * len(self.itemsets)

    def rules(self, chosen: Chosen) -> tuple[Rule, ...]:
        """Return the chosen rules, those of best F1 on these rows first."""
        f1 = 2 * self.n_correct / (self.n_covered + self.n_of_class[:, None])
        places = sorted(np.argwhere(chosen).tolist(), key=lambda place: -f1[tuple(place)])
        return tuple((self.itemsets[k], CLASSES[c]) for c, k in places)


@dataclass(frozen=True)
class Objective:
    """The price-weighted sum of seven parts, each at least zero; more is better."""

    of: Candidates
    prices: tuple[float, ...]  # λ₁ to λ₇

    @classmethod
    def with_share(cls, of: Candidates, share: float) -> Objective:
        """Take the paper's prices; a rule and a condition cost that share of the rows."""
        price = share * of.n_rows
        return cls(of, (price, price, OVERLAP_PRICE, OVERLAP_PRICE, 0.0, 1.0, 1.0))

    def parts(self, chosen: Chosen) -> NDArray[np.float64]:
        """Return f₁ to f₇.

        They are few rules, short rules, little overlap within a class, little between classes,
        rules for every class, few rows covered by a rule of another class, and many rows covered
        by a rule of their own.
        """
        of, n = self.of, self.of.n_rules
        most_overlap = of.n_rows * n**2
        longest = int(of.length.max(initial=0))
        shared = self._shared(chosen)
        within = sum(shared[c, chosen[c]].sum() - of.n_covered[chosen[c]].sum() for c in (0, 1))
        reached = [of_class[rules].any(axis=0) for of_class, rules in self._by_class(chosen)]
        n_wrong = of.n_covered - of.n_correct
        return np.array(
            [
                n - chosen.sum(),
                longest * n - of.length @ chosen.sum(axis=0),
                most_overlap - within / 2,  # each pair was met twice
                most_overlap - shared[0, chosen[1]].sum(),
                chosen.any(axis=1).sum(),
                of.n_rows * n - n_wrong[chosen].sum(),
                sum(rows.sum() for rows in reached),
            ],
            dtype=float,
        )

    def value(self, chosen: Chosen) -> float:
        """Return the objective of a decision set."""
        return float(np.dot(self.prices, self.parts(chosen)))

    def gains(self, chosen: Chosen) -> NDArray[np.float64]:
        """Return, for each rule, what having it is worth beside the other chosen ones."""
        of = self.of
        shared = self._shared(chosen)
        within = shared - np.where(chosen, of.n_covered, 0)
        is_first = chosen.sum(axis=1, keepdims=True) - chosen == 0
        n_new = np.zeros(chosen.shape)
        for c, (of_class, rules) in enumerate(self._by_class(chosen)):
            n_times = of_class[rules].sum(axis=0)
            n_new[c] = of_class @ (n_times == 0).astype(np.float32)
            n_new[c, rules] = of_class[rules] @ (n_times == 1).astype(np.float32)
        n_wrong = of.n_covered - of.n_correct
        worth = (-1, -of.length, -within, -shared[::-1], is_first, -n_wrong, n_new)
        return sum(price * part for price, part in zip(self.prices, worth, strict=True))

    def _by_class(self, chosen: Chosen) -> list[tuple[NDArray[np.float32], NDArray[np.int64]]]:
        """Return the covers of each class's rows, and the places of its chosen rules."""
        return [
            (of_class, np.flatnonzero(c))
            for of_class, c in zip(self.of.covers, chosen, strict=True)
        ]

    def _shared(self, chosen: Chosen) -> NDArray[np.float64]:
        """Return how many rows each itemset shares with the chosen rules of either class."""
        return np.array([self.of.overlap[c].sum(axis=0, dtype=float) for c in chosen])


def deterministic_search(objective: Objective, seed: int = 0) -> Chosen:
    """Add or remove the rule that gains most while it gains a share ε/n² of the objective.

    It begins with the best single rule, adds before it removes, and the better of where it ends
    and of all other rules counts. Nothing is left to chance: the seed is not used.
    """
    chosen = _none(objective)
    if not chosen.size:
        return chosen
    chosen.flat[objective.gains(chosen).argmax()] = True
    while True:
        least = EPSILON / objective.of.n_rules**2 * objective.value(chosen)
        place = improvement(objective.gains(chosen), chosen, least)
        if place is None:
            return max(chosen, ~chosen, key=objective.value)
        chosen.flat[place] ^= True


def improvement(gains: NDArray[np.float64], chosen: Chosen, least: float) -> int | None:
    """Return the rule of most gain to add, or else to remove, if that is more than the least."""
    for gain in (np.where(chosen, -np.inf, gains), np.where(chosen, -gains, -np.inf)):
        if gain.max() > least:
            return int(gain.argmax())
    return None


def smooth_search(objective: Objective, seed: int = 0) -> Chosen:
    """Search with random sets near the chosen one; the better of two random ends counts.

    A random set has each chosen rule with probability (1 + δ)/2, each other with (1 - δ)/2. What a
    rule is worth is its mean gain in such sets, estimated to OPT/n²; it is added or removed for
    more than twice that. OPT is estimated by a set of half the rules, drawn at random. The ends
    are drawn in the same way with δ = 1/3 and with δ = -1, which are all rules not chosen.
    """
    random = np.random.default_rng(seed)
    chosen = _none(objective)
    if not chosen.size:
        return chosen
    error = objective.value(drawn(chosen, 0.0, random)) / objective.of.n_rules**2
    while True:
        gains = mean_gains(objective, chosen, error, random)
        place = improvement(gains, chosen, 2 * error)
        if place is None:
            ends = [drawn(chosen, delta, random) for delta in (DELTA, -1.0)]
            return max(ends, key=objective.value)
        chosen.flat[place] ^= True


def mean_gains(
    objective: Objective, chosen: Chosen, error: float, random: np.random.Generator
) -> NDArray[np.float64]:
    """Return the gain of each rule in random sets, in the mean of as many as the error needs."""
    samples: list[NDArray[np.float64]] = []
    while True:
        samples += [objective.gains(drawn(chosen, DELTA, random)) for _ in range(N_SAMPLES)]
        if (np.std(samples, axis=0) <= error * np.sqrt(len(samples))).all():
            return np.mean(samples, axis=0)


def drawn(chosen: Chosen, delta: float, random: np.random.Generator) -> Chosen:
    """Return a random set near the chosen one."""
    return random.random(chosen.shape) < np.where(chosen, 1 + delta, 1 - delta) / 2


def _none(objective: Objective) -> Chosen:
    return np.zeros((len(CLASSES), len(objective.of.itemsets)), dtype=bool)


@dataclass(frozen=True)
class DecisionSet:
    """Rules with a class each, best F1 first, and the class of rows that no rule covers."""

    items: FeatureBinarizer
    rules: tuple[Rule, ...]
    default: bool

    @property
    def complexity(self) -> float | None:
        """Rules plus items; an interval is one item, as a category is."""
        return sum(1 + len(itemset) for itemset, _ in self.rules)

    def predict(self, rows: Rows) -> NDArray[np.bool_]:
        """Say which rows are positive; where rules disagree, that of best F1 decides."""
        holds = self.items.transform(rows.frame).astype(bool)
        is_positive = np.full(len(holds), self.default)
        for itemset, label in reversed(self.rules):
            is_positive[holds[:, list(itemset)].all(axis=1)] = label
        return is_positive


class DecisionSets(Learner):
    """Either local search, with λ₁ = λ₂ chosen."""

    has_front = True
    parameters = SHARES
    quick_parameters = SHARES[1::2]

    def __init__(self, name: str, search: Search, in_paper: str | None = None) -> None:
        self.name, self.in_paper = name, in_paper  # type: ignore[misc]
        self.search = search

    def fit(self, rows: Rows, y: NDArray[np.bool_], parameter: Any, task: Task) -> Model:
        """Learn with one price."""
        return self.fit_front(rows, y, [parameter], task)[0]

    def fit_front(
        self, rows: Rows, y: NDArray[np.bool_], parameters: Sequence[Any], task: Task
    ) -> list[Model]:
        """Mine once, then search with each price."""
        items = FeatureBinarizer(method="intervals", negations=False).fit(rows.frame)
        of = Candidates(items.transform(rows.frame).astype(bool), y)
        default = bool(2 * y.sum() > len(y))
        found = [self.search(Objective.with_share(of, share), task.seed) for share in parameters]
        return [DecisionSet(items, of.rules(chosen), default) for chosen in found]


LEARNERS = [
    DecisionSets("IDS", deterministic_search, in_paper="IDS"),
    DecisionSets("IDS (smooth)", smooth_search),
]
