"""Runs that are ended anywhere go on where they were: no result lost, none twice."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.spans import Spans
from tests.test_cli import UNIQUE, binairo, call, run


@cache
def _clues() -> list[str]:
    given = call("generate", "6", "-n", "100", "--seed", "1", "--to", "line", "-q")[1]
    return [line.split()[0] for line in given.splitlines()]


def made(folder: Path, number: int = 300) -> Path:
    """Puzzles, with some that are none."""
    path = folder / "puzzles.line"
    lines = [f"{_clues()[k % 100]} p{k}" for k in range(number)]
    lines[7] = "0a1 broken"
    lines[11:12] = ["." * 36 + " open"] if number > 11 else []
    path.write_text("\n".join(lines) + "\n")
    return path


def told(lines: str | list[str]) -> list[object]:
    """The records of some lines without what differs from run to run."""
    lines = lines.splitlines() if isinstance(lines, str) else lines
    records = [json.loads(line) for line in lines]
    for record in records:
        differing = {"seconds", "backend", "grade", "help", "clue_study", "repair", "fewest"}
        if record["verdict"] == "multiple":
            # Of many solutions others may be shown.
            differing |= {"solution", "second_solution", "differences", "steps"}
        for name in differing & record.keys():
            del record[name]
    return records


def check(puzzles: Path, out: Path, *more: str) -> tuple[int, str, str]:
    """Exit status, standard output and errors of a run that goes on."""
    return call(*asked(puzzles, out), *more)


def refused(puzzles: Path, out: Path, *more: str) -> str:
    """What is said of a run that can't go on."""
    return run(*asked(puzzles, out), *more, check=2).stderr


def asked(puzzles: Path, out: Path) -> tuple[str, ...]:
    return ("check", str(puzzles), "--output", "ndjson", "--out", str(out), "--resume")


@dataclass
class Ended:
    """A run that came to its end.

    Attributes:
        puzzles: what it was asked.
        lines: its records in the order of the puzzles.
        told: the file that tells what run it was.
    """

    puzzles: Path
    lines: list[str]
    told: bytes

    @classmethod
    def of(cls, folder: Path, *more: str) -> Ended:
        puzzles, out = made(folder), folder / "out.ndjson"
        assert check(puzzles, out, *more)[0] == 2
        lines = out.read_text().splitlines(keepends=True)
        lines.sort(key=lambda line: json.loads(line)["line"])
        assert {each.name for each in folder.iterdir()} == {
            "puzzles.line",
            "out.ndjson",
            "out.ndjson.run",
        }
        return cls(puzzles, lines, Path(f"{out}.run").read_bytes())

    def begin(self, out: Path, records: str) -> None:
        """As if it had been ended before, and somewhere else."""
        Path(f"{out}.run").write_bytes(self.told)
        Path(f"{out}.partial").write_text(records)


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return Ended.of(tmp_path_factory.mktemp("ordered"))


@pytest.fixture(scope="module")
def unordered(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return Ended.of(tmp_path_factory.mktemp("unordered"), "--unordered")


def test_a_run_that_was_not_ended_is_as_without(tmp_path: Path):
    puzzles = made(tmp_path)
    plain, out = tmp_path / "plain.ndjson", tmp_path / "out.ndjson"
    status = call("check", str(puzzles), "--output", "ndjson", "--out", str(plain))[0]
    assert check(puzzles, out)[0] == status == 2
    assert told(out.read_text()) == told(plain.read_text())
    assert not Path(f"{out}.partial").exists()


@pytest.mark.parametrize(
    ("kept", "torn"),
    [
        *((kept, "") for kept in (0, 1, 7, 8, 150, 299, 300)),
        *((150, torn) for torn in ('{"schema_ver', '{"id":1}', "\0\0\0", "\0\n")),
    ],
)
def test_it_goes_on_from_any_line(tmp_path: Path, ordered: Ended, kept: int, torn: str):
    out, whole = tmp_path / "out.ndjson", ordered.lines
    ordered.begin(out, "".join(whole[:kept]) + torn)
    status, _, err = check(ordered.puzzles, out)
    assert status == 2
    assert "300 puzzles: 298 unique, 1 multiple, 1 invalid" in err
    assert told(out.read_text()) == told(whole)
    assert out.read_text().splitlines(keepends=True)[:kept] == whole[:kept]


def test_a_complete_run_is_told_again_and_not_done_again(tmp_path: Path):
    puzzles, out = made(tmp_path), tmp_path / "out.ndjson"
    first = check(puzzles, out)
    before = out.read_bytes()
    again = check(puzzles, out)
    assert (again[0], out.read_bytes()) == (first[0], before)
    assert "300 are done already" in again[2]


def test_what_changed_is_refused(tmp_path: Path):
    puzzles, out = made(tmp_path), tmp_path / "out.ndjson"
    check(puzzles, out)
    out.rename(f"{out}.partial")
    partial = Path(f"{out}.partial").read_bytes()
    err = refused(puzzles, out, "--backend", "pysat")
    assert "can't go on: the run that was begun had backend auto, now it is pysat" in err
    puzzles.write_text(puzzles.read_text().replace("p20\n", "p21\n"))
    err = refused(puzzles, out)
    assert f"the run that was begun had another {puzzles}" in err
    err = refused(puzzles, out, str(puzzles))
    assert f"had the files {puzzles}, now" in err
    assert Path(f"{out}.partial").read_bytes() == partial
    Path(f"{out}.run").unlink()
    err = refused(puzzles, out)
    assert "no out.ndjson.run that says what run it is of" in err
    Path(f"{out}.run").write_text("{")
    err = refused(puzzles, out)
    assert "does not tell of a run" in err


def test_standard_input_that_changed_is_refused(tmp_path: Path):
    text, out = made(tmp_path).read_text(), tmp_path / "out.ndjson"
    ask = ("check", "-", "--output", "ndjson", "--out", str(out), "--resume")
    call(*ask, input=text)
    whole = out.read_text()
    out.unlink()
    Path(f"{out}.partial").write_text("".join(whole.splitlines(keepends=True)[:100]))
    done = run(*ask, input=text.replace("p99\n", "other\n"), check=2)
    assert "record 100 is of puzzle 'p99', and the input has 'other' there" in done.stderr
    assert call(*ask, input=text)[0] == 2
    assert told(out.read_text()) == told(whole)


def test_it_is_for_records_in_a_file(tmp_path: Path):
    for wrong in (
        (),
        ("--out", str(tmp_path / "x.txt")),
        ("--output", "ndjson", "--out", str(tmp_path / "x.ndjson.gz")),
        ("--output", "ndjson"),
    ):
        assert call("check", "-", "--resume", *wrong, input=UNIQUE + "\n")[0] == 2
    assert not list(tmp_path.iterdir())


def test_two_runs_do_not_write_one_file(tmp_path: Path):
    import fcntl

    puzzles, out = made(tmp_path), tmp_path / "out.ndjson"
    with open(f"{out}.partial", "wb") as file:
        check(puzzles, tmp_path / "other.ndjson")
        Path(f"{tmp_path}/other.ndjson.run").rename(f"{out}.run")
        fcntl.flock(file, fcntl.LOCK_EX)
        err = refused(puzzles, out)
    assert "another run writes it" in err


@pytest.mark.parametrize(
    "command", ["solve", "count", "grade", "explain", "clues", "fewest", "repair"]
)
def test_every_task_can_go_on(command: str, tmp_path: Path):
    puzzles, out = made(tmp_path, 10), tmp_path / "out.ndjson"
    ask = (
        command,
        str(puzzles),
        "--output",
        "ndjson",
        "--out",
        str(out),
        "--resume",
        "-q",
        "-w",
        "1",
    )
    status = call(*ask)[0]
    whole = out.read_text().splitlines(keepends=True)
    out.rename(f"{out}.partial")
    Path(f"{out}.partial").write_text("".join(whole[:5]))
    assert call(*ask)[0] == status
    assert told(out.read_text()) == told(whole)


@pytest.mark.slow
def test_a_full_disk_loses_nothing(tmp_path: Path):
    puzzles, out = made(tmp_path, 3000), tmp_path / "out.ndjson"
    ask = [*binairo, *asked(puzzles, out)]

    def few_bytes() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    full = subprocess.run(ask, capture_output=True, text=True, preexec_fn=few_bytes, timeout=120)
    assert full.returncode == 2
    assert "can't be written: File too large" in full.stderr
    assert Path(f"{out}.partial").stat().st_size <= 200_000
    assert check(puzzles, out)[0] == 2
    plain = tmp_path / "plain.ndjson"
    call("check", str(puzzles), "--output", "ndjson", "--out", str(plain), "-q")
    assert told(out.read_text()) == told(plain.read_text())


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20))),
    st.integers(0, 60),
    st.integers(1, 30),
)
def test_spans_are_sets_of_numbers(added: list[tuple[int, int]], start: int, count: int):
    spans, expected = Spans(), set()
    for first, size in added:
        spans.add(first, size)
        expected |= set(range(first, first + size))
    gaps = [range(first, first + size) for first, size in spans.gaps(start, count)]
    assert [k for gap in gaps for k in gap] == sorted(set(range(start, start + count)) - expected)
    assert all(gaps)


@pytest.mark.parametrize("kept", [0, 1, 2, 5])
@pytest.mark.parametrize("torn", ["", "17", "1 2 3 4\n", "250 10 99999999\n"])
def test_a_run_without_order_goes_on(tmp_path: Path, unordered: Ended, kept: int, torn: str):
    out, whole = tmp_path / "out.ndjson", unordered.lines
    # As it may be after a power failure: five blocks are known, and some more was written.
    sizes = [40, 1, 60, 30, 9]
    starts = [100, 99, 200, 0, 30]
    records = [whole[s : s + n] for s, n in zip(starts, sizes, strict=True)]
    ends = [sum(len("".join(r)) for r in records[: k + 1]) for k in range(5)]
    unordered.begin(out, "".join("".join(r) for r in records) + '{"torn')
    journal = [f"{s} {n} {e}\n" for s, n, e in zip(starts, sizes, ends, strict=True)]
    Path(f"{out}.done").write_text("".join(journal[:kept]) + torn)
    status, _, err = check(unordered.puzzles, out, "--unordered")
    assert status == 2
    assert "300 puzzles: 298 unique, 1 multiple, 1 invalid" in err
    records_of_all = sorted(told(out.read_text()), key=lambda record: record["line"])
    assert records_of_all == told(whole)
    assert f"{sum(sizes[:kept])} are done already" in err or not kept


def test_what_is_without_order_can_not_go_on_in_order(tmp_path: Path):
    puzzles, out = made(tmp_path), tmp_path / "out.ndjson"
    check(puzzles, out, "--unordered")
    err = refused(puzzles, out)
    assert "the run that was begun had ordered False, now it is True" in err
    ask = ("check", "-", "--output", "ndjson", "--out", str(out), "--resume", "--unordered")
    assert call(*ask, input=UNIQUE)[0] == 2


@pytest.mark.parametrize("more", [(), ("--distinct",)])
@pytest.mark.parametrize("kept", [0, 1, 9, 40])
def test_generating_goes_on(tmp_path: Path, kept: int, more: tuple[str, ...]):
    out = tmp_path / "out.ndjson"
    ask = ("generate", "4", "-n", "40", "--seed", "s-1", "--to", "ndjson", "--out", str(out))
    assert call(*ask, "--resume", *more)[0] == 0
    whole = out.read_text()
    plain = tmp_path / "plain.ndjson"
    call(*ask[:-1], str(plain), *more)
    assert plain.read_text() == whole
    lines = whole.splitlines(keepends=True)
    out.rename(f"{out}.partial")
    Path(f"{out}.partial").write_text("".join(lines[:kept]) + '{"torn')
    status, _, err = call(*ask, "--resume", *more)
    assert status == 0
    assert out.read_text() == whole
    assert not kept or f"{kept} are made already" in err
    done = run(*ask, "--resume", *more, "--irreducible", check=2)
    assert "the run that was begun had recipe" in done.stderr


def test_generating_goes_on_for_records_of_a_seed(tmp_path: Path):
    out = str(tmp_path / "out.ndjson")
    assert call("generate", "4", "--resume", "--to", "ndjson", "--out", out)[0] == 2
    assert call("generate", "4", "--resume", "--seed", "1", "--to", "line", "--out", out)[0] == 2
