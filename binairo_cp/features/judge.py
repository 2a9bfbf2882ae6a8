"""Judge the moves of a player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.deduction.styles import Style
from binairo_cp.errors import ArgumentError, MoveError
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import (
    INPUT,
    OUTPUT,
    BoardOption,
    CellNames,
    LanguageOption,
    OnePuzzle,
    RulesOption,
    SymbolNames,
    TimeLimit,
)
from binairo_cp.features.steps import started, styled
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.solving.backends import Budget, Meter

if TYPE_CHECKING:
    from binairo_cp.deduction.judging import Judgements, Move

MoveLike = str | Sequence[tuple[int, int, int | str]]

_LONGEST = 100_000


def _judge(
    subject: Subject, *, move: str, board: str | None = None, brief: bool = False, **wording: Any
) -> dict[str, Any]:
    if not subject.outcome.solutions:
        return {}
    # Imported here and below, because the techniques take time to load.
    from binairo_cp.deduction import judging

    puzzle, style = subject.puzzle, Style(**wording)
    begun = None if board is None else Board(puzzle.board.height, puzzle.board.width, board)
    moves, meter = judging.parse_moves(move, puzzle.board), Meter(Budget(subject.seconds))
    found = judging.judge(puzzle, subject.outcome, begun, moves, meter, style, brief=brief)
    return ({} if style.language == "en" else {"language": style.language}) | found.to_dict()


@feature(
    verb="check",
    examples=(
        "[bold]binairo judge puzzle.txt --move r1c4=1[/]",
        "[bold]binairo judge puzzle.txt --board begun.txt --move 'r1c4=1, r2c2=0'[/]",
    ),
    tool="Judge moves on a puzzle, one after the other: forced (by which technique, and why), "
    "consistent with a solution but not forced, a guess that happens to be right, or wrong (with "
    "the rule that it breaks or a refutation). Also tells the credit for a whole transcript, and "
    "what a beginner could fill in next.",
    analysis=Analysis(
        "judge",
        _judge,
        columns=("judgements", "filled", "to_fill", "credit"),
        works_if_undecided=True,
    ),
)
def judge(
    puzzle: OnePuzzle,
    board: BoardOption = None,
    move: Annotated[
        MoveLike,
        Option(
            "The move, such as r1c4=1 or D1=1, or several, one after the other.",
            type=str,
            in_python="Or a list of (row, column, value), from 0.",
            longest=_LONGEST,
            metavar="MOVES",
            panel=INPUT,
            is_repeatable=True,
        ),
    ] = "",
    *,
    brief: Annotated[
        bool,
        Option(
            "Leave out the steps and their sentences, for many moves: it takes less time.",
            panel=OUTPUT,
        ),
    ] = False,
    rules: RulesOption = None,
    language: LanguageOption = "en",
    symbols: SymbolNames = "digits",
    coordinates: CellNames = "rc",
    time_limit: TimeLimit = None,
) -> Judgements:
    """Judge moves: forced, consistent, a guess or wrong, and why.

    >>> import binairo_cp as bn
    >>> puzzle = "..1. ...0 ..10 .0.."
    >>> print(bn.judge(puzzle, None, "r2c3=0, r1c4=0"))
    r2c3=0: forced (sandwich): r1c3 and r3c3 are both 1, so r2c3 is 0.
    r1c4=0: wrong: Column 4 has three 0s in a row: r1c4, r2c4 and r3c4.
    >>> judged = bn.judge(puzzle, None, [(0, 3, 1)])
    >>> judged.filled, judged.to_fill, judged.credit
    (1, 11, 0.0909)

    Raises:
        PuzzleError: the puzzle has no solution.
        BoardError: the board has another size.
        MoveError: a move is none, or not on the board.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    from binairo_cp.deduction import judging

    text = {"move": move} if isinstance(move, str) else {}
    checked(judge, {"brief": brief} | text)
    style = styled(language, symbols, coordinates)
    given, outcome, begun, meter = started(puzzle, board, rules, time_limit)
    if isinstance(move, str):
        moves = judging.parse_moves(move, given.board)
    else:
        moves = _moves(move, given.board)
    return judging.judge(given, outcome, begun, moves, meter, style, brief=brief)


def _moves(given: Any, board: Board) -> list[Move]:
    """The moves of a list of (row, column, value).

    Raises:
        ArgumentError: it is not a list.
        MoveError: an element is not a move on the board.
    """
    from binairo_cp.deduction.judging import checked_move

    expected = "(row, column, 0 or 1)"
    if not isinstance(given, Iterable):
        raise ArgumentError.of("move", f"text, or a list of {expected}", given)
    moves = []
    for each in given:
        try:
            row, column, value = each
            cell = Cell(int(row), int(column))
        except (TypeError, ValueError):
            value = ""
        if str(value) not in ("0", "1"):
            raise MoveError(f"{repr(each)[:40]} is not a move; expected {expected}")
        moves.append(checked_move(cell, str(value), board))
    return moves
