"""Hitting sets of at most a few elements, by branch and bound.

Sets are integers with a bit for each element. A node of the search drops elements that another one
dominates, that is, which hit no more sets than the other. It has two bounds: the number of disjoint
sets, and the number of sets that the best elements can hit at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from binairo_cp.deduction.named_rules import each_bit

Watch = Callable[[int], None]


class SetsToHit:
    """Sets to hit, without those that have another one as a subset.

    Args:
        sets: The sets.
        spend: Is called with the work, and may raise.

    Attributes:
        sets: The sets that are left, the smallest first.
    """

    def __init__(self, sets: Iterable[int], spend: Watch) -> None:
        self.sets: list[int] = []
        self._spend = spend
        for each in sorted(sets, key=int.bit_count):
            for smaller in self.sets:
                if smaller & each == smaller:
                    break
            else:
                self.sets.append(each)
        self._hit_by: dict[int, int] = {}
        for number, each in enumerate(self.sets):
            for element in each_bit(each):
                self._hit_by[element] = self._hit_by.get(element, 0) | 1 << number
        spend(len(self.sets))

    def hitting_set(self, most: int) -> int | None:
        """A set of at most `most` elements that hits all sets; None if there is none."""
        left = (1 << len(self.sets)) - 1
        return _search(self.sets, left, self._hit_by, most, self._spend)


def _search(
    sets: list[int], left: int, hit_by: dict[int, int], most: int, spend: Watch
) -> int | None:
    """Hit the sets that are left by at most `most` of the elements of `hit_by`."""
    if not left:
        return 0
    if not most:
        return None
    useful = _undominated(left, hit_by)
    number = left.bit_count()
    spend(len(useful))
    if sum(hits.bit_count() for _, hits in useful[:most]) < number:
        return None
    if most == 1:
        return 1 << useful[0][0]
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


def _undominated(left: int, hit_by: dict[int, int]) -> list[tuple[int, int]]:
    """The elements with the sets that they hit, without dominated ones; the best come first."""
    each = [(element, hits) for element, all_hits in hit_by.items() if (hits := all_hits & left)]
    each.sort(key=lambda pair: -pair[1].bit_count())
    kept: list[tuple[int, int]] = []
    for element, hits in each:
        for _, more in kept:
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
    used = disjoint = 0
    for each in rest:
        if not each & used:
            used |= each
            disjoint += 1
            if disjoint > most:
                return None
    return rest[0] if rest[0] else None
