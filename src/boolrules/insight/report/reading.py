"""A certificate in two plain sentences: what is proved, and what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.data.problem import Problem
from boolrules.rules.condition import format_number

if TYPE_CHECKING:
    from boolrules.proof.certificate import Certificate


def reading(certificate: Certificate, n_conditions: int | None) -> tuple[str, str]:
    """Say what a certificate proves, and what it says nothing about.

    ``n_conditions`` is how many it ranges over; with every threshold their number says little.

    Examples
    --------
    >>> from boolrules import Argument, Certificate
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
    measure = "Hamming loss"
    if problem.complexity_penalty:
        measure += f" plus {format_number(problem.complexity_penalty)} per unit of complexity"
    own = format_number(certificate.objective)
    second = (
        "It says nothing about new rows: how often the rules are right on those is estimated by "
        "the rows left out."
    )
    if certificate.lower_bound is None:
        first = (
            f"These rules have a {measure} of {own} on the rows that they were learned from, and "
            "nothing was proved within the limits of the run: rule sets that are as simple and "
            "better may or may not exist."
        )
        return first, second
    limit = f"complexity at most {format_number(problem.max_complexity)}"
    if _has_other_limits(certificate):
        limit += ", within the other limits named above,"
    bound = own if certificate.is_optimal else format_number(certificate.lower_bound)
    difference = format_number(certificate.objective - certificate.lower_bound)
    rest = (
        "so none is better there"
        if certificate.is_optimal
        else f"so at most {difference} could still be gained there"
    )
    first = (
        f"Of all rule sets of {limit} that can be written {_offer(certificate, n_conditions)}, "
        f"none has a {measure} below {bound} on the rows that these rules were learned "
        f"from; these have {own}, {rest}."
    )
    return first, second


def _offer(certificate: Certificate, n_conditions: int | None) -> str:
    if certificate.thresholds is not None:
        return "over these columns with any thresholds"
    count = "" if n_conditions is None else f"{n_conditions:,} "
    return f"with the {count}conditions on offer"


def _has_other_limits(certificate: Certificate) -> bool:
    """Whether the certificate's own sentence names more than a complexity."""
    problem = certificate.problem
    plain = Problem(problem.max_complexity, complexity_penalty=problem.complexity_penalty)
    return bool(
        problem != plain or certificate.given.clauses or certificate.constraints.forbids_something
    )
