"""Certificates: the time to make and check them, their size, and other checkers."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import dratify

from benchmarks import puzzles, tables
from binairo_cp import Puzzle, check
from binairo_cp.certificates import checking, container, making, proofs, record
from binairo_cp.certificates.formula import Formula, FormulaBuilder
from binairo_cp.solving.backends import UNLIMITED, Meter
from binairo_cp.solving.backends.engines import refute

NUMBER = tables.sized({6: 2, 10: 2}, {6: 40, 10: 40, 14: 20, 20: 10})
SOLVERS = ("glucose4", "cadical195")


def certified(puzzle: Puzzle) -> dict[str, float]:
    """The times and sizes of a certificate; making includes checking, as usual."""
    outcome = check(puzzle)
    files, found = making.certify(puzzle, outcome)
    assert found.claim == outcome.verdict == "unique"
    lines = container.unpacked(record.DRAT, files[record.DRAT]).count(b"\n")
    return {
        "certify ms": tables.milliseconds(lambda: making.certify(puzzle, outcome)),
        "verify ms": tables.milliseconds(lambda: checking.check(files)),
        "clauses": files[record.FORMULA].count(b" 0\n"),
        "proof lines": lines,
        "proof bytes": len(files[record.DRAT]),
        "LRAT bytes": len(files[record.LRAT]),
        "total bytes": len(container.zipped(files)),
    }


def final_formula(puzzle: Puzzle) -> Formula:
    """The clauses of a certificate, with the pairs of lines that it needs."""
    builder = FormulaBuilder(puzzle, check(puzzle).solution)
    while not isinstance(
        answer := refute("glucose4", builder.formula.clauses, Meter(UNLIMITED)), bytes
    ):
        cells = "".join("01"[value > 0] for value in answer[: len(puzzle.board.cells)])
        builder.add_repeated(type(puzzle.board)(puzzle.board.height, puzzle.board.width, cells))
    return builder.formula


def checked(puzzle: Puzzle, solver: str) -> dict[str, float]:
    """The unchanged proof of a solver, checked by two checkers."""
    formula = final_formula(puzzle)
    started = tables.perf_counter()
    proof = refute(solver, formula.clauses, Meter(UNLIMITED))
    took = (tables.perf_counter() - started) * 1000
    assert isinstance(proof, bytes)

    def ours() -> None:
        clauses = proofs.parse_clauses(formula.lines, "formula", formula.top)
        proofs.check_drat_proof(clauses, proofs.parse_clauses(proof, "proof", 2 * formula.top))

    def theirs() -> None:
        parsed = dratify.parse_dimacs((formula.head + formula.lines).decode())
        result = dratify.check_proof(parsed, proof.decode())
        assert result.ok
        assert result.reached_empty

    ours()
    return {
        "solver ms": took,
        "lines": proof.count(b"\n"),
        "bytes": len(proof),
        "own checker ms": tables.milliseconds(ours),
        "dratify ms": tables.milliseconds(theirs),
    }


def medians(rows: list[dict[str, float]]) -> tables.Row:
    return {name: round(median(row[name] for row in rows), 1) for name in rows[0]}


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield (
        "certificates of irreducible puzzles, glucose4, medians",
        [
            {"side": side, **medians([certified(each) for each in puzzles.load(side)[:number]])}
            for side, number in NUMBER.items()
        ],
    )
    yield (
        "raw proofs of solvers, medians",
        [
            {
                "side": side,
                "solver": solver,
                **medians([checked(each, solver) for each in puzzles.load(side)[: number // 2]]),
            }
            for side, number in NUMBER.items()
            for solver in SOLVERS
        ],
    )


if __name__ == "__main__":
    tables.report("certificates", all_tables())
