"""What people read: conditions, clauses, rule sets. Knows nothing of the solver."""

from boolrules.rules.condition import Condition, Relation
from boolrules.rules.rule_set import Clause, ClauseStatistics, Explanation, Form, RuleSet

__all__ = [
    "Clause",
    "ClauseStatistics",
    "Condition",
    "Explanation",
    "Form",
    "Relation",
    "RuleSet",
]
