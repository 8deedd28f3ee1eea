"""Hostile files, names, signals and disks, for as many seconds as asked for: ``make fuzz``.

A case is a function of the seed, its kind and its number, so that what it finds can be had again.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
# Altered models, random rules, databases and the oracle are those of the tests.
sys.path.extend(str(TESTS / folder) for folder in ("", "model", "rules"))
