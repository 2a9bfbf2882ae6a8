"""Clues and signs taken away one after the other, from many puzzles side by side.

Whether something may go is asked of the solver, or of a person of some level:

- The solver: a solution that has another value in the cell of a clue, all other clues kept, is a
  second one. If there is none the clue may go. What is needed once stays so, since fewer clues only
  let more solutions in; so each is asked about once, and in the end none can go.
- The person: the clue may go if its value is still found. Then everything is found that was before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from binairo_cp.deduction import closure
from binairo_cp.deduction.techniques import Level
from binairo_cp.puzzle.bits.shape import Shape
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Rules
from binairo_cp.solving.many import Decided, decide

Cells = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_OPEN = np.uint8(ord(OPEN))
_NODES = 20_000
"""How much work is spent on a question; a clue of which it is not known then stays."""


@dataclass(slots=True)
class Batch:
    """n puzzles of h x w cells, of one shape and its rules.

    Attributes:
        height: h.
        width: w.
        rules: of all of them.
        solutions: n x (h * w) bytes ``0`` and ``1``.
        clues: n x (h * w) bytes ``0``, ``1`` and ``.``.
        signs: n x 2 x (h + w) words as the bitboard takes them; 1 x 2 x 0 for none.
    """

    height: int
    width: int
    rules: Rules
    solutions: Cells
    clues: Cells
    signs: Words

    @property
    def signed(self) -> bool:
        return self.signs.shape[2] > 0

    def part(self, which: Numbers) -> Batch:
        """Some of the puzzles, copied."""
        signs = self.signs[which] if self.signed else self.signs
        return Batch(
            self.height,
            self.width,
            self.rules,
            self.solutions[which],
            self.clues[which],
            signs,
        )

    def put(self, which: Numbers, others: Batch) -> None:
        """Put the clues and signs of others in the place of some."""
        self.clues[which] = others.clues
        if self.signed:
            self.signs[which] = others.signs


_TOGETHER = 8

Question = Callable[[Batch, Numbers, Numbers], Flags]
"""Of puzzles that have lost something: whether it may go. Asked with the places of the cells, n x k
with -1 for none, and the numbers of the signs, n with -1 for none: each lost cells, or a sign."""


def by_search(batch: Batch, places: Numbers, signs: Numbers) -> Flags:
    """Whether there is still one solution only."""
    if places.shape[1] > 1:
        return are_unique(batch)
    other = batch.part(np.arange(len(batch.clues)))
    row, column = np.nonzero(places >= 0)
    place = places[row, column]
    # 0x30 and 0x31 differ in the lowest bit.
    other.clues[row, place] = other.solutions[row, place] ^ 1
    if batch.signed:
        put_signs(other, signs, "wrong")
    decided = _decide(other, limit=1)
    return (decided.found == 0) & decided.is_complete


def by_logic(level: Level) -> Question:
    """Whether a person of a level still finds it."""

    def may_go(batch: Batch, places: Numbers, signs: Numbers) -> Flags:
        # What is lost with a sign is not a cell: then all cells have to be found.
        targets = np.ascontiguousarray(np.where(signs[:, None] >= 0, -1, places))
        return solves(batch, level, targets)

    return may_go


def solves(batch: Batch, level: Level, targets: Numbers | None = None) -> Flags:
    """Of which puzzles a person of a level finds some cells, or all."""
    clues = np.where(batch.clues == _OPEN, np.uint8(2), batch.clues & 1).astype(np.uint8)
    shape = Shape.of(batch.height, batch.width, batch.rules)
    return closure.reaches(clues, batch.signs, shape, level, targets)


def are_unique(batch: Batch) -> Flags:
    """Which puzzles are known to have exactly one solution."""
    decided = _decide(batch, limit=2)
    return (decided.found == 1) & decided.is_complete


def are_irreducible(batch: Batch, check_clock: Callable[[], None]) -> Flags:
    """Of which puzzles no clue can go; the clock is checked before each question."""
    good = np.ones(len(batch.clues), bool)
    places = np.arange(batch.clues.shape[1])
    for place in places:
        check_clock()
        asked = np.flatnonzero(good & (batch.clues[:, place] != _OPEN))
        if len(asked):
            less = batch.part(asked)
            less.clues[:, place] = _OPEN
            good[asked] = ~are_unique(less)
    return good


def _decide(batch: Batch, limit: int) -> Decided:
    clues = batch.clues.reshape(-1, batch.height, batch.width)
    return decide(clues, batch.rules, limit, signs=batch.signs, nodes=_NODES)


def winnow(
    batch: Batch,
    orders: Numbers,
    orbits: Numbers,
    may_go: Question,
    check_clock: Callable[[], None],
    fewest: int = 0,
    fewest_signs: int = 0,
) -> None:
    """Take from each puzzle of a batch what may go, in its own order.

    Args:
        batch: its clues and signs are changed.
        orders: n x m numbers: of rows of `orbits`, or after those of signs.
        orbits: the places of the clues that come and go together, as `orbits.orbits` has them.
        may_go: what is asked before something goes.
        check_clock: is called before each question, and may raise.
        fewest: so many clues stay at least.
        fewest_signs: so many signs.
    """
    # Of a sign there are no places.
    table = np.concatenate([orbits, np.full((1, orbits.shape[1]), -1)])
    everyone = np.arange(len(batch.clues))

    def take(which: Numbers, items: Numbers) -> Numbers:
        """Ask about some items of some puzzles at once, those of a puzzle together.

        Returns:
            Which puzzles kept them.
        """
        is_sign = items >= len(orbits)
        places = table[np.where(is_sign, -1, items)].reshape(len(which), -1)
        signs = np.where(is_sign, items - len(orbits), -1)[:, 0]
        enough = clue_counts(batch)[which] - np.count_nonzero(places >= 0, axis=1) >= fewest
        if batch.signed:
            enough = np.where(is_sign[:, 0], sign_counts(batch)[which] > fewest_signs, enough)
            # Signs are asked about one by one.
            enough &= ~is_sign.any(axis=1) | (items.shape[1] == 1)
        asked = which[enough]
        if len(asked):
            check_clock()
            less = batch.part(asked)
            _open_cells(less, places[enough])
            if batch.signed:
                put_signs(less, signs[enough], "none")
            good = may_go(less, places[enough], signs[enough])
            batch.put(asked[good], less.part(np.flatnonzero(good)))
            enough[enough] = good
        return which[~enough]

    for begin in range(0, orders.shape[1], _TOGETHER):
        items = orders[:, begin : begin + _TOGETHER]
        left = everyone
        if begin < orders.shape[1] // 2:
            # Of a board that is mostly clues most may go, and then all may that go with it.
            left = take(everyone, items)
        for column in items.T:
            if len(left):
                take(left, column[left, None])


def _open_cells(batch: Batch, places: Numbers) -> None:
    row, column = np.nonzero(places >= 0)
    batch.clues[row, places[row, column]] = _OPEN


def put_signs(batch: Batch, signs: Numbers, kind: Literal["none", "right", "wrong"]) -> None:
    """Put a sign, by its number, on each puzzle: that of the solution, or the other; or take it."""
    which = np.flatnonzero(signs >= 0)
    line, bit, one, other = sign_places(batch.height, batch.width)[signs[which]].T
    mask = np.uint64(1) << bit.astype(np.uint64)
    batch.signs[which, :, line] &= ~mask[:, None]
    if kind != "none":
        is_equal = batch.solutions[which, one] == batch.solutions[which, other]
        relation = np.where(is_equal == (kind == "right"), 0, 1)
        batch.signs[which, relation, line] |= mask


@cache
def sign_places(height: int, width: int) -> Numbers:
    """For each pair of neighbours, across first: their line, the place of the first in it, and the
    places of both on the board.
    """
    place = np.arange(height * width).reshape(height, width)
    found = [
        (row, column, place[row, column], place[row, column + 1])
        for row in range(height)
        for column in range(width - 1)
    ]
    found += [
        (height + column, row, place[row, column], place[row + 1, column])
        for row in range(height - 1)
        for column in range(width)
    ]
    return np.array(found, np.int64).reshape(-1, 4)


def clue_counts(batch: Batch) -> Numbers:
    """How many clues each puzzle has."""
    return np.count_nonzero(batch.clues != _OPEN, axis=1)


def sign_counts(batch: Batch) -> Numbers:
    """How many signs each puzzle has."""
    return np.bitwise_count(batch.signs).sum(axis=(1, 2)).astype(np.int64)
