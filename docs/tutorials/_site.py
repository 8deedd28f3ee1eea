"""Tutorials as pages of the site, executed when it is built. A hook of mkdocs.

A tutorial is a Python file with cells (``# %%``), which editors and, through jupytext, Jupyter
open as a notebook. Outputs are kept nowhere, so they cannot grow old. Every tutorial becomes a
page with its outputs, and a notebook to download.
"""

from __future__ import annotations

import html
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbclient

FOLDER = Path(__file__).parent
TUTORIALS = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("_"))
SECONDS_PER_CELL = 120
# Wide enough for rules, with no bar to scroll by.
STYLE = """<style>
.md-typeset .result { overflow-x: auto }
.md-typeset .result table:not([class]) th { min-width: 0 }
.md-typeset .result pre > code { white-space: pre-wrap }
</style>"""


def executed(path: Path) -> Any:
    """Run a tutorial in a kernel of its own, from top to bottom; an error in a cell is raised."""
    notebook = jupytext.read(path)
    client = nbclient.NotebookClient(notebook, timeout=SECONDS_PER_CELL, kernel_name="python3")
    with tempfile.TemporaryDirectory() as folder:
        client.execute(cwd=folder)
    return notebook


def as_markdown(notebook: Any, download: str) -> str:
    """Write text, code and outputs as a page; ``download`` is offered below its title."""
    title, *rest = map(_cell, notebook.cells)
    heading, _, text = title.partition("\n")
    offer = f"[Download as a notebook]({download})"
    return "\n\n".join([heading, offer, text.strip(), *rest, STYLE]) + "\n"


def on_files(files: Any, config: Any) -> Any:
    """Add a page and a notebook for every tutorial. Called by mkdocs."""
    from mkdocs.structure.files import File

    for path in TUTORIALS:
        empty = jupytext.writes(jupytext.read(path), fmt="ipynb")
        page = as_markdown(executed(path), f"{path.stem}.ipynb")
        for name, content in ((f"{path.stem}.ipynb", empty), (f"{path.stem}.md", page)):
            files.append(File.generated(config, f"tutorials/{name}", content=content))
    return files


def _cell(cell: Any) -> str:
    if cell.cell_type == "markdown":
        return str(cell.source)
    code = f"```python\n{cell.source}\n```"
    outputs = "\n".join(map(_output, cell.outputs))
    return f'{code}\n\n<div class="result">\n{outputs}\n</div>' if outputs else code


def _output(output: Any) -> str:
    """Write an output as HTML, the way a notebook would choose."""
    if output.output_type == "stream":
        return _plain(output.text)
    if "text/html" in output.data:
        return str(output.data["text/html"])
    if "image/png" in output.data:
        picture = output.data["image/png"].replace("\n", "")
        return f'<img alt="What the code above draws" src="data:image/png;base64,{picture}">'
    return _plain(output.data["text/plain"])


def _plain(text: str) -> str:
    return f"<pre><code>{html.escape(text.rstrip())}</code></pre>"
