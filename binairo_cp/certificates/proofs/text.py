"""Parse clauses and DRAT proofs to arrays.

Literals are numbers: 2 v for variable v and 2 v + 1 for its negation, so that the last bit negates.
Line k has the literals ``literals[starts[k] : starts[k + 1]]``, without repetitions. `deletes` is 1
for a line of a proof that deletes a clause.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from binairo_cp.errors import ProofError
from binairo_cp.kernels import proofs as kernel

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

MAX_LINES = 10_000_000
"""Maximum number of lines; checking takes about 60 bytes of memory for each."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """Clauses, or lines of a proof."""

    literals: Ints
    starts: Longs
    deletes: Bytes

    def __len__(self) -> int:
        return len(self.deletes)

    @property
    def top(self) -> int:
        """The largest variable."""
        return int(self.literals.max()) >> 1 if len(self.literals) else 0


def parse(text: bytes, name: str, top: int) -> Clauses:
    """Parse clauses in DIMACS without a header, or a DRAT proof.

    Args:
        text: The lines: literals and a 0, with a leading ``d`` for a deletion. Comments start with
            ``c``.
        name: The name to use in errors.
        top: The largest variable allowed.

    Raises:
        ProofError: A line can't be parsed, or there are too many lines.
    """
    lines = text.count(b"\n") + 1
    if lines > MAX_LINES:
        raise ProofError(f"{name} has more than {MAX_LINES:,} lines")
    literals = np.empty(len(text) // 2 + 1, np.int32)
    starts = np.zeros(lines + 1, np.int64)
    deletes = np.zeros(lines, np.uint8)
    seen = np.full(2 * top + 2, -1, np.int64)
    number, fault = kernel.parse(
        memoryview(text), literals.data, starts.data, deletes.data, seen.data
    )
    if fault >= 0:
        line = text.count(b"\n", 0, fault) + 1
        begin = text.rfind(b"\n", 0, fault) + 1
        end = text.find(b"\n", fault)
        excerpt = text[begin : end if end >= 0 else None][:60].decode(errors="replace")
        raise ProofError(
            f"{name}, line {line}: {excerpt!r} is not a clause; expected literals of variables 1 "
            f"to {top:,}, a 0, and the end of the line"
        )
    return Clauses(literals[: starts[number]].copy(), starts[: number + 1], deletes[:number])
