"""The symmetries of puzzles, and a canonical form for puzzles that differ by a symmetry.

A square has eight symmetries, a rectangle four. The swap of 0 and 1 doubles them to 16 and 8. A
symmetry is represented by the order in which it reads the cells, and whether it swaps the symbols.
A quarter turn of a rectangle gives a board of another size, so it is not included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import product
from operator import itemgetter
from typing import Literal

from binairo_cp.puzzle.board import COMPLEMENT, Board, Cell
from binairo_cp.puzzle.rules import Puzzle, Rules, Sign

Signs = tuple[tuple[int, int, str, str], ...]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A symmetry: a rotation or reflection of boards of one size, perhaps with a swap of 0 and 1.

    Attributes:
        height: the height of the boards.
        width: the width of the boards.
        order: for each cell of the image, row by row, the index of its cell on the board.
        complemented: whether 0 and 1 are swapped.
    """

    height: int
    width: int
    order: tuple[int, ...]
    complemented: bool
    _read: Callable[[str], tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # itemgetter with a single index does not return a tuple.
        reads = itemgetter(*self.order) if len(self.order) > 1 else tuple[str, ...]
        object.__setattr__(self, "_read", reads)

    def cells(self, cells: str) -> str:
        """The image of a board's cells."""
        image = "".join(self._read(cells))
        return image.translate(COMPLEMENT) if self.complemented else image

    def board(self, board: Board) -> Board:
        """The image of a board."""
        return Board(self.height, self.width, self.cells(board.cells))

    def signs(self, signs: tuple[Sign, ...]) -> tuple[Sign, ...]:
        """The images of signs, sorted."""
        if not signs:
            return ()
        place_of = {place: image for image, place in enumerate(self.order)}

        def moved(cell: Cell) -> Cell:
            return Cell(*divmod(place_of[cell.row * self.width + cell.column], self.width))

        images = []
        for sign in signs:
            first, second = sorted(map(moved, sign.cells))
            direction: Literal["R", "D"] = "R" if first.row == second.row else "D"
            images.append(Sign(*first, direction, sign.relation))
        return tuple(sorted(images))

    def puzzle(self, puzzle: Puzzle) -> Puzzle:
        """The image of a puzzle, with the same rules."""
        return Puzzle(self.board(puzzle.board), puzzle.rules, self.signs(puzzle.signs))


@lru_cache(maxsize=256)
def symmetries(height: int, width: int, complement: bool = True) -> tuple[Symmetry, ...]:
    """The symmetries of boards of a size, the identity first.

    Args:
        height: the height of the boards.
        width: the width of the boards.
        complement: include symmetries that swap 0 and 1.
    """
    orders = dict.fromkeys(_orders(height, width))
    symbols = (False, True) if complement else (False,)
    return tuple(Symmetry(height, width, order, other) for other in symbols for order in orders)


def symmetries_under(rules: Rules, height: int, width: int) -> tuple[Symmetry, ...]:
    """The symmetries of boards of a size that map solutions to solutions.

    If one symbol must be more frequent in lines of odd length, the symbols can't be swapped.
    """
    fair = rules.odd == "either" or not rules.balanced or height % 2 == width % 2 == 0
    return symmetries(height, width, fair)


def canonical(puzzle: Puzzle) -> Puzzle:
    """The smallest image of a puzzle: the same for all puzzles that differ only by a symmetry."""
    board = puzzle.board
    group = symmetries_under(puzzle.rules, board.height, board.width)
    if not puzzle.signs:
        smallest = min(symmetry.cells(board.cells) for symmetry in group)
        return Puzzle(Board(board.height, board.width, smallest), puzzle.rules)
    images = map(Symmetry.puzzle, group, [puzzle] * len(group))
    return min(images, key=lambda image: (image.board.cells, image.signs))


def _orders(height: int, width: int) -> Iterator[tuple[int, ...]]:
    rows, columns = range(height), range(width)
    for r, c in product((rows, rows[::-1]), (columns, columns[::-1])):
        yield tuple(row * width + column for row in r for column in c)
    if height == width:
        for r, c in product((rows, rows[::-1]), (columns, columns[::-1])):
            yield tuple(row * width + column for column in c for row in r)


def canonical_digest(puzzle: Puzzle) -> bytes:
    """16 bytes that are the same for twins: BLAKE2b of ``(height, width, cells, signs)``.

    These are of the smallest image of the puzzle; if it is higher than wide, of its transpose.
    """
    board = puzzle.board
    if board.height > board.width:
        columns = (board.cells[k :: board.width] for k in range(board.width))
        signs = tuple(Sign(*sign) for sign in transposed_signs(tuple(map(tuple, puzzle.signs))))  # type: ignore[arg-type]  # they were checked
        puzzle = Puzzle(Board(board.width, board.height, "".join(columns)), puzzle.rules, signs)
    return digest(canonical(puzzle))


def transposed_signs(signs: Signs) -> Signs:
    """The signs of the transpose of a board."""
    return tuple((c, r, "D" if way == "R" else "R", relation) for r, c, way, relation in signs)


def digest(puzzle: Puzzle) -> bytes:
    """16 bytes that are the same only for equal puzzles, apart from their rules."""
    board = puzzle.board
    signs = tuple(map(tuple, puzzle.signs))
    text = repr((board.height, board.width, board.cells, signs))
    return blake2b(text.encode(), digest_size=16).digest()
