"""What a release says of itself in several places is the same in all of them."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_place_names_the_same_version():
    version = PROJECT["project"]["version"]
    assert f"\nversion: {version}\n" in text_of("CITATION.cff")
    assert f'version: "{version}"' in text_of("conda/recipe.yaml")


def test_conda_asks_for_what_the_package_asks_for():
    recipe = text_of("conda/recipe.yaml")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    asked = {line.strip(" -").replace(" ", "") for line in run.splitlines()}
    needed = {*PROJECT["project"]["dependencies"], "python>=${{python_min}}"}
    assert asked == needed
    assert f'python_min: "{PROJECT["project"]["requires-python"].removeprefix(">=")}"' in recipe


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_verbs_that_people_have_too(workflow):
    verbs = {*re.findall(r"(?m)^([a-z-]+):", text_of("Makefile"))}
    text = workflow.read_text(encoding="utf-8")
    listed = re.findall(r"verb: \[(.+)\]", text)
    called = {*re.findall(r"make ([a-z-]+)", text), *", ".join(listed).split(", ")} - {""}
    assert called <= verbs
    assert called


def test_every_python_that_is_named_is_tested():
    named = {
        line.rpartition(" ")[2]
        for line in PROJECT["project"]["classifiers"]
        if "Python :: 3." in line
    }
    (tested,) = re.findall(r"python: \[(.+)\]", text_of(".github/workflows/tests.yml"))
    assert {*tested.replace('"', "").split(", ")} == named


def test_links_of_the_readme_lead_somewhere_on_a_package_index():
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    readme = text_of("README.md")
    for one in hook["substitutions"]:
        readme = re.sub(one["pattern"], one["replacement"], readme)
    targets = re.findall(r"\]\(([^)#]+)\)", readme)
    assert targets
    assert all(target.startswith("https://") for target in targets)
