from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Puzzle, backbone, check, count, enumerate_solutions, solve, violations
from binairo_cp.errors import ArgumentError, BudgetExceeded, Disagreement, LimitError, WrongAnswer
from binairo_cp.solving import backbones, solutions
from binairo_cp.solving.backends import UNLIMITED, Budget
from tests.support.strategies import puzzles

KNOWN = Board.parse("101100 011010 010101 100101 101010 010011")
UNIQUE = Puzzle(Board.parse("101... 0.1... 0..... ....0. 1..... .....1"))
TWO = Puzzle(Board.parse("0..1 1..0 0110 1001"))
EMPTY = Puzzle(Board.empty(6, 6))
NONE = Puzzle(Board.parse("1..... .0.... 000... ...... ...1.. ....0."))


class Fake:
    name = "fake"

    def __init__(self, boards: list[Board], by: str | None = None) -> None:
        self.boards = boards
        self.by = by

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        yield from islice(self.boards, limit)
        if self.by:
            raise BudgetExceeded(self.by)  # type: ignore[arg-type]


def test_check() -> None:
    only = check(Puzzle(KNOWN))
    assert (only.verdict, only.solution, only.complete) == ("unique", KNOWN, True)
    two = check(EMPTY)
    assert (two.verdict, two.complete, two.stopped_by) == ("multiple", False, "limit")
    assert two.solution != two.second_solution
    assert all(two.solution[c] != two.second_solution[c] for c in two.differences)
    assert check(EMPTY, limit=10).count == 10


def test_a_time_out_is_unknown() -> None:
    hard = Puzzle(Board.empty(91, 91))
    for task in (solve, check, count):
        outcome = task(hard, time_limit=0.05)  # type: ignore[operator]
        assert (outcome.verdict, outcome.stopped_by) == ("unknown", "time")
        assert not outcome.complete
    with pytest.raises(BudgetExceeded):
        list(enumerate_solutions(hard, time_limit=0.05))


@pytest.mark.parametrize(
    ("boards", "by", "verdict"),
    [([], "time", "unknown"), ([KNOWN], "time", "unknown"), ([KNOWN], None, "unique"), ([], None, "none")],
)  # fmt: skip
def test_solutions_before_a_time_out_count(boards: list[Board], by: str | None, verdict: str):
    puzzle = Puzzle(KNOWN) if boards else NONE
    assert check(puzzle, backend=Fake(boards, by)).verdict == verdict


def test_two_solutions_before_a_time_out_are_enough() -> None:
    boards = solve(EMPTY, limit=2).solutions
    outcome = check(EMPTY, backend=Fake(list(boards), "time"), limit=5)
    assert (outcome.verdict, outcome.stopped_by) == ("multiple", "time")


@pytest.mark.parametrize("board", [
    KNOWN.with_cell((0, 0), "0"),
    KNOWN.with_cell((0, 0), "."),
    Board.empty(6, 6),
    Board(4, 9, KNOWN.cells),
])  # fmt: skip
@pytest.mark.parametrize("task", [solve, check, count])
def test_no_wrong_board_reaches_a_user(board: Board, task: object) -> None:
    with pytest.raises(WrongAnswer, match="fake returned a board that is not a solution"):
        task(Puzzle(Board.empty(6, 6)), backend=Fake([board]))  # type: ignore[operator]
    with pytest.raises(WrongAnswer):
        list(enumerate_solutions(EMPTY, backend=Fake([board])))


def test_backends_that_disagree() -> None:
    two = list(enumerate_solutions(TWO))
    assert len(two) == 2
    for liar in (Fake([]), Fake(two[:1]), Fake(two[1:])):
        with pytest.raises(
            Disagreement, match=r"(?s)exactly . solutions?, .* found .* of\nrules: classic"
        ):
            check(TWO, cross_check=liar, limit=5)
        with pytest.raises(Disagreement):
            count(TWO, backend=liar, cross_check="pysat")
    with pytest.raises(Disagreement, match="different ones"):
        check(TWO, backend=Fake(two[:1]), cross_check=Fake(two[1:]))
    assert check(UNIQUE, backend="pysat", cross_check="cpsat").backend == "pysat,cpsat"


def test_unknown_is_no_disagreement() -> None:
    outcome = check(Puzzle(KNOWN), backend=Fake([], "time"), cross_check="backtracking")
    assert (outcome.verdict, outcome.solution) == ("unique", KNOWN)
    outcome = check(Puzzle(KNOWN), backend="pysat", cross_check=Fake([KNOWN], "time"))
    assert (outcome.verdict, outcome.backend) == ("unique", "pysat,fake")


@given(puzzles(), st.sampled_from(["cpsat", "backtracking", "pysat:glucose4:fresh"]))
def test_real_backends_do_not_disagree(puzzle: Puzzle, other: str) -> None:
    check(puzzle, cross_check=other)
    count(puzzle, cross_check=other, limit=20)


@given(puzzles(sides=st.integers(1, 5)))
def test_backbone_is_what_all_solutions_share(puzzle: Puzzle) -> None:
    boards = [board.cells for board in enumerate_solutions(puzzle, limit=3000)]
    if len(boards) == 3000:
        return
    found = backbone(puzzle)
    if not boards:
        assert found is None
        return
    shared = "".join(
        v.pop() if len(v := set(values)) == 1 else "." for values in zip(*boards, strict=True)
    )
    assert found.board.cells == shared
    assert found.complete


def test_backbone_without_time_is_incomplete() -> None:
    found = backbone(EMPTY, time_limit=0)
    assert not found.complete
    assert len(found.undecided) == 36


@pytest.mark.parametrize("limit", [0, -1])
def test_invalid_limits(limit: int) -> None:
    for task in (solve, check, count):
        with pytest.raises(LimitError):
            task(EMPTY, limit=limit)  # type: ignore[operator]
    with pytest.raises(LimitError):
        enumerate_solutions(EMPTY, limit=limit)
    with pytest.raises(LimitError, match="can't show uniqueness"):
        check(EMPTY, limit=1)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_invalid_time_limits(seconds: float) -> None:
    with pytest.raises(LimitError):
        solve(EMPTY, time_limit=seconds)


@pytest.mark.parametrize("value", ["0110", Board.empty(2, 2), None])
@pytest.mark.parametrize("function", [
    solutions.solve, solutions.check, solutions.count, solutions.enumerate_solutions,
    backbones.backbone, lambda x: violations(x, KNOWN),
])  # fmt: skip
def test_other_types_are_refused(function: Callable[..., object], value: object) -> None:
    with pytest.raises(
        ArgumentError, match=r"puzzle: expected a Puzzle, as in Puzzle\(Board.parse"
    ):
        function(value)


def test_invalid_parts_of_puzzles() -> None:
    with pytest.raises(ArgumentError, match=r"board: expected a Board, .*, not str"):
        Puzzle("0110")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="rules: expected Rules, such as UNRULY, not str"):
        Puzzle(KNOWN, "unruly")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="board: expected a Board, not str"):
        violations(Puzzle(KNOWN), "0110")  # type: ignore[arg-type]
