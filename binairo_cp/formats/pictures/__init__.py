"""Read a puzzle from a picture of its board, such as a screenshot; needs the extra ``pictures``.

The lattice is found by its lines or gaps, symbols and signs by their shape and colour. Nothing is
guessed: what is unclear is an error that names the cells. An answer can be drawn over the picture.

Our own SVG pictures state their puzzles, which needs nothing else.
"""

from __future__ import annotations

import re

from binairo_cp.errors import SourceError
from binairo_cp.json_library import orjson

MAX_SVG_BYTES = 32 << 20
"""Size limit of a file."""

_DESCRIPTION = re.compile(
    rb"<desc>Board of (?P<height>\d{1,3}) rows and (?P<width>\d{1,3}) columns: (?P<rows>[01./ ]+)"
    rb"(; signs (?P<signs>[^;<]+))?(; rules (?P<rules>[^;<]+))?</desc>"
)


def svg_lines(data: bytes, source: str) -> bytes:
    """The puzzles of an SVG picture as lines of NDJSON.

    A board with a solution, or with steps, is read with all its values.

    Raises:
        SourceError: the picture is not ours, or too large.
    """
    if len(data) > MAX_SVG_BYTES:
        raise SourceError(source, f"a picture of more than {MAX_SVG_BYTES >> 20} MB")
    records = []
    for found in _DESCRIPTION.finditer(data):
        stated = {name: value.decode() for name, value in found.groupdict().items() if value}
        clues = stated.pop("rows").replace(" / ", "")
        size = {name: int(stated.pop(name)) for name in ("height", "width")}
        records.append({**size, "clues": clues, **stated})
    if not records:
        raise SourceError(source, "an SVG of another program; save it as PNG")
    return b"".join(orjson.dumps(record) + b"\n" for record in records)
