"""The size of the encodings, and the time to decide a puzzle with them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from time import perf_counter

from pysat.solvers import Solver

from benchmarks import puzzles, tables
from binairo_cp import CLASSIC, UNRULY, Board, Puzzle
from binairo_cp.solving.backends.pysat import PySat
from binairo_cp.solving.constraints import clue_constraints, shape_constraints
from binairo_cp.solving.encodings.cnf import BALANCE, DEFAULT_BALANCE, Encoder, encode, literal

NUMBER = tables.sized({6: 2, 10: 2}, {6: 60, 10: 60, 14: 30, 20: 10})
SIDES = tables.sized((10,), (10, 20, 50, 100))


def incremental(side: int, balance: str, *, distinct: bool) -> tuple[float, list[float]]:
    """Add all clauses to one solver; return the time for this, and for each puzzle."""
    given = puzzles.load(side)[: NUMBER[side]]
    rules = CLASSIC if distinct else UNRULY
    started = perf_counter()
    encoder = Encoder(side * side, balance)
    shape = Puzzle(Board.empty(side, side), rules)
    clauses = list(chain.from_iterable(map(encoder.clauses, shape_constraints(shape))))
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        made = (perf_counter() - started) * 1000

        def decide(puzzle: Puzzle) -> None:
            assumed = [literal(each.place, each.value) for each in clue_constraints(puzzle.board)]
            assert solver.solve(assumed)
            selector = encoder.new_variable()
            blocked = [-each for each in solver.get_model()[: side * side]]
            solver.add_clause([-selector, *blocked])
            solver.solve([*assumed, selector])
            solver.add_clause([-selector])

        return made, [tables.milliseconds(lambda p=puzzle: decide(p)) for puzzle in given]


def balance_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    for side in tables.sized((10,), (10, 20)):
        rows: list[tables.Row] = []
        for name, encoding in BALANCE.items():
            _, taken = incremental(side, name, distinct=True)
            preserving = "yes" if encoding.count_preserving else "no"
            rows.append({"balance": name, "count-preserving": preserving, **tables.spread(taken)})
        yield f"check by encoding of balance, minisat22, irreducible {side}x{side}", rows
    rows = []
    for side in SIDES:
        for name in ("grid", "seqcounter", "mtotalizer", "kmtotalizer", "totalizer"):
            started = perf_counter()
            top, clauses = encode(Puzzle(Board.empty(side, side), UNRULY), name)
            seconds = round(perf_counter() - started, 3)
            rows.append(
                {
                    "side": side,
                    "balance": name,
                    "variables": top,
                    "clauses": len(clauses),
                    "s": seconds,
                }
            )
    yield "size without distinct lines", rows


def two_of(puzzle: Puzzle) -> None:
    """The search that `check` runs with the default backend, without the check of its answer."""
    assert len(list(PySat("minisat22").solutions(puzzle, limit=2))) == 1


def distinct_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    rows: list[tables.Row] = []
    for side, number in NUMBER.items():
        given = puzzles.load(side)[:number]
        needed = [tables.milliseconds(lambda p=puzzle: two_of(p)) for puzzle in given]
        made, at_once = incremental(side, DEFAULT_BALANCE, distinct=True)
        rows.append(
            {"side": side, "pairs": "when needed", "encoding ms": "-", **tables.spread(needed)}
        )
        rows.append(
            {"side": side, "pairs": "all", "encoding ms": round(made, 1), **tables.spread(at_once)}
        )
    yield "distinct lines in CNF, minisat22, irreducible", rows


if __name__ == "__main__":
    tables.report(
        "encodings",
        chain(distinct_tables(), balance_tables()),
    )
