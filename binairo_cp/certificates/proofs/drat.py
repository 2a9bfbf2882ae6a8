"""Check DRAT proofs, and find the clauses from which each line follows."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Any

import numpy as np
from numba import int8, int32, int64, types, uint8

from binairo_cp.certificates.proofs import rup
from binairo_cp.certificates.proofs.rup import Memory
from binairo_cp.certificates.proofs.text import Clauses, Ints, Longs
from binairo_cp.errors import BudgetExceeded, ProofError
from binairo_cp.workers.compiling import compiled, notice

_STEPS = 2_000_000
_HINTS_A_LINE = 16

CONTRADICTION = -1


@dataclass(frozen=True, slots=True)
class CheckedProof:
    """A valid proof.

    Attributes:
        lines: The number of lines checked; the lines after the contradiction are not examined.
        hints: If requested, the clauses from which each line follows, in the order in which they
            become unit. The clauses of the formula count from 0, followed by those of the proof.
        ends: Where the hints of each line end, complemented for a line that is RAT and not RUP.
            The hints of the contradiction follow those of the last line.
        given: The number of clauses of the formula.
    """

    lines: int
    hints: Ints
    ends: Longs
    given: int

    def reasons(self) -> dict[int, list[int]] | None:
        """The lines that the contradiction depends on, in order, each with its hints.

        Lines count from 0 in the proof; the contradiction comes last, as `CONTRADICTION`.

        Returns:
            The hints by line; None if one of the lines is RAT and not RUP, so that it may depend
            on any clause.
        """
        hints, ends = self.hints.tolist(), self.ends.tolist()
        begins = [0, *(end if end >= 0 else ~end for end in ends)]
        final = hints[begins[-1] :]
        needed = set(final)
        reasons: dict[int, list[int]] = {CONTRADICTION: final}
        for line in range(len(ends) - 1, self.given - 1, -1):
            if line in needed:
                if ends[line] < 0:
                    return None
                reasons[line - self.given] = hints[begins[line] : ends[line]]
                needed.update(reasons[line - self.given])
        return dict(reversed(reasons.items()))


def check(
    formula: Clauses, proof: Clauses, seconds: float | None = None, *, hints: bool = False
) -> CheckedProof:
    """Check that a proof refutes a formula, line by line.

    Args:
        formula: The clauses.
        proof: The lines, as returned by `text.parse`.
        seconds: Time limit; None for no limit.
        hints: Whether to record the clauses from which each line follows.

    Raises:
        ProofError: A line does not follow, or there is no empty clause.
        BudgetExceeded: The time ran out.
    """
    empty = (np.diff(proof.starts) == 0) & (proof.deletes == 0)
    if not empty.any():
        raise ProofError("the proof has no empty clause; expected a line '0'")
    end = None if seconds is None else monotonic() + seconds
    memory = _memory(formula, proof, hints)
    given = len(formula)
    steps = _STEPS
    while True:
        before = int(memory.state[rup.POSITION])
        status = checker()(memory, given, steps)
        position = int(memory.state[rup.POSITION])
        # If a line was interrupted, it needs more steps.
        steps = 2 * steps if position == before else _STEPS
        if status == rup.REFUTED:
            kept = memory.hints[: memory.state[rup.HINTS]]
            return CheckedProof(max(0, position - given), kept, memory.ends[:position], given)
        if status == rup.FAILED:
            raise ProofError(f"step {position - given + 1} of the proof does not follow")
        if status == rup.ENDED:
            raise ProofError("the proof ends without a contradiction")
        if status == rup.NO_ROOM:
            memory = memory._replace(hints=np.concatenate([memory.hints, memory.hints]))
        if end is not None and monotonic() >= end:
            raise BudgetExceeded("time")


def _memory(formula: Clauses, proof: Clauses, hints: bool) -> Memory:
    number = len(formula) + len(proof)
    literals = 2 * max(formula.top, proof.top) + 2

    def none(size: int) -> Longs:
        return np.full(size, -1, np.int64)

    state = np.zeros(rup.STATE_WORDS, np.int64)
    state[rup.CONFLICT] = -1
    state[rup.SALT] = secrets.randbits(62)
    room = _HINTS_A_LINE * len(proof) + 4 * literals if hints else 0
    return Memory(
        literals=np.concatenate([formula.literals, proof.literals]),
        starts=np.concatenate([formula.starts, proof.starts[1:] + formula.starts[-1]]),
        deletes=np.concatenate([formula.deletes, proof.deletes]),
        heads=none(literals),
        links=none(2 * number),
        buckets=none(max(1, number)),
        chain=none(number),
        values=np.zeros(literals, np.int8),
        reasons=none(literals // 2),
        trail=np.zeros(literals // 2, np.int32),
        marks=none(literals),
        hints=np.zeros(room, np.int32),
        ends=np.zeros(number, np.int64),
        state=state,
    )


@cache
def checker() -> Any:
    """The compiled `rup.check`."""
    ints, longs = int32[::1], int64[::1]
    memory = types.NamedTuple(
        (
            ints,
            longs,
            uint8[::1],
            longs,
            longs,
            longs,
            longs,
            int8[::1],
            longs,
            ints,
            longs,
            ints,
            longs,
            longs,
        ),
        Memory,
    )
    with notice("the checker of proofs", seconds=3):
        return compiled(rup.check, int64(memory, int64, int64))


def trimmed(proof: Clauses, reasons: dict[int, list[int]]) -> Iterator[str]:
    """The lines that the contradiction depends on, and the empty clause, as text."""
    for line in reasons:
        yield f"{clause_text(proof, line)}0\n"


def clause_text(proof: Clauses, line: int) -> str:
    """The literals of a line, each followed by a space; empty for the contradiction."""
    if line == CONTRADICTION:
        return ""
    literals = proof.literals[proof.starts[line] : proof.starts[line + 1]].tolist()
    return "".join(f"{-(each >> 1) if each & 1 else each >> 1} " for each in literals)
