"""Prove that no puzzle of a size has so few clues, by a search through all sets of clues.

    python -m benchmarks.lower_bounds SIDE CLUES [--rules plain] [--state FILE] [--seconds S]

A puzzle with one solution agrees with one board. So a set of clues that agrees with two of a few
thousand random boards is no puzzle (`binairo_cp.kernels.few_clues`). A solver decides the few sets
that are left. This shares no code with `binairo census --fewest`, which searches board by board.

Sets that differ only by a symmetry are searched once: the first cell of a set, in an order by
orbits of cells, is the first of its orbit, and if 0 and 1 can be swapped, its value is 0.

With a state file, the search can be stopped, by Ctrl-C or after some seconds, and continues later.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.counting import unit_files
from binairo_cp.counting.unit_files import UnitFormat
from binairo_cp.generation.boards import draw_boards, seed_of
from binairo_cp.kernels import few_clues
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Puzzle, Rules, violations
from binairo_cp.puzzle.symmetries import canonical, symmetries
from binairo_cp.solving import many

Sets = npt.NDArray[np.int16]

BOARDS = 16_384
_NODES = 50_000_000
"""The most nodes of the search for a set. The sets of 10x10 with 7 clues need less than 5,000."""

_TOGETHER = 20_000
_ROOM = 500_000
_DIRECTIONS = ((0, -1), (0, 1), (-1, 0), (1, 0))


class Known(NamedTuple):
    """Known boards. Clue 2c + v: cell c, in the order of the search, has value v.

    Attributes:
        boards: at [b, w], the cells of board b as bits, in two words; all boards are different.
        agree: at [k, w], which boards agree with clue k, as bits; no bit is set beyond the boards.
    """

    boards: npt.NDArray[np.uint64]
    agree: npt.NDArray[np.uint64]


class Solved(NamedTuple):
    """The results for n sets of clues.

    Attributes:
        found: n numbers of boards that agree with a set; 2 stands for 2 or more.
        boards: n x 2 boards, row by row, as bytes ``0`` and ``1``. Those not found are undefined.
    """

    found: npt.NDArray[np.int64]
    boards: npt.NDArray[np.uint8]


class Unit(NamedTuple):
    """The sets with a given first and second clue.

    Attributes:
        number: the number of the unit.
        decided: how many sets were decided by a solver.
        puzzles: the puzzles with one solution, row by row, separated by commas; or ``-``.
    """

    number: int
    decided: int
    puzzles: str


@dataclass(frozen=True)
class Search:
    """A search through all sets of clues of square boards.

    Attributes:
        side: the side of the boards.
        clues: the number of clues.
        rules: the rules.
        boards: the number of random boards.
    """

    side: int
    clues: int
    rules: Rules = CLASSIC
    boards: int = BOARDS

    @property
    def cells(self) -> list[int]:
        """The cells of the board in the order of the search: by orbits, large ones first."""
        return [cell for orbit in self.orbits for cell in orbit]

    @property
    def orbits(self) -> list[list[int]]:
        """The cells that rotations and reflections map to each other."""
        group = symmetries(self.side, self.side, complement=False)
        orbits = {
            tuple(sorted({each.order[cell] for each in group})) for cell in range(self.side**2)
        }
        return [list(orbit) for orbit in sorted(orbits, key=lambda orbit: (-len(orbit), orbit))]

    @property
    def tasks(self) -> list[tuple[int, int]]:
        """The first and second clue of each unit."""
        starts = np.cumsum([0, *map(len, self.orbits)])[:-1].tolist()
        values = (0,) if self.rules.odd == "either" or self.side % 2 == 0 else (0, 1)
        return [
            (2 * cell + value, second)
            for cell in starts
            for value in values
            for second in range(2 * (cell + 1), 2 * self.side**2)
        ]

    def sets(self, second: int) -> int:
        """The number of sets of a unit."""
        left = self.side**2 - 1 - second // 2
        return comb(left, self.clues - 2) * 2 ** (self.clues - 2)

    def neighbours(self) -> npt.NDArray[np.int64]:
        """The neighbours of each cell, in the order of the search, for `few_clues.Clues`."""
        place = {cell: k for k, cell in enumerate(self.cells)}
        neighbours = np.full((self.side**2, 4, 2), -1, np.int64)
        for k, cell in enumerate(self.cells):
            for direction, (down, right) in enumerate(_DIRECTIONS):
                for step in (1, 2):
                    row, column = cell // self.side + step * down, cell % self.side + step * right
                    if 0 <= row < self.side and 0 <= column < self.side:
                        neighbours[k, direction, step - 1] = place[row * self.side + column]
        return neighbours.reshape(-1, 2)

    def random_boards(self) -> npt.NDArray[np.uint8]:
        """Different random boards, one a row, as cells in the order of the search."""
        seeds = [seed_of("lower bounds", self.side, k) for k in range(self.boards)]
        drawn = draw_boards(self.side, self.side, seeds, self.rules)
        for board in drawn:
            assert not violations(Puzzle(Board.empty(self.side, self.side), self.rules), board)
        return _different(_digits([board.cells for board in drawn])[:, self.cells])

    def puzzle(self, clues: Iterable[int]) -> Puzzle:
        """The puzzle with some clues."""
        text = [OPEN] * self.side**2
        cells = self.cells
        for clue in clues:
            text[cells[clue // 2]] = str(clue % 2)
        return Puzzle(Board(self.side, self.side, "".join(text)), self.rules)


def _digits(boards: list[str]) -> npt.NDArray[np.uint8]:
    return np.array([list(each.encode()) for each in boards], np.uint8) - ord("0")


def _different(boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Boards without repetitions, in a random order, so that the first of them are varied."""
    boards = np.unique(boards, axis=0)
    return boards[np.random.default_rng(1).permutation(len(boards))]


def known(boards: npt.NDArray[np.uint8]) -> Known:
    """Boards, all different, as `Known`."""
    number, cells = boards.shape
    words = np.zeros((number, 2), np.uint64)
    agree = np.zeros((2 * cells, -(-number // 64)), np.uint64)
    bits = np.uint64(1) << (np.arange(number, dtype=np.uint64) % np.uint64(64))
    for cell in range(cells):
        words[:, cell // 64] |= boards[:, cell].astype(np.uint64) << np.uint64(cell % 64)
        for value in range(2):
            has = boards[:, cell] == value
            np.bitwise_or.at(agree[2 * cell + value], np.flatnonzero(has) // 64, bits[has])
    return Known(words, agree)


class Decider:
    """Decides sets of clues with the random boards, and with a solver what these leave open."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self._neighbours = search.neighbours()
        self._boards = search.random_boards()
        self._known = known(self._boards)

    def unit(self, number: int, first: int, second: int) -> Unit:
        """Search all sets with a first and a second clue."""
        decided = 0
        while True:
            sets = self._open(self._known, first, second)
            is_short = sets[:, -1] < 0
            decided += int(is_short.sum())
            boards = self._boards_with(sets[is_short])
            if not len(boards):
                break
            # Sets with more clues may be puzzles. The units after this one need these boards too.
            self._boards = _different(np.concatenate([self._boards, boards]))
            self._known = known(self._boards)
        sets = sets[~is_short]
        puzzles = {
            self.search.puzzle(clues.tolist()).board.cells
            for clues in sets[self._solve(sets).found == 1]
        }
        return Unit(number, decided + len(sets), ",".join(sorted(puzzles)) or "-")

    def _open(self, those: Known, first: int, second: int) -> Sets:
        """The sets of clues that some boards do not rule out."""
        room, clues = _ROOM, self.search.clues
        work = few_clues.Search(
            few_clues.Clues(self._neighbours.data), *(each.data for each in those), clues
        )
        while True:
            found = np.empty((room, clues), np.int16)
            number = few_clues.find_sets(work, first, second, found.data)
            if number >= 0:
                return found[:number]
            room *= 4

    def _boards_with(self, sets: Sets) -> npt.NDArray[np.uint8]:
        """Up to two boards that agree with each set, with cells in the order of the search."""
        found, solutions = self._solve(sets)
        boards = [solutions[found > k, k] for k in range(2)]
        return np.concatenate(boards)[:, self.search.cells] - ord("0")

    def _solve(self, sets: Sets) -> Solved:
        """Up to two solutions of each set of clues."""
        side, cells = self.search.side, np.array(self.search.cells)
        puzzles = np.full((len(sets), side**2), ord(OPEN), np.uint8)
        rows, columns = np.nonzero(sets >= 0)
        clues = sets[rows, columns].astype(np.int64)
        puzzles[rows, cells[clues // 2]] = ord("0") + clues % 2
        solved = Solved(np.zeros(len(sets), np.int64), np.zeros((len(sets), 2, side**2), np.uint8))
        for begin in range(0, len(sets), _TOGETHER):
            part = slice(begin, begin + _TOGETHER)
            given = puzzles[part].reshape(-1, side, side)
            done = many.decide(given, self.search.rules, limit=2, kept=2, nodes=_NODES)
            assert done.is_decided.all()
            solved.found[part] = done.found
            for k, boards in enumerate(done.solutions):
                solved.boards[part, k] = boards.reshape(len(boards), -1)
        return solved


class _Units(UnitFormat[Unit]):
    """How the units are written to a file."""

    expected = "a number, a number, and puzzles or -"

    def __init__(self, search: Search) -> None:
        self._search = search
        rules = {CLASSIC: "classic", UNRULY: "plain"}[search.rules]
        self.header = {
            "few clues": f"{search.side}x{search.side} {rules}",
            "clues": search.clues,
            "boards": search.boards,
        }

    def name_of(self, header: dict[str, Any]) -> str:
        return f"{header['few clues']} with {header['clues']} clues"

    def line_of(self, unit: Unit) -> str:
        return f"{unit.number} {unit.decided} {unit.puzzles}"

    def unit_of(self, line: str) -> Unit:
        number, decided, puzzles = line.split()
        return Unit(int(number), int(decided), puzzles)

    def objection_to(self, unit: Unit) -> str | None:
        is_known = 0 <= unit.number < len(self._search.tasks)
        return None if is_known else f"there is no unit {unit.number}"


def run(search: Search, path: str | None, seconds: float, verbose: bool = True) -> list[Unit]:
    """Search all units, or as many as a time allows.

    Args:
        search: the search.
        path: the state file; None for no file.
        seconds: stop after this time.
        verbose: report the progress.
    """
    tasks, end = search.tasks, monotonic() + seconds
    with unit_files.opened(path, _Units(search)) as state:
        left = [k for k in range(len(tasks)) if k not in state.units]
        decider = Decider(search) if left else None
        started, done = monotonic(), 0
        for number in left:
            if monotonic() > end or decider is None:
                break
            state.add([decider.unit(number, *tasks[number])])
            done += search.sets(tasks[number][1])
            if verbose:
                rest = sum(search.sets(tasks[k][1]) for k in left if k not in state.units)
                hours = (monotonic() - started) * rest / max(1, done) / 3600
                print(
                    f"{len(state.units)} of {len(tasks)} units, {hours:.2f} h left", file=sys.stderr
                )
        return list(state.units.values())


def report(search: Search, units: list[Unit]) -> str:
    """The result in words."""
    total = sum(search.sets(second) for _, second in search.tasks)
    puzzles = [each for unit in units if unit.puzzles != "-" for each in unit.puzzles.split(",")]
    forms = {
        canonical(Puzzle(Board(search.side, search.side, each), search.rules)) for each in puzzles
    }
    what = f"{len(units):,} of {len(search.tasks):,} units"
    if len(units) == len(search.tasks):
        what = f"all {total:,} sets of {search.clues} clues up to symmetry"
    decided = sum(unit.decided for unit in units)
    return f"{what}: {len(forms)} puzzles up to symmetry; a solver decided {decided:,} sets"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("side", type=int)
    parser.add_argument("clues", type=int)
    parser.add_argument("--rules", choices=["classic", "plain"], default="classic")
    parser.add_argument("--state")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--puzzles", action="store_true", help="print the puzzles found")
    given = parser.parse_args()
    search = Search(given.side, given.clues, CLASSIC if given.rules == "classic" else UNRULY)
    units = run(search, given.state, given.seconds)
    print(report(search, units))
    if given.puzzles:
        print("\n".join(unit.puzzles.replace(",", "\n") for unit in units if unit.puzzles != "-"))
    return 0 if len(units) == len(search.tasks) else 3


if __name__ == "__main__":
    sys.exit(main())
