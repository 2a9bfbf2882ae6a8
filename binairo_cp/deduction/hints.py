"""The next step of a puzzle, or all steps to its solution, or the first mistake on a board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from binairo_cp.deduction import driver, grading
from binairo_cp.deduction.claims import told
from binairo_cp.deduction.grading import Grade
from binairo_cp.deduction.path import path
from binairo_cp.deduction.position import BrokenRule, Position
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.deduction.wording import Cells, Number, Phrase, Symbol, Term
from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN, Board, Cell, filled
from binairo_cp.puzzle.html import Brief, Sentences, headed, numbered
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.backbones import backbone
from binairo_cp.solving.backends import UNLIMITED, Meter
from binairo_cp.solving.solutions import Outcome, Verdict, enumerate_solutions


@dataclass(frozen=True, slots=True)
class Mistake(Sentences):
    """A mistake on a partly filled board.

    Attributes:
        cells: The wrong cells, or those that break a rule; none if the mistake can't be located.
        phrase: The explanation for players, as a template and its fields.
        style: How its sentence is written.
    """

    cells: tuple[Cell, ...]
    phrase: Phrase = field(hash=False, repr=False)
    style: Style = field(default=USUAL, compare=False, repr=False)

    @property
    def sentence(self) -> str:
        """The explanation for players."""
        return self.phrase.sentence(self.style)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The fields of ``mistake`` in a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.MistakeRecord, self).present()


@dataclass(frozen=True, slots=True)
class Hint:
    """The next step, or the first mistake.

    Neither is set if all cells are filled, or if the puzzle has several solutions and logic leads
    no further.

    Attributes:
        step: The next step.
        mistake: The mistake that has to be corrected first.
        is_finished: All cells of the board are filled.
        style: How sentences are written.
        puzzle: The puzzle.
        board: The board before the step, with the clues.
    """

    step: Step | None
    mistake: Mistake | None = None
    is_finished: bool = False
    style: Style = field(default=USUAL, compare=False, repr=False)
    puzzle: Puzzle | None = field(default=None, compare=False, repr=False)
    board: Board | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        if self.mistake or self.step:
            return str(self.mistake or self.step)
        return closing_sentence("finished" if self.is_finished else "no step", self.style)

    def _repr_html_(self) -> str:
        """The sentence, and the board after the step with its cells marked, for notebooks."""
        if self.puzzle is None or self.board is None:
            return headed(str(self))
        values = self.step.values if self.step else {}
        marked = self.mistake.cells if self.mistake else values
        board = filled(self.board, values)
        return headed(str(self), board, self.puzzle.board, self.puzzle.signs, marked)

    def to_dict(self) -> dict[str, Any]:
        """The fields ``steps`` or ``mistake`` of a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.ExplainedRecord, self).to_dict()


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Brief, Sentences):
    """All steps from a board to the solution or to a broken rule, or the first mistake.

    Attributes:
        steps: The steps, in order.
        mistake: The mistake on the board; then there are no steps.
        grade: The grade of a puzzle with one solution, if the steps start from its clues.
        is_finished: All cells of the board are filled from the start.
        style: How sentences are written.
        broken: If the puzzle has no solution: the rule that the steps break.
        is_stopped: The steps don't lead to the end, because the search for more reached its limit.
    """

    steps: tuple[Step, ...]
    mistake: Mistake | None = None
    grade: Grade | None = None
    is_finished: bool = False
    style: Style = field(default=USUAL, compare=False, repr=False)
    broken: BrokenRule | None = None
    is_stopped: bool = False

    def __str__(self) -> str:
        if self.mistake:
            return str(self.mistake)
        lines = [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        if self.broken:
            lines.append(f"{len(lines) + 1}. {self.broken.sentence}")
        if self.broken or self.is_stopped:
            lines.append(self._end)
        return "\n".join(lines) or self._end

    @property
    def _end(self) -> str:
        ends = {"refuted": self.broken, "stopped": self.is_stopped, "finished": self.is_finished}
        template = next((name for name, applies in ends.items() if applies), "no step")
        return closing_sentence(template, self.style)

    def _brief(self) -> str:
        if not self.steps:
            return str(self)
        number = len(self.steps)
        grade = f", {self.grade}" if self.grade else ", no solution" if self.broken else ""
        return f"{number} step{'s' * (number > 1)}{grade}"

    def _repr_html_(self) -> str:
        """The sentences and the grade, for notebooks."""
        if not self.steps:
            return headed(str(self))
        broken = (self.broken.sentence,) if self.broken else ()
        is_told = self.broken or self.is_stopped
        end = str(self.grade) if self.grade else self._end if is_told else ""
        return numbered((*map(str, self.steps), *broken)) + (headed(end) if end else "")

    def to_dict(self) -> dict[str, Any]:
        """The fields ``steps``, ``broken`` and ``grade``, or ``mistake``, of a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.ExplainedRecord, self).to_dict()


def closing_sentence(template: str, style: Style = USUAL, **fields: Term) -> str:
    """What is said instead of a step: that all is done, or that there is none."""
    return Phrase((template,), fields).sentence(style)


def hint(
    puzzle: Puzzle,
    outcome: Outcome,
    board: Board | None = None,
    meter: Meter | None = None,
    style: Style = USUAL,
    *,
    best: bool = False,
) -> Hint:
    """Find the next step.

    Args:
        puzzle: A puzzle with at least one solution.
        outcome: The result of `solutions.check` for it.
        board: A partly filled board; None to start from the clues.
        meter: Limits the time; None for no limit.
        style: How sentences are written.
        best: Find the step with the smallest explanation.

    Raises:
        BoardError: The board has another size.
        BudgetExceeded: The time ran out.
    """
    meter = meter or Meter(UNLIMITED)
    steps, mistake = _found(puzzle, outcome, board, meter, style, best=best, most=1)
    is_finished = not (steps or mistake) and (board or puzzle.board).is_full
    step = steps[0] if steps else None
    return Hint(step, mistake, is_finished, style, puzzle, with_clues(puzzle, board))


def mistake_on(
    puzzle: Puzzle, outcome: Outcome, board: Board, meter: Meter, style: Style = USUAL
) -> Mistake | None:
    """The first mistake on a board, as `hint` finds it; the arguments and errors are the same."""
    if outcome.verdict is not Verdict.UNIQUE:
        return hint(puzzle, outcome, board, meter, style).mistake
    return _mistake(puzzle, board, outcome, style)


def explain(
    puzzle: Puzzle,
    outcome: Outcome,
    board: Board | None = None,
    meter: Meter | None = None,
    style: Style = USUAL,
    *,
    best: bool = False,
    longest_chain: int | None = None,
    most_trials: int | None = None,
) -> Explanation:
    """Find all steps to the solution, or to a broken rule if the puzzle has none.

    See `hint` and `Grade.within` for the arguments and the errors. Without a solution, the steps
    start from the clues, and `best` does not matter.
    """
    meter = meter or Meter(UNLIMITED)
    if outcome.verdict is Verdict.NONE:
        # Imported here and below, because few puzzles need it.
        from binairo_cp.deduction.lemmas import refute

        found, broken = refute(puzzle, meter)
        told = _told(Position(puzzle, puzzle.board), found, meter)
        steps = tuple(step.in_style(style) for step in told)
        broken = broken and replace(broken, style=style)
        return Explanation(steps, style=style, broken=broken, is_stopped=broken is None)
    steps, mistake = _found(puzzle, outcome, board, meter, style, best=best)
    if mistake:
        return Explanation((), mistake, style=style)
    is_unique = outcome.verdict is Verdict.UNIQUE
    grade = None
    if board is None and is_unique:
        grade = grading.grade(puzzle, meter).within(steps, longest_chain, most_trials)
    begun = with_clues(puzzle, board)
    left = begun.cells.count(OPEN) - sum(len(step.values) for step in steps)
    return Explanation(steps, None, grade, begun.is_full, style, is_stopped=left > 0 and is_unique)


def with_clues(puzzle: Puzzle, board: Board | None) -> Board:
    """A board with the clues of a puzzle."""
    both = zip(puzzle.board.cells, (board or puzzle.board).cells, strict=True)
    cells = "".join(clue if clue != OPEN else cell for clue, cell in both)
    return replace(puzzle.board, cells=cells)


def _found(
    puzzle: Puzzle,
    outcome: Outcome,
    board: Board | None,
    meter: Meter,
    style: Style,
    *,
    best: bool,
    most: int | None = None,
) -> tuple[tuple[Step, ...], Mistake | None]:
    """The first steps from a board, or all of them; or the first mistake on it."""
    if board is not None and (mistake := _mistake(puzzle, board, outcome, style)):
        return (), mistake
    begun = with_clues(puzzle, board)
    solution = outcome.solution if outcome.verdict is Verdict.UNIQUE else None
    try:
        find = _best if best else _steps
        told = _told(Position(puzzle, begun), find(puzzle, solution, begun, meter), meter)
        return tuple(step.in_style(style) for step in islice(told, most)), None
    except driver.Contradictory:
        # Only possible with several solutions, if the cells match none of them.
        return (), Mistake((), Phrase(("no solution",), {}), style)


def steps_of(puzzle: Puzzle, solution: Board | None, meter: Meter) -> Iterator[Step]:
    """Yield the steps of `explain` from the clues of a puzzle.

    There are lemmas only if its only solution is known.

    Raises:
        Contradictory: There is no solution.
        BudgetExceeded: The time ran out.
    """
    steps = _steps(puzzle, solution, puzzle.board, meter)
    return _told(Position(puzzle, puzzle.board), steps, meter)


def _told(position: Position, steps: Iterable[Step], meter: Meter) -> Iterator[Step]:
    """Steps in words that are true of the board beside which they stand."""
    for step in steps:
        yield told(step, position, meter.check_clock)
        position = position.with_values(step.values)


def _steps(puzzle: Puzzle, solution: Board | None, board: Board, meter: Meter) -> Iterator[Step]:
    """Yield the steps of the path, with lemmas where no technique finds more."""
    lemmas = None
    while not board.is_full:
        for step in path(puzzle, board, meter):
            yield step
            board = filled(board, step.values)
        if board.is_full or solution is None:
            return
        from binairo_cp.deduction.lemmas import Lemmas

        lemmas = lemmas or Lemmas(puzzle, meter)
        position = Position(puzzle, board)
        for step in lemmas.next_steps(position, solution):
            yield step
            board = filled(board, step.values)
        if board == position.board:
            return


def _best(puzzle: Puzzle, solution: Board | None, board: Board, meter: Meter) -> Iterator[Step]:
    # Imported here, because it loads the solvers of PySAT.
    from binairo_cp.deduction.best_steps import best_steps

    if solution is not None:
        return best_steps(puzzle, board, solution, solution, meter)
    begun = replace(puzzle, board=board)
    solution = next(enumerate_solutions(begun, limit=1, time_limit=meter.seconds_left), None)
    shared = backbone(begun, time_limit=meter.seconds_left)
    if solution is None or shared is None:
        raise driver.Contradictory("no solution has the filled cells")
    if not shared.complete:
        raise BudgetExceeded("time")
    return best_steps(puzzle, board, solution, shared.board, meter)


def _mistake(puzzle: Puzzle, board: Board, outcome: Outcome, style: Style) -> Mistake | None:
    """The first violation of a rule on a board, or else one wrong cell."""
    for broken in violations(puzzle, board):
        if broken.rule == "clue":
            cell = broken.cells[0]
            return changed_clue(cell, board[cell], puzzle.board[cell], style)
        fault = next(Position(puzzle, board).faults())
        return Mistake(fault.cells, fault.mistake, style)
    if outcome.verdict is not Verdict.UNIQUE or outcome.solution is None:
        return None
    both = zip(board.cells, outcome.solution.cells, strict=True)
    wrong = [board.cell(k) for k, (cell, right) in enumerate(both) if cell not in (OPEN, right)]
    if not wrong:
        return None
    return wrong_value(wrong[0], len(wrong) - 1, style)


def wrong_value(cell: Cell, others: int, style: Style) -> Mistake:
    """A value that is not that of the solution; `others` are that many more."""
    fields: dict[str, Term | str] = {"mistaken": Cells((cell,)), "others": Number(others)}
    return Mistake((cell,), Phrase(("wrong.more" if others else "wrong",), fields), style)


def changed_clue(cell: Cell, found: str, clue: str, style: Style) -> Mistake:
    """What is wrong with another value where a clue is."""
    symbols = {"found": Symbol(found), "clue": Symbol(clue)}
    phrase = Phrase(("mistake.clue",), {"mistaken": Cells((cell,)), **symbols})
    return Mistake((cell,), phrase, style)
