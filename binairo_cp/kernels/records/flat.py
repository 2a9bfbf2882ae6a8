"""Find the puzzles in lines of flat JSON records.

A flat record has only numbers, words, and strings of printable ASCII without escapes; its list of
signs is empty. All other records are left to a complete parser.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.records.slices import is_no_cell
from binairo_cp.kernels.words import Index

_HEIGHT, _WIDTH, _CLUES, _ID, _RULES, _DISTINCT_LINES, _SIGNS, _TRUE, _FALSE, _NULL = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9
)  # fmt: skip
"""The first of the known words: the names of fields, and those of values."""

FIRST_PRESET = 10
"""The first of the known words that are presets of rules."""

FIRST_OF_PRESET = 3
"""The rules of the first preset in `Records.rules`. Before it are those by the field
`distinct_lines`: absent, true, false."""

_NEEDED = 1 << _HEIGHT | 1 << _WIDTH | 1 << _CLUES

_STRING, _NUMBER, _EMPTY_LIST = -3, -2, -1
"""Kinds of values. A known word is its number."""

_QUOTE, _BACKSLASH, _COMMA, _COLON, _MINUS, _POINT = 34, 92, 44, 58, 45, 46
_BLANK, _TAB, _RETURN, _TILDE, _ZERO, _NINE = 32, 9, 13, 126, 48, 57
_OPEN_BRACE, _CLOSE_BRACE, _OPEN_BRACKET, _CLOSE_BRACKET = 123, 125, 91, 93
_SMALL_A, _SMALL_Z, _SMALL_E, _BIG_E = 97, 122, 101, 69

_TOGETHER = 16
"""So many bytes of a string are compared at once."""

_MAX_ID_DIGITS = 18
_MAX_SIDE_DIGITS = 3
_MAX_EXPONENT_DIGITS = 2


@cython.final
@cython.cclass
class Records:
    """Lines with records, and what is found in each of them."""

    data: cython.const[cython.uchar][::1]  # the bytes of all lines
    # The known words, one in each row, in the order of `_HEIGHT` to `FIRST_PRESET`.
    words: cython.const[cython.uchar][:, ::1]
    word_lengths: cython.const[cython.longlong][::1]  # their lengths
    # The heights of the boards; 0 for lines that are left to another parser.
    heights: cython.longlong[::1]
    widths: cython.longlong[::1]  # their widths
    cells: cython.longlong[::1]  # where the cells begin
    sizes: cython.longlong[::1]  # the numbers of cells
    ids: cython.longlong[::1]  # where the ids begin
    id_lengths: cython.longlong[::1]  # the lengths of the ids
    rules: cython.longlong[::1]  # as `FIRST_OF_PRESET` says

    def __init__(
        self,
        data: cython.const[cython.uchar][::1],
        words: cython.const[cython.uchar][:, ::1],
        word_lengths: cython.const[cython.longlong][::1],
        heights: cython.longlong[::1],
        widths: cython.longlong[::1],
        cells: cython.longlong[::1],
        sizes: cython.longlong[::1],
        ids: cython.longlong[::1],
        id_lengths: cython.longlong[::1],
        rules: cython.longlong[::1],
    ) -> None:
        number: Index = len(heights)
        if len(widths) != number or len(cells) != number or len(sizes) != number:
            raise ValueError("the arrays of heights, widths, cells and sizes differ in length")
        if len(ids) != number or len(id_lengths) != number or len(rules) != number:
            raise ValueError("the arrays of heights, ids and rules differ in length")
        if words.shape[0] != len(word_lengths) or words.shape[0] < FIRST_PRESET:
            raise ValueError("the words and their lengths differ in number")
        for k in range(words.shape[0]):
            if not 0 <= word_lengths[k] <= words.shape[1]:
                raise ValueError(f"word {k} is longer than its row")
        self.data, self.words, self.word_lengths = data, words, word_lengths
        self.heights, self.widths, self.cells, self.sizes = heights, widths, cells, sizes
        self.ids, self.id_lengths, self.rules = ids, id_lengths, rules


def find(
    records: Records,
    starts: cython.const[cython.longlong][::1],
    ends: cython.const[cython.longlong][::1],
    longest: Index,
) -> None:
    """Find the puzzles in lines.

    Args:
        records: receives them; its arrays are 0.
        starts: where each line begins.
        ends: where each line ends, before its line feed.
        longest: longer lines are left to another parser.

    Raises:
        ValueError: there are more or fewer lines than places, or a line is not within the data.
    """
    number: Index = len(starts)
    size: Index = len(records.data)
    if len(ends) != number or len(records.heights) != number:
        raise ValueError("the starts and ends of lines and their records differ in number")
    for k in range(number):
        if not 0 <= starts[k] <= ends[k] <= size:
            raise ValueError(f"line {k} is not within the data")
    last: Index = 0
    length: Index = -1
    with cython.nogil:
        for k in range(number):
            start: Index = starts[k]
            end: Index = ends[k]
            is_short: cython.bint = end - start <= longest
            if end > start and records.data[end - 1] == _RETURN:
                end -= 1
            is_like_last: cython.bint = end - start == length and _is_like_last(
                records, last, start, length, k
            )
            is_puzzle: cython.bint = is_like_last or _is_puzzle(records, start, end, k)
            if not (is_short and is_puzzle):
                records.heights[k] = 0
            last, length = start, end - start


@cython.nogil_noexcept
def _is_like_last(
    records: Records, last: Index, start: Index, length: Index, k: Index
) -> cython.bint:
    """Store a record that differs from the last one only in its cells and its id, as most do.

    Both have the same length. `last` and `start` are where they begin.
    """
    if records.heights[k - 1] == 0:
        return False
    shift: Index = start - last
    cells: Index = records.cells[k - 1]
    end_of_cells: Index = cells + records.sizes[k - 1]
    # Without an id, it is as if it were empty and at the end of the cells.
    id: Index = end_of_cells
    end_of_id: Index = end_of_cells
    if records.id_lengths[k - 1]:
        id = records.ids[k - 1]
        end_of_id = id + records.id_lengths[k - 1]
    # Either may be first; they don't overlap.
    if not (
        _are_equal(records, last, min(cells, id), shift)
        and _are_equal(records, min(end_of_cells, end_of_id), max(cells, id), shift)
        and _are_equal(records, max(end_of_cells, end_of_id), last + length, shift)
        and _are_cells(records, cells + shift, end_of_cells + shift)
    ):
        return False
    if id < end_of_id:
        is_string: Index = records.data[id - 1] == _QUOTE
        begin: Index = id + shift - is_string
        kind, stop = _value(records, begin, start + length)
        if stop != end_of_id + shift + is_string or not _store_id(records, begin, stop, kind, k):
            return False
    records.cells[k], records.sizes[k] = cells + shift, end_of_cells - cells
    records.heights[k], records.widths[k] = records.heights[k - 1], records.widths[k - 1]
    records.rules[k] = records.rules[k - 1]
    return True


@cython.inline_nogil_noexcept
def _are_equal(records: Records, begin: Index, end: Index, shift: Index) -> cython.bint:
    """Whether some bytes are equal to those so much further on."""
    different: cython.uchar = 0
    for place in range(begin, end):
        different |= records.data[place] ^ records.data[place + shift]
    return different == 0


@cython.nogil_noexcept
def _is_puzzle(records: Records, place: Index, end: Index, k: Index) -> cython.bint:
    """Parse a record; every byte is compared with what may stand there."""
    place = _after_blanks(records, place, end)
    if place == end or records.data[place] != _OPEN_BRACE:
        return False
    seen: Index = 0
    while place < end and records.data[place] != _CLOSE_BRACE:
        # At the opening brace, or at the comma after a field.
        key, begin = _key(records, _after_blanks(records, place + 1, end), end)
        kind, stop = _value(records, begin, end)
        if stop < 0:
            return False
        if key >= 0:
            is_new: cython.bint = not seen >> key & 1
            seen |= 1 << key
            if not (is_new and _store(records, begin, stop, key, kind, k)):
                return False
        place = _after_blanks(records, stop, end)
        if place < end and records.data[place] != _COMMA and records.data[place] != _CLOSE_BRACE:
            return False
    is_whole: cython.bint = place < end and _after_blanks(records, place + 1, end) == end
    has_all: cython.bint = seen & _NEEDED == _NEEDED
    if not (is_whole and has_all):
        return False
    return records.sizes[k] == records.heights[k] * records.widths[k]


@cython.nogil_noexcept
def _key(records: Records, place: Index, end: Index) -> tuple[Index, Index]:
    """Which field the key is, -1 for others; where its value begins, or the end on a fault."""
    if place == end or records.data[place] != _QUOTE:
        return -1, end
    stop = _end_of_string(records, place + 1, end)
    if stop < 0:
        return -1, end
    key = _which(records, place + 1, stop, 0, _SIGNS + 1)
    place = _after_blanks(records, stop + 1, end)
    if place == end or records.data[place] != _COLON:
        return -1, end
    return key, _after_blanks(records, place + 1, end)


@cython.nogil_noexcept
def _value(records: Records, begin: Index, end: Index) -> tuple[Index, Index]:
    """The kind of a value, or which word it is, and its end; -1 if it is not simple."""
    if begin == end:
        return 0, -1
    byte: Index = records.data[begin]
    if byte == _QUOTE:
        stop = _end_of_string(records, begin + 1, end)
        return _STRING, stop + 1 if stop >= 0 else -1
    if byte == _MINUS or _ZERO <= byte <= _NINE:
        return _NUMBER, _end_of_number(records, begin, end)
    if byte == _OPEN_BRACKET:
        stop = _after_blanks(records, begin + 1, end)
        is_empty: cython.bint = stop < end and records.data[stop] == _CLOSE_BRACKET
        return _EMPTY_LIST, stop + 1 if is_empty else -1
    stop = begin
    while stop < end and _SMALL_A <= records.data[stop] <= _SMALL_Z:
        stop += 1
    word = _which(records, begin, stop, _TRUE, _NULL + 1)
    return word, stop if word >= 0 else -1


@cython.nogil_noexcept
def _store(
    records: Records, begin: Index, stop: Index, key: Index, kind: Index, k: Index
) -> cython.bint:
    """Store the value of a known field; False if it has another type, or is not allowed.

    It is from `begin` to before `stop`; `kind` is its kind, or which word it is.
    """
    if key in (_HEIGHT, _WIDTH):
        side: Index = _small_number(records, begin, stop) if kind == _NUMBER else 0
        if key == _HEIGHT:
            records.heights[k] = side
        else:
            records.widths[k] = side
        return side > 0
    if key == _CLUES:
        records.cells[k], records.sizes[k] = begin + 1, stop - begin - 2
        return kind == _STRING and _are_cells(records, begin + 1, stop - 1)
    if key == _ID:
        return _store_id(records, begin, stop, kind, k)
    if key == _RULES:
        if kind == _STRING:
            preset = _which(records, begin + 1, stop - 1, FIRST_PRESET, records.words.shape[0])
            if preset >= 0:
                records.rules[k] = preset - FIRST_PRESET + FIRST_OF_PRESET
            return preset >= 0
        return kind == _NULL
    if key == _DISTINCT_LINES:
        if records.rules[k] == 0 and kind != _NULL:
            records.rules[k] = 1 + (kind == _FALSE)
        return kind in (_TRUE, _FALSE, _NULL)
    return kind == _EMPTY_LIST


@cython.nogil_noexcept
def _store_id(records: Records, begin: Index, stop: Index, kind: Index, k: Index) -> cython.bint:
    if kind == _STRING:
        begin, stop = begin + 1, stop - 1
        if begin < stop and (records.data[begin] == _BLANK or records.data[stop - 1] == _BLANK):
            return False
    elif kind == _NUMBER:
        if stop - begin > _MAX_ID_DIGITS or _after_digits(records, begin, stop) < stop:
            return False
    else:
        stop = begin
    records.ids[k], records.id_lengths[k] = begin, stop - begin
    return kind in (_STRING, _NUMBER, _NULL)


@cython.nogil_noexcept
def _after_blanks(records: Records, place: Index, end: Index) -> Index:
    while place < end and (records.data[place] == _BLANK or records.data[place] == _TAB):
        place += 1
    return place


@cython.nogil_noexcept
def _end_of_string(records: Records, place: Index, end: Index) -> Index:
    """The place of the closing quote; -1 if there is none before another special byte."""
    # Without a branch in the inner loop, compilers treat many bytes at once.
    any_special: cython.uchar = 0
    while end - place >= _TOGETHER:
        for offset in range(_TOGETHER):
            each: cython.uchar = records.data[place + offset]
            any_special |= (each < _BLANK) | (each > _TILDE) | (each == _QUOTE)
            any_special |= each == _BACKSLASH
        if any_special:
            break
        place += _TOGETHER
    while place < end:
        byte: Index = records.data[place]
        if byte == _QUOTE:
            return place
        if byte < _BLANK or byte > _TILDE or byte == _BACKSLASH:
            return -1
        place += 1
    return -1


@cython.nogil_noexcept
def _end_of_number(records: Records, place: Index, end: Index) -> Index:
    """The end of a number; -1 if it is invalid, or may be too large."""
    if records.data[place] == _MINUS:
        place += 1
    first = place
    place = _after_digits(records, place, end)
    if place == first or place - first > _MAX_ID_DIGITS:
        return -1
    if records.data[first] == _ZERO and place - first > 1:
        return -1
    if place < end and records.data[place] == _POINT:
        first = place + 1
        place = _after_digits(records, first, end)
        if place == first:
            return -1
    if place < end and (records.data[place] == _SMALL_E or records.data[place] == _BIG_E):
        first = place + 1
        if first < end and records.data[first] == _MINUS:
            first += 1
        place = _after_digits(records, first, end)
        if place == first or place - first > _MAX_EXPONENT_DIGITS:
            return -1
    return place


@cython.nogil_noexcept
def _after_digits(records: Records, place: Index, end: Index) -> Index:
    while place < end and _ZERO <= records.data[place] <= _NINE:
        place += 1
    return place


@cython.nogil_noexcept
def _small_number(records: Records, place: Index, end: Index) -> Index:
    """The value of a number with a few digits; 0 for any other."""
    if end - place > _MAX_SIDE_DIGITS or _after_digits(records, place, end) < end:
        return 0
    value: Index = 0
    for each in range(place, end):
        value = 10 * value + records.data[each] - _ZERO
    return value


@cython.nogil_noexcept
def _are_cells(records: Records, place: Index, end: Index) -> cython.bint:
    any_other: cython.uchar = 0
    for each in range(place, end):
        byte: cython.uchar = records.data[each]
        any_other |= is_no_cell(byte)
    return any_other == 0


@cython.nogil_noexcept
def _which(
    records: Records, begin: Index, end: Index, first_word: Index, last_word: Index
) -> Index:
    """Which of the words from `first_word` to before `last_word` this is; -1 for none of them."""
    for each in range(first_word, last_word):
        if records.word_lengths[each] == end - begin:
            offset: Index = 0
            while (
                begin + offset < end and records.data[begin + offset] == records.words[each, offset]
            ):
                offset += 1
            if begin + offset == end:
                return each
    return -1
