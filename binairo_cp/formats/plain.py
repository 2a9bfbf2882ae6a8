"""Parse the plain puzzles of a block of lines into arrays, without one object per puzzle.

Other lines (errors, blanks between cells, names with characters that are not printable ASCII) are
skipped. The caller parses them one by one, which also reports their errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.slices import Bytes, Numbers, Slices
from binairo_cp.puzzle.rules import Rules

Signs = tuple[tuple[int, int, str, str], ...]


@dataclass(frozen=True, slots=True)
class PlainPuzzles:
    """Puzzles of one shape under the same rules.

    Attributes:
        rules: the rules of all of them.
        clues: n x height x width bytes ``0``, ``1`` and ``.``.
        lines: the line of each puzzle in the block, from 0.
        ids: their ids in UTF-8; empty for puzzles without one.
        signs: the signs of each puzzle, sorted; None if none has any.
    """

    rules: Rules
    clues: Bytes
    lines: Numbers
    ids: Slices
    signs: list[Signs] | None = None


def plain(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    """The plain puzzles of a block, grouped by shape and rules.

    Args:
        block: the block.
        longest: the longest side in cells; larger boards are skipped.
    """
    # Imported here, because both return the class above.
    from binairo_cp.formats import line, plain_lines, plain_records

    if block.format.name == "ndjson":
        return plain_records.read(block, longest)
    for format, least in ((line.LINES, 1), (line.PLAUSIBLE_LINES, line.LEAST)):
        if block.format.name == format.name:
            return plain_lines.read(block, longest, least)
    return iter(())
