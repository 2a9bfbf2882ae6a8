"""Read the answer of another solver to an encoded puzzle, and check it against the rules."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.errors import (
    ArgumentError,
    BinairoError,
    BudgetExceeded,
    ExportError,
    FormatError,
    OptionError,
    SourceError,
    WrongAnswer,
)
from binairo_cp.features.arguments import cells_of, puzzle_of
from binairo_cp.features.encode import AUTO, checked_solution
from binairo_cp.features.feature import Option, feature
from binairo_cp.features.options import OnePuzzle, RulesOption
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving import backends, solutions
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.encodings import stated
from binairo_cp.solving.encodings.stated import StatedFormula
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers.terminal import option

if TYPE_CHECKING:
    from binairo_cp.formats import Entry
    from binairo_cp.formats.results import ResultRecord
    from binairo_cp.solving.encodings.solver_output import Status, Values


@dataclass(frozen=True, slots=True, repr=False)
class Decoded(Brief):
    """The answer of a solver to an encoded puzzle.

    Attributes:
        puzzle: the puzzle.
        verdict: solved, multiple, none or unknown; unique if the encoding blocked a solution.
        solutions: the known solutions: the blocked one, then those of the solver.
        note: why the verdict is unknown, or which clues the best board breaks.
    """

    puzzle: Puzzle
    verdict: Verdict
    solutions: tuple[Board, ...]
    note: str | None = None

    def __str__(self) -> str:
        lines = [str(self.verdict), *map(str, self.solutions[:1]), *filter(None, [self.note])]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The verdict, and the first solution with shaded clues, for notebooks."""
        return headed(
            "\n".join(filter(None, [str(self.verdict), self.note])),
            self.solutions[0] if self.solutions else self.puzzle.board,
            self.puzzle.board,
            self.puzzle.signs,
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields of the result record, except those that say where the puzzle comes from."""
        record = self.puzzle.to_dict() | {"verdict": self.verdict}
        for name, board in zip(("solution", "second_solution"), self.solutions, strict=False):
            record[name] = board.cells
        if len(self.solutions) > 1:
            first, second, *_ = self.solutions
            record["differences"] = list(map(list, first.differences(second)))
        return record | ({"note": self.note} if self.note else {})


@feature(
    examples=(
        "[bold]kissat puzzle.cnf > answer.txt; binairo decode puzzle.cnf answer.txt[/]",
        "[bold]clasp puzzle.opb | binairo decode puzzle.opb -[/]",
    )
)
def decode(
    puzzle: OnePuzzle,
    answer: Annotated[str | bytes, "What the solver printed, or MiniSat's result file."],
    *,
    rules: RulesOption = None,
    unique: Annotated[
        Board | str | None,
        Option(
            "The solution that was blocked, or auto if encode found it; then no model means that "
            "the puzzle is unique.",
            absent="what the formula says",
            type=str | None,
            metavar="SOLUTION|auto",
        ),
    ] = None,
) -> Decoded:
    """Check a solver's answer to an encoded puzzle against the rules.

    >>> import binairo_cp as bn
    >>> formula = bn.encode("..1....0..10.0..", unique="auto")
    >>> print(bn.decode(formula, "s UNSATISFIABLE").verdict)
    unique
    >>> answer = "s SATISFIABLE\\nv 1 -2 3 -4 5 6 -7 -8 -9 -10 11 12 -13 14 -15 16 0\\n"
    >>> bn.decode("1..0 .... ..1. ....", answer).solutions[0].cells
    '1010110000110101'

    The formula, as `encode` returns it, may stand for the puzzle: it says which solution it blocks.

    Raises:
        FormatError: this is not the output of a solver for this puzzle, or not such a formula.
        WrongAnswer: the solver's solution breaks a rule, or is the forbidden one; or the solver
            found no solution, and there is one.
        ExportError: the forbidden board is not a solution.
        BinairoError: as in `solve`.
    """
    if not isinstance(answer, str | bytes):
        raise ArgumentError.of("answer", "what the solver printed, as text or bytes", answer)
    output = answer.encode(errors="replace") if isinstance(answer, str) else answer
    formula = None
    if isinstance(puzzle, str) and stated.is_formula(puzzle[: stated.HEAD_BYTES]):
        formula = stated.read(StringIO(puzzle))
        puzzle = formula.puzzle
    return decoded(puzzle_of(puzzle, rules), output, unique=cells_of(unique), formula=formula)


def formula_in(name: str) -> StatedFormula | None:
    """The puzzle that a file states, if the file is a formula and not a puzzle.

    Raises:
        FormatError: the formula does not say which puzzle it is of.
        SourceError: the file can't be read.
    """
    # Imported here, because they load pydantic.
    from binairo_cp.formats.sources import STDIN, open_source

    if name == STDIN or not os.path.isfile(name):
        return None
    with open_source(name) as source:
        if not stated.is_formula(source.head()[: stated.HEAD_BYTES].decode(errors="replace")):
            return None
        return stated.read((line.text for line in source.lines() if line), source.name)


def record_of(
    entry: Entry, answer: str, unique: str | None = None, formula: StatedFormula | None = None
) -> ResultRecord:
    """The record of what `decoded` finds in a file with a solver's output, or ``-``.

    If the output is wrong or can't be read, the record has an error.
    """
    # Imported here, because they load pydantic.
    from binairo_cp.batch.tasks import failed, record
    from binairo_cp.formats import Entry
    from binairo_cp.formats.sources import open_source

    try:
        if entry.puzzle is None:
            raise entry.error or FormatError("no puzzle", source=entry.source)
        with open_source(answer) as source:
            document, name = source.document(), source.name
        found = decoded(entry.puzzle, document, name, unique, formula)
        return record(entry, found.to_dict())
    except BinairoError as error:
        about = entry
        if isinstance(error, FormatError | SourceError) and error.source:
            # The error is in the solver's output, so the record names that file, not the puzzle's.
            about = Entry(entry.puzzle, id=entry.id, source=error.source)
        return failed(about, error, Verdict.INVALID)


def decoded(
    puzzle: Puzzle,
    output: bytes,
    name: str = "",
    unique: str | None = None,
    formula: StatedFormula | None = None,
) -> Decoded:
    """The result that a solver's output gives for an encoded puzzle.

    Args:
        puzzle: the puzzle.
        output: what the solver printed.
        name: the name of its file, for errors.
        unique: the cells of the solution that the encoding blocks, or auto; None for what the
            formula says.
        formula: what the formula says, if it is known.

    Raises:
        FormatError: this is not the output of a solver for this puzzle.
        WrongAnswer: the solver's solution breaks a rule, or is the blocked one; or the solver found
            no solution, and there is one.
        ExportError: the blocked board is not a solution.
        OptionError: the formula blocks another solution.
    """
    # Imported here, because it loads orjson.
    from binairo_cp.solving.encodings import solver_output
    from binairo_cp.solving.encodings.solver_output import Status

    board = puzzle.board
    answer = solver_output.read(output, len(board.cells), name, board.width)
    boards = [_board(puzzle, model, name) for model in answer.models]
    blocked = _blocked(puzzle, boards, unique, formula)
    if answer.status is None and not answer.has_comments:
        raise FormatError(
            "no solver output",
            source=name,
            expected="lines that begin with s and v, or the result file of MiniSat",
        )
    status, note = answer.status, None
    if formula and formula.has_soft_clues and (note := _broken_clues(puzzle, boards)):
        boards = []
        status = Status.UNSATISFIABLE if answer.is_optimum else Status.UNKNOWN
    for board in boards:
        if broken := violations(puzzle, board):
            raise WrongAnswer(f"the solver's solution breaks {broken[0].rule}: {broken[0]}")
        if board == blocked:
            raise WrongAnswer("the solver returned the blocked solution")
    known = tuple(dict.fromkeys([*([blocked] if blocked else []), *boards]))
    verdict = _verdict(status, len(set(boards)), blocked)
    if status is Status.UNSATISFIABLE and not _is_sure(puzzle, blocked, formula):
        verdict, note = Verdict.UNKNOWN, f"the solver found no model; {_which_formula()}"
    elif verdict is Verdict.UNKNOWN:
        note = note or _NOTES[answer.status or ""]
    return Decoded(puzzle, verdict, known, note)


def _blocked(
    puzzle: Puzzle, boards: list[Board], unique: str | None, formula: StatedFormula | None
) -> Board | None:
    said = formula.blocked.cells if formula and formula.blocked else None
    if formula and unique not in (None, said) and (said is None or unique != AUTO):
        raise OptionError("unique", f"the formula blocks {said or 'no solution'}")
    if unique is None or formula:
        return checked_solution(puzzle, said) if said else None
    if unique != AUTO:
        return checked_solution(puzzle, unique)
    outcome = solutions.check(puzzle, time_limit=_SECONDS, reasons="none")
    if outcome.verdict is Verdict.NONE:
        raise ExportError("the puzzle has no solution, so none was blocked")
    # Of several solutions, `encode` may have found another one than this search.
    return next((board for board in outcome.solutions if board not in boards), outcome.solution)


def _broken_clues(puzzle: Puzzle, boards: list[Board]) -> str | None:
    """The clues that the best model of a formula with soft clues breaks, in words."""
    free = replace(puzzle, board=Board.empty(puzzle.board.height, puzzle.board.width))
    for board in boards[-1:]:
        broken = [cell for cell, value in puzzle.board.clues() if board[cell] != value]
        if broken and not violations(free, board):
            clues = "1 clue" if len(broken) == 1 else f"{len(broken)} clues"
            return f"the solver's board breaks {clues}: {' '.join(map(str, broken[:_MOST_NAMED]))}"
    return None


def _is_sure(puzzle: Puzzle, blocked: Board | None, formula: StatedFormula | None) -> bool:
    """Whether no model means what it seems to mean, after a short search for a solution."""
    budget = Budget(work=_WORK)
    found = backends.get(backends.DEFAULT).solutions(puzzle, limit=1 + bool(blocked), budget=budget)
    try:
        other = next((board for board in found if board != blocked), None)
    except BudgetExceeded:
        return bool(blocked or formula)
    if other is None:
        return True
    only = " but the blocked one" if blocked else ""
    hint = "" if blocked or formula else f"; {_which_formula()}"
    raise WrongAnswer(f"the solver found no solution{only}, and there is one: {other.cells}{hint}")


def _which_formula() -> str:
    return (
        "give the formula in place of the puzzle, as it may block a solution, "
        f"or say which with {option('unique', 'SOLUTION')}"
    )


_SECONDS = 60.0
"""For the search for the solution that was blocked."""

_WORK = 20_000
"""For the search for a solution that the solver missed: about a second."""

_MOST_NAMED = 12

_NOTES = {
    "": "the solver printed no result",
    "UNKNOWN": "the solver reported UNKNOWN",
    "SATISFIABLE": "the solver reported SATISFIABLE without values; MiniSat writes them to its "
    "result file",
}
"""Why the verdict is unknown, by the status that the solver reported."""


def _verdict(status: Status | None, boards: int, blocked: Board | None) -> Verdict:
    known = boards + (blocked is not None)
    if known > 1:
        return Verdict.MULTIPLE
    if status == "UNSATISFIABLE":
        return Verdict.UNIQUE if blocked else Verdict.NONE
    return Verdict.SOLVED if boards else Verdict.UNKNOWN


def _board(puzzle: Puzzle, model: Values, source: str) -> Board:
    board = puzzle.board
    for place in range(len(board.cells)):
        if place + 1 not in model:
            raise FormatError(
                f"no value for variable {place + 1} (cell {board.cell(place)})",
                source=source,
                expected="a value for every cell",
            )
    cells = "".join("01"[model[place + 1]] for place in range(len(board.cells)))
    return Board(board.height, board.width, cells)
