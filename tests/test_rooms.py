"""The house: its listing, its layers, and the guest that can leave."""

import inspect
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import boolrules

ROOT = Path(__file__).parents[1]
PACKAGE = Path(boolrules.__file__).parent

WITHOUT_THE_GUEST = """
import importlib, pkgutil, boolrules
names = [m.name for m in pkgutil.walk_packages(boolrules.__path__, "boolrules.")]
assert not any("distributed" in name for name in names)
for name in names:
    if "_torch" not in name:
        importlib.import_module(name)
model = boolrules.BooleanRuleClassifier(3).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
print(model.certificate_)
"""


def contracts():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["tool"]["importlinter"]["contracts"]


def test_the_listing_has_at_most_ten_rooms():
    entries = {path.name for path in PACKAGE.iterdir()}
    rooms = {name for name in entries if not name.startswith(("_", ".")) and name != "py.typed"}
    assert len(rooms) <= 10


def test_there_are_at_most_nine_layers_and_none_is_passed_by():
    (layers,) = [contract for contract in contracts() if contract["type"] == "layers"]
    assert len(layers["layers"]) <= 9
    assert layers["exhaustive"]
    ignored = [line for contract in contracts() for line in contract.get("ignore_imports", [])]
    assert not [line for line in ignored if line.split("->")[1].strip().startswith("boolrules")]


def test_every_room_says_what_it_holds():
    rooms = [path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]
    for room in rooms:
        assert (room / "__init__.py").read_text(encoding="utf-8").startswith('"""'), room.name


def test_public_names_are_what_users_call():
    kinds = [getattr(boolrules, name) for name in boolrules.__all__]
    assert all(inspect.isclass(kind) or inspect.isfunction(kind) for kind in kinds)
    assert len(kinds) <= 23


@pytest.mark.processes
@pytest.mark.parametrize("guest", ["distributed"])
def test_everything_else_works_where_the_guest_is_gone(tmp_path, guest):
    ignored = shutil.ignore_patterns(guest, "__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "boolrules", ignore=ignored)
    # Kernels in plain Python: compiling them anew, in another folder, takes half a minute.
    env = {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", WITHOUT_THE_GUEST]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "optimal among all rule sets" in run.stdout


def test_the_package_is_imported_at_once_and_names_when_they_are_used():
    code = (
        "import sys, boolrules; loaded = {'numpy', 'sklearn', 'polars'} & set(sys.modules); "
        "names = set(dir(boolrules)) >= {*boolrules.__all__, '__version__'}; "
        "boolrules.Model; sys.exit(bool(loaded) or not names or 'sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(AttributeError, match="module 'boolrules' has no attribute 'Rules'"):
        _ = boolrules.Rules
