"""The techniques for lines, on machine words: for one line, and for lines that must differ."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.deduction.lines import BoardLines, has_long_run
from binairo_cp.kernels.deduction.results import COUNT, LAST_ONE, PAIR, SANDWICH, TWO_OPEN
from binairo_cp.kernels.line import Direction, completing, consistent_in
from binairo_cp.kernels.words import Index, Word, lowest, size


@cython.inline_nogil_noexcept
def opposite(
    technique: Index, mine: Word, other: Word, open_cells: Word, most: Index, longest: Index
) -> Word:
    """The cells that must have the symbol opposite to that of `mine`.

    The result may contain cells that are not open.
    """
    if technique == PAIR:
        if longest == 2:
            runs: Word = mine & (mine >> 1)
            return (runs << 2) | (runs >> 1)
        return _beside_runs(mine, longest)
    if technique == SANDWICH:
        return completing(mine, longest)
    # Without balance, no line lacks as few of a symbol as the other techniques need.
    missing: Index = most - size(mine)
    if technique == COUNT:
        return 0 if missing else open_cells
    if technique == LAST_ONE:
        return last_one(open_cells, other, longest) if missing == 1 else 0
    return _one_of_each(mine, other, open_cells, longest, missing)


@cython.nogil_noexcept
def _beside_runs(mine: Word, longest: Index) -> Word:
    """The cells beside the longest runs allowed."""
    if longest >= 64:
        return 0
    runs: Word = mine
    for shift in range(1, longest):
        runs &= mine >> shift
    return (runs << longest) | (runs >> 1)


@cython.nogil_noexcept
def last_one(open_cells: Word, other: Word, longest: Index) -> Word:
    """The open cells where the last one of a symbol would turn the rest into too long a run."""
    impossible: Word = 0
    rest: Word = open_cells
    while rest:
        place = lowest(rest)
        if has_long_run(other | (open_cells & ~place), longest):
            impossible |= place
        rest ^= place
    return impossible


@cython.nogil_noexcept
def _one_of_each(mine: Word, other: Word, open_cells: Word, longest: Index, missing: Index) -> Word:
    if longest != 2:
        return 0
    pairs: Word = open_cells & (open_cells >> 1)
    pairs &= ((mine << 1) & (other >> 2)) | ((other << 1) & (mine >> 2))
    if not pairs or size(pairs) != missing:
        return 0
    return open_cells & ~(pairs | (pairs << 1))


@cython.nogil_noexcept
def distinct_from_full(
    board: BoardLines, technique: Index, k: Index, direction: Direction
) -> tuple[Word, Word]:
    """The ones and zeros that line k must have to differ from the full lines.

    The technique is `TWO_OPEN` or `DISTINCT_LINES`.
    """
    nothing: Word = 0
    if technique == TWO_OPEN and size(direction.cells & ~(board.ones[k] | board.zeros[k])) != 2:
        return nothing, nothing
    for full in range(direction.begin, direction.begin + direction.count):
        if _is_full_completion(board, full, k, direction):
            if technique == TWO_OPEN:
                return _of_two_completions(board, k, direction)
            return _of_each_value(board, k, direction)
    return nothing, nothing


@cython.nogil_noexcept
def _of_two_completions(board: BoardLines, k: Index, direction: Direction) -> tuple[Word, Word]:
    """The values if only two completions are left, which differ in both cells, and one is taken."""
    mine_ones, mine_zeros = board.ones[k], board.zeros[k]
    open_cells = direction.cells & ~(mine_ones | mine_zeros)
    more_ones: Word = 0
    more_zeros: Word = 0
    if _completions(board, mine_ones, mine_zeros, direction, 3) != 2:
        return more_ones, more_zeros
    for full in range(direction.begin, direction.begin + direction.count):
        if _is_full_completion(board, full, k, direction):
            ones, zeros = board.ones[full], board.zeros[full]
            flipped_ones = mine_ones | (zeros & open_cells)
            flipped_zeros = mine_zeros | (ones & open_cells)
            if _completions(board, flipped_ones, flipped_zeros, direction, 1) and _completions(
                board, ones, zeros, direction, 1
            ):
                more_ones |= zeros & open_cells
                more_zeros |= ones & open_cells
    return more_ones, more_zeros


@cython.nogil_noexcept
def _of_each_value(board: BoardLines, k: Index, direction: Direction) -> tuple[Word, Word]:
    """The opposites of the values with which all completions are taken."""
    ones, zeros = board.ones[k], board.zeros[k]
    rest = direction.cells & ~(ones | zeros)
    more_ones: Word = 0
    more_zeros: Word = 0
    while rest:
        place = lowest(rest)
        rest ^= place
        for symbol in range(2):
            taken = _taken(board, place, symbol, k, direction)
            if not taken:
                continue
            if symbol:
                count = _completions(board, ones | place, zeros, direction, taken + 1)
            else:
                count = _completions(board, ones, zeros | place, direction, taken + 1)
            if 0 < count <= taken:
                if symbol:
                    more_zeros |= place
                else:
                    more_ones |= place
    return more_ones, more_zeros


@cython.nogil_noexcept
def _taken(board: BoardLines, place: Word, symbol: Index, k: Index, direction: Direction) -> Index:
    """The number of different full lines that complete line k and have a symbol in a cell."""
    count: Index = 0
    for full in range(direction.begin, direction.begin + direction.count):
        ones, zeros = board.ones[full], board.zeros[full]
        has = ones & place if symbol else zeros & place
        if has and _is_full_completion(board, full, k, direction):
            count += 1
            for earlier in range(direction.begin, full):
                if board.ones[earlier] == ones and board.zeros[earlier] == zeros:
                    count -= 1
                    break
    return count


@cython.inline_nogil_noexcept
def _is_full_completion(
    board: BoardLines, full: Index, k: Index, direction: Direction
) -> cython.bint:
    """Whether another line is full and completes line k."""
    ones, zeros = board.ones[full], board.zeros[full]
    return (
        full != k
        and ones | zeros == direction.cells
        and not (board.ones[k] & ~ones)
        and not (board.zeros[k] & ~zeros)
    )


@cython.nogil_noexcept
def _completions(
    board: BoardLines, ones: Word, zeros: Word, direction: Direction, limit: Index
) -> Index:
    """Count the legal completions of a line, up to a limit."""
    board.stack[0], board.stack[1] = ones, zeros
    top: Index = 2
    count: Index = 0
    while top and count < limit:
        top -= 2
        ones, zeros = board.stack[top], board.stack[top + 1]
        ones, zeros = consistent_in(ones, zeros, direction, board.longest_run)
        if ones & zeros:
            continue
        if ones | zeros == direction.cells:
            count += 1
            continue
        place = lowest(direction.cells & ~(ones | zeros))
        board.stack[top], board.stack[top + 1] = ones | place, zeros
        board.stack[top + 2], board.stack[top + 3] = ones, zeros | place
        top += 4
    return count
