"""Count boards that `counting` does not reach because they are long and narrow, or have no boards.

Boards whose rows may repeat are counted row by row. What the rows below depend on is the last two
rows, the number of ones in each column, and the pairs of columns that are equal so far. The boards
above that agree in these are counted together (a transfer matrix).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from binairo_cp.counting.blocks import rows_of
from binairo_cp.counting.sizes import MEMORY, Census
from binairo_cp.errors import LimitError
from binairo_cp.option_names import option
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.lines import legal_lines

MAX_WIDTH = 6
MAX_STATES = 300_000
"""The most states after a row with the default memory; a row of these takes some seconds."""

State = tuple[int, int, tuple[int, ...], frozenset[tuple[int, int]]]
"""The last row, the row before it, the ones of each column, and the equal pairs of columns."""


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
    """Return the number of boards, which `is_narrow` must accept.

    Args:
        census: the size and rules.
        memory: the GB of memory to use.

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
