"""How cells are written in the formats for people: what the text and the line format share."""

from __future__ import annotations

from binairo_cp.board import OPEN

OPEN_MARKS = ".-_?"
EXPECTED = "cells of '0' and '1', and '.', '-', '_' or '?' for an open one"

_TO_CELLS = str.maketrans(OPEN_MARKS, OPEN * len(OPEN_MARKS))
_MARKS = frozenset("01" + OPEN_MARKS)


def first_wrong(text: str) -> int | None:
    """The place of the first character that is no cell; None if all are."""
    return next((place for place, mark in enumerate(text) if mark not in _MARKS), None)


def normalised(text: str) -> str:
    """Cells with ``.`` for each open one."""
    return text.translate(_TO_CELLS)
