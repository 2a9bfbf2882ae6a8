"""Fuzz `merge` and `diff` with arbitrary result files."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, suppress
from itertools import cycle
from pathlib import Path

import orjson

from binairo_cp import UNRULY, Board, Puzzle
from binairo_cp.batch.results import diff, files, merge
from binairo_cp.batch.tasks import Task, decide
from binairo_cp.errors import BinairoError, SourceError
from binairo_cp.features.feature import task_of
from binairo_cp.formats import Entry
from binairo_cp.formats.results import DifferenceRecord
from tests.fuzz import scratch
from tests.fuzz.targets import Target

_BETWEEN = b"%\n"
_PUZZLES = ("0... ...1 .1.. ..1.", "00.. .... .... ..00", ".... .... .... ....", "1x2:01")
_TASKS = (Task("check"), Task("solve"), Task("count"), Task("check", both_readings=True))
_WORDS = (
    '"verdict":"unique"', '"verdict":"none"', '"verdict":"multiple"', '"verdict":"unknown"',
    '"verdict":"invalid"', '"verdict":"solved"', '"count":', '"complete":true', '"id":"x"',
    '"readings":{"classic":', '"rules":"unruly"', '"rules":{}', '"source":"s"', '"line":1',
    "123456789012345678901234567890", "1e999", "NaN", "-1", "null", '"\\ud800"', "{", "}",
    '"signs":[[0,0,"R","="]]', '"height":4', '"clues":null', '"schema_version":1', "\n", ",",
    '"grade":{"level":"easy"}', '"error":{"kind":"x","message":"y"}', "%\n", '"seconds":',
)  # fmt: skip


def target(_: str) -> Target:
    """`merge` and `diff`; an input has two files with a line ``%`` between them."""
    entries = [Entry(Puzzle(Board.parse(text)), id=str(k)) for k, text in enumerate(_PUZZLES)]
    entries += [
        Entry(Puzzle(Board.parse(_PUZZLES[0]), UNRULY), id="0"),
        Entry(id="bad", source="s"),
    ]
    tasks = (*_TASKS, task_of("grade"))
    parts = ["".join(decide(each, task).to_json() + "\n" for each in entries) for task in tasks]
    single = [text for part in parts for text in part.splitlines()]
    seeds = [one + "%\n" + two for one in parts for two in parts[:2]]
    seeds += [one + "\n%\n" + two + "\n" for one in single[::3] for two in single[::4]]
    checks = cycle(range(len(_CHECKS)))
    inputs = tuple(bytes([next(checks)]) + seed.encode() for seed in seeds)
    return Target(check, inputs, tuple(map(str.encode, _WORDS)))


def check(data: bytes) -> None:
    """Merge both files, compare them with each other, or the first one with itself.

    All checks together take long, so the first byte chooses one. All run if it begins a record.
    """
    checks = _CHECKS
    if not data.startswith(b"{"):
        checks, data = [_CHECKS[int.from_bytes(data[:1]) % len(_CHECKS)]], data[1:]
    names = []
    for number, part in enumerate(data.partition(_BETWEEN)[::2]):
        path = scratch.folder() / f"{number}.ndjson"
        path.write_bytes(part)
        names.append(str(path))
    with redirect_stderr(io.StringIO()) as errors:
        for check_files in checks:
            check_files(names, errors)


def _check_merge(names: list[str], errors: io.StringIO) -> None:
    """Each line is a record or is reported; merging the result again changes nothing."""
    whole, once = (scratch.folder() / f"{name}.ndjson" for name in ("whole", "once"))
    errors.truncate(errors.seek(0))
    faults = merge.merge_files(names, str(whole), distinct=False, quiet=True)
    assert (faults > 0) == bool(errors.getvalue())
    assert merge.merge_files([str(whole)], str(once), distinct=False, quiet=True) == 0
    assert once.read_bytes() == whole.read_bytes()


def _check_distinct(names: list[str], _: io.StringIO) -> None:
    """Merging with `distinct` twice changes nothing."""
    once, twice = (scratch.folder() / f"{name}.ndjson" for name in ("once", "twice"))
    merge.merge_files(names, str(once), distinct=True, quiet=True)
    assert merge.merge_files([str(once)], str(twice), distinct=True, quiet=True) == 0
    assert once.read_bytes() == twice.read_bytes()


def _check_parquet(names: list[str], _: io.StringIO) -> None:
    with suppress(SourceError):
        # A value may not fit into its column.
        merge.merge_files(names, str(scratch.folder() / "t.parquet"), distinct=False, quiet=True)


def _check_order(names: list[str], _: io.StringIO) -> None:
    """The order of the files does not change the differences."""
    there, back = (_differences(*each) for each in (names, names[::-1]))
    for one in there:
        DifferenceRecord.from_json(one)
    kinds = [sorted(_kind(each) for each in part) for part in (there, back)]
    assert kinds[0] == kinds[1]


def _check_same_file(names: list[str], _: io.StringIO) -> None:
    same = {_kind(each) for each in _differences(names[0], names[0])}
    assert same <= {"contradiction"}, same
    if same:
        # Only a record whose readings contradict each other differs from itself.
        assert [each for each in files.read([names[0]], _pass) if each.record.readings]


def _check_fields(names: list[str], _: io.StringIO) -> None:
    out = str(scratch.folder() / "text")
    diff.compare_files(*names, ["count", "grade.level"], "text", out, True)


_CHECKS = [
    _check_merge,
    _check_distinct,
    _check_order,
    _check_same_file,
    _check_fields,
    _check_parquet,
]


def _pass(_: BinairoError) -> None:
    pass


def _kind(line: str) -> str:
    return str(orjson.loads(line)["kind"])


def _differences(first: str, second: str) -> list[str]:
    out = Path(scratch.folder() / "differences")
    diff.compare_files(first, second, [], "ndjson", str(out), True)
    return out.read_text().splitlines()
