"""Many short lines as few long pieces, counted before the first is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

_LINES = 20_000


def pieces(lines: Iterable[str], check_clock: Callable[[], None]) -> tuple[int, list[str]]:
    """How many lines there are, and their text; the clock is checked before each piece."""
    number, texts, rest = 0, [], iter(lines)
    check_clock()
    while piece := list(islice(rest, _LINES)):
        check_clock()
        number += len(piece)
        texts.append("".join(piece))
    return number, texts
