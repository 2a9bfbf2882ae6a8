"""Time limits hold: what may take long looks at the clock, and shares what is left of the time.

No test here waits. The clock of time limits goes on by itself, a little whenever somebody looks.
"""

import asyncio
import importlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, cast

import orjson
import pytest

import binairo_cp as bn
from binairo_cp import Board, Puzzle
from binairo_cp.batch import tasks
from binairo_cp.batch.drawing import render_puzzles
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.batch.tasks import Task
from binairo_cp.certificates.formula import FormulaBuilder
from binairo_cp.deduction import hints
from binairo_cp.deduction.position import Position, Values
from binairo_cp.errors import BudgetExceeded, SolverHang
from binairo_cp.features.feature import feature_of, task_of
from binairo_cp.features.render import drawing_of
from binairo_cp.formats import Entry
from binairo_cp.generation.puzzles import Recipe, generate_puzzles
from binairo_cp.reduction import clues
from binairo_cp.service import deciding, files, puzzle_routes, worker_pools
from binairo_cp.service.bodies import GENERATE
from binairo_cp.service.files import FileBounds
from binairo_cp.service.worker_pools import WorkerPool
from binairo_cp.solving import backends, encodings
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.backtracking import Backtracking
from binairo_cp.solving.encodings import TARGETS, Export

STEP = 0.25
"""Seconds that pass at each reading of the clock."""


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a quarter of a second pass at each reading of the clock."""
    now = [0.0]

    def later() -> float:
        now[0] += STEP
        return now[0]

    monkeypatch.setattr(backends, "monotonic", later)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock."""
    monkeypatch.setattr(backends, "monotonic", lambda: 0.0)


class Looks:
    """Counts how often somebody looks at the clock, and says that the time is over in the end."""

    def __init__(self, most: int = 1_000_000) -> None:
        self.number = 0
        self._most = most

    def __call__(self) -> None:
        self.number += 1
        if self.number > self._most:
            raise BudgetExceeded("time")


@pytest.mark.parametrize("target", ["dimacs", "opb", "wcnf"])
def test_encoding_checks_the_clock(target: str) -> None:
    """Uses 60x60: its distinct lines are a single constraint, and most of the work."""
    looks = Looks(4)
    with pytest.raises(BudgetExceeded):
        list(TARGETS[target].load()(Export(Puzzle(Board.empty(60, 60)), check_clock=looks)))
    assert looks.number == 5


def test_import_time_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def slow(name: str) -> object:
        now[0] += 90
        return importlib.import_module(name)

    monkeypatch.setattr(backends, "monotonic", lambda: now[0])
    monkeypatch.setattr(encodings, "import_module", slow)
    assert bn.encode(Board.empty(4, 4), to="opb", time_limit=1)
    assert now[0] == 90


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("unique", [None, "auto"])
def test_the_time_limit_of_an_export_is_for_all_of_it(unique: str | None) -> None:
    with pytest.raises(BudgetExceeded):
        bn.encode(Board.empty(60, 60), to="opb", unique=unique, time_limit=5 * STEP)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(14, 14),
        Recipe(14, 14, level="expert"),
        Recipe(14, 14, level="beyond logic", clues=150),
        Recipe(8, 8, clues="fewest"),
        Recipe(8, 8, irreducible=True, pattern="rotate2"),
    ],
    ids=["any", "expert", "impossible", "fewest", "irreducible"],
)
def test_generation_checks_the_clock(recipe: Recipe) -> None:
    with pytest.raises(BudgetExceeded):
        generate_puzzles(recipe, 1, [1], meter=Meter(Budget(4 * STEP)))


@pytest.mark.usefixtures("hurried")
def test_puzzles_generated_in_time_are_kept() -> None:
    order = GENERATE.model_validate({"size": 6, "count": 100, "seed": 1}).order()
    assert files.generate_records(STEP, order) == ([], files.OUT_OF_TIME)
    # One by one, so that there is something to keep.
    big = GENERATE.model_validate({"size": 40, "count": 100, "seed": 1, "clues": 1600}).order()
    records, why = files.generate_records(20 * STEP, big)
    assert 0 < len(records) < 100
    assert why == files.OUT_OF_TIME


def test_building_a_formula_checks_the_clock() -> None:
    looks = Looks()
    FormulaBuilder(Puzzle(Board.empty(20, 20)), None, check_clock=looks)
    assert looks.number >= 40


class WatchedMeter(Meter):
    """Counts the positions that are made between two looks at the clock, and ends after many."""

    __slots__ = ("_looks", "made", "most")

    def __init__(self) -> None:
        super().__init__(UNLIMITED)
        self._looks = Looks(2_000)
        self.made = self.most = 0

    def check_clock(self) -> None:
        self.most, self.made = max(self.most, self.made), 0
        self._looks()


@pytest.mark.parametrize("name", ["no columns", "wrong clue", "beyond logic"])
def test_an_explanation_does_little_between_two_looks_at_the_clock(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = Puzzle(Board.empty(6, 16))
    if name != "no columns":
        (generated,) = bn.generate(10, grade="beyond logic", seed=1)
        puzzle, solution = generated.puzzle, generated.solution
    if name == "wrong clue":
        place = puzzle.board.cells.index(".")
        wrong = puzzle.board.with_cell(puzzle.board.cell(place), "10"[int(solution.cells[place])])
        puzzle = replace(puzzle, board=wrong)
    outcome = bn.check(puzzle, reasons="none")
    meter, with_values = WatchedMeter(), Position.with_values

    def counted(position: Position, values: Values) -> Position:
        meter.made += 1
        return with_values(position, values)

    monkeypatch.setattr(Position, "with_values", counted)
    with suppress(BudgetExceeded):
        hints.explain(puzzle, outcome, None, meter)
    assert meter.most <= len(puzzle.board.cells) // 2
    assert meter._looks.number


@pytest.mark.parametrize("form", ["text", "svg", "png", "pdf", "html"])
def test_drawing_checks_the_clock_for_each_puzzle(form: Any, tmp_path: Any) -> None:
    """Painting takes longer than solving."""
    out = f"{tmp_path}/" if form in ("svg", "png") else str(tmp_path / f"puzzles.{form}")
    looks = Looks(3)
    hint = form == "html"
    options = feature_of(bn.render).completed({"to": form, "hint": hint, "not_unique": "mark"})
    order = drawing_of(options, out=out)
    entries = [Entry(Puzzle(Board.empty(4, 4)), id=str(number)) for number in range(9)]
    with pytest.raises(BudgetExceeded):
        render_puzzles(
            entries, replace(order, check_clock=looks), quiet=True, summary=OutputSummary()
        )


def test_no_file_is_tried_after_the_time_limit() -> None:
    tried: list[Entry] = []

    def never(entry: Entry, _: float) -> tuple[str, bytes]:
        tried.append(entry)
        return "", b""

    given = deciding.RawPuzzles((". .\n. .", ". .\n. ."), "text", None, 10, 10)
    refused = files.make_each(never, "", FileBounds(0, 1000), given)
    assert isinstance(refused, list)
    assert {fault.kind for _, fault in refused} == {"budget"}
    assert not tried


@dataclass
class Recorder:
    """A backend that records the budgets of its calls."""

    name: str = "recorder"
    seconds: list[float | None] = field(default_factory=list)

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        self.seconds.append(budget.seconds)
        return Backtracking().solutions(puzzle, limit=limit)


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize(
    ("task", "alone", "shared"),
    [
        (Task("check"), [8], [8]),
        (Task("check", both_readings=True), [8, 8], [4, 8]),
        (replace(task_of("explain"), verb="solve"), [8], [4]),
        (task_of("grade"), [8], [8]),
    ],
    ids=["check", "readings", "explain", "grade"],
)
def test_searches_of_a_puzzle_can_share_the_time_limit(
    task: Task, alone: list[float], shared: list[float]
) -> None:
    """No time passes here, so that the last search always has what the first left."""
    for shares, expected in ((False, alone), (True, shared)):
        backend = Recorder()
        with_limit = replace(task, backend=backend, time_limit=8, shares_time=shares)
        tasks.decide(Entry(Puzzle(Board.parse("0011 1100 0101 1010"))), with_limit)
        assert backend.seconds == expected


@pytest.mark.usefixtures("still")
def test_two_backends_can_share_the_time_limit() -> None:
    one, two = Recorder(), Recorder()
    task = Task("check", one, two, time_limit=8, shares_time=True)
    tasks.decide(Entry(Puzzle(Board.parse("0011 1100 0101 1010"))), task)
    assert (one.seconds, two.seconds) == ([4], [4])


def test_searches_over_http_share_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Task] = []

    def decide(entry: Entry, task: Task) -> Any:
        seen.append(task)
        return tasks.failed(entry, BudgetExceeded("time"))

    monkeypatch.setattr(deciding, "decide", decide)
    deciding.decide_one(Task("check"), 5, deciding.RawPuzzles(("..\n..",), "text", None, 10, 10))
    assert seen[0].shares_time


def test_a_last_check_ends_before_a_worker_is_killed() -> None:
    assert clues.LAST_CHECK_SECONDS < worker_pools.GRACE / 2


def test_a_worker_killed_at_the_time_limit_gives_unknown() -> None:
    """The specification promises a record wherever a record can say that the time ran out."""

    class FakePool:
        async def run(self, function: Callable[[Any], Any], argument: Any, seconds: float) -> Any:
            if function is deciding.read:
                return deciding.read(argument)
            raise SolverHang

    puzzles = deciding.RawPuzzles((". .\n. .",), "text", None, 10, 10)
    task = task_of("repair")
    pool = cast("WorkerPool", FakePool())
    answer = asyncio.run(puzzle_routes.decide_one(pool, task, puzzles, 5.0))
    assert isinstance(answer, str)
    record = orjson.loads(answer)
    assert (record["verdict"], record["stopped_by"], record["clues"]) == ("unknown", "time", "....")
    assert "error" not in record
