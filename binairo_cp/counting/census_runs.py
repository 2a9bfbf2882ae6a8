"""Run a census: forecast the time, count the boards in workers, and save the progress."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from binairo_cp.counting import counting, predicting, unit_files
from binairo_cp.counting.blocks import Numbers
from binairo_cp.counting.estimating import Estimate, estimate
from binairo_cp.counting.predicting import Forecast, forecast, pairs_of_units, predict
from binairo_cp.counting.sizes import (
    MEMORY,
    Census,
    Classes,
    Distinct,
    classes_of,
    oriented,
    pairs_of_blocks,
)
from binairo_cp.counting.units import CensusUnits, Unit, digits_of
from binairo_cp.errors import LimitError, SourceError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import backends
from binairo_cp.solving.solutions import Outcome, count
from binairo_cp.solving.splitting import Split
from binairo_cp.workers import terminal
from binairo_cp.workers.executors import Executor, WorkerSettings, cores
from binairo_cp.workers.resource_limits import installed_memory
from binairo_cp.workers.terminal import option

DISTINCT: dict[str, Distinct] = {
    "classic": "lines",
    "unruly": "nothing",
    "plain": "nothing",
    "rows": "rows",
    "columns": "columns",
}
"""What must be distinct, by the name of the rules."""

LONG = 600.0
"""A census that takes more seconds needs a state file."""

_PAIRS_WITHOUT_FORECAST = 2_000_000_000
"""Maximum number of pairs of blocks without a forecast; 10x10 has 470 million."""

_SECONDS_A_BLOCK = 10.0
_CELLS_DRAWN_HERE = 1_000_000


@dataclass(frozen=True, slots=True)
class CensusOptions:
    """How to run a census.

    Attributes:
        state: the file that saves the progress; None for no file.
        quiet: don't print the progress.
        memory: the GB of memory that a worker may use.
    """

    state: str | None = None
    worker_settings: WorkerSettings = field(default_factory=lambda: WorkerSettings(cores()))
    quiet: bool = False
    memory: float = MEMORY


class TooLong(LimitError):
    """The census takes long and has no state file."""


def check_memory(options: CensusOptions) -> None:
    """Check that this machine has the memory that a worker may use; a cluster may have more.

    Raises:
        LimitError: it has less.
    """
    installed = installed_memory() if options.worker_settings.cluster is None else None
    if installed is not None and options.memory > max(MEMORY, installed / 1e9):
        raise LimitError(
            f"{option('memory')} is {options.memory:g} GB, more than the "
            f"{installed / 1e9:.0f} GB of this machine"
        )


def refuse_long(options: CensusOptions, seconds: float, description: str) -> None:
    """Check that a run that takes long has a state file; `seconds` are those of one core.

    Raises:
        TooLong: it has none.
    """
    if options.state is None and seconds / options.worker_settings.workers > LONG:
        state_option = option("state", "FILE")
        raise TooLong(f"{description}; use {state_option} to save the progress and resume")


def run_census(census: Census, options: CensusOptions) -> int:
    """Count all boards of a census.

    Raises:
        LimitError: the size is out of reach.
        TooLong: the census takes long and has no state file.
        SourceError: the state file can't be read or written.
        SolverCrash: a worker crashed.
        WrongAnswer: the number of half boards is wrong.
    """
    try:
        if (boards := counting.count_at_once(census, options.memory)) is not None:
            return boards
        census = oriented(census, options.memory)
        classes = classes_of(census)
    except LimitError as error:
        raise LimitError(f"{error}. {prediction_text(census)}") from error
    with (
        unit_files.opened(options.state, CensusUnits(census, classes)) as state,
        report_if_stopped(options),
    ):
        left = classes.packed[~np.isin(classes.packed, list(state.units))]
        _count_left(census, classes, left, state, options)
        counting.check(census, classes, state.units)
        return counting.total(classes, state.units)


@contextmanager
def report_if_stopped(options: CensusOptions) -> Iterator[None]:
    """When the user stops a run, report whether its progress is saved."""
    try:
        yield
    except KeyboardInterrupt as error:
        is_saved = options.state is not None
        saved = f"is saved in {options.state}" if is_saved else "is not saved"
        error.args = (f"stopped; the progress {saved}",)
        raise


def _count_left(
    census: Census,
    classes: Classes,
    left: Numbers,
    state: unit_files.UnitFile[Unit],
    options: CensusOptions,
) -> None:
    pairs = pairs_of_blocks(census)
    expected = (
        forecast_units(census, left) if len(left) and pairs > _PAIRS_WITHOUT_FORECAST else None
    )
    if expected is not None:
        description = _describe_forecast(census, classes, left, expected, options)
        refuse_long(options, expected.seconds.sum(), description)
        if not options.quiet:
            print(f"binairo: {description}", file=sys.stderr)
    with _workers(options, needed=len(left) > 0 and pairs > counting.SMALL) as pool:
        if expected is None:
            blocks = counting.split_evenly(left, pool)
        else:
            blocks = counting.split_by_time(left, expected.seconds, _SECONDS_A_BLOCK)
        with terminal.bar(options.quiet) as show:
            for units in counting.count_blocks(census, blocks, pool):
                state.add(units)
                done = len(state.units)
                show(done, len(classes.packed), f"{done:,} of {len(classes.packed):,} units")


@contextmanager
def _workers(options: CensusOptions, *, needed: bool) -> Iterator[Executor | None]:
    """A pool of workers; None if this process is enough."""
    if not needed:
        yield None
        return
    with options.worker_settings.open(["binairo_cp.counting.units"]) as pool:
        yield pool


def forecast_units(census: Census, packed: Numbers) -> Forecast:
    """Forecast the time and memory of some units."""
    return forecast(census, packed, pairs_of_units(census, packed))


def forecast_text(census: Census, options: CensusOptions) -> str:
    """The time and memory that a census, or the rest of it, will take on this machine.

    Raises:
        LimitError: the size is out of reach.
        SourceError: the state file can't be read.
    """
    original = census
    try:
        if counting.count_at_once(census, options.memory) is not None:
            return f"{census.name}: the count needs no units and takes seconds"
        census = oriented(census, options.memory)
        classes = classes_of(census)
    except LimitError as error:
        return f"{error}. {prediction_text(original)}"
    known = (
        unit_files.read(options.state, CensusUnits(census, classes))
        if options.state is not None
        else {}
    )
    left = classes.packed[~np.isin(classes.packed, list(known))]
    if not len(left):
        return f"{census.name}: all {len(classes.packed):,} units are counted"
    return _describe_forecast(census, classes, left, forecast_units(census, left), options)


def prediction_text(census: Census) -> str:
    """What a census that is out of reach would cost, predicted from random halves."""
    if (found := predict(census)) is None:
        return f"No forecast: its lines are too long to list (limit {predicting.MAX_SIDE})"
    return (
        f"Rough forecast: about {found.units:.2g} units would take {duration(found.seconds)} of "
        f"one core (the largest {duration(found.largest)}), {_size(found.bytes)} of memory for "
        f"each worker and {_size(found.disk)} for the state file"
    )


def _size(number: float) -> str:
    """A number of bytes in words."""
    for unit, size in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.{0 if number >= 10 * size else 1}f} {unit}"
    return f"{number / 1e3:.0f} kB"


def _describe_forecast(
    census: Census, classes: Classes, left: Numbers, expected: Forecast, options: CensusOptions
) -> str:
    seconds = float(expected.seconds.sum())
    workers = options.worker_settings.workers
    return (
        f"{census.name}: {len(left):,} of {len(classes.packed):,} units are left, which will take "
        f"about {duration(seconds)} of one core, {duration(seconds / workers)} here, and "
        f"up to {expected.bytes / 1e9:.1f} GB of memory for each of {workers} workers (by "
        f"{expected.sampled} units, of which the largest took {duration(expected.longest)})"
    )


def duration(seconds: float) -> str:
    """A time in words, such as ``2.5 hours``."""
    if seconds >= 2000 * 365 * 86400:
        return f"{seconds / (365 * 86400):.1e} years"
    for unit, size in (("years", 365 * 86400), ("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} seconds" if seconds < 10 else f"{seconds:.0f} seconds"


@dataclass(frozen=True, slots=True)
class VerifiedUnits:
    """The result of counting units of a state file again.

    Attributes:
        units: number of units counted again.
        known: number of units in the file.
        wrong: the names of units with a different count; those of a census are classes as digits.
    """

    units: int
    known: int
    wrong: tuple[str, ...]


def verify(census: Census, options: CensusOptions, number: int, seed: str) -> VerifiedUnits:
    """Count random finished units of a state file again.

    Raises:
        SourceError: the state file can't be read, or has no finished unit.
        SolverCrash: a worker crashed.
    """
    census = oriented(census, options.memory)
    if options.state is None:
        raise LimitError(f"{option('verify')} needs {option('state', 'FILE')}")
    known = unit_files.read(options.state, CensusUnits(census, classes_of(census)))
    if not known:
        raise SourceError(options.state, "holds no finished unit")
    chosen = random.Random(seed).sample(sorted(known), min(number, len(known)))
    wrong = []
    many = pairs_of_blocks(census) > counting.SMALL and len(chosen) > 1
    with _workers(options, needed=many) as pool:
        for units in counting.count_blocks(census, [[each] for each in chosen], pool):
            wrong += [unit.packed for unit in units if known[unit.packed] != unit]
    digits = tuple(digits_of(each, census.width) for each in wrong)
    return VerifiedUnits(len(chosen), len(known), digits)


def sample(census: Census, options: CensusOptions, samples: int, seed: str) -> Estimate:
    """Estimate the number of boards.

    Raises:
        LimitError: the sides are too long.
        SolverCrash: a worker crashed.
    """
    cells = census.height * census.width * samples
    with _workers(options, needed=cells > _CELLS_DRAWN_HERE) as pool:
        return estimate(census, samples, seed, pool)


def with_clues(census: Census, cells: str, seconds: float, options: CensusOptions) -> Outcome:
    """Count by search the boards of a census with some clues (cells row by row), within seconds.

    Raises:
        LimitError: only rows or only columns must be distinct.
        BoardError: the clues are for another size.
        SolverCrash: a worker crashed.
    """
    if census.distinct in ("rows", "columns"):
        raise LimitError("boards with clues can be counted only under the rules classic and unruly")
    puzzle = Puzzle(Board(census.height, census.width, cells), census.rules)
    with options.worker_settings.open() as pool:
        split = Split(backends.get("bitboard"), pool)
        return count(puzzle, backend=split, time_limit=seconds)
