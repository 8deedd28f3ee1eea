"""The learners: one file each, found by being here.

A file has a list ``LEARNERS``. ``BOOLRULES_LEARNERS`` may name a folder with files of your own.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.learners.learner import Learner


def all_learners() -> dict[str, Learner]:
    """Return every learner by name, ours first."""
    modules = [
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
        if not found.name.startswith("_")
    ]
    more = os.environ.get("BOOLRULES_LEARNERS")
    for path in sorted(Path(more).glob("*.py")) if more else []:
        spec = importlib.util.spec_from_file_location(f"learners_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        modules.append(module)
    learners = [learner for module in modules for learner in module.LEARNERS]
    names = [learner.name for learner in learners]
    if len(set(names)) < len(names):
        raise ValueError(f"Two learners have the same name: {names}. Rename one of them.")
    return {one.name: one for one in sorted(learners, key=lambda one: one.in_paper != "CG")}
