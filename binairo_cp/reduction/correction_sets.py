"""Find all smallest sets of clues to drop so that a puzzle without solution has one.

These are the smallest correction sets (MCSes). A correction set hits every minimal conflict of the
clues. As for the fewest clues, the search finds a smallest set that hits all known conflicts. It
either leaves a solution or leads to another conflict.
"""

from __future__ import annotations

from binairo_cp.errors import BudgetExceeded
from binairo_cp.reduction.smallest_sets import Watch
from binairo_cp.solving.assumption_cores import ClueSets
from binairo_cp.solving.backends import Meter, Stop
from binairo_cp.solving.hitting_sets import HittingSets

MAX_SETS = 100
"""Maximum number of smallest correction sets to find."""


class CorrectionSets:
    """The smallest sets of clues that leave a solution if they are dropped.

    Args:
        clues: The clues of a puzzle that has a solution without them, but none with them.
        meter: Limits the time and the work; the same as that of `clues`.
        watch: Is called with the bounds when they change.

    Attributes:
        smallest: The smallest sets found, all of the same size.
        proved: Whether no smaller set exists.
        stopped_by: The limit that ended the search; None if all smallest sets were found.
    """

    def __init__(self, clues: ClueSets, meter: Meter, watch: Watch) -> None:
        self.smallest: list[list[int]] = [list(clues.clues)]
        self.proved = False
        self.stopped_by: Stop | None = None
        self._sets = clues
        self._watch = watch
        self._hitting_sets = HittingSets(meter)

    @property
    def at_least(self) -> int:
        """A lower bound on the size of a correction set."""
        return len(self.smallest[0]) if self.proved else self._hitting_sets.at_least

    def find(self) -> None:
        """Find the sets, as far as the budget allows."""
        try:
            self._find_all()
        except BudgetExceeded as error:
            self.stopped_by = error.by

    def _find_all(self) -> None:
        if not self._sets.contradict([]):
            self._update_from_solution()
        while (hitting := self._hitting_sets.smallest()) is not None:
            self._watch(self._hitting_sets.at_least, len(self.smallest[0]))
            if self.proved and len(hitting) > len(self.smallest[0]):
                return
            if self.proved and len(self.smallest) == MAX_SETS:
                self.stopped_by = "limit"
                return
            if self._contradict_without(hitting):
                self._add_disjoint(hitting)
            else:
                self.smallest = [*self.smallest, hitting] if self.proved else [hitting]
                self.proved = True
                self._hitting_sets.forbid(hitting)

    def _contradict_without(self, dropped: list[int]) -> bool:
        without = set(dropped)
        return self._sets.contradict(each for each in self._sets.clues if each not in without)

    def _add_disjoint(self, dropped: list[int]) -> None:
        """Add disjoint conflicts that are not hit, until the other clues have a solution."""
        hit = list(dropped)
        while self._contradict_without(hit):
            core = self._sets.shrink(self._sets.core)
            self._hitting_sets.hit(core)
            hit += core
        self._update_from_solution()

    def _update_from_solution(self) -> None:
        """The minimized set of clues that the last solution breaks is a correction set."""
        correction_set = self._sets.fewest_broken(self._sets.broken())
        if not self.proved and len(correction_set) < len(self.smallest[0]):
            self.smallest = [correction_set]
