"""Decide many puzzles, in this process or in workers.

Plain puzzles have no signs, lines of up to 64 cells and no errors. `batch.columnar` decides them
together, and leaves those that take long or whose answer fails a check. These and all others are
decided one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, get_args

import numpy as np

from binairo_cp.batch import columnar
from binairo_cp.batch.analyses import Subject
from binairo_cp.batch.outcomes import Failure, Outcomes, Part, Result
from binairo_cp.batch.pipeline import BlockSizer
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import ArgumentError, BinairoError, LimitError, OptionError, SolverCrash
from binairo_cp.features.arguments import (
    PuzzleLike,
    RulesLike,
    check_texts,
    check_workers,
    puzzle_of,
    rules_of,
    under,
)
from binairo_cp.features.steps import GRADE
from binairo_cp.formats import Entry
from binairo_cp.puzzle import cell_values
from binairo_cp.puzzle.board import Board, plain_board
from binairo_cp.puzzle.cell_values import has_codes, is_board, is_table
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules
from binairo_cp.puzzle.shape import LONGEST
from binairo_cp.puzzle.slices import PlainPuzzles, codes_of
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.solutions import Reasons, Verdict, under_both
from binairo_cp.workers import executors

Puzzles = Iterable[PuzzleLike] | Any
"""Puzzles in any form, an n x h x w array, or a column of strings."""

Block = Any
"""A list of puzzles in any form, or an n x h x w array: bytes are codes, others are values."""

_FIRST_BLOCK = 128
_COLUMNS = ("clues", "puzzle", "board", "grid", "field", "task")
_SINGLE = (str, bytes, Mapping, Puzzle, Board)


def check_many(
    puzzles: Puzzles,
    *,
    rules: RulesLike | None = None,
    backend: str = "auto",
    reasons: Reasons = "none",
    time_limit: float | None = None,
    workers: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Outcomes:
    """Decide for many puzzles whether they have exactly one solution.

    >>> import binairo_cp as bn
    >>> outcomes = bn.check_many(["1..0......1.....", "....1..1..00.1..", "2x2:11.1", "1.x"])
    >>> outcomes.verdict.tolist()
    ['multiple', 'unique', 'none', 'invalid']
    >>> str(outcomes[1].solution).split()
    ['0011', '1001', '1100', '0110']

    Args:
        puzzles: a sequence or an iterator of puzzles in any form; an n x h x w array, as in
            `Board.from_numpy`; or a pandas, polars or pyarrow column of strings. Each string is a
            puzzle, not a row.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic); both decides each puzzle
            with and without distinct lines.
        backend: the name of a backend.
        reasons: the conflict of clues to find for puzzles without a solution, as in `check`.
        time_limit: seconds per puzzle; None for no limit.
        workers: the number of worker processes; 1 for this process.
        progress: called with the number of puzzles decided so far, after each block of them.

    Returns:
        The outcomes in order. A puzzle that can't be read becomes a `Failure` with the verdict
        invalid, one whose solver fails a `Failure` with the verdict unknown.

    Raises:
        OptionError: there are no such rules or reasons, or a `Puzzle` has other rules.
        BackendNameError: there is no such backend.
        ArgumentError: `puzzles` is one puzzle, or a table of several columns.
        Interrupted: Ctrl-C was pressed. The error has the outcomes found so far.
    """
    task = Task("check", backend, time_limit=time_limit, reasons=reasons)
    return _decided(puzzles, task, rules, workers, progress)


def solve_many(
    puzzles: Puzzles,
    *,
    rules: RulesLike | None = None,
    backend: str = "auto",
    time_limit: float | None = None,
    workers: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Outcomes:
    """Find a solution of each of many puzzles, without checking whether there are more.

    >>> import binairo_cp as bn
    >>> bn.solve_many(["1..0......1.....", "2x2:11.1"]).verdict.tolist()
    ['solved', 'none']

    The arguments, the result and the errors are those of `check_many`.
    """
    task = Task("solve", backend, time_limit=time_limit, reasons="none")
    return _decided(puzzles, task, rules, workers, progress)


def count_many(
    puzzles: Puzzles,
    *,
    rules: RulesLike | None = None,
    backend: str = "auto",
    limit: int | None = 1_000_000,
    time_limit: float | None = None,
    workers: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Outcomes:
    """Count the solutions of each of many puzzles, up to a limit (None for no limit).

    >>> import binairo_cp as bn
    >>> bn.count_many(["1..0......1.....", "2x2:11.1"]).count.tolist()
    [12, 0]

    The other arguments, the result and the errors are those of `check_many`.
    """
    if limit is not None:
        if not isinstance(limit, int) or isinstance(limit, bool):
            raise ArgumentError.of("limit", "a whole number", limit)
        if limit < 1:
            raise LimitError(f"a limit of {limit} solutions; expected 1 or more")
        limit = min(limit, sys.maxsize)
    task = Task("count", backend, limit=limit, time_limit=time_limit, reasons="none")
    return _decided(puzzles, task, rules, workers, progress)


def grade_many(
    puzzles: Puzzles,
    *,
    rules: RulesLike | None = None,
    time_limit: float | None = None,
    workers: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Outcomes:
    """Check many puzzles, and grade those with exactly one solution.

    >>> import binairo_cp as bn
    >>> outcomes = bn.grade_many(["....1..1..00.1..", "1..0......1....."])
    >>> [grade and grade.level for grade in outcomes.grade]
    ['easy', None]

    The arguments, the result and the errors are those of `check_many`.
    """
    task = Task("check", time_limit=time_limit, reasons="none", analyses=(GRADE,))
    return _decided(puzzles, task, rules_of(rules), workers, progress)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed while puzzles were being decided.

    Args:
        outcomes: the outcomes of the puzzles that were decided before, in order.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        super().__init__(f"puzzles decided: {len(outcomes)}")
        self.outcomes = outcomes


def _decided(
    puzzles: Puzzles,
    task: Task,
    rules: RulesLike | None,
    workers: int,
    progress: Callable[[int], object] | None,
) -> Outcomes:
    if rules == "both":
        task, rules = replace(task, both_readings=True), None
    chosen = rules_of(rules)
    if not isinstance(task.backend, str):
        raise ArgumentError.of("backend", "the name of a backend", task.backend)
    backends.get(task.backend)
    if progress is not None and not callable(progress):
        raise ArgumentError.of("progress", "a function", progress)
    if task.reasons not in get_args(Reasons):
        expected = ", ".join(get_args(Reasons))
        raise OptionError("reasons", f"expected one of {expected}, not {task.reasons!r}")
    check_workers(workers)
    Budget(task.time_limit)
    check_texts(puzzles)
    sizer = BlockSizer(workers, first=_FIRST_BLOCK)
    parts: list[Part] = []
    done = 0
    try:
        for part in _parts(_blocks(puzzles, sizer), partial(_decide_block, task, chosen), workers):
            sizer.update(part.number, part.seconds)
            parts.append(part)
            done += part.number
            if progress:
                progress(done)
    except KeyboardInterrupt as error:
        raise Interrupted(Outcomes(parts)) from error
    return Outcomes(parts)


def _blocks(puzzles: Puzzles, sizer: BlockSizer) -> Iterator[Block]:
    """The puzzles in blocks: parts of an array, or lists.

    Raises:
        ArgumentError: they can't be iterated, or are one board, or a table.
    """
    _expect_several(puzzles)
    if isinstance(puzzles, np.ndarray) and puzzles.ndim == 3 and puzzles.dtype.kind in "buif":
        if puzzles.dtype == np.uint8:
            # Bytes are codes from here on.
            is_coded = has_codes(puzzles)
            puzzles = np.ma.filled(puzzles, ord(".")) if is_coded else puzzles.astype(np.int16)
        start = 0
        while start < len(puzzles):
            block = puzzles[start : start + sizer.size()]
            start += len(block)
            yield block
        return
    # The values of Arrow columns are not strings, and know it.
    column = puzzles.to_pylist() if hasattr(puzzles, "to_pylist") else puzzles
    rest = iter(column)
    while values := list(islice(rest, sizer.size())):
        yield values


def _expect_several(puzzles: Puzzles) -> None:
    if is_table(puzzles):
        names = list(getattr(puzzles, "column_names", None) or puzzles.columns)  # type: ignore[union-attr]
        name = next(iter([*filter(_COLUMNS.__contains__, names), *names, "clues"]))
        raise ArgumentError(
            f"puzzles: expected one column, such as table[{name!r}], not a table "
            "(check takes the table of one board)"
        )
    if isinstance(puzzles, _SINGLE) or not isinstance(puzzles, Iterable):
        raise ArgumentError.of("puzzles", "several puzzles", puzzles)
    shape = getattr(puzzles, "shape", None)
    kind = getattr(getattr(puzzles, "dtype", None), "kind", "O")
    if shape is not None and (len(shape) not in (1, 3) or (len(shape) == 1 and kind in "biufc")):
        raise ArgumentError(
            "puzzles: expected an array of n x h x w cells, or of n texts, not one with the shape "
            f"{tuple(shape)} (check takes the array of one board)"
        )
    if is_board(puzzles):
        raise ArgumentError("puzzles: expected several puzzles, not one (check takes one board)")


def _parts(
    blocks: Iterator[Block], decided: Callable[[Block], Part], workers: int
) -> Iterator[Part]:
    if workers == 1:
        yield from map(decided, blocks)
        return
    with executors.WorkerSettings(workers).open() as pool:
        for block, part in executors.map_blocks(pool, decided, blocks, _halves):
            if isinstance(part, SolverCrash):
                yield Part(
                    len(block), _origins_of(block), singles={0: Failure(Verdict.UNKNOWN, part)}
                )
            else:
                yield part


def _halves(block: Block) -> list[Block]:
    middle = len(block) // 2
    return [block[:middle], block[middle:]] if middle else [block]


def _decide_block(task: Task, rules: Rules | None, block: Block) -> Part:
    """The outcomes of a block of puzzles."""
    started = monotonic()
    part = Part(len(block), _origins_of(block))
    is_left = np.ones(len(block), np.bool_)
    if task.is_columnar:
        plan = replace(columnar.plan_of(task), kept=1 if task.verb == "solve" else 2)
        for puzzles in _plain(block, rules):
            group = columnar.decide(puzzles, plan)
            places = group.puzzles.lines
            is_left[places] = False
            part.groups.append(group)
            grades = zip(places.tolist(), group.grades or (), strict=False)
            part.grades.update((place, grade) for place, grade in grades if grade)
    for place in np.flatnonzero(is_left).tolist():
        part.singles[place] = _decide_one(task, rules, block, place, part)
    return replace(part, seconds=monotonic() - started)


def _origins_of(block: Block) -> dict[int, Entry]:
    """Where entries and generated puzzles come from, by position."""
    if isinstance(block, np.ndarray):
        return {}
    return {
        place: Entry(id=id, source=getattr(value, "source", ""), line=getattr(value, "line", None))
        for place, value in enumerate(block)
        if isinstance(id := getattr(value, "id", None), str) and id
    }


def _plain(block: Block, rules: Rules | None) -> Iterator[PlainPuzzles]:
    """The plain puzzles, by shape and rules; their lines are their positions."""
    if not isinstance(block, np.ndarray):
        yield from columnar.by_shape(_boards(block, rules))
    elif 0 < min(block.shape[1:]) <= max(block.shape[1:]) <= LONGEST:
        yield from columnar.of_array(np.arange(len(block)), codes_of(block), rules or CLASSIC)


def _boards(block: list[Any], rules: Rules | None) -> Iterator[tuple[int, int, int, str, Rules]]:
    """The position, height, width, cells and rules of puzzles in a list that may be plain."""
    for place, value in enumerate(block):
        if isinstance(value, str):
            if board := plain_board(value):
                yield place, board.height, board.width, board.cells, rules or CLASSIC
            continue
        puzzle = getattr(value, "puzzle", value)
        if isinstance(puzzle, Puzzle) and not puzzle.signs:
            board, chosen = puzzle.board, under(puzzle, value, rules).rules
            yield place, board.height, board.width, board.cells, chosen


def _decide_one(task: Task, rules: Rules | None, block: Block, place: int, part: Part) -> Result:
    """The outcome of a puzzle, or the reason why there is none."""
    try:
        value = block[place]
        if isinstance(block, np.ndarray) and block.dtype == np.uint8:
            # In an array of codes, a board without any is not one of values.
            value = Board.from_rows(cell_values.coded_rows(value))
        puzzle = puzzle_of(value, rules)
    except OptionError:
        raise  # It is about the call, not about this puzzle.
    except BinairoError as error:
        return Failure(Verdict.INVALID, error)
    try:
        search = partial(
            solutions.search,
            verb=task.verb,
            backend=task.backend,
            limit=task.limit,
            time_limit=task.time_limit,
            reasons=task.reasons or "none",
        )
        if task.both_readings:
            best, readings = under_both(puzzle, search)
            return replace(best, readings=readings)
        outcome = search(puzzle)
        for analysis in task.analyses:
            if grade := analysis.find(Subject(puzzle, outcome, task.time_limit)):
                part.grades[place] = grade
    except Exception as error:
        # The other puzzles are not lost.
        return Failure(Verdict.UNKNOWN, error, puzzle)
    return outcome
