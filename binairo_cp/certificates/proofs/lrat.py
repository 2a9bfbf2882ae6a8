"""Write and check LRAT proofs, in which each line has hints that make it easy to check.

A line consists of its number, the literals of a clause and a 0, and the numbers of its hints and a
0, with single spaces. If all literals of the clause are false, each hint in turn has one literal
left, which becomes true, and the last hint has none left. The clauses of the formula have the
numbers from 1 (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, "Efficient certified RAT
verification", 2017). Proofs in certificates delete no clause, and end with the empty one. Formally
verified checkers such as cake_lpr read this format.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from functools import partial

from binairo_cp.certificates.proofs.drat import clause_text
from binairo_cp.certificates.proofs.text import Clauses
from binairo_cp.errors import ProofError

MAX_LINE_BYTES = 4 << 20
"""The longest line to read; its parsed numbers take about 40 times as much memory."""

_LINE = re.compile(rb"([1-9][0-9]{0,9}) ((?:-?[1-9][0-9]{0,9} )*)0 ((?:[1-9][0-9]{0,9} )*)0\n")
_MAX_EXCERPT = 60


def write(given: int, proof: Clauses, reasons: dict[int, list[int]]) -> Iterator[str]:
    """Convert the needed lines of a DRAT proof to LRAT.

    Args:
        given: The number of clauses of the formula.
        proof: The DRAT proof.
        reasons: The result of `drat.CheckedProof.reasons`.
    """
    numbers = {line: given + 1 + k for k, line in enumerate(reasons)}
    for line, hints in reasons.items():
        names = " ".join(str(hint + 1 if hint < given else numbers[hint - given]) for hint in hints)
        yield f"{numbers[line]} {clause_text(proof, line)}0 {names} 0\n"


def check(
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


def without_hints(proof: bytes) -> bytes:
    """The same proof in DRAT: its clauses.

    Args:
        proof: The text of a proof that `check` accepts.
    """
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
