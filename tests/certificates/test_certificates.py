"""Certificates are valid, and any tampering is detected."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import UNRULY, Board, Puzzle, check, enumerate_solutions
from binairo_cp.certificates import checking, container, formula, making, proofs, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError, BudgetExceeded, CertificateError, SourceError
from tests.certificates.tampering import (
    HARD,
    PUZZLES,
    certificate,
    changed_json,
    edited,
    sealed,
    with_manifest,
)
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, invoke, run
from tests.support.strategies import examples


@pytest.fixture(scope="module")
def hard() -> Files:
    return certificate(HARD)


@pytest.mark.parametrize("claim", PUZZLES)
def test_all_claims_are_certified(claim: str) -> None:
    puzzle = PUZZLES[claim]
    files = certificate(puzzle)
    found = checking.check(files)
    assert (found.claim, found.id, found.puzzle) == (claim, "x", puzzle)
    assert set(found.solutions) <= set(enumerate_solutions(puzzle, limit=4_200))
    number = {"unique": 1, "multiple": 2, "none": 0}[claim]
    assert len(found.solutions) == number
    allowed = f"{number} checked against the rules and the clues" if number else None
    assert found.findings.get("solutions") == allowed
    assert ("formula" in found.findings) == (claim != "multiple")
    words = {"unique": "exactly one solution", "multiple": "several solutions"}
    assert str(found) == f"valid: {words.get(claim, 'no solution')}"
    assert {found} == {checking.check(files)}


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


def test_another_solver_proves() -> None:
    assert checking.check(certificate(HARD, solver="maplechrono")).claim == "unique"


@pytest.mark.parametrize("limit", ["file", "line"])
def test_large_lrat_proofs_are_left_out(hard: Files, limit: str, monkeypatch: pytest.MonkeyPatch):
    proof = gzip.decompress(hard[record.LRAT])
    largest = len(proof) if limit == "file" else max(map(len, proof.splitlines(keepends=True)))
    for most, is_kept in ((largest, True), (largest - 1, False)):
        if limit == "file":
            monkeypatch.setitem(container.MAX_UNPACKED, record.LRAT, most)
        else:
            monkeypatch.setattr(proofs, "MAX_LINE_BYTES", most)
        assert (record.LRAT in certificate(HARD)) == is_kept


def test_the_size_of_formulas_is_limited(hard: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = len(hard[record.FORMULA].partition(b"p cnf")[2].splitlines()) - 1
    monkeypatch.setattr(formula, "MAX_CLAUSES", clauses)
    assert certificate(HARD)[record.FORMULA] == hard[record.FORMULA]
    monkeypatch.setattr(formula, "MAX_CLAUSES", clauses - 1)
    message = f"the formula has more than {clauses - 1} clauses"
    with pytest.raises(CertificateError, match=message):
        certificate(HARD)
    with pytest.raises(CertificateError, match=message):
        checking.check(hard)


def test_the_length_of_ids_is_limited() -> None:
    longest = "x" * record.MAX_ID
    files = making.certify(HARD, check(HARD), id=longest)[0]
    assert checking.check(files).id == longest
    message = "the id has 1,001 characters; expected at most 1,000 in a certificate"
    with pytest.raises(CertificateError, match=message):
        making.certify(HARD, check(HARD), id=f"{longest}x")
    with pytest.raises(CertificateError, match=r"puzzle\.json: id: expected at most"):
        checking.check(changed_json(files, id=f"{longest}x"))


# --- Tampering --------------------------------------------------------------------------------


@given(data=st.data())
def test_errors_in_a_formula_name_the_line(hard: Files, data: st.DataObject) -> None:
    before = hard[record.FORMULA].decode().splitlines()
    head = next(k for k, line in enumerate(before) if line.startswith("p cnf"))
    place = data.draw(st.integers(0, len(before) - 1) | st.just(head))
    change = data.draw(st.sampled_from(["replace", "insert", "cut"]))
    after = before[:place]
    if change != "cut":
        after += ["9 9 0", *before[place + (change == "replace") :]]
    actual = "the file ends too early" if change == "cut" else "'9 9 0'"
    # The numbers in the head are only known after all clauses were read.
    expected = "p cnf" if place == head else before[place][:60]
    with pytest.raises(CertificateError) as error:
        checking.check(edited(hard, record.FORMULA, lambda _: after))
    line = f"formula.cnf, line {place + 1}: {actual}; expected {expected!r}"
    assert str(error.value) == line


def test_formulas_belong_to_proofs_only() -> None:
    files = certificate(PUZZLES["multiple"])
    with pytest.raises(CertificateError, match="the claim multiple does not allow this field"):
        checking.check(with_manifest(files, formula={"encoder": 1}))


def test_all_stages_of_a_check_obey_the_time_limit(hard: Files, monkeypatch: pytest.MonkeyPatch):
    """Each look at the clock takes a second."""
    clock = count()
    monkeypatch.setattr(checking, "monotonic", lambda: float(next(clock)))
    assert checking.check(hard, seconds=10_000)
    looks = next(clock)
    assert looks > 20
    for seconds in (*range(0, looks - 1, 9), looks - 2):
        with pytest.raises(BudgetExceeded):
            checking.check(hard, seconds=seconds)
    assert checking.check(hard, seconds=looks)


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


# --- Containers -------------------------------------------------------------------------------


def zip_of(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def test_folders_and_zips_have_the_same_files(hard: Files, tmp_path: Path) -> None:
    for name in ("one.zip", "new/folders/one", "below/two.zip"):
        container.write(hard, tmp_path / name)
        container.write(hard, tmp_path / name)
        assert container.read(tmp_path / name) == hard
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "below/two.zip").read_bytes()
    assert not list(tmp_path.rglob("*.partial"))
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        # The date is fixed, since it would make zips differ.
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {oct(each.external_attr >> 16) for each in archive.infolist()} == {"0o644"}
        # Proofs are compressed already.
        expected = {record.DRAT, record.LRAT}
        assert {each.filename for each in archive.infolist() if not each.compress_type} == expected


@pytest.mark.parametrize("name", ["c", "c.zip", "C.ZIP"])
def test_files_may_be_as_large_as_their_limits(
    hard: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    container.write(hard, tmp_path / name)
    for file, data in hard.items():
        with monkeypatch.context() as patch:
            patch.setitem(container.MAX_BYTES, file, len(data))
            assert container.read(tmp_path / name) == hard
            patch.setitem(container.MAX_BYTES, file, len(data) - 1)
            with pytest.raises(CertificateError) as error:
                container.read(tmp_path / name)
            assert str(error.value) == f"{file} has more than {len(data) - 1:,} bytes"


def test_the_size_of_zips_is_limited(hard: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    container.write(hard, tmp_path / "c.zip")
    size = (tmp_path / "c.zip").stat().st_size
    monkeypatch.setattr(container, "_MAX_ZIP_BYTES", size)
    assert container.read(tmp_path / "c.zip") == hard
    for most in (size - 1, size - 99):
        monkeypatch.setattr(container, "_MAX_ZIP_BYTES", most)
        with pytest.raises(CertificateError, match=f"the zip has more than {most:,} bytes"):
            container.read(tmp_path / "c.zip")


def test_unpacked_proofs_may_be_as_large_as_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(container.MAX_UNPACKED, record.DRAT, 3)
    assert container.unpacked(record.DRAT, container.packed(b"0\n\n")) == b"0\n\n"
    with pytest.raises(CertificateError, match="has more than 3 bytes when unpacked"):
        container.unpacked(record.DRAT, container.packed(b"0\n\n\n"))


def test_names_of_stored_certificates(tmp_path: Path) -> None:
    store = making.Store(str(tmp_path / "new/c"))
    assert store.may_be_single
    one, two = PUZZLES["unique"], PUZZLES["none"]
    names = [Path(store.add(each, check(each), "x", None)).name for each in (one, two, one)]
    assert (names[0], names[2]) == ("x.zip", "x.zip")
    assert re.fullmatch(r"x-[0-9a-f]{8}\.zip", names[1])
    assert {each.name for each in (tmp_path / "new/c").iterdir()} == set(names)
    assert not store.may_be_single
    container.write(certificate(one), tmp_path / "single")
    assert making.Store(str(tmp_path / "single")).may_be_single
    assert not making.Store(f"{tmp_path}/new/").may_be_single
    # Without an id, and as a single certificate.
    assert Path(store.add(one, check(one), "", None)).name == "puzzle.zip"
    single = making.Store(str(tmp_path / "one.zip"), single=True)
    assert single.add(one, check(one), "x", None) == single.out
    assert checking.check(container.read(tmp_path / "one.zip")).puzzle == one


def test_a_store_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = making.Store(str(tmp_path / "file/c"))
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


ONE_FILE = zip_of((record.PUZZLE, b"x"))

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
    "cut off at the end": (ONE_FILE[:-1], "neither a folder nor a zip"),
    "a zip for many files": (
        ONE_FILE[:-22] + b"PK\6\7" + bytes(16) + ONE_FILE[-22:],
        "more files than a certificate",
    ),
    "a zip with a password": (
        ONE_FILE.replace(b"\0\0\x08\0", b"\1\0\x08\0"),
        "the zip can't be read: ",
    ),
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


def test_unsupported_compression(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(record.PUZZLE, "{}")
    with pytest.raises(CertificateError, match="has an unsupported compression"):
        container.read(tmp_path / "c.zip")


@pytest.mark.parametrize(("proof", "message"), [
    (b"7 0 " + b"1 " * (1 << 22) + b"0\n", "LRAT line 1 has more than 4,194,304 bytes"),
    (b"9999999 1 0 " + b"1 " * 10 + b"0\n", "LRAT line 1 does not follow"),
])  # fmt: skip
def test_long_lines_of_hints_are_rejected(hard: Files, proof: bytes, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        checking.check(sealed(hard | {record.LRAT: gzip.compress(proof, mtime=0)}))


def test_proofs_with_too_many_lines_are_rejected(hard: Files) -> None:
    proof = gzip.compress(b"0\n" * (proofs.MAX_LINES + 1), compresslevel=1, mtime=0)
    with pytest.raises(CertificateError, match="has more than 10,000,000 lines"):
        checking.check(sealed(hard | {record.DRAT: proof}))


def test_huge_puzzles_are_encoded_only_as_far_as_the_file_agrees(hard: Files) -> None:
    """The comments agree, and then the file ends: no further clauses are generated."""
    puzzle = Puzzle(Board.empty(255, 255), UNRULY)
    head = formula.comments(puzzle, ()) + b"p cnf 0 0\n"
    manifest = json.loads(hard[record.MANIFEST]) | {"claim": "none", "formula": {"encoder": 1}}
    files = {
        record.PUZZLE: record.puzzle_text(puzzle, None),
        record.FORMULA: head,
        record.DRAT: hard[record.DRAT],
        record.MANIFEST: json.dumps(manifest).encode(),
    }
    with pytest.raises(CertificateError, match="the file ends too early"):
        checking.check(sealed(files))


def test_folders_with_irregular_files(hard: Files, tmp_path: Path) -> None:
    container.write(hard, tmp_path / "c")
    (tmp_path / "c" / record.SOLUTION).rename(tmp_path / "elsewhere")
    (tmp_path / "c" / record.SOLUTION).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CertificateError, match=r"solution\.txt is not a regular file"):
        container.read(tmp_path / "c")
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "d" / record.PUZZLE)
    with pytest.raises(CertificateError, match=r"puzzle\.json is not a regular file"):
        container.read(tmp_path / "d")
    with pytest.raises(SourceError, match="is neither a file nor a folder"):
        container.read(tmp_path / "d" / record.PUZZLE)


def test_limits_agree_with_the_docs() -> None:
    page = Path("docs/certificates.md").read_text()
    for name, most in container.MAX_BYTES.items():
        assert f"| `{name}` | {most >> 20} MiB |" in page
    assert f"the DRAT proof has at most {container.MAX_UNPACKED[record.DRAT] >> 20} MiB" in page
    assert f"the LRAT proof {container.MAX_UNPACKED[record.LRAT] >> 20} MiB" in page
    assert f"{formula.MAX_CLAUSES:,} clauses" in page
    assert f"{proofs.MAX_LINES:,} lines" in page
    assert f"{proofs.MAX_LINE_BYTES >> 20} MiB long" in page


# --- At the command line ----------------------------------------------------------------------


@pytest.mark.slow
def test_certify_and_verify_many(tmp_path: Path) -> None:
    """Two puzzles with the same id, an invalid one, and all claims; in worker processes."""
    lines = [f"{UNIQUE} a", f"{MULTIPLE} a", f"{NONE} c", "01 broken", f"{UNIQUE} ../x"]
    (tmp_path / "all.line").write_text("\n".join(lines))
    command = ["certify", str(tmp_path / "all.line"), "-o", f"{tmp_path}/out", "--to", "ndjson"]
    for _ in range(2):
        done = run(*command, check=2)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        verdicts = ["unique", "multiple", "none", "invalid", "unique"]
        assert [each["verdict"] for each in records] == verdicts
        kept = [Path(each["certificate"]) for each in records if "certificate" in each]
        assert sorted(kept) == sorted((tmp_path / "out").iterdir())
        assert len(set(kept)) == 4
        assert {path.name for path in kept} >= {"a.zip", "c.zip", "x.zip"}
    done = invoke("verify", f"{tmp_path}/out", check=0)
    assert done.stdout.count(": valid: ") == 4
    container_of_a = container.read(kept[0])
    container.write(container_of_a | {record.SOLUTION: b"x\n"}, kept[0])
    done = invoke("verify", f"{tmp_path}/out", check=1)
    assert f"{kept[0]}: rejected: solution.txt has 2 bytes, not 42" in done.stdout
    done = invoke("certify", str(tmp_path / "all.line"), "-o", f"{tmp_path}/x.zip", check=2)
    assert "is one certificate for many puzzles; expected a folder" in done.stderr


def test_check_writes_certificates(tmp_path: Path) -> None:
    done = invoke(
        "check", "--certify", f"{tmp_path}/c", "--to", "line", input=f"{UNIQUE} q", check=0
    )
    assert done.stdout == f"{KNOWN} unique q\n"
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["q.zip"]
    assert invoke("check", "--certify", "x", "--rules", "both", input=UNIQUE, check=2)


def test_time_limits(tmp_path: Path) -> None:
    out = str(tmp_path / "x.zip")
    done = invoke("certify", "-o", out, "--time-limit", "0", input="." * 900)
    assert (done.returncode, "unknown" in done.stdout) == (3, True)
    invoke("certify", "-o", out, input=UNIQUE, check=0)
    done = invoke("verify", out, "--time-limit", "0", check=3)
    assert "not verified: the time allowed ran out" in done.stdout


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
