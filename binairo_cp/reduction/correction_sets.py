"""The fewest clues to drop so that a puzzle without solution has one: all ways to do so.

The clues that are dropped hit every contradiction among the clues. As for the fewest clues, a
smallest set that hits the known ones is tried, and either leaves a solution or shows one more.
"""

from __future__ import annotations

from binairo_cp.errors import BudgetExceeded
from binairo_cp.reduction.smallest_sets import Watch
from binairo_cp.solving.assumption_cores import ClueSets
from binairo_cp.solving.backends import Meter, Stop
from binairo_cp.solving.hitting_sets import HittingSets

MOST_WAYS = 100
"""How many of the smallest sets of clues to drop are looked for."""


class Dropping:
    """Sets of clues that leave a solution if they are dropped.

    Args:
        sets: the questions about a puzzle whose clues contradict, but not its rules and signs.
        meter: what it may cost; the one of `sets`.
        watch: is told the bounds as they close.

    Attributes:
        ways: the smallest sets that were found, all of one size.
        proved: they are smallest.
        stopped_by: what ended the search for others; None if these are all.
    """

    def __init__(self, sets: ClueSets, meter: Meter, watch: Watch) -> None:
        self.ways: list[list[int]] = [list(sets.clues)]
        self.proved = False
        self.stopped_by: Stop | None = None
        self._sets = sets
        self._watch = watch
        self._hitting_sets = HittingSets(meter)

    @property
    def at_least(self) -> int:
        """Fewer clues than this are not enough."""
        return len(self.ways[0]) if self.proved else self._hitting_sets.at_least

    def run(self) -> None:
        """Find the ways, as far as the budget allows."""
        try:
            self._run()
        except BudgetExceeded as error:
            self.stopped_by = error.by

    def _run(self) -> None:
        if not self._sets.contradict([]):
            self._note_solution()
        while (hitting := self._hitting_sets.smallest()) is not None:
            self._watch(self._hitting_sets.at_least, len(self.ways[0]))
            if self.proved and len(hitting) > len(self.ways[0]):
                return
            if self.proved and len(self.ways) == MOST_WAYS:
                self.stopped_by = "limit"
                return
            if self._contradict_without(hitting):
                self._add_disjoint(hitting)
            else:
                self.ways = [*self.ways, hitting] if self.proved else [hitting]
                self.proved = True
                self._hitting_sets.forbid(hitting)

    def _contradict_without(self, dropped: list[int]) -> bool:
        without = set(dropped)
        return self._sets.contradict(each for each in self._sets.clues if each not in without)

    def _add_disjoint(self, dropped: list[int]) -> None:
        """Add contradictions that are not hit, disjoint ones, until there is a solution."""
        hit = list(dropped)
        while self._contradict_without(hit):
            core = self._sets.shrink(self._sets.core)
            self._hitting_sets.hit(core)
            hit += core
        self._note_solution()

    def _note_solution(self) -> None:
        """The clues that a solution breaks, but none that it need not, are a way."""
        found = self._sets.fewest_broken(self._sets.broken())
        if not self.proved and len(found) < len(self.ways[0]):
            self.ways = [found]
