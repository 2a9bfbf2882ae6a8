"""Boards as boxed text for terminals, with or without colour."""

from __future__ import annotations

from binairo_cp.deduction.styles import CHARACTERS, column_name
from binairo_cp.puzzle.board import OPEN, Cell
from binairo_cp.rendering.boards import View

_SIGNS = {"=": "=", "x": "\u00d7"}
_RESET = "\x1b[0m"
_CLUE, _SOLVED, _FAINT = "\x1b[1m", "\x1b[36m", "\x1b[2m"
_FILLED, _REASON = "\x1b[1;30;43m", "\x1b[30;46m"
_SUPPOSED, _BROKEN = "\x1b[30;45m", "\x1b[1;37;41m"
_SUBSCRIPTS = {ord("0") + digit: 0x2080 + digit for digit in range(10)}
"""The number of a step of a chain follows its value."""


def draw(view: View, *, colour: bool) -> str:
    """Return a board as lines of text, each with a line end."""
    has_highlights = view.highlights is not None
    pitch = 4 if has_highlights else 2
    width = view.board.width
    across = {(s.row, s.column): s.relation for s in view.puzzle.signs if s.direction == "R"}
    below = {(s.row, s.column): s.relation for s in view.puzzle.signs if s.direction == "D"}
    edge = "\u2500" * (pitch * width + (-1 if has_highlights else 1))
    margin = " " * (len(str(view.board.height)) + 1) * has_highlights
    names = (f"{column_name(number, view.coordinates):^3}".ljust(pitch) for number in range(width))
    lines = [f"{margin} {''.join(names)}"] if has_highlights else []
    lines.append(f"{margin}\u250c{edge}\u2510")
    for row in range(view.board.height):
        cells = []
        for column in range(width):
            sign = _SIGNS.get(across.get((row, column), ""), " ")
            if has_highlights and column == width - 1:
                sign = ""
            cells.append(_cell(view, Cell(row, column), colour) + sign)
        text = "".join(cells)
        start = f"{row + 1:>{len(margin) - 1}} " if has_highlights else ""
        lines.append(f"{start}\u2502{'' if has_highlights else ' '}{text}\u2502")
        if any(place[0] == row for place in below):
            signs = (_SIGNS.get(below.get((row, c), ""), " ") for c in range(width))
            gaps = "".join(f" {sign}  " if has_highlights else f"{sign} " for sign in signs)
            lines.append(f"{margin}\u2502{gaps[:-1] if has_highlights else f' {gaps}'}\u2502")
    lines.append(f"{margin}\u2514{edge}\u2518")
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _cell(view: View, cell: Cell, colour: bool) -> str:
    highlights = view.highlights
    value = view.board[cell]
    if highlights is None:
        style = _style(view, cell, value)
        return _styled(_character(view, value), style, colour)
    character = _character(view, highlights.shown.get(cell, value))
    if cell == highlights.tried:
        return _styled(f"?{character}?", _FILLED, colour)
    number = str(highlights.numbers.get(cell, "")).translate(_SUBSCRIPTS)
    if cell in highlights.broken:
        # Two digits would leave no room for the mark.
        end = number if len(number) == 1 else "!"
        return _styled(f"!{character}{end}", _BROKEN, colour)
    if number:
        return _styled(f"{character}{number}".center(3), _SUPPOSED, colour)
    if cell in highlights.filled:
        return _styled(f"[{character}]", _FILLED, colour)
    if cell in highlights.reason:
        return _styled(f"({character})", _REASON, colour)
    return f" {_styled(character, _style(view, cell, value), colour)} "


def _character(view: View, value: str) -> str:
    return "\u00b7" if value == OPEN else CHARACTERS[view.symbols][int(value)]


def _style(view: View, cell: Cell, value: str) -> str:
    if value == OPEN:
        return _FAINT
    return _SOLVED if view.puzzle.board[cell] == OPEN else _CLUE


def _styled(text: str, style: str, colour: bool) -> str:
    return f"{style}{text}{_RESET}" if colour else text
