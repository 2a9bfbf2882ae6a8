"""Count all units of a census, in this process or with workers, and add them up.

Long and narrow boards whose rows may repeat are counted row by row instead. What the rows below
depend on is the last two rows, the number of ones in each column, and the pairs of columns that are
equal so far. The boards above that agree in these are counted together (a transfer matrix).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations

import numpy as np

from binairo_cp.counting.sizes import (
    MEMORY,
    Census,
    Classes,
    Numbers,
    block_count,
    classes_of,
    oriented,
    rows_of,
)
from binairo_cp.counting.units import Unit, count_units
from binairo_cp.errors import LimitError, SolverCrash, WrongAnswer
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.lines import legal_lines
from binairo_cp.workers import executors
from binairo_cp.workers.executors import Executor
from binairo_cp.workers.terminal import option

SMALL = 20_000_000
"""A census with fewer pairs of blocks is done before workers would have started."""

_BLOCKS_PER_WORKER = 64

MAX_WIDTH = 6
MAX_STATES = 300_000
"""The most states after a row with the default memory; a row of these takes some seconds."""

State = tuple[int, int, tuple[int, ...], frozenset[tuple[int, int]]]
"""The last row, the row before it, the ones of each column, and the equal pairs of columns."""


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

    `memory` is in GB.

    Raises:
        LimitError: the census is out of reach.
    """
    if census.height == census.width == 1:
        return len(census.rules.ones(1))
    if has_too_few_lines(census):
        return 0
    try:
        oriented(census, memory)
    except LimitError:
        if not is_narrow(census):
            raise
        return count_narrow(census, memory)
    return None


def count_blocks(
    census: Census, blocks: Iterable[list[int]], pool: Executor | None = None
) -> Iterator[list[Unit]]:
    """Count blocks of units, in this process or with workers; the results are in order.

    Raises:
        SolverCrash: a worker died.
    """
    count = partial(count_units, census)
    if pool is None:
        yield from map(count, blocks)
        return
    for _, result in executors.map_blocks(pool, count, blocks):
        if isinstance(result, SolverCrash):
            raise result
        yield result


def split_evenly(packed: Numbers, pool: Executor | None) -> list[list[int]]:
    """Split units into blocks of similar work, without knowing the work of each unit."""
    number = 1 if pool is None else _BLOCKS_PER_WORKER * pool.workers
    return [packed[k::number].tolist() for k in range(min(number, len(packed)))]


def split_by_work(packed: Numbers, work: Numbers, block_work: int) -> list[list[int]]:
    """Split units into blocks of about `block_work` each, the largest units first."""
    blocks: list[list[int]] = []
    work_left = 0
    for place in np.argsort(-work, kind="stable").tolist():
        if work_left < work[place]:
            blocks.append([])
            work_left = block_work
        blocks[-1].append(int(packed[place]))
        work_left -= int(work[place])
    return blocks


def total(classes: Classes, units: dict[int, Unit]) -> int:
    """Return the number of all boards: the counts of the classes times their sizes."""
    sizes = zip(classes.packed.tolist(), classes.sizes, strict=True)
    return sum(int(size) * units[packed].boards for packed, size in sizes)


def check(census: Census, classes: Classes, units: dict[int, Unit]) -> None:
    """Check the number of all upper halves against a count by transfer matrix.

    Raises:
        WrongAnswer: the numbers differ.
    """
    sizes = zip(classes.packed.tolist(), classes.sizes, strict=True)
    halves = sum(int(size) * units[packed].halves for packed, size in sizes)
    lines = rows_of(census.width, census.rules)
    expected = block_count((census.height + 1) // 2, lines, census.width)
    if halves != expected:
        raise WrongAnswer(f"{halves} upper halves were listed; expected {expected}")


def has_too_few_lines(census: Census) -> bool:
    """Whether more lines must differ than there are legal lines, so that there are no boards."""
    sides = (census.height, census.width)
    if not all(1 <= side <= MAX_SIDE for side in sides):
        return False
    return (census.rows_differ and legal_lines(sides[1], census.rules).count < sides[0]) or (
        census.columns_differ and legal_lines(sides[0], census.rules).count < sides[1]
    )


def is_narrow(census: Census) -> bool:
    """Whether `count_narrow` counts these boards, or their transposes."""
    narrow = _upright(census)
    return 1 <= narrow.width <= MAX_WIDTH and not narrow.rows_differ and narrow.height <= MAX_SIDE


def count_narrow(census: Census, memory: float = MEMORY) -> int:
    """Return the number of boards, which `is_narrow` must accept; `memory` is in GB.

    Raises:
        LimitError: there are too many states.
    """
    census = _upright(census)
    lines = [int(line) for line in rows_of(census.width, census.rules)]
    ones = census.rules.ones(census.height)
    full, nothing = (1 << census.width) - 1, (0,) * census.width
    pairs = combinations(range(census.width), 2) if census.columns_differ else ()
    # Before the first two rows, no row can complete a triple.
    states: dict[State, int] = {(0, full, nothing, frozenset(pairs)): 1}
    for row in range(census.height):
        below: dict[State, int] = defaultdict(int)
        left = census.height - 1 - row
        for (last, before, sums, equal), number in states.items():
            for line in lines:
                if (line ^ last) | (line ^ before) != full and row > 0:
                    continue
                added = tuple(total + (line >> k & 1) for k, total in enumerate(sums))
                if min(added) + left >= ones[0] and max(added) <= ones[-1]:
                    same = frozenset((j, k) for j, k in equal if not (line >> j ^ line >> k) & 1)
                    # The row before the second one is the complement of the first.
                    below[line, last if row else full ^ line, added, same] += number
        states = below
        if len(states) > MAX_STATES * memory / MEMORY:
            most = int(MAX_STATES * memory / MEMORY)
            raise LimitError(
                f"a census of {census.name} boards is out of reach: "
                f"after {row + 1} of {census.height} rows there are more than {most:,} cases to "
                f"tell apart (try a larger {option('memory')})"
            )
    return sum(number for (*_, equal), number in states.items() if not equal)


def _upright(census: Census) -> Census:
    """The census or its transpose, whichever has the shorter rows."""
    return census if census.width <= census.height else census.transposed
