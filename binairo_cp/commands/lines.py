"""Count, list and draw legal lines: the output of ``binairo lines``."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

from binairo_cp.errors import LimitError
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.lines import Lines, legal_lines
from binairo_cp.puzzle.rules import Rules


@dataclass(frozen=True, slots=True)
class LineSelection:
    """Which lines to print; without any, a table of their numbers.

    Attributes:
        numbers: print the lines with these numbers.
        line: print the number of this line.
        all_lines: print all lines.
        at_random: print this many random lines.
        seed: of the random lines; None for a random seed.
    """

    numbers: list[int]
    line: str | None
    all_lines: bool
    at_random: int
    seed: int | None


def report(
    length: int, pattern: str | None, rules: Rules, selection: LineSelection
) -> Iterator[str]:
    """The selected lines, or how many lines there are.

    Raises:
        BoardError: the pattern has characters other than cells.
        LimitError: the pattern has another length, or there is no such number or line.
    """
    if pattern is not None and len(pattern) != length:
        raise LimitError(f"the pattern has {len(pattern)} cells; expected {length}")
    if not (
        selection.numbers
        or selection.line is not None
        or selection.all_lines
        or selection.at_random
    ):
        yield from _table(length, rules) if pattern is None else [str(Lines(pattern, rules).count)]
        return
    lines = Lines(pattern or OPEN * length, rules)
    try:
        yield from (lines[number] for number in selection.numbers)
        if selection.line is not None:
            yield str(lines.index(selection.line))
        if selection.all_lines:
            yield from lines
        rng = random.Random(selection.seed)
        yield from (lines.random(rng) for _ in range(selection.at_random))
    except (IndexError, ValueError) as error:
        raise LimitError(str(error)) from error


def _table(length: int, rules: Rules) -> Iterator[str]:
    """Numbers of lines for all lengths up to this one that are even, or odd, like it."""
    rows = [("length", "legal", "balanced", "all")]
    for each in range(length % 2 or 2, length + 1, 2):
        balanced = sum(comb(each, ones) for ones in rules.ones(each))
        legal = legal_lines(each, rules).count
        rows.append((str(each), str(legal), str(balanced), str(2**each)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells)
