"""The b-files of docs/numbers/ have the terms that the census counts, and the index lists them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import islice

import pytest

from binairo_cp.counting.sizes import Census
from docs import number_files, oeis_files
from docs.number_files import FILES, NUMBERS

QUICK = {
    **dict.fromkeys(FILES, 3),
    "boards-classic": 4,
    "boards-plain": 4,
    "boards-distinct-rows": 4,
    "rectangles-classic": 21,
    "rectangles-plain": 21,
    "rectangles-distinct-rows": 21,
    "all-squares-classic": 6,
}
"""How many terms are counted again in a second or two."""


def terms(name: str) -> list[int]:
    lines = (NUMBERS / f"{name}.txt").read_text().splitlines()
    numbers = [tuple(map(int, line.split())) for line in lines]
    assert [index for index, _ in numbers] == list(range(1, len(lines) + 1))
    return [term for _, term in numbers]


@pytest.mark.parametrize("name", FILES)
def test_the_first_terms_are_counted_again(name: str) -> None:
    assert list(islice(FILES[name](), QUICK[name])) == terms(name)[: QUICK[name]]


def test_the_index_lists_all_files_with_their_length() -> None:
    rows = re.findall(
        r"^\| \[([\w-]+)\]\((\S+)\) \|.*\| (\d+) \| [^|]+ \|$",
        (NUMBERS / "README.md").read_text(),
        re.M,
    )
    names = {path.stem for path in NUMBERS.glob("*.txt")} - {"6x6-classic-puzzles"}
    assert {name for name, _, _ in rows} == names >= set(FILES)
    for name, path, length in rows:
        assert (path, int(length)) == (f"{name}.txt", len(terms(name)))


@pytest.mark.parametrize("name", ["classic", "plain"])
def test_tables_of_these_rules_are_symmetric(name: str) -> None:
    left = iter(terms(f"rectangles-{name}"))
    for length in range(1, number_files.ANTIDIAGONALS + 1):
        diagonal = list(islice(left, length))
        assert diagonal == diagonal[::-1]
    assert next(left, None) is None


def test_tables_and_squares_agree() -> None:
    """The term T(n, n) is the middle one of antidiagonal 2n - 1."""
    for rules in ("classic", "plain", "distinct-rows"):
        table, squares = terms(f"rectangles-{rules}"), terms(f"boards-{rules}")
        for n, number in enumerate(squares[: (number_files.ANTIDIAGONALS + 1) // 2], 1):
            assert table[(2 * n - 1) * (2 * n - 2) // 2 + n - 1] == number


def test_kept_units_are_found() -> None:
    path = number_files.kept_units(Census(12, 12))
    assert path.exists()
    assert number_files.kept_units(Census(9, 9, "nothing", "ones")).name == "9x9-plain-ones.gz"


SLOW = ("up-to-symmetry", "up-to-rotation-and-reflection", "squares-plain")
"""Ends of sequences whose programs take longer than others, which are of the same kinds."""


def program_of(text: str) -> str:
    marker, *program = re.findall(r"^%o A\d{6} ?(.*)$", text, re.M)
    assert marker == "(Python)"
    return "\n".join(program)


@pytest.mark.parametrize("sequence", oeis_files.SEQUENCES, ids=lambda each: each.file)
def test_an_entry_is_as_written_and_has_the_terms_of_its_file(
    sequence: oeis_files.Sequence,
) -> None:
    text = (oeis_files.ENTRIES / f"{sequence.file}.txt").read_text()
    # Versions of Python write programs in slightly different ways.
    kept, now = (
        re.sub(r"^%o .*\n", "", each, flags=re.M) for each in (text, oeis_files.entry(sequence))
    )
    assert kept == now
    data = [int(each) for each in re.findall(r"^%S A\d{6} (.*)$", text, re.M)[0].split(", ")]
    assert data == terms(sequence.file)[: len(data)]
    assert len(data) >= min(len(terms(sequence.file)), 8)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each.file, marks=pytest.mark.slow if each.file.endswith(SLOW) else ())
        for each in oeis_files.SEQUENCES
    ],
)
def test_the_program_of_an_entry_prints_its_first_terms(name: str) -> None:
    program = program_of((oeis_files.ENTRIES / f"{name}.txt").read_text())
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    printed = json.loads(done.stdout)
    assert len(printed) >= 2
    assert printed == terms(name)[: len(printed)]
    assert lengths()[name] == len(printed)


def lengths() -> dict[str, int]:
    """How many terms each program prints, by the list of the entries."""
    found = re.findall(
        r"^\| \[([\w-]+)\]\(.*\) \| \[.*\) \| (\d+) \|",
        (oeis_files.ENTRIES / "README.md").read_text(),
        re.M,
    )
    return {name: int(length) for name, length in found}


def test_there_is_an_entry_for_each_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without running the programs: each has a test of its own."""
    names = {path.stem for path in NUMBERS.glob("*.txt")} - {"6x6-classic-puzzles"}
    assert {each.file for each in oeis_files.SEQUENCES} == names
    known = lengths()
    cheap = [replace(each, terms="0," * known[each.file]) for each in oeis_files.SEQUENCES]
    monkeypatch.setattr(oeis_files, "SEQUENCES", cheap)
    assert (oeis_files.ENTRIES / "README.md").read_text() == oeis_files.readme()
