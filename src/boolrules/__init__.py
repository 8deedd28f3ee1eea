"""Decision rules a person can read, with a proof of how close to optimal they are.

>>> from boolrules import BooleanRuleClassifier
>>> model = BooleanRuleClassifier(max_complexity=15)
"""

from importlib.metadata import version

from boolrules.data.constraints import Constraints
from boolrules.data.requirement import Requirement
from boolrules.estimators.binarizer import FeatureBinarizer
from boolrules.estimators.classifier import BooleanRuleClassifier
from boolrules.estimators.classifier_cv import BooleanRuleClassifierCV
from boolrules.estimators.complexity_path import complexity_path
from boolrules.estimators.reporting import make_report
from boolrules.estimators.requirement_path import requirement_path
from boolrules.insight.alternatives import find_alternatives
from boolrules.insight.editing import assess, compare
from boolrules.insight.report import plot_path
from boolrules.model.model import Model
from boolrules.proof.certificate import Argument, Certificate
from boolrules.proof.unmet import RequirementsNotMetError
from boolrules.rules import Clause, Condition, Form, Relation, RuleSet
from boolrules.rules.parse import parse_rules
from boolrules.solver.settings import SearchLimits

__version__ = version("boolrules")

__all__ = [
    "Argument",
    "BooleanRuleClassifier",
    "BooleanRuleClassifierCV",
    "Certificate",
    "Clause",
    "Condition",
    "Constraints",
    "FeatureBinarizer",
    "Form",
    "Model",
    "Relation",
    "Requirement",
    "RequirementsNotMetError",
    "RuleSet",
    "SearchLimits",
    "assess",
    "compare",
    "complexity_path",
    "find_alternatives",
    "make_report",
    "parse_rules",
    "plot_path",
    "requirement_path",
]
