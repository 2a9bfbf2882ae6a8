"""Count all puzzles of a small classic size by another method than `binairo census --puzzles`.

``python models/count_puzzles.py 4 5`` needs numpy and nothing of binairo_cp. For each solved board,
a set of clues leaves another solution exactly if it lies within the cells that the board shares
with some other board. Closing these sets downwards marks all ambiguous sets, among the 2^n sets of
clues. The others are the puzzles; one is irreducible if it is ambiguous without any of its clues.
"""

import sys
from itertools import product

import numpy as np


def lines(length: int) -> list[tuple[int, ...]]:
    """All lines with balance, as in lines of odd length, and without three in a row."""
    return [
        line
        for line in product((0, 1), repeat=length)
        if abs(2 * sum(line) - length) < 2
        and all(len({*line[k : k + 3]}) == 2 for k in range(length - 2))
    ]


def boards(height: int, width: int) -> list[int]:
    """All solved boards, each as a number with one bit for each cell."""
    columns, found = set(lines(height)), []
    for rows in product(lines(width), repeat=height):
        across = set(zip(*rows, strict=True))
        if len(set(rows)) == height and len(across) == width and across <= columns:
            found.append(int("".join(str(cell) for row in rows for cell in row), 2))
    return found


def main(height: int, width: int) -> None:
    """Print the number of puzzles and of irreducible ones."""
    cells, puzzles, irreducible = height * width, 0, 0
    solved = np.array(boards(height, width))
    for board in solved:
        is_ambiguous = np.zeros(1 << cells, bool)
        is_ambiguous[((1 << cells) - 1) & ~(board ^ solved[solved != board])] = True
        for cell in range(cells):
            halves = is_ambiguous.reshape(-1, 2, 1 << cell)
            halves[:, 0] |= halves[:, 1]
        is_least = ~is_ambiguous
        puzzles += int(is_least.sum())
        for cell in range(cells):
            is_least.reshape(-1, 2, 1 << cell)[:, 1] &= is_ambiguous.reshape(-1, 2, 1 << cell)[:, 0]
        irreducible += int(is_least.sum())
    print(
        f"{height}x{width}: {len(solved)} boards, {puzzles:,} puzzles, {irreducible:,} irreducible"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
