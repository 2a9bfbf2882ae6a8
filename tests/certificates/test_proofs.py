"""The proof checkers, tested with solvers, another checker, and invalid proofs."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Solver

from binairo_cp.certificates import proofs
from binairo_cp.errors import BudgetExceeded, ProofError
from binairo_cp.solving.backends import UNLIMITED, Meter
from binairo_cp.solving.backends.engines import PROOF_SOLVERS, refute
from tests.support.strategies import examples

Clauses = list[list[int]]


def lines_of(clauses: Clauses) -> bytes:
    return "".join(" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses).encode()


def holds(clauses: Clauses, proof: bytes) -> bool:
    """Whether our checker accepts the proof, with and without hints; then LRAT must be valid, too."""
    top = max((abs(each) for clause in clauses for each in clause), default=1)
    formula = proofs.parse_clauses(lines_of(clauses), "formula", top)
    lines = proofs.parse_clauses(proof, "proof", 2 * top + 2)
    try:
        plain = proofs.check_drat_proof(formula, lines)
    except ProofError:
        with pytest.raises(ProofError):
            proofs.check_drat_proof(formula, lines, hints=True)
        return False
    checked = proofs.check_drat_proof(formula, lines, hints=True)
    assert checked.lines == plain.lines
    reasons = checked.reasons()
    if reasons is not None:
        hinted = "".join(proofs.lrat_lines(len(clauses), lines, reasons)).encode()
        assert proofs.check_lrat_proof(clauses, hinted) == len(reasons)
        short = "".join(proofs.trimmed_lines(lines, reasons)).encode()
        proofs.check_drat_proof(formula, proofs.parse_clauses(short, "trimmed", 2 * top + 2))
    return True


def is_satisfiable(clauses: Clauses) -> bool:
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        return bool(solver.solve())


def unsatisfiable(seed: int, variables: int = 14, ratio: float = 5.2) -> Clauses:
    rng = random.Random(seed)
    while True:
        clauses = [
            [rng.choice((-1, 1)) * each for each in rng.sample(range(1, variables + 1), 3)]
            for _ in range(int(ratio * variables))
        ]
        if not is_satisfiable(clauses):
            return clauses


@pytest.mark.parametrize("solver", PROOF_SOLVERS)
def test_proofs_of_solvers_are_accepted(solver: str) -> None:
    for seed in range(8):
        clauses = unsatisfiable(seed, 40, 5.0)
        proof = refute(solver, clauses, Meter(UNLIMITED))
        assert isinstance(proof, bytes)
        assert holds(clauses, proof)


def accepted_by_another(clauses: Clauses, proof: bytes) -> bool:
    dratify = pytest.importorskip("dratify")
    top = max(abs(each) for clause in clauses for each in clause)
    head = f"p cnf {top} {len(clauses)}\n"
    result = dratify.check_proof(
        dratify.parse_dimacs(head + lines_of(clauses).decode()), proof.decode()
    )
    return bool(result.ok and result.reached_empty)


@examples(2.5)
@given(
    st.integers(0, 10_000), st.sampled_from(["glucose4", "cadical195", "maplechrono"]), st.data()
)
def test_changed_proofs_are_accepted_only_if_another_checker_agrees(
    seed: int, solver: str, data: st.DataObject
) -> None:
    clauses = unsatisfiable(seed)
    proof = refute(solver, clauses, Meter(UNLIMITED))
    assert isinstance(proof, bytes)
    lines = proof.splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 1))
    change = data.draw(st.sampled_from(["drop", "cut", "add", "negate", "formula", "twice"]))
    if change == "drop":
        del lines[place]
    elif change == "cut":
        del lines[place:]
    elif change == "add":
        drawn = data.draw(st.lists(st.integers(1, 14), min_size=1, max_size=3, unique=True))
        lines.insert(place, lines_of([[data.draw(st.sampled_from((-k, k))) for k in drawn]]))
    elif change == "negate":
        lines[place] = lines[place].replace(b"1", b"-1", 1).replace(b"--", b"")
    elif change == "twice":
        lines[place:place] = [*lines[place : place + 3], b"d " + lines[place].lstrip(b"d ")]
    else:
        clauses = unsatisfiable(seed + 1)[: data.draw(st.integers(30, 72))]
    changed = b"".join(lines)
    accepted = holds(clauses, changed)
    if accepted:
        assert not is_satisfiable(clauses)
    if b"d" not in changed:
        # On deletions checkers differ: what dratify accepts may then be wrong (0.1.10).
        assert accepted == accepted_by_another(clauses, changed)


def pigeons(holes: int) -> Clauses:
    """The pigeonhole problem: without new variables, proofs are exponential."""

    def at(pigeon: int, hole: int) -> int:
        return pigeon * holes + hole + 1

    clauses = [[at(p, h) for h in range(holes)] for p in range(holes + 1)]
    clauses += [
        [-at(p, h), -at(q, h)] for h in range(holes) for p in range(holes + 1) for q in range(p)
    ]
    return clauses


def test_definitions_are_rat() -> None:
    """A new variable for the conjunction of two: not RUP, but RAT on the new variable."""
    clauses = [list(c) for c in product((1, -1), (2, -2), (3, -3))]
    definition = [[4, -1, -2], [-4, 1], [-4, 2]]
    rest = [[-4, 3], [-4], [1, 2], [1], [2], []]
    assert holds(clauses, lines_of([*definition, *rest]))
    # In another order the literal that is pivot is not the new one.
    assert not holds([[1, 2], [-1, -2], [1, -2]], lines_of([[-2, 1], [2], []]))
    checked = proofs.check_drat_proof(
        proofs.parse_clauses(lines_of(clauses), "f", 3),
        proofs.parse_clauses(lines_of([*definition, *rest]), "p", 4),
        hints=True,
    )
    assert min(checked.ends) < 0


def test_rat_needs_all_resolvents() -> None:
    satisfiable = [[1, 2], [-1, 2]]
    assert not holds(satisfiable, lines_of([[-2], []]))
    # x is new, so a unit x is RAT; -x afterwards is not.
    assert not holds(satisfiable, lines_of([[3], [-3], []]))


def test_deleted_clauses_are_not_used() -> None:
    clauses = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    assert holds(clauses, b"2 0\n0\n")
    assert not holds(clauses, b"d 2 1 0\n2 0\n0\n")
    assert holds(clauses, b"d 2 1 0\n-2 0\n-1 0\n0\n") is False
    # A clause that made a unit stays, and one that is not there can not be deleted.
    assert holds(
        [[1], [-1, 2], [-2, 3], [-3, 4, 5], [-3, -4, 5], [-5, 4], [-5, -4]],
        b"d 1 0\nd -1 2 0\nd 7 8 0\n5 0\n0\n",
    )


def test_the_empty_clause_is_required() -> None:
    assert not holds([[1], [-1]], b"")
    assert not holds([[1], [-1]], b"1 0\n")
    assert holds([[1], [-1]], b"0\n")
    assert holds([[]], b"0\n")
    assert not holds([[1]], b"0\n")
    assert not holds([[1]], b"d 0\n")


def test_tautologies_and_repeated_literals_are_harmless() -> None:
    assert not holds([[1, -1], [2, 2, 3]], b"2 2 0\n0\n")
    assert holds([[1, 1], [-1, -1, -1]], b"2 -2 0\n0\n")
    assert not holds([[1, 2]], b"3 -3 0\n1 -1 0\n0\n")


@pytest.mark.parametrize(("proof", "message"), [
    (b"1 2 0\n1 x 0\n", "line 2: '1 x 0' is not a clause; expected literals of variables 1 to 3"),
    (b"1 2\n", "line 1: '1 2' is not a clause"),
    (b"1 2 0 0\n", "line 1: '1 2 0 0' is not a clause"),
    (b"4 0\n", "line 1: '4 0' is not a clause"),
    (b"99999999999999999999 0\n", "line 1: '99999999999999999999 0' is not a clause"),
    (b"1 2 0\n\n- 0\n", "line 3: '- 0' is not a clause"),
    (b"a\x00\x01 0\n", "line 1: 'a\\x00\\x01 0' is not a clause"),
    (b"d", "line 1: 'd' is not a clause"),
    (b"1 0\n2", "line 2: '2' is not a clause"),
])  # fmt: skip
def test_invalid_text_is_rejected(proof: bytes, message: str) -> None:
    with pytest.raises(ProofError) as error:
        proofs.parse_clauses(proof, "p", 3)
    assert str(error.value).startswith(f"p, {message}")


def test_valid_text_is_parsed() -> None:
    parsed = proofs.parse_clauses(b"c comment\n1 -2 1 0\r\nd  3\t0\n\n0\n-3 0", "p", 3)
    assert [
        parsed.literals[a:b].tolist()
        for a, b in zip(parsed.starts, parsed.starts[1:], strict=False)
    ] == [[2, 5], [6], [], [7]]
    assert parsed.deletes.tolist() == [0, 1, 0, 0]
    assert len(proofs.parse_clauses(b"", "p", 3)) == 0


@given(st.binary(max_size=60))
def test_the_parser_survives_any_bytes(data: bytes) -> None:
    try:
        parsed = proofs.parse_clauses(data, "p", 3)
    except ProofError:
        return
    assert parsed.top <= 3


def test_checking_stops_at_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = pigeons(5)
    proof = refute("glucose4", clauses, Meter(UNLIMITED))
    assert isinstance(proof, bytes)
    assert holds(clauses, proof)
    monkeypatch.setattr(proofs, "_STEPS", 1000)
    assert holds(clauses, proof)
    formula = proofs.parse_clauses(lines_of(clauses), "f", 30)
    with pytest.raises(BudgetExceeded):
        proofs.check_drat_proof(formula, proofs.parse_clauses(proof, "p", 30), seconds=0)


FOUR = [[1, 2], [-1, 2], [1, -2], [-1, -2]]


@pytest.mark.parametrize(("proof", "message"), [
    (b"5 2 0 1 2 0\n6 0 5 3 4 0\n", ""),
    (b"5 2 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n", "'5 d 1 2 0' is not a line"),
    (b"5 2 0 2 1 0\n6 0 3 5 4 0\n", "line 2 does not follow"),
    (b"5 2 0 1 0\n6 0 5 3 4 0\n", "line 1 does not follow"),
    (b"5 2 0 1 7 0\n", "line 1 does not follow"),
    (b"5 2 0 6 0\n6 2 0 5 0\n7 0 5 3 4 0\n", "line 1 does not follow"),
    (b"5 2 0 1 2 0\n6 0 5 3 4 0\n7 2 0 6 0\n", "does not end with the empty clause"),
    (b"4 2 0 1 2 0\n", "there is another clause 4"),
    (b"5 2 0 1 2 0\n", "does not end with the empty clause"),
    (b"5 2 0 1 2\n", "'5 2 0 1 2' is not a line such as '7 1 -2 0 3 4 0'"),
    (b"5 2 0 -1 2 0\n", "is not a line"),
    (b"-5 2 0 1 2 0\n", "is not a line"),
    (b"05 2 0 1 2 0\n", "is not a line"),
    (b"5 2 0 1  2 0\n", "is not a line"),
    (b"5 2 0 1 2 0\r\n", "is not a line"),
    (b"5 2 0 1 2 0\n6 0 5 3 4 0", "is not a line"),
    (b"5 0\n", "'5 0' is not a line"),
    (b"hello\n", "'hello' is not a line"),
    (b"5 x 0 1 0\n", "is not a line"),
    (b"", "does not end with the empty clause"),
])  # fmt: skip
def test_lrat(proof: bytes, message: str) -> None:
    if not message:
        assert proofs.check_lrat_proof(FOUR, proof) == len(proof.splitlines())
        return
    with pytest.raises(ProofError) as error:
        proofs.check_lrat_proof(FOUR, proof)
    assert message in str(error.value)


@given(st.data())
def test_changed_lrat_proofs_are_accepted_only_for_unsatisfiable_formulas(data: st.DataObject):
    clauses = unsatisfiable(data.draw(st.integers(0, 200)), 8, 6.0)
    proof = refute("glucose4", clauses, Meter(UNLIMITED))
    assert isinstance(proof, bytes)
    formula, lines = (
        proofs.parse_clauses(lines_of(clauses), "f", 8),
        proofs.parse_clauses(proof, "p", 8),
    )
    reasons = proofs.check_drat_proof(formula, lines, hints=True).reasons()
    assert reasons
    hinted = [
        line.split()
        for line in "".join(proofs.lrat_lines(len(clauses), lines, reasons)).splitlines()
    ]
    for _ in range(3):
        line = data.draw(st.sampled_from(hinted))
        line[data.draw(st.integers(0, len(line) - 1))] = str(data.draw(st.integers(-9, 60)))
    drop = data.draw(st.integers(0, len(clauses) - 1))
    weaker = [*clauses[:drop], [9], *clauses[drop + 1 :]]
    try:
        proofs.check_lrat_proof(weaker, "\n".join(map(" ".join, hinted)).encode())
    except ProofError:
        return
    assert not is_satisfiable(weaker)
