import io
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Rules
from binairo_cp.batch import columnar, pipeline, tasks
from binairo_cp.batch.pipeline import BlockSizer, NumberedBlock, number_blocks
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Output
from binairo_cp.batch.tasks import Task
from binairo_cp.certificates.making import Store
from binairo_cp.errors import FormatError, SolverCrash, SolverHang, SourceError
from binairo_cp.features.certify import certificates
from binairo_cp.features.feature import task_of
from binairo_cp.formats import FORMATS, Entry
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.sources import Source
from binairo_cp.solving import backends
from binairo_cp.workers import executors
from binairo_cp.workers.executors import Executor, WorkerSettings, block_stream, local, map_blocks
from tests.support.poison import ABORT, CRASH, EXIT, GROW, HANG, RAISE, Poison
from tests.support.result_files import records_of

KNOWN = Board.parse("101100 011010 010101 100101 101010 010011")


def entry(board: Board, rules: Rules = CLASSIC, id: str = "x") -> Entry:
    return Entry(Puzzle(board, rules), None, id, "some.txt", 7)


def decided(board: Board, task: Task, rules: Rules = CLASSIC) -> ResultRecord:
    return tasks.decide(entry(board, rules), task)


@pytest.mark.parametrize(("rows", "classic", "unruly", "whole", "rules"), [
    ("0101 1010 0101 1010", "none", "unique", "unique", "unruly"),
    ("0011 0101 1100 1010", "unique", "unique", "unique", "classic"),
    ("0.01 1010 0101 1010", "none", "unique", "unique", "unruly"),
    ("000. .... .... ....", "none", "none", "none", "classic"),
    (".... .... .... ....", "multiple", "multiple", "multiple", "classic"),
])  # fmt: skip
def test_both_readings(rows: str, classic: str, unruly: str, whole: str, rules: str) -> None:
    record = decided(Board.parse(rows), Task("check", both_readings=True), UNRULY)
    assert record.readings["classic"].verdict == classic
    assert record.readings["unruly"].verdict == unruly
    assert (record.verdict, record.rules) == (whole, rules)


def poisoned(
    task: Task, settings: WorkerSettings, bad: dict[int, str], size: int, block: int = 4
) -> list[ResultRecord]:
    entries = [
        entry(Board.parse(f"{bad.get(k, '0011')} .... .... ...."), id=str(k)) for k in range(size)
    ]
    return records_of((entries[k : k + block] for k in range(0, size, block)), task, settings)


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Task:
    """A task whose workers crash on some puzzles; forked workers inherit the patch."""
    import multiprocessing

    monkeypatch.setattr(local, "_context", lambda modules: multiprocessing.get_context("fork"))
    monkeypatch.setattr(backends, "get", lambda name: Poison())
    return Task("check", backend="poison")


def test_a_crash_affects_only_its_own_puzzle(poison: Task) -> None:
    bad = {0: CRASH, 7: RAISE, 20: EXIT, 59: CRASH}
    records = poisoned(poison, WorkerSettings(2), bad, 60)
    assert [record.id for record in records] == [str(k) for k in range(60)]
    for k, record in enumerate(records):
        if k not in bad:
            assert record.verdict == "multiple"
            assert record.error is None
        else:
            assert record.verdict == "unknown"
            assert record.error
    kinds = {k: record.error.kind for k, record in enumerate(records) if record.error}
    assert kinds == {0: "crash", 7: "internal", 20: "crash", 59: "crash"}
    messages = [record.error.message for record in records if record.error]
    assert "signal SIGSEGV" in messages[0]
    assert "rules: classic\n0110\n...." in messages[0]
    assert messages[1] == "RuntimeError: out of order"
    assert "exit status 3" in messages[2]


@pytest.mark.parametrize(
    ("what", "kind"), [(CRASH, "crash"), (HANG, "hang"), (GROW, "memory"), (ABORT, "memory")]
)
def test_a_solver_that_may_hang_runs_in_its_own_process(
    poison: Task, monkeypatch: pytest.MonkeyPatch, what: str, kind: str
) -> None:
    if what == HANG:
        monkeypatch.setattr(tasks, "_SPARE_SECONDS", 1.0)
    task = replace(poison, time_limit=0.1 if what == HANG else 60.0)
    [record] = poisoned(task, WorkerSettings(2, memory=1 << 30), {0: what}, 1)
    assert record.verdict == "unknown"
    assert record.error.kind == kind


@pytest.mark.parametrize(("backend", "side", "own"), [
    ("auto", 40, False), ("auto", 41, True), ("pysat:glucose4", 40, False),
    ("pysat:cadical153", 100, True), ("cpsat", 4, True), ("cpsat:codes", 62, True),
    ("bitboard", 64, False), ("backtracking", 100, False), (Poison(), 4, True),
])  # fmt: skip
def test_backends_that_need_their_own_process(backend: str | Poison, side: int, own: bool) -> None:
    assert backends.needs_own_process(backend, side) == own


@pytest.mark.parametrize(("task", "settings", "own"), [
    (Task("check"), WorkerSettings(2), False),
    (Task("check", cross_check="cpsat"), WorkerSettings(2), True),
    (Task("check"), WorkerSettings(2, memory=1 << 30), True),
    (task_of("clues"), WorkerSettings(2, memory=1 << 30), False),
    (Task("check", "cpsat"), WorkerSettings(0), False),
])  # fmt: skip
def test_where_a_single_puzzle_is_decided(
    monkeypatch: pytest.MonkeyPatch, task: Task, settings: WorkerSettings, own: bool
) -> None:
    opened: list[int] = []
    usual = WorkerSettings.open

    def open_(self: WorkerSettings, modules: Iterable[str] = ()) -> Executor:
        opened.append(self.workers)
        return usual(self, modules)

    monkeypatch.setattr(WorkerSettings, "open", open_)
    [record] = records_of([[entry(Board.parse("0011 1100 0101 1010"))]], task, settings)
    assert record.verdict == "unique"
    assert opened == [1] * own


@pytest.mark.parametrize(("sure", "tries"), [(True, 1), (False, 2)])
def test_a_block_with_a_timeout_is_not_retried(sure: bool, tries: int) -> None:
    """Unless another block may have caused the timeout."""
    given: list[int] = []

    class Hanging:
        blame_is_certain = sure
        workers = 1

        def submit(self, work: object, block: int) -> Future[int]:
            given.append(block)
            future: Future[int] = Future()
            future.set_exception(SolverHang())
            return future

    [(block, what)] = map_blocks(cast("Executor", Hanging()), abs, [7])
    assert block == 7
    assert isinstance(what, SolverHang)
    assert given == [7] * tries


@pytest.mark.parametrize(
    "place",
    [0, pytest.param(150, marks=pytest.mark.slow), pytest.param(299, marks=pytest.mark.slow)],
    ids=["start", "middle", "end"],
)
@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        (CRASH, "crash", "signal SIGSEGV"),
        pytest.param(HANG, "hang", "exceeded its time limit", marks=pytest.mark.slow),
        (GROW, "memory", "no memory"),
        (ABORT, "memory", "signal SIGABRT): terminate called"),
    ],
    ids=["crash", "hang", "grow", "abort"],
)
def test_the_crashing_puzzle_of_a_block_is_found(
    poison: Task, monkeypatch: pytest.MonkeyPatch, what: str, kind: str, words: str, place: int
) -> None:
    if what == HANG:
        monkeypatch.setattr(tasks, "_SPARE_SECONDS", 3.0)
    task = replace(poison, time_limit=0.1 if what == HANG else 60.0)
    records = poisoned(task, WorkerSettings(2, memory=1 << 30), {place: what}, 300, block=300)
    assert [record.id for record in records] == [str(k) for k in range(300)]
    guilty = records.pop(place)
    assert guilty.verdict == "unknown"
    assert guilty.error.kind == kind
    assert words in guilty.error.message
    assert "rules: classic\n" in guilty.error.message
    assert {record.verdict for record in records} == {"multiple"}
    assert not any(record.error for record in records)


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_records_do_not_depend_on_the_number_of_workers(workers: int) -> None:
    entries = [
        Entry(error=FormatError("no puzzle", source="some.txt", line=3), source="some.txt", line=3)
        if k % 7 == 3
        else entry(Board.parse(f"{'.' * (k % 3)}{'0' * (3 - k % 3)}. .... .... ...."), id=str(k))
        for k in range(100)
    ]
    records = records_of(([each] for each in entries), Task("count"), WorkerSettings(workers))
    assert [record.verdict == "invalid" for record in records] == [k % 7 == 3 for k in range(100)]
    counts = [record.count for record in records]
    assert counts == [record.count for record in records_of([entries], Task("count"))]


def test_a_long_input_is_read_as_needed() -> None:
    taken = 0
    sizer = BlockSizer(2)

    def entries() -> Iterator[list[Entry]]:
        nonlocal taken
        while True:
            block = [entry(Board.parse("0011 1100 0101 1010"))] * sizer.size()
            taken += len(block)
            yield block

    results = pipeline.process_blocks(
        number_blocks(entries()), Task("check"), "line", sizer, WorkerSettings(2)
    )
    done = sum(next(results).summary.total for _ in range(30))
    assert taken <= done + 2 * 3 * (1 << (30 + 2 * 3) // 4)
    results.close()


Submitted = list[NumberedBlock | None]
"""The blocks that a run gives to its workers."""


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[Submitted]:
    """The blocks are decided in this process instead; the last one crashes."""
    runs: list[Submitted] = []

    def mapped(
        executor: object,
        work: Callable[[NumberedBlock], pipeline.WrittenBlock],
        blocks: Iterable[NumberedBlock | None],
        split: object,
    ) -> Iterator[tuple[NumberedBlock, pipeline.WrittenBlock | SolverCrash]]:
        runs.append(list(blocks))
        given = [block for block in runs[-1] if block]
        for block in given:
            yield block, SolverCrash("it died") if block is given[-1] else work(block)

    monkeypatch.setattr(executors, "map_blocks", mapped)
    monkeypatch.setattr(WorkerSettings, "open", lambda *_: nullcontext())
    monkeypatch.setattr(pipeline, "_START_SECONDS", 0.0)
    return runs


def test_a_single_puzzle_that_may_not_be_the_only_one_goes_to_a_worker(submitted: list[Submitted]):
    one, silent = NumberedBlock(0, [entry(KNOWN)]), NumberedBlock(1, [])

    def run(blocks: list[NumberedBlock], begun: bool) -> int:
        submitted.clear()
        list(
            pipeline.process_blocks(
                blocks, Task("check"), "ndjson", BlockSizer(2), WorkerSettings(2), begun=begun
            )
        )
        return len(submitted)

    assert run([one], begun=False) == 0
    assert run([one], begun=True) == 1
    assert run([one, silent], begun=False) == 1
    assert run([silent, one], begun=False) == 0


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("task", "here"), [
    (Task("check"), True),
    (Task("count", time_limit=0.5), True),
    (Task("check", "cpsat"), False),
    (task_of("fewest"), False),
])  # fmt: skip
def test_little_work_stays_in_this_process(
    submitted: list[Submitted],
    monkeypatch: pytest.MonkeyPatch,
    task: Task,
    here: bool,
    workers: int,
) -> None:
    monkeypatch.setattr(pipeline, "_START_SECONDS", 100.0)
    blocks = [NumberedBlock(k, [entry(KNOWN)]) for k in range(3)]
    parts = list(
        pipeline.process_blocks(blocks, task, "ndjson", BlockSizer(1), WorkerSettings(workers))
    )
    assert [part.before for part in parts] == [0, 1, 2]
    assert submitted == ([] if here else [blocks])
    submitted.clear()
    more = pipeline.process_blocks(
        blocks, task, "ndjson", BlockSizer(1), WorkerSettings(workers), is_long=lambda: True
    )
    assert len(list(more)) == 3
    assert submitted == [blocks]


def test_workers_continue_where_the_work_grows(
    submitted: list[Submitted], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    limits: list[float | None] = []

    def decide(each: Entry, task: Task) -> ResultRecord:
        clock[0] += float(each.id or 0)
        limits.append(task.time_limit)
        return tasks.failed(each, SolverCrash("it died"))

    def ran(seconds: list[float], limit: float | None) -> tuple[list[int], list[int]]:
        submitted.clear()
        limits.clear()
        entries = [Entry(Puzzle(KNOWN), id=str(each)) for each in seconds]
        blocks = [NumberedBlock(k, [each]) for k, each in enumerate(entries)]
        task = Task("check", time_limit=limit)
        parts = pipeline.process_blocks(blocks, task, "line", BlockSizer(1), WorkerSettings(2))
        before = [part.before for part in parts]
        return before, [each.before for run in submitted for each in run if each]

    monkeypatch.setattr(pipeline, "decide", decide)
    monkeypatch.setattr(pipeline, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(pipeline, "_START_SECONDS", 0.25)
    # The third is slow, so a worker decides it anew, without the limit of this process.
    assert ran([0.0625, 0.0625, 9.0, 0.0], None) == ([0, 1, 2, 3], [2, 3])
    assert limits == [2.4] * 3 + [None]
    # Together they take long.
    assert ran([0.125, 0.125, 0.0], 60.0) == ([0, 1, 2], [2])
    # The limit of the user is shorter than that of this process.
    assert ran([0.5, 0.0], 1.0) == ([0, 1], [1])
    assert limits == [1.0]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """The tasks with which puzzles are decided. Each fails."""
    decided: list[Task] = []

    def decide(each: Entry, task: Task) -> ResultRecord:
        decided.append(task)
        return tasks.failed(each, SolverCrash("it died"))

    monkeypatch.setattr(pipeline, "decide", decide)
    return decided


@pytest.mark.parametrize(("output", "reasons"), [("line", "none"), ("ndjson", "smallest")])
def test_lines_need_no_reasons(output: Output, reasons: str, given: list[Task]) -> None:
    blocks = list(number_blocks([[entry(KNOWN)]]))
    list(pipeline.process_blocks(blocks, Task("check"), output, BlockSizer(1), WorkerSettings(0)))
    assert [task.reasons for task in given] == [reasons]


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 33])
def test_blocks_are_split_into_a_few_parts(size: int) -> None:
    lines = f"{KNOWN.cells}\n".encode() * size
    source = Source("x", io.BytesIO(lines), lambda: 0)
    (block,) = FORMATS["line"].blocks(source, None, lambda: size)
    for each in (block, [entry(KNOWN)] * size):
        parts = NumberedBlock(3, each).split()
        sizes = [len(part.block) for part in parts]
        assert sum(sizes) == size
        assert len(parts) <= 16
        assert set(sizes[:-1]) <= {-(-size // 16)}
        assert sizes[-1] <= -(-size // 16)
        assert [part.before for part in parts] == [3 + sum(sizes[:k]) for k in range(len(parts))]


def test_small_blocks_are_decided_together_only_in_long_runs_or_if_that_is_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[int] = []
    monkeypatch.setattr(pipeline, "_WORTH_LOADING", 3)
    monkeypatch.setattr(columnar, "decide_block", lambda block, *_: given.append(len(block)) or [])

    def run(task: Task, before: int = 0) -> list[int]:
        given.clear()
        for size in (1, 2, 3):
            source = Source("x", io.BytesIO(f"{KNOWN.cells}\n".encode() * size), lambda: 0)
            (block,) = FORMATS["line"].blocks(source, None, lambda: 9)
            part = pipeline._BlockWorker(task, "line")(NumberedBlock(before, block))
            assert part.summary.total == size
        return given

    for module, sizes in (("never loaded", [3]), ("sys", [2, 3])):
        monkeypatch.setattr(pipeline, "_COLUMNAR", module)
        assert run(Task("check", "bitboard")) == sizes
        assert run(Task("check", "bitboard"), before=1) == [2, 3]
        assert run(Task("check", "backtracking")) == []


def test_two_puzzles_in_one_block_are_many(tmp_path: Path) -> None:
    task = Task("check", analyses=(certificates(str(tmp_path / "one.zip")),))
    with pytest.raises(SourceError, match="is one certificate for many puzzles"):
        records_of([[entry(KNOWN), entry(KNOWN)]], task, WorkerSettings(0))


def test_the_first_blocks_end_when_a_pipe_is_silent() -> None:
    one, silent, two = (
        NumberedBlock(before, [entry(KNOWN)] * count) for before, count in ((0, 1), (1, 0), (1, 1))
    )

    def begun(task: Task) -> Iterator[NumberedBlock]:
        blocks = iter([silent, one, silent, two, two])
        with suppress(SourceError):
            next(pipeline.process_blocks(blocks, task, "line", BlockSizer(1), WorkerSettings(0)))
        return blocks

    assert list(begun(Task("check"))) == [two, two]
    certifying = Task("check", analyses=(certificates("one.zip"),))
    assert list(begun(certifying)) == [two], "it waits for a second puzzle"


def test_blocks_grow_up_to_their_target_time() -> None:
    """Sizes double after two blocks per worker, until blocks take their target time."""

    def sizes(seconds_a_puzzle: float) -> list[int]:
        sizer = BlockSizer(2, block_seconds=1.0)
        found = []
        for _ in range(24):
            found.append(sizer.size())
            sizer.update(found[-1], found[-1] * seconds_a_puzzle)
        return found

    assert sizes(1e-9) == [1] * 4 + [2] * 4 + [4] * 4 + [8] * 4 + [16] * 4 + [32] * 4
    assert sizes(0.125) == [1] * 4 + [2] * 4 + [4] * 4 + [8] * 12
    assert sizes(2.0) == [1] * 24


def test_a_certificate_file_is_refused_for_many_puzzles() -> None:
    def store_of(name: str, is_single: bool) -> Store:
        task = Task("check", analyses=(certificates(name),))
        store = pipeline.resolved(task, "ndjson", is_single).analyses[0].options["store"]
        return cast("Store", store)

    assert store_of("one.zip", is_single=True).single
    with pytest.raises(SourceError, match=r"one\.zip: is one certificate for many puzzles"):
        store_of("one.zip", is_single=False)
    assert not store_of("no such folder", is_single=False).single


def test_an_undisturbed_run_creates_no_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the run were killed, nothing would remove such a folder."""
    monkeypatch.setattr(block_stream, "TemporaryDirectory", None)
    with executors.Pool(1) as pool:
        assert list(map_blocks(pool, _square, [[1], [2]])) == [([1], [1]), ([2], [4])]
        with pytest.raises(TypeError):
            list(map_blocks(pool, _square, [[13]]))


def _square(block: list[int]) -> list[int]:
    if 13 in block:
        os.kill(os.getpid(), signal.SIGKILL)
    return [k * k for k in block]


def test_the_summary_counts_each_reading() -> None:
    """A puzzle with no solution by one reading is not just unique."""
    task = Task("check", both_readings=True)
    summary = Summary("check")
    for rows in ("0101 1010 0101 1010", "0011 1100 0110 1001"):
        part = Summary("check")
        part.add(decided(Board.parse(rows), task))
        summary.merge(part)
    assert str(summary) == "2 puzzles: classic 1 unique, 1 none; unruly 2 unique"
    assert str(Summary("check", unread=1)) == "0 puzzles: 1 source not read"
    assert str(Summary("check")) == "0 puzzles"
