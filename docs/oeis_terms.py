"""The first terms of the sequences in docs/numbers/, in plain Python and without the package.

The programs of the OEIS entries are made of these functions. Boards are tuples of rows.
"""

from __future__ import annotations

from itertools import product


def lines(n, ones):
    """The rows of n cells with as many 0 as 1 (if n is odd, one more) and no 000 and 111."""
    counts = {(n + 1) // 2} if ones else {n // 2, (n + 1) // 2}
    triples = {(0, 0, 0), (1, 1, 1)}
    every = (line for line in product((0, 1), repeat=n) if sum(line) in counts)
    return [line for line in every if not any(line[k : k + 3] in triples for k in range(n - 2))]


def boards(height, width, rows=False, columns=False, ones=False):
    """All boards; the rows and the columns may have to be distinct. With ones, 1 prevails."""
    begun = {line[:k] for line in lines(height, ones) for k in range(height + 1)}

    def extended(board):
        if len(board) == height:
            if not columns or len(set(zip(*board, strict=True))) == width:
                yield board
            return
        for line in lines_of_board:
            if not (rows and line in board):
                longer = (*board, line)
                if begun.issuperset(zip(*longer, strict=True)):
                    yield from extended(longer)

    lines_of_board = lines(width, ones)
    return extended(())


def count(found):
    """The number of things."""
    return sum(1 for _ in found)


def symmetries(height, width, turns=True, swap=True):
    """The symmetries: for each cell of the image the cell it comes from, and 1 for a swap."""
    cells = [[(r, c) for c in range(width)] for r in range(height)]
    orders = [cells, cells[::-1], [row[::-1] for row in cells], [row[::-1] for row in cells[::-1]]]
    if turns:
        orders += [list(zip(*order, strict=True)) for order in orders]
    return [(order, symbol) for order in orders for symbol in ((0, 1) if swap else (0,))]


def image(board, symmetry):
    """The image of a board."""
    order, swap = symmetry
    return tuple(tuple(board[r][c] ^ swap for r, c in row) for row in order)


def classes(found, group):
    """The number of boards up to symmetry."""
    return len({min(image(board, symmetry) for symmetry in group) for board in found})


def families(found):
    """For each board, the sets of cells that determine it, and the minimal ones.

    A set of cells is a number, and a family of sets is a number with a bit for each set.
    """
    size = len(found[0]) * len(found[0][0])
    everything = (1 << (1 << size)) - 1
    # For each cell, the sets without it.
    without = [everything // ((1 << (2 << k)) - 1) * ((1 << (1 << k)) - 1) for k in range(size)]
    flat = [[cell for row in board for cell in row] for board in found]
    for board, cells in zip(found, flat, strict=True):
        # The sets of cells on which another board agrees, and their subsets.
        agree = 0
        for other in flat:
            if other is not cells:
                agree |= 1 << sum((cells[k] == other[k]) << k for k in range(size))
        for k in range(size):
            agree |= (agree & ~without[k]) >> (1 << k)
        unique = everything & ~agree
        minimal = unique
        for k in range(size):
            minimal &= ~((unique & without[k]) << (1 << k))
        yield board, unique, minimal


def puzzles(found, irreducible, group=None):
    """The number of puzzles with one solution; up to the symmetries of a group, if there is one.

    Burnside: it is the mean number of puzzles that a symmetry maps to themselves. Their solutions
    are mapped to themselves too.
    """
    if group is None:
        return sum(
            (minimal if irreducible else unique).bit_count()
            for _, unique, minimal in families(found)
        )
    width = len(found[0][0])
    total = 0
    for board, unique, minimal in families(found):
        family = minimal if irreducible else unique
        for symmetry in group:
            if image(board, symmetry) == board:
                order = [r * width + c for row in symmetry[0] for r, c in row]
                total += fixed(family, order)
    return total // len(group)


def fixed(family, order):
    """The number of sets of a family that an order of the cells maps to themselves."""
    if order == sorted(order):
        return family.bit_count()
    cycles, left = [], set(range(len(order)))
    while left:
        cell, cycle = min(left), 0
        while cell in left:
            left.remove(cell)
            cycle |= 1 << cell
            cell = order[cell]
        cycles.append(cycle)
    chosen = (sum(map(int.__mul__, cycles, which)) for which in product((0, 1), repeat=len(cycles)))
    return sum(family >> each & 1 for each in chosen)


def numbers_of_clues(found, irreducible):
    """The numbers of clues of all puzzles, or of the irreducible ones."""
    size = len(found[0]) * len(found[0][0])
    of_size = [0] * (size + 1)
    for cells in range(1 << size):
        of_size[cells.bit_count()] |= 1 << cells
    every = [(minimal if irreducible else unique) for _, unique, minimal in families(found)]
    return [n for n, sets in enumerate(of_size) if any(sets & family for family in every)]
