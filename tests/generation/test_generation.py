"""Random boards and puzzles: correct, fair, as requested, and reproducible."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Lines, Verdict, check, count, enumerate_solutions, generate
from binairo_cp.batch import generating
from binairo_cp.deduction import closure, driver, grading
from binairo_cp.deduction.demands import demand_of
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.errors import BudgetExceeded, GenerationError, LimitError
from binairo_cp.generation import (
    Pattern,
    attempts,
    boards,
    other_solutions,
    runs,
    single_attempts,
)
from binairo_cp.generation.boards import (
    board_of_number,
    count_boards,
    draw_boards,
    draw_words,
    generator_of,
    number_of_board,
    seed_of,
    shape_of,
    words,
)
from binairo_cp.generation.puzzles import Recipe, generate_puzzles
from binairo_cp.generation.recipes import KNOWN, PROVED, orbits
from binairo_cp.kernels import completions
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.generation import Generator, list_boards
from binairo_cp.kernels.randomness import Random, below
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import CLASSIC, TANGO, UNRULY, Puzzle, Rules, violations
from binairo_cp.puzzle.shape import Shape
from binairo_cp.puzzle.symmetries import canonical, symmetries
from binairo_cp.reduction.fewest import fewest_clues
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.backtracking import Backtracking
from binairo_cp.solving.many import sign_words
from tests.support import strategies
from tests.support.command_line import call

ODD_ONES = Rules(odd="ones")


def word(line: str) -> int:
    return int(line[::-1], 2)


# Completions by number.


@given(st.text("01.", min_size=1, max_size=20), st.data())
def test_completions_match_the_lines_of_the_pattern(pattern: str, data: st.DataObject):
    lines, length = Lines(pattern), len(pattern)
    can_zero = word("".join("1" if each in "0." else "0" for each in pattern))
    can_one = word("".join("1" if each in "1." else "0" for each in pattern))
    tables = zeros("q", 2 * length + 2, length + 2, completions.ENDS)
    begin = data.draw(st.sampled_from([0, length + 1]))
    low, high = length // 2, (length + 1) // 2
    number = completions.count_lines(length, can_zero, can_one, low, high, tables, begin)
    assert number == lines.count
    if lines:
        number = data.draw(st.integers(0, lines.count - 1))
        drawn = completions.line_of_number(length, number, can_zero, can_one, tables, begin)
        assert drawn == word(lines[number])


def test_random_words_match_the_reference_implementation():
    # The first values of the reference implementation for this seed.
    first = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert words(1234567, 3).tolist() == first


def test_below_is_uniform():
    random = Random(7)
    assert {below(random, 1) for _ in range(9)} == {0}
    seen = Counter(below(random, 7) for _ in range(70_000))
    assert all(abs(seen[k] - 10_000) < 500 for k in range(7))
    large = [below(random, 3 << 61) for _ in range(3_000)]
    assert abs(sum(each < 1 << 61 for each in large) - 1_000) < 150
    assert max(large) < 3 << 61


# All boards of a size.

SMALL = [
    (1, 1, CLASSIC), (1, 2, CLASSIC), (2, 2, CLASSIC), (3, 3, CLASSIC), (3, 4, UNRULY),
    (4, 4, CLASSIC), (4, 4, UNRULY), (4, 6, CLASSIC), (5, 5, ODD_ONES), (5, 4, UNRULY),
    (1, 9, UNRULY),
]  # fmt: skip


@pytest.mark.parametrize(("height", "width", "rules"), SMALL)
def test_listing_has_all_boards_in_order(height: int, width: int, rules: Rules):
    every = sorted(
        b.cells for b in Backtracking().solutions(Puzzle(Board.empty(height, width), rules))
    )
    assert count_boards(height, width, rules) == len(every)
    for number in {0, len(every) // 2, len(every) - 1}:
        board = board_of_number(height, width, number, rules)
        assert board.cells == every[number]
        assert number_of_board(board, rules) == number


@pytest.mark.parametrize(
    ("height", "width", "number"), [(6, 6, 4140), (4, 6, 96), (6, 8, 51744), (8, 8, 4111116)]
)
def test_listing_matches_published_counts(height: int, width: int, number: int):
    assert count_boards(height, width) == number
    last = board_of_number(height, width, number - 1)
    # The last board is the first with 0 and 1 exchanged.
    assert last == board_of_number(height, width, 0).complemented()


ALL_BY_ROWS = """
import json, sys
from binairo_cp.kernels.generation.generator import Generator
from binairo_cp.kernels.generation.rows import FOUND, NO_MORE, next_board, start_search

found = []
for shape in json.loads(sys.argv[1]):
    generator = Generator(*shape)
    start_search(generator)
    found.append([])
    while (ended := next_board(generator, 1_000_000)) == FOUND:
        found[-1].append([f"{row:0{shape[1]}b}"[::-1] for row in generator.rows.words])
    assert ended == NO_MORE
print(json.dumps(found))
"""


def test_row_search_finds_each_board_once():
    """By the sources, since the compiled code only draws the first board of a search."""
    shapes = [
        (
            height,
            width,
            (shape.row_min_ones, shape.row_max_ones),
            (shape.column_min_ones, shape.column_max_ones),
            rules.distinct_lines,
        )
        for height, width, rules in SMALL
        for shape in [shape_of(height, width, rules)]
    ]
    done = subprocess.run(
        [sys.executable, "-c", ALL_BY_ROWS, json.dumps(shapes)],
        env=os.environ | {"BINAIRO_KERNELS": "source"},
        capture_output=True,
        check=True,
    )
    for (height, width, rules), found in zip(SMALL, json.loads(done.stdout), strict=True):
        every = [
            board_of_number(height, width, k, rules).cells
            for k in range(count_boards(height, width, rules))
        ]
        assert sorted(map("".join, found)) == every


def test_errors_for_boards_that_cannot_be_listed():
    with pytest.raises(LimitError, match="can't be listed"):
        count_boards(10, 10)
    with pytest.raises(LimitError, match="no board 4140"):
        board_of_number(6, 6, 4140)
    with pytest.raises(LimitError, match="not a solved board"):
        number_of_board(Board.empty(6, 6))
    with pytest.raises(LimitError, match="there is no 2x4 board"):
        count_boards(2, 4)


# Random boards.

DRAWN = [
    *SMALL, (6, 6, UNRULY), (5, 7, CLASSIC), (7, 7, ODD_ONES), (6, 14, CLASSIC), (11, 10, CLASSIC),
    (20, 20, CLASSIC), (1, 64, UNRULY), (64, 2, UNRULY), (33, 33, UNRULY),
]  # fmt: skip


@pytest.mark.parametrize(("height", "width", "rules"), DRAWN)
@pytest.mark.parametrize("method", ["auto", "gibbs", "rows"])
def test_boards_keep_the_rules(height: int, width: int, rules: Rules, method: str):
    seeds = [seed_of(number) for number in range(5)]
    boards = draw_boards(height, width, seeds, rules, method)
    for board in boards:
        assert board.is_full
        assert not violations(Puzzle(board, rules), board)
    assert boards == draw_boards(height, width, seeds, rules, method)
    assert boards[2:3] == draw_boards(height, width, seeds[2:3], rules, method)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [CLASSIC, UNRULY])
def test_the_largest_boards_are_drawn(rules: Rules):
    for side in (48, 63, 64):
        one, other = draw_boards(side, side, [1, 2], rules)
        assert one != other
        assert not violations(Puzzle(one, rules), one)


def test_drawn_boards_are_the_same_on_every_machine():
    boards = draw_boards(10, 10, [seed_of("somewhere", k) for k in range(20)])
    digest = hashlib.sha256("".join(board.cells for board in boards).encode()).hexdigest()
    assert digest[:16] == "5c4067fa1465d2b8"
    puzzles = generate_puzzles(Recipe(10, 10, level="hard"), "somewhere", range(5))
    text = "".join(each.puzzle.board.cells for each in puzzles)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest[:16] == "a310fe0d32008e5a"


def unfairness(boards: list[Board], number: int) -> float:
    """The deviation of chi-square from its mean for uniform draws, in standard deviations."""
    expected = len(boards) / number
    seen = Counter(board.cells for board in boards)
    square = sum((times - expected) ** 2 / expected for times in seen.values())
    square += (number - len(seen)) * expected
    return (square - (number - 1)) / (2 * (number - 1)) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("height", "width", "rules"), [
    (4, 4, CLASSIC), (6, 6, CLASSIC), (5, 5, CLASSIC), (5, 4, UNRULY), (6, 4, UNRULY),
    (3, 3, ODD_ONES),
])  # fmt: skip
@pytest.mark.parametrize("method", ["uniform", "gibbs"])
def test_all_boards_are_equally_likely(height: int, width: int, rules: Rules, method: str):
    number = count_boards(height, width, rules)
    seeds = [seed_of(method, k) for k in range(20 * number)]
    assert abs(unfairness(draw_boards(height, width, seeds, rules, method), number)) < 4


@pytest.mark.slow
def test_the_first_two_rows_of_8x8_boards_have_the_right_distribution():
    """There are too many 8x8 boards (4,111,116) to test each; pairs of rows are few enough."""
    seeds = [seed_of(k) for k in range(200_000)]
    boards = draw_boards(8, 8, seeds, CLASSIC, "gibbs")
    empty = Board.empty(8, 8)
    square, kinds = 0.0, 0
    seen = Counter(board.cells[:16] for board in boards)
    for first, second in product(Lines("." * 8), repeat=2):
        prefix = Puzzle(replace(empty, cells=first + second + empty.cells[16:]))
        expected = count(prefix).count * len(boards) / 4111116
        if expected:
            kinds += 1
            square += (seen[first + second] - expected) ** 2 / expected
    assert abs(square - (kinds - 1)) / (2 * (kinds - 1)) ** 0.5 < 4


@pytest.mark.slow
@pytest.mark.parametrize(("height", "width", "rules", "parts"), [
    (4, 4, CLASSIC, 1), (4, 6, CLASSIC, 2), (4, 6, UNRULY, 1), (6, 6, CLASSIC, 1),
    (5, 5, CLASSIC, 1), (5, 6, CLASSIC, 1),
])  # fmt: skip
def test_the_walk_reaches_every_board(height: int, width: int, rules: Rules, parts: int):
    """Boards that agree except in two lines are one step of the walk apart."""
    boards = [b.cells for b in Backtracking().solutions(Puzzle(Board.empty(height, width), rules))]
    leader = list(range(len(boards)))

    def lead(k: int) -> int:
        while leader[k] != k:
            leader[k] = leader[leader[k]]
            k = leader[k]
        return k

    for in_columns in (False, True):
        for i, j in combinations(range(width if in_columns else height), 2):
            seen: dict[tuple[str, ...], int] = {}
            for k, cells in enumerate(boards):
                board = Board(height, width, cells)
                lines = board.columns if in_columns else board.rows
                rest = tuple(line for number, line in enumerate(lines) if number not in (i, j))
                leader[lead(k)] = lead(seen.setdefault(rest, k))
    assert len({lead(k) for k in range(len(boards))}) == parts


@pytest.mark.slow
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from(["either", "ones", "zeros"]),
    st.integers(0, 2**64 - 1),
)
def test_the_walk_keeps_the_rules(height: int, width: int, distinct: bool, odd: str, seed: int):
    rules = Rules(distinct_lines=distinct, odd=odd)
    shape = shape_of(height, width, rules)
    states = np.array([seed], np.uint64)
    words = np.zeros((1, height), np.uint64)
    if draw_words(shape, words, states, 30, 100, 3):
        board = Board.from_rows(f"{int(row):0{width}b}"[::-1] for row in words[0])
        assert not violations(Puzzle(board, rules), board)


def test_walks_start_only_from_boards_that_keep_runs_and_balance():
    shape = shape_of(6, 6, CLASSIC)
    good = [word(row) for row in board_of_number(6, 6, 1000).rows]
    for wrong in (
        [0] * 6,
        [2**64 - 1] * 6,
        [*good[:5], good[5] ^ 3 << 62],
        [word("110100")] * 3 + [word("001011")] * 3,
        [*good[:5], good[5] ^ 1],
        [*good[:2], word("111000"), *good[3:]],
    ):
        words, states = np.array([good, wrong], np.uint64), np.array([1, 2], np.uint64)
        with pytest.raises(ValueError, match="board 1 breaks the rules on runs or balance"):
            draw_words(shape, words, states, 5, 0, 0)
        assert words[1].tolist() == wrong


@pytest.mark.parametrize(
    ("boards", "states"), [((2, 6), 1), ((1, 6), 2), ((1, 5), 1), ((1, 7), 1), ((1, 0), 1)]
)
def test_kernels_reject_arrays_of_other_sizes(boards: tuple[int, int], states: int):
    with pytest.raises(ValueError, match="expected n x 6 words and n random states"):
        draw_words(
            shape_of(6, 6, CLASSIC),
            np.zeros(boards, np.uint64),
            np.zeros(states, np.uint64),
            5,
            9,
            9,
        )


@pytest.mark.parametrize(("height", "width", "row_ones", "column_ones"), [
    (0, 6, (3, 3), (0, 0)), (6, 65, (32, 33), (3, 3)), (6, 6, (-1, 3), (3, 3)),
    (6, 6, (3, 3), (3, 7)), (6, 6, (4, 3), (3, 3)),
])  # fmt: skip
def test_kernels_reject_other_shapes(
    height: int, width: int, row_ones: tuple[int, int], column_ones: tuple[int, int]
):
    with pytest.raises(ValueError, match=r"expected 1 to 64|ones in a line of"):
        Generator(height, width, row_ones, column_ones, True)


def test_only_boards_of_one_word_are_listed():
    words = memoryview(np.zeros(9, np.uint64))
    with pytest.raises(ValueError, match="72 cells; expected at most 64"):
        list_boards(generator_of(shape_of(8, 9, CLASSIC)), words, words, 9, True, True)


def test_errors_for_unsupported_sizes_and_rules():
    with pytest.raises(LimitError, match="1 to 64"):
        draw_boards(65, 10, [1])
    with pytest.raises(LimitError, match="balance and a longest run of 2"):
        draw_boards(6, 6, [1], Rules(longest_run=3))
    for height, width in ((2, 4), (4, 8), (8, 4), (4, 64), (1, 64), (3, 40), (8, 64)):
        with pytest.raises(LimitError, match="there is no"):
            draw_boards(height, width, [1])


def test_the_board_command_reports_that_no_board_was_found(monkeypatch):
    def draw(*_):
        raise GenerationError("no board was found")

    monkeypatch.setattr("binairo_cp.generation.runs.draw_boards", draw)
    status, out, err = call("board", "10")
    assert (status, out) == (3, "")
    assert "no board was found" in err


@pytest.mark.parametrize("verdict", [Verdict.NONE, Verdict.UNKNOWN])
def test_no_board_is_not_the_same_as_none_found(monkeypatch: pytest.MonkeyPatch, verdict: Verdict):
    found = solutions.solve(Puzzle(Board.empty(4, 4)))
    outcome = replace(found, verdict=verdict, solutions=())
    monkeypatch.setattr(solutions, "solve", lambda puzzle, **_: outcome)
    with pytest.raises(LimitError if verdict is Verdict.NONE else GenerationError):
        boards._any_board(6, 6, CLASSIC)


# What the techniques up to a level deduce.


def techniques_up_to(level: str) -> tuple[driver.BoardTechnique, ...]:
    number = LEVELS.index(level)
    return tuple(each for each in driver.TECHNIQUES if LEVELS.index(each.level) <= number)


@strategies.examples(0.7)
@given(strategies.unique_puzzles(sides=(2, 7)))
def test_closures_agree_with_the_techniques(puzzle: Puzzle):
    board, rules = puzzle.board, puzzle.rules
    clues = np.frombuffer(board.cells.encode(), np.uint8).reshape(1, -1)
    signs = np.zeros((1, 2, 0), np.uint64)
    if puzzle.signs:
        signs = sign_words([puzzle.signs], board.height, board.width)
    shape = Shape.of(board.height, board.width, rules)
    for number, level in enumerate(LEVELS[:-1]):
        techniques = techniques_up_to(level)
        known = board.cells
        for steps in driver.rounds(puzzle, techniques=techniques):
            for step in steps:
                for cell, value in step.values.items():
                    place = board.place(cell)
                    known = known[:place] + value + known[place + 1 :]
        exact = rules.longest_run == 2 and not (puzzle.signs and number >= 3)
        for place, value in enumerate(board.cells):
            if value == OPEN:
                found = closure.reaches(clues, shape, level, np.array([[place]]), signs)[0]
                assert not found or known[place] != OPEN, (level, place)
                assert found or known[place] == OPEN or not exact, (level, place)
        everything = closure.reaches(clues, shape, level, np.array([[-1]]), signs)[0]
        assert not everything or OPEN not in known


# Puzzles.


def needs_all(puzzle: Puzzle) -> bool:
    """Whether each clue and each sign is needed, according to a solver that shares no code."""
    fewer = [
        replace(puzzle, board=puzzle.board.with_cell(cell, OPEN))
        for cell, _ in puzzle.board.clues()
    ]
    fewer += [
        replace(puzzle, signs=tuple(s for s in puzzle.signs if s != each)) for each in puzzle.signs
    ]
    return all(check(each, backend="pysat").verdict == Verdict.MULTIPLE for each in fewer)


def solved_by(puzzle: Puzzle, level: str) -> bool:
    """Whether the techniques up to a level solve a puzzle, without compiled code."""
    techniques = techniques_up_to(level)
    filled = sum(
        len(step.values) for steps in driver.rounds(puzzle, techniques=techniques) for step in steps
    )
    return filled == puzzle.board.cells.count(OPEN)


SHAPES = [
    (6, 6, CLASSIC, 0), (8, 6, CLASSIC, 0), (7, 7, CLASSIC, 0), (5, 8, UNRULY, 0), (6, 6, TANGO, 6),
    (8, 8, CLASSIC, 5), (10, 10, CLASSIC, 0), (3, 3, ODD_ONES, 1),
]  # fmt: skip


@pytest.mark.parametrize(("height", "width", "rules", "signs"), SHAPES)
def test_irreducible_puzzles_are_unique_and_need_every_clue(
    height: int, width: int, rules: Rules, signs: int
):
    recipe = Recipe(height, width, rules, signs=signs, irreducible=True)
    for generated in generate_puzzles(recipe, "irreducible", range(4)):
        outcome = check(generated.puzzle, backend="pysat")
        assert (outcome.verdict, outcome.solution) == (Verdict.UNIQUE, generated.solution)
        assert needs_all(generated.puzzle)
        assert generated.puzzle.rules == rules
        assert len(generated.puzzle.signs) <= signs


@pytest.mark.parametrize("recipe", [
    Recipe(10, 10),
    Recipe(12, 9, UNRULY),
    pytest.param(Recipe(10, 10, pattern="rotate4", irreducible=True), marks=pytest.mark.slow),
    Recipe(8, 8, TANGO, signs=9, irreducible=True),
    pytest.param(Recipe(8, 8, clues=20, irreducible=True), marks=pytest.mark.slow),
])  # fmt: skip
def test_clause_learning_and_the_compiled_search_leave_the_same_puzzles(
    recipe: Recipe, monkeypatch: pytest.MonkeyPatch
):
    by_search = generate_puzzles(recipe, "both", range(3))
    asked: list[Puzzle] = []
    exist = other_solutions.OtherSolutions.exist

    def noted(self: other_solutions.OtherSolutions, puzzle: Puzzle, *others: Any) -> bool:
        asked.append(puzzle)
        return exist(self, puzzle, *others)

    monkeypatch.setattr(other_solutions.OtherSolutions, "exist", noted)
    for module in (attempts, single_attempts):
        monkeypatch.setattr(module, "NODES", 1)
    assert generate_puzzles(recipe, "both", range(3)) == by_search
    assert len(asked) > 20


def test_clause_learning_keeps_the_time_limit():
    with pytest.raises(BudgetExceeded, match="time"):
        other_solutions.OtherSolutions(
            Puzzle(Board.empty(8, 8)), "01" * 32, range(64), Meter(Budget(seconds=0))
        )


@pytest.mark.parametrize("nodes", [1, 1_000])
def test_all_attempts_of_clause_learning_leave_the_same_puzzles(
    nodes: int, monkeypatch: pytest.MonkeyPatch
):
    (by_search,) = generate_puzzles(Recipe(16, 16), "attempts", [0])
    monkeypatch.setattr(other_solutions, "_NODES", nodes)
    monkeypatch.setattr(other_solutions, "_DISTANCES", (1, 3))
    monkeypatch.setattr(other_solutions, "_AHEAD", 3)
    for module in (attempts, single_attempts):
        monkeypatch.setattr(module, "NODES", 1)
    assert generate_puzzles(Recipe(16, 16), "attempts", [0]) == [by_search]


def test_puzzles_may_be_asked_for_in_any_order():
    (generated,) = generate_puzzles(Recipe(8, 8), "any order", [0])
    solution = generated.solution
    full = Puzzle(solution)
    others = other_solutions.OtherSolutions(full, solution.cells, range(64), Meter(UNLIMITED))
    places = [k for k, value in enumerate(generated.puzzle.board.cells) if value != OPEN]
    for place in [*places, *reversed(places)]:
        cell = divmod(place, 8)
        fewer = replace(generated.puzzle, board=generated.puzzle.board.with_cell(cell, OPEN))
        assert others.exist(fewer, place)
        assert others.exist(fewer, None)
        assert not others.exist(generated.puzzle, None)
        assert not others.exist(Puzzle(solution.with_cell(cell, OPEN)), place)


@pytest.mark.parametrize(
    "recipe", [Recipe(14, 14), Recipe(9, 12, UNRULY), Recipe(10, 10, pattern="rotate4")]
)
def test_groups_of_large_boards_lose_the_same_clues_as_tests_one_by_one(
    recipe: Recipe, monkeypatch: pytest.MonkeyPatch
):
    one_by_one = generate_puzzles(recipe, "groups", range(3))
    complete, asked = other_solutions.Differences.complete, []

    def noted(self: other_solutions.Differences, fixed: Puzzle, *others: Any) -> None:
        asked.append(fixed)
        complete(self, fixed, *others)

    monkeypatch.setattr(other_solutions.Differences, "complete", noted)
    monkeypatch.setattr(other_solutions, "_NODES", 2)
    monkeypatch.setattr(single_attempts, "GROUPED_SIDE", 1)
    monkeypatch.setattr(single_attempts, "NODES", 2)
    monkeypatch.setattr(single_attempts, "_GROUP", 30)
    assert generate_puzzles(recipe, "groups", range(3)) == one_by_one
    assert asked
    monkeypatch.setattr(single_attempts, "_CONFLICTS_PER_CELL", 0)
    assert generate_puzzles(replace(recipe, tries=2), "groups", [0]) == [None]


@pytest.mark.parametrize(("height", "width", "rules", "signs", "level"), [
    *((8, 8, CLASSIC, 0, level) for level in LEVELS),
    *((10, 6, UNRULY, 0, level) for level in LEVELS[:-1]),
    *((6, 6, TANGO, 5, level) for level in LEVELS[:-1]),
])  # fmt: skip
def test_puzzles_have_the_requested_grade(
    height: int, width: int, rules: Rules, signs: int, level: str
):
    recipe = Recipe(height, width, rules, level=level, signs=signs)
    for generated in generate_puzzles(recipe, 0, range(2)):
        assert check(generated.puzzle, backend="pysat").solution == generated.solution
        assert len(generated.puzzle.signs) == signs
        assert generated.grade.level == grading.grade(generated.puzzle).level == level
        number = LEVELS.index(level)
        assert solved_by(generated.puzzle, level) or number == 5
        assert number == 0 or not solved_by(generated.puzzle, LEVELS[number - 1])


def test_graded_puzzles_need_harder_techniques_without_any_clue():
    for generated in generate_puzzles(Recipe(8, 8, level="medium"), 3, range(3)):
        for cell, _ in generated.puzzle.board.clues():
            fewer = replace(generated.puzzle, board=generated.puzzle.board.with_cell(cell, OPEN))
            assert check(fewer).verdict != Verdict.UNIQUE or not solved_by(fewer, "medium")


@pytest.mark.parametrize("options", [{"level": "easy"}, {"pattern": "rotate2"}])
def test_irreducible_puzzles_can_have_a_grade_or_a_symmetry(options: dict[str, str]):
    for generated in generate_puzzles(Recipe(6, 6, irreducible=True, **options), 0, range(3)):
        assert (generated.grade and generated.grade.level) == options.get("level")
        assert needs_all(generated.puzzle)


@pytest.mark.parametrize("clues", [20, 30, 64])
def test_puzzles_have_the_requested_number_of_clues(clues: int):
    for generated in generate_puzzles(Recipe(8, 8, clues=clues), 0, range(3)):
        assert generated.puzzle.board.clue_count == clues
        assert check(generated.puzzle, backend="pysat").verdict == Verdict.UNIQUE


@pytest.mark.parametrize(("rules", "signs"), [(CLASSIC, 0), (TANGO, 4)])
def test_puzzles_with_the_fewest_clues(rules: Rules, signs: int):
    recipe = Recipe(6, 6, rules, clues="fewest", signs=signs)
    for generated in generate_puzzles(recipe, 0, range(3)):
        full = replace(generated.puzzle, board=generated.solution)
        assert generated.puzzle.board.clue_count == fewest_clues(full).at_least
        assert len(generated.puzzle.signs) == signs
    with pytest.raises(LimitError, match="can't be symmetric"):
        Recipe(6, 6, clues="fewest", pattern="rotate2")


@pytest.mark.parametrize("level", [None, *LEVELS])
@pytest.mark.parametrize(
    "options", [{}, {"irreducible": True}, {"pattern": "rotate2"}, {"clues": 12}]
)
@pytest.mark.parametrize("rules", [CLASSIC, UNRULY])
def test_one_board_gives_the_same_puzzle_as_in_arrays(
    level: Any, options: dict[str, Any], rules: Rules
):
    recipe = Recipe(6, 6, rules, level=level, **options)
    seeds = [seed_of(level, len(options), k) for k in range(6)]
    meter = Meter(UNLIMITED)
    together = attempts.attempt(recipe, seeds, meter)
    assert [single_attempts.attempt(recipe, each, meter) for each in seeds] == together
    assert level or options.get("clues") or any(together)


@pytest.mark.parametrize(("options", "digest"), [
    ({"rules": "tango"}, "f0df5da4"),
    ({"rules": "plus", "grade": "hard", "symmetry": "rotate2"}, "b2a95f42"),
    ({"rules": "plus", "irreducible": True, "needs": "equal-pair"}, "42d6cd2c"),
    ({"clues": "fewest", "grade": "expert"}, "2ac7c22b"),
    ({"clues": 6}, "ceeeaca6"),
    ({"without": "count", "score": "60..200", "grade": "medium"}, "a81e052f"),
])  # fmt: skip
def test_puzzles_of_other_kinds_stay_the_same(options: dict[str, Any], digest: str):
    made = generate(6, seed=1, count=4, **options)
    text = "".join(f"{one.puzzle}{one.solution}{one.grade}" for one in made)
    assert hashlib.sha256(text.encode()).hexdigest()[:8] == digest


@pytest.mark.parametrize("pattern", get_args(Pattern))
def test_clues_have_the_requested_symmetry(pattern: str):
    for generated in generate_puzzles(Recipe(8, 8, pattern=pattern), 0, range(2)):
        assert check(generated.puzzle, backend="pysat").verdict == Verdict.UNIQUE
        given = [value != OPEN for value in generated.puzzle.board.cells]
        for orbit in orbits(8, 8, pattern):
            assert len({given[place] for place in orbit}) == 1


@pytest.mark.parametrize("pattern", get_args(Pattern))
@pytest.mark.parametrize("sides", [(4, 4), (5, 5), (4, 6), (1, 3)])
def test_orbits_are_the_orbits_of_a_symmetry_group(pattern: str, sides: tuple[int, int]):
    if sides[0] != sides[1] and pattern in ("rotate4", "diagonal", "diagonal4", "full"):
        with pytest.raises(LimitError, match="needs a square board"):
            orbits(*sides, pattern)
        return
    found = [set(orbit) for orbit in orbits(*sides, pattern)]
    assert sorted(place for orbit in found for place in orbit) == list(range(sides[0] * sides[1]))
    orders = [each.order for each in symmetries(*sides, complement=False)]
    kept = [
        order
        for order in orders
        if all({order[place] for place in orbit} == orbit for orbit in found)
    ]
    assert {
        frozenset(order[place] for order in kept) for place in range(sides[0] * sides[1])
    } == set(map(frozenset, found))


def test_impossible_recipes_are_rejected():
    for wrong in (
        {"height": 65},
        {"clues": 37},
        {"clues": -1},
        {"clues": 0},
        {"clues": 0, "signs": 20},
        {"clues": 4},
        {"clues": 5, "rules": UNRULY},
        {"clues": 4, "rules": Rules(odd="ones")},
        {"clues": 13, "pattern": "rotate2"},
        {"signs": 61},
        {"level": "impossible"},
        {"height": 4, "width": 4, "level": "medium"},
        {"tries": 0},
        {"width": 8, "pattern": "full"},
        {"rules": Rules(balanced=False)},
    ):
        with pytest.raises(LimitError):
            Recipe(**{"height": 6, "width": 6} | wrong)


def test_puzzles_that_are_not_found_are_none():
    rare = Recipe(6, 6, level="beginner", irreducible=True, tries=3)
    assert generate_puzzles(rare, 0, [0, 1]) == [None, None]
    assert "none of 20,000 random irreducible 6x6 puzzles" in rare.note
    assert generate_puzzles(Recipe(6, 6, clues=5, tries=2), 0, [0]) == [None]


def test_trying_several_boards_at_once_gives_the_same_puzzles(monkeypatch: pytest.MonkeyPatch):
    recipe = Recipe(8, 8, clues=11, tries=60)
    tried: list[int] = []
    together = generate_puzzles(recipe, 1, range(4), watch=tried.append)
    tries_at_once = "binairo_cp.generation.puzzles._tries_at_once"
    monkeypatch.setattr(tries_at_once, lambda recipe, tried, puzzles: 1)
    one_by_one: list[int] = []
    assert generate_puzzles(recipe, 1, range(4), watch=one_by_one.append) == together
    assert any(together)
    assert None in together
    assert one_by_one == list(range(1, 61))
    assert tried[:5] == [1, 2, 3, 4, 6]
    assert tried[-1] == 60
    assert len(tried) < 20


# The commands.


@pytest.mark.slow
def test_the_number_of_workers_does_not_change_the_puzzles():
    one = call("generate", "8", "-n", "900", "--seed", "a", "--to", "line", "-w", "1")
    two = call("generate", "8", "-n", "900", "--seed", "a", "--to", "line", "-w", "2")
    few = call("generate", "8x8", "-n", "3", "--seed", "a", "--to", "line")
    other = call("generate", "8", "-n", "3", "--seed", "b", "--to", "line")
    assert one[:2] == two[:2]
    assert len(one[1].splitlines()) == len(set(one[1].splitlines())) == 900
    assert few[1].splitlines() == one[1].splitlines()[:3] != other[1].splitlines()


def test_a_random_seed_is_printed():
    _, out, err = call("generate", "6", "--to", "line")
    seed = err.split("seed ")[1].split(" ")[0]
    assert call("generate", "6", "--to", "line", "--seed", seed)[1] == out


def test_distinct_boards_are_not_images_of_each_other():
    status, out, err = call("board", "4", "-n", "10", "--distinct", "--to", "line", "--seed", "1")
    boards = {canonical(Puzzle(Board(4, 4, line.split()[0]))) for line in out.splitlines()}
    assert (status, len(boards)) == (0, 10)
    status, out, err = call("board", "4", "-n", "11", "--distinct", "--to", "line", "--seed", "1")
    assert (status, len(out.splitlines())) == (3, 10)
    assert "found only 10 distinct" in err


def test_boards_by_number():
    status, out, _ = call("board", "6", "-k", "0", "-k", "4139", "--to", "line")
    assert status == 0
    first, last = (line.split() for line in out.splitlines())
    assert (first[1], last[1]) == ("6x6-0", "6x6-4139")
    assert call("board", "6", "--index", last[0])[1] == "4139\n"
    assert call("board", "4x6", "-k", "95", "-r", "unruly", "--to", "line")[0] == 0


def test_a_technique_that_is_needed_bounds_the_grade_of_puzzles_with_signs():
    recipe = Recipe(8, 8, TANGO, signs=10, demand=demand_of(needs="sign-chain"), tries=14)
    made = generate_puzzles(recipe, "s1", range(3))
    # Boards for the first and the last give only harder ones within these tries.
    assert [each and each.grade and each.grade.level for each in made] == [None, "hard", None]


@pytest.mark.parametrize(("options", "expected"), [
    (("--rules", "tango", "--to", "line"), "the line format can't hold signs"),
    (("--rules", "tango", "--to", "csv"), "can't hold signs"),
])  # fmt: skip
def test_a_format_that_can_not_hold_the_puzzles_is_refused_before_they_are_made(
    options: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(generating, "generated_puzzles", None)
    status, _, error = call("generate", "8", *options)
    assert status == 2
    assert expected in error


def test_few_clues_are_searched_where_chance_leaves_more():
    (made,) = generate_puzzles(Recipe(8, 8, clues=9), 1, [0])
    assert len(list(made.puzzle.board.clues())) == 9
    assert solutions.check(made.puzzle).verdict == "unique"


def test_a_search_that_takes_too_long_says_what_it_tried():
    command = ("generate", "14", "--clues", "fewest", "--time-limit", "0")
    status, _, error = call(*command)
    assert status == 3
    assert "found no 14x14 puzzle among 0 boards in 0 s for puzzle 1; a longer time limit" in error


def test_hardly_any_more_puzzles_are_not_looked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runs, "_TWINS_AT_LEAST", 30)
    monkeypatch.setattr(runs, "_TWINS_FOR_ONE", 1)
    status, _, error = call("generate", "4", "-n", "3000", "--distinct", "--seed", "1")
    assert status == 3
    assert re.search(r"found only \d+ distinct puzzles among .*, and none among the last", error)


LISTED = [each for each in PROVED if each[0] * each[1] <= 36]
COVERED = list(range(8, 21, 2))
BOARDS = 1024


@pytest.mark.parametrize(
    ("height", "width", "rules"),
    [
        pytest.param(*each, marks=[pytest.mark.slow] if each[0] * each[1] > 24 else [])
        for each in LISTED
    ],
)
def test_no_board_has_a_smaller_set_of_clues(height: int, width: int, rules: Rules) -> None:
    every = enumerate_solutions(Puzzle(Board.empty(height, width), rules))
    classes = {canonical(Puzzle(board, rules)) for board in every}
    found = [fewest_clues(puzzle, puzzle.board) for puzzle in classes]
    assert all(each.proved for each in found)
    assert min(each.at_least for each in found) == PROVED[height, width, rules]


def triples_in_fewer_than_two(side: int) -> Iterator[Puzzle]:
    """Yield the puzzles of three clues that fewer than two of many solved boards satisfy."""
    boards = draw_boards(side, side, range(BOARDS), CLASSIC)
    cells = np.frombuffer("".join(board.cells for board in boards).encode(), np.uint8) & 1
    ones = np.packbits(cells.reshape(BOARDS, -1), axis=0).T.copy().view(np.uint64)
    boards_with = np.stack([~ones, ones])  # [value, place]: a bit set of boards
    for one, two in combinations(range(side * side - 1), 2):
        for values in product(range(2), repeat=2):
            both = boards_with[values[0], one] & boards_with[values[1], two]
            number = np.bitwise_count(boards_with[:, two + 1 :] & both).sum(axis=2)
            for value, place in np.argwhere(number < 2).tolist():
                clues = list("." * side * side)
                clues[one], clues[two], clues[two + 1 + place] = map(str, (*values, value))
                yield Puzzle(Board(side, side, "".join(clues)))


@pytest.mark.parametrize(
    "side", [pytest.param(side, marks=[pytest.mark.slow] if side > 8 else []) for side in COVERED]
)
def test_three_clues_never_make_a_puzzle_unique(side: int) -> None:
    """No puzzle of three clues has exactly one solution, with or without distinct lines.

    Most of them are satisfied by two of the drawn boards, which have distinct lines. These boards
    are solutions without distinct lines, too, so only the others need a solver.
    """
    assert min(PROVED[side, side, CLASSIC], PROVED[side, side, UNRULY]) == 4
    for puzzle in triples_in_fewer_than_two(side):
        verdicts = {
            check(Puzzle(puzzle.board, r), reasons="none").verdict for r in (CLASSIC, UNRULY)
        }
        assert verdicts <= {"none", "multiple"}, puzzle


@pytest.mark.parametrize(("height", "width", "rules"), PROVED)
def test_fewer_clues_than_the_proved_bound_are_rejected(height: int, width: int, rules: Rules):
    least = PROVED[height, width, rules]
    message = f"expected {least} or more: it is proved that no {height}x{width} puzzle has fewer"
    with pytest.raises(LimitError, match=message):
        Recipe(height, width, rules, clues=least - 1)
    assert Recipe(height, width, rules, clues=least).clues == least


def test_bounds_are_not_above_records() -> None:
    for key, known in KNOWN.items():
        assert PROVED[key] <= known
