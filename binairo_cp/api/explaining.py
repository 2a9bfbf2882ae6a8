"""Hints, explanations and grades, as people solve."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from binairo_cp.api.deciding import checked
from binairo_cp.batch import explanations
from binairo_cp.deduction.styles import Coordinates, Language, Style, Symbols
from binairo_cp.errors import ArgumentError, BoardError, PuzzleError
from binairo_cp.features.arguments import PuzzleLike, RulesLike, puzzle_of, request
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.deduction.hints import Explanation, Hint
    from binairo_cp.deduction.scales import ScaleName


def hint(
    puzzle: PuzzleLike,
    board: PuzzleLike | None = None,
    *,
    best: bool = False,
    rules: RulesLike | None = None,
    language: Language = "en",
    symbols: Symbols = "digits",
    coordinates: Coordinates = "rc",
    time_limit: float | None = None,
) -> Hint:
    """Find the next step that a person could take, or the first mistake on a board.

    >>> import binairo_cp as bn
    >>> puzzle = "..1. ...0 ..10 .0.."
    >>> print(bn.hint(puzzle))
    r2c4 and r3c4 are both 0. A third 0 would make three in a row, so r1c4 and r4c4 are 1.
    >>> print(bn.hint(puzzle, "..10 .... .... ...."))
    r1c4 is wrong.
    >>> print(bn.hint(puzzle, language="de", coordinates="a1"))
    D2 und D3 sind Nullen. Drei Nullen in Folge sind nicht erlaubt, also sind D1 und D4 Einsen.

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        board: a partly filled board in any of these forms; None to start from the clues.
        best: take the step that the fewest rules and known cells imply.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic).
        language: the language of the sentences: en, de, es, fr, ja or nl.
        symbols: what 0 and 1 are called: digits, circles or sunmoon.
        coordinates: how cells are called: ``rc`` (r4c3), ``a1`` (C4), or ``none`` for the
            highlighted cell.
        time_limit: seconds; None for no limit.

    Raises:
        PuzzleError: the puzzle has no solution.
        BoardError: the board has another size.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    # Imported here and below, because the techniques take time to load.
    from binairo_cp.deduction import hints

    order = explanations.order_of(best=best)
    style = _style(language=language, symbols=symbols, coordinates=coordinates)
    return hints.hint(*_start(puzzle, board, rules, time_limit), order, style)


def explain(
    puzzle: PuzzleLike,
    board: PuzzleLike | None = None,
    *,
    best: bool = False,
    teach: bool = False,
    rules: RulesLike | None = None,
    language: Language = "en",
    symbols: Symbols = "digits",
    coordinates: Coordinates = "rc",
    time_limit: float | None = None,
) -> Explanation:
    """Find all steps to the solution, or the first mistake on a board.

    >>> import binairo_cp as bn
    >>> explanation = bn.explain("..1. ...0 ..10 .0..")
    >>> len(explanation.steps), explanation.grade.level
    (10, 'easy')

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        board: a partly filled board in any of these forms; None to start from the clues.
        best: take each time the step that the fewest rules and known cells imply.
        teach: show each technique first where it is easiest to see.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic).
        language: the language of the sentences: en, de, es, fr, ja or nl.
        symbols: what 0 and 1 are called: digits, circles or sunmoon.
        coordinates: how cells are called: ``rc`` (r4c3), ``a1`` (C4), or ``none`` for the
            highlighted cell.
        time_limit: seconds; None for no limit.

    Raises:
        OptionError: `best` and `teach` are both requested.
        BinairoError: as in `hint`.
    """
    from binairo_cp.deduction import hints

    order = explanations.order_of(best=best, teach=teach)
    style = _style(language=language, symbols=symbols, coordinates=coordinates)
    return hints.explain(*_start(puzzle, board, rules, time_limit), order, style)


def grade(
    puzzle: PuzzleLike,
    *,
    scale: ScaleName | None = None,
    rules: RulesLike | None = None,
    time_limit: float | None = None,
) -> Grade:
    """Find how hard a puzzle is for a person. Grades can be compared with ``<``.

    >>> import binairo_cp as bn
    >>> print(bn.grade("..1. ...0 ..10 .0.."))
    easy (count)
    >>> print(bn.grade("..1. ...0 ..10 .0..", scale="sgt").published)
    sgt: trivial

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        scale: also find the level by the names of this publisher: ``sgt`` or ``puzzle-binairo``.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic).
        time_limit: seconds; None for no limit.

    Raises:
        PuzzleError: the puzzle has no solution, or several.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    from binairo_cp.deduction import grading

    outcome, meter = checked(puzzle_of(puzzle, rules), time_limit)
    if outcome.verdict is Verdict.MULTIPLE:
        raise PuzzleError("the puzzle has several solutions; only unique puzzles have a grade")
    return grading.grade(outcome.puzzle, meter, _scale(scale))


def _scale(scale: ScaleName | None) -> ScaleName | None:
    from binairo_cp.deduction.scales import ScaleName

    if scale is not None and scale not in get_args(ScaleName):
        raise ArgumentError.of("scale", f"one of {', '.join(get_args(ScaleName))}", scale)
    return scale


def _style(**options: str) -> Style:
    """A style, after a check of its options."""
    checked = request("hint", **options)
    return Style(checked.language, checked.symbols, checked.coordinates)


def _start(
    puzzle: PuzzleLike,
    board: PuzzleLike | None,
    rules: RulesLike | None,
    time_limit: float | None,
) -> tuple[Puzzle, Outcome, Board | None, Meter]:
    """The arguments of `hints.hint`."""
    given = puzzle_of(puzzle, rules)
    begun = None
    if board is not None:
        size = grids.Shape(given.board.height, given.board.width)
        if isinstance(board, str):
            # Cells on one line have no size of their own.
            is_line = "\n" not in board and ":" not in board
            begun = Board.parse(f"{size}:{board}" if is_line else board)
        else:
            begun = puzzle_of(board).board
        if (begun.height, begun.width) != size:
            raise BoardError(f"the board is {begun.height}x{begun.width}; expected {size}")
    outcome, meter = checked(given, time_limit)
    return given, outcome, begun, meter
