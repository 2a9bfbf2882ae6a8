"""Find the fewest clues of all boards of a size, in workers, and save the progress.

Boards of up to 64 cells are words of bits. All of them are listed, and one of each class of
symmetric boards. A kernel finds the fewest clues of a board: a smallest set of cells that tells it
from every other board of the list. The classes are split into units of work. A file has a line for
each finished unit: its number, its first board as a hexadecimal number, and the fewest clues of
each of its boards, one digit (0-9, a-z) a board. If the run has a limit, boards that need more
clues have the limit plus one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import lru_cache, partial
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.counting import unit_files
from binairo_cp.counting.blocks import Numbers, rows_of
from binairo_cp.counting.census_runs import (
    CensusOptions,
    VerifiedUnits,
    duration,
    refuse_long,
    report_if_stopped,
)
from binairo_cp.counting.counting import count_boards, map_blocks
from binairo_cp.counting.orbits import symmetries_of
from binairo_cp.counting.sizes import Census
from binairo_cp.counting.unit_files import UnitFormat
from binairo_cp.errors import LimitError, SourceError, WrongAnswer
from binairo_cp.kernels import clue_sets
from binairo_cp.kernels.generation import Generator, list_boards
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.symmetries import Symmetry
from binairo_cp.workers import terminal
from binairo_cp.workers.terminal import option

Words = npt.NDArray[np.uint64]
"""Boards, or sets of cells: the cells, row by row, are the digits of a binary number."""

MAX_CELLS = 64
MAX_BOARDS = 20_000_000
"""The most boards to list; the classes of these take about 1 GB."""

_BYTE = np.uint64(255)
_NO_BUDGET = 1 << 62

CLASSES_PER_UNIT = 200
NO_LIMIT = 34
"""More clues than any board needs that can be listed; a state file has one digit for them."""

_ROOM = 20_000
"""How many difference sets of a board the search can hold."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

_SAMPLE = 24
"""The number of boards to find the fewest clues of for a forecast."""

_SECONDS_HERE = 8.0
"""Workers pay off for runs that take more seconds."""


class BoardClasses(NamedTuple):
    """One board of each class of symmetric boards: the smallest, in ascending order."""

    boards: Words
    sizes: Numbers


@lru_cache(maxsize=2)
def all_boards(census: Census) -> Words:
    """All boards of a census, in ascending order.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
        WrongAnswer: the number of boards differs from that of the census.
    """
    check_reach(census)
    expected = count_boards(census)
    if expected > MAX_BOARDS:
        raise LimitError(
            f"there are {expected:,} {census.name} boards; "
            f"the fewest clues can be found for up to {MAX_BOARDS:,}"
        )
    boards = _list(census if census.width <= census.height else census.transposed, expected)
    if census.width > census.height:
        order = np.arange(census.height * census.width).reshape(census.width, -1).T.ravel()
        boards = np.sort(_reordered(boards, tuple(order.tolist())))
    return boards


def check_reach(census: Census) -> None:
    """Check that the fewest clues of all boards of a size can be found.

    Raises:
        LimitError: they can't.
    """
    if census.height < 2 or census.width < 2 or census.height * census.width > MAX_CELLS:
        raise LimitError(
            f"the fewest clues of all boards can be found if both sides are 2 or more, "
            f"and there are at most {MAX_CELLS} cells"
        )


def _list(census: Census, expected: int) -> Words:
    row_ones, column_ones = (census.rules.ones(side) for side in (census.width, census.height))
    generator = Generator(
        census.height,
        census.width,
        (row_ones[0], row_ones[-1]),
        (column_ones[0], column_ones[-1]),
        distinct=False,
    )
    lines = rows_of(census.width, census.rules).astype(np.uint64)
    boards = np.zeros(expected, np.uint64)
    listed = list_boards(
        generator, lines.data, boards.data, _NO_BUDGET, census.rows_differ, census.columns_differ
    )
    if listed != expected:
        raise WrongAnswer(f"other than {expected:,} {census.name} boards were listed")
    # Boards turned by 180 degrees are boards too, so their first cell may be at either end.
    return np.sort(boards)


@lru_cache(maxsize=2)
def index_of(census: Census) -> clue_sets.BoardIndex:
    """All boards of a census, grouped by their first cells."""
    boards, cells = all_boards(census), census.height * census.width
    # 8x8 boards are grouped by 28 cells: 31,504 groups of 130 boards.
    prefix = np.uint64((1 << cells) - (1 << (cells - cells * 7 // 16)))
    first = boards & prefix
    start = np.flatnonzero(np.append(True, first[1:] != first[:-1])[: len(boards)])
    starts = np.append(start, len(boards))
    return clue_sets.BoardIndex(boards.data, starts.data, boards[start].data, int(prefix))


def classes_of_boards(census: Census) -> BoardClasses:
    """One board of each class of boards that differ only by a symmetry."""
    boards = all_boards(census)
    group = symmetries_of(census)
    smallest = boards.copy()
    for symmetry in group[1:]:
        np.minimum(smallest, images(boards, symmetry), out=smallest)
    boards = boards[smallest == boards]
    fixed = sum((images(boards, each) == boards).astype(np.int64) for each in group)
    return BoardClasses(boards, len(group) // fixed)


def images(boards: Words, symmetry: Symmetry) -> Words:
    """The images of boards under a symmetry."""
    moved = _reordered(boards, symmetry.order)
    return moved ^ np.uint64((1 << len(symmetry.order)) - 1) if symmetry.complemented else moved


def _reordered(boards: Words, order: tuple[int, ...]) -> Words:
    """Boards whose k-th cell is the cell order[k] of the given ones."""
    cells, values = len(order), np.arange(256, dtype=np.uint64)
    moved = np.zeros_like(boards)
    for low in range(0, cells, 8):
        # The images of the boards that are 0 except in the eight binary digits from `low`.
        table = np.zeros(256, np.uint64)
        for place, source in enumerate(order):
            digit = cells - 1 - source - low
            if 0 <= digit < 8:
                table |= (values >> np.uint64(digit) & np.uint64(1)) << np.uint64(cells - 1 - place)
        moved |= table[(boards >> np.uint64(low)) & _BYTE]
    return moved


def cells_of(board: int, census: Census) -> str:
    """The cells of a board, row by row."""
    return f"{board:0{census.height * census.width}b}"


class FewestUnit(NamedTuple):
    """The fewest clues of the boards of a unit.

    Attributes:
        number: the unit's number. Unit k has the classes from 200 k on.
        fewest: the fewest clues of each of its boards; one more than the limit of the run if a
            board needs more than that.
    """

    number: int
    first: int
    fewest: tuple[int, ...]


class FewestTask(NamedTuple):
    """A unit to find: its number and its boards."""

    number: int
    boards: Words


def tasks_of(classes: BoardClasses) -> list[FewestTask]:
    """All units of a census."""
    parts = range(0, len(classes.boards), CLASSES_PER_UNIT)
    return [
        FewestTask(k, classes.boards[low : low + CLASSES_PER_UNIT]) for k, low in enumerate(parts)
    ]


def find_units(census: Census, limit: int, tasks: Iterable[FewestTask]) -> list[FewestUnit]:
    """Find the fewest clues of units one after the other; this is the task of a worker."""
    units = []
    for number, boards in tasks:
        fewest = np.minimum(np.bitwise_count(smallest_sets(census, boards, limit)), limit + 1)
        units.append(FewestUnit(number, int(boards[0]), tuple(fewest.tolist())))
    return units


def smallest_sets(census: Census, boards: Words, limit: int = NO_LIMIT) -> Words:
    """A smallest set of clues that determines each board; 64 cells if it needs more than `limit`.

    Raises:
        LimitError: a board has too many difference sets.
    """
    found = np.zeros(len(boards), np.uint64)
    small = census.height * census.width // 8
    given = np.ascontiguousarray(boards).data
    done = clue_sets.fewest_clues(index_of(census), given, small, limit, _ROOM, found.data)
    if done < len(boards):
        board = cells_of(int(boards[done]), census)
        raise LimitError(f"the board {board} has more than {_ROOM:,} difference sets")
    return found


def puzzle_of(board: int, clues: int, census: Census) -> str:
    """The cells of the puzzle whose clues are some cells of a board."""
    pairs = zip(cells_of(board, census), cells_of(clues, census), strict=True)
    return "".join(value if chosen == "1" else OPEN for value, chosen in pairs)


class BoardsByClues(NamedTuple):
    """How many boards need a number of clues: up to symmetry (`classes`), and in all."""

    clues: int
    classes: int
    boards: int


def distribution(fewest: Numbers, sizes: Numbers) -> list[BoardsByClues]:
    """How many classes and boards need each number of clues."""
    return [
        BoardsByClues(clues, int((fewest == clues).sum()), int(sizes[fewest == clues].sum()))
        for clues in np.unique(fewest).tolist()
    ]


class FewestUnits(UnitFormat[FewestUnit]):
    """The units of the fewest clues of all boards, looked for up to a limit."""

    def __init__(self, census: Census, tasks: list[FewestTask], limit: int) -> None:
        self._tasks = tasks
        self.header = {"fewest clues": asdict(census), "units": len(tasks), "limit": limit}
        self.expected = "a number, a hexadecimal number and digits"

    def name_of(self, header: dict[str, Any]) -> str:
        limit = header["limit"]
        return f"{Census(**header['fewest clues']).name}, fewest clues up to {limit}"

    def line_of(self, unit: FewestUnit) -> str:
        return f"{unit.number} {unit.first:x} {''.join(_DIGITS[k] for k in unit.fewest)}"

    def unit_of(self, line: str) -> FewestUnit:
        number, first, fewest = line.split()
        return FewestUnit(int(number), int(first, 16), tuple(map(_DIGITS.index, fewest)))

    def objection_to(self, unit: FewestUnit) -> str | None:
        if not 0 <= unit.number < len(self._tasks):
            return f"there is no unit {unit.number}"
        boards = self._tasks[unit.number].boards
        if unit.first != boards[0] or len(unit.fewest) != len(boards):
            return f"unit {unit.number} has other boards"
        return None


class FewestRun:
    """A run: the boards, the units, and the finished units in a file.

    `limit` is the largest number of clues to look for.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
    """

    def __init__(self, census: Census, options: CensusOptions, limit: int = NO_LIMIT) -> None:
        check_reach(census)
        self.census = census
        self.options = options
        self.limit = limit
        self.classes = classes_of_boards(census)
        self.tasks = tasks_of(self.classes)
        self.form = FewestUnits(census, self.tasks, limit)

    def left(self, units: dict[int, FewestUnit]) -> list[FewestTask]:
        """The units that are not finished."""
        return [task for task in self.tasks if task.number not in units]

    def known(self) -> dict[int, FewestUnit]:
        """The finished units of the state file.

        Raises:
            SourceError: the state file can't be read.
        """
        return {} if self.options.state is None else unit_files.read(self.options.state, self.form)

    def find(self, tasks: list[FewestTask], seconds: float) -> Iterator[list[FewestUnit]]:
        """Find the fewest clues of units; `seconds` is the expected time of one core.

        Raises:
            SolverCrash: a worker crashed.
        """
        blocks = [[task] for task in tasks]
        work = partial(find_units, self.census, self.limit)
        if seconds < _SECONDS_HERE:
            yield from map_blocks(work, blocks, None)
            return
        modules = ["binairo_cp.counting.fewest_clues"]
        with self.options.worker_settings.open(modules) as pool:
            yield from map_blocks(work, blocks, pool)

    def seconds(self, tasks: list[FewestTask]) -> float:
        """The seconds of one core that units will take, by a sample of their boards."""
        if not tasks:
            return 0.0
        boards = np.concatenate([task.boards for task in tasks])
        sample = boards[:: -(-len(boards) // _SAMPLE)]
        index_of(self.census)
        started = process_time()
        smallest_sets(self.census, sample, self.limit)
        return (process_time() - started) / len(sample) * len(boards)


def find_fewest(
    census: Census, options: CensusOptions, limit: int = NO_LIMIT
) -> tuple[BoardClasses, Numbers]:
    """Find the fewest clues of all boards of a size, up to a limit.

    Returns:
        The classes of boards, and the fewest clues of each: the limit plus one if it needs more.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
        TooLong: it takes long and there is no state file.
        SourceError: the state file can't be read or written.
        SolverCrash: a worker crashed.
    """
    run = FewestRun(census, options, limit)
    with unit_files.opened(options.state, run.form) as state, report_if_stopped(options):
        left = run.left(state.units)
        seconds = run.seconds(left)
        refuse_long(options, seconds, _forecast(run, left, seconds))
        with terminal.bar(options.quiet) as show:
            for units in run.find(left, seconds):
                state.add(units)
                done = len(state.units)
                show(done, len(run.tasks), f"{done:,} of {len(run.tasks):,} units")
        fewest = [each for k in range(len(run.tasks)) for each in state.units[k].fewest]
    return run.classes, np.array(fewest, np.int64)


def table(classes: BoardClasses, fewest: Numbers, limit: int = NO_LIMIT) -> list[str]:
    """The numbers of classes and boards by their fewest clues, in words."""
    rows = [("clues", "classes", "boards"), *distribution(fewest, classes.sizes)]
    lines = [
        f"{f'>{limit}' if row[0] == limit + 1 else row[0]:>5} {row[1]:>10} {row[2]:>12}"
        for row in rows
    ]
    total = BoardsByClues(0, len(classes.boards), int(classes.sizes.sum()))
    return [*lines, f"total {total.classes:>10} {total.boards:>12}"]


def puzzles(census: Census, classes: BoardClasses, fewest: Numbers, clues: int) -> Iterator[str]:
    """The cells of a smallest puzzle for each class that needs a number of clues."""
    for board in classes.boards[fewest == clues]:
        [found] = smallest_sets(census, np.array([board]))
        yield puzzle_of(int(board), int(found), census)


def forecast_text(census: Census, options: CensusOptions, limit: int = NO_LIMIT) -> str:
    """The time that a run, or the rest of it, will take on this machine.

    Raises:
        LimitError: there are too many boards, or they have too many cells.
        SourceError: the state file can't be read.
    """
    run = FewestRun(census, options, limit)
    left = run.left(run.known())
    if not left:
        return (
            f"{census.name}: the fewest clues of all {len(run.classes.boards):,} classes are found"
        )
    return _forecast(run, left, run.seconds(left))


def _forecast(run: FewestRun, left: list[FewestTask], seconds: float) -> str:
    workers = run.options.worker_settings.workers
    boards = sum(len(task.boards) for task in left)
    return (
        f"{run.census.name}: {len(left):,} of {len(run.tasks):,} units "
        f"({boards:,} classes of boards) are left, which will take about "
        f"{duration(seconds)} of one core, {duration(seconds / workers)} here"
    )


def verify(
    census: Census, options: CensusOptions, number: int, seed: str, limit: int = NO_LIMIT
) -> VerifiedUnits:
    """Find random finished units of a state file again.

    Raises:
        LimitError: there is no state file.
        SourceError: the state file can't be read, or has no finished unit.
        SolverCrash: a worker crashed.
    """
    if options.state is None:
        raise LimitError(f"{option('verify')} needs {option('state', 'FILE')}")
    run = FewestRun(census, options, limit)
    known = run.known()
    if not known:
        raise SourceError(options.state, "holds no finished unit")
    chosen = random.Random(seed).sample(sorted(known), min(number, len(known)))
    tasks = [run.tasks[each] for each in chosen]
    found = [unit for units in run.find(tasks, run.seconds(tasks)) for unit in units]
    wrong = tuple(f"unit {unit.number}" for unit in found if known[unit.number] != unit)
    return VerifiedUnits(len(chosen), len(known), wrong)
