"""What happens where an engine cannot be had."""

import subprocess
import sys

import numpy as np
import pytest

from boolrules import BooleanRuleClassifier


@pytest.mark.processes
def test_importing_the_package_imports_no_pytorch():
    code = "import boolrules, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_pytorch_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    X = np.array([[0], [1], [0], [1]])
    with pytest.raises(ImportError, match=r"pip install \"boolrules\[gpu\]\""):
        BooleanRuleClassifier(engine="cuda").fit(X, [0, 1, 0, 1])


def test_an_unknown_engine_is_turned_down():
    with pytest.raises(ValueError, match="engine"):
        BooleanRuleClassifier(engine="abacus").fit(np.array([[0], [1]]), [0, 1])
