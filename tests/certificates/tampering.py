"""Certificates, and ways to tamper with them: each is a mistake or a fraud that must be noticed."""

import gzip
import json
from collections.abc import Callable
from hashlib import sha256

from binairo_cp import Board, Puzzle, check, enumerate_solutions
from binairo_cp.certificates import making, record
from binairo_cp.certificates.container import Files
from binairo_cp.formats import read_sources
from tests.support.command_line import MULTIPLE, NONE, UNIQUE

PUZZLES = {
    "unique": Puzzle(Board(6, 6, UNIQUE)),
    "multiple": Puzzle(Board(6, 6, MULTIPLE)),
    "none": Puzzle(Board(6, 6, NONE)),
}
Tamper = Callable[[Files], Files]
HARD = next(iter(read_sources(["instances/classic/06x06-hard.txt"]))).puzzle
assert HARD


def certificate(puzzle: Puzzle, **options: str) -> Files:
    return making.certify(puzzle, check(puzzle, reasons="none"), id="x", **options)[0]  # type: ignore[arg-type]


def sealed(files: Files) -> Files:
    """Update the hashes and sizes in the manifest, as a forger would."""
    manifest = json.loads(files[record.MANIFEST])
    manifest["files"] = {
        name: {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
        for name, data in files.items()
        if name != record.MANIFEST
    }
    return files | {record.MANIFEST: json.dumps(manifest).encode()}


def with_manifest(files: Files, /, **changes: object) -> Files:
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


def set_manifest(**changes: object) -> Tamper:
    return lambda files: with_manifest(files, **changes)


def set_puzzle(**changes: object) -> Tamper:
    return lambda files: changed_json(files, **changes)


def edit_lines(name: str, edit: Callable[[list[str]], list[str]]) -> Tamper:
    return lambda files: edited(files, name, edit)


SOLVED = next(enumerate_solutions(HARD))
OPEN_HARD = HARD.board.cells.replace("1", ".", 1)
OTHER = SOLVED.complemented()

TAMPERED: dict[str, tuple[Tamper, str]] = {
    "a byte": (lambda f: f | {record.FORMULA: f[record.FORMULA].replace(b"1 2 3", b"1 2 4", 1)}, "formula.cnf does not match its SHA-256 hash in the manifest"),
    "a length": (lambda f: f | {record.DRAT: f[record.DRAT] + b"x"}, "proof.drat.gz has .* bytes, not"),
    "a clue": (set_puzzle(clues=OPEN_HARD), "formula.cnf, line 7: 'c clues ..10..'; expected 'c clues ...0..'"),
    "another clue": (set_puzzle(clues=OTHER.cells), "solution.txt is not a solution: it breaks clue"),
    "the rules": (set_puzzle(rules="unruly"), "formula.cnf, line 5: 'c rule distinct_lines True'"),
    "no rules": (set_puzzle(rules=None), "puzzle.json: rules"),
    "rules of which none is stated": (set_puzzle(rules={}), "puzzle.json: rules.balanced: is missing"),
    "rules of which one is not stated": (set_puzzle(rules={"balanced": True, "longest_run": 2, "odd": "either"}), "puzzle.json: rules.distinct_lines: is missing"),
    "a size": (set_puzzle(height=5), "puzzle.json: a board of 5x6 has 30 cells"),
    "a huge size": (set_puzzle(height=255, width=255, clues="." * 255 * 255), "solution.txt is not a solution"),
    "the solution": (lambda f: sealed(f | {record.SOLUTION: f"{OTHER}\n".encode()}), "solution.txt is not a solution: it breaks clue"),
    "an open solution": (lambda f: sealed(f | {record.SOLUTION: f"{HARD.board}\n".encode()}), "it has open cells"),
    "no board": (lambda f: sealed(f | {record.SOLUTION: b"\xff"}), "solution.txt is not a solution"),
    "a clause less": (edit_lines(record.FORMULA, lambda lines: [*lines[:-1]]), r"formula.cnf, line \d+: the file ends too early; expected '[-\d ]+ 0'"),
    "a clause more": (edit_lines(record.FORMULA, lambda lines: [*lines, "1 0"]), r"formula.cnf, line \d+: '1 0'; expected the end of the file"),
    "another clause": (edit_lines(record.FORMULA, lambda lines: [*lines[:-1], "1 2 0"]), r"formula.cnf, line \d+: '1 2 0'; expected '"),
    "the header": (edit_lines(record.FORMULA, lambda x: [y.replace("p cnf ", "p cnf 9") for y in x]), r"formula.cnf, line \d+: 'p cnf 9"),
    "something before the header": (edit_lines(record.FORMULA, lambda lines: ["1 0", *lines]), "formula.cnf, line 1: '1 0'; expected 'c binairo puzzle"),
    "no clauses": (lambda f: sealed(f | {record.FORMULA: b"p cnf 0 0\n"}), "formula.cnf, line 1: 'p cnf 0 0'; expected '"),
    "no proof": (lambda f: sealed(f | {record.DRAT: gzip.compress(b"")}), "has no empty clause"),
    "only the empty clause": (lambda f: sealed(f | {record.DRAT: gzip.compress(b"0\n")}), "step 1 of the proof does not follow"),
    "a foreign line": (edit_lines(record.DRAT, lambda lines: ["1 0", "-1 0", *lines]), "step [12] of the proof does not follow"),
    "a truncated proof": (edit_lines(record.DRAT, lambda lines: lines[:-1]), "proof.drat.gz: the proof has no empty clause"),
    "garbage in the proof": (edit_lines(record.DRAT, lambda lines: ["garbage", *lines]), "proof.drat.gz: line 1: 'garbage' is not a clause"),
    "a broken gzip": (lambda f: sealed(f | {record.DRAT: f[record.DRAT][:-9]}), "proof.drat.gz can't be unpacked"),
    "no gzip": (lambda f: sealed(f | {record.DRAT: b"1 2 0\n0\n"}), "proof.drat.gz can't be unpacked: "),
    "an LRAT line less": (edit_lines(record.LRAT, lambda lines: lines[1:]), "proof.lrat.gz: LRAT line . does not follow"),
    "an LRAT hint": (edit_lines(record.LRAT, lambda lines: [*lines[:-1], lines[-1].replace(" 0 ", " 0 9999 ")]), "proof.lrat.gz: LRAT line . does not follow"),
    "an LRAT proof of nothing": (lambda f: sealed(f | {record.LRAT: gzip.compress(b"")}), "proof.lrat.gz: the LRAT proof does not end with the empty clause"),
    "another claim": (set_manifest(claim="none"), "the claim none does not allow solution"),
    "a claim of two": (set_manifest(claim="multiple"), "the claim multiple needs second_solution.txt"),
    "a claim of much": (set_manifest(claim="all"), "manifest.json: claim: expected"),
    "another version": (set_manifest(schema_version=2), "manifest.json: schema_version: expected 1"),
    "another encoder": (set_manifest(formula={"encoder": 2}), "manifest.json: formula.encoder: expected 1"),
    "no version of the encoder": (set_manifest(formula={"distinct_lines": []}), "manifest.json: formula.encoder: is missing"),
    "no version": (lambda f: f | {record.MANIFEST: f[record.MANIFEST].replace(b'"schema_version": 1,', b"")}, "manifest.json: schema_version: is missing"),
    "no encoder": (set_manifest(formula=None), "formula: the claim unique needs this field"),
    "another field": (set_manifest(trust="me"), "manifest.json: trust: there is no such field"),
    "lines that differ": (set_manifest(formula={"encoder": 1, "distinct_lines": [["row", 0, 1]]}), r"formula.cnf, line \d+: .*; expected '"),
    "lines that are not there": (set_manifest(formula={"encoder": 1, "distinct_lines": [["row", 4, 6]]}), "rows 5 and 7 are listed as distinct, but the puzzle does not require it"),
    "one line twice": (set_manifest(formula={"encoder": 1, "distinct_lines": [["row", 1, 1]]}), "rows 2 and 2 are listed as distinct, but the puzzle does not require it"),
    "a line after the last": (set_manifest(formula={"encoder": 1, "distinct_lines": [["row", 0, 255]]}), "manifest.json: formula.distinct_lines.0.2: expected less than 255"),
    "a line of a direction that is not there": (set_manifest(formula={"encoder": 1, "distinct_lines": [["diagonal", 0, 1]]}), "manifest.json: formula.distinct_lines.0.0: expected 'row' or 'column'"),
    "a negative size": (set_manifest(files={record.PUZZLE: {"sha256": "0" * 64, "bytes": -1}}), "manifest.json: files.puzzle.json.bytes: expected 0 or more"),
    "a very large size": (set_manifest(files={record.PUZZLE: {"sha256": "0" * 64, "bytes": 1 << 40}}), "manifest.json: files.puzzle.json.bytes: expected less than 1,099,511,627,776"),
    "no hash": (set_manifest(files={record.PUZZLE: {"sha256": "0" * 63, "bytes": 0}}), "manifest.json: files.puzzle.json.sha256: expected text of the form"),
    "a line before the first": (set_manifest(formula={"encoder": 1, "distinct_lines": [["row", -1, 5]]}), "manifest.json: formula.distinct_lines.0.1: expected 0 or more"),
    "the second line": (edit_lines(record.FORMULA, lambda lines: [lines[0], "1 0", *lines[1:]]), "formula.cnf, line 2: '1 0'; expected '"),
    "lines twice": (set_manifest(formula={"encoder": 1, "distinct_lines": [["row", 0, 1]] * 2}), "; expected ('|the end of the file)"),
    "very many lines": (set_manifest(formula={"encoder": 1, "distinct_lines": [["row", k, j] for j in range(255) for k in range(j)]}), "are listed as distinct, but the puzzle|; expected '"),
    "no JSON": (lambda f: f | {record.MANIFEST: b"{"}, "manifest.json: Expecting property name"),
    "no manifest": (lambda f: without(f, record.MANIFEST), "manifest.json is missing"),
    "a missing file": (lambda f: without(f, record.SOLUTION), "solution.txt is not in the cert"),
    "a file that is not in the manifest": (lambda f: f | {record.SECOND_SOLUTION: b""}, "second_solution.txt is not in the manifest"),
    "a missing file, sealed": (lambda f: sealed(without(f, record.SOLUTION)), "the claim unique needs solution.txt"),
    "no puzzle": (lambda f: sealed(f | {record.PUZZLE: b"[]"}), "puzzle.json: expected"),
    "a field of a puzzle that means nothing": (set_puzzle(sign=[]), "puzzle.json: sign: there is no such field"),
    "a second reading": (set_puzzle(distinct_lines=True), "puzzle.json: distinct_l"),
    "a puzzle that says two things": (lambda f: sealed(f | {record.PUZZLE: f[record.PUZZLE].replace(b'{"id"', b'{"clues":"....","id"')}), "puzzle.json: a key occurs twice"),
    "a version that looks like it": (set_manifest(schema_version=True), "schema_version: expected a whole number"),
    "a comment": (edit_lines(record.FORMULA, lambda lines: ["c easy", *lines]), "formula.cnf, line 1: 'c easy'; expected 'c binairo puzzle"),
    "two members in a gzip": (lambda f: sealed(f | {record.DRAT: f[record.DRAT] * 2}), "can't be unpacked: it is truncated, or other data follows"),
    "a puzzle with odd signs": (set_puzzle(signs=[[9, 9, "R", "="]]), "puzzle.json: "),
}  # fmt: skip


def _with_hints(line: str, hints: list[str]) -> str:
    return f"{line.split(' 0 ')[0]} 0 {' '.join([*hints, '0'])}"


def _hints(line: str) -> list[str]:
    return line.split(" 0 ")[-1].split()[:-1]


DAMAGED_PROOFS: dict[str, Callable[[list[str]], list[str]]] = {
    "no line": lambda lines: [],
    "the first line is missing": lambda lines: lines[1:],
    "the empty clause is missing": lambda lines: lines[:-1],
    "only the empty clause": lambda lines: lines[-1:],
    "the lines are reversed": lambda lines: lines[::-1],
    "the first hint is missing": lambda lines: [_with_hints(lines[0], _hints(lines[0])[1:]), *lines[1:]],
    "the last hint is missing": lambda lines: [*lines[:-1], _with_hints(lines[-1], _hints(lines[-1])[:-1])],
    "no hints": lambda lines: [*lines[:-1], _with_hints(lines[-1], [])],
    "the hints are reversed": lambda lines: [*lines[:-1], _with_hints(lines[-1], _hints(lines[-1])[::-1])],
    "a hint names no clause": lambda lines: [*lines[:-1], _with_hints(lines[-1], ["99999", *_hints(lines[-1])])],
    "a hint names its own line": lambda lines: [*lines[:-1], _with_hints(lines[-1], [lines[-1].split()[0]])],
    "a literal is negated": lambda lines: [lines[0].replace(" ", " -", 1), *lines[1:]],
    "the clause is empty": lambda lines: [f"{lines[0].split()[0]} 0 {' '.join(_hints(lines[0]))} 0", *lines[1:]],
    "cut off in a line": lambda lines: [*lines[:-1], lines[-1][:-len(lines[-1]) // 2]],
    "a needed clause is deleted": lambda lines: [f"{lines[0].split()[0]} d {' '.join(_hints(lines[-1]))} 0", *lines],
}  # fmt: skip
"""Damaged LRAT proofs of `HARD`, which every checker of LRAT must reject by itself."""
