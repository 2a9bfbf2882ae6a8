"""Parse the plain puzzles of a block of lines into arrays, without one object per puzzle.

Other lines (errors, blanks between cells, names with characters that are not printable ASCII) are
skipped. The caller parses them one by one, which also reports their errors.
"""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.formats import plain_lines, plain_records
from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.plain_puzzles import PlainPuzzles


def plain(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    """The plain puzzles of a block, grouped by shape and rules.

    Args:
        block: the block.
        longest: the longest side in cells; larger boards are skipped.
    """
    read = _READERS.get(block.format.name)
    return read(block, longest) if read else iter(())


_READERS = {"line": plain_lines.read, "ndjson": plain_records.read}
