"""Hint, explain, judge and grade: a puzzle as people solve it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.deduction.styles import ScaleName, Style
from binairo_cp.errors import ArgumentError, MoveError
from binairo_cp.features.feature import Option, feature
from binairo_cp.features.options import (
    INPUT,
    OUTPUT,
    Best,
    BoardOption,
    CellNames,
    LanguageOption,
    LongestChain,
    MostTrials,
    OnePuzzle,
    RulesOption,
    SymbolNames,
    TimeLimit,
)
from binairo_cp.features.search import answer
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.deduction.hints import Explanation, Hint
    from binairo_cp.deduction.judging import Judgements, Move


MoveLike = str | Sequence[tuple[int, int, int | str]]

_LONGEST_MOVES = 100_000


def _steps(
    subject: Subject,
    *,
    all_steps: bool,
    board: Board | str | None = None,
    best: bool = False,
    longest_chain: int | None = None,
    most_trials: int | None = None,
    **wording: Any,
) -> Hint | Explanation | None:
    """The next logical step or all of them, or the first mistake on a board."""
    is_refuted = all_steps and subject.outcome.verdict is Verdict.NONE
    if not subject.outcome.solutions and not is_refuted:
        return None
    # Imported here and below, because the techniques take time to load.
    from binairo_cp.deduction import hints

    meter = Meter(Budget(subject.seconds))
    given = subject.puzzle, subject.outcome, subject.board(board), meter, Style(**wording)
    if all_steps:
        return hints.explain(
            *given, best=best, longest_chain=longest_chain, most_trials=most_trials
        )
    return hints.hint(*given, best=best)


def _in_language(
    kind: str, result: Hint | Explanation | Judgements | None, _: object
) -> dict[str, Any]:
    """The fields of a result with sentences, by its kind of record."""
    if result is None:
        return {}
    # Imported here, because a function in Python needs no record.
    from binairo_cp.formats import results

    language = result.style.language
    fields: dict[str, Any] = results.record_of(getattr(results, kind), result).present()
    return fields if language == "en" else fields | {"language": language}


_COLUMNS = ("grade.level", "steps", "mistake.sentence")


@feature(
    verb="check",
    examples=(
        "[bold]binairo hint puzzle.txt[/]",
        "[bold]binairo hint puzzle.txt --board begun.txt[/]",
        "[bold]binairo hint puzzle.txt --best[/]: the step with the smallest explanation",
    ),
    tool="Find the next logical step that a person could take and the reason for it. With board, "
    "start from a partly filled board, or find its first mistake.",
    analysis=Analysis(
        "hint",
        partial(_steps, all_steps=False),
        record=partial(_in_language, "ExplainedRecord"),
        columns=_COLUMNS,
        works_if_undecided=True,
    ),
)
def hint(
    puzzle: OnePuzzle,
    board: BoardOption = None,
    *,
    best: Best = False,
    rules: RulesOption = None,
    language: LanguageOption = "en",
    symbols: SymbolNames = "digits",
    coordinates: CellNames = "rc",
    time_limit: TimeLimit = None,
) -> Hint:
    """Show the next logical step and its reason, or the first mistake.

    >>> import binairo_cp as bn
    >>> puzzle = "..1. ...0 ..10 .0.."
    >>> print(bn.hint(puzzle))
    r2c4 and r3c4 are both 0. A third 0 would make three in a row, so r1c4 and r4c4 are 1.
    >>> print(bn.hint(puzzle, "..10 .... .... ...."))
    r1c4 is wrong.
    >>> print(bn.hint(puzzle, language="de", coordinates="a1"))
    D2 und D3 sind Nullen. Drei Nullen in Folge sind nicht erlaubt, also sind D1 und D4 Einsen.

    Raises:
        PuzzleError: the puzzle has no solution.
        BoardError: the board has another size.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    return answer(hint, locals())


@feature(
    verb="check",
    title="Explain",
    examples=(
        "[bold]binairo explain puzzle.txt[/]",
        "[bold]binairo explain puzzle.txt --to ndjson[/]",
        "[bold]binairo explain puzzle.txt --best[/]: the smallest explanation of each step",
    ),
    tool="Solve a puzzle by logical steps, each with its reason.",
    analysis=Analysis(
        "explain",
        partial(_steps, all_steps=True),
        record=partial(_in_language, "ExplainedRecord"),
        columns=_COLUMNS,
        works_if_undecided=True,
    ),
)
def explain(
    puzzle: OnePuzzle,
    board: BoardOption = None,
    *,
    best: Best = False,
    longest_chain: LongestChain = None,
    most_trials: MostTrials = None,
    rules: RulesOption = None,
    language: LanguageOption = "en",
    symbols: SymbolNames = "digits",
    coordinates: CellNames = "rc",
    time_limit: TimeLimit = None,
) -> Explanation:
    """Show every step to the solution with its reason; or why there is none.

    >>> import binairo_cp as bn
    >>> explanation = bn.explain("..1. ...0 ..10 .0..")
    >>> len(explanation.steps), explanation.grade.level
    (9, 'easy')

    If the puzzle has no solution, the steps lead from its clues to a broken rule.

    >>> print(bn.explain(".... 11.. .... ..00"))
    1. Row 2 already has both of its 1s, so r2c3 and r2c4 are 0.
    2. r4c3 and r4c4 are both 0. A third 0 would make three in a row, so r4c2 is 1.
    3. Row 4 already has both of its 0s, so r4c1 is 1.
    4. Now row 2 and row 4 are the same.
    So there is no solution.

    If the board has a mistake, the first one is the answer.

    Raises:
        BoardError: the board has another size.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    return answer(explain, locals())


def _judge(
    subject: Subject,
    *,
    move: MoveLike,
    board: Board | str | None = None,
    brief: bool = False,
    **wording: Any,
) -> Judgements | None:
    if not subject.outcome.solutions:
        return None
    from binairo_cp.deduction import judging

    puzzle, meter = subject.puzzle, Meter(Budget(subject.seconds))
    begun = subject.board(board)
    if isinstance(move, str):
        moves = judging.parse_moves(move, puzzle.board)
    else:
        moves = _moves(move, puzzle.board)
    style = Style(**wording)
    return judging.judge(puzzle, subject.outcome, begun, moves, meter, style, brief=brief)


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
        record=partial(_in_language, "JudgedRecord"),
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
            longest=_LONGEST_MOVES,
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
        ArgumentError: the move is neither text nor a list.
        MoveError: a move is none, or not on the board.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    if not isinstance(move, Iterable):
        raise ArgumentError.of("move", f"text, or a list of {_MOVE}", move)
    return answer(judge, locals())


_MOVE = "(row, column, 0 or 1)"


def _moves(given: Any, board: Board) -> list[Move]:
    """The moves of a list of (row, column, value)."""
    from binairo_cp.deduction.judging import checked_move

    moves = []
    for move in given:
        try:
            row, column, value = move
            cell = Cell(int(row), int(column))
        except (TypeError, ValueError):
            value = ""
        if str(value) not in ("0", "1"):
            raise MoveError(f"{repr(move)[:40]} is not a move; expected {_MOVE}")
        moves.append(checked_move(cell, str(value), board))
    return moves


def _grade(
    subject: Subject,
    *,
    scale: ScaleName | None = None,
    longest_chain: int | None = None,
    most_trials: int | None = None,
) -> Grade | None:
    if subject.outcome.verdict is not Verdict.UNIQUE:
        return None
    from binairo_cp.deduction import grading

    meter = Meter(Budget(subject.seconds))
    grade = grading.grade(subject.puzzle, meter, scale)
    if longest_chain is None and most_trials is None:
        return grade
    from binairo_cp.deduction import hints

    steps = hints.steps_of(subject.puzzle, None, meter)
    return grade.within(steps, longest_chain, most_trials)


GRADE = Analysis(
    "grade",
    _grade,
    record="grade",
    lacks={Verdict.MULTIPLE: "the puzzle has several solutions; only unique puzzles have a grade"},
    columns=("grade.level", "grade.hardest", "grade.score"),
    may_be_columnar=True,
)


@feature(
    verb="check",
    title="Grade",
    examples=(
        "[bold]binairo grade puzzles/[/]",
        "[bold]binairo grade puzzles.line --to ndjson --out graded.ndjson[/]",
        "[bold]binairo grade puzzles.line --scale sgt[/]: with the levels of sgt-unruly",
    ),
    tool="Grade how difficult a puzzle with one solution is for people, and explain why.",
    analysis=GRADE,
)
def grade(
    puzzle: OnePuzzle,
    *,
    scale: Annotated[
        ScaleName | None,
        Option(
            "Also report the level by the names of this publisher.", absent="none", panel=OUTPUT
        ),
    ] = None,
    longest_chain: LongestChain = None,
    most_trials: MostTrials = None,
    rules: RulesOption = None,
    time_limit: TimeLimit = None,
) -> Grade:
    """Grade the difficulty for people, from beginner to beyond logic.

    The score estimates the time that a person needs: a typical 6x6 Tango of LinkedIn has 100.

    >>> import binairo_cp as bn
    >>> print(bn.grade("..1. ...0 ..10 .0.."))
    easy (count)
    >>> print(bn.grade("..1. ...0 ..10 .0..", scale="sgt").published)
    sgt: trivial

    Grades can be compared with ``<``. If the solving path has a longer chain or more trials than
    allowed, `Grade.over` says so.

    Raises:
        PuzzleError: the puzzle has no solution, or several.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    return answer(grade, locals())
