"""Sets as integers with a bit for each element, and hitting sets of at most a few elements.

They are found by branch and bound. A node of the search drops elements that another one dominates,
that is, which hit no more sets than the other. It has two bounds: the number of disjoint sets, and
the number of sets that the best elements can hit at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce
from operator import or_

Watch = Callable[[int], None]

_SETS_PER_WORK = 10

_Element = tuple[int, int]
"""An element as a set, and the numbers of the sets that it hits, as a set."""


class SetsToHit:
    """Sets to hit. `spend` is called with the work, and may raise."""

    def __init__(self, sets: Iterable[int], spend: Watch) -> None:
        self._by_size = sorted(sets, key=lambda one: (one.bit_count(), one))
        self._spend = spend
        self._number_disjoint = _number_disjoint(self._by_size)
        spend(len(self._by_size) // _SETS_PER_WORK + 1)

    @cached_property
    def _minimal(self) -> list[int]:
        """The sets without those that have another one as a subset, the smallest first."""
        minimal: list[int] = []
        for some in self._by_size:
            for smaller in minimal:
                if smaller & some == smaller:
                    break
            else:
                minimal.append(some)
        self._spend(len(minimal))
        return minimal

    @cached_property
    def _elements(self) -> list[_Element]:
        """The elements that may be useful, each with the numbers of the minimal sets with it."""
        # Of the elements that occur once, one of each set is enough, or none if others occur there.
        once = often = 0
        for known in self._minimal:
            often |= once & known
            once |= known
        hits_of: dict[int, int] = {}
        for number, known in enumerate(self._minimal):
            for place in each_bit(known & often or known & -known):
                hits_of[1 << place] = hits_of.get(1 << place, 0) | 1 << number
        self._spend(len(hits_of))
        return _undominated(_by_hits(hits_of.items()), self._minimal)

    def hitting_set(self, most: int) -> int | None:
        """A set of at most `most` elements that hits all sets; None if there is none."""
        if most < self._number_disjoint:
            return None
        if not self._minimal:
            return 0
        left = (1 << len(self._minimal)) - 1
        return _search(self._minimal, left, self._elements, most, self._spend)


def _number_disjoint(sets: Iterable[int]) -> int:
    """The number of disjoint sets among some sets, chosen greedily from the first."""
    number = used = 0
    for one in sets:
        if not one & used:
            used |= one
            number += 1
    return number


def _search(
    sets: list[int], left: int, elements: list[_Element], most: int, spend: Watch
) -> int | None:
    """Hit the sets that are left, at least one, by at most `most` elements, at least one.

    `left` has the numbers of these sets. Of the elements to choose from, none dominates another.
    """
    spend(len(elements) // 4 + 1)
    if _most_hits(elements, most) < left.bit_count():
        return None
    if most == 1:
        return elements[0][0]
    useful = union(element for element, _ in elements)
    rest = sorted((sets[number] & useful for number in each_bit(left)), key=int.bit_count)
    if not rest[0] or _number_disjoint(rest) > most:
        return None
    for element, hits in elements:
        if rest[0] & element:
            after = left & ~hits
            if not after:
                return element
            fewer = _by_hits((other, still) for other, hit in elements if (still := hit & after))
            if _most_hits(fewer, most - 1) >= after.bit_count():
                if most > 2:
                    spend(len(fewer))
                    fewer = _undominated(fewer, sets)
                found = _search(sets, after, fewer, most - 1, spend)
                if found is not None:
                    return found | element
            elements = [other for other in elements if other[0] != element]
    return None


def _by_hits(elements: Iterable[_Element]) -> list[_Element]:
    """Elements in the order of the number of sets that they hit, the best first."""
    return sorted(elements, key=lambda pair: pair[1].bit_count(), reverse=True)


def _most_hits(elements: list[_Element], most: int) -> int:
    """So many sets at most are hit by `most` of the elements."""
    return sum([hits.bit_count() for _, hits in elements[:most]])


def _undominated(elements: list[_Element], sets: list[int]) -> list[_Element]:
    """The elements that no other one dominates; of several that hit the same sets, the first."""
    element_of: dict[int, int] = {}
    for element, hits in elements:
        element_of.setdefault(hits, element)
    others = union(element_of.values())
    kept = []
    for hits, element in element_of.items():
        # What is in all sets that the element hits, dominates it.
        shared = others
        for number in each_bit(hits):
            shared &= sets[number]
            if shared == element:
                kept.append((element, hits))
                break
        else:
            others ^= element
    return kept


def bits(places: Iterable[int]) -> int:
    """The integer with some bits."""
    return sum(1 << place for place in places)


def union(sets: Iterable[int]) -> int:
    """The bits of any of some integers."""
    return reduce(or_, sets, 0)


def each_bit(number: int) -> Iterator[int]:
    """The places of the bits of an integer."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
