"""Sign chains: try the values of cells that signs link to each other."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.faults import Fault
from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.shortest_chain import chain_of, length
from binairo_cp.deduction.steps import Chain, Step, refutation, step_of
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import SIGN, Technique, deductions
from binairo_cp.deduction.wording import Cells
from binairo_cp.puzzle.board import OPEN, Cell

SIGN_CHAIN = Technique("sign chain", "hard")


def steps(position: Position) -> Iterator[Step]:
    """Yield steps for linked cells of which one of the two assignments breaks a rule at once."""
    for assignment in _assignments(position):
        wrong = [
            (values, fault.cells)
            for values in (assignment, _inverted(assignment))
            if (fault := _fault(position, values))
        ]
        if len(wrong) == 1:
            ((values, broken),) = wrong
            starts = [cell for cell in broken if cell in values][:_MOST_STARTS]
            chains = [_chain(position, cell, values[cell]) for cell in starts]
            result = _inverted(values)
            yield refutation(
                SIGN_CHAIN, min(chains, key=length), result, all_linked=Cells(tuple(sorted(result)))
            )


_MOST_STARTS = 4
"""A chain starts in one of so many cells of the broken rule."""


def _fault(position: Position, values: Values) -> Fault | None:
    after = position.with_values(values)
    return next(after.faults(after.numbers_of(values)), None)


def _chain(position: Position, cell: Cell, value: str) -> Chain:
    """A short chain from the value of one of some linked cells to a broken rule."""
    new, found = {cell: value}, list[Step]()
    while new:
        position, numbers = position.with_values(new), position.numbers_of(new)
        new = {}
        for line in map(position.lines.__getitem__, numbers):
            for deduction in deductions(SIGN.find, line.strip):
                step = step_of(SIGN, line, deduction)
                if not step.values.keys() & new.keys():
                    found.append(step)
                    new |= step.values
    return min((chain_of(cell, value, found, each) for each in position.faults()), key=length)


def _inverted(values: Values) -> Values:
    return {cell: opposite(value) for cell, value in values.items()}


def _assignments(position: Position) -> Iterator[Values]:
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
