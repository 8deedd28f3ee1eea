"""What people read: conditions, clauses, rule sets. Knows nothing of the solver."""

from boolrules.rules.calibration import Calibration
from boolrules.rules.clause import Clause, Form
from boolrules.rules.clause_statistics import ClauseStatistics
from boolrules.rules.condition import Condition, Relation
from boolrules.rules.explanation import Explanation
from boolrules.rules.rule_set import RuleSet

__all__ = [
    "Calibration",
    "Clause",
    "ClauseStatistics",
    "Condition",
    "Explanation",
    "Form",
    "Relation",
    "RuleSet",
]
