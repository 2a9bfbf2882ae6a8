"""Sets of integers stored as intervals: the numbers of the finished puzzles of a run."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator


class IntervalSet:
    """A set of integers, stored as disjoint intervals. Adjacent intervals are merged."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, count: int) -> None:
        """Add `count` consecutive numbers."""
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
        """The largest number plus 1; 0 if the set is empty."""
        return self._ends[-1] if self._ends else 0

    def gaps(self, start: int, count: int) -> Iterator[tuple[int, int]]:
        """The numbers of a range that are not in the set, as pairs of start and count."""
        end = start + count
        number = bisect_right(self._ends, start)
        while start < end:
            exists = number < len(self._starts) and self._starts[number] < end
            until = self._starts[number] if exists else end
            if start < until:
                yield start, until - start
            start = self._ends[number] if exists else end
            number += 1
