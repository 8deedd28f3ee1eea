"""The drawings for contributors are those of the contracts and of the folders."""

import re
import tomllib

from pages import ROOT, blocks

PAGE = ROOT / "CONTRIBUTING.md"
SOURCES = ROOT / "src/boolrules"
ROOMS, WAY = [text for language, text in blocks(PAGE) if language == "text"]
LAYERS, *_ = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]


def test_the_drawing_of_the_rooms_has_the_layers_of_the_contract():
    drawn = [re.split(r"\s{2,}", line)[0] for line in ROOMS.splitlines()]
    assert drawn == LAYERS["layers"]


def test_the_way_to_a_certificate_leads_through_files_that_are_there():
    files = re.findall(r"\b\w+/[\w/*]+", WAY)
    assert len(files) > 20
    assert not [f for f in files if not [*SOURCES.glob(f"{f}.py"), *SOURCES.glob(f"{f}/*.py")]]


def test_every_door_is_there():
    doors = re.findall(r"^\| [^|`]+ \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    paths = [path for door in doors for path in re.findall(r"`([\w/.]+)`", door) if "/" in path]
    assert len(paths) > 10
    assert not [path for path in paths if not (SOURCES / path).exists()]
