"""The blocks of a run: their sizes, and the number of puzzles before each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from binairo_cp.formats import Block, LineBlock

LARGEST_BLOCK = 16_384
"""Maximum number of puzzles in a block."""

BLOCK_SECONDS = 0.1
"""Target time for a block. Ctrl-C loses the unfinished blocks."""

CLUSTER_BLOCK_SECONDS = 1.0
"""The same on a cluster, where fewer blocks relieve the scheduler."""

_PARTS = 16


class BlockSizer:
    """Chooses the sizes of blocks.

    Blocks grow from a size, by default one puzzle, so that a short file is spread over all workers
    and a long one has little overhead. The times of finished blocks limit the growth: a block
    should not take longer than `block_seconds`.

    Attributes:
        passed_over: the number of puzzles that come first and are decided already: their blocks
            are as large as possible.
    """

    def __init__(
        self, workers: int, block_seconds: float = BLOCK_SECONDS, *, first: int = 1
    ) -> None:
        self._workers = workers
        self._block_seconds = block_seconds
        self._first = first
        self.passed_over = self._blocks = 0
        self._puzzles = self._seconds = 0.0

    def update(self, puzzles: int, seconds: float) -> None:
        """Learn from the time of a finished block; earlier times count half."""
        self._puzzles = self._puzzles / 2 + puzzles
        self._seconds = self._seconds / 2 + seconds

    def size(self) -> int:
        """The number of puzzles for the next block; each call counts as one block."""
        if passed := min(self.passed_over, LARGEST_BLOCK):
            self.passed_over -= passed
            return passed
        doubled = self._blocks // (2 * self._workers)
        self._blocks += 1
        if not self._puzzles:
            return self._first
        grown = min(LARGEST_BLOCK, self._first << min(doubled, 20))
        in_time = self._block_seconds * self._puzzles / max(self._seconds, 1e-9)
        return min(grown, max(1, int(in_time)))


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """A block and the number of puzzles of the run that come before it."""

    before: int
    block: Block

    def split(self) -> list[NumberedBlock]:
        """Smaller blocks with the same puzzles; a single puzzle is not split."""
        size = -(-len(self.block) // _PARTS)
        block = self.block
        if isinstance(block, LineBlock):
            return list(number_blocks(block.parts(size), self.before))
        entries = block
        parts = (entries[start : start + size] for start in range(0, len(entries), size))
        return list(number_blocks(parts, self.before))


def number_blocks(blocks: Iterable[Block], before: int = 0) -> Iterator[NumberedBlock]:
    """Number blocks: `before` puzzles come before the first one."""
    for block in blocks:
        yield NumberedBlock(before, block)
        before += len(block)
