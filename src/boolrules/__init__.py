"""Decision rules a person can read, with a proof of how close to optimal they are.

>>> from boolrules import BooleanRuleClassifier
>>> model = BooleanRuleClassifier(max_complexity=15)
"""

from importlib.metadata import version

from boolrules.binarizer import FeatureBinarizer
from boolrules.certificate import Argument, Certificate
from boolrules.classifier import BooleanRuleClassifier
from boolrules.classifier_cv import BooleanRuleClassifierCV
from boolrules.complexity_path import ComplexityPath, PathPoint, complexity_path
from boolrules.problem import Problem
from boolrules.result import Result, StopReason
from boolrules.rules import Clause, Condition, Explanation, Form, Relation, RuleSet
from boolrules.saved_model import SavedModel, Verification

__version__ = version("boolrules")

__all__ = [
    "Argument",
    "BooleanRuleClassifier",
    "BooleanRuleClassifierCV",
    "Certificate",
    "Clause",
    "ComplexityPath",
    "Condition",
    "Explanation",
    "FeatureBinarizer",
    "Form",
    "PathPoint",
    "Problem",
    "Relation",
    "Result",
    "RuleSet",
    "SavedModel",
    "StopReason",
    "Verification",
    "complexity_path",
]
