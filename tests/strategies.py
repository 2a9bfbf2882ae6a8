"""What hypothesis draws: rules, boards, puzzles. Erased boards find more than random clues do."""

from __future__ import annotations

from hypothesis import strategies as st

from binairo_cp import Board, Lines, Puzzle, Rules, Sign, backends
from binairo_cp.backends import Budget
from binairo_cp.errors import BudgetExceeded
from tests.oracles import Instance

ODD = st.sampled_from(["either", "ones", "zeros"])

rules = st.builds(
    Rules,
    balanced=st.sampled_from([True, True, True, False]),
    longest_run=st.sampled_from([2, 2, 2, 1, 3]),
    distinct_lines=st.booleans(),
    odd=ODD,
)

any_boards = st.builds(
    lambda height, width, draw: Board(height, width, draw(height * width)),
    st.integers(1, 9),
    st.integers(1, 9),
    st.functions(
        like=lambda size: "", returns=st.text("01.", min_size=81, max_size=81), pure=True
    ).map(lambda draw: lambda size: draw(size)[:size]),
)


def found_soon(puzzle: Puzzle, limit: int) -> list[Board]:
    """The first solutions, or those found by little work: some shapes take for ever to refute."""
    found = []
    try:
        for board in backends.get("bitboard").solutions(
            puzzle, limit=limit, budget=Budget(work=2_000)
        ):
            found.append(board)
    except BudgetExceeded:
        pass
    return found


@st.composite
def full_boards(draw: st.DrawFn, rules: Rules, sides: st.SearchStrategy[int]) -> Board:
    """A full board whose rows are legal; often a solution, else one that looks like it."""
    height, width = draw(sides), draw(sides)
    lines = Lines("." * width, rules)
    first = lines[draw(st.integers(0, lines.count - 1))] if lines else "01" * width
    board = Board(height, width, first[:width] + "." * (width * (height - 1)))
    solutions = found_soon(Puzzle(board, rules), draw(st.integers(1, 20)))
    if solutions and draw(st.integers(0, 3)):
        return solutions[-1]
    rows = [lines[draw(st.integers(0, lines.count - 1))] if lines else first for _ in range(height)]
    return Board.from_rows(row[:width] for row in rows)


def _signs(board: Board) -> list[Sign]:
    """The sign that holds on a full board, for each pair of neighbours."""
    pairs = [
        Sign(row, column, direction, "=")
        for row in range(board.height)
        for column in range(board.width)
        for direction in ("R", "D")
        if (column + 1 < board.width if direction == "R" else row + 1 < board.height)
    ]
    return [
        sign if board[sign.cells[0]] == board[sign.cells[1]] else sign._replace(relation="x")
        for sign in pairs
    ]


@st.composite
def puzzles(
    draw: st.DrawFn,
    rules: st.SearchStrategy[Rules] = rules,
    sides: st.SearchStrategy[int] = st.integers(1, 6),
) -> Puzzle:
    """A full board with some cells erased, one perhaps changed, and some signs."""
    chosen = draw(rules)
    full = draw(full_boards(chosen, sides))
    size = full.height * full.width
    kept = draw(st.sets(st.integers(0, size - 1), max_size=size))
    cells = [value if place in kept else "." for place, value in enumerate(full.cells)]
    if draw(st.integers(0, 4)) == 0:
        cells[draw(st.integers(0, size - 1))] = draw(st.sampled_from("01"))
    signs: list[Sign] = []
    if draw(st.booleans()) and (possible := _signs(full)):
        signs = draw(st.lists(st.sampled_from(possible), max_size=6, unique=True))
        if signs and draw(st.integers(0, 3)) == 0:
            other = "x" if signs[0].relation == "=" else "="
            signs[0] = signs[0]._replace(relation=other)
    return Puzzle(Board(full.height, full.width, "".join(cells)), chosen, tuple(signs))


def instance_of(puzzle: Puzzle) -> Instance:
    """The puzzle as the oracles know it."""
    board, rules = puzzle.board, puzzle.rules
    return Instance(
        board.height,
        board.width,
        board.cells,
        puzzle.signs,
        rules.distinct_lines,
        rules.balanced,
        rules.odd,
        rules.longest_run,
    )
