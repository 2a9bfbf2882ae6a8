"""Trials: values whose consequences break a rule, alone or in cells that signs link.

The consequences are found by the techniques for one line up to level medium. Among all values that
can be refuted, only those with the fewest rounds become steps, as these are the easiest to find.

If no value is refuted so, others are on the way. Those are easy ones; the chain proves each that it
needs once, and uses it from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.shortest_chain import (
    FOLLOWED,
    Clock,
    Given,
    length,
    shortest_chain,
    shortest_ending,
)
from binairo_cp.deduction.steps import Chain, Step, refutation
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import SIGN, Technique, deductions
from binairo_cp.deduction.wording import Cells, Number, Phrase
from binairo_cp.puzzle.board import OPEN, Cell, open_places

SIGN_CHAIN = Technique("sign chain", "hard")

CONTRADICTION = Technique("contradiction", "expert")

NESTED = Technique("nested contradiction", "beyond logic")

Tried = tuple[Cell, str]
"""A value that is tried in a cell."""

_MOST_COMPARED = 8
"""Of so many values that nested trials refute, one is shown. With more, chains get a little
shorter."""

_MAX_ROUNDS = 1_000


def sign_chains(position: Position, check_clock: Clock) -> Iterator[Step]:
    """Yield steps for linked cells of which one of the two assignments breaks a rule at once."""
    search = partial(shortest_ending, most_searches=0, techniques=(SIGN,))
    for assignment in _assignments(position):
        wrong = []
        for values in (assignment, _inverted(assignment)):
            after = position.with_values(values)
            if fault := next(after.faults(after.numbers_of(values)), None):
                wrong.append((values, fault))
        if len(wrong) == 1:
            ((values, fault),) = wrong
            starts = [cell for cell in fault.cells if cell in values][:_MOST_STARTS]
            chains = [
                Chain(cell, values[cell], *ending)
                for cell in starts
                if (ending := search(position, {cell: values[cell]}, check_clock))
            ]
            linked = Cells(tuple(sorted(values)))
            chain = min(chains, key=length)
            yield refutation(SIGN_CHAIN, chain, _inverted(values), all_linked=linked)


_MOST_STARTS = 4
"""A chain starts in one of so many cells of the broken rule."""


def _inverted(values: Values) -> Values:
    return {cell: opposite(value) for cell, value in values.items()}


def _assignments(position: Position) -> Iterator[Values]:
    """Yield sets of linked open cells, each with one of the two assignments that keep the signs."""
    linked: dict[Cell, list[Tried]] = {}
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
                if other not in chain:
                    chain[other] = chain[cell] if relation == "=" else opposite(chain[cell])
                    waiting.append(other)
        left = {cell: None for cell in left if cell not in chain}
        yield chain


def steps(position: Position, check_clock: Clock) -> Iterator[Step]:
    """Yield a step for each value that is refuted in the fewest rounds, short chains first.

    In the position, the techniques of `FOLLOWED` find nothing.
    """
    rounds, wrong = refuted(position, check_clock)
    chains = [shortest_chain(position, cell, value, check_clock) for cell, value in wrong]
    for chain in sorted(chains, key=length):
        step = refutation(CONTRADICTION, chain, instead(chain.cell, chain.value))
        yield replace(step, depth=rounds + 1)


def against(
    position: Position, cell: Cell, value: str, check_clock: Clock, most_searches: int | None = None
) -> Step:
    """The step that refutes a value; see `shortest_chain` for what is expected."""
    chain = shortest_chain(position, cell, value, check_clock, most_searches)
    return refutation(CONTRADICTION, chain, instead(cell, value))


def shortest(position: Position, check_clock: Clock, most: int, most_searches: int) -> Step | None:
    """The step with the shortest chain, of at most so many that are found in the fewest rounds."""
    _, wrong = refuted(position, check_clock)
    steps = [against(position, *tried, check_clock, most_searches) for tried in wrong[:most]]
    return min(steps, key=lambda step: step.size, default=None)


def without_chains(position: Position, check_clock: Clock) -> Iterator[Step]:
    """Yield the same steps as `steps` without reasons and sentences, which takes less time."""
    rounds, wrong = refuted(position, check_clock)
    for tried in wrong:
        name, level, values = CONTRADICTION.name, CONTRADICTION.level, instead(*tried)
        yield Step(name, level, values, "", (), Phrase((), {}), depth=rounds + 1)


def refuted(position: Position, check_clock: Clock) -> tuple[int, list[Tried]]:
    """The fewest rounds that refute a value, and all values that they refute; as for `steps`."""
    shortest = _MAX_ROUNDS
    easiest: list[Tried] = []
    for cell, value in trials(position):
        check_clock()
        if not is_refuted(position, cell, value):
            continue
        _, rounds = follow(position, {cell: value}, shortest)
        if rounds is not None:
            if rounds < shortest:
                shortest, easiest = rounds, []
            easiest.append((cell, value))
    return shortest, easiest


def instead(cell: Cell, value: str) -> Values:
    """What must hold if a value is refuted."""
    return {cell: opposite(value)}


def follow(
    position: Position, values: Values, most: int = _MAX_ROUNDS
) -> tuple[Position, int | None]:
    """Fill cells and apply the techniques until a rule is broken or nothing follows.

    Only lines with new values are examined, since nothing follows in the others. `most` is the
    maximum number of rounds. Returns the position, and the rounds to a broken rule if there is one.
    """
    waiting: dict[str, set[int]] = {technique.name: set() for technique in FOLLOWED}
    rounds = 0
    while True:
        position = position.with_values(values)
        changed = position.numbers_of(values)
        if any(True for _ in position.faults(changed)):
            return position, rounds
        if rounds == most:
            return position, None
        for lines in waiting.values():
            lines.update(changed)
        rounds += 1
        values, is_clash = _next(position, waiting)
        if is_clash or not values:
            return position, rounds if is_clash else None


def is_refuted(position: Position, cell: Cell, value: str) -> bool:
    """Whether `follow` breaks a rule after an open cell is filled."""
    # Imported here because it takes time.
    from binairo_cp.deduction import closure

    is_broken = closure.refutes(position, cell, value)
    if is_broken is None:
        _, rounds = follow(position, {cell: value})
        is_broken = rounds is not None
    return is_broken


def _next(position: Position, waiting: dict[str, set[int]]) -> tuple[Values, bool]:
    """What the easiest technique that finds anything fills, and whether a cell gets two values."""
    for technique in FOLLOWED:
        values: Values = {}
        for number in sorted(waiting[technique.name]):
            line = position.lines[number]
            for deduction in deductions(technique.find, line.strip):
                for place, value in zip(deduction.places, deduction.values, strict=True):
                    if values.setdefault(line.cell(place), value) != value:
                        return {}, True
        waiting[technique.name].clear()
        if values:
            return values, False
    return {}, False


def trials(position: Position) -> Iterable[Tried]:
    """All values of all open cells."""
    board = position.board
    return [(board.cell(place), value) for place in open_places(board.cells) for value in "01"]


# Trials within a trial


def nested(position: Position, check_clock: Clock) -> Iterator[Step]:
    """Yield a step for a value that is refuted with further trials in between.

    Of the first few such values, it is the one with the shortest chain. In the position, no other
    technique finds anything.
    """
    chains, most = list[Chain](), len(position.board.cells)
    hopeless: set[Tried] = set()
    for tried in trials(position):
        if tried in hopeless:
            continue
        after, _ = follow(position, dict([tried]))
        wrong = _wrong_before(after, most, check_clock)
        if wrong is None:
            # Fewer values follow from those that follow from this one.
            hopeless.update(after.board.clues())
            continue
        given = list[Given]()
        for before, value in wrong:
            step = against(before, *value, check_clock)
            given.append(({known: before.board[known] for known in step.reason}, step))
        if ending := shortest_ending(position, dict([tried]), check_clock, given):
            chains.append(Chain(*tried, *ending))
            most = min(most, sum(step.chain is not None for step in chains[-1].steps))
        if len(chains) == _MOST_COMPARED:
            break
    if chains:
        best = min(chains, key=length)
        others = sum(step.chain is not None for step in best.steps)
        yield refutation(NESTED, best, instead(best.cell, best.value), others=Number(others))


def _wrong_before(
    after: Position, most: int, check_clock: Clock
) -> list[tuple[Position, Tried]] | None:
    """Values whose refutation leads to a broken rule, easy ones first, each with its position.

    None if that takes more than `most` values, or if no rule is broken.
    """
    wrong: list[tuple[Position, Tried]] = []
    while len(wrong) < most:
        _, easiest = refuted(after, check_clock)
        if not easiest:
            return None
        wrong.append((after, easiest[0]))
        after, rounds = follow(after, instead(*easiest[0]))
        if rounds is not None:
            return wrong
    return None
