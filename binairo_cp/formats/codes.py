"""Codes of other programs: tasks of puzzle-binairo.com, game IDs of Unruly, data of solvers.

A task lists the cells row by row: a digit is a clue, a letter skips 1 (a) to 26 (z) open cells.
The board is a square unless ``HEIGHTxWIDTH:`` precedes the code::

    b10e0a11c0d11b0c10e name

A game ID of Simon Tatham's Unruly begins with the size, width first, then ``u`` if lines must be
distinct, and an optional ``d`` with a difficulty. After a colon, each letter moves 1 (a) to 25 (y)
cells forward and puts a clue there, 0 if it is lower case and 1 if it is upper case; z moves
forward by 25 and puts no clue. The last letter moves one beyond the last cell::

    6x6u:CafBAdEAcDaf name

A game ID may be the end of a link to Unruly, and a saved game holds one. The links of this
project's page have a task and signs. Data of solvers are facts of ASP, answers of clingo, MiniZinc,
and lists of cells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qs, unquote

from binairo_cp.errors import BinairoError, BoardError, FormatError
from binairo_cp.formats import penpa
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import Entry, one_line, placed, without_signs
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.puzzle.board import MAX_SIDE, OPEN, Board
from binairo_cp.puzzle.grids import LEAST, Size, square
from binairo_cp.puzzle.rules import CLASSIC, PRESETS, UNRULY, Puzzle, Rules, Sign, rules_for

TASK = re.compile(r"(?:([0-9]{1,3})x([0-9]{1,3}):)?([01a-z]*[a-z][01a-z]*)")
LINK = re.compile(r"\s*(?:https?://|www\.)\S+\s*", re.IGNORECASE)
GAME_ID = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3}))?(u?)(?:d[a-z])?:([A-Za-z]+)")

_SKIP = 25
_MOST_CELLS = MAX_SIDE * MAX_SIDE

Decode = Callable[[str, Rules | None], Puzzle]


def begins_with_task(line: str) -> bool:
    """Whether a line is most likely a task. A row of a grid may contain letters too."""
    match = TASK.fullmatch(line.partition(" ")[0])
    # A run of more than 26 open cells begins with z, so other letters never follow each other.
    if match is None or re.search("[a-y][a-z]", match[3]) or set(match[3]) <= {*"01x"}:
        # A row of a grid may have x for open cells.
        return False
    size = _size(match[3])
    is_whole = size >= LEAST and square(size) and re.search("[01]", match[3])
    return match[1] is not None or bool(is_whole)


def read_link(line: TextLine, source: str, default_rules: Rules | None) -> Entry:
    """Parse a link to Unruly or to Penpa+, or a link that the page of this project shares."""
    code = line.text.strip()
    if penpa.LINK.fullmatch(code):
        return penpa.read(line, source, default_rules)
    fragment = code[code.find("#") + 1 :] if "#" in code else code[code.find("?") + 1 :]
    query = parse_qs(fragment)
    if "puzzle" not in query:
        return _read(replace(line, text=unquote(fragment)), source, default_rules, _linked)
    stated = query.get("rules", [""])[0]
    try:
        puzzle = _task(query["puzzle"][0], PRESETS.get(stated, default_rules))
        if stated.startswith("{"):
            puzzle = replace(puzzle, rules=Rules(**json.loads(stated)))
        signs = tuple(map(_shared_sign, filter(None, query.get("signs", [""])[0].split("_"))))
        rules = puzzle.rules if stated else rules_for(signs, default_rules)
        puzzle = replace(puzzle, signs=signs, rules=rules)
        return Entry(puzzle, None, None, source, line.number, states_rules=bool(stated))
    except (BinairoError, TypeError, ValueError) as error:
        message = getattr(error, "message", str(error))
        fault = FormatError(message, source=source, line=line.number, expected=_LINKS)
        return Entry(None, fault, None, source, line.number)


def _shared_sign(text: str) -> Sign:
    match = re.fullmatch(r"([0-9]+)\.([0-9]+)([RD])([ex])", text)
    if not match:
        raise ValueError(f"{text!r} is not a sign of a link")
    relation = "=" if match[4] == "e" else "x"
    return Sign(int(match[1]), int(match[2]), match[3], relation)  # type: ignore[arg-type]


def _linked(code: str, default_rules: Rules | None) -> Puzzle:
    if not GAME_ID.fullmatch(code):
        raise FormatError("this looks like the address of a page", expected=_LINKS)
    return _game(code, default_rules)


_LINKS = (
    "the puzzle itself, a link made with Share, or a link to Unruly that ends in #WIDTHxHEIGHT:..."
)


def read_saved(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzle of a saved game of Simon Tatham's collection, without the moves."""
    found: dict[str, TextLine] = {}
    for line in source.lines():
        if line is None:
            yield None
            continue
        match = re.match(r"([A-Z]+) *:[0-9]+:(.*)", line.text)
        if match:
            found.setdefault(match[1], replace(line, text=match[2]))
    game = found["GAME"].text if "GAME" in found else "no game"
    if game != "Unruly" or not {"PARAMS", "DESC"} <= found.keys():
        message = f"a saved game of {game}" if game != "Unruly" else "a saved game without a board"
        error = FormatError(message, source=source.name, line=1, expected="a saved game of Unruly")
        yield Entry(error=error, source=source.name, line=1)
        return
    code = f"{found['PARAMS'].text}:{found['DESC'].text}"
    whole = replace(found["DESC"], text=code)
    yield replace(_read(whole, source.name, default_rules, _game), line=1)


def _read(line: TextLine, source: str, default_rules: Rules | None, decode: Decode) -> Entry:
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    code, *rest = line.text.split(maxsplit=1) or [""]
    name = (rest[0].rstrip() if rest else "") or None
    begin = line.text.index(code)
    try:
        return Entry(decode(code, default_rules), None, name, source, line.number)
    except FormatError as error:
        fault = placed(error, source, line.number, begin + (error.column or 1))
    except BoardError as error:
        fault = FormatError(str(error), source=source, line=line.number, column=begin + 1)
    return Entry(None, fault, name, source, line.number)


def _task(code: str, default_rules: Rules | None) -> Puzzle:
    match = TASK.fullmatch(code)
    if not match:
        place = re.match(r"(?:[0-9]{1,3}x[0-9]{1,3}:)?[01a-z]*", code)
        wrong = place.end() if place else 0
        message = f"{code[wrong]!r} is not part of a task" if wrong < len(code) else "no letter"
        raise FormatError(message, column=wrong + 1, expected="digits 0 and 1, and letters a to z")
    size = _size(match[3])
    if size > _MOST_CELLS:
        raise FormatError(f"{size:,} cells", expected=f"{_MOST_CELLS:,} at most")
    cells = "".join(mark if mark in "01" else OPEN * _size(mark) for mark in match[3])
    shape = Size(int(match[1]), int(match[2])) if match[1] else square(size)
    if shape is None:
        message = f"{size} cells do not make a square"
        raise FormatError(message, expected="HEIGHTxWIDTH: before it")
    return Puzzle(Board(*shape, cells), rules_for((), default_rules))


def _size(marks: str) -> int:
    """The number of cells of a task."""
    return sum(1 if mark in "01" else ord(mark) - ord("a") + 1 for mark in marks)


def _game(code: str, default_rules: Rules | None) -> Puzzle:
    match = GAME_ID.fullmatch(code)
    if not match:
        if "#" in code:
            raise FormatError("a random seed, which only Unruly can read", expected=_GAME)
        raise FormatError("not a game id", expected=_GAME)
    width = int(match[1])
    height = int(match[2] or width)
    size = height * width
    cells = [OPEN] * size
    place = 0
    for number, letter in enumerate(match[4]):
        steps = ord(letter.lower()) - ord("a") + 1
        is_last = number == len(match[4]) - 1
        place += min(steps, _SKIP)
        if steps <= _SKIP and place <= size and not is_last:
            cells[place - 1] = "01"[letter.isupper()]
        if (place > size) != is_last:
            problem = "goes beyond the last cell" if place > size else "ends before the last cell"
            message = f"the code {problem} of a board of {height}x{width}"
            column, expected = match.start(4) + number + 1, "a last letter one beyond it"
            raise FormatError(message, column=column, expected=expected)
    if place != size + 1:
        message = f"the last letter goes {place - size} beyond the last cell"
        raise FormatError(message, column=len(code), expected="one")
    rules = CLASSIC if match[3] else UNRULY
    return Puzzle(Board(height, width, "".join(cells)), default_rules or rules)


TASKS = LineFormat("task", partial(_read, decode=_task))
GAME_IDS = LineFormat("unruly", partial(_read, decode=_game))
"""The default rules of a game ID are classic with ``u``, otherwise unruly."""

_GAME = "WIDTHxHEIGHT, u for distinct lines, a colon and letters: 8x8u:bCdE"


def write_task(entry: Entry) -> str:
    """Write a puzzle as a task.

    Raises:
        FormatError: it has signs, no open cell, or an id that can't be written on one line.
    """
    board = without_signs(entry, "a task").board
    if board.is_full:
        raise FormatError("a task can't hold a board without open cells")
    code = re.sub(r"\.{1,26}", lambda run: chr(ord("a") + len(run[0]) - 1), board.cells)
    is_whole = board.height == board.width and len(code) < len(board.cells) >= LEAST
    is_whole = is_whole and bool({*code} & {*"01"})
    size = "" if is_whole else f"{board.height}x{board.width}:"
    return f"{size}{code}{_name(entry)}\n"


def write_game_id(entry: Entry) -> str:
    """Write a puzzle as a game ID of Unruly.

    Raises:
        FormatError: Unruly does not support its rules, or its id can't be written on one line.
    """
    puzzle = without_signs(entry, "a game id of Unruly")
    board, rules = puzzle.board, puzzle.rules
    if replace(rules, distinct_lines=True) != CLASSIC or board.height % 2 or board.width % 2:
        raise FormatError("Unruly needs balanced lines of even length and runs of two at most")
    code, steps = "", 0
    for mark in [*board.cells, "0"]:
        steps += 1
        if mark != OPEN:
            letters = "z" * ((steps - 1) // _SKIP) + chr(ord("a") + (steps - 1) % _SKIP)
            code += letters.upper() if mark == "1" else letters
            steps = 0
    return f"{board.width}x{board.height}{'u' * rules.distinct_lines}:{code}{_name(entry)}\n"


def _name(entry: Entry) -> str:
    return "" if entry.id is None else f" {one_line(entry.id)}"


# Names begin at the beginning of a word: else a long word is searched from each of its letters.
_FACT = re.compile(r"\b([a-z]\w*)\(\s*([0-9]+(?:\s*,\s*[0-9]+)*)\s*\)\.?")
_ARRAY = re.compile(r"\b(\w+)\s*=\s*\[\|(.*?)\|?\s*\|\]", re.DOTALL)
_TRIPLE = re.compile(
    r"\s*(?:([0-9]+)[ ,\t]+([0-9]+)[ ,\t]|r([0-9]+)c([0-9]+)\s*[:=])\s*([01])\s*", re.IGNORECASE
)
_SIZE = re.compile(r"\D*\b([0-9]{1,3})\s*x\s*([0-9]{1,3})\b\D*")
_CONST = re.compile(r"#const\s+(n|size|height|width|rows|cols)\s*=\s*([0-9]+)\s*\.")
_RANGE = re.compile(r"\b(row|col)s?\(([01])\.\.([0-9]{1,3})\)\.")
_RULE = re.compile(r"% rule (\w+) (\w+)")
_WORDS = re.compile(
    r"(?:Answer: [0-9]+|SATISFIABLE|OPTIMUM FOUND|#const [^.]*\.(?: \[override\])?)"
)
_HEIGHTS, _WIDTHS = ("height", "rows", "dim", "size", "n"), ("width", "cols", "columns")
_TO_CELL = {"<>": OPEN, "_": OPEN, "-1": OPEN, "null": OPEN, "0": "0", "1": "1"}


class Facts(NamedTuple):
    """The rows of a board, and the rules that comments of our own files state."""

    rows: list[str]
    rules: str


def read_facts(lines: Iterable[str]) -> Facts | None:
    """The board that lines state; None if they are something else.

    Raises:
        FormatError: they are data of a solver, but not of a board alone.
    """
    text = "\n".join(line.strip() for line in lines)
    text = _CONST.sub(r"\1(\2).", text)
    text = _RANGE.sub(lambda side: f"{side[1]}s({int(side[3]) - int(side[2]) + 1}).", text)
    rules = " ".join(f"{name}={_WORD.get(value, value)}" for name, value in _RULE.findall(text))
    bare = re.sub(r"%.*", "", text).strip()
    rows = _of_array(bare) or _of_facts(bare) or _of_triples(bare)
    return Facts(rows, rules) if rows else None


_WORD = {"True": "yes", "False": "no"}


def _of_array(text: str) -> list[str] | None:
    # Up to the last end of an array, each beginning has an end, so nothing is searched twice.
    arrays = _ARRAY.findall(text, 0, text.rfind("|]") + 2)
    if not arrays:
        return None
    if len(arrays) > 1 or re.search(r"sign_\w+ = \[[^]]", text):
        raise FormatError("data of MiniZinc with more than a board", expected="the board alone")
    rows = [[part.strip() for part in row.split(",")] for row in arrays[0][1].split("|")]
    if wrong := [text for row in rows for text in row if text not in _TO_CELL]:
        raise FormatError(f"{wrong[0]!r} in data of MiniZinc", expected="0, 1, and <> or -1")
    return ["".join(_TO_CELL[text] for text in row) for row in rows]


def _of_facts(text: str) -> list[str] | None:
    facts = _FACT.findall(text)
    if not facts or _WORDS.sub("", _FACT.sub("", text)).strip():
        return None
    values: dict[str, list[list[int]]] = {}
    for name, numbers in facts:
        values.setdefault(name, []).append([int(number) for number in numbers.split(",")])
    sides = {
        name: value[0][0] for name, value in values.items() if {len(row) for row in value} == {1}
    }
    cells = [value for name, value in values.items() if name not in sides]
    if len(cells) != 1 or {len(row) for row in cells[0]} != {3}:
        message = "facts that are not the cells of a board"
        raise FormatError(message, expected="name(row, column, 0 or 1)")
    height = next((sides[name] for name in _HEIGHTS if name in sides), None)
    width = next((sides[name] for name in _WIDTHS if name in sides), height)
    return board_with(cells[0], None if height is None else Size(height, width or height))


def _of_triples(text: str) -> list[str] | None:
    """The rows of a size, perhaps a number of clues, and a row, column and value for each."""
    lines = text.split("\n")
    matches = [_TRIPLE.fullmatch(line) for line in lines]
    start = next((k for k, match in enumerate(matches) if match), len(lines))
    triples = [[int(each) for each in match.groups() if each] for match in matches if match]
    if not 1 <= start <= 2 or len(triples) != len(lines) - start or len(triples) < 3:
        return None
    numbers = [
        list(size.groups()) if (size := _SIZE.fullmatch(line)) else line.split()
        for line in lines[:start]
    ]
    if not all(text.isdecimal() for row in numbers for text in row):
        return None
    if start == 2 and numbers[1] != [str(len(triples))]:
        return None
    sides = [int(number) for number in numbers[0]]
    if (sides[0], sides[-1]) == (len(triples), 3):
        return None  # as likely the rows of a board with three columns below its size
    if len({(row, column) for row, column, _ in triples}) < len(triples):
        return None  # no cell stands twice in a list
    return board_with(triples, Size(sides[0], sides[-1])) if len(sides) < 3 else None


def board_with(cells: list[list[int]], size: Size | None) -> list[str]:
    """The rows of a board with these cells, which count from 0 or from 1, if that is clear."""
    rows, columns, values = zip(*cells, strict=True)
    is_stated = size is not None
    begin = 0 if 0 in rows or 0 in columns else 1
    size = size or Size(max(rows) + 1 - begin, max(columns) + 1 - begin)
    is_clear = begin == 0 or max(rows) == size.height or max(columns) == size.width
    if not is_stated and (size.height != size.width or size.height % 2):
        raise FormatError(f"cells of {size} without a size", expected="a fact such as height(6)")
    if not is_clear or max(size) > MAX_SIDE or set(values) - {0, 1}:
        message = "cells by row and column: it is not clear whether they count from 0 or from 1"
        raise FormatError(message, expected="a board, one row per line")
    board = [[OPEN] * size.width for _ in range(size.height)]
    for row, column, value in cells:
        if row - begin >= size.height or column - begin >= size.width:
            raise FormatError(f"the cell {row}, {column} is not on a board of {size}")
        if board[row - begin][column - begin] not in (OPEN, str(value)):
            raise FormatError(f"the cell {row}, {column} has two values")
        board[row - begin][column - begin] = str(value)
    return ["".join(row) for row in board]
