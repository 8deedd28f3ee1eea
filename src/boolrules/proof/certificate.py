"""What is claimed of a rule set, and by which argument: a value, with what a check needs (§2.3).

The duals that a bound rests on are kept, as integers. ``bound`` and ``gap`` prove such claims,
``verification`` proves them again; nothing is proved here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from boolrules._support import html
from boolrules._support.json import is_number
from boolrules.data.constraints import Constraints
from boolrules.data.every_threshold import ALL
from boolrules.data.given import Given
from boolrules.data.labelled_rows import ROUNDING
from boolrules.data.patterns import duals_from_plain
from boolrules.data.problem import Problem, as_number, as_written
from boolrules.data.requirement import Requirement
from boolrules.proof.branches import n_leaves, tree_from_plain
from boolrules.proof.f1 import F1

if TYPE_CHECKING:
    from boolrules.data.column import IntegerDuals
    from boolrules.proof.branches import Tree


class Argument(StrEnum):
    """Why the lower bound holds."""

    NONE = "none"
    ZERO_LOSS = "zero loss"
    NO_ROOM = "no room"
    EXACT_SEARCH = "exact search"
    ENUMERATION = "enumeration"
    BRANCHES = "branches"
    EVERY_RULE_SET = "every rule set"
    INTEGER_PROGRAM = "integer program"


_REASONS = {
    Argument.NONE: "no bound was proved",
    Argument.ZERO_LOSS: "no loss is below zero",
    Argument.NO_ROOM: "there is no room for a clause to be learned: one rule set is left",
    Argument.EXACT_SEARCH: "an exact search over all clauses under integer duals",
    Argument.ENUMERATION: "an exact search over all rule sets, clauses of the gap listed in full",
    Argument.BRANCHES: "exact searches over the parts of all rule sets, one after the other",
    Argument.EVERY_RULE_SET: "an exact search over all rule sets, each row counted once",
    Argument.INTEGER_PROGRAM: "the solver's word on the integer program, not checked in integers",
}


COUNTED_BOTH_WAYS = "whether a row counts once or once for each clause that wrongly decides it"
_ADVICE = "A longer time limit, a lower complexity or fewer thresholds may give one."
_KEEPING = " that keep to the constraints"
_MINIMISED = {
    "loss": "Hamming loss",
    "errors": "Misclassified rows, each counted once:",
    "missed": "Missed positives",
    "covered": "Covered negatives",
}


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """How good a rule set is on the training data, and how much better any other could be.

    Parameters
    ----------
    hamming_loss : float
        Recomputed from the data. An int where all weights are integers.
    complexity : float
        Of the rule set, at the problem's prices.
    lower_bound : float or None
        No rule set allowed by the problem has a lower objective; None if nothing is known.
    argument : Argument
        Why that holds.
    problem : Problem
        What "allowed" means: limits and prices of complexity.
    duals : IntegerDuals or None
        What the bound rests on.
    constraints : Constraints
        What the conditions had to keep to: the bound speaks of rule sets that do.
    given : Given
        Clauses that had to stay: the bound speaks of rule sets that have them. The duals are those
        of what they leave.
    thresholds : "all" or None
        ``"all"`` where every threshold of every numeric column was on offer, so that the bound
        speaks of rule sets with any thresholds; None where it speaks of those on offer.
    requirements : tuple of Requirement
        What rule sets had to meet on the training rows: the bound speaks of those that do, whether
        a row counts once or, as in the Hamming loss, once for each clause that wrongly decides it.
    minimises : "loss", "errors", "missed" or "covered"
        What loss and bound speak of: the Hamming loss; rows that are misclassified, each counted
        once; or missed positives, or covered negatives, alone.
    f1 : F1 or None
        The score of the rules, where the greatest was asked for: loss and bound are then at costs
        at which no rules that lose more have a greater one.
    branches : tree or None
        How all rule sets were split, with the duals of every part, where the bound rests on them.

    Examples
    --------
    >>> certificate = Certificate(143, 14, 142, Argument.EXACT_SEARCH, Problem(max_complexity=15))
    >>> certificate.is_optimal, round(certificate.gap, 4)
    (False, 0.007)
    >>> print(certificate)
    Hamming loss 143, lower bound 142: no rule set of complexity at most 15 can be better by more
    than 1 (0.7 %).
    >>> print(replace(certificate, hamming_loss=142, thresholds="all"))
    Hamming loss 142, lower bound 142: optimal among all rule sets of complexity at most 15, over
    all thresholds.
    """

    hamming_loss: float
    complexity: float
    lower_bound: float | None
    argument: Argument
    problem: Problem
    duals: IntegerDuals | None = field(default=None, repr=False)
    constraints: Constraints = field(default_factory=Constraints)
    given: Given = field(default_factory=Given)
    thresholds: str | None = None
    requirements: tuple[Requirement, ...] = ()
    minimises: str = "loss"
    f1: F1 | None = None
    branches: Tree | None = field(default=None, repr=False)

    @property
    def each_row_once(self) -> bool:
        """Whether a row counts once, however many clauses decide it wrongly."""
        return self.minimises == "errors"

    @property
    def objective(self) -> float:
        """Hamming loss plus any penalty on complexity: what the bound speaks of."""
        return self.hamming_loss + self.problem.complexity_penalty * self.complexity

    @property
    def gap(self) -> float | None:
        """(objective - lower bound) / objective.

        0 when proved optimal, None when nothing is known.
        """
        if self.lower_bound is None:
            return None
        difference = self.objective - self.lower_bound
        is_whole = float(self.objective).is_integer() and float(self.lower_bound).is_integer()
        # Sums of fractional weights are rounded; integers are not.
        if difference <= (0 if is_whole else ROUNDING * self.objective):
            return 0.0
        return difference / self.objective

    @property
    def is_optimal(self) -> bool:
        """Whether no allowed rule set can be better."""
        return self.gap == 0.0

    @property
    def reason(self) -> str:
        """The argument in words."""
        if self.branches is None:
            return _REASONS[self.argument]
        return f"{_REASONS[self.argument]} ({counted(n_leaves(self.branches), 'part')})"

    def sentence(self) -> str:
        """Say in one sentence what is proved."""
        among = f"rule sets of complexity at most {_text(self.problem.max_complexity)}"
        limits = [*_limits(self.problem), *(["the given clauses"] if self.given.clauses else [])]
        if limits:
            among += f" with {_listed(limits)}"
        if (self.problem.clause_cost, self.problem.condition_cost) != (1, 1):
            among += (
                f" (a clause counts {_text(self.problem.clause_cost)}, "
                f"a condition {_text(self.problem.condition_cost)})"
            )
        if self.requirements:
            among += f" that meet {_listed([str(one) for one in self.requirements])}"
            if self.problem.most_clauses > 1:
                among += f" ({COUNTED_BOTH_WAYS})"
        if self.constraints.forbids_something:
            among += " and keep to the constraints" if self.requirements else _KEEPING
        found = f"{_MINIMISED[self.minimises]} {_text(self.hamming_loss)}"
        if self.problem.complexity_penalty:
            found += (
                f" + {_text(self.problem.complexity_penalty)} x complexity "
                f"{_text(self.complexity)} "
                f"= {_text(self.objective)}"
            )
        if self.f1 is not None:
            return self._sentence_of_f1(self.f1, among)
        if self.lower_bound is None:
            return f"{found}; no lower bound was proved within the limits."
        if self.is_optimal:
            # Equal, or closer than sums of fractional weights can tell.
            found += f", lower bound {_text(self.objective)}"
            over = ", over all thresholds" if self.thresholds else ""
            return f"{found}: optimal among all {among}{over}{self._by_word}."
        found += f", lower bound {_text(self.lower_bound)}"
        among = among.replace("rule sets", "rule set", 1).replace("that keep", "that keeps", 1)
        among = among.replace("that meet ", "that meets ", 1).replace(
            " and keep ", " and keeps ", 1
        )
        most = f"{_text(self.objective - self.lower_bound)} ({100 * (self.gap or 0):.1f} %)"
        over = "over all thresholds, " if self.thresholds else ""
        return f"{found}: {over}no {among} can be better by more than {most}{self._by_word}."

    def _sentence_of_f1(self, f1: F1, among: str) -> str:
        if self.problem.most_clauses > 1 and not self.requirements:
            among += " (a row counts once for each clause that wrongly decides it)"
        over = ", over all thresholds" if self.thresholds else ""
        if self.lower_bound is None:
            return f"F1 {f1.value:.4f}; no bound on it was proved within the limits."
        most = f1.most(self.lower_bound)
        if most <= f1.value:
            return f"F1 {f1.value:.4f}: the greatest of all {among}{over}{self._by_word}."
        shown = f"{math.ceil(most * 10**4) / 10**4:.4f}"
        return (
            f"F1 {f1.value:.4f}: none of all {among}{over} has more than {shown}{self._by_word}."
        )

    @property
    def _by_word(self) -> str:
        """What to add where the bound was not checked in integers."""
        return ", by the solver's word" if self.argument is Argument.INTEGER_PROGRAM else ""

    def __str__(self) -> str:
        return self.sentence() if self.lower_bound is not None else f"{self.sentence()} {_ADVICE}"

    def _repr_html_(self) -> str:
        """Show in notebooks what is proved, why, and of what."""
        reason = f"Argument: {self.reason}. It speaks of the training data, not of new rows."
        color = html.GOOD if self.is_optimal else html.PLAIN
        return html.card(color, html.lead(str(self)), html.aside(reason))

    @property
    def lower_bound_of_the_rest(self) -> float | None:
        """The bound less what the given clauses add to every objective."""
        if self.lower_bound is None or not self.given.clauses:
            return self.lower_bound
        return self.lower_bound - self.given.constant(self.problem)

    def with_given(self, given: Given, problem: Problem) -> Certificate:
        """Return what this certificate of the rest says of whole rule sets."""
        if not given.clauses:
            return replace(self, problem=problem)
        constant, bound = given.constant(problem), self.lower_bound
        whole = None if bound is None else bound + constant
        while whole is not None and bound is not None and whole - constant > bound:
            whole = math.nextafter(whole, -math.inf)  # nothing is claimed by rounding up
        exact = as_written(self.complexity) + as_written(problem.complexity(*given.size))
        return replace(
            self,
            hamming_loss=self.hamming_loss + given.loss,
            complexity=as_number(exact),
            lower_bound=whole,
            problem=problem,
            given=given,
        )

    def to_plain(self) -> dict[str, Any]:
        """Return plain values that ``from_plain`` reads back."""
        plain: dict[str, Any] = {
            "hamming_loss": self.hamming_loss,
            "complexity": self.complexity,
            "lower_bound": self.lower_bound,
            "argument": str(self.argument),
            "problem": self.problem.to_plain(),
            "duals": None if self.duals is None else self.duals.to_plain(),
        }
        constraints = self.constraints.to_plain()
        plain |= {"constraints": constraints} if constraints else {}
        plain |= {"given": self.given.to_plain()} if self.given.clauses else {}
        if self.branches is not None:
            plain["branches"] = self.branches.to_plain()
        if self.minimises != "loss":
            plain["minimises"] = self.minimises
        if self.f1 is not None:
            plain["f1"] = self.f1.to_plain()
        if self.requirements:
            plain["requirements"] = [one.to_plain() for one in self.requirements]
        return plain | ({"thresholds": self.thresholds} if self.thresholds else {})

    @classmethod
    def from_plain(cls, plain: Any) -> Certificate:
        """Read ``to_plain``'s form, checking every part of it."""
        if not isinstance(plain, dict) or not isinstance(plain.get("problem"), dict):
            raise ValueError(f"A certificate needs a problem and its numbers; got {plain!r:.80}.")
        numbers = [plain.get("hamming_loss"), plain.get("complexity"), plain.get("lower_bound", 0)]
        if not all(is_number(v) for v in numbers[:2]) or not (
            numbers[2] is None or is_number(numbers[2])
        ):
            raise ValueError(
                f"A certificate's loss, complexity and bound must be numbers: {numbers}."
            )
        if plain.get("argument") not in list(Argument):
            raise ValueError(f"Unknown argument {plain.get('argument')!r:.40} in a certificate.")
        limits = {**plain["problem"]}
        required = limits.pop("required", [])
        if not all(v is None or is_number(v) for v in limits.values()) or not _are_groups(
            required
        ):
            raise ValueError("The limits and prices of a certificate must be numbers.")
        try:
            problem = Problem(**plain["problem"])
        except TypeError as error:
            raise ValueError(f"A certificate's problem is not well formed: {error}.") from None
        duals = plain.get("duals")
        has_bound = numbers[2] is not None
        if has_bound != (plain["argument"] != Argument.NONE):
            raise ValueError("A certificate has an argument if and only if it has a bound.")
        if plain.get("thresholds") not in (None, ALL):
            raise ValueError(
                f"A certificate speaks of all thresholds or of none: {plain['thresholds']!r:.40}."
            )
        if ("branches" in plain) != (plain["argument"] == Argument.BRANCHES):
            raise ValueError("A certificate has branches if and only if its bound rests on them.")
        minimises = plain.get("minimises", "loss")
        if not isinstance(minimises, str) or minimises not in _MINIMISED:
            raise ValueError(f"A certificate minimises {minimises!r:.40}, which is unknown.")
        if plain["argument"] == Argument.EVERY_RULE_SET and minimises != "errors":
            raise ValueError("Every rule set is searched only where each row counts once.")
        requirements = plain.get("requirements", [])
        if not isinstance(requirements, list):
            raise ValueError(f"Requirements must be a list; got {requirements!r:.80}.")
        return cls(
            numbers[0],
            numbers[1],
            numbers[2],
            Argument(plain["argument"]),
            problem,
            None if duals is None else duals_from_plain(duals),
            Constraints.from_plain(plain.get("constraints", {})),
            Given.from_plain(plain["given"]) if "given" in plain else Given(),
            plain.get("thresholds"),
            tuple(map(Requirement.from_plain, requirements)),
            minimises,
            F1.from_plain(plain["f1"]) if "f1" in plain else None,
            tree_from_plain(plain["branches"]) if "branches" in plain else None,
        )


def _limits(problem: Problem) -> list[str]:
    """What is asked of clauses, in words."""
    limits = []
    if problem.max_clauses is not None:
        limits.append(f"at most {counted(problem.max_clauses, 'clause')}")
    if problem.max_conditions is not None:
        limits.append(f"at most {counted(problem.max_conditions, 'condition')} per clause")
    if problem.required:
        limits.append("all that is required")
    if problem.min_coverage:
        rows = counted(problem.min_coverage, "row")
        limits.append(f"at least {rows} of its class covered per clause")
    return limits


def _are_groups(plain: Any) -> bool:
    """Whether these are lists of condition ids."""
    return isinstance(plain, list) and all(
        isinstance(group, list) and all(type(j) is int and j >= 0 for j in group)
        for group in plain
    )


def counted(n: int, word: str) -> str:
    """Write a number with its noun: 1 row, 20 rows."""
    return f"{n} {word}{'s' * (n != 1)}"


def _listed(parts: list[str]) -> str:
    """Join words: a, b and c."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _text(number: float) -> str:
    return f"{number + 0:.10g}"  # no "-0"
