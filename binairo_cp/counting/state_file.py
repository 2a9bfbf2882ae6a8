"""The file of a census that stores the counts of finished units.

The first line identifies the census. Each following line is a finished unit: the class as
hexadecimal digits (the ones in each column of the upper half), the number of boards, and the number
of upper halves. Anyone can recount single units.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

from binairo_cp.counting import unit_files
from binairo_cp.counting.blocks import BITS
from binairo_cp.counting.sizes import Census, Classes
from binairo_cp.counting.unit_files import UnitFile, UnitFormat
from binairo_cp.counting.units import Unit

StateFile = UnitFile[Unit]


class _CensusUnits(UnitFormat[Unit]):
    """The units of a census.

    Args:
        census: the census.
        classes: its classes; None to accept all.
    """

    def __init__(self, census: Census, classes: Classes | None = None) -> None:
        self._width = census.width
        self._known = None if classes is None else set(classes.packed.tolist())
        self.header = asdict(census)
        self.expected = f"{census.width} hexadecimal digits and two numbers"

    def name_of(self, header: dict[str, Any]) -> str:
        return Census(**header).name

    def line_of(self, unit: Unit) -> str:
        return f"{digits(unit.packed, self._width)} {unit.boards} {unit.halves}"

    def unit_of(self, line: str) -> Unit:
        name, boards, halves = line.split()
        if len(name) != self._width or not (boards.isdecimal() and halves.isdecimal()):
            raise ValueError
        packed = sum(int(digit, 16) << (BITS * k) for k, digit in enumerate(name))
        return Unit(packed, int(boards), int(halves))

    def objection_to(self, unit: Unit) -> str | None:
        if self._known is None or unit.packed in self._known:
            return None
        return f"{digits(unit.packed, self._width)} is not a class of this census"


def read(path: str, census: Census, classes: Classes) -> dict[int, Unit]:
    """Return the finished units of a file, by class; none if the file does not exist.

    Raises:
        SourceError: the file can't be read, or belongs to another census.
    """
    return unit_files.read(path, _CensusUnits(census, classes))


def write(path: str, census: Census, units: Iterable[Unit]) -> None:
    """Write the finished units to a file atomically.

    Raises:
        SourceError: the file can't be written.
    """
    unit_files.write(path, _CensusUnits(census), units)


def opened(path: str | None, census: Census, classes: Classes) -> AbstractContextManager[StateFile]:
    """Open a state file for one run at a time, and save it however the run ends.

    Raises:
        SourceError: the file can't be read or written, belongs to another census, or is in use.
    """
    return unit_files.opened(path, _CensusUnits(census, classes))


def digits(packed: int, width: int) -> str:
    """Return a class as hexadecimal digits, the leftmost column first."""
    return "".join(f"{(packed >> (BITS * k)) & 15:x}" for k in range(width))
