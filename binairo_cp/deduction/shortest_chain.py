"""A short chain of consequences from a tried value to a broken rule.

The search is Dijkstra's: of all cells that follow, the one that needs the fewest steps is filled
next, and each cell remembers the steps that it needs. Since cells can share steps, this chain is
not always the shortest. So the search is repeated without one of its steps, for each of them, as
long as that gives a shorter chain. To be sure of the shortest chain would be a hard problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from heapq import heappop, heappush
from math import inf

from binairo_cp.deduction.position import BrokenRule, PlacedStrip, Position, Values
from binairo_cp.deduction.steps import Chain, Step, lines_of, step_of
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import LINE_TECHNIQUES, LineTechnique, deductions
from binairo_cp.puzzle.board import OPEN, Cell

FOLLOWED = tuple(
    technique for technique in LINE_TECHNIQUES if technique.level in ("beginner", "easy", "medium")
)
"""The techniques that follow up on a tried value."""

Techniques = tuple[LineTechnique, ...]

Clock = Callable[[], None]
"""Is called regularly, and may raise an error to end a search."""

_Steps = frozenset[int]
"""Numbers of steps."""


def shortest_chain(
    position: Position, cell: Cell, value: str, check_clock: Clock, most_searches: int | None = None
) -> Chain:
    """Return a chain with few steps that refutes a value, and among these one with few lines.

    Args:
        position: A position where the techniques of `FOLLOWED` find nothing.
        cell: An open cell.
        value: A value that these techniques refute in it.
        check_clock: Is called before each step, and may raise.
        most_searches: Maximum number of further searches; None for no limit.
    """
    ending = shortest_ending(position, {cell: value}, check_clock, most_searches=most_searches)
    if ending is None:
        raise ValueError(f"{cell} = {value} is not refuted")
    return Chain(cell, value, *ending)


Ending = tuple[tuple[Step, ...], BrokenRule]
"""Steps up to a broken rule, and that rule."""

Given = tuple[Values, Step]
"""A step that can be used where some cells have these values."""


def shortest_ending(
    position: Position,
    tried: Values,
    check_clock: Clock,
    given: Sequence[Given] = (),
    most_searches: int | None = None,
    techniques: Techniques = FOLLOWED,
) -> Ending | None:
    """Few steps from some values to a broken rule; None if no rule is broken.

    Args:
        position: A position where the techniques of `FOLLOWED` find nothing.
        tried: The values to fill; none to look at all lines of any position.
        check_clock: As in `shortest_chain`.
        given: Steps of other techniques that may be used.
        most_searches: As in `shortest_chain`.
        techniques: The techniques that follow up.
    """
    search = partial(_ChainSearch, position, tried, check_clock, given, techniques)
    best = min(search().endings(), key=length_of, default=None)
    banned: set[_Key] = set()
    while best and (untried := [key for step in best[0] if (key := _key(step)) not in banned]):
        if len(banned) == most_searches:
            break
        banned.add(untried[0])
        size = sum(step.size for step in best[0])
        best = min([best, *search(untried[0], size).endings()], key=length_of)
    return best


def length(chain: Chain) -> tuple[int, int]:
    """What makes a chain long: its number of steps, then of lines."""
    return length_of((chain.steps, chain.broken))


def length_of(ending: Ending) -> tuple[int, int]:
    """The same of steps and the rule that they break."""
    steps, broken = ending
    return sum(step.size for step in steps), len(lines_of(steps, broken))


def needed_steps(steps: Iterable[Step], fault: BrokenRule) -> tuple[Step, ...]:
    """Those steps, and those of their cells, that a fault needs."""
    needed, kept = {*fault.cells}, []
    for step in reversed(list(steps)):
        if not needed.isdisjoint(step.values):
            kept.append(step.only(needed))
            needed |= {*step.reason}
    return tuple(reversed(kept))


_Key = tuple[str, str, tuple[Cell, ...]]


def _key(step: Step) -> _Key:
    """The same for a step and for a part of it."""
    return step.technique, step.line, step.reason


@lru_cache(maxsize=1 << 12)
def _steps_in(line: PlacedStrip, techniques: Techniques) -> tuple[Step, ...]:
    """What follows in a line; cached, since each search meets the same lines again."""
    return tuple(
        step_of(technique, line, deduction)
        for technique in techniques
        for deduction in deductions(technique.find, line.strip)
    )


class _ChainSearch:
    """Fills what follows from a tried value, the cells that need the fewest steps first."""

    def __init__(
        self,
        position: Position,
        tried: Values,
        check_clock: Clock,
        given: Sequence[Given],
        techniques: Techniques,
        banned: _Key | None = None,
        most: float = inf,
    ) -> None:
        self._position, self._tried, self._check_clock = position, tried, check_clock
        self._techniques, self._banned, self._most = techniques, banned, most
        self._needed_for: dict[Cell, _Steps] = {}
        self._steps: list[Step] = []
        # By the number of needed steps, then of their lines.
        self._waiting: list[tuple[int, int, int, _Steps]] = []
        self._given: dict[Cell, list[Given]] = {}
        for number in given:
            for cell in number[0]:
                self._given.setdefault(cell, []).append(number)

    def endings(self) -> Iterator[Ending]:
        """Yield the steps to each broken rule, until no others can be fewer."""
        new, needed = self._tried, _Steps()
        fewest = self._most + 1
        while self._size(needed) < fewest or not needed:
            self._check_clock()
            self._position = self._position.with_values(new)
            self._needed_for |= dict.fromkeys(new, needed)
            lines = self._position.numbers_of(new) if new else range(len(self._position.lines))
            for fault in (*self._position.faults(lines), *self._wrong_lemmas(new)):
                used = sorted(self._needed(fault.cells))
                fewest = min(fewest, self._size(used))
                yield needed_steps(map(self._steps.__getitem__, used), fault), fault
            self._look_around(new or dict(self._position.board.clues()), lines)
            new, needed = self._easiest()
            if not new:
                return

    def _wrong_lemmas(self, cells: Iterable[Cell]) -> Iterator[BrokenRule]:
        """The given lemmas whose values all hold."""
        board = self._position.board
        for cell in cells if self._given else ():
            for values, step in self._given.get(cell, ()):
                both = values | {place: opposite(value) for place, value in step.values.items()}
                if step.lemma is not None and all(board[place] == both[place] for place in both):
                    yield BrokenRule("lemma", (), tuple(both), most=len(both), lemma=step.lemma)

    def _size(self, needed: Iterable[int]) -> int:
        return sum(self._steps[number].size for number in needed)

    def _needed(self, cells: Iterable[Cell]) -> _Steps:
        return _Steps().union(*(self._needed_for.get(cell, ()) for cell in cells))

    def _look_around(self, cells: Iterable[Cell], lines: Iterable[int]) -> None:
        """Queue what follows in some lines, and the given steps that some cells allow."""
        board = self._position.board
        for number in lines:
            for step in _steps_in(self._position.lines[number], self._techniques):
                self._queue(step)
        for cell in cells if self._given else ():
            for values, step in self._given.get(cell, ()):
                if all(board[place] == value for place, value in values.items()):
                    self._queue(step)

    def _queue(self, step: Step) -> None:
        if _key(step) == self._banned:
            return
        needed = self._needed(step.reason) | {len(self._steps)}
        self._steps.append(step)
        lines = {self._steps[number].line for number in needed}
        heappush(self._waiting, (self._size(needed), len(lines), len(self._steps) - 1, needed))

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
