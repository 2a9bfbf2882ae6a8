"""Draw random boards: fill row by row, then take steps of Gibbs sampling."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.generation.generator import Generator, are_legal, find_columns
from binairo_cp.kernels.generation.gibbs import take_steps
from binairo_cp.kernels.generation.rows import fill_rows
from binairo_cp.kernels.words import Index, Word


def draw(
    generator: Generator,
    boards: Word[:, ::1],
    states: Word[::1],
    steps: Index,
    budget: Index,
    tries: Index,
) -> int:
    """Fill a board row by row for each random state, and take Gibbs steps from it.

    Without tries, start from the boards as they are. Stops at the first board that is not found.

    Args:
        generator: the shape and the memory.
        boards: n x height words: the rows of the boards.
        states: the n states of the random numbers; those after the boards replace them.
        steps: the number of Gibbs steps.
        budget: the maximum number of rows to try in each search.
        tries: the maximum number of searches for a board.

    Returns:
        The number of boards before that one.

    Raises:
        ValueError: an array has another size, or a board breaks the rules on runs and balance.
    """
    count: Index = len(boards)
    height, width = generator.rows.count, generator.columns.count
    if count != len(states) or boards.shape[1] != height:
        raise ValueError(
            f"{boards.shape[0]} x {boards.shape[1]} words and {len(states)} random states; "
            f"expected n x {height} words and n random states"
        )
    k: Index = 0
    legal: cython.bint = True
    with cython.nogil:
        while k < count:
            generator.random.state = states[k]
            found: cython.bint = True
            if tries:
                found = fill_rows(generator, budget, tries)
            else:
                for row in range(height):
                    generator.rows.words[row] = boards[k, row]
            if found:
                # The tables of the steps are large enough for legal boards only.
                find_columns(generator.rows, generator.columns)
                legal = are_legal(generator.rows, width) and are_legal(generator.columns, height)
                if legal:
                    take_steps(generator, steps)
                    for row in range(height):
                        boards[k, row] = generator.rows.words[row]
            states[k] = generator.random.state
            if not (found and legal):
                break
            k += 1
    if not legal:
        raise ValueError(f"board {k} breaks the rules on runs or balance")
    return k
