"""Encode puzzles for other solvers, and read the answers of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from binairo_cp.errors import ArgumentError, PuzzleError
from binairo_cp.features.arguments import PuzzleLike, RulesLike, cells_of, puzzle_of, request
from binairo_cp.puzzle.board import Board

if TYPE_CHECKING:
    from binairo_cp.commands.decode import Decoded
    from binairo_cp.commands.requests import Balance
    from binairo_cp.features.options import Target


def encode(
    puzzle: PuzzleLike,
    *,
    to: Target = "dimacs",
    rules: RulesLike | None = None,
    balance: Balance = "grid",
    unique: Board | str | None = None,
    fewest: bool = False,
    clues: int | None = None,
    time_limit: float | None = None,
) -> str:
    """Write a puzzle as a problem for SAT, MaxSAT, QBF, ASP, CP, SMT, MIP and other solvers.

    >>> import binairo_cp as bn
    >>> text = bn.encode("1..0 .... ..1. ....", to="dimacs")
    >>> next(line for line in text.splitlines() if line.startswith("p"))
    'p cnf 96 367'

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        to: dimacs (CNF), opb (pseudo-Boolean), lp (facts for clingo), dzn (data for MiniZinc),
            smt2 (SMT-LIB 2), mps (integer program), xcsp3 (XCSP3-core), flatzinc (FlatZinc), wcnf
            (MaxSAT, where the clues are soft) or qdimacs (QBF: are so many clues enough?).
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own.
        balance: the encoding of the balance rule: grid, seqcounter, mtotalizer, kmtotalizer,
            totalizer, sortnetwrk or cardnetwrk. With the last three, one solution has many models.
        unique: forbid a solution, so that no model means that the puzzle is unique: the solution
            as a board or its cells, or ``auto`` to find one first.
        fewest: for wcnf, ask for the smallest number of clues that make the puzzle unique, instead
            of the clues to break.
        clues: for qdimacs, the number of clues to choose; None for one fewer than the puzzle has.
        time_limit: seconds, including the search for that solution; None for no limit.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
        PuzzleError: the puzzle has no solution.
        ExportError: the format can't express the puzzle, or the solution to forbid is none.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    # Imported here and below, because the encodings take time to load.
    from binairo_cp.commands import encode as commands
    from binairo_cp.formats import Entry

    if isinstance(unique, bool):
        raise ArgumentError.of("unique", "a solution, its cells, or 'auto' to find one", unique)
    made = request(
        "encode", to=to, balance=balance, unique=cells_of(unique), fewest=fewest, clues=clues
    )
    options = commands.EncodeOptions(
        made.to or "dimacs",
        made.balance,
        made.unique,
        time_limit,
        fewest=made.fewest,
        clues=made.clues,
    )
    entry = Entry(puzzle_of(puzzle, rules), id=getattr(puzzle, "id", None))
    try:
        return "".join(commands.text(entry, options))
    except commands.NoSolution as error:
        raise PuzzleError(f"the puzzle {error}") from error


def decode(
    puzzle: PuzzleLike,
    answer: str | bytes,
    *,
    rules: RulesLike | None = None,
    unique: Board | str | None = None,
) -> Decoded:
    """Read a solver's answer to an encoded puzzle, and check it against the rules.

    >>> import binairo_cp as bn
    >>> answer = "s SATISFIABLE\\nv 1 -2 3 -4 5 6 -7 -8 -9 -10 11 12 -13 14 -15 16 0\\n"
    >>> bn.decode("1..0 .... ..1. ....", answer).solutions[0].cells
    '1010110000110101'

    Args:
        puzzle: the puzzle that was encoded.
        answer: what the solver printed, or MiniSat's result file.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own.
        unique: the solution that the encoding forbids, as a board or its cells; then no model
            means that the puzzle is unique.

    Raises:
        FormatError: this is not the output of a solver for this puzzle.
        WrongAnswer: the solver's solution breaks a rule, or is the forbidden one.
        ExportError: the forbidden board is not a solution.
        BinairoError: as in `solve`.
    """
    from binairo_cp.commands import decode as commands

    if not isinstance(answer, str | bytes):
        raise ArgumentError.of("answer", "what the solver printed, as text or bytes", answer)
    output = answer.encode(errors="replace") if isinstance(answer, str) else answer
    return commands.decode_text(puzzle_of(puzzle, rules), output, unique=cells_of(unique))
