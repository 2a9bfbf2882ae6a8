"""Hints, explanations and grades, as people solve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from binairo_cp.api.arguments import PuzzleLike, RulesLike, cells_of, puzzle_of
from binairo_cp.api.deciding import checked
from binairo_cp.errors import PuzzleError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.deduction.hints import Explanation, Hint


def hint(
    puzzle: PuzzleLike,
    board: Board | str | None = None,
    *,
    rules: RulesLike | None = None,
    time_limit: float | None = None,
) -> Hint:
    """Find the next step that a person could take, or the first mistake on a board.

    >>> import binairo_cp as bn
    >>> puzzle = "..1. ...0 ..10 .0.."
    >>> print(bn.hint(puzzle))
    r2c4 and r3c4 are both 0. A third 0 would make three in a row, so r1c4 and r4c4 are 1.
    >>> print(bn.hint(puzzle, "..10 .... .... ...."))
    r1c4 is wrong.

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, or an object with a puzzle.
        board: a partly filled board, or its cells; None to start from the clues.
        rules: rules for puzzles that do not name their own (default: plus for puzzles with signs,
            otherwise classic).
        time_limit: seconds; None for no limit.

    Raises:
        PuzzleError: the puzzle has no solution.
        BoardError: the board has another size.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    # Imported here and below, because the techniques take time to load.
    from binairo_cp.deduction import hints

    return hints.hint(*_start(puzzle, board, rules, time_limit))


def explain(
    puzzle: PuzzleLike,
    board: Board | str | None = None,
    *,
    rules: RulesLike | None = None,
    time_limit: float | None = None,
) -> Explanation:
    """Find all steps to the solution, or the first mistake on a board.

    >>> import binairo_cp as bn
    >>> explanation = bn.explain("..1. ...0 ..10 .0..")
    >>> len(explanation.steps), explanation.grade.level
    (10, 'easy')

    Raises:
        BinairoError: as in `hint`.
    """
    from binairo_cp.deduction import hints

    return hints.explain(*_start(puzzle, board, rules, time_limit))


def grade(
    puzzle: PuzzleLike, *, rules: RulesLike | None = None, time_limit: float | None = None
) -> Grade:
    """Find how hard a puzzle is for a person. Grades can be compared with ``<``.

    >>> import binairo_cp as bn
    >>> print(bn.grade("..1. ...0 ..10 .0.."))
    easy (count)

    Raises:
        PuzzleError: the puzzle has no solution, or several.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    from binairo_cp.deduction import grading

    outcome, meter = checked(puzzle_of(puzzle, rules), time_limit)
    if outcome.verdict is Verdict.MULTIPLE:
        raise PuzzleError("the puzzle has several solutions; only unique puzzles have a grade")
    return grading.grade(outcome.puzzle, meter)


def _start(
    puzzle: PuzzleLike,
    board: Board | str | None,
    rules: RulesLike | None,
    time_limit: float | None,
) -> tuple[Puzzle, Outcome, Board | None, Meter]:
    """The arguments of `hints.hint`."""
    given = puzzle_of(puzzle, rules)
    begun = None
    if board is not None:
        cells = cells_of(board) if isinstance(board, Board) else Board.parse(board).cells
        begun = Board(given.board.height, given.board.width, cells or "")
    outcome, meter = checked(given, time_limit)
    return given, outcome, begun, meter
