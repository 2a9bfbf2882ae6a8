"""DIMACS: the clauses of a puzzle as text for SAT solvers, and its relatives WCNF and QDIMACS.

The output has an exact header, one clause per line, single spaces, only ASCII, and no comment of
more than 1,000 characters, since some programs accept nothing else.

Weighted clauses (WCNF) are for MaxSAT solvers, in the format of the MaxSAT Evaluations since 2022.
There are two problems. To *repair* a puzzle, the rules, the signs and a blocked solution are hard
clauses; each clue is a soft clause of weight 1. The optimum is the minimum number of clues that a
solution of the rules breaks: 0 if the puzzle has a solution. For the *fewest clues*, a variable
says that the clue of its cell is kept. Each other solution of the rules and signs differs from the
known one in some clues, one of which must be kept: a hard clause. Each kept clue costs 1.

A quantified formula (QDIMACS) is for QBF solvers. It is true if so many of the clues make the
puzzle unique: there are clues, such that each board breaks a rule or a sign, differs from one of
these clues, or is the known solution. The first block of variables chooses clues: variable
``row * width + column + 1`` is that of a cell with a clue. The second block is any board, with the
auxiliary variables of its clauses (`cnf`). The third block has a variable for each reason why the
board does not count: a violated clause, a clue that differs, the known board. If the auxiliary
variables are not those of the board, they violate a clause too. The last block is there because
QDIMACS has only clauses: each of its variables implies a reason, and one of them is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from binairo_cp.errors import ExportError
from binairo_cp.puzzle.board import Board, clue_places
from binairo_cp.solving.constraints import Clue, Constraint, constraints
from binairo_cp.solving.encodings import Export, heading, pieces, refuse_too_large
from binairo_cp.solving.encodings.cnf import BALANCE, Clause, Encoder, at_most, literals

SHOWN = 10
"""How many variables a line of ``c p show`` has: lrat-check and drat-trim refuse long comments."""

MAX_PLACES = 500_000
"""Limit of cell comparisons for distinct lines: the number for a 79x79 board."""

MAX_COUNTER = 2_000_000
"""Limit for the number of clues of the puzzle times the number of clues to choose."""


def write(export: Export) -> Iterator[str]:
    """Write DIMACS CNF: comments, the map of the cells, ``p cnf``, the clauses.

    Raises:
        ExportError: the file would be too large.
    """
    refuse_too_large(export.puzzle)
    yield from comments(export)
    cells = len(export.puzzle.board.cells)
    encoder = Encoder(cells, export.balance)
    number, texts = pieces(_lines(encoder, export.constraints()), export.check_clock)
    yield f"p cnf {encoder.top} {number}\n"
    yield from texts


def comments(export: Export, shown: int = SHOWN) -> Iterator[str]:
    """The comments before the clauses: the puzzle, the map of its cells, the projection.

    `shown` is how many variables a line of the projection has.
    """
    board = export.puzzle.board
    yield from heading(export, "c")
    yield f"c balance {export.balance}: {_models(export.balance)}\n"
    yield from cell_map(board, "true for 1")
    variables = list(map(str, range(1, len(board.cells) + 1)))
    for start in range(0, len(variables), shown):
        yield f"c p show {' '.join(variables[start : start + shown])} 0\n"


def cell_map(board: Board, meaning: str) -> Iterator[str]:
    """The comments that name the variable of each cell."""
    yield f"c cell ROW COLUMN = VARIABLE, rows and columns from 1; {meaning}\n"
    for place in range(len(board.cells)):
        row, column = board.cell(place)
        yield f"c cell {row + 1} {column + 1} = {place + 1}\n"


def line(clause: Clause) -> str:
    """A clause as a line."""
    if len(clause) == 3:  # Nearly all have three literals, and this is faster.
        one, two, three = clause
        return f"{one} {two} {three} 0\n"
    return f"{' '.join(map(str, clause))} 0\n"


def _lines(encoder: Encoder, constraints: Iterable[Constraint]) -> Iterator[str]:
    for constraint in constraints:
        yield from map(line, encoder.clauses(constraint))


def _models(balance: str) -> str:
    if BALANCE[balance].count_preserving:
        return "as many models as the puzzle has solutions"
    return "a solution may have many models, counted over the cells they are as many"


def write_wcnf(export: Export) -> Iterator[str]:
    """Write comments, the map of the cells, then the clauses.

    Raises:
        ExportError: the file would be too large, or the puzzle has several solutions.
    """
    if export.others is not None:
        yield from _fewest_clues(export, export.others)
        return
    refuse_too_large(export.puzzle)
    yield from comments(export)
    yield "c h: rules and signs; 1: a clue, which may be broken\n"
    _, texts = pieces(_weighted_lines(export), export.check_clock)
    yield from texts


def _weighted_lines(export: Export) -> Iterator[str]:
    encoder = Encoder(len(export.puzzle.board.cells), export.balance)
    for constraint in export.constraints():
        weight = "1" if isinstance(constraint, Clue) else "h"
        for clause in encoder.clauses(constraint):
            yield f"{weight} {line(clause)}"


def _fewest_clues(export: Export, others: Sequence[Board]) -> Iterator[str]:
    board = export.puzzle.board
    clues = clue_places(board.cells)
    yield from heading(replace(export, blocked=None), "c")
    yield "c h: another solution differs in these clues; 1: a clue that is not kept\n"
    yield "c the optimum is the smallest number of clues that make the puzzle unique\n"
    yield from cell_map(board, "true if the clue is kept")
    _, texts = pieces(_hitting(board, clues, others), export.check_clock)
    yield from texts


def _hitting(board: Board, clues: Sequence[int], others: Iterable[Board]) -> Iterator[str]:
    seen = set()
    for other in others:
        differ = tuple(place for place in clues if other.cells[place] != board.cells[place])
        if not differ:
            raise ExportError("the puzzle has several solutions, so no clues make it unique")
        if differ not in seen:
            seen.add(differ)
            yield f"h {line([place + 1 for place in differ])}"
    for place in clues:
        yield f"1 {-(place + 1)} 0\n"


def write_qdimacs(export: Export) -> Iterator[str]:
    """Write comments, the quantifiers, then the clauses.

    Raises:
        ExportError: no solution is given, or the file would be too large.
    """
    refuse_too_large(export.puzzle, MAX_PLACES)
    solution = export.blocked
    if solution is None:
        raise ExportError("a question about clues needs the solution")
    clues = clue_places(export.puzzle.board.cells)
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
    number, texts = pieces(map(line, lines), export.check_clock)
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
    yield from cell_map(export.puzzle.board, "true if the clue is chosen")
