"""The formula of a certificate states the rules and nothing more: checked for all small boards.

A formula is a conjunction of blocks that share cells but no other variables. So a board extends to
a model exactly if it extends to a model of each block. Which of its cells do is tried out, for all
values of all variables of the block.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from binairo_cp import CLASSIC, PLUS, UNRULY, Board, Puzzle, Rules, Sign, enumerate_solutions
from binairo_cp.certificates.formula import FormulaBuilder
from binairo_cp.certificates.record import Pair
from binairo_cp.puzzle.rules import violations

Clause = tuple[int, ...]
Block = tuple[Clause, ...]
Numbers = npt.NDArray[np.uint32]


def clauses_of(puzzle: Puzzle, blocked: Board | None = None) -> list[list[int]]:
    """The clauses of a certificate that lists all pairs of lines."""
    height, width = puzzle.board.height, puzzle.board.width
    pairs: list[Pair] = []
    if puzzle.rules.distinct_lines:
        pairs += [("row", one, two) for one, two in combinations(range(height), 2)]
        pairs += [("column", one, two) for one, two in combinations(range(width), 2)]
    return FormulaBuilder(puzzle, blocked, pairs).formula.clauses


def blocks(clauses: list[list[int]], cells: int) -> Iterator[Block]:
    """The clauses, grouped by the variables that they share besides the cells."""
    groups: dict[int, list[Clause]] = {}
    for clause in clauses:
        joined = [tuple(clause)]
        for helper in {abs(each) for each in clause if abs(each) > cells}:
            joined += [each for each in groups.get(helper, ()) if each not in joined]
        helpers = {abs(each) for part in joined for each in part if abs(each) > cells}
        if not helpers:
            yield tuple(joined)
        for helper in helpers:
            groups[helper] = joined
    yield from {id(group): tuple(group) for group in groups.values()}.values()


def renamed(block: Block, cells: int) -> tuple[Block, list[int], int]:
    """A block with the variables 1 to n, its cells first; the cells, and how many variables."""
    used = sorted({abs(each) for clause in block for each in clause})
    names = {variable: place + 1 for place, variable in enumerate(used)}
    same = tuple(
        tuple(names[abs(each)] * (1 if each > 0 else -1) for each in clause) for clause in block
    )
    return same, [variable - 1 for variable in used if variable <= cells], len(used)


@cache
def extends(block: Block, cells: int, variables: int) -> npt.NDArray[np.bool_]:
    """For all values of the cells, bit by bit: does any value of the others satisfy the clauses?"""
    everything = np.arange(1 << variables, dtype=np.uint32)
    holds = np.ones(1 << variables, bool)
    for clause in block:
        mask = sum(1 << (abs(each) - 1) for each in clause)
        falsified = sum(1 << (-each - 1) for each in clause if each < 0)
        holds &= (everything & mask) != falsified
    result: npt.NDArray[np.bool_] = holds.reshape(-1, 1 << cells).any(axis=0)
    return result


def extendable(puzzle: Puzzle, blocked: Board | None = None) -> list[str]:
    cells = len(puzzle.board.cells)
    boards: Numbers = np.arange(1 << cells, dtype=np.uint32)
    tables = [renamed(block, cells) for block in blocks(clauses_of(puzzle, blocked), cells)]
    for same, places, variables in sorted(tables, key=lambda table: len(table[1])):
        index = np.zeros(len(boards), np.uint32)
        for bit, place in enumerate(places):
            index |= ((boards >> np.uint32(place)) & np.uint32(1)) << np.uint32(bit)
        boards = boards[extends(same, len(places), variables)[index]]
    return sorted(f"{board:0{cells}b}"[::-1] for board in boards.tolist())


def solutions(puzzle: Puzzle) -> list[str]:
    found = enumerate_solutions(puzzle, backend="backtracking", limit=1_000_000)
    return sorted(board.cells for board in found)


def test_blocks_share_no_variables_but_cells() -> None:
    puzzle = Puzzle(Board.empty(4, 4))
    clauses = clauses_of(puzzle)
    parts = list(blocks(clauses, 16))
    assert sorted(map(tuple, clauses)) == sorted(clause for part in parts for clause in part)
    helpers: dict[int, set[int]] = defaultdict(set)
    for number, part in enumerate(parts):
        for variable in {abs(each) for clause in part for each in clause} - set(range(1, 17)):
            helpers[variable].add(number)
    assert {len(numbers) for numbers in helpers.values()} == {1}


@pytest.mark.slow
@pytest.mark.parametrize("rules", [CLASSIC, UNRULY, Rules(balanced=False, longest_run=1)])
def test_every_4x4_board_extends_exactly_if_it_is_a_solution(rules: Rules) -> None:
    puzzle = Puzzle(Board.empty(4, 4), rules)
    boards = (Board(4, 4, f"{number:016b}") for number in range(1 << 16))
    assert extendable(puzzle) == [each.cells for each in boards if not violations(puzzle, each)]


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("rules", [CLASSIC, UNRULY])
@pytest.mark.parametrize(("height", "width"), [(4, 6), (6, 4)])
def test_every_4x6_board_extends_exactly_if_it_is_a_solution(height: int, width: int, rules: Rules):
    puzzle = Puzzle(Board.empty(height, width), rules)
    found = extendable(puzzle)
    assert found == solutions(puzzle)
    assert not any(violations(puzzle, Board(height, width, cells)) for cells in found)


RULES = [
    CLASSIC,
    UNRULY,
    Rules(odd="ones"),
    Rules(odd="zeros", distinct_lines=False),
    Rules(longest_run=3),
    Rules(balanced=False, longest_run=8),
]


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("length", range(1, 9))
def test_every_pair_of_lines_extends_exactly_if_it_is_a_solution(length: int, rules: Rules) -> None:
    """Pairs of rows and pairs of columns. Lines of length 2 between them must not interfere."""
    for height, width in ((1, length), (2, length), (length, 2)):
        puzzle = Puzzle(Board.empty(height, width), rules)
        assert extendable(puzzle) == solutions(puzzle)


def test_clues_signs_and_the_blocked_board_are_stated() -> None:
    signs = (Sign(0, 0, "R", "x"), Sign(1, 1, "D", "="), Sign(2, 2, "R", "="))
    for rules in (CLASSIC, PLUS):
        puzzle = Puzzle(Board.parse("0... .... ..1. ...."), rules, signs)
        expected = solutions(puzzle)
        assert extendable(puzzle) == expected
        blocked = Board(4, 4, expected[0])
        assert extendable(puzzle, blocked) == expected[1:]
