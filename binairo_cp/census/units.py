"""Units of work: the boards whose upper halves are of a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from binairo_cp.census.blocks import Blocks, Numbers
from binairo_cp.census.kernel import kernel
from binairo_cp.census.sizes import Census, tables


class Unit(NamedTuple):
    """What was counted of a class.

    Attributes:
        packed: the class.
        boards: how many have an upper half of that class.
        halves: how many upper halves there are.
    """

    packed: int
    boards: int
    halves: int


def count_unit(census: Census, packed: int) -> Unit:
    """Count the boards with upper halves of a class."""
    shared = tables(census)
    upper, halves = _halves(census, np.array([packed]), shared.upper)
    lower = upper
    if not shared.symmetric:
        lower, _ = _halves(census, shared.totals - packed, shared.lower)
    cut = (shared.lines, shared.full, shared.names, shared.symmetric)
    if census.distinct == "nothing":
        boards = kernel().join_plain(*cut, upper, lower)
    else:
        boards = kernel().join(*cut, census.rows_differ, upper, lower)
    return Unit(packed, int(boards), halves)


def _halves(census: Census, classes: Numbers, blocks: tuple[Blocks, Blocks]) -> tuple[Any, int]:
    """The halves of classes, in the form that is joined, and how many there are."""
    shared = tables(census)
    if census.distinct == "nothing":
        code = kernel().count_ends
        found, halves = _run(code, classes, shared.full, len(shared.lines), *blocks)
    else:
        code = kernel().list_halves
        given = (classes, shared.full, census.rows_differ, shared.differences)
        found, halves = _run(code, *given, *blocks)
    return found, int(halves)


def _run(code: Callable[..., Any], *given: Any) -> Any:
    """Run compiled code that returns several things. An interrupt that comes meanwhile is raised
    while they are made, where numba makes an error of the interpreter of it.
    """
    try:
        return code(*given)
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt | SystemExit):
            raise error.__cause__ from None
        raise


def count_units(census: Census, classes: Iterable[int]) -> list[Unit]:
    """Count several units, one after the other: the work of a process."""
    return [count_unit(census, packed) for packed in classes]
