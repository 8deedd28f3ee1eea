"""Decision rules a person can read, with a proof of how close to optimal they are.

>>> from boolrules import BooleanRuleClassifier
>>> model = BooleanRuleClassifier(max_complexity=15)
"""

from importlib.metadata import version

from boolrules.alternatives import Alternative, Alternatives, find_alternatives
from boolrules.binarizer import FeatureBinarizer
from boolrules.certificate import Argument, Certificate
from boolrules.classifier import BooleanRuleClassifier
from boolrules.classifier_cv import BooleanRuleClassifierCV
from boolrules.complexity_path import ComplexityPath, PathPoint, complexity_path
from boolrules.constraints import Constraints, Direction
from boolrules.problem import Problem
from boolrules.result import Result, StopReason
from boolrules.rules import Clause, Condition, Explanation, Form, Relation, RuleSet
from boolrules.rules.parse import parse_rules
from boolrules.saved_model import SavedModel
from boolrules.verification import Verification
from boolrules.what_if import Assessment, Comparison, Difference, Standing, assess, compare

__version__ = version("boolrules")

__all__ = [
    "Alternative",
    "Alternatives",
    "Argument",
    "Assessment",
    "BooleanRuleClassifier",
    "BooleanRuleClassifierCV",
    "Certificate",
    "Clause",
    "Comparison",
    "ComplexityPath",
    "Condition",
    "Constraints",
    "Difference",
    "Direction",
    "Explanation",
    "FeatureBinarizer",
    "Form",
    "PathPoint",
    "Problem",
    "Relation",
    "Result",
    "RuleSet",
    "SavedModel",
    "Standing",
    "StopReason",
    "Verification",
    "assess",
    "compare",
    "complexity_path",
    "find_alternatives",
    "parse_rules",
]
