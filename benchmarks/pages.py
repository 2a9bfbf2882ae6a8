"""The tables of docs/, taken from the results that are kept.

A table stands between ``<!-- results: NAME, TITLE -->``, the name of a benchmark and how the title
of a table of it begins, and ``<!-- /results -->``.
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
    """The first table of a result whose title begins so; none if it was not measured."""
    for each, rows in found.get(name, {"tables": {}})["tables"].items():
        if each.startswith(title):
            return list(rows)
    return []


def measured(result: dict[str, Any]) -> str:
    """When and on what a result was measured."""
    told = result["machine"]
    return f"Measured {told['date']}: {told['processor']}, {told['cores']} cores"


def filled(page: str, found: Results) -> str:
    """A page with the tables that it names; what was not measured stays as it is, with its date."""

    def block(match: re.Match[str]) -> str:
        begin, name, title, end = match.groups()
        rows = rows_of(found, name, title)
        if not rows:
            return match.group()
        return f"{begin}\n{tables.markdown(rows)}\n{measured(found[name])}.\n\n{end}"

    return BLOCK.sub(block, page)
