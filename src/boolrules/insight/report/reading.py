"""A certificate in two plain sentences: what is proved, and what is not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boolrules.data.problem import Problem
from boolrules.rules.condition import format_number

if TYPE_CHECKING:
    from boolrules.proof.certificate import Certificate

# What losses and bounds count, by what is minimised: as a heading, and in a sentence.
MEASURES = {
    "loss": "Hamming loss",
    "errors": "Misclassified rows",
    "missed": "Missed positives",
    "covered": "Covered negatives",
}
_MEASURES = {
    "loss": "Hamming loss",
    "errors": "number of misclassified rows",
    "missed": "number of missed positives",
    "covered": "number of covered negatives",
}


def reading(certificate: Certificate, n_conditions: int | None) -> tuple[str, str]:
    """Say what a certificate proves, and what it says nothing about.

    ``n_conditions`` is how many it ranges over; with every threshold their number says little.

    Examples
    --------
    >>> from boolrules.proof.certificate import Argument, Certificate
    >>> from boolrules.data.problem import Problem
    >>> certificate = Certificate(23, 5, 23, Argument.EXACT_SEARCH, Problem(max_complexity=5))
    >>> for sentence in reading(certificate, 540):
    ...     print(sentence)
    Of all rule sets of complexity at most 5 that can be written with the 540 conditions on offer,
    none has a Hamming loss below 23 on the rows that these rules were learned from; these have
    23, so none is better there.
    It says nothing about new rows: how often the rules are right on those is estimated by the
    rows left out.
    """
    problem = certificate.problem
    measure, own, bound, is_best, left = _figures(certificate)
    also = ", and whether they meet the requirements there," if certificate.requirements else ""
    second = (
        f"It says nothing about new rows: how often the rules are right on those{also} is "
        "estimated by the rows left out."
    )
    if certificate.lower_bound is None:
        first = (
            f"These rules have {_a(measure)} of {own} on the rows that they were learned from, "
            "and nothing was proved within the limits of the run: rule sets that are as simple "
            "and better may or may not exist."
        )
        return first, second
    limit = f"complexity at most {format_number(problem.max_complexity)}"
    named = _named_above(certificate)
    if named:
        limit += f", within the {' and '.join(named)} named above,"
    met = "meet the requirements and " if certificate.requirements else ""
    rest = (
        "so none is better there" if is_best else f"so at most {left} could still be gained there"
    )
    beyond = "above" if certificate.f1 is not None else "below"
    first = (
        f"Of all rule sets of {limit} that {met}can be written "
        f"{_offer(certificate, n_conditions)}, none has {_a(measure)} {beyond} {bound} on the "
        f"rows that these rules were learned from; these have {own}, {rest}."
    )
    return first, second


def keeping(certificate: Certificate) -> str | None:
    """Name the constraints that a claim speaks of, as the command line does; None without any.

    Examples
    --------
    >>> from boolrules.data.constraints import Constraints
    >>> from boolrules.proof.certificate import Argument, Certificate
    >>> problem, forbidden = Problem(max_complexity=5), Constraints(forbidden_features=["id"])
    >>> certificate = Certificate(23, 5, 23, Argument.EXACT_SEARCH, problem, None, forbidden)
    >>> keeping(certificate)
    'Constraints: no id.'
    """
    constraints = certificate.constraints
    return f"Constraints: {constraints}." if constraints.forbids_something else None


def counting(certificate: Certificate, form: str) -> str:
    """Say how the loss is counted, in words that go on a sentence."""
    if certificate.each_row_once:
        return "Every row that is answered wrongly counts one"
    missed = "positive that no clause covers"
    covered = "negative, one for each clause that covers it"
    if form == "cnf":
        missed = "negative that no clause turns away"
        covered = "positive, one for each clause that turns it away"
    if certificate.minimises != "loss":
        is_first = (certificate.minimises == "missed") == (form == "dnf")
        counted = f"one for each {missed}" if is_first else f"for each {covered}"
        return f"{MEASURES[certificate.minimises]} count {counted}"
    return f"Hamming loss counts one for each {missed} and, for each {covered}"


def _a(measure: str) -> str:
    return f"an {measure}" if measure[0] == "F" else f"a {measure}"


def _figures(certificate: Certificate) -> tuple[str, str, str, bool, str]:
    """Return what is measured, its value, what is proved of it, and what is left to be gained."""
    bound, f1 = certificate.lower_bound, certificate.f1
    if f1 is not None:
        most = 1.0 if bound is None else f1.most(bound)
        left = f"{math.ceil((most - f1.value) * 10**4) / 10**4:.4f}"
        shown = f"{math.ceil(most * 10**4) / 10**4:.4f}"
        is_best = bound is not None and most <= f1.value
        value = f"{f1.value:.4f}"
        return "F1", value, value if is_best else shown, is_best, left
    own = format_number(certificate.objective)
    measure = _MEASURES[certificate.minimises]
    penalty = certificate.problem.complexity_penalty
    if penalty:
        measure += f" plus {format_number(penalty)} per unit of complexity"
    if bound is None:
        return measure, own, "", False, ""
    left = format_number(certificate.objective - bound)
    is_best = certificate.is_optimal
    return measure, own, own if is_best else format_number(bound), is_best, left


def _offer(certificate: Certificate, n_conditions: int | None) -> str:
    if certificate.thresholds is not None:
        return "over these columns with any thresholds"
    count = "" if n_conditions is None else f"{n_conditions:,} "
    return f"with the {count}conditions on offer"


def _named_above(certificate: Certificate) -> list[str]:
    """Say what the certificate's own sentence and its constraints name beside a complexity."""
    problem = certificate.problem
    plain = Problem(problem.max_complexity, complexity_penalty=problem.complexity_penalty)
    limits = ["other limits"] if problem != plain or certificate.given.clauses else []
    return limits + (["constraints"] if certificate.constraints.forbids_something else [])
