"""Sign chains: try the values of cells that signs link to each other."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.shortest_chain import chain_of, length
from binairo_cp.deduction.steps import Chain, Step, refutation, step_of
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import SIGN, Technique, deductions
from binairo_cp.deduction.wording import listed
from binairo_cp.puzzle.board import OPEN, Cell

SIGN_CHAIN = Technique("sign chain", "hard")


def steps(position: Position) -> Iterator[Step]:
    """Yield steps for linked cells of which one of the two assignments breaks a rule at once."""
    for assignment in _assignments(position):
        refuted = [each for each in (assignment, _inverted(assignment)) if _breaks(position, each)]
        if len(refuted) == 1:
            values = _inverted(refuted[0])
            chains = [_chain(position, cell, value) for cell, value in refuted[0].items()]
            best = min(chains, key=length)
            yield refutation(SIGN_CHAIN, best, values, linked=listed(values))


def _breaks(position: Position, values: Values) -> bool:
    after = position.with_values(values)
    return any(True for _ in after.faults(after.numbers_of(values)))


def _chain(position: Position, cell: Cell, value: str) -> Chain:
    """The shortest chain from the value of one of some linked cells to a broken rule."""
    position, waiting, found = position.with_values({cell: value}), [cell], []
    while waiting:
        for number in position.numbers_of([waiting.pop(0)]):
            for deduction in deductions(SIGN.find, position.lines[number].strip):
                step = step_of(SIGN, position.lines[number], deduction)
                step = step.only({c for c in step.values if position.board[c] == OPEN})
                if step.values:
                    found.append(step)
                    waiting += step.values
                    position = position.with_values(step.values)
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
