"""The boards to count, the classes of their halves, and blocks of rows by their column sums.

A board is cut after its middle row. The class of the upper half is the number of ones in each of
its columns; the columns of the lower half must contain the remaining ones. So each class is
counted independently, as a unit of work. Mirroring a board left to right, or swapping 0 and 1,
mirrors or complements the classes of its halves. Such classes have equal counts, and only one of
them is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from binairo_cp.errors import LimitError
from binairo_cp.puzzle.rules import CLASSIC, Odd, Rules
from binairo_cp.workers.terminal import option

Numbers = npt.NDArray[np.int64]

_LONG_LIST = 600
BITS = 4
"""Column sums are packed into one number with this many bits per column."""

Distinct = Literal["lines", "rows", "columns", "nothing"]

MAX_SIDE = 16
MAX_BLOCKS = 6_000_000
"""The most blocks of rows; they take about 200 MB."""
MAX_MERGED = 10_000_000
"""The most lower halves joined at once; as entries they take about 500 MB."""

_GB_OF_BLOCKS, _GB_OF_MERGED = 0.2, 0.5
"""The memory for `MAX_BLOCKS` and for `MAX_MERGED`."""

MEMORY = 1.0
"""The memory in GB that a worker may use by default; the limits above grow with it."""

MAX_CLASSES = 20_000_000
_KEY_BITS = 59
_MAX_ROWS = 9
"""The most rows of a half: they have at most 8! = 40,320 orders with a given row at the cut, which
fits 16 bits."""


@dataclass(frozen=True, slots=True)
class Census:
    """The boards to count: their size and rules.

    Attributes:
        height: in rows.
        width: in columns.
        distinct: what must not repeat: rows and columns (``lines``), only ``rows``, only
            ``columns``, or ``nothing``.
        odd: the symbol that occurs once more in lines of odd length.
    """

    height: int
    width: int
    distinct: Distinct = "lines"
    odd: Odd = "either"

    @property
    def rules(self) -> Rules:
        """The rules of a line; lines are distinct if both rows and columns are."""
        return replace(CLASSIC, distinct_lines=self.distinct == "lines", odd=self.odd)

    @property
    def transposed(self) -> Census:
        """The same boards with rows and columns swapped."""
        other = {"rows": "columns", "columns": "rows"}.get(self.distinct, self.distinct)
        return Census(self.width, self.height, cast("Distinct", other), self.odd)

    @property
    def rows_differ(self) -> bool:
        """Whether rows must differ."""
        return self.distinct in ("lines", "rows")

    @property
    def columns_differ(self) -> bool:
        """Whether columns must differ."""
        return self.distinct in ("lines", "columns")

    @property
    def name(self) -> str:
        """The size and the rules, such as ``12x12 classic``."""
        rules = {"lines": "classic", "nothing": "unruly"}.get(self.distinct, self.distinct)
        odd = "" if self.odd == "either" else f" odd:{self.odd}"
        return f"{self.height}x{self.width} {rules}{odd}"


class Tables(NamedTuple):
    """The data that all units of a census share.

    Attributes:
        lines: the legal rows as bit sets, with cell k as bit k.
        full: the bit set of a row of ones.
        names: for each row, the index of its complement if `symmetric`, otherwise its own index.
        symmetric: whether the lower halves of a class are its upper halves, upside down and
            complemented.
        differences: for each row, the pairs of its cells that differ, as two words of bits.
        upper: the outer and inner blocks of the upper half.
        lower: the outer and inner blocks of the lower half, if not `symmetric`.
        totals: the possible sums of the classes of an upper and a lower half, packed.
    """

    lines: Numbers
    full: int
    names: Numbers
    symmetric: bool
    differences: np.typing.NDArray[np.uint64]
    upper: tuple[RowBlocks, RowBlocks]
    lower: tuple[RowBlocks, RowBlocks]
    totals: Numbers


class Classes(NamedTuple):
    """The classes to count, packed, and the number of classes that share the count of each."""

    packed: Numbers
    sizes: Numbers


def oriented(census: Census, memory: float = MEMORY) -> Census:
    """Return the census or its transpose, whichever takes less work.

    If only one side is odd, that is the one with an even height: all its columns then have the same
    number of ones, so each upper half meets the lower halves of one class only. `memory` is what a
    worker may use, in GB.

    Raises:
        LimitError: both are out of reach.
    """
    best, least = None, (False, 0)
    reasons: list[LimitError] = []
    for one in dict.fromkeys((census, census.transposed)):
        try:
            work = (one.height % 2 == 1, pairs_of_blocks(one, memory))
        except LimitError as error:
            reasons.append(error)
            continue
        if best is None or work < least:
            best, least = one, work
    if best is None:
        raise reasons[0]
    return best


def is_closed(census: Census) -> bool:
    """Return whether the complement of every board is also a board."""
    return census.odd == "either" or census.height % 2 == census.width % 2 == 0


def pairs_of_blocks(census: Census, memory: float = MEMORY) -> int:
    """Return the number of pairs of blocks, a measure of the work.

    `memory` is what a worker may use, in GB.

    Raises:
        LimitError: there are too many blocks, or the lines are too long.
    """
    if min(census.height, census.width) < 1:
        raise LimitError(f"a board of {census.height}x{census.width}; expected sides of 1 or more")
    half = (census.height + 1) // 2
    reason = f"one side may have {MAX_SIDE} cells, the other {2 * _MAX_ROWS}"
    if census.height >= 2 and 1 <= census.width <= MAX_SIDE and half <= _MAX_ROWS:
        lines = rows_of(census.width, census.rules)
        inner = block_count((half + 1) // 2, lines, census.width)
        # The rows of an entry, except the one at the cut, are packed into one key.
        bits = len(lines).bit_length() * (half - 1)
        # With one possible number of ones in columns, no lower halves are joined at once.
        several = len(census.rules.ones(census.height)) > 1
        merged = block_count(census.height // 2, lines, census.width) if several else 0
        fits = inner <= MAX_BLOCKS * memory / MEMORY and merged <= MAX_MERGED * memory / MEMORY
        if fits and bits <= _KEY_BITS:
            return inner * block_count(half // 2, lines, census.width)
        reason = _excess(inner, merged, bits, memory)
    raise LimitError(f"a census of {census.name} boards is out of reach: {reason}")


def _excess(inner: int, merged: int, bits: int, memory: float) -> str:
    """Why a census is out of reach: what it would have to hold in memory, and the limit."""
    if bits > _KEY_BITS:
        return f"the rows of a half take a key of {bits} bits (limit {_KEY_BITS})"
    gigabytes = max(inner / MAX_BLOCKS * _GB_OF_BLOCKS, merged / MAX_MERGED * _GB_OF_MERGED)
    needed = max(inner / MAX_BLOCKS, merged / MAX_MERGED) * MEMORY
    what = (
        f"{inner:.2g} blocks of rows (limit {MAX_BLOCKS * memory / MEMORY:.2g})"
        if inner > MAX_BLOCKS * memory / MEMORY
        else f"{merged:.2g} half boards at once (limit {MAX_MERGED * memory / MEMORY:.2g})"
    )
    return f"{what} take {gigabytes:.2g} GB; {option('memory')} must be {needed:.3g} (GB) or more"


@lru_cache(maxsize=4)
def tables(census: Census) -> Tables:
    """Return the data that all units of a census share; call `oriented` first, for its limits."""
    lines = rows_of(census.width, census.rules)
    full = (1 << census.width) - 1
    symmetric = census.height % 2 == 0 and is_closed(census)
    names = np.arange(len(lines))
    if symmetric:
        order = np.argsort(lines)
        names = order[np.searchsorted(lines, full ^ lines, sorter=order)]
    upper, lower = (census.height + 1) // 2, census.height // 2

    def blocks(rows: int) -> tuple[RowBlocks, RowBlocks]:
        outer = blocks_of(rows // 2, lines, census.width, inner=False)
        return outer, blocks_of((rows + 1) // 2, lines, census.width, inner=True)

    above = blocks(upper)
    below = above if lower == upper else blocks(lower)
    differ = differences(lines, census.width, census.columns_differ)
    return Tables(lines, full, names, symmetric, differ, above, below, _totals(census))


def pairs_of_units(census: Census, packed: Numbers) -> Numbers:
    """Return the number of pairs of blocks of each unit; its time grows with that number."""
    outer, inner = tables(census).upper
    blocks = np.diff(inner.start)
    pairs = np.zeros(len(packed), np.int64)
    for total, number in zip(outer.sums, np.diff(outer.start), strict=True):
        needed = packed - total
        place = np.minimum(np.searchsorted(inner.sums, needed), len(inner.sums) - 1)
        pairs += np.where(inner.sums[place] == needed, number * blocks[place], 0)
    return pairs


def differences(lines: Numbers, width: int, columns_differ: bool) -> np.typing.NDArray[np.uint64]:
    """For each row, bit k says whether the k-th pair of cells differs.

    All bits are set if columns may repeat.
    """
    words = np.full((len(lines), 2), ~np.uint64(0))
    if columns_differ:
        for number, (one, other) in enumerate(combinations(range(width), 2)):
            equal = ((lines >> one) ^ (lines >> other)) & 1 == 0
            words[equal, number // 64] ^= np.uint64(1) << np.uint64(number % 64)
    return words


def _totals(census: Census) -> Numbers:
    ones = census.rules.ones(census.height)
    every = pack(np.array([(1 << census.width) - 1]), census.width)[0]
    if len(ones) == 1:
        return np.array([every * ones[0]])
    return np.sort(every * ones[0] + pack(np.arange(1 << census.width), census.width))


def classes_of(census: Census) -> Classes:
    """Return the classes of upper halves, one of each set of symmetric images.

    Raises:
        LimitError: there are too many classes.
    """
    rows, width = (census.height + 1) // 2, census.width
    packed = _sums(census)
    images = [packed, mirror(packed, width, BITS)]
    if is_closed(census):
        # The complement of a class of upper halves is also a class of upper halves.
        every = int(pack(np.array([(1 << width) - 1]), width)[0]) * rows
        images += [every - image for image in images]
    stacked = np.sort(np.stack(images), axis=0)
    least = stacked[0]
    distinct = 1 + (np.diff(stacked, axis=0) != 0).sum(0)
    chosen = packed == least
    return Classes(packed[chosen], distinct[chosen])


def _sums(census: Census) -> Numbers:
    """A superset of the classes that upper halves can have."""
    rows, width = (census.height + 1) // 2, census.width
    # The least and most ones of a column without triples.
    least, most = rows // 3, rows - rows // 3
    ones = census.rules.ones(width)
    packed, totals = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for column in range(width):
        digits = np.arange(least, most + 1)
        packed = np.add.outer(packed, digits << (BITS * column)).ravel()
        totals = np.add.outer(totals, digits).ravel()
        left = width - 1 - column
        fits = (totals + left * least <= rows * ones[-1]) & (totals + left * most >= rows * ones[0])
        packed, totals = packed[fits], totals[fits]
        if len(packed) > MAX_CLASSES:
            raise LimitError(f"a census of {census.name} boards has too many classes")
    return np.sort(packed)


def mirror(rows: Numbers, width: int, bits: int = 1) -> Numbers:
    """Rows that are read from the other side; each column takes some bits."""
    images = np.zeros_like(rows)
    for column in range(width):
        digit = rows >> (bits * column) & ((1 << bits) - 1)
        images |= digit << (bits * (width - 1 - column))
    return images


class RowBlocks(NamedTuple):
    """Blocks of rows, ordered by their sums. The border row is the one next to the other block.

    Attributes:
        sums: the distinct column sums, packed, in ascending order.
        start: the index of the first block of each sum, and the number of blocks at the end.
        edge: the columns where the border row differs from the row behind it; all columns if the
            block has no second row.
        rows: the row indices of each block, from top to bottom.
    """

    sums: Numbers
    start: Numbers
    line: Numbers
    edge: Numbers
    rows: npt.NDArray[np.int16]


def rows_of(width: int, rules: Rules) -> Numbers:
    """Return all legal lines of a length as bit sets, with cell k as bit k, in ascending order."""
    lines = np.arange(2)[: 1 << width]
    for cell in range(1, width):
        lines = np.concatenate([lines, lines | 1 << cell])
        if cell >= 2:
            last = (lines >> (cell - 2)) & 7
            lines = lines[(last != 0) & (last != 7)]
    ones, number = rules.ones(width), np.bitwise_count(lines)
    return lines[(ones[0] <= number) & (number <= ones[-1])]


def pack(lines: Numbers, width: int) -> Numbers:
    """Return the packed column sums of blocks that consist of one line each."""
    total = np.zeros(len(lines), np.int64)
    for column in range(width):
        total |= ((lines >> column) & 1) << (BITS * column)
    return total


def block_count(rows: int, lines: Numbers, width: int) -> int:
    """Return the number of blocks of rows without triples; an upper bound for very many lines."""
    number = len(lines)
    if rows <= 2 or not 0 < number <= _LONG_LIST:
        return int(number**rows)
    full = (1 << width) - 1
    differ = lines[:, None] ^ lines[None, :]
    # ways[j, k] is the number of blocks that end with the lines j and k.
    ways = np.ones(differ.shape)
    for _ in range(rows - 2):
        ways = np.array(
            [ways[:, k] @ ((differ[:, k, None] | differ[None, k]) == full) for k in range(number)]
        )
    return int(ways.sum())


def blocks_of(rows: int, lines: Numbers, width: int, inner: bool) -> RowBlocks:
    """Return all blocks of a number of rows, from 0, without triples.

    The border is the first row of inner blocks, and the last of others.
    """
    full = (1 << width) - 1
    line_sums = pack(lines, width)
    blocks = np.zeros((1, 0), np.int16)
    sums = np.zeros(1, np.int64)
    for row in range(rows):
        parts, part_sums = [], []
        for number, line in enumerate(lines):
            keep = np.ones(len(blocks), np.bool_)
            if row >= 2:
                last, before = lines[blocks[:, -1]], lines[blocks[:, -2]]
                keep &= ((last ^ before) | (last ^ line)) & full == full
            kept = blocks[keep]
            parts.append(np.column_stack([kept, np.full(len(kept), number, np.int16)]))
            part_sums.append(sums[keep] + line_sums[number])
        blocks, sums = np.concatenate(parts), np.concatenate(part_sums)
    order = np.argsort(sums, kind="stable")
    blocks, sums = np.ascontiguousarray(blocks[order]), sums[order]
    distinct_sums, start = np.unique(sums, return_index=True)
    line = np.zeros(len(blocks), np.int64)
    edge = np.full(len(blocks), full, np.int64)
    border, behind = (0, 1) if inner else (-1, -2)
    if rows:
        line = lines[blocks[:, border]]
    if rows >= 2:
        edge = lines[blocks[:, border]] ^ lines[blocks[:, behind]]
    return RowBlocks(distinct_sums, np.append(start, len(blocks)), line, edge, blocks)
