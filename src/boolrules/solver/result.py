"""What a run of column generation leaves behind: rules' columns, certificate, trace."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from boolrules._support import html

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

    def _repr_html_(self) -> str:
        """Show in notebooks what was proved, why the run ended, and where the time went."""
        parts = [self.certificate._repr_html_(), html.paragraph(self._how_it_went())]
        if self.seconds_by_step:
            parts.append(html.table("lrs", ["step", "time", "share"], self._step_cells()))
        if self.trace:
            head = ["round", "LP value", "proved bound", "clauses", "pricer", "after"]
            rounds = html.table("rrrrlr", head, self._round_cells())
            parts.append(html.folded("Round by round", rounds))
        return "\n".join(parts)

    def _how_it_went(self) -> str:
        n_rounds = f"{len(self.trace)} round{'s' * (len(self.trace) != 1)}"
        return (
            f"{n_rounds}, {len(self.columns)} clauses generated, {self.seconds:.1f} s; "
            f"stopped: {self.stop_reason}."
        )

    def _step_cells(self) -> list[list[str]]:
        """Write where the time went, the longest step first."""
        steps = sorted(self.seconds_by_step.items(), key=lambda step: -step[1])
        total = max(self.seconds, sum(self.seconds_by_step.values()), 1e-9)
        return [[name, f"{seconds:.2f} s", f"{seconds / total:.0%}"] for name, seconds in steps]

    def _round_cells(self) -> list[list[str]]:
        return [
            [
                f"{one.number}",
                f"{one.z_rmlp:.2f}",
                "-" if one.lower_bound is None else f"{one.lower_bound:.10g}",
                f"{one.n_columns}",
                one.pricer,
                f"{one.seconds:.1f} s",
            ]
            for one in self.trace
        ]

    @property
    def chosen_columns(self) -> tuple[Column, ...]:
        """The columns of the rule set."""
        return tuple(self.columns[k] for k in self.chosen)
