"""The formulas of a certificate: the clauses of the puzzle and the blocked solutions; a minimum.

Besides the proof checker, this is what a reader of a certificate must trust: every solution of the
puzzle except the blocked ones satisfies these clauses. The encoder generates them with the
project's own encoding of balance, without a library.

The formula of a minimum says that no fewer clues than that many make the puzzle unique. Every other
solution of the rules and signs differs from the known one in some of the clues. A puzzle with some
of the clues is unique only if it has one clue of each of these sets. The formula states this for
the other solutions in the certificate, and that fewer clues are chosen: the variable
``row * width + column + 1`` says that the clue of this cell is chosen. If there is no model, so few
clues don't suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from binairo_cp.certificates.record import FormulaRecord, Pair
from binairo_cp.errors import CertificateError
from binairo_cp.puzzle.board import Board, clue_places
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import Blocked, Distinct, column_places, constraints, row_places
from binairo_cp.solving.encodings import Export, dimacs
from binairo_cp.solving.encodings.cnf import OWN_BALANCE, VERSION, Clause, Encoder, at_most

MAX_CLAUSES = 3_000_000
"""Maximum number of clauses of a formula; they take about 0.5 GB."""


@dataclass
class Formula:
    """Clauses over the variables 1 to `top`."""

    top: int
    clauses: list[Clause]

    @cached_property
    def lines(self) -> bytes:
        """The clauses in DIMACS, without the header."""
        return "".join(map(dimacs.line, self.clauses)).encode()

    @property
    def head(self) -> bytes:
        """The DIMACS header."""
        return f"p cnf {self.top} {len(self.clauses)}\n".encode()


class FormulaBuilder:
    """Builds the formula of a puzzle, and adds pairs of lines that must be distinct.

    Args:
        puzzle: The puzzle.
        blocked: The solutions to exclude.
        pairs: The first pairs of lines that must be distinct.
        check: Is called with each clause, and may raise.
        check_clock: Is called every few thousand clauses, and may raise.

    Raises:
        CertificateError: There are too many clauses.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        blocked: Sequence[Board],
        pairs: Iterable[Pair] = (),
        check: Callable[[Clause], None] = lambda clause: None,
        check_clock: Callable[[], object] = lambda: None,
    ) -> None:
        self._puzzle, self._blocked, self._check = puzzle, blocked, check
        self._check_clock = check_clock
        self._encoder = Encoder(len(puzzle.board.cells), OWN_BALANCE)
        self._lines = {"row": row_places(puzzle.board), "column": column_places(puzzle.board)}
        self._pairs: dict[Pair, None] = {}
        self._clauses: list[Clause] = []
        for constraint in constraints(puzzle):
            if not isinstance(constraint, Distinct):
                self._add(self._encoder.clauses(constraint))
        for board in blocked:
            self._add(self._encoder.clauses(Blocked(board.cells)))
        for pair in pairs:
            self._add_pair(pair)

    def _add(self, clauses: Iterable[Clause]) -> None:
        self._check_clock()
        for clause in clauses:
            self._check(clause)
            self._clauses.append(clause)
        if len(self._clauses) > MAX_CLAUSES:
            raise CertificateError(f"the formula has more than {MAX_CLAUSES:,} clauses")

    def _add_pair(self, pair: Pair) -> None:
        direction, one, two = pair
        lines = self._lines[direction]
        if not (self._puzzle.rules.distinct_lines and one < two < len(lines)):
            raise CertificateError(
                f"{direction}s {one + 1} and {two + 1} are listed as distinct, "
                "but the puzzle does not require it"
            )
        self._pairs[pair] = None
        self._add(self._encoder.different(lines[one], lines[two]))

    def add_repeated(self, board: Board) -> bool:
        """Require that lines differ which are equal on a board; return whether any were added."""
        first: dict[tuple[str, str], int] = {}
        before = len(self._pairs)
        for line in board.lines() if self._puzzle.rules.distinct_lines else ():
            earlier = first.setdefault((line.direction, line.values), line.number)
            pair: Pair = (line.direction, earlier, line.number)
            if earlier != line.number and pair not in self._pairs:
                self._add_pair(pair)
        return len(self._pairs) > before

    @property
    def formula(self) -> Formula:
        """The formula with the clauses so far."""
        return Formula(self._encoder.top, self._clauses)

    @property
    def record(self) -> FormulaRecord:
        """How the clauses were generated, for the manifest."""
        return FormulaRecord(encoder=VERSION, distinct_lines=list(self._pairs))

    @property
    def text(self) -> bytes:
        """The contents of the file: comments, header and clauses."""
        return comments(self._puzzle, self._blocked) + self.formula.head + self.formula.lines


def comments(puzzle: Puzzle, blocked: Sequence[Board], shown: int = dimacs.SHOWN) -> bytes:
    """The comments before the header, with so many variables in each line of ``c p show``."""
    only = blocked[0] if len(blocked) == 1 else None
    text = "".join(dimacs.comments(Export(puzzle, blocked=only, balance=OWN_BALANCE), shown))
    if len(blocked) > 1:
        text += f"c the {len(blocked)} blocked boards are solutions: no model means no others\n"
    return text.encode()


def formula_of_minimum(puzzle: Puzzle, others: Sequence[Board], most: int) -> Formula:
    """Return the formula: at most `most` of the clues exclude all of the other solutions.

    Raises:
        CertificateError: One of the others agrees with all clues, or there are too many clauses.
    """
    cells = puzzle.board.cells
    clues = clue_places(cells)
    if len(others) + 2 * len(clues) * (most + 1) > MAX_CLAUSES:
        raise CertificateError(f"the formula of the minimum has more than {MAX_CLAUSES:,} clauses")
    clauses: list[Clause] = []
    for number, other in enumerate(others, 1):
        difference = [place + 1 for place in clues if other.cells[place] != cells[place]]
        if not difference:
            raise CertificateError(f"other solution {number} agrees with all clues")
        clauses.append(difference)
    top = len(cells)
    for clause in at_most(most, [place + 1 for place in clues], top):
        clauses.append(clause)
        top = max(top, *map(abs, clause))
    return Formula(top, clauses)


def comments_of_minimum(others: int, most: int) -> bytes:
    """The comments before the header."""
    text = f"one clue of each of {others} sets, and at most {most} clues: no model means impossible"
    return f"c {text}\nc variables: as the cells in formula.cnf, true for a chosen clue\n".encode()
