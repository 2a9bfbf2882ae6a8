"""Decide many puzzles: the plain ones as arrays, the others one by one.

Plain puzzles have no signs, lines of up to 64 cells and no errors. Puzzles that take long, or whose
answer fails a check, are also decided one by one, as in files (`batch.bulk`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import isqrt
from time import perf_counter
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from binairo_cp.api.arguments import (
    PuzzleLike,
    RulesLike,
    check_workers,
    puzzle_of,
    rules_of,
)
from binairo_cp.api.outcomes import (
    VERDICTS,
    Cells,
    Failure,
    Group,
    Numbers,
    Outcomes,
    Part,
    Result,
)
from binairo_cp.errors import ArgumentError, BinairoError, LimitError, OptionError, SolverCrash
from binairo_cp.puzzle.board import OPEN, SYMBOLS, Board
from binairo_cp.puzzle.grids import OPEN_MARKS
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules
from binairo_cp.puzzle.verification import LONGEST, Flags
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Outcome, Reasons, Verb, Verdict
from binairo_cp.workers import executors

if TYPE_CHECKING:
    from binairo_cp.deduction.grading import Grade

Puzzles = Iterable[PuzzleLike] | Any
"""Puzzles in any form, an n x h x w array of bytes, or a column of strings."""

_Block = Any
"""A list of puzzles in any form, or an n x h x w array of bytes."""

_Plain = tuple[Numbers, Cells, Rules]
"""The positions of n plain puzzles in their block, their clues, and their rules."""

_FIRST_BLOCK = 512
_SMALLEST_BLOCK = 16
_LARGEST_BLOCK = 8_192
"""The most puzzles that are decided together."""

_SECONDS_A_BLOCK = 0.25

_SMALL = 1_024
"""The number of puzzles for a worker at a time."""

_WORTH_LOADING = 20_000
"""Cells for which loading the compiled search pays off."""

_LEAST_TIME_LIMIT = 1.0
"""The compiled search watches no clock, but ends after milliseconds."""

_COMPILED = "binairo_cp.solving.backends.bitboard.kernel"
_PRELOADED = "binairo_cp.solving.many"

_CELLS = np.zeros(256, np.uint8)
"""The cell for each character: ``0``, ``1`` or ``.``; 0 for other characters."""
_CELLS[list(SYMBOLS.encode())] = list(SYMBOLS.encode())
_CELLS[list("".join(OPEN_MARKS).encode())] = ord(OPEN)


@dataclass(frozen=True, slots=True)
class _Work:
    """What to do with each block of puzzles; it travels to the workers."""

    verb: Verb
    limit: int | None
    rules: Rules | None
    backend: str
    reasons: Reasons
    time_limit: float | None
    graded: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether plain puzzles can be decided together."""
        is_fast = self.time_limit is None or self.time_limit >= _LEAST_TIME_LIMIT
        return is_fast and self.backend in ("auto", "bitboard")


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
    >>> outcomes = bn.check_many(["1..0......1.....", "....1..1..00.1..", "11.1", "1.x"])
    >>> outcomes.verdict.tolist()
    ['multiple', 'unique', 'none', 'invalid']
    >>> str(outcomes[1].solution).split()
    ['0011', '1001', '1100', '0110']

    Args:
        puzzles: a sequence or an iterator of puzzles in any form; an n x h x w array of uint8 with
            the ASCII codes of ``0``, ``1`` and ``.``; or a pandas, polars or pyarrow column of
            strings, each a puzzle.
        rules: rules for puzzles that do not name their own (default: plus for puzzles with signs,
            otherwise classic).
        backend: the name of a backend.
        reasons: the conflict of clues to find for puzzles without a solution, as in `check`.
        time_limit: seconds per puzzle; None for no limit.
        workers: the number of worker processes; 1 for this process.
        progress: called with the number of puzzles decided so far, after each block of them.

    Returns:
        The outcomes in order. A puzzle that can't be read becomes a `Failure` with the verdict
        invalid, one whose solver fails a `Failure` with the verdict unknown.

    Raises:
        OptionError: there are no such rules or reasons.
        BackendNameError: there is no such backend.
        ArgumentError: `puzzles` can't be iterated, or the array has another shape or type.
        Interrupted: Ctrl-C was pressed. The error has the outcomes found so far.
    """
    work = _Work("check", 2, rules_of(rules), backend, reasons, time_limit)
    return _decided(puzzles, work, workers, progress)


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
    >>> bn.solve_many(["1..0......1.....", "11.1"]).verdict.tolist()
    ['solved', 'none']

    The arguments, the result and the errors are those of `check_many`.
    """
    work = _Work("solve", 1, rules_of(rules), backend, "none", time_limit)
    return _decided(puzzles, work, workers, progress)


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
    >>> bn.count_many(["1..0......1.....", "11.1"]).count.tolist()
    [12, 0]

    The other arguments, the result and the errors are those of `check_many`.
    """
    if limit is not None:
        if not isinstance(limit, int) or isinstance(limit, bool):
            raise ArgumentError.of("limit", "a whole number", limit)
        if limit < 1:
            raise LimitError(f"a limit of {limit} solutions; expected 1 or more")
        limit = min(limit, sys.maxsize)
    work = _Work("count", limit, rules_of(rules), backend, "none", time_limit)
    return _decided(puzzles, work, workers, progress)


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
    work = _Work("check", 2, rules_of(rules), "auto", "none", time_limit, graded=True)
    return _decided(puzzles, work, workers, progress)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C was pressed while puzzles were being decided.

    Args:
        outcomes: the outcomes of the puzzles that were decided before, in order.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        super().__init__(f"{len(outcomes)} puzzles were decided")
        self.outcomes = outcomes


def _decided(
    puzzles: Puzzles, work: _Work, workers: int, progress: Callable[[int], object] | None
) -> Outcomes:
    if not isinstance(work.backend, str):
        raise ArgumentError.of("backend", "the name of a backend", work.backend)
    backends.get(work.backend)
    if work.reasons not in get_args(Reasons):
        expected = ", ".join(get_args(Reasons))
        raise OptionError("reasons", f"expected one of {expected}, not {work.reasons!r}")
    check_workers(workers)
    Budget(work.time_limit)
    parts: list[Part] = []
    done = 0
    try:
        for part in _parts(_blocks(puzzles), work, workers):
            parts.append(part)
            done += part.number
            if progress:
                progress(done)
    except KeyboardInterrupt as error:
        raise Interrupted(Outcomes(parts)) from error
    return Outcomes(parts)


def _blocks(puzzles: Puzzles) -> Iterator[_Block]:
    """The puzzles in blocks: parts of an array, or lists.

    Raises:
        ArgumentError: they can't be iterated, or the array has another shape or type.
    """
    if isinstance(puzzles, str | bytes | Puzzle | Board) or not isinstance(puzzles, Iterable):
        raise ArgumentError.of("puzzles", "several puzzles", puzzles)
    if isinstance(puzzles, np.ndarray) and puzzles.dtype.kind not in "OUT":
        if puzzles.ndim != 3 or puzzles.dtype != np.uint8:
            what = f"an array of {puzzles.dtype} with the shape {puzzles.shape}"
            raise ArgumentError(f"puzzles: expected n x h x w bytes (uint8), not {what}")
        size, start = _Size(), 0
        while start < len(puzzles):
            block = puzzles[start : start + size.next()]
            start += len(block)
            yield block
        return
    # The values of Arrow columns are not strings, and know it.
    column = puzzles.to_pylist() if hasattr(puzzles, "to_pylist") else puzzles
    each, size = iter(column), _Size()
    while values := list(islice(each, size.next())):
        yield values


class _Size:
    """The size of the next block: it grows as long as blocks take a fraction of a second."""

    def __init__(self) -> None:
        self._size, self._started = _FIRST_BLOCK // 2, perf_counter()

    def next(self) -> int:
        seconds, self._started = perf_counter() - self._started, perf_counter()
        if seconds < _SECONDS_A_BLOCK:
            self._size = min(2 * self._size, _LARGEST_BLOCK)
        elif seconds > 4 * _SECONDS_A_BLOCK:
            self._size = max(self._size // 4, _SMALLEST_BLOCK)
        return self._size


def _parts(blocks: Iterator[_Block], work: _Work, workers: int) -> Iterator[Part]:
    if workers == 1:
        yield from map(partial(_decide_block, work), blocks)
        return
    decide_block = partial(_decide_block, work)
    small = (block[start : start + _SMALL] for block in blocks for start in _starts(block))
    with executors.WorkerSettings(workers).open([_PRELOADED]) as pool:
        for block, part in executors.map_blocks(pool, decide_block, small, _halves):
            if isinstance(part, SolverCrash):
                yield Part(len(block), singles={0: Failure(Verdict.UNKNOWN, part)})
            else:
                yield part


def _starts(block: _Block) -> range:
    return range(0, len(block), _SMALL)


def _halves(block: _Block) -> list[_Block]:
    middle = len(block) // 2
    return [block[:middle], block[middle:]] if middle else [block]


def _decide_block(work: _Work, block: _Block) -> Part:
    part = Part(len(block))
    left: Iterable[int] = range(len(block))
    if work.is_plain:
        groups = _plain(block, work.rules)
        cells = sum(clues.size for _, clues, _ in groups)
        if cells >= _WORTH_LOADING or _COMPILED in sys.modules:
            left = _decide_groups(work, groups, part)
    for place in left:
        part.singles[place] = _decide_one(work, _value(block, place), place, part)
    return part


def _value(block: _Block, place: int) -> Any:
    if isinstance(block, np.ndarray):
        height, width = block.shape[1:]
        return f"{height}x{width}:{block[place].tobytes().decode(errors='replace')}"
    return block[place]


def _plain(block: _Block, rules: Rules | None) -> list[_Plain]:
    """The plain puzzles, by shape and rules."""
    if isinstance(block, np.ndarray):
        if not 0 < min(block.shape[1:]) <= max(block.shape[1:]) <= LONGEST:
            return []
        return _valid(np.arange(len(block)), np.ascontiguousarray(block), rules or CLASSIC)
    texts: dict[tuple[int, int, Rules], tuple[list[int], list[str]]] = {}
    for place, value in enumerate(block):
        if isinstance(value, str):
            if not value.isascii():
                continue
            side = isqrt(len(value))
            shape, cells = (side, side, rules or CLASSIC), value
            if side * side != len(value):
                continue
        else:
            puzzle = getattr(value, "puzzle", value)
            if not isinstance(puzzle, Puzzle) or puzzle.signs:
                continue
            if rules is not None and rules != puzzle.rules:
                continue
            board = puzzle.board
            shape, cells = (board.height, board.width, puzzle.rules), board.cells
        if 0 < shape[0] <= LONGEST and shape[1] <= LONGEST:
            places, boards = texts.setdefault(shape, ([], []))
            places.append(place)
            boards.append(cells)
    return [
        each
        for (height, width, own), (places, boards) in texts.items()
        for each in _valid(np.array(places), _array(boards, height, width), own)
    ]


def _array(boards: list[str], height: int, width: int) -> Cells:
    # Characters that are no cells are sorted out later.
    data = "".join(boards).encode("ascii")
    return np.frombuffer(data, np.uint8).reshape(-1, height, width)


def _valid(places: Numbers, clues: Cells, rules: Rules) -> list[_Plain]:
    """The puzzles whose characters are all cells, with ``.`` for each open cell."""
    cells = _CELLS[clues]
    is_valid = cells.all(axis=(1, 2))
    return [(places[is_valid], cells[is_valid], rules)] if is_valid.any() else []


def _decide_groups(work: _Work, groups: list[_Plain], part: Part) -> list[int]:
    """Decide groups of plain puzzles; returns the positions that have no outcome yet."""
    left = np.ones(part.number, np.bool_)
    try:
        for places, clues, rules in groups:
            group, grades = _decide_group(work, places, clues, rules)
            part.groups.append(group)
            part.grades.update(grades)
            left[group.places] = False
    except ImportError:
        # Without numba, all puzzles are decided one by one.
        pass
    return np.flatnonzero(left).tolist()


def _decide_group(
    work: _Work, places: Numbers, clues: Cells, rules: Rules
) -> tuple[Group, dict[int, Grade]]:
    """The outcomes of those plain puzzles that were decided, and their grades."""
    # Imported here, because the numba code takes time to load.
    from binairo_cp.solving.many import decide

    started = perf_counter()
    limit = sys.maxsize if work.limit is None else work.limit
    kept = 1 if work.verb == "solve" else 2
    decided = decide(clues, rules, limit, kept)
    found = decided.found
    is_done = decided.is_decided
    if work.reasons != "none":
        is_done &= found > 0
    grades: dict[int, Grade] = {}
    if work.graded:
        grades = _grades(places, clues, rules, is_done, found == 1)
    seconds = (perf_counter() - started) / len(places)
    group = Group(
        places=places[is_done],
        clues=clues[is_done],
        rules=rules,
        verb=work.verb,
        limit=work.limit,
        verdicts=_verdicts(work, found[is_done]),
        found=found[is_done],
        solutions=tuple(boards[is_done] for boards in decided.solutions),
        seconds=seconds,
    )
    return group, grades


def _verdicts(work: _Work, found: Numbers) -> npt.NDArray[np.int8]:
    """The verdicts for numbers of solutions, as `solutions` gives them."""
    one = Verdict.UNIQUE if work.limit != 1 else Verdict.UNKNOWN
    several = Verdict.MULTIPLE
    if work.verb == "solve":
        one = several = Verdict.SOLVED
    codes = np.array([VERDICTS.index(each) for each in (Verdict.NONE, one, several)], np.int8)
    verdicts: npt.NDArray[np.int8] = codes[np.minimum(found, 2)]
    return verdicts


def _grades(
    places: Numbers, clues: Cells, rules: Rules, is_done: Flags, is_unique: Flags
) -> dict[int, Grade]:
    """The grades of the unique puzzles. Clears the flag of each that can't be graded together."""
    from binairo_cp.deduction.grading import grade_cells

    rows = np.flatnonzero(is_done & is_unique)
    grades: dict[int, Grade] = {}
    for row, grade in zip(rows.tolist(), grade_cells(clues[rows], rules), strict=True):
        if grade is None:
            is_done[row] = False
        else:
            grades[int(places[row])] = grade
    return grades


def _decide_one(work: _Work, value: PuzzleLike, place: int, part: Part) -> Result:
    """The outcome of a puzzle, or the reason why there is none."""
    try:
        puzzle = puzzle_of(value, work.rules)
    except BinairoError as error:
        return Failure(Verdict.INVALID, error)
    try:
        outcome = _searched(work, puzzle)
        if work.graded and outcome.verdict is Verdict.UNIQUE:
            from binairo_cp.deduction.grading import grade

            part.grades[place] = grade(puzzle, Meter(Budget(work.time_limit)))
    except Exception as error:
        # The other puzzles are not lost.
        return Failure(Verdict.UNKNOWN, error)
    return outcome


def _searched(work: _Work, puzzle: Puzzle) -> Outcome:
    options: dict[str, Any] = {"backend": work.backend, "time_limit": work.time_limit}
    if work.verb == "check":
        return solutions.check(puzzle, reasons=work.reasons, **options)
    if work.verb == "solve":
        return solutions.solve(puzzle, **options)
    return solutions.count(puzzle, limit=work.limit, **options)
