"""What is compiled before a search is what the search calls."""

import subprocess
import sys

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV
from boolrules.search.engines._kernels import fast_path
from boolrules.search.engines.loading import load_kernels
from boolrules.solver import warm_up

X = np.arange(40.0)[:, None] % 7
y = X[:, 0] > 3


def fit(mode):
    BooleanRuleClassifier(2, mode=mode).fit(X, y)


def follow(mode):
    BooleanRuleClassifier(mode=mode).fit_path(X, y, [2], patience=1)


def choose(mode):
    classifier = BooleanRuleClassifier(mode=mode)
    BooleanRuleClassifierCV(classifier, complexities=[2], cv=2, n_repeats=1).fit(X, y)


@pytest.mark.parametrize(
    ("learn", "mode", "loaded"),
    [
        (fit, "prove", ["fit"]),
        (fit, "fast", ["fit"]),
        (follow, "prove", ["fit"]),
        (follow, "fast", ["fast path"]),
        (choose, "prove", ["fast path", "fit"]),
    ],
)
def test_what_is_loaded_is_what_is_needed_next(monkeypatch, learn, mode, loaded):
    seen = {}
    for name, what in (("_load", "fit"), ("_load_without_proof", "fast path")):
        monkeypatch.setattr(warm_up, name, lambda *_, what=what: seen.setdefault(what))
    learn(mode)
    assert list(seen) == loaded


ALONE = """
import sys
import numpy as np
from boolrules import BooleanRuleClassifier
from boolrules.solver import warm_up
from numba.core.registry import CPUDispatcher

def signatures():
    modules = [m for name, m in sys.modules.items() if "._kernels." in name]
    kernels = [kernel for module in modules for kernel in vars(module).items()]
    kernels = [(name, one) for name, one in kernels if isinstance(one, CPUDispatcher)]
    return {{(name, str(s)) for name, one in kernels for s in one.signatures}}

{load}
loaded = signatures()
X = np.random.default_rng(0).integers(0, 9, (200, 4)).astype(float)
y = X[:, 0] > X[:, 1]
{learn}
print(sorted({{name for name, _ in signatures() - loaded}}))
"""
PATH = "range(2, 9), patience=9"
PREFERS = "constraints={'preferred_features': ['x3']}"


@pytest.mark.processes
@pytest.mark.parametrize(
    ("load", "learn", "later"),
    [
        ("warm_up.warm_up()", "BooleanRuleClassifier(5).fit(X, y)", []),
        ("warm_up.warm_up()", "BooleanRuleClassifier(4).fit(X, y)", ["find_rule_set"]),
        (
            "warm_up.warm_up_fast_paths()",
            f"BooleanRuleClassifier(mode='fast').fit_path(X, y, {PATH})",
            [],
        ),
        (
            "warm_up.warm_up_fast_paths(with_beams=True)",
            f"BooleanRuleClassifier(mode='fast', {PREFERS}).fit_path(X, y, {PATH})",
            [],
        ),
    ],
)
def test_no_kernel_is_left_to_be_compiled_but_those_that_may_not_be_needed(load, learn, later):
    code = ALONE.format(load=load, learn=learn)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(later)


@pytest.mark.parametrize(("n_codes", "code"), [(2, "uint16"), (300, "uint16"), (70_000, "uint32")])
def test_fast_paths_over_many_codes_have_their_kernels(n_codes, code):
    warm_up.warm_up_fast_paths(n_codes=n_codes)
    for kernel in (fast_path.grow, fast_path.exchange):
        assert any(f"array({code}," in str(signature) for signature in kernel.signatures)


@pytest.fixture
def events(monkeypatch):
    """What is loaded here, and what another process is told to load, on a machine without any."""
    events = []

    class Helper:
        def __init__(self, statement):
            events.append(statement.split("load_some(")[1][:-1])

    monkeypatch.setattr(warm_up, "Aside", Helper)
    for name in warm_up.KERNELS:
        monkeypatch.setattr(warm_up._kernel(name), "wait", None)
    monkeypatch.setattr(load_kernels(), "is_to_be_kept", lambda _: True)
    loads = {name: lambda *_, name=name: events.append(name) for name in warm_up.FOR_FITS}
    monkeypatch.setattr(warm_up, "FOR_FITS", loads)
    warm_up._load.cache_clear()
    yield events
    warm_up._load.cache_clear()


@pytest.mark.parametrize(
    ("comes", "here", "after"),
    [
        ("fit", ["beams", "selection"], ["exact pricing"]),
        ("choice", ["selection"], ["beams", "exact pricing"]),
    ],
)
def test_another_process_has_its_share_of_the_first_compilation(events, comes, here, after):
    warm_up.compile_aside("numba", comes)
    warm_up.warm_up_fast_paths()
    assert events == [str(warm_up.ASIDE[comes])]
    warm_up.warm_up()
    assert events[1:] == [*here, *after]


def test_what_was_not_begun_before_is_begun_by_a_fit(events):
    warm_up.warm_up()
    assert events[0] == str(warm_up.ASIDE["fit"])


def test_another_engine_starts_no_process(events):
    warm_up.compile_aside("numpy", "fit")
    warm_up.warm_up("numpy")
    assert events == list(warm_up.FOR_FITS)


def test_what_this_machine_has_is_compiled_by_nobody(events, monkeypatch):
    monkeypatch.setattr(load_kernels(), "is_to_be_kept", lambda _: False)
    warm_up.warm_up()
    assert events == list(warm_up.FOR_FITS)


@pytest.mark.parametrize("comes", ["fit", "choice"])
def test_all_that_is_left_to_another_process_can_be_loaded(comes):
    warm_up.load_some(warm_up.ASIDE[comes])
    for name in warm_up.KERNELS.keys() & set(warm_up.ASIDE[comes]):
        assert warm_up._kernel(name).signatures
