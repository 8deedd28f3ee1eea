"""The engine for a GPU against its specification, run by PyTorch on a CPU."""

import numpy as np
import pytest
from hypothesis import given

from boolrules.column import EXACT_BITS
from boolrules.engines import Nodes, NumpyEngine, make_engine
from strategies import pricing_problems
from test_numba_engine import search_terms, sorted_rows

torch = pytest.importorskip("torch")
ON_A_CPU = "torch on a cpu"


def assert_equal(one, other):
    assert sorted_rows(one.found) == sorted_rows(other.found)
    for name in Nodes.__slots__:
        assert np.array_equal(getattr(one.children, name), getattr(other.children, name)), name


@pytest.mark.parametrize("is_enumerating", [False, True])
@given(pricing_problems())
def test_torch_engine_expands_as_the_specification_does(is_enumerating, priced):
    training_set, problem, float_duals = priced
    duals, J = training_set.rounded(float_duals), len(training_set.conditions)
    if J == 0:
        return
    threshold = min(2 * duals.scale, 2**EXACT_BITS) if is_enumerating else 0
    least_elimination = 0 if is_enumerating else duals.prices(problem)[1]
    terms = search_terms(duals, problem, J, threshold, least_elimination)
    specification = NumpyEngine(training_set, duals, is_enumerating=is_enumerating)
    engine = make_engine(ON_A_CPU, training_set, duals, is_enumerating=is_enumerating)
    nodes = Nodes.root(J, terms.longest, int(duals.mu.sum()))
    while len(nodes):
        expected = specification.expand(nodes, terms)
        assert_equal(engine.expand(nodes, terms), expected)
        nodes = expected.children[:20]


@given(pricing_problems())
def test_torch_engine_extends_as_the_specification_does(priced):
    training_set, _, float_duals = priced
    duals, J = training_set.rounded(float_duals), len(training_set.conditions)
    clauses = np.array(
        [[j, k] for j in range(-1, min(J, 4)) for k in range(-1, min(J, 4))], dtype=np.int32
    )
    one = make_engine(ON_A_CPU, training_set, duals).extend(clauses)
    other = NumpyEngine(training_set, duals).extend(clauses)
    for name in ("M", "N", "M_extended", "N_extended"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
