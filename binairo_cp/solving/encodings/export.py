"""The content of an export, its comments, and its text in long pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain, islice

from binairo_cp.errors import ExportError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import Blocked, Constraint, comparisons, constraints
from binairo_cp.solving.encodings.cnf import DEFAULT_BALANCE, VERSION

MAX_PLACES = 5_000_000
"""Limit of cell comparisons for distinct lines: the number for a 171x171 board."""

_MOST_OF_ID = 500
"""Some programs refuse long comments."""

_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Export:
    """A puzzle to export, with options.

    Attributes:
        id: the name of the puzzle, for the comments.
        blocked: a solution to forbid; no model then means that there is no other solution.
        balance: the encoding of balance in clauses, a name in `cnf.BALANCE`; others use sums.
        clues: for a question about clues, their number; None for one fewer than the puzzle has.
        others: for a problem of the fewest clues, all other solutions of the rules and signs.
        check_clock: called every few thousand lines; it may raise an exception to stop.
    """

    puzzle: Puzzle
    id: str = ""
    blocked: Board | None = None
    balance: str = DEFAULT_BALANCE
    clues: int | None = None
    others: tuple[Board, ...] | None = None
    check_clock: Callable[[], None] = lambda: None

    def constraints(self) -> Iterator[Constraint]:
        blocked = [Blocked(self.blocked.cells)] if self.blocked else []
        return chain(constraints(self.puzzle), blocked)


def refuse_too_large(puzzle: Puzzle, most: int = MAX_PLACES) -> None:
    """Refuse exports that would fill the memory or the disk.

    Raises:
        ExportError: distinct lines need more than `most` cell comparisons.
    """
    places, board = comparisons(puzzle), puzzle.board
    if places > most:
        raise ExportError(
            f"the distinct lines of a {board.height}x{board.width} board need "
            f"{places:,} cell comparisons, but at most {most:,} can be written"
        )


def heading(export: Export, mark: str) -> list[str]:
    """The comments that describe the puzzle, in ASCII, each after a comment mark."""
    puzzle, rules, board = export.puzzle, export.puzzle.rules, export.puzzle.board
    lines = [f"binairo puzzle, encoder version {VERSION}", f"size {board.height}x{board.width}"]
    if export.id:
        lines.append(f"id {ascii(export.id)[1:-1][:_MOST_OF_ID]}")
    lines += [f"rule {field.name} {getattr(rules, field.name)}" for field in fields(rules)]
    lines += [f"clues {row}" for row in puzzle.board.rows]
    lines += [
        f"sign {sign.cells[0]}{sign.relation}{sign.cells[1]}, counted from 1"
        for sign in puzzle.signs
    ]
    if export.blocked:
        lines += [f"blocked {row}" for row in export.blocked.rows]
        lines.append("the blocked board is a solution: no model means that it is the only one")
    return [f"{mark} {line}\n" for line in lines]


def pieces(lines: Iterable[str], check_clock: Callable[[], None]) -> tuple[int, list[str]]:
    """The number of lines and their text. The clock is checked before each piece."""
    number, texts, rest = 0, [], iter(lines)
    check_clock()
    while piece := list(islice(rest, _LINES)):
        check_clock()
        number += len(piece)
        texts.append("".join(piece))
    return number, texts
