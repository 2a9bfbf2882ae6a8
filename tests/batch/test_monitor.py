"""The log, the metrics and the summary of a run."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from binairo_cp.batch.monitor import updating_metrics
from binairo_cp.batch.running import RunState
from binairo_cp.batch.summaries import Summary
from binairo_cp.formats import Tally
from binairo_cp.formats.results import ErrorRecord, ResultRecord
from binairo_cp.solving.solutions import Verb, Verdict
from tests.support.command_line import call, invoke
from tests.support.result_files import write_puzzles


def test_log_and_metrics_agree_with_the_results(tmp_path: Path) -> None:
    puzzles, out, log, metrics = (
        write_puzzles(tmp_path),
        *(tmp_path / name for name in ("o", "l", "m")),
    )
    ask = ("check", str(puzzles), "--to", "ndjson", "--out", str(out), "-q")
    assert call(*ask, "--log", str(log), "--metrics", str(metrics))[0] == 2
    records = [json.loads(line) for line in out.read_text().splitlines()]
    verdicts = Counter(record["verdict"] for record in records)

    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [event["event"] for event in events if event["event"] != "progress"] == ["start", "end"]
    assert events[0]["sources"] == [str(puzzles)]
    assert events[0]["asked"]["verb"] == "check"
    assert events[-1]["verdicts"] == verdicts
    assert events[-1]["puzzles"] == 300
    assert events[-1]["errors"] == {"format": 1}

    families = {each.name: each for each in text_string_to_metric_families(metrics.read_text())}
    listed = {s.labels["verdict"]: s.value for s in families["binairo_puzzles"].samples}
    assert Counter(listed) == verdicts
    assert families["binairo_run_ended"].samples[0].value == 1
    assert families["binairo_run_seconds_left"].samples[0].value == 0
    assert families["binairo_input_bytes"].samples[0].value == puzzles.stat().st_size
    assert families["binairo_input_bytes_read"].samples[0].value == puzzles.stat().st_size


def test_events_are_appended_to_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for _ in range(2):
        call("check", "-", "--log", str(log), input="." * 16)
    events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert events == ["start", "end"] * 2


def test_metrics_before_the_first_puzzle_and_after_the_run_has_stopped(tmp_path: Path) -> None:
    state, file = RunState(Summary("check"), Tally()), tmp_path / "m"
    with pytest.raises(KeyboardInterrupt), updating_metrics(state, str(file)):
        assert 'binairo_puzzles_total{verdict="unique"} 0.0' in file.read_text()
        assert "binairo_input_bytes NaN" in file.read_text()
        state.summary.verdicts["unique"] = 30
        raise KeyboardInterrupt
    assert 'binairo_puzzles_total{verdict="unique"} 30.0' in file.read_text()
    assert "binairo_run_stopped 1.0" in file.read_text()


@pytest.mark.usefixtures("without_workers")
def test_a_log_has_options_as_a_user_writes_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    call("clues", "-", "--size", "4x4", "--limit", "3", "--log", str(log), input="." * 16)
    asked = json.loads(log.read_text().splitlines()[0])["asked"]
    assert asked["size"] == "4x4"
    assert (asked["clues"], asked["clues.limit"], asked["split"]) == ("yes", "3", "no")


def test_puzzles_only_read_are_not_counted_as_done() -> None:
    state = RunState(Summary("check"), Tally(done=900, total=1000), read=90)
    assert state.done == 0
    assert state.seconds_left is None
    state.summary.verdicts["unique"] = 30
    assert state.done == 300
    state._started -= 60
    left = state.seconds_left
    assert left is not None
    assert 138 < left < 200


def test_earlier_puzzles_count_only_after_they_are_read_again() -> None:
    state = RunState(
        Summary("check", Counter(unique=50)), Tally(done=100, total=1000), 10, before=50
    )
    assert state.done == 100


@pytest.mark.parametrize("option", ["--log", "--metrics"])
def test_a_log_that_can_not_be_written_is_reported(option: str, tmp_path: Path) -> None:
    done = invoke("check", "-", option, str(tmp_path / "no" / "file"), input="." * 16, check=2)
    assert "no/file: can't be written: No such file or directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_metrics_replace_no_device(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = invoke("check", "-", "--metrics", str(pipe), input="." * 16, check=2)
    assert "pipe: is not a regular file" in done.stderr
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_under_the_log_is_reported(tmp_path: Path) -> None:
    puzzles = tmp_path / "puzzles.line"
    puzzles.write_text("." * 16 + "\n")
    status, _, errors = call("check", str(puzzles), "--log", "/dev/full")
    assert (status, errors) == (
        2,
        "binairo: /dev/full: can't be written: No space left on device\n",
    )


def _record(seconds: float, kind: str | None = None) -> ResultRecord:
    error = ErrorRecord(kind=kind, message="") if kind else None
    verdict = Verdict.UNKNOWN if kind else Verdict.UNIQUE
    return ResultRecord(id=f"{seconds}", source="", verdict=verdict, seconds=seconds, error=error)


def test_merged_summaries_equal_the_summary_of_all_records() -> None:
    records = [
        _record(k * 7 % 10 + 0.0, "crash" if k == 3 else "hang" if k % 4 == 1 else None)
        for k in range(10)
    ]
    whole = Summary("check")
    parts = [Summary("check"), Summary("check")]
    for k, record in enumerate(records):
        whole.add(record)
        parts[k // 5].add(record)
    parts[0].merge(parts[1])
    assert parts[0] == whole
    assert whole.kinds == {"hang": 3, "crash": 1}
    assert whole.slowest == [(9.0, "9.0"), (8.0, "8.0"), (7.0, "7.0")]


REPAIR = {
    "puzzle": "0110",
    "verdict": "unique",
    "added": [],
    "dropped": [],
    "at_least": 0,
    "proved": True,
}
PLACE = {"id": "a", "source": "f", "line": 3}
KEPT = [
    {"verdict": "unique", "solution": "0110"},
    {"verdict": "unique", "seconds": 2.0, "solution": "0110"},
    {"verdict": "none", "seconds": 1.0},
    {"verdict": "multiple", "seconds": 3.0, "readings": {"classic": {"verdict": "multiple"}}},
    {"verdict": "unknown", "error": {"kind": "crash", "message": "it died"}},
    {"verdict": "invalid", "error": {"kind": "format", "message": "no cell", "column": 2}},
    {"verdict": "unique", "answered": False},
    {"verdict": "none", "answered": True, "repair": REPAIR},
    {"verdict": "multiple", "repair": REPAIR},
    {"verdict": "multiple", "answered": True, "repair": REPAIR | {"verdict": "multiple"}},
    {"verdict": "solved", "count": 3, "complete": True},
    {"verdict": "solved", "count": 3, "complete": False},
]


@pytest.mark.parametrize("verb", ["check", "count"])
@pytest.mark.parametrize("kept", [*([each] for each in KEPT), KEPT])
def test_a_summary_of_stored_records_is_the_same(verb: Verb, kept: list[dict[str, object]]) -> None:
    whole, again = Summary(verb), Summary(verb)
    for fields in kept:
        whole.add(ResultRecord.from_dict(PLACE | fields))
        again.add_fields(PLACE | fields)
    assert again == whole
    assert str(again) == str(whole)
    # Together they are counted the same, or not at all.
    records = (ResultRecord.from_dict(PLACE | fields) for fields in kept)
    lines = b"".join(each.to_json().encode() + b"\n" for each in records)
    together = Summary(verb, slowest=whole.slowest)
    assert together == (
        whole if together.add_lines(lines) else Summary(verb, slowest=whole.slowest)
    )


def test_lines_of_results_are_counted_together() -> None:
    record = (
        b'{"id":"\\",\\"verdict\\":\\"none\\",","verdict":"unique","solution":"0110","count":1}\n'
    )
    summary = Summary("check")
    assert summary.add_lines(2 * record)
    assert (summary.verdicts, summary.has_solution) == ({"unique": 2}, True)
    slow = record.replace(b'"count":1', b'"count":1,"seconds":0.5')
    for not_simple in (slow, record[:-1], record[:40] + b"\0" + record[40:], b"{}\n", b"\n"):
        assert not summary.add_lines(record + not_simple)
    assert summary.total == 2
