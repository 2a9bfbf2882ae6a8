"""Parse the plain puzzles among JSON records into arrays.

Compiled code finds the flat records. Others, such as those with signs, are parsed one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import compress
from typing import Any

import numpy as np
import orjson

from binairo_cp.formats import flat_records
from binairo_cp.formats.blocks import LineBlock
from binairo_cp.formats.plain import PlainPuzzles, Signs
from binairo_cp.formats.schema import RulesRecord
from binairo_cp.formats.slices import Bytes, Numbers, Slices, copy, ends_of_lines
from binairo_cp.formats.sources import MAX_LINE_BYTES
from binairo_cp.puzzle.rules import CLASSIC, PLUS, PRESETS, Rules


def read(block: LineBlock, longest: int) -> Iterator[PlainPuzzles]:
    """The plain puzzles of a block of records, as `plain.plain` says."""
    text = block.piece.data
    data = np.frombuffer(text, np.uint8)
    ends = ends_of_lines(data)
    starts = np.concatenate(([0], ends[:-1] + 1))
    found = flat_records.find(data, starts, ends)
    yield from _flat(data, found, block.default_rules or CLASSIC, longest)
    others = np.flatnonzero(found.heights == 0).tolist()
    yield from _not_flat(
        ((line, text[starts[line] : ends[line]]) for line in others), block.default_rules, longest
    )


def _flat(
    data: Bytes, found: flat_records.Found, default: Rules, longest: int
) -> Iterator[PlainPuzzles]:
    """The puzzles of flat records."""
    rules = [each or default for each in flat_records.RULES]
    kinds = np.array([rules.index(each) for each in rules])[found.rules]
    good = (found.heights > 0) & (np.maximum(found.heights, found.widths) <= longest)
    shapes = np.where(good, found.heights << 16 | found.widths << 8 | kinds, 0)
    for shape in np.unique(shapes).tolist():
        if shape:
            lines = np.flatnonzero(shapes == shape)
            height, width, kind = shape >> 16, shape >> 8 & 255, shape & 255
            ids = Slices(data, found.ids[lines], found.id_lengths[lines])
            clues = _boards(data, found.cells[lines], height, width)
            yield PlainPuzzles(rules[kind], clues, lines, ids)


def _boards(data: Bytes, starts: Numbers, height: int, width: int) -> Bytes:
    """Boards of one shape as an array."""
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
    for (height, width, stated, has_signs), records in by_shape.items():
        text = "".join(cells for _, _, cells, _ in records).encode()
        clues = np.frombuffer(text, np.uint8).reshape(-1, height, width)
        good = np.logical_and.reduce(np.isin(clues, _SYMBOLS), axis=(1, 2))
        if not good.all():
            clues, records = clues[good], list(compress(records, good.tolist()))
        default = PLUS if has_signs else CLASSIC
        yield PlainPuzzles(
            stated or default_rules or default,
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
