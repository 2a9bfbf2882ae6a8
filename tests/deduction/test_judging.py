"""Judgements of moves, against the solutions of the puzzle."""

import pickle
import random
from dataclasses import replace
from typing import get_args
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp.deduction import closure, contradiction
from binairo_cp.deduction.position import Position
from binairo_cp.errors import ArgumentError, MoveError
from binairo_cp.puzzle.rules import Odd, Sign
from tests.support.command_line import call, records
from tests.support.strategies import examples

ODD = get_args(Odd)
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
    is_unique = bn.check(puzzle).verdict == "unique"
    for (cell, value), each in zip(moves, judged.moves, strict=True):
        values = list(board.cells)
        if board[cell] != ".":
            assert each.judged == ("known" if board[cell] == value else "wrong")
            if each.judged == "wrong" and puzzle.board[cell] == "." and is_unique:
                values[board.place(cell)] = "."
                opened = replace(board, cells="".join(values))
                [alone] = bn.judge(puzzle, opened, [(*cell, value)]).moves
                assert (each, str(each)) == (alone, str(alone))
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
            set() if is_unique else {"consistent"}
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
    assert "the move r9c9=0 is not on the 4x4 board" in str(record["error"])
    [record] = records("judge", "-", "--move", "d1=1;R1C1=1 b1=0", input=PUZZLE)
    judged = [each["judged"] for each in record["judgements"]]  # type: ignore[attr-defined]
    assert judged == ["forced", "wrong", "forced"]
    assert records("judge", "-", "--move", "d1=1", "--move", "R1C1=1 b1=0", input=PUZZLE) == [
        record | {"seconds": ANY}
    ]
    _, out, _ = call("judge", "-", "--move", "r1c4=1", "--board", "1" * 16, input=PUZZLE)
    assert "the clue there is 0" in out
    begun = ("--board", "1" * 16)
    for moves, more, status in (("r1c4=1", (), 0), ("r1c3=0", (), 1), ("r1c4=1", begun, 1)):
        assert call("judge", "-", "--move", moves, *more, input=PUZZLE)[0] == status
    expected = "r1c3=0: wrong: r1c3 is 0, but the clue there is 1."
    assert str(bn.judge(PUZZLE, None, "r1c3=0")) == expected
    over = bn.judge(PUZZLE, None, "r1c4=1, r1c4=0", brief=True).moves[-1]
    assert "Column 4 has three 0s in a row" in over.sentence
    for wrong in ("r1c4", "r1c4=2", "r0c1=1", [(0, 0, 5)], [(0, 0)], [(4, 0, 1)]):
        with pytest.raises(MoveError):
            bn.judge(PUZZLE, None, wrong)  # type: ignore[arg-type]  # it is wrong
    with pytest.raises(ArgumentError, match=r"expected text, or a list of .*, not int"):
        bn.judge(PUZZLE, None, 7)  # type: ignore[arg-type]  # it is wrong
    with pytest.raises(MoveError, match=r"\(0, 3, 2\) is not a move"):
        bn.judge(PUZZLE, None, [(0, 0, 1), (0, 3, 2)])


def test_the_text_of_judgements_is_like_that_of_hints():
    moves = ("judge", "-", "-q", "--move", "a1=0, d1=1")
    _, text, _ = call(*moves, "--language", "de", "--coordinates", "a1", input=PUZZLE)
    _, *lines = text.splitlines()
    assert [line.partition(":")[0] for line in lines[:1] + lines[3:4]] == ["  A1=0", "  D1=1"]
    assert "zwingend (Widerspruch): Angenommen, A1 " in lines[0]
    assert [line[:6] for line in lines[1:3]] == ["    1.", "    2."]
    assert lines[4] == "  2 von 11 Feldern gefüllt; ein Anfänger könnte jetzt 3 füllen"
    judged = bn.judge(PUZZLE, None, "a1=0", brief=True, language="de", coordinates="a1")
    assert str(judged) == "A1=0: zwingend (Widerspruch)"
    for more, words in (("d1=0", "forced,forced,wrong"), ("d1=1", "forced,forced,known")):
        _, line, _ = call(*moves[:-1], f"{moves[-1]},{more}", "--to", "line", input=PUZZLE)
        assert line.split()[1] == words
    _, line, _ = call(*moves, "--to", "line", "--board", "1" * 16, input=PUZZLE)
    assert line.split()[1] == "mistake"


@examples(2)
@given(st.integers(0, 1 << 60))
def test_compiled_code_refutes_what_the_techniques_refute(seed: int):
    chance = random.Random(seed)
    height, width = chance.choice([(4, 4), (6, 6), (6, 8), (5, 7), (10, 10)])
    most = chance.choice([2, 2, 3])
    rules = bn.Rules(chance.random() < 0.9, most, chance.random() < 0.6, chance.choice(ODD))
    open_cells, signs = chance.choice([3, 8]), list[Sign]()
    for row, column in (
        ((r, c) for r in range(height) for c in range(width - 1)) if most == 2 else ()
    ):
        if chance.random() < 0.1:
            signs.append(Sign(row, column, "R", chance.choice("=x")))
    cells = "".join(chance.choice("01" + "." * open_cells) for _ in range(height * width))
    puzzle = bn.Puzzle(bn.Board(height, width, cells), rules, tuple(signs))
    position = Position(puzzle, puzzle.board)
    for place in [k for k, value in enumerate(cells) if value == "."][:20]:
        for value in "01":
            cell = puzzle.board.cell(place)
            is_broken = contradiction.follow(position, {cell: value})[1] is not None
            assert closure.refutes(position, cell, value) == is_broken


def test_judgements_can_be_sent_to_other_processes():
    judged = bn.judge(PUZZLE, None, "r1c4=0, r2c3=0")
    again = pickle.loads(pickle.dumps(judged))
    assert (again, str(again), again.beginner) == (judged, str(judged), judged.beginner)
