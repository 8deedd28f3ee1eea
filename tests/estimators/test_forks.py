"""A process that is forked after a fit can fit as well, and so can its parent."""

import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no safe forks"),
]
SCRIPT = """
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
import numpy as np
from joblib.externals.loky import reusable_executor
from boolrules import BooleanRuleClassifier
from boolrules.search.engines.loading import threads

(kind,) = sys.argv[1:]
random = np.random.default_rng(0)
X = random.normal(size=(300, 8))
y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=300) > 0).astype(int)
C = 9
if kind == "processes":
    y, C = y + 2 * (X[:, 3] > 0), 3

def fit(*_):
    limits = {"max_rounds": 3}
    model = BooleanRuleClassifier(C, n_jobs=2, time_limit=60, search_limits=limits, mode="fast")
    if kind == "threads":
        model.set_params(mode="prove", search_limits={"max_nodes": 20_000})
    return str(model.fit(X, y).rule_sets_)

def fit_and_tidy(*_):
    rules = fit()
    if kind == "processes":  # whoever ends without Python's clean-up leaves its workers behind
        reusable_executor.get_reusable_executor().shutdown(kill_workers=True)
    return rules

def by_futures():
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(fit_and_tidy).result()

def by_fork():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, fit_and_tidy().encode())
        os._exit(0)
    os.close(writer)
    answer = os.fdopen(reader).read()
    assert os.waitpid(pid, 0)[1] == 0
    return answer

first = fit()
for in_child in (by_fork, by_futures):
    is_used = threads.cache_info().currsize if kind == "threads" else reusable_executor._executor
    assert is_used, "nothing is left in the parent that a child could wait for"
    assert in_child() == first
    assert fit() == first
"""


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_fork_learns_the_same_and_so_does_its_parent_afterwards(kind):
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, kind]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
