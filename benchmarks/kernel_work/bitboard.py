"""Searches of the bitboard: blocks of puzzles of one shape, single puzzles, and counting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import binairo_cp as bn
from binairo_cp import CLASSIC, Board, Puzzle, Rules
from binairo_cp.formats import read_sources
from binairo_cp.puzzle.rules import UNRULY
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.many import decide

_HERE = Path(__file__).parent.parent
_LEAST = 1_000
_SIGNS = 12


def work() -> dict[str, Callable[[], object]]:
    """The searches by name."""
    pieces: dict[str, Callable[[], object]] = {}
    for side, times in ((6, 100), (8, 60), (10, 30), (12, 25), (14, 6), (20, 2)):
        pieces[f"published, {side}x{side}"] = _block(_published(side), times)
    pieces["published, 10x10, unruly"] = _block(_published(10), 20, UNRULY)
    pieces["published, 10x10, count"] = _block(_published(10), 30, limit=1_000)
    for side, times in ((6, 80), (10, 20), (14, 3), (20, 1)):
        pieces[f"irreducible, {side}x{side}"] = _block(_irreducible(side), times, nodes=5_000)
    pieces["sparse, 10x10"] = _block([each[:30] + "." * 70 for each in _published(10)], 1)
    pieces["signs, 10x10"] = _block(_published(10), 25, signed=True)
    pieces["count, 6x6"] = partial(_count, 6, 6, None, 80)
    pieces["count, 10x10"] = partial(_count, 10, 10, 100_000, 3)
    pieces["count, 14x14"] = partial(_count, 14, 14, 30_000, 5)
    singles = [
        Puzzle(Board(side, side, cells), CLASSIC) for side in (6, 10) for cells in _published(side)
    ]
    pieces["one by one"] = lambda: [_first_two(each) for _ in range(200) for each in singles]
    texts = [str(each.board) for each in singles]
    pieces["check(text)"] = lambda: [bn.check(each) for _ in range(15) for each in texts]
    return pieces


def _published(side: int) -> list[str]:
    """The clues of our instances, which are like published puzzles."""
    files = sorted((_HERE.parent / "instances" / "classic").glob(f"{side:02}x{side:02}-*.txt"))
    return [entry.puzzle.board.cells for entry in read_sources(map(str, files)) if entry.puzzle]


def _irreducible(side: int) -> list[str]:
    lines = (_HERE / "data" / f"irreducible-{side}x{side}.line").read_text().splitlines()
    return [line.split()[0] for line in lines]


def _block(
    boards: list[str],
    times: int,
    rules: Rules = CLASSIC,
    limit: int = 2,
    nodes: int = 1_000,
    *,
    signed: bool = False,
) -> Callable[[], object]:
    """Decide a thousand puzzles or more with one call, several times."""
    side = int(len(boards[0]) ** 0.5)
    cells = "".join(boards * -(-_LEAST // len(boards)))
    clues = np.frombuffer(cells.encode(), np.uint8).reshape(-1, side, side)
    options = {"signs": _signs(clues, rules)} if signed else {}
    return lambda: [decide(clues, rules, limit, nodes=nodes, **options) for _ in range(times)]


def _signs(clues: np.ndarray, rules: Rules) -> np.ndarray:
    """Some signs along the rows that are true in the first solution."""
    number, height, width = clues.shape
    solved = decide(clues, rules, 1, kept=1).solutions[0]
    words = np.zeros((number, 2, height + width), np.uint64)
    rng = np.random.default_rng(1)
    for k, board in enumerate(solved):
        for _ in range(_SIGNS):
            row, column = int(rng.integers(height)), int(rng.integers(width - 1))
            relation = int(board[row, column] != board[row, column + 1])
            words[k, relation, row] |= np.uint64(1 << column)
    return words


def _count(height: int, width: int, limit: int | None, times: int) -> None:
    for _ in range(times):
        Bitboard().count(Puzzle(Board.empty(height, width), CLASSIC), limit=limit)


def _first_two(puzzle: Puzzle) -> list[Board]:
    return list(Bitboard().solutions(puzzle, limit=2))
