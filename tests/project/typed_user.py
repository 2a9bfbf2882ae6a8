"""A program of a user, which type checkers must accept in their strictest mode.

`test_packaging.py` checks it against this clone, and `.ci/release-check` against the wheel.
"""

# pyright: strict
from __future__ import annotations

from collections.abc import Iterator
from typing import assert_type

import binairo_cp as bn
from binairo_cp.errors import BoardError
from binairo_cp.formats import Entry
from binairo_cp.solving.solutions import Outcome


def solved(text: str) -> bn.Board | None:
    outcome = bn.check(text, time_limit=10)
    assert_type(outcome, Outcome)
    return outcome.solutions[0] if outcome.verdict == bn.Verdict.UNIQUE else None


def names(path: str) -> Iterator[str]:
    for entry in bn.read(path):
        assert_type(entry, Entry)
        if entry.puzzle is not None:
            yield f"{entry.id or entry.line}: {entry.puzzle.board.height}"


def size_of(text: str) -> tuple[int, int]:
    try:
        board = bn.Board.parse(text)
    except BoardError as error:
        raise SystemExit(str(error)) from error
    assert_type(board.rows, list[str])
    return board.height, board.width


print(solved("..1. ...0 ..10 .0.."), size_of("0..1 1..0 0110 1001"), bn.count("1x4:0...").count)
