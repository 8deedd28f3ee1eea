"""What a pricer is asked and what it answers: found is not proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from boolrules._support.budget import Budget
    from boolrules.data.column import Column, Duals, IntegerDuals


@dataclass(frozen=True, slots=True)
class PricingResult:
    """What a pricer found, and apart from it what it proved.

    Parameters
    ----------
    columns : list of Column
        Clauses of negative reduced cost, best first.
    best_reduced_cost : float or None
        Least reduced cost found.
    lower_bound : float or None
        Proven lower bound on z_CG, the least reduced cost of any clause, as far as it is negative:
        0 means that no clause has negative reduced cost. That is under ``feasible_duals``: a
        pricer may round λ up a trifle before it looks.
    feasible_duals : IntegerDuals or None
        The duals with λ raised so far that every clause is proven to have non-negative reduced
        cost, by ε = −min rc_k / c_k: what a lower bound rests on.
    is_exact : bool
        Whether the proof is by integer arithmetic alone, not a solver's word.
    n_nodes : int
        Clauses that were expanded, or nodes of the solver.
    """

    columns: list[Column]
    best_reduced_cost: float | None
    lower_bound: float | None
    feasible_duals: IntegerDuals | None
    is_exact: bool
    n_nodes: int

    @property
    def proves_no_improving_clause(self) -> bool:
        """Whether the master LP is solved: z_CG >= 0."""
        return self.lower_bound is not None and self.lower_bound >= 0.0


class Pricer(Protocol):
    """Finds clauses missing from the master that would lower its value."""

    @property
    def name(self) -> str:
        """A word for the progress line."""
        ...

    def price(self, duals: Duals, budget: Budget) -> PricingResult:
        """Look for clauses of negative reduced cost under these duals."""
        ...
