"""The best lower bound of a run so far (§2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.certificate import rounded_bound

if TYPE_CHECKING:
    from fractions import Fraction

    from boolrules.column import IntegerDuals
    from boolrules.pricing import PricingResult
    from boolrules.problem import Problem
    from boolrules.training_set import TrainingSet


class ProvedBound:
    """The best lower bound proved so far and the duals that it rests on."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._value: Fraction | None = None
        self.duals: IntegerDuals | None = None
        self.is_exact = True
        # Up to where all rule sets were searched: no objective is below it.
        self.closed_at: float | None = None

    def consider(self, priced: PricingResult) -> None:
        """Keep the duals of a pricing call if they give a better bound."""
        if priced.feasible_duals is None:
            return
        value = priced.feasible_duals.bound(self._problem)
        if self._value is None or value > self._value:
            self._value, self.duals = value, priced.feasible_duals
            self.is_exact = priced.is_exact

    def lower_bound(self, training_set: TrainingSet) -> float | None:
        """Return the bound, rounded as far as that is valid; None where it says nothing."""
        if self.duals is None:
            return None
        bound = rounded_bound(self.duals, training_set, self._problem)
        return bound if bound > 0 else None
