"""What is counted: boards of a size under rules; and the classes that its halves fall into.

A board is cut after its middle row. What the columns of the upper half hold in ones is its class;
the columns of the lower half must hold the rest. So boards are counted class by class, each by
itself: a unit of work. A board turned left for right, or with 0 for 1, has halves of the mirrored
or complemented class; such classes have equal counts, and one of them is counted for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, cast

import numpy as np

from binairo_cp.census.blocks import BITS, Blocks, Numbers, block_count, blocks_of, pack, rows_of
from binairo_cp.errors import LimitError
from binairo_cp.puzzle.rules import CLASSIC, Odd, Rules

Distinct = Literal["lines", "rows", "columns", "nothing"]

MAX_SIDE = 16
MAX_BLOCKS = 6_000_000
"""So many blocks of rows take some 200 MB."""
MAX_MERGED = 10_000_000
"""So many lower halves, as entries, take some 500 MB."""

MAX_CLASSES = 20_000_000
_KEY_BITS = 59
_MOST_ROWS = 9
"""Of a half: its rows have at most 40,320 orders with one of them at the cut, which is a word."""


@dataclass(frozen=True, slots=True)
class Census:
    """Boards of a size, to be counted.

    Attributes:
        height: in rows.
        width: in columns.
        distinct: what may not repeat: rows and columns (``lines``), only ``rows``, only
            ``columns``, or ``nothing``.
        odd: which symbol a line of odd length has one more of.
    """

    height: int
    width: int
    distinct: Distinct = "lines"
    odd: Odd = "either"

    @property
    def rules(self) -> Rules:
        """The rules of a line; distinct lines where rows and columns both are."""
        return replace(CLASSIC, distinct_lines=self.distinct == "lines", odd=self.odd)

    @property
    def turned(self) -> Census:
        """The same boards on their side."""
        other = {"rows": "columns", "columns": "rows"}.get(self.distinct, self.distinct)
        return Census(self.width, self.height, cast("Distinct", other), self.odd)

    @property
    def rows_differ(self) -> bool:
        """Whether no two rows may be the same."""
        return self.distinct in ("lines", "rows")

    @property
    def columns_differ(self) -> bool:
        """Whether no two columns may be the same."""
        return self.distinct in ("lines", "columns")

    @property
    def name(self) -> str:
        """As ``12x12 classic``."""
        rules = {"lines": "classic", "nothing": "unruly"}.get(self.distinct, self.distinct)
        odd = "" if self.odd == "either" else f" odd:{self.odd}"
        return f"{self.height}x{self.width} {rules}{odd}"


class Tables(NamedTuple):
    """What all units of a census share.

    Attributes:
        lines: the legal rows as numbers, cell k being bit k.
        full: the number of a row of ones.
        names: for each row, the number of its complement if `symmetric`, or else its own.
        symmetric: lower halves are upper ones, upside down and complemented, of the same class.
        differences: for each row, which pairs of its cells differ, in two words.
        upper: outer and inner blocks of the upper half.
        lower: of the lower half, if not `symmetric`.
        totals: what upper and lower half must come to together, packed.
    """

    lines: Numbers
    full: int
    names: Numbers
    symmetric: bool
    differences: np.typing.NDArray[np.uint64]
    upper: tuple[Blocks, Blocks]
    lower: tuple[Blocks, Blocks]
    totals: Numbers


class Classes(NamedTuple):
    """The classes to be counted, packed, and how many have the count of each."""

    packed: Numbers
    sizes: Numbers


def oriented(census: Census) -> Census:
    """The census, or that of the boards on their side, whichever takes less.

    Raises:
        LimitError: both are out of reach.
    """
    best, least, reason = None, 0, None
    for each in dict.fromkeys((census, census.turned)):
        try:
            work = pairs_of_blocks(each)
        except LimitError as error:
            reason = reason or error
            continue
        if best is None or work < least:
            best, least = each, work
    if best is None:
        assert reason is not None
        raise reason
    return best


def is_closed(census: Census) -> bool:
    """Whether the complement of every board is one as well."""
    return census.odd == "either" or census.height % 2 == census.width % 2 == 0


def pairs_of_blocks(census: Census) -> int:
    """How many pairs of blocks there are.

    Raises:
        LimitError: too many, or too long lines.
    """
    if min(census.height, census.width) < 1:
        raise LimitError(f"a board of {census.height}x{census.width}; expected sides of 1 or more")
    half = (census.height + 1) // 2
    if census.height >= 2 and 1 <= census.width <= MAX_SIDE and half <= _MOST_ROWS:
        lines = rows_of(census.width, census.rules)
        inner = block_count((half + 1) // 2, lines, census.width)
        # The rows of an entry but one are one number.
        fits = inner <= MAX_BLOCKS and len(lines).bit_length() * (half - 1) <= _KEY_BITS
        if fits and _merged(census, lines) <= MAX_MERGED:
            return inner * block_count(half // 2, lines, census.width)
    raise LimitError(
        f"a census of {census.name} boards is out of reach; --estimate tells about how many there "
        "are"
    )


def _merged(census: Census, lines: Numbers) -> int:
    """How many lower halves may be joined at once, where columns may have one more of either."""
    if len(census.rules.ones(census.height)) == 1:
        return 0
    return block_count(census.height // 2, lines, census.width)


@lru_cache(maxsize=4)
def tables(census: Census) -> Tables:
    """What all units of a census share; `oriented` says whether there is such a thing."""
    lines = rows_of(census.width, census.rules)
    full = (1 << census.width) - 1
    symmetric = census.height % 2 == 0 and is_closed(census)
    names = np.arange(len(lines))
    if symmetric:
        order = np.argsort(lines)
        names = order[np.searchsorted(lines, full ^ lines, sorter=order)]
    upper, lower = (census.height + 1) // 2, census.height // 2

    def blocks(rows: int) -> tuple[Blocks, Blocks]:
        return (
            blocks_of(rows // 2, lines, census.width, inner=False),
            blocks_of((rows + 1) // 2, lines, census.width, inner=True),
        )

    above = blocks(upper)
    below = above if lower == upper else blocks(lower)
    return Tables(
        lines,
        full,
        names,
        symmetric,
        _differences(lines, census.width, census.columns_differ),
        above,
        below,
        _totals(census),
    )


def _differences(lines: Numbers, width: int, wanted: bool) -> np.typing.NDArray[np.uint64]:
    """Bit k of the two words: whether the k-th pair of cells differs; all of them if not wanted."""
    words = np.full((len(lines), 2), ~np.uint64(0))
    if wanted:
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
    """The classes of upper halves, one for all that are images of each other.

    Raises:
        LimitError: there are too many.
    """
    rows, width = (census.height + 1) // 2, census.width
    packed = _sums(census)
    images = [packed, _mirrored(packed, width)]
    # The complement of a class of upper halves is one of upper halves.
    if is_closed(census):
        every = int(pack(np.array([(1 << width) - 1]), width)[0]) * rows
        images += [every - image for image in images]
    stacked = np.sort(np.stack(images), axis=0)
    least = stacked[0]
    distinct = 1 + (np.diff(stacked, axis=0) != 0).sum(0)
    chosen = packed == least
    return Classes(packed[chosen], distinct[chosen])


def _sums(census: Census) -> Numbers:
    """The classes that upper halves can have, and a few more."""
    rows, width = (census.height + 1) // 2, census.width
    # A column without triples has at least so many ones, and as many zeros.
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


def _mirrored(packed: Numbers, width: int) -> Numbers:
    mirrored = np.zeros_like(packed)
    for column in range(width):
        digit = (packed >> (BITS * column)) & ((1 << BITS) - 1)
        mirrored |= digit << (BITS * (width - 1 - column))
    return mirrored
