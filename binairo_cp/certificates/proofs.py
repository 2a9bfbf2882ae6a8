"""Proofs that clauses have no model: DRAT, which solvers write, and LRAT, which is easy to check.

A line of LRAT consists of its number, the literals of a clause and a 0, and the numbers of its
hints and a 0, with single spaces. If all literals of the clause are false, each hint in turn has
one literal left, which becomes true, and the last hint has none left. The clauses of the formula
have the numbers from 1 (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, "Efficient certified
RAT verification", 2017). Proofs in certificates delete no clause, and end with the empty one.
Formally verified checkers such as cake_lpr read this format.

In arrays, literals are numbers: 2 v for variable v and 2 v + 1 for its negation, so that the last
bit negates. Line k has the literals ``literals[starts[k] : starts[k + 1]]``, without repetitions.
`deletes` is 1 for a line of a proof that deletes a clause.
"""

from __future__ import annotations

import io
import re
import secrets
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import monotonic

from binairo_cp.errors import BudgetExceeded, ProofError
from binairo_cp.kernels import proofs as kernel
from binairo_cp.kernels.arrays import nones, zeros

MAX_LINES = 10_000_000
"""Maximum number of lines; checking takes about 60 bytes of memory for each."""

_STEPS = 2_000_000
_HINTS_A_LINE = 16

CONTRADICTION = -1

MAX_LINE_BYTES = 4 << 20
"""The longest line to read; its parsed numbers take about 40 times as much memory."""

_LINE = re.compile(rb"([1-9][0-9]{0,9}) ((?:-?[1-9][0-9]{0,9} )*)0 ((?:[1-9][0-9]{0,9} )*)0\n")
_MAX_EXCERPT = 60


@dataclass(frozen=True, slots=True)
class Clauses:
    """Clauses, or lines of a proof."""

    literals: array[int]
    starts: array[int]
    deletes: array[int]

    def __len__(self) -> int:
        return len(self.deletes)

    @property
    def top(self) -> int:
        """The largest variable."""
        return max(self.literals, default=0) >> 1


def parse_clauses(text: bytes, name: str, top: int) -> Clauses:
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
    literals, starts = zeros("i", len(text) // 2 + 1), zeros("q", lines + 1)
    deletes = zeros("B", lines)
    number, fault = kernel.parse(memoryview(text), literals, starts, deletes, nones(2 * top + 2))
    if fault >= 0:
        line = text.count(b"\n", 0, fault) + 1
        begin = text.rfind(b"\n", 0, fault) + 1
        end = text.find(b"\n", fault)
        excerpt = text[begin : end if end >= 0 else None][:60].decode(errors="replace")
        raise ProofError(
            f"{name}, line {line}: {excerpt!r} is not a clause; expected literals of variables 1 "
            f"to {top:,}, a 0, and the end of the line"
        )
    return Clauses(
        array("i", literals[: starts[number]].tobytes()),
        array("q", starts[: number + 1].tobytes()),
        array("B", deletes[:number].tobytes()),
    )


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
    hints: memoryview
    ends: memoryview
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


def check_drat_proof(
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
    lines = zip(proof.starts, proof.starts[1:], proof.deletes, strict=False)
    if not any(begin == end and not is_deletion for begin, end, is_deletion in lines):
        raise ProofError("the proof has no empty clause; expected a line '0'")
    end = None if seconds is None else monotonic() + seconds
    given = len(formula)
    ends = zeros("q", given + len(proof))
    begins = array("q", (formula.starts[-1] + start for start in proof.starts[1:]))
    checker = kernel.Checker(
        given,
        memoryview(formula.literals + proof.literals),
        memoryview(formula.starts + begins),
        memoryview(formula.deletes + proof.deletes),
        ends,
        secrets.randbits(62),
    )
    literals = 2 * max(formula.top, proof.top) + 2
    room = _HINTS_A_LINE * len(proof) + 4 * literals if hints else 0
    kept = zeros("i", room)[:room]
    checker.use_hints(kept)
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
            full, kept = kept, zeros("i", 2 * len(kept))
            kept[: len(full)] = full
            checker.use_hints(kept)
        if end is not None and monotonic() >= end:
            raise BudgetExceeded("time")


def trimmed_lines(proof: Clauses, reasons: dict[int, list[int]]) -> Iterator[str]:
    """The lines that the contradiction depends on, and the empty clause, as text."""
    for line in reasons:
        yield f"{clause_text(proof, line)}0\n"


def clause_text(proof: Clauses, line: int) -> str:
    """The literals of a line, each followed by a space; empty for the contradiction."""
    if line == CONTRADICTION:
        return ""
    literals = proof.literals[proof.starts[line] : proof.starts[line + 1]].tolist()
    return "".join(f"{-(literal >> 1) if literal & 1 else literal >> 1} " for literal in literals)


def lrat_lines(given: int, proof: Clauses, reasons: dict[int, list[int]]) -> Iterator[str]:
    """Convert the needed lines of a DRAT proof to LRAT."""
    numbers = {line: given + 1 + k for k, line in enumerate(reasons)}
    for line, hints in reasons.items():
        names = " ".join(str(hint + 1 if hint < given else numbers[hint - given]) for hint in hints)
        yield f"{numbers[line]} {clause_text(proof, line)}0 {names} 0\n"


def check_lrat_proof(
    formula: list[list[int]], proof: bytes, check_clock: Callable[[], object] = lambda: None
) -> int:
    """Check that a proof refutes a formula.

    Args:
        formula: The clauses, as DIMACS literals.
        proof: The text of the proof.
        check_clock: Is called regularly, and may raise.

    Returns:
        The number of lines.

    Raises:
        ProofError: A line does not follow or can't be read, or the last clause is not empty.
    """
    clauses = dict(enumerate(formula, 1))
    number, clause = 0, [0]
    lines = iter(partial(io.BytesIO(proof).readline, MAX_LINE_BYTES + 1), b"")
    for number, line in enumerate(lines, 1):
        check_clock()
        if len(line) > MAX_LINE_BYTES:
            raise ProofError(f"LRAT line {number} has more than {MAX_LINE_BYTES:,} bytes")
        (name,), clause, hints = _numbers(line, number)
        if name in clauses:
            raise ProofError(f"LRAT line {number}: there is another clause {name}")
        if not _follows(clause, hints, clauses, check_clock):
            raise ProofError(f"LRAT line {number} does not follow from its hints")
        clauses[name] = clause
    if clause:
        raise ProofError("the LRAT proof does not end with the empty clause")
    return number


def without_lrat_hints(proof: bytes) -> bytes:
    """The same proof in DRAT: its clauses."""
    return _LINE.sub(rb"\g<2>0\n", proof)


def _follows(
    clause: list[int],
    hints: list[int],
    clauses: dict[int, list[int]],
    check_clock: Callable[[], object],
) -> bool:
    false = set(clause)
    for name in hints:
        check_clock()
        left = [literal for literal in clauses.get(name, ()) if literal not in false]
        if name not in clauses or (len(left) > 1 and len(set(left)) > 1):
            return False
        if not left:
            return True
        false.add(-left[0])
    return False


def _numbers(line: bytes, number: int) -> list[list[int]]:
    """The number of a clause, its literals, and its hints."""
    match = _LINE.fullmatch(line)
    if not match:
        excerpt = line[:_MAX_EXCERPT].strip().decode(errors="replace")
        raise ProofError(f"LRAT line {number}: {excerpt!r} is not a line such as '7 1 -2 0 3 4 0'")
    return [[int(word) for word in part.split()] for part in match.groups()]
