"""Find the puzzles in lines of flat JSON records, with compiled code.

A flat record has only numbers, words, and strings of printable ASCII without escapes; its list of
signs is empty. Whatever the compiled code accepts, `schema.PuzzleRecord` accepts with the same
values. It leaves all other records to a complete parser.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import int64, njit, types, uint8

from binairo_cp.formats.slices import Bytes, Numbers
from binairo_cp.formats.sources import MAX_LINE_BYTES
from binairo_cp.puzzle.rules import CLASSIC, PRESETS, UNRULY
from binairo_cp.workers.compiling import compiled

BY_DISTINCT = (None, CLASSIC, UNRULY)
"""The rules by the field `distinct_lines`, if there is no field `rules`: absent, true, false."""

RULES = (*BY_DISTINCT, *PRESETS.values())
"""The rules for each number in `Found.rules`."""

_KEYS = ("height", "width", "clues", "id", "rules", "distinct_lines", "signs")
_HEIGHT, _WIDTH, _CLUES, _ID, _RULES, _DISTINCT_LINES, _SIGNS = range(len(_KEYS))
_WORDS = (*_KEYS, *PRESETS, "true", "false", "null")
_FIRST_PRESET = len(_KEYS)
_FIRST_OF_PRESET = len(BY_DISTINCT)
_TRUE, _FALSE, _NULL = range(len(_WORDS) - 3, len(_WORDS))

_NEEDED = 1 << _HEIGHT | 1 << _WIDTH | 1 << _CLUES

_STRING, _NUMBER, _EMPTY_LIST = range(-3, 0)
"""Kinds of values. A known word is its place in `_WORDS`."""

_QUOTE, _BACKSLASH, _COMMA, _COLON, _MINUS, _POINT = b'"\\,:-.'
_BLANK, _TAB, _RETURN, _TILDE, _ZERO, _ONE, _NINE = b" \t\r~019"
_OPEN_BRACE, _CLOSE_BRACE, _OPEN_BRACKET, _CLOSE_BRACKET = b"{}[]"
_SMALL_A, _SMALL_Z, _SMALL_E, _BIG_E = b"azeE"

_MAX_ID_DIGITS = 18
_MAX_SIDE_DIGITS = 3
_MAX_EXPONENT_DIGITS = 2


class Found(NamedTuple):
    """The puzzles of n lines.

    Attributes:
        heights: the heights of the boards; 0 for lines that are left to another parser.
        widths: their widths.
        cells: where the cells begin.
        sizes: the numbers of cells.
        ids: where the ids begin.
        id_lengths: the lengths of the ids.
        rules: places in `RULES`.
    """

    heights: Numbers
    widths: Numbers
    cells: Numbers
    sizes: Numbers
    ids: Numbers
    id_lengths: Numbers
    rules: Numbers


def find(data: Bytes, starts: Numbers, ends: Numbers) -> Found:
    """Find the puzzles in lines.

    Args:
        data: the bytes of all lines.
        starts: where each line begins.
        ends: where each line ends, before its line feed.
    """
    found = Found(*np.zeros((len(Found._fields), len(starts)), np.int64))
    parser()(data, starts, ends, *_words(), found)
    return found


@cache
def _words() -> tuple[Bytes, Numbers]:
    """The known words, one in a row of bytes, and their lengths."""
    lengths = np.array([len(word) for word in _WORDS], np.int64)
    words = np.zeros((len(_WORDS), lengths.max()), np.uint8)
    for row, word in zip(words, _WORDS, strict=True):
        row[: len(word)] = list(word.encode())
    return words, lengths


@cache
def parser() -> Any:
    """The compiled `_parse`."""
    data = types.Array(uint8, 1, "C", readonly=True)
    numbers = int64[::1]
    found = types.NamedUniTuple(numbers, len(Found._fields), Found)
    signature = types.void(data, numbers, numbers, uint8[:, ::1], numbers, found)
    return compiled(_parse, signature, allocates=False)


def _parse(data: Any, starts: Any, ends: Any, words: Any, lengths: Any, found: Any) -> None:
    for k in range(len(starts)):
        start, end = starts[k], ends[k]
        is_short = end - start <= MAX_LINE_BYTES
        if end > start and data[end - 1] == _RETURN:
            end -= 1
        if not (is_short and _is_puzzle(data, start, end, words, lengths, found, k)):
            found.heights[k] = 0


@njit
def _is_puzzle(
    data: Any, place: int, end: int, words: Any, lengths: Any, found: Any, k: int
) -> bool:
    """Parse a record; every byte is compared with what may stand there."""
    place = _after_blanks(data, place, end)
    if place == end or data[place] != _OPEN_BRACE:
        return False
    seen = 0
    while place < end and data[place] != _CLOSE_BRACE:
        # At the opening brace, or at the comma after a field.
        key, begin = _key(data, _after_blanks(data, place + 1, end), end, words, lengths)
        kind, stop = _value(data, begin, end, words, lengths)
        if stop < 0:
            return False
        if key >= 0:
            is_new = not seen >> key & 1
            seen |= 1 << key
            if not (is_new and _store(data, begin, stop, words, lengths, key, kind, found, k)):
                return False
        place = _after_blanks(data, stop, end)
        if place < end and data[place] != _COMMA and data[place] != _CLOSE_BRACE:
            return False
    is_whole = place < end and _after_blanks(data, place + 1, end) == end
    has_all = seen & _NEEDED == _NEEDED
    return bool(is_whole and has_all and found.sizes[k] == found.heights[k] * found.widths[k])


@njit
def _key(data: Any, place: int, end: int, words: Any, lengths: Any) -> tuple[int, int]:
    """Which field the key is, -1 for others; where its value begins, or the end on a fault."""
    if place == end or data[place] != _QUOTE:
        return -1, end
    stop = _end_of_string(data, place + 1, end)
    if stop < 0:
        return -1, end
    key = _which(data, place + 1, stop, words, lengths, 0, len(_KEYS))
    place = _after_blanks(data, stop + 1, end)
    if place == end or data[place] != _COLON:
        return -1, end
    return key, _after_blanks(data, place + 1, end)


@njit
def _value(data: Any, begin: int, end: int, words: Any, lengths: Any) -> tuple[int, int]:
    """The kind of a value, or which word it is, and its end; -1 if it is not simple."""
    if begin == end:
        return 0, -1
    byte = data[begin]
    if byte == _QUOTE:
        stop = _end_of_string(data, begin + 1, end)
        return _STRING, stop + 1 if stop >= 0 else -1
    if byte == _MINUS or _ZERO <= byte <= _NINE:
        return _NUMBER, _end_of_number(data, begin, end)
    if byte == _OPEN_BRACKET:
        stop = _after_blanks(data, begin + 1, end)
        is_empty = stop < end and data[stop] == _CLOSE_BRACKET
        return _EMPTY_LIST, stop + 1 if is_empty else -1
    stop = begin
    while stop < end and _SMALL_A <= data[stop] <= _SMALL_Z:
        stop += 1
    word = _which(data, begin, stop, words, lengths, _TRUE, _NULL + 1)
    return word, stop if word >= 0 else -1


@njit
def _store(
    data: Any,
    begin: int,
    stop: int,
    words: Any,
    lengths: Any,
    key: int,
    kind: int,
    found: Any,
    k: int,
) -> bool:
    """Store the value of a known field; False if it has another type, or is not allowed.

    Args:
        data: the bytes.
        begin: where the value begins.
        stop: where it ends.
        words: the known words.
        lengths: their lengths.
        key: the field.
        kind: the kind of value, or which word it is.
        found: receives the value.
        k: the line.
    """
    if key in (_HEIGHT, _WIDTH):
        side = _small_number(data, begin, stop) if kind == _NUMBER else 0
        if key == _HEIGHT:
            found.heights[k] = side
        else:
            found.widths[k] = side
        return side > 0
    if key == _CLUES:
        found.cells[k], found.sizes[k] = begin + 1, stop - begin - 2
        return kind == _STRING and _are_cells(data, begin + 1, stop - 1)
    if key == _ID:
        return _store_id(data, begin, stop, kind, found, k)
    if key == _RULES:
        if kind == _STRING:
            preset = _which(data, begin + 1, stop - 1, words, lengths, _FIRST_PRESET, _TRUE)
            found.rules[k] = preset - _FIRST_PRESET + _FIRST_OF_PRESET
            return preset >= 0
        return kind == _NULL
    if key == _DISTINCT_LINES:
        if found.rules[k] == 0 and kind != _NULL:
            found.rules[k] = 1 + (kind == _FALSE)
        return kind in (_TRUE, _FALSE, _NULL)
    return kind == _EMPTY_LIST


@njit
def _store_id(data: Any, begin: int, stop: int, kind: int, found: Any, k: int) -> bool:
    if kind == _STRING:
        begin, stop = begin + 1, stop - 1
        if begin < stop and (data[begin] == _BLANK or data[stop - 1] == _BLANK):
            return False
    elif kind == _NUMBER:
        if stop - begin > _MAX_ID_DIGITS or _after_digits(data, begin, stop) < stop:
            return False
    else:
        stop = begin
    found.ids[k], found.id_lengths[k] = begin, stop - begin
    return kind in (_STRING, _NUMBER, _NULL)


@njit
def _after_blanks(data: Any, place: int, end: int) -> int:
    while place < end and (data[place] == _BLANK or data[place] == _TAB):
        place += 1
    return place


@njit
def _end_of_string(data: Any, place: int, end: int) -> int:
    """The place of the closing quote; -1 if there is none before another special byte."""
    while place < end:
        byte = data[place]
        if byte == _QUOTE:
            return place
        if byte < _BLANK or byte > _TILDE or byte == _BACKSLASH:
            return -1
        place += 1
    return -1


@njit
def _end_of_number(data: Any, place: int, end: int) -> int:
    """The end of a number; -1 if it is invalid, or may be too large."""
    if data[place] == _MINUS:
        place += 1
    first = place
    place = _after_digits(data, place, end)
    if place == first or place - first > _MAX_ID_DIGITS:
        return -1
    if data[first] == _ZERO and place - first > 1:
        return -1
    if place < end and data[place] == _POINT:
        first = place + 1
        place = _after_digits(data, first, end)
        if place == first:
            return -1
    if place < end and (data[place] == _SMALL_E or data[place] == _BIG_E):
        first = place + 1
        if first < end and data[first] == _MINUS:
            first += 1
        place = _after_digits(data, first, end)
        if place == first or place - first > _MAX_EXPONENT_DIGITS:
            return -1
    return place


@njit
def _after_digits(data: Any, place: int, end: int) -> int:
    while place < end and _ZERO <= data[place] <= _NINE:
        place += 1
    return place


@njit
def _small_number(data: Any, place: int, end: int) -> int:
    """The value of a number with a few digits; 0 for any other."""
    if end - place > _MAX_SIDE_DIGITS or _after_digits(data, place, end) < end:
        return 0
    value = 0
    for each in range(place, end):
        value = 10 * value + int(data[each]) - _ZERO
    return value


@njit
def _are_cells(data: Any, place: int, end: int) -> bool:
    for each in range(place, end):
        byte = data[each]
        if byte != _POINT and byte != _ZERO and byte != _ONE:
            return False
    return True


@njit
def _which(data: Any, begin: int, end: int, words: Any, lengths: Any, first: int, last: int) -> int:
    """Which of the words from `first` to before `last` this is; -1 if it is none of them."""
    for each in range(first, last):
        if lengths[each] == end - begin:
            offset = 0
            while begin + offset < end and data[begin + offset] == words[each, offset]:
                offset += 1
            if begin + offset == end:
                return each
    return -1
