"""Translate constraints into the input of solvers: what an export contains, and its formats.

Each row of `TARGETS` is an export format. Its module, and with it a library, is imported on first
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from itertools import combinations, islice

from binairo_cp.errors import ExportError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.constraints import Blocked, Constraint, Distinct, comparisons, constraints
from binairo_cp.solving.encodings.cnf import OWN_BALANCE, VERSION

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
        others: for a problem of the fewest clues, all other solutions of the rules and signs.
        check_clock: called every few thousand lines; it may raise an exception to stop.
    """

    puzzle: Puzzle
    id: str = ""
    blocked: Board | None = None
    balance: str = OWN_BALANCE
    others: tuple[Board, ...] | None = None
    check_clock: Callable[[], None] = lambda: None

    def constraints(self, *, has_soft_clues: bool = False) -> Iterator[Constraint]:
        """The constraints, without pairs of lines that the clues tell apart if these must hold."""
        for constraint in constraints(self.puzzle):
            if isinstance(constraint, Distinct) and not has_soft_clues:
                yield from _not_told_apart(constraint, self.puzzle.board.cells)
            else:
                yield constraint
        if self.blocked:
            yield Blocked(self.blocked.cells)


def _not_told_apart(distinct: Distinct, cells: str) -> Iterator[Distinct]:
    """The pairs of lines that could be equal, for all that the clues say."""
    ones, zeros = (
        [sum(1 << k for k, place in enumerate(line) if cells[place] == symbol) for line in lines]
        for lines, symbol in ((distinct.lines, "1"), (distinct.lines, "0"))
    )
    for one, two in combinations(range(len(ones)), 2):
        if not (ones[one] & zeros[two] or zeros[one] & ones[two]):
            yield Distinct((distinct.lines[one], distinct.lines[two]))


@dataclass(frozen=True, slots=True)
class Target:
    """An export format: the function of a module that writes it, and its name in menus."""

    writer: str
    title: str
    suffix: str

    def load(self) -> Callable[[Export], Iterator[str]]:
        """Import its module, which may take a second, and return its writer.

        The function returns the text in pieces. It raises `ExportError` if the format can't express
        the puzzle, or the text would be too large.
        """
        module, _, name = self.writer.partition(".")
        loaded = import_module(f"binairo_cp.solving.encodings.{module}")
        write: Callable[[Export], Iterator[str]] = getattr(loaded, name)
        return write


TARGETS = {
    "dimacs": Target("dimacs.write", "CNF (DIMACS)", ".cnf"),
    "opb": Target("linear.write_opb", "OPB", ".opb"),
    "lp": Target("facts.write_clingo", "Facts for clingo", ".lp"),
    "dzn": Target("facts.write_minizinc", "Data for MiniZinc", ".dzn"),
    "wcnf": Target("dimacs.write_wcnf", "WCNF", ".wcnf"),
}
"""The export formats by name."""

ALIASES = {"cnf": "dimacs"}
"""Other names of formats: the endings of their files that differ from their names."""


def target_named(name: str) -> Target:
    """The export format of a name in `TARGETS` or `ALIASES`."""
    return TARGETS[ALIASES.get(name, name)]


def refuse_too_large(puzzle: Puzzle) -> None:
    """Refuse exports that would fill the memory or the disk.

    Raises:
        ExportError: distinct lines need more than `MAX_PLACES` cell comparisons.
    """
    places, board = comparisons(puzzle), puzzle.board
    if places > MAX_PLACES:
        raise ExportError(
            f"the distinct lines of a board of {board.height}x{board.width} need "
            f"{places:,} cell comparisons, but at most {MAX_PLACES:,} can be written"
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
