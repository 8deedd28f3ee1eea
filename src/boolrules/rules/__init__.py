"""What people read: conditions, clauses, rule sets. Knows nothing of the solver."""

from boolrules.rules.clause import Clause, ClauseStatistics, Explanation, Form
from boolrules.rules.condition import Condition, Relation
from boolrules.rules.rule_set import RuleSet

__all__ = [
    "Clause",
    "ClauseStatistics",
    "Condition",
    "Explanation",
    "Form",
    "Relation",
    "RuleSet",
]
