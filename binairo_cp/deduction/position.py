"""Positions: a puzzle and the cells known so far, line by line, and the rules that they break."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from binairo_cp.deduction.strip import Signs, Strip, opposite, too_long
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.deduction.wording import Cells, LineNames, Number, Phrase, Symbol, Term
from binairo_cp.puzzle.board import OPEN, Board, Cell, Direction
from binairo_cp.puzzle.rules import Puzzle, RuleName

FaultKind = Literal["run", "count", "totals.rows", "totals.columns", "sign", "identical", "lemma"]

RULES: dict[FaultKind, RuleName | Literal["lemma"]] = {
    "run": "no triple",
    "count": "balance",
    "totals.rows": "balance",
    "totals.columns": "balance",
    "sign": "sign",
    "identical": "distinct lines",
    "lemma": "lemma",
}
"""The rule that each kind of fault breaks."""

Values = dict[Cell, str]
"""Values of cells."""


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A broken rule.

    Attributes:
        kind: Which rule is broken, and the name of its sentence in `messages.TEMPLATES`.
        lines: The line that breaks it, or the two lines that are the same; none if it is about the
            whole board.
        cells: The cells that break it.
        symbol: The symbol that there is too much of, or the relation of the sign.
        most: How many of it there may be; or how many of the cells a lemma is about, the first.
        least: How many of it the rows or the columns need, more than the others have room for.
        lemma: The number of the lemma that does not hold.
        style: How its sentence is written.
    """

    kind: FaultKind
    lines: tuple[str, ...]
    cells: tuple[Cell, ...]
    symbol: str = ""
    most: int = 0
    least: int = 0
    lemma: int | None = None
    style: Style = field(default=USUAL, compare=False)

    @property
    def fields(self) -> dict[str, Term | str]:
        """The fields of its sentences."""
        return {
            "line": LineNames(self.lines[:1], "broken"),
            "lines": LineNames(self.lines, "lines"),
            "number": Number(len(self.cells)),
            "broken": Symbol(self.symbol),
            "relation": self.symbol.replace("x", "\u00d7"),
            "most": Number(self.most),
            "least": Number(self.least),
            "broken_cells": Cells(self.cells),
            "excluded": Cells(self.cells[: self.most]),
            "lemma": str(self.lemma),
        }

    @property
    def sentence(self) -> str:
        """What is wrong."""
        return Phrase((self.kind,), self.fields).sentence(self.style)

    @property
    def mistake(self) -> Phrase:
        """The same about a board that somebody fills."""
        return Phrase((f"mistake.{self.kind}",), self.fields)

    @property
    def rule(self) -> str:
        """The rule as records name it."""
        return RULES[self.kind]


@dataclass(frozen=True, slots=True)
class PlacedStrip:
    """A line and its place on the board."""

    direction: Direction
    number: int
    strip: Strip

    def cell(self, place: int) -> Cell:
        """Return the cell at a place of the line."""
        return Cell(self.number, place) if self.direction == "row" else Cell(place, self.number)

    def place(self, cell: Cell) -> int:
        """Return the place of one of its cells."""
        return cell.column if self.direction == "row" else cell.row

    def __str__(self) -> str:
        return f"{self.direction} {self.number + 1}"


class Position:
    """A puzzle and a partly filled board.

    Attributes:
        lines: All rows, followed by all columns.

    Args:
        puzzle: The puzzle. Its clues need not be on the board.
        board: The cells known so far.
    """

    def __init__(self, puzzle: Puzzle, board: Board) -> None:
        self.puzzle = puzzle
        self.board = board
        signs = _signs_along(puzzle)
        self.lines = [
            PlacedStrip(way, number, Strip(values, signs.get((way, number), ()), puzzle.rules))
            for way, number, values in board.lines()
        ]

    def with_values(self, values: Values) -> Position:
        """Return the position after filling some open cells."""
        cells = list(self.board.cells)
        height = self.board.height
        changed: dict[int, list[str]] = {}
        for cell, value in values.items():
            cells[self.board.place(cell)] = value
            for line, place in ((cell.row, cell.column), (height + cell.column, cell.row)):
                known = changed.setdefault(line, list(self.lines[line].strip.values))
                known[place] = value
        after = object.__new__(Position)
        after.puzzle, after.lines = self.puzzle, list(self.lines)
        after.board = Board(height, self.board.width, "".join(cells))
        for line, symbols in changed.items():
            old = self.lines[line]
            strip = Strip("".join(symbols), old.strip.signs, old.strip.rules)
            after.lines[line] = PlacedStrip(old.direction, old.number, strip)
        return after

    def full_lines(self, line: PlacedStrip) -> tuple[tuple[int, str], ...]:
        """The numbers and values of the full lines that a line must differ from."""
        if not self.puzzle.rules.distinct_lines:
            return ()
        return tuple(
            (one.number, one.strip.values)
            for one in self.lines
            if one.direction == line.direction
            and one.number != line.number
            and OPEN not in one.strip.values
        )

    def faults(self, numbers: Iterable[int] | None = None) -> Iterator[BrokenRule]:
        """Yield the broken rules in some lines, or in all; the easiest to see comes first."""
        lines = self.lines if numbers is None else [self.lines[number] for number in numbers]
        for line in lines:
            for kind, places, symbol, most in _faults_of(line.strip):
                yield BrokenRule(kind, (str(line),), tuple(map(line.cell, places)), symbol, most)
        for line in lines:
            for number, values in self.full_lines(line) if OPEN not in line.strip.values else ():
                if values == line.strip.values:
                    ordered = sorted((line.number, number))
                    both = [PlacedStrip(line.direction, k, line.strip) for k in ordered]
                    cells = (one.cell(place) for one in both for place in range(len(values)))
                    yield BrokenRule("identical", tuple(map(str, both)), tuple(cells))

    def unequal_totals(self) -> BrokenRule | None:
        """That the rows need more ones than the columns have room for, or the reverse."""
        rows, columns = self.lines[: self.board.height], self.lines[self.board.height :]
        return _unequal("totals.rows", rows, columns) or _unequal("totals.columns", columns, rows)

    def numbers_of(self, cells: Iterable[Cell]) -> list[int]:
        """The numbers, in `lines`, of the lines through some cells."""
        height = self.board.height
        return sorted({line for cell in cells for line in (cell.row, height + cell.column)})


def _unequal(
    kind: FaultKind, lines: list[PlacedStrip], others: list[PlacedStrip]
) -> BrokenRule | None:
    least = sum(line.strip.bounds_of_ones[0] for line in lines)
    most = sum(line.strip.bounds_of_ones[1] for line in others)
    if least <= most:
        return None
    # The cells that narrow what the rule of balance alone says about their lines.
    cells = dict.fromkeys(
        line.cell(place)
        for symbol, some in (("1", lines), ("0", others))
        for line in some
        if line.strip.missing(opposite(symbol)) > len(line.strip.open_places)
        for place in line.strip.places(symbol)
    )
    return BrokenRule(kind, (), tuple(cells), "1", most, least)


_StripFault = tuple[FaultKind, tuple[int, ...], str, int]
"""The kind of a fault, its places, its symbol, and how many are allowed."""


@lru_cache(maxsize=1 << 16)
def _faults_of(strip: Strip) -> list[_StripFault]:
    longest, faults = strip.rules.longest_run, list[_StripFault]()
    for symbol in "01":
        if run := too_long(strip.values, symbol, longest):
            faults.append(("run", run, symbol, longest))
        if strip.missing(symbol) < 0:
            faults.append(("count", strip.places(symbol), symbol, strip.most(symbol)))
    for first, relation in strip.signs:
        one, two = strip.values[first], strip.values[first + 1]
        if OPEN not in (one, two) and (one == two) != (relation == "="):
            faults.append(("sign", (first, first + 1), relation, 0))
    return faults


def _signs_along(puzzle: Puzzle) -> dict[tuple[str, int], Signs]:
    signs_along: dict[tuple[str, int], Signs] = {}
    for sign in puzzle.signs:
        along = ("row", sign.row) if sign.direction == "R" else ("column", sign.column)
        place = sign.column if sign.direction == "R" else sign.row
        signs_along[along] = (*signs_along.get(along, ()), (place, sign.relation))
    return {line: tuple(sorted(signs)) for line, signs in signs_along.items()}
