"""Texts that people have: each is read as the board that they mean, or refused with the reason."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import PLUS, UNRULY, Board, Puzzle, Sign, formats
from binairo_cp.deduction.styles import Style, Symbols
from binairo_cp.errors import FormatError, OptionError, SourceError
from binairo_cp.formats import Choices, Entry, cells, sources
from binairo_cp.puzzle.board import plain_board
from binairo_cp.puzzle.grids import Size
from binairo_cp.rendering import sheet, terminal, texts
from binairo_cp.rendering.boards import View
from binairo_cp.rendering.sheet import Item
from tests.support.command_line import call
from tests.support.strategies import examples

CELLS = "0.1...0...1..0.."
BOARD = Board(4, 4, CELLS)
ROWS = BOARD.rows
SOLVED = Board(4, 4, "0110100111000011")
CLUES = Board(4, 4, "0.1...0.1....0..")


def read(text: str | bytes, choices: Choices | str = "auto") -> list[Entry]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(formats.read_bytes(data, "x", choices))


def boards(text: str | bytes, choices: Choices | str = "auto") -> list[Board | str]:
    return [
        entry.puzzle.board if entry.puzzle else str(entry.error) for entry in read(text, choices)
    ]


def table(rows: list[str], between: str, **words: str) -> str:
    return "\n".join(between.join(words.get(f"c{mark}", mark) for mark in row) for row in rows)


def symbols(zero: str, one: str, open: str) -> str:
    return "\n".join(ROWS).translate(str.maketrans({"0": zero, "1": one, ".": open}))


OPEN = {each: each.replace(".", " ") for each in ROWS}
BOX = "+---+---+---+---+\n" + "".join(
    "| " + " | ".join(OPEN[row]) + " |\n+---+---+---+---+\n" for row in ROWS
)
UNICODE_BOX = (
    "┌─┬─┬─┬─┐\n" + "├─┼─┼─┼─┤\n".join(f"│{'│'.join(OPEN[row])}│\n" for row in ROWS) + "└─┴─┴─┴─┘\n"
)

WHAT_PEOPLE_HAVE = [
    "\n".join(ROWS),
    " ".join(ROWS),
    CELLS,
    " ".join(CELLS),
    *(form.format(CELLS) for form in (
        "7 {}", "(7) {}", "7. {}", "7,{}", "easy {}", "4x4:{} name", "4 4\n{}"
    )),
    *(f"{head}\n" + "\n".join(ROWS) for head in (
        "4", "4 4", "4x4", "size: 4x4", "Puzzle 7", "Puzzle 7\n", "1"
    )),
    "A heading, in words:\n" + table(ROWS, " "),
    "```\n" + "\n".join(ROWS) + "\n```\n",
    table(ROWS, " ", **{"c.": "-1"}),
    table(ROWS, "\t", **{"c.": "-1"}),
    table(ROWS, ",", **{"c.": "-1"}),
    table(ROWS, " ", **{"c.": "None"}),
    table(ROWS, ", ", **{"c.": "null"}),
    table(ROWS, " ", **{"c.": "nan", "c0": "0.0", "c1": "1.0"}),
    table(ROWS, " ", **{"c.": "nan", "c0": "0.", "c1": "1."}),
    table(ROWS, ",", **{"c.": "x"}),
    table(ROWS, ",", **{"c.": ""}),
    table(ROWS, ";", **{"c.": ""}),
    "sep=;\r\n" + table(ROWS, ";", **{"c.": ""}).replace("\n", "\r\n"),
    table(ROWS, ",", **{"c.": "", "c0": "0.0", "c1": "1.0"}),
    table(ROWS, "", **{"c.": "x"}),
    *(symbols(*marks.split()) for marks in (
        "1 2 .", "1 2 -", "o x .", "O X _", "w b .", "☀ 🌙 ⬜", "☀️ 🌙️ ⬜️", "☀️ 🌙 ⬜", "🌞 🌜 ➖", "🟡 🔵 ⬜",
        "🟨 🟦 ⬜", "🔵 🔴 ⚪", "🟦 🟥 ⬛", "⚪ ⚫ .", "０ １ ．", "0️⃣ 1️⃣ ⬜",
    )),
    table(ROWS, "\u00a0"),
    table(ROWS, "\u3000"),
    BOX,
    UNICODE_BOX,
    "| " + " |\n| ".join(" | ".join(OPEN[row]) for row in ROWS) + " |\n",
    "\n".join(f"{name} {row}" for name, row in zip("1234", ROWS, strict=True)),
    "  A B C D\n" + "\n".join(f"{n} {' '.join(row)}" for n, row in zip("1234", ROWS, strict=True)),
    "     0    1    2    3\n"
    + "\n".join(
        f"{n}  " + "  ".join({".": "NaN", "0": "0.0", "1": "1.0"}[m] for m in row)
        for n, row in zip("0123", ROWS, strict=True)
    ),
    json.dumps([list(row) for row in ROWS]),
    json.dumps([[None if mark == "." else int(mark) for mark in row] for row in ROWS]),
    json.dumps([[-1 if mark == "." else int(mark) for mark in row] for row in ROWS], indent=1),
    json.dumps([["x" if mark == "." else mark for mark in row] for row in ROWS])[1:-1],
    json.dumps(ROWS),
    str(json.dumps([[-1 if mark == "." else int(mark) for mark in row] for row in ROWS])).replace(",", ""),
    *(json.dumps({key: [list(row) for row in ROWS]}) for key in ("puzzle", "task", "field", "grid", "board", "clues")),
    json.dumps({"puzzle": CELLS}),
    json.dumps({"puzzle": "\n".join(ROWS), "size": 4}),
    json.dumps({"name": "a", "board": ROWS}) + "\n",
    json.dumps({"height": 4, "width": 4, "clues": CELLS, "signs": ""}),
    f"id,puzzle\na,{CELLS}\n",
    f"puzzle;level\n{CELLS};easy\n",
    "https://www.example.org/js/unruly.html#4x4u:" + "".join(formats.write([Entry(Puzzle(BOARD))], "unruly")).split(":")[1],
    "\r".join(ROWS),
    "\n".join(ROWS).encode("utf-16"),
    "\n".join(ROWS).encode("utf-8-sig"),
]  # fmt: skip


@pytest.mark.parametrize("text", WHAT_PEOPLE_HAVE)
def test_texts_that_people_have_are_the_board_that_they_mean(text: str | bytes) -> None:
    assert boards(text) == [BOARD]


@pytest.mark.parametrize(("text", "message"), [
    ("1 ....", "'1 ....' could be number 1 and a row of length 4"),
    ("0", "a row of length 1; expected a whole board on the line (16, 25, 36, ... cells)"),
    ("01", "2 cells do not make a square"),
    ("0110", "could be a board of 2x2 or a row of length 4"),
    ("0 . . 1", "could be a board of 2x2 or a row of length 4"),
    ("01.. ..10", "could be a board of 2x2 and a name or a board of 2x4"),
    ("01 .. 10", "could be a board of 3x2"),
    ("1 2 1 2 2 1", "a row of length 6"),
    ("0.1......", "could be a board of 3x3 or a row of length 9"),
    (f"01.. {CELLS}", "a name and a board of 4x4 or rows that do not line up"),
    (f"{CELLS} ..", "a board of 4x4 and a name or rows that do not line up"),
    (f"{CELLS} {CELLS}", "2 puzzles or one board of 2 rows"),
    (f"{CELLS} r1c1=r1c2", "'r1c1=r1c2' after the cells; expected rules and signs on lines"),
    ("0\n1\n.\n.", "rows of one cell each"),
    ((",".join(CELLS) + "\n") * 3, "3 puzzles of 4x4 or a board of 3x16"),
    ((" ".join(CELLS) + "\n") * 3, "3 puzzles of 4x4 or the rows of one board"),
    ("0 1\n 1 0", "do not line up"),
    ("01 . .\n. . 10\n....\n....", "do not line up"),
    ("-1 -1\n-1 -1", "this could be a board of 2x4"),
    ("012.\n....\n....\n....", "the symbols .012 in one board: it is not clear which are equal"),
    ("X0..\n....\n....\n....", "it is not clear which are equal"),
    ("xo1.\n....\n....\n....", "it is not clear which are equal"),
    ("01z.\n....\n....\n....", "1:3: 'z' is not a cell"),
    ("xoxz\n....\n....\n....", "is not a cell"),
    ("6\n" + "\n".join(ROWS), "the rows make a board of 4x4, not 6x6 as stated"),
    ("6x6\n" + "\n".join(ROWS), "the rows make a board of 4x4, not 6x6 as stated"),
    ("rule: unruly\n" + "\n".join(ROWS), "'rule' is not a header"),
    ("https://www.example.org/?id=7", "this looks like the address of a page"),
    ("SAVEFILE:41:Simon\nGAME    :4:Solo\n", "a saved game of Solo"),
    ('{"puzzle": "0..1"}', "could be a board of 2x2"),
    ('{"puzzle": "' + CELLS + '", "board": "' + "." * 16 + '"}', "are different boards"),
    ('{"size": 6, "grid": ' + json.dumps(ROWS) + "}", "not 6x6 as stated"),
    ("[[0, 1, 2, null], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]", "which are 0, 1 and open"),
    ("[0, 1, 1, 0]", "a list of length 4"),
    ("[[0, 7], [1, 0]]", "'7' is not a cell"),
    (b"\x89PNG\r\n\x1a\n\0\0", "a damaged picture"),
    (b"%PDF-1.7\n", "is a PDF document; copy the puzzle"),
])  # fmt: skip
def test_texts_that_are_not_clear_are_refused(text: str | bytes, message: str) -> None:
    (only,) = boards(text)
    assert message in str(only)


@st.composite
def plain_texts(draw: st.DrawFn) -> str:
    """Draw nothing but cells: with their size, of a square, or in rows."""
    height, width = draw(st.integers(1, 18)), draw(st.integers(1, 18))
    marks = draw(st.sampled_from(["01.", "01._?-", "01", "0", "-", "."]))
    cells = draw(st.text(marks, min_size=height * width, max_size=height * width))
    rows = [cells[start : start + width] for start in range(0, len(cells), width)]
    grid = "\n".join(rows) + draw(st.sampled_from(["", "\n"]))
    spaced = "\n".join(map(" ".join, rows))
    texts = [f"{height}x{width}:{cells}", cells, cells[: height**2], grid, spaced]
    return draw(st.sampled_from(texts))


@given(plain_texts(), st.sampled_from(["auto", "text"]))
@examples(4)
def test_plain_texts_are_the_boards_that_all_readers_find(text: str, format: str) -> None:
    # Beside a comment, there is no short way.
    found = read(f"{text}\n# a comment" if plain_board(text) else text, format)
    entry = formats.read_one(text, 7, "x", Choices(format), None)
    if len(found) == 1:
        expected = (found[0].puzzle, str(found[0].error), found[0].line)
        assert (entry.puzzle, str(entry.error), entry.line) == expected
    else:
        assert str(entry.error).endswith("a text with several puzzles; expected one")


def test_a_choice_makes_it_clear() -> None:
    two = Size(2, 2)
    assert boards("0..1", Choices(size=two)) == [Board(2, 2, "0..1")]
    expected = [Board(2, 2, "0..1"), Board(2, 2, ".01.")]
    assert boards("0..1 a\n.01. b", Choices("line", two)) == expected
    assert boards("0\n.\n1\n1", Choices(size=Size(4, 1))) == [Board(4, 1, "0.11")]
    assert boards("0..1", "line") == [Board(2, 2, "0..1")]
    grid = "1200\n0000\n0000\n0021"
    for symbols in ("120", "1 2 0", "1,2,0"):
        assert boards(grid, Choices(symbols=symbols)) == [Board(4, 4, "01............10")]
    assert boards(f"symbols: 120\n{grid}") == [Board(4, 4, "01............10")]
    assert boards(grid, Choices(symbols="012")) == [Board(4, 4, "1.00000000000" + "0.1")]
    assert boards('{"grid": [[1, 2], [0, 0]]}', Choices(symbols="120")) == [Board(2, 2, "01..")]
    assert "not 6x6 as stated" in str(boards("\n".join(ROWS), Choices(size=Size(6, 6))))
    assert formats.stated("text", "4x6", None) == Choices("text", Size(4, 6))
    assert formats.stated("text", None, None) == Choices("text")
    for size, symbols in (("0", None), ("4x", None), ("300", None), (None, "1"), (None, "11")):
        with pytest.raises(OptionError):
            formats.stated("auto", size, symbols)


def test_a_number_on_a_line_is_the_size_or_the_number_of_the_puzzle() -> None:
    grid = "\n".join(ROWS)
    text = "\n\n".join(f"{number}\n{grid}" for number in range(1, 6))
    assert [(each.id, each.error) for each in read(text)] == [
        ("1", None), ("2", None), ("3", None), ("4", None), ("5", None),
    ]  # fmt: skip


@pytest.mark.parametrize("beside", [
    lambda puzzle, solution: f"{puzzle.cells} {solution.cells}",
    lambda puzzle, solution: f"{puzzle.cells}\t{solution.cells}",
    lambda puzzle, solution: f"3,{puzzle.cells},{solution.cells}",
    lambda puzzle, solution: f"4x4:{puzzle.cells} {solution.cells} name",
    lambda puzzle, solution: f"puzzle,solution\n{puzzle.cells},{solution.cells}",
    lambda puzzle, solution: json.dumps({"puzzle": puzzle.cells, "solution": solution.cells}),
    lambda puzzle, solution: json.dumps({"task": puzzle.rows, "field": solution.rows}),
    lambda puzzle, solution: "\n".join(map(" ".join, zip(puzzle.rows, solution.rows, strict=True))),
    lambda puzzle, solution: f"{puzzle}\n{solution}",
    lambda puzzle, solution: f"{puzzle}\n\nSolution\n{solution}\n",
])  # fmt: skip
def test_a_solution_beside_a_puzzle_is_compared(beside: Callable[[Board, Board], str]) -> None:
    assert boards(beside(CLUES, SOLVED)) == [CLUES]
    wrong = SOLVED.with_cell((0, 0), "1")
    found = boards(beside(CLUES, wrong))
    assert "the solution beside the puzzle is wrong" in str(found[-1])
    breaking = Board(4, 4, "0110100110010110").with_cell((2, 0), "1")
    assert "the solution beside the puzzle is wrong" in str(boards(beside(CLUES, breaking))[-1])


def test_signs_between_cells() -> None:
    signs = (Sign(0, 0, "R", "="), Sign(0, 1, "R", "x"), Sign(1, 2, "D", "x"))
    puzzle = Puzzle(Board(4, 4, "0.1.........1..0"), PLUS, signs)
    marked = "0 = . x 1 .\n. . . .\n    x\n. . . .\n1 . . 0\n".replace("0 = . x 1 .", "0=.x1 .")
    boxed = (
        "┌───┬───┬───┬───┐\n│ ☀ =   x ☾ │   │\n├───┼───┼───┼───┤\n│   │   │   │   │\n"
        "├───┼───┼─x─┼───┤\n│   │   │   │   │\n├───┼───┼───┼───┤\n│ ☾ │   │   │ ☀ │\n└───┴───┴───┴───┘\n"
    )
    shared = "☀ ⬜=🌙 ⬜\n\n⬜ ⬜ ⬜ ⬜\n    =  \n⬜ ⬜ ⬜ ⬜\n       \n🌙✖⬜ ⬜ ☀\n"
    for text in (marked, boxed):
        assert [entry.puzzle or str(entry.error) for entry in read(text)] == [puzzle]
    signs = (Sign(0, 1, "R", "="), Sign(1, 2, "D", "="), Sign(3, 0, "R", "x"))
    puzzle = Puzzle(Board(4, 4, "0.1.........1..0"), PLUS, signs)
    for text in (
        shared,
        f"Tango 7\n{shared}\nTango 8\n{shared}",
        shared.replace("=", "🟰").replace("✖", "❌"),
        shared.replace("✖", "✕").replace("☀", "🟧").replace("🌙", "🟦"),
        shared.replace("✖", "x").replace("☀", "S").replace("🌙", "M").replace("⬜", "."),
    ):
        assert {entry.puzzle or str(entry.error) for entry in read(text)} == {puzzle}


@pytest.mark.parametrize("text", [
    "☀ ⬜=🌙 ⬜\nx\n⬜ ⬜ ⬜ ⬜\n\n⬜ ⬜ ⬜ ⬜\n",  # three rows of four
    "☀ ⬜=🌙 ⬜\nx\n⬜ ⬜ ⬜ ⬜\n\n" * 4,
    "☀ ⬜=🌙 ⬜\nx\n⬜ ⬜ ⬜ ⬜\n\n☀ ⬜=🌙 ⬜\n" + "=\n⬜ ⬜ ⬜ ⬜\n" * 3,
])  # fmt: skip
def test_boards_with_signs_and_blank_lines_between_rows_are_unclear(text: str) -> None:
    assert "boards or one board with blank lines between its rows" in str(boards(text))


def test_saved_games_and_shared_links() -> None:
    puzzle = Puzzle(Board(6, 6, "..10.....0.11...0....11..0...10....."))
    saved = (
        "SAVEFILE:41:Simon Tatham's Portable Puzzle Collection\nVERSION :1:1\nGAME    :6:Unruly\n"
        "PARAMS  :6:6x6udn\nDESC    :12:CafBAdEAcDaf\nMOVE    :6:P1,0,0\n"
    )
    assert [entry.puzzle for entry in read(saved)] == [puzzle]
    link = "http://localhost/#puzzle=2x4%3Aa1f&signs=0.0Re_0.1Dx&rules=tango"
    signs = (Sign(0, 0, "R", "="), Sign(0, 1, "D", "x"))
    assert [entry.puzzle for entry in read(link)] == [
        Puzzle(Board(2, 4, ".1......"), bn.TANGO, signs)
    ]


def test_packed_files(tmp_path: Path) -> None:
    text = "\n".join(ROWS).encode()
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("a.txt", text)
    packed = [gzip.compress(text), lzma.compress(text), bz2.compress(text), zipped.getvalue()]
    file = tmp_path / "x"
    for data in (*packed, gzip.compress("\n".join(ROWS).encode("utf-16"))):
        file.write_bytes(data)
        (entry,) = formats.read_sources(str(file))
        assert entry.puzzle == Puzzle(BOARD)
    for data in packed:
        file.write_bytes(data[: len(data) // 2])
        (entry,) = formats.read_sources(str(file))
        assert isinstance(entry.error, SourceError | FormatError)


@pytest.mark.parametrize(
    ("member", "message"),
    [("xl/workbook.xml", "is a spreadsheet; save it as CSV"), ("word/document.xml", "is an Office document")],
)  # fmt: skip
def test_office_files_are_named(member: str, message: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr(member, "")
    (entry,) = formats.read_sources(str(tmp_path / "x"))
    assert message in str(entry.error)
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr("a", "")
        archive.writestr("b", "")
    (entry,) = formats.read_sources(str(tmp_path / "x"))
    assert "is a zip file with 2 files; expected one" in str(entry.error)


def test_packed_files_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sources, "MAX_DOCUMENT_BYTES", 1 << 22)
    file = tmp_path / "x"
    file.write_bytes(lzma.compress(b"[" + b" " * (sources.MAX_DOCUMENT_BYTES + 10)))
    (entry,) = formats.read_sources(str(file))
    assert "a document of more than" in str(entry.error)


# Decorations


def _grid(rows: list[str]) -> str:
    return "\n".join(rows)


def _each(between: str, **words: str) -> Callable[[list[str]], str]:
    return lambda rows: table(rows, between, **words)


def _framed(edge: str, bar: str, blank: str) -> Callable[[list[str]], str]:
    def framed(rows: list[str]) -> str:
        line = edge[0] + edge[1] * (4 * len(rows[0]) - 1) + edge[2]
        fields = [f" {bar} ".join(blank if mark == "." else mark for mark in row) for row in rows]
        return f"\n{line}\n".join(
            [line[:0], *(f"{bar} {each} {bar}" for each in fields), ""]
        ).strip("\n")

    return framed


LAYOUTS: list[Callable[[list[str]], str]] = [
    _grid,
    _each(" "),
    _each("\t"),
    _each("\t", **{"c.": ""}),
    _each(",", **{"c.": ""}),
    _each("; "),
    _each(" ", **{"c.": "-1"}),
    _each(",", **{"c.": "-1"}),
    _each("  ", **{"c.": "None"}),
    _each(" ", **{"c.": "nan", "c0": "0.0", "c1": "1.0"}),
    _each("", c0="1", c1="2"),
    _each("", **{"c0": "O", "c1": "X", "c.": "_"}),
    _each("", **{"c.": "x"}),
    _each("", **{"c.": " "}),
    _each(" ", **{"c.": " "}),
    _each("", **{"c0": "☀️", "c1": "🌙", "c.": "⬜"}),
    _each("", **{"c0": "🟡", "c1": "🔵", "c.": "⬜️"}),
    _each("", c0="⬜", c1="⬛"),
    _framed("+-+", "|", " "),
    _framed("┌─┐", "│", " "),
    _framed("┌─┐", "│", "."),
    lambda rows: json.dumps([list(row) for row in rows]),
    lambda rows: json.dumps({"grid": [[-1 if m == "." else int(m) for m in row] for row in rows]}),
    lambda rows: json.dumps({"puzzle": "".join(rows)}),
    lambda rows: " ".join(rows),
    lambda rows: "".join(rows),
    lambda rows: "".join(rows).replace(".", "x"),
    lambda rows: " ".join("".join(rows)),
    lambda rows: f"{len(rows)}x{len(rows[0])}:{''.join(rows)}",
    lambda rows: "puzzle,level\n" + "".join(rows) + ",easy",
]
AROUND: list[Callable[[str, list[str]], str]] = [
    lambda text, rows: text,
    lambda text, rows: text + "\n",
    lambda text, rows: f"\n\n{text}\n\n",
    lambda text, rows: text.replace("\n", "\r\n"),
    lambda text, rows: text.replace("\n", "\r"),
    # In front of an empty field or a blank, a number would be the cell itself.
    lambda text, rows: text if text[:1] in " \t,;" else f"1 {text}",
    lambda text, rows: text if text[:1] in " \t,;" else f"12. {text}",
    lambda text, rows: f"{text} 101",
    lambda text, rows: f"{text} name",
    lambda text, rows: f"Puzzle 1\n{text}",
    lambda text, rows: f"Puzzle 1\n\n{text}\n",
    lambda text, rows: f"{len(rows)}\n{text}" if len(rows) == len(rows[0]) else text,
    lambda text, rows: f"{len(rows)} {len(rows[0])}\n{text}",
    lambda text, rows: f"1\n{text}",
    lambda text, rows: f"```\n{text}\n```",
    lambda text, rows: "\n".join(f"    {line}" for line in text.split("\n")),
    lambda text, rows: (
        text
        if any(line[:1] in " \t,;" for line in text.split("\n"))
        else "\n".join(f"{n} {line}" for n, line in enumerate(text.split("\n"), 1))
    ),
    lambda text, rows: text.strip(),
    lambda text, rows: "\n".join(line.rstrip() for line in text.split("\n")),
    lambda text, rows: text.replace(" ", "\u00a0"),
    lambda text, rows: f"{text}\nDifficulty: easy",
]


@examples(6)
@given(
    st.tuples(st.integers(2, 7), st.integers(2, 7)) | st.integers(1, 4).map(lambda n: (2 * n, 2 * n)),
    st.sampled_from(["01.", "01..", "0.", "1.", "01......", "01"]),
    st.sampled_from(LAYOUTS),
    st.sampled_from(AROUND),
    st.data(),
)  # fmt: skip
def test_decorated_puzzles_are_the_same_board_or_refused(
    size: tuple[int, int],
    marks: str,
    layout: Callable[[list[str]], str],
    around: Callable[[str, list[str]], str],
    data: st.DataObject,
) -> None:
    height, width = size
    cells = data.draw(st.text(marks, min_size=height * width, max_size=height * width))
    board = Board(height, width, cells)
    text = layout(board.rows)
    # A row of blanks is lost where a text is stripped.
    assume(all(line.strip() for line in text.split("\n")))
    # Open columns between columns of clues are also the blanks between the cells of a full board.
    lines = text.split("\n")
    assume("." not in cells or any(line[1::2].strip() or " " in line[::2] for line in lines))
    if height != width and not text.strip().count("\n") and "x" not in text.partition(":")[0]:
        # Cells on one line, perhaps after a number, are a square.
        text = _grid(board.rows)
    text = around(text, board.rows)
    found = [entry.puzzle.board for entry in read(text) if entry.puzzle]
    # Clues of one kind do not show which symbol they are.
    both = {board, board.complemented()} if len(set(cells) - {"."}) < 2 else {board}
    assert set(found) <= both, text
    assert len(found) <= 1


@examples(3)
@given(
    st.integers(2, 5).map(lambda n: 2 * n),
    st.sampled_from(LAYOUTS[:13]),
    st.sampled_from(AROUND[:5] + AROUND[9:11]),
    st.data(),
)
def test_usual_decorations_are_read(
    side: int,
    layout: Callable[[list[str]], str],
    around: Callable[[str, list[str]], str],
    data: st.DataObject,
) -> None:
    """Boards with both symbols and open cells inside are not refused."""
    inner = data.draw(st.text("01......", min_size=side * side, max_size=side * side))
    rows = [inner[k : k + side] for k in range(0, side * side, side)]
    rows[0] = "01." + rows[0][3:-1] + "1"
    rows[-1] = "1.0" + rows[-1][3:-1] + "0"
    # Beside -1, cells that break the rules may be the open ones.
    assume(cells.is_possible([row.replace("1", "0") for row in rows]) or "-1" not in layout(rows))
    assert boards(around(layout(rows), rows)) == [Board.from_rows(rows)]


# Our own files


@pytest.mark.parametrize("format", formats.FORMATS)
@examples(0.5)
@given(
    height=st.integers(1, 7), width=st.integers(1, 7), name=st.sampled_from(["a", "7", "0110", "a b"]), data=st.data()
)  # fmt: skip
def test_written_puzzles_are_read_back_or_refused(
    format: str, height: int, width: int, name: str, data: st.DataObject
) -> None:
    cells = data.draw(st.text("01..", min_size=height * width, max_size=height * width))
    rules = UNRULY if format == "janko" else bn.CLASSIC
    puzzle = Puzzle(Board(height, width, cells), rules)
    try:
        text = "".join(formats.write([Entry(puzzle, id=name)], format))
    except FormatError:
        return
    found = [entry.puzzle for entry in read(text) if entry.puzzle]
    is_one_sided = format == "symbols" and len(set(cells) - {"."}) < 2
    assert found in ([], [puzzle]) or is_one_sided, text
    if min(height, width) > 1 and format not in ("csv", "task") and not is_one_sided:
        assert found == [puzzle], text


@pytest.mark.parametrize("suffix", ["csv", "json", "ndjson"])
@pytest.mark.parametrize(
    "rules", [bn.CLASSIC, UNRULY, bn.Rules(longest_run=3, odd="ones", distinct_lines=False)]
)
def test_lists_and_pictures_of_puzzles_are_read_back(suffix: str, rules: bn.Rules) -> None:
    items = [
        Item(Puzzle(Board(3, 4, "0.1...0....."), rules, signs), f"name {number}", Entry(), number)
        for number, signs in enumerate([(), (Sign(0, 0, "R", "x"), Sign(1, 3, "D", "="))], 1)
    ]
    expected = [(each.puzzle, each.id) for each in items]
    table = sheet.text([sheet.row(each, None, None, None) for each in items], f"x.{suffix}")
    assert [(entry.puzzle, entry.id) for entry in read(table)] == expected
    for symbols in get_args(Symbols):
        style = Style(symbols=symbols)
        pictures = "".join(
            f"{each.id}, {texts.rules_caption(each.puzzle, style)}".rstrip(", ")
            + "\n"
            + terminal.draw(View(each.puzzle, each.puzzle.board, symbols), colour=False)
            + "\n"
            for each in items
        )
        assert [(entry.puzzle, entry.id) for entry in read(pictures)] == expected, symbols


def test_results_in_csv_are_read_back(tmp_path: Path) -> None:
    puzzle = Puzzle(Board(2, 4, "0......."), PLUS, (Sign(0, 0, "R", "x"),))
    (tmp_path / "x.ndjson").write_text("".join(formats.write([Entry(puzzle, id="a")], "ndjson")))
    out = call("check", str(tmp_path / "x.ndjson"), "--to", "csv")[1]
    assert [(entry.puzzle, entry.id) for entry in read(out)] == [(puzzle, "a")]
    without = call(
        "check", str(tmp_path / "x.ndjson"), "--to", "csv", "--columns", "height,width,clues,rules"
    )[1]
    assert "no column with the signs" in str(read(without)[0].error)


def test_arguments_and_options_of_commands() -> None:
    rows = "0..1 1..0 0110 1001"
    assert call("convert", rows, "--to", "line", "-q")[1] == "0..11..001101001\n"
    code, _, error = call("check", "1 ....")
    assert (code, "could be number 1 and a row of length 4" in error) == (2, True)
    assert call("convert", "-", "--to", "line", "--size", "2x2", input="0..1\n")[1] == "2x2:0..1\n"
    grid = "12..\n....\n....\n..21\n"
    assert call("convert", "-", "--to", "line", "--symbols", "21", input=grid)[1].startswith("10")
    assert "--size: expected a size" in call("check", "-", "--size", "x", input=grid)[2]
