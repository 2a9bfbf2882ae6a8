"""Fuzz the certificate checker with forged certificates: accepted claims must be true."""

import json
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from binairo_cp import PLUS, UNRULY, Board, Puzzle, Sign, is_solution
from binairo_cp import check as check_puzzle
from binairo_cp.certificates import checking, container, making, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BudgetExceeded, CertificateError
from binairo_cp.solving.backends.backtracking import Backtracking
from tests.fuzz.targets import Target

_SECONDS = 10.0
_MOST_CELLS = 36
_PUZZLES = (
    Puzzle(Board.parse("0... 01.0 .... .1..")),
    Puzzle(Board.parse(".... 01.. ..11 ..1.")),
    Puzzle(Board.parse("01.1 .0.. 00.. ...."), UNRULY),
    Puzzle(Board.parse(".1.1. 1..1. ...00"), PLUS, (Sign(0, 0, "R", "="), Sign(0, 1, "D", "x"))),
    Puzzle(Board.parse("1... .0.. ..1. ....")),
    Puzzle(Board.parse("00.. .... .... ..00")),
    Puzzle(Board.parse("000. .... .... ....")),
    Puzzle(Board.parse("01 .. ..")),
)
_KEPT = Path(__file__).parents[1] / "certificates/kept/none.zip"
"""A certificate that names no clues in conflict."""

_CLAIMS = ("unique", "multiple", "none")
_NAMES = tuple(container.MAX_BYTES)
_WORDS = (b'"unique"', b'"none"', b'"multiple"', b'"claim"', b'"rules":', b'"unruly"', b'"classic"')
_WORDS += (b'"conflict":"',)
_WORDS += (b'"clues":"', b'"distinct_lines":[', b'["row",0,1]', b'["column",0,2]', b"0\n", b" 0\n")
_WORDS += (b"d ", b"1 ", b"-1 ", b"p cnf ", b"manifest.json", b"proof.drat.gz", b"\x1f\x8b", b"PK")


@cache
def certificates() -> tuple[Files, ...]:
    """The certificates to forge: for each claim, with all kinds of files."""
    made = [
        making.certify(puzzle, check_puzzle(puzzle, reasons="none"), id="p")[0]
        for puzzle in _PUZZLES
    ]
    return (*made, container.read(_KEPT))


def target(name: str) -> Target:
    """Any bytes as a zip, or a certificate with changed files and corrected hashes."""
    if name == "zip":
        seeds = tuple(container.zipped(files) for files in certificates())
        return Target(check_zip, seeds, _WORDS, longest=max(map(len, seeds)) + 1024)
    seeds = []
    for k, files in enumerate(certificates()):
        seeds += [bytes([k, 0x60, claim]) for claim in range(len(_CLAIMS))]
        seeds += [bytes([k, 0x40, detail, 0x60, detail]) for detail in range(24)]
        for number, file_name in enumerate(_NAMES):
            if file_name in files:
                seeds.append(bytes([k, number, 0, 9, 0, 2]) + b"1 ")
                seeds.append(bytes([k, number, 0, 0, 3, 1]) + b"0")
        for other in range(len(certificates())):
            # All proof files of another certificate, with and without its puzzle.
            most = [byte for number in range(2, len(_NAMES)) for byte in (0x80 | number, other)]
            seeds += [bytes([k, *most]), bytes([k, 0x81, other, *most])]
    return Target(lambda data: check_if_accepted(forged(data)), tuple(seeds), _WORDS, longest=64)


def check_zip(data: bytes) -> None:
    try:
        files = container.unzipped(data)
    except CertificateError:
        return
    assert files.keys() <= set(_NAMES)
    check_if_accepted(files)


def check_if_accepted(files: Files) -> None:
    """If a certificate is accepted, the rules and an independent search must confirm its claim."""
    try:
        checked = checking.check(files, _SECONDS)
    except (CertificateError, BudgetExceeded):
        return
    puzzle = checked.puzzle
    for board in checked.solutions:
        assert is_solution(puzzle, board)
    assert len(set(checked.solutions)) == len(checked.solutions)
    if len(puzzle.board.cells) <= _MOST_CELLS:
        found = len(list(Backtracking().solutions(replace(puzzle), limit=2)))
        assert ("none", "unique", "multiple")[found] == checked.claim, (checked.claim, found)


def forged(data: bytes) -> Files:
    """The files that an input describes: changes of a valid certificate, with correct hashes.

    The first byte chooses the certificate. Then each change has a byte: its high bits are the kind,
    and its low bits are the file. A change replaces a file with that of another certificate, or
    changes the claim, a clue, or bytes.
    """
    known = certificates()
    files = dict(known[data[0] % len(known)]) if data else dict(known[0])
    place = 1
    while place + 1 < len(data):
        kind, detail = data[place], data[place + 1]
        name = _NAMES[kind % 0x20 % len(_NAMES)]
        if kind >= 0x80:
            files.pop(name, None)
            if detail < 0xF0 and name in known[detail % len(known)]:
                files[name] = known[detail % len(known)][name]
        elif kind >= 0x60:
            _set_field(files, record.MANIFEST, "claim", _CLAIMS[detail % len(_CLAIMS)])
        elif kind >= 0x40:
            clues = str(_fields(files, record.PUZZLE).get("clues"))
            spot = detail // 3 % max(1, len(clues))
            clues = clues[:spot] + "01."[detail % 3] + clues[spot + 1 :]
            _set_field(files, record.PUZZLE, "clues", clues)
        else:
            place += _edit(files, name, data[place + 1 :]) - 1
        place += 2
    return hashed(files)


def _fields(files: Files, name: str) -> dict[str, object]:
    try:
        fields = json.loads(files.get(name, b""))
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _set_field(files: Files, name: str, field: str, value: str) -> None:
    files[name] = json.dumps(_fields(files, name) | {field: value}).encode()


def _edit(files: Files, name: str, data: bytes) -> int:
    """Replace bytes of a file; return the number of bytes of `data` that described this."""
    head = data[:4].ljust(4, b"\0")
    start, taken, given = int.from_bytes(head[:2], "big"), head[2], head[3] % 0x20
    text = _text(name, files.get(name, b""))
    start %= len(text) + 1
    text = text[:start] + data[4 : 4 + given] + text[start + taken :]
    files[name] = container.packed(text) if name in container.MAX_UNPACKED else text
    return 4 + given


def _text(name: str, data: bytes) -> bytes:
    if name not in container.MAX_UNPACKED or not data:
        return data
    try:
        return container.unpacked(name, data)
    except CertificateError:
        return data


def hashed(files: Files) -> Files:
    """The same files with a correct manifest, if the manifest can still be read."""
    try:
        manifest = json.loads(files.get(record.MANIFEST, b""))
        manifest["files"] = {
            name: {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
            for name, data in files.items()
            if name != record.MANIFEST
        }
    except (ValueError, TypeError):
        return files
    return files | {record.MANIFEST: json.dumps(manifest).encode()}
