"""What a run of column generation leaves behind: rules' columns, certificate, trace."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boolrules.data.column import Column
    from boolrules.proof.certificate import Certificate


class StopReason(StrEnum):
    """Why column generation ended."""

    CONVERGED = "converged"
    OPTIMAL = "optimal"
    PRICING_LIMIT = "pricing limit"
    TIME_LIMIT = "time limit"
    ROUND_LIMIT = "round limit"
    SOLVER_FAILED = "solver failed"
    INTERRUPTED = "interrupted"
    ONE_CLASS = "one class"
    NO_CONDITIONS = "no conditions"
    NOTHING_TO_LEARN = "nothing to learn"


@dataclass(frozen=True, slots=True)
class Iteration:
    """One round: the Restricted MLP and what pricing made of its duals."""

    number: int
    z_rmlp: float
    best_reduced_cost: float | None
    is_proved: bool
    lower_bound: float | None
    n_columns: int
    n_new: int
    pricer: str
    n_nodes: int
    seconds: float

    def shifted(self, constant: float) -> Iteration:
        """The same round, with something added to every objective."""
        bound = None if self.lower_bound is None else self.lower_bound + constant
        return replace(self, z_rmlp=self.z_rmlp + constant, lower_bound=bound)


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A run of column generation.

    Parameters
    ----------
    columns : tuple of Column
        The clauses that were generated.
    chosen : tuple of int
        Which of them form the rule set.
    certificate : Certificate
        What is proved of it.
    trace : tuple of Iteration
        One entry per round.
    stop_reason : StopReason
        Why it ended.
    seconds : float
        How long it took.
    seconds_by_step : dict
        Where the time went: "Restricted MLP", "pricing", "selection", "proof", "Restricted MIP".
    """

    columns: tuple[Column, ...] = field(repr=False)
    chosen: tuple[int, ...]
    certificate: Certificate
    trace: tuple[Iteration, ...] = field(repr=False)
    stop_reason: StopReason
    seconds: float
    seconds_by_step: dict[str, float] = field(default_factory=dict)

    @property
    def chosen_columns(self) -> tuple[Column, ...]:
        """The columns of the rule set."""
        return tuple(self.columns[k] for k in self.chosen)
