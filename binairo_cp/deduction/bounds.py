"""Lower bounds for the sizes of reasons, which mostly hold when more cells are known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """A cell has no reasons of some sizes without cells that are new.

    Attributes:
        size: The largest of these sizes.
        cells: The cells that differ on the boards of the proof. If other cells get known, these
            boards break as many known cells as before, and the bound holds.
        new: Cells that are known since then. With one of them there may be smaller reasons.
    """

    size: int
    cells: int
    new: int = 0

    def with_known(self, cells: int) -> Bound:
        """The bound if more cells are known."""
        if self.cells & cells:
            return Bound(self.size, self.cells, self.new | cells)
        return self


class Bounds:
    """The bounds for each cell."""

    def __init__(self) -> None:
        # The latest comes last, and has the smallest size.
        self._bounds: dict[int, list[Bound]] = {}

    def add_known(self, cells: int) -> None:
        """Adapt the bounds to more known cells."""
        self._bounds = {
            place: [bound.with_known(cells) for bound in bounds]
            for place, bounds in self._bounds.items()
        }

    def get(self, place: int, size: int) -> Bound | None:
        """The latest bound of a cell for at least some size; None if there is none."""
        for bound in reversed(self._bounds.get(place, ())):
            if bound.size >= size:
                return bound
        return None

    def add(self, place: int, bound: Bound, base: Bound | None) -> None:
        """Add a bound.

        Args:
            place: The cell.
            bound: The bound.
            base: An earlier one that its proof relies on.
        """
        if base:
            bound = Bound(min(bound.size, base.size), bound.cells | base.cells)
        larger = [each for each in self._bounds.get(place, ()) if each.size > bound.size]
        self._bounds[place] = [*larger, bound]
