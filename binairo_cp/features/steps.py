"""Hint, explain and grade: a puzzle as people solve it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.deduction.styles import ScaleName, Style
from binairo_cp.errors import BoardError, PuzzleError
from binairo_cp.features.arguments import PuzzleLike, RulesLike, puzzle_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import (
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
from binairo_cp.features.search import decided, solved
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.deduction.hints import Explanation, Hint


def _steps(
    subject: Subject,
    *,
    all_steps: bool,
    board: str | None = None,
    best: bool = False,
    longest_chain: int | None = None,
    most_trials: int | None = None,
    **wording: Any,
) -> dict[str, Any]:
    """The fields of logical steps, or of the first mistake on a board."""
    is_refuted = all_steps and subject.outcome.verdict is Verdict.NONE
    if not subject.outcome.solutions and not is_refuted:
        return {}
    # Imported here and below, because the techniques take time to load.
    from binairo_cp.deduction import hints
    from binairo_cp.deduction.grading import Limits

    puzzle, style = subject.puzzle, Style(**wording)
    begun = None if board is None else Board(puzzle.board.height, puzzle.board.width, board)
    meter = Meter(Budget(subject.seconds))
    given = puzzle, subject.outcome, begun, meter, style
    if all_steps:
        limits = Limits(longest_chain, most_trials)
        fields = hints.explain(*given, limits, best=best).to_dict()
    else:
        fields = hints.hint(*given, best=best).to_dict()
    return ({} if style.language == "en" else {"language": style.language}) | fields


def started(
    puzzle: PuzzleLike,
    board: PuzzleLike | None,
    rules: RulesLike | None,
    time_limit: float | None,
    decide: Callable[[Puzzle, float | None], tuple[Outcome, Meter]] = solved,
) -> tuple[Puzzle, Outcome, Board | None, Meter]:
    """The arguments of `hints.hint`, or with `decided` those of `hints.explain`."""
    given = puzzle_of(puzzle, rules)
    begun = None
    if board is not None:
        size = Size(given.board.height, given.board.width)
        if isinstance(board, str):
            # Cells on one line have no size of their own.
            is_line = "\n" not in board and ":" not in board
            begun = Board.parse(f"{size}:{board}" if is_line else board)
        else:
            begun = puzzle_of(board).board
        if (begun.height, begun.width) != size:
            raise BoardError(f"the board is {begun.height}x{begun.width}; expected {size}")
    outcome, meter = decide(given, time_limit)
    return given, outcome, begun, meter


def styled(language: str, symbols: str, coordinates: str) -> Style:
    """The style with these words.

    Raises:
        OptionError: one of them is not valid.
    """
    wording = {"language": language, "symbols": symbols, "coordinates": coordinates}
    checked(hint, wording)
    return Style(**wording)  # type: ignore[arg-type]  # they were checked


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
        "hint", partial(_steps, all_steps=False), columns=_COLUMNS, works_if_undecided=True
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
    from binairo_cp.deduction import hints

    style = styled(language, symbols, coordinates)
    return hints.hint(*started(puzzle, board, rules, time_limit), style, best=best)


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
        "explain", partial(_steps, all_steps=True), columns=_COLUMNS, works_if_undecided=True
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
    """Show every step to the solution, each with its reason; or why there is no solution.

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
    from binairo_cp.deduction import hints
    from binairo_cp.deduction.grading import Limits

    style = styled(language, symbols, coordinates)
    begun = started(puzzle, board, rules, time_limit, decided)
    limits = {"longest_chain": longest_chain, "most_trials": most_trials}
    checked(explain, limits)
    return hints.explain(*begun, style, Limits(**limits), best=best)


def _grade(
    subject: Subject,
    *,
    scale: ScaleName | None = None,
    effort: bool = False,
    longest_chain: int | None = None,
    most_trials: int | None = None,
) -> dict[str, Any]:
    if subject.outcome.verdict is not Verdict.UNIQUE:
        return {}
    from binairo_cp.deduction import grading

    meter = Meter(Budget(subject.seconds))
    limits = grading.Limits(longest_chain, most_trials)
    found = grading.grade(subject.puzzle, meter, scale, effort=effort, limits=limits)
    return {"grade": found.to_dict()}


GRADE = Analysis(
    "grade", _grade, columns=("grade.level", "grade.hardest", "grade.score"), is_columnar=True
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
    effort: Annotated[
        bool,
        Option(
            "Also estimate how much a person looks at: the expected number of looks at a line, and "
            "its quartiles.",
            panel=OUTPUT,
        ),
    ] = False,
    longest_chain: LongestChain = None,
    most_trials: MostTrials = None,
    rules: RulesOption = None,
    time_limit: TimeLimit = None,
) -> Grade:
    """Grade the difficulty for people: beginner, easy, medium, hard, expert, beyond logic.

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
    from binairo_cp.deduction import grading

    limits = {"longest_chain": longest_chain, "most_trials": most_trials}
    checked(grade, {"scale": scale, "effort": effort, **limits})
    outcome, meter = solved(puzzle_of(puzzle, rules), time_limit)
    if outcome.verdict is Verdict.MULTIPLE:
        raise PuzzleError("the puzzle has several solutions; only unique puzzles have a grade")
    return grading.grade(
        outcome.puzzle, meter, scale, effort=effort, limits=grading.Limits(**limits)
    )
