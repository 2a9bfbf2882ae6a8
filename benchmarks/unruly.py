"""The solver of ``sgt-unruly`` (Debian's sgt-puzzles) on the same puzzles, beside ours.

The program has no command that only solves. ``--print --with-solutions`` draws puzzles with their
solutions. Its CPU time is taken for the puzzles and for the same puzzles with all cells given; what
the first takes more is the time to solve. It solves by logic only: it fails at puzzles that need
search, ends there, and does not say whether a solution is the only one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import process_time

import numpy as np

from benchmarks import sets, tables
from binairo_cp import Board, Puzzle, Verdict, solve, violations
from binairo_cp.solving.many import decide

PROGRAM = shutil.which("sgt-unruly") or "/usr/games/sgt-unruly"

PUZZLES = tables.sized(3, 100)
"""The most puzzles of a shape."""

AT_LEAST = tables.sized(20, 500)
"""Puzzles are repeated until a command has at least so many."""

_DISC = re.compile(r"(\d+) (\d+) \d+ 0 360 arc")
_PITCH = 512
"""A disc stands for a 0. This is the distance of two cells."""


def missing() -> bool:
    return not Path(PROGRAM).exists()


def game_id(puzzle: Puzzle) -> str:
    """The puzzle as the program reads it: letters count open cells; the last of a run is a clue."""
    board = puzzle.board
    unique = "u" if puzzle.rules.distinct_lines else ""
    letters, run = "", 0
    for value in [*board.cells, "0"]:
        if value == ".":
            run += 1
            continue
        first, full = ("A", "Z") if value == "1" else ("a", "z")
        letters += full * (run // 25) + chr(ord(first) + run % 25)
        run = 0
    return f"{board.width}x{board.height}{unique}:{letters}"


def printed(puzzles: list[Puzzle], *options: str) -> tuple[str, float]:
    """What the program prints, and its CPU seconds; empty if it can't solve a puzzle."""
    before = getrusage(RUSAGE_CHILDREN)
    text = "".join(f"{game_id(each)}\n" for each in puzzles)
    command = [PROGRAM, "--print", "1x1", *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return ("" if done.returncode else done.stdout), seconds


def board_of(puzzle: Puzzle) -> str | None:
    """The board that the program draws as the solution of a puzzle; None if it has none."""
    text, _ = printed([puzzle], "--with-solutions")
    _, _, page = text.partition("%%Page: 2 2")
    height, width = puzzle.board.height, puzzle.board.width
    zeros = {(height - int(y) // _PITCH, int(x) // _PITCH - 1) for x, y in _DISC.findall(page)}
    if not page:
        return None
    return "".join("10"[(r, c) in zeros] for r in range(height) for c in range(width))


def rows() -> Iterator[tables.Row]:
    """Each set by its most frequent shape, in the reading of its rules."""
    solve(Puzzle(Board.empty(2, 2)), backend="bitboard")  # or `solve` would load it later
    for name, known in sets.sets().items():
        shapes = defaultdict(list)
        for each in known:
            board = each.puzzle.board
            is_even = board.height % 2 == board.width % 2 == 0
            if is_even and not each.puzzle.signs and each.verdict == Verdict.UNIQUE:
                shapes[sets.shape(each.puzzle)].append(each.puzzle)
        if shapes:
            yield _row(name, max(shapes.values(), key=len)[:PUZZLES])


def _row(name: str, some: list[Puzzle]) -> tables.Row:
    board = some[0].board
    row: tables.Row = {"puzzles": name, "shape": f"{board.height}x{board.width}"}
    solved = [(puzzle, cells) for puzzle in some if (cells := board_of(puzzle))]
    wrong = sum(
        bool(violations(puzzle, Board(board.height, board.width, cells)))
        for puzzle, cells in solved
    )
    row |= {"number": len(some), "solved by it": len(solved), "wrong": wrong}
    if not solved:
        return row | {"sgt-unruly µs": "", "one call µs": "", "solve µs": "", "times one call": ""}
    many = [puzzle for puzzle, _ in solved] * -(-AT_LEAST // len(solved))
    full = [
        replace(puzzle, board=Board(board.height, board.width, cells)) for puzzle, cells in solved
    ] * (len(many) // len(solved))
    theirs = median(_theirs(many) - _theirs(full) for _ in range(3)) / len(many)
    one_call = median(_one_call(many) for _ in range(3)) / len(many)
    one_by_one = _one_by_one(many) / len(many)
    return row | {
        "sgt-unruly µs": round(1e6 * theirs, 1),
        "one call µs": round(1e6 * one_call, 1),
        "solve µs": round(1e6 * one_by_one, 1),
        "times one call": round(theirs / one_call, 1),
    }


def _theirs(some: list[Puzzle]) -> float:
    """The CPU seconds to solve puzzles and to draw their solutions."""
    return printed(some, "--with-solutions")[1] - printed(some)[1]


def _one_call(some: list[Puzzle]) -> float:
    """All puzzles in one call, from text to checked boards."""
    board, rules = some[0].board, some[0].rules
    started = process_time()
    text = "".join(puzzle.board.cells for puzzle in some)
    clues = np.frombuffer(text.encode(), np.uint8).reshape(-1, board.height, board.width)
    decided = decide(clues, rules, limit=1, kept=1)
    seconds = process_time() - started
    assert decided.is_decided.all()
    return seconds


def _one_by_one(some: list[Puzzle]) -> float:
    started = process_time()
    for puzzle in some:
        assert solve(puzzle).solution
    return process_time() - started
