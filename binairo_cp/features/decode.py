"""Read the answer of another solver to an encoded puzzle, and check it against the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.errors import (
    ArgumentError,
    BinairoError,
    FormatError,
    SourceError,
    WrongAnswer,
)
from binairo_cp.features.arguments import cells_of, puzzle_of
from binairo_cp.features.encode import checked_solution
from binairo_cp.features.feature import Option, feature
from binairo_cp.features.options import OnePuzzle, RulesOption
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.solutions import Verdict

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
        note: why the verdict is unknown.
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
        "[bold]kissat puzzle.cnf > answer.txt; binairo decode puzzle.txt answer.txt[/]",
        "[bold]clasp puzzle.opb | binairo decode puzzle.txt -[/]",
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
            "The solution that was blocked; then no model means that the puzzle is unique.",
            type=str | None,
            metavar="SOLUTION",
        ),
    ] = None,
) -> Decoded:
    """Read a solver's answer to an encoded puzzle and check it against the rules.

    >>> import binairo_cp as bn
    >>> answer = "s SATISFIABLE\\nv 1 -2 3 -4 5 6 -7 -8 -9 -10 11 12 -13 14 -15 16 0\\n"
    >>> bn.decode("1..0 .... ..1. ....", answer).solutions[0].cells
    '1010110000110101'

    Raises:
        FormatError: this is not the output of a solver for this puzzle.
        WrongAnswer: the solver's solution breaks a rule, or is the forbidden one.
        ExportError: the forbidden board is not a solution.
        BinairoError: as in `solve`.
    """
    if not isinstance(answer, str | bytes):
        raise ArgumentError.of("answer", "what the solver printed, as text or bytes", answer)
    output = answer.encode(errors="replace") if isinstance(answer, str) else answer
    return decoded(puzzle_of(puzzle, rules), output, unique=cells_of(unique))


def record_of(entry: Entry, answer: str, unique: str | None = None) -> ResultRecord:
    """The record of the result that a solver's output gives for an encoded puzzle.

    Args:
        entry: the puzzle.
        answer: the file with the solver's output; ``-`` for standard input.
        unique: the cells of the solution that the encoding blocks; None if it blocks none.

    Returns:
        The record. If the output is wrong or can't be read, it has an error.
    """
    # Imported here, because they load pydantic.
    from binairo_cp.batch.tasks import failed, record
    from binairo_cp.formats import Entry
    from binairo_cp.formats.results import Finding
    from binairo_cp.formats.sources import open_source

    try:
        if entry.puzzle is None:
            raise entry.error or FormatError("no puzzle", source=entry.source)
        with open_source(answer) as source:
            document, name = source.document(), source.name
        found = decoded(entry.puzzle, document, name, unique)
        return record(entry, Finding.of(found.to_dict()))
    except BinairoError as error:
        about = entry
        if isinstance(error, FormatError | SourceError) and error.source:
            # The error is in the solver's output, so the record names that file, not the puzzle's.
            about = Entry(entry.puzzle, id=entry.id, source=error.source)
        return failed(about, error, Verdict.INVALID)


def decoded(puzzle: Puzzle, output: bytes, name: str = "", unique: str | None = None) -> Decoded:
    """The result that a solver's output gives for an encoded puzzle.

    Args:
        puzzle: the puzzle.
        output: what the solver printed.
        name: the name of its file, for errors.
        unique: the cells of the solution that the encoding blocks; None if it blocks none.

    Raises:
        FormatError: this is not the output of a solver for this puzzle.
        WrongAnswer: the solver's solution breaks a rule, or is the blocked one.
        ExportError: the blocked board is not a solution.
    """
    # Imported here, because it loads orjson.
    from binairo_cp.solving.encodings import solver_output

    blocked = None if unique is None else checked_solution(puzzle, unique)
    answer = solver_output.read(output, len(puzzle.board.cells), name)
    boards = [_board(puzzle, model, name) for model in answer.models]
    for board in boards:
        if broken := violations(puzzle, board):
            raise WrongAnswer(f"the solver's solution breaks {broken[0].rule}: {broken[0]}")
        if board == blocked:
            raise WrongAnswer("the solver returned the blocked solution")
    if answer.status is None and not answer.has_comments:
        raise FormatError(
            "no solver output",
            source=name,
            expected="lines that begin with s and v, or the result file of MiniSat",
        )
    known = tuple(dict.fromkeys([*([blocked] if blocked else []), *boards]))
    verdict = _verdict(answer.status, len(set(boards)), blocked)
    note = _NOTES[answer.status or ""] if verdict is Verdict.UNKNOWN else None
    return Decoded(puzzle, verdict, known, note)


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
