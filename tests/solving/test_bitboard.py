"""The bitboard and the portfolio, each compared with independent code."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import CLASSIC, UNRULY, Board, Lines, Puzzle, Rules, check, count, solve, violations
from binairo_cp.errors import BackendNameError, BackendSizeError, BudgetExceeded
from binairo_cp.kernels.bitboard import (
    TABLE_LENGTH,
    Direction,
    consistent_line,
    fill_table,
    fill_ternary_numbers,
    resume,
    search_all,
    search_words,
    solution,
    start,
)
from binairo_cp.kernels.bitboard import Search as KernelSearch
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Budget, auto, bitboard
from binairo_cp.solving.backends.bitboard import Bitboard, BitboardSearch
from tests.support.strategies import ODD, examples, puzzles

BITBOARD = Bitboard()
ALL_RULES = st.builds(
    Rules,
    balanced=st.booleans(),
    longest_run=st.sampled_from([1, 2, 2, 2, 3, 4, 7, 64, 255]),
    distinct_lines=st.booleans(),
    odd=ODD,
)


def shared(pattern: str, rules: Rules) -> str | None:
    """The cells on which all legal completions of a line agree, by counting."""
    if not Lines(pattern, rules).count:
        return None
    cells = list(pattern)
    for place, value in enumerate(pattern):
        if value == ".":
            can_be = [
                symbol
                for symbol in "01"
                if Lines(pattern[:place] + symbol + pattern[place + 1 :], rules).count
            ]
            cells[place] = can_be[0] if len(can_be) == 1 else "."
    return "".join(cells)


def word(pattern: str, symbol: str) -> int:
    return sum(1 << place for place, value in enumerate(pattern) if value == symbol)


def deduced(pattern: str, rules: Rules) -> str | None:
    """The same, by the bitboard."""
    length = len(pattern)
    ones = rules.ones(length)
    one, zero = consistent_line(
        word(pattern, "1"),
        word(pattern, "0"),
        (1 << length) - 1,
        min(rules.longest_run, length),
        ones[-1],
        length - ones[0],
    )
    if one & zero:
        return None
    return "".join("1" if one >> k & 1 else "0" if zero >> k & 1 else "." for k in range(length))


@pytest.mark.parametrize("length", range(1, 8))
@pytest.mark.parametrize("longest", [1, 2, 3])
@pytest.mark.parametrize("balanced", [True, False])
def test_every_state_of_a_short_line(length: int, longest: int, balanced: bool) -> None:
    rules = Rules(balanced=balanced, longest_run=longest)
    for state in product(".01", repeat=length):
        pattern = "".join(state)
        assert deduced(pattern, rules) == shared(pattern, rules), pattern


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, Rules]:
    rules = draw(ALL_RULES)
    legal = Lines("." * draw(st.integers(1, 64)), rules)
    if not legal:
        return legal.pattern, rules
    line = legal[draw(st.integers(0, legal.count - 1))]
    keep = draw(st.sampled_from([2, 3, 4, 6]))
    draws = draw(st.lists(st.integers(0, keep - 1), min_size=len(line), max_size=len(line)))
    cells = [value if chance == 0 else "." for value, chance in zip(line, draws, strict=True)]
    if draw(st.integers(0, 5)) == 0:
        cells[draw(st.integers(0, len(cells) - 1))] = draw(st.sampled_from("01"))
    return "".join(cells), rules


@given(lines())
@examples(2)
def test_lines_of_any_length(case: tuple[str, Rules]) -> None:
    pattern, rules = case
    assert deduced(pattern, rules) == shared(pattern, rules)


@given(st.integers(1, 8), ALL_RULES)
@examples(0.7)
def test_the_table_agrees_with_the_algorithm(length: int, rules: Rules) -> None:
    table = np.zeros(3**length, np.uint32).data
    longest_run = min(rules.longest_run, length)
    fill_table(table, length, longest_run, *bitboard.max_counts(length, rules))
    ternary = bitboard._ternary_numbers()
    for state in product(".01", repeat=length):
        pattern = "".join(state)
        entry = int(table[ternary[word(pattern, "1")] + 2 * ternary[word(pattern, "0")]])
        one, zero = entry & 0xFFFF, entry >> 16
        want = deduced(pattern, rules)
        assert bool(one & zero) == (want is None)
        assert want is None or (one, zero) == (word(want, "1"), word(want, "0"))


@given(puzzles(sides=st.integers(1, 4)))
@examples(5)
def test_counts_agree_with_backtracking(puzzle: Puzzle) -> None:
    most = 200
    want = set(backends.get("backtracking").solutions(puzzle, limit=most))
    for limit in (most, 300):  # The search for few solutions differs from that for many.
        found = set(BITBOARD.solutions(puzzle, limit=limit))
        assert found == want or min(len(found), len(want)) >= most
    assert BITBOARD.count(puzzle, limit=most).found == len(want)


@pytest.mark.slow
@given(puzzles(rules=ALL_RULES, sides=st.integers(5, 9)))
@examples(12)
def test_verdicts_agree_with_clause_learning(puzzle: Puzzle) -> None:
    # Neither backend refutes shapes with too few legal lines.
    numbers = [solutions_up_to_two(name, puzzle) for name in ("bitboard", "pysat")]
    assert None in numbers or numbers[0] == numbers[1]


def solutions_up_to_two(name: str, puzzle: Puzzle) -> int | None:
    """The number of solutions, at most two; None if the work limit was reached."""
    found = 0
    try:
        for _ in backends.get(name).solutions(puzzle, limit=2, budget=Budget(work=5_000)):
            found += 1
    except BudgetExceeded:
        return None
    return found


@pytest.mark.parametrize(
    ("height", "width", "rules", "boards"),
    [(6, 6, CLASSIC, 4_140), (6, 6, UNRULY, 11_222), (4, 6, CLASSIC, 96), (6, 8, CLASSIC, 51_744)],
)
def test_the_census(height: int, width: int, rules: Rules, boards: int) -> None:
    puzzle = Puzzle(Board.empty(height, width), rules)
    assert count(puzzle, backend="bitboard").count == boards
    # Without the shortcut for boards without clues.
    halves = [replaced(puzzle, value) for value in "01"]
    assert [BITBOARD.count(half).found for half in halves] == [boards // 2] * 2


def replaced(puzzle: Puzzle, value: str) -> Puzzle:
    return Puzzle(puzzle.board.with_cell((0, 0), value), puzzle.rules, puzzle.signs)


@pytest.mark.slow
def test_the_census_of_8x8() -> None:
    assert count(Puzzle(Board.empty(8, 8)), limit=None).count == 4_111_116


@pytest.mark.parametrize("side", [20, 40, 63, 64])
def test_large_open_boards(side: int) -> None:
    outcome = check(Puzzle(Board.empty(side, side)), backend="bitboard", time_limit=60)
    assert outcome.verdict == "multiple"


def test_lines_of_more_than_64_cells_are_refused() -> None:
    with pytest.raises(BackendSizeError, match="up to 64 cells, not a board of 2x65"):
        list(BITBOARD.solutions(Puzzle(Board.empty(2, 65))))


def words(*shape: int) -> memoryview:
    return np.zeros(shape, np.uint64).data


def directions(height: int, width: int) -> tuple[Direction, Direction]:
    return (
        Direction(0, height, width, width, width, False),
        Direction(height, width, height, height, height, False),
    )


def kernel_search(height: int, width: int) -> KernelSearch:
    memory = words(search_words(height, width)), words(2 * (height + width))
    return KernelSearch(*directions(height, width), 2, *memory)


@pytest.mark.parametrize("length", [0, 65, 255, -1])
def test_the_kernel_refuses_lines_that_fit_in_no_word(length: int) -> None:
    with pytest.raises(ValueError, match="lines of 1 to 64 cells"):
        Direction(0, 1, length, 1, 1, False)


def test_the_kernel_refuses_too_little_memory() -> None:
    rows, columns = directions(5, 6)
    enough = words(search_words(5, 6)), words(22)
    for boards, implied in ((enough[0][1:], enough[1]), (enough[0], enough[1][1:])):
        with pytest.raises(ValueError, match="memory"):
            KernelSearch(rows, columns, 2, boards, implied)
    with pytest.raises(ValueError, match="do not form a board"):
        KernelSearch(columns, rows, 2, *enough)
    with pytest.raises(ValueError, match="runs"):
        KernelSearch(rows, columns, 0, *enough)


@pytest.mark.parametrize("side", [1, 63, 64])
def test_the_kernel_refuses_arrays_of_wrong_sizes(side: int) -> None:
    search, lines = kernel_search(side, side), 2 * side
    cells, right = b"." * (side * side), (None, words(1, 2, side))
    for number in (side * side - 1, side * side + 1):
        with pytest.raises(ValueError, match="number of cells"):
            start(search, b"." * number, *right)
    for shape in ((1, 2, side + 1), (1, 0, side), (2, 2, side), (0, 2, side)):
        with pytest.raises(ValueError, match="solutions"):
            start(search, cells, None, words(*shape))
    for shape in ((1, 2, lines + 1), (1, 1, lines), (2, 2, lines)):
        with pytest.raises(ValueError, match="signs"):
            start(search, cells, words(*shape), right[1])
    results = np.zeros((2, 2), np.int64).data
    with pytest.raises(ValueError, match="number of cells"):
        search_all(search, cells, *right, results, 2, 9)
    with pytest.raises(ValueError, match="results"):
        search_all(search, cells, *right, np.zeros((1, 3), np.int64).data, 2, 9)
    start(search, cells, *right)
    found = resume(search, 2, 5, True, 0)[1]
    for number in (-1, found, found - 3):
        with pytest.raises(ValueError, match="not stored"):
            solution(search, number)


def test_the_kernel_refuses_arrays_of_other_types() -> None:
    search = kernel_search(2, 2)
    for wrong in (
        np.zeros((1, 2, 2), np.int32),
        np.zeros((1, 2, 2), np.float64),
        np.zeros((1, 2, 2), ">u8"),
        np.zeros((1, 4, 4), np.uint64)[:, ::2, ::2],
        np.zeros((1, 2), np.uint64),
        np.frombuffer(bytes(32), np.uint64).reshape(1, 2, 2),
    ):
        with pytest.raises((ValueError, BufferError)):
            start(search, b"....", None, wrong)
    for other in (None, b"....", 7):
        with pytest.raises((TypeError, ValueError, BufferError)):
            start(search, b"....", None, other)
    with pytest.raises(TypeError):
        start(None, b"....", None, words(1, 2, 2))
    for cells in ("....", None):
        with pytest.raises(TypeError):
            start(search, cells, None, words(1, 2, 2))


@pytest.mark.parametrize("length", [-1, 0, TABLE_LENGTH + 1, 64])
def test_tables_have_bounds(length: int) -> None:
    with pytest.raises(ValueError, match=f"a line of 1 to {TABLE_LENGTH} cells"):
        fill_table(np.zeros(9, np.uint32).data, length, 2, 1, 1)
    ternary = np.zeros(1 << TABLE_LENGTH, np.uint32).data
    fill_ternary_numbers(ternary)
    fill_ternary_numbers(ternary[:0])
    with pytest.raises(ValueError, match="table"):
        directions(3, 3)[0].use_table(np.zeros(26, np.uint32).data, ternary)
    with pytest.raises(ValueError, match="ternary"):
        directions(3, 3)[0].use_table(np.zeros(27, np.uint32).data, ternary[:7])


@pytest.mark.parametrize("name", ["bitboard:fast", "auto:fast"])
def test_there_are_no_options(name: str) -> None:
    with pytest.raises(BackendNameError, match="takes no options"):
        backends.get(name)


def test_work_is_bounded_and_repeatable() -> None:
    hard = Puzzle(Board.empty(6, 6))
    for work in (0, 1, 5, 100):
        found = []
        with pytest.raises(BudgetExceeded, match="work"):
            for board in BITBOARD.solutions(hard, budget=Budget(work=work)):
                found.append(board)
        again = BITBOARD.count(hard, budget=Budget(work=work))
        assert again.stopped_by == "work"
        assert len(found) <= work


def test_a_paused_search_can_be_resumed() -> None:
    puzzle = Puzzle(Board.empty(6, 6))
    search = BitboardSearch(puzzle, bitboard.Searcher(6, 6, puzzle.rules))
    found = set()
    while not search.done:
        before = search.found
        search.resume(before + 3, 7)
        found |= {search.stored_solution(number) for number in range(before, search.found)}
    assert len(found) == search.found == 4_140


def test_paused_searches_of_one_shape_do_not_disturb_each_other() -> None:
    puzzle = Puzzle(Board.empty(6, 6))
    expected = list(BITBOARD.solutions(puzzle))
    one, other = BITBOARD.solutions(puzzle), BITBOARD.solutions(puzzle)
    found = [next(one) for _ in range(10)]
    assert list(other) == expected
    next(BITBOARD.solutions(puzzle)), check(puzzle)
    assert [*found, *one] == expected


def test_auto_names_the_backend_that_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(Board.empty(6, 6))
    assert check(puzzle).backend == "bitboard"
    assert solve(Puzzle(Board.empty(1, 66), UNRULY)).backend == "pysat"
    for name in ("NODES", "NODES_TO_COUNT"):
        monkeypatch.setattr(auto, name, 3)
    late = solve(puzzle, limit=900)
    assert (late.backend, len(set(late.solutions))) == ("pysat", 900)
    counted = count(puzzle)
    assert (counted.backend, counted.count) == ("pysat", 4_140)


HARD_36X36 = (
    "1b00g0d1f00i0a01g1h1a1f1j1a1b0b1h0b1a0a0a0b11b0d1c1a1b11a0c1c0a1f0h1d0d00b1k1b1a1c01b0k0a1"
    "a0d11b0c0b0b1b0b0c1e0f1n1f0c0a1b1c0e0a0e0i1e00b1b1g1g01b1a00a1j11b0a1b0a1d0c1a0c1j1c1f0a1p"
    "0j0c0f0d10f0a1b0f0e0b0a0a1c0a1d0g00a1d0b0h1d11d11e1a0a11a1d0b00i0a1g1h0i1a0d0a1b1b00a11j1b"
    "0h1d0f1e1c0h1l11a0c1d11b1f1g0a00a1d0b1c1b0b0a1d0b1c01g0c00i1v0f00a0i0b11a0d101b11f1g11a1d0"
    "c1a01b0d1c0e00h1e0b0c1e0d1i0h0001c1a0c1a1b0n11d1c1a0a1b1f00d1a1b0b0e0g0b00f0a0o11d1g0f1a11"
    "f1b0c0e00a0a0d1a0e00a1k0b00b1b0b1d1c0a1a11a0a0b0a1g0a0c1a0j1a1g0k0c1d0c1g11b1a1a0a00e0d1b1"
    "a01b00d0a0e0c0d1h0a"
)
"""Irreducible. The bitboard needs some 13,000 nodes, which take three times as long as PySAT."""


def test_auto_gives_large_boards_to_clause_learning_early() -> None:
    outcome = bn.check(f"36x36:{HARD_36X36}")
    assert (outcome.verdict, outcome.backend) == ("unique", "pysat")


def test_auto_lets_its_backends_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySAT may spend no conflicts, so the bitboard decides in its third turn."""
    monkeypatch.setattr(auto, "OWN_SOLVER_SIDE", 40)
    monkeypatch.setattr(auto, "_CONFLICTS_PER_OPEN_CELL", 0)
    monkeypatch.setattr(auto, "_OPEN_PAIRS_PER_NODE", 1_000)
    outcome = bn.check(f"36x36:{HARD_36X36}")
    assert (outcome.verdict, outcome.backend) == ("unique", "bitboard")
    monkeypatch.setattr(auto, "_LONGER", (1,))
    assert bn.check(f"36x36:{HARD_36X36}").backend == "pysat"


def test_restarts_find_solutions_of_puzzles_with_very_many() -> None:
    """Clues in a seventh of the cells; look-ahead alone needs some 70,000 nodes."""
    full = solve(Puzzle(Board.empty(30, 30))).solution
    cells = "".join(value if k % 7 == 0 else "." for k, value in enumerate(full.cells))
    puzzle = Puzzle(Board(30, 30, cells))
    found = list(BITBOARD.solutions(puzzle, limit=2, budget=Budget(work=10_000)))
    assert len(set(found)) == 2
    assert not any(violations(puzzle, board) for board in found)
