"""Find a smallest set of clues that excludes all other solutions, with implicit hitting sets.

Every other solution differs from the known one in some of the clues, its *difference set*. A set of
clues excludes all other solutions exactly if it hits every difference set. There are too many to
list, so they are generated lazily: find a smallest set that hits all known difference sets. If it
excludes all other solutions, it is optimal. Otherwise the remaining solution yields a new
difference set. Difference sets are minimized, and several disjoint ones are added at a time (as in
Ignatiev, Previti, Liffiton and Marques-Silva, "Smallest MUS extraction with minimal hitting set
dualization", 2015).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random

from binairo_cp.errors import BudgetExceeded
from binairo_cp.solving.assumption_cores import ClueSets
from binairo_cp.solving.backends import Meter, Stop
from binairo_cp.solving.hitting_sets import HittingSets

RESTARTS = 4
"""The number of random irreducible sets to try for a first upper bound."""

_EXCHANGES = 10

Watch = Callable[[int, int], object]
"""Called with the lower and the upper bound when they change."""


@dataclass(frozen=True, slots=True)
class SizeBounds:
    """Bounds on the size of a smallest set.

    Attributes:
        at_least: A lower bound on the size of all sets.
        stopped_by: The limit that ended the search; None if the bounds met, or if the lower bound
            reached the requested one.
        differences: Difference sets. No set of fewer than `at_least` clues hits all of them.
    """

    best: tuple[int, ...]
    at_least: int
    stopped_by: Stop | None = None
    differences: tuple[frozenset[int], ...] = ()

    @property
    def proved(self) -> bool:
        return len(self.best) == self.at_least


def smallest_set(
    sets: ClueSets,
    meter: Meter,
    watch: Watch | None = None,
    enough: int | None = None,
    known: list[int] | None = None,
) -> SizeBounds:
    """Find a smallest contradicting set of clues, as far as the budget allows.

    Args:
        sets: The clues; all of them together contradict.
        meter: Limits the time and the work; the same as that of `sets`.
        watch: Is called with the bounds when they change.
        enough: Stop when the lower bound reaches this size.
        known: A contradicting set to start with.
    """
    search = _SetSearch(sets, meter, watch or (lambda *_: None), enough or len(sets.clues))
    search.best = known or search.best
    stopped_by: Stop | None = None
    try:
        search.close_bounds()
    except BudgetExceeded as error:
        # The bounds may have met before the budget ran out.
        stopped_by = error.by if search.at_least < len(search.best) else None
    return SizeBounds(tuple(search.best), search.at_least, stopped_by, search.differences)


class _SetSearch:
    """The search for a smallest set, with its bounds."""

    def __init__(self, sets: ClueSets, meter: Meter, watch: Watch, enough: int) -> None:
        self.best = list(sets.clues)
        self._enough = enough
        self._hitting_sets = HittingSets(meter)
        self._sets = sets
        self._watch = watch
        self._random = Random(len(sets.clues))
        # The number of known difference sets that contain a clue.
        self._uses: Counter[int] = Counter()
        self._differences: list[frozenset[int]] = []

    @property
    def differences(self) -> tuple[frozenset[int], ...]:
        """The known difference sets."""
        return tuple(self._differences)

    @property
    def at_least(self) -> int:
        """A lower bound on the size of a contradicting set."""
        return self._hitting_sets.at_least

    def close_bounds(self) -> None:
        """Search until the bounds meet, or the lower bound is enough."""
        self._try(self.best)
        # With a requested bound, a good upper bound matters less.
        for _ in range(RESTARTS if self._enough == len(self._sets.clues) else 1):
            self._try(self._random.sample(self._sets.clues, len(self._sets.clues)))
        while True:
            hitting = self._hitting_sets.smallest() or []
            self._watch(self.at_least, len(self.best))
            if self.at_least >= min(self._enough, len(self.best)):
                return
            if self._sets.contradict(hitting):
                self.best = hitting
                return
            self._add_disjoint(hitting)
            self._try(self._completed(hitting))
            self._exchange()

    def _try(self, clues: list[int]) -> None:
        """Make a contradicting set irreducible, and keep it if it is the smallest so far."""
        shrunk = self._sets.shrink(clues)
        if len(shrunk) < len(self.best):
            self.best = shrunk
            self._watch(self.at_least, len(shrunk))

    def _add_disjoint(self, hitting: list[int]) -> None:
        """Add disjoint difference sets that are not hit, until there are none left."""
        hit = list(hitting)
        while not self._sets.contradict(hit):
            hit += self._add_difference()

    def _completed(self, hitting: list[int]) -> list[int]:
        """Add clues until the set contradicts.

        From each difference set that is not hit, this takes the clue that is in most others.
        """
        completed = list(hitting)
        while not self._sets.contradict(completed):
            difference = self._add_difference()
            completed.append(max(difference, key=lambda place: (self._uses[place], place)))
        return completed[::-1]

    def _add_difference(self) -> list[int]:
        broken = self._sets.broken()
        difference = self._sets.fewest_broken(self._random.sample(broken, len(broken)))
        self._hitting_sets.hit(difference)
        self._uses.update(difference)
        self._differences.append(frozenset(difference))
        return difference

    def _exchange(self) -> None:
        """Try to replace two clues of the best set by one, a few times."""
        for _ in range(_EXCHANGES):
            tried = next(_exchanges(set(self.best), self._differences), None)
            if tried is None:
                return
            if self._sets.contradict(tried):
                self._try(tried)
            else:
                self._add_difference()


def _exchanges(best: set[int], differences: list[frozenset[int]]) -> Iterator[list[int]]:
    """Yield sets that hit all known difference sets, with one clue in place of two."""
    # By the one or two clues that alone hit some difference sets: the clues that hit all of these.
    substitutes: dict[frozenset[int], frozenset[int]] = {}
    for difference in differences:
        hit = difference & best
        if len(hit) <= 2:
            substitutes[hit] = substitutes.get(hit, difference) & difference
    every = frozenset().union(*differences)
    for pair in combinations(sorted(best), 2):
        candidates = substitutes.get(frozenset(pair), every)
        for one in pair:
            candidates &= substitutes.get(frozenset([one]), every)
        for place in sorted(candidates - best):
            yield [*(best - set(pair)), place]
