"""The engine for a GPU against its specification, run by PyTorch on a CPU."""

from functools import partial

import pytest
from hypothesis import given
from test_numba_engine import check_expansions, check_extensions

from boolrules.search.engines import make_engine
from strategies import pricing_problems

torch = pytest.importorskip("torch")
ON_A_CPU = partial(make_engine, "torch on a cpu")


@pytest.mark.parametrize("is_enumerating", [False, True])
@given(pricing_problems())
def test_torch_engine_expands_as_the_specification_does(is_enumerating, priced):
    check_expansions(ON_A_CPU, priced, is_enumerating)


@given(pricing_problems())
def test_torch_engine_extends_as_the_specification_does(priced):
    check_extensions(ON_A_CPU, priced)
