"""The list of drawn puzzles with their files and pages, as CSV or JSON, for layout programs."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from pathlib import Path

from binairo_cp.errors import RenderError
from binairo_cp.formats.results import stated
from binairo_cp.json_library import orjson
from binairo_cp.rendering.sheet import Item
from binairo_cp.workers.terminal import option

COLUMNS = (
    *("number", "id", "height", "width", "rules", "signs", "clues", "verdict", "solution", "grade"),
    *("file", "page", "answer_page"),
)

SidecarRow = dict[str, object]
"""A drawn puzzle; values that are unknown or don't apply are None."""


def row(
    item: Item, file: str | None = None, page: int | None = None, answer_page: int | None = None
) -> SidecarRow:
    """Return the row of a puzzle; `file` is the name of that of the picture."""
    puzzle, rules = item.puzzle, stated(item.puzzle)
    return {
        "number": item.number,
        "id": item.id,
        "height": puzzle.board.height,
        "width": puzzle.board.width,
        "rules": rules if isinstance(rules, str) else _fields(asdict(rules)),
        "signs": " ".join(map(str, puzzle.signs)),
        "clues": puzzle.board.cells,
        "verdict": item.verdict and item.verdict.value,
        "solution": item.solution and item.solution.cells,
        "grade": item.level,
        "file": file,
        "page": page,
        "answer_page": answer_page,
    }


def _fields(rules: dict[str, object]) -> str:
    """Rules without a name, written as in the text format."""
    words = {True: "yes", False: "no"}
    return " ".join(
        f"{name}={words[value] if isinstance(value, bool) else value}"
        for name, value in rules.items()
    )


def check_name(path: str, name: str = "sidecar") -> None:
    """Reject a sidecar name without a known extension.

    Raises:
        RenderError: the name has none of the known extensions.
    """
    if Path(path).suffix.lower() not in (".csv", ".json", ".ndjson"):
        raise RenderError(
            f"{option(name, path)}: expected a name that ends in .csv, .json or .ndjson"
        )


def text(rows: list[SidecarRow], path: str) -> str:
    """Return the rows as CSV, JSON or NDJSON, according to the extension of the file name."""
    suffix = Path(path).suffix.lower()
    if suffix == ".ndjson":
        return "".join(f"{orjson.dumps(each).decode()}\n" for each in rows)
    if suffix == ".json":
        return orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode() + "\n"
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
