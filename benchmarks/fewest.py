"""The fewest clues of full boards with the time for the proof; hitting set solvers; repairs.

The boards are generated like those of `instances/`. The bitboard, which shares no code with the
search, checks each answer. The minima are compared between the solvers of hitting sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from statistics import median
from time import perf_counter

from ortools.sat.python import cp_model
from pysat.examples.hitman import Hitman

from benchmarks import puzzles, tables
from binairo_cp import CLASSIC, Board, Puzzle, check, count
from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN
from binairo_cp.reduction import smallest_sets
from binairo_cp.reduction.fewest import fewest_clues
from binairo_cp.reduction.repair import repair
from binairo_cp.solving.backends import Budget, Meter
from instances.make import plain

SIDES = tables.sized(
    {6: 2},
    {6: 20, 8: 20, 10: 20, 12: 8, 14: 4},
    {6: 20, 8: 20, 10: 20, 12: 12, 14: 8, 16: 5, 20: 3},
)
"""How many boards of each side."""

SECONDS = tables.sized(2.0, 8.0, 20.0)
COMPARED = tables.sized({6: 1}, {6: 8, 8: 4, 10: 2, 12: 1}, {6: 8, 8: 4, 10: 2, 12: 2, 14: 2})
REPAIRED: dict[int, tuple[int, ...]] = tables.sized(
    {6: (2,)}, {6: (2, 6), 10: (1, 3, 5), 14: (1, 2)}, {6: (2, 6), 10: (1, 3, 5), 14: (1, 2, 4)}
)
REPAIRS = tables.sized(1, 4)


def boards(side: int, number: int) -> list[Puzzle]:
    rng = Random(f"fewest {side}")
    return [plain(side, side, CLASSIC, rng) for _ in range(number)]


def is_only(puzzle: Puzzle, solution: Board) -> bool:
    outcome = check(puzzle, backend="bitboard")
    return outcome.verdict == "unique" and outcome.solution == solution


def by_size() -> tuple[str, list[tables.Row]]:
    rows: list[tables.Row] = []
    for side, number in SIDES.items():
        seconds, fewest, proved = [], [], 0
        for puzzle in boards(side, number):
            started = perf_counter()
            found = fewest_clues(puzzle, puzzle.board, budget=Budget(SECONDS))
            seconds.append(perf_counter() - started)
            assert is_only(found.puzzle, puzzle.board)
            proved += found.proved
            fewest.append(found.at_most)
        rows.append(
            {
                "boards": f"{side}x{side}",
                "number": number,
                "proved": proved,
                "median s": round(median(seconds), 3),
                "longest s": round(max(seconds), 2),
                "fewest clues": f"{min(fewest)} to {max(fewest)}, median {median(fewest):g}",
            }
        )
    return f"the fewest clues of full boards, {SECONDS:g} s each", rows


class ByHitman:
    """PySAT's solver of hitting sets, in the place of ours."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._hitman = Hitman()
        self.at_least = 0

    def hit(self, numbers: Iterable[int]) -> None:
        self._hitman.hit(list(numbers))

    def smallest(self) -> list[int]:
        self._meter.check_clock()
        found: list[int] = self._hitman.get() or []
        self.at_least = len(found)
        return found


class ByCpSat:
    """CP-SAT, with a new model for each question."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._sets: list[list[int]] = []
        self.at_least = 0

    def hit(self, numbers: Iterable[int]) -> None:
        self._sets.append(list(numbers))

    def smallest(self) -> list[int]:
        self._meter.check_clock()
        model = cp_model.CpModel()
        chosen = {k: model.new_bool_var("") for each in self._sets for k in each}
        for each in self._sets:
            model.add_bool_or([chosen[k] for k in each])
        model.add(sum(chosen.values()) >= self.at_least)
        model.minimize(sum(chosen.values()))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.catch_sigint_signal = False
        solver.parameters.max_time_in_seconds = self._meter.seconds_left or 0.01
        if solver.solve(model) != cp_model.OPTIMAL:
            raise BudgetExceeded("time")
        found = [k for k, variable in chosen.items() if solver.boolean_value(variable)]
        self.at_least = len(found)
        return found


WAYS = {"ours": smallest_sets.HittingSets, "PySAT's Hitman (RC2)": ByHitman, "CP-SAT": ByCpSat}


def by_solver() -> tuple[str, list[tables.Row]]:
    rows: list[tables.Row] = []
    for side, number in COMPARED.items():
        given = boards(side, number)
        row: tables.Row = {"boards": f"{number} of {side}x{side}"}
        proved: list[list[int]] = []
        for name, way in WAYS.items():
            smallest_sets.HittingSets = way
            started = perf_counter()
            found = [fewest_clues(each, each.board, budget=Budget(SECONDS)) for each in given]
            row[f"{name} s"] = round(perf_counter() - started, 2)
            row[f"{name} proved"] = sum(each.proved for each in found)
            proved.append([each.at_most if each.proved else 0 for each in found])
        smallest_sets.HittingSets = WAYS["ours"]
        for answers in zip(*proved, strict=True):
            assert len(set(answers) - {0}) <= 1
        rows.append(row)
    return "hitting set solvers, total seconds", rows


def opened(puzzle: Puzzle, clues: int, rng: Random) -> Puzzle:
    board = puzzle.board
    for cell, _ in rng.sample(list(board.clues()), clues):
        board = board.with_cell(cell, OPEN)
    return Puzzle(board, puzzle.rules, puzzle.signs)


def repairs() -> tuple[str, list[tables.Row]]:
    rows: list[tables.Row] = []
    for side, numbers in REPAIRED.items():
        for clues in numbers:
            rng = Random(f"repair {side} {clues}")
            given = [opened(each, clues, rng) for each in puzzles.load(side)[:REPAIRS]]
            seconds, added, proved = [], [], 0
            for puzzle in given:
                started = perf_counter()
                found = repair(puzzle, budget=Budget(SECONDS / 2))
                seconds.append(perf_counter() - started)
                assert found is not None
                assert found.solution is not None
                assert is_only(found.puzzle, found.solution)
                proved += found.proved
                added.append(found.changes)
            solutions = [count(each, limit=100_000).count for each in given]
            rows.append(
                {
                    "puzzles": f"{side}x{side}, {clues} clues taken",
                    "median solutions": f"{median(solutions):g}",
                    "cells added": f"{min(added)} to {max(added)}",
                    "proved": f"{proved} of {len(given)}",
                    "median s": round(median(seconds), 2),
                }
            )
    return f"repairs of irreducible puzzles, {SECONDS / 2:g} s each", rows


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield by_size()
    yield by_solver()
    yield repairs()


if __name__ == "__main__":
    tables.report(
        "fewest",
        all_tables(),
    )
