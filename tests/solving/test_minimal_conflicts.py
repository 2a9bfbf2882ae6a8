"""Minimal conflicts: they are correct, within their budget, and reproducible."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Cell, Puzzle, check, enumerate_solutions, solve
from binairo_cp.batch import pipeline
from binairo_cp.batch.pipeline import BlockSizer, number_blocks
from binairo_cp.batch.tasks import Task, decide
from binairo_cp.errors import BudgetExceeded, OptionError, WrongAnswer
from binairo_cp.formats import Entry
from binairo_cp.solving import solutions as front
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, engines
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.minimal_conflicts import Contradiction, find_conflict
from binairo_cp.workers.executors import WorkerSettings
from tests.support.command_line import NONE as NONE_CELLS
from tests.support.command_line import UNIQUE as UNIQUE_CELLS
from tests.support.command_line import call, records
from tests.support.strategies import examples, puzzles

UNIQUE = Puzzle(Board(6, 6, UNIQUE_CELLS))
NONE = Puzzle(Board(6, 6, NONE_CELLS))
ROW = Puzzle(Board.parse("1..... .0.... 000... ...... ...1.. ....0."))
"""A conflict of three clues in row 3."""


def wrong_puzzle(side: int, changed: int) -> Puzzle:
    """A full board with every third cell open and one wrong cell."""
    cells = list(
        next(enumerate_solutions(Puzzle(Board.empty(side, side)), backend="bitboard")).cells
    )
    cells[changed] = "10"[int(cells[changed])]
    return Puzzle(Board(side, side, "".join("." if k % 3 == 1 else c for k, c in enumerate(cells))))


HARDER = [puzzle for k in range(0, 60, 6) if solve(puzzle := wrong_puzzle(10, k)).verdict == "none"]


def with_only(puzzle: Puzzle, cells: Iterable[Cell]) -> Puzzle:
    board = Board.empty(puzzle.board.height, puzzle.board.width)
    for cell in cells:
        board = board.with_cell(cell, puzzle.board[cell])
    return Puzzle(board, puzzle.rules, puzzle.signs)


def check_claims(puzzle: Puzzle, found: Contradiction) -> None:
    """Check the claims about a conflict with a backend without clause learning."""
    assert solve(with_only(puzzle, found.clues), backend="bitboard").verdict == "none"
    assert found.irreducible or not found.smallest
    assert found.irreducible or found.stopped_by
    if found.irreducible:
        for cell in found.clues:
            fewer = with_only(puzzle, set(found.clues) - {cell})
            assert solve(fewer, backend="bitboard").verdict == "solved"


@given(puzzles(sides=st.integers(2, 6)), st.booleans())
def test_reported_conflicts_are_correct(puzzle: Puzzle, smallest: bool) -> None:
    found = find_conflict(puzzle, UNLIMITED, smallest=smallest)
    if solve(puzzle).verdict == "solved":
        assert isinstance(found, Board)
        return
    assert isinstance(found, Contradiction)
    assert found.irreducible
    assert found.stopped_by is None
    check_claims(puzzle, found)
    if smallest:
        assert found.smallest
        quick = find_conflict(puzzle, UNLIMITED, smallest=False)
        assert isinstance(quick, Contradiction)
        assert len(found.clues) <= len(quick.clues)


@given(st.sampled_from(HARDER), st.integers(0, 40_000), st.booleans())
def test_reported_conflicts_are_correct_for_any_work_limit(
    puzzle: Puzzle, work: int, smallest: bool
) -> None:
    found = None
    with suppress(BudgetExceeded):
        found = find_conflict(puzzle, Budget(work=work), smallest=smallest)
    if found is None:
        assert work < 20_000
        return
    assert isinstance(found, Contradiction)
    check_claims(puzzle, found)
    assert (found.stopped_by is None) == (found.smallest if smallest else found.irreducible)


def test_too_many_rounds_leave_an_irreducible_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("binairo_cp.solving.minimal_conflicts.MOST_ROUNDS", 1)
    found = find_conflict(HARDER[0], UNLIMITED)
    assert isinstance(found, Contradiction)
    assert (found.irreducible, found.smallest, found.stopped_by) == (True, False, "work")
    check_claims(HARDER[0], found)


@pytest.mark.parametrize("reasons", ["quick", "smallest"])
def test_a_contradiction_without_clues(reasons: Literal["quick", "smallest"]) -> None:
    found = check(Puzzle(Board.parse("1x4:1...")), backend="backtracking", reasons=reasons)
    reason = "only 2 different columns are possible, not 4"
    expected = Contradiction((), irreducible=True, smallest=True, reason=reason)
    assert found.contradiction == expected


def test_the_option_reasons() -> None:
    for outcome in (check(ROW), check(ROW, reasons="smallest")):
        assert outcome.contradiction.smallest
        assert [str(cell) for cell in outcome.contradiction.clues] == ["r3c1", "r3c2", "r3c3"]
    quick = check(ROW, reasons="quick").contradiction
    assert (quick.irreducible, quick.smallest) == (True, False)
    assert check(ROW, reasons="none").contradiction is None
    for wrong in (True, False, "all", []):
        with pytest.raises(
            OptionError, match="reasons: expected one of none, quick, smallest, not"
        ):
            check(ROW, reasons=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("smallest", [False, True])
def test_earlier_puzzles_do_not_change_conflicts(smallest: bool) -> None:
    """A solver that learned from other puzzles would use other clues."""
    alone = [find_conflict(puzzle, UNLIMITED, smallest=smallest) for puzzle in HARDER]
    for puzzle in HARDER:
        solve(puzzle, backend="pysat", limit=50)
    again = [find_conflict(puzzle, UNLIMITED, smallest=smallest) for puzzle in HARDER[::-1]]
    assert alone == again[::-1]


def test_a_bound_on_work_is_the_same_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each slice of a search is a restart, so its end must not depend on the clock."""
    seen = []
    for seconds_a_look in (0.0, 10.0):
        clock = iter(range(10**9))
        monkeypatch.setattr(engines, "monotonic", lambda: next(clock) * seconds_a_look)  # noqa: B023
        meter = Meter(Budget(work=1_200))
        session = Session(Puzzle(Board.empty(60, 60)), engines.Incremental("minisat22"), meter)
        with pytest.raises(BudgetExceeded):
            list(session.solutions(Puzzle(Board.empty(60, 60)), 1, meter))
        seen.append(session._engine._solver.accum_stats())  # type: ignore[attr-defined]
    assert seen[0] == seen[1]


def test_seconds_include_the_search_for_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def slow(*_: object, **__: object) -> Contradiction:
        nonlocal now
        now += 7
        return Contradiction((), True, True)

    monkeypatch.setattr(front, "monotonic", lambda: now)
    monkeypatch.setattr("binairo_cp.solving.minimal_conflicts.find_conflict", slow)
    assert check(NONE, backend="pysat").seconds == 7
    record = decide(Entry(NONE, id="x"), Task("check"))
    assert record.seconds == 7


@pytest.mark.parametrize("by", ["time", "work"])
def test_a_conflict_that_exceeds_the_budget_is_reported(by: str, monkeypatch: pytest.MonkeyPatch):
    def stopped(*_: object, **__: object) -> None:
        raise BudgetExceeded(by)  # type: ignore[arg-type]

    monkeypatch.setattr("binairo_cp.solving.minimal_conflicts.find_conflict", stopped)
    record = decide(Entry(NONE, id="x"), Task("check"))
    assert (record.verdict, record.complete, record.contradiction) == ("none", True, None)
    assert record.contradiction_stopped_by == by
    assert record.contradiction_smallest is None
    assert record.error is None


class WrongBackend:
    """A backend that finds no solution of any puzzle."""

    def __init__(self, name: str) -> None:
        self.name = name

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        yield from ()


@pytest.mark.parametrize("name", ["liar", "cpsat", "bitboard"])
@pytest.mark.parametrize("reasons", ["quick", "smallest"])
def test_no_solution_where_there_is_one_is_a_wrong_answer(name: str, reasons: str) -> None:
    """`pysat` searches for the conflict, whichever backend reported that there is no solution."""
    with pytest.raises(
        WrongAnswer, match=rf"(?s)^{name} found no solution of\nrules: classic.*this is one"
    ):
        check(UNIQUE, backend=WrongBackend(name), reasons=reasons)  # type: ignore[arg-type]
    record = decide(Entry(UNIQUE, id="x"), Task("check", WrongBackend(name)))
    assert record.verdict == "unknown"
    assert record.error.kind == "wrong-answer"


@pytest.mark.parametrize("name", ["liar", "cpsat"])
def test_other_backends_are_verified_even_without_reasons(name: str) -> None:
    for reasons in ("none", "quick"):
        with pytest.raises(WrongAnswer):
            check(UNIQUE, backend=WrongBackend(name), reasons=reasons)  # type: ignore[arg-type]
    with pytest.raises(WrongAnswer):
        solve(UNIQUE, backend=WrongBackend(name))
    assert solve(NONE, backend=WrongBackend(name)).verdict == "none"
    hard = Puzzle(Board.empty(91, 91))
    assert solve(hard, backend=WrongBackend(name), time_limit=0).verdict == "none"


LINES = f"6x6:{NONE_CELLS} a\n"


@pytest.mark.parametrize(("options", "number", "smallest"), [
    ([], 1, True),
    ([], 2, None),
    (["--reasons", "smallest"], 2, True),
    (["--reasons", "quick"], 1, False),
    (["--reasons", "quick"], 2, False),
    (["--reasons", "none"], 1, None),
    (["--reasons", "none"], 2, None),
])  # fmt: skip
def test_several_puzzles_get_no_reasons_by_default(
    options: list[str], number: int, smallest: bool | None
) -> None:
    found = records("check", *options, "--workers", "1", input=LINES * number)
    assert [each["verdict"] for each in found] == ["none"] * number
    assert [each.get("contradiction_smallest") for each in found] == [smallest] * number
    assert [each.get("contradiction_irreducible") for each in found] == [
        None if smallest is None else True
    ] * number


def test_a_last_puzzle_of_many_is_not_a_single_one() -> None:
    def smallest(begun: bool) -> bool:
        blocks = number_blocks([[Entry(NONE, id="x")]])
        (part,) = pipeline.process_blocks(
            blocks, Task("check"), "ndjson", BlockSizer(1), WorkerSettings(1), begun=begun
        )
        return "contradiction_smallest" in json.loads(str(part.data, "utf-8"))

    assert smallest(begun=False)
    assert not smallest(begun=True)


def test_line_output_has_no_reasons() -> None:
    status, _, error = call("check", "--to", "line", "--reasons", "quick", input=LINES)
    assert status == 2
    assert "don't fit on a line" in error
    for options in ([], ["--reasons", "none"]):
        status, out, _ = call("check", "--to", "line", "-q", *options, input=LINES)
        assert (status, out) == (1, "- none a\n")


@pytest.mark.parametrize(("lines", "command", "is_said"), [
    (LINES * 2, ["check"], True),
    (LINES, ["check"], False),
    (LINES * 2, ["check", "--reasons", "none"], False),
    (LINES * 2, ["check", "--to", "line"], False),
    (LINES * 2, ["grade"], False),  # it has no such option
    (f"{UNIQUE.board.cells}\n" * 2, ["check"], False),
])  # fmt: skip
def test_a_run_says_that_it_looked_for_no_conflicts(lines: str, command: list[str], is_said: bool):
    error = call(*command, "--workers", "1", input=lines)[2]
    assert ("no conflicts were looked for; --reasons quick finds them" in error) == is_said


@examples(1)
@given(puzzles(sides=st.integers(1, 4)))
def test_correction_sets_are_minimal(puzzle: Puzzle) -> None:
    """Without the set there is a solution; with any one of its clues there is none."""
    meter = Meter(UNLIMITED)
    sets = ClueSets(puzzle, new_session(puzzle, meter), meter)
    if sets.contradict([]):
        return
    broken = sets.fewest_broken(sets.broken())
    kept = set(sets.clues) - {*broken}
    cells = {place: puzzle.board.cell(place) for place in sets.clues}
    assert solve(with_only(puzzle, map(cells.get, kept))).verdict == "solved"
    for place in broken:
        some = with_only(puzzle, map(cells.get, {*kept, place}))
        assert solve(some, backend="bitboard").verdict == "none"
