"""Records: the compiled parser reads as the complete one, the standard library as orjson."""

import json
import random
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import CLASSIC, PLUS, UNRULY, Board, Puzzle, formats
from binairo_cp.formats import Entry, columnar, records, sources
from binairo_cp.formats.columnar import RULES
from binairo_cp.json_library import _StandardLibrary
from binairo_cp.kernels.records import copy_lines, count_lines
from binairo_cp.puzzle.rules import TANGO, Rules
from binairo_cp.puzzle.slices import Slices, decimals, joined
from tests.support.strategies import examples

PUZZLE = '"height":2,"width":2,"clues":"01.."'


def found(lines: list[bytes]) -> list[tuple[str, int, int, str, Rules | None] | None]:
    """What the compiled parser finds in each line; None if it leaves it."""
    text = b"\n".join(lines) + b"\n"
    ends = np.cumsum([len(line) + 1 for line in lines]) - 1
    starts = np.concatenate(([0], ends[:-1] + 1))
    each = columnar.find_flat(np.frombuffer(text, np.uint8), starts, ends)
    results: list[tuple[str, int, int, str, Rules | None] | None] = []
    for height, width, start, size, id, id_length, rules in zip(*each, strict=True):
        cells = text[start : start + size].decode()
        name = text[id : id + id_length].decode()
        results.append((name, height, width, cells, RULES[rules]) if height else None)
    return results


def expected(line: bytes) -> tuple[str, int, int, str, Rules] | None:
    """What the complete parser finds, with classic rules unless others are stated."""
    entry = records.read_line(sources.text_line(1, line, "x"), "x", CLASSIC)
    if entry.puzzle is None or entry.puzzle.signs:
        return None
    board = entry.puzzle.board
    return entry.id or "", board.height, board.width, board.cells, entry.puzzle.rules


def assert_agrees(line: bytes) -> bool:
    """Check one line; whether it was accepted."""
    [result] = found([line])
    if result is None:
        return False
    *fields, rules = result
    assert (*fields, rules or CLASSIC) == expected(line), line
    return True


@pytest.mark.parametrize(("text", "rules"), [
    ("{%s}", None),
    ('\t{ "id" : "a b" ,\t%s } ', None),
    ('{"id":"",%s}\r', None),
    ('{"id":17,%s}', None),
    ('{"id":null,"signs":[ ],"rules":null,"distinct_lines":null,%s}', None),
    ('{%s,"distinct_lines":false}', UNRULY),
    ('{"rules":"tango","distinct_lines":true,%s}', TANGO),
    ('{"distinct_lines":true,"rules":"plus",%s}', PLUS),
    ('{"schema_version":1,"seconds":1.5e-06,"count":-0,"complete":true,"line":12,%s}', None),
])  # fmt: skip
def test_flat_records_are_found(text: str, rules: Rules | None) -> None:
    """Otherwise they would be slow."""
    line = (text % PUZZLE).encode()
    assert assert_agrees(line)
    [result] = found([line])
    assert result
    assert result[-1] == rules


@pytest.mark.parametrize("text", [
    "",
    "{}",
    "{%s",
    "{%s}}",
    "{%s,}",
    "{,%s}",
    "[%s]",
    "{%s} x",
    '{%s,"height":2}',
    '{%s,"id":"\\u0041"}',
    '{%s,"id":" a"}',
    '{%s,"id":"é"}',
    '{%s,"id":-1}',
    '{%s,"id":01}',
    '{%s,"id":1234567890123456789}',
    '{%s,"id":1.0}',
    '{%s,"id":true}',
    '{%s,"rules":"hard"}',
    '{%s,"rules":true}',
    '{%s,"rules":{"odd":"ones"}}',
    '{%s,"distinct_lines":1}',
    '{%s,"signs":null}',
    '{%s,"signs":[[0,0,"R","="]]}',
    '{%s,"x":nul}',
    '{%s,"x":+1}',
    '{%s,"x":.5}',
    '{%s,"x":1.}',
    '{%s,"x":1e999}',
    '{%s,"x":"\x7f"}',
    '{"height":2,"width":2}',
    '{"height":2,"width":2,"clues":"01.x"}',
    '{"height":2,"width":2,"clues":"01.-"}',
    '{"height":2,"width":2,"clues":"01."}',
    '{"height":0,"width":2,"clues":""}',
    '{"height":-2,"width":-2,"clues":"01.."}',
    '{"height":true,"width":4,"clues":"01.."}',
    '{"height":2.0,"width":2,"clues":"01.."}',
    '{"height":1000,"width":2,"clues":"01.."}',
    '{"height":"2","width":2,"clues":"01.."}',
])  # fmt: skip
def test_other_records_are_left(text: str) -> None:
    line = (text.replace("%s", PUZZLE)).encode()
    assert found([line, b"{%s}" % PUZZLE.encode(), line])[::2] == [None, None]


def test_a_line_that_is_too_long_is_left() -> None:
    fits = f'{{{PUZZLE},"x":"{"y" * (sources.MAX_LINE_BYTES - len(PUZZLE) - 9)}"}}'.encode()
    assert len(fits) == sources.MAX_LINE_BYTES
    for lines in ([fits, fits + b" ", fits + b"\r"], [fits, fits + b"\r", fits + b" "]):
        assert [each is None for each in found(lines)] == [False, True, True]


VALUES: dict[str, list[Any]] = {
    "height": [2, 2, 2, 1, 4, 0, True, None, "2", 2.0, 256],
    "width": [2, 2, 2, 1, 4, 0, True, None, "2", 2.0, 256],
    "clues": ["01..", "....", "01..", "01.", "01.-", "", 4, None],
    "id": ["a", "", 0, 17, None, 1.5, "é", [1], " b", '"c\\', -1, "null", "1"],
    "rules": ["classic", "unruly", "tango", "plus", "hard", None, {}, {"odd": "ones"}, 1],
    "distinct_lines": [True, False, None, 1, "true"],
    "signs": [[], [], None, [[0, 0, "R", "="]], "x"],
    "verdict": ["unique", None, 1e-7, -12.25, 10**20, True, [], {}, [[]]],
}
BYTES = b'{}[]",:\\ \t\r01.-+eEnulltrefasx\x00\x7f\xc3\xa9'


@given(st.integers(0, 1 << 60))
@examples(5)
def test_records_and_damaged_ones(seed: int) -> None:
    chance = random.Random(seed)
    keys = [key for key in VALUES if chance.random() < (0.95 if key in PUZZLE else 0.5)]
    chance.shuffle(keys)
    pairs = [(key, chance.choice(VALUES[key])) for key in keys]
    separators = chance.choice([(",", ":"), (", ", ": "), (" ,\t", "  :")])
    fields = separators[0].join(
        f"{json.dumps(key)}{separators[1]}{json.dumps(value, separators=separators)}"
        for key, value in pairs
    )
    line = bytearray(f"{{{fields}}}".encode())
    for _ in range(chance.choice([0, 0, 1, 1, 2])):
        place = chance.randrange(len(line) + 1)
        removed = chance.choice([0, 1, 1, 3])
        line[place : place + removed] = bytes(chance.choices(BYTES, k=chance.choice([0, 1, 1])))
    if b"\n" not in line:
        assert_agrees(bytes(line))


@given(st.integers(0, 1 << 60))
@examples(5)
def test_a_record_like_the_last_one_is_read_as_it_is_alone(seed: int) -> None:
    chance = random.Random(seed)
    id = chance.choice(["17", '"ab"', '"a longer name, of a puzzle"', "null", '""'])
    fields = ['"height":5', '"width":4', f'"clues":"{"".join(chance.choices("01.", k=20))}"']
    fields += [f'"id":{id}', '"rules":"unruly"'][: chance.randint(0, 2)]
    chance.shuffle(fields)
    lines = [f"{{{','.join(fields)}}}".encode() + chance.choice([b"", b"\r"])]
    for _ in range(4):
        line = bytearray(lines[-1])
        for _ in range(chance.choice([0, 1, 1, 2, 20])):
            place = chance.randrange(len(line))
            others = b"01." if line[place] in b"01." else b"23456789abc" + BYTES
            line[place] = chance.choice(others)
        lines.append(bytes(line).replace(b"\n", b" "))
    assert found(lines) == [found([line])[0] for line in lines]
    for line in lines:
        assert_agrees(line)


def test_the_records_that_this_project_writes_are_found() -> None:
    for rules in (CLASSIC, UNRULY, TANGO):
        puzzle = Puzzle(Board.empty(2, 2), rules)
        [text] = formats.write([Entry(puzzle, id="x")], "ndjson")
        result = json.dumps({**json.loads(text), "solution": "0110", "count": 1, "seconds": 1e-6})
        for line in (text.strip(), result):
            assert assert_agrees(line.encode())


FREE: dict[str, list[Any]] = {
    "height": [2, 2, 2, 2, 4, 1, 0, -2, None, "2", True],
    "width": [2, 2, 2, 2, 1, 4, 0, -2, None, "2", True],
    "puzzle": [
        "01..", "....", "0..1", ".1.0", "1...", "01.", "0011", "01\n..", "01._", [0, 1], None,
    ],
    "solution": ["0110", "1001", "0110", "1001", "01", "01.0", "", ["01", "10"], None, 1],
    "id": ["a", "", 0, None, " b", "é", True],
    "rules": ["classic", "unruly", "tango", "hard", None, {"odd": "ones"}],
    "signs": [[], [], None, [[0, 0, "R", "x"]], "r1c1=r1c2"],
    "answer": ["0110", None],
    "grid": ["01..", None],
    "name": ["n", None],
    "Height": [2],
    "verdict": ["unique"],
    "steps": [[[k] for k in range(200)], [[[[]]]]],
}  # fmt: skip
RARE = ("answer", "grid", "name", "Height", "verdict")


@given(st.integers(0, 1 << 60))
@examples(5)
def test_records_of_others_and_their_solutions(seed: int) -> None:
    """What is found in arrays is what the complete parser finds; wrong solutions are left to it."""
    chance = random.Random(seed)
    lines = []
    for _ in range(8):
        keys = [key for key in FREE if chance.random() < (0.1 if key in RARE else 0.8)]
        lines.append(json.dumps({key: chance.choice(FREE[key]) for key in keys}))
    data = "".join(f"{line}\n" for line in lines).encode()
    [block] = formats.FORMATS["ndjson"].blocks(sources.text_source("x", data), None, lambda: 100)
    entries = list(block)
    for group in columnar.plain(block, 64):
        for row, line in enumerate(group.lines.tolist()):
            entry = entries[line]
            assert entry.puzzle, lines[line]
            assert entry.puzzle.board.cells == group.clues[row].tobytes().decode()
            assert entry.puzzle.board.height == group.clues.shape[1]
            assert entry.puzzle.rules == group.rules
            assert [tuple(each) for each in entry.puzzle.signs] == [
                *(group.signs or [()] * 99)[row]
            ]
            assert entry.id == (group.ids.tolist()[row].decode() or str(line + 1))


@pytest.mark.parametrize("solution", ["", "0110", "1001", "0101"])
def test_rows_of_a_dataset_are_found_unless_their_solution_is_wrong(solution: str) -> None:
    record = {
        "id": "a",
        "puzzle": "01..",
        "solution": solution,
        "height": 2,
        "width": 2,
        "signs": [],
    }
    line = json.dumps(record | {"steps": [{"technique": "pair", "cells": [1]}] * 200}) + "\n"
    [block] = formats.FORMATS["ndjson"].blocks(
        sources.text_source("x", line.encode()), None, lambda: 100
    )
    found = sum(len(each.lines) for each in columnar.plain(block, 64))
    assert found == (solution in ("", "0110"))


_plain = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text()
_values = st.recursive(_plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@examples(1)
@given(_values)
def test_the_same_texts_are_written(value: Any) -> None:
    for option in (0, orjson.OPT_SORT_KEYS):
        theirs = orjson.dumps(value, option=option)
        ours = _StandardLibrary.dumps(value, option=option and _StandardLibrary.OPT_SORT_KEYS)
        assert orjson.loads(ours) == orjson.loads(theirs)
        assert _StandardLibrary.loads(theirs) == orjson.loads(theirs)
        assert len(ours.splitlines()) == len(theirs.splitlines())


@examples(1)
@given(_values.map(json.dumps), st.data())
def test_the_same_texts_are_read(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    broken = text[:place] + data.draw(st.sampled_from(["", '"', "\\ud800", "9" * 400, "NaN", ","]))
    for given_text in (text, broken + text[place:], broken):
        try:
            theirs = orjson.loads(given_text)
        except orjson.JSONDecodeError:
            with pytest.raises(json.JSONDecodeError):
                _StandardLibrary.loads(given_text)
        else:
            assert _StandardLibrary.loads(given_text.encode()) == theirs


@pytest.mark.parametrize("text", [b"\xff", b"[" * 100_000, b"", b"1e400", b'"\\ud800"'])
def test_what_orjson_refuses_is_refused(text: bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(text)
    with pytest.raises(json.JSONDecodeError):
        _StandardLibrary.loads(text)


def test_other_types_are_left_to_the_caller() -> None:
    assert _StandardLibrary.dumps({"a": {1}}, default=list) == orjson.dumps({"a": {1}}, list)
    with pytest.raises(TypeError, match="set"):
        _StandardLibrary.dumps({1})


strings = st.lists(st.binary(max_size=20), max_size=10)


@given(strings, st.randoms(use_true_random=False))
def test_slices_are_taken_hidden_and_joined(values: list[bytes], chance: object) -> None:
    order = list(range(len(values)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    slices = Slices.of(values)
    taken = slices.take(np.array(order, np.int64))
    assert slices.tolist() == values
    assert taken.tolist() == [values[k] for k in order]
    flags = np.array([k % 2 == 0 for k in order], np.bool_)
    hidden = [value if k % 2 == 0 else b"" for k, value in zip(order, values, strict=True)]
    assert slices.only(flags).tolist() == hidden
    expected = [values[k] + value for k, value in zip(order, hidden, strict=True)]
    assert joined([taken, slices.only(flags)]).tolist() == expected


@given(st.lists(st.integers(0, 10**18), max_size=10))
def test_numbers_as_digits(numbers: list[int]) -> None:
    found = decimals(np.array(numbers, np.int64)).tolist()
    assert found == [str(number).encode() for number in numbers]


@given(st.text("01.", max_size=40), st.integers(1, 20), st.data())
def test_equal_lines_of_cells_are_copied(cells: str, number: int, data: st.DataObject) -> None:
    text = bytearray(f"{cells}\n".encode() * number)
    boards = np.zeros((number, len(cells)), np.uint8)
    assert copy_lines(text, boards.data) is True
    assert boards.tobytes() == cells.encode() * number
    place = data.draw(st.integers(0, len(text) - 1))
    old, text[place] = text[place], data.draw(st.integers(0, 255))
    is_same_kind = (old in b"01.") == (text[place] in b"01.")
    assert copy_lines(text, boards.data) is (text[place] in b"01.\n" and is_same_kind)


@given(st.binary(max_size=20), st.integers(1, 40))
def test_lines_are_counted(text: bytes, times: int) -> None:
    assert count_lines(text * times) == times * text.count(b"\n")
