"""Time limits hold: what may take long looks at the clock, and shares what is left of the time.

No test here waits. The clock of time limits goes on by itself, a little whenever somebody looks.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest

from binairo_cp import Board, Puzzle
from binairo_cp.batch import records, tasks
from binairo_cp.batch.clue_analyses import RepairAddition
from binairo_cp.batch.explanations import GradeAddition, StepsAddition
from binairo_cp.batch.tasks import Task
from binairo_cp.certificates.formula import Maker
from binairo_cp.commands import encode, render, render_options
from binairo_cp.commands.encode import OutputSummary
from binairo_cp.commands.requests import RenderRequest
from binairo_cp.errors import BudgetExceeded, SolverHang
from binairo_cp.formats import Entry
from binairo_cp.generation.puzzles import Recipe, make
from binairo_cp.reduction import verdicts
from binairo_cp.service import answering, files, making, work, worker_pools
from binairo_cp.service.bodies import GENERATE, TASKS
from binairo_cp.service.files import Bounds
from binairo_cp.service.limits import Limits
from binairo_cp.service.requests import Asked
from binairo_cp.service.state import State
from binairo_cp.solving import encodings
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.backtracking import Backtracking
from binairo_cp.solving.encodings import TARGETS, Export
from binairo_cp.workers import resource_limits

STEP = 0.25
"""How many seconds pass whenever somebody looks at the clock."""


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock takes a quarter of a second."""
    now = [0.0]

    def later() -> float:
        now[0] += STEP
        return now[0]

    monkeypatch.setattr(resource_limits, "monotonic", later)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time passes."""
    monkeypatch.setattr(resource_limits, "monotonic", lambda: 0.0)


class Looks:
    """Counts how often somebody looks at the clock, and says that the time is over in the end."""

    def __init__(self, most: int = 1_000_000) -> None:
        self.number = 0
        self._most = most

    def __call__(self) -> None:
        self.number += 1
        if self.number > self._most:
            raise BudgetExceeded("time")


@pytest.mark.parametrize("target", ["dimacs", "opb", "smt2", "mps"])
def test_what_is_written_for_solvers_looks_at_the_clock(target: str) -> None:
    """The distinct lines of 60x60 are one constraint and most of the work."""
    looks = Looks(4)
    side = 20 if target == "mps" else 60
    with pytest.raises(BudgetExceeded):
        list(TARGETS[target].write(Export(Puzzle(Board.empty(side, side)), check_clock=looks)))
    assert looks.number == 5


def test_loading_a_writer_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """OR-tools takes a second to load, and more on a busy machine."""
    now = [0.0]

    def slow(name: str) -> object:
        now[0] += 90
        return importlib.import_module(name)

    monkeypatch.setattr(resource_limits, "monotonic", lambda: now[0])
    monkeypatch.setattr(encodings, "import_module", slow)
    order = encode.EncodeOptions("mps", time_limit=1)
    assert list(encode.text(Entry(Puzzle(Board.empty(4, 4))), order))
    assert now[0] == 90


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("unique", [None, encode.AUTO])
def test_the_time_limit_of_an_export_is_for_all_of_it(unique: str | None) -> None:
    order = encode.EncodeOptions("opb", unique=unique, time_limit=5 * STEP)
    with pytest.raises(BudgetExceeded):
        list(encode.text(Entry(Puzzle(Board.empty(60, 60))), order))


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
def test_the_making_of_a_puzzle_looks_at_the_clock(recipe: Recipe) -> None:
    with pytest.raises(BudgetExceeded):
        make(recipe, 1, [1], meter=Meter(Budget(4 * STEP)))


@pytest.mark.usefixtures("hurried")
def test_what_was_made_in_time_is_kept() -> None:
    order = GENERATE.model_validate({"size": 6, "count": 100, "seed": 1}).order()
    assert making.made(STEP, order) == ([], making.OUT_OF_TIME)
    # One by one, so that there is something to keep.
    big = GENERATE.model_validate({"size": 40, "count": 100, "seed": 1, "clues": 1600}).order()
    records, why = making.made(20 * STEP, big)
    assert 0 < len(records) < 100
    assert why == making.OUT_OF_TIME


def test_a_formula_looks_at_the_clock() -> None:
    looks = Looks()
    Maker(Puzzle(Board.empty(20, 20)), None, check_clock=looks)
    assert looks.number >= 40


@pytest.mark.parametrize("form", ["text", "svg", "png", "pdf", "html"])
def test_drawing_looks_at_the_clock_at_each_puzzle(form: Any, tmp_path: Any) -> None:
    """Painting takes longer than solving."""
    out = f"{tmp_path}/" if form in ("svg", "png") else str(tmp_path / f"puzzles.{form}")
    looks = Looks(3)
    hint = form == "html"
    order = render_options.options_of(RenderRequest(to=form, hint=hint, not_unique="mark"), out=out)
    entries = [Entry(Puzzle(Board.empty(4, 4)), id=str(number)) for number in range(9)]
    with pytest.raises(BudgetExceeded):
        render.render_puzzles(
            entries, replace(order, check_clock=looks), quiet=True, summary=OutputSummary()
        )


def test_when_the_time_is_over_no_more_files_are_tried() -> None:
    tried: list[Entry] = []

    def never(entry: Entry, _: float) -> tuple[str, bytes]:
        tried.append(entry)
        return "", b""

    given = work.Given((". .\n. .", ". .\n. ."), "text", None, 10, 10)
    refused = files.make_each(never, "", Bounds(0, 1000), given)
    assert isinstance(refused, list)
    assert {each.kind for each in refused} == {"budget"}
    assert not tried


@dataclass
class Recorder:
    """A backend that keeps which budgets it was given."""

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
        (Task("solve", additions=(StepsAddition(),)), [8], [4]),
        (Task("check", additions=(GradeAddition(),)), [8], [8]),
    ],
    ids=["check", "readings", "explain", "grade"],
)
def test_the_searches_of_a_puzzle_share_its_time_if_they_are_to(
    task: Task, alone: list[float], shared: list[float]
) -> None:
    """No time passes here, so that the last search always has what the first left."""
    for shares, expected in ((False, alone), (True, shared)):
        backend = Recorder()
        told = replace(task, backend=backend, time_limit=8, shares_time=shares)
        tasks.decide(Entry(Puzzle(Board.parse("0011 1100 0101 1010"))), told)
        assert backend.seconds == expected


@pytest.mark.usefixtures("still")
def test_two_backends_share_the_time_if_they_are_to() -> None:
    one, two = Recorder(), Recorder()
    task = Task("check", one, two, time_limit=8, shares_time=True)
    tasks.decide(Entry(Puzzle(Board.parse("0011 1100 0101 1010"))), task)
    assert (one.seconds, two.seconds) == ([4], [4])


def test_over_http_all_searches_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Task] = []

    def decide(entry: Entry, task: Task) -> Any:
        seen.append(task)
        return records.failed(entry, BudgetExceeded("time"))

    monkeypatch.setattr(work, "decide", decide)
    work.decide_given(Task("check"), 5, None, work.Given(("..\n..",), "text", None, 10, 10))
    assert seen[0].shares_time


def test_a_last_check_ends_before_a_worker_is_killed() -> None:
    assert verdicts.LAST_CHECK_SECONDS < worker_pools.GRACE / 2


def test_a_worker_that_was_killed_for_its_time_is_an_unknown_puzzle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The contract promises a record wherever a record can say that the time ran out."""

    class Lane:
        async def run(self, what: Callable[[Any], Any], given: Any, seconds: float) -> Any:
            if what is work.read:
                return work.read(given)
            raise SolverHang

    async def connected(_: object, what: Awaitable[Any]) -> Any:
        return await what

    monkeypatch.setattr(answering, "while_connected", connected)
    given = work.Given((". .\n. .",), "text", None, 10, 10)
    ask = TASKS["repair"].model_validate({"puzzle": ". .\n. ."})
    asked: Asked[Any] = Asked(ask, given, 5.0, is_single=True, size=1, mark=1)
    state = cast("State", SimpleNamespace(general=Lane(), limits=Limits()))
    task = Task("check", additions=(RepairAddition(),))
    told = asyncio.run(answering._one(cast("Any", None), state, asked, task))
    record = orjson.loads(told.text)
    assert (record["verdict"], record["stopped_by"], record["clues"]) == ("unknown", "time", "....")
    assert "error" not in record
    assert not told.is_final
