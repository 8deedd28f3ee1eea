"""The engine for a GPU against its specification, run by PyTorch on a CPU."""

import pytest
from hypothesis import given
from test_numba_engine import check_expansions, check_extensions

from boolrules.search.engines import make_engine
from strategies import pricing_problems

torch = pytest.importorskip(
    "torch", reason="needs PyTorch: make test-all installs it", exc_type=ImportError
)


def on_a_cpu(training_set, duals, **options):
    return make_engine(training_set, "torch on a cpu", duals, **options)


@pytest.mark.parametrize("is_enumerating", [False, True])
@given(pricing_problems())
def test_torch_engine_expands_as_the_specification_does(is_enumerating, priced):
    check_expansions(on_a_cpu, priced, is_enumerating)


@given(pricing_problems())
def test_torch_engine_extends_as_the_specification_does(priced):
    check_extensions(on_a_cpu, priced)
