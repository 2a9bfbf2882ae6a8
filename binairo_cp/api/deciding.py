"""Solve, check and count puzzles given in any form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

from binairo_cp.errors import BudgetExceeded, PuzzleError
from binairo_cp.features.arguments import PuzzleLike, RulesLike, puzzle_of
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import backbones, backends, readings, solutions
from binairo_cp.solving.backbones import Backbone
from binairo_cp.solving.backends import Backend, Budget, Meter
from binairo_cp.solving.solutions import Outcome, Reasons, Verdict

BOTH: Literal["both"] = "both"
"""Rules that stand for two readings: with distinct lines and without."""


def solve(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    backend: str | Backend = backends.DEFAULT,
    cross_check: str | Backend | None = None,
    limit: int = 1,
    time_limit: float | None = None,
) -> Outcome:
    """Find a solution, or up to `limit` solutions, without checking whether there are more.

    >>> import binairo_cp as bn
    >>> print(bn.solve("..1. ...0 ..10 .0..").solution)
    0011
    1100
    0110
    1001

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        rules: classic (distinct lines), unruly (lines may repeat), plus or tango (signs; lines may
            repeat), or `Rules`, for puzzles that do not name their own. The default is plus for
            puzzles with signs, otherwise classic; ``both`` solves with distinct lines and without.
        backend: a backend, or a name for `backends.get`.
        cross_check: a second backend that solves the puzzle too and must agree. The command line
            names both: ``--cross-check A,B`` is ``backend="A", cross_check="B"``.
        limit: stop after this number of solutions.
        time_limit: seconds for each backend; None for no limit.

    Returns:
        An outcome with all solutions found. Its verdict is solved, none or unknown.

    Raises:
        FormatError: the text is not one puzzle.
        BoardError: the rows are not a board.
        LimitError: `limit` is below 1, or `time_limit` is negative.
        OptionError: there are no such rules.
        BackendError: a backend does not support the puzzle, or failed.
        Disagreement: two backends contradict each other.
        ArgumentError: `puzzle` is of another type.
    """

    def search(puzzle: Puzzle) -> Outcome:
        return solutions.solve(
            puzzle, backend=backend, cross_check=cross_check, limit=limit, time_limit=time_limit
        )

    return _decided(puzzle, rules, search)


def check(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    backend: str | Backend = backends.DEFAULT,
    cross_check: str | Backend | None = None,
    limit: int = 2,
    backbone: bool = False,
    reasons: Reasons | None = None,
    time_limit: float | None = None,
) -> Outcome:
    """Decide whether a puzzle has exactly one solution.

    >>> import binairo_cp as bn
    >>> outcome = bn.check("1..0 .... ..1. ....")
    >>> str(outcome.verdict), len(outcome.differences)
    ('multiple', 4)

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        rules: classic (distinct lines), unruly (lines may repeat), plus or tango (signs; lines may
            repeat), or `Rules`, for puzzles that do not name their own. The default is plus for
            puzzles with signs, otherwise classic; ``both`` checks with distinct lines and without.
        backend: a backend, or a name for `backends.get`.
        cross_check: a second backend that checks the puzzle too and must agree. The command line
            names both: ``--cross-check A,B`` is ``backend="A", cross_check="B"``.
        limit: stop after this number of solutions, at least 2.
        backbone: also find the cells that are the same in all solutions.
        reasons: the conflict of clues to find in the remaining time if there is no solution:
            ``none``, ``quick`` (an irreducible one) or ``smallest`` (the default).
        time_limit: seconds for each backend, and for the backbone; None for no limit.

    Returns:
        An outcome with at most two solutions. Its verdict is unique, multiple, none or unknown.

    Raises:
        LimitError: `limit` is below 2, or `time_limit` is negative.
        BinairoError: as in `solve`.
    """

    def search(puzzle: Puzzle) -> Outcome:
        outcome = solutions.check(
            puzzle,
            backend=backend,
            cross_check=cross_check,
            limit=limit,
            time_limit=time_limit,
            reasons="smallest" if reasons is None else reasons,
        )
        if not backbone or outcome.verdict is not Verdict.MULTIPLE:
            return outcome
        same = backbones.backbone(puzzle, backend=backend, time_limit=time_limit)
        return replace(outcome, backbone=same)

    return _decided(puzzle, rules, search)


def count(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    backend: str | Backend = backends.DEFAULT,
    cross_check: str | Backend | None = None,
    limit: int | None = 1_000_000,
    time_limit: float | None = None,
) -> Outcome:
    """Count the solutions of a puzzle.

    >>> import binairo_cp as bn
    >>> bn.count("1..0 .... ..1. ....").count
    12

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        rules: classic (distinct lines), unruly (lines may repeat), plus or tango (signs; lines may
            repeat), or `Rules`, for puzzles that do not name their own. The default is plus for
            puzzles with signs, otherwise classic; ``both`` counts with distinct lines and without.
        backend: a backend, or a name for `backends.get`.
        cross_check: a second backend that counts the puzzle too and must agree. The command line
            names both: ``--cross-check A,B`` is ``backend="A", cross_check="B"``.
        limit: stop after this number of solutions; None for no limit.
        time_limit: seconds for each backend; None for no limit.

    Returns:
        An outcome with the first two solutions. If it is not `complete`, `count` is the number of
        solutions found before `stopped_by`.

    Raises:
        BinairoError: as in `solve`.
    """

    def search(puzzle: Puzzle) -> Outcome:
        return solutions.count(
            puzzle, backend=backend, cross_check=cross_check, limit=limit, time_limit=time_limit
        )

    return _decided(puzzle, rules, search)


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
    return backbones.backbone(puzzle_of(puzzle, rules), backend=backend, time_limit=time_limit)


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


def _decided(
    puzzle: PuzzleLike, rules: RulesLike | None, search: Callable[[Puzzle], Outcome]
) -> Outcome:
    if rules != BOTH:
        one = puzzle if type(puzzle) is Puzzle and rules is None else puzzle_of(puzzle, rules)
        return search(one)
    each = {name: search(one) for name, one in readings.readings(puzzle_of(puzzle)).items()}
    return replace(readings.best(each.values()), readings=each)


def checked(puzzle: Puzzle, time_limit: float | None) -> tuple[Outcome, Meter]:
    """The outcome of a check for functions that need a solution, and the meter of their time.

    Raises:
        PuzzleError: the puzzle has no solution.
        BudgetExceeded: the time ran out.
    """
    meter = Meter(Budget(time_limit))
    outcome = solutions.check(puzzle, time_limit=time_limit, reasons="none")
    if outcome.verdict is Verdict.NONE:
        raise PuzzleError("the puzzle has no solution")
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("work" if outcome.stopped_by == "work" else "time")
    return outcome, meter
