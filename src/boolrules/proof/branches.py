"""Proofs in parts: all rule sets are split, and each part has duals of its own (§2.3).

Rule sets are split by how many clauses they have, and by whether they cover a positive. Either
leaves a problem of the same form. With exactly n clauses, only conditions count, and at most n
clauses are taken. A positive that must be covered gets a weight that no rule set can lose. One
that must be missed is paid for, and becomes a zero of that weight. So whatever prices, lists and
searches asks for nothing else, and a bound of the part is one for the rule sets in it: of them,
all weights count as before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from boolrules.data.column import IntegerDuals
from boolrules.data.problem import as_number, as_written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet


@dataclass(frozen=True, slots=True)
class Branch:
    """Some of all rule sets.

    Parameters
    ----------
    n_clauses : int or None
        How many clauses they have; None for any number.
    has_fewer : bool
        Whether they may have fewer clauses than that.
    has_more : bool
        Whether they may have more. Such a part is searched and, in a tree, is a part for each
        number.
    covered, missed : tuple of int
        Positives that they cover, and that they miss, by their places.

    Examples
    --------
    >>> from boolrules.data.problem import Problem
    >>> part = Branch(n_clauses=3).problem(Problem(max_complexity=10))
    >>> part.max_complexity, part.clause_cost, part.max_clauses
    (7, 0, 3)
    """

    n_clauses: int | None = None
    has_fewer: bool = False
    has_more: bool = False
    covered: tuple[int, ...] = ()
    missed: tuple[int, ...] = ()

    def problem(self, problem: Problem) -> Problem | None:
        """Return the limits and prices of these rule sets; None where there are none."""
        n = self.n_clauses
        if n is None:
            return problem
        if self.has_fewer or not problem.condition_cost:
            return replace(problem, max_clauses=min(n, problem.most_clauses))
        if not problem.fits(n, n):
            return None
        room = as_written(problem.max_complexity) - n * as_written(problem.clause_cost)
        C = as_number(room)
        most = problem.most_clauses if self.has_more else n
        return replace(problem, max_complexity=C, clause_cost=0, max_clauses=most)

    def samples(self, training_set: TrainingSet) -> TrainingSet:
        """Return the samples with the weights of these rule sets."""
        dear, missed = training_set.weight_of_positives, list(self.missed)
        weights_P, counts_P = training_set.weights_P.copy(), training_set.counts_P
        weights_P[list(self.covered)] = dear
        return replace(
            training_set,
            codes_P=np.delete(training_set.codes_P, missed, axis=0),
            weights_P=np.delete(weights_P, missed),
            counts_P=None if counts_P is None else np.delete(counts_P, missed),
            codes_Z=np.concatenate([training_set.codes_Z, training_set.codes_P[missed]]),
            weights_Z=np.append(training_set.weights_Z, np.full(len(missed), dear)),
        )

    def paid(self, training_set: TrainingSet) -> int:
        """What these rule sets lose by what they miss."""
        return int(training_set.weights_P[list(self.missed)].sum())

    def of_fewer(self, n: int, duals: IntegerDuals) -> tuple[Branch, IntegerDuals]:
        """Those with at most n clauses, with the same duals."""
        return replace(self, n_clauses=n, has_fewer=True), duals

    def of(self, n: int, duals: IntegerDuals, problem: Problem) -> tuple[Branch, IntegerDuals]:
        """Those with n clauses, with duals of the same bound: what a clause paid is now ν."""
        nu = duals.nu + duals.lam * int(problem.clause_cost)
        return replace(self, n_clauses=n, has_fewer=False), replace(duals, nu=nu)

    def covering(self, i: int, duals: IntegerDuals) -> tuple[Branch, IntegerDuals]:
        """Those that cover positive i, with the same duals."""
        return replace(self, covered=(*self.covered, i)), duals

    def missing(self, i: int, duals: IntegerDuals) -> tuple[Branch, IntegerDuals]:
        """Those that miss positive i, with the duals of the others."""
        place = i - sum(other < i for other in self.missed)
        mu = np.delete(duals.mu, place)
        return replace(self, missed=(*self.missed, i)), replace(duals, mu=mu)


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A part that was not split: its rule sets lose at least ``bound``, by its duals.

    By these alone or, where their bound is less, because all clauses inside the gap were listed
    and all rule sets over them searched.
    """

    bound: int
    duals: IntegerDuals

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``tree_from_plain`` reads back."""
        return {"bound": self.bound, "duals": self.duals.to_plain()}


@dataclass(frozen=True, slots=True, eq=False)
class OfClauses:
    """Rule sets with at most ``few`` clauses, then those with one more, two more, and so on."""

    few: int
    parts: tuple[Tree, ...]

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``tree_from_plain`` reads back."""
        return {"few": self.few, "parts": [part.to_plain() for part in self.parts]}


@dataclass(frozen=True, slots=True, eq=False)
class OfRow:
    """Rule sets that cover a positive, by its place, and those that miss it."""

    row: int
    covered: Tree
    missed: Tree

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``tree_from_plain`` reads back."""
        return {
            "row": self.row,
            "covered": self.covered.to_plain(),
            "missed": self.missed.to_plain(),
        }


Tree = Leaf | OfClauses | OfRow

# How many positives are decided one below the other, at most.
MOST_DEEP = 100


def leaves(
    tree: Tree, training_set: TrainingSet, problem: Problem, branch: Branch | None = None
) -> Iterator[tuple[Branch, Leaf] | None]:
    """Yield the leaves, each with its branch; None where the parts are not all there is.

    A tree may come from anywhere: what is split, and into what, is checked here.
    """
    branch = branch or Branch()
    if isinstance(tree, Leaf):
        yield branch, tree
    elif isinstance(tree, OfClauses):
        most = tree.few + len(tree.parts) - 1
        if branch.n_clauses is not None or tree.few < 1 or most < problem.most_clauses:
            yield None
            return
        for n, part in enumerate(tree.parts, start=tree.few):
            own = replace(branch, n_clauses=n, has_fewer=n == tree.few)
            yield from leaves(part, training_set, problem, own)
    else:
        is_known = tree.row in branch.covered or tree.row in branch.missed
        if is_known or not 0 <= tree.row < training_set.n_P:
            yield None
            return
        covered = replace(branch, covered=(*branch.covered, tree.row))
        missed = replace(branch, missed=(*branch.missed, tree.row))
        yield from leaves(tree.covered, training_set, problem, covered)
        yield from leaves(tree.missed, training_set, problem, missed)


def n_leaves(tree: Tree) -> int:
    """How many parts there are."""
    if isinstance(tree, Leaf):
        return 1
    parts = tree.parts if isinstance(tree, OfClauses) else (tree.covered, tree.missed)
    return sum(map(n_leaves, parts))


def least_bound(tree: Tree) -> float:
    """What every rule set loses at least: the least of all leaves."""
    if isinstance(tree, Leaf):
        return tree.bound
    parts = tree.parts if isinstance(tree, OfClauses) else (tree.covered, tree.missed)
    return min(map(least_bound, parts), default=math.inf)


def tree_from_plain(plain: Any, depth: int = 0) -> Tree:
    """Read what ``to_plain`` wrote, checking every part of it."""
    if isinstance(plain, dict) and depth <= MOST_DEEP + 1:
        names = set(plain)
        if names == {"bound", "duals"} and type(plain["bound"]) is int:
            return Leaf(plain["bound"], IntegerDuals.from_plain(plain["duals"]))
        if names == {"few", "parts"} and type(plain["few"]) is int and plain["parts"]:
            if not isinstance(plain["parts"], list):
                raise ValueError(f"Parts must be a list; got {plain['parts']!r:.80}.")
            parts = tuple(tree_from_plain(part, depth + 1) for part in plain["parts"])
            return OfClauses(plain["few"], parts)
        if names == {"row", "covered", "missed"} and type(plain["row"]) is int:
            sides = (tree_from_plain(plain[side], depth + 1) for side in ("covered", "missed"))
            return OfRow(plain["row"], *sides)
    raise ValueError(f"The branches of a certificate are not well formed: {plain!r:.80}.")
