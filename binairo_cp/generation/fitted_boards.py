"""Solved boards that an order restricts: with given cells, or whose clues in a mask are enough.

A random board is moved to the nearest one that has the given cells: a solver that learns clauses
tries the values of the random board first. Few boards have clues in a narrow mask that leave only
one solution. So a board is changed step by step: the solver flips a random cell of the mask, and
the step is kept if its clues leave no more solutions than before.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from binairo_cp.errors import LimitError
from binairo_cp.generation.boards import words
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Restarting
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings.cnf import literal, literals
from binairo_cp.solving.many import decide

_SOLVER = "minisat22"
_COUNTED = 500
"""Solutions are counted up to this number."""

_NODES = 200_000
_STEPS, _HOPELESS = 250, 60
"""The most steps for one board; the most while more solutions are left than are counted."""

Cells = npt.NDArray[np.uint8]


def fitted(
    board: Board,
    given: str,
    mask: npt.NDArray[np.bool_] | None,
    rules: Rules,
    seed: int,
    meter: Meter,
) -> Board:
    """A board with given cells whose clues in a mask leave few solutions; best is one.

    Args:
        board: A random solved board.
        given: Cells ``0``, ``1`` and ``.``, row by row.
        mask: Where clues may stand; None for everywhere.
        rules: The rules.
        seed: Which cells are flipped.
        meter: The time limit.

    Returns:
        The board.

    Raises:
        LimitError: No solved board has the given cells.
        BudgetExceeded: The time ran out.
    """
    engine = Restarting(_SOLVER)
    session = Session(
        Puzzle(Board(board.height, board.width, OPEN * len(given)), rules), engine, meter
    )
    fixed = [literal(place, int(value)) for place, value in enumerate(given) if value != OPEN]

    def near(wanted: list[int], changed: list[int]) -> list[int] | None:
        engine.prefer(wanted)
        return session.find([*fixed, *changed], meter)

    cells = near(literals(board.cells), [])
    if cells is None:
        raise LimitError("no solved board has the given cells of the solution")
    if mask is not None:
        places = np.flatnonzero(mask & (np.frombuffer(given.encode(), np.uint8) == ord(OPEN)))
        best = _count(cells, mask, board, rules)
        for step, word in enumerate(words(seed, _STEPS if len(places) else 0)):
            if best == 1 or (step == _HOPELESS and best == _COUNTED):
                break
            meter.check_clock()
            flipped = -cells[places[int(word) % len(places)]]
            others = near(cells, [flipped])
            if others and (count := _count(others, mask, board, rules)) <= best:
                best, cells = count, others
    return Board(board.height, board.width, "".join("01"[cell > 0] for cell in cells))


def _count(cells: list[int], mask: npt.NDArray[np.bool_], board: Board, rules: Rules) -> int:
    """The number of solutions that the clues in a mask leave, up to `_COUNTED`."""
    values = np.where(mask, np.where(np.array(cells) > 0, ord("1"), ord("0")), ord(OPEN))
    clues = values.astype(np.uint8).reshape(1, board.height, board.width)
    decided = decide(clues, rules, _COUNTED, nodes=_NODES)
    return int(decided.found[0]) if decided.is_complete[0] else _COUNTED
