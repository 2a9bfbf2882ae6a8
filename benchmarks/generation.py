"""The speed of generating boards and puzzles.

Two other generators run for comparison: ``sgt-unruly --generate`` of Debian's sgt-puzzles, if it is
installed, for puzzles of its grade, and a generator of a few lines that uses only PySAT.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks import tables
from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Verdict, check
from binairo_cp.deduction.grading import grade
from binairo_cp.formats import read_sources
from binairo_cp.generation import Method
from binairo_cp.generation.boards import draw_boards, seed_of
from binairo_cp.generation.puzzles import GeneratedPuzzle, Recipe, generate_puzzles
from binairo_cp.solving.backends import UNLIMITED, Meter
from binairo_cp.solving.backends.pysat import PySat

ROUNDS = tables.sized(1, 2, 3)
LARGEST = tables.sized(8, 40, 50)
"""The largest side of irreducible puzzles; larger ones take seconds each."""

PART = tables.sized(500, 2, 1)
"""The number of puzzles is divided by this, compared with the full size."""

SGT = shutil.which("sgt-unruly") or "/usr/games/sgt-unruly"


def timed(recipe: Recipe, number: int) -> tuple[float, list[GeneratedPuzzle]]:
    """The best time per puzzle in milliseconds, and some puzzles, which were checked."""
    made = [each for each in generate_puzzles(recipe, "warm-up", range(min(number, 20))) if each]
    for each in made:
        outcome = check(each.puzzle, backend="pysat", time_limit=600)
        assert (outcome.verdict, outcome.solution) == (Verdict.UNIQUE, each.solution)
        assert each.grade is None or grade(each.puzzle).level == recipe.level
    times = [
        tables.milliseconds(lambda: generate_puzzles(recipe, "timed", range(number), graded=False))
        for _ in range(ROUNDS)
    ]
    return min(times) / number, made


def speed() -> Iterator[tuple[str, list[tables.Row]]]:
    rows: list[tables.Row] = []
    numbers = {6: 2000, 8: 1000, 10: 1000, 12: 400, 14: 200, 20: 30, 24: 10, 30: 3, 40: 1, 50: 1}
    for side, most in numbers.items():
        if side > LARGEST:
            break
        number = max(1, most // PART)
        time, made = timed(Recipe(side, side), number)
        row: tables.Row = {
            "irreducible": f"{side}x{side}",
            "clues": round(sum(each.puzzle.board.clue_count for each in made) / len(made), 1),
            "ms per puzzle": round(time, 3),
            "per second": round(1000 / time, 1),
        }
        few = {6: 40, 8: 20, 10: 20, 12: 10, 14: 10, 20: 2}.get(side, 0) and min(number, 20)
        other = by_pysat(side, few) if few else 0.0
        row["PySAT only ms"] = round(other, 1) if few else ""
        row["speedup"] = round(other / time) if few else ""
        rows.append(row)
    yield "irreducible puzzles, one core", rows
    rows = []
    for level, sides in {
        "beginner": (10, 20),
        "easy": (10, 20),
        "medium": (10, 20),
        "hard": (10, 20),
        "expert": (10, 14, 20),
        "beyond logic": (10, 14, 20),
    }.items():
        for side in sides:
            number = {10: 400, 14: 40, 20: 16}[side] // (8 if level[0] in "eb" and side > 10 else 1)
            number = max(1, number // PART)
            time, made = timed(Recipe(side, side, level=level), number)  # type: ignore[arg-type]
            clues = sum(each.puzzle.board.clue_count for each in made) / len(made)
            rows.append(
                {
                    "grade": level,
                    "side": side,
                    "clues": round(clues, 1),
                    "ms per puzzle": round(time, 2),
                    "per second": round(1000 / time, 1),
                }
            )
    yield "puzzles of each grade, one core", rows


def by_pysat(side: int, number: int) -> float:
    """Milliseconds a puzzle when every question is put to one incremental solver."""
    empty = Puzzle(Board.empty(side, side))
    meter = Meter(UNLIMITED)
    session = PySat().session(empty, meter)
    rng = Random(0)

    def solvable(literals: list[int]) -> bool:
        return session.find(literals, meter) is not None

    def puzzle() -> None:
        board: list[int] = []
        for place in rng.sample(range(1, side * side + 1), side * side):
            literal = rng.choice((place, -place))
            board.append(literal if solvable([*board, literal]) else -literal)
        assert check(Puzzle(_board(side, board))).verdict == Verdict.UNIQUE
        clues = set(board)
        for literal in board:
            if not solvable([*(clues - {literal}), -literal]):
                clues.remove(literal)
        assert check(Puzzle(_board(side, clues))).verdict == Verdict.UNIQUE

    puzzle()
    return tables.milliseconds(lambda: [puzzle() for _ in range(number)]) / number


def _board(side: int, literals: list[int] | set[int]) -> Board:
    cells = ["."] * (side * side)
    for literal in literals:
        cells[abs(literal) - 1] = "1" if literal > 0 else "0"
    return Board(side, side, "".join(cells))


def beside_sgt() -> tuple[str, list[tables.Row]]:
    """Puzzles of one grade under rules without distinct lines."""
    rows: list[tables.Row] = []
    for side, most, theirs_at_most in (
        (10, 400, 400),
        (14, 200, 200),
        (20, 50, 50),
        (30, 8, 3),
        (40, 3, 0),
    )[: tables.sized(1, 5)]:
        number, theirs = max(1, most // PART), -(-theirs_at_most // PART)
        time, made = timed(Recipe(side, side, UNRULY, level="medium"), number)
        row: tables.Row = {
            "medium": f"{side}x{side}",
            "ms per puzzle": round(time, 2),
            "clues": round(sum(each.puzzle.board.clue_count for each in made) / len(made), 1),
            "sgt-unruly ms": "",
            "its clues": "",
            "its grades": "",
            "speedup": "",
        }
        if theirs:
            row |= _sgt(side, theirs, time)
        rows.append(row)
    return "compared with sgt-unruly, normal difficulty, one core", rows


def _sgt(side: int, number: int, time: float) -> tables.Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made.unruly")
        text = ""

        def run() -> None:
            nonlocal text
            command = [SGT, "--generate", str(number), f"{side}x{side}dn"]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout

        theirs = min(tables.milliseconds(run) for _ in range(1 if side > 20 else ROUNDS)) / number
        path.write_text(text)
        puzzles = [entry.puzzle for entry in read_sources([str(path)]) if entry.puzzle]
    assert len(puzzles) == number
    levels = Counter(grade(puzzle).level for puzzle in puzzles)
    return {
        "sgt-unruly ms": round(theirs, 2),
        "its clues": round(sum(puzzle.board.clue_count for puzzle in puzzles) / number, 1),
        "its grades": ", ".join(f"{level} {times}" for level, times in levels.most_common()),
        "speedup": round(theirs / time, 1),
    }


def drawing() -> tuple[str, list[tables.Row]]:
    rows: list[tables.Row] = []
    for side, most in {6: 2000, 10: 1000, 14: 500, 20: 200, 30: 20, 40: 5, 64: 1}.items():
        number = max(1, most // PART)
        row: tables.Row = {"board": f"{side}x{side}", "by rows us": ""}
        if side <= 40:
            row["by rows us"] = _microseconds(side, number, "rows")
        row["with Gibbs sampling us"] = _microseconds(side, number, "gibbs")
        rows.append(row)
    return "solved boards, one core", rows


def _microseconds(side: int, number: int, method: Method) -> float:
    seeds = [seed_of(method, k) for k in range(number)]
    draw_boards(side, side, seeds[:1], CLASSIC, method)
    times = [
        tables.milliseconds(lambda: draw_boards(side, side, seeds, CLASSIC, method))
        for _ in range(ROUNDS)
    ]
    return round(1000 * min(times) / number, 1)


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield from speed()
    if Path(SGT).exists():
        yield beside_sgt()
    yield drawing()


if __name__ == "__main__":
    tables.report("generation", all_tables())
