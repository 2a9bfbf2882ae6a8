"""Which puzzles of a run are done, by their numbers from 0: spans that grow together."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator


class IntervalSet:
    """A set of numbers that mostly follow one another."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, count: int) -> None:
        """Add some numbers that follow one another."""
        end = start + count
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    @property
    def end(self) -> int:
        """The number after the last; 0 if there is none."""
        return self._ends[-1] if self._ends else 0

    def gaps(self, start: int, count: int) -> Iterator[tuple[int, int]]:
        """Those of some numbers that are not there, as starts and counts."""
        end = start + count
        number = bisect_right(self._ends, start)
        while start < end:
            there = number < len(self._starts) and self._starts[number] < end
            until = self._starts[number] if there else end
            if start < until:
                yield start, until - start
            start = self._ends[number] if there else end
            number += 1
