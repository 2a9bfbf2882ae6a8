"""Memory of finished searches, which the next searches of the same shape use again.

Allocating it takes about as long as deciding a small puzzle. A searcher belongs to one search at a
time, since searches of several threads run at once, and a paused one needs its boards later.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from binairo_cp.errors import BackendSizeError
from binairo_cp.puzzle.rules import Rules
from binairo_cp.solving.backends.bitboard import kernel

_MAX_BYTES = 1 << 19
_MAX_KEPT = 4
_MAX_SHAPES = 32

_free: dict[tuple[int, int, Rules], list[kernel.Searcher]] = {}


def take(height: int, width: int, rules: Rules) -> kernel.Searcher:
    """A free searcher; `give_back` makes it free again.

    Raises:
        BackendSizeError: a line has more than 64 cells.
    """
    try:
        searcher = _free[height, width, rules].pop()
    except (KeyError, IndexError):
        if max(height, width) > kernel.MAX_LENGTH:
            raise BackendSizeError(
                f"bitboard takes lines of up to {kernel.MAX_LENGTH} cells, "
                f"not a {height}x{width} board"
            ) from None
        searcher = kernel.Searcher(height, width, rules)
    searcher.count_use()
    return searcher


def give_back(searcher: kernel.Searcher) -> None:
    """Keep a searcher for the next search, unless it is large or there are enough."""
    key = (searcher.height, searcher.width, searcher.rules)
    if len(_free) >= _MAX_SHAPES and key not in _free:
        _free.clear()
    kept = _free.setdefault(key, [])
    if len(kept) < _MAX_KEPT and searcher.bytes <= _MAX_BYTES:
        kept.append(searcher)


@contextmanager
def borrowed(height: int, width: int, rules: Rules) -> Iterator[kernel.Searcher]:
    """A searcher for a ``with`` block."""
    searcher = take(height, width, rules)
    try:
        yield searcher
    finally:
        give_back(searcher)
