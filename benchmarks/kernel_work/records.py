"""Flat records parsed, and slices copied."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from binairo_cp.formats import columnar
from binairo_cp.puzzle.slices import Slices, joined


def work() -> dict[str, Callable[[], object]]:
    """Records of 10x10 puzzles, and their parts joined."""
    clues = ("01..1.0.." * 12)[:100]
    lines = [
        f'{{"id":"{k}","height":10,"width":10,"clues":"{clues}","rules":"classic"}}'.encode()
        for k in range(100_000)
    ]
    data = np.frombuffer(b"\n".join(lines) + b"\n", np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    columns = [Slices.of(lines), Slices.of([b"\n"] * len(lines))]
    return {
        "find": lambda: columnar.find_flat(data, starts, ends),
        "join": lambda: joined(columns),
    }
