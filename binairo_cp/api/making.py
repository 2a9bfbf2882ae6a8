"""Generate puzzles and solved boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from binairo_cp.errors import LimitError
from binairo_cp.features.arguments import check_workers, request
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.lines import Lines, legal_lines
from binairo_cp.puzzle.rules import Odd, Rules

if TYPE_CHECKING:
    from binairo_cp.commands.requests import BoardRequest
    from binairo_cp.features.options import PresetName, Symmetry
    from binairo_cp.generation.puzzles import GeneratedPuzzle

Method = Literal["auto", "uniform", "gibbs", "rows", "stirred"]
RequiredGrade = Literal[
    "any", "beginner", "easy", "medium", "hard", "expert", "beyond logic", "beyond-logic"
]


def generate(
    size: int | str,
    *,
    count: int = 1,
    rules: PresetName = "classic",
    odd: Odd = "either",
    distinct: bool = False,
    seed: int | str | None = None,
    method: Method = "auto",
    grade: RequiredGrade = "any",
    clues: int | Literal["fewest"] | None = None,
    symmetry: Symmetry = "none",
    signs: int | None = None,
    irreducible: bool = False,
    tries: int = 1_000,
    workers: int = 1,
    time_limit: float | None = None,
) -> list[GeneratedPuzzle]:
    """Generate puzzles with exactly one solution.

    >>> import binairo_cp as bn
    >>> [made] = bn.generate(6, grade="easy", seed=1)
    >>> made.id, str(made.grade.level), str(bn.check(made).verdict)
    ('6x6-easy-1-1', 'easy', 'unique')

    Args:
        size: 10 for 10x10, or ``"6x8"`` for 6 rows and 8 columns.
        count: the number of puzzles.
        rules: classic, unruly, plus or tango.
        odd: the symbol that occurs once more in lines of odd length: ones, zeros or either.
        distinct: skip puzzles that are rotations, reflections or symbol swaps of another.
        seed: the random seed. The same seed gives the same puzzles on any machine and with any
            number of workers; None for a random one, which is part of the ids.
        method: how to draw solved boards: uniform, gibbs (stirred is its old name), rows or auto.
        grade: the required difficulty: beginner, easy, medium, hard, expert, ``beyond logic`` (or
            ``beyond-logic``), or any.
        clues: the number of clues; ``fewest`` for the minimum of each board; None to remove clues
            until none is redundant.
        symmetry: the symmetry of the clue positions: none, rotate2, rotate4 (by 180 or 90 degrees),
            mirror (left and right), flip (top and bottom), mirror4 (both), diagonal, diagonal4
            (both diagonals), or full.
        signs: the number of signs; None for one for every six cells with plus and tango rules,
            otherwise none.
        irreducible: leave no redundant clue or sign, whatever the grade.
        tries: the maximum number of boards to try per puzzle.
        workers: the number of worker processes; 1 for this process.
        time_limit: seconds for all puzzles, with one worker; None for no limit.

    Raises:
        OptionError: an option is out of bounds.
        LimitError: no puzzle can meet the request.
        GenerationError: no such puzzle was found in `tries` boards, or too few distinct ones.
        BudgetExceeded: the time ran out.
    """
    made = request(
        "generate",
        size=size,
        count=count,
        rules=rules,
        odd=odd,
        distinct=distinct,
        seed=seed,
        method=method,
        # The word of the command line has no blank.
        grade="beyond-logic" if grade == "beyond logic" else grade,
        clues=clues,
        symmetry=symmetry,
        signs=signs,
        irreducible=irreducible,
        tries=tries,
    )
    return _generated(made, workers, time_limit, graded=True)


def board(
    size: int | str,
    *,
    count: int = 1,
    rules: PresetName = "classic",
    odd: Odd = "either",
    distinct: bool = False,
    seed: int | str | None = None,
    method: Method = "auto",
    workers: int = 1,
    time_limit: float | None = None,
) -> list[Board]:
    """Draw solved boards at random.

    >>> import binairo_cp as bn
    >>> print(bn.board(4, seed=1)[0])
    1001
    1100
    0110
    0011

    The arguments and the errors are those of `generate`.
    """
    made = request(
        "board",
        size=size,
        count=count,
        rules=rules,
        odd=odd,
        distinct=distinct,
        seed=seed,
        method=method,
    )
    return [each.puzzle.board for each in _generated(made, workers, time_limit)]


def lines(
    length: int, *, pattern: str | None = None, longest_run: int = 2, odd: Odd = "either"
) -> Lines:
    """The legal lines of a length, as a sequence that can be counted and indexed.

    >>> import binairo_cp as bn
    >>> bn.lines(10).count, bn.lines(10)[83], list(bn.lines(6, pattern="1....0"))
    (84, '1101100100', ['100110', '101010', '101100', '110010', '110100'])

    Args:
        length: the number of cells.
        pattern: only lines that match these cells.
        longest_run: the most equal cells allowed side by side.
        odd: the symbol that occurs once more in lines of odd length: ones, zeros or either.

    Raises:
        LimitError: the pattern has another length.
        BoardError: the length is out of range, or the pattern has a character that is not a cell.
        ArgumentError: the length is not an int, or the pattern not a str.
    """
    rules = Rules(longest_run=longest_run, odd=odd)
    legal = legal_lines(length, rules)
    if pattern is None:
        return legal
    if isinstance(pattern, str) and len(pattern) != length:
        raise LimitError(f"the pattern has {len(pattern)} cells; expected {length}")
    return Lines(pattern, rules)


def _generated(
    made: BoardRequest, workers: int, time_limit: float | None, *, graded: bool = False
) -> list[GeneratedPuzzle]:
    # Imported here, because most programs do not generate puzzles.
    from binairo_cp.commands.generate import spec_of
    from binairo_cp.generation.runs import GenerationState, generated_puzzles
    from binairo_cp.solving.backends import Budget, Meter

    check_workers(workers)
    spec = spec_of(made, graded=graded)
    state = GenerationState()
    meter = Meter(Budget(time_limit))
    found = list(generated_puzzles(spec, workers, state, meter=meter))
    if state.error:
        raise state.error
    return found
