"""Run a census: count the boards in workers, and save the progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

import numpy as np

from binairo_cp.counting import counting, units
from binairo_cp.counting.sizes import (
    MEMORY,
    Census,
    Classes,
    Distinct,
    classes_of,
    oriented,
    pairs_of_blocks,
    pairs_of_units,
)
from binairo_cp.errors import LimitError
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

LONG = 70_000_000_000
"""The work, in pairs of blocks, that takes a core more than some ten minutes, as 12x12 does."""

_PAIRS_SPLIT_EVENLY = 2_000_000_000
"""The most pairs of blocks whose units are split without looking at each; 10x10 has 470 million."""

_PAIRS_A_BLOCK = 100_000_000
"""The work of a block of units, some seconds."""


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


def run_census(census: Census, options: CensusOptions) -> int:
    """Count all boards of a census.

    Raises:
        LimitError: the size is out of reach.
        TooLong: the census takes long and has no state file.
        SourceError: the state file can't be read or written.
        SolverCrash: a worker crashed.
        WrongAnswer: the number of half boards is wrong.
    """
    if (boards := counting.count_at_once(census, options.memory)) is not None:
        return boards
    census = oriented(census, options.memory)
    if options.state is None and is_long(census, options.memory):
        raise TooLong(
            f"a census of {census.name} boards takes more than ten minutes of one core; "
            f"use {option('state', 'FILE')} to save the progress and resume"
        )
    classes = classes_of(census)
    with units.opened(options.state, census, classes) as state, _report_if_stopped(options):
        _count_left(census, classes, state, options)
        counting.check(census, classes, state.units)
        return counting.total(classes, state.units)


def is_long(census: Census, memory: float = MEMORY) -> bool:
    """Whether a census, as `oriented` returned it, takes more than some ten minutes of one core."""
    work = pairs_of_blocks(census, memory)
    if len(census.rules.ones(census.height)) > 1:
        # Each upper half meets the lower halves of many classes.
        work *= 100
    if census.distinct == "nothing":
        # Halves are counted, not compared one by one.
        work //= 10
    return work > LONG


@contextmanager
def _report_if_stopped(options: CensusOptions) -> Iterator[None]:
    """When the user stops a run, report whether its progress is saved."""
    try:
        yield
    except KeyboardInterrupt as error:
        is_saved = options.state is not None
        saved = f"is saved in {options.state}" if is_saved else "is not saved"
        error.args = (f"stopped; the progress {saved}",)
        raise


def _count_left(
    census: Census, classes: Classes, state: units.UnitFile, options: CensusOptions
) -> None:
    left = classes.packed[~np.isin(classes.packed, list(state.units))]
    pairs = pairs_of_blocks(census, options.memory)
    workers: AbstractContextManager[Executor | None] = nullcontext()
    if len(left) and pairs > counting.SMALL:
        workers = options.worker_settings.open(["binairo_cp.counting.units"])
    with workers as pool:
        if pairs <= _PAIRS_SPLIT_EVENLY:
            blocks = counting.split_evenly(left, pool)
        else:
            blocks = counting.split_by_work(left, pairs_of_units(census, left), _PAIRS_A_BLOCK)
        with terminal.bar(options.quiet) as show:
            for counted in counting.count_blocks(census, blocks, pool):
                state.add(counted)
                done = len(state.units)
                show(done, len(classes.packed), f"{done:,} of {len(classes.packed):,} units")
