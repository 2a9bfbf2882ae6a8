"""Boards and sentences as HTML, for notebooks; results in one line, for the prompt."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

_OPEN = "."

# Notebooks shade every second row and the row under the mouse, which looks like clues, and align
# cells to the right. The colours can be seen on light and on dark pages.
_STYLE = """<style>
.binairo-board { overflow: auto; max-height: 45em; }
.binairo-board table { border-collapse: collapse; margin: 0.5em 0; }
.binairo-board tbody tr { background: none !important; }
.binairo-board table td { position: relative; box-sizing: border-box; min-width: 2em;
  height: 2em; padding: 0; border: 1px solid #888; text-align: center !important;
  font-family: monospace; }
.binairo-board td.clue { background: #8884; }
.binairo-board td.marked { outline: 3px solid #e69f00; outline-offset: -3px; }
.binairo-board i { position: absolute; z-index: 1; width: 1.2em; border-radius: 50%;
  background: #777; color: #fff; font: 0.7em/1.2em monospace; }
.binairo-board i.R { right: -0.6em; top: calc(50% - 0.6em); }
.binairo-board i.D { bottom: -0.6em; left: calc(50% - 0.6em); }
</style>"""


def table(
    board: Any, clues: Any = None, signs: Iterable[Any] = (), marked: Container[Any] = ()
) -> str:
    """A board as an HTML table.

    Args:
        board: the `Board`, which can't be imported here, since boards show themselves.
        clues: a board of the same size whose cells are shaded; None for the board itself.
        signs: the signs between cells.
        marked: cells with a coloured border.
    """
    drawn: dict[Any, str] = {}
    for sign in signs:
        text = f'<i class="{sign.direction}">{"=" if sign.relation == "=" else "&times;"}</i>'
        drawn[sign.cells[0]] = drawn.get(sign.cells[0], "") + text
    shaded = (clues or board).cells
    cells = [
        _cell(cell, clue != _OPEN, board.cell(place) in marked, drawn.get(board.cell(place), ""))
        for place, (cell, clue) in enumerate(zip(board.cells, shaded, strict=True))
    ]
    starts = range(0, len(cells), board.width)
    rows = "".join(f"<tr>{''.join(cells[start : start + board.width])}</tr>\n" for start in starts)
    return f'{_STYLE}<div class="binairo-board"><table><tbody>\n{rows}</tbody></table></div>'


def _cell(cell: str, is_clue: bool, is_marked: bool, signs: str) -> str:
    symbol = "" if cell == _OPEN else cell
    names = " ".join(["clue"] * is_clue + ["marked"] * is_marked)
    # Bold by its element, because some pages remove styles.
    text = f"<b>{symbol}</b>" if is_clue else symbol
    return f'<td class="{names}">{text}{signs}</td>' if names else f"<td>{text}{signs}</td>"


def headed(
    text: str,
    board: Any = None,
    clues: Any = None,
    signs: Iterable[Any] = (),
    marked: Container[Any] = (),
) -> str:
    """Lines of text as paragraphs, and below them the table of a board, if there is one."""
    paragraphs = "".join(f"<p>{_escaped(line)}</p>" for line in text.splitlines())
    return paragraphs if board is None else paragraphs + table(board, clues, signs, marked)


def numbered(texts: Iterable[str]) -> str:
    """Texts as a numbered HTML list, each with its lines."""
    items = ("<br>".join(map(_escaped, text.splitlines())) for text in texts)
    return f"<ol>{''.join(f'<li>{item}</li>' for item in items)}</ol>"


class Brief:
    """A result that the prompt shows as one line. The attributes have the rest."""

    __slots__ = ()

    def _brief(self) -> str:
        return str(self).partition("\n")[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._brief()}>"


class Sentences:
    """A result that notebooks show as its text."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return headed(str(self))


def _escaped(text: str) -> str:
    # Imported here, because few results are shown in notebooks, and it takes a millisecond.
    from html import escape

    return escape(text)
