"""Parse the plain puzzles of a block of lines into arrays, without one object per puzzle.

Other lines (errors, blanks between cells, names with characters that are not printable ASCII) are
skipped. The caller parses them one by one, which also reports their errors.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.entry import rules_for
from binairo_cp.formats.line import looks_like_more
from binairo_cp.formats.schema import RulesRecord
from binairo_cp.formats.slices import Bytes, Numbers, Slices, copy
from binairo_cp.formats.sources import MAX_LINE_BYTES, raw_lines
from binairo_cp.puzzle.cell_codes import CELLS
from binairo_cp.puzzle.rules import CLASSIC, PLUS, PRESETS, Rules

Flags = npt.NDArray[np.bool_]
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
    read = _READERS.get(block.format.name)
    return read(block, longest) if read else iter(())


def _of_lines(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    lines = _Lines(block.piece.data)
    heights = np.sqrt(lines.stops - lines.cells).astype(np.int64)
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
        for k in np.flatnonzero(lines.name_lengths[chosen] >= height * width).tolist():
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
        # Names that begin or end with more blanks.
        is_stripped = (padded[self._names] != _BLANK) & (padded[ends - 1] != _BLANK)
        self.good &= is_stripped | (self.name_lengths == 0)

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
        """Whether the name could not also be cells, or the size is stated."""
        if self.cells[line] > self._starts[line]:
            return True
        begin = int(self._names[line])
        name = self._text[begin : begin + int(self.name_lengths[line])]
        return not looks_like_more(clues.tobytes().decode(), name.decode())


_LINE_FEED, _CARRIAGE_RETURN, _BLANK, _DELETE = b"\n\r \x7f"
_MAX_BLANKS = 4
_SIZE = re.compile(rb"([0-9]{1,3})x([0-9]{1,3}):", re.IGNORECASE)


def _of_records(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    by_shape: defaultdict[_Shape, list[_Record]] = defaultdict(list)
    for line, text in enumerate(raw_lines(block.piece)):
        if (found := _simple_record(text)) and max(found[0][:2]) <= longest:
            by_shape[found[0]].append((line, *found[1:]))
    for (height, width, stated, has_signs), records in by_shape.items():
        text = "".join(cells for _, _, cells, _ in records).encode()
        clues = np.frombuffer(text, np.uint8).reshape(-1, height, width)
        good = np.logical_and.reduce(np.isin(clues, _SYMBOLS), axis=(1, 2))
        if not good.all():
            clues, records = clues[good], list(compress(records, good.tolist()))
        default = PLUS if has_signs else CLASSIC
        yield PlainPuzzles(
            stated or block.default_rules or default,
            clues,
            np.array([line for line, *_ in records], np.int64),
            Slices.of([id for _, id, _, _ in records]),
            [signs for *_, signs in records] if has_signs else None,
        )


_Shape = tuple[int, int, Rules | None, bool]
_Record = tuple[int, bytes, str, Signs]

_SYMBOLS = np.frombuffer(b"01.", np.uint8)
_MAX_BRACKETS = 100
_DISTINCT = {value: Rules(distinct_lines=value) for value in (True, False)}


def _simple_record(text: bytes) -> tuple[_Shape, bytes, str, Signs] | None:
    """The shape with rules, id, clues and signs of a record.

    None unless `schema.PuzzleRecord` surely agrees, and the id can be printed as it is.
    """
    if b"\r" in text[:-1] or len(text) > MAX_LINE_BYTES:
        return None
    try:
        record: dict[str, Any] = orjson.loads(text)
        height, width, clues = record["height"], record["width"], record["clues"]
        if type(height) is not int or type(width) is not int or type(clues) is not str:
            return None
        if height < 1 or width < 1 or height * width != len(clues) or not clues.isascii():
            return None
        get = record.get
        id, rules, distinct, given = get("id"), get("rules"), get("distinct_lines"), get("signs")
        if type(id) not in _ID_TYPES or type(distinct) not in _FLAG_TYPES:
            return None
        signs: Signs = ()
        if "signs" in record:
            signs = _signs(given, height, width)
        # Deeper nesting than parsers allow needs more brackets.
        if text.count(b"[") + text.count(b"{") - len(given or ()) > _MAX_BRACKETS:
            return None
        stated = None if distinct is None else _DISTINCT[distinct]
        if rules is not None:
            stated = PRESETS[rules] if type(rules) is str else _rules(orjson.dumps(rules))
        name = "" if id is None else str(id)
        if not name.isprintable() or name != name.strip():
            return None
        return (height, width, stated, bool(signs)), name.encode(), clues, signs
    except (ValueError, KeyError, TypeError):
        return None


_ID_TYPES = (str, int, type(None))
_FLAG_TYPES = (bool, type(None))


def _signs(given: Any, height: int, width: int) -> Signs:
    """The signs of a record, sorted and without duplicates.

    Raises:
        ValueError: one is invalid, outside the board, or contradicts another.
        TypeError: they have other types.
    """
    if type(given) is not list:
        raise TypeError
    places: dict[tuple[int, int, str], str] = {}
    for row, column, direction, relation in given:
        if type(row) is not int or type(column) is not int or relation not in _RELATIONS:
            raise ValueError
        down, right = _STEPS[direction]
        if not (0 <= row < height - down and 0 <= column < width - right):
            raise ValueError
        if places.setdefault((row, column, direction), relation) != relation:
            raise ValueError
    return tuple((*place, places[place]) for place in sorted(places))


_STEPS = {"R": (0, 1), "D": (1, 0)}
_RELATIONS = ("=", "x")


@lru_cache(maxsize=256)
def _rules(text: bytes) -> Rules:
    """The rules of an object in a record.

    Raises:
        ValidationError: they are invalid. It is a ValueError.
    """
    return RulesRecord.model_validate_json(text).rules()


_READERS = {"line": _of_lines, "ndjson": _of_records}
