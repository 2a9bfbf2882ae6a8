"""LRAT proofs: each line names the clauses by which it follows, so that little is left to check.

A line is its number, the literals of a clause and a 0, and the numbers of clauses and a 0. Set the
literals false: then each clause named has one literal left, which is set true, and the last one has
none. The clauses of the formula are number 1 and on (Cruz-Filipe, Heule, Hunt, Kaufmann and
Schneider-Kamp, "Efficient certified RAT verification", 2017). Formally verified checkers, as
cake_lpr, read this form.
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
"""The longest line that is read; its numbers take some 40 times as much memory."""

_WORD = re.compile(rb"-?[0-9]{1,10}")
_TOLD = 60


def write(given: int, proof: Clauses, reasons: dict[int, list[int]]) -> Iterator[str]:
    """The lines of a DRAT proof that its contradiction rests on, as LRAT.

    Args:
        given: how many clauses the formula has.
        proof: the DRAT proof.
        reasons: as `drat.Checked.reasons` gives them.
    """
    numbers = {line: given + 1 + k for k, line in enumerate(reasons)}
    for line, hints in reasons.items():
        named = " ".join(str(hint + 1 if hint < given else numbers[hint - given]) for hint in hints)
        yield f"{numbers[line]} {clause_text(proof, line)}0 {named} 0\n"


def check(
    formula: list[list[int]], proof: bytes, check_clock: Callable[[], object] = lambda: None
) -> int:
    """Check that a proof refutes a formula.

    Args:
        formula: the clauses, as literals of DIMACS.
        proof: the lines.
        check_clock: is called now and then, and may raise.

    Returns:
        How many lines were needed.

    Raises:
        ProofError: a line that does not follow or can't be read, or no empty clause.
    """
    clauses = dict(enumerate(formula, 1))
    lines = iter(partial(io.BytesIO(proof).readline, MAX_LINE_BYTES + 1), b"")
    for number, line in enumerate(lines, 1):
        check_clock()
        if len(line) > MAX_LINE_BYTES:
            raise ProofError(f"LRAT line {number} has more than {MAX_LINE_BYTES:,} bytes")
        if b" d " in line:
            for name in _parts(line.partition(b" d ")[2], number, 1)[0]:
                clauses.pop(name, None)
            continue
        (name, *clause), named = _parts(line, number, 2)
        if name <= 0 or name in clauses:
            raise ProofError(f"LRAT line {number}: {name} is no number for a new clause")
        if not _follows(clause, named, clauses, check_clock):
            raise ProofError(f"LRAT line {number} does not follow from the clauses it names")
        if not clause:
            return number
        clauses[name] = clause
    raise ProofError("the LRAT proof has no empty clause")


def _follows(
    clause: list[int],
    named: list[int],
    clauses: dict[int, list[int]],
    check_clock: Callable[[], object],
) -> bool:
    false = set(clause)
    for name in named:
        check_clock()
        left = [literal for literal in clauses.get(name, ()) if literal not in false]
        if name not in clauses or (len(left) > 1 and len(set(left)) > 1):
            return False
        if not left:
            return True
        false.add(-left[0])
    return False


def _parts(line: bytes, number: int, parts: int) -> list[list[int]]:
    """The numbers of a line, up to each 0."""
    found: list[list[int]] = [[]]
    words = line.split()
    if all(map(_WORD.fullmatch, words)):
        for each in map(int, words):
            if each:
                found[-1].append(each)
            else:
                found.append([])
    if len(found) != parts + 1 or found.pop() or not (parts == 1 or found[0]):
        told = line[:_TOLD].strip().decode(errors="replace")
        raise ProofError(f"LRAT line {number}: {told!r} is none; expected 7 1 -2 0 3 4 0")
    return found
