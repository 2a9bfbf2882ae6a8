"""Parse the plain puzzles of a block of lines into arrays, without one object per puzzle.

Other lines (errors, blanks between cells, names with characters that are not printable ASCII) are
skipped. The caller parses them one by one, which also reports their errors. Compiled code finds
the flat JSON records: those with only numbers, words, and strings of printable ASCII without
escapes, whose list of signs is empty. Whatever it accepts, `schema.PuzzleRecord` accepts with the
same values. Other records, such as those with signs, are parsed one by one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.entry import NAME_KEYS, PUZZLE_KEYS, SOLUTION_KEYS
from binairo_cp.formats.line import LINES, PLAUSIBLE_LINES, looks_like_more
from binairo_cp.formats.sources import MAX_LINE_BYTES
from binairo_cp.json_library import orjson
from binairo_cp.kernels import records as kernel
from binairo_cp.puzzle.grids import LEAST, OPEN_MARKS
from binairo_cp.puzzle.rules import CLASSIC, PLUS, PRESETS, UNRULY, Rules, rules_for
from binairo_cp.puzzle.slices import (
    CELLS,
    Bytes,
    Numbers,
    PlainPuzzles,
    Slices,
    copy,
    ends_of_lines,
)
from binairo_cp.puzzle.symmetries import Signs
from binairo_cp.puzzle.verification import are_solutions
from binairo_cp.solving.many import sign_words

RULES = (None, CLASSIC, UNRULY, *PRESETS.values())
"""The rules for each number in `Found.rules`. The first three are for records without a field
`rules`: by the field `distinct_lines`, which is absent, true or false.
"""

_WORDS = (
    *("height", "width", "clues", "id", "rules", "distinct_lines", "signs"),
    *("true", "false", "null"),
    *PRESETS,
)
"""The words that the kernel knows, in its order."""

_OPEN, _ONE = b".1"
_LINE_FEED, _CARRIAGE_RETURN, _BLANK, _DELETE = b"\n\r \x7f"
_NO_NAMES = b",;|rRsS"
"""What separators, signs and rules after the cells begin with."""
_MAX_BLANKS = 4
_SIZE = re.compile(rb"([0-9]{1,3})x([0-9]{1,3}):", re.IGNORECASE)


def plain(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    """The plain puzzles of a block, grouped by shape and rules.

    Args:
        block: the block.
        longest: the longest side in cells; larger boards are skipped.
    """
    if block.format.name == "ndjson":
        return _from_records(block, longest)
    least = {LINES.name: 1, PLAUSIBLE_LINES.name: LEAST}.get(block.format.name)
    return _from_lines(block, longest, least) if least else iter(())


def _from_lines(block: LineBlock, longest: int, least: int) -> Iterator[PlainPuzzles]:
    """The plain puzzles of a block of lines.

    Lines whose name may be cells, and those of fewer than `least` cells without a size, are left.
    """
    if squares := _squares(block, longest, least):
        yield squares
        return
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
    for shape in _values(shapes):
        height, width = divmod(shape, 256)
        chosen = np.flatnonzero(shapes == shape)
        clues = lines.boards(chosen, height, width)
        is_board = np.ones(len(chosen), bool)
        # It takes less time to compare bytes than to map them.
        if not ((clues == _OPEN) | (clues | 1 == _ONE)).all():
            clues = CELLS[clues]
            is_board = np.logical_and.reduce(clues, axis=1)
        for k in lines.may_be_cells(chosen, min(height * width, LEAST)).tolist():
            is_board[k] &= lines.is_clear(chosen[k], clues[k])
        if not is_board.all():
            chosen, clues = chosen[is_board], clues[is_board]
        yield PlainPuzzles(rules, clues.reshape(-1, height, width), chosen, lines.names(chosen))


def _squares(block: LineBlock, longest: int, least: int) -> PlainPuzzles | None:
    """The puzzles of lines that are squares of one size and nothing else, as in most files."""
    text = block.piece.data
    cells = text.find(b"\n")
    side = isqrt(max(cells, 0))
    if not least <= side * side == cells or side > longest or len(text) % (cells + 1):
        return None
    number = len(text) // (cells + 1)
    clues = np.empty((number, cells), np.uint8)
    if not kernel.copy_lines(text, clues.data):
        return None
    rules, boards = rules_for((), block.default_rules), clues.reshape(-1, side, side)
    return PlainPuzzles(rules, boards, np.arange(number), Slices.empty(number))


class _Lines:
    """The lines of a block: where they begin, where cells and names begin and end.

    Attributes:
        stops: where the first word ends.
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

    def boards(self, lines: Numbers, height: int, width: int) -> Bytes:
        return _boards(self._data, self.cells[lines], height, width).reshape(len(lines), -1)

    def names(self, lines: Numbers) -> Slices:
        return Slices(self._data, self._names[lines], self.name_lengths[lines])

    def may_be_cells(self, lines: Numbers, least: int) -> Numbers:
        """Which of the names may have so many adjacent marks: all that do, and few others."""
        lengths, names = self.name_lengths[lines], self._names[lines]
        found = np.flatnonzero(lengths >= least)
        for k in range(least):
            # In a name of fewer than twice as many bytes, they include those in the middle.
            is_middle = lengths[found] - least <= k
            is_mark = CELLS[self._data[names[found] + k]] > 0
            found = found[is_mark | ~is_middle]
        return found

    def is_clear(self, line: int, clues: Bytes) -> bool:
        """Whether the name could not also be cells."""
        begin = int(self._names[line])
        name = self._text[begin : begin + int(self.name_lengths[line])]
        return not looks_like_more(clues.tobytes().decode(), name.decode())


def _from_records(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    text = block.piece.data
    data = np.frombuffer(text, np.uint8)
    ends = ends_of_lines(data)
    starts = np.concatenate(([0], ends[:-1] + 1))
    found = find_flat(data, starts, ends)
    yield from _flat(data, found, block.default_rules or CLASSIC, longest)
    others = np.flatnonzero(found.heights == 0).tolist()
    yield from _not_flat(
        ((line, text[starts[line] : ends[line]]) for line in others), block.default_rules, longest
    )


def _flat(data: Bytes, found: Found, default: Rules, longest: int) -> Iterator[PlainPuzzles]:
    rules = [known or default for known in RULES]
    kinds = np.array([rules.index(some) for some in rules])[found.rules]
    good = (found.heights > 0) & (np.maximum(found.heights, found.widths) <= longest)
    shapes = np.where(good, found.heights << 16 | found.widths << 8 | kinds, 0)
    for shape in _values(shapes):
        lines = np.flatnonzero(shapes == shape)
        height, width, kind = shape >> 16, shape >> 8 & 255, shape & 255
        ids = Slices(data, found.ids[lines], found.id_lengths[lines])
        clues = _boards(data, found.cells[lines], height, width)
        yield PlainPuzzles(rules[kind], clues, lines, ids)


def _values(shapes: Numbers) -> list[int]:
    """The values except 0, without a search for them if there is one, as in most blocks."""
    if (shapes == shapes[0]).all():
        shapes = shapes[:1]
    return [value for value in np.unique(shapes).tolist() if value]


def _boards(data: Bytes, starts: Numbers, height: int, width: int) -> Bytes:
    size = height * width
    boards = np.empty((len(starts), height, width), np.uint8)
    cells = Slices(data, starts, np.full(len(starts), size))
    copy(cells, boards.reshape(-1), np.arange(len(starts)) * size)
    return boards


def _not_flat(
    lines: Iterable[tuple[int, bytes]], default_rules: Rules | None, longest: int
) -> Iterator[PlainPuzzles]:
    """The plain puzzles of numbered lines that the compiled code leaves."""
    by_shape: defaultdict[_Shape, list[_Record]] = defaultdict(list)
    for line, text in lines:
        if (found := _simple_record(text)) and max(found[0][:2]) <= longest:
            by_shape[found[0]].append((line, *found[1:]))
    for (height, width, stated, has_signs, has_solution), records in by_shape.items():
        lines, ids, cells, of_signs, solutions = zip(*records, strict=True)
        clues, solved = (
            np.frombuffer("".join(boards).encode(), np.uint8).reshape(-1, height, width)
            for boards in (cells, solutions if has_solution else cells)
        )
        rules = stated or default_rules or (PLUS if has_signs else CLASSIC)
        signs = list(of_signs) if has_signs else None
        puzzles = PlainPuzzles(rules, clues, np.array(lines, np.int64), Slices.of(ids), signs)
        if has_solution:
            words = sign_words(signs, height, width) if signs else None
            puzzles = puzzles.chosen(are_solutions(solved, clues, rules, words))
        yield puzzles


_Shape = tuple[int, int, Rules | None, bool, bool]
_Record = tuple[int, bytes, str, Signs, str]

_MAX_BRACKETS = 100
_EXACT_KEYS = re.compile(r"[!-@\[-~]*")
"""Keys that do not change when they are stripped and in lower case."""
_DISTINCT = {None: None, True: CLASSIC, False: UNRULY}


def _simple_record(text: bytes) -> tuple[_Shape, bytes, str, Signs, str] | None:
    """The shape with rules, id, clues, signs and solution of a record.

    None unless `records.read_line` surely agrees, and the id can be printed as it is. The solution
    is empty if there is none, or nobody looks at it, and else may be wrong.
    """
    if b"\r" in text[:-1] or len(text) > MAX_LINE_BYTES:
        return None
    try:
        record: dict[str, Any] = orjson.loads(text)
        height, width, get = record["height"], record["width"], record.get
        clues, solution = _board(record)
        id, rules, distinct, given = get("id"), get("rules"), get("distinct_lines"), get("signs")
        if type(id) not in _ID_TYPES or type(distinct) not in _FLAG_TYPES:
            return None
        signs = _signs(given, height, width) if "signs" in record else ()
        # Deeper nesting than parsers allow needs more brackets.
        if text.count(b"[") + text.count(b"{") > _MAX_BRACKETS and _depth(record) > _MAX_BRACKETS:
            return None
        stated = _DISTINCT[distinct]
        if rules is not None:
            stated = PRESETS[rules] if type(rules) is str else _rules_of(orjson.dumps(rules))
        name = "" if id is None else str(id)
        if not name.isprintable() or name != name.strip():
            return None
        shape = height, width, stated, bool(signs), bool(solution)
        return shape, name.encode(), clues, signs, solution
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _board(record: dict[str, Any]) -> tuple[str, str]:
    """The clues of a record, and the solution if a reader looks at it; ValueError if they are not
    plain texts under the usual keys, or have another size.
    """
    clues, solution = record.get("clues"), ""
    if type(clues) is not str:
        clues, solution = _free_board(record)
    height, width = record["height"], record["width"]
    if type(height) is not int or type(width) is not int or height < 1 or width < 1:
        raise ValueError
    is_full = len(solution) == len(clues) or not solution
    if height * width != len(clues) or clues.strip("01.") or not is_full or solution.strip("01"):
        raise ValueError
    return clues, solution


def _free_board(record: dict[str, Any]) -> tuple[str, str]:
    """The same for records that `records` reads freely."""
    boards = [record[key] for key in PUZZLE_KEYS if record.get(key) is not None]
    solutions = [record[key] for key in SOLUTION_KEYS if record.get(key) is not None]
    has_name = record.get("id") is not None or not any(key in record for key in NAME_KEYS)
    is_exact = _EXACT_KEYS.fullmatch("".join(record))
    if not (len(boards) == 1 and len(solutions) <= 1 and has_name and is_exact):
        raise ValueError
    if "verdict" in record or not all(type(board) is str for board in (*boards, *solutions)):
        raise ValueError
    return boards[0], solutions[0] if solutions else ""


def _depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0)


_ID_TYPES = (str, int, type(None))
_FLAG_TYPES = (bool, type(None))


def _signs(given: Any, height: int, width: int) -> Signs:
    """The signs of a record, sorted and without duplicates; ValueError or TypeError if one is
    invalid, outside the board, or contradicts another.
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
def _rules_of(text: bytes) -> Rules:
    # Imported here, because it loads pydantic and few records state such rules. What is invalid is
    # a ValueError.
    from binairo_cp.formats.schema import RulesRecord

    return RulesRecord.model_validate_json(text).rules()


class Found(NamedTuple):
    """The puzzles of n lines.

    Attributes:
        heights: the heights of the boards; 0 for lines that are left to another parser.
        cells: where the cells begin.
        ids: where the ids begin.
        rules: places in `RULES`.
    """

    heights: Numbers
    widths: Numbers
    cells: Numbers
    sizes: Numbers
    ids: Numbers
    id_lengths: Numbers
    rules: Numbers


def find_flat(data: Bytes, starts: Numbers, ends: Numbers) -> Found:
    """Find the puzzles in lines. Each ends before its line feed."""
    found = Found(*np.zeros((len(Found._fields), len(starts)), np.int64))
    records = kernel.Records(data.data, *_words(), *(column.data for column in found))
    kernel.find(records, starts.data, ends.data, MAX_LINE_BYTES)
    return found


@cache
def _words() -> tuple[memoryview, memoryview]:
    """The known words, one in a row of bytes, and their lengths."""
    lengths = np.array([len(word) for word in _WORDS], np.int64)
    words = np.zeros((len(_WORDS), lengths.max()), np.uint8)
    for row, word in zip(words, _WORDS, strict=True):
        row[: len(word)] = list(word.encode())
    return words.data, lengths.data
