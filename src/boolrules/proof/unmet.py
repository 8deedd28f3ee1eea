"""Requirements that no rule set meets: what is proved then, and how it is proved again.

The problem whose only objective is to meet requirements, each of which may be broken at a price,
has the form of every other. Duals that prove its value to be above zero prove that no rule set
meets them all. Where that is not enough, the search over rule sets decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from boolrules.proof.bound import are_duals
from boolrules.proof.certificate import Argument
from boolrules.proof.gap import can_be_searched, dual_bound, search_the_gap
from boolrules.search.branch_and_bound import BranchAndBound

if TYPE_CHECKING:
    from boolrules._support.budget import Budget
    from boolrules.data.column import IntegerDuals
    from boolrules.data.problem import Problem
    from boolrules.data.training_set import TrainingSet
    from boolrules.proof.gap import Clauses
    from boolrules.rules import RuleSet


@dataclass(frozen=True, slots=True, eq=False)
class Unmet:
    """No rule set was found that meets the requirements, and perhaps it is proved that none does.

    Parameters
    ----------
    problem : Problem
        What rule sets were allowed, beside any given clauses.
    nearest : tuple of clauses
        The rule set that breaks them least, of those that were found.
    argument : Argument
        Why there is none: ``EXACT_SEARCH`` where duals prove it, ``ENUMERATION`` where the search
        over rule sets does, ``NO_ROOM`` where there is no other, ``NONE`` where nothing is proved.
    duals : IntegerDuals or None
        What that rests on.
    beyond : float
        More than any objective: up to where all rule sets were searched.
    given : tuple of two int
        How many clauses, and conditions, are given, where these leave no room.
    """

    problem: Problem
    nearest: Clauses
    argument: Argument
    duals: IntegerDuals | None = field(default=None, repr=False)
    beyond: float = 0.0
    given: tuple[int, int] = (0, 0)

    @property
    def is_proved(self) -> bool:
        """Whether no rule set meets the requirements."""
        return self.argument is not Argument.NONE

    def is_proved_again(
        self, training_set: TrainingSet, budget: Budget, engine: str = "numba"
    ) -> bool:
        """Whether it follows from the kept duals and the data, in integers, without a solver."""
        if self.argument is Argument.NO_ROOM:
            has_room = self.problem.without(*self.given) is not None
            return not has_room and not training_set.meets_demands(())
        if self.duals is None:
            return False
        bare = self.argument is Argument.EXACT_SEARCH
        samples = training_set.without_objective() if bare else training_set
        # Where nothing but requirements costs, complexity does not either.
        problem = replace(self.problem, complexity_penalty=0) if bare else self.problem
        if not are_duals(self.duals, samples, problem):
            return False
        search = BranchAndBound(samples, problem, engine=engine)
        if not search.price_integer(self.duals, budget).proves_no_improving_clause:
            return False
        if bare:
            return proves_unmet(samples, problem, self.duals)
        if not can_be_searched(problem, self.duals):
            return False
        return search_the_gap(search, self.duals, self.beyond, budget).is_proved


def proves_unmet(samples: TrainingSet, problem: Problem, duals: IntegerDuals) -> bool:
    """Whether feasible duals prove, where nothing but requirements costs, that some is broken.

    A rule set that meets them all would have the value nothing.
    """
    return dual_bound(samples, problem, duals) > 0


class UnmetError(Exception):
    """No rule set was found that meets the requirements: what is known of that."""

    def __init__(self, unmet: Unmet) -> None:
        super().__init__("no rule set was found that meets the requirements")
        self.unmet = unmet


class RequirementsNotMetError(ValueError):
    """No rule set was found that meets the requirements.

    Parameters
    ----------
    text : str
        What was asked, whether it is proved that it cannot be had, and the nearest that can.
    unmet : Unmet
        The proof, if there is one.
    nearest : RuleSet
        The rules that break the requirements least, of those that were found.
    """

    def __init__(self, text: str, unmet: Unmet, nearest: RuleSet) -> None:
        super().__init__(text, unmet, nearest)
        self.text = text
        self.unmet = unmet
        self.nearest = nearest

    def __str__(self) -> str:
        return self.text

    @property
    def is_proved(self) -> bool:
        """Whether it is proved that no rule set meets them."""
        return self.unmet.is_proved
