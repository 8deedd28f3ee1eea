"""Rule sets for one complexity after another, from one pool of clauses (§4).

Each run of column generation starts with all clauses of those before it, the master's last basis
and the last rule set. A second pass chooses every rule set among the clauses found anywhere, and a
third closes the gaps that are left, from the least complexity on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boolrules._support.budget import Budget
from boolrules._support.interrupts import searching
from boolrules.proof.certificate import Argument
from boolrules.proof.shared_proof import SharedProof
from boolrules.solver.column_generation import learn
from boolrules.solver.master import RestrictedMaster
from boolrules.solver.pricing.in_turn import exact_search
from boolrules.solver.result import StopReason
from boolrules.solver.selection import Selection
from boolrules.solver.subset_rows import shortening

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boolrules.data.column import Column
    from boolrules.data.problem import Problem
    from boolrules.data.samples import Samples
    from boolrules.proof.certificate import Certificate
    from boolrules.proof.gap import Clauses
    from boolrules.solver.result import Iteration, Result
    from boolrules.solver.settings import Settings


class TradeOff:
    """One training set and the clauses found for it so far; limits must grow from call to call."""

    def __init__(self, training_set: Samples, settings: Settings) -> None:
        self._training_set = training_set
        self._settings = settings
        self._master: RestrictedMaster | None = None
        self._last: Result | None = None

    def learn(
        self,
        problem: Problem,
        time_limit: float | None,
        on_iteration: Callable[[Iteration], None],
        on_step: Callable[[str], None],
    ) -> Result:
        """Learn at the next complexity; never worse than at the one before."""
        if self._master is None:
            self._master = RestrictedMaster(self._training_set, problem)
        self._master.change_limit(problem)
        start = () if self._last is None else _clauses(self._last)
        self._last = learn(
            self._training_set,
            problem,
            replace(self._settings, time_limit=time_limit),
            on_iteration,
            on_step,
            master=self._master,
            start=start,
            stops_at_the_gap=True,
        )
        return self._last

    def chosen_among_all(self, results: Sequence[Result], budget: Budget) -> list[Result]:
        """Choose again at every complexity, among the clauses found at any of them.

        Ctrl-C ends it early, with what was chosen so far.
        """
        pool = list(self._master.columns) if self._master is not None else []
        chosen: list[Result] = []
        try:
            with searching():
                for result in results:
                    best = result
                    if not result.certificate.is_optimal:
                        starts = [_clauses(start) for start in (*chosen[-1:], result)]
                        best = self._chosen_again(result, pool, starts, budget)
                    chosen.append(best)
        except KeyboardInterrupt:
            return self._cut_short(results, chosen)
        return chosen

    def proved(
        self, results: Sequence[Result], budget: Budget, on_step: Callable[[str], None]
    ) -> list[Result]:
        """Close the gaps from the least complexity on, as far as the budget goes.

        Ctrl-C ends it early, with what was proved so far.
        """
        done: list[Result] = []
        try:
            with searching():
                proof = self._shared_proof(results)
                for result in results:
                    C = result.certificate.problem.max_complexity
                    on_step(f"complexity {C:g}: searching all rule sets inside the gap")
                    result = self._at_least(result, done, Budget.unlimited())
                    done.append(self._proved(result, proof, budget))
        except KeyboardInterrupt:
            done = self._cut_short(results, done)
        return _bounds_handed_down(done)

    def _shared_proof(self, results: Sequence[Result]) -> SharedProof:
        problem = results[-1].certificate.problem
        assert self._master is not None
        known = tuple(column.clause for column in self._master.columns)
        proof = SharedProof(
            exact_search(self._training_set, problem, self._settings),
            known,
            shortening(self._training_set, problem),
        )
        for result in results:
            if result.certificate.duals is not None:
                proof.add(result.certificate.duals)
        return proof

    def _cut_short(self, results: Sequence[Result], done: Sequence[Result]) -> list[Result]:
        """Keep what is done, and the others as they were, though none worse than one before."""
        kept = list(done)
        for result in results[len(done) :]:
            result = self._at_least(result, kept, Budget.of(0))
            if not result.certificate.is_optimal:
                result = replace(result, stop_reason=StopReason.INTERRUPTED)
            kept.append(result)
        return kept

    def _proved(self, result: Result, proof: SharedProof, budget: Budget) -> Result:
        problem = result.certificate.problem
        while not result.certificate.is_optimal and not budget.is_spent:
            old = result.certificate
            step = proof.raise_bound(problem, old.objective, old.lower_bound, budget)
            if step is None or (step.bound is not None and step.bound == old.lower_bound):
                return result
            if step.better is not None:
                better = self._with_clauses(result, step.better, budget)
                if better.certificate.objective >= old.objective:
                    return result
                result = better
            else:
                new = replace(
                    old, lower_bound=step.bound, argument=Argument.ENUMERATION, duals=step.duals
                )
                result = _with_certificate(result, new)
        return result

    def _at_least(self, result: Result, smaller: Sequence[Result], budget: Budget) -> Result:
        """Choose again, if what was found at a smaller complexity is better."""
        if not smaller or smaller[-1].certificate.objective >= result.certificate.objective:
            return result
        return self._with_clauses(result, _clauses(smaller[-1]), budget)

    def _with_clauses(self, result: Result, clauses: Clauses, budget: Budget) -> Result:
        """Take a rule set that is better, less any clause that changes nothing."""
        problem = result.certificate.problem
        assert self._master is not None
        self._master.add(self._training_set.columns(clauses, problem))
        return self._chosen_again(result, list(self._master.columns), [clauses], budget)

    def _chosen_again(
        self, result: Result, pool: list[Column], starts: Sequence[Clauses], budget: Budget
    ) -> Result:
        problem = result.certificate.problem
        columns = [column for column in pool if column.complexity <= problem.max_complexity]
        place = {column.clause: k for k, column in enumerate(columns)}
        selection = Selection(self._training_set, problem, columns)
        found = [selection.local_search([place[f] for f in start], budget) for start in starts]
        found = [one for one in found if self._meets(columns, one.chosen)]
        if not found:
            return result
        best = min(found, key=lambda selected: selected.objective)
        if best.objective >= result.certificate.objective:
            return result
        certificate = self._certified(
            result.certificate, [columns[k] for k in best.chosen], problem
        )
        again = replace(result, columns=tuple(columns), chosen=best.chosen)
        return _with_certificate(again, certificate)

    def _meets(self, columns: Sequence[Column], chosen: Sequence[int]) -> bool:
        return self._training_set.meets_demands([columns[k].clause for k in chosen])

    def _certified(
        self, old: Certificate, chosen: Sequence[Column], problem: Problem
    ) -> Certificate:
        """The bound holds for every rule set of the problem: only the loss changes."""
        loss = self._training_set.hamming_loss([column.clause for column in chosen])
        n_conditions = sum(len(column.clause) for column in chosen)
        complexity = problem.complexity(len(chosen), n_conditions)
        new = replace(old, hamming_loss=loss, complexity=complexity)
        if new.objective == 0 and old.lower_bound is None:
            return replace(new, lower_bound=0, argument=Argument.ZERO_LOSS, duals=None)
        return new


def _clauses(result: Result) -> Clauses:
    return tuple(column.clause for column in result.chosen_columns)


def _with_certificate(result: Result, certificate: Certificate) -> Result:
    stop_reason = StopReason.OPTIMAL if certificate.is_optimal else result.stop_reason
    return replace(result, certificate=certificate, stop_reason=stop_reason)


def _bounds_handed_down(results: Sequence[Result]) -> list[Result]:
    """A bound for one complexity holds for every smaller one, under the same duals."""
    handed: list[Result] = []
    for result in reversed(results):
        own, above = result.certificate, handed[-1].certificate if handed else None
        if above is not None and (above.lower_bound or 0) > (own.lower_bound or 0):
            new = replace(
                own,
                lower_bound=above.lower_bound,
                argument=above.argument,
                duals=above.duals,
            )
            result = _with_certificate(result, new)
        handed.append(result)
    return handed[::-1]
