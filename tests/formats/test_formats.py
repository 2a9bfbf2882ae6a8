import base64
import gzip
import io
import json
import os
import zlib
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import CLASSIC, PLUS, UNRULY, Board, Puzzle, Rules, Sign, formats
from binairo_cp.errors import ArgumentError, FormatError, LimitError, SourceError
from binairo_cp.formats import Entry, sources
from tests.puzzle.test_board import PARSED_BOARDS
from tests.support.strategies import any_boards, puzzles


def entries(path: Path, text: str | bytes, format: str = "auto", name: str = "x") -> list[Entry]:
    file = path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(formats.read_sources([str(file)], format))


def only_puzzle(found: list[Entry]) -> Puzzle:
    (entry,) = found
    assert entry.error is None, entry.error
    assert entry.puzzle
    return entry.puzzle


A = Puzzle(Board.parse("01 .0"))
SIGNED = Puzzle(Board.parse("01 .."), PLUS, (Sign(0, 0, "R", "x"), Sign(0, 1, "D", "=")))
FAR = Puzzle(Board.empty(12, 12), PLUS, (Sign(9, 10, "D", "="), Sign(11, 0, "R", "x")))
ODD = Puzzle(Board.parse("0.1 ... ..."), Rules(distinct_lines=False, odd="ones", longest_run=3))

READ = [
    ("text", "01\n.0", A),
    ("text", "01\n.0\n", A),
    ("text", "\ufeff01\r\n.0\r\n", A),
    ("text", "\n\n  # title\n 0 1 \n\t_\t0 # the end\n\n\n", A),
    ("text", "01\n-0", A),
    ("text", "0 1\n? 0", A),
    ("text", "rules: classic\n01\n.0", A),
    ("text", "ID: x\nsigns: r1c1xr1c2, R1C2=r2c2\n01\n..", SIGNED),
    ("text", "rules: plus\nsigns: r1c2=r2c2\nsigns: r1c1Xr1c2\n01\n..", SIGNED),
    ("text", "rules: unruly longest_run=3, odd=ones\n0.1\n...\n...", ODD),
    ("text", "rules: distinct_lines=no longest_run=3 odd=ones balanced=yes\n0.1\n...\n...", ODD),
    ("text", "signs: r10c11=r11c11 R12C1XR12C2\n" + ("." * 12 + "\n") * 12, FAR),
    ("line", "01.0", A),
    ("line", "# one\n\n 2x2:01_0 its name\n", A),
    ("line", "01?0\r\n", A),
    ("line", "3x1:01.", Puzzle(Board(3, 1, "01."))),
    ("line", "2x2:01 .0 name", A),
    ("text", "01 .0", A),
    ("text", "0 1 . 0", A),
    ("text", "01.0", A),
    ("text", "id: x\n2x2:01.0", A),
    ("text", "2x2:\n01\n.0", A),
    ("text", "1x4:01.1", Puzzle(Board(1, 4, "01.1"))),
    ("text", "." * 256, Puzzle(Board.empty(16, 16))),
    ("csv", "0\t1\r\n\t0\r\n", A),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0"}\n\n', A),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","rules":"classic","other":[1]}', A),
    ("ndjson", '{"height":2,"width":2,"clues":"01..","signs":[[0,1,"D","="],[0,0,"R","x"]]}', SIGNED),
    ("ndjson", '{"id":7,"height":3,"width":3,"clues":"0.1......","rules":{"distinct_lines":false,"odd":"ones","longest_run":3}}', ODD),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","distinct_lines":true}', A),
    ("ndjson", '{"height":2,"width":2,"clues":"0110","rules":{"odd":"ones"}}', Puzzle(Board(2, 2, "0110"), Rules(odd="ones"))),
    ("json", '{"height":2,"width":2,\n"clues":"01.0"}', A),
    ("json", '[{"height":2,"width":2,"clues":"01.0"}]', A),
    ("json", '{"puzzles":[{"height":2,"width":2,"clues":"01.0"}]}', A),
]  # fmt: skip


@pytest.mark.parametrize(("format", "text", "puzzle"), READ)
def test_each_format_reads(tmp_path: Path, format: str, text: str, puzzle: Puzzle) -> None:
    assert only_puzzle(entries(tmp_path, text, format)) == puzzle
    assert only_puzzle(entries(tmp_path, gzip.compress(text.encode()), format)) == puzzle


# format, text, line, column, message, expected
BAD = [
    ("text", "01\n.x", 2, 2, "'x' is not a cell", "cells of '0' and '1'"),
    ("text", "01\n0 ١", 2, 3, "'١' is not a cell", "cells of '0' and '1'"),
    ("text", "01\n0\x000", 2, 2, "a NUL character", "lines of UTF-8 text"),
    ("text", b"01\n0\xff", 2, 2, "byte 0xff is not UTF-8", "lines of UTF-8 text"),
    ("text", ("." * 256 + "\n") * 2, 2, None, "more than 255 cells a side", "a blank line"),
    ("text", "." * 257, 1, None, "257 cells do not make a square; expected one row per line, or the size before", ""),
    ("text", "01 10 01 10 01 10 01 10", 1, None, "16 cells in groups of 2 could be 8x2 or 4x4", ""),
    ("text", "2x3:01.\n.11\n...", 1, None, "the rows make a board of 3x3, not 2x3 as stated", ""),
    ("text", "1x4:", 1, None, "a header without a grid", ""),
    ("text", "1\t\t1\n", 1, 3, "a row has tabs without a cell between them", "or the csv format"),
    ("line", "01.. 0110 x", 1, 1, "'01.. 0110 x' could be a board of 2x2 and a name or a board of 2x4", "2x4:"),
    ("csv", "0\t1\t\n1\t0\t\n", 1, None, "empty fields that may be open cells or extra tabs", "tabs only between cells"),
    ("csv", "0\t.\n1\t\n", 2, None, "empty fields that may be open cells or extra tabs", "'.' for each open cell"),
    ("csv", "0" * 200_000, 1, None, "field larger than field limit", "a cell in each field"),
    ("text", ".\n" * 256, 256, None, "more than 255 cells a side", "a blank line"),
    ("text", "rules: odd=both\n01\n01", 1, 8, "'odd=both' is not a rule", "one of classic"),
    ("text", "rules: longest_run=9999\n01\n01", 1, 8, "'longest_run=9999' is not a rule", ""),
    ("text", "rules: longest_run=0\n01\n01", 1, None, "longest_run is 0; expected a number from 1 to 255", ""),
    ("text", "rules: classic unruly\n01\n01", 1, 16, "'unruly' is not a rule", "one of classic"),
    ("text", "signs: r1c1=r2c2\n01\n01", 1, 8, "'r1c1=r2c2' is not a sign", "right or lower"),
    ("text", "signs: r1c1=r1c2 x\n01\n01", 1, 18, "'x' is not a sign", "right or lower"),
    ("text", "signs: r1c2=r1c3\n01\n01", 1, None, "leaves the 2x2 board", ""),
    ("text", "signs: r1c1=r1c2 r1c1xr1c2\n01\n01", 1, None, "can't be both", ""),
    ("text", "id:\n01\n01", 1, 4, "an empty id", "a name"),
    ("text", "id: lonely", 1, None, "a header without a grid", "cells"),
    ("text", "rules: unruly\nrules: odd=ones\n01\n10", 2, 1, "a second header 'rules'", "one of each"),
    ("text", "rules: odd=ones odd=zeros\n01\n10", 1, 17, "'odd=zeros' is not a rule", ""),
    ("text", "01\r10\n", 1, 3, "a carriage return in a line", "lines of UTF-8 text"),
    ("text", "01\x0b10", 1, 3, "'\\x0b' is not a cell", "cells"),
    ("text", "01\u202810", 1, 3, "'\\u2028' is not a cell", "cells"),
    ("text", "01\n 0 1 0", 2, 6, "a row of length 3 after rows of 2", "2 cells"),
    ("text", "0 1 0\n0 1", 2, 3, "a row of length 2 after rows of 3", "3 cells"),
    ("text", "2x2:01\n0x", 2, 2, "'x' is not a cell", "cells of '0' and '1'"),
    ("text", "2x2:0x\n01", 1, 6, "'x' is not a cell", "cells of '0' and '1'"),
    ("text", "01\n0\t\t1", 2, 3, "a row has tabs without a cell between them", "or the csv format"),
    ("text", "  rule: x\n01\n01", 1, 3, "'rule' is not a header", "one of id:, rules:, signs:"),
    ("text", "01\n  id: late\n01", 2, 3, "the header 'id' below the first row", "above the grid"),
    ("text", "id: a\n ID: b\n01\n10", 2, 2, "a second header 'id'", "one of each"),
    ("text", "rules: balanced=true\n01\n10", 1, 8, "'balanced=true' is not a rule", "balanced=yes longest_run=2 distinct_lines=yes odd=either"),
    ("text", "signs: r1c1=r1c1\n01\n10", 1, 8, "'r1c1=r1c1' is not a sign", "right or lower"),
    ("text", "signs: r0c1=r1c1\n01\n10", 1, None, "", ""),
    ("ndjson", '{"height":0,"width":2,"clues":""}', 1, None, "height: expected 1 or more", ""),
    ("ndjson", '{"height":256,"width":1,"clues":"0"}', 1, None, "height: expected 255 or less", ""),
    ("ndjson", '{"height":1,"width":1,"clues":"' + "." * 65_026 + '"}', 1, None, "clues: expected at most 65,025 characters", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","signs":[[-1,0,"R","="]]}', 1, None, "signs.0.0: expected 0 or more", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","signs":[[255,0,"R","="]]}', 1, None, "signs.0.0: expected less than 255", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","rules":{"longest_run":0}}', 1, None, "rules.longest_run: expected 1 or more", ""),
    ("csv", "\t0\t1\n\t1\t0\n", 1, None, "empty fields that may be open cells or extra tabs", "tabs only between cells"),
    ("csv", "0,\n" * 256, 1, None, "height 256 is out of range", ""),
    ("csv", "0,1\n1,2\n", 2, None, "'2', field 2, is not a cell", "0, 1, or nothing"),
    ("line", "01.", 1, 1, "3 cells do not make a square", "1x3:"),
    ("line", "\n  01x0", 2, 5, "'x' is not a cell", "cells of '0' and '1'"),
    ("line", "2x3:0101", 1, 1, "a board of 2x3 has 6 cells, not 4", "HEIGHTxWIDTH:"),
    ("line", "0x3:", 1, 1, "height 0 is out of range", "HEIGHTxWIDTH:"),
    ("line", "1x256:" + "." * 256, 1, 1, "width 256 is out of range", "HEIGHTxWIDTH:"),
    ("line", "2x:0101", 1, 1, "'2' is not a cell", "HEIGHTxWIDTH:"),
    ("ndjson", "{", 1, 1, "invalid JSON: the text ends within an object", "a record"),
    ("ndjson", '{"height":2,}', 1, 13, "invalid JSON: trailing comma", "a record"),
    ("ndjson", '{"height":2,"width":2,"clues":"0"} x', 1, 36, "invalid JSON: trailing characters", "a record"),
    ("ndjson", "[]", 1, None, "'[]' is not a board", "a record"),
    ("ndjson", '{"height":2,"width":2}', 1, None, "clues: is missing", "a record"),
    ("ndjson", '{"height":2,"width":2,"clues":"01x0"}', 1, None, "cell r2c1 is 'x'", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01"}', 1, None, "a board of 2x2 has 4 cells, not 2", ""),
    ("ndjson", '{"height":"2","width":2,"clues":"01.0"}', 1, None, "height: expected a whole number", ""),
    ("ndjson", '{"height":1e400,"width":2,"clues":"01.0"}', 1, None, "height: ", ""),
    ("ndjson", '{"height":NaN,"width":2,"clues":"01.0"}', 1, None, "", ""),
    ("ndjson", '{"height":99999999999999999999999,"width":2,"clues":"0"}', 1, None, "height: ", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","rules":"hard"}', 1, None, "rules: expected 'classic', ", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","rules":{"distinct":1}}', 1, None, "rules.distinct: there is no such field", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","signs":[[0,0,"L","="]]}', 1, None, "signs.0.2", ""),
    ("ndjson", '{"height":2,"width":2,"clues":"01.0","signs":[[1,1,"R","="]]}', 1, None, "leaves the 2x2", ""),
    ("ndjson", '{"id":"\\ud800","height":2,"width":2,"clues":"01.0"}', 1, 14, "invalid JSON: ", "a record"),
    ("ndjson", "[" * 100_000, 1, None, "", ""),
    ("json", '[{"height":2,\n"width":}]', 2, 9, "invalid JSON: expected value", "a record"),
    ("json", "[" * 100_000, 1, None, "invalid JSON: recursion limit exceeded", ""),
    ("json", "7", None, None, "the document contains no records", "a list of records"),
    ("json", '{"puzzles":7}', None, None, "the document contains no records", "under 'puzzles'"),
    ("json", "[7]", 1, None, "a list of length 1", "a list of rows, or a size"),
    ("json", b'["\xff"]', 1, None, "invalid JSON: invalid unicode", ""),
]  # fmt: skip


@pytest.mark.parametrize(("format", "text", "line", "column", "message", "expected"), BAD)
def test_errors_have_a_position_and_say_what_was_expected(
    tmp_path: Path,
    format: str,
    text: str | bytes,
    line: int | None,
    column: int | None,
    message: str,
    expected: str,
) -> None:
    (entry,) = entries(tmp_path, text, format)
    error = entry.error
    assert isinstance(error, FormatError)
    assert message in error.message
    assert expected in error.expected
    assert error.line == line
    if column is not None:
        assert error.column == column
    assert str(tmp_path / "x") in str(error)


@pytest.mark.parametrize(("format", "good", "bad", "gap"), [
    ("text", "01\n10", "0x\n10\n111", "\n\n"),
    ("line", "0110", "011", "\n"),
    ("ndjson", '{"height":2,"width":2,"clues":"0110"}', '{"height":2', "\n"),
])  # fmt: skip
def test_reading_continues_after_an_error(
    tmp_path: Path, format: str, good: str, bad: str, gap: str
) -> None:
    found = entries(tmp_path, gap.join([good, bad, good, bad, good]), format)
    assert [entry.error is None for entry in found] == [True, False, True, False, True]
    assert [entry.id for entry in found] == ["1", "2", "3", "4", "5"]


SYMBOLS = [
    ("X.O.\n....\n.O..\n...X", "1.0......0.....1"),
    ("....\nx o . .\n....\n....", "....10.........."),
    ("id: x\nW.B.\n....\n....\n....", "0.1............."),
    ("🔴⬜⬜🔵\n⬜🔴⬜⬜\n⬜⬜⬜⬜\n⬜⬜⬜⬜", "1..0.1.........."),
    ("☀️🌙..\n....\n....\n.... # the end", "01.............."),
    ("X\t\tO\t\n\t\t\t\n\tX\t\t\n\t\t\tO", "1.0......1.....0"),
]


@pytest.mark.parametrize(("text", "cells"), SYMBOLS)
def test_other_symbols_are_read(text: str, cells: str) -> None:
    for several in (text, text + "\n\n" + text):
        found = list(formats.read_bytes(several.encode(), "x"))
        assert [entry.error for entry in found] == [None] * len(found)
        assert [entry.puzzle.board.cells for entry in found if entry.puzzle] == [cells] * len(found)


@pytest.mark.parametrize(("text", "message"), [
    ("⬛⬜🔴\n...\n...", "the symbols .⬛⬜🔴 in one board: it is not clear which are equal"),
    ("X0..\n....\n....\n....", "the symbols .0X in one board: it is not clear"),
    ("X...\n0...\n....\n....", "the symbols .0X in one board: it is not clear"),
    ("XO..\n...\n....\n....", "x:2: a row of length 3; expected 4"),
    ("XO..\n..z.\n....\n....", "x:2:3: 'z' is not a cell"),
    ("-1 1 . .\n. nul -1 1\n. . . .\n. . . .", "x:2:3: 'nul' is not a cell"),
    ("XO\n" * 700, "a puzzle of more than 574 lines"),
])  # fmt: skip
def test_unclear_symbols_are_refused(text: str, message: str) -> None:
    found = list(formats.read_bytes(text.encode(), "x"))
    assert message in str(found[0].error)


plain = st.builds(Puzzle, any_boards)
even = any_boards.map(lambda b: Board.from_rows([row * 2 for row in b.rows] * 2))
HOLDS = {
    "line": plain,
    "csv": plain,
    "penpa": plain,
    "task": plain.filter(lambda puzzle: not puzzle.board.is_full),
    "janko": st.builds(Puzzle, any_boards, st.just(UNRULY)),
    "unruly": st.builds(Puzzle, even, st.sampled_from([CLASSIC, UNRULY])),
}
names = st.text("abcz09-_,. é", min_size=1, max_size=12).filter(lambda name: name.strip() == name)


@pytest.mark.parametrize("format", formats.FORMATS)
@given(data=st.data())
def test_written_puzzles_are_read_back(format: str, data: st.DataObject) -> None:
    puzzle = HOLDS.get(format, puzzles())
    made = data.draw(st.lists(st.builds(Entry, puzzle=puzzle, id=names), min_size=1, max_size=4))
    text = "".join(formats.write(made, format))
    assert_read_back(text, format, made)


@pytest.mark.parametrize("format", formats.FORMATS)
@given(length=st.integers(1, 40), upright=st.booleans(), data=st.data())
def test_a_single_row_or_column_is_read_back(
    format: str, length: int, upright: bool, data: st.DataObject
) -> None:
    cells = data.draw(st.text("01.", min_size=length, max_size=length))
    board = Board(length, 1, cells) if upright else Board(1, length, cells)
    rules = UNRULY if format in ("janko", "unruly") else CLASSIC
    name = data.draw(names | st.text("01.-", min_size=length, max_size=length))
    made = [Entry(Puzzle(board, rules), id=name)]
    try:
        text = "".join(formats.write(made, format))
    except FormatError:
        # A name in the line format must not look like a solution.
        assert format in ("unruly", "task") or (format == "line" and len(name) == length)
        return
    assert_read_back(text, format, made)


def assert_read_back(text: str, format: str, made: list[Entry]) -> None:
    source = sources.Source("x", io.BytesIO(text.encode()), lambda: 0)
    found = list(chain.from_iterable(formats.FORMATS[format].blocks(source, None, lambda: 2)))
    assert [entry.error for entry in found] == [None] * len(made)
    assert [(entry.puzzle, entry.id) for entry in found] == [(e.puzzle, e.id) for e in made]
    # Cells, codes or an id may look like another format's.
    if format not in ("line", "task", "unruly", "penpa", "csv", "symbols"):
        assert formats.sniff(sources.Source("x", io.BytesIO(text.encode()), lambda: 0)) == format


CODES = [
    ("task", "b10e0a11c0d11b0c10e", (6, 6), "..10.....0.11...0....11..0...10.....", CLASSIC),
    ("task", "2x3:a1d", (2, 3), ".1....", CLASSIC),
    ("task", "zz0zl", (), None, None),
    ("unruly", "6x6u:CafBAdEAcDaf", (6, 6), "..10.....0.11...0....11..0...10.....", CLASSIC),
    ("unruly", "4x2dt:Ah", (2, 4), "1.......", UNRULY),
    ("unruly", "2:Abb", (2, 2), "1.0.", UNRULY),
    ("unruly", "6x6:zl", (6, 6), "." * 36, UNRULY),
    ("unruly", "6x6:Zl", (6, 6), "." * 36, UNRULY),
]


@pytest.mark.parametrize(("format", "code", "size", "cells", "rules"), CODES)
def test_codes_of_other_programs(
    tmp_path: Path,
    format: str,
    code: str,
    size: tuple[int, int],
    cells: str | None,
    rules: Rules | None,
) -> None:
    (found,) = entries(tmp_path, f"# a comment\n{code} my name\n", format)
    assert found.id == "my name"
    if cells is None:
        assert "do not make a square" in str(found.error)
    else:
        assert found.puzzle == Puzzle(Board(*size, cells), rules or CLASSIC)


# The grid of 4x3 cells in a margin of one cell above and two on the left: 5 + 4 places a row.
PENPA = {
    "head": "square,6,4,38,0,1,1,266,190,56,56,0,0,0,0,Title: zZ9%2C 1,Author: ,,rules,OFF,false",
    "margins": "[1,0,2,0]",
    "modes": "{}",
    "drawing": '{zU:{z_:[["x"]]},zS:{},zY:{"34":[1,"circle_M",1],"57":[2,"circle_M",2]},zL:{},z6:[]}',
    "answer": "{zR:{z_:zO},zS:{},zY:{}}",
    "cells": "[34,1,1,1,7,1,1,1,7,1,1,1]",
}
IN_ROWS = "0..........1"
STYLES = {34 + 10 * row + column: 1 + (row + column) % 2 for row in range(3) for column in range(4)}
FULL = "{zY:{" + ",".join(f'"{k}":[{style},"circle_M",1]' for k, style in STYLES.items()) + "}}"


def penpa(parts: dict[str, str], rest: str = "", *, mode: str = "edit") -> str:
    def code(text: str) -> str:
        return base64.b64encode(zlib.compress(text.encode())[2:-4]).decode()

    link = (
        f"https://swaroopg92.github.io/penpa-edit/#m={mode}&p={code(chr(10).join(parts.values()))}"
    )
    return link + (f"&a={code(rest)}" if rest else "")


def test_a_link_to_penpa_is_a_board_of_circles() -> None:
    key = json.dumps([[], [], [], [], [], [f"{k},{style}A" for k, style in STYLES.items()]])
    link = penpa(PENPA)
    to_solve = penpa(PENPA | {"answer": ""}, mode="solve")
    for form in (link, link.replace("/#", "/?").rstrip("="), to_solve):
        (found,) = formats.read_bytes(f"{form}\n".encode(), "x")
        assert (found.error, found.id) == (None, "z9, 1")
        assert found.puzzle == Puzzle(Board(3, 4, IN_ROWS))
    for link in (penpa(PENPA | {"answer": FULL}), penpa(PENPA, key, mode="solve")):
        (found,) = formats.read_bytes(link.encode(), "x", default_rules=Rules(distinct_lines=False))
        assert found.puzzle == Puzzle(Board(3, 4, IN_ROWS), UNRULY)


@pytest.mark.parametrize(("part", "old", "new", "message"), [
    ("head", "square", "sudoku", "the grid of Penpa+ is not square, or turned"),
    ("head", "38,0,1,1", "38,90,1,1", "the grid of Penpa+ is not square, or turned"),
    ("head", "56,0,0", "56,1,0", "the grid of Penpa+ is not square, or turned"),
    ("head", ",4,38", ",4000000000,38", "Penpa+ shows a grid of 3999999999x4"),
    ("head", ",4,38", ",four,38", "a damaged link to Penpa+"),
    ("margins", "[1", "[0", "Penpa+ shows a grid without some of its cells"),
    ("margins", "[1", "[-1", "Penpa+ shows a grid of 5x4"),
    ("margins", "[1,", "[", "a damaged link to Penpa+"),
    ("drawing", 'zS:{}', 'zS:{"45":1}', "Penpa+ shows 'surface' at r2c2"),
    ("drawing", 'zL:{}', 'zL:{"45,46":3}', "Penpa+ shows 'line' at r2c2"),
    ("drawing", 'z6:[]', 'z6:[[33,34]]', "Penpa+ shows 'killercages' beside r1c0"),
    ("drawing", 'zS:{}', 'zN:{"217":["=",1,"1"]}', "Penpa+ shows 'number' beside r3c4"),
    ("drawing", '34":[1,"circle_M', '34":[1,"circle_L', "Penpa+ shows the symbol circle_L__1 at r1c1; expected circle_M__1 and"),
    ("drawing", '34":[1', '34":[3', "Penpa+ shows the symbol circle_M__3 at r1c1"),
    ("drawing", '34"', '134"', "Penpa+ shows the symbol circle_M__1 beside r3c1"),
    ("drawing", '{"34":[1,', '{"34":[[1,0],', "Penpa+ shows the symbol circle_M__[1, 0] at r1c1"),
    ("drawing", 'zS:{}', 'zS:' + '[' * 9_999, "a damaged link to Penpa+"),
    ("answer", 'zY:{}', 'zY:{"44":[1,"circle_M",1]}', "the answer in Penpa+ has no circle at r1c2"),
    ("answer", PENPA["answer"], FULL.replace('34":[1', '34":[2'), "r1c1 is 1, the clue 0"),
    ("answer", 'zY:{}', 'zC:{"44":1}', "Penpa+ shows 'cage' at r2c1"),
    ("cells", "34,1,1", "34,1", "Penpa+ shows a grid without some of its cells"),
    ("cells", "]", "]" + "\n" * 9 + '{zY:{"44":"#f00"}}', "Penpa+ shows 'symbol' at r2c1"),
    ("modes", "{}", "0" * (1 << 20), "a link with a text of more than 1,048,576 bytes"),
])  # fmt: skip
def test_what_is_no_board_in_a_link_to_penpa_is_named(part: str, old: str, new: str, message: str):
    (found,) = formats.read_bytes(
        penpa(PENPA | {part: PENPA[part].replace(old, new)}).encode(), "x"
    )
    assert message in str(found.error)


def test_a_damaged_link_to_penpa_is_refused() -> None:
    link = penpa(PENPA)
    without = link.split("&p=")[0] + "&p="
    for text in (link[:-9], link[:99], f"{link}!", without, f"{link}&a=AA", penpa({"x": "x"})):
        (found,) = formats.read_bytes(text.encode(), "x")
        assert "a damaged link to Penpa+" in str(found.error)
    for text in ("01..", "https://example.org/#m=edit"):
        (found,) = formats.read_bytes(text.encode(), "x", "penpa")
        assert "not a link to Penpa+" in str(found.error)


@pytest.mark.parametrize(("format", "text", "message"), [
    ("task", "b10X0", "1:4: 'X' is not part of a task; expected digits 0 and 1, and letters"),
    ("task", "  0110", "1:7: no letter; expected digits"),
    ("task", "abcd", "1:1: 10 cells do not make a square; expected HEIGHTxWIDTH: before it"),
    ("task", "0" + "z" * 4_000, "1:1: 104,001 cells; expected 65,025 at most"),
    ("task", "3x3:a", "1:1: a board of 3x3 has 9 cells, not 1"),
    ("task", "300x300:a", "1:1: height 300 is out of range"),
    ("unruly", "6x6u:CafBAdEAcDa", "1:16: the code ends before the last cell of a board of 6x6"),
    ("unruly", "6x6u:CafBAdEAcDaff", "1:17: the code goes beyond the last cell of a board of 6x6"),
    ("unruly", "6x6u:CafBAdEAcDah", "1:17: the last letter goes 3 beyond the last cell"),
    ("unruly", "   6x6u:CafBAdEAcDaff", "1:20: the code goes beyond the last cell"),
    ("unruly", "6x6de#4711", "1:1: a random seed, which only Unruly can read"),
    ("unruly", "6x6u", "1:1: not a game id; expected WIDTHxHEIGHT, u for distinct lines"),
    ("unruly", "0x0:a", "1:1: height 0 is out of range"),
    ("janko", "begin\nproblem\n1 -\n- 2\nend\n", "4: '2', field 2, is not a cell; expected 0, 1"),
    ("janko", "begin\nproblem\n1 -\n- 0 1\nend\n", "4: a row of length 3; expected 2, as in"),
    ("csv", "0,1\n1,01\n", "2: '01', field 2, is not a cell"),
    ("csv", "0,1\n1\n", "2: a row of length 1; expected 2"),
])  # fmt: skip
def test_errors_in_formats_of_other_programs(tmp_path: Path, format: str, text: str, message: str):
    (found,) = entries(tmp_path, text, format)
    assert message in str(found.error)


def test_tables_of_other_programs(tmp_path: Path) -> None:
    text = "begin\npuzzle Binairo\nauthor X\ntitle No 1\nsize 2\nproblem\n1 -\n- .\n\nsolution\n1 0\n0 1\nend\n"
    found = entries(tmp_path, text * 2, "janko")
    assert [(each.id, each.line) for each in found] == [("No 1", 7), ("No 1", 20)]
    assert found[0].puzzle == Puzzle(Board(2, 2, "1..."), UNRULY)
    (headless,) = entries(tmp_path, "title No 2\nproblem\n1 -\n- .\n", "janko")
    assert (headless.id, headless.puzzle) == ("No 2", found[0].puzzle)
    for mark in ",;":
        text = "# id: a\n1,,\n,0,\n\n \n0,1\n"
        one, two = entries(tmp_path, text.replace(",", mark), "csv")
        assert (one.id, one.puzzle) == ("a", Puzzle(Board(2, 3, "1...0.")))
        assert two.puzzle == Puzzle(Board(1, 2, "01"))


def test_formats_of_other_programs_refuse_what_they_can_not_express() -> None:
    for format in ("line", "task", "unruly", "penpa", "janko", "csv"):
        with pytest.raises(FormatError, match="can't hold signs"):
            list(formats.write([Entry(SIGNED)], format))
    with pytest.raises(FormatError, match="without open cells"):
        list(formats.write([Entry(Puzzle(Board(2, 2, "0110")))], "task"))
    with pytest.raises(FormatError, match="no grid of more than 100x100"):
        list(formats.write([Entry(Puzzle(Board.empty(1, 101)))], "penpa"))
    for odd in (Puzzle(Board.empty(3, 4)), Puzzle(Board.empty(4, 4), Rules(longest_run=3))):
        with pytest.raises(FormatError, match="Unruly needs balanced lines"):
            list(formats.write([Entry(odd)], "unruly"))


def test_formats_refuse_ids_that_they_can_not_express() -> None:
    for format in ("text", "line", "task", "unruly", "penpa", "janko", "csv"):
        # Text that no reader accepts is not written.
        for id in ("two\nlines", "two\rlines", "a\0b", " ", ""):
            with pytest.raises(FormatError, match="can't hold the id"):
                list(formats.write([Entry(Puzzle(Board.empty(2, 2)), id=id)], format))


@pytest.mark.parametrize(("text", "format"), [
    ("01\n.0", "text"),
    ("01..\n....\n....\n....", "text"),
    ("6x6u:CafBAdEAcDaf name", "unruly"),
    ("# x\n\n4x2dt:Ah", "unruly"),
    ("b10e0a11c0d11b0c10e", "task"),
    ("x0x1\n0xx1\n", "text"),
    (", " * 30_000 + "x", "text"),
    ("begin\npuzzle Binairo\n", "janko"),
    ("0,1,,\n", "text"),
    ("# id: x\n;;0;1\n", "text"),
    ("0.1. ..1.\n" * 8, "text"),
    ('{"puzzles":[{"height":2}]}', "json"),
    ("01....\n......", "text"),
    ("." * 16, "lines"),
    ("0..1 1..0 0110 1001", "text"),
    ("0..1 1..0 0110 1001\n" * 3, "text"),
    ("0.1. ..1. .... ....\n" * 16, "text"),
    ("0.1 ..1 ...\n" * 9, "text"),
    ("\t\t\n0\t\t1\n", "text"),
    ("\n0\t1\n1\t0\n", "text"),
    ("# id: x\n0\t1\n1\t0\n", "text"),
    ("id: x\n0\t1\n1\t0\n", "text"),
    (("." * 36 + "\n") * 3, "lines"),
    (("." * 16 + "\n") * 16, "text"),
    ((("." * 16 + "\n") * 16 + "\n") * 2, "text"),
    (("." * 16 + "\n") * 5, "lines"),
    ("# comment\n2x3:......", "lines"),
    (f"1 {'.' * 16}\n", "lines"),
    (f"{'.' * 16} {'01' * 8}\n", "lines"),
    ("id,puzzle\n", "columns"),
    ("SAVEFILE:41:Simon\n", "saved"),
    ("Puzzle 1\n....\n", "text"),
    ("1 ....\n", "text"),
    ("01.. name", "text"),
    ('{"height":2}', "ndjson"),
    ('{"height":2}\n{"height":2}\n', "ndjson"),
    ('\ufeff {\n"height":2}', "json"),
    ("[1]", "json"),
    ("", "text"),
])  # fmt: skip
def test_sniffing(text: str, format: str) -> None:
    assert formats.sniff(sources.Source("x", io.BytesIO(text.encode()), lambda: 0)) == format


def test_sniffing_by_name() -> None:
    for name, format in {"x.line": "line", "x.jsonl.gz": "ndjson", "x.ndjson": "ndjson"}.items():
        assert formats.sniff(sources.Source(name, io.BytesIO(b"01\n10"), lambda: 0)) == format


def test_board_and_formats_parse_text_alike() -> None:
    for text, board in PARSED_BOARDS:
        found = list(formats.read_bytes(text.encode(), "x", "text"))
        assert only_puzzle(found).board == Board(*board)
        # Without a stated format, the same board is read, or the text is refused.
        (entry,) = formats.read_bytes(text.encode(), "x")
        assert entry.puzzle is None or entry.puzzle.board == Board(*board)


def test_a_name_that_looks_like_cells(tmp_path: Path) -> None:
    (found,) = entries(tmp_path, "0..1 1..0 0110 1001 name")
    assert "could be a board of 2x2 and a name or a board of 4x4" in str(found.error)
    (found,) = entries(tmp_path, "4x4:0..1 1..0 0110 1001 name")
    assert (found.puzzle, found.id) == (Puzzle(Board(4, 4, "0..11..001101001")), "name")
    # Numbers are names unless they are as long as the board.
    (found,) = entries(tmp_path, "0..1" * 4 + " 10")
    assert (found.puzzle, found.id) == (Puzzle(Board(4, 4, "0..1" * 4)), "10")


def test_cells_copied_from_a_spreadsheet(tmp_path: Path) -> None:
    sheet = "\t\t1\t\n\t\t\t\n1\t\t\t0\n\t\t\t\n"
    one, two = entries(tmp_path, f"{sheet}\n# id: b\n0\t\n\t\n", name="x.txt")
    assert one.puzzle == Puzzle(Board(4, 4, "..1.....1..0...."))
    assert (two.id, two.puzzle) == ("b", Puzzle(Board(2, 2, "0...")))
    # Tabs that an editor or a form stripped are not restored.
    (cut,) = entries(tmp_path, sheet.strip())
    assert "a row has tabs without a cell between them" in str(cut.error)


def test_sources_are_names_or_paths(tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    file.write_text("01\n.0\n")
    for names in (str(file), file, [file], [str(file)], iter([file])):
        assert only_puzzle(list(formats.read_sources(names))) == A
    for names in (None, 7, [7], [b"x"]):
        with pytest.raises(ArgumentError, match="names: expected a str"):
            formats.read_sources(names)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="no format 'txt'; expected one of text, line"):
        formats.read_sources(file, "txt")


def test_stated_rules_override_default_rules(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("01\n10\n\nrules: classic\n01\n10\n")
    found = formats.read_sources([str(tmp_path / "x")], default_rules=UNRULY)
    assert [entry.puzzle and entry.puzzle.rules for entry in found] == [UNRULY, CLASSIC]


def test_sources_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.line", "c.md", "d/e.ndjson", "d/f.txt.gz"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        text = {"a.line": "0110", "e.ndjson": '{"height":2,"width":2,"clues":"0110"}'}
        data = text.get(file.name, "01\n10\n").encode()
        file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    found = [entry.source for entry in formats.read_sources([str(tmp_path)])]
    assert found == [
        str(tmp_path / name) for name in ("a.line", "b.txt", "d/e.ndjson", "d/f.txt.gz")
    ]
    found = [entry.source for entry in formats.read_sources([str(tmp_path / "[ab].*")])]
    assert found == [str(tmp_path / name) for name in ("a.line", "b.txt")]


def test_unreadable_sources(tmp_path: Path) -> None:
    (tmp_path / "good").write_text("01\n10")
    (tmp_path / "empty").write_text("")
    (tmp_path / "comment").write_text("# nothing\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"01\n10\n" * 1000)[:-9])
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8bnonsense")
    (tmp_path / "folder").mkdir()
    names = ["missing", "empty", "comment", "cut.gz", "bad.gz", "folder", "no*", "nul\0", "good"]
    found = list(formats.read_sources([str(tmp_path / name) for name in names]))
    messages = {
        Path(entry.source).name: entry.error.without_place
        for entry in found
        if isinstance(entry.error, SourceError)
    }
    assert messages.keys() == set(names) - {"good"}
    assert messages["missing"] == "can't be opened: No such file or directory"
    assert messages["empty"] == messages["comment"] == "contains no puzzle"
    assert "can't be read" in messages["cut.gz"]
    assert [e.error is None for e in found if e.source.endswith("cut.gz")][:1] == [False]
    assert messages["folder"].startswith("the folder has no file that ends in .csv")
    assert messages["no*"] == "no file matches this pattern"
    assert only_puzzle(found[-1:]) == Puzzle(Board.parse("01 10"))


def test_long_lines_are_skipped(tmp_path: Path) -> None:
    text = b"01\n10\n\n" + b"0" * (sources.MAX_LINE_BYTES + 5) + b"\n1\n\n10\n01\n"
    found = entries(tmp_path, text, "text")
    assert [entry.line for entry in found] == [1, 4, 7]
    assert "a line of more than 4,194,304 bytes" in str(found[1].error)


@pytest.mark.parametrize(("sheet", "cells"), [
    ("0\t\t\n\t1\t0\n", "0...10"), ("\t0\n1\t0\n", ".010"), ("\t\n\t\n", "...."),
    ("0\t1\n1\t\n", "011."), ("0\t.\n.\t1\n", "0..1"), ("0\t1\n1\t0\n", "0110"),
    ("0\t1\t\n1\t\t0\n", "01.1.0"),
])  # fmt: skip
def test_empty_fields_that_can_only_be_open_cells(tmp_path: Path, sheet: str, cells: str) -> None:
    puzzle = only_puzzle(entries(tmp_path, sheet, "csv"))
    assert puzzle.board == Board(2, len(cells) // 2, cells)


def test_a_field_that_is_too_long_costs_its_row(tmp_path: Path) -> None:
    long, good = entries(tmp_path, f"id,puzzle\na,{'1' * 140_000}\nb,{'.' * 16}\n")
    assert ":2: field larger than field limit" in str(long.error)
    assert (good.id, good.puzzle) == ("b", Puzzle(Board.empty(4, 4)))


def test_records_of_a_document_are_numbered(tmp_path: Path) -> None:
    good = '{"height":2,"width":2,"clues":"01.0"}'
    found = entries(tmp_path, f"[{good}, 7, {good}]", "json")
    assert [entry.id for entry in found] == ["1", "2", "3"]
    assert "record 2: expected a" in str(found[1].error)
    assert [entry.puzzle for entry in found] == [A, None, A]


def test_invalid_results_keep_their_position(tmp_path: Path) -> None:
    error = '{"kind":"format","message":"why","line":7,"column":9}'
    (entry,) = entries(tmp_path, f'{{"id":"a","verdict":"invalid","error":{error}}}', "ndjson")
    assert isinstance(entry.error, FormatError)
    assert (entry.id, entry.error.line, entry.error.column) == ("a", 7, 9)


def test_errors_of_records_name_the_cell(tmp_path: Path) -> None:
    (entry,) = entries(tmp_path, '{"height":2,"width":2,"clues":"01x0"}', "ndjson")
    assert isinstance(entry.error, FormatError)
    assert entry.error.cell == (1, 0)


@given(
    st.binary(max_size=300) | st.text('01.x \n:#{}[]"rulesidgn=,\0', max_size=80).map(str.encode)
)
def test_readers_accept_arbitrary_bytes(data: bytes) -> None:
    for name, format in formats.FORMATS.items():
        source = sources.Source(name, io.BytesIO(data), lambda: 0)
        with suppress(SourceError):  # It begins as files of another kind do.
            for block in format.blocks(source, None, lambda: 1):
                for entry in block:
                    assert (entry.puzzle is None) != (entry.error is None)
        formats.sniff(sources.Source("x", io.BytesIO(data), lambda: 0))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("limit", LimitError), ("source", SourceError), ("format", FormatError), ("x", FormatError)],
)
def test_errors_of_records_keep_their_kind(tmp_path: Path, kind: str, expected: type) -> None:
    text = f'{{"verdict":"invalid","error":{{"kind":"{kind}","message":"why"}}}}'
    (entry,) = entries(tmp_path, text, "ndjson")
    assert type(entry.error) is expected
    assert "why" in str(entry.error)


@pytest.mark.parametrize(("values", "message"), [
    (pa.array([b"\xff"]).view(pa.string()), "codec can't decode byte 0xff"),
    (pa.array([10**15], pa.timestamp("s")), "too large"),
    (pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32())), "duplicate key"),
])  # fmt: skip
def test_values_that_are_not_readable_in_a_table(tmp_path: Path, values: pa.Array, message: str):
    pq.write_table(pa.table({"puzzle": values}), tmp_path / "x")
    (entry,) = formats.read_sources([str(tmp_path / "x")])
    assert isinstance(entry.error, SourceError)
    assert "can't be read as a Parquet table: " in str(entry.error)
    assert message in str(entry.error)


def test_only_pipes_are_polled(tmp_path: Path) -> None:
    read, write = os.pipe()
    with open(read, "rb") as pipe, open(write, "wb"), open(__file__, "rb") as file:
        assert sources._poll_object(pipe) is not None
        assert sources._poll_object(file) is None
    assert sources._poll_object(io.BytesIO()) is None


@pytest.mark.parametrize(("has_data", "warnings"), [(True, 0), (False, 1)])
def test_only_a_silent_pipe_gets_a_warning(
    has_data: bool, warnings: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source = sources.Source("x", io.BufferedReader(io.BytesIO()), lambda: 0)
    monkeypatch.setattr(source, "_has_no_data", lambda seconds: not has_data)
    source._warn_of_waiting()
    source._warn_of_waiting()
    assert len(caplog.records) == warnings


def test_streams_can_be_read_only_once(tmp_path: Path) -> None:
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.touch()
    os.mkfifo(pipe)
    once = {name: sources.is_stream(name) for name in ("-", str(pipe), str(file), str(tmp_path))}
    assert once == {"-": True, str(pipe): True, str(file): False, str(tmp_path): False}
    assert not sources.is_stream("no such file")
    assert not sources.is_stream("\0")
    assert not sources.is_stream("x" * 9_999)


def test_fields_of_tables_with_line_breaks(tmp_path: Path) -> None:
    """A quote that is not closed costs the other rows nothing."""
    board = "01..\n....\n..10\n...."
    cells = board.replace("\n", "")
    rows = ["# puzzles", "id,puzzle,x", f'a,"{board}",3', f'b,"{cells},3', f"c,{cells},4"]
    rows += [f'd,{cells},5"', f'e,"{board}",6']
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(rows) + "\n")
    entries = list(formats.read_sources([str(file)]))
    found = [each.puzzle and each.puzzle.board.cells for each in entries]
    assert found == [cells, None, cells, cells, cells]
    assert [each.line for each in entries] == [3, 7, 8, 9, 10]
