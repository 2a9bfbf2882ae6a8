"""Many short lines as few long pieces, counted before the first is written."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_LINES = 20_000


def pieces(lines: Iterable[str]) -> tuple[int, list[str]]:
    """How many lines there are, and their text."""
    number, texts, rest = 0, [], iter(lines)
    while piece := list(islice(rest, _LINES)):
        number += len(piece)
        texts.append("".join(piece))
    return number, texts
