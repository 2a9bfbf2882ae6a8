"""A terminal gets no control characters from names, files or records; and the time that is left."""

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from rich.progress import Progress

from binairo_cp import cli
from binairo_cp.formats import FORMATS
from binairo_cp.solving.encodings import TARGETS
from binairo_cp.workers import terminal
from binairo_cp.workers.terminal import Bar
from tests.support.command_line import MULTIPLE, NONE, PATIENCE, UNIQUE, call

pty = pytest.importorskip("pty")

_EVIL = "e\x1b[2J\x1b]0;pwned\x07\x9b31m\u202ev"
_CONTROLS = {chr(code) for code in (*range(32), *range(127, 160))} - set("\n\t\r") | {"\u202e"}
_END = b"the end"
_TTY = "the terminal"
_READING = ("solve", "check", "count", "hint", "explain", "grade", "clues", "fewest", "repair")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    for name, cells in (("one", UNIQUE), ("two", MULTIPLE), ("none", NONE), ("bad", f"z{UNIQUE}")):
        record = {"id": f"{_EVIL}{name}", "height": 6, "width": 6, "clues": cells}
        Path(f"{_EVIL}{name}.ndjson").write_text(json.dumps(record) + "\n")
    Path(f"{_EVIL}.line").write_text(f"{UNIQUE} {_EVIL}\n")
    ending = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    handlers = {each: signal.getsignal(each) for each in ending}
    yield tmp_path
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _on_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What a command shows on a terminal, as output or as errors."""
    primary, secondary = pty.openpty()
    shown = bytearray()

    def read() -> None:
        # Workers may keep the other side open.
        while not shown.endswith(_END):
            shown.extend(os.read(primary, 65_536))

    reader = threading.Thread(target=read)
    reader.start()
    with monkeypatch.context() as patch:
        with open(secondary, "w", encoding="utf-8") as terminal:
            patch.setattr(sys, "stdout", terminal)
            patch.setattr(sys, "stderr", terminal)
            given = [os.ttyname(secondary) if each == _TTY else each for each in arguments]
            patch.setattr(sys, "argv", ["binairo", *given])
            with pytest.raises(SystemExit):
                cli.main()
            terminal.write(_END.decode())
        reader.join()
    os.close(primary)
    return shown.removesuffix(_END).decode()


def _names(*ends: str) -> list[str]:
    return [f"{_EVIL}{end}" for end in ends]


_PUZZLES = _names("one.ndjson", "two.ndjson", "none.ndjson", "bad.ndjson", ".line", "missing")
_COMMANDS = {
    **{verb: [verb, *_PUZZLES[::3]] for verb in _READING},
    **{f"check {form}": ["check", *_PUZZLES, "--to", form] for form in ("line", "ndjson", "csv")},
    "by workers": ["check", *_PUZZLES, "--workers", "2"],
    "columns": ["check", *_PUZZLES, "--columns", "id,source,verdict"],
    **{f"convert {form}": ["convert", *_PUZZLES, "--to", form] for form in FORMATS},
    **{f"encode {form}": ["encode", _PUZZLES[0], "--to", form] for form in TARGETS},
    **{
        f"render {form}": ["render", *_PUZZLES[:1], "--to", form]
        for form in ("text", "svg", "html")
    },
    "render many": ["render", *_PUZZLES, "--to", "text"],
    "to the terminal by name": ["convert", *_PUZZLES, "--to", "line", "--out", _TTY],
    "certify": ["certify", *_PUZZLES, "--out", "c/"],
    "verify": ["verify", *_PUZZLES],
    "decode": ["decode", *_PUZZLES[:2]],
    "book": ["book", _PUZZLES[0], "--out", f"{_EVIL}/"],
    "an unknown option": ["check", f"--{_EVIL}"],
    "an unknown command": [_EVIL],
    "an unknown format": ["check", _PUZZLES[0], "--format", _EVIL],
    "a configuration": ["check", _PUZZLES[0], "--backend", _EVIL],
}


@pytest.mark.usefixtures("without_workers")
@pytest.mark.parametrize("name", _COMMANDS)
def test_control_characters_are_escaped(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch):
    shown = _on_terminal(monkeypatch, *_COMMANDS[name])
    assert shown
    assert not _CONTROLS & set(shown), shown
    assert "internal error" not in shown


def test_pipes_get_names_as_they_are(folder: Path) -> None:
    assert _EVIL in call("convert", *_names(".line"), "--to", "line")[1]


def test_a_signal_in_the_midst_of_an_import(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python may make another exception of it."""

    def load() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt as error:
            raise RuntimeError("Error calling __set_name__") from error

    monkeypatch.setattr(cli, "app", load)
    with pytest.raises(SystemExit, match="143"):
        cli.main()


def test_a_signal_in_a_finalizer_is_not_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Dropped:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    def drop() -> None:
        Dropped()
        threading.Event().wait(PATIENCE)
        pytest.fail("the signal was lost")

    monkeypatch.setattr(cli, "app", drop)
    with pytest.raises(SystemExit, match="143"):
        cli.main()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("arguments", "expected"), [
    (("hint",), "│ ·   ·   1  [1]│"),
    (("hint", "--board", "..10...0..10.0.."), "│ ·   ·   1  !0!│"),
    (("hint", "--symbols", "sunmoon", "--coordinates", "a1"), "D\n"),
    (("clues",), "│[0]  ·   1   · │"),
    (("grade",), "argument: unique, easy (score 29)\n  Logic fills 11 cells in 6 rounds:"),
    (("grade", "--scale", "sgt"), "\n  In sgt its level is trivial."),
])  # fmt: skip
def test_answers_explain_themselves_on_a_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], expected: str
) -> None:
    puzzle = "0.1....0..10.0.." if arguments == ("clues",) else "..1....0..10.0.."
    shown = _on_terminal(monkeypatch, *arguments, "-q", "--", puzzle).replace("\r", "")
    assert expected in shown
    assert expected not in call(*arguments, "-q", "--", puzzle)[1]


def test_colours_reach_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[1;30;43m[1]\x1b[0m" in _on_terminal(monkeypatch, "hint", "-q", "..1....0..10.0..")


@pytest.mark.parametrize("command", [("explain",), ("grade",), ("solve", "--size", "3x3")])
def test_a_terminal_breaks_lines_between_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = _on_terminal(monkeypatch, *command, "-q", "..1....0..10.0..").splitlines()
    assert max(map(len, lines)) <= 40
    assert len(lines) > 1


def test_long_counts_leave_room_for_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are cut, on a terminal of 80 columns."""
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    with terminal.bar(quiet=False) as bar:
        bar(0, 100, "12,345,678 puzzles")
        bar(40, 100, "12,345,678 puzzles: " + ", ".join(["1,234,567 unique"] * 6))
    assert "━━━━━" in shown.getvalue()
    assert "…" in shown.getvalue()


def test_the_time_left_does_not_grow_if_work_ends_in_bursts() -> None:
    """A hundred pieces are done at once, every second; more than a second's speed would show."""
    now = [0.0]
    progress = Progress(get_time=lambda: now[0], disable=True)
    show = Bar(progress)
    show(200, 10_200, "")
    shown = []
    for burst in range(1, 101):
        now[0] = burst
        for done in range(burst * 100 - 99, burst * 100 + 1):
            show(200 + done, 10_200, "")
        shown.append(progress.tasks[0].fields["left"])
    assert shown == [str(timedelta(seconds=100 - burst)) for burst in range(1, 101)]


def test_nothing_is_said_of_the_time_left_without_a_total() -> None:
    progress = Progress(disable=True)
    show = Bar(progress)
    show(0, None, "")
    show(10, None, "10 done")
    assert progress.tasks[0].fields["left"] == ""
