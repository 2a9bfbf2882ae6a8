"""Sizes without any board: the claims, compared with a search of all small sizes."""

from __future__ import annotations

import pytest

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, check, count
from binairo_cp.puzzle.lines import why_impossible
from binairo_cp.solving import backends

BITBOARD = backends.get("bitboard")
RULES = (CLASSIC, UNRULY, Rules(odd="ones"), Rules(longest_run=1), Rules(balanced=False))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_no_size_with_a_board_is_called_impossible(rules: Rules) -> None:
    sizes = [(height, width) for height in range(1, 6) for width in range(1, 9)]
    impossible = [size for size in sizes if why_impossible(*size, rules)]
    empty = [
        size
        for size in sizes
        if not any(True for _ in BITBOARD.solutions(Puzzle(Board.empty(*size), rules), limit=1))
    ]
    assert set(impossible) <= set(empty)
    assert impossible or rules in (UNRULY, Rules(balanced=False))


@pytest.mark.parametrize(
    ("height", "width", "rules"),
    [(6, 16, CLASSIC), (36, 8, CLASSIC), (15, 17, Rules(distinct_lines=False, odd="ones"))],
)
def test_no_backend_searches_for_a_board_of_an_impossible_size(
    height: int, width: int, rules: Rules
) -> None:
    """Neither the bitboard nor PySAT decides these within minutes."""
    puzzle = Puzzle(Board.empty(height, width), rules)
    for backend in ("auto", "bitboard", "pysat", "cpsat", "backtracking"):
        outcome = check(puzzle, backend=backend)
        assert (outcome.verdict, outcome.backend) == ("none", backend)
        assert outcome.contradiction.clues == ()
        assert count(puzzle, limit=None, backend=backend).complete


def test_the_reason_is_said() -> None:
    reasons = [
        str(check(Puzzle(Board.empty(*size), Rules(odd=odd))).contradiction)
        for size, odd in (((7, 6), "ones"), ((6, 16), "either"))
    ]
    assert reasons == [
        "the rules allow no board of this size: the rows need 21 ones, the columns 24",
        "the rules allow no board of this size: only 14 different columns are possible, not 16",
    ]
