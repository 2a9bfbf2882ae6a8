"""The list of drawn puzzles with their files and pages, as CSV or JSON, for layout programs."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import orjson

from binairo_cp.errors import RenderError
from binairo_cp.formats.results import stated
from binairo_cp.rendering.sheet import Item
from binairo_cp.workers.terminal import option


@dataclass(frozen=True, slots=True)
class SidecarRow:
    """A drawn puzzle; values that are unknown or don't apply are None.

    Attributes:
        rules: their name, or the fields that differ from the classic rules.
        signs: such as ``r1c1=r1c2``, separated by spaces.
        file: the name of the picture file.
    """

    number: int
    id: str
    height: int
    width: int
    rules: str
    signs: str
    clues: str
    verdict: str | None
    solution: str | None
    grade: str | None
    file: str | None = None
    page: int | None = None
    answer_page: int | None = None


def row(
    item: Item, file: str | None = None, page: int | None = None, answer_page: int | None = None
) -> SidecarRow:
    """Return the row of a puzzle."""
    puzzle = item.puzzle
    rules = stated(puzzle)
    return SidecarRow(
        number=item.number,
        id=item.id,
        height=puzzle.board.height,
        width=puzzle.board.width,
        rules=rules if isinstance(rules, str) else _fields(asdict(rules)),
        signs=" ".join(map(str, puzzle.signs)),
        clues=puzzle.board.cells,
        verdict=item.verdict.value if item.verdict else None,
        solution=item.solution.cells if item.solution else None,
        grade=item.level,
        file=file,
        page=page,
        answer_page=answer_page,
    )


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
    suffix, values = Path(path).suffix.lower(), [asdict(each) for each in rows]
    if suffix == ".ndjson":
        return "".join(f"{orjson.dumps(each).decode()}\n" for each in values)
    if suffix == ".json":
        return orjson.dumps(values, option=orjson.OPT_INDENT_2).decode() + "\n"
    out = io.StringIO()
    writer = csv.DictWriter(out, [each.name for each in fields(SidecarRow)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(values)
    return out.getvalue()
