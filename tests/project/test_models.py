"""Compare the package with the independent models in models/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given

from binairo_cp import Puzzle, enumerate_solutions
from tests.support.oracles import clingo_solutions, minizinc_available, minizinc_solutions
from tests.support.strategies import examples, instance_of, puzzles


@examples(0.7)
@given(puzzles())
def test_clingo_finds_the_same_solutions(puzzle: Puzzle) -> None:
    found = {board.cells for board in enumerate_solutions(puzzle, limit=200)}
    if len(found) < 200:
        assert clingo_solutions(instance_of(puzzle)) == found


@pytest.mark.skipif(not minizinc_available(), reason="MiniZinc with Gecode is not installed")
@examples(0.25)
@given(puzzles())
def test_minizinc_finds_the_same_solutions(puzzle: Puzzle) -> None:
    found = {board.cells for board in enumerate_solutions(puzzle, limit=200)}
    if len(found) < 200:
        assert minizinc_solutions(instance_of(puzzle)) == found


def test_another_method_counts_the_puzzles_of_the_table() -> None:
    command = [sys.executable, "models/count_puzzles.py", "4", "4"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    boards, puzzles, irreducible = done.stdout.partition(": ")[2].strip().split(", ")
    assert boards == "72 boards"
    row = f"| 4x4 classic | {puzzles.split()[0]} (180,518) | {irreducible.split()[0]} (725) |"
    assert row in Path("docs/numbers.md").read_text(encoding="utf-8")
