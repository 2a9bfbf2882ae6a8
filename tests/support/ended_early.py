"""Kill small runs with ``--resume`` before each of their file operations in turn.

The argument is a folder. Each run is resumed after the SIGKILL, and must
finish with every record exactly once. This is a separate program because it forks for each run.
"""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import orjson

from binairo_cp.batch import resuming
from binairo_cp.batch.pipeline import NumberedBlock
from binairo_cp.batch.resuming import open_results
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tasks import record
from binairo_cp.formats import Entry
from binairo_cp.formats.results import stated
from binairo_cp.formats.runs import RunRecord
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import Verdict

_PUZZLE = Puzzle(Board.parse("01.. .... .... ...."))
ENTRIES = [Entry(_PUZZLE, id=str(k), source="puzzles", line=k + 1) for k in range(6)]
FOUND = {"rules": stated(_PUZZLE), "verdict": Verdict.UNKNOWN}


def main(folder: str) -> None:
    for moment in count():
        out = Path(folder) / str(moment) / "results"
        out.parent.mkdir()
        ended_early = _in_child(partial(_run, out, moment))
        left = {each.name: each.stat().st_size for each in out.parent.iterdir()}
        assert not _in_child(partial(_run, out, None)), (moment, left)
        ids = [orjson.loads(line)["id"] for line in out.read_bytes().splitlines()]
        assert ids == [entry.id for entry in ENTRIES], (moment, left, ids)
        names = {each.name for each in out.parent.iterdir()}
        assert names == {"results", "results.run"}, (moment, names)
        if not ended_early:
            print(moment)
            return


def _in_child(work: Callable[[], None]) -> bool:
    """Run a function in a child process; return whether SIGKILL ended it."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), status
    return status != 0


def _run(out: Path, moment: int | None) -> None:
    if moment is not None:
        _end_before(moment, out)
    run = RunRecord(version="1", asked={}, inputs=[("puzzles", "hash")])
    # Each block is flushed to disk.
    resuming._SECONDS_UNTIL_SYNC = 0.0
    blocks = [NumberedBlock(k, ENTRIES[k : k + 2]) for k in range(0, len(ENTRIES), 2)]
    with open_results(str(out), lambda: run, Summary("check")) as known:
        for block in known.remaining(blocks):
            text = "".join(f"{record(entry, FOUND).to_json()}\n" for entry in block.block)
            known.append(text.encode())


def _end_before(moment: int, out: Path) -> None:
    """Arrange for SIGKILL before a file operation of a run; operations are counted from 0."""
    done = 0

    def see(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        on_names = event in ("open", "os.rename", "os.remove") and str(out) in str(arguments[0])
        if on_names or event in ("fcntl.flock", "os.fsync"):
            if done == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            done += 1

    fsync = os.fsync

    def seen_fsync(file: int) -> None:
        see("os.fsync", ())
        fsync(file)

    os.fsync = seen_fsync
    sys.addaudithook(see)


if __name__ == "__main__":
    main(sys.argv[1])
