"""Count one puzzle with all workers: its parts are disjoint and complete."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, count
from binairo_cp.batch.tasks import Task
from binairo_cp.formats import Entry
from binairo_cp.solving import backends, splitting
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.splitting import Split, parts
from binairo_cp.workers.executors import Pool, WorkerSettings
from tests.support.records import records_of
from tests.support.strategies import examples, puzzles

BITBOARD = backends.get("bitboard")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as pool:
        yield pool


@given(puzzles(sides=st.integers(1, 6)), st.integers(1, 200))
@examples(1.7)
def test_parts_have_each_solution_once(puzzle: Puzzle, wanted: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "_MIN_OPEN_CELLS", 0)
        found = parts(puzzle, wanted)
    whole = set(BITBOARD.solutions(puzzle, limit=500))
    each = [board for part in found for board in BITBOARD.solutions(part, limit=500)]
    if len(whole) < 500:
        assert len(each) == len(whole)
        assert set(each) == whole
    assert len(found) >= wanted or all(part.board.is_full for part in found)


def test_small_puzzles_and_long_lines_are_not_split() -> None:
    for board in (Board.empty(4, 6), Board.empty(64, 64)):
        assert parts(Puzzle(board), 100) == [Puzzle(board)]


@pytest.mark.parametrize("backend", ["auto", "bitboard", "pysat"])
@pytest.mark.parametrize(
    ("height", "width", "rules", "boards"),
    [(6, 6, CLASSIC, 4_140), (6, 6, UNRULY, 11_222), (6, 6, Rules(odd="ones"), 4_140)],
)
def test_the_census_by_parts(
    pool: Pool, backend: str, height: int, width: int, rules: Rules, boards: int
) -> None:
    split = Split(backends.get(backend), pool)
    outcome = count(Puzzle(Board.empty(height, width), rules), backend=split, limit=None)
    assert (outcome.count, outcome.complete) == (boards, True)
    assert len(set(outcome.solutions)) == 2
    assert set(outcome.backend.split(",")) <= {"bitboard", "pysat"}


@pytest.mark.parametrize("limit", [1, 3, 100, 5_000])
def test_a_limit_holds_over_all_parts(pool: Pool, limit: int) -> None:
    made = Split(BITBOARD, pool).count(Puzzle(Board.empty(6, 6)), limit=limit)
    assert made.found == min(limit, 4_140)
    assert made.stopped_by == ("limit" if limit <= 4_140 else None)


def test_a_budget_holds_over_all_parts(pool: Pool) -> None:
    puzzle = Puzzle(Board.empty(6, 6))
    made = Split(BITBOARD, pool).count(puzzle, budget=Budget(0.0))
    assert (made.found, made.stopped_by) == (0, "time")
    made = Split(BITBOARD, pool).count(puzzle, budget=Budget(work=20))
    assert made.found < 4_140
    assert made.stopped_by == "work"


def test_a_batch_of_puzzles_that_are_split() -> None:
    boards = [
        Board.empty(6, 6),
        Board.empty(6, 6).with_cell((0, 0), "1"),
        Board.parse("000. .... .... ...."),
    ]
    blocks = [[Entry(Puzzle(board), id=str(k)) for k, board in enumerate(boards)]]
    task = Task("count", "bitboard", "pysat", split=True)
    records = records_of(blocks, task, WorkerSettings(2))
    assert [(record.id, record.count, record.complete) for record in records] == [
        ("0", 4_140, True),
        ("1", 2_070, True),
        ("2", 0, True),
    ]
    assert all(record.error is None for record in records)
