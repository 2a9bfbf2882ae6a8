"""The clauses that a certificate is about: what a puzzle says, without the solutions told.

This is what must be believed of a certificate beside the checker of the proof: that every solution
of the puzzle, but the blocked one, satisfies these clauses. They are made by the encoder alone, in
the project's own encoding of balance, without a library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from binairo_cp.board import Board
from binairo_cp.certificates.record import FormulaRecord, Pair
from binairo_cp.constraints import Blocked, Distinct, column_places, constraints, row_places
from binairo_cp.encodings import Export, dimacs
from binairo_cp.encodings.cnf import OWN_BALANCE, Clause, Encoder
from binairo_cp.errors import CertificateError
from binairo_cp.rules import Puzzle


@dataclass(frozen=True)
class Formula:
    """Clauses over the variables 1 to `top`."""

    top: int
    clauses: list[Clause]

    @cached_property
    def lines(self) -> bytes:
        """The clauses, as DIMACS without its header."""
        return "".join(map(dimacs.line, self.clauses)).encode()

    @property
    def body(self) -> bytes:
        """The header and the clauses, as DIMACS."""
        return f"p cnf {self.top} {len(self.clauses)}\n".encode() + self.lines


class Maker:
    """Makes the clauses of a puzzle, and adds pairs of lines that must be distinct.

    Args:
        puzzle: the puzzle.
        blocked: the solution that is forbidden, if there is one.
    """

    def __init__(self, puzzle: Puzzle, blocked: Board | None) -> None:
        self._puzzle = puzzle
        self._encoder = Encoder(len(puzzle.board.cells), OWN_BALANCE)
        asked = [each for each in constraints(puzzle) if not isinstance(each, Distinct)]
        if blocked:
            asked.append(Blocked(blocked.cells))
        self._clauses = [clause for each in asked for clause in self._encoder.clauses(each)]
        self._lines = {"row": row_places(puzzle.board), "column": column_places(puzzle.board)}
        self._pairs: list[Pair] = []

    def add_pair(self, pair: Pair) -> None:
        """Say that two lines differ."""
        direction, one, two = pair
        lines = self._lines[direction]
        self._pairs.append(pair)
        self._clauses += self._encoder.different(lines[one], lines[two])

    def add_repeated(self, board: Board) -> bool:
        """Say that lines differ that are the same on a board; whether there are any."""
        first: dict[tuple[str, str], int] = {}
        before = len(self._pairs)
        for line in board.lines() if self._puzzle.rules.distinct_lines else ():
            earlier = first.setdefault((line.direction, line.values), line.number)
            pair: Pair = (line.direction, earlier, line.number)
            if earlier != line.number and pair not in self._pairs:
                self.add_pair(pair)
        return len(self._pairs) > before

    @property
    def formula(self) -> Formula:
        """The clauses so far."""
        return Formula(self._encoder.top, self._clauses)

    @property
    def record(self) -> FormulaRecord:
        """How they were made."""
        return FormulaRecord(distinct_lines=self._pairs)


def made_again(puzzle: Puzzle, blocked: Board | None, record: FormulaRecord) -> Formula:
    """The clauses as a record says that they were made.

    Raises:
        CertificateError: the record lets lines differ that the rules don't compare.
    """
    maker = Maker(puzzle, blocked)
    sides = {"row": puzzle.board.height, "column": puzzle.board.width}
    if len(set(record.distinct_lines)) != len(record.distinct_lines):
        raise CertificateError("the manifest names two lines twice")
    for direction, one, two in record.distinct_lines:
        if not (puzzle.rules.distinct_lines and one < two < sides[direction]):
            raise CertificateError(
                f"the manifest lets {direction}s {one + 1} and {two + 1} differ, "
                "which the rules of the puzzle don't ask"
            )
        maker.add_pair((direction, one, two))
    return maker.formula


def fewest_clauses(puzzle: Puzzle, pairs: int) -> int:
    """A number of clauses that is not more than there will be, and not far from it."""
    board = puzzle.board
    lines = [board.width] * board.height + [board.height] * board.width
    balance = sum(3 * (length // 2) ** 2 for length in lines) if puzzle.rules.balanced else 0
    return balance + 4 * min(board.height, board.width) * pairs


def comments(puzzle: Puzzle, blocked: Board | None) -> Iterator[str]:
    """What stands before the clauses, for people."""
    return dimacs.comments(Export(puzzle, blocked=blocked, balance=OWN_BALANCE))
