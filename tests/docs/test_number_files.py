"""The b-files of docs/numbers/ have the terms that the census counts, and the index lists them."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from binairo_cp.counting.sizes import Census
from docs import number_files
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
