"""Grids of other symbols, such as X and O or coloured circles, with the headers of the text format.

::

    id: first-steps
    X . O .
    . O . .

    🔴⬜⬜🔵
    ⬜🔴⬜⬜

Each grid uses the two symbols of one row of `cells.SETS`; the first one is 0. Open cells are marked
as in the text format, or with one of `cells.OPEN_SYMBOLS`. Beside symbols of another set, a square
or circle of a single colour is an open cell. In rows with tabs an empty field is an open cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from binairo_cp.formats import free_text, text
from binairo_cp.formats.entry import Choices, Entry
from binairo_cp.formats.sources import Source
from binairo_cp.puzzle.rules import Rules


def read(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a text, as in `free_text.read`, but a board may have any size.

    Raises:
        SourceError: the rest of the file can't be read.
    """
    return free_text.read(source, default_rules, Choices("symbols"))


def write(entry: Entry) -> str:
    """Write a puzzle in the text format, with O for 0 and X for 1.

    Raises:
        FormatError: its id can't be written on one line.
    """
    return _ROW.sub(lambda row: row[1] + row[2].translate(_TO_LETTERS), text.write(entry))


_ROW = re.compile(r"^((?:[0-9]+x[0-9]+:)?)([01.]+)$", re.MULTILINE)
_TO_LETTERS = str.maketrans("01", "OX")
