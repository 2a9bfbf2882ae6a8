"""Write a puzzle as a quantified formula (QDIMACS), for QBF solvers: are so many clues enough?

The formula is true if so many of the clues make the puzzle unique: there are clues, such that each
board breaks a rule or a sign, differs from one of these clues, or is the known solution.

The first block of variables chooses clues: variable ``row * width + column + 1`` is that of a cell
with a clue. The second block is any board, with the auxiliary variables of its clauses (`cnf`). The
third block has a variable for each reason why the board does not count: a violated clause, a clue
that differs, the known board. If the auxiliary variables are not those of the board, they violate a
clause too. The last block is there because QDIMACS has only clauses: each of its variables implies
a reason, and one of them is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from binairo_cp.errors import ExportError
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.solving.constraints import Clue, constraints
from binairo_cp.solving.encodings import dimacs
from binairo_cp.solving.encodings.cnf import Clause, Encoder, at_most, literals
from binairo_cp.solving.encodings.heading import Export, heading, refuse_too_large
from binairo_cp.solving.encodings.pieces import pieces

MAX_PLACES = 500_000
"""Limit of cell comparisons for distinct lines: the number for a 79x79 board."""

MAX_COUNTER = 2_000_000
"""Limit for the number of clues of the puzzle times the number of clues to choose."""


def write(export: Export) -> Iterator[str]:
    """Write comments, the quantifiers, then the clauses.

    Raises:
        ExportError: no solution is given, or the file would be too large.
    """
    refuse_too_large(export.puzzle, MAX_PLACES)
    solution = export.blocked
    if solution is None:
        raise ExportError("a question about clues needs the solution")
    clues = [place for place, value in enumerate(export.puzzle.board.cells) if value != OPEN]
    most = max(0, len(clues) - 1) if export.clues is None else export.clues
    if len(clues) * most > MAX_COUNTER:
        raise ExportError(
            f"choosing {most:,} of {len(clues):,} clues needs too many clauses: the product of "
            f"these numbers is limited to {MAX_COUNTER:,}"
        )
    cells = len(solution.cells)
    encoder = Encoder(cells, export.balance)
    rules = list(_rules(export, encoder, cells))
    board = range(cells + 1, cells + encoder.top + 1)
    counter = list(at_most(most, [place + 1 for place in clues], board[-1]))
    helpers = sorted({abs(each) for clause in counter for each in clause if abs(each) > cells})
    first = max([board[-1], *helpers]) + 1
    excuses = [*_excuses(rules, clues, solution)]
    last = first + len(excuses) - 1
    lines = chain(counter, _implied(excuses, first), [list(range(first, last + 1))])
    number, texts = pieces(map(dimacs.line, lines), export.check_clock)
    yield from _comments(export, solution, most)
    yield f"p cnf {last} {number}\n"
    for quantifier, variables in (
        ("e", [*(place + 1 for place in clues), *helpers]),
        ("a", board),
        ("e", range(first, last + 1)),
    ):
        if variables:
            yield f"{quantifier} {' '.join(map(str, variables))} 0\n"
    yield from texts


def _rules(export: Export, encoder: Encoder, shift: int) -> Iterator[Clause]:
    """The clauses of the rules and signs about the second board."""
    for constraint in constraints(export.puzzle):
        if not isinstance(constraint, Clue):
            for clause in encoder.clauses(constraint):
                yield [each + shift if each > 0 else each - shift for each in clause]


def _excuses(rules: Iterable[Clause], clues: Iterable[int], solution: Board) -> Iterator[list[int]]:
    """The literals that hold together if a board does not count, for each reason."""
    values = literals(solution.cells)
    cells = len(values)

    def on_board(literal: int) -> int:
        return literal + cells if literal > 0 else literal - cells

    for clause in rules:
        yield [-each for each in clause]
    for place in clues:
        yield [place + 1, -on_board(values[place])]
    yield list(map(on_board, values))


def _implied(excuses: Iterable[list[int]], first: int) -> Iterator[Clause]:
    for variable, needed in enumerate(excuses, first):
        for literal in needed:
            yield [-variable, literal]


def _comments(export: Export, solution: Board, most: int) -> Iterator[str]:
    yield from heading(replace(export, blocked=None), "c")
    yield from (f"c solution {row}\n" for row in solution.rows)
    yield f"c true if {most} of the clues make the puzzle unique\n"
    yield from dimacs.cell_map(export.puzzle.board, "true if the clue is chosen")
