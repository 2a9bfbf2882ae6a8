"""A single line with its signs: its values, its limits and its legal completions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from binairo_cp.puzzle.board import COMPLEMENT, OPEN
from binairo_cp.puzzle.rules import Rules

Signs = tuple[tuple[int, str], ...]
"""The signs along a line: ``(k, relation)`` between places k and k + 1."""


def opposite(symbol: str) -> str:
    """The other symbol."""
    return symbol.translate(COMPLEMENT)


@dataclass(frozen=True)
class Strip:
    """A row or a column, without its place on the board.

    Attributes:
        values: The symbols of its cells.
    """

    values: str
    signs: Signs
    rules: Rules

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.values, self.signs))

    @cached_property
    def open_places(self) -> tuple[int, ...]:
        return self.places(OPEN)

    def most(self, symbol: str) -> int:
        """The maximum number of a symbol in the line."""
        length = len(self.values)
        if not self.rules.balanced:
            return length
        ones = self.rules.ones(length)
        return ones[-1] if symbol == "1" else length - ones[0]

    def places(self, symbol: str) -> tuple[int, ...]:
        return tuple(place for place, value in enumerate(self.values) if value == symbol)

    def missing(self, symbol: str) -> int:
        """How many more of a symbol the line can have."""
        return self.most(symbol) - len(self.places(symbol))

    @cached_property
    def bounds_of_ones(self) -> tuple[int, int]:
        """The least and the most ones that balance and the known cells allow."""
        length = len(self.values)
        least = max(length - self.most("0"), len(self.places("1")))
        return least, min(self.most("1"), length - len(self.places("0")))

    def filled(self, symbol: str, *places: int) -> str:
        """The values of the line with a symbol in some places."""
        return "".join(symbol if k in places else value for k, value in enumerate(self.values))

    def runs_with(self, symbol: str, *places: int) -> Iterator[tuple[int, ...]]:
        """All runs of one cell too many if a symbol is in some places."""
        length, filled = self.rules.longest_run + 1, self.filled(symbol, *places)
        for begin in range(len(filled) - length + 1):
            if filled[begin : begin + length] == symbol * length:
                yield tuple(range(begin, begin + length))

    def completions(self) -> Iterator[str]:
        """Yield all legal completions that keep the signs; the search has no dead ends."""
        stack = [(start, "") for start in self._ways[0]]
        while stack:
            state, text = stack.pop()
            place = len(text)
            if place == len(self.values):
                yield text
                continue
            after = [way for way in self._next(place, state) if way[1] in self._ways[place + 1]]
            stack += [(following, text + symbol) for symbol, following in reversed(after)]

    def completions_with(self, place: int, symbol: str) -> int:
        """The number of completions with a symbol in a place."""
        return self._numbers_with[place][symbol]

    @cached_property
    def _numbers_with(self) -> list[dict[str, int]]:
        """For each place and symbol, the number of completions."""
        numbers = []
        begun = {_START: 1}
        for place in range(len(self.values)):
            number, extended = {"0": 0, "1": 0}, dict.fromkeys(self._ways[place + 1], 0)
            for state, ways in begun.items():
                for symbol, after in self._next(place, state):
                    if after in extended:
                        extended[after] += ways
                        number[symbol] += ways * self._ways[place + 1][after]
            begun = extended
            numbers.append(number)
        return numbers

    @cached_property
    def _ways(self) -> list[dict[_PrefixState, int]]:
        """For each place, the states before it from which the line can be completed, and in how
        many ways.
        """
        reached: list[set[_PrefixState]] = [{_START}]
        for place in range(len(self.values)):
            reached.append(
                {after for state in reached[-1] for _, after in self._next(place, state)}
            )
        numbers = [dict.fromkeys(reached[-1], 1)]
        for place in range(len(self.values) - 1, -1, -1):
            numbers_of = (
                (state, sum(numbers[-1].get(way, 0) for _, way in self._next(place, state)))
                for state in reached[place]
            )
            numbers.append({state: number for state, number in numbers_of if number})
        return numbers[::-1]

    @cached_property
    def possible(self) -> tuple[str, ...]:
        """For each place, the symbols of all completions there; empty if there is no completion."""
        symbols = (
            {symbol for state in here for symbol, new in self._next(k, state) if new in later}
            for k, (here, later) in enumerate(pairwise(self._ways))
        )
        return tuple("".join(sorted(found)) for found in symbols)

    def _next(self, place: int, state: _PrefixState) -> Iterator[tuple[str, _PrefixState]]:
        value = self.values[place]
        relation = self._relations.get(place - 1)
        longest, most_ones, most_zeros = self._limits
        for symbol in "01" if value == OPEN else value:
            run = state.run + 1 if symbol == state.last else 1
            ones = state.ones + (symbol == "1")
            if run > longest or (relation and (symbol == state.last) != (relation == "=")):
                continue
            if ones <= most_ones and place + 1 - ones <= most_zeros:
                yield symbol, _PrefixState(ones, symbol, run)

    @cached_property
    def _relations(self) -> dict[int, str]:
        return dict(self.signs)

    @cached_property
    def _limits(self) -> tuple[int, int, int]:
        """The longest run, and the maximum numbers of ones and of zeros."""
        return self.rules.longest_run, self.most("1"), self.most("0")


class _PrefixState(NamedTuple):
    """The state after a prefix of a line, which determines its completions."""

    ones: int
    last: str  # the last symbol; empty for an empty prefix
    run: int  # the length of the last run


_START = _PrefixState(0, "", 0)


def too_long(values: str, symbol: str, longest: int) -> tuple[int, ...]:
    """The places of the first `longest` + 1 equal symbols in a row; empty if there are none."""
    run: list[int] = []
    for place, value in enumerate(values):
        run = [*run, place] if value == symbol else []
        if len(run) > longest:
            return tuple(run)
    return ()
