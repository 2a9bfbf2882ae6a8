"""Encode puzzles for other solvers: one to a file or standard output, several to a folder."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from binairo_cp.errors import (
    ArgumentError,
    BinairoError,
    BudgetExceeded,
    ExportError,
    OptionError,
    PuzzleError,
    SolverCrash,
)
from binairo_cp.features.arguments import cells_of, puzzle_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import MOST_CELLS, OUTPUT, OnePuzzle, RulesOption
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.encodings import ALIASES, TARGETS, target_named
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers.terminal import option

if TYPE_CHECKING:
    from binairo_cp.batch.summaries import OutputSummary
    from binairo_cp.formats import Entry
    from binairo_cp.solving.encodings import Export

    Target: TypeAlias = str
else:
    # The names are those of the table, which a static analyser can't read.
    Target = Literal[(*TARGETS, *ALIASES)]

AUTO = "auto"

LIST = "files.ndjson"
"""The file of a folder that says which file belongs to which puzzle."""

_Problem: TypeAlias = tuple[Verdict, str]

WCNF = "wcnf"
"""The target of `encodings.TARGETS` that can ask about the clues of a puzzle."""

MAX_OTHERS = 50_000
"""Maximum number of other solutions to list for the fewest clues. A 6x6 board has 4,140."""

Balance = Literal[
    "grid", "seqcounter", "mtotalizer", "kmtotalizer", "totalizer", "sortnetwrk", "cardnetwrk"
]


def _check(to: str | None, unique: str | None, fewest: bool, **_: Any) -> None:
    if unique and to == "dzn":
        raise OptionError("unique", "dzn is data, which can't forbid a solution")
    if fewest and to not in (None, WCNF):
        raise OptionError("fewest", f"can only be used with wcnf, not with {to}")


@feature(
    check=_check,
    examples=(
        "[bold]binairo encode puzzle.txt | kissat[/]",
        "[bold]binairo encode puzzles.ndjson --unique auto --out cnf/[/]",
        "[bold]binairo encode puzzle.txt --to opb --out puzzle.opb.gz[/]",
    ),
)
def encode(
    puzzle: OnePuzzle,
    *,
    to: Annotated[
        Target,
        Option(
            "Format: dimacs (or cnf), opb (pseudo-Boolean), lp (facts for clingo), dzn (data for "
            "MiniZinc) or wcnf (MaxSAT: clues may be broken).",
            panel=OUTPUT,
        ),
    ] = "dimacs",
    rules: RulesOption = None,
    balance: Annotated[
        Balance,
        Option(
            "Encoding of the balance rule. With the last three, one solution has many models.",
            panel=OUTPUT,
        ),
    ] = "grid",
    unique: Annotated[
        Board | str | None,
        Option(
            "Forbid a solution, so that no model means the puzzle is unique: the cells of the "
            "solution, row by row, or auto to find one first.",
            type=str | None,
            longest=MOST_CELLS,
            metavar="SOLUTION|auto",
            panel=OUTPUT,
            is_board=True,
        ),
    ] = None,
    fewest: Annotated[
        bool,
        Option(
            "With wcnf, ask for the fewest clues that make the puzzle unique. Without this, for "
            "the clues to break.",
            panel=OUTPUT,
        ),
    ] = False,
    time_limit: Annotated[
        float | None, "Seconds, including the search for that solution; None for no limit."
    ] = None,
) -> str:
    """Encode puzzles for other solvers: SAT, MaxSAT, pseudo-Boolean, ASP and CP.

    >>> import binairo_cp as bn
    >>> text = bn.encode("1..0 .... ..1. ....", to="dimacs")
    >>> next(line for line in text.splitlines() if line.startswith("p"))
    'p cnf 92 350'

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
        PuzzleError: the puzzle has no solution.
        ExportError: the format can't express the puzzle, or the solution to forbid is none.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    if isinstance(unique, bool):
        raise ArgumentError.of("unique", "a solution, its cells, or 'auto' to find one", unique)
    unique = cells_of(unique)
    options = checked(encode, locals())
    from binairo_cp.formats import Entry

    entry = Entry(puzzle_of(puzzle, rules), id=getattr(puzzle, "id", None))
    try:
        return "".join(encoding(entry, options, time_limit))
    except NoSolution as error:
        raise PuzzleError(f"the puzzle {error}") from error


class NoSolution(ExportError):
    """The puzzle has no solution, so there is none to block or to keep."""

    def __str__(self) -> str:
        return "has no solution"


def encode_puzzles(
    entries: Iterable[Entry],
    options: Mapping[str, Any],
    *,
    out: str | None = None,
    packed: bool = False,
    time_limit: float | None = None,
    quiet: bool = False,
    workers: int | None = None,
) -> OutputSummary:
    """Encode puzzles and write them. Report those that can't be written and go on.

    A folder also gets a list, `LIST`, of which file belongs to which puzzle. Its files are `packed`
    with gzip, and made by several workers, one per core without a number.

    The time limit is in seconds per puzzle, including the search for a solution to forbid.

    Raises:
        ExportError: there are several puzzles, and `out` is not a folder.
        SourceError: a file can't be written.
    """
    from binairo_cp.batch.summaries import OutputSummary
    from binairo_cp.formats.output_files import is_folder
    from binairo_cp.workers.executors import cores

    started = perf_counter()
    summary = OutputSummary()
    work = partial(_written, options=options, time_limit=time_limit)
    if out is None or not is_folder(out):
        for entry in _one_puzzle(entries):
            _count(summary, entry, work((entry, out)))
    else:
        suffix = target_named(options["to"]).suffix + ".gz" * packed
        _write_folder(entries, out, suffix, work, summary, workers or cores())
    if not quiet:
        print(f"{summary} in {perf_counter() - started:.2f} s", file=sys.stderr)
    return summary


def _write_folder(
    entries: Iterable[Entry],
    out: str,
    suffix: str,
    work: Callable[[tuple[Entry, str]], _Problem | None],
    summary: OutputSummary,
    workers: int,
) -> None:
    from binairo_cp.batch.pipeline import worked
    from binairo_cp.formats.output_files import Folder, open_output

    folder = Folder(out)
    folder.create()
    places = ((entry, folder.place(entry.id or "", suffix)) for entry in entries)
    with open_output(os.path.join(out, LIST)) as write:
        for (entry, place), problem in worked(work, places, workers, __name__):
            _count(summary, entry, problem)
            if not problem:
                stated = ("source", entry.source), ("line", entry.line), ("id", entry.id)
                record = {"file": os.path.basename(place)} | {k: v for k, v in stated if v}
                write(f"{json.dumps(record, ensure_ascii=False)}\n")
    if folder.repeated:
        print(
            f"binairo: {folder.repeated:,} of these ids occur again, and their files have a number "
            f"after the id: {os.path.join(out, LIST)} lists them",
            file=sys.stderr,
        )


def _count(summary: OutputSummary, entry: Entry, problem: _Problem | SolverCrash | None) -> None:
    if isinstance(problem, SolverCrash):
        problem = Verdict.INVALID, str(problem)
    if problem:
        summary.add_problem(problem[0], entry, problem[1])
    else:
        summary.written += 1


def _written(
    pair: tuple[Entry, str | None], *, options: Mapping[str, Any], time_limit: float | None
) -> _Problem | None:
    from binairo_cp.formats.output_files import open_output

    entry, place = pair
    try:
        # Encode everything before opening the file, so that an error leaves no partial file.
        pieces = list(encoding(entry, options, time_limit))
    except BudgetExceeded:
        return Verdict.UNKNOWN, "was not encoded within the time limit"
    except NoSolution as error:
        return Verdict.NONE, str(error)
    except BinairoError as error:
        return Verdict.INVALID, str(error)
    with open_output(place) as write:
        for piece in pieces:
            write(piece)
    return None


def _one_puzzle(entries: Iterable[Entry]) -> list[Entry]:
    found: list[Entry] = []
    for entry in entries:
        if entry.puzzle and any(other.puzzle for other in found):
            raise ExportError(
                "several puzzles need a folder: "
                f"use {option('out', 'FOLDER/')} for one file per puzzle"
            )
        found.append(entry)
    return found


def encoding(
    entry: Entry, options: Mapping[str, Any], time_limit: float | None = None
) -> Iterator[str]:
    """The encoding of a puzzle, as pieces of text.

    Raises:
        BinairoError: the target can't express the puzzle.
        NoSolution: there is no solution to block.
        BudgetExceeded: the time limit was reached.
    """
    from binairo_cp.solving.encodings import Export

    if entry.puzzle is None:
        raise entry.error or ExportError("no puzzle")
    write = target_named(options["to"]).load()  # before the clock starts
    meter = Meter(Budget(time_limit))
    export = Export(
        entry.puzzle,
        entry.id or "",
        _blocked(entry.puzzle, options, meter),
        options["balance"],
        check_clock=meter.check_clock,
    )
    if options["fewest"]:
        export = replace(export, others=_others(export, meter))
    yield from write(export)


def _others(export: Export, meter: Meter) -> tuple[Board, ...]:
    puzzle = export.puzzle
    free = replace(puzzle, board=Board.empty(puzzle.board.height, puzzle.board.width))
    # Counting takes much less time than listing.
    counted = solutions.count(free, limit=MAX_OTHERS + 2, time_limit=meter.seconds_left)
    if counted.count > MAX_OTHERS + 1:
        raise ExportError(
            f"the rules and signs have more than {MAX_OTHERS:,} other solutions, too many to list; "
            "the command fewest finds those that matter"
        )
    found = solutions.enumerate_solutions(free, time_limit=meter.seconds_left)
    return tuple(board for board in found if board != export.blocked)


def _blocked(puzzle: Puzzle, options: Mapping[str, Any], meter: Meter) -> Board | None:
    if options["unique"] is None and not options["fewest"]:
        return None
    if options["unique"] is None or options["unique"] == AUTO:
        outcome = solutions.solve(puzzle, time_limit=meter.seconds_left)
        if outcome.verdict is Verdict.UNKNOWN:
            raise BudgetExceeded("time")
        if outcome.solution is None:
            raise NoSolution
        return outcome.solution
    return checked_solution(puzzle, options["unique"])


def checked_solution(puzzle: Puzzle, cells: str) -> Board:
    """The board of a solution from the user, after checking it against the rules.

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
