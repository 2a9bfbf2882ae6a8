"""Fill the tables of docs/ from the saved results.

A table is between ``<!-- results: NAME, TITLE -->`` and ``<!-- /results -->``. NAME is a benchmark;
TITLE is the beginning of the title of one of its tables.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from benchmarks import tables

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(
    r"(<!-- results: (\S+), (.+?) -->\n)(?:(?!<!-- results:).)*?(<!-- /results -->)", re.DOTALL
)

Rows = list[dict[str, Any]]
Results = dict[str, dict[str, Any]]


def rows_of(found: Results, name: str, title: str) -> Rows:
    """The first table of a benchmark whose title begins with `title`; empty if there is none."""
    for each, rows in found.get(name, {"tables": {}})["tables"].items():
        if each.startswith(title):
            return list(rows)
    return []


def measured(result: dict[str, Any]) -> str:
    """The date and the machine of a result."""
    machine = result["machine"]
    return f"Measured {machine['date']}: {machine['processor']}, {machine['cores']} cores"


def filled(page: str, found: Results) -> str:
    """A page with its tables filled; tables without results stay as they are."""

    def block(match: re.Match[str]) -> str:
        begin, name, title, end = match.groups()
        rows = rows_of(found, name, title)
        if not rows:
            return match.group()
        return f"{begin}\n{tables.markdown(rows)}\n{measured(found[name])}.\n\n{end}"

    return BLOCK.sub(block, page)
