"""Hitting sets of at most a few elements, by branch and bound.

Sets are integers with a bit for each element. A node of the search drops elements that another one
dominates, that is, which hit no more sets than the other. It has two bounds: the number of disjoint
sets, and the number of sets that the best elements can hit at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from binairo_cp.deduction.named_rules import each_bit

Watch = Callable[[int], None]

_SETS_PER_WORK = 10

_MOST_COMPARED = 24
"""An element is compared with so many others that hit more sets. The best ones dominate most."""


class SetsToHit:
    """Sets to hit.

    Args:
        sets: The sets.
        spend: Is called with the work, and may raise.

    Attributes:
        disjoint: Some disjoint sets among them. A hitting set has an element of each.
    """

    def __init__(self, sets: Iterable[int], spend: Watch) -> None:
        self._by_size = sorted(sets, key=int.bit_count)
        self._spend = spend
        self.disjoint = _disjoint(self._by_size)
        spend(len(self._by_size) // _SETS_PER_WORK + 1)

    @cached_property
    def minimal(self) -> list[int]:
        """The sets without those that have another one as a subset, the smallest first."""
        minimal: list[int] = []
        for each in self._by_size:
            for smaller in minimal:
                if smaller & each == smaller:
                    break
            else:
                minimal.append(each)
        self._spend(len(minimal))
        return minimal

    @cached_property
    def _hit_by(self) -> dict[int, int]:
        """For each element, the numbers of the minimal sets with it, as a set."""
        hit_by: dict[int, int] = {}
        for number, each in enumerate(self.minimal):
            for element in each_bit(each):
                hit_by[element] = hit_by.get(element, 0) | 1 << number
        return hit_by

    def hitting_set(self, most: int) -> int | None:
        """A set of at most `most` elements that hits all sets; None if there is none."""
        if most < len(self.disjoint):
            return None
        left = (1 << len(self.minimal)) - 1
        return _search(self.minimal, left, self._hit_by, most, self._spend)


def _disjoint(sets: Iterable[int]) -> list[int]:
    """Disjoint sets among some sets, chosen greedily from the first."""
    disjoint = []
    used = 0
    for each in sets:
        if not each & used:
            used |= each
            disjoint.append(each)
    return disjoint


def _search(
    sets: list[int], left: int, hit_by: dict[int, int], most: int, spend: Watch
) -> int | None:
    """Hit the sets that are left by at most `most` of the elements of `hit_by`."""
    if not left:
        return 0
    if not most:
        return None
    useful = _by_hits(left, hit_by)
    if sum(hits.bit_count() for _, hits in useful[:most]) < left.bit_count():
        spend(1)
        return None
    if most == 1:
        return 1 << useful[0][0]
    useful = _undominated(useful)
    spend(len(useful))
    smallest = _smallest_if_few(sets, left, useful, most)
    if smallest is None:
        return None
    remaining = dict(useful)
    for element, hits in useful:
        if smallest >> element & 1:
            found = _search(sets, left & ~hits, remaining, most - 1, spend)
            if found is not None:
                return found | 1 << element
            del remaining[element]
    return None


def _by_hits(left: int, hit_by: dict[int, int]) -> list[tuple[int, int]]:
    """The elements with the sets that they hit among those left; the best come first."""
    each = [(element, hits) for element, all_hits in hit_by.items() if (hits := all_hits & left)]
    each.sort(key=lambda pair: -pair[1].bit_count())
    return each


def _undominated(useful: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The elements that none of the best ones dominates."""
    kept: list[tuple[int, int]] = []
    for element, hits in useful:
        for _, more in kept[:_MOST_COMPARED]:
            if hits & more == hits:
                break
        else:
            kept.append((element, hits))
    return kept


def _smallest_if_few(
    sets: list[int], left: int, useful: list[tuple[int, int]], most: int
) -> int | None:
    """The smallest of the sets that are left; None if more than `most` of them are disjoint."""
    elements = 0
    for element, _ in useful:
        elements |= 1 << element
    rest = sorted((sets[number] & elements for number in each_bit(left)), key=int.bit_count)
    if not rest[0] or len(_disjoint(rest)) > most:
        return None
    return rest[0]
