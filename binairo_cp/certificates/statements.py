"""What a certificate states: its claim, and the boards and clues that a proof is about.

A certificate of a count lists all solutions. A certificate of no solution states only clues that
contradict each other, with a solution of the others for each of them, if such clues are found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from binairo_cp.certificates import container, record
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.record import Claim
from binairo_cp.errors import BudgetExceeded, CertificateError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction import fewest
from binairo_cp.reduction.fewest import Among
from binairo_cp.reduction.verdicts import with_only
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.minimal_conflicts import find_conflict
from binairo_cp.solving.solutions import Outcome, Verdict

MAX_SOLUTIONS = 50_000
"""Maximum number of solutions in a certificate. The proof for 40,000 takes a minute to check.

Boards larger than 9x9 may have fewer, since their file is limited too.
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a certificate states, without the proofs.

    Attributes:
        stated: The puzzle with only the clues that the formula states.
        boards: The solutions that the formula excludes.
        fields: Further fields of the manifest.
        others: For a minimum, other solutions of the rules and signs.
    """

    claim: Claim
    puzzle: Puzzle
    stated: Puzzle
    boards: tuple[Board, ...]
    files: Files
    fields: dict[str, str] = field(default_factory=dict)
    others: tuple[Board, ...] = ()


def verdict(puzzle: Puzzle, outcome: Outcome, meter: Meter) -> Statement:
    """State a verdict.

    Raises:
        BudgetExceeded: The time ran out.
    """
    claim = Claim(outcome.verdict.value)
    if claim is Claim.NONE and (found := _find_conflict(puzzle, meter)):
        stated, without = found
        files = {record.WITHOUT_CLUE: _lines(without)}
        return Statement(claim, puzzle, stated, (), files, {"conflict": stated.board.cells})
    boards = outcome.solutions
    files = {name: _rows(board) for name, board in zip(claim.solution_files, boards, strict=True)}
    return Statement(claim, puzzle, puzzle, boards, files)


def count(puzzle: Puzzle, meter: Meter) -> Statement:
    """State all solutions, in the order of their cells.

    Raises:
        CertificateError: There are too many.
        BudgetExceeded: The time ran out.
    """
    line_bytes = len(puzzle.board.cells) + 1
    most = min(MAX_SOLUTIONS, container.MAX_BYTES[record.SOLUTIONS] // line_bytes)
    found = solutions.enumerate_solutions(puzzle, limit=most + 1, time_limit=meter.seconds_left)
    boards = tuple(sorted(found, key=lambda board: board.cells))
    if len(boards) > most:
        raise CertificateError(
            f"the puzzle has more than {most:,} solutions; expected at most {most:,} "
            "for a certificate of their number"
        )
    return Statement(Claim.COUNT, puzzle, puzzle, boards, {record.SOLUTIONS: _lines(boards)})


def fewest_clues(puzzle: Puzzle, outcome: Outcome, among: Among, meter: Meter) -> Statement:
    """State the smallest number of clues, with other solutions that show that fewer are too few.

    Raises:
        CertificateError: There is not exactly one solution, or the minimum is zero or was not found
            in the budget.
        BudgetExceeded: The time ran out.
    """
    solution = outcome.solution
    if outcome.verdict is not Verdict.UNIQUE or solution is None:
        raise CertificateError("only a puzzle with exactly one solution has a minimum of clues")
    if among == "all cells":
        puzzle = replace(puzzle, board=solution)
    found = fewest.fewest_clues(puzzle, solution, budget=Budget(meter.seconds_left))
    if found.stopped_by == "time":
        raise BudgetExceeded("time")
    if not found.proved:
        raise CertificateError(
            f"the minimum was not found: it is between {found.at_least} and {found.at_most} clues"
        )
    if not found.at_most:
        raise CertificateError("the puzzle is unique without clues, so there is no fewer number")
    others = tuple(
        _other_solution(puzzle, solution, difference, meter) for difference in found.differences
    )
    return Statement(
        Claim.FEWEST,
        puzzle,
        found.puzzle,
        (solution,),
        {record.SOLUTION: _rows(solution), record.OTHERS: _lines(others)},
        {"fewest": found.puzzle.board.cells},
        others,
    )


def _other_solution(
    puzzle: Puzzle, solution: Board, difference: frozenset[int], meter: Meter
) -> Board:
    """Another solution of the rules and signs, which agrees with all clues outside a set."""
    kept = set(range(len(puzzle.board.cells))) - difference
    rest = with_only(puzzle, kept, puzzle.board)
    outcome = solutions.check(rest, time_limit=meter.seconds_left, reasons="none")
    for board in outcome.solutions:
        if board != solution:
            return board
    raise BudgetExceeded("time")


def _find_conflict(puzzle: Puzzle, meter: Meter) -> tuple[Puzzle, list[Board]] | None:
    """Find clues that contradict each other, none of which can be left out.

    Returns:
        The puzzle with these clues, and for each of them a solution for the others. None if there
        are no such clues, if they were not found in the budget, or if the solutions take too much
        room.

    Raises:
        BudgetExceeded: The time ran out.
    """
    board = puzzle.board
    found = find_conflict(puzzle, Budget(meter.seconds_left), smallest=False)
    if isinstance(found, Board) or not found.irreducible:
        return None
    if len(found.clues) * len(board.cells) > container.MAX_BYTES[record.WITHOUT_CLUE] // 2:
        return None
    stated = with_only(puzzle, map(board.place, found.clues), board)
    without = []
    for clue in found.clues:
        others = replace(stated, board=stated.board.with_cell(clue, "."))
        outcome = solutions.solve(others, time_limit=meter.seconds_left)
        if outcome.solution is None:
            raise BudgetExceeded("time")
        without.append(outcome.solution)
    return stated, without


def _rows(board: Board) -> bytes:
    """A board as a file, one row per line."""
    return "".join(f"{row}\n" for row in board.rows).encode()


def _lines(boards: Iterable[Board]) -> bytes:
    """Boards as a file, one per line."""
    return "".join(f"{board.cells}\n" for board in boards).encode()
