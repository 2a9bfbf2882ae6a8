"""The searches of the bitboard: solutions in order, and the nodes that they take."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

from benchmarks import puzzles
from binairo_cp import Board, Puzzle, Rules, Sign
from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.solving.backends import Budget, bitboard
from binairo_cp.solving.backends.bitboard import Bitboard, BitboardSearch

_INSTANCES = Path("instances/index.ndjson")
_RULES = [
    *dict.fromkeys(PRESETS.values()),
    Rules(balanced=False),
    Rules(longest_run=1, distinct_lines=False),
    Rules(longest_run=3),
    Rules(longest_run=64, balanced=False),
    Rules(odd="ones"),
]
_SALTS = (0, 0x9E3779B1)


def quick() -> dict[str, Any]:
    """Some of the results, which the uncompiled code finds within two seconds."""
    return {
        "instances": _states(islice(_instances(), 0, None, 12)),
        "some irreducible 6x6": _states(puzzles.load(6)[:20]),
        "shapes, 1 to 6": _states(islice(_shapes(range(1, 7)), 30)),
    }


def results() -> dict[str, Any]:
    """All results."""
    irreducible = {6: 200, 10: 200, 14: 60, 20: 4}
    return (
        {f"irreducible {n}x{n}": _states(puzzles.load(n)[:k]) for n, k in irreducible.items()}
        | {
            "all instances": _states(_instances()),
            "shapes, 1 to 64": _states(_shapes([1, 2, 7, 10, 12, 13, 20, 63, 64])),
            "solutions": [_listed(each) for each in islice(_shapes([4, 6, 8, 10, 15]), 60)],
            "counts": [_counted(each) for each in islice(_shapes([1, 3, 4, 5, 6, 7]), 80)],
        }
        | quick()
    )


def _instances() -> Iterator[Puzzle]:
    for line in _INSTANCES.read_text().splitlines():
        record = json.loads(line)
        if max(record["height"], record["width"]) > 64:
            continue
        rules = record["rules"]
        yield Puzzle(
            Board(record["height"], record["width"], record["clues"]),
            PRESETS[rules] if isinstance(rules, str) else Rules(**rules),
            tuple(Sign(*sign) for sign in record["signs"]),
        )


def _shapes(sides: Iterable[int]) -> Iterator[Puzzle]:
    """Puzzles of many shapes under many rules, with and without signs, some without a solution."""
    random = Random("shapes")
    for (height, width), rules in product(product(sides, repeat=2), _RULES):
        empty = Puzzle(Board.empty(height, width), rules)
        solved = next(_solutions(empty, 2_000), None)
        solution = solved.cells if solved else ".01."[: height * width] * (height * width)
        for share, most_signs in ((0.15, 0), (0.4, 0), (0.1, 8)):
            cells = [value if random.random() < share else "." for value in solution]
            if random.random() < 0.2:
                cells[int(random.random() * height * width)] = "0"
            signs = {
                (r, c): Sign(
                    r, c, "R", "=x"[solution[r * width + c] != solution[r * width + c + 1]]
                )
                for r in range(height)
                for c in range(width - 1)
                if solved and random.random() * height * width < most_signs
            }
            board = Board(height, width, "".join(cells[: height * width]))
            yield Puzzle(board, rules, tuple(signs.values()))


def _solutions(puzzle: Puzzle, work: int) -> Iterator[Board]:
    try:
        yield from Bitboard().solutions(puzzle, limit=256, budget=Budget(work=work))
    except BudgetExceeded:
        pass


def _states(given: Iterable[Puzzle]) -> list[list[int]]:
    """For each search with and without look-ahead: its end, its nodes, and its solutions.

    It pauses twice. There are only hashes of the solutions.
    """
    states = []
    for puzzle, salt in product(given, _SALTS):
        searcher = bitboard.take(puzzle.board.height, puzzle.board.width, puzzle.rules)
        search = BitboardSearch(puzzle, searcher, salt)
        for stop, nodes in ((1, 30), (2, 100), (50, 100)):
            search.resume(stop, nodes)
        found = [search.stored_solution(k).cells for k in range(search.found)]
        hashed = crc32("".join(found).encode())
        states.append([int(search.done), search.found, search.nodes, hashed])
        bitboard.give_back(searcher)
    return states


def _listed(puzzle: Puzzle) -> list[int]:
    found = [board.cells for board in _solutions(puzzle, 3_000)]
    return [len(found), crc32("".join(found).encode())]


def _counted(puzzle: Puzzle) -> list[Any]:
    count = Bitboard().count(puzzle, limit=5_000, budget=Budget(work=2_000))
    return [count.found, count.stopped_by, *(board.cells for board in count.boards)]
