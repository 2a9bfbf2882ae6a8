"""Fuzz the decoder of solver output: reported solutions must be correct."""

from binairo_cp import Board, Puzzle, is_solution
from binairo_cp.features.decode import record_of
from binairo_cp.formats import Entry
from tests.fuzz.targets import Target, temporary_folder

_FULL = "0110100101011010"
_PUZZLES = (
    Puzzle(Board.parse("0110 1001 0101 1010")),
    Puzzle(Board.parse("0... ...1 .1.. ..1.")),
    Puzzle(Board.parse("00.. .... .... ..00")),
    Puzzle(Board.empty(4, 4)),
    Puzzle(Board.empty(1, 2)),
    Puzzle(Board.empty(12, 12)),
)
_WORDS = (
    "s SATISFIABLE\n", "s UNSATISFIABLE\n", "s UNKNOWN\n", "c UNKNOWN\n", "SAT\n", "UNSAT\n",
    "s OPTIMUM FOUND\n", "s INDETERMINATE\n", "s SOLUTIONS 0\n", "v ", "v 1 -2 0\n", " 0\n",
    "c Answer: 1\n", "p cnf 1 1\n", "-x1 ", "~x2 ", "o 3\n", '"Value":[', "999999999999",
    '{"Result":"SATISFIABLE","Call":[{"Witnesses":[{"Value":["1","-2"]}]}]}', "null", "{}",
)  # fmt: skip


def target(_: str) -> Target:
    """The decoder; the first byte of an input chooses the puzzle, and whether a board is blocked."""
    values = " ".join(f"{'' if v == '1' else '-'}{k}" for k, v in enumerate(_FULL, 1))
    swapped = " ".join(f"{'-' if v == '1' else ''}{k}" for k, v in enumerate(_FULL, 1))
    answers = (
        f"s SATISFIABLE\nv {values} 0\n",
        f"c a solver\nv {values} 0\ns SATISFIABLE\nv {swapped} 0\ns SATISFIABLE\n",
        f"SAT\n{values} 0\n",
        f"c Answer: 1\nv {values}\nc Answer: 2\nv {swapped}\ns SATISFIABLE\n",
        "s UNSATISFIABLE\n",
        "UNSAT\n",
        "c UNKNOWN\n",
        "s UNKNOWN\n",
        '{{"Result":"SATISFIABLE","Call":[{{"Witnesses":[{{"Value":[{}]}},{{"Value":[{}]}}]}}]}}'.format(
            *tuple(",".join(f'"{each}"' for each in text.split()) for text in (values, swapped))
        ),
        '{"Result":"UNSATISFIABLE"}',
    )
    heads = range(2 * len(_PUZZLES))
    seeds = tuple(bytes([head]) + answer.encode() for head in heads for answer in answers)
    return Target(check, seeds, tuple(map(str.encode, _WORDS)))


def check(data: bytes) -> None:
    """Decode the output of a solver and check the record.

    Its solutions must be correct and different. The verdict is unique only if a solution was
    blocked. Errors must be errors of the package.
    """
    head = data[0] if data else 0
    puzzle = _PUZZLES[head // 2 % len(_PUZZLES)]
    unique = _FULL if head % 2 and puzzle.board.height == 4 else None
    file = temporary_folder() / "answer"
    file.write_bytes(data[1:])
    record = record_of(Entry(puzzle, id="p"), str(file), unique)
    if record.error:
        assert record.error.kind in ("format", "wrong-answer", "export", "source"), record
        assert (record.verdict, record.solution) == ("invalid", None)
        return
    assert record.verdict in ("solved", "multiple", "none", "unknown", "unique")
    shown = [each for each in (record.solution, record.second_solution) if each]
    for cells in shown:
        assert is_solution(puzzle, Board(puzzle.board.height, puzzle.board.width, cells))
    assert len(set(shown)) == len(shown)
    assert (record.verdict == "multiple") == (len(shown) == 2)
    assert record.verdict not in ("solved", "unique") or len(shown) == 1
    assert record.verdict != "none" or not shown
    assert record.verdict != "unique" or unique == shown[0]
