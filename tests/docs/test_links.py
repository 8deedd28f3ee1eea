"""Links from the pages into the code lead somewhere, and every equation is in the code."""

import importlib
import re

import pytest
from pages import PAGES, ROOT, name_of

import boolrules

LINK = re.compile(r"\((?:\w+/)*(reference\w*\.md)#(boolrules[\w.]*)\)")


def find(name):
    """Import what a dotted name stands for."""
    words = name.split(".")
    for k in range(len(words), 0, -1):
        try:
            thing = importlib.import_module(".".join(words[:k]))
        except ModuleNotFoundError:
            continue
        for word in words[k:]:
            thing = getattr(thing, word)
        return thing
    raise ModuleNotFoundError(name)


def documented(page):
    return re.findall(r"^::: ([\w.]+)", (ROOT / "docs" / page).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", ["reference.md", "reference_inside.md"])
def test_every_name_on_a_reference_page_exists(page):
    names = documented(page)
    assert len(names) == len(set(names))
    assert all(find(name) is not None for name in names)


def test_every_public_name_is_on_the_reference_page():
    assert {f"boolrules.{name}" for name in boolrules.__all__} <= set(documented("reference.md"))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_into_the_reference_lead_to_names_that_stand_there(page):
    for reference, name in LINK.findall(page.read_text("utf-8")):
        names = documented(reference)
        assert name in names or name.rpartition(".")[0] in names, name
        find(name)


@pytest.mark.parametrize("n", range(1, 11))
def test_every_equation_of_the_paper_is_named_in_the_code(n):
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert f"eq. ({n})" in sources


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = [page.relative_to(ROOT / "docs") for page in PAGES if ROOT / "docs" in page.parents]
    assert not [str(page) for page in pages if f": {page}\n" not in navigation]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_other_files_lead_to_files(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" in target:
            continue
        file = page.parent / target
        # Tutorials become pages when the site is built.
        assert file.exists() or file.with_suffix(".py").exists(), target
