"""The formula of a minimum: no fewer clues than that many make the puzzle unique.

Every other solution of the rules and signs differs from the known one in some of the clues. A
puzzle with some of the clues is unique only if it has one clue of each of these sets. The formula
states this for the other solutions in the certificate, and that fewer clues are chosen: variable
``row * width + column + 1`` says that the clue of this cell is chosen. If the formula has no model,
so few clues don't suffice.
"""

from __future__ import annotations

from collections.abc import Sequence

from binairo_cp.certificates.formula import MAX_CLAUSES, Formula
from binairo_cp.errors import CertificateError
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.encodings.cnf import Clause, at_most


def formula(puzzle: Puzzle, others: Sequence[Board], most: int) -> Formula:
    """Return the formula: at most `most` of the clues exclude all of the other solutions.

    Args:
        puzzle: The puzzle with all clues.
        others: Other solutions of its rules and signs.
        most: The number of clues.

    Raises:
        CertificateError: One of the others agrees with all clues, or there are too many clauses.
    """
    cells = puzzle.board.cells
    clues = [place for place, value in enumerate(cells) if value != OPEN]
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


def comments(others: int, most: int) -> bytes:
    """The comments before the header."""
    text = f"one clue of each of {others} sets, and at most {most} clues: no model means impossible"
    return f"c {text}\nc variables: as the cells in formula.cnf, true for a chosen clue\n".encode()
