"""Pairs of splits left out together, so that one chooses for the other (§4).

Nobody who was learned from the rows of a split has a say in what they are answered by: neither in
the rules nor in the choice of form, thresholds and complexity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from boolrules.estimators.folds import Parts, Split

    Pair = tuple[int, int]

# To choose for a split there must be so many others in its round.
LEAST_OTHERS = 2
# Each split is left out together with so many of those after it: with five, with all others.
NEXT_ONES = 2


def can_choose_for_each(splits: Sequence[Split]) -> bool:
    """Whether there are others enough to choose for each split, and no row is left out twice."""
    left_out = np.concatenate([test for _, test in splits])
    return len(splits) > LEAST_OTHERS and len(np.unique(left_out)) == len(left_out)


def pairs_of(n_splits: int) -> list[Pair]:
    """Return which splits are left out together, in order.

    Examples
    --------
    >>> pairs_of(3), len(pairs_of(5)), len(pairs_of(10))
    ([(0, 1), (0, 2), (1, 2)], 10, 20)
    """
    steps = range(1, NEXT_ONES + 1)
    pairs = ((s, (s + step) % n_splits) for s in range(n_splits) for step in steps)
    return sorted({(min(pair), max(pair)) for pair in pairs})


def leave_out_pairs(splits: Sequence[Split], labels: NDArray[Any]) -> dict[Pair, Parts]:
    """Return by pair the rows that neither split leaves out, then those that each of them does.

    None at all where some pair leaves too few rows to learn from.

    Examples
    --------
    >>> rows = np.arange(6)
    >>> splits = [(np.setdiff1d(rows, test), test) for test in np.split(rows, 3)]
    >>> pairs = leave_out_pairs(splits, labels=rows % 2)
    >>> {pair: learned.tolist() for pair, (learned, *_) in pairs.items()}
    {(0, 1): [4, 5], (0, 2): [2, 3], (1, 2): [0, 1]}
    """
    pairs: dict[Pair, Parts] = {}
    for s, t in pairs_of(len(splits)):
        (train, test), (other_train, other_test) = splits[s], splits[t]
        learned = np.setdiff1d(np.intersect1d(train, other_train), np.union1d(test, other_test))
        if len(np.unique(labels[learned])) < len(np.unique(labels)):
            return {}
        pairs[s, t] = (learned, test, other_test)
    return pairs


def are_enough(pairs: Iterable[Pair], n_splits: int) -> bool:
    """Whether every split is in as many pairs as it needs to be chosen for."""
    counts = np.bincount(np.array(list(pairs), dtype=int).ravel(), minlength=n_splits)
    return bool(counts.min() >= LEAST_OTHERS)
