"""Find the fewest clues of all boards of a size in workers, and save the progress."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from time import process_time

import numpy as np

from binairo_cp.counting import unit_files
from binairo_cp.counting.blocks import Numbers
from binairo_cp.counting.census_runs import (
    LONG,
    CensusOptions,
    TooLong,
    VerifiedUnits,
    duration,
    report_if_stopped,
)
from binairo_cp.counting.counting import map_blocks
from binairo_cp.counting.fewest_clues import (
    NO_LIMIT,
    BoardClasses,
    BoardsByClues,
    FewestTask,
    FewestUnit,
    FewestUnits,
    check_reach,
    classes_of_boards,
    distribution,
    find_units,
    index_of,
    puzzle_of,
    smallest_sets,
    tasks_of,
)
from binairo_cp.counting.sizes import Census
from binairo_cp.errors import LimitError, SourceError
from binairo_cp.workers import terminal
from binairo_cp.workers.terminal import option

_SAMPLE = 24
"""The number of boards to find the fewest clues of for a forecast."""

_SECONDS_HERE = 8.0
"""Workers pay off for runs that take more seconds."""


class FewestRun:
    """A run: the boards, the units, and the finished units in a file.

    Args:
        census: the size and rules of the boards.
        options: the file and the workers.
        limit: the largest numbers of clues to look for.

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
        if options.state is None and seconds / options.worker_settings.workers > LONG:
            state_option = option("state", "FILE")
            raise TooLong(
                f"{_forecast(run, left, seconds)}; "
                f"use {state_option} to save the progress and resume"
            )
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
