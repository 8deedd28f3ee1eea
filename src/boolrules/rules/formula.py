"""ANDs and ORs of conditions, and how they become the clauses of a rule set."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boolrules.rules.clause import Clause, Form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules.rules.condition import Condition

MOST_CLAUSES = 1000  # that one text may be written out in
AND, OR = "and", "or"


@dataclass(frozen=True, slots=True)
class Leaf:
    """What was written as one condition: all or, with ``is_any``, any of these.

    ``is_bracketed`` says whether it is in parentheses.
    """

    conditions: tuple[Condition, ...]
    is_any: bool = False
    is_bracketed: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Formulas joined by AND or by OR.

    Parameters
    ----------
    joint : "and" or "or"
        How they are joined.
    parts : tuple of Leaf or Group
        Two or more; none is joined in the same way.
    start : int
        Where it begins in the text.
    is_by_line : bool
        Whether a joint begins a line.
    is_bracketed : bool
        Whether it is in parentheses.
    """

    joint: str
    parts: tuple[Formula, ...]
    start: int
    is_by_line: bool
    is_bracketed: bool = False


Formula = Leaf | Group


def joined(joint: str, parts: Sequence[Formula], start: int, is_by_line: bool) -> Formula:
    """Join formulas; those that are joined alike already become one."""
    if len(parts) == 1:
        return parts[0]
    merged = tuple(itertools.chain.from_iterable(_parts(part, joint) for part in parts))
    return Group(joint, merged, start, is_by_line)


def clauses_of(formula: Formula, preferred: Form | None) -> tuple[Form, tuple[Clause, ...]]:
    """Read a formula as an OR of ANDs or as an AND of ORs.

    One that is both, such as ``a AND b``, is read in the preferred form or else as rule sets
    print: a clause of several conditions in parentheses, a clause per line.
    """
    groups = {Form.DNF: _groups(formula, OR, AND), Form.CNF: _groups(formula, AND, OR)}
    possible = [form for form in Form if groups[form]]
    if not possible:
        raise ValueError(
            "this is neither an OR of ANDs nor an AND of ORs. Write it as one of them; a list, as "
            "in job in ('clerk', 'cook'), may help"
        )
    form = possible[0] if len(possible) == 1 else preferred or _printed_form(formula)
    clauses = itertools.chain.from_iterable(_written_out(group, form) for group in groups[form])
    listed = tuple(itertools.islice(clauses, MOST_CLAUSES + 1))
    if len(listed) > MOST_CLAUSES:
        raise ValueError(f"this stands for more than {MOST_CLAUSES} clauses. Use shorter lists")
    return form, listed


def _printed_form(formula: Formula) -> Form:
    """Tell which form prints like this, where it could be either."""
    if isinstance(formula, Leaf):
        return Form.CNF if formula.is_bracketed and formula.is_any else Form.DNF
    if formula.joint == OR:
        return Form.CNF if formula.is_bracketed else Form.DNF
    return Form.CNF if formula.is_by_line and not formula.is_bracketed else Form.DNF


def _groups(formula: Formula, outer: str, inner: str) -> list[list[Leaf]]:
    """Take a formula apart into groups of leaves; nothing where it is nested more deeply."""
    groups = []
    for part in _parts(formula, outer):
        leaves = [leaf for leaf in _parts(part, inner) if isinstance(leaf, Leaf)]
        if len(leaves) < len(_parts(part, inner)):
            return []
        groups.append(leaves)
    return groups


def _parts(formula: Formula, joint: str) -> tuple[Formula, ...]:
    if isinstance(formula, Group) and formula.joint == joint:
        return formula.parts
    return (formula,)


def _written_out(leaves: list[Leaf], form: Form) -> Iterator[Clause]:
    """Make clauses of a group: several where "any of these" is in a DNF, "all" in a CNF."""
    choices = [
        [(condition,) for condition in leaf.conditions]
        if leaf.is_any == (form is Form.DNF)
        else [leaf.conditions]
        for leaf in leaves
    ]
    for choice in itertools.product(*choices):
        yield Clause(tuple(itertools.chain.from_iterable(choice)))
