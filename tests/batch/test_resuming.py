"""A run that was stopped at any time can be resumed without lost or repeated results."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from binairo_cp.batch import resuming
from binairo_cp.batch.pipeline import NumberedBlock
from binairo_cp.batch.resuming import ResultFile, open_results
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tasks import record
from binairo_cp.errors import SourceError
from binairo_cp.formats.runs import RunRecord
from tests.support.command_line import binairo, call, finished, invoke
from tests.support.ended_early import ENTRIES, FOUND
from tests.support.result_files import stable_records, write_puzzles


def check(puzzles: Path, out: Path, *more: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a resumed run."""
    return call(*arguments_of(puzzles, out), *more)


def refused(puzzles: Path, out: Path, *more: str) -> str:
    return invoke(*arguments_of(puzzles, out), *more, check=2).stderr


def arguments_of(puzzles: Path, out: Path) -> tuple[str, ...]:
    return ("check", str(puzzles), "--to", "ndjson", "--out", str(out), "--resume")


@dataclass
class StoppedRun:
    """A complete run, which can be turned into a stopped one: its input, records and `.run` file."""

    puzzles: Path
    lines: list[str]
    run_file: bytes

    @classmethod
    def of(cls, folder: Path, *more: str) -> StoppedRun:
        puzzles, out = write_puzzles(folder), folder / "out.ndjson"
        assert check(puzzles, out, *more)[0] == 2
        lines = out.read_text().splitlines(keepends=True)
        lines.sort(key=lambda line: json.loads(line)["line"])
        expected = {"puzzles.line", "out.ndjson", "out.ndjson.run"}
        assert {each.name for each in folder.iterdir()} == expected
        return cls(puzzles, lines, Path(f"{out}.run").read_bytes())

    def begin(self, out: Path, records: str) -> None:
        """Pretend that the run was stopped earlier, in another folder."""
        Path(f"{out}.run").write_bytes(self.run_file)
        Path(f"{out}.partial").write_text(records)


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> StoppedRun:
    return StoppedRun.of(tmp_path_factory.mktemp("ordered"))


@pytest.mark.parametrize(("kept", "torn"), [
    *((kept, "") for kept in (0, 8, 299, 300)),
    *((150, torn) for torn in ('{"schema_ver', '{"id":1}', "\0\n{}\n")),
])  # fmt: skip
def test_resuming_from_any_line(
    tmp_path: Path, ordered: StoppedRun, kept: int, torn: str, request: pytest.FixtureRequest
):
    if torn:
        request.getfixturevalue("without_workers")
    out, whole = tmp_path / "out.ndjson", ordered.lines
    ordered.begin(out, "".join(whole[:kept]) + torn)
    status, _, err = check(ordered.puzzles, out)
    assert status == 2
    assert "300 puzzles: 298 unique, 1 multiple, 1 invalid" in err
    assert stable_records(out.read_text()) == stable_records(whole)
    assert out.read_text().splitlines(keepends=True)[:kept] == whole[:kept]


def test_a_complete_run_is_summed_up_but_not_repeated(tmp_path: Path):
    puzzles, out = write_puzzles(tmp_path), tmp_path / "out.ndjson"
    first = check(puzzles, out)
    before = out.read_bytes()
    again = check(puzzles, out)
    assert (again[0], out.read_bytes()) == (first[0], before)
    assert "resuming after puzzle 300" in again[2]


def test_a_changed_run_is_refused(tmp_path: Path):
    puzzles, out = write_puzzles(tmp_path), tmp_path / "out.ndjson"
    check(puzzles, out)
    out.rename(f"{out}.partial")
    partial = Path(f"{out}.partial").read_bytes()
    err = refused(puzzles, out, "--backend", "pysat")
    assert "can't resume: the earlier run had backend auto, now it is pysat" in err
    err = refused(puzzles, out, "--rules", "unruly")
    assert "the earlier run had rules default, now it is unruly" in err
    puzzles.write_text(puzzles.read_text().replace("p20\n", "p21\n"))
    err = refused(puzzles, out)
    assert f"the earlier run had another {puzzles}" in err
    err = refused(puzzles, out, str(puzzles))
    assert f"had the files {puzzles}, now" in err
    assert Path(f"{out}.partial").read_bytes() == partial
    Path(f"{out}.run").unlink()
    err = refused(puzzles, out)
    assert "without out.ndjson.run, which describes its run" in err
    Path(f"{out}.run").write_text("{")
    err = refused(puzzles, out)
    assert "does not describe a run" in err
    # Without records, it is the same.
    Path(f"{out}.partial").unlink()
    err = refused(puzzles, out)
    assert "does not describe a run" in err


A = {"height": 4, "width": 4, "clues": "01.............."}
B = {"height": 2, "width": 4, "clues": "01......"}
STREAM = [
    A | {"rules": "unruly"}, B | {"rules": {"balanced": False}}, A | {"signs": [[0, 2, "R", "="]]},
    B | {"clues": "0"}, B,
]  # fmt: skip


def ndjson(puzzles: list[dict[str, object]]) -> str:
    return "".join(json.dumps(puzzle) + "\n" for puzzle in puzzles)


def begin_with_stream(
    tmp_path: Path, *more: str, verb: str = "check"
) -> tuple[list[str], Path, bytes]:
    """The command, its partial results, and their content: the records of the first four."""
    out = tmp_path / "out.ndjson"
    command = [verb, "-", "--to", "ndjson", "--out", str(out), "--resume", *more]
    assert call(*command, input=ndjson(STREAM))[0] == 2
    kept = b"".join(out.read_bytes().splitlines(keepends=True)[:4])
    out.unlink()
    partial = Path(f"{out}.partial")
    partial.write_bytes(kept)
    return command, partial, kept


@pytest.mark.slow
@pytest.mark.parametrize(("number", "changed", "said"), [
    (1, A | {"rules": "unruly", "clues": "0" + "." * 15}, "differ in clues;"),
    (1, {"height": 2, "width": 8, "clues": A["clues"], "rules": "unruly"}, "in height, width;"),
    (1, A, "differ in rules;"),
    (1, STREAM[0] | {"id": "named"}, "record 1 ('1') and puzzle 'named' on line 1"),
    (1, A | {"clues": "0"}, "at the position of record 1 ('1'), the input has no puzzle (-:1: "),
    (2, B | {"rules": {"balanced": False, "longest_run": 3}}, "differ in rules;"),
    (3, A, "differ in signs, rules;"),
    (3, A | {"signs": [[0, 2, "R", "x"]]}, "differ in signs;"),
    (4, B, "record 4 ('4') and puzzle '4' on line 4 of the input differ in height"),
    (4, B | {"clues": "01"}, "at the position of record 4 ('4'), the input has no puzzle"),
])  # fmt: skip
def test_other_puzzles_on_standard_input_are_refused(
    tmp_path: Path, number: int, changed: dict[str, object], said: str
):
    command, partial, kept = begin_with_stream(tmp_path)
    others = [*STREAM[: number - 1], changed, *STREAM[number:]]
    status, _, err = call(*command, input=ndjson(others))
    assert (status, said in err) == (2, True), err
    assert partial.read_bytes() == kept
    # The first run continues.
    assert call(*command, input=ndjson(STREAM))[0] == 2
    assert len(partial.with_suffix("").read_bytes().splitlines()) == len(STREAM)


@pytest.mark.usefixtures("without_workers")
@pytest.mark.parametrize(("length", "said"), [
    (3, "the input ends after 3 puzzles, but there are 4 records already"),
    (1, "the input ends after 1 puzzle, but there are 4 records already"),
    (0, "the input ends after 0 puzzles, but there are 4 records already"),
])  # fmt: skip
def test_standard_input_that_ends_too_early_is_refused(tmp_path: Path, length: int, said: str):
    command, partial, kept = begin_with_stream(tmp_path)
    status, _, err = call(*command, input=ndjson(STREAM[:length]))
    assert (status, said in err) == (2, True), err
    assert partial.read_bytes() == kept


def test_standard_input_can_be_resumed_under_both_readings(tmp_path: Path):
    command, partial, kept = begin_with_stream(tmp_path, "--rules", "both")
    err = call(*command, input=ndjson([A | {"rules": {"longest_run": 3}}, *STREAM[1:]]))[2]
    assert "record 1 ('1') and puzzle '1' on line 1 of the input differ in rules" in err
    # Both are decided whichever of the two it says.
    assert call(*command, input=ndjson([A, *STREAM[1:]]))[0] == 2
    assert partial.with_suffix("").read_bytes().startswith(kept)


@pytest.mark.usefixtures("without_workers")
@pytest.mark.parametrize("verb", ["solve", "grade"])
def test_every_task_compares_standard_input(tmp_path: Path, verb: str):
    command, partial, kept = begin_with_stream(tmp_path, verb=verb)
    err = call(
        *command, input=ndjson([*STREAM[:2], A | {"signs": [[1, 2, "R", "="]]}, *STREAM[3:]])
    )[2]
    assert "record 3 ('3') and puzzle '3' on line 3 of the input differ in signs" in err
    assert partial.read_bytes() == kept
    assert call(*command, input=ndjson(STREAM))[0] == 2
    assert partial.with_suffix("").read_bytes().startswith(kept)


def test_a_complete_run_is_extended_by_more_standard_input(tmp_path: Path):
    command, partial, kept = begin_with_stream(tmp_path)
    out = partial.with_suffix("")
    assert call(*command, input=ndjson(STREAM[:4]))[0] == 2
    assert out.read_bytes() == kept
    before = RunRecord.model_validate_json(Path(f"{out}.run").read_bytes())
    with open_results(str(out), lambda: before, Summary("check")) as known:
        assert (known.done, out.exists()) == (4, True)
        known.append(b"")
        # It must not look complete while it is not.
        assert (partial.exists(), out.exists()) == (True, False)
        known.append(b"")
    assert (partial.exists(), out.read_bytes()) == (False, kept)
    assert call(*command, input=ndjson(STREAM))[0] == 2
    assert (out.read_bytes().startswith(kept), partial.exists()) == (True, False)
    assert len(out.read_bytes().splitlines()) == len(STREAM)


def test_pipes_are_compared_as_standard_input_is(tmp_path: Path):
    pipe, out = tmp_path / "pipe", tmp_path / "out.ndjson"
    os.mkfifo(pipe)

    def fed(puzzles: list[dict[str, object]]) -> tuple[int, str, str]:
        with ThreadPoolExecutor() as pool:
            pool.submit(pipe.write_text, ndjson(puzzles))
            return check(pipe, out)

    assert fed(STREAM)[0] == 2
    assert "differ in clues" in fed([A | {"clues": "." * 16, "rules": "unruly"}, *STREAM[1:]])[2]


@pytest.mark.parametrize("name", ["", ".", "pipe"])
def test_only_regular_files_can_be_resumed(tmp_path: Path, name: str):
    puzzles, out = write_puzzles(tmp_path, 2), tmp_path / name
    os.mkfifo(tmp_path / "pipe")
    before = set(tmp_path.iterdir())
    status, _, err = check(puzzles, out)
    assert (status, f"{out}: can't resume: not a regular file" in err) == (2, True), err
    assert set(tmp_path.iterdir()) == before


def test_an_empty_name_is_refused_as_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    puzzles = write_puzzles(tmp_path, 2)
    monkeypatch.chdir(tmp_path)
    done = invoke("check", str(puzzles), "--to", "ndjson", "--out", "", "--resume", check=2)
    assert "--out: can't resume: not a regular file" in done.stderr


def test_two_runs_can_not_write_one_file(tmp_path: Path):
    import fcntl

    puzzles, out = write_puzzles(tmp_path), tmp_path / "out.ndjson"
    with open(f"{out}.partial", "wb") as file:
        check(puzzles, tmp_path / "other.ndjson")
        Path(f"{tmp_path}/other.ndjson.run").rename(f"{out}.run")
        fcntl.flock(file, fcntl.LOCK_EX)
        err = refused(puzzles, out)
    assert "another run is writing it" in err


@pytest.mark.usefixtures("without_workers")
@pytest.mark.parametrize("verb", ["count", "explain", "repair"])
def test_every_task_can_be_resumed(verb: str, tmp_path: Path):
    puzzles, out = write_puzzles(tmp_path, 10), tmp_path / "out.ndjson"
    command = (verb, *arguments_of(puzzles, out)[1:], "-q", "-w", "1")
    status = call(*command)[0]
    whole = out.read_text().splitlines(keepends=True)
    out.rename(f"{out}.partial")
    Path(f"{out}.partial").write_text("".join(whole[:5]))
    assert call(*command)[0] == status
    assert stable_records(out.read_text()) == stable_records(whole)


def test_resuming_from_any_moment(tmp_path: Path):
    program = [sys.executable, "-m", "tests.support.ended_early", str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 10


@pytest.mark.usefixtures("without_workers")
@pytest.mark.parametrize("left", [
    {".partial": ""},
    {".partial": "", ".run.partial": '{"versi'},
    {".partial": "", ".run": RunRecord(version="0", asked={}, inputs=[]).model_dump_json()},
    {"": ""},
    {"": "", ".partial": ""},
])  # fmt: skip
def test_a_run_stopped_before_its_first_record_starts_anew(tmp_path: Path, left: dict[str, str]):
    puzzles, out = write_puzzles(tmp_path, 3), tmp_path / "out.ndjson"
    for ending, text in left.items():
        Path(f"{out}{ending}").write_text(text)
    status, _, err = check(puzzles, out)
    assert (status, "3 puzzles: 3 unique" in err) == (0, True), err
    assert len(out.read_text().splitlines()) == 3
    assert not Path(f"{out}.partial").exists()


@pytest.mark.parametrize("line", [
    "[1]",
    "null",
    "1",
    '{"id":1}',
    '{"verdict":"unique","seconds":"1"}',
    '{"verdict":[]}',
    '{"verdict":"unique","readings":[]}',
])  # fmt: skip
def test_lines_other_than_records_are_refused(tmp_path: Path, ordered: StoppedRun, line: str):
    out = tmp_path / "out.ndjson"
    ordered.begin(out, f"{ordered.lines[0]}{line}\n{ordered.lines[1]}")
    before = Path(f"{out}.partial").read_text()
    status, _, err = check(ordered.puzzles, out)
    assert status == 2
    assert "can't resume: line 2 of out.ndjson.partial is not a result record; use" in err
    assert Path(f"{out}.partial").read_text() == before


# The results of a run, without the command line

RUN = RunRecord(version="1", asked={}, inputs=[("puzzles", "hash")])
LINES = [f"{record(entry, FOUND).to_json()}\n" for entry in ENTRIES]


def stopped(folder: Path, text: str) -> str:
    """The name of the results of a stopped run with these files."""
    out = folder / "out.ndjson"
    Path(f"{out}.run").write_text(RUN.model_dump_json())
    Path(f"{out}.partial").write_text(text)
    return str(out)


def opened(out: str) -> AbstractContextManager[ResultFile]:
    return open_results(out, lambda: RUN, Summary("check"))


def test_only_puzzles_without_records_remain(tmp_path: Path):
    out = stopped(tmp_path, "".join(LINES[:3]))
    done, silent, partly, new = (
        NumberedBlock(before, ENTRIES[before:end])
        for before, end in ((0, 2), (2, 2), (2, 4), (4, 6))
    )
    with opened(out) as known:
        assert known.done == 3
        assert [each["id"] for each in known.records()] == [each.id for each in ENTRIES[:3]]
        remaining = list(known.remaining([done, silent, partly, new]))
    assert remaining == [silent, NumberedBlock(3, ENTRIES[3:4]), new]
    assert remaining[2] is new


def test_records_are_on_disk_every_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    clock, flushed = [100.0], list[float]()
    monkeypatch.setattr(resuming, "monotonic", lambda: clock[-1])
    with opened(str(tmp_path / "out")) as known:
        known._synced = clock[-1]
        monkeypatch.setattr(os, "fsync", lambda _: flushed.append(clock[-1]))
        for seconds in (100.0, 100.9, 101.0, 101.9, 102.0, 105.0):
            clock.append(seconds)
            known.append(b"{}\n")
        monkeypatch.undo()
    assert flushed == [101.0, 102.0, 105.0]


def test_a_complete_file_is_not_extended_beside_a_partial_one(tmp_path: Path):
    out = stopped(tmp_path, LINES[0])
    Path(out).write_text(LINES[0])
    with (
        pytest.raises(SourceError, match=r"can't resume: out\.ndjson\.partial exists too"),
        opened(out) as known,
    ):
        assert (known.complete, known.done) == (True, 1)
        known.append(LINES[1].encode())
    assert Path(out).read_text() == LINES[0]


def test_a_single_byte_of_an_unknown_run_is_kept(tmp_path: Path):
    (tmp_path / "out.partial").write_text("x")
    with (
        pytest.raises(SourceError, match=r"out\.partial exists without out\.run"),
        opened(str(tmp_path / "out")),
    ):
        pass
    assert (tmp_path / "out.partial").read_text() == "x"


@pytest.mark.parametrize("text", ["", "{}\n"])
def test_a_stopped_run_says_how_to_continue(tmp_path: Path, text: str):
    out = str(tmp_path / "out")
    said = f"stopped; use --resume to continue {out}.partial" if text else "^$"
    with pytest.raises(KeyboardInterrupt, match=said), opened(out) as known:
        known.append(text.encode())
        raise KeyboardInterrupt
    assert [each.name for each in sorted(tmp_path.iterdir())] == (
        ["out.partial", "out.run"] if text else []
    )


WITHOUT_BYTECODE = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
"""Or Python may leave half a file of bytecode, which breaks later imports."""


def no_bytes() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_disk_that_is_full_from_the_start_leaves_nothing_behind(tmp_path: Path):
    puzzles, out = write_puzzles(tmp_path, 2), tmp_path / "out.ndjson"
    command = [*binairo, *arguments_of(puzzles, out)]
    full = finished(*command, env=WITHOUT_BYTECODE, preexec_fn=no_bytes)
    assert full.returncode == 2
    assert "can't be written: File too large" in full.stderr
    assert "Traceback" not in full.stderr
    assert [each.name for each in tmp_path.iterdir()] == [puzzles.name]
    assert check(puzzles, out)[0] == 0


@pytest.mark.slow
def test_a_full_disk_loses_no_results(tmp_path: Path):
    puzzles, out = write_puzzles(tmp_path, 3000), tmp_path / "out.ndjson"
    command = [*binairo, *arguments_of(puzzles, out)]

    def few_bytes() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    full = finished(*command, env=WITHOUT_BYTECODE, preexec_fn=few_bytes)
    assert full.returncode == 2
    assert "can't be written: File too large" in full.stderr
    assert Path(f"{out}.partial").stat().st_size <= 200_000
    assert check(puzzles, out)[0] == 2
    plain = tmp_path / "plain.ndjson"
    call("check", str(puzzles), "--to", "ndjson", "--out", str(plain), "-q")
    assert stable_records(out.read_text()) == stable_records(plain.read_text())


@pytest.mark.parametrize("more", [(), ("--distinct",)])
@pytest.mark.parametrize("kept", [0, 1, 9, 40])
def test_generation_can_be_resumed(tmp_path: Path, kept: int, more: tuple[str, ...]):
    out = tmp_path / "out.ndjson"
    command = ("generate", "4", "-n", "40", "--seed", "s-1", "--to", "ndjson", "--out", str(out))
    assert call(*command, "--resume", *more)[0] == 0
    whole = out.read_text()
    plain = tmp_path / "plain.ndjson"
    call(*command[:-1], str(plain), *more)
    assert plain.read_text() == whole
    lines = whole.splitlines(keepends=True)
    out.rename(f"{out}.partial")
    Path(f"{out}.partial").write_text("".join(lines[:kept]) + '{"torn')
    status, _, err = call(*command, "--resume", *more)
    assert status == 0
    assert out.read_text() == whole
    assert not kept or f"resuming after puzzle {kept}\n" in err
    Path(f"{out}.partial").write_text(lines[0] + '{"id":"4x4-s-2-2","verdict":"unique"}\n')
    out.unlink()
    status, _, err = call(*command, "--resume", *more)
    assert (status, "a record that this run can't have generated: {'id': '4x4-s-2-2'" in err) == (
        2,
        True,
    )
    done = invoke(*command, "--resume", *more, "--irreducible", check=2)
    assert "the earlier run had recipe" in done.stderr
