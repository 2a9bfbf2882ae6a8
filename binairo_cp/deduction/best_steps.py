"""Steps with the smallest explanation: the fewest rules and known cells that imply a cell.

If a technique explains the cell from these known cells alone, the step has its sentence and its
chain. If none does, the sentence lists the rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.contradiction import CONTRADICTION, follow
from binairo_cp.deduction.driver import TECHNIQUES, next_round
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.shortest_chain import shortest_chain
from binairo_cp.deduction.smallest_reasons import Reason, SmallestReasons
from binairo_cp.deduction.steps import Step, Support, refutation
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.deduction.wording import Cells, Phrase
from binairo_cp.puzzle.board import OPEN, Board, Cell, clue_places
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter

WORK = 10_000
"""The work limit for the proof of each step, some 50 ms. With more, a few more are proved."""

NAME = "smallest set"
"""The technique of a step that no technique explains."""

_DIRECT = TECHNIQUES[:-2]
_MOST_CANDIDATES = 12

_MOST_SEARCHES = 2
"""Maximum number of searches for a shorter chain. Each takes up to 2 ms."""


def best_steps(
    puzzle: Puzzle, board: Board, solution: Board, implied: Board, meter: Meter
) -> Iterator[Step]:
    """Yield steps to the solution, each with the smallest explanation that there is then.

    Args:
        puzzle: The puzzle.
        board: The cells known so far.
        solution: A solution with all of them.
        implied: The cells that all such solutions share.
        meter: Limits the time.

    Raises:
        BudgetExceeded: The time ran out.
    """
    places = clue_places(implied.cells)
    search = SmallestReasons(puzzle, solution, places, meter)
    position = Position(puzzle, board)
    while reason := _reason(search, position, meter):
        step = _step(search, position, reason, solution, meter)
        yield step
        position = position.with_values(step.values)


def _reason(search: SmallestReasons, position: Position, meter: Meter) -> Reason | None:
    board = position.board
    known = clue_places(board.cells)
    steps = next_round(position, _DIRECT, meter.check_clock)
    candidates = [
        (board.place(cell), search.elements(map(board.place, step.reason), _rules(search, step)))
        for step in sorted(steps, key=lambda step: len(step.reason))[:_MOST_CANDIDATES]
        for cell in step.values
    ]
    return search.find(known, candidates, WORK)


def _rules(search: SmallestReasons, step: Step) -> Iterator[int]:
    """The numbers of the rules about the lines of a step."""
    chain = step.chain.lines if step.chain else ()
    return search.rules.about({step.line, *step.compared, *chain})


def _step(
    search: SmallestReasons, position: Position, reason: Reason, solution: Board, meter: Meter
) -> Step:
    board, cell = position.board, position.board.cell(reason.place)
    known = tuple(map(board.cell, reason.known))
    rules = tuple(search.rules[number] for number in reason.rules)
    support = Support(rules, len(known) + len(rules), reason.proved)
    shown = Board(board.height, board.width, OPEN * len(board.cells))
    alone = Position(position.puzzle, shown).with_values({each: board[each] for each in known})
    step = _by_technique(alone, cell, solution[cell], meter) or _by_rules(
        known, cell, solution[cell]
    )
    return step.supported_by(support)


def _by_technique(position: Position, cell: Cell, value: str, meter: Meter) -> Step | None:
    """The step of the easiest technique that fills a cell and needs all known cells."""
    known = dict(position.board.clues()).keys()
    for technique in _DIRECT:
        for step in technique.steps(position, meter.check_clock):
            if step.values.get(cell) == value and known == {*step.reason}:
                return step.only({cell})
    wrong = opposite(value)
    if follow(position, {cell: wrong}).refuted_after is None:
        return None
    chain = shortest_chain(position, cell, wrong, _MOST_SEARCHES)
    step = refutation(CONTRADICTION, chain, {cell: value})
    return step if known == {*step.reason} else None


def _by_rules(known: tuple[Cell, ...], cell: Cell, value: str) -> Step:
    template = "smallest" if known else "smallest.alone"
    phrase = Phrase((template,), {"reason": Cells(known)})
    return Step(NAME, LEVELS[-1], {cell: value}, "", known, phrase)
