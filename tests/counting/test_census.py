"""Check the number of solved boards against published numbers (OEIS A253316)."""

import pytest

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, count, legal_lines
from binairo_cp.batch.tasks import Task
from binairo_cp.formats import Entry
from binairo_cp.workers import executors
from tests.support.oracles import Instance, clingo_solutions, minizinc_available, minizinc_solutions
from tests.support.result_files import records_of

BACKENDS = [
    "auto",
    "bitboard",
    "pysat",
    pytest.param("pysat:cadical195", marks=pytest.mark.slow),
    pytest.param("cpsat:codes", marks=pytest.mark.slow),
    pytest.param("cpsat:differences", marks=pytest.mark.slow),
    "backtracking",
]
SQUARES = {2: 2, 4: 72, 6: 4140}
PLAIN = {2: 2, 4: 90, 6: 11222}


def number_of_boards(height: int, width: int, rules: Rules, backend: str) -> int:
    outcome = count(Puzzle(Board.empty(height, width), rules), backend=backend, limit=None)
    assert outcome.complete
    return outcome.count


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("side", SQUARES)
def test_classic_squares(side: int, backend: str) -> None:
    assert number_of_boards(side, side, CLASSIC, backend) == SQUARES[side]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["pysat", "cpsat", "backtracking"])
def test_plain_squares_and_rectangles(backend: str) -> None:
    counts = [number_of_boards(side, side, UNRULY, backend) for side in PLAIN]
    assert counts == [*PLAIN.values()]
    assert (
        number_of_boards(4, 6, CLASSIC, backend) == number_of_boards(6, 4, CLASSIC, backend) == 96
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "backend",
    ["cpsat", *(pytest.param(x, marks=pytest.mark.nightly) for x in ("pysat", "backtracking"))],
)
def test_6x8(backend: str) -> None:
    assert number_of_boards(6, 8, CLASSIC, backend) == 51744


@pytest.mark.slow
def test_8x8() -> None:
    """Count from each first row up to symmetry; a row, its mirror and complement count the same."""
    multiplicities: dict[str, int] = {}
    for line in legal_lines(8):
        swapped = line.translate(str.maketrans("01", "10"))
        least = min(line, line[::-1], swapped, swapped[::-1])
        multiplicities[least] = multiplicities.get(least, 0) + 1
    entries = [Entry(Puzzle(Board(8, 8, row + "." * 56)), id=row) for row in multiplicities]
    records = records_of(
        [[each] for each in entries],
        Task("count", "bitboard"),
        executors.WorkerSettings(executors.cores()),
    )
    assert all(record.complete for record in records)
    assert sum(multiplicities[record.id] * (record.count or 0) for record in records) == 4_111_116


@pytest.mark.slow
def test_clingo() -> None:
    for side, expected in SQUARES.items():
        assert len(clingo_solutions(Instance(side, side, "." * side * side))) == expected
    plain = Instance(4, 4, "." * 16, distinct_lines=False)
    assert len(clingo_solutions(plain)) == PLAIN[4]


@pytest.mark.slow
@pytest.mark.skipif(not minizinc_available(), reason="MiniZinc with Gecode is not installed")
def test_minizinc() -> None:
    for side, expected in SQUARES.items():
        assert len(minizinc_solutions(Instance(side, side, "." * side * side))) == expected
    plain = Instance(4, 4, "." * 16, distinct_lines=False)
    assert len(minizinc_solutions(plain)) == PLAIN[4]
