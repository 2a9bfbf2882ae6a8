"""Puzzles written for programs of others: one to a file or to standard output, many to a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from time import perf_counter

from binairo_cp.batch.exit_status import exit_status
from binairo_cp.batch.reports import printable
from binairo_cp.errors import BinairoError, BudgetExceeded, ExportError, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import Folder, is_folder, open_output
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.encodings import TARGETS, Export
from binairo_cp.solving.encodings.cnf import DEFAULT_BALANCE
from binairo_cp.solving.solutions import Verdict

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Order:
    """How puzzles are written.

    Attributes:
        target: a name of `encodings.TARGETS`.
        balance: a name of `encodings.cnf.BALANCE`.
        unique: the cells of a solution that is blocked, or ``auto`` to find one; None blocks none.
        time_limit: in seconds for each puzzle, with the search for that solution.
        out: a file or a folder; None for standard output.
        packed: pack the files of a folder.
    """

    target: str
    balance: str = DEFAULT_BALANCE
    unique: str | None = None
    time_limit: float | None = None
    out: str | None = None
    packed: bool = False

    @property
    def to_folder(self) -> bool:
        """Whether `out` is a folder, or is to be one."""
        return is_folder(self.out)


def _print_problem(_verdict: Verdict, entry: Entry, why: object) -> None:
    place = ":".join(str(part) for part in (entry.source, entry.line) if part)
    name = f"{entry.id}: " if entry.id else ""
    told = str(why) if entry.error else f"{place}: {name}{why}"
    print(f"binairo: {printable(told)}", file=sys.stderr)


@dataclass
class Done:
    """What a run wrote, and what it could not.

    Attributes:
        written: how many puzzles.
        problems: how many were not written, by what is known of them.
        unread: how many of the problems are no puzzles, but sources that can't be read.
        tell: is called with each of these, and why; it prints them unless something else is said.
    """

    written: int = 0
    problems: dict[Verdict, int] = field(default_factory=dict)
    unread: int = 0
    tell: Callable[[Verdict, Entry, object], None] = _print_problem

    def add_problem(self, verdict: Verdict, entry: Entry, why: object) -> None:
        """Count a puzzle that was not written, and tell it."""
        self.problems[verdict] = self.problems.get(verdict, 0) + 1
        self.unread += isinstance(entry.error, SourceError)
        self.tell(verdict, entry, why)

    @property
    def exit_status(self) -> int:
        """What the command ends with: a puzzle without exactly one solution is a no."""
        found = self.problems
        return exit_status(
            error=Verdict.INVALID in found,
            unknown=Verdict.UNKNOWN in found,
            no=Verdict.NONE in found or Verdict.MULTIPLE in found,
        )

    def __str__(self) -> str:
        total = self.written + sum(self.problems.values()) - self.unread
        return f"{total} puzzle{'s' * (total != 1)}: {self.written} written"


def run(entries: Iterable[Entry], order: Order, quiet: bool) -> Done:
    """Write puzzles; what can't be written is told on standard error, and the others go on.

    Raises:
        ExportError: there is more than one puzzle, and no folder for them.
        SourceError: a file can't be written.
    """
    started = perf_counter()
    done = Done()
    entries = iter(entries)
    if not order.to_folder:
        first = list(islice(entries, 2))
        if len(first) > 1:
            raise ExportError("more than one puzzle; expected --out FOLDER/, a file for each")
        entries = chain(first, entries)
    for entry, out in _destinations(entries, order):
        try:
            # A file is begun only when nothing can go wrong with it any more.
            pieces = list(text(entry, order))
        except BudgetExceeded:
            done.add_problem(Verdict.UNKNOWN, entry, "was not written in the time allowed")
        except NoSolution as error:
            done.add_problem(Verdict.NONE, entry, error)
        except BinairoError as error:
            done.add_problem(Verdict.INVALID, entry, error)
        else:
            with open_output(out) as write:
                for piece in pieces:
                    write(piece)
            done.written += 1
    if not quiet:
        print(f"{done} in {perf_counter() - started:.2f} s", file=sys.stderr)
    return done


class NoSolution(ExportError):
    """A puzzle without a solution that could be blocked."""

    def __str__(self) -> str:
        return "has no solution that could be blocked"


def _destinations(entries: Iterable[Entry], order: Order) -> Iterator[tuple[Entry, str | None]]:
    """Each puzzle with the file it goes to."""
    folder = Folder(order.out) if order.out and order.to_folder else None
    suffix = TARGETS[order.target].suffix + ".gz" * order.packed
    for entry in entries:
        yield entry, folder.place(entry.id or "", suffix) if folder else order.out


def text(entry: Entry, order: Order) -> Iterator[str]:
    """A puzzle's text, in pieces.

    Raises:
        BinairoError: it can't be written.
        NoSolution: there is no solution to block.
        BudgetExceeded: it can't be written in the time allowed.
    """
    if entry.puzzle is None:
        raise entry.error or ExportError("no puzzle")
    meter = Meter(Budget(order.time_limit))
    blocked = _blocked(entry.puzzle, order, meter)
    export = Export(entry.puzzle, entry.id or "", blocked, order.balance, meter.check_clock)
    yield from TARGETS[order.target].write(export)


def _blocked(puzzle: Puzzle, order: Order, meter: Meter) -> Board | None:
    if order.unique is None:
        return None
    if order.unique == AUTO:
        outcome = solutions.solve(puzzle, time_limit=meter.seconds_left)
        if outcome.verdict is Verdict.UNKNOWN:
            raise BudgetExceeded("time")
        if outcome.solution is None:
            raise NoSolution
        return outcome.solution
    return given_solution(puzzle, order.unique)


def given_solution(puzzle: Puzzle, cells: str) -> Board:
    """The board of a solution that a user gives, row by row.

    Raises:
        BoardError: it is no board of the puzzle's size.
        ExportError: it is no solution.
    """
    board = Board(puzzle.board.height, puzzle.board.width, cells)
    if not board.is_full:
        raise ExportError("the solution given has open cells")
    if broken := violations(puzzle, board):
        raise ExportError(f"what is given as a solution is none: {broken[0]}")
    return board
