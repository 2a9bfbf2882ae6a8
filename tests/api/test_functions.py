"""The functions of `import binairo_cp`: beside the commands and routes, and on their own."""

import ast
import inspect
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp import formats
from binairo_cp.errors import CertificateError, FormatError, OptionError
from binairo_cp.features.arguments import puzzle_of
from binairo_cp.features.feature import features, options_of
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, records
from tests.support.strategies import examples, puzzles, unique_puzzles

FUNCTIONS = [name for name in bn.__all__ if inspect.isfunction(getattr(bn, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_have_an_example_and_describe_all_arguments(name: str) -> None:
    text = inspect.getdoc(getattr(bn, name)) or ""
    assert ">>> " in text
    # Nobody has to look arguments up in the help of another function.
    arguments = text.partition("Args:\n")[2].partition("\n\n")[0]
    assert not re.search(r"^ +\w+: (as in|see) `\w+`", arguments, re.MULTILINE)


def _documentation(name: str) -> str:
    """The docstring of a function, and of the functions that it refers to for its arguments."""
    own = inspect.getdoc(getattr(bn, name)) or ""
    others = re.findall(r"(?:as in|those of) `(\w+)`", own)
    return "\n".join([own, *(inspect.getdoc(getattr(bn, each)) or "" for each in others)])


@pytest.mark.parametrize("name", features())
def test_docstrings_name_the_words_that_options_take(name: str) -> None:
    """The signature shows only names such as Symmetry."""
    text = _documentation(name)
    for option in options_of(features()[name].function):
        kinds = [option.type, *get_args(option.type)]
        words = [each for kind in kinds if get_origin(kind) is Literal for each in get_args(kind)]
        for word in words:
            assert re.search(rf"(?<![\w-]){word}(?![\w-])", text), (option.name, word)


def test_the_classes_of_all_results_are_exported() -> None:
    functions = (getattr(bn, name) for name in bn.__all__)
    annotations = (
        str(each.__annotations__["return"]) for each in functions if inspect.isfunction(each)
    )
    classes = set(re.findall(r"\b[A-Z]\w+", " ".join(annotations))) - {"Any", "Iterator", "None"}
    assert {"Repair", "FewestClues", "CensusResult"} <= classes <= set(bn.__all__)
    assert all(inspect.isclass(getattr(bn, name)) for name in classes)


_UNKNOWN = ("id", "source", "line", "schema_version", "seconds")


def _record(*arguments: str, puzzle: str) -> dict[str, Any]:
    [record] = records(*arguments, "-", "-q", input=puzzle)
    return _plain({name: value for name, value in record.items() if name not in _UNKNOWN})


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(json.dumps(record))
    for each in (values, *values.get("readings", {}).values()):
        each.pop("seconds", None)
    return values


@pytest.mark.parametrize("puzzle", [UNIQUE, MULTIPLE, NONE])
@pytest.mark.parametrize(("arguments", "function"), [
    (["solve"], bn.solve),
    (["solve", "--limit", "3"], lambda puzzle: bn.solve(puzzle, limit=3)),
    (["check"], bn.check),
    (["check", "--backbone"], lambda puzzle: bn.check(puzzle, backbone=True)),
    (["check", "--reasons", "quick"], lambda puzzle: bn.check(puzzle, reasons="quick")),
    (["check", "--rules", "both"], lambda puzzle: bn.check(puzzle, rules="both")),
    (["count", "--limit", "50"], lambda puzzle: bn.count(puzzle, limit=50)),
])  # fmt: skip
def test_outcomes_are_the_records_of_the_command_line(
    arguments: list[str], function: Callable[[str], bn.Outcome], puzzle: str
) -> None:
    assert _plain(function(puzzle).to_dict()) == _record(*arguments, puzzle=puzzle)


@pytest.mark.parametrize("value", [
    UNIQUE,
    "\n".join(UNIQUE[start : start + 6] for start in range(0, 36, 6)),
    bn.Board.parse(UNIQUE),
    bn.Puzzle(bn.Board.parse(UNIQUE)),
    bn.Entry(bn.Puzzle(bn.Board.parse(UNIQUE)), id="name"),
    bn.convert(UNIQUE, to="task"),
    bn.convert(UNIQUE, to="ndjson"),
])  # fmt: skip
def test_puzzles_in_any_form(value: Any) -> None:
    outcome = bn.check(value)
    assert outcome.solution == bn.Board.parse(KNOWN)
    assert outcome.puzzle == bn.Puzzle(bn.Board.parse(UNIQUE))


@given(unique_puzzles())
@examples(0.2)
def test_results_are_values(puzzle: bn.Puzzle) -> None:
    results = (
        bn.check(puzzle), bn.hint(puzzle), bn.explain(puzzle), bn.grade(puzzle), bn.fewest(puzzle),
        bn.repair(puzzle),
    )  # fmt: skip
    for result in results:
        assert pickle.loads(pickle.dumps(result)) == result
        hash(result)
        json.dumps(result.to_dict())
        assert str(result)
    assert bn.grade(puzzle) == results[3]
    assert bn.grade(puzzle) <= results[3]


def test_grades_are_ordered() -> None:
    grades = [
        bn.grade(puzzle)
        for grade in ("easy", "hard")
        for puzzle in bn.generate(6, count=2, grade=grade, seed=1)
    ]
    assert sorted(grades)[-1].level == max(grades).level == "hard"
    assert grades[0] < grades[-1]
    assert grades[-1] > grades[0]
    assert grades[-1] >= grades[-1]


def test_files(tmp_path: Path) -> None:
    puzzles = bn.generate(6, count=3, seed=2)
    for name in ("p.txt", "p.line", "p.ndjson", "p.json", "p.line.gz", "p.parquet"):
        bn.write(puzzles, tmp_path / name)
        entries = bn.read(tmp_path / name)
        assert [entry.puzzle for entry in entries] == [each.puzzle for each in puzzles]
        assert [entry.id for entry in entries] == [each.id for each in puzzles]
        assert all(bn.check(entry).verdict == "unique" for entry in entries)
    bn.write(entries[0], tmp_path / "one.txt", to="task")
    assert bn.read(tmp_path / "one.txt", format="task")[0].puzzle == entries[0].puzzle


def test_errors_of_files_can_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "p.line"
    path.write_text(f"{UNIQUE}\n01x1\n")
    with pytest.raises(FormatError, match=r"p.line:2:3"):
        bn.read(path)
    good, bad = bn.read(path, errors="keep")
    assert good.puzzle
    assert isinstance(bad.error, FormatError)
    with pytest.raises(FormatError):
        bn.check(bad)


def test_single_outcomes_are_written_as_results(tmp_path: Path) -> None:
    texts = [UNIQUE, MULTIPLE, NONE]
    bn.write(bn.check_many(texts), tmp_path / "many.ndjson")
    bn.write([*map(bn.check, texts)], tmp_path / "list.ndjson")
    bn.write(map(bn.check, texts), tmp_path / "iterator.parquet")
    for name in ("many.ndjson", "list.ndjson", "iterator.parquet"):
        records = duckdb.sql(f"SELECT id, verdict FROM '{tmp_path / name}'").fetchall()
        assert records == [("1", "unique"), ("2", "multiple"), ("3", "none")]
    bn.write(bn.solve(UNIQUE), tmp_path / "one.ndjson")
    assert json.loads((tmp_path / "one.ndjson").read_text())["solution"] == KNOWN
    assert bn.convert([bn.check(UNIQUE)], to="line") == f"{UNIQUE}\n"
    assert bn.convert([], to="ndjson") == ""


def test_certificates(tmp_path: Path) -> None:
    path = tmp_path / "c.zip"
    made = bn.certify(UNIQUE, path)
    assert made == bn.verify(path) == bn.verify(path.read_bytes())
    assert made.to_dict()["claim"] == "unique"
    with pytest.raises(OptionError, match="checker: expected one of own, acl2, not 'dratify'"):
        bn.verify(path, checker="dratify")  # type: ignore[arg-type]
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CertificateError):
        bn.verify(path)


@pytest.mark.parametrize(("options", "start"), [
    ({}, "\n┌────"),
    ({"to": "svg"}, "<?xml"),
    ({"to": "png", "hint": True}, b"\x89PNG"),
    ({"to": "pdf", "title": "Two"}, b"%PDF"),
    ({"to": "html", "steps": True}, "<!doctype html>"),
])  # fmt: skip
def test_pictures(options: dict[str, Any], start: Any, tmp_path: Path) -> None:
    drawn = bn.render(UNIQUE, **options)
    assert drawn.lower().startswith(start.lower())
    assert len(drawn) > 100
    if options:
        out = tmp_path / f"p.{options['to']}"
        assert not bn.render(UNIQUE, **options | {"to": None}, out=out)
        written = drawn.encode() if isinstance(drawn, str) else drawn
        assert out.read_bytes()[:5] == written[:5]


def test_a_census() -> None:
    assert bn.census(4).boards == 72
    assert str(bn.census("2x4")) == str(bn.census("2x4").boards)
    assert inspect.isfunction(bn.census), "the package of the census must not hide it"


@given(puzzles())
@examples(0.5)
def test_printed_puzzles_can_be_read(puzzle: bn.Puzzle) -> None:
    grade = bn.Grade("easy", "count", {"count": 1}, rounds=1, narrowest=0, left=0)
    for printed in (puzzle, bn.GeneratedPuzzle(puzzle, puzzle.board, grade)):
        try:
            read = puzzle_of(str(printed))
        except FormatError:
            # The first of a few short rows may be a number above the others.
            read = puzzle if puzzle.board.width <= 3 else None
        assert read == puzzle


@examples(2)
@given(st.integers(4, 12).flatmap(lambda n: st.text("01._?-", min_size=n * n, max_size=n * n)))
def test_the_cells_of_a_square_mean_the_same_as_in_a_file(cells: str) -> None:
    [entry] = formats.read_bytes(cells.encode(), "")
    assert puzzle_of(cells) == entry.puzzle


def test_type_checkers_and_python_import_the_same_names() -> None:
    """A name that only one of the two lists has would be unknown to the other."""
    tree = ast.parse(Path(bn.__file__).read_text())
    (block,) = (each for each in tree.body if isinstance(each, ast.If))
    imports = [each for each in block.body if isinstance(each, ast.ImportFrom)]
    seen = {(each.module, name.name) for each in imports for name in each.names}
    assert seen == {(f"binairo_cp.{module}", name) for name, module in bn._LAZY.items()}
    assert {name for _, name in seen} | {"BinairoError"} == set(bn.__all__)
    code = "from binairo_cp import *; print(check('..1. ...0 ..10 .0..').verdict, Board.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "unique Board\n"


def test_dir_lists_the_public_names() -> None:
    names = {name for name in dir(bn) if not name.startswith("__")}
    assert names == {*bn.__all__, "errors"}
