"""Both verifiers accept the same certificates, whatever happens to them; and what they accept is true.

The certificates here are small, so that the truth of a claim can be found by trying all boards.
"""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import PLUS, Board, Puzzle, Sign, check, enumerate_solutions
from binairo_cp.certificates import checking, making, record
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.record import Claim
from binairo_cp.errors import CertificateError
from tests.certificates.tampering import sealed, without
from tests.certificates.test_standalone import standalone
from tests.support.strategies import examples

__all__ = ["standalone"]  # a fixture

EMPTY = Puzzle(Board.empty(4, 4))
SIGNS = (Sign(0, 0, "R", "x"), Sign(2, 1, "D", "="))


@cache
def genuine() -> dict[str, Files]:
    """A certificate of each claim, and one without LRAT."""
    board = next(enumerate_solutions(EMPTY))
    puzzles = {
        "unique": Puzzle(board.with_cell((0, 0), ".")),
        "multiple": Puzzle(Board.parse("1... .... .... ....")),
        "none": Puzzle(Board.parse("11.. 11.. .... ...1")),
        "signs": Puzzle(Board.parse("10.. .... .... ...."), PLUS, SIGNS),
    }
    files = {
        name: making.certify(puzzle, check(puzzle), id="x")[0] for name, puzzle in puzzles.items()
    }
    return files | {"no hints": sealed(without(files["unique"], record.LRAT))}


NAMES = ["unique", "multiple", "none", "signs", "no hints"]


def content(files: Files, name: str) -> bytes:
    return gzip.decompress(files[name]) if name.endswith(".gz") else files[name]


def changed(files: Files, name: str, data: bytes) -> Files:
    """Replace a file, and update the hashes as a forger would."""
    data = gzip.compress(data, mtime=0) if name.endswith(".gz") else data
    return files | {name: data} if name == record.MANIFEST else sealed(files | {name: data})


def own_answer(files: Files) -> str:
    try:
        checking.check(files)
    except CertificateError:
        return "rejected"
    return "valid"


def other_answer(standalone: ModuleType, files: Files) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standalone, "read_files", lambda _: files)
        try:
            standalone.verify(Path())
        except standalone.Rejected:
            return "rejected"
        except standalone.Undecided:
            return "undecided"
    return "valid"


def agreed(standalone: ModuleType, files: Files) -> str:
    """The common answer. Without LRAT, the other verifier may only say that it can't decide."""
    answer, other = own_answer(files), other_answer(standalone, files)
    assert other == answer or (other == "undecided" and record.LRAT not in files)
    return answer


SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "carriage returns": lambda data: data.replace(b"\n", b"\r\n"),
    "carriage returns only": lambda data: data.replace(b"\n", b"\r"),
    "an empty line before": lambda data: b"\n" + data,
    "an empty line after": lambda data: data + b"\n",
    "a space before": lambda data: b" " + data,
    "a space after": lambda data: data + b" ",
    "a no-break space after": lambda data: data + b"\xa0",
    "no end of the last line": lambda data: data.rstrip(b"\n"),
    "tabs": lambda data: data.replace(b" ", b"\t"),
    "two spaces": lambda data: data.replace(b" ", b"  "),
    "leading zeros": lambda data: data.replace(b" 1 ", b" 01 "),
    "a comment before": lambda data: b"c x\n" + data,
    "a comment after": lambda data: data + b"c x\n",
    "a deletion": lambda data: data + b"99 d 1 0\n",
    "a NUL": lambda data: data + b"\0",
    "twice": lambda data: data * 2,
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("claim", NAMES)
def test_both_read_the_same_spellings(standalone: ModuleType, claim: str, spelling: str) -> None:
    files = genuine()[claim]
    for name in files:
        data = content(files, name)
        if (respelled := SPELLINGS[spelling](data)) != data:
            answer = agreed(standalone, changed(files, name, respelled))
            # Some spellings of JSON, of a board of rows, and of DRAT alone mean the same.
            if name.endswith((".cnf", ".lrat.gz")):
                assert answer == "rejected"


VALUES = [
    *(None, True, False, 0, 1, 1.0, 4.0, -1, 10**30, "", "x", "x" * 1001, "\ud800", "plus", "4"),
    *([], {}, [[0, 0, "R", "="]], [[0, 0, "R", "x"]] * 2, [[0.0, 0, "R", "="]], {"encoder": 1}),
    *({"encoder": True}, {"encoder": 1, "distinct_lines": None}, "." * 16, "1" * 16, "\u0661" * 16),
    {"balanced": True, "longest_run": 2, "distinct_lines": True, "odd": "either"},
    {"balanced": 1, "longest_run": 2, "distinct_lines": True, "odd": "either"},
    {"balanced": True, "longest_run": 2.0, "distinct_lines": True, "odd": "either"},
]
FIELDS = {
    record.MANIFEST: [*record.Manifest.model_fields, "trust"],
    record.PUZZLE: [*record.CertifiedPuzzle.model_fields, "sign"],
}


@pytest.mark.parametrize("claim", NAMES)
@pytest.mark.parametrize("name", FIELDS)
def test_both_read_the_same_fields(standalone: ModuleType, claim: str, name: str) -> None:
    files = genuine()[claim]
    for field in FIELDS[name]:
        for value in VALUES:
            data = json.dumps(json.loads(files[name]) | {field: value}).encode()
            forged = changed(files, name, data)
            if agreed(standalone, forged) == "valid":
                assert is_true(forged)
        doubled = files[name].strip()[:-1] + f',"{field}": null}}'.encode()
        agreed(standalone, changed(files, name, doubled))


BYTES = [*b'\t\n\r\x0b\x0c\x1c \x85\xa0\0-+019.acd_"[]{},:x=RD\xff']


@st.composite
def damaged(draw: st.DrawFn, files: Files) -> Files:
    """A file with another byte, or with lines or words that are moved, doubled or left out."""
    name = draw(st.sampled_from(sorted(files)))
    data = content(files, name)
    by = draw(st.sampled_from([b"", b" ", b"\n"]))
    parts = data.split(by) if by else [bytes([each]) for each in data]
    if not parts:
        return files
    at, other = (draw(st.integers(0, len(parts) - 1)) for _ in range(2))
    match draw(st.sampled_from(["drop", "double", "swap", "replace"])):
        case "drop":
            del parts[at]
        case "double":
            parts.insert(at, parts[other])
        case "swap":
            parts[at], parts[other] = parts[other], parts[at]
        case "replace" if by:
            parts[at] = str(draw(st.integers(-60, 300))).encode()
        case _:
            parts[at] = bytes([draw(st.sampled_from(BYTES))])
    return changed(files, name, by.join(parts))


@examples(4)
@given(data=st.data())
def test_both_reject_what_is_damaged_or_it_is_true(standalone: ModuleType, data: st.DataObject):
    files = genuine()[data.draw(st.sampled_from(NAMES))]
    for _ in range(data.draw(st.integers(1, 2))):
        try:
            files = data.draw(damaged(files))
        except (ValueError, TypeError, AttributeError):  # The manifest can't be sealed any more.
            return
    if agreed(standalone, files) == "valid":
        assert is_true(files)


def is_true(files: Files) -> bool:
    """Whether the claim holds, found by trying all boards."""
    manifest = json.loads(files[record.MANIFEST])
    puzzle = checking.puzzle_of(files)[1]
    empty = Board.empty(puzzle.board.height, puzzle.board.width)
    boards = all_boards(replace(puzzle, board=empty))
    clues = {k: value for k, value in enumerate(puzzle.board.cells) if value != "."}
    number = agreeing(boards, clues)
    match Claim(manifest["claim"]):
        case Claim.UNIQUE:
            return number == 1
        case Claim.NONE:
            return number == 0
        case Claim.MULTIPLE:
            return number > 1


@cache
def all_boards(puzzle: Puzzle) -> list[str]:
    return [each.cells for each in enumerate_solutions(puzzle, backend="backtracking")]


def agreeing(boards: list[str], clues: dict[int, str]) -> int:
    return sum(all(board[k] == value for k, value in clues.items()) for board in boards)
