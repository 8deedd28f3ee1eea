"""Decision rules a person can read, with a proof of how close to optimal they are.

>>> from boolrules import BooleanRuleClassifier
>>> model = BooleanRuleClassifier(max_complexity=15)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boolrules.data.constraints import Constraints
    from boolrules.data.notes import table_notes
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
    from boolrules.proof.certificate import Argument, Certificate  # noqa: F401
    from boolrules.proof.unmet import RequirementsNotMetError
    from boolrules.rules import Clause, Condition, Form, Relation, RuleSet
    from boolrules.rules.parse import parse_rules
    from boolrules.solver.settings import SearchLimits

    __version__: str
else:
    # Names are loaded when they are first asked for: scikit-learn and its like take seconds, and
    # the command line must be ready for Ctrl-C before that.
    _PLACES = {
        "data.constraints": ["Constraints"],
        "data.notes": ["table_notes"],
        "data.requirement": ["Requirement"],
        "estimators.binarizer": ["FeatureBinarizer"],
        "estimators.classifier": ["BooleanRuleClassifier"],
        "estimators.classifier_cv": ["BooleanRuleClassifierCV"],
        "estimators.complexity_path": ["complexity_path"],
        "estimators.reporting": ["make_report"],
        "estimators.requirement_path": ["requirement_path"],
        "insight.alternatives": ["find_alternatives"],
        "insight.editing": ["assess", "compare"],
        "insight.report": ["plot_path"],
        "model.model": ["Model"],
        "proof.certificate": ["Argument", "Certificate"],
        "proof.unmet": ["RequirementsNotMetError"],
        "rules": ["Clause", "Condition", "Form", "Relation", "RuleSet"],
        "rules.parse": ["parse_rules"],
        "solver.settings": ["SearchLimits"],
    }

    def __getattr__(name):
        if name == "__version__":
            from importlib.metadata import version

            return version("boolrules")
        for place, names in _PLACES.items():
            if name in names:
                from importlib import import_module

                globals()[name] = getattr(import_module(f"boolrules.{place}"), name)
                return globals()[name]
        raise AttributeError(f"module 'boolrules' has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__, "__version__"})


__all__ = [
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
    "table_notes",
]
