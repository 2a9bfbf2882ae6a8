"""Judgements of moves, against the solutions of the puzzle."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from tests.support.command_line import call, records
from tests.support.strategies import examples

PUZZLE = "..1....0..10.0.."
POOL = [
    *(each.puzzle for each in bn.generate(6, count=6, seed=2)),
    *(each.puzzle for each in bn.generate(6, rules="tango", signs=6, count=3, seed=2)),
    bn.Puzzle(bn.Board(4, 4, "1..0......1.....")),
]


@examples(0.5)
@given(st.sampled_from(POOL), st.data())
def test_each_judgement_agrees_with_the_solutions(puzzle: bn.Puzzle, data: st.DataObject):
    board = puzzle.board
    cells = [board.cell(k) for k in range(len(board.cells))]
    move = st.tuples(st.sampled_from(cells), st.sampled_from("01"))
    moves = data.draw(st.lists(move, min_size=1, max_size=6))
    judged = bn.judge(puzzle, None, [(*cell, value) for cell, value in moves])
    for (cell, value), each in zip(moves, judged.moves, strict=True):
        values = list(board.cells)
        if board[cell] != ".":
            assert each.judged == ("known" if board[cell] == value else "wrong")
            continue
        verdicts = {}
        for tried in "01":
            values[board.place(cell)] = tried
            with_move = replace(puzzle, board=replace(board, cells="".join(values)))
            verdicts[tried] = bn.solve(with_move).verdict == "solved"
        other = "1" if value == "0" else "0"
        if not verdicts[value]:
            assert each.judged == "wrong"
            assert each.sentence
            continue
        assert each.judged in ({"consistent"} if verdicts[other] else {"forced", "guess"}) | (
            {"consistent"} if bn.check(puzzle).verdict == "multiple" else set()
        )
        assert bool(each.step) == (each.judged == "forced")
        values[board.place(cell)] = value
        board = replace(board, cells="".join(values))
    assert judged.board == board


def test_a_whole_transcript_and_partial_credit():
    solution = bn.solve(PUZZLE).solution
    assert solution
    path = [
        (*cell, value) for step in bn.explain(PUZZLE).steps for cell, value in step.values.items()
    ]
    whole = bn.judge(PUZZLE, None, path)
    assert {each.judged for each in whole.moves} == {"forced"}
    assert (whole.credit, whole.filled, whole.board) == (1.0, 11, solution)
    half = bn.judge(PUZZLE, None, [*path[:5], (*path[5][:2], "10"[int(path[5][2])])])
    assert half.credit == pytest.approx(4 / 11, abs=1e-4)
    assert bn.judge(PUZZLE).beginner
    begun = bn.judge(PUZZLE, whole.board, "")
    assert (begun.moves, begun.filled, begun.credit) == ((), 11, 0.0)


def test_commands_and_wrong_moves():
    [record] = records("judge", "-", "--move", "d1=1;R1C1=1 r9c9=0", input=PUZZLE)
    assert "r9c9 is not on the 4x4 board" in str(record["error"])
    [record] = records("judge", "-", "--move", "d1=1;R1C1=1 b1=0", input=PUZZLE)
    judged = [each["judged"] for each in record["judgements"]]  # type: ignore[attr-defined]
    assert judged == ["forced", "wrong", "forced"]
    _, out, _ = call("judge", "-", "--move", "r1c4=1", "--board", "1" * 16, input=PUZZLE)
    assert "the clue there is 0" in out
    begun = ("--board", "1" * 16)
    for moves, more, status in (("r1c4=1", (), 0), ("r1c3=0", (), 1), ("r1c4=1", begun, 1)):
        assert call("judge", "-", "--move", moves, *more, input=PUZZLE)[0] == status
    assert (
        str(bn.judge(PUZZLE, None, "r1c3=0"))
        == "r1c3=0: wrong: r1c3 is 0, but the clue there is 1."
    )
    for wrong in ("r1c4", "r1c4=2", "r0c1=1", [(0, 0, 5)], [(0, 0)], 7):
        with pytest.raises(bn.BinairoError):
            bn.judge(PUZZLE, None, wrong)  # type: ignore[arg-type]  # it is wrong
