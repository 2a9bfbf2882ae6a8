"""How fast boards and puzzles are made, and how fair solved boards are drawn.

Beside it, in the same run: ``sgt-unruly --generate`` of Debian's sgt-puzzles, if it is there, for
puzzles of the grade that it makes, and a generator of a few lines that only has PySAT.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from numba import njit

from benchmarks import tables
from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, Verdict, check, legal_lines
from binairo_cp.backends import UNLIMITED, Meter
from binairo_cp.backends.pysat import PySat
from binairo_cp.deduction.grading import grade
from binairo_cp.formats import read_sources
from binairo_cp.generation.boards import Method, count_boards, draw_boards
from binairo_cp.generation.kernel import kernel, shape_of
from binairo_cp.generation.puzzles import Made, Recipe, make
from binairo_cp.generation.randomness import seed_of

ROUNDS = 3
LONG = 128
SGT = shutil.which("sgt-unruly") or "/usr/games/sgt-unruly"
PLAIN_10 = 117_925_227_108
"""Boards of 10x10 under balance and no triple, which the halves must add up to."""

Words = npt.NDArray[np.uint64]


def timed(recipe: Recipe, number: int) -> tuple[float, list[Made]]:
    """The least time for a puzzle, in milliseconds, and some puzzles that were looked at."""
    made = [each for each in make(recipe, "warm-up", range(min(number, 20))) if each]
    for each in made:
        outcome = check(each.puzzle, backend="pysat", time_limit=600)
        assert (outcome.verdict, outcome.solution) == (Verdict.UNIQUE, each.solution)
        assert each.grade is None or grade(each.puzzle).level == recipe.level
    times = [
        tables.milliseconds(lambda: make(recipe, "timed", range(number), graded=False))
        for _ in range(ROUNDS)
    ]
    return min(times) / number, made


def speed() -> Iterator[tuple[str, list[tables.Row]]]:
    rows: list[tables.Row] = []
    numbers = {6: 2000, 8: 1000, 10: 1000, 12: 400, 14: 200, 20: 30, 24: 10, 30: 3, 40: 1}
    for side, number in numbers.items():
        time, made = timed(Recipe(side, side), number)
        row: tables.Row = {
            "irreducible": f"{side}x{side}",
            "clues": round(sum(each.puzzle.board.clue_count for each in made) / len(made), 1),
            "ms a puzzle": round(time, 3),
            "a second": round(1000 / time, 1),
        }
        few = {6: 40, 8: 20, 10: 20, 12: 10, 14: 10, 20: 2}.get(side, 0)
        other = by_pysat(side, few) if few else 0.0
        row["PySAT only, ms"] = round(other, 1) if few else ""
        row["times"] = round(other / time) if few else ""
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
            time, made = timed(Recipe(side, side, level=level), number)  # type: ignore[arg-type]
            clues = sum(each.puzzle.board.clue_count for each in made) / len(made)
            rows.append(
                {
                    "grade": level,
                    "side": side,
                    "clues": round(clues, 1),
                    "ms a puzzle": round(time, 2),
                    "a second": round(1000 / time, 1),
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
    for side, number, theirs in (
        (10, 400, 400),
        (14, 200, 200),
        (20, 50, 50),
        (30, 8, 3),
        (40, 3, 0),
    ):
        time, made = timed(Recipe(side, side, UNRULY, level="medium"), number)
        row: tables.Row = {
            "medium": f"{side}x{side}",
            "ms a puzzle": round(time, 2),
            "clues": round(sum(each.puzzle.board.clue_count for each in made) / len(made), 1),
            "sgt-unruly ms": "",
            "its clues": "",
            "its grades": "",
            "times": "",
        }
        if theirs:
            row |= _sgt(side, theirs, time)
        rows.append(row)
    return "beside sgt-unruly, normal difficulty, one core", rows


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
        "times": round(theirs / time, 1),
    }


def drawing() -> tuple[str, list[tables.Row]]:
    rows: list[tables.Row] = []
    for side, number in {6: 2000, 10: 1000, 14: 500, 20: 200, 30: 20, 40: 5, 64: 1}.items():
        row: tables.Row = {"board": f"{side}x{side}", "rows us": ""}
        if side <= 40:
            row["rows us"] = _microseconds(side, number, "rows")
        row["stirred us"] = _microseconds(side, number, "stirred")
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


# How fair.


def small_fairness() -> Iterator[tuple[str, list[tables.Row]]]:
    rows: list[tables.Row] = []
    for side in (4, 6):
        total = count_boards(side, side)
        number = 100 * total
        for steps in (0, 2, 4, 8, 16):
            words = _drawn(side, side, CLASSIC, number, steps)
            seen = np.unique(words, axis=0, return_counts=True)[1]
            rows.append(
                {
                    "boards": f"{side}x{side}, all {total}",
                    "drawn": number,
                    "steps a line": steps,
                    **_chi_square(seen, np.full(total, number / total)),
                }
            )
    yield "each board of a size as often as another", rows


def large_fairness() -> Iterator[tuple[str, list[tables.Row]]]:
    first, middle = exact_lines()
    rows: list[tables.Row] = []
    for number, row, exact in ((300_000, 0, first), (300_000, 4, middle)):
        for steps in (0, 2, 4, 8, 16):
            words = _drawn(10, 10, UNRULY, number, steps)
            seen = np.array([np.count_nonzero(words[:, row] == line) for line in _lines(10)])
            rows.append(
                {
                    "lines": f"84 in row {row + 1} of 10x10, unruly",
                    "drawn": number,
                    "steps a line": steps,
                    **_chi_square(seen, exact * number),
                }
            )
    yield "each legal line as often as it stands in all boards", rows
    rows = []
    for side, number in ((10, 40_000), (14, 10_000), (20, 3_000), (30, 400)):
        long = _features(_drawn(side, side, CLASSIC, number, LONG), side)
        for steps in (0, 4, 8, 4 + side, 32, 64):
            some = _features(_drawn(side, side, CLASSIC, number, steps), side)
            off = (some.mean(axis=0) - long.mean(axis=0)) / long.std(axis=0)
            words = ("runs across", "runs down", "blocks")
            rows.append(
                {
                    "boards": f"{side}x{side}",
                    "drawn": number,
                    "steps a line": steps,
                    **{word: f"{each:+.3f}" for word, each in zip(words, off, strict=True)},
                    "deviation of chance": round((2 / number) ** 0.5, 3),
                }
            )
    title = f"runs of two and blocks of 2x2 of one symbol, beside {LONG} steps a line"
    yield f"{title}, in deviations of a board", rows


def _drawn(height: int, width: int, rules: Rules, number: int, steps_a_line: int) -> Words:
    shape = shape_of(height, width, rules)
    states = np.array([seed_of("fair", steps_a_line, k) for k in range(number)], np.uint64)
    boards = np.zeros((number, height), np.uint64)
    made = kernel().draw(shape, boards, states, steps_a_line * (height + width), 10 * height, 1000)
    assert made == number
    return boards


def _chi_square(seen: npt.NDArray[np.int64], expected: npt.NDArray[np.float64]) -> tables.Row:
    """Chi-square by its degrees of freedom, and how many deviations that is from fair draws."""
    freedom = len(expected) - 1
    square = float(((seen - expected[: len(seen)]) ** 2 / expected[: len(seen)]).sum())
    square += float(expected[len(seen) :].sum())
    return {
        "chi-square / df": round(square / freedom, 3),
        "deviations": round((square - freedom) / (2 * freedom) ** 0.5, 1),
    }


def _features(boards: Words, side: int) -> npt.NDArray[np.float64]:
    """Of each board: the runs of two across and down, and the blocks of 2x2 of one symbol."""
    cells = (boards[:, :, None] >> np.arange(side, dtype=np.uint64)) & np.uint64(1)
    right, down = cells[:, :, 1:] == cells[:, :, :-1], cells[:, 1:] == cells[:, :-1]
    blocks = right[:, 1:] & right[:, :-1] & down[:, :, 1:]
    return np.stack(
        [each.sum(axis=tuple(range(1, each.ndim))) for each in (right, down, blocks)], axis=1
    ).astype(float)


def _lines(length: int) -> Words:
    return np.array([int(line[::-1], 2) for line in legal_lines(length)], np.uint64)


def exact_lines() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How often each legal line is row 1, and row 5, of the boards of 10x10 that may repeat lines.

    A board is cut after row 5. Its lower half, upside down and with 0 for 1, is an upper half too.
    A half is known by the sums of its columns, its last row, and the columns whose last two rows
    are equal; two halves of the same sums fit if no triple arises at the cut.
    """
    lines = _lines(10)
    room = np.zeros((60_000_000, 2), np.uint64)
    found = _halves(lines, room)
    halves = room[:found]
    keys, which, times = np.unique(halves[:, 0], return_inverse=True, return_counts=True)
    fitting = np.zeros(len(keys), np.int64)
    _join(keys, times, fitting)
    weights = fitting[which.reshape(-1)]
    total = int(weights.sum())
    assert total == PLAIN_10, total
    first = np.bincount(halves[:, 1].astype(np.int64), weights, len(lines))
    last = (halves[:, 0] >> np.uint64(10)) & np.uint64(1023)
    middle = np.array([weights[last == line].sum() for line in lines])
    return first / total, middle / total


@njit
def _halves(lines: Words, room: Words) -> int:
    """Upper halves of 10x10: sums, last row and equal columns as a word; and the first line."""
    found = 0
    rows = np.zeros(5, np.uint64)
    next_line = np.zeros(6, np.int64)
    sums = np.zeros((6, 10), np.int64)
    depth = 0
    every = np.uint64(1023)
    while depth >= 0:
        if depth == 5:
            key = np.uint64(0)
            fits = True
            for column in range(10):
                fits &= sums[5, column] <= 5
                key |= np.uint64(sums[5, column]) << np.uint64(20 + 4 * column)
            equal = every & ~(rows[4] ^ rows[3])
            room[found, 0] = key | (rows[4] << np.uint64(10)) | equal
            room[found, 1] = np.uint64(next_line[0] - 1)
            found += 1
            depth -= 1
            continue
        place = next_line[depth]
        if place == len(lines):
            next_line[depth] = 0
            depth -= 1
            continue
        next_line[depth] = place + 1
        line = lines[place]
        if depth >= 2:
            one, two = rows[depth - 1], rows[depth - 2]
            if (one & two & line) | (every & ~(one | two | line)):
                continue
        rows[depth] = line
        for column in range(10):
            sums[depth + 1, column] = sums[depth, column] + np.int64(
                (line >> np.uint64(column)) & np.uint64(1)
            )
        depth += 1
        next_line[depth] = 0
    return found


@njit
def _join(keys: Words, times: npt.NDArray[np.int64], fitting: npt.NDArray[np.int64]) -> None:
    """For each kind of half, how many lower halves fit; kinds of the same sums lie together."""
    ten, mask = np.uint64(10), np.uint64(1023)
    begin = 0
    while begin < len(keys):
        end = begin
        while end < len(keys) and keys[end] >> np.uint64(20) == keys[begin] >> np.uint64(20):
            end += 1
        for k in range(begin, end):
            last, equal = (keys[k] >> ten) & mask, keys[k] & mask
            total = 0
            for other in range(begin, end):
                differ = last ^ ((keys[other] >> ten) & mask)
                if not (equal | (keys[other] & mask)) & differ:
                    total += times[other]
            fitting[k] = total
        begin = end


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield from speed()
    if Path(SGT).exists():
        yield beside_sgt()
    yield drawing()
    yield from small_fairness()
    yield from large_fairness()


if __name__ == "__main__":
    tables.report("generation", all_tables())
