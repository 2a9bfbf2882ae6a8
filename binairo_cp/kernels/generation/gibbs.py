"""Gibbs sampling: a random walk on the solved boards that converges to the uniform distribution.

A step chooses two rows, or two columns, and draws new contents for both that keep the sums of the
crossing lines and every rule: where the two lines differ, their two symbols stay or are exchanged.
All possible contents are equally likely; a table that counts them from the end of the lines to the
start allows one to be drawn directly. Where the sums of the crossing lines may vary, as they may
for lines of odd length, half of the steps redraw a single line instead.

Drawing uniformly among all boards that agree outside the chosen cells leaves the uniform
distribution unchanged. So the walk converges to it from any start if it can reach every board. The
tests check this for small sizes: it holds for all of them except 4x6 with distinct lines. For
larger sizes docs/generation.md compares drawn boards with known counts.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.completions import ENDS, count_lines, end_after, line_of_number
from binairo_cp.kernels.generation.generator import Generator, Lines, are_legal, find_columns
from binairo_cp.kernels.generation.rows import fill_rows
from binairo_cp.kernels.randomness import below, unit
from binairo_cp.kernels.words import Index, Word, cell, first, line_of, size


@cython.nogil_noexcept
def _triples(lines: Lines, number: Index, all_cells: Word) -> Word:
    """The cells of a line that are in a triple across it, with the neighbouring lines."""
    triples: Word = 0
    lowest_begin: Index = max(0, number - 2)
    for begin in range(lowest_begin, min(number, lines.count - 3) + 1):
        one, two, three = lines.words[begin], lines.words[begin + 1], lines.words[begin + 2]
        triples |= (one & two & three) | (all_cells & ~(one | two | three))
    return triples


@cython.nogil_noexcept
def _allowed(
    lines: Lines, i: Index, j: Index, all_cells: Word, differ: Word, swapped: Word
) -> Word:
    """The cells of `differ` where line i can be as in `swapped`, and line j the opposite."""
    one, other = lines.words[i], lines.words[j]
    lines.words[i] = (one & ~differ) | swapped
    lines.words[j] = (other & ~differ) | (differ & ~swapped)
    allowed = differ & ~(_triples(lines, i, all_cells) | _triples(lines, j, all_cells))
    lines.words[i], lines.words[j] = one, other
    return allowed


@cython.inline_nogil_noexcept
def _ways_from(
    generator: Generator,
    place: Index,
    number: Index,
    end: Index,
    other: Index,
    one: Index,
    two: Index,
) -> cython.double:
    """The number of completions after the symbols `one` and `two`, from the table."""
    end, other = end_after(end, one), end_after(other, two)
    if end < 0 or other < 0:
        return 0.0
    return generator.pairs[place + 1, number + one, ENDS * end + other]


@cython.inline_nogil_noexcept
def _fill_ends(
    generator: Generator,
    place: Index,
    least: Index,
    greatest: Index,
    one: Index,
    two: Index,
    both: Word,
    ones: Word,
    zeros: Word,
    differ: Word,
) -> None:
    """Fill a place of the table for lines that end in the symbols `one` and `two`.

    In each call the two symbols are constants, so the compiler folds all that depends on them.
    """
    here = cell(place)
    symbol: Index = 1 if both & here else 0
    single = 2 * (ENDS * one + two)
    # A doubled end allows only the other symbol next; a single end allows both.
    if differ & here:
        for number in range(least, greatest + 1):
            # The first line goes on with 1 and the second with 0, or the other way round.
            ten: cython.double = 0.0
            oh_one: cython.double = 0.0
            if ones & here:
                ten = _ways_from(generator, place, number, 2 * one, 2 * two, 1, 0)
            if zeros & here:
                oh_one = _ways_from(generator, place, number, 2 * one, 2 * two, 0, 1)
            generator.pairs[place, number, single] = ten + oh_one
            generator.pairs[place, number, single + 1] = ten if two else oh_one
            generator.pairs[place, number, single + ENDS] = oh_one if one else ten
            generator.pairs[place, number, single + ENDS + 1] = (
                0.0 if one == two else oh_one if one else ten
            )
    else:
        # Both go on with the same symbol.
        for number in range(least, greatest + 1):
            ways = _ways_from(generator, place, number, 2 * one, 2 * two, symbol, symbol)
            generator.pairs[place, number, single] = ways
            generator.pairs[place, number, single + 1] = 0.0 if two == symbol else ways
            generator.pairs[place, number, single + ENDS] = 0.0 if one == symbol else ways
            generator.pairs[place, number, single + ENDS + 1] = (
                0.0 if one == symbol or two == symbol else ways
            )


@cython.inline_nogil_noexcept
def _set_all(generator: Generator, place: Index, number: Index, ways: cython.double) -> None:
    for ends in range(ENDS * ENDS):
        generator.pairs[place, number, ends] = ways


@cython.nogil_noexcept
def _fill_pairs(
    generator: Generator,
    length: Index,
    both: Word,
    ones: Word,
    zeros: Word,
    differ: Word,
    fewest: Index,
    most: Index,
) -> None:
    """Fill the table: the number of completions by (place, ones of line i, end of i, end of j).

    `both` are the cells where both lines are 1. In the cells `differ` the lines differ: `ones` are
    those where i may be 1 and j 0, `zeros` those where i may be 0 and j 1. `fewest` and `most`
    bound the ones of line i.
    """
    # Only what lines with these cells can reach is filled: the ends in the symbols before a place,
    # and the numbers of ones that the cells before it can have and those from it on can complete.
    may, must = both | ones, both | (differ & ~zeros)
    for place in range(length, 0, -1):
        before, last = line_of(place), cell(place - 1)
        least: Index = max(size(must & before), fewest - size(may & ~before))
        greatest: Index = min(size(may & before), most - size(must & ~before))
        _set_all(generator, place, greatest + 1, 0.0)
        if least:
            _set_all(generator, place, least - 1, 0.0)
        if place == length:
            for number in range(least, greatest + 1):
                _set_all(generator, place, number, 1.0)
        elif both & last:
            _fill_ends(generator, place, least, greatest, 1, 1, both, ones, zeros, differ)
        elif not differ & last:
            _fill_ends(generator, place, least, greatest, 0, 0, both, ones, zeros, differ)
        else:
            if ones & last:
                _fill_ends(generator, place, least, greatest, 1, 0, both, ones, zeros, differ)
            if zeros & last:
                _fill_ends(generator, place, least, greatest, 0, 1, both, ones, zeros, differ)


@cython.nogil_noexcept
def _drawn(
    generator: Generator, length: Index, both: Word, ones: Word, zeros: Word, differ: Word
) -> Word:
    """Draw the cells where line i gets a 1 and line j a 0; all completions are equally likely."""
    drawn: Word = 0
    number: Index = 0
    end: Index = -2
    other: Index = -2
    for place in range(length):
        here = cell(place)
        one: Index = 1 if both & here else 0
        two: Index = one
        if differ & here:
            ways_one: cython.double = 0.0
            ways_zero: cython.double = 0.0
            if ones & here:
                ways_one = _ways_from(generator, place, number, end, other, 1, 0)
            if zeros & here:
                ways_zero = _ways_from(generator, place, number, end, other, 0, 1)
            one = 1 if unit(generator.random) * (ways_one + ways_zero) < ways_one else 0
            two = 1 - one
            if one:
                drawn |= here
        number += one
        end, other = end_after(end, one), end_after(other, two)
    return drawn


@cython.nogil_noexcept
def _is_repeated(lines: Lines, number: Index) -> cython.bint:
    for other in range(lines.count):
        if other != number and lines.words[other] == lines.words[number]:
            return True
    return False


@cython.nogil_noexcept
def _enter(lines: Lines, crossing: Lines, number: Index, line: Word) -> None:
    """Replace a line, and update the lines that cross it."""
    changed = lines.words[number] ^ line
    lines.words[number] = line
    while changed:
        crossing.words[first(changed)] ^= cell(number)
        changed &= changed - 1


@cython.nogil_noexcept
def _is_distinct(lines: Lines, crossing: Lines, i: Index, j: Index, changed: Word) -> cython.bint:
    """Whether lines i and j, and the lines that cross them at `changed`, differ from all others."""
    if _is_repeated(lines, i) or _is_repeated(lines, j):
        return False
    while changed:
        if _is_repeated(crossing, first(changed)):
            return False
        changed &= changed - 1
    return True


@cython.nogil_noexcept
def _redraw_two_lines(generator: Generator, lines: Lines, crossing: Lines) -> None:
    length = crossing.count
    i = below(generator.random, lines.count)
    j = below(generator.random, lines.count - 1)
    if j >= i:
        j += 1
    all_cells = line_of(length)
    one, other = lines.words[i], lines.words[j]
    both, differ = one & other, one ^ other
    ones = _allowed(lines, i, j, all_cells, differ, differ)
    zeros = _allowed(lines, i, j, all_cells, differ, 0)
    total = size(one) + size(other)
    low: Index = max(lines.fewest, total - lines.most)
    high: Index = min(lines.most, total - lines.fewest)
    _fill_pairs(generator, length, both, ones, zeros, differ, low, high)
    drawn = _drawn(generator, length, both, ones, zeros, differ)
    changed = differ & (drawn ^ one)
    _enter(lines, crossing, i, one ^ changed)
    _enter(lines, crossing, j, other ^ changed)
    if generator.distinct and not _is_distinct(lines, crossing, i, j, changed):
        _enter(lines, crossing, i, one)
        _enter(lines, crossing, j, other)


@cython.nogil_noexcept
def _redraw_one_line(generator: Generator, lines: Lines, crossing: Lines) -> None:
    """Draw new contents for a random line, within the bounds of the lines that cross it."""
    length = crossing.count
    i = below(generator.random, lines.count)
    all_cells = line_of(length)
    before = lines.words[i]
    lines.words[i] = all_cells
    can_one = all_cells & ~_triples(lines, i, all_cells)
    lines.words[i] = 0
    can_zero = all_cells & ~_triples(lines, i, all_cells)
    lines.words[i] = before
    for k in range(length):
        rest = size(crossing.words[k] & ~cell(i))
        if rest < crossing.fewest:
            can_zero &= ~cell(k)
        if rest >= crossing.most:
            can_one &= ~cell(k)
    ways = count_lines(length, can_zero, can_one, lines.fewest, lines.most, generator.single, 0)
    number = below(generator.random, ways)
    line = line_of_number(length, number, can_zero, can_one, generator.single, 0)
    _enter(lines, crossing, i, line)
    if generator.distinct and not _is_distinct(lines, crossing, i, i, before ^ line):
        _enter(lines, crossing, i, before)


@cython.inline_nogil_noexcept
def _redraw(generator: Generator, lines: Lines, crossing: Lines) -> None:
    """Take a step in one direction."""
    if lines.count == 1 or (crossing.fewest < crossing.most and below(generator.random, 2)):
        _redraw_one_line(generator, lines, crossing)
    else:
        _redraw_two_lines(generator, lines, crossing)


@cython.nogil_noexcept
def take_steps(generator: Generator, steps: Index) -> None:
    """Take Gibbs sampling steps, in place, from a board without runs or imbalance."""
    height, width = generator.rows.count, generator.columns.count
    for _ in range(steps):
        if below(generator.random, height + width) < height:
            _redraw(generator, generator.rows, generator.columns)
        else:
            _redraw(generator, generator.columns, generator.rows)


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
