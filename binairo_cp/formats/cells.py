"""The marks of cells that people use, and the boards that they can mean.

A cell is a single character, or a word such as ``-1``, ``None`` or ``1.0``. A board uses the two
symbols of one row of `SETS`; the first one is 0. Marks that can mean two boards are refused, unless
the symbols are stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

from binairo_cp.errors import FormatError
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.grids import OPEN_MARKS

Words = list[list[str]]
"""The cells of a board as they are written, row by row; an empty word is an open cell."""

SETS = (
    ("0", "1"),
    ("1", "2"),
    ("Oo", "Xx"),
    ("Ww", "Bb"),
    ("Ss", "Mm"),
    ("Rr", "Bb"),
    ("A", "B"),
    ("⭕", "❌✖"),
    ("⬜□", "⬛■"),
    ("⚪○◯", "⚫●"),
    ("🔵", "🔴"),
    ("♥♡❤", "☆★⭐"),
    ("🟦", "🟥"),
    ("☀☼🌞🌕🟡🟠🟨🟧", "🌙🌚🌛🌜🌑☽☾🔵🟦🟣🟪"),
)
"""The symbols of 0 and of 1."""

_MINUS = "-1"
"""An open cell, as in arrays of 0, 1 and -1; or 0, beside 1 and another mark for open cells."""

OPEN_SYMBOLS = "·・▫➖❔❓*"  # noqa: RUF001 (symbols that people use)
"""Symbols of open cells, besides those of the text format."""

_MAY_BE_OPEN = (("⬜□", "⬛■"), ("⚪○◯", "⚫●"))
_FULL_OR_EMPTY = ("xX", *chain.from_iterable(_MAY_BE_OPEN))
"""A board of one of these symbols only may be full or empty."""
_OPENS = frozenset(OPEN_MARKS + OPEN_SYMBOLS) | {"", _MINUS}
_MARKS = _OPENS | {*chain(*chain(*SETS))}
_UNKNOWN = (
    *("none", "null", "nil", "nan", "na", "n/a", "#n/a", "<na>", "<>", "empty", "blank", "missing"),
    *("np.nan", "math.nan", "na_integer_", "unknown", "nothing"),
)
_WORDS = {
    **dict.fromkeys(
        _UNKNOWN,
        OPEN,
    ),
    **dict.fromkeys(("-1", "-1.0", "-1."), _MINUS),
    "0.0": "0",
    "0.": "0",
    "false": "0",
    "1.0": "1",
    "1.": "1",
    "true": "1",
    "2.0": "2",
    "2.": "2",
    "sun": "☀",
    "moon": "🌙",
    "white": "W",
    "black": "B",
    "red": "R",
    "blue": "B",
    "circle": "O",
    "cross": "X",
}

BAR_MARKS = "│┃║|╎╏┆┇┊┋"
BARS = re.compile(f"[{BAR_MARKS}]")
"""What stands between cells in a drawn box."""

_BOLD = re.compile(r"(\*\*|__)([^*_])\1")
_BETWEEN = re.compile(r"[\s,;|│┃║&\"'\[\](){}\\]+")

_BLANKS = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_INVISIBLE = (*_DIRECTIONS, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xFE0E, 0xFE0F, 0x20E3)
_DASHES = (*range(0x2010, 0x2015), 0x2212)
_TO_PLAIN: dict[int, str | None] = {
    **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)},
    **dict.fromkeys(_BLANKS, " "),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_INVISIBLE),
}


def plain(text: str) -> str:
    """The text with usual blanks, dashes and digits, and without invisible characters.

    Selectors that choose between text and emoji are dropped, and full-width characters replaced.
    """
    return text if text.isascii() else text.translate(_TO_PLAIN)


def is_blank(text: str) -> bool:
    """Whether a line has nothing but blanks, of any kind. Tabs may be between open cells."""
    return "\t" not in text and not plain(text).strip()


def word(text: str) -> str | None:
    """The mark that a word stands for; None if it is not a cell."""
    bare = text.strip("\"'` ")
    if bold := _BOLD.fullmatch(bare):
        bare = bold[2]
    if len(bare) <= 1:
        return bare
    return _WORDS.get(bare.lower())


def is_mark(mark: str) -> bool:
    """Whether a character is the mark of a cell in some set of symbols."""
    return mark in _MARKS


def are_cells(text: str) -> bool:
    """Whether a text has several cells, perhaps separated or quoted, and nothing else."""
    return number_of(text) > 1 and all(
        all(map(is_mark, mark)) or (len(mark) > 1 and word(mark)) for mark in words(text)
    )


def may_be_cells(text: str) -> bool:
    """Whether a text has no words: perhaps cells, in marks that are not known."""
    has_words = re.match(r"\s*[^\W_]", text) or re.search(r"[^\W\d_]{3}", text)
    # The letters of a word such as row are marks too, but of several sets.
    are_short = all(word(part) is not None or are_marks(part) for part in words(text))
    return (are_short and number_of(text) > 1) or (len(text) > 1 and not has_words)


def number_of(text: str) -> int:
    """The number of cells in such a text."""
    return sum(1 if word(mark) is not None else len(mark) for mark in words(text))


def words(text: str) -> list[str]:
    """The words between separators."""
    return [part for part in _BETWEEN.split(plain(text)) if part]


def is_other(mark: str, cell: str) -> bool:
    """Whether a mark is the symbol of the other cell, 0 or 1."""
    sides = [{side for pair in SETS for side in pair[k]} for k in (0, 1)]
    return mark in sides[cell == "0"] - sides[cell == "1"]


def are_marks(marks: Iterable[str]) -> bool:
    """Whether there is a set of symbols that has all of these marks."""
    return bool(_alphabets(frozenset(marks)))


def stated_symbols(text: str) -> dict[str, str]:
    """The cells by their marks, from the symbols of 0, of 1 and of open cells.

    They are separated by blanks or commas, or are characters in succession: ``12.``.

    Raises:
        FormatError: there are fewer than two, or two are equal.
    """
    parts = plain(text).replace(",", " ").split()
    marks = [word(part) or part for part in parts] if len(parts) > 1 else list("".join(parts))
    if len(marks) < 2 or len(set(marks)) < len(marks):
        expected = "the symbol of 0, that of 1, and perhaps that of open cells, as in 12."
        raise FormatError(f"the symbols {text!r}", expected=expected)
    opens = dict.fromkeys((_OPENS - set(marks)) | set(marks[2:]), OPEN)
    return opens | {marks[0]: "0", marks[1]: "1"}


def boards(
    rows: Sequence[Sequence[str]], symbols: str | None = None, *, is_stated: bool = False
) -> dict[str, list[str]]:
    """The boards that marks can mean: rows of ``0``, ``1`` and ``.``, by a name of the symbols.

    Args:
        rows: the marks of the cells.
        symbols: the stated symbols, as in `stated_symbols`.
        is_stated: the format is stated, so a board of one symbol is full.
    """
    marks = frozenset(mark for row in rows for mark in row)
    if symbols is not None:
        table = stated_symbols(symbols)
        tables = {symbols: table} if marks <= table.keys() else {}
    elif not is_stated and any(marks <= set(side) for side in _FULL_OR_EMPTY):
        tables = {}
    else:
        tables = _alphabets(marks)
    found = {
        name: ["".join(table[mark] for mark in row) for row in rows]
        for name, table in tables.items()
    }
    if {"2"} <= marks <= {"1", "2"} or any(marks <= {*chain(*pair)} for pair in _MAY_BE_OPEN):
        # One of the two may be open cells.
        found = {name: board for name, board in found.items() if is_stated or is_possible(board)}
    usual, *others = found or [""]
    has_open = (marks - {_MINUS}) & _OPENS
    is_likely = others and not has_open and is_possible(found[usual])
    if is_likely and not any(is_possible(found[other]) for other in others):
        return {usual: found[usual]}
    return found


def is_possible(rows: list[str]) -> bool:
    """Whether no line has three equal cells in a row, or more of one kind than of the other."""
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    return not any(
        value * 3 in line or (len(line) % 2 == 0 and 2 * line.count(value) > len(line))
        for line in (*rows, *columns)
        for value in "01"
    )


@lru_cache(maxsize=1024)
def _alphabets(marks: frozenset[str]) -> dict[str, dict[str, str]]:
    """The cells by their marks, for each way to read the marks."""
    symbols = marks - _OPENS
    found: dict[str, dict[str, str]] = {}
    opens = (marks & _OPENS) - {_MINUS}
    # The marks of open cells are equal, so another one is between cells. Capitals may be the clues,
    # and small letters the cells of a player.
    has_cases = any(mark.swapcase() in symbols - {mark} for mark in symbols)
    if len(opens) > 1 or ("*" in marks and len(symbols) < 2) or (has_cases and "1" not in symbols):
        return {}
    if _MINUS in marks and (tables := _with_minus(symbols, opens)) is not None:
        return tables
    if symbols <= {"0", "1"}:
        return {"01": _table(SETS[0], marks)}
    if symbols <= {*"01xX"} and "1" in symbols and not opens:
        # No set has both digits and x, so x is an open cell, if nothing else is.
        found["01x"] = _table(SETS[0], marks, "xX")
    if symbols == {"0", "1", "2"} and not opens:
        found["012"], found["120"] = _table(SETS[0], marks, "2"), _table(SETS[1], marks, "0")
    for pair in SETS:
        rest = symbols - set("".join(pair))
        may_be_open = rest and not opens
        is_open = [some for some in _MAY_BE_OPEN if may_be_open and rest <= set("".join(some))]
        one_side = any(rest <= set(side) for some in is_open for side in some)
        if len(rest) < len(symbols) and (not rest or (is_open and one_side)):
            found[pair[0][0] + pair[1][0]] = _table(pair, marks, "".join(rest))
    both = {
        name: table
        for name, table in found.items()
        if {"0", "1"} <= {table[mark] for mark in symbols}
    }
    if both:
        return both
    if len(symbols) > 1:
        # Each may be the open cells of the other, or it is not clear that they are the same.
        return found if len(symbols & {*chain(*chain(*_MAY_BE_OPEN))}) > 1 else {}
    # A board with clues of one symbol only: the order of the table decides.
    return dict(list(found.items())[:1])


def _with_minus(symbols: frozenset[str], opens: frozenset[str]) -> dict[str, dict[str, str]] | None:
    """The cells of boards with -1: an open cell, or 0 if there is another mark of those; or None.

    Without another mark, 1 and -1 may be the clues. The usual reading comes first.
    """
    as_clue = {_MINUS: "0", "1": "1"}
    if opens:
        return {"-1 1": _table(SETS[0], opens) | as_clue} if symbols == {"1"} else {}
    if symbols == {"1"}:
        return {"01": {_MINUS: OPEN, "1": "1"}, "-1 1": as_clue}
    if symbols == {"0", "1"}:
        usual = {_MINUS: OPEN, "0": "0", "1": "1"}
        return {"01": usual, "-1 1 0": {**as_clue, "0": OPEN}}
    return None


def _table(symbols: tuple[str, str], marks: frozenset[str], opens: str = "") -> dict[str, str]:
    table = dict.fromkeys(marks & _OPENS | set(opens), OPEN)
    return table | {mark: cell for cell, side in zip("01", symbols, strict=True) for mark in side}
