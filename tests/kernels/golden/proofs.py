"""Proofs of kept certificates, and random ones of random formulas, valid or not."""

import gzip
import random
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from binairo_cp.certificates import proofs
from binairo_cp.errors import ProofError

CERTIFICATES = Path(__file__).parents[2] / "certificates" / "kept"
RANDOM_PROOFS = 400
QUICK_PROOFS = 40


def results() -> dict[str, Any]:
    """What the checker says of each proof."""
    return quick() | {
        "certificates": {
            f"{file.stem}/{name}": _checked(*case)
            for file in sorted(CERTIFICATES.glob("*.zip"))
            for name, case in _of_certificate(file).items()
        },
        "random": [_checked(*_random(seed)) for seed in range(RANDOM_PROOFS)],
    }


def quick() -> dict[str, Any]:
    """A part of the results."""
    return {"first": [_checked(*_random(seed)) for seed in range(QUICK_PROOFS)]}


def _checked(formula: bytes, proof: bytes, top: int) -> Any:
    try:
        clauses, lines = (
            proofs.parse_clauses(formula, "formula", top),
            proofs.parse_clauses(proof, "proof", top),
        )
        checked = proofs.check_drat_proof(clauses, lines, hints=True)
    except ProofError as error:
        return str(error)
    found = [checked.lines, checked.hints.tolist(), checked.ends.tolist()]
    return found if len(found[1]) < 50 else sha256(str(found).encode()).hexdigest()


def _of_certificate(file: Path) -> dict[str, tuple[bytes, bytes, int]]:
    """The formula of a certificate with its proof, if it has one."""
    found = {}
    with ZipFile(file) as archive:
        if "formula.cnf" in archive.namelist():
            lines = archive.read("formula.cnf").splitlines(keepends=True)
            head = next(line for line in lines if line.startswith(b"p cnf")).split()
            clauses = b"".join(line for line in lines if line[:1] not in b"pc")
            proof = gzip.decompress(archive.read("proof.drat.gz"))
            found["formula.cnf"] = clauses, proof, int(head[2])
    return found


def _random(seed: int) -> tuple[bytes, bytes, int]:
    """A formula and a proof: resolvents, random clauses and deletions, in odd formatting."""
    rng = random.Random(seed)
    variables = rng.randint(1, 9)
    clauses = [_clause(rng, variables) for _ in range(rng.randint(1, 5 * variables))]
    known, lines = list(clauses), []
    for _ in range(rng.randint(0, 30)):
        kind = rng.random()
        if kind < 0.2:
            gone = rng.choice(known)
            lines.append(("d ", rng.sample(gone, len(gone))))
            continue
        line = _clause(rng, variables) if kind < 0.3 else _resolvent(rng, known)
        known.append(line)
        lines.append(("", line))
    lines.append(("", []))
    proof = "".join(
        f"{prefix}{' '.join(map(str, [*line, 0]))}{rng.choice(['', '', chr(13)])}\n"
        for prefix, line in lines
    )
    formula = "".join(f"{' '.join(map(str, [*clause, 0]))}\n" for clause in clauses)
    if rng.random() < 0.1:
        proof = proof.replace(" ", rng.choice([" x", "  ", "\t", " 99 "]), 1)
    return formula.encode(), proof.encode(), variables


def _clause(rng: random.Random, variables: int) -> list[int]:
    size = rng.randint(1, min(3, variables))
    return [rng.choice((-1, 1)) * each for each in rng.sample(range(1, variables + 1), size)]


def _resolvent(rng: random.Random, clauses: list[list[int]]) -> list[int]:
    """Of two random clauses that clash; else the first of them."""
    for _ in range(10):
        one, other = rng.choice(clauses), rng.choice(clauses)
        pivots = [each for each in one if -each in other]
        if pivots:
            rest = {*one, *other} - {pivots[0], -pivots[0]}
            return sorted(rest, key=lambda each: (abs(each), each))
    return one
