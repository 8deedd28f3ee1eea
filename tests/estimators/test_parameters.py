"""One table of parameters: constructor, checks, docstring and options agree with it."""

import inspect

import pytest

from boolrules import BooleanRuleClassifier
from boolrules.cli.parser import make_parser
from boolrules.estimators.allowed import ALLOWED
from boolrules.estimators.parameters import CLASSIFIER, section

SIGNATURE = inspect.signature(BooleanRuleClassifier).parameters


def test_the_table_has_the_parameters_of_the_constructor_in_order():
    assert [parameter.name for parameter in CLASSIFIER] == list(SIGNATURE) == list(ALLOWED)


@pytest.mark.parametrize("parameter", CLASSIFIER, ids=lambda parameter: parameter.name)
def test_a_default_is_that_of_the_constructor_and_is_allowed(parameter):
    assert parameter.default == SIGNATURE[parameter.name].default
    BooleanRuleClassifier(**{parameter.name: parameter.default})._validate_params()


def test_every_parameter_is_in_the_docstring():
    assert section(CLASSIFIER) in BooleanRuleClassifier.__doc__
    assert "{parameters}" not in BooleanRuleClassifier.__doc__


@pytest.mark.parametrize(
    "parameter", [p for p in CLASSIFIER if p.option], ids=lambda parameter: parameter.name
)
def test_an_option_has_the_default_of_its_parameter(parameter):
    options = make_parser().parse_args(["fit", "data.csv", "--target", "y"])
    # Rows left out choose complexity and form, unless an option does.
    others = {"random_state": 0, "max_complexity": None, "form": None}
    assert getattr(options, parameter.name) == others.get(parameter.name, parameter.default)
