"""How the units of the fewest clues are written to a file.

Each line is a finished unit: its number, its first board as a hexadecimal number, and the fewest
clues of each of its boards, one digit (0-9, a-z) a
board. If the run has a limit, boards that need more clues have the limit plus one.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from binairo_cp.counting.fewest_clues.units import FewestUnit, Task
from binairo_cp.counting.sizes import Census
from binairo_cp.counting.unit_files import UnitFormat

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class FewestUnits(UnitFormat[FewestUnit]):
    """The units of the fewest clues of all boards.

    Args:
        census: the size and rules of the boards.
        tasks: all units.
        limit: the largest numbers of clues to look for.
    """

    def __init__(self, census: Census, tasks: list[Task], limit: int) -> None:
        self._tasks = tasks
        self.header = {"fewest clues": asdict(census), "units": len(tasks), "limit": limit}
        self.expected = "a number, a hexadecimal number and digits"

    def name_of(self, header: dict[str, Any]) -> str:
        limit = header["limit"]
        return f"{Census(**header['fewest clues']).name}, fewest clues up to {limit}"

    def line_of(self, unit: FewestUnit) -> str:
        return f"{unit.number} {unit.first:x} {''.join(_DIGITS[k] for k in unit.fewest)}"

    def unit_of(self, line: str) -> FewestUnit:
        number, first, fewest = line.split()
        return FewestUnit(int(number), int(first, 16), tuple(map(_DIGITS.index, fewest)))

    def objection_to(self, unit: FewestUnit) -> str | None:
        if not 0 <= unit.number < len(self._tasks):
            return f"there is no unit {unit.number}"
        boards = self._tasks[unit.number].boards
        if unit.first != boards[0] or len(unit.fewest) != len(boards):
            return f"unit {unit.number} has other boards"
        return None
