import random
import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Lines, Rules, legal_lines
from binairo_cp.errors import BoardError
from tests.support.strategies import rules

# OEIS A177790.
A177790 = [2, 6, 14, 34, 84, 208, 518, 1296, 3254, 8196, 20700, 52404]


def test_the_published_counts() -> None:
    assert [legal_lines(length).count for length in range(2, 25, 2)] == A177790


@given(st.text("01....", min_size=1, max_size=11), rules)
def test_lines_agree_with_filtering_all_strings(pattern: str, rules: Rules) -> None:
    expected = [
        line
        for line in map("".join, product("01", repeat=len(pattern)))
        if line.count("1") in rules.ones(len(pattern))
        and not any(symbol * (rules.longest_run + 1) in line for symbol in "01")
        and all(mark in (value, ".") for mark, value in zip(pattern, line, strict=True))
    ]
    lines = Lines(pattern, rules)
    assert lines.count == len(lines) == len(expected)
    assert list(lines) == expected
    assert [lines[number] for number in range(len(expected))] == expected
    assert [lines.index(line) for line in expected] == list(range(len(expected)))
    assert all(line in lines for line in expected)
    assert bool(lines) == bool(expected)


few_clues = st.integers(1, 255).flatmap(
    lambda length: st.dictionaries(
        st.integers(0, length - 1), st.sampled_from("01"), max_size=4
    ).map(lambda clues: "".join(clues.get(place, ".") for place in range(length)))
)


@given(st.text("01......", min_size=1) | few_clues, rules, st.data())
def test_number_and_line_are_inverse_up_to_255_cells(
    pattern: str, rules: Rules, data: st.DataObject
) -> None:
    lines = Lines(pattern, rules)
    if lines:
        number = data.draw(st.integers(0, lines.count - 1))
        assert lines.index(lines[number]) == number
        assert lines[number - lines.count] == lines[number]
        assert (number == 0) or lines[number - 1] < lines[number]


def test_counts_too_large_for_a_machine_word() -> None:
    lines = legal_lines(255)
    assert lines.count > sys.maxsize
    assert lines
    assert lines.index(lines[lines.count - 1]) == lines.count - 1
    # A line and its complement are both legal.
    assert legal_lines(255, Rules(odd="ones")).count * 2 == lines.count


def test_random_lines_are_uniform() -> None:
    """Chi-square with 13 degrees of freedom: a value above 34.5 has probability 0.001. The seed is fixed."""
    rng = random.Random(1)
    lines = legal_lines(6)
    draws = [lines.random(rng) for _ in range(14_000)]
    counts = [draws.count(line) for line in lines]
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 34.5


@pytest.mark.parametrize(
    "other", ["0101", "010110", "000111", "01011x", "1a0010", "1.0010", "", 5, None]
)
def test_strings_that_are_not_among_the_lines(other: object) -> None:
    lines = Lines("1.....")
    assert other not in lines
    with pytest.raises((ValueError, TypeError)):
        lines.index(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [14, -15, 10**30])
def test_numbers_out_of_range(number: int) -> None:
    with pytest.raises(IndexError, match="there are 14 lines"):
        legal_lines(6)[number]


@pytest.mark.parametrize("pattern", ["", "0" * 256, "01x", "0١"])
def test_invalid_patterns(pattern: str) -> None:
    with pytest.raises(BoardError):
        Lines(pattern)


def test_drawing_without_legal_lines() -> None:
    with pytest.raises(IndexError, match="no legal line completes '000'"):
        Lines("000").random(random.Random(0))
