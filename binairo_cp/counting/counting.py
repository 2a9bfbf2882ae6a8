"""Count all units of a census, in this process or with workers, and add them up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from binairo_cp.counting import narrow
from binairo_cp.counting.blocks import Numbers, block_count, rows_of
from binairo_cp.counting.sizes import MEMORY, Census, Classes, classes_of, oriented
from binairo_cp.counting.units import Unit, count_units
from binairo_cp.errors import LimitError, SolverCrash, WrongAnswer
from binairo_cp.workers import executors
from binairo_cp.workers.executors import Executor

Block = TypeVar("Block")
Result = TypeVar("Result")

SMALL = 20_000_000
"""A census with fewer pairs of blocks is done before workers would have started."""

_BLOCKS_PER_WORKER = 64


def count_boards(census: Census, pool: Executor | None = None) -> int:
    """Return the number of boards.

    Args:
        census: the size and rules of the boards.
        pool: the workers to use; None to count in this process.

    Raises:
        LimitError: the census is out of reach.
        SolverCrash: a worker died.
    """
    if (boards := count_at_once(census)) is not None:
        return boards
    census = oriented(census)
    classes = classes_of(census)
    units: dict[int, Unit] = {}
    for block in count_blocks(census, split_evenly(classes.packed, pool), pool):
        units.update((unit.packed, unit) for unit in block)
    check(census, classes, units)
    return total(classes, units)


def count_at_once(census: Census, memory: float = MEMORY) -> int | None:
    """Return the number of boards if it needs no units: none, a single cell, or a long board.

    Args:
        census: the size and rules.
        memory: the GB of memory to use.

    Raises:
        LimitError: the census is out of reach.
    """
    if census.height == census.width == 1:
        return len(census.rules.ones(1))
    if narrow.has_too_few_lines(census):
        return 0
    try:
        oriented(census, memory)
    except LimitError:
        if not narrow.is_narrow(census):
            raise
        return narrow.count_narrow(census, memory)
    return None


def map_blocks(
    function: Callable[[Block], Result], blocks: Iterable[Block], pool: Executor | None
) -> Iterator[Result]:
    """Apply a function to blocks of work, in this process or with workers; results are in order.

    Raises:
        SolverCrash: a worker died.
    """
    if pool is None:
        yield from map(function, blocks)
        return
    for _, result in executors.map_blocks(pool, function, blocks):
        if isinstance(result, SolverCrash):
            raise result
        yield result


def count_blocks(
    census: Census, blocks: Iterable[list[int]], pool: Executor | None = None
) -> Iterator[list[Unit]]:
    """Count blocks of units.

    Raises:
        SolverCrash: a worker died.
    """
    return map_blocks(partial(count_units, census), blocks, pool)


def split_evenly(packed: Numbers, pool: Executor | None) -> list[list[int]]:
    """Split units into blocks of similar work, without knowing the work of each unit."""
    number = 1 if pool is None else _BLOCKS_PER_WORKER * pool.workers
    return [packed[k::number].tolist() for k in range(min(number, len(packed)))]


def split_by_time(
    packed: Numbers, seconds: npt.NDArray[np.float64], block_seconds: float
) -> list[list[int]]:
    """Split units into blocks that take about `block_seconds` each, the largest units first."""
    blocks: list[list[int]] = []
    seconds_left = 0.0
    for place in np.argsort(-seconds, kind="stable").tolist():
        if seconds_left < seconds[place]:
            blocks.append([])
            seconds_left = block_seconds
        blocks[-1].append(int(packed[place]))
        seconds_left -= seconds[place]
    return blocks


def total(classes: Classes, units: dict[int, Unit]) -> int:
    """Return the number of all boards: the counts of the classes times their sizes."""
    return sum(
        int(size) * units[packed].boards
        for packed, size in zip(classes.packed.tolist(), classes.sizes, strict=True)
    )


def check(census: Census, classes: Classes, units: dict[int, Unit]) -> None:
    """Check the number of all upper halves against a count by transfer matrix.

    Raises:
        WrongAnswer: the numbers differ.
    """
    halves = sum(
        int(size) * units[packed].halves
        for packed, size in zip(classes.packed.tolist(), classes.sizes, strict=True)
    )
    lines = rows_of(census.width, census.rules)
    expected = block_count((census.height + 1) // 2, lines, census.width)
    if halves != expected:
        raise WrongAnswer(f"{halves} upper halves were listed; expected {expected}")
