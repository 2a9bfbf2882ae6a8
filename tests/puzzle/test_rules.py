import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, check, count, is_solution
from binairo_cp.errors import BoardError, PuzzleError
from binairo_cp.puzzle import fast_check
from binairo_cp.puzzle.lines import why_impossible
from binairo_cp.puzzle.rules import CLASSIC, PLUS, UNRULY, Puzzle, Rules, Sign, violations
from binairo_cp.solving import backends
from tests.support.oracles import Instance, clingo_solutions
from tests.support.strategies import examples, found_soon, puzzles

KNOWN = Board.parse("101100 011010 010101 100101 101010 010011")


def messages_of(board: Board, rules: Rules = CLASSIC, signs: tuple[Sign, ...] = ()) -> list[str]:
    puzzle = Puzzle(Board.empty(board.height, board.width), rules, signs)
    return [violation.message for violation in violations(puzzle, board)]


@pytest.mark.parametrize(("rows", "rules", "messages"), [
    ("0011 .... .... ....", CLASSIC, []),
    ("0001 .... .... ....", CLASSIC, ["row 1 has 3 times 0; at most 2 allowed", "row 1 has 3 times 0 side by side from r1c1; at most 2 allowed"]),
    ("01.. 0.1. 0... ....", CLASSIC, ["column 1 has 3 times 0; at most 2 allowed", "column 1 has 3 times 0 side by side from r1c1; at most 2 allowed"]),
    ("0101 1010 0101 1010", CLASSIC, ["row 1 and row 3 are the same", "row 2 and row 4 are the same", "column 1 and column 3 are the same", "column 2 and column 4 are the same"]),
    ("0101 1010 0101 1010", UNRULY, []),
    ("0101 1010 0.01 1010", CLASSIC, ["row 2 and row 4 are the same", "column 1 and column 3 are the same"]),
    ("1x5:00110", Rules(distinct_lines=False), []),
    ("1x5:00110", Rules(distinct_lines=False, odd="ones"), ["row 1 has 3 times 0; at most 2 allowed", "column 1 has 1 times 0; at most 0 allowed", "column 2 has 1 times 0; at most 0 allowed", "column 5 has 1 times 0; at most 0 allowed"]),
    ("1x6:000111", Rules(longest_run=3, balanced=True, distinct_lines=False), []),
    ("1x4:0000", Rules(balanced=False, longest_run=4, distinct_lines=False), []),
    ("1x4:0010", Rules(balanced=False, longest_run=1, distinct_lines=False), ["row 1 has 2 times 0 side by side from r1c1; at most 1 allowed"]),
])  # fmt: skip
def test_each_rule(rows: str, rules: Rules, messages: list[str]) -> None:
    assert messages_of(Board.parse(rows), rules) == messages


def test_signs_and_clues() -> None:
    signs = (Sign(0, 0, "R", "="), Sign(0, 0, "D", "x"), Sign(1, 1, "R", "="))
    board = Board.parse("01.. 0..1 .... ....")
    assert messages_of(board, UNRULY, signs) == [
        "r1c1 is 0 and r2c1 is 0, but the sign x requires opposite cells",
        "r1c1 is 0 and r1c2 is 1, but the sign = requires equal cells",
    ]
    puzzle = Puzzle(Board.parse("1... .... .... ...."), UNRULY)
    (violation,) = violations(puzzle, board)
    expected = ("clue", ((0, 0),), "r1c1 is 0, but its clue is 1")
    assert (violation.rule, violation.cells, violation.message) == expected


@pytest.mark.parametrize(("height", "width", "odd"), [
    *product([2], [2, 4], ["ones", "zeros"]),
    *product([3], [3, 4], ["either", "ones", "zeros"]),
    *[(1, 4, "either"), (2, 2, "either"), (2, 6, "either")],
    pytest.param(4, 4, "either", marks=pytest.mark.slow),
])  # fmt: skip
@pytest.mark.parametrize("distinct", [True, False])
def test_violations_agree_with_clingo(height: int, width: int, distinct: bool, odd: str) -> None:
    rules = Rules(distinct_lines=distinct, odd=odd)  # type: ignore[arg-type]
    puzzle = Puzzle(Board.empty(height, width), rules)
    boards = (Board(height, width, "".join(c)) for c in product("01", repeat=height * width))
    legal = {board.cells for board in boards if not violations(puzzle, board)}
    instance = Instance(height, width, "." * (height * width), (), distinct, True, odd)
    assert legal == clingo_solutions(instance)


@given(puzzles())
def test_violations_of_a_partial_board_remain_when_it_is_filled(puzzle: Puzzle) -> None:
    before = {(v.rule, v.cells[0]) for v in violations(puzzle, puzzle.board)}
    filled = puzzle.board.cells.replace(".", "0")
    after = violations(puzzle, Board(puzzle.board.height, puzzle.board.width, filled))
    assert len(after) >= len({rule for rule, _ in before})
    assert {rule for rule, _ in before} <= {v.rule for v in after}


def test_boards_of_another_size_are_refused() -> None:
    with pytest.raises(BoardError, match="a board of 6x6 for a puzzle of 4x4"):
        violations(Puzzle(Board.empty(4, 4)), KNOWN)


@pytest.mark.parametrize(("signs", "message"), [
    ([(3, 0, "D", "=")], "leaves the 4x4 board"),
    ([(3, 0, "D", "="), (0, 3, "R", "=")], r"\[0, 3, 'R', '='\] leaves the 4x4 board"),
    ([(-1, 0, "D", "=")], "leaves the 4x4 board"),
    ([(0, -1, "D", "=")], "leaves the 4x4 board"),
    ([(0, -1, "R", "=")], "leaves the 4x4 board"),
    ([(0, 0, "L", "=")], "is invalid"),
    ([(0, 0, "R", "#")], "is invalid"),
    ([(0, 0, "R", "="), (0, 0, "R", "x")], "can't be both"),
])  # fmt: skip
def test_invalid_signs_are_refused(signs: list[Sign], message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        Puzzle(Board.empty(4, 4), PLUS, signs)  # type: ignore[arg-type]


def test_rules_have_names() -> None:
    board, sign = Board.empty(2, 2), Sign(0, 0, "R", "=")
    assert Puzzle(board).rules_name == "classic"
    assert Puzzle(board, UNRULY).rules_name == "unruly"
    assert Puzzle(board, UNRULY, (sign,)).rules_name == "plus"
    assert Puzzle(board, Rules(odd="ones")).rules_name is None


def test_equal_puzzles_are_equal_values() -> None:
    one = Sign(0, 0, "R", "=")
    two = Sign(1, 0, "D", "x")
    assert Puzzle(Board.empty(4, 4), PLUS, (one, two)) == Puzzle(
        Board.empty(4, 4), UNRULY, (two, one, two)
    )


@pytest.mark.parametrize("longest_run", [0, 256, -1])
def test_runs_out_of_range(longest_run: int) -> None:
    with pytest.raises(PuzzleError, match="longest_run"):
        Rules(longest_run=longest_run)


@pytest.mark.parametrize("field", ["balanced", "distinct_lines"])
def test_strings_are_not_accepted_as_booleans(field: str) -> None:
    with pytest.raises(PuzzleError, match=f"{field} is 'no'; expected True or False"):
        Rules(**{field: "no"})  # type: ignore[arg-type]


def test_an_unknown_value_of_odd_is_refused() -> None:
    with pytest.raises(PuzzleError, match="odd is 'both'; expected one of either, ones, zeros"):
        Rules(odd="both")  # type: ignore[arg-type]


def test_signs_may_come_from_an_iterator() -> None:
    signs = (Sign(0, 0, "R", "="), Sign(1, 1, "D", "x"))
    puzzle = Puzzle(Board.empty(4, 4), PLUS, iter(signs))  # type: ignore[arg-type]  # on purpose
    assert puzzle.signs == signs


@given(puzzles(), st.integers(0, 2**32), st.integers(0, 3))
@examples(2)
def test_solutions_and_nearly_solutions(puzzle: Puzzle, seed: int, changes: int) -> None:
    rng = random.Random(seed)
    for solution in found_soon(puzzle, 3) or [puzzle.board]:
        cells = list(solution.cells)
        for _ in range(changes):
            cells[rng.randrange(len(cells))] = rng.choice("01.")
        board = replace(solution, cells="".join(cells))
        assert fast_check.is_solution(puzzle, board) == is_solution(puzzle, board)
        # Not a solution of the clues any more, or of other rules.
        opposite = replace(board, cells=board.cells.translate({48: "1", 49: "0"}))
        assert fast_check.is_solution(puzzle, opposite) == is_solution(puzzle, opposite)


@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.booleans(),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(["either", "ones", "zeros"]),
    st.data(),
)
@examples(3)
def test_boards_at_random(
    height: int, width: int, balanced: bool, run: int, distinct: bool, odd: str, data: st.DataObject
) -> None:
    rules = Rules(balanced, run, distinct, odd)  # type: ignore[arg-type]  # one of the words
    cells = st.text("01", min_size=height * width, max_size=height * width)
    board = Board(height, width, data.draw(cells))
    clues = "".join(data.draw(st.sampled_from([".", cell, cell])) for cell in board.cells)
    puzzle = Puzzle(Board(height, width, clues), rules)
    assert fast_check.is_solution(puzzle, board) == is_solution(puzzle, board)


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
