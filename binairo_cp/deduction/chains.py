"""Sign chains: try the values of cells that signs link to each other."""

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
    """Yield steps for chains of which one of the two assignments breaks a rule at once."""
    for chain in _chains(position):
        refuted = []
        for assignment in (chain, _inverted(chain)):
            for fault in position.with_values(assignment).faults(position.numbers_of(assignment)):
                refuted.append((assignment, fault))
                break
        if len(refuted) == 1:
            ((assignment, fault),) = refuted
            values = _inverted(assignment)
            first = min(values)
            sentence = (
                f"Signs link {cells_named(values)}, so one value determines the others. If {first} "
                f"were {assignment[first]}, {fault}, so {first} is {values[first]}."
            )
            reason = tuple(
                cell
                for line in map(position.lines.__getitem__, position.numbers_of(assignment))
                for cell in map(line.cell, range(len(line.strip.values)))
                if position.board[cell] != OPEN
            )
            yield Step(NAME, LEVEL, values, "", tuple(dict.fromkeys(reason)), sentence)


def _inverted(values: Values) -> Values:
    return {cell: opposite(value) for cell, value in values.items()}


def _chains(position: Position) -> Iterator[Values]:
    """Yield sets of linked open cells, each with one of the two assignments that keep the signs."""
    linked: dict[Cell, list[tuple[Cell, str]]] = {}
    for sign in position.puzzle.signs:
        first, second = sign.cells
        if position.board[first] == position.board[second] == OPEN:
            linked.setdefault(first, []).append((second, sign.relation))
            linked.setdefault(second, []).append((first, sign.relation))
    left = dict.fromkeys(sorted(linked))
    while left:
        first = next(iter(left))
        chain: Values = {first: "0"}
        waiting = [first]
        while waiting:
            cell = waiting.pop()
            for other, relation in linked[cell]:
                value = chain[cell] if relation == "=" else opposite(chain[cell])
                if other not in chain:
                    chain[other] = value
                    waiting.append(other)
        for cell in chain:
            del left[cell]
        yield chain
