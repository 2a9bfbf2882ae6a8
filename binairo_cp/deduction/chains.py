"""Chains of signs: cells that are bound together, tried as one."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.steps import Step, cells_named
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import Level
from binairo_cp.puzzle.board import OPEN, Cell

NAME = "sign chain"
LEVEL: Level = "hard"


def steps(position: Position) -> Iterator[Step]:
    """Chains of open cells of which one way breaks a rule at once."""
    for chain in _chains(position):
        broken = {}
        for way in (chain, {cell: opposite(value) for cell, value in chain.items()}):
            for fault in position.with_values(way).faults(position.numbers_of(way)):
                broken[way[min(way)]] = (way, fault)
                break
        if len(broken) == 1:
            ((way, fault),) = broken.values()
            values = {cell: opposite(value) for cell, value in way.items()}
            sentence = (
                f"Signs bind {cells_named(values)} together. With a {way[min(way)]} in {min(way)} "
                f"{fault}; so {min(way)} is {values[min(way)]}, and the others with it."
            )
            reason = tuple(
                cell
                for line in map(position.lines.__getitem__, position.numbers_of(way))
                for cell in map(line.cell, range(len(line.strip.values)))
                if position.board[cell] != OPEN
            )
            yield Step(NAME, LEVEL, values, "", tuple(dict.fromkeys(reason)), sentence)


def _chains(position: Position) -> Iterator[Values]:
    """Open cells that signs bind together, with values that keep the signs."""
    bound: dict[Cell, list[tuple[Cell, str]]] = {}
    for sign in position.puzzle.signs:
        first, second = sign.cells
        if position.board[first] == position.board[second] == OPEN:
            bound.setdefault(first, []).append((second, sign.relation))
            bound.setdefault(second, []).append((first, sign.relation))
    left = dict.fromkeys(sorted(bound))
    while left:
        first = next(iter(left))
        chain: Values = {first: "0"}
        waiting = [first]
        while waiting:
            cell = waiting.pop()
            for other, relation in bound[cell]:
                value = chain[cell] if relation == "=" else opposite(chain[cell])
                if other not in chain:
                    chain[other] = value
                    waiting.append(other)
        for cell in chain:
            del left[cell]
        yield chain
