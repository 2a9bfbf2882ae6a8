"""The path to the solution as a person would go it: always to the nearest easy step.

A person who has filled a cell looks next at what it opened. So of the steps that easy techniques
find, the path takes the one nearest to the last. Harder techniques come only where these find
nothing, those that the grade does without after those that it uses, and trials last. A
contradiction is shown alone. Of all values that can be refuted, the path takes one after which the
other techniques fill the board, if there is one, and else the one after which they fill the most;
and it leaves out each that the others make needless.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, groupby

from binairo_cp.deduction import contradiction, grading
from binairo_cp.deduction.contradiction import CONTRADICTION, Tried
from binairo_cp.deduction.driver import DIRECT, TECHNIQUES, BoardTechnique, Contradictory, rounds
from binairo_cp.deduction.position import PlacedStrip, Position
from binairo_cp.deduction.shortest_chain import Clock, length, shortest_chain
from binairo_cp.deduction.steps import Step, values_of
from binairo_cp.deduction.techniques import DISTINCT, TWO_OPEN
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle.board import OPEN, Board, Cell, filled
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends import Meter

_TRIALS = ("sign chain", "contradiction", "nested contradiction")
_SIMPLE = ("beginner", "easy", "medium")
"""Levels that a person uses side by side: a count here comes before a pair at the other end."""

_COMPARES = (TWO_OPEN.name, DISTINCT.name)
"""What these find in a line depends on others."""

_MOST_COMPARED = 8
"""Of so many values that serve equally well, the one with the shortest chain is shown."""

_FEW = 2
"""With so few trials, no others are tried for fewer."""

_MOST_SEARCHES = 8
"""Searches for a shorter chain."""

_MOST_CLOSED = 60
"""On boards with signs, so many values are followed to see how much they fill."""

_Group = list[BoardTechnique]


def path(puzzle: Puzzle, board: Board, meter: Meter) -> Iterator[Step]:
    """Yield the steps from a board until no technique finds anything.

    Raises:
        BudgetExceeded: The time ran out.
        Contradictory: There is no solution.
    """
    used = grading.grade(replace(puzzle, board=board), meter).placed
    # Another technique is rarely needed, where other cells are filled first.
    direct = _groups(technique for technique in DIRECT if technique.name in used)
    groups = direct + _groups(DIRECT) + _groups(TECHNIQUES[-2:])
    return _Walk(Position(puzzle, board), groups, meter.check_clock).steps()


class _Walk:
    """A walk over a board, always to the nearest of the steps that are equally easy."""

    def __init__(self, position: Position, groups: list[_Group], check_clock: Clock) -> None:
        self._position, self._groups, self._check_clock = position, groups, check_clock
        self._last: tuple[Cell, ...] = ()
        self._trials: list[Tried] = []
        self._found: dict[tuple[str, int], tuple[PlacedStrip, list[Step]]] = {}

    def steps(self) -> Iterator[Step]:
        lines: Iterable[int] | None = None
        while True:
            for fault in self._position.faults(lines):
                raise Contradictory(fault.sentence)
            step = next(filter(None, map(self._nearest, self._groups)), None)
            if not step:
                return
            yield step
            self._position = self._position.with_values(step.values)
            self._last = tuple(step.values)
            lines = self._position.numbers_of(step.values)

    def _nearest(self, group: _Group) -> Step | None:
        if group[0].name == CONTRADICTION.name:
            return self._contradiction()
        self._check_clock()
        last = self._last

        def away(step: Step) -> tuple[int, bool]:
            return distance(last, step.values), {*step.reason}.isdisjoint(last)

        return min(chain.from_iterable(map(self._by, group)), key=away, default=None)

    def _by(self, technique: BoardTechnique) -> Iterable[Step]:
        """The steps of a technique; those in lines that did not change are kept."""
        if technique.in_line is None or technique.name in _COMPARES:
            yield from technique.steps(self._position, self._check_clock)
            return
        for number, line in enumerate(self._position.lines):
            old, steps = self._found.get((technique.name, number), (None, []))
            if old is not line:
                steps = list(technique.in_line(self._position, line))
                self._found[technique.name, number] = line, steps
            yield from steps

    def _contradiction(self) -> Step | None:
        """The next of the trials that lead on."""
        board = self._position.board
        self._trials = [(cell, value) for cell, value in self._trials if board[cell] == OPEN]
        if not self._trials or not contradiction.is_refuted(self._position, *self._trials[0]):
            self._trials = trials(self._position, self._check_clock)
        if not self._trials:
            return None
        cell, value = self._trials.pop(0)
        return contradiction.against(self._position, cell, value, self._check_clock, _MOST_SEARCHES)


def trials(position: Position, check_clock: Clock) -> list[Tried]:
    """Wrong values to refute one after the other, with other techniques in between; few of them.

    In the position, no other technique finds anything.
    """
    wrong = _planned(position, check_clock, is_easiest=False)
    if len(wrong) <= _FEW:
        return wrong
    return min(wrong, _planned(position, check_clock, is_easiest=True), key=len)


def _planned(position: Position, check_clock: Clock, *, is_easiest: bool) -> list[Tried]:
    """Values until no more is refuted: those that fill the most cells, or the easiest."""
    wrong = list[Tried]()
    after = position
    while OPEN in after.board.cells and (found := _best_trial(after, check_clock, is_easiest)):
        wrong.append(found)
        if not (closed := _closed(after, found, check_clock)):
            return wrong  # The board has no solution.
        after = closed
    left = after.board.cells.count(OPEN)
    for tried in reversed(wrong[:-1]):
        rest = [other for other in wrong if other != tried]
        if _are_enough(position, rest, left, check_clock):
            wrong = rest
    return wrong


def _are_enough(position: Position, wrong: list[Tried], left: int, check_clock: Clock) -> bool:
    """Whether each of some values is refuted after those before it, until few cells are left."""
    for tried in wrong:
        if position.board[tried[0]] == OPEN:
            is_refuted = contradiction.is_refuted(position, *tried)
            closed = _closed(position, tried, check_clock) if is_refuted else None
            if closed is None:
                return False
            position = closed
    return position.board.cells.count(OPEN) <= left


def _best_trial(position: Position, check_clock: Clock, is_easiest: bool) -> Tried | None:
    """The refuted value after which the other techniques fill the most cells, of all of them or of
    those that are refuted in the fewest rounds.
    """
    depths = dict[Tried, int]()
    for tried in contradiction.trials(position):
        check_clock()
        if contradiction.is_refuted(position, *tried):
            _, depth = contradiction.follow(position, dict([tried]))
            depths[tried] = depth or 0
    easiest = sorted(depths, key=depths.__getitem__)
    if is_easiest:
        easiest = [tried for tried in easiest if depths[tried] == depths[easiest[0]]]
    if len(easiest) < 2:
        return next(iter(easiest), None)
    left = _left_after(position, easiest, check_clock)
    fewest = min(left.values())
    best = [tried for tried in left if left[tried] == fewest][:_MOST_COMPARED]
    if len(best) == 1:
        return best[0]
    chains = (
        (length(shortest_chain(position, cell, value, check_clock, _MOST_SEARCHES)), (cell, value))
        for cell, value in best
    )
    return min(chains)[1]


def _left_after(position: Position, wrong: list[Tried], check_clock: Clock) -> dict[Tried, int]:
    """How many cells are open after each of some wrong values is refuted, without another trial."""
    puzzle, board = position.puzzle, position.board
    if grading.is_plain(puzzle) and grading.has_all_techniques():
        boards = [position.with_values(contradiction.instead(*trial)).board for trial in wrong]
        shape = Shape.of(board.height, board.width, puzzle.rules)
        results, _ = grading.grade_results(grading.cells_of(boards), shape, tries=False)
        left = [int(results[k, kernel.OPEN_CELLS]) for k in range(len(wrong))]
        return dict(zip(wrong, left, strict=True))
    found = dict[Tried, int]()
    for tried in wrong[:_MOST_CLOSED]:
        closed = _closed(position, tried, check_clock)
        found[tried] = closed.board.cells.count(OPEN) if closed else 0
        if not found[tried]:
            break
    return found


def _closed(position: Position, wrong: Tried, check_clock: Clock) -> Position | None:
    """The position after a value is refuted and other techniques find no more; None if a rule is
    broken then.
    """
    puzzle, board = position.puzzle, filled(position.board, contradiction.instead(*wrong))
    try:
        for steps in rounds(puzzle, board, DIRECT, check_clock):
            board = filled(board, values_of(steps))
    except Contradictory:
        return None
    return Position(puzzle, board)


def distance(last: Iterable[Cell], cells: Iterable[Cell]) -> int:
    """The rows and columns between the nearest two of some cells; 0 if there are none."""
    between = (abs(a.row - b.row) + abs(a.column - b.column) for a in last for b in cells)
    return min(between, default=0)


def _groups(techniques: Iterable[BoardTechnique]) -> list[_Group]:
    """Techniques that are used side by side, the easiest first; each trial is alone."""

    def group(technique: BoardTechnique) -> object:
        return technique.name if technique.name in _TRIALS else technique.level in _SIMPLE

    return [list(techniques) for _, techniques in groupby(techniques, group)]
