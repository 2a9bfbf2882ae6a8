"""Parse the plain puzzles of a block of lines into arrays, without one object per puzzle.

Other lines (with signs, a size before the cells, an error, or non-ASCII characters) are skipped.
The caller parses them one by one, which also reports their errors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.entry import rules_for
from binairo_cp.formats.line import looks_like_more
from binairo_cp.formats.sources import MAX_LINE_BYTES, raw_lines
from binairo_cp.puzzle.cell_codes import CELLS
from binairo_cp.puzzle.rules import PRESETS, Rules

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PlainPuzzles:
    """Puzzles of one shape without signs.

    Attributes:
        rules: the rules of all of them.
        clues: n x height x width bytes ``0``, ``1`` and ``.``.
        lines: the line of each puzzle in the block, from 0.
        ids: their ids; None for puzzles without one.
    """

    rules: Rules
    clues: Bytes
    lines: list[int]
    ids: list[str | None]


def plain(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    """The plain puzzles of a block, grouped by shape.

    Args:
        block: the block.
        longest: the longest side in cells; larger boards are skipped.
    """
    return _READERS[block.format.name](block, longest)


def _of_lines(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    data = np.frombuffer(block.piece.data, np.uint8)
    ends = np.flatnonzero(data == _LINE_FEED)
    if data[-1] != _LINE_FEED:
        ends = np.append(ends, len(data))
    starts = np.concatenate(([0], ends[:-1] + 1))
    blanks = np.flatnonzero(data <= _BLANK)
    stops = np.append(blanks, len(data))[np.searchsorted(blanks, starts)]
    sizes = stops - starts
    sizes[_odd_lines(data, ends)] = 0
    sizes[ends - starts > MAX_LINE_BYTES] = 0
    rules = rules_for((), block.default_rules)
    for size in np.unique(sizes).tolist():
        side = isqrt(size)
        if side * side != size or not 1 <= side <= longest:
            continue
        lines = np.flatnonzero(sizes == size)
        cells = CELLS[data[starts[lines, None] + np.arange(size)]]
        good = cells.all(axis=1)
        lines, cells = lines[good], cells[good]
        ids = _names(block.piece.data, stops[lines].tolist(), ends[lines].tolist())
        clear = _clear_names(ids, size)
        if len(clear) < len(ids):
            lines, cells, ids = lines[clear], cells[clear], [ids[k] for k in clear]
        yield PlainPuzzles(rules, cells.reshape(-1, side, side), lines.tolist(), ids)


def _odd_lines(data: Bytes, ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The lines with a character that is not printable ASCII, apart from the line ending."""
    odd = np.flatnonzero((data < _BLANK) | (data >= _DELETE))
    odd = odd[data[odd] != _LINE_FEED]
    followers = np.append(data, _LINE_FEED)[odd + 1]
    odd = odd[(data[odd] != _CARRIAGE_RETURN) | (followers != _LINE_FEED)]
    lines: npt.NDArray[np.int64] = np.searchsorted(ends, odd)
    return lines


def _names(data: bytes, stops: list[int], ends: list[int]) -> list[str | None]:
    """The names after the cells."""
    return [
        data[stop:end].strip().decode() or None if end > stop else None
        for stop, end in zip(stops, ends, strict=True)
    ]


def _clear_names(ids: list[str | None], size: int) -> list[int]:
    """The indexes of names that could not also be cells."""
    cells = "." * size
    return [k for k, id in enumerate(ids) if not looks_like_more(cells, id or "")]


_LINE_FEED, _CARRIAGE_RETURN, _BLANK, _DELETE = b"\n\r \x7f"


def _of_records(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    by_shape: defaultdict[_Shape, list[tuple[int, str | None, str]]] = defaultdict(list)
    for line, text in enumerate(raw_lines(block.piece)):
        if record := _simple_record(text):
            shape, id, cells = record
            if max(shape[:2]) <= longest:
                by_shape[shape].append((line, id, cells))
    for (height, width, stated), puzzles in by_shape.items():
        lines, ids = [line for line, _, _ in puzzles], [id for _, id, _ in puzzles]
        text = "".join(cells for _, _, cells in puzzles).encode()
        clues = np.frombuffer(text, np.uint8).reshape(-1, height, width)
        good = np.isin(clues, _SYMBOLS).all(axis=(1, 2))
        if not good.all():
            kept = np.flatnonzero(good).tolist()
            clues, lines, ids = clues[kept], [lines[k] for k in kept], [ids[k] for k in kept]
        yield PlainPuzzles(stated or rules_for((), block.default_rules), clues, lines, ids)


_Shape = tuple[int, int, Rules | None]

_SYMBOLS = np.frombuffer(b"01.", np.uint8)
_MAX_BRACKETS = 100
_DISTINCT = {value: Rules(distinct_lines=value) for value in (True, False)}


def _simple_record(text: bytes) -> tuple[_Shape, str | None, str] | None:
    """The shape with rules, id and clues of a record, if `schema.PuzzleRecord` surely agrees."""
    if b"\r" in text[:-1] or len(text) > MAX_LINE_BYTES:
        return None
    if text.count(b"[") + text.count(b"{") > _MAX_BRACKETS:
        return None
    try:
        record: dict[str, Any] = orjson.loads(text)
        height, width, clues = record["height"], record["width"], record["clues"]
        if type(height) is not int or type(width) is not int or type(clues) is not str:
            return None
        if height < 1 or width < 1 or height * width != len(clues) or not clues.isascii():
            return None
        id, rules, distinct = record.get("id"), record.get("rules"), record.get("distinct_lines")
        if "signs" in record or type(id) not in _ID_TYPES or type(distinct) not in _FLAG_TYPES:
            return None
        stated = None if distinct is None else _DISTINCT[distinct]
        if rules is not None:
            stated = PRESETS[rules]
    except (ValueError, KeyError, TypeError):
        return None
    return (height, width, stated), id if id is None else str(id) or None, clues


_ID_TYPES = (str, int, type(None))
_FLAG_TYPES = (bool, type(None))

_READERS = {"line": _of_lines, "ndjson": _of_records}
