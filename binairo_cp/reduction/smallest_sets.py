"""A smallest set of clues that leaves no other solution, by implicit hitting sets.

Another solution differs from the known one in some of the clues: a *difference set*. A set of clues
leaves only the known solution if it hits every difference set. There are too many to list, so a
smallest set that hits those known so far is put to the solver: either it leaves nothing else, and
is smallest, or it shows a difference set that was missing. Each is made as small as it can be, and
several disjoint ones are looked for at a time (as in Ignatiev, Previti, Liffiton and Marques-Silva,
"Smallest MUS extraction with minimal hitting set dualization", 2015).
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
"""How many irreducible sets are tried as a first upper bound."""

_EXCHANGES = 10

Watch = Callable[[int, int], object]
"""Is told the bounds as they close: at least, at most."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of the size of a smallest set.

    Attributes:
        best: the smallest set found.
        at_least: no smaller set than this exists.
        stopped_by: what ended the search before the two met; None if they did, or if what is known
            was said to be enough.
    """

    best: tuple[int, ...]
    at_least: int
    stopped_by: Stop | None = None

    @property
    def proved(self) -> bool:
        return len(self.best) == self.at_least


def smallest_set(
    sets: ClueSets,
    meter: Meter,
    watch: Watch | None = None,
    enough: int | None = None,
    known: list[int] | None = None,
) -> Bounds:
    """The smallest part of the clues that contradicts, as far as the budget allows.

    Args:
        sets: the questions; all clues together contradict.
        meter: what it may cost; the one of `sets`.
        watch: is told the bounds as they close.
        enough: end as soon as it is known that no set is smaller than this.
        known: a contradicting set to begin with.
    """
    search = _Search(sets, meter, watch or (lambda *_: None), enough or len(sets.clues))
    search.best = known or search.best
    stopped_by: Stop | None = None
    try:
        search.run()
    except BudgetExceeded as error:
        # The bounds may have met in the middle of a step.
        stopped_by = error.by if search.at_least < len(search.best) else None
    return Bounds(tuple(search.best), search.at_least, stopped_by)


class _Search:
    def __init__(self, sets: ClueSets, meter: Meter, watch: Watch, enough: int) -> None:
        self.best = list(sets.clues)
        self._enough = enough
        self._hitting_sets = HittingSets(meter)
        self._sets = sets
        self._watch = watch
        self._random = Random(len(sets.clues))
        # In how many difference sets a clue is.
        self._uses: Counter[int] = Counter()
        self._differences: list[frozenset[int]] = []

    @property
    def at_least(self) -> int:
        """No smaller set than this is sufficient."""
        return self._hitting_sets.at_least

    def run(self) -> None:
        """Let the bounds meet."""
        self._try(self.best)
        # Where a bound is given, another one matters less.
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
        found = self._sets.shrink(clues)
        if len(found) < len(self.best):
            self.best = found
            self._watch(self.at_least, len(found))

    def _add_disjoint(self, hitting: list[int]) -> None:
        """Add difference sets that are not hit, disjoint ones, until no more are left."""
        hit = list(hitting)
        while not self._sets.contradict(hit):
            hit += self._add_difference()

    def _completed(self, hitting: list[int]) -> list[int]:
        """Add clues, of each difference set that is not hit the one in most others."""
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
        """Exchange two clues of the best set for one, while that works, in a few tries."""
        for _ in range(_EXCHANGES):
            tried = next(_exchanges(set(self.best), self._differences), None)
            if tried is None:
                return
            if self._sets.contradict(tried):
                self._try(tried)
            else:
                self._add_difference()


def _exchanges(best: set[int], differences: list[frozenset[int]]) -> Iterator[list[int]]:
    """Sets with one clue in the place of two that hit all known difference sets."""
    # By the one or two clues that alone hit a difference set: what else would hit it.
    else_by: dict[frozenset[int], frozenset[int]] = {}
    for difference in differences:
        hit = difference & best
        if len(hit) <= 2:
            else_by[hit] = else_by.get(hit, difference) & difference
    every = frozenset().union(*differences)
    for pair in combinations(sorted(best), 2):
        instead = else_by.get(frozenset(pair), every)
        for one in pair:
            instead &= else_by.get(frozenset([one]), every)
        for place in sorted(instead - best):
            yield [*(best - set(pair)), place]
