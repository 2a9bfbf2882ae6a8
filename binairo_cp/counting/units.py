"""Units of work: counting the boards whose upper halves belong to one class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from binairo_cp.counting.blocks import Blocks, Numbers
from binairo_cp.counting.kernel import kernel
from binairo_cp.counting.sizes import Census, tables


class Unit(NamedTuple):
    """The counts of a class.

    Attributes:
        packed: the class.
        boards: the number of boards with an upper half of that class.
        halves: the number of upper halves of that class.
    """

    packed: int
    boards: int
    halves: int


def count_unit(census: Census, packed: int) -> Unit:
    """Count the boards whose upper halves belong to a class."""
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
    """The halves of classes in the form that `join` takes, and their number."""
    shared = tables(census)
    if census.distinct == "nothing":
        code = kernel().count_ends
        listed, halves = _call(code, classes, shared.full, len(shared.lines), *blocks)
    else:
        code = kernel().list_halves
        arguments = (classes, shared.full, census.rows_differ, shared.differences)
        listed, halves = _call(code, *arguments, *blocks)
    return listed, int(halves)


def _call(code: Callable[..., Any], *arguments: Any) -> Any:
    """Call compiled code that returns a tuple.

    A KeyboardInterrupt during the call surfaces while numba builds the tuple, as a SystemError;
    this function raises the original exception.
    """
    try:
        return code(*arguments)
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt | SystemExit):
            raise error.__cause__ from None
        raise


def count_units(census: Census, classes: Iterable[int]) -> list[Unit]:
    """Count several units one after the other; this is the task of a worker."""
    return [count_unit(census, packed) for packed in classes]
