"""Links to Penpa+, an editor for grids, in which people share Binairo as white and black circles.

The part ``p`` of a link is a text, deflated and in base64. Its lines are a header (kind and size of
the grid, how it is turned, a title), the margins, modes of the editor, the drawing, the drawing of
an answer, and the cells of the grid. The symbols of a drawing are objects by place: a white circle,
0, is ``[1,"circle_M",2]`` and a black one, 1, is ``[2,"circle_M",2]``. Places count along the rows
of a grid that is two cells wider on each side; those of corners and edges follow. All else in a
drawing is refused: it may be a sign or a part of the rules.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from itertools import accumulate
from operator import sub
from typing import Any, NamedTuple
from urllib.parse import unquote

from binairo_cp.errors import BoardError, FormatError
from binairo_cp.formats.blocks import LineFormat
from binairo_cp.formats.entry import Entry, one_line, placed, with_solution, without_signs
from binairo_cp.formats.sources import TextLine
from binairo_cp.puzzle.board import MAX_SIDE, OPEN, Board
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Puzzle, Rules, rules_for

MOST_BYTES = 1 << 20
"""The text of a link has at most so many bytes; a thousand times as many fit in a short link."""

_NAMES = (
    "9qa Qpu_q Apu_a Ggrid Medit_mode Ssurface Lline ElineE Wwall Ccage Nnumber Ysymbol Pspecial "
    "Bboard Rcommand_redo Ucommand_undo 8command_replay 1numberS Ffreeline 2freelineE Tthermo "
    "3arrows Ddirection 0squareframe 5polygon 4deletelineE 6killercages 7nobulbthermo ___a"
)
_LONG = {"O": "null", "Z": "z", **{name[0]: f'"{name[1:]}"' for name in _NAMES.split()}}
"""What stands for z and a letter."""

_DRAWING = (
    "{zR:{z_:[]},zU:{z_:[]},z8:{z_:[]},zS:{},zN:{},z1:{},zY:{},zF:{},z2:{},zT:[],z3:[],zD:[],"
    "z0:[],z5:[],zL:{},zE:{},zW:{},zC:{},z4:{},z6:[],z7:[]}"
)
_LINK = "https://swaroopg92.github.io/penpa-edit/#m=edit&p="
LINK = re.compile(r"[^\s#?]*[#?]m=(?:edit|solve)&p=(?P<code>[^\s&]*)(?P<rest>\S*)")


def read(line: TextLine, source: str, default_rules: Rules | None) -> Entry:
    """Parse a link, perhaps with an answer. It does not state its rules."""
    if line.error:
        return Entry(error=line.error, source=source, line=line.number)
    try:
        link = LINK.fullmatch(line.text.strip())
        if not link:
            raise FormatError("not a link to Penpa+", expected=f"{_LINK}...")
        key = re.search("&a=([^&]*)", link["rest"])
        lines = _text(link["code"]).split("\n")
        header = [*lines[0].split(","), *[""] * 22]
        board, answer = _boards(header, lines, json.loads(_text(key[1]))[5] if key else [])
        name = header[15].removeprefix("Title:").replace("%2C", ",").strip()
        puzzle = Puzzle(board, rules_for((), default_rules))
        entry = Entry(puzzle, None, name or None, source, line.number)
        return with_solution(entry, answer) if answer else entry
    except (FormatError, BoardError) as error:
        fault = error if isinstance(error, FormatError) else FormatError(str(error))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, zlib.error):
        fault = FormatError("a damaged link to Penpa+", expected="the whole link of a board")
    return Entry(None, placed(fault, source, line.number), None, source, line.number)


LINKS = LineFormat("penpa", read)


def _text(code: str) -> str:
    """The text in a part of a link."""
    code = unquote(code).rstrip("=")
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    data = b64decode(code + "=" * (-len(code) % 4), validate=True)
    text = inflater.decompress(data, MOST_BYTES)
    if inflater.unconsumed_tail:
        raise FormatError(f"a link with a text of more than {MOST_BYTES:,} bytes")
    if not inflater.eof:
        raise ValueError("cut off")
    return re.sub("z(.)", lambda match: _LONG.get(match[1], match[0]), text.decode())


def _boards(header: list[str], lines: list[str], key: list[str]) -> tuple[Board, str]:
    """The board, and the cells of the answer; empty if there is none."""
    if header[21] and json.loads(_text(header[21]))["url"]:
        raise FormatError("Penpa+ shows an image behind the grid", expected="a board alone")
    grid = _grid(header, json.loads(lines[1]))
    places = grid.places
    if sorted(accumulate(json.loads(lines[5]))) != places:
        raise FormatError("Penpa+ shows a grid without some of its cells", expected="a rectangle")
    clues = _circles(json.loads(lines[3]), grid, "symbol")
    answer = _circles(json.loads(lines[4] or "{}"), grid, "symbol")
    answer |= {int(mark[:-3]): {",1A": "0", ",2A": "1"}[mark[-3:]] for mark in key}
    for colors in filter(lambda line: line.startswith("{"), lines[14:16]):
        _circles(json.loads(colors), grid)
    if answer and (missing := {*places} - {*clues, *answer}):
        message = f"the answer in Penpa+ has no circle {grid.where(min(missing))}"
        raise FormatError(message, expected="a circle in each cell, or no answer")
    board = Board(*grid.size, "".join(clues.get(place, OPEN) for place in places))
    full = {**clues, **answer}
    return board, "".join(full[place] for place in places if answer)


class _Grid(NamedTuple):
    """Where a board is in a grid that is two cells wider on each side."""

    size: Size
    places: list[int]
    stride: int
    area: int

    def where(self, place: int) -> str:
        """The cell of a place, or the one to which its corner or edge belongs."""
        cell = (place if place < 4 * self.area else place // 4) % self.area
        row, column = divmod(cell, self.stride)
        top, left = divmod(self.places[0], self.stride)
        return f"{'at' if place in self.places else 'beside'} r{row - top + 1}c{column - left + 1}"


def _grid(header: list[str], margins: list[int]) -> _Grid:
    if header[0] != "square" or "1" in header[11:15] or header[4:7] != ["0", "1", "1"]:
        raise FormatError("the grid of Penpa+ is not square, or turned", expected="rows of cells")
    above, below, left, right = margins
    stride, rows = int(header[1]) + 4, int(header[2]) + 4
    size = Size(rows - 4 - above - below, stride - 4 - left - right)
    if not 0 < min(size) <= max(rows, stride) <= 2 * MAX_SIDE or min(above, left) < 0:
        raise FormatError(f"Penpa+ shows a grid of {size}")
    starts = range((2 + above) * stride + 2 + left, (2 + above + size.height) * stride, stride)
    places = [place for start in starts for place in range(start, start + size.width)]
    return _Grid(size, places, stride, stride * rows)


def _circles(drawing: dict[str, Any], grid: _Grid, *fields: str) -> dict[int, str]:
    """The cells of a drawing that has circles alone, in these fields alone."""
    for field, content in drawing.items():
        if content and field not in fields and not field.startswith("command_"):
            numbers = re.findall("[0-9]+", json.dumps(content))
            at = f" {grid.where(int(numbers[0]))}" if numbers else ""
            raise FormatError(f"Penpa+ shows {field!r}{at}", expected="a board alone")
    found = {int(place): symbol for place, symbol in drawing.get("symbol", {}).items()}
    for place, (style, shape, _) in found.items():
        if shape != "circle_M" or style not in (1, 2) or place not in grid.places:
            message = f"Penpa+ shows the symbol {shape}__{style} {grid.where(place)}"
            raise FormatError(message, expected="circle_M__1 and circle_M__2 in cells")
    return {place: str(symbol[0] - 1) for place, symbol in found.items()}


def write(entry: Entry) -> str:
    """Write a puzzle as a link.

    Raises:
        FormatError: it has signs, a side of more than 100 cells (the editor makes no larger grid),
            or an id that can't be written on one line.
    """
    board = without_signs(entry, "a link to Penpa+").board
    height, width, stride = board.height, board.width, board.width + 4
    if max(height, width) > 100:
        raise FormatError("Penpa+ has no grid of more than 100x100 cells")
    name = "" if entry.id is None else one_line(entry.id).replace(",", "%2C").replace("z", "zZ")
    # The middle is a cell, its corner, the edge below or the edge beside it, in this order.
    kind = {(1, 1): 0, (0, 0): 1, (0, 1): 2, (1, 0): 3}[height % 2, width % 2]
    middle = (kind * (height + 4) + (height + 3) // 2) * stride + (width + 3) // 2
    head = f"{width},{height},38,0,1,1,{38 * (width + 1)},{38 * (height + 1)},{middle},{middle}"
    places = [(k // width + 2) * stride + k % width + 2 for k in range(height * width)]
    cells = zip(places, board.cells, strict=True)
    circles = ",".join(f'"{k}":[{int(cell) + 1},"circle_M",2]' for k, cell in cells if cell != OPEN)
    steps = [places[0], *map(sub, places[1:], places)]
    lines = [f"square,{head},0,0,0,0,Title: {name},Author: ,,,OFF,false", "[0,0,0,0]", "{}"]
    lines += [_DRAWING.replace("zY:{}", f"zY:{{{circles}}}"), _DRAWING, json.dumps(steps)]
    deflater = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    data = deflater.compress("\n".join(lines).encode()) + deflater.flush()
    return f"{_LINK}{b64encode(data).decode()}\n"
