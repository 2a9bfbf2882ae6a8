import random
from itertools import islice

import pytest
from pysat.solvers import Solver

from binairo_cp import Board, check, enumerate_solutions, solve
from binairo_cp.errors import BackendSizeError, BudgetExceeded
from binairo_cp.puzzle.lines import legal_lines
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Puzzle, Rules, Sign, is_solution
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.backends.pairs import Pairs, is_nearly_empty
from binairo_cp.solving.backends.pysat import PySat
from binairo_cp.solving.constraints import Balanced, NotAllSame
from binairo_cp.solving.encodings.cnf import BALANCE, PRESERVING, Encoder, encode
from binairo_cp.solving.encodings.cpsat_model import MAX_DIFFERENCES, Model
from binairo_cp.solving.encodings.prefix_sums import PrefixSums


def models(clauses: list[list[int]], cells: int, most: int = 10_000) -> list[tuple[int, ...]]:
    """The cells of every model over all variables, up to a limit."""
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        return [tuple(model[:cells]) for model in islice(solver.enum_models(), most)]


def projected_models(clauses: list[list[int]], cells: int) -> list[tuple[int, ...]]:
    found = []
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        while solver.solve():
            found.append(tuple(solver.get_model()[:cells]))
            solver.add_clause([-literal for literal in found[-1]])
    return found


def board_of(puzzle: Puzzle, literals: tuple[int, ...]) -> Board:
    cells = "".join("1" if literal > 0 else "0" for literal in literals)
    return Board(puzzle.board.height, puzzle.board.width, cells)


PUZZLES = [
    Puzzle(Board.empty(2, 2)),
    Puzzle(Board.empty(4, 4)),
    Puzzle(Board.empty(4, 4), UNRULY),
    Puzzle(Board.empty(3, 3)),
    Puzzle(Board.empty(3, 4), Rules(odd="ones")),
    Puzzle(Board.empty(5, 2), Rules(odd="zeros", distinct_lines=False)),
    Puzzle(Board.empty(4, 6)),
    Puzzle(Board.empty(1, 1)),
    Puzzle(Board.empty(1, 6), UNRULY),
    Puzzle(Board.empty(3, 4), Rules(balanced=False, longest_run=3)),
    Puzzle(
        Board.parse("0... ...1 .... ...."), UNRULY, (Sign(0, 0, "R", "x"), Sign(1, 1, "D", "="))
    ),
]


@pytest.mark.parametrize("balance", PRESERVING)
@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_a_cnf_has_as_many_models_as_the_puzzle_has_solutions(puzzle: Puzzle, balance: str) -> None:
    top, clauses = encode(puzzle, balance)
    cells = puzzle.board.height * puzzle.board.width
    found = models(clauses, cells)
    expected = set(enumerate_solutions(puzzle, backend="backtracking"))
    assert len(found) == len(expected)
    assert {board_of(puzzle, each) for each in found} == expected
    assert max(abs(literal) for clause in clauses for literal in clause) <= top


@pytest.mark.parametrize("balance", [name for name in BALANCE if name not in PRESERVING])
@pytest.mark.parametrize("puzzle", PUZZLES[:5], ids=str)
def test_the_other_encodings_have_the_right_boards(puzzle: Puzzle, balance: str) -> None:
    _, clauses = encode(puzzle, balance)
    found = projected_models(clauses, puzzle.board.height * puzzle.board.width)
    expected = set(enumerate_solutions(puzzle, backend="backtracking"))
    assert {board_of(puzzle, each) for each in found} == expected


def test_the_other_encodings_do_not_preserve_counts() -> None:
    for name in set(BALANCE) - set(PRESERVING):
        _, clauses = encode(Puzzle(Board.empty(4, 4)), name)
        assert len(models(clauses, 16, most=73)) > 72, name


@pytest.mark.parametrize("balance", PRESERVING)
@pytest.mark.parametrize("length", [7, 20, 31, 64, 101])
def test_auxiliary_variables_of_balance_are_functions_of_the_cells(length: int, balance: str):
    """For balanced cells, exactly one assignment of the auxiliary variables exists; else none."""
    rng = random.Random(length)
    surplus = (-1, 1) if length % 2 else (0,)
    encoder = Encoder(length, balance)
    clauses = list(encoder.clauses(Balanced(tuple(range(length)), surplus)))
    top = encoder.top
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        for _ in range(20):
            ones = length // 2 + rng.choice([-1, 0, 0, 0, 1, 1])
            cells = [k + 1 for k in range(length)]
            rng.shuffle(cells)
            assumed = [v if k < ones else -v for k, v in enumerate(cells)]
            assert solver.solve(assumed) == (2 * ones - length in surplus)
            if model := solver.get_model():
                helpers = [-literal for literal in model[length:top]]
                selector = encoder.new_variable()
                solver.add_clause([-selector, *helpers])
                assert not solver.solve([*assumed, selector])


@pytest.mark.parametrize("surplus", [(0,), (1,), (-1,), (-1, 1)])
@pytest.mark.parametrize("length", range(1, 13))
@pytest.mark.parametrize("run", [2, 3, 20])
def test_prefix_sums_allow_exactly_the_legal_lines(length: int, surplus: tuple[int, ...], run: int):
    if length % 2 != surplus[0] % 2:
        return
    encoder = PrefixSums(length, run)
    places = tuple(range(length))
    clauses = list(encoder.clauses(Balanced(places, surplus)))
    for start in range(length - run):
        clauses += encoder.clauses(NotAllSame(places[start : start + run + 1]))
    rules = Rules(longest_run=run, odd={(1,): "ones", (-1,): "zeros"}.get(surplus, "either"))
    # In a model of all variables, each auxiliary variable is a function of the cells.
    found = models([*clauses, *([k, -k] for k in range(1, encoder.top + 1))], length)
    texts = ["".join("1" if each > 0 else "0" for each in line) for line in found]
    assert sorted(texts) == sorted(legal_lines(length, rules))


def test_unit_propagation_of_prefix_sums_knows_how_runs_are_balanced() -> None:
    # The seven open cells hold at least two zeros. With those given there are six, so the rest is 1.
    encoder = PrefixSums(12, 2)
    clauses = encoder.clauses(Balanced(tuple(range(12)), (0,)))
    zeros = [-8, -9, -11, -12]
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        assert 10 in solver.propagate(zeros)[1]


def test_cells_come_first() -> None:
    _, clauses = encode(Puzzle(Board.parse("..1. .... .... 0...")))
    assert [3] in clauses
    assert [-13] in clauses


def test_an_unsupported_constraint_raises_an_error() -> None:
    with pytest.raises(TypeError, match="no clauses for str"):
        Encoder(4).clauses("balanced")


@pytest.mark.parametrize(
    ("height", "width", "codes"), [(20, 20, 2), (21, 20, 1), (20, 62, 1), (21, 21, 0), (30, 40, 0)]
)
def test_cpsat_uses_codes_only_for_short_lines(height: int, width: int, codes: int) -> None:
    """With clues on longer lines, CP-SAT takes minutes and gigabytes, despite any limit."""
    puzzle = Puzzle(Board(height, width, "." * (height * width)))
    model = Model(puzzle, "codes").model.proto
    assert sum(each.has_all_diff() for each in model.constraints) == codes


def test_cpsat_refuses_models_that_are_too_large() -> None:
    with pytest.raises(BackendSizeError, match="a board of 255x255, but at most 2,000,000 "):
        Model(Puzzle(Board.empty(255, 255), CLASSIC))
    assert MAX_DIFFERENCES == 2_000_000


def boards_found(puzzle: Puzzle, limit: int | None, budget: Budget) -> tuple[list[Board], bool]:
    """The boards found, and whether the search ended normally."""
    boards = []
    try:
        for board in Pairs().solutions(puzzle, limit=limit, budget=budget):
            boards.append(board)
    except BudgetExceeded:
        return boards, False
    return boards, True


@pytest.mark.parametrize(("height", "width"), [(42, 42), (66, 70), (100, 100), (42, 7)])
@pytest.mark.parametrize("rules", [Rules(), UNRULY])
def test_all_boards_are_solutions(height: int, width: int, rules: Rules) -> None:
    puzzle = Puzzle(Board.empty(height, width), rules)
    assert is_nearly_empty(puzzle)
    boards, enough = boards_found(puzzle, 3, Budget())
    # There are fewer than 42 legal lines of 7 cells.
    assert enough == (width != 7 or not rules.distinct_lines)
    assert len(set(boards)) == len(boards) == (3 if enough else 0)
    assert all(is_solution(puzzle, board) for board in boards)


def test_boards_agree_with_the_clues() -> None:
    empty = Board.empty(66, 66)
    kept = Puzzle(empty.with_cell((0, 0), "1").with_cell((65, 65), "0"))
    (board,), _ = boards_found(kept, 1, Budget())
    assert is_solution(kept, board)
    unkept = Puzzle(empty.with_cell((0, 0), "1").with_cell((1, 0), "1"))
    assert boards_found(unkept, 1, Budget()) == ([], False)
    assert boards_found(Puzzle(empty, Rules(longest_run=1)), 1, Budget()) == ([], False)
    assert not is_nearly_empty(Puzzle(Board.empty(67, 66)))
    assert not is_nearly_empty(Puzzle(Board(50, 50, "0" * 40 + "." * 2460)))


def test_it_never_claims_completeness() -> None:
    boards, enough = boards_found(Puzzle(Board.empty(2, 2), UNRULY), None, Budget())
    assert len(boards) == 2
    assert not enough
    assert boards_found(Puzzle(Board.empty(66, 66)), 1, Budget(work=0)) == ([], False)


def test_a_large_empty_board_is_solved_and_has_more_than_one_solution() -> None:
    puzzle = Puzzle(Board.empty(100, 100))
    outcome = solve(puzzle, time_limit=60)
    assert (outcome.verdict, outcome.backend) == ("solved", "pairs")
    assert check(puzzle, time_limit=60).verdict == "multiple"


def test_clause_learning_starts_from_such_a_solution() -> None:
    """Without this hint, it finds none within tens of thousands of conflicts."""
    puzzle = Puzzle(Board.empty(44, 44).with_cell((1, 2), "1"))
    [board] = PySat().solutions(puzzle, limit=1, budget=Budget(work=300))
    assert is_solution(puzzle, board)
