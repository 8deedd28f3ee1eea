"""The other rule sets that are as good as the chosen one, as the page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boolrules.insight.report.facts import AlternativeFacts, AlternativesFacts

if TYPE_CHECKING:
    from boolrules.insight.alternatives import Alternatives
    from boolrules.rules import RuleSet

MOST_FEATURES = 10


def describe_alternatives(
    found: Alternatives | str, rules: RuleSet, label: int | None
) -> AlternativesFacts:
    """Say how many there are and show the first, or say why they are not listed."""
    if isinstance(found, str):
        return AlternativesFacts(label, found, [], [], [], 0)
    return AlternativesFacts(
        label=label,
        sentence=found.sentence(),
        notes=found.notes(),
        rule_sets=[
            AlternativeFacts(
                [clause.text(rules.form) for clause in one.rule_set.clauses],
                one.hamming_loss,
                one.complexity,
                one.n_different,
                one.is_model,
            )
            for one in found
        ],
        features=list(found.features.items())[:MOST_FEATURES],
        n_rule_sets=found.n_rule_sets,
    )
