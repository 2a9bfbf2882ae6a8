"""The tour of docs/python.md as a notebook: ``python -m docs.notebook``.

Each example becomes a code cell without its output, so that the notebook is the same on every
machine. Run it in Jupyter, in a clone of the repository.
"""

from __future__ import annotations

import re
from doctest import DocTestParser, Example
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

DOCS = Path(__file__).parent
NOTEBOOK = DOCS / "examples/tour.ipynb"

_BEGIN, _END = "## A tour\n", "\n## "
_HEAD = """\
# A tour of binairo_cp

The examples of [docs/python.md](../python.md). They need the packages matplotlib and pandas, and
the puzzles in `instances/`."""
_FOLDER = """\
import os

if not os.path.isdir("instances"):
    os.chdir("../..")  # the root of the repository"""
_FENCE = re.compile(r"^```.*$", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#)")
_PRINTED = re.compile(r"print\((\w+)\)\n")


def text() -> str:
    """The notebook as JSON."""
    cells = [new_markdown_cell(_HEAD), new_code_cell(_FOLDER), *_cells(_tour())]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def _tour() -> str:
    page = (DOCS / "python.md").read_text()
    return page.split(_BEGIN)[1].split(_END)[0]


def _cells(page: str) -> list[nbformat.NotebookNode]:
    """A cell for each text, and for the examples up to each one that has an output."""
    cells, source = [], ""
    for part in DocTestParser().parse(page):
        is_code = isinstance(part, Example)
        if is_code:
            source += _shown(part.source)
        if source and (part.want if is_code else part.strip()):
            cells.append(new_code_cell(source.rstrip()))
            source = ""
        if not is_code and (prose := _FENCE.sub("", part).strip()):
            prose = _LINK.sub("](../", prose).replace("### ", "## ")
            cells.append(new_markdown_cell(prose))
    return cells


def _shown(source: str) -> str:
    """The source; a value that is printed is drawn instead."""
    printed = _PRINTED.fullmatch(source)
    return f"{printed[1]}\n" if printed else source


if __name__ == "__main__":
    NOTEBOOK.write_text(text())
