"""The contract for every backend, and a test for each pitfall of the libraries."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import combinations, count, islice
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules, Sign, check, violations
from binairo_cp.errors import BackendError, BackendNameError, BackendSizeError, BudgetExceeded
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Backend, Budget, Meter, bitboard, cpsat, pysat, session
from binairo_cp.solving.backends.auto import Auto
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.backends.cpsat import CpSat
from binairo_cp.solving.backends.engines import ONLY_FRESH, SOLVERS, WITH_CARDINALITIES, Incremental
from binairo_cp.solving.backends.pysat import PySat
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings.cpsat_model import AS_NEEDED, DISTINCT, Model
from tests.support.oracles import clingo_solutions
from tests.support.strategies import examples, instance_of, puzzles

NAMES = [
    *backends.TABLE, "pysat:cadical195", "pysat:glucose4:fresh", "pysat:kissat404", "cpsat:codes",
    "cpsat:differences",
]  # fmt: skip
QUICK = ["auto", "bitboard", "pysat", "cpsat:codes", "cpsat:differences", "backtracking"]

every_backend = pytest.mark.parametrize("backend", [*map(backends.get, NAMES)], ids=NAMES)
quick_backends = pytest.mark.parametrize("backend", [*map(backends.get, QUICK)], ids=QUICK)

EMPTY_4 = Puzzle(Board.empty(4, 4))
HARD = Puzzle(Board.empty(40, 40))


def boards_of(puzzle: Puzzle, backend: Backend, limit: int | None = None) -> set[str]:
    found = list(backend.solutions(puzzle, limit=limit))
    assert len(set(found)) == len(found)
    assert all(board.is_full and not violations(puzzle, board) for board in found)
    return {board.cells for board in found}


def oracle(puzzle: Puzzle, most: int | None = None) -> set[str]:
    return clingo_solutions(instance_of(puzzle), most)


@every_backend
def test_limits(backend: Backend) -> None:
    """Of a puzzle with few solutions: some backends start anew for each solution."""
    puzzle = Puzzle(EMPTY_4.board.with_cell((0, 0), "1").with_cell((0, 1), "1"))
    for limit in (1, 11, 12, 13, None):
        assert len(boards_of(puzzle, backend, limit)) == min(limit or 12, 12)


@every_backend
def test_1x1_boards_and_single_lines(backend: Backend) -> None:
    assert boards_of(Puzzle(Board.empty(1, 1)), backend) == {"0", "1"}
    assert boards_of(Puzzle(Board.empty(1, 1), Rules(odd="ones")), backend) == {"1"}
    assert boards_of(Puzzle(Board.empty(1, 2)), backend) == {"01", "10"}
    assert boards_of(Puzzle(Board.empty(1, 4)), backend) == set()
    assert len(boards_of(Puzzle(Board.empty(1, 4), UNRULY), backend)) == 6


@every_backend
def test_unconstrained_cells_are_free(backend: Backend) -> None:
    free = Rules(balanced=False, longest_run=3, distinct_lines=False)
    assert len(boards_of(Puzzle(Board.empty(2, 2), free), backend)) == 16
    assert len(boards_of(Puzzle(Board.parse("1x3:..1"), free), backend)) == 4


@examples(1.7)
@given(puzzles())
def test_all_backends_and_clingo_find_the_same_boards(puzzle: Puzzle) -> None:
    expected = oracle(puzzle, 200)
    assume(len(expected) < 200)
    for name in ("backtracking", "pysat", "pysat:cadical153"):
        assert boards_of(puzzle, backends.get(name)) == expected, name
    if len(expected) < 50:
        assert boards_of(puzzle, backends.get("cpsat")) == expected
        assert boards_of(puzzle, backends.get("pysat:glucose4:fresh"), 60) == expected


@pytest.mark.slow
@examples(6, most=5_000)
@given(puzzles(sides=st.integers(2, 7)), st.sampled_from(NAMES))
def test_every_backend_agrees_with_clingo(puzzle: Puzzle, name: str) -> None:
    expected = oracle(puzzle, 500)
    assume(len(expected) < 500)
    found = boards_of(puzzle, backends.get(name), 100)
    assert found <= expected
    assert len(found) == min(len(expected), 100)


@given(puzzles(sides=st.integers(2, 5)))
def test_counts_do_not_change_under_symmetry(puzzle: Puzzle) -> None:
    assume(not puzzle.signs and puzzle.board.cells.count(".") < 14)
    backend = backends.get()
    number = len(boards_of(puzzle, backend))
    rules = puzzle.rules
    for board in (puzzle.board.transposed(), puzzle.board.mirrored(), puzzle.board.rotated()):
        assert len(boards_of(Puzzle(board, rules), backend)) == number
    swapped = {"either": "either", "ones": "zeros", "zeros": "ones"}[rules.odd]
    complement = Rules(rules.balanced, rules.longest_run, rules.distinct_lines, swapped)  # type: ignore[arg-type]
    assert len(boards_of(Puzzle(puzzle.board.complemented(), complement), backend)) == number


@every_backend
def test_without_work_the_result_is_unknown(backend: Backend) -> None:
    """Clause learners solve an empty 4x4 board without a conflict, which is allowed."""
    with pytest.raises(BudgetExceeded) as caught:
        list(backend.solutions(Puzzle(Board.empty(24, 24)), budget=Budget(work=0), limit=1))
    assert caught.value.by == "work"


@every_backend
def test_after_the_time_limit_the_result_is_unknown(backend: Backend) -> None:
    with pytest.raises(BudgetExceeded) as caught:
        list(backend.solutions(HARD, budget=Budget(seconds=0)))
    assert caught.value.by == "time"


def test_the_clock_of_a_meter_starts_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(backends, "monotonic", lambda: now[0])
    meter = Meter(Budget(seconds=60))
    now[0] += 20
    assert meter.seconds_left == 40
    meter.check_clock()
    now[0] += 40
    with pytest.raises(BudgetExceeded):
        meter.check_clock()


@pytest.mark.parametrize("backend", [Auto(), Bitboard()], ids=["auto", "bitboard"])
def test_with_an_expired_time_limit_nothing_is_searched(
    backend: Auto | Bitboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take(*_: object) -> object:
        raise AssertionError("searched")

    monkeypatch.setattr(bitboard, "take", take)
    with pytest.raises(BudgetExceeded):
        next(iter(backend.solutions(HARD, limit=1, budget=Budget(seconds=0))))
    assert backend.count(HARD, budget=Budget(seconds=0)).stopped_by == "time"


@quick_backends
def test_a_time_limit_ends_an_enumeration(backend: Backend) -> None:
    """There are four million solutions; some are found before the time limit."""
    found = 0
    # A busy machine needs more time for the first solution.
    for seconds in (0.1, 1, 10, 100):
        with pytest.raises(BudgetExceeded):
            for _ in backend.solutions(Puzzle(Board.empty(8, 8)), budget=Budget(seconds=seconds)):
                found += 1
        if found:
            break
    assert found


@quick_backends
def test_the_same_work_gives_the_same_boards(backend: Backend) -> None:
    def some() -> list[Board]:
        puzzle, found = Puzzle(Board.empty(8, 8), Rules(longest_run=3)), []
        try:
            found.extend(islice(backend.solutions(puzzle, budget=Budget(work=2_000)), 30))
        except BudgetExceeded:
            pass
        return found

    if backend.name != "pysat":  # The clauses that a cached solver has learned change its search.
        assert some() == some()


@every_backend
def test_an_abandoned_enumeration_leaves_nothing_behind(backend: Backend) -> None:
    for _ in range(3):
        some = backend.solutions(EMPTY_4)
        next(some)
        del some
    assert len(boards_of(EMPTY_4, backend)) == 72


@quick_backends
def test_two_enumerations_of_one_shape_at_once(backend: Backend) -> None:
    other = Puzzle(Board.parse("1... .... .... ...1"))
    pairs = list(zip(backend.solutions(EMPTY_4), backend.solutions(other), strict=False))
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    assert all(not violations(other, board) for _, board in pairs)


@quick_backends
def test_threads_do_not_disturb_each_other(backend: Backend) -> None:
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(len(boards_of(EMPTY_4, backend))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [72] * 4


@every_backend
def test_backends_can_be_pickled(backend: Backend) -> None:
    assert pickle.loads(pickle.dumps(backend)) == backend
    assert backends.get(backend.name).name == backend.name


@examples(2)
@given(puzzles(), st.sampled_from(sorted(WITH_CARDINALITIES)))
def test_solvers_that_count_themselves_find_the_same_boards(puzzle: Puzzle, solver: str) -> None:
    expected = oracle(puzzle, 100)
    assume(len(expected) < 100)
    meter = Meter(Budget())
    with mock.patch.object(session, "_MOST_CELLS_KEPT", 0):
        counting = Session(puzzle, Incremental(solver), meter)
        assert counting._encoder.top == len(puzzle.board.cells)
        # Once with its clues as assumptions, once with them as clauses.
        for is_last in (False, True):
            found = [
                board.cells for board in counting.solutions(puzzle, None, meter, is_last=is_last)
            ]
            assert len(found) == len(expected)
            assert set(found) == expected


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_of_pysat(solver: str) -> None:
    backend = backends.get(f"pysat:{solver}")
    assert len(boards_of(EMPTY_4, backend, 10)) == 10
    assert boards_of(Puzzle(Board.parse("00. ... ..."), Rules(odd="zeros")), backend)
    assert boards_of(Puzzle(Board.parse("000. .... .... ....")), backend) == set()


@pytest.mark.parametrize(
    "name",
    ["", "sat", "pysat:foo", "pysat:lingeling", "pysat:minisat22:new", "cpsat:", "cpsat:x",
     "cpsat:codes:codes", "backtracking:fast", "pysat:minisat22:fresh:fresh"],
)  # fmt: skip
def test_unknown_backend_names(name: str) -> None:
    assert backends.get("pysat:").name == "pysat"
    with pytest.raises(BackendNameError):
        backends.get(name)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    backends.get.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "binairo_cp.solving.backends.cpsat", None)
    with pytest.raises(
        BackendError, match=r"backend cpsat needs the package \S+, which is not installed"
    ):
        backends.get("cpsat")


# Pitfalls of the libraries.


def test_kissat_is_never_used_incrementally() -> None:
    """It ignores assumptions, so in incremental use it would report this puzzle as solvable."""
    assert {"kissat404"} == ONLY_FRESH
    contradictory = Puzzle(Board.parse("000. .... .... ...."))
    for backend in (backends.get("pysat:kissat404"), PySat("kissat404", fresh=False)):
        assert list(backend.solutions(contradictory)) == []


def test_cpsat_leaves_ctrl_c_to_python() -> None:
    """By default, any solve() resets SIGINT to the system's default, which kills the process."""
    before = signal.getsignal(signal.SIGINT)
    list(backends.get("cpsat").solutions(EMPTY_4, limit=2))
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Turn off garbage collection: a Ctrl-C in a callback of Hypothesis would be lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("name", [
    "cpsat",
    "pysat",
    *(pytest.param(each, marks=pytest.mark.slow) for each in ("pysat:cadical153", "backtracking")),
])  # fmt: skip
def test_ctrl_c_ends_a_search_at_once(name: str) -> None:
    backend = backends.get(name)
    puzzle = HARD if name == "backtracking" else Puzzle(Board.empty(90, 90), UNRULY)
    timer = threading.Timer(1, lambda: signal.pthread_kill(main, signal.SIGINT))
    main = threading.main_thread().ident or 0
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # Each takes more than a minute.
        for _ in backend.solutions(puzzle, budget=Budget(seconds=50)):
            pass
    timer.join()
    assert len(boards_of(EMPTY_4, backend)) == 72


@pytest.mark.usefixtures("no_collection")
def test_ctrl_c_in_a_solver_of_pysat() -> None:
    """Its own handler would jump out of the solver, which then crashes or hangs."""
    engine, holes = Incremental("gluecard4"), range(12)
    for pigeon in range(13):
        engine.add([12 * pigeon + hole + 1 for hole in holes])
    for one, two in combinations(range(13), 2):
        for hole in holes:
            engine.add([-12 * one - hole - 1, -12 * two - hole - 1])
    # Another process, since a thread waits until the solver lets Python run.
    interruption = subprocess.Popen(["sh", "-c", f"sleep 1; kill -INT {os.getpid()}"])
    with pytest.raises(KeyboardInterrupt):
        engine.solve([], Meter(Budget(seconds=100)))
    interruption.wait()


def test_cpsat_reads_no_values_without_a_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """After INFEASIBLE the library returns uninitialised memory for a value, without an error."""
    from ortools.sat.python import cp_model

    def never(*args: object) -> int:
        raise AssertionError("a value was read")

    monkeypatch.setattr(cp_model.CpSolver, "value", never)
    monkeypatch.setattr(cp_model.CpSolver, "boolean_value", never)
    contradictory = Puzzle(Board.parse("000. .... .... ...."))
    assert list(backends.get("cpsat").solutions(contradictory, limit=1)) == []
    assert list(backends.get("cpsat").solutions(contradictory)) == []


def test_cpsat_uses_one_worker_and_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """More workers repeat solutions; setting both fields for their number is an invalid model."""
    from ortools.sat.python import cp_model

    seen = []
    solve = cp_model.CpSolver.solve

    def spy(self: cp_model.CpSolver, *args: object) -> object:
        seen.append(self.parameters)
        return solve(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(cp_model.CpSolver, "solve", spy)
    list(backends.get("cpsat").solutions(EMPTY_4, budget=Budget(seconds=30)))
    assert [each.num_workers for each in seen] == [1]
    assert 0 < seen[0].max_time_in_seconds <= 30
    assert not seen[0].num_search_workers


def test_an_invalid_model_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from ortools.sat.python import cp_model

    monkeypatch.setattr(
        cp_model.CpSolver, "solve", lambda self, *args: cp_model.MODEL_INVALID, raising=True
    )
    monkeypatch.setattr(cp_model.CpSolver, "num_conflicts", 0)
    with pytest.raises(BackendError, match="rejected its model as invalid"):
        list(backends.get("cpsat").solutions(EMPTY_4))


def test_cpsat_refuses_huge_boards_and_pysat_solves_them() -> None:
    huge = Puzzle(Board.empty(200, 200))
    with pytest.raises(BackendSizeError, match="use pysat"):
        list(backends.get("cpsat").solutions(huge))
    with pytest.raises(BudgetExceeded):
        list(backends.get("pysat").solutions(huge, limit=1, budget=Budget(seconds=0.1)))


def test_slices_are_bounded_for_per_call_and_cumulative_counters() -> None:
    """CaDiCaL's limit is per call, MiniSat's is cumulative; both must stop each time."""
    # There are only 14 legal rows of six cells for 16 rows; proving that takes very long.
    endless = Puzzle(Board.empty(16, 6))
    for solver in ("cadical153", "cadical195", "minisat22", "glucose4"):
        backend = PySat(solver)
        with pytest.raises(BudgetExceeded):
            list(backend.solutions(endless, limit=1, budget=Budget(work=2_100)))


def test_blocking_clauses_contain_no_auxiliary_variables() -> None:
    """PySAT's enum_models also blocks auxiliary variables, which repeats boards if they are free."""
    puzzle = Puzzle(Board.empty(3, 5), Rules(distinct_lines=False))
    found = list(backends.get("pysat").solutions(puzzle))
    assert len(found) == len({board.cells for board in found}) == len(oracle(puzzle))


def test_a_session_with_many_variables_is_replaced() -> None:
    backend = PySat("minisat22")
    first = backend.session(EMPTY_4, backends.Meter(Budget()))
    assert backend.session(EMPTY_4, backends.Meter(Budget())) is first
    while not first.needs_rebuild:
        first.solutions(EMPTY_4, None, backends.Meter(Budget()))
        first._encoder.top += session._HELPERS_BEFORE_RENEWAL
    assert backend.session(EMPTY_4, backends.Meter(Budget())) is not first


@pytest.mark.parametrize("conflicts", [0, 1, 8])
def test_a_large_puzzle_has_solvers_for_itself(conflicts: int, monkeypatch: pytest.MonkeyPatch):
    """MiniCard decides it or gives way; its clues are clauses for both.

    As assumptions they took more conflicts than anyone waits for.
    """
    monkeypatch.setattr(pysat, "_CONFLICTS_PER_OPEN_CELL", conflicts)
    cells = Path(__file__).with_name("generated_50x50.line").read_text().strip()
    puzzle = Puzzle(Board(50, 50, cells))
    with pytest.raises(BudgetExceeded, match="work"):
        list(PySat().solutions(puzzle, limit=2, budget=Budget(work=10)))
    assert len(list(PySat().solutions(puzzle, limit=2, budget=Budget(work=200_000)))) == 1
    # The next puzzle of the shape knows nothing of these clues, and each has all its solutions.
    first = next(PySat().solutions(puzzle, limit=1))
    for value in "10":
        signs = (Sign(49, 48, "R", "=" if value == "1" else "x"),)
        opened = Board(50, 50, first.cells[:-4] + "..." + value)
        few = Puzzle(opened, UNRULY, signs)
        assert boards_of(few, PySat()) == boards_of(few, Bitboard())


def test_signs_are_assumptions_too() -> None:
    """Puzzles that differ only in their signs share one session and do not affect each other."""
    signs = [Sign(0, 0, "R", "="), Sign(0, 0, "R", "x"), Sign(2, 2, "D", "=")]
    for sign in signs * 2:
        puzzle = Puzzle(Board.empty(4, 4), CLASSIC, (sign,))
        assert boards_of(puzzle, backends.get()) == oracle(puzzle)
    assert len(boards_of(EMPTY_4, backends.get())) == 72


@quick_backends
def test_a_generator_can_continue_in_another_thread(backend: Backend) -> None:
    """As in web frameworks; meanwhile the first thread solves another puzzle."""
    puzzle = Puzzle(Board.empty(4, 6))
    some = backend.solutions(puzzle)
    found = [next(some)]
    thread = threading.Thread(target=lambda: found.extend(some))
    thread.start()
    others = [len(boards_of(puzzle, backend)) for _ in range(3)]
    thread.join()
    assert others == [96] * 3
    assert len(found) == len(set(found)) == 96


def test_python_exits_with_an_open_enumeration() -> None:
    code = (
        "from binairo_cp import *; g = enumerate_solutions(Puzzle(Board.empty(8, 8)), "
        "backend='cpsat'); print(next(g).height)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "8\n", "")


def test_building_a_cpsat_model_respects_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()
    monkeypatch.setattr(backends, "monotonic", lambda: float(next(clock)))
    with pytest.raises(BudgetExceeded):
        list(backends.get("cpsat").solutions(Puzzle(Board.empty(100, 100)), budget=Budget(5)))
    # It checked the clock while it built the model, and stopped.
    assert next(clock) < 10


@pytest.mark.slow
@examples(4)
@given(puzzles(sides=st.integers(1, 6)), st.sampled_from([AS_NEEDED, *DISTINCT]))
def test_one_or_two_solutions_agree_with_clingo(puzzle: Puzzle, distinct: str) -> None:
    expected = clingo_solutions(instance_of(puzzle), 200)
    found = {board.cells for board in CpSat(distinct).solutions(puzzle, limit=2)}
    assert len(found) == min(len(expected), 2)
    if len(expected) < 200:
        assert found <= expected


def test_all_pairs_of_lines_are_posted_if_needed() -> None:
    """The board has 90 solutions without distinct lines, and 72 with them; none is repeated."""
    puzzle = Puzzle(Board.empty(4, 4))
    model = Model(puzzle, AS_NEEDED)
    found = set()
    solver = cp_model.CpSolver()
    while solver.solve(model.model) != cp_model.INFEASIBLE:
        values = list(islice(solver.response_proto.solution, model.size))
        if model.post_equal_lines(values):
            continue
        assert tuple(values) not in found
        found.add(tuple(values))
        model.block(values)
    assert len(found) == 72


def test_lines_that_may_repeat_are_not_posted() -> None:
    model = Model(Puzzle(Board.empty(2, 2), UNRULY), AS_NEEDED)
    assert not model.post_equal_lines([0, 1, 0, 1])


@pytest.mark.parametrize(
    "clues", ["0101 1010 0011 1100", "0101 1010 0101 1010", "0... .... .... ...1"]
)
def test_a_model_does_not_change_the_next_one_of_its_shape(clues: str) -> None:
    puzzle = Puzzle(Board.parse(clues))
    before = check(puzzle, backend="cpsat")
    for other in ("1... .... .... ....", ".... .... .... ....", "00.. .... .... ...."):
        check(Puzzle(Board.parse(other)), backend="cpsat")
    after = check(puzzle, backend="cpsat")
    assert (before.verdict, before.count) == (after.verdict, after.count)


@pytest.mark.parametrize(
    "clues", ["0... .... .... ...1", "00.. 0... .... ....", "01.. .... 0..1 ...."]
)
def test_a_long_search_continues_in_a_thread(clues: str, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(Board.parse(clues))
    expected = check(puzzle, backend="cpsat").verdict
    runs = []
    solutions = cpsat._Run.solutions
    monkeypatch.setattr(cpsat, "_SHORT_SECONDS", 0.0)
    monkeypatch.setattr(cpsat._Run, "solutions", lambda self: runs.append(self) or solutions(self))
    assert check(puzzle, backend="cpsat").verdict == expected
    assert runs
