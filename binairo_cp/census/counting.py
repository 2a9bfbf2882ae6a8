"""A census taken: all units counted, here or by workers, and added up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from binairo_cp.census import state_file
from binairo_cp.census.blocks import Numbers, block_count, rows_of
from binairo_cp.census.sizes import Census, Classes, classes_of, oriented
from binairo_cp.census.units import Unit, count_units
from binairo_cp.errors import SolverCrash, WrongAnswer
from binairo_cp.workers import executors
from binairo_cp.workers.executors import Executor

Given = TypeVar("Given")
Made = TypeVar("Made")

SMALL = 20_000_000
"""So many pairs of blocks are joined before workers would have begun."""

_BLOCKS_A_WORKER = 64


def count_boards(census: Census, pool: Executor | None = None) -> int:
    """How many boards there are.

    Args:
        census: which boards.
        pool: who counts; None for this process.

    Raises:
        LimitError: so many that it is out of reach.
        SolverCrash: a worker died.
    """
    if census.height == census.width == 1:
        return len(census.rules.ones(1))
    census = oriented(census)
    classes = classes_of(census)
    state = state_file.State(None, census, {})
    for units in counted(census, dealt(classes.packed, pool), pool):
        state.add(units)
    check(census, classes, state.units)
    return total(classes, state.units)


def mapped(
    work: Callable[[Given], Made], blocks: Iterable[Given], pool: Executor | None
) -> Iterator[Made]:
    """Apply a function to blocks of work, here or by workers, in their order.

    Raises:
        SolverCrash: a worker died.
    """
    if pool is None:
        yield from map(work, blocks)
        return
    for _, made in executors.map_blocks(pool, work, blocks):
        if isinstance(made, SolverCrash):
            raise made
        yield made


def counted(
    census: Census, blocks: Iterable[list[int]], pool: Executor | None = None
) -> Iterator[list[Unit]]:
    """Count blocks of units.

    Raises:
        SolverCrash: a worker died.
    """
    return mapped(partial(count_units, census), blocks, pool)


def dealt(packed: Numbers, pool: Executor | None) -> list[list[int]]:
    """Units in blocks of about the same work, where it is not known how much each takes."""
    number = 1 if pool is None else _BLOCKS_A_WORKER * pool.workers
    return [packed[k::number].tolist() for k in range(min(number, len(packed)))]


def by_work(packed: Numbers, seconds: npt.NDArray[np.float64], most: float) -> list[list[int]]:
    """Units in blocks that take about so many seconds each, the largest units first."""
    blocks: list[list[int]] = []
    room = 0.0
    for place in np.argsort(-seconds, kind="stable").tolist():
        if room < seconds[place]:
            blocks.append([])
            room = most
        blocks[-1].append(int(packed[place]))
        room -= seconds[place]
    return blocks


def total(classes: Classes, units: dict[int, Unit]) -> int:
    """All boards, of the counts of all classes."""
    return sum(
        int(size) * units[packed].boards
        for packed, size in zip(classes.packed.tolist(), classes.sizes, strict=True)
    )


def check(census: Census, classes: Classes, units: dict[int, Unit]) -> None:
    """Compare the number of all upper halves with what a transfer matrix says.

    Raises:
        WrongAnswer: they differ.
    """
    halves = sum(
        int(size) * units[packed].halves
        for packed, size in zip(classes.packed.tolist(), classes.sizes, strict=True)
    )
    lines = rows_of(census.width, census.rules)
    expected = block_count((census.height + 1) // 2, lines, census.width)
    if halves != expected:
        raise WrongAnswer(f"{halves} upper halves were listed, and there are {expected}")
