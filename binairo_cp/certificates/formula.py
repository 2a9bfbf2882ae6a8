"""The formula of a certificate: the clauses of the puzzle and the blocked solution.

Besides the proof checker, this is what a reader of a certificate must trust: every solution of the
puzzle except the blocked one satisfies these clauses. The encoder generates them with the
project's own encoding of balance, without a library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from binairo_cp.certificates.record import FormulaRecord, Pair
from binairo_cp.errors import CertificateError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import Blocked, Distinct, column_places, constraints, row_places
from binairo_cp.solving.encodings import Export, dimacs
from binairo_cp.solving.encodings.cnf import OWN_BALANCE, VERSION, Clause, Encoder

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
        blocked: The solution to exclude, if there is one.
        pairs: The first pairs of lines that must be distinct.
        check: Is called with each clause, and may raise.
        check_clock: Is called every few thousand clauses, and may raise.

    Raises:
        CertificateError: There are too many clauses.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        blocked: Board | None,
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
        if blocked:
            self._add(self._encoder.clauses(Blocked(blocked.cells)))
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


def comments(puzzle: Puzzle, blocked: Board | None, shown: int = dimacs.SHOWN) -> bytes:
    """The comments before the header, with so many variables in each line of ``c p show``."""
    export = Export(puzzle, blocked=blocked, balance=OWN_BALANCE)
    return "".join(dimacs.comments(export, shown)).encode()
