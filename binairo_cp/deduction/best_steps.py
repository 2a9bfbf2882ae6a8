"""Steps with the smallest explanation: the fewest rules and known cells that imply a cell.

The step has the sentence of a technique that explains the cell on the board, if possible from these
known cells alone. If none does, the sentence lists the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from binairo_cp.deduction.contradiction import CONTRADICTION, against, is_refuted, shortest
from binairo_cp.deduction.driver import DIRECT, next_round
from binairo_cp.deduction.named_rules import RuleTable
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.small_hitting_sets import bits, each_bit
from binairo_cp.deduction.smallest_reasons import Reason, SmallestReasons
from binairo_cp.deduction.steps import Step, Support
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import LEVELS, TWO_OPEN
from binairo_cp.deduction.wording import Cells, Phrase
from binairo_cp.puzzle.board import OPEN, Board, Cell, clue_places
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter

WORK = 8_000
"""The work limit for the proof of each step, some 40 ms. With more, a few more are proved."""

NAME = "smallest set"
"""The technique of a step that no technique explains."""

_SINGLE = tuple(technique for technique in DIRECT if technique.name != TWO_OPEN.name)
"""The sentence of the other one is about two cells."""

_MOST_CANDIDATES = 12

_MOST_SEARCHES = 2
"""Maximum number of searches for a shorter chain. Each takes up to 2 ms."""

_MOST_TRIALS = 4
"""Maximum number of refuted values whose chains are compared."""


def best_steps(
    puzzle: Puzzle, board: Board, solution: Board, implied: Board, meter: Meter
) -> Iterator[Step]:
    """Yield steps to the solution, each with the smallest explanation that there is then.

    `solution` has all cells known so far, and `implied` those that all such solutions share.

    Raises:
        BudgetExceeded: The time ran out.
    """
    rules = RuleTable(puzzle, solution)
    search = SmallestReasons(rules, meter)
    position = Position(puzzle, board)
    while True:
        cells = position.board.cells
        left = [place for place in clue_places(implied.cells) if cells[place] == OPEN]
        search.begin(clue_places(cells), left)
        # The cells that the easiest technique fills, with the rules about the lines of the steps.
        steps = next_round(position, DIRECT, meter.check_clock)
        candidates = [
            (position.board.place(cell), _elements(rules, position, step))
            for step in sorted(steps, key=lambda step: len(step.reason))[:_MOST_CANDIDATES]
            for cell in step.values
        ]
        reason = search.find(candidates, WORK)
        if reason is None:
            return
        step = _step(rules, position, reason, solution, meter)
        is_trial = LEVELS.index(step.level) >= LEVELS.index(CONTRADICTION.level)
        if is_trial and not reason.proved:
            found = (step, *_trials(search, rules, position, meter))
            step = min(found, key=lambda step: (LEVELS.index(step.level), step.size))
        yield step
        position = position.with_values(step.values)


def _trials(
    search: SmallestReasons, rules: RuleTable, position: Position, meter: Meter
) -> Iterator[Step]:
    """Yield the contradiction that is the easiest to find, with a set that implies it."""
    if step := shortest(position, meter.check_clock, _MOST_TRIALS, _MOST_SEARCHES):
        place = position.board.place(min(step.values))
        within = search.within(place, _elements(rules, position, step))
        reason = Reason(place, within, proved=False)
        if _known(position, reason):
            yield _supported(rules, position, step, reason)


def _elements(rules: RuleTable, position: Position, step: Step) -> int:
    """The known cells that a step follows from, and the rules about its lines."""
    chain = step.chain.lines if step.chain else ()
    known = bits(map(position.board.place, step.reason))
    return known | rules.about({step.line, *step.compared, *chain})


def _known(position: Position, reason: Reason) -> tuple[Cell, ...]:
    places = each_bit(reason.elements & ((1 << len(position.board.cells)) - 1))
    return tuple(map(position.board.cell, places))


def _supported(rules: RuleTable, position: Position, step: Step, reason: Reason) -> Step:
    known = _known(position, reason)
    named = tuple(map(rules.named, each_bit(reason.elements & (rules.single | rules.pairs))))
    other = () if {*known} == {*step.reason} else known
    support = Support(named, len(known) + len(named), reason.proved, other)
    return replace(step, support=support)


def _step(
    rules: RuleTable, position: Position, reason: Reason, solution: Board, meter: Meter
) -> Step:
    """The step of a smallest set: the easier one of those from the set and from the board."""
    cell = position.board.cell(reason.place)
    known, value = _known(position, reason), solution[cell]
    found = list(_by_technique(position, cell, value, meter)) if known else []
    same = (step for step in found if {*step.reason} == {*known})
    step = next(iter((*same, *found)), None) or _by_rules(known, cell, value)
    return _supported(rules, position, step, reason)


def _by_technique(position: Position, cell: Cell, value: str, meter: Meter) -> Iterator[Step]:
    """Yield the steps of techniques that fill a cell, the easiest first."""
    for technique in _SINGLE:
        meter.check_clock()
        for step in technique.steps_at(position, cell):
            # The sentence of a sign chain is about the cell that it tries.
            if step.values[cell] == value and (not step.chain or step.chain.cell == cell):
                yield step.only({cell})
    wrong = opposite(value)
    if is_refuted(position, cell, wrong):
        yield against(position, cell, wrong, meter.check_clock, _MOST_SEARCHES)


def _by_rules(known: tuple[Cell, ...], cell: Cell, value: str) -> Step:
    template = "smallest" if known else "smallest.alone"
    phrase = Phrase((template,), {"reason": Cells(known)})
    return Step(NAME, LEVELS[-1], {cell: value}, "", known, phrase)
