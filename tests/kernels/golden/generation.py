"""Random boards and puzzles, lists of boards, and walks on boards."""

import hashlib
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np

from binairo_cp import CLASSIC, TANGO, UNRULY, Rules
from binairo_cp.errors import BinairoError
from binairo_cp.generation.boards import (
    Method,
    board_of_number,
    count_boards,
    draw_boards,
    draw_words,
    seed_of,
    shape_of,
    words,
)
from binairo_cp.generation.puzzles import Recipe, generate_puzzles

RULES = {
    "classic": CLASSIC,
    "unruly": UNRULY,
    "odd ones": Rules(odd="ones"),
    "odd zeros": Rules(distinct_lines=False, odd="zeros"),
}
METHODS: tuple[Method, ...] = ("auto", "uniform", "gibbs", "rows")
SMALL = [(height, width) for height in range(1, 8) for width in range(1, 8)]
SMALLEST = [(1, 1), (1, 4), (3, 3), (4, 4), (4, 5), (5, 4), (2, 6), (6, 3), (5, 5), (4, 6)]
LARGE = [
    *((side, side) for side in (8, 9, 10, 11, 12, 14, 16, 20)),
    *((6, 14), (14, 6), (10, 11), (11, 10), (12, 15), (15, 12)),
]
LONG = [(1, 64), (64, 1), (64, 2), (3, 40), (24, 24), (21, 30), (33, 33), (40, 40), (64, 64)]
RECIPES = {
    **{f"irreducible {side}": Recipe(side, side) for side in (4, 5, 6, 7, 8, 10, 12, 14)},
    **{f"unruly {side}": Recipe(side, side, UNRULY) for side in (6, 7, 10)},
    "rows": Recipe(9, 10, method="rows"),
    "gibbs": Recipe(6, 6, method="gibbs"),
    "symmetric": Recipe(8, 8, pattern="rotate2", irreducible=True),
    "signs": Recipe(8, 8, TANGO, signs=9, irreducible=True),
    "clues": Recipe(10, 12, clues=40),
    "medium": Recipe(12, 12, level="medium"),
    "hard": Recipe(10, 10, level="hard"),
}


def results() -> dict[str, Any]:
    """All results; digests where they are long."""
    return (
        {
            f"words of {seed}": words(seed, 4).tolist()
            for seed in (0, 1, 1234567, 2**63, 2**64 - 1, seed_of("a", 1))
        }
        | quick()
        | _drawn(SMALLEST, list(RULES), METHODS, 1)
        | _drawn(LARGE, list(RULES), ["gibbs", "rows"], 3)
        | _drawn(LONG, ["unruly"], ["gibbs"], 2)
        | _listed([*SMALL, (6, 8), (8, 6)], list(RULES))
        | _walks([*SMALL, *LARGE], list(RULES), 40)
        | _walks([*SMALLEST, (10, 10), (1, 64), (64, 5), (33, 33)], list(RULES), 5)
        | {f"puzzles, {name}": _puzzles(recipe) for name, recipe in RECIPES.items()}
    )


def quick() -> dict[str, Any]:
    """Those that take little time without compiled code."""
    return (
        _drawn(SMALL, ["classic"], ["rows"], 2)
        | _drawn([(3, 3), (4, 4), (5, 5)], ["classic", "unruly"], METHODS, 1)
        | _listed([(3, 3), (4, 5), (5, 4)], ["unruly", "odd ones"])
        | _walks([(4, 4), (5, 5), (10, 10), (33, 33)], ["unruly"], 5)
    )


def _drawn(
    sizes: list[tuple[int, int]], rules: list[str], methods: Iterable[Method], number: int
) -> dict[str, Any]:
    return {
        f"{height}x{width} {name} {method} {number}": _cells(height, width, name, method, number)
        for (height, width), name, method in product(sizes, rules, methods)
    }


def _cells(height: int, width: int, rules: str, method: Method, number: int) -> str | list[str]:
    seeds = [seed_of(height, width, rules, method, k) for k in range(number)]
    try:
        boards = draw_boards(height, width, seeds, RULES[rules], method)
    except BinairoError as error:
        return str(error)
    return [f"{_number(each.cells):x}" if height < 6 else _digest(each.cells) for each in boards]


def _listed(sizes: list[tuple[int, int]], names: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (height, width), name in product(sizes, names):
        rules = RULES[name]
        try:
            number = count_boards(height, width, rules)
        except BinairoError as error:
            found[f"list of {height}x{width} {name}"] = str(error)
            continue
        every = range(0, number, max(1, number // 50))
        text = " ".join(board_of_number(height, width, each, rules).cells for each in every)
        found[f"list of {height}x{width} {name}"] = [number, _digest(text)]
    return found


def _walks(sizes: list[tuple[int, int]], names: list[str], steps: int) -> dict[str, Any]:
    """Boards and the states of the random numbers after a search by rows, and after a walk."""
    found: dict[str, Any] = {}
    for (height, width), name in product(sizes, names):
        shape = shape_of(height, width, RULES[name])
        boards = np.zeros((2, height), np.uint64)
        states = np.array([seed_of(height, name, k) for k in range(2)], np.uint64)
        kept: list[Any] = []
        for taken, tries in ((0, 50), (steps, 0), (1, 0)):
            drawn = draw_words(shape, boards, states, taken, 10 * height, tries)
            kept += [drawn, *(f"{state:x}" for state in states.tolist())]
            kept.append(_digest(str(boards[:drawn].tolist())))
            if drawn < len(boards):
                break
        found[f"walk of {steps} on {height}x{width} {name}"] = kept
    return found


def _puzzles(recipe: Recipe) -> list[str]:
    generated = generate_puzzles(recipe, "golden", range(3), graded=False)
    return [_digest(str(each)) for each in generated]


def _number(cells: str) -> int:
    return int(f"1{cells}", 2)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
