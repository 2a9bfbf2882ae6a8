"""Output files: one writer at a time, the final name only when complete, never an input."""

import gzip
import io
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from time import sleep

import pytest

from binairo_cp.errors import SourceError
from binairo_cp.formats.output_files import (
    Folder,
    file_name,
    is_folder,
    open_binary_output,
    open_output,
)
from binairo_cp.formats.runs import RunRecord
from binairo_cp.formats.schema import PuzzleRecord
from tests.support.command_line import MULTIPLE, UNIQUE, binairo, call

BUSY = "can't be written: another run is writing it; wait for it, or use another --out"


def lines(number: int) -> str:
    return "".join(f"{UNIQUE} p{k}\n" for k in range(number))


@pytest.mark.slow
@pytest.mark.parametrize(("one", "two", "left"), [
    ((), (), None),
    ((), (), "the output of a killed run"),
    ((), ("--resume",), None),
    (("--resume",), ("--resume",), None),
    (("--resume",), ("--resume",), ""),
])  # fmt: skip
def test_a_second_run_with_the_same_output_is_refused_before_it_starts(
    tmp_path: Path, one: tuple[str, ...], two: tuple[str, ...], left: str | None
):
    out = tmp_path / "out.ndjson"
    if left is not None:
        Path(f"{out}.partial").write_text(left)
    command = [*binairo, "check", "-", "--to", "ndjson", "--out", str(out)]
    runs = [
        subprocess.Popen(
            [*command, *each], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for each in (one, two)
    ]
    # Both wait for their input, except the run that is refused.
    while all(each.poll() is None for each in runs):
        sleep(0.05)
    runs.sort(key=lambda each: each.poll() is None)
    loser, winner = runs
    assert loser.communicate()[1] == f"binairo: {out}: {BUSY}\n"
    assert loser.returncode == 2
    err = winner.communicate(lines(300))[1]
    assert (winner.returncode, "300 puzzles: 300 unique" in err) == (0, True), err
    found = [json.loads(line)["id"] for line in out.read_text().splitlines()]
    assert found == [f"p{k}" for k in range(300)]
    assert not Path(f"{out}.partial").exists()


@pytest.mark.parametrize("open_it", [open_output, open_binary_output])
def test_an_output_has_one_writer_at_a_time(tmp_path: Path, open_it: type):
    out = tmp_path / "out"
    with ExitStack() as stack:
        stack.enter_context(open_it(str(out)))
        with pytest.raises(SourceError, match="another run is writing it"):
            stack.enter_context(open_it(str(out)))
    with open_it(str(out)):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_a_file_renamed_between_opening_and_locking_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Another run ends between opening and locking: its complete file must not be written to."""
    fcntl = pytest.importorskip("fcntl")
    out, partial = tmp_path / "out", tmp_path / "out.partial"
    partial.write_text("complete")
    flock = fcntl.flock

    def late(file: object, operation: int) -> None:
        if not out.exists():
            partial.rename(out)
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with open_output(str(out)) as write:
        assert out.read_text() == "complete"
        write("new")
    assert out.read_text() == "new"


def test_file_systems_without_locks_are_supported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fcntl = pytest.importorskip("fcntl")

    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    with open_output(str(tmp_path / "out")) as write:
        write("text")
    assert (tmp_path / "out").read_text() == "text"


def test_a_run_is_not_resumed_after_its_output_was_overwritten(tmp_path: Path):
    out = tmp_path / "out.ndjson"
    command = ("--to", "ndjson", "--out", str(out))
    one, two = tmp_path / "one.line", tmp_path / "two.line"
    one.write_text(lines(2))
    two.write_text(f"{MULTIPLE} p0\n{MULTIPLE} p1\n")
    assert call("check", str(one), *command, "--resume")[0] == 0
    assert call("check", str(two), *command)[0] == 1
    status, _, err = call("check", str(one), *command, "--resume")
    assert (status, "without out.ndjson.run, which describes its run" in err) == (2, True)


def test_unrelated_files_with_our_suffixes_are_kept(tmp_path: Path):
    (tmp_path / "out.run").write_text("mine")
    (tmp_path / "other.run").mkdir()
    for name in ("out", "other"):
        with open_output(str(tmp_path / name)) as write:
            write("")
    assert (tmp_path / "out.run").read_text() == "mine"


@pytest.mark.parametrize(("id", "name"), [
    ("a b/c", "a_b_c"), ("../x", "x"), (".hidden", "hidden"), ("-rf", "rf"), ("x-", "x"),
    ("...", "puzzle"), ("", "puzzle"), ("é.1+2-3", "é.1+2-3"), ("é" * 100, "é" * 90),
    ("x" + "é" * 100, "x" + "é" * 89),
])  # fmt: skip
def test_file_names(id: str, name: str):
    assert file_name(id) == name


def test_names_in_a_folder_are_numbered(tmp_path: Path):
    folder = Folder(str(tmp_path / "new"))
    names = [Path(folder.place(id, ".x")).name for id in ("a", "a", "A", "a-2", "a", "b", "b")]
    assert names == ["a.x", "a-2.x", "A-3.x", "a-2-2.x", "a-4.x", "b.x", "b-2.x"]
    assert (tmp_path / "new").is_dir()
    assert Folder(str(tmp_path / "a/b")).place("c", ".x") == str(tmp_path / "a/b/c.x")
    assert (tmp_path / "a/b").is_dir()
    assert Folder(None).place("a b", ".x") == "a_b.x"


def test_tables_are_regular_files(tmp_path: Path):
    new, pipe = tmp_path / "new.parquet", tmp_path / "pipe.parquet"
    os.mkfifo(pipe)
    with open_output(str(new), PuzzleRecord):
        pass
    assert new.is_file()
    with (
        pytest.raises(SourceError, match="a Parquet table needs a regular file"),
        open_output(str(pipe), PuzzleRecord),
    ):
        pass


def test_outputs_in_memory() -> None:
    text, data = io.BytesIO(), io.BytesIO()
    with open_output(text) as write:
        write("é\n")
    with open_binary_output(data) as write:
        write(b"\xff")
    assert (text.getvalue(), data.getvalue()) == ("é\n".encode(), b"\xff")


def test_packed_output_is_reproducible(tmp_path: Path) -> None:
    for name in ("one.gz", "two.GZ"):
        with open_output(str(tmp_path / name)) as write:
            write("text\n")
    one, two = (tmp_path / "one.gz").read_bytes(), (tmp_path / "two.GZ").read_bytes()
    assert one == two
    assert gzip.decompress(one) == b"text\n"
    assert one[3:8] == bytes(5)


def test_links_and_pipes_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    with open_output(str(tmp_path / "link")) as write:
        write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    # A pipe of its own, since a mistake could replace a device of the system by a file.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    with open_output(str(pipe)) as write:
        write("text")
    assert os.read(reader, 9) == b"text"
    os.close(reader)
    assert pipe.is_fifo()
    assert not (tmp_path / "pipe.partial").exists()


def test_the_mode_of_new_files(tmp_path: Path) -> None:
    with open_output(str(tmp_path / "out")) as write:
        write("")
    before = os.umask(0)
    os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o666 & ~before


def test_outputs_that_can_not_be_written(tmp_path: Path) -> None:
    for name, message in {
        "": "out: can't be written: the name is empty",
        str(tmp_path): "can't be written: it is a folder",
        str(tmp_path / "none/out"): "can't be written: No such file or directory",
        str(tmp_path / "x.parquet"): "a Parquet file needs to='ndjson'",
    }.items():
        with pytest.raises(SourceError, match=message), open_output(name):
            pass
    out = tmp_path / "out"
    message = f"stopped; finished results are in {out}.partial"
    with pytest.raises(KeyboardInterrupt, match=message), open_output(str(out)) as write:
        write("some")
        raise KeyboardInterrupt
    assert Path(f"{out}.partial").read_text() == "some"
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="can't be written: Not a directory"):
        Folder(str(tmp_path / "file/x")).place("a", ".x")


def test_which_outputs_are_folders(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    expected = [*(True, True, True), *(False, False, False)]
    assert [is_folder(out) for out in (str(tmp_path), "none/", "/", "none", "", None)] == expected
    assert not is_folder(str(tmp_path / "file"))


def test_binary_output_is_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_terminal in (True, False):
        out = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(out, "isatty", lambda: is_terminal)  # noqa: B023  # used at once
        monkeypatch.setattr(sys, "stdout", out)
        if is_terminal:
            with (
                pytest.raises(SourceError, match="a terminal can't show this format"),
                open_binary_output(None),
            ):
                pass
        else:
            with open_binary_output(None) as write:
                write(b"\xff")
            assert out.buffer.getvalue() == b"\xff"  # type: ignore[attr-defined]


def test_how_two_runs_differ(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for file in (one, two):
        file.write_text("0110\n")
    run = RunRecord.of({"limit": "1", "to": "line"}, [str(one), str(two)])
    assert run.difference(run) == ""
    assert not run.has_streams
    assert RunRecord.of({}, ["-", str(one)]).has_streams
    assert RunRecord.of({}, [str(tmp_path / "none")]).has_streams
    other = run.model_copy(update={"version": "0"})
    assert run.difference(other) == f"version 0 of this program, now it is {run.version}"
    other = RunRecord.of({"limit": "2", "to": "line"}, [str(one), str(two)])
    assert run.difference(other) == "limit 2, now it is 1"
    other = RunRecord.of(run.asked, [str(two), str(one)])
    assert run.difference(other) == f"the files {two}, {one}, now it is {one}, {two}"
    two.write_text("1001\n")
    assert run.difference(RunRecord.of(run.asked, [str(one), str(two)])) == f"another {two}"


COLLISIONS = [
    (["--out", "link"], "in.line: is an input, but --out link would replace it; use another name"),
    (["--out", "in"], "in.partial: is an input, but --out in is written there until it is"),
]


@pytest.mark.parametrize(("more", "message"), COLLISIONS)
def test_a_file_has_one_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], message: str
):
    monkeypatch.chdir(tmp_path)
    Path("in.line").write_text(lines(2))
    Path("in.partial").write_text(lines(2))
    Path("link").hardlink_to("in.line")
    before = {each: each.read_text() for each in tmp_path.iterdir()}
    status, out, err = call("check", "in.line", "in.partial", "--to", "ndjson", *more)
    assert (status, out, message in err) == (2, "", True), err
    assert {each: each.read_text() for each in tmp_path.iterdir()} == before


def test_a_link_to_itself_is_no_output(tmp_path: Path):
    link = tmp_path / "link"
    link.symlink_to(link)
    done = call("check", "-", "--out", str(link), input="." * 16)
    assert (done[0], "link: can't be written: Too many levels" in done[2]) == (2, True)


def test_the_output_may_replace_an_input(tmp_path: Path):
    file = tmp_path / "puzzles"
    file.write_text(lines(2))
    assert call("convert", str(file), "--to", "ndjson", "--out", str(file))[0] == 0
    assert len(file.read_text().splitlines()) == 2


@pytest.mark.parametrize("command", [
    "check X",
    *(
        pytest.param(each, marks=pytest.mark.slow)
        for each in ("check - < X", "convert X", "encode X", "render X")
    ),
    pytest.param("decode X X", marks=pytest.mark.slow),
])  # fmt: skip
def test_an_input_that_is_also_standard_output_is_refused(tmp_path: Path, command: str):
    file = tmp_path / "X"
    file.write_text(lines(1))
    program = " ".join(binairo)
    done = subprocess.run(
        f"{program} {command} >> X", shell=True, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    name = "-" if "<" in command else "X"
    assert done.stderr == f"binairo: {name}: is an input, but standard output goes there too\n"
    assert done.returncode == 2
    assert file.read_text() == lines(1)
