"""Check DRAT proofs, and find the clauses from which each line follows."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np

from binairo_cp.certificates.proofs.text import Clauses, Ints, Longs
from binairo_cp.errors import BudgetExceeded, ProofError
from binairo_cp.kernels import proofs as kernel

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
    given = len(formula)
    ends = np.zeros(given + len(proof), np.int64)
    checker = _checker(formula, proof, ends)
    room = _HINTS_A_LINE * len(proof) + 4 * _literals(formula, proof) if hints else 0
    kept = np.zeros(room, np.int32)
    checker.use_hints(kept.data)
    steps = _STEPS
    position = written = 0
    while True:
        before = position
        status = kernel.check(checker, steps)
        position, written = checker.progress()
        # If a line was interrupted, it needs more steps.
        steps = 2 * steps if position == before else _STEPS
        if status == kernel.REFUTED:
            return CheckedProof(max(0, position - given), kept[:written], ends[:position], given)
        if status == kernel.FAILED:
            raise ProofError(f"step {position - given + 1} of the proof does not follow")
        if status == kernel.ENDED:
            raise ProofError("the proof ends without a contradiction")
        if status == kernel.NO_ROOM:
            kept = np.concatenate([kept, kept])
            checker.use_hints(kept.data)
        if end is not None and monotonic() >= end:
            raise BudgetExceeded("time")


def _literals(formula: Clauses, proof: Clauses) -> int:
    """One more than the largest literal."""
    return 2 * max(formula.top, proof.top) + 2


def _checker(formula: Clauses, proof: Clauses, ends: Longs) -> kernel.Checker:
    number = len(formula) + len(proof)
    literals = _literals(formula, proof)

    def none(size: int) -> memoryview:
        return np.full(size, -1, np.int64).data

    checker = kernel.Checker(
        len(formula),
        np.concatenate([formula.literals, proof.literals]).data,
        np.concatenate([formula.starts, proof.starts[1:] + formula.starts[-1]]).data,
        np.concatenate([formula.deletes, proof.deletes]).data,
        ends.data,
        secrets.randbits(62),
    )
    checker.use_memory(
        heads=none(literals),
        links=none(2 * number),
        buckets=none(max(1, number)),
        chain=none(number),
        values=np.zeros(literals, np.int8).data,
        reasons=none(literals // 2),
        trail=np.zeros(literals // 2, np.int32).data,
        marks=none(literals),
    )
    return checker


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
