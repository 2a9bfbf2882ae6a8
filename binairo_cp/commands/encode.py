"""Encode puzzles for other solvers: one to a file or standard output, several to a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from time import perf_counter

from binairo_cp.batch.exit_status import exit_status
from binairo_cp.batch.reports import printable
from binairo_cp.errors import BinairoError, BudgetExceeded, ExportError, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import Folder, is_folder, open_output
from binairo_cp.option_names import option
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.encodings import TARGETS
from binairo_cp.solving.encodings.cnf import DEFAULT_BALANCE
from binairo_cp.solving.encodings.export import Export
from binairo_cp.solving.solutions import Verdict

AUTO = "auto"
QDIMACS, WCNF = "qdimacs", "wcnf"
"""The targets of `encodings.TARGETS` that can ask about the clues of a puzzle."""

MAX_OTHERS = 50_000
"""Maximum number of other solutions to list for the fewest clues. A 6x6 board has 4,140."""


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """How to encode puzzles, and where to write them.

    Attributes:
        target: a name of `encodings.TARGETS`.
        balance: a name of `encodings.cnf.BALANCE`.
        unique: the cells of a solution to block, or ``auto`` to find one; None blocks nothing.
        time_limit: seconds per puzzle, including the search for that solution.
        out: a file or a folder; None for standard output.
        packed: compress the files of a folder with gzip.
        fewest: for wcnf, ask for the smallest number of clues instead of the clues to break.
        clues: for qdimacs, the number of clues to choose; None for one fewer than the puzzle has.
    """

    target: str
    balance: str = DEFAULT_BALANCE
    unique: str | None = None
    time_limit: float | None = None
    out: str | None = None
    packed: bool = False
    fewest: bool = False
    clues: int | None = None

    @property
    def to_folder(self) -> bool:
        """Whether `out` names a folder, which may not exist yet."""
        return is_folder(self.out)


def _print_problem(_verdict: Verdict, entry: Entry, why: object) -> None:
    place = ":".join(str(part) for part in (entry.source, entry.line) if part)
    name = f"{entry.id}: " if entry.id else ""
    message = str(why) if entry.error else f"{place}: {name}{why}"
    print(f"binairo: {printable(message)}", file=sys.stderr)


@dataclass
class OutputSummary:
    """What `encode` or `render` wrote, and which puzzles it could not write.

    Attributes:
        written: number of puzzles written.
        problems: number of puzzles not written, by verdict.
        unread: number of problems that are unreadable sources, not puzzles.
        on_problem: called with each puzzle that was not written, and the reason. The default
            prints them to standard error.
    """

    written: int = 0
    problems: dict[Verdict, int] = field(default_factory=dict)
    unread: int = 0
    on_problem: Callable[[Verdict, Entry, object], None] = _print_problem

    def add_problem(self, verdict: Verdict, entry: Entry, why: object) -> None:
        """Count a puzzle that was not written, and report it."""
        self.problems[verdict] = self.problems.get(verdict, 0) + 1
        self.unread += isinstance(entry.error, SourceError)
        self.on_problem(verdict, entry, why)

    @property
    def exit_status(self) -> int:
        """The exit status: 1 if a puzzle does not have exactly one solution."""
        verdicts = self.problems.keys()
        return exit_status(
            error=Verdict.INVALID in verdicts,
            unknown=Verdict.UNKNOWN in verdicts,
            no=Verdict.NONE in verdicts or Verdict.MULTIPLE in verdicts,
        )

    def __str__(self) -> str:
        total = self.written + sum(self.problems.values()) - self.unread
        return f"{total} puzzle{'s' * (total != 1)}: {self.written} written"


def encode_puzzles(entries: Iterable[Entry], options: EncodeOptions, quiet: bool) -> OutputSummary:
    """Encode puzzles and write them. Report those that can't be written and go on.

    Raises:
        ExportError: there are several puzzles, and `out` is not a folder.
        SourceError: a file can't be written.
    """
    started = perf_counter()
    summary = OutputSummary()
    entries = iter(entries)
    if not options.to_folder:
        first = list(islice(entries, 2))
        if len(first) > 1:
            raise ExportError(
                "several puzzles need a folder: "
                f"use {option('out', 'FOLDER/')} for one file per puzzle"
            )
        entries = chain(first, entries)
    for entry, out in _destinations(entries, options):
        try:
            # Encode everything before opening the file, so that an error leaves no partial file.
            pieces = list(text(entry, options))
        except BudgetExceeded:
            summary.add_problem(Verdict.UNKNOWN, entry, "was not encoded within the time limit")
        except NoSolution as error:
            summary.add_problem(Verdict.NONE, entry, error)
        except BinairoError as error:
            summary.add_problem(Verdict.INVALID, entry, error)
        else:
            with open_output(out) as write:
                for piece in pieces:
                    write(piece)
            summary.written += 1
    if not quiet:
        print(f"{summary} in {perf_counter() - started:.2f} s", file=sys.stderr)
    return summary


class NoSolution(ExportError):
    """The puzzle has no solution, so there is none to block or to keep."""

    def __str__(self) -> str:
        return "has no solution"


def _destinations(
    entries: Iterable[Entry], options: EncodeOptions
) -> Iterator[tuple[Entry, str | None]]:
    """Each puzzle with the name of its file; None for standard output."""
    folder = Folder(options.out) if options.out and options.to_folder else None
    suffix = TARGETS[options.target].suffix + ".gz" * options.packed
    for entry in entries:
        yield entry, folder.place(entry.id or "", suffix) if folder else options.out


def text(entry: Entry, options: EncodeOptions) -> Iterator[str]:
    """The encoding of a puzzle, as pieces of text.

    Raises:
        BinairoError: the target can't express the puzzle.
        NoSolution: there is no solution to block.
        BudgetExceeded: the time limit was reached.
    """
    if entry.puzzle is None:
        raise entry.error or ExportError("no puzzle")
    write = TARGETS[options.target].load()  # before the clock starts
    meter = Meter(Budget(options.time_limit))
    export = Export(
        entry.puzzle,
        entry.id or "",
        _blocked(entry.puzzle, options, meter),
        options.balance,
        options.clues,
        check_clock=meter.check_clock,
    )
    if options.clues is not None and options.target != QDIMACS:
        raise ExportError(f"a number of clues can only be used with {QDIMACS}")
    if options.fewest:
        if options.target != WCNF:
            raise ExportError(f"the fewest clues can only be used with {WCNF}")
        export = replace(export, others=_others(export, meter))
    yield from write(export)


def _others(export: Export, meter: Meter) -> tuple[Board, ...]:
    """All solutions of the rules and signs but the known one."""
    puzzle = export.puzzle
    free = replace(puzzle, board=Board.empty(puzzle.board.height, puzzle.board.width))
    # Counting takes much less time than listing.
    counted = solutions.count(free, limit=MAX_OTHERS + 2, time_limit=meter.seconds_left)
    if counted.count > MAX_OTHERS + 1:
        raise ExportError(
            f"the rules and signs have more than {MAX_OTHERS:,} other solutions, too many to list; "
            "certify the fewest clues instead: this finds those that matter"
        )
    found = solutions.enumerate_solutions(free, time_limit=meter.seconds_left)
    return tuple(board for board in found if board != export.blocked)


def _blocked(puzzle: Puzzle, options: EncodeOptions, meter: Meter) -> Board | None:
    about_clues = options.fewest or options.target == QDIMACS
    if options.unique is None and not about_clues:
        return None
    if options.unique is None or options.unique == AUTO:
        outcome = solutions.solve(puzzle, time_limit=meter.seconds_left)
        if outcome.verdict is Verdict.UNKNOWN:
            raise BudgetExceeded("time")
        if outcome.solution is None:
            raise NoSolution
        return outcome.solution
    return checked_solution(puzzle, options.unique)


def checked_solution(puzzle: Puzzle, cells: str) -> Board:
    """The board of a solution from the user, after checking it against the rules.

    Args:
        puzzle: the puzzle.
        cells: the cells of the solution, row by row.

    Raises:
        BoardError: the board does not have the size of the puzzle.
        ExportError: the board is not a solution.
    """
    board = Board(puzzle.board.height, puzzle.board.width, cells)
    if not board.is_full:
        raise ExportError("the solution to block has open cells")
    if broken := violations(puzzle, board):
        raise ExportError(f"the solution to block breaks a rule: {broken[0]}")
    return board
