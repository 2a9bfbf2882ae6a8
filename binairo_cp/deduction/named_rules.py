"""The rules of a puzzle, each constraint with a name, and which of them a full board breaks.

Sets of cells and sets of rules are integers, with a bit for each member.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from binairo_cp.deduction.position import FaultKind, rule_record
from binairo_cp.deduction.small_hitting_sets import bits, each_bit, union
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.deduction.wording import Cells, LineNames, Number, Phrase
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import (
    Balanced,
    Clue,
    Constraint,
    Distinct,
    NotAllSame,
    Places,
    Related,
    column_places,
    constraints,
    row_places,
)

_DIRECTIONS = ("row", "column")

_Part = tuple[int, int, frozenset[int]]
"""A rule as a set, its cells, and the numbers of ones in them that keep it."""


@dataclass(frozen=True, slots=True)
class NamedRule:
    """One constraint of a puzzle.

    Attributes:
        kind: Which rule it belongs to.
        lines: The line that it is about, or the two lines that must differ.
        cells: The cells that it is about, without those of whole lines.
        phrase: What it says.
        style: How its sentence is written.
    """

    kind: FaultKind
    lines: tuple[str, ...]
    cells: tuple[Cell, ...]
    phrase: Phrase = field(hash=False, repr=False)
    style: Style = field(default=USUAL, compare=False, repr=False)

    @property
    def sentence(self) -> str:
        """What it says."""
        return self.phrase.sentence(self.style)

    def to_dict(self) -> dict[str, Any]:
        """An element of ``support.constraints`` of a step in a result record."""
        return rule_record(self.kind, self.lines, self.cells, self.sentence)


class RuleTable:
    """The rules of a puzzle by number.

    The rule that two lines differ gets a number when a board first breaks it.

    Args:
        puzzle: The puzzle. Its clues don't matter.
        solution: A board that keeps all rules.

    Attributes:
        solution: That board: a bit for each 1.
    """

    def __init__(self, puzzle: Puzzle, solution: Board) -> None:
        board = puzzle.board
        self.solution = bits(place for place, value in enumerate(solution.cells) if value == "1")
        self.number_of_cells = len(board.cells)
        self._board, self._distinct = board, puzzle.rules.distinct_lines
        self._lines = (row_places(board), column_places(board))
        self._values = [
            [
                bits(k for k, place in enumerate(line) if self.solution >> place & 1)
                for line in lines
            ]
            for lines in self._lines
        ]
        kept = (each for each in constraints(puzzle) if not isinstance(each, Clue | Distinct))
        self._constraints: list[Constraint] = [*kept]
        self._masks = [bits(_places(each)) for each in self._constraints]
        self._parts = [
            (1 << number, mask, _allowed_ones(constraint))
            for number, (mask, constraint) in enumerate(
                zip(self._masks, self._constraints, strict=True)
            )
        ]
        parts_of: list[list[_Part]] = [[] for _ in board.cells]
        for part in self._parts:
            for place in each_bit(part[1]):
                parts_of[place].append(part)
        self._of_cell = [(union(bit for bit, *_ in parts), parts) for parts in parts_of]
        self._number_of_pair: dict[tuple[int, int, int], int] = {}
        self._pairs = [[0] * len(lines) for lines in self._lines]
        self._names: dict[int, NamedRule] = {}

    def __getitem__(self, number: int) -> NamedRule:
        """The rule with a number, with its name."""
        if number not in self._names:
            self._names[number] = _named(self._constraints[number], self._board)
        return self._names[number]

    def __len__(self) -> int:
        """The number of rules with a number so far."""
        return len(self._constraints)

    def constraint(self, number: int) -> Constraint:
        return self._constraints[number]

    def line_numbers(self, place: int) -> tuple[int, int]:
        """The row and the column of a cell."""
        return divmod(place, self._board.width)

    def values_of_solution(self) -> tuple[list[int], list[int]]:
        """The values of the rows and of the columns of the solution."""
        rows, columns = self._values
        return [*rows], [*columns]

    def about(self, lines: Container[str]) -> Iterator[int]:
        """The numbers of the rules about cells of some lines, also those about pairs of them."""
        chosen = [
            [number for number in range(len(each)) if f"{direction} {number + 1}" in lines]
            for direction, each in zip(_DIRECTIONS, self._lines, strict=True)
        ]
        cells = bits(
            {
                place
                for each, numbers in zip(self._lines, chosen, strict=True)
                for number in numbers
                for place in each[number]
            }
        )
        for number, mask in enumerate(self._masks):
            if mask & cells == mask:
                yield number
        for direction, numbers in enumerate(chosen if self._distinct else ()):
            for one, other in combinations(numbers, 2):
                yield self._pair(direction, one, other)

    def broken(self, ones: int, places: list[int]) -> int:
        """The rules that a board breaks, without those about two lines. `ones` has a bit for each
        1; `places` are the cells that differ from the solution.
        """
        parts: Iterable[_Part] = self._parts
        if len(places) * 8 < len(self._parts):
            parts = {part for place in places for part in self._of_cell[place][1]}
        return union(bit for bit, mask, kept in parts if (ones & mask).bit_count() not in kept)

    @property
    def runs(self) -> int:
        """The rules about neighbours that must not all be the same."""
        constraints = enumerate(self._constraints)
        return bits(number for number, each in constraints if isinstance(each, NotAllSame))

    def cells_of(self, element: int) -> int:
        """The cells of a rule or known cell, given as a set with this one element."""
        if not element >> self.number_of_cells:
            return element
        return bits(_places(self._constraints[element.bit_length() - 1 - self.number_of_cells]))

    def of_cell(self, place: int) -> tuple[int, list[_Part]]:
        """The rules about a cell, without those about two lines: as a set, and one by one."""
        return self._of_cell[place]

    def equal(self, direction: int, number: int, values: list[int]) -> int:
        """The broken rules about one row (direction 0) or column (1), from the values of all."""
        if not self._distinct:
            return 0
        others = (k for k, each in enumerate(values) if k != number and each == values[number])
        return bits(self._pair(direction, min(number, k), max(number, k)) for k in others)

    def pairs_with(self, direction: int, number: int) -> int:
        """The numbered rules about one line and another."""
        return self._pairs[direction][number]

    def _pair(self, direction: int, one: int, other: int) -> int:
        """The number of the rule that two lines differ."""
        key = direction, one, other
        if key not in self._number_of_pair:
            number = self._number_of_pair[key] = len(self._constraints)
            lines = self._lines[direction]
            self._constraints.append(Distinct((lines[one], lines[other])))
            for line in (one, other):
                self._pairs[direction][line] |= 1 << number
        return self._number_of_pair[key]


def _places(constraint: Constraint) -> Places:
    match constraint:
        case NotAllSame(places) | Balanced(places):
            return places
        case Related(first, second):
            return first, second
        case Distinct((one, other)):
            return *one, *other
    raise TypeError(f"{type(constraint).__name__} has no places")


def _allowed_ones(constraint: Constraint) -> frozenset[int]:
    """The numbers of ones that keep a constraint about some cells."""
    match constraint:
        case NotAllSame(places):
            return frozenset(range(1, len(places)))
        case Balanced(places, surplus):
            return frozenset((len(places) + each) // 2 for each in surplus)
        case Related(equal=equal):
            return frozenset((0, 2) if equal else (1,))
    raise TypeError(f"{type(constraint).__name__} has no places")


def _named(constraint: Constraint, board: Board) -> NamedRule:
    """The name of a constraint."""
    match constraint:
        case NotAllSame(places):
            first, last = board.cell(places[0]), board.cell(places[-1])
            cells = tuple(map(board.cell, places))
            phrase = Phrase(
                ("rule.run",),
                {"first": Cells((first,)), "last": Cells((last,)), "number": Number(len(cells))},
            )
            return NamedRule("run", (_line(cells),), cells, phrase)
        case Balanced(places):
            line = _whole_line(places, board)
            ones = sorted(_allowed_ones(constraint))
            return NamedRule("count", (line,), (), _count_phrase(line, len(places), ones))
        case Related(first, second, equal):
            cells = board.cell(first), board.cell(second)
            relation = "=" if equal else "\u00d7"
            phrase = Phrase(("rule.sign",), {"joined": Cells(cells), "relation": relation})
            return NamedRule("sign", (_line(cells),), cells, phrase)
        case Distinct((one, other)):
            lines = tuple(_whole_line(each, board) for each in (one, other))
            phrase = Phrase(("rule.identical",), {"lines": LineNames(lines, "lines")})
            return NamedRule("identical", lines, (), phrase)
    raise TypeError(f"{type(constraint).__name__} has no name")


def _count_phrase(line: str, length: int, ones: list[int]) -> Phrase:
    """What the rule of balance says about a line: the number of ones, or the two possible ones."""
    zeros = length - ones[0]
    if len(ones) > 1:
        template = "either"
    elif ones[0] == 1:
        template = "each" if zeros == 1 else "one"
    else:
        template = "both"
    return Phrase(
        (f"rule.count.{template}",),
        {
            "line": LineNames((line,), "broken"),
            "zeros": Number(zeros),
            "ones": Number(ones[0]),
            "more": Number(ones[-1]),
        },
    )


def _line(cells: tuple[Cell, ...]) -> str:
    if cells[0].row == cells[-1].row:
        return f"row {cells[0].row + 1}"
    return f"column {cells[0].column + 1}"


def _whole_line(places: Places, board: Board) -> str:
    cell = board.cell(places[0])
    if places == tuple(range(places[0], places[0] + board.width)):
        return f"row {cell.row + 1}"
    return f"column {cell.column + 1}"
