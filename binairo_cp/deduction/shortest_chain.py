"""A short chain of consequences from a tried value to a broken rule.

The search is Dijkstra's: of all cells that follow, the one that needs the fewest steps is filled
next, and each cell remembers the steps that it needs. Since cells can share steps, this chain is
not always the shortest. So the search is repeated without one of its steps, for each of them, as
long as that gives a shorter chain. To be sure of the shortest chain would be a hard problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from heapq import heappop, heappush

from binairo_cp.deduction.position import BrokenRule, PlacedStrip, Position, Values
from binairo_cp.deduction.steps import Chain, Step, step_of
from binairo_cp.deduction.techniques import LINE_TECHNIQUES, deductions
from binairo_cp.puzzle.board import OPEN, Cell

FOLLOWED = tuple(
    technique for technique in LINE_TECHNIQUES if technique.level in ("beginner", "easy", "medium")
)
"""The techniques that follow up on a tried value."""

_Steps = frozenset[int]
"""Numbers of steps."""


def shortest_chain(
    position: Position, cell: Cell, value: str, most_searches: int | None = None
) -> Chain:
    """Return a chain with few steps that refutes a value, and among these one with few lines.

    Args:
        position: A position where the techniques of `FOLLOWED` find nothing.
        cell: An open cell.
        value: A value that these techniques refute in it.
        most_searches: Maximum number of further searches; None for no limit.
    """
    best = min(_ChainSearch(position, cell, value).chains(), key=length)
    tried: set[_Key] = set()
    while untried := [key for step in best.steps if (key := _key(step)) not in tried]:
        if len(tried) == most_searches:
            break
        tried.add(untried[0])
        found = _ChainSearch(position, cell, value, untried[0], best.size).chains()
        best = min([best, *found], key=length)
    return best


def length(chain: Chain) -> tuple[int, int]:
    """What makes a chain long: its number of steps, then of lines."""
    return chain.size, len(chain.lines)


def chain_of(cell: Cell, value: str, steps: Iterable[Step], fault: BrokenRule) -> Chain:
    """A chain of those steps, and of those of their cells, that a fault needs."""
    needed, kept = {*fault.cells}, []
    for step in reversed(list(steps)):
        if not needed.isdisjoint(step.values):
            kept.append(step.only(needed))
            needed |= {*step.reason}
    return Chain(cell, value, tuple(reversed(kept)), fault)


_Key = tuple[str, str, tuple[Cell, ...]]


def _key(step: Step) -> _Key:
    """The same for a step and for a part of it."""
    return step.technique, step.line, step.reason


@lru_cache(maxsize=1 << 12)
def _steps_in(line: PlacedStrip) -> tuple[Step, ...]:
    """What follows in a line; cached, since each search meets the same lines again."""
    return tuple(
        step_of(technique, line, deduction)
        for technique in FOLLOWED
        for deduction in deductions(technique.find, line.strip)
    )


class _ChainSearch:
    """Fills what follows from a tried value, the cells that need the fewest steps first."""

    def __init__(
        self,
        position: Position,
        cell: Cell,
        value: str,
        banned: _Key | None = None,
        most: int | None = None,
    ) -> None:
        self._tried = (cell, value)
        self._banned = banned
        self._most = most
        self._position = position
        self._needed_for: dict[Cell, _Steps] = {}
        self._steps: list[Step] = []
        # By the number of needed steps, then of their lines.
        self._waiting: list[tuple[int, int, int, _Steps]] = []

    def chains(self) -> Iterator[Chain]:
        """Yield a chain for each broken rule, until no other can be shorter."""
        cell, value = self._tried
        new, needed = {cell: value}, _Steps()
        fewest = len(self._position.board.cells) if self._most is None else self._most + 1
        while len(needed) < fewest or not needed:
            self._fill(new, needed)
            for fault in self._position.faults(self._position.numbers_of(new)):
                used = sorted(self._needed(fault.cells))
                fewest = min(fewest, len(used))
                yield chain_of(cell, value, map(self._steps.__getitem__, used), fault)
            self._look_around(new)
            new, needed = self._easiest()
            if not new:
                return

    def _fill(self, values: Values, needed: _Steps) -> None:
        self._position = self._position.with_values(values)
        self._needed_for |= dict.fromkeys(values, needed)

    def _needed(self, cells: Iterable[Cell]) -> _Steps:
        return _Steps().union(*(self._needed_for.get(cell, ()) for cell in cells))

    def _look_around(self, cells: Iterable[Cell]) -> None:
        """Queue what follows in the lines of some cells."""
        for number in self._position.numbers_of(cells):
            for step in _steps_in(self._position.lines[number]):
                if _key(step) == self._banned:
                    continue
                needed = self._needed(step.reason) | {len(self._steps)}
                self._steps.append(step)
                lines = {self._steps[each].line for each in needed}
                heappush(self._waiting, (len(needed), len(lines), len(self._steps) - 1, needed))

    def _easiest(self) -> tuple[Values, _Steps]:
        """What the step with the fewest needed steps fills; nothing if no step is left."""
        while self._waiting:
            *_, number, needed = heappop(self._waiting)
            step = self._steps[number]
            step = step.only({c for c in step.values if self._position.board[c] == OPEN})
            if step.values:
                self._steps[number] = step
                return step.values, needed
        return {}, _Steps()
