"""The rules of a puzzle, each constraint with a name, and which of them a full board breaks.

Sets of cells and sets of rules are integers, with a bit for each member.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from binairo_cp.deduction.position import RULES, FaultKind
from binairo_cp.deduction.small_hitting_sets import bits, each_bit
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
from binairo_cp.solving.encodings.cnf import Clause, Encoder, literals

_NEAR = 3
"""Boards near the solution differ from it in up to four cells that are no further apart."""


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

    @property
    def rule(self) -> str:
        """The rule as records name it."""
        return RULES[self.kind]


class RuleTable:
    """The rules of a puzzle by number.

    The rule with number k is the element ``number_of_cells + k``; known cells are those before. The
    clues of the puzzle don't matter; the solution keeps all rules.

    Attributes:
        values: The values of its cells, as literals.
        single: The rules that are not about two lines.
        pairs: The rules that two lines differ.
        runs: The rules about neighbours that must not all be the same.
    """

    def __init__(self, puzzle: Puzzle, solution: Board) -> None:
        board = self._board = puzzle.board
        self.number_of_cells = len(board.cells)
        self.values = literals(solution.cells)
        self._ones = bits(place for place, value in enumerate(solution.cells) if value == "1")
        self._lines = [*row_places(board), *column_places(board)]
        kept = (rule for rule in constraints(puzzle) if not isinstance(rule, Clue | Distinct))
        self._constraints: list[Constraint] = [*kept]
        single = len(self._constraints)
        for lines in (row_places(board), column_places(board)):
            if puzzle.rules.distinct_lines:
                self._constraints += map(Distinct, combinations(lines, 2))
        self._masks = [bits(_places(constraint)) for constraint in self._constraints]
        self._keeps = list(map(_test, self._constraints))
        self._of_cell = [
            [number for number, mask in enumerate(self._masks) if mask >> place & 1]
            for place in range(len(board.cells))
        ]
        numbered = [*enumerate(self._constraints, self.number_of_cells)]
        self.single = bits(k for k, _ in numbered[:single])
        self.pairs = bits(k for k, _ in numbered[single:])
        self.runs = bits(k for k, constraint in numbered if isinstance(constraint, NotAllSame))

    def named(self, element: int) -> NamedRule:
        """The rule that is an element."""
        return _named(self._constraints[element - self.number_of_cells], self._board)

    def about(self, lines: Container[str]) -> int:
        """The rules about cells of some lines alone."""
        chosen = (line for line in self._lines if _line(line, self._board) in lines)
        cells = bits({place for line in chosen for place in line})
        within = (k for k, mask in enumerate(self._masks) if mask & cells == mask)
        return bits(within) << self.number_of_cells

    @cached_property
    def clauses(self) -> list[list[Clause]]:
        """The clauses of each rule, if the variable after that of the last cell and so on holds."""
        encoder = Encoder(self.number_of_cells + len(self._constraints))
        return [
            [[-selector, *clause] for clause in encoder.clauses(constraint)]
            for selector, constraint in enumerate(self._constraints, self.number_of_cells + 1)
        ]

    def broken(self, cells: int, changed: int, before: int = 0) -> int:
        """The rules that a board breaks which differs from the solution in some cells.

        Only rules about the `changed` cells are tested; `before` has those broken before that.
        """
        ones, keeps = self._ones ^ cells, self._keeps
        tested = {number for place in each_bit(changed) for number in self._of_cell[place]}
        found = bits(number for number in tested if not keeps[number](ones))
        return before & ~(bits(tested) << self.number_of_cells) | found << self.number_of_cells

    def near(self, place: int) -> Iterator[int]:
        """Cells that differ on boards near the solution: a cell alone, and with others so that
        their lines have as many ones. These are an end of a line, or a corner of a rectangle.
        """
        row, column = divmod(place, self._board.width)
        ones, begin, bit = self._ones, place - column, 1 << place
        value = ones >> place & 1
        columns = [k for k in _around(column, self._board.width) if ones >> begin + k & 1 != value]
        yield bit
        yield from (bit | 1 << begin + k for k in columns)
        for other in _around(row, self._board.height):
            start = other * self._board.width
            if ones >> start + column & 1 != value:
                both = bit | 1 << start + column
                yield both
                for k in columns:
                    if ones >> start + k & 1 == value:
                        yield both | 1 << begin + k | 1 << start + k


def _around(number: int, count: int) -> range:
    return range(max(0, number - _NEAR), min(count, number + _NEAR + 1))


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
            return frozenset((len(places) + place) // 2 for place in surplus)
        case Related(equal=equal):
            return frozenset((0, 2) if equal else (1,))
    raise TypeError(f"{type(constraint).__name__} is about more than a number of ones")


def _test(constraint: Constraint) -> Callable[[int], bool]:
    """Whether a board, given as its ones, keeps a constraint."""
    if isinstance(constraint, Distinct):
        one, other = constraint.lines
        line, shift = bits(one), other[0] - one[0]
        return lambda ones: (ones >> shift ^ ones) & line != 0
    mask, allowed = bits(_places(constraint)), _allowed_ones(constraint)
    return lambda ones: (ones & mask).bit_count() in allowed


def _named(constraint: Constraint, board: Board) -> NamedRule:
    match constraint:
        case NotAllSame(places):
            cells = tuple(map(board.cell, places))
            ends = {"first": Cells(cells[:1]), "last": Cells(cells[-1:])}
            phrase = Phrase(("rule.run",), {**ends, "number": Number(len(cells))})
            return NamedRule("run", (_line(places, board),), cells, phrase)
        case Balanced(places):
            line = _line(places, board)
            ones = sorted(_allowed_ones(constraint))
            return NamedRule("count", (line,), (), _count_phrase(line, len(places), ones))
        case Related(first, second, equal):
            cells = board.cell(first), board.cell(second)
            relation = "=" if equal else "\u00d7"
            phrase = Phrase(("rule.sign",), {"joined": Cells(cells), "relation": relation})
            return NamedRule("sign", (_line((first, second), board),), cells, phrase)
        case Distinct((one, other)):
            lines = tuple(_line(line, board) for line in (one, other))
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
    numbers = {"zeros": Number(zeros), "ones": Number(ones[0]), "more": Number(ones[-1])}
    return Phrase((f"rule.count.{template}",), {"line": LineNames((line,), "broken"), **numbers})


def _line(places: Places, board: Board) -> str:
    """The line of neighbouring cells, or of all cells of it."""
    cell = board.cell(places[0])
    is_row = places == tuple(range(places[0], places[0] + len(places)))
    is_whole = len(places) == board.width
    if is_row and (is_whole or 1 < len(places) < board.width):
        return f"row {cell.row + 1}"
    return f"column {cell.column + 1}"
