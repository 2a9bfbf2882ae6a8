"""Many puzzles at once: arrays, lists and columns; the same answers as one by one."""

import json
import os
import pickle
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import binairo_cp as bn
from binairo_cp.errors import BinairoError, FormatError, OptionError
from binairo_cp.solving.solutions import Outcome
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, call
from tests.support.result_files import read_results

KINDS = {"unique": UNIQUE, "multiple": MULTIPLE, "none": NONE, "invalid": "0x1" + "." * 33}


def _changed(seed: int, number: int, side: int) -> list[str]:
    """Puzzles with all verdicts: solved boards with cells opened, and some cells changed."""
    rng = random.Random(seed)
    boards = bn.board(side, count=20, seed=seed)
    texts = []
    for _ in range(number):
        cells = list(rng.choice(boards).cells)
        for place in rng.sample(range(len(cells)), rng.randint(side, len(cells) - side)):
            cells[place] = "."
        for _ in range(rng.randint(0, 1)):
            cells[rng.randrange(len(cells))] = rng.choice("01._?-")
        texts.append("".join(cells))
    return texts


TEXTS = [*_changed(1, 400, 6), *_changed(2, 150, 8), *KINDS.values(), "é" * 36, "", "1.\n.0"]


def _one(function: Any, text: str, **options: Any) -> Outcome | None:
    try:
        return function(text, **options)  # type: ignore[no-any-return]  # an outcome
    except BinairoError:
        return None


@pytest.mark.parametrize(("many", "single", "options"), [
    (bn.check_many, bn.check, {"reasons": "none"}),
    (bn.check_many, bn.check, {"reasons": "quick"}),
    (bn.check_many, bn.check, {"reasons": "none", "rules": "unruly"}),
    (bn.solve_many, bn.solve, {}),
    (bn.count_many, bn.count, {"limit": 40}),
    (bn.count_many, bn.count, {"limit": 1}),
    (bn.count_many, bn.count, {"limit": 2_000}),
])  # fmt: skip
def test_the_answers_are_those_of_single_puzzles(many: Any, single: Any, options: dict[str, Any]):
    found = many(TEXTS, **options)
    assert len(found) == len(TEXTS)
    for text, result in zip(TEXTS, found, strict=True):
        expected = _one(single, text, **options)
        if expected is None:
            assert result.verdict == "invalid"
            assert isinstance(result, bn.Failure)
            continue
        for name in ("puzzle", "verb", "limit", "verdict", "count", "complete", "stopped_by"):
            assert getattr(result, name) == getattr(expected, name), (name, text)
        assert len(result.solutions) == len(expected.solutions)
        assert all(bn.is_solution(result.puzzle, board) for board in result.solutions)
        assert len(set(result.solutions)) == len(result.solutions)
        assert (result.contradiction is None) == (expected.contradiction is None)


def test_rules_are_for_entries_that_state_none(tmp_path: Path) -> None:
    """As on the command line. An option that contradicts a puzzle is an error of the call."""
    silent, stated = tmp_path / "silent.ndjson", tmp_path / "stated.txt"
    silent.write_text(f'{{"height": 6, "width": 6, "clues": "{MULTIPLE}"}}\n' * 2)
    stated.write_text(f"rules: classic\n6x6:{MULTIPLE}\n\n6x6:{MULTIPLE}\n")
    entries = [*bn.read(silent), *bn.read(stated)]
    rules = [bn.UNRULY, bn.UNRULY, bn.CLASSIC, bn.UNRULY]
    for workers in (1, 2):
        found = bn.check_many(entries, rules="unruly", workers=workers)
        assert [each.puzzle.rules for each in found] == rules
        assert list(found) == [bn.check(each, rules="unruly", reasons="none") for each in entries]
        with pytest.raises(OptionError, match="differs from the rules of the puzzle"):
            bn.check_many([UNIQUE, entries[0].puzzle], rules="unruly", workers=workers)
    files = str(silent), str(stated)
    _, output, _ = call("check", *files, "--rules", "unruly", "--to", "ndjson")
    names = [json.loads(line)["rules"] for line in output.splitlines()]
    assert names == ["unruly", "unruly", "classic", "unruly"]


@pytest.mark.parametrize("many", [bn.check_many, bn.solve_many, bn.count_many])
def test_both_rules_for_many(many: Any) -> None:
    found = many([UNIQUE, NONE, "1.x"], rules="both")
    single = getattr(bn, many.__name__.removesuffix("_many"))
    options = {"reasons": "none"} if single is bn.check else {}
    for text, result in zip([UNIQUE, NONE], found, strict=False):
        assert result == single(text, rules="both", **options)
        assert set(result.readings) == {"classic", "unruly"}
    assert found[2].verdict == "invalid"
    records = [*found.to_records()]
    assert records[0]["readings"]["unruly"]["rules"] == "unruly"
    with pytest.raises(OptionError, match="expected one of classic"):
        bn.grade_many([UNIQUE], rules="both")


def test_texts_that_may_be_rows_are_refused_or_warned_of() -> None:
    """There are collections of 4x4 puzzles, but none of 2x2."""
    for function in (bn.check_many, bn.convert, bn.render):
        with pytest.raises(FormatError, match="4 texts of 4 cells could be the rows of one puzzle"):
            function(["0..1", "1..0", "0110", "1001"])
    with pytest.warns(
        UserWarning, match=r"16 puzzles of 4x4. Board.from_rows takes rows"
    ) as caught:
        assert len(bn.check_many(["1..0......1....."] * 16)) == 16
    assert caught[0].filename == __file__
    assert "Board.from_rows(rows)" in str(bn.check_many(["0..1.."] * 6).error[0])


def test_columns_are_those_of_the_outcomes() -> None:
    found = bn.check_many(TEXTS)
    each = list(found)
    assert {each.verdict for each in each} == set(KINDS)
    assert found.verdict.tolist() == [str(each.verdict) for each in each]
    assert found.count.tolist() == [getattr(each, "count", 0) for each in each]
    assert found.complete.tolist() == [getattr(each, "complete", False) for each in each]
    assert found.seconds.tolist() == [getattr(each, "seconds", 0.0) for each in each]
    for name in ("solution", "second_solution"):
        boards = [getattr(each, name, None) for each in each]
        assert getattr(found, name) == [board and board.cells for board in boards]
    failures = [str(each.error) if isinstance(each, bn.Failure) else None for each in each]
    assert found.error == failures
    assert found[-1] == each[-1]
    assert found[1:3] == each[1:3]
    with pytest.raises(IndexError):
        found[len(found)]
    assert "invalid" in repr(found)


def test_iterating_and_indexing_give_the_same() -> None:
    values = [*TEXTS[:250], *(bn.Board.parse(text) for text in TEXTS[250:400])]
    for function in (bn.check_many, bn.solve_many, bn.count_many):
        found = function(values)
        assert [*map(str, found)] == [str(found[place]) for place in range(len(values))]


def test_outcomes_can_be_compared_and_pickled() -> None:
    found = bn.check_many(list(KINDS.values()) * 100)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert len({*again, *found}) == len({*found})
    assert found != bn.check_many(list(KINDS.values())[1:] * 100)
    assert found[3] != bn.check_many(["0y1."])[0]
    assert found != list(found)


def test_threads_decide_puzzles_of_one_shape_at_once() -> None:
    texts = _changed(3, 1_000, 8)
    bn.check_many(texts)
    checked, counted = bn.check_many(texts), bn.count_many(texts, limit=30)
    with ThreadPoolExecutor(4) as threads:
        jobs = [
            threads.submit(partial(bn.count_many, limit=30) if job % 2 else bn.check_many, texts)
            for job in range(8)
        ]
        singles = [threads.submit(bn.check, text) for text in texts[:200]]
    for job, done in enumerate(jobs):
        expected = counted if job % 2 else checked
        assert done.result().count.tolist() == expected.count.tolist()
    assert [each.result().verdict.value for each in singles] == checked.verdict[:200].tolist()


def test_grades_are_those_of_single_puzzles() -> None:
    texts = [each.puzzle.board.cells for each in bn.generate(8, count=60, seed=4)]
    found = bn.grade_many([*texts, MULTIPLE])
    assert found.grade == [*map(bn.grade, texts), None]
    assert found.to_dict()["level"][0] == found.grade[0].level


@pytest.mark.parametrize("rules", [None, "unruly"])
def test_arrays(rules: str | None) -> None:
    texts = _changed(3, 700, 6)
    array = np.frombuffer("".join(texts).encode(), np.uint8).reshape(-1, 6, 6)
    found, expected = bn.check_many(array, rules=rules), bn.check_many(texts, rules=rules)
    assert found.verdict.tolist() == expected.verdict.tolist()
    assert found.solution == expected.solution
    boards = found.boards()
    assert boards.shape == array.shape
    for k in range(5):
        assert bn.Board.from_numpy(boards[k]).cells == (found.solution[k] or "." * 36)


def test_wide_arrays_and_wrong_bytes() -> None:
    array = np.full((3, 2, 4), ord("."), np.uint8)
    array[1, 0, 3] = 1
    array[2] = np.frombuffer(b"1100....", np.uint8).reshape(2, 4)
    found = bn.check_many(array, rules="unruly")
    assert found.verdict.tolist() == ["multiple", "invalid", "unique"]
    assert found.error[1] == (
        "value 1 in row 1, column 4; expected 48, 49 or 46, the ASCII codes of '0', '1' and '.'"
    )
    assert bn.check_many(np.full((1, 1, 70), ord("?"), np.uint8), rules="unruly").error == [None]
    assert len(bn.check_many(np.zeros((0, 4, 4), np.uint8))) == 0
    assert bn.check_many(np.full((1, 1, 70), ord("."), np.uint8), rules="unruly").count[0] == 2


@pytest.mark.parametrize("column", [
    tuple(KINDS.values()),
    iter(list(KINDS.values())),
    np.array(list(KINDS.values())),
    pandas.Series(list(KINDS.values())),
    polars.Series(list(KINDS.values())),
    pyarrow.array(list(KINDS.values())),
    pyarrow.chunked_array([list(KINDS.values())]),
    (bn.Board.parse(text) if kind != "invalid" else text for kind, text in KINDS.items()),
])  # fmt: skip
def test_columns_of_strings(column: Any) -> None:
    assert bn.check_many(column).verdict.tolist() == list(KINDS)


def test_puzzles_of_all_kinds_in_one_list() -> None:
    signed = bn.Puzzle(bn.Board.parse(MULTIPLE), bn.PLUS, (bn.Sign(0, 0, "R", "="),))
    values = [
        bn.Puzzle(bn.Board.parse(UNIQUE)),
        bn.Entry(bn.Puzzle(bn.Board.parse(UNIQUE), bn.UNRULY)),
        signed,
        None,
        float("nan"),
    ] * 150
    found = bn.check_many(values)
    expected = [bn.check(each).verdict.value for each in values[:3]]
    assert found.verdict.tolist() == [*expected, "invalid", "invalid"] * 150
    assert found[2].puzzle == signed


def test_outcomes_are_written_as_the_records_of_the_command_line(tmp_path: Path) -> None:
    text = f"{UNIQUE} a\n{MULTIPLE}\n{NONE} c\n01x1\n"
    (tmp_path / "p.line").write_text(text)
    call("grade", str(tmp_path / "p.line"), "--out", str(tmp_path / "cli.ndjson"))
    entries = bn.read(tmp_path / "p.line", errors="keep")
    fields = [
        "id", "source", "line", "clues", "rules", "verdict", "count", "complete", "grade", "error",
    ]  # fmt: skip
    for name in ("python.ndjson", "python.parquet"):
        bn.write(bn.grade_many(entries), tmp_path / name)
        first, second = (read_results(tmp_path / each) for each in ("cli.ndjson", name))
        for each, other in zip(first, second, strict=True):
            assert [each.get(name) for name in fields] == [other.get(name) for name in fields]
    strings = bn.check_many(text.split()).to_records()
    assert [record["id"] for record in strings] == ["1", "2", "3", "4", "5", "6"]


def test_tables() -> None:
    found = bn.check_many(list(KINDS.values()))
    columns = found.to_dict()
    for table in (
        pandas.DataFrame(columns),
        pyarrow.table(columns).to_pandas(),
        polars.DataFrame(columns),
    ):
        assert list(table["verdict"]) == list(KINDS)
        assert table["solution"][0] == KNOWN
        assert list(table["id"]) == ["1", "2", "3", "4"]
        assert table["clues"][0] == UNIQUE
        assert table["error"][3]


def test_workers_give_the_same_answers() -> None:
    found, expected = bn.check_many(TEXTS * 4, workers=2), bn.check_many(TEXTS * 4)
    assert found.verdict.tolist() == expected.verdict.tolist()
    assert found.count.tolist() == expected.count.tolist()
    assert pickle.loads(pickle.dumps(found)).solution == found.solution


@pytest.mark.slow
def test_scripts_need_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import binairo_cp as bn\nprint(bn.check_many([{UNIQUE!r}] * 3, workers=2).verdict)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.returncode) == ("['unique' 'unique' 'unique']\n", 0), done.stderr


def test_an_exception_costs_only_its_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    from binairo_cp.solving import solutions

    honest = solutions.search

    def search(puzzle: bn.Puzzle, *verb: Any, **options: Any) -> Outcome:
        if puzzle.board.cells == MULTIPLE:
            raise RuntimeError("out of order")
        return honest(puzzle, *verb, **options)

    monkeypatch.setattr(solutions, "search", search)
    found = bn.check_many([UNIQUE, MULTIPLE, NONE], backend="pysat")
    assert found.verdict.tolist() == ["unique", "unknown", "none"]
    assert found.error == [None, "out of order", None]
    assert str(found[1]) == "unknown: out of order"


@pytest.mark.parametrize("workers", [1, 2])
def test_other_characters_are_not_cells(workers: int) -> None:
    values = ["\U0001f600", "é", "Į", "ĮĮĮĮ", "０１１０", "0ı10", "\ud800", "?" * 16, "012."]
    found = bn.check_many(values, workers=workers)
    assert found.verdict.tolist() == ["invalid"] * 7 + ["multiple", "invalid"]


def test_long_counts_have_columns_too() -> None:
    found = bn.count_many([MULTIPLE, "." * 64, MULTIPLE], limit=10**30)
    assert found.count.tolist()[::2] == [4140, 4140]
    assert found.verdict[0] == "multiple"


def test_interrupted_runs_keep_their_results() -> None:
    def values() -> Iterator[str]:
        for number in range(20_000):
            if number == 9_000:
                os.kill(os.getpid(), signal.SIGINT)
            yield UNIQUE

    with pytest.raises(bn.Interrupted) as caught:
        bn.check_many(values())
    assert 4_000 < len(caught.value.outcomes) <= 9_000
    assert set(caught.value.outcomes.verdict.tolist()) == {"unique"}


def test_progress() -> None:
    seen: list[int] = []
    bn.check_many([UNIQUE] * 10_000, progress=seen.append)
    assert seen[-1] == 10_000
    assert seen == sorted(set(seen))


def test_a_single_puzzle_is_decided_and_graded_without_heavy_libraries() -> None:
    program = """
import sys, binairo_cp as bn
puzzle = "....1..1..00.1.."
print(bn.check(puzzle).count, bn.count(puzzle).count, bn.count("0" + "." * 15).count)
print(bn.grade(puzzle), "numpy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "1 1 36\neasy (count) False\n", done.stderr
