"""What ``binairo lines`` prints."""

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
class Asked:
    """Which lines are asked for; nothing of it asks for the table."""

    numbers: list[int]
    line: str | None
    all_lines: bool
    at_random: int
    seed: int | None


def report(length: int, pattern: str | None, rules: Rules, asked: Asked) -> Iterator[str]:
    """The lines asked for, or else how many there are.

    Raises:
        BoardError: a pattern that is no line.
        LimitError: a pattern of another length, or a number or a line that there is not.
    """
    if pattern is not None and len(pattern) != length:
        raise LimitError(f"a pattern of {len(pattern)} cells; expected {length}")
    if not (asked.numbers or asked.line is not None or asked.all_lines or asked.at_random):
        yield from _table(length, rules) if pattern is None else [str(Lines(pattern, rules).count)]
        return
    lines = Lines(pattern or OPEN * length, rules)
    try:
        yield from (lines[number] for number in asked.numbers)
        if asked.line is not None:
            yield str(lines.index(asked.line))
        if asked.all_lines:
            yield from lines
        rng = random.Random(asked.seed)
        yield from (lines.random(rng) for _ in range(asked.at_random))
    except (IndexError, ValueError) as error:
        raise LimitError(str(error)) from error


def _table(length: int, rules: Rules) -> Iterator[str]:
    """How many lines there are of each length with the same remainder by two, up to this one."""
    rows = [("length", "legal", "balanced", "all")]
    for each in range(length % 2 or 2, length + 1, 2):
        balanced = sum(comb(each, ones) for ones in rules.ones(each))
        legal = legal_lines(each, rules).count
        rows.append((str(each), str(legal), str(balanced), str(2**each)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells)
