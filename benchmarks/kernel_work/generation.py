"""Boards by each method, steps of Gibbs sampling, lists of boards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from binairo_cp import CLASSIC, UNRULY, Rules
from binairo_cp.generation import boards
from binairo_cp.generation.boards import draw_words, seed_of, shape_of

_ODD = Rules(odd="ones")


def work() -> dict[str, Callable[[], object]]:
    """The pieces of work."""
    found: dict[str, Callable[[], object]] = {}
    for side, gibbs, rows in ((6, 3000, 10000), (10, 400, 2000), (14, 140, 700), (20, 40, 250)):
        found[f"{side}x{side} by rows and steps"] = partial(_drawn, side, side, gibbs, None)
        found[f"{side}x{side} by rows"] = partial(_drawn, side, side, rows, 0)
    found["6x6 by number"] = partial(
        boards.draw_boards, 6, 6, [seed_of(k) for k in range(8000)], CLASSIC, "uniform"
    )
    for side, rules in ((10, CLASSIC), (11, _ODD), (20, UNRULY), (40, UNRULY)):
        found[f"steps on {side}x{side}"] = _steps(side, rules, 1_500_000 // side**2 * 10)
    for height, width in ((6, 8), (7, 7), (8, 8)):
        found[f"list of {height}x{width}"] = partial(_list, height, width)
    return found


def _drawn(height: int, width: int, number: int, steps: int | None) -> object:
    shape = shape_of(height, width, CLASSIC)
    words = np.zeros((number, height), np.uint64)
    states = np.array([seed_of(k) for k in range(number)], np.uint64)
    taken = boards._steps(height, width) if steps is None else steps
    return draw_words(shape, words, states, taken, 10 * height, 1000)


def _steps(side: int, rules: Rules, number: int) -> Callable[[], object]:
    shape = shape_of(side, side, rules)
    words, states = np.zeros((1, side), np.uint64), np.array([1], np.uint64)
    draw_words(shape, words, states, 0, 10 * side, 10_000)
    return lambda: draw_words(shape, words.copy(), states.copy(), number, 0, 0)


def _list(height: int, width: int) -> object:
    boards._listed.cache_clear()
    return boards._listed(height, width, CLASSIC)
