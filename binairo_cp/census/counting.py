"""A census taken: all units counted, here or by workers, and added up."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Any, Protocol

from binairo_cp.census import states
from binairo_cp.census.blocks import Numbers
from binairo_cp.census.sizes import Census, Classes, classes_of, oriented
from binairo_cp.census.units import Unit, count_units
from binairo_cp.errors import SolverCrash

SMALL = 20_000_000
"""So many pairs of blocks are joined before workers would have begun."""

_BLOCKS_A_WORKER = 64


class Mapper(Protocol):
    """What applies a function to blocks of work: `executors.Pool`."""

    workers: int

    def map(
        self, work: Callable[[Any], Any], blocks: Iterable[Any]
    ) -> Generator[tuple[Any, Any], None, None]:
        """Yield each block with its result, or the crash that it died of."""


def count_boards(census: Census, pool: Mapper | None = None) -> int:
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
    state = states.State(None, census, {})
    for units in counted(census, classes.packed, pool):
        state.add(units)
    return total(classes, state.units)


def counted(census: Census, packed: Numbers, pool: Mapper | None = None) -> Iterator[list[Unit]]:
    """Count units, in no special order.

    Raises:
        SolverCrash: a worker died.
    """
    if pool is None:
        for each in packed.tolist():
            yield count_units(census, [each])
        return
    number = max(1, min(len(packed), _BLOCKS_A_WORKER * pool.workers))
    blocks = (packed[k::number].tolist() for k in range(number))
    for _, made in pool.map(partial(count_units, census), blocks):
        if isinstance(made, SolverCrash):
            raise made
        yield made


def total(classes: Classes, units: dict[int, Unit]) -> int:
    """All boards, of the counts of all classes."""
    return sum(
        int(size) * units[packed].boards
        for packed, size in zip(classes.packed.tolist(), classes.sizes, strict=True)
    )
