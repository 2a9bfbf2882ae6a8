"""Slow input gets results at once, and a progress bar does not disturb results on a terminal."""

import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from binairo_cp import formats
from binairo_cp.formats import Choices, Tally, sources
from tests.support.command_line import UNIQUE, binairo

pty = pytest.importorskip("pty")

_PATIENCE = 300.0
"""Time limit of tests that wait for output, in seconds."""

GRID = "".join(f"{UNIQUE[k : k + 6]}\n" for k in range(0, 36, 6)) + "\n"
CSV = re.sub("([^\n])(?=[^\n])", r"\1,", GRID)


def _record(k: int) -> str:
    return json.dumps({"id": f"p{k}", "height": 6, "width": 6, "clues": UNIQUE}) + "\n"


@contextmanager
def _running_command(
    *arguments: str,
) -> Iterator[tuple[subprocess.Popen[bytes], Callable[[str], bytes]]]:
    """A running command, and a function that sends it text and returns a line of its output."""
    with subprocess.Popen(
        [*binairo, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout

        def send_line(text: str) -> bytes:
            process.stdin.write(text.encode())
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
            assert ready, "no answer"
            return process.stdout.readline()

        try:
            yield process, send_line
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "feed"),
    [
        (["check"], lambda k: f"{UNIQUE} p{k}\n"),
        (["solve", "--to", "ndjson"], _record),
        (["count", "--to", "line"], lambda k: f"id: p{k}\n{GRID}"),
        (["check", "--workers", "1"], lambda k: f"# id: p{k}\n{CSV}"),
        (["convert", "--to", "line"], lambda k: f"{UNIQUE} p{k}\n"),
    ],
    ids=["line", "ndjson", "text", "csv", "convert"],
)
def test_a_live_pipe_gets_results_at_once(arguments: list[str], feed: Callable[[int], str]) -> None:
    with _running_command(*arguments, "-", "-q") as (process, send_line):
        for k in range(3):
            assert f"p{k}".encode() in send_line(feed(k))
        process.stdin.close()
        assert process.wait(_PATIENCE) == 0


def test_a_result_does_not_wait_for_the_rest_of_the_next_line() -> None:
    with _running_command("check", "-", "-q") as (_, send_line):
        assert b"p0: unique" in send_line(f"{UNIQUE} p0\n{UNIQUE[:20]}")
        assert b"p1: unique" in send_line(f"{UNIQUE[20:]} p1\n{UNIQUE}")


def test_resumed_results_are_written_at_once(tmp_path: Path) -> None:
    out = tmp_path / "r.ndjson"
    partial = Path(f"{out}.partial")
    command = [*binairo, "check", "-", "-q", "--resume", "-o", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        process.stdin.write(f"{UNIQUE} p0\n".encode())
        process.stdin.flush()
        while not (partial.exists() and partial.read_bytes()):
            assert process.poll() is None
            # A line each second.
            select.select([], [], [], 0.1)
        process.stdin.close()
        assert process.wait(_PATIENCE) == 0


def _piped(data: bytes) -> tuple[int, Callable[[], None]]:
    reading, writing = os.pipe()
    os.write(writing, data)
    return reading, lambda: os.close(writing)


def test_an_incomplete_grid_is_not_read_as_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    rows = ["0..1", "1..0", "0110", "1001"]
    is_closed: list[bool] = []

    def give() -> None:
        os.write(writing, f"{rows.pop(0)}\n".encode())

    class Slow:
        """A pipe in which each row arrives just after the reader stopped waiting."""

        def poll(self, milliseconds: float) -> list[int]:
            if rows:
                give()
                return []
            if not is_closed:
                is_closed.append(True)
                os.close(writing)
            return [1]

    monkeypatch.setattr(sources, "_poll_object", lambda stream: Slow())
    give()
    entries = list(formats.read_sources([f"/dev/fd/{reading}"]))
    os.close(reading)
    assert [entry.puzzle.board.height for entry in entries if entry.puzzle] == [4]


def test_waiting_for_the_format_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reading, close = _piped(b"0..1\n")
    with open(reading, "rb") as stream:
        source = sources.Source("x", stream, lambda: 0)

        def enough(head: bytes) -> bool:
            close()
            return False

        # The end comes while it is waited for.
        assert source.head(enough) == b"0..1\n"
    assert caplog.text == ""
    monkeypatch.setattr(sources, "_SECONDS_BEFORE_NOTICE", 0.01)
    reading, close = _piped(b"0..1\n")
    with open(reading, "rb") as stream:
        source = sources.Source("x", stream, lambda: 0)
        monkeypatch.setattr(source, "_has_no_data", lambda seconds=0.0: not caplog.text)
        close()
        assert source.head() == b"0..1\n"
    assert "x: waiting for more lines to detect the format" in caplog.text


def test_blocks_of_a_silent_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_POLL_SECONDS", 0.01)
    for format, text in (("line", f"{UNIQUE}\n"), ("text", GRID)):
        reading, close = _piped(text.encode() * 3)
        sizes = []
        for block in formats.read_blocks(
            [f"/dev/fd/{reading}"], lambda: 2, Choices(format), None, Tally()
        ):
            sizes.append(len(block))
            if not sizes[-1]:
                close()
        os.close(reading)
        assert [size for size in sizes if size] == [2, 1]
        assert 0 in sizes


class _Screen:
    """A minimal terminal emulator for progress bars and lines of text."""

    def __init__(self) -> None:
        self.lines = [""]
        self._row = self._column = 0
        self._rest = ""

    def feed(self, text: str) -> None:
        text = self._rest + text
        self._rest = ""
        for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|\x1b[^\[]?|\x1b\[[?0-9;]*$|[^\x1b]", text):
            if part.startswith("\x1b"):
                if not part[-1].isalpha():
                    self._rest = part
                elif part.endswith("A"):
                    self._row -= int(part[2:-1] or 1)
                elif part == "\x1b[2K":
                    self.lines[self._row] = ""
            elif part == "\r":
                self._column = 0
            elif part == "\n":
                self._row += 1
                self.lines += [""] * (self._row == len(self.lines))
            else:
                line = self.lines[self._row].ljust(self._column)
                self.lines[self._row] = line[: self._column] + part + line[self._column + 1 :]
                self._column += 1


@contextmanager
def _on_terminal(
    *arguments: str, **given: object
) -> Iterator[tuple[subprocess.Popen[bytes], _Screen, Callable[[Callable[[], bool]], None]]]:
    """A command on a terminal, its screen, and a function that waits until a condition holds."""
    main, terminal = pty.openpty()
    screen = _Screen()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [*binairo, *arguments], stderr=terminal, env=env, **{"stdout": terminal, **given}
    )
    os.close(terminal)

    def wait(until: Callable[[], bool]) -> None:
        while not until():
            ready, _, _ = select.select([main], [], [], _PATIENCE)
            assert ready, screen.lines
            try:
                screen.feed(os.read(main, 1 << 16).decode())
            except OSError:
                # Nobody has the terminal any more.
                assert until(), screen.lines

    try:
        yield process, screen, wait
    finally:
        process.kill()
        process.wait()
        if process.stdin:
            with suppress(BrokenPipeError):
                process.stdin.close()
        os.close(main)


def _shown(screen: _Screen) -> list[str]:
    return [line for line in screen.lines if line]


@pytest.mark.slow
def test_results_and_bar_do_not_share_a_line() -> None:
    with _on_terminal("check", "-", stdin=subprocess.PIPE) as (process, screen, wait):
        assert process.stdin
        for k in range(1, 4):
            process.stdin.write(f"{UNIQUE} p{k}\n".encode())
            process.stdin.flush()
            # The bar stands below the results, and shows that it knows of them.
            wait(lambda k=k: f"{k} done ({k} unique)" in "".join(screen.lines))
            assert _shown(screen)[:k] == [f"-:{n}: p{n}: unique" for n in range(1, k + 1)]
        process.stdin.close()
        wait(lambda: any(line.startswith("3 puzzles: 3 unique in") for line in screen.lines))
        assert len(_shown(screen)) == 4


@pytest.mark.slow
def test_the_bar_is_not_written_into_results(tmp_path: Path) -> None:
    with (
        (tmp_path / "out").open("wb") as out,
        _on_terminal("check", "-", "-f", "line", stdin=subprocess.PIPE, stdout=out) as terminal,
    ):
        process, screen, wait = terminal
        process.stdin.write(f"{UNIQUE}\n".encode())
        process.stdin.flush()
        wait(lambda: "1 done (1 unique)" in "".join(screen.lines))
        process.stdin.close()
        assert process.wait(_PATIENCE) == 0
    assert (tmp_path / "out").read_text() == "-:1: 1: unique\n"


@pytest.mark.slow
def test_puzzles_on_a_terminal_are_complete() -> None:
    with _on_terminal("generate", "6", "-n", "30", "--seed", "1", "--to", "line") as terminal:
        _, screen, wait = terminal
        wait(lambda: any("30 puzzles of seed 1 in" in line for line in screen.lines))
        lines = _shown(screen)
    assert len(lines) == 31
    assert all(re.fullmatch(r"[01.]{36} 6x6-1-\d+", line) for line in lines[:30])


@pytest.mark.slow
def test_ctrl_c_on_a_live_pipe() -> None:
    with _running_command("check", "-", "-q") as (process, send_line):
        assert b"p0: unique" in send_line(f"{UNIQUE} p0\n")
        process.send_signal(signal.SIGINT)
        assert process.wait(_PATIENCE) == 130
