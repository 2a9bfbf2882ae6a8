"""Solve, check and count: the searches for solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeVar

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.errors import BoardError, BudgetExceeded, LimitError, PuzzleError
from binairo_cp.features.arguments import PuzzleLike, RulesLike, puzzle_of
from binairo_cp.features.feature import Option, checked, feature, feature_of, options_of
from binairo_cp.features.options import (
    MOST_SOLUTIONS,
    SEARCH,
    BackendOption,
    CrossCheck,
    OnePuzzle,
    SearchRules,
    SearchTimeLimit,
)
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.rules import is_solution as not_violated
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backbones import Backbone
from binairo_cp.solving.backbones import backbone as find_backbone
from binairo_cp.solving.backends import Backend, Budget, Meter
from binairo_cp.solving.solutions import Outcome, Reasons, Verb, Verdict, under_both

MOST_COUNTED = 1_000_000

_NO_OPTIONS = ("puzzle", "rules", "time_limit")

Kind = TypeVar("Kind")

_limit = partial(
    Option, "Stop after this many solutions of a puzzle.", most=MOST_SOLUTIONS, panel=SEARCH
)


@feature(
    verb="solve",
    title="Solve",
    examples=(
        "[bold]binairo solve puzzle.txt[/]",
        "[bold]binairo solve puzzles/ --to ndjson --out solved.ndjson[/]",
        "[bold]cat puzzles.line | binairo solve --to line --rules unruly[/]",
    ),
    tool="Solve a puzzle, and return one solution or, with limit, several.",
)
def solve(
    puzzle: OnePuzzle,
    *,
    rules: SearchRules = None,
    backend: BackendOption = backends.DEFAULT,
    cross_check: CrossCheck = None,
    limit: Annotated[int, _limit(least=1)] = 1,
    time_limit: SearchTimeLimit = None,
) -> Outcome:
    """Solve a puzzle: find one solution, or several up to a limit.

    >>> import binairo_cp as bn
    >>> print(bn.solve("..1. ...0 ..10 .0..").solution)
    0011
    1100
    0110
    1001

    The command line names two backends that must agree with one option: ``--cross-check A,B`` is
    ``backend="A", cross_check="B"``.

    Returns:
        An outcome with all solutions found. Its verdict is solved, none or unknown, since nobody
        looked for more solutions.

    Raises:
        FormatError: the text is not one puzzle.
        BoardError: the rows are not a board.
        LimitError: `limit` is below 1, or `time_limit` is negative.
        OptionError: there are no such rules.
        BackendError: a backend does not support the puzzle, or failed.
        Disagreement: two backends contradict each other.
        ArgumentError: `puzzle` is of another type.
    """
    return _decided("solve", locals())


def _backbone(subject: Subject, *, backend: str | Backend, **_: Any) -> Backbone | None:
    if subject.outcome.verdict is not Verdict.MULTIPLE:
        return None
    return find_backbone(subject.puzzle, backend=backend, time_limit=subject.seconds)


@feature(
    verb="check",
    title="Check uniqueness",
    examples=(
        "[bold]binairo check puzzle.txt[/]",
        "[bold]binairo check 'collection/*.txt' --rules both[/]",
        "[bold]binairo check puzzles.ndjson --cross-check pysat,cpsat --to ndjson[/]",
    ),
    tool="Decide whether a puzzle has exactly one solution. The verdict is unique, multiple, none "
    "or unknown. With several solutions, two of them are returned with their differences; with "
    "none, a smallest set of clues that contradict each other.",
    analysis=Analysis(
        "backbone",
        _backbone,
        record=lambda result, _: result.to_dict() if result else {},
        columns=("backbone",),
        only_if="backbone",
    ),
)
def check(
    puzzle: OnePuzzle,
    *,
    rules: SearchRules = None,
    backend: BackendOption = backends.DEFAULT,
    cross_check: CrossCheck = None,
    limit: Annotated[
        int,
        # Over HTTP, `count` has a limit.
        _limit(least=2, in_python="At least 2.", over_http=False),
    ] = 2,
    backbone: Annotated[
        bool, Option("Report the cells that are the same in all solutions.", panel=SEARCH)
    ] = False,
    reasons: Annotated[
        Reasons | None,
        Option(
            "For puzzles without a solution, report conflicting clues: quick gives a minimal set "
            "(no clue can be dropped); smallest gives a set with the fewest clues, which can take "
            "seconds.",
            absent="smallest for one puzzle, none for several",
            panel=SEARCH,
        ),
    ] = None,
    time_limit: SearchTimeLimit = None,
) -> Outcome:
    """Check whether a puzzle has one solution: unique, multiple, none or unknown.

    >>> import binairo_cp as bn
    >>> outcome = bn.check("1..0 .... ..1. ....")
    >>> str(outcome.verdict), len(outcome.differences)
    ('multiple', 4)

    Returns:
        An outcome with at most two solutions. Its verdict is unique, multiple, none or unknown.

    Raises:
        LimitError: `limit` is below 2, or `time_limit` is negative.
        BinairoError: as in `solve`.
    """
    if limit is None:
        raise LimitError("a limit of None solutions can't show uniqueness; expected 2 or more")
    if backbone is not False:
        checked(check, {"backbone": backbone})
    reasons = "smallest" if reasons is None else reasons
    return _decided("check", locals())


@feature(
    verb="count",
    title="Count solutions",
    examples=(
        "[bold]binairo count puzzle.txt[/]",
        "[bold]binairo count puzzles.line --limit 1000 --to line[/]",
        "[bold]binairo count open.txt --all --time-limit 3600[/]",
    ),
)
def count(
    puzzle: OnePuzzle,
    *,
    rules: SearchRules = None,
    backend: BackendOption = backends.DEFAULT,
    cross_check: CrossCheck = None,
    limit: Annotated[int | None, _limit(least=1, in_python="None for no limit.")] = MOST_COUNTED,
    time_limit: SearchTimeLimit = None,
) -> Outcome:
    """Count the solutions of a puzzle, up to a limit.

    >>> import binairo_cp as bn
    >>> bn.count("1..0 .... ..1. ....").count
    12

    Returns:
        An outcome with the first two solutions. If it is not `complete`, `count` is the number of
        solutions found before `stopped_by`.

    Raises:
        BinairoError: as in `solve`.
    """
    return _decided("count", locals())


def backbone(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    backend: str | Backend = backends.DEFAULT,
    time_limit: float | None = None,
) -> Backbone | None:
    """Find the cells that are the same in all solutions; None if there is no solution.

    >>> import binairo_cp as bn
    >>> print(bn.backbone("1..0 1... ..1. ....").board)
    1..0
    1...
    0.1.
    0...

    Raises:
        BinairoError: as in `solve`.
    """
    return find_backbone(puzzle_of(puzzle, rules), backend=backend, time_limit=time_limit)


def enumerate_solutions(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    backend: str | Backend = backends.DEFAULT,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[Board]:
    """Yield each solution of a puzzle once, in no particular order, as soon as it is found.

    >>> import binairo_cp as bn
    >>> len(list(bn.enumerate_solutions("1..0 .... ..1. ....")))
    12

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic).
        backend: a backend, or a name for `backends.get`.
        limit: stop after this number of solutions; None for no limit.
        time_limit: seconds from the first `next` call; None for no limit.

    Raises:
        BudgetExceeded: the time ran out. There may be more solutions.
        BinairoError: as in `solve`.
    """
    return solutions.enumerate_solutions(
        puzzle_of(puzzle, rules), backend=backend, limit=limit, time_limit=time_limit
    )


def is_solution(puzzle: PuzzleLike, board: PuzzleLike) -> bool:
    """Whether a board is full and has no violations.

    >>> import binairo_cp as bn
    >>> bn.is_solution("..1. ...0 ..10 .0..", "0011 1100 0110 1001")
    True

    Raises:
        BoardError: the two boards differ in size.
        BinairoError: as in `solve`.
    """
    return not_violated(puzzle_of(puzzle), puzzle_of(board).board)


def _decided(verb: Verb, options: dict[str, Any]) -> Outcome:
    puzzle, rules = options.pop("puzzle"), options.pop("rules")
    if rules == "both":
        best, readings = under_both(
            puzzle_of(puzzle),
            lambda variant: _decided(verb, {"puzzle": variant, "rules": None} | options),
        )
        return replace(best, readings=readings)
    with_backbone = options.pop("backbone", False)
    one = puzzle if type(puzzle) is Puzzle and rules is None else puzzle_of(puzzle, rules)
    outcome = solutions.search(one, verb, **options)
    if not with_backbone:
        return outcome
    subject = Subject(one, outcome, options["time_limit"])
    return replace(outcome, backbone=_backbone(subject, backend=options["backend"]))


def answer(function: Callable[..., Kind], given: Mapping[str, Any]) -> Kind:
    """What a feature finds out about one puzzle, for its function in Python and all arguments.

    Raises:
        PuzzleError: there is no result, because the puzzle has no solution or several.
        BudgetExceeded: the time ran out.
    """
    analysis: Any = feature_of(function).analysis
    options = {name: value for name, value in given.items() if name not in _NO_OPTIONS}
    boards = {field.name for field in options_of(function) if field.option.is_board}
    checked(function, {name: option for name, option in options.items() if name not in boards})
    puzzle, time_limit = puzzle_of(given["puzzle"], given["rules"]), given["time_limit"]
    options |= {name: _begun_on(puzzle, options[name]) for name in boards}
    meter = Meter(Budget(time_limit))
    outcome = solutions.check(puzzle, time_limit=time_limit, reasons="none")
    result: Kind | None = analysis.find(Subject(puzzle, outcome, meter.seconds_left), **options)
    if result is not None:
        return result
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("work" if outcome.stopped_by == "work" else "time")
    raise PuzzleError(analysis.lacks.get(outcome.verdict, "the puzzle has no solution"))


def _begun_on(puzzle: Puzzle, board: PuzzleLike | None) -> Board | None:
    """A board of a puzzle, given in any form."""
    if board is None:
        return None
    size = Size(puzzle.board.height, puzzle.board.width)
    if isinstance(board, str):
        # Cells on one line have no size of their own.
        is_line = "\n" not in board and ":" not in board
        begun = Board.parse(f"{size}:{board}" if is_line else board)
    else:
        begun = puzzle_of(board).board
    if (begun.height, begun.width) != size:
        raise BoardError(f"the board is {begun.height}x{begun.width}; expected {size}")
    return begun
