"""The progress and the summary of a run."""

from collections import Counter
from pathlib import Path

import pytest

from binairo_cp.batch import running
from binairo_cp.batch.running import RunState
from binairo_cp.batch.summaries import Summary
from binairo_cp.formats import Tally, schema
from binairo_cp.formats.results import ErrorRecord, ResultRecord
from binairo_cp.solving.solutions import Verb, Verdict
from tests.support.command_line import call


def test_puzzles_only_read_are_not_counted_as_done() -> None:
    state = RunState(Summary("check"), Tally(done=900, total=1000), read=90)
    assert state.done == 0
    state.summary.verdicts["unique"] = 30
    assert state.done == 300


def test_earlier_puzzles_count_only_after_they_are_read_again() -> None:
    state = RunState(
        Summary("check", Counter(unique=50)), Tally(done=100, total=1000), 10, before=50
    )
    assert state.done == 100


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
        whole.add(schema.adapter(ResultRecord).validate_python(PLACE | fields))
        again.add_fields(PLACE | fields)
    assert again == whole
    assert str(again) == str(whole)
    # Together they are counted the same, or not at all.
    records = (schema.adapter(ResultRecord).validate_python(PLACE | fields) for fields in kept)
    lines = b"".join(each.to_json().encode() + b"\n" for each in records)
    together = Summary(verb)
    assert together == (whole if together.add_lines(lines) else Summary(verb))


def test_lines_of_results_are_counted_together() -> None:
    record = (
        b'{"id":"\\",\\"verdict\\":\\"none\\",","verdict":"unique","solution":"0110","count":1}\n'
    )
    summary = Summary("check")
    assert summary.add_lines(2 * record)
    assert summary.verdicts == {"unique": 2}
    for not_simple in (record[:-1], record[:40] + b"\0" + record[40:], b"{}\n", b"\n"):
        assert not summary.add_lines(record + not_simple)
    assert summary.total == 2


def test_the_summary_names_an_option_that_made_a_run_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.line").write_text("..1....0..10.0..\n" * 100)
    monkeypatch.setattr(running, "_LONG_SECONDS", 0.0)
    for option in ("--backend pysat", "--cross-check auto,pysat", ""):
        _, _, errors = call("check", str(tmp_path / "a.line"), *option.split())
        named = f"binairo: {option.removesuffix(' auto,pysat')} takes most of this time\n"
        assert errors.startswith(named) == bool(option)
