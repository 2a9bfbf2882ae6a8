"""Where a person stands: the puzzle with what was found out so far, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from binairo_cp.deduction.strip import Signs, Strip, too_long
from binairo_cp.puzzle.board import OPEN, Board, Cell, Direction
from binairo_cp.puzzle.rules import Puzzle

Values = dict[Cell, str]
"""Values for cells."""


@dataclass(frozen=True, slots=True)
class PlacedStrip:
    """A line with its place on the board."""

    direction: Direction
    number: int
    strip: Strip

    def cell(self, place: int) -> Cell:
        """The cell at a place of the line."""
        return Cell(self.number, place) if self.direction == "row" else Cell(place, self.number)

    def __str__(self) -> str:
        return f"{self.direction} {self.number + 1}"


class Position:
    """A puzzle and a board on which more of it is known.

    Args:
        puzzle: the puzzle; its clues need not be on the board.
        board: what is known.
    """

    def __init__(self, puzzle: Puzzle, board: Board) -> None:
        self.puzzle = puzzle
        self.board = board
        self._signs = _signs_along(puzzle)
        self._lines = [
            PlacedStrip(
                line.direction,
                line.number,
                Strip(
                    line.values, self._signs.get((line.direction, line.number), ()), puzzle.rules
                ),
            )
            for line in board.lines()
        ]

    @property
    def lines(self) -> list[PlacedStrip]:
        """All rows, then all columns."""
        return self._lines

    def with_values(self, values: Values) -> Position:
        """The position after some open cells were filled."""
        cells = list(self.board.cells)
        height = self.board.height
        changed: dict[int, list[str]] = {}
        for cell, value in values.items():
            cells[self.board.place(cell)] = value
            for line, place in ((cell.row, cell.column), (height + cell.column, cell.row)):
                known = changed.setdefault(line, list(self._lines[line].strip.values))
                known[place] = value
        after = object.__new__(Position)
        after.puzzle, after._signs = self.puzzle, self._signs
        after.board = Board(height, self.board.width, "".join(cells))
        after._lines = list(self._lines)
        for line, texts in changed.items():
            old = self._lines[line]
            strip = Strip("".join(texts), old.strip.signs, old.strip.rules)
            after._lines[line] = PlacedStrip(old.direction, old.number, strip)
        return after

    def full_lines(self, beside: PlacedStrip) -> tuple[tuple[int, str], ...]:
        """The other full lines of a direction, which a line must not be like, with numbers."""
        if not self.puzzle.rules.distinct_lines:
            return ()
        return tuple(
            (each.number, each.strip.values)
            for each in self._lines
            if each.direction == beside.direction
            and each.number != beside.number
            and OPEN not in each.strip.values
        )

    def faults(self, numbers: Iterable[int] | None = None) -> Iterator[str]:
        """What contradicts the rules in some lines, in words; the first is the simplest to see."""
        asked = self._lines if numbers is None else [self._lines[number] for number in numbers]
        for line in asked:
            for fault in _faults_of(line.strip):
                yield f"{line} {fault}"
        for line in asked:
            if OPEN not in line.strip.values:
                for number, values in self.full_lines(line):
                    if values == line.strip.values:
                        first, second = sorted((line.number + 1, number + 1))
                        yield f"{line.direction}s {first} and {second} would be the same"

    def numbers_of(self, cells: Iterable[Cell]) -> list[int]:
        """The numbers in `lines` of those that some cells are in."""
        height = self.board.height
        return sorted({line for cell in cells for line in (cell.row, height + cell.column)})


@lru_cache(maxsize=1 << 16)
def _faults_of(strip: Strip) -> tuple[str, ...]:
    return tuple(_found_faults(strip))


def _found_faults(strip: Strip) -> Iterator[str]:
    for symbol in "01":
        if too_long(strip.values, symbol, strip.rules.longest_run):
            yield f"would have too many {symbol}s side by side"
        if strip.missing(symbol) < 0:
            yield f"would have more than its {strip.most(symbol)} {symbol}s"
    for first, relation in strip.signs:
        one, two = strip.values[first], strip.values[first + 1]
        if OPEN not in (one, two) and (one == two) != (relation == "="):
            yield f"would break its sign {relation}"


def _signs_along(puzzle: Puzzle) -> dict[tuple[str, int], Signs]:
    found: dict[tuple[str, int], Signs] = {}
    for sign in puzzle.signs:
        along = ("row", sign.row) if sign.direction == "R" else ("column", sign.column)
        place = sign.column if sign.direction == "R" else sign.row
        found[along] = (*found.get(along, ()), (place, sign.relation))
    return {line: tuple(sorted(signs)) for line, signs in found.items()}
