"""Grids of other symbols, such as X and O or coloured circles, with the headers of the text format.

::

    id: first-steps
    X . O .
    . O . .

    🔴⬜⬜🔵
    ⬜🔴⬜⬜

Each grid uses the two symbols of one row of `SETS`; the first one is 0. Open cells are marked as in
the text format, or with one of `OPEN_SYMBOLS`. Beside symbols of another set, a square or circle of
a single colour is an open cell. Tabs separate cells; then an empty field is an open cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, cast

from binairo_cp.errors import FormatError, SourceError
from binairo_cp.formats import text
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.grids import OPEN_MARKS
from binairo_cp.puzzle.rules import Puzzle, Rules

SETS = (
    ("Oo", "Xx"),
    ("Ww", "Bb"),
    ("⭕", "❌"),
    ("⬜□", "⬛■"),
    ("⚪○", "⚫●"),
    ("🔵", "🔴"),
    ("🟦", "🟥"),
    ("☀🌞", "🌙🌚🌛🌜"),
)
"""The symbols of 0 and of 1."""
OPEN_SYMBOLS = "·▫➖❔❓"  # noqa: RUF001 (symbols that people use)
_MAY_BE_OPEN = (SETS[3], SETS[4])
_MARKS = frozenset(OPEN_MARKS + OPEN_SYMBOLS + " \t")
_SET_OF = {symbol: each for each in SETS for side in each for symbol in side}
_VARIANTS: dict[int, str | None] = {0xFE0E: None, 0xFE0F: None}
"""Selectors after a symbol, which choose between text and emoji."""
_MOST_LINES = MAX_SIDE + 16
"""Lines of one puzzle: the rows and headers."""


def is_row_of_symbols(line: str) -> bool:
    """Whether a line is a row of symbols, with at least one that is not an open cell."""
    marks = set(line.translate(_VARIANTS)) - _MARKS
    return bool(marks) and marks <= _SET_OF.keys()


def read(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a text, as in `text.read`.

    Raises:
        SourceError: the rest of the file can't be read.
    """
    return text.read(cast("Source", _Translated(source)), default_rules)


def write(entry: Entry) -> str:
    """Write a puzzle in the text format, with O for 0 and X for 1.

    Raises:
        FormatError: its id can't be written on one line.
    """
    cells = cast("Puzzle", entry.puzzle).board.rows
    rows = {"".join(row) for row in cells}
    lines = text.write(entry).split("\n")
    return "\n".join(line.translate(_TO_LETTERS) if line in rows else line for line in lines)


_TO_LETTERS = str.maketrans("01", "OX")


class _Translated:
    """The lines of a source with `0`, `1` and `.` in place of symbols."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = source.name

    def lines(self) -> Iterator[TextLine | None]:
        """The lines one by one; None while a pipe has no data."""
        block: list[TextLine] = []
        for line in self._source.lines():
            if line is None:
                yield None
                continue
            if len(block) > _MOST_LINES:
                raise SourceError(
                    self.name,
                    f"line {line.number}: a puzzle of more than {_MOST_LINES} lines; expected a "
                    "blank line between two puzzles",
                )
            # A line of tabs is a row without clues.
            is_end = not line.text.strip(" \r") and not line.error
            if not is_end:
                block.append(line)
                continue
            yield from self._translated(block)
            yield line
            block = []
        yield from self._translated(block)

    def _translated(self, block: list[TextLine]) -> Iterator[TextLine]:
        found = _Found.of(block)
        has_tabs = any("\t" in line.text for line in block)
        for line in block:
            if line.error or _is_header(line.text):
                yield line
                continue
            wrong = next((mark for mark in _marks(line.text) if mark in found.unclear), None)
            if wrong:
                yield replace(line, error=self._error(line, wrong, found))
            else:
                row = _fields(line.text) if has_tabs else line.text
                yield replace(line, text=row.translate(found.table))

    def _error(self, line: TextLine, wrong: str, found: _Found) -> FormatError:
        return FormatError(
            f"{wrong!r} beside {found.chosen}: it is not clear which symbols are equal",
            source=self.name,
            line=line.number,
            column=line.text.index(wrong) + 1,
            expected="two kinds of symbols, and '.' for an open cell",
        )


class _Found(NamedTuple):
    """The symbols of a grid.

    Attributes:
        table: translates symbols to cells.
        chosen: the symbols that are 0 and 1, for messages.
        unclear: symbols that have no meaning beside them.
    """

    table: dict[int, str | None]
    chosen: str
    unclear: frozenset[str]

    @classmethod
    def of(cls, block: list[TextLine]) -> _Found:
        marks = {mark for line in block if not _is_header(line.text) for mark in _marks(line.text)}
        sets = [each for each in SETS if marks & set("".join(each))]
        is_open = [each for each in sets if each in _MAY_BE_OPEN and not _has_both(each, marks)]
        if len(sets) == 2 and len(is_open) == 1:
            sets.remove(is_open[0])
        else:
            is_open = []
        table: dict[int, str | None] = dict.fromkeys(map(ord, OPEN_SYMBOLS), ".")
        table |= dict.fromkeys((ord(mark) for each in is_open for mark in "".join(each)), ".")
        chosen = sets[0] if sets else SETS[0]
        for cell, symbols in zip("01", chosen, strict=True):
            table |= dict.fromkeys(map(ord, symbols), cell)
        others = {mark for each in sets[1:] for mark in "".join(each)}
        if sets:
            others |= set("01")
        return cls(table | _VARIANTS, " and ".join(each[0] for each in chosen), frozenset(others))


def _has_both(each: tuple[str, str], marks: set[str]) -> bool:
    return all(marks & set(side) for side in each)


def _marks(line: str) -> str:
    return line.partition("#")[0]


def _is_header(line: str) -> bool:
    return ":" in line.partition("#")[0]


def _fields(line: str) -> str:
    return "".join(field.strip() or "." for field in line.split("\t"))
