"""Boards in the forms in which people print them: read as the board, or refused, never another."""

import json
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import Board, formats
from tests.support.command_line import call
from tests.support.strategies import examples

Lines = list[str]


def boards(text: str) -> list[Board | str]:
    return [
        entry.puzzle.board if entry.puzzle else str(entry.error)
        for entry in formats.read_bytes(text.encode(), "x")
    ]


def _opened(lines: Lines, first: str, last: str) -> Lines:
    """Rows of numbers as a program prints a nested list."""
    rows = [" " * len(first) + f"[{line}]," for line in lines]
    return [f"{first}[{lines[0]}],", *rows[1:-1], f"{' ' * len(first)}[{lines[-1]}{last}"]


def _ruled(edge: str, side: str) -> Callable[[Lines], Lines]:
    def ruled(lines: Lines) -> Lines:
        rule = side + edge * max(map(len, lines)) + side
        return [rule, *(f"{side}{line}{side}" for line in lines), rule]

    return ruled


def _before(mark: str) -> Callable[[Lines], Lines]:
    return lambda lines: [mark.format(number) + line for number, line in enumerate(lines, 1)]


def _between(lines: Lines) -> Lines:
    rule = "-" * len(lines[0])
    return [each for line in lines for each in (line, rule)][:-1]


CELLS: list[tuple[str, str, str]] = [
    *(("0", "1", mark) for mark in (".", "-", "_", "?", "x", "*", "-1", "2", "None", "#N/A", "<>")),
    ("-1", "1", "."),
    ("1", "2", "."),
    ("o", "x", "."),
    ("S", "M", "."),
    ("R", "B", "."),
    ("🌞", "🌙", "⬜"),
    ("False", "True", "None"),
]
SEPARATORS = ["", " ", "  ", "\t", ",", ", ", ";", "|", " | ", "&", " & ", "||", " - "]
FRAMES: dict[str, Callable[[Lines], Lines]] = {
    "none": lambda lines: lines,
    "box": lambda lines: ["+" + "-" * len(lines[0]) + "+", *(f"|{line}|" for line in lines)],
    "bars": lambda lines: [f"|{line}|" for line in lines],
    "dashes": _ruled("-", ""),
    "bars and dashes": _ruled("-", "|"),
    "rules": _ruled("=", ""),
    "underscores": _ruled("_", "|"),
    "number signs": _ruled("#", "#"),
    "pages": lambda lines: [*lines[: len(lines) // 2], "", "Page 2", "", *lines[len(lines) // 2 :]],
    "line breaks": lambda lines: [f"{line}<br>" for line in lines],
    "rules between": _between,
    "bullets": _before("- "),
    "stars": _before("* "),
    "quoted": _before("> "),
    "grep": _before("{}:"),
    "numbered": _before("{}. "),
    "numbers": _before("{} "),
    "tables": _before("{} | "),
    "rows": _before("Row {}: "),
    "wiki": lambda lines: [f"||{line.replace('|', '||')}||" for line in lines],
    "array": lambda lines: _opened(lines, "array([", "]])"),
    "array of bytes": lambda lines: _opened(lines, "array([", "]], dtype=int8)"),
    "jupyter": lambda lines: _opened(lines, "Out[3]: array([", "]])"),
    "tensor": lambda lines: _opened(lines, "tensor([", "]])"),
    "assigned": lambda lines: _opened(lines, "puzzle = [", "]]"),
    "LaTeX": lambda lines: [rf"{line} \\" for line in lines],
    "last bars": lambda lines: [f"{line} |" for line in lines],
    "counts": lambda lines: [f"{line} 2" for line in lines],
}
AROUND: dict[str, Callable[[Lines], Lines]] = {
    "nothing": lambda lines: lines,
    "title": lambda lines: ["Puzzle 3", *lines],
    "label": lambda lines: [f"Puzzle: {lines[0]}", *lines[1:]],
    "name": lambda lines: [f"Puzzle {lines[0]}", *lines[1:]],
    "assignment": lambda lines: [f"board = {lines[0]}", *lines[1:]],
    "comment": lambda lines: ["# puzzle 3", *lines],
    "comment of cells": lambda lines: [*lines[:2], f"# {lines[2]}", *lines[3:]],
    "comment between": lambda lines: [*lines[:2], "# half", *lines[2:]],
    "score": lambda lines: ["Score: 10", *lines],
    "fence": lambda lines: ["```", *lines, "```"],
    "direction": lambda lines: ["\u200f" + lines[0], *lines[1:]],
    "empty head": lambda lines: ["|   " * 4 + "|", "|---" * 4 + "|", *lines],
}


@st.composite
def drawn_boards(draw: st.DrawFn) -> Board:
    """Draw a part of a solved board, with clues of both kinds and open cells."""
    height, width = draw(st.sampled_from([(4, 4), (6, 6), (4, 6), (6, 8), (8, 8)]))
    (board,) = bn.board(f"{height}x{width}", seed=draw(st.integers(0, 40)))
    cells = list(board.cells)
    number = draw(st.integers(height, len(cells) - 1))
    for place in draw(st.permutations(range(len(cells))))[:number]:
        cells[place] = "."
    assume({"0", "1"} <= set(cells))
    return Board(height, width, "".join(cells))


@examples(12)
@given(
    drawn_boards(),
    st.sampled_from(CELLS),
    st.sampled_from(SEPARATORS),
    st.sampled_from(sorted(FRAMES)),
    st.sampled_from(sorted(AROUND)),
)
def test_a_form_is_the_board_or_refused(
    board: Board, marks: tuple[str, str, str], separator: str, frame: str, around: str
) -> None:
    # Words and signs that touch are not apart for a person either.
    assume(separator.strip(" ") or max(map(len, marks)) == 1 or separator)
    assume(separator.strip(" ") != marks[2])
    names = dict(zip("01.", marks, strict=True))
    lines = FRAMES[frame]([separator.join(names[mark] for mark in row) for row in board.rows])
    text = "\n".join(AROUND[around](lines))
    found = [each for each in boards(text) if isinstance(each, Board)]
    assert found in ([], [board]), text


BOARD = Board(4, 4, ".1....0.0..1....")
ROWS = BOARD.rows
TABLE = [" | ".join(row).replace(".", " ") for row in ROWS]
NUMBERS = [", ".join({".": "-1"}.get(mark, mark) for mark in row) for row in ROWS]
READ = {
    **{
        name: "\n".join(FRAMES[name](NUMBERS))
        for name in ("array", "array of bytes", "jupyter", "tensor", "assigned")
    },
    "label": "\n".join(AROUND["label"](ROWS)),
    "Markdown": "|   |   |   |   |\n|---|---|---|---|\n" + "".join(f"| {row} |\n" for row in TABLE),
    "rules": "----\n" + "\n".join(ROWS) + "\n----",
    "bullets": "\n".join(FRAMES["bullets"]([" ".join(row) for row in ROWS])),
    "grep": "\n".join(FRAMES["grep"]([" ".join(row) for row in ROWS])),
    "labels": "\n".join(FRAMES["rows"]([" ".join(row) for row in ROWS])),
    "wiki": "\n".join(f"|| {row.replace('|', '||')} ||" for row in TABLE),
    "missing": "\n".join(",".join(row).replace(".", "#N/A") for row in ROWS),
    "bars around blanks": "\n".join(f"|{row.replace('.', ' ')}|" for row in ROWS),
    "words": "\n".join(", ".join(row) for row in ROWS).replace(".", "empty"),
    "2 for open": "4\n" + BOARD.cells.replace(".", "2"),
    "HTML": "<table>\n<tr><th>a<th>b</tr>\n\n"
    + "".join(f"<tr><th>1<td>{'</td><td>'.join(row)}</td></tr>" for row in ROWS).replace(".", "&nbsp;")
    + "</table>",
    "forum": "[spoiler]\n" + "\n".join(ROWS) + "\n[/spoiler]",
    "right to left": "\u200f" + "\n".join(ROWS),
    "B and R": "\n".join(",".join(row) for row in ROWS).translate(str.maketrans("01.", "RB ")),
    "MiniZinc": "size = 4;\n\ngiven =\n[| "
    + "\n | ".join(", ".join(row).replace(".", "<>") for row in ROWS)
    + "\n |];",
    "facts": "cell(0,1,1).\ncell(1,2,0).\ncell(2,0,0).\ncell(2,3,1).\ndim(4).",
    "triples": "4\n4\n0 1 1\n1 2 0\n2 0 0\n2 3 1",
    "LaTeX": "\n".join(rf"{' & '.join(row)} \\" for row in ROWS).replace(".", ""),
    "LaTeX with rules": r"\begin{tabular}{|c|c|c|c|}" + "\n\\hline\n"
    + "".join(rf"{' & '.join(row)} \\ \hline" + "\n" for row in ROWS) + r"\end{tabular}",
    "Markdown with names": "| 1 | 2 | 3 | 4 |\n|---|---|---|---|\n" + "".join(f"| {row} |\n" for row in TABLE),
    "source": "rows = [\n" + "".join(f'  "{row}",\n' for row in ROWS) + "];",
    "another key": '{"cells": [' + ", ".join(f'"{row}"' for row in ROWS) + "]}",
    "dashes between": "\n".join("-".join(row) for row in ROWS),
    "dashes and rules": "\n-------\n".join("-".join(row) for row in ROWS),
    "names of rows and columns": "  A B C D\n" + "\n".join(
        f"{name} {','.join(row)}" for name, row in zip("ABCD", ROWS, strict=True)
    ),
    "numbers before &": "\n".join(f"{k} {' & '.join(row)}" for k, row in enumerate(ROWS, 1)),
    "points after": "\n".join(f"{row.replace('.', '_')}." for row in ROWS),
    "a bar at the left": "\n".join(f"| {' | '.join(row)}".replace(".", " ") for row in ROWS),
    "tabs after": "\n".join(" ".join(row).replace(".", "NaN") + "\t" for row in ROWS),
    "its solution below a blank line": "\n".join([*ROWS, "", "0110", "1001", "0011", "1100"]),
    "empty between two bars": "\n".join("||".join(row) for row in ROWS).replace(".", ""),
    **{
        f"rows as in {form!r}": "\n".join(form.format(k, row) for k, row in enumerate(ROWS, 1))
        for form in (
            *("// {1}", "; {1}", "% {1}", "L{0}: {1}", "0{0} {1}", "{0},{1}", "{1} {0}", "{1};"),
            *("{1} |", "[{1}],", "<{1}>", "{1} # row {0}", "{1} // row {0}"),
        )
    },
    **{f"rows joined by {mark}": mark.join(ROWS) for mark in ("/", ",", "|", r"\n", "],[")},
    **{f"below {head}": f"{head}\n" + "\n".join(ROWS) for head in ("1 2 3 4", "c1,c2,c3,c4")},
    **{
        f"below the heading {head}": f"{head}\n" + "\n".join(ROWS)
        for head in ("Answer me:", "--- Puzzle 2 ---", "*** the end ***", "4x4 Binairo", "Q:")
    },
    "psql": " c1 | c2 | c3 | c4\n----+----+----+----\n"
    + "".join(f"  {' |  '.join(row)}\n".replace(".", " ") for row in ROWS)
    + "(4 rows)",
    "bold": "| | | | |\n|:-:|:-:|:-:|:-:|\n"
    + "".join(f"| {' | '.join('**' + mark + '**' for mark in row)} |\n" for row in ROWS).replace(
        "**.**", ""
    ),
    "pages of a magazine": "BINAIRO\n\nB  Binairo 2  (★★)\n" + "\n".join(ROWS)
    + "\n\nSOLUTIONS (page 11)\n\nBinairo 2\n0110\n1001\n0011\n1100",
    "a table of a wiki": '{| class="wikitable"\n|-\n'
    + "\n|-\n".join(f"| {' || '.join(row)}".replace(".", " ") for row in ROWS)
    + "\n|}",
    "a sheet with names": ";A;B;C;D\n"
    + "\n".join(f"{k};{';'.join(row)}" for k, row in enumerate(ROWS, 1)).replace(".", ""),
    "comments": "\n".join(f"{row}  (* row" for row in ROWS),
    "three quotes": 's = """\\\n' + "\n".join(ROWS) + '\n"""',
    "R": "m <- matrix(c(\n"
    + ",\n".join(", ".join(row) for row in ROWS).replace(".", "NA")
    + "), nrow = 4, byrow = TRUE)",
    "Prolog": "?- Rows = ["
    + ",\n ".join(f"[{','.join(row)}]" for row in ROWS).replace(".", "_")
    + "], takuzu(Rows), print(Rows).",
    "YAML": "grid:\n" + "\n".join(f'  - "{row}"' for row in ROWS),
    "black and white": "\n".join(" ".join(row) for row in ROWS).translate(
        {ord("0"): "white", ord("1"): "black", ord("."): "empty"}
    ),
    "tags": "Hi,\n\n<p>mine:</p>\n<pre>\n" + "\n".join(ROWS) + "\n</pre>",
    "br": "<p>" + "<br>\n".join(ROWS) + "</p>",
    "br in a line": "<p>" + "<br />".join(ROWS) + "</p>",
    "XML": "<?xml version='1'?>\n<p>\n" + "\n".join(f"<row>{row}</row>" for row in ROWS) + "\n</p>",
    "a table below a name": "Today:\n\n<table>"
    + "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in ROWS).replace(".", "&nbsp;")
    + "</table>",
    "a record below a name": 'Today:\n\n{"id": 7, "data": {"board": "' + BOARD.cells + '"}}',
    "in a line": "puzzle: [" + ", ".join(f"[{', '.join(row)}]" for row in ROWS) + "]",
    "a name like signs": "id: r1c1=r1c2 r2c1=r2c2 7\n" + "\n".join(ROWS),
    "rows in JSON": json.dumps({"name": "a", "rows": ROWS}),
    "places in JSON": '{"size": 4, "givens": [' + ", ".join(
        f'{{"row": {k // 4}, "col": {k % 4}, "value": {mark}}}'
        for k, mark in enumerate(BOARD.cells) if mark != "."
    ) + "]}",
    "ranges of facts": "row(0..3). col(0..3).\nc(0,1,1). c(1,2,0). c(2,0,0). c(2,3,1).",
    "its solution behind arrows": "\n".join(
        f"{row} -> {other}" for row, other in zip(ROWS, ("0110", "1001", "0011", "1100"), strict=True)
    ),
    "its solution below a rule": "\n".join([*ROWS, "===", "0110", "1001", "0011", "1100"]),
    "a blank line after each row": "\n\n".join(ROWS),
    "rules of = in columns": "\n".join(["= = = =", *(" ".join(row) for row in ROWS), "= = = ="]),
    "places": "4x4, given:\nR1C2: 1\nR2C3: 0\nR3C1: 0\nR3C4: 1",
    "quoted": "> Hi,\n>\n> " + "\n> ".join(ROWS) + "\n>\n> Regards",
    "colours": "\n".join(ROWS).replace("1", "\x1b[31m1\x1b[0m"),
    "facts from 1": "#const n=4.\ngiven(1,2,1). given(2,3,0). given(3,1,0). given(3,4,1).",
    "rules of =": "\n".join(["====", *ROWS, "===="]),
    "rules of ~": "\n~~~~\n".join(ROWS),
    "its solution below": "\n".join([*ROWS, "0110", "1001", "0011", "1100"]),
    "with its solution": "Input:\n" + "\n".join(ROWS) + "\nOutput:\n0110\n1001\n0011\n1100",
}  # fmt: skip


def test_the_answer_of_a_solver_in_facts_is_a_board() -> None:
    facts = " ".join(f"cell({k // 4},{k % 4},{mark})" for k, mark in enumerate("0110100100111100"))
    assert boards(f"Answer: 1\n{facts}\nSATISFIABLE") == [Board(4, 4, "0110100100111100")]


def test_a_puzzle_with_more_cells_is_no_other_one() -> None:
    puzzle, more = boards("Printed:\n01..\n.01.\n1..0\n....\n\nMine:\n011.\n.01.\n1..0\n..0.")
    assert isinstance(puzzle, Board)
    assert "the puzzle above with more cells" in str(more)


def test_a_box_may_have_signs_on_its_bars() -> None:
    text = """
+---+---+---+---+
|   |   x   |   |
+---+---+-=-+---+
|   |   | 0 |   |
+---+---+---+---+
| 0 |   |   = 1 |
+-x-+---+---+---+
|   |   |   |   |
+---+---+---+---+"""
    ((board, *signs),) = [
        (e.puzzle.board, *e.puzzle.signs)
        for e in formats.read_bytes(text.encode(), "x")
        if e.puzzle
    ]
    assert board.cells == "......0.0..1...."
    assert [str(sign) for sign in signs] == ["r1c2xr1c3", "r1c3=r2c3", "r3c1xr4c1", "r3c3=r3c4"]


def test_a_solution_below_rows_that_can_not_be_read_is_no_puzzle() -> None:
    text = "/ 0 1 /\n1 / / 0\n0 / / 1\n/ / 1 /\n\n0 0 1 1\n1 1 0 0\n0 1 0 1\n1 0 1 0\n"
    unread, solution = boards(text)
    assert "'/' is not a cell" in str(unread)
    assert "the solution of what is above it" in str(solution)


WIDE_ROWS = [
    "".join("." if (3 * row + 5 * k) % 7 < 5 else cell for k, cell in enumerate(cells))
    for row, cells in enumerate(bn.board(16, seed=1)[0].rows)
]


@pytest.mark.parametrize("text", [
    "/;/;1\n0;1;/\n\nPage 2\n\n0101\n1100\n0011\n1010",
    "x;x;x;x;x;x\n" * 2 + "# \nPage 2\n\n1;0;1;0;1;0\n1;0;0;1;0;1",
    "01..\n.0.1\n1...\n\n- 2 -\n\n.1..\nend",
    "0 1 . .\n. 0 1 .\n1 . 0 .\n\ncontinued\n\n0 . . 1\n2 solutions\nrows: 1 0",
    "01....\n.0..1.\n1.0...\n..1.0.\n\n0.1.0.\n....1.\nrows: 1 0",
    "0 1 / .\n/ / 0 .\n1 . 0 .\n\n0 . . 1\n1 . 0 1",
    "\n".join([*WIDE_ROWS, "=" * 16]),
    "\n\n".join(WIDE_ROWS),
    "\n".join(f"{row} {k % 4}" for k, row in enumerate(WIDE_ROWS)),
    "\n".join(f"Row {k}: {row}" for k, row in enumerate(WIDE_ROWS[:-1], 1)) + "\nRow 16: 0.1",
    "\n".join("|0|.|.|.|" for _ in range(4)) + "\n-\n" + "\n".join("|.|1|.|.|" for _ in range(2)),
    "-" * 36,
    "1 . - 1 - . - . - . - 0 - . - .",
    "#1     #2\n- - 1 1   - 1 - -\n- - - -   - - 1 -\n- 0 - -   - - 0 -\n- - 0 -   - 0 1 1",
    "....|.1.. |01..\n0...|.... |...1\n...1|..0. |....\n....|0... |.0..",
    "\n--------\n".join(["10......\n.10...10\n10..010.\n1..0.0.0\n.01.0..1\n0101...."] * 3),
    "x = \"\"\"" + "\n".join(WIDE_ROWS) + "\"\"\"",
    ".1..\n..0.\n0...\n....\n\nSigns:\n(1,1) = (1,2)",
    ".1..\n..0.\n0...\n....\nB1 x C1",
    "%\n".join(["0.1.\n..1.\n.0.1\n1...\n"] * 2) + "%\n",
    "{{-│ -│ -│ -},\n {-│ -│ -│ -},\n {-│ pink│ -│ red},\n {-│ -│ -│ -}};",
    '<div class="row"><p class="one"></p><p class="open"></p></div>\n' * 4,
    "__________\n" + "\n".join(f"{row[:8]} -> {row[8:]}" for row in WIDE_ROWS[:8]) + "\n-> 0",
    "0..0 -> 0110\n.001 -> 1001\n\n1100 | 1100\n00.1 -> 0011",
    "01..\n.0..\n\n(continued on page 11)\n\nTimes - page 11\n\n.1..\n..1.",
    "01..\n.0..\n\n[ad]\n\n.1..\n..1.",
    "01..\n.0..\n.1..\n..1.\n\nSorry, typo! Row 2 should be: 0 . . 1",
    "01..\n.0..\n.1..\n..1.\n\nI am not sure about row 1, it could also be\n.1..",
    "01..\n.0..\n.1..\n..1.\nIn column 6 there is a cross between rows 2 and 3.",
    "01..\n.0..\n.1..\n..1.\n\nSigns:\n\n| cell 1 | cell 2 | sign |\n|---|---|---|\n| (2,1) | (2,2) | = |",
    "01..\n.0..\n.1..\n..1.\n\nHorizontal signs:\n. . .\nx x .\n. = .\nx . .",
    '{"grid": ["01..", ".0..", ".1..", "..1."], "equal": [[[0, 0], [0, 1]]]}',
    "CAPITALS are the clues\nO x O X\nx O . x\nX o . .\nx x . O",
    "| **1** | 0 |   |   |\n" * 2 + "|   | **0** | 1 |   |\n" * 2,
    "Tic-tac-toe\n\nX | O | .\n. | X | .\nO | . | .",
    "Blank grid to print:\n....\n....\n....\n....",
    "I finished it, here is my completed grid!\n0110\n1001\n0011\n1100",
    "Yesterday's solution\n0110\n1001\n0011\n1100",
    "c(0,1,1). c(1,2,0). c(2,0,0). c(2,3,1).",
    *("\n".join([*ROWS, "", note]) for note in (
        *("Sorry, typo: the 1 in row 4 should be a 0.", "I forgot a 1 at R3C4!", "Each line is cut after 4 cells"),
        *("(mirrored: read every row from right to left)", "The rest of it tomorrow."),
    )),
    "Legend: X = 0, O = 1\n.X..\n..O.\nO..X\n....",
    *("\n".join([note, *ROWS]) for note in ("Top left corner:", "Given (columns, left to right):")),
    "R1C1 🟰 R1C2\n\n" + "\n".join(ROWS) + "\nOpposite: C1/D1",
    "(1,1) and (2,1) must be the same\n\n.1..\n..0.\n0...\n....",
])  # fmt: skip
def test_parts_of_a_board_are_no_puzzles(text: str) -> None:
    assert not [each for each in boards(text) if isinstance(each, Board)]


@pytest.mark.parametrize("name", READ)
def test_forms_that_are_read(name: str) -> None:
    assert boards(READ[name]) == [BOARD]


@pytest.mark.parametrize("signs", ["r1c1=r1c2, r3c4xr4c4", "R1C1 = R1C2, R3C4 x R4C4",
    "- R1C1 and R1C2 must be equal\n- R3C4 and R4C4 are opposite",
    "Constraints:\n- R1C1 and R1C2 must be equal\n- R3C4 and R4C4 differ", "row 1, column 1 = row 1, column 2\nrow 3, column 4 \u2260 row 4, column 4",
])  # fmt: skip
@pytest.mark.parametrize(
    "form", ["{1}\n\nSigns:\n{0}\n\n{1}", "{1}\n{0}\n\n{1}", "{0}\n\n{1}", "{0}\n{1}"]
)
def test_signs_may_be_listed_above_or_below(signs: str, form: str) -> None:
    text = form.format(signs, "\n".join(ROWS))
    entries = list(formats.read_bytes(text.encode(), "x"))
    expected = bn.Puzzle(BOARD, bn.PLUS, (bn.Sign(0, 0, "R", "="), bn.Sign(2, 3, "D", "x")))
    assert entries[0].puzzle == expected
    assert [entry.puzzle.signs for entry in entries[1:] if entry.puzzle] in ([], [()])


WIDE = """
..11.11.11......
..1.....1......0
.........1......
.0....11.....1.1
...00.........0.
................
..0..0.1.11....1
...1....0..1....
...1..0..1......
.0..........11.0
..1....1..0...0.
...0..01...0...1
"""


def test_records_of_collections_and_archives() -> None:
    rows = [[{".": None, "0": 0, "1": 1}[mark] for mark in row] for row in ROWS]
    inner = {"puzzle": rows, "solution": [[0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0]]}
    for outer in ("ground_truth", "metadata"):
        record = {"question": "Solve this puzzle: ...", "answer": "...", outer: inner}
        assert boards(json.dumps(record) + "\n") == [BOARD]
    archive = {
        "grid_size": [4, 4],
        "symbols": [[0, 0, "S"], [1, 1, "M"]],
        "walls": [[[0, 2], [0, 3], "x"], [[2, 1], [3, 1], "="]],
    }
    (entry,) = formats.read_bytes(json.dumps(archive).encode(), "x")
    signs = (bn.Sign(0, 2, "R", "x"), bn.Sign(2, 1, "D", "="))
    assert entry.puzzle == bn.Puzzle(Board(4, 4, "0....1.........."), bn.PLUS, signs)
    for wrong in ({"symbols": [[0, 4, "S"]]}, {"walls": [[[0, 0], [1, 1], "x"]]}):
        assert "not on a board of 4x4" in str(boards(json.dumps(archive | wrong))[0])


def test_a_sheet_may_begin_at_its_second_cell() -> None:
    rows = Board(4, 4, "..1...0..0..1..0").rows
    sheet = ",,,,\n" + "".join(f",{','.join(row)}\n" for row in rows).replace(".", "")
    assert boards(sheet) == [Board.from_rows(rows)]


def test_a_board_of_other_sides_may_have_an_open_row_at_its_edge() -> None:
    assert boards("1.....\n......\n..0...\n......\n......") == [
        Board(5, 6, "1.............0...............")
    ]
    (solved,) = bn.board("4x6", seed=1)
    puzzle = Board(4, 6, f"....{solved.cells[4:]}")
    assert boards("\n".join([*puzzle.rows, *solved.rows])) == [puzzle]


@pytest.mark.parametrize("form", ["{1}", "{0}. {1}", "// {1}", "{2} {1}"])
@pytest.mark.parametrize("mark", "-_")
def test_a_wide_board_is_no_list_of_puzzles(form: str, mark: str) -> None:
    (solved,) = bn.board("16x16", seed=1)
    board = Board.from_rows([solved.rows[0], "." * 16, *solved.rows[2:15], "." * 15 + "1"])
    rows = [row.replace(".", mark) for row in board.rows]
    lines = [form.format(k, row, "ABCDEFGHIJKLMNOP"[k - 1]) for k, row in enumerate(rows, 1)]
    assert boards("\n".join(lines)) == [board]
    narrow = [f"{k}-{row[:14]}" for k, row in enumerate(rows[:14], 1)]
    assert len(boards("\n".join(narrow))) == 1


@pytest.mark.parametrize("text", [
    "\t  | 1 | 0 |  \n" * 2 + "\t  |   | 1 | 0\n" * 2,
    "||  | 1 | 0 |  ||\n" * 4,
    '"  | 1 | 0 |  \\n"\n' * 4,
])  # fmt: skip
def test_blanks_beside_a_frame_may_be_cells(text: str) -> None:
    assert all(isinstance(each, str) or each.width == 4 for each in boards(text))


def test_a_bar_after_a_row_number_is_the_edge_of_the_cells_if_one_closes_them() -> None:
    rule = "+-----------+"
    lines = [rule, "| 0 | 1 | 0 |", rule, "| 1 | . | 0 |", rule]
    text = "\n".join(f"{number} {line}" for number, line in enumerate(lines, 1))
    assert boards(text) == [Board(2, 3, "0101.0")]


def test_several_boards_with_their_sizes_and_our_own_data() -> None:
    one = "#Start\n4 4\n" + "\n".join(ROWS) + "\n#End\n"
    assert boards(one * 2) == [BOARD, BOARD]
    puzzle = bn.Puzzle(BOARD, bn.UNRULY)
    for form in ("lp", "dzn"):
        _, data, _ = call("encode", "-", "--to", form, input=str(puzzle))
        (entry,) = formats.read_bytes(data.encode(), "x")
        assert entry.puzzle == puzzle


@pytest.mark.parametrize(("text", "message"), [
    ("0 1 0 -1\n0 0 1 1\n-1 0 -1 0\n1 -1 0 0", "symbols 01) or a board of 4x4"),
    ("o . . o\n* . o *\no . . *\n. . o o", "not clear which are equal"),
    ("01..\n.0.1\n#10.\n....\n..1.", "a comment or a row"),
    ("|----|\n|0-1-|\n|-1--|\n|--0-|\n|1---|\n|----|", "could be"),
    ("01..1\n.0.10\n..1.1\n1...0", "a smaller board with numbers beside it"),
    ("01..\n.0..\n\n.1..\n..1.", "2 boards or one board with blank lines"),
    ("01..\n.0..\n\nPage 2\n\n.1..\n..1.", "2 boards or one board with blank lines"),
    (". - . - . - .\n" * 2 + "\nPage 2\n\n0 - 1 - 0 - 1\n1 - 1 - 0 - 0", "2 boards or one board"),
    ("......\n" * 2 + "\nPage 2\n\n010101\n101010", "2 boards or one board"),
    ("0.1.1.1.\n" * 4 + "\nPage 2\n\n" + "1.0.....\n" * 4, "2 boards or one board"),
    ("0.1.1.\n" * 2 + "\n- 2 -\n\n" + "1.0...\n" * 4, "2 boards or one board"),
    ("[code]\n" + "0.1...\n" * 2 + "\n" + "1.0...\n" * 4 + "[/code]\n(2 points)", "2 boards or one"),
    ("......\n.....1\n..0110\n101001\n010011\n100110 ", "or a board of 6x6"),
    ("____\n01__\n_0__\n__1_\n1___\n____", "a smaller board with lines between its rows"),
    ("0=1=.=.\n.=0=.=.\n1=.=.=.\n.=.=0=.", "'=' is not a cell"),
    (".\t0\t.\nx\t\tx\n1\t.\t.", "the symbols .01x in one board"),
    ("0.1...\n" * 4 + "\nPage 2\n" + "1.0...\n" * 4, "2 boards or one board with blank lines"),
    ("+-----------+\n" + "|00 .. 01 ..|\n" * 4 + "+-----------+", "(cells of two digits"),
    ("01__\n____\n_0_1\n____\n1___", "a smaller board with lines between its rows"),
    ("01..\n.0..\n(continued)\n.1..\n..1.", "a line between the rows of one"),
    ("____\n01..\n.0..\n____", "the symbols .01_ in one board: it is not clear"),
    ("o - . - x - .\n# x - o - . - x\n. - x - o - .\n", "a comment or a row"),
    ("x, x, x, 1\nx, 0, x, x\n# x, x, 0, x\nx, x, x, x", "a comment or a row"),
    ("|____|\n|01__|\n|_0__|\n|__1_|\n|1___|\n|____|", "a smaller board with lines between its"),
    ("----\n#01..#\n#.0..#\n#.1..#\n#..1.#\n----", "a comment or a row"),
    ("1 |\n2 |", "'|' is not a cell"),
    ("1: 01.. \n2: .0..\n3: .1..\n\n4: ..1.\n5: ....\n6: 0...", "2 boards or one board"),
    ("tensor([[0, 1, 1, .],\n[., ., ., 0],\n\n[., 1, ., .],\n[0, ., ., .]]", "2 boards or one"),
    ("----\n01-1\n--0-\n-1--\n---0\n----", "a board of 4x4"),
    ("board = '';'0';'';''\n'';'';'1';''\n'0';'';'';''\n'';'';'';''", "a row after a name"),
    ("Puzzle: A: 1, , ,0\nB: , ,1, \nC:0, , , \nD: , ,1, ", "a name above the rows"),
    ("00 .. 01 ..\n.. 01 .. ..\n00 .. .. 01\n.. .. 01 ..", "a board of 4x4 (cells of two digits"),
    ("□ ● □ □\n□ □ ● □\n□ □ □ □\n□ ● □ □", "symbols ⬜⬛) or a board of 4x4"),
    ("2 2 2 2\n2 1 2 2\n2 2 2 2\n2 2 1 2", "not clear which are equal"),
    (WIDE, "12 puzzles of 4x4 or the rows of one board"),
    ("<html><table><tr><td>0</table>", "a board of 1x1"),
    ("<table><tr><td>0<td>1<tr><td>1<td>", "a table that does not end"),
    ("Zeile 1|.|O\nZeile 2|.|1\n===========", "is not a cell"),
    ("O.oO\n.oO.\no..O\nOo.o", "not clear which are equal"),
    ("_110\n__1_\n___1\n__0_\n----\n___0\n0_0_\n101_\n001_\n----\n_1_1\n_110\n101_\n0_01", "several boards"),
    ("Solution:\n0110\n1001\n0011\n1100", "the solution of a puzzle that is not above"),
    ("A 4x4 puzzle\n\n01..\n1...", "a part of one of 4x4 as stated"),
    ("rows = [\n '01..',\n '1...',", "a bracket is not closed"),
    ("Puzzle A      Puzzle B\n0 1 . .      . . 1 .\n1 . 0 .      . 1 . .\n. . . .      0 . . .\n0 . 0 1      . . . 1", "several boards side by side"),
    ('{"grid": ["01..", "....", "....", "...0"], "edges": [[0, 1, "="]]}', "'edges' may hold signs"),
    ("begin\npuzzle Binairo\nsize 4\nproblem\n- 1 - -\nend", "expected 4x4, as stated"),
    ("<table><tr><td><img></td></tr></table>", "this is HTML with tables, pictures or inputs"),
    ("<table><tr><td colspan=2>1</td></tr></table>", "this is HTML with cells that span"),
    ("<td>", "this is an XML document"),
    ("<html><tr><td class='zero'>", "no table with text in its cells"),
    ("[ 0 1\n. x", "'[' is not a cell"),
    ("<?xml version='1.0'?>\n<?mso-application progid='Excel.Sheet'?>", "perhaps a spreadsheet"),
    ("cell(1,1,0).\ncell(2,2,1).\nequal(1,2,3,4).", "facts that are not the cells of a board"),
])  # fmt: skip
def test_forms_that_are_refused(text: str, message: str) -> None:
    (only,) = boards(text)
    assert message in str(only)
