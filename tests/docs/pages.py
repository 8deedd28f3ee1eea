"""The pages of the documentation, taken apart: blocks of code, commands and what they print."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*TOP, *sorted(ROOT.glob("docs/**/*.md"))]
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Command:
    """A line after ``$`` and what is printed below it."""

    text: str
    output: str


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks(page):
    """Every fenced block of a page, in order: language and contents."""
    return [(language, text) for _, language, text in FENCE.findall(page.read_text("utf-8"))]


def commands(page):
    """Every command of a page's console blocks, in order."""
    found = []
    for language, text in blocks(page):
        if language != "console":
            continue
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            found.append(Command(line.split("  #")[0].strip(), output))
    return found


def inline_code(page):
    """Everything in single backticks, outside the blocks."""
    return INLINE.findall(FENCE.sub("", page.read_text("utf-8")))


def python_code(page):
    """The examples of a page as one program, without what they print."""
    import doctest

    parser = doctest.DocTestParser()
    sources = [text for language, text in blocks(page) if language == "pycon"]
    return "".join(example.source for text in sources for example in parser.get_examples(text))
