"""Fuzz the proof checkers: no proof is accepted for a satisfiable formula."""

from itertools import product

from binairo_cp.certificates import proofs
from binairo_cp.errors import ProofError
from tests.fuzz.targets import Target

_TOP = 5
_MARK = b"%\n"
_WORDS = (b" 0\n", b"0\n", b"d ", b"1 ", b"-1 ", b"2 ", b"-2 ", b"3 ", b"-5 ", b"6 ", b"10 ", _MARK)
_MODELS = tuple(product((False, True), repeat=_TOP))
_SECONDS = 10.0

_FORMULAS = (
    b"1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n",
    b"1 2 0\n1 -2 0\n-1 2 0\n",
    b"1 2 3 0\n-1 4 0\n-2 4 0\n-3 4 0\n-4 5 0\n-4 -5 0\n",
    b"1 2 0\n-1 3 0\n-2 3 0\n-3 4 5 0\n",
    b"1 0\n-1 0\n",
    b"0\n",
    b"",
)
_DRAT = (b"1 0\n0\n", b"1 0\nd 1 2 0\n0\n", b"4 0\n-4 0\n0\n", b"0\n", b"6 1 0\n-6 2 0\n3 0\n0\n")
_LRAT = (
    b"5 1 0 1 2 0\n6 0 3 4 5 0\n",
    b"7 4 0 1 2 3 4 0\n7 d 1 2 0\n8 0 7 5 6 0\n",
    b"3 0 1 2 0\n",
)


def target(name: str) -> Target:
    """The checker of DRAT or LRAT; an input has a formula, a line ``%``, and a proof."""
    check = check_drat if name == "drat" else check_lrat
    proofs = _DRAT if name == "drat" else _LRAT
    seeds = tuple(formula + _MARK + proof for formula in _FORMULAS for proof in proofs)
    return Target(check, seeds, _WORDS, longest=400)


def check_drat(data: bytes) -> None:
    """An accepted proof is correct, and so are the trimmed proof and the LRAT made from it."""
    first, _, second = data.partition(_MARK)
    try:
        formula = proofs.parse_clauses(first, "the formula", _TOP)
        if any(formula.deletes):
            return
        proof = proofs.parse_clauses(second, "the proof", 2 * _TOP)
        checked = proofs.check_drat_proof(formula, proof, _SECONDS, hints=True)
    except ProofError:
        return
    clauses = _clauses(formula)
    assert not has_model(clauses)
    reasons = checked.reasons()
    if reasons is not None:
        hinted = "".join(proofs.lrat_lines(len(formula), proof, reasons)).encode()
        assert proofs.check_lrat_proof(clauses, hinted) == len(reasons)
        short = "".join(proofs.trimmed_lines(proof, reasons)).encode()
        proofs.check_drat_proof(formula, proofs.parse_clauses(short, "trimmed", 2 * _TOP), _SECONDS)


def check_lrat(data: bytes) -> None:
    first, _, second = data.partition(_MARK)
    try:
        formula = proofs.parse_clauses(first, "the formula", _TOP)
    except ProofError:
        return
    if any(formula.deletes):
        return
    clauses = _clauses(formula)
    try:
        proofs.check_lrat_proof(clauses, second)
    except ProofError:
        return
    assert not has_model(clauses)


def has_model(clauses: list[list[int]]) -> bool:
    """Whether a formula is satisfiable, by trying all assignments."""
    return any(
        all(any(model[abs(each) - 1] == (each > 0) for each in clause) for clause in clauses)
        for model in _MODELS
    )


def _clauses(formula: proofs.Clauses) -> list[list[int]]:
    lines = (proofs.clause_text(formula, line) for line in range(len(formula)))
    return [list(map(int, line.split())) for line in lines]
