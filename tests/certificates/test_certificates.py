"""Certificates are valid, other checkers agree, and any tampering is detected."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import UNRULY, Board, Puzzle, check, enumerate_solutions
from binairo_cp.certificates import (
    checking,
    container,
    foreign_checkers,
    formula,
    making,
    record,
    storing,
)
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.proofs import lrat, text
from binairo_cp.errors import BackendError, BudgetExceeded, CertificateError, SourceError
from binairo_cp.formats import read_sources
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, call, invoke, run
from tests.support.programs import needed
from tests.support.strategies import examples, puzzles

PUZZLES = {
    "unique": Puzzle(Board(6, 6, UNIQUE)),
    "multiple": Puzzle(Board(6, 6, MULTIPLE)),
    "none": Puzzle(Board(6, 6, NONE)),
}
HARD = next(iter(read_sources(["instances/classic/06x06-hard.txt"]))).puzzle
assert HARD


def certificate(puzzle: Puzzle, **options: str) -> Files:
    return making.certify(puzzle, check(puzzle, reasons="none"), id="x", **options)[0]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def hard() -> Files:
    return certificate(HARD)


@pytest.mark.parametrize("claim", PUZZLES)
def test_all_claims_are_certified(claim: str) -> None:
    puzzle = PUZZLES[claim]
    found = checking.check(certificate(puzzle))
    assert (found.claim, found.id, found.puzzle) == (claim, "x", puzzle)
    assert set(found.solutions) <= set(enumerate_solutions(puzzle, limit=4_200))
    number = {"unique": 1, "multiple": 2, "none": 0}[claim]
    assert len(found.solutions) == number
    allowed = f"{number} checked against the rules and the clues" if number else None
    assert found.findings.get("solutions") == allowed
    assert ("formula" in found.findings) == (claim != "multiple")


@given(puzzle=puzzles())
def test_all_kinds_of_puzzles_are_certified(puzzle: Puzzle) -> None:
    outcome = check(puzzle, reasons="none", time_limit=2)
    if outcome.verdict == "unknown":
        return
    files, found = making.certify(puzzle, outcome)
    assert found.claim == outcome.verdict
    assert found.puzzle == puzzle
    assert record.LRAT in files or outcome.verdict == "multiple"


def test_unknown_verdicts_are_not_certified() -> None:
    outcome = check(Puzzle(Board.empty(30, 30)), time_limit=0)
    with pytest.raises(CertificateError, match="there is nothing to certify"):
        making.certify(Puzzle(Board.empty(30, 30)), outcome)
    with pytest.raises(BudgetExceeded):
        making.certify(HARD, check(HARD), seconds=0)


def test_wrong_outcomes_are_not_certified() -> None:
    """The outcome claims one solution for a puzzle with two, and none for one with some."""
    puzzle = PUZZLES["multiple"]
    outcome = check(puzzle)
    for verdict, solutions in (("unique", outcome.solutions[:1]), ("none", ())):
        wrong = replace(outcome, verdict=type(outcome.verdict)(verdict), solutions=solutions)
        with pytest.raises(BackendError, match="instead of a proof"):
            making.certify(puzzle, wrong)
    outcome = check(PUZZLES["unique"])
    changed = replace(outcome, solutions=(outcome.solutions[0].complemented(),))
    with pytest.raises(BackendError, match="instead of a proof"):
        making.certify(PUZZLES["unique"], changed)


def test_invalid_proofs_are_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("binairo_cp.solving.backends.engines.refute", lambda *_: b"1 0\n-1 0\n")
    with pytest.raises(Exception, match="step 1 of the proof does not follow"):
        making.certify(HARD, check(HARD))


def test_other_checkers_agree(tmp_path: Path) -> None:
    pytest.importorskip("dratify")
    for entry in read_sources(["instances/classic/08x08-hard.txt", "instances/signs"]):
        assert entry.puzzle
        files = certificate(entry.puzzle)
        assert foreign_checkers.run_checker("dratify", files) == "accepts the proof"


@pytest.mark.parametrize(
    "solver", ["cadical195", "maplechrono", "external cadical", "external kissat"]
)
def test_other_solvers_prove(solver: str) -> None:
    kind, _, program = solver.rpartition(" ")
    name = f"external:{needed(program)}" if kind else solver
    assert checking.check(certificate(HARD, solver=name)).claim == "unique"


def test_external_solvers_without_proof(tmp_path: Path) -> None:
    script = tmp_path / "solver.py"
    command = f"external:{sys.executable} {script} {{cnf}} {{proof}}"
    for code, message in {
        "print('s UNSATISFIABLE')": "returned no proof (exit status 0)",
        "import sys; sys.exit('no licence')": "returned no proof (exit status 1: no licence)",
        "print('s SATISFIABLE'); print('v', *range(1, 37), 0)": "instead of a proof",
    }.items():
        script.write_text(code)
        with pytest.raises(BackendError, match=re.escape(message)):
            certificate(HARD, solver=command)


def test_large_proofs_of_external_solvers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "solver.py"
    script.write_text(
        "import sys; open(sys.argv[1], 'w').write('0\\n' * 9); print('s UNSATISFIABLE')"
    )
    monkeypatch.setitem(container.MAX_UNPACKED, record.DRAT, 17)
    message = f"the proof of {sys.executable} is too large; expected at most 17 bytes"
    with pytest.raises(BackendError, match=re.escape(message)):
        certificate(HARD, solver=f"external:{sys.executable} {script} {{proof}} {{cnf}}")


@pytest.mark.parametrize("limit", ["file", "line"])
def test_large_lrat_proofs_are_left_out(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit == "file":
        monkeypatch.setitem(container.MAX_UNPACKED, record.LRAT, 9)
    else:
        monkeypatch.setattr(lrat, "MAX_LINE_BYTES", 9)
    assert record.LRAT not in certificate(HARD)


# --- Tampering --------------------------------------------------------------------------------


def sealed(files: Files) -> Files:
    """Update the hashes and sizes in the manifest, as a forger would."""
    manifest = json.loads(files[record.MANIFEST])
    manifest["files"] = {
        name: {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
        for name, data in files.items()
        if name != record.MANIFEST
    }
    return files | {record.MANIFEST: json.dumps(manifest).encode()}


def with_manifest(files: Files, **changes: object) -> Files:
    manifest = json.loads(files[record.MANIFEST]) | changes
    return files | {record.MANIFEST: json.dumps(manifest).encode()}


def edited(files: Files, name: str, edit: Callable[[list[str]], list[str]]) -> Files:
    data = files[name]
    packed = name.endswith(".gz")
    lines = (gzip.decompress(data) if packed else data).decode().splitlines()
    text = "".join(f"{line}\n" for line in edit(lines)).encode()
    return sealed(files | {name: gzip.compress(text, mtime=0) if packed else text})


def changed_json(files: Files, **changes: object) -> Files:
    puzzle = json.loads(files[record.PUZZLE]) | changes
    return sealed(files | {record.PUZZLE: json.dumps(puzzle).encode()})


def without(files: Files, name: str) -> Files:
    return {each: data for each, data in files.items() if each != name}


SOLVED = next(enumerate_solutions(HARD))
OPEN_HARD = HARD.board.cells.replace("1", ".", 1)
OTHER = SOLVED.complemented()

TAMPERED: dict[str, tuple[Callable[[Files], Files], str]] = {
    "a byte": (
        lambda f: f | {record.FORMULA: f[record.FORMULA].replace(b"1 2 3", b"1 2 4", 1)},
        "formula.cnf does not match its SHA-256 hash in the manifest",
    ),
    "a length": (
        lambda f: f | {record.DRAT: f[record.DRAT] + b"x"},
        "proof.drat.gz has .* bytes, not",
    ),
    "a clue": (
        lambda f: changed_json(f, clues=OPEN_HARD),
        "formula.cnf, line 7: 'c clues ..10..'; expected 'c clues ...0..'",
    ),
    "another clue": (
        lambda f: changed_json(f, clues=OTHER.cells),
        "solution.txt is not a solution: it breaks clue",
    ),
    "the rules": (
        lambda f: changed_json(f, rules="unruly"),
        "formula.cnf, line 5: 'c rule distinct_lines True'",
    ),
    "no rules": (lambda f: changed_json(f, rules=None), "puzzle.json: rules"),
    "rules of which none is stated": (
        lambda f: changed_json(f, rules={}),
        "puzzle.json: rules.balanced: Field required",
    ),
    "rules of which one is not stated": (
        lambda f: changed_json(f, rules={"balanced": True, "longest_run": 2, "odd": "either"}),
        "puzzle.json: rules.distinct_lines: Field required",
    ),
    "a size": (lambda f: changed_json(f, height=5), "puzzle.json: a 5x6 board has 30 cells"),
    "a huge size": (
        lambda f: changed_json(f, height=255, width=255, clues="." * 255 * 255),
        "solution.txt is not a solution",
    ),
    "the solution": (
        lambda f: sealed(f | {record.SOLUTION: f"{OTHER}\n".encode()}),
        "solution.txt is not a solution: it breaks clue",
    ),
    "an open solution": (
        lambda f: sealed(f | {record.SOLUTION: f"{HARD.board}\n".encode()}),
        "it has open cells",
    ),
    "no board": (
        lambda f: sealed(f | {record.SOLUTION: b"\xff"}),
        "solution.txt is not a solution",
    ),
    "a clause less": (
        lambda f: edited(f, record.FORMULA, lambda lines: [*lines[:-1]]),
        r"formula.cnf, line \d+: the file ends too early; expected '[-\d ]+ 0'",
    ),
    "a clause more": (
        lambda f: edited(f, record.FORMULA, lambda lines: [*lines, "1 0"]),
        r"formula.cnf, line \d+: '1 0'; expected the end of the file",
    ),
    "another clause": (
        lambda f: edited(f, record.FORMULA, lambda lines: [*lines[:-1], "1 2 0"]),
        r"formula.cnf, line \d+: '1 2 0'; expected '",
    ),
    "the header": (
        lambda f: edited(f, record.FORMULA, lambda x: [y.replace("p cnf ", "p cnf 9") for y in x]),
        r"formula.cnf, line \d+: 'p cnf 9",
    ),
    "something before the header": (
        lambda f: edited(f, record.FORMULA, lambda lines: ["1 0", *lines]),
        "formula.cnf, line 1: '1 0'; expected 'c binairo puzzle",
    ),
    "no clauses": (
        lambda f: sealed(f | {record.FORMULA: b"p cnf 0 0\n"}),
        "formula.cnf, line 1: 'p cnf 0 0'; expected '",
    ),
    "no proof": (lambda f: sealed(f | {record.DRAT: gzip.compress(b"")}), "has no empty clause"),
    "only the empty clause": (
        lambda f: sealed(f | {record.DRAT: gzip.compress(b"0\n")}),
        "step 1 of the proof does not follow",
    ),
    "a foreign line": (
        lambda f: edited(f, record.DRAT, lambda lines: ["1 0", "-1 0", *lines]),
        "step [12] of the proof does not follow",
    ),
    "a truncated proof": (
        lambda f: edited(f, record.DRAT, lambda lines: lines[:-1]),
        "proof.drat.gz: the proof has no empty clause",
    ),
    "garbage in the proof": (
        lambda f: edited(f, record.DRAT, lambda lines: ["garbage", *lines]),
        "proof.drat.gz: line 1: 'garbage' is not a clause",
    ),
    "a broken gzip": (
        lambda f: sealed(f | {record.DRAT: f[record.DRAT][:-9]}),
        "proof.drat.gz can't be unpacked",
    ),
    "no gzip": (
        lambda f: sealed(f | {record.DRAT: b"1 2 0\n0\n"}),
        "proof.drat.gz can't be unpacked: ",
    ),
    "an LRAT line less": (
        lambda f: edited(f, record.LRAT, lambda lines: lines[1:]),
        "proof.lrat.gz: LRAT line . does not follow",
    ),
    "an LRAT hint": (
        lambda f: edited(
            f, record.LRAT, lambda lines: [*lines[:-1], lines[-1].replace(" 0 ", " 0 9999 ")]
        ),
        "proof.lrat.gz: LRAT line . does not follow",
    ),
    "an LRAT proof of nothing": (
        lambda f: sealed(f | {record.LRAT: gzip.compress(b"")}),
        "proof.lrat.gz: the LRAT proof has no empty clause",
    ),
    "another claim": (
        lambda f: with_manifest(f, claim="none"),
        "the claim none does not allow solution",
    ),
    "a claim of two": (
        lambda f: with_manifest(f, claim="multiple"),
        "the claim multiple needs second_solution.txt",
    ),
    "a claim of much": (lambda f: with_manifest(f, claim="all"), "manifest.json: claim: Input sh"),
    "another version": (
        lambda f: with_manifest(f, schema_version=2),
        "manifest.json: schema_version: Input should be 1",
    ),
    "another encoder": (
        lambda f: with_manifest(f, formula={"encoder": 2}),
        "manifest.json: formula.encoder: Input should be 1",
    ),
    "no version of the encoder": (
        lambda f: with_manifest(f, formula={"distinct_lines": []}),
        "manifest.json: formula.encoder: Field required",
    ),
    "no version": (
        lambda f: f | {record.MANIFEST: f[record.MANIFEST].replace(b'"schema_version": 1,', b"")},
        "manifest.json: schema_version: Field required",
    ),
    "no encoder": (
        lambda f: with_manifest(f, formula=None),
        "formula: the claim unique needs this field",
    ),
    "another field": (lambda f: with_manifest(f, trust="me"), "manifest.json: trust: Extra inputs"),
    "lines that differ": (
        lambda f: with_manifest(f, formula={"encoder": 1, "distinct_lines": [["row", 0, 1]]}),
        r"formula.cnf, line \d+: .*; expected '",
    ),
    "lines that are not there": (
        lambda f: with_manifest(f, formula={"encoder": 1, "distinct_lines": [["row", 4, 6]]}),
        "rows 5 and 7 are listed as distinct, but the puzzle does not require it",
    ),
    "one line twice": (
        lambda f: with_manifest(f, formula={"encoder": 1, "distinct_lines": [["row", 1, 1]]}),
        "rows 2 and 2 are listed as distinct, but the puzzle does not require it",
    ),
    "a line before the first": (
        lambda f: with_manifest(f, formula={"encoder": 1, "distinct_lines": [["row", -1, 5]]}),
        "manifest.json: formula.distinct_lines.0.1: Input should be greater than or equal to 0",
    ),
    "the second line": (
        lambda f: edited(f, record.FORMULA, lambda lines: [lines[0], "1 0", *lines[1:]]),
        "formula.cnf, line 2: '1 0'; expected '",
    ),
    "lines twice": (
        lambda f: with_manifest(f, formula={"encoder": 1, "distinct_lines": [["row", 0, 1]] * 2}),
        "; expected ('|the end of the file)",
    ),
    "very many lines": (
        lambda f: with_manifest(
            f,
            formula={
                "encoder": 1,
                "distinct_lines": [["row", k, j] for j in range(255) for k in range(j)],
            },
        ),
        "are listed as distinct, but the puzzle|; expected '",
    ),
    "no JSON": (lambda f: f | {record.MANIFEST: b"{"}, "manifest.json: Expecting property name"),
    "no manifest": (lambda f: without(f, record.MANIFEST), "manifest.json is missing"),
    "a missing file": (lambda f: without(f, record.SOLUTION), "solution.txt is not in the cert"),
    "a file that is not in the manifest": (
        lambda f: f | {record.SECOND_SOLUTION: b""},
        "second_solution.txt is not in the manifest",
    ),
    "a missing file, sealed": (
        lambda f: sealed(without(f, record.SOLUTION)),
        "the claim unique needs solution.txt",
    ),
    "no puzzle": (lambda f: sealed(f | {record.PUZZLE: b"[]"}), "puzzle.json: Input should be"),
    "a field of a puzzle that means nothing": (
        lambda f: changed_json(f, sign=[]),
        "puzzle.json: sign: Extra inputs",
    ),
    "a second reading": (lambda f: changed_json(f, distinct_lines=True), "puzzle.json: distinct_l"),
    "a puzzle that says two things": (
        lambda f: sealed(
            f | {record.PUZZLE: f[record.PUZZLE].replace(b'{"id"', b'{"clues":"....","id"')}
        ),
        "puzzle.json: a key occurs twice",
    ),
    "a version that looks like it": (
        lambda f: with_manifest(f, schema_version=True),
        "schema_version: expected a whole number",
    ),
    "a comment": (
        lambda f: edited(f, record.FORMULA, lambda lines: ["c easy", *lines]),
        "formula.cnf, line 1: 'c easy'; expected 'c binairo puzzle",
    ),
    "two members in a gzip": (
        lambda f: sealed(f | {record.DRAT: f[record.DRAT] * 2}),
        "can't be unpacked: it is truncated, or other data follows",
    ),
    "a puzzle with odd signs": (
        lambda f: changed_json(f, signs=[[9, 9, "R", "="]]),
        "puzzle.json: ",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_certificates_are_rejected(hard: Files, name: str) -> None:
    tamper, message = TAMPERED[name]
    with pytest.raises(CertificateError) as error:
        checking.check(tamper(hard))
    assert re.search(message, str(error.value)), error.value


def test_the_two_solutions_must_differ() -> None:
    files = certificate(PUZZLES["multiple"])
    same = sealed(files | {record.SECOND_SOLUTION: files[record.SOLUTION]})
    with pytest.raises(CertificateError, match="the two solutions are the same"):
        checking.check(same)


@examples(5)
@given(data=st.data())
def test_flipped_bits_are_detected(hard: Files, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(hard)))
    place = data.draw(st.integers(0, len(hard[name]) * 8 - 1))
    flipped = bytearray(hard[name])
    flipped[place // 8] ^= 1 << (place % 8)
    files = hard | {name: bytes(flipped)}
    try:
        checking.check(files)
    except CertificateError:
        return
    # Only the name of the author may change, since nothing depends on it.
    manifests = [json.loads(each[record.MANIFEST]) for each in (hard, files)]
    for each in manifests:
        del each["solver"], each["made_by"]
    assert name == record.MANIFEST
    assert manifests[0] == manifests[1]


@examples(2.5)
@given(data=st.data())
def test_forged_certificates_are_rejected_or_still_true(hard: Files, data: st.DataObject) -> None:
    """Lines are dropped, doubled, swapped or changed, and the hashes are updated."""
    name = data.draw(st.sampled_from([record.FORMULA, record.DRAT, record.LRAT]))

    def edit(lines: list[str]) -> list[str]:
        place = data.draw(st.integers(0, len(lines) - 1))
        other = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.sampled_from(["drop", "double", "swap", "number"]))
        if change == "drop":
            return lines[:place] + lines[place + 1 :]
        if change == "double":
            return [*lines[: place + 1], *lines[place:]]
        if change == "swap":
            lines[place], lines[other] = lines[other], lines[place]
            return lines
        words = lines[place].split(" ")
        words[data.draw(st.integers(0, len(words) - 1))] = str(data.draw(st.integers(-40, 40)))
        return [*lines[:place], " ".join(words), *lines[place + 1 :]]

    forged = edited(hard, name, edit)
    try:
        found = checking.check(forged)
    except CertificateError:
        return
    # What still holds says the same: another order, a comment, a line that is not needed.
    assert (found.claim, found.puzzle, found.solutions) == ("unique", HARD, (SOLVED,))
    foreign_checkers.run_checker("dratify", forged)


# --- Containers -------------------------------------------------------------------------------


def zip_of(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def test_folders_and_zips_have_the_same_files(hard: Files, tmp_path: Path) -> None:
    for name in ("one.zip", "one", "below/two.zip"):
        container.write(hard, tmp_path / name)
        container.write(hard, tmp_path / name)
        assert container.read(tmp_path / name) == hard
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "below/two.zip").read_bytes()
    assert not list(tmp_path.rglob("*.partial"))
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        # The date is fixed, since it would make zips differ.
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_names_of_stored_certificates(tmp_path: Path) -> None:
    store = storing.Store(str(tmp_path / "c"))
    assert store.may_be_single
    one, two = PUZZLES["unique"], PUZZLES["none"]
    names = [Path(store.add(each, check(each), "x", None)).name for each in (one, two, one)]
    assert (names[0], names[2]) == ("x.zip", "x.zip")
    assert re.fullmatch(r"x-[0-9a-f]{8}\.zip", names[1])
    assert {each.name for each in (tmp_path / "c").iterdir()} == set(names)
    assert not store.may_be_single
    container.write(certificate(one), tmp_path / "single")
    assert storing.Store(str(tmp_path / "single")).may_be_single


def test_a_store_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = storing.Store(str(tmp_path / "file/c"))
    with pytest.raises(SourceError, match=r"x\.zip: can't be written: Not a directory$"):
        store.add(HARD, check(HARD), "x", None)


def test_other_files_are_not_overwritten(hard: Files, tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("x")
    with pytest.raises(SourceError, match="it exists and is not a certificate"):
        container.write(hard, tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceError, match="it exists and is not a certificate"):
        container.write(hard, tmp_path / "file")
    assert (tmp_path / "precious.txt").read_text() == "x"


CONTAINERS = {
    "no zip": (b"hello", "neither a folder nor a zip"),
    "empty": (b"", "neither a folder nor a zip"),
    "a path": (zip_of(("../../evil", b"x")), "unexpected file '../../evil'"),
    "an absolute path": (zip_of(("/etc/passwd", b"x")), "unexpected file '/etc/passwd'"),
    "another file": (zip_of(("readme.txt", b"x")), "unexpected file 'readme.txt'"),
    "a folder": (zip_of(("puzzle.json/", b"")), "unexpected file 'puzzle.json/'"),
    "a bomb": (zip_of((record.SOLUTION, bytes(1 << 26))), "solution.txt has more than 1,048,576"),
    "many files": (zip_of(*((f"{k}", b"") for k in range(999))), "more files than a certificate"),
    "cut off": (zip_of((record.PUZZLE, b"x" * 999))[20:], "the zip can't be read"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_hostile_containers(tmp_path: Path, name: str) -> None:
    data, message = CONTAINERS[name]
    (tmp_path / "c.zip").write_bytes(data)
    with pytest.raises(CertificateError) as error:
        container.read(tmp_path / "c.zip")
    assert message in str(error.value)


def test_duplicate_files_in_a_zip(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zip_of((record.PUZZLE, b"1"), (record.PUZZLE, b"2"))
    (tmp_path / "c.zip").write_bytes(data)
    with pytest.raises(CertificateError, match=r"puzzle\.json occurs twice"):
        container.read(tmp_path / "c.zip")


def test_links_are_not_followed(hard: Files, tmp_path: Path) -> None:
    container.write(hard, tmp_path / "c")
    (tmp_path / "c" / record.SOLUTION).rename(tmp_path / "elsewhere")
    (tmp_path / "c" / record.SOLUTION).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CertificateError, match=r"solution\.txt is not a regular file"):
        container.read(tmp_path / "c")


def test_unsupported_compression(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(record.PUZZLE, "{}")
    with pytest.raises(CertificateError, match="has an unsupported compression"):
        container.read(tmp_path / "c.zip")


@pytest.mark.parametrize(
    ("proof", "message"),
    [
        (b"7 0 " + b"1 " * (1 << 22) + b"0\n", "LRAT line 1 has more than 4,194,304 bytes"),
        (b"9999999 1 0 " + b"1 " * 10 + b"0\n", "LRAT line 1 does not follow"),
    ],
)
def test_long_lines_of_hints_are_rejected(hard: Files, proof: bytes, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        checking.check(sealed(hard | {record.LRAT: gzip.compress(proof, mtime=0)}))


def test_proofs_with_too_many_lines_are_rejected(hard: Files) -> None:
    proof = gzip.compress(b"0\n" * (text.MAX_LINES + 1), compresslevel=1, mtime=0)
    with pytest.raises(CertificateError, match="has more than 10,000,000 lines"):
        checking.check(sealed(hard | {record.DRAT: proof}))


def test_huge_puzzles_are_encoded_only_as_far_as_the_file_agrees(hard: Files) -> None:
    """The comments agree, and then the file ends: no further clauses are generated."""
    puzzle = Puzzle(Board.empty(255, 255), UNRULY)
    head = formula.comments(puzzle, None) + b"p cnf 0 0\n"
    manifest = json.loads(hard[record.MANIFEST]) | {"claim": "none", "formula": {"encoder": 1}}
    files = {
        record.PUZZLE: record.puzzle_text(puzzle, None),
        record.FORMULA: head,
        record.DRAT: hard[record.DRAT],
        record.MANIFEST: json.dumps(manifest).encode(),
    }
    with pytest.raises(CertificateError, match="the file ends too early"):
        checking.check(sealed(files))


def test_damaged_zips_are_reported_as_such(hard: Files, tmp_path: Path) -> None:
    container.write(hard, tmp_path / "c.zip")
    data = (tmp_path / "c.zip").read_bytes()
    rng = random.Random(0)
    for _ in range(200):
        place = rng.randrange(len(data))
        changed = data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
        (tmp_path / "c.zip").write_bytes(changed)
        try:
            files = container.read(tmp_path / "c.zip")
            checking.check(files)
        except CertificateError:
            continue
        # Dates and similar metadata do not matter.
        assert without(files, record.MANIFEST) == without(hard, record.MANIFEST)


def test_folders_with_irregular_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / record.PUZZLE)
    with pytest.raises(CertificateError, match=r"puzzle\.json is not a regular file"):
        container.read(tmp_path)
    with pytest.raises(SourceError, match="is neither a file nor a folder"):
        container.read(tmp_path / record.PUZZLE)


def test_unpacked_proofs_are_limited(hard: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(container.MAX_UNPACKED, record.DRAT, 1 << 20)
    bomb = sealed(hard | {record.DRAT: gzip.compress(b"1 0\n" * (1 << 20))})
    with pytest.raises(CertificateError, match="has more than 1,048,576 bytes when unpacked"):
        checking.check(bomb)


def test_limits_agree_with_the_docs() -> None:
    page = Path("docs/certificates.md").read_text()
    for name, most in container.MAX_BYTES.items():
        assert f"| `{name}` | {most >> 20} MiB |" in page
    assert f"the DRAT proof has at most {container.MAX_UNPACKED[record.DRAT] >> 20} MiB" in page
    assert f"the LRAT proof {container.MAX_UNPACKED[record.LRAT] >> 20} MiB" in page
    assert f"{formula.MAX_CLAUSES:,} clauses" in page
    assert f"{text.MAX_LINES:,} lines" in page
    assert f"{lrat.MAX_LINE_BYTES >> 20} MiB long" in page


# --- At the command line ----------------------------------------------------------------------


def test_certify_and_verify_one(tmp_path: Path) -> None:
    out = tmp_path / "one.zip"
    done = invoke("certify", "-o", str(out), input=f"{UNIQUE} my puzzle", check=0)
    assert f"my puzzle: unique, certificate in {out}\n" in done.stdout
    done = invoke("verify", str(out), check=0)
    assert done.stdout.startswith(
        f"{out}: valid: exactly one solution\n  puzzle: my puzzle 6x6 classic\n"
    )
    assert "proof.drat.gz: " in done.stdout
    assert invoke("verify", "-q", str(out), check=0).stdout.count("\n") == 1
    verified = json.loads(invoke("verify", str(out), "--to", "ndjson", check=0).stdout)
    assert (verified["valid"], verified["claim"], verified["solutions"]) == (
        True,
        "unique",
        [KNOWN],
    )
    invoke("certify", "-o", str(tmp_path / "folder"), input=UNIQUE, check=0)
    assert (tmp_path / "folder" / record.MANIFEST).exists()
    invoke("verify", str(tmp_path / "folder"), check=0)


@pytest.mark.slow
def test_certify_and_verify_many(tmp_path: Path) -> None:
    """Two puzzles with the same id, an invalid one, and all claims; in worker processes."""
    lines = [f"{UNIQUE} a", f"{MULTIPLE} a", f"{NONE} c", "01 broken", f"{UNIQUE} ../x"]
    (tmp_path / "all.line").write_text("\n".join(lines))
    command = ["certify", str(tmp_path / "all.line"), "-o", f"{tmp_path}/out", "--to", "ndjson"]
    for _ in range(2):
        done = run(*command, check=2)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        assert [each["verdict"] for each in records] == [
            "unique",
            "multiple",
            "none",
            "invalid",
            "unique",
        ]
        kept = [Path(each["certificate"]) for each in records if "certificate" in each]
        assert sorted(kept) == sorted((tmp_path / "out").iterdir())
        assert len(set(kept)) == 4
        assert {path.name for path in kept} >= {"a.zip", "c.zip", "x.zip"}
    done = run("verify", f"{tmp_path}/out", check=0)
    assert done.stdout.count(": valid: ") == 4
    container_of_a = container.read(kept[0])
    container.write(container_of_a | {record.SOLUTION: b"x\n"}, kept[0])
    done = run("verify", f"{tmp_path}/out", check=1)
    assert f"{kept[0]}: rejected: solution.txt has 2 bytes, not 42" in done.stdout
    done = run("certify", str(tmp_path / "all.line"), "-o", f"{tmp_path}/x.zip", check=2)
    assert "is one certificate for many puzzles; expected a folder" in done.stderr


def test_check_writes_certificates(tmp_path: Path) -> None:
    done = invoke(
        "check", "--certify", f"{tmp_path}/c", "--to", "line", input=f"{UNIQUE} q", check=0
    )
    assert done.stdout == f"{KNOWN} unique q\n"
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["q.zip"]
    assert invoke("check", "--certify", "x", "--rules", "both", input=UNIQUE, check=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify", "nowhere.zip"), "nowhere.zip: not verified: is neither a file nor a folder"),
        (("verify", "README.md"), "README.md: rejected: neither a folder nor a zip"),
        (("verify", "docs"), "binairo: docs: holds no certificate"),
        (("certify", "-o", "x.zip", "--solver", "minisat22"), "'minisat22' can't write proofs"),
        (("certify", "-o", "x.zip", "--solver", "external:nothing"), "no program 'nothing'"),
        (("certify",), "Missing option"),
        (("certify", "-o", "README.md/x.zip"), "can't be written"),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], message: str) -> None:
    done = invoke(*arguments, input=UNIQUE)
    assert done.returncode in (1, 2)
    assert message in (done.stdout + done.stderr).replace("│\n│", "")
    assert not Path("x.zip").exists()


def test_time_limits(tmp_path: Path) -> None:
    out = str(tmp_path / "x.zip")
    done = invoke("certify", "-o", out, "--time-limit", "0", input="." * 900)
    assert (done.returncode, "unknown" in done.stdout) == (3, True)
    invoke("certify", "-o", out, input=UNIQUE, check=0)
    done = invoke("verify", out, "--time-limit", "0", check=3)
    assert "not verified: the time allowed ran out" in done.stdout


CHECKERS = {
    "print('c fine'); print('s VERIFIED')": (0, "accepts the proof"),
    "print('\\r s VERIFIED UNSAT')": (0, "accepts the proof"),
    "print('s NOT VERIFIED')": (1, "does not accept the proof (s NOT VERIFIED)"),
    "print('s VERIFIED'); raise SystemExit(1)": (1, "does not accept the proof (s VERIFIED)"),
    "": (1, "does not accept the proof (exit status 0)"),
}


@pytest.mark.parametrize("code", CHECKERS)
def test_a_command_as_another_checker(tmp_path: Path, code: str) -> None:
    status, message = CHECKERS[code]
    out, script = tmp_path / "x.zip", tmp_path / "checker.py"
    script.write_text(
        f"import sys; assert len(open(sys.argv[1]).read()) > 9, open(sys.argv[2])\n{code}"
    )
    container.write(certificate(HARD), out)
    for command in (f"{sys.executable} {script}", f"{sys.executable} {script} {{cnf}} {{lrat}}"):
        ended, said, _ = call("verify", str(out), "--checker", command)
        assert ended == status
        assert message in said


def test_a_command_may_have_any_name(hard: Files) -> None:
    with pytest.raises(CertificateError, match="does not accept the proof"):
        foreign_checkers.run_checker("false", hard)


def test_verifying_loads_no_solver(tmp_path: Path) -> None:
    container.write(certificate(HARD), tmp_path / "x.zip")
    code = (
        "import sys; from binairo_cp.cli import app\n"
        "try: app(['verify', sys.argv[1]])\n"
        "except SystemExit as end: assert not end.code\n"
        "print([name for name in ('pysat', 'ortools') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "x.zip")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.endswith("refute the formula\n[]\n"), done.stderr


def test_signs_and_unruly_rules_are_in_the_certificate() -> None:
    for entry in read_sources(["instances/signs", "instances/unruly"]):
        assert entry.puzzle
        found = checking.check(certificate(entry.puzzle))
        assert found.puzzle == entry.puzzle
    assert any(e.puzzle and e.puzzle.rules == UNRULY for e in read_sources(["instances/unruly"]))
