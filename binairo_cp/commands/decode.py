"""Read the output of another solver and check its solution against the rules."""

from __future__ import annotations

from binairo_cp.batch.records import failed, record
from binairo_cp.commands.encode import checked_solution
from binairo_cp.errors import BinairoError, FormatError, SourceError, WrongAnswer
from binairo_cp.formats import Entry
from binairo_cp.formats.schema import Finding, ResultRecord, stated
from binairo_cp.formats.sources import open_source
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.encodings import solver_output
from binairo_cp.solving.encodings.solver_output import SolverOutput, Status, Values
from binairo_cp.solving.solutions import Verdict


def decode(entry: Entry, answer: str, unique: str | None = None) -> ResultRecord:
    """The result that a solver's output gives for an encoded puzzle.

    Args:
        entry: the puzzle.
        answer: the file with the solver's output; ``-`` for standard input.
        unique: the cells of the solution that the encoding blocks; None if it blocks none.

    Returns:
        A record with the verdict solved, multiple, none or unknown, or unique if a solution was
        blocked. If the output is wrong or can't be read, the record has an error.
    """
    try:
        if entry.puzzle is None:
            raise entry.error or FormatError("no puzzle", source=entry.source)
        blocked = None if unique is None else checked_solution(entry.puzzle, unique)
        with open_source(answer) as source:
            cells = len(entry.puzzle.board.cells)
            output = solver_output.read(source.document(), cells, source.name)
        return record(entry, _finding(entry.puzzle, output, blocked, source.name))
    except BinairoError as error:
        about = entry
        if isinstance(error, FormatError | SourceError) and error.source:
            # The error is in the solver's output, so the record names that file, not the puzzle's.
            about = Entry(entry.puzzle, id=entry.id, source=error.source)
        return failed(about, error, Verdict.INVALID)


def _finding(puzzle: Puzzle, output: SolverOutput, blocked: Board | None, source: str) -> Finding:
    boards = [_board(puzzle, model, source) for model in output.models]
    for board in boards:
        if broken := violations(puzzle, board):
            raise WrongAnswer(f"the solver's solution breaks {broken[0].rule}: {broken[0]}")
        if board == blocked:
            raise WrongAnswer("the solver returned the blocked solution")
    if output.status is None and not output.has_comments:
        raise FormatError(
            "no solver output",
            source=source,
            expected="lines that begin with s and v, or the result file of MiniSat",
        )
    known = list(dict.fromkeys([*([blocked] if blocked else []), *boards]))
    finding = Finding(
        rules=stated(puzzle), verdict=_verdict(output.status, len(set(boards)), blocked)
    )
    if finding.verdict is Verdict.UNKNOWN:
        finding.note = _NOTES[output.status]
    finding.solution = known[0].cells if known else None
    if len(known) > 1:
        finding.second_solution = known[1].cells
        finding.differences = [list(cell) for cell in known[0].differences(known[1])]
    return finding


_NOTES = {
    None: "the solver printed no result",
    Status.UNKNOWN: "the solver reported UNKNOWN",
    Status.SATISFIABLE: "the solver reported SATISFIABLE without values; MiniSat writes them "
    "to its result file",
}


def _verdict(status: Status | None, boards: int, blocked: Board | None) -> Verdict:
    known = boards + (blocked is not None)
    if known > 1:
        return Verdict.MULTIPLE
    if status is Status.UNSATISFIABLE:
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
