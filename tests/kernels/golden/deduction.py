"""Grades and closures: of our instances, of irreducible puzzles, and of boards with any rules."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from binairo_cp import Board, Puzzle, Rules, solve
from binairo_cp.deduction import closure, grading
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.formats import read_sources
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Sign
from binairo_cp.puzzle.shape import Shape

_ROOT = Path(__file__).parents[3]

_RULES = {
    "classic": Rules(),
    "unruly": Rules(distinct_lines=False),
    "runs of 1": Rules(longest_run=1, distinct_lines=False),
    "runs of 3": Rules(longest_run=3),
    "runs of 70": Rules(longest_run=70),
    "unbalanced": Rules(balanced=False),
    "more zeros": Rules(odd="zeros"),
    "more ones": Rules(odd="ones"),
}
_SOLVABLE = [(1, 1), (1, 6), (6, 1), (4, 4), (5, 5), (6, 6), (6, 7), (8, 6)]
_LONG = [(1, 63), (64, 1), (2, 64), (63, 2), (12, 20), (64, 64)]


def results() -> dict[str, Any]:
    """The grades, and for closures the flags of all puzzles of a set."""
    found = quick()
    for side in (8, 10, 12, 14, 16, 20):
        found |= _grades(f"instances {side}x{side}", _instances(side), tries=side <= 14)
    for side in (8, 10, 14):
        found |= _closures(f"instances {side}x{side}", _instances(side))
    for side in (6, 10, 14):
        puzzles = _irreducible(side)[: 2 if side == 14 else 25]
        found |= _grades(f"irreducible {side}x{side}", puzzles, tries=side < 14)
        found |= _closures(f"irreducible {side}x{side}", puzzles)
    for name, rules in _RULES.items():
        for height, width in _SOLVABLE:
            puzzles = _thinned(height, width, rules, 6, 10)
            found |= _grades(f"{name} {height}x{width}", puzzles)
            found |= _closures(f"{name} {height}x{width}", puzzles)
            found |= _closures(f"signs, {name} {height}x{width}", _signed(puzzles))
        for height, width in _LONG:
            puzzles = _scattered(height, width, rules, 10)
            found |= _grades(f"scattered, {name} {height}x{width}", puzzles, tries=False)
            found |= _closures(f"scattered, {name} {height}x{width}", puzzles, levels=LEVELS[:4])
    return found


def quick() -> dict[str, Any]:
    """A few results, which uncompiled code finds in a second or two."""
    found = _grades("instances 6x6", _instances(6)) | _closures("instances 6x6", _instances(6))
    for name, rules in _RULES.items():
        puzzles = _thinned(4, 5, rules, 2, 6)
        found |= _grades(f"{name} 4x5", puzzles) | _closures(f"{name} 4x5", puzzles)
        found |= _closures(f"signs, {name} 4x5", _signed(puzzles))
        for height, width in ((1, 64), (64, 2)):
            puzzles = _scattered(height, width, rules, 2)
            found |= _grades(f"scattered, {name} {height}x{width}", puzzles, tries=False)
            found |= _closures(f"scattered, {name} {height}x{width}", puzzles, levels=LEVELS[:4])
    return found


def _grades(name: str, puzzles: list[Puzzle], *, tries: bool = True) -> dict[str, Any]:
    """The grades with techniques for lines only, and those with tried values."""
    found: dict[str, Any] = {}
    for each in (False, True) if tries else (False,):
        grades = grading.grade_plain(puzzles, each)
        how = "tried" if each else "lines"
        found[f"grades, {how}: {name}"] = [grade and _short(grade) for grade in grades]
    return found


def _short(grade: grading.Grade) -> list[Any]:
    placed = " ".join(f"{name} {cells}" for name, cells in grade.placed.items())
    return [grade.level, placed, grade.rounds, grade.narrowest, grade.left, grade.score]


def _closures(
    name: str, puzzles: list[Puzzle], *, levels: tuple[Any, ...] = LEVELS[:-1]
) -> dict[str, Any]:
    """Whether each level reaches all cells, one, or some, as one digit for each puzzle."""
    board, rules = puzzles[0].board, puzzles[0].rules
    shape = Shape.of(board.height, board.width, rules)
    clues = np.array([list(each.board.cells.encode()) for each in puzzles], np.uint8)
    signs = {"signs": np.array([_sign_words(p) for p in puzzles])} if puzzles[0].signs else {}
    rng = random.Random(name)
    places = np.array([[rng.randrange(clues.shape[1]), -1, -1] for _ in puzzles])
    some = np.array([[rng.randrange(clues.shape[1]) for _ in range(3)] for _ in puzzles])
    return {
        f"closure, {level}: {name}": ["".join(str(int(each)) for each in flags) for flags in (
            closure.reaches(clues, shape, level, targets, **signs) for targets in (None, places, some)
        )]
        for level in levels
    }  # fmt: skip


def _sign_words(puzzle: Puzzle) -> Any:
    words = np.zeros((2, puzzle.board.height + puzzle.board.width), np.uint64)
    for row, column, direction, relation in puzzle.signs:
        line, bit = (row, column) if direction == "R" else (puzzle.board.height + column, row)
        words["=x".index(relation), line] |= np.uint64(1 << bit)
    return words


def _instances(side: int) -> list[Puzzle]:
    files = sorted((_ROOT / "instances" / "classic").glob(f"{side:02}x{side:02}-*.txt"))
    return [entry.puzzle for entry in read_sources(map(str, files)) if entry.puzzle]


def _irreducible(side: int) -> list[Puzzle]:
    file = _ROOT / "benchmarks" / "data" / f"irreducible-{side}x{side}.line"
    return [Puzzle(Board(side, side, line.split()[0])) for line in file.read_text().splitlines()]


def _thinned(height: int, width: int, rules: Rules, boards: int, times: int) -> list[Puzzle]:
    """Solved boards with fewer and fewer clues, and one with a wrong one."""
    rng = random.Random(f"{height} {width} {rules}")
    puzzles = [Puzzle(Board.empty(height, width), rules)]
    for _ in range(boards):
        cells = list(_solved(height, width, rules, rng))
        for place in rng.sample(range(len(cells)), len(cells) // 4):
            cells[place] = OPEN
        for _ in range(times):
            for place in rng.sample(range(len(cells)), max(1, len(cells) // (2 * times))):
                cells[place] = OPEN
            puzzles.append(Puzzle(Board(height, width, "".join(cells)), rules))
        cells[rng.randrange(len(cells))] = rng.choice("01")
        puzzles.append(Puzzle(Board(height, width, "".join(cells)), rules))
    return puzzles


def _solved(height: int, width: int, rules: Rules, rng: random.Random) -> str:
    """The cells of a solved board, or random ones if none is found in a few attempts."""
    cells: list[str] = []
    for _ in range(20):
        cells = [OPEN] * (height * width)
        for place in rng.sample(range(len(cells)), min(3, len(cells))):
            cells[place] = rng.choice("01")
        puzzle = Puzzle(Board(height, width, "".join(cells)), rules)
        if solution := solve(puzzle, backend="backtracking").solution:
            return solution.cells
    return "".join(each.replace(OPEN, rng.choice("01")) for each in cells)


def _scattered(height: int, width: int, rules: Rules, number: int) -> list[Puzzle]:
    """Boards with a few random clues, of which some break rules."""
    rng = random.Random(f"{height} {width} {rules}")
    return [
        Puzzle(Board(height, width, "".join(rng.choices("01.", (1, 1, k + 2), k=height * width))), rules)
        for k in range(number)
    ]  # fmt: skip


def _signed(puzzles: list[Puzzle]) -> list[Puzzle]:
    """The puzzles with a random sign in each row and each column, where there is room."""
    rng = random.Random(len(puzzles))
    height, width = puzzles[0].board.height, puzzles[0].board.width
    return [Puzzle(each.board, each.rules, tuple(_signs(height, width, rng))) for each in puzzles]


def _signs(height: int, width: int, rng: random.Random) -> Iterator[Sign]:
    for row in range(height if width > 1 else 0):
        yield Sign(row, rng.randrange(width - 1), "R", rng.choice("=x"))
    for column in range(width if height > 1 else 0):
        yield Sign(rng.randrange(height - 1), column, "D", rng.choice("=x"))
