"""Sizes without any board: the claims, compared with a search of all small sizes."""

from __future__ import annotations

import pytest

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, check, count
from binairo_cp.puzzle.lines import is_impossible

RULES = (CLASSIC, UNRULY, Rules(odd="ones"), Rules(longest_run=1), Rules(balanced=False))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_no_size_with_a_board_is_called_impossible(rules: Rules) -> None:
    sizes = [(height, width) for height in range(1, 6) for width in range(1, 9)]
    impossible = [size for size in sizes if is_impossible(*size, rules)]
    empty = [
        size
        for size in sizes
        if not count(Puzzle(Board.empty(*size), rules), limit=1, backend="bitboard").count
    ]
    assert set(impossible) <= set(empty)
    assert impossible or rules in (UNRULY, Rules(balanced=False))


@pytest.mark.parametrize(
    ("height", "width", "rules"),
    [(6, 16, CLASSIC), (36, 8, CLASSIC), (15, 17, Rules(distinct_lines=False, odd="ones"))],
)
def test_auto_needs_no_search_for_an_impossible_size(height: int, width: int, rules: Rules) -> None:
    """Neither the bitboard nor PySAT decides these within minutes."""
    puzzle = Puzzle(Board.empty(height, width), rules)
    outcome = check(puzzle)
    assert (outcome.verdict, outcome.backend) == ("none", "auto")
    assert outcome.contradiction.clues == ()
    assert count(puzzle, limit=None).complete
