"""Count boards up to symmetry, with Burnside's lemma.

The number of orbits is the mean, over all symmetries, of the number of boards that a symmetry
fixes.
"""

from __future__ import annotations

from typing import NamedTuple

from binairo_cp.counting import fixed_boards
from binairo_cp.counting.sizes import Census, is_closed
from binairo_cp.errors import WrongAnswer
from binairo_cp.puzzle.symmetries import Symmetry, symmetries


class Orbits(NamedTuple):
    """The number of boards up to symmetry.

    Attributes:
        symmetries: the number of symmetries.
        orbits: the number of boards up to these symmetries.
        without: a phrase that names excluded symmetries; empty if there are none.
    """

    symmetries: int
    orbits: int
    without: str


def count_orbits(census: Census, boards: int) -> list[Orbits]:
    """Count boards up to rotations, reflections and the swap of 0 and 1, and also without the swap.

    The swap is left out if it does not map boards to boards.

    Args:
        census: the size and rules of the boards.
        boards: the number of boards.

    Raises:
        LimitError: the count is out of reach.
    """
    check_reach(census)
    one_of_kind = {
        fixed_boards.kind(census, each): each for each in reversed(symmetries_of(census)[1:])
    }
    numbers = {kind: fixed_boards.count_fixed(census, each) for kind, each in one_of_kind.items()}
    results = []
    for complement in (True, False) if is_closed(census) else (False,):
        group = symmetries_of(census, complement)
        fixed = boards + sum(numbers[fixed_boards.kind(census, each)] for each in group[1:])
        if fixed % len(group):
            raise WrongAnswer(
                f"the number of fixed boards, {fixed}, is not divisible by {len(group)}"
            )
        without = "" if complement else ", without the exchange of 0 and 1"
        results.append(Orbits(len(group), fixed // len(group), without))
    return results


def check_reach(census: Census) -> None:
    """Check that boards can be counted up to symmetry.

    Raises:
        LimitError: they can't.
    """
    for each in symmetries_of(census)[1:]:
        fixed_boards.check_reach(census, each)


def symmetries_of(census: Census, complement: bool = True) -> tuple[Symmetry, ...]:
    """The symmetries that map boards to boards; the identity is the first one.

    Args:
        census: the size and rules of the boards.
        complement: include those that swap 0 and 1, if they map boards to boards.
    """
    group = symmetries(census.height, census.width, complement and is_closed(census))
    if census.rows_differ == census.columns_differ:
        return group
    return tuple(each for each in group if not fixed_boards.makes_rows_columns(each))
