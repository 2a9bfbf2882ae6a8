"""One census at the command line: what it will take is told, then it is counted, kept and told."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from binairo_cp.census import counting, state_file
from binairo_cp.census.blocks import Numbers
from binairo_cp.census.estimating import Estimate, estimate
from binairo_cp.census.forecast import Forecast, forecast, pairs_of_units
from binairo_cp.census.sizes import Census, Classes, Distinct, classes_of, oriented, pairs_of_blocks
from binairo_cp.errors import LimitError, SourceError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import backends
from binairo_cp.solving.counting import Split
from binairo_cp.solving.solutions import Outcome, count
from binairo_cp.workers import progress
from binairo_cp.workers.executors import Crew, Executor, cores

DISTINCT: dict[str, Distinct] = {
    "classic": "lines",
    "unruly": "nothing",
    "plain": "nothing",
    "rows": "rows",
    "columns": "columns",
}
"""What may not repeat, by the name of the rules."""

LONG = 600.0
"""What takes so many seconds is not begun without a file that keeps what is counted."""

_FORETOLD = 2_000_000_000
"""Of fewer pairs of blocks nobody need know how long they take: 10x10 has 470 million."""

_SECONDS_A_BLOCK = 10.0
_CELLS_DRAWN_HERE = 1_000_000


@dataclass(frozen=True, slots=True)
class CensusOptions:
    """How a census is taken.

    Attributes:
        state: the file that keeps what is counted, if there is one.
        crew: who counts.
        quiet: say nothing of how far it is.
    """

    state: str | None = None
    crew: Crew = field(default_factory=lambda: Crew(cores()))
    quiet: bool = False


class TooLong(LimitError):
    """A census that takes long, without a file that keeps what is counted."""


def run_census(census: Census, options: CensusOptions) -> int:
    """Count all boards of a census.

    Raises:
        LimitError: it is out of reach.
        TooLong: it takes long, and nothing would be kept.
        SourceError: the state can't be read or written.
        SolverCrash: a worker died.
        WrongAnswer: the halves are not as many as there must be.
    """
    if census.height == census.width == 1:
        return counting.count_boards(census)
    census = oriented(census)
    classes = classes_of(census)
    with state_file.opened(options.state, census, classes) as state, _told_if_stopped(options):
        left = classes.packed[~np.isin(classes.packed, list(state.units))]
        _count_left(census, classes, left, state, options)
        counting.check(census, classes, state.units)
        return counting.total(classes, state.units)


@contextmanager
def _told_if_stopped(options: CensusOptions) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if options.state is not None:
            print(f"binairo: stopped; what was counted is in {options.state}", file=sys.stderr)
        raise


def _count_left(
    census: Census, classes: Classes, left: Numbers, state: state_file.State, options: CensusOptions
) -> None:
    pairs = pairs_of_blocks(census)
    foretold = forecast_units(census, left) if len(left) and pairs > _FORETOLD else None
    if foretold is not None:
        told = _told(census, classes, left, foretold, options)
        if options.state is None and foretold.seconds.sum() / options.crew.workers > LONG:
            raise TooLong(f"{told}; --state FILE keeps what is counted, and goes on with it")
        if not options.quiet:
            print(f"binairo: {told}", file=sys.stderr)
    with _workers(options, needed=len(left) > 0 and pairs > counting.SMALL) as pool:
        if foretold is None:
            blocks = counting.dealt(left, pool)
        else:
            blocks = counting.by_work(left, foretold.seconds, _SECONDS_A_BLOCK)
        with progress.bar(options.quiet) as tell:
            for units in counting.counted(census, blocks, pool):
                state.add(units)
                done = len(state.units)
                tell(done, len(classes.packed), f"{done:,} of {len(classes.packed):,} units")


@contextmanager
def _workers(options: CensusOptions, *, needed: bool) -> Iterator[Executor | None]:
    """A pool of workers, or None where this process is enough."""
    if not needed:
        yield None
        return
    with options.crew.open(["binairo_cp.census.loaded"]) as pool:
        yield pool


def forecast_units(census: Census, packed: Numbers) -> Forecast:
    """What some units will take."""
    return forecast(census, packed, pairs_of_units(census, packed))


def forecast_text(census: Census, options: CensusOptions) -> str:
    """What a census will take here, or what is left of it.

    Raises:
        LimitError: it is out of reach.
        SourceError: the state can't be read.
    """
    census = oriented(census)
    classes = classes_of(census)
    known = state_file.read(options.state, census, classes) if options.state is not None else {}
    left = classes.packed[~np.isin(classes.packed, list(known))]
    if not len(left):
        return f"{census.name}: all {len(classes.packed):,} units are counted"
    return _told(census, classes, left, forecast_units(census, left), options)


def _told(
    census: Census, classes: Classes, left: Numbers, of: Forecast, options: CensusOptions
) -> str:
    seconds = float(of.seconds.sum())
    workers = options.crew.workers
    return (
        f"{census.name}: {len(left):,} of {len(classes.packed):,} units are left, which will take "
        f"about {_duration(seconds)} of one core, {_duration(seconds / workers)} here, and "
        f"up to {of.bytes / 1e9:.1f} GB of memory for each of {workers} workers (by "
        f"{of.sampled} units, of which the largest took {_duration(of.longest)})"
    )


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} seconds" if seconds < 10 else f"{seconds:.0f} seconds"


@dataclass(frozen=True, slots=True)
class Verified:
    """Units that were counted again.

    Attributes:
        units: how many.
        known: how many there are in the file.
        wrong: the classes of those that came out otherwise, in digits.
    """

    units: int
    known: int
    wrong: tuple[str, ...]


def verify(census: Census, options: CensusOptions, number: int, seed: str) -> Verified:
    """Count some finished units of a state again, drawn at random.

    Raises:
        SourceError: the state can't be read, or holds no unit.
        SolverCrash: a worker died.
    """
    census = oriented(census)
    if options.state is None:
        raise LimitError("--verify counts units of --state FILE again")
    known = state_file.read(options.state, census, classes_of(census))
    if not known:
        raise SourceError(options.state, "holds no finished unit")
    chosen = random.Random(seed).sample(sorted(known), min(number, len(known)))
    wrong = []
    many = pairs_of_blocks(census) > counting.SMALL and len(chosen) > 1
    with _workers(options, needed=many) as pool:
        for units in counting.counted(census, [[each] for each in chosen], pool):
            wrong += [unit.packed for unit in units if known[unit.packed] != unit]
    digits = tuple(state_file.digits(each, census.width) for each in wrong)
    return Verified(len(chosen), len(known), digits)


def sample(census: Census, options: CensusOptions, samples: int, seed: str) -> Estimate:
    """Estimate how many boards there are.

    Raises:
        LimitError: sides that are too long.
        SolverCrash: a worker died.
    """
    cells = census.height * census.width * samples
    with _workers(options, needed=cells > _CELLS_DRAWN_HERE) as pool:
        return estimate(census, samples, seed, pool)


def with_clues(census: Census, cells: str, seconds: float, options: CensusOptions) -> Outcome:
    """Count the boards of a census that have some clues, by search.

    Args:
        census: which boards.
        cells: the clues, row by row.
        seconds: how long it may take.
        options: how many workers there are.

    Raises:
        LimitError: rows and columns are under different rules.
        BoardError: the clues are of another size.
        SolverCrash: a worker died.
    """
    if census.distinct in ("rows", "columns"):
        raise LimitError("with clues, boards are counted under the rules classic and unruly")
    puzzle = Puzzle(Board(census.height, census.width, cells), census.rules)
    with options.crew.open() as pool:
        split = Split(backends.get("bitboard"), pool)
        return count(puzzle, backend=split, time_limit=seconds)
