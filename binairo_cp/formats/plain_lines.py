"""Parse the plain puzzles among lines of cells into arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.entry import rules_for
from binairo_cp.formats.line import LEAST, looks_like_more
from binairo_cp.formats.plain import PlainPuzzles
from binairo_cp.formats.slices import Bytes, Numbers, Slices, copy
from binairo_cp.formats.sources import MAX_LINE_BYTES
from binairo_cp.puzzle.cell_codes import CELLS
from binairo_cp.puzzle.grids import OPEN_MARKS


def read(block: LineBlock, longest: int, least: int) -> Iterator[PlainPuzzles]:
    """The plain puzzles of a block of lines, as `plain.plain` says.

    Lines whose name may be cells, and those of fewer than `least` cells without a size, are left.
    """
    lines = _Lines(block.piece.data)
    lines.leave_names(_NO_NAMES if least == 1 else _NO_NAMES + OPEN_MARKS.encode())
    heights = np.sqrt(lines.stops - lines.cells).astype(np.int64)
    heights[heights * heights < least] = 0
    widths = heights.copy()
    for line, size in lines.stated_sizes():
        heights[line], widths[line], lines.cells[line] = size
    good = lines.good & (heights * widths == lines.stops - lines.cells)
    good &= (np.minimum(heights, widths) > 0) & (np.maximum(heights, widths) <= longest)
    shapes = np.where(good, heights << 8 | widths, 0)
    rules = rules_for((), block.default_rules)
    for shape in np.unique(shapes).tolist():
        if not shape:
            continue
        height, width = divmod(shape, 256)
        chosen = np.flatnonzero(shapes == shape)
        clues = CELLS[lines.boards(chosen, height * width)]
        is_board = np.logical_and.reduce(clues, axis=1)
        may_be_cells = lines.name_lengths[chosen] >= min(height * width, LEAST)
        for k in np.flatnonzero(may_be_cells).tolist():
            is_board[k] &= lines.is_clear(chosen[k], clues[k])
        if not is_board.all():
            chosen, clues = chosen[is_board], clues[is_board]
        yield PlainPuzzles(rules, clues.reshape(-1, height, width), chosen, lines.names(chosen))


class _Lines:
    """The lines of a block: where they begin, where cells and names begin and end.

    Attributes:
        cells: where the cells of each line begin.
        stops: where the first word ends.
        name_lengths: the lengths of the names.
        good: whether the line is printable ASCII and not too long.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._data = data = np.frombuffer(text, np.uint8)
        ends = np.flatnonzero(data == _LINE_FEED)
        special = np.flatnonzero((data <= _BLANK) | (data >= _DELETE))
        has_names = len(special) > len(ends)
        if data[-1] != _LINE_FEED:
            ends = np.append(ends, len(data))
        self._starts = np.concatenate(([0], ends[:-1] + 1))
        self.good = ends - self._starts <= MAX_LINE_BYTES
        self.cells = self._starts.copy()
        self.stops, self._names = ends, ends
        self.name_lengths = np.zeros(len(ends), np.int64)
        if has_names:
            self._find_names(ends, special)

    def _find_names(self, ends: Numbers, special: Numbers) -> None:
        """Find the words after the cells; `special` are bytes that are not printable, or blanks."""
        data = self._data
        odd = special[(data[special] != _LINE_FEED) & (data[special] != _BLANK)]
        followers = np.append(data, np.uint8(_LINE_FEED))[odd + 1]
        is_end = (data[odd] == _CARRIAGE_RETURN) & (followers == _LINE_FEED)
        self.good[np.searchsorted(ends, odd[~is_end])] = False
        ends = ends.copy()
        ends[np.searchsorted(ends, odd[is_end])] -= 1
        blanks = special[data[special] <= _BLANK]
        self.stops = np.append(blanks, len(data))[np.searchsorted(blanks, self._starts)]
        self._names = self.stops.copy()
        padded = np.append(data, np.uint8(_LINE_FEED))
        for _ in range(_MAX_BLANKS):
            self._names += (padded[self._names] == _BLANK) & (self._names < ends)
            ends -= (padded[ends - 1] == _BLANK) & (self._names < ends)
        self.name_lengths = ends - self._names
        # Names that begin or end with more blanks are left.
        is_stripped = (padded[self._names] != _BLANK) & (padded[ends - 1] != _BLANK)
        self.good &= is_stripped | (self.name_lengths == 0)

    def leave_names(self, first: bytes) -> None:
        """Leave the lines whose names begin with some bytes."""
        begins = np.append(self._data, np.uint8(_LINE_FEED))[self._names]
        self.good &= (self.name_lengths == 0) | ~np.isin(begins, np.frombuffer(first, np.uint8))

    def stated_sizes(self) -> Iterator[tuple[int, tuple[int, int, int]]]:
        """The lines that begin with a size: height, width, and where the cells begin."""
        if b":" not in self._text:
            return
        colons = np.flatnonzero(self._data == ord(":"))
        lines = np.unique(np.searchsorted(self._starts, colons, "right") - 1)
        for line in lines[self.good[lines]].tolist():
            if match := _SIZE.match(self._text, self._starts[line]):
                yield line, (int(match[1]), int(match[2]), match.end())

    def boards(self, lines: Numbers, size: int) -> Bytes:
        """The cells of lines whose first word has this size, as an array."""
        cells = Slices(self._data, self.cells[lines], np.full(len(lines), size))
        boards = np.empty((len(lines), size), np.uint8)
        copy(cells, boards.reshape(-1), np.arange(len(lines)) * size)
        return boards

    def names(self, lines: Numbers) -> Slices:
        """The names of lines."""
        return Slices(self._data, self._names[lines], self.name_lengths[lines])

    def is_clear(self, line: int, clues: Bytes) -> bool:
        """Whether the name could not also be cells."""
        begin = int(self._names[line])
        name = self._text[begin : begin + int(self.name_lengths[line])]
        return not looks_like_more(clues.tobytes().decode(), name.decode())


_LINE_FEED, _CARRIAGE_RETURN, _BLANK, _DELETE = b"\n\r \x7f"
_NO_NAMES = b",;|rRsS"
"""What separators, signs and rules after the cells begin with."""
_MAX_BLANKS = 4
_SIZE = re.compile(rb"([0-9]{1,3})x([0-9]{1,3}):", re.IGNORECASE)
