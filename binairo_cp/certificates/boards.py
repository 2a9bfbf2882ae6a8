"""The boards of a certificate: its solutions, some of its clues, and solutions without them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from binairo_cp.certificates import record
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.record import Claim, Manifest
from binairo_cp.errors import BinairoError, CertificateError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, violations


def solutions(
    files: Files, claim: Claim, puzzle: Puzzle, check_clock: Callable[[], object]
) -> tuple[Board, ...]:
    """Check and return the solutions in a certificate.

    Raises:
        CertificateError: A board is not a solution or occurs twice.
    """
    found = []
    for name in claim.solution_files:
        check_clock()
        found.append(_solution(name, _text(files, name), puzzle, is_line=False))
    if len(set(found)) < len(found):
        raise CertificateError("two solutions are the same")
    return tuple(found)


def conflict(
    files: Files, manifest: Manifest, puzzle: Puzzle, check_clock: Callable[[], object]
) -> Board | None:
    """Check and return the clues that contradict each other, if the certificate names them.

    For each of them, a board satisfies the rules, the signs and the other ones. That they
    contradict each other is what the proof shows.

    Raises:
        CertificateError: They are not clues of the puzzle, or such a board is missing or wrong.
    """
    if manifest.conflict is None:
        if record.WITHOUT_CLUE in files:
            raise CertificateError(f"{record.MANIFEST}: conflict: expected the clues in conflict")
        return None
    if manifest.claim is not Claim.NONE:
        raise CertificateError(
            f"{record.MANIFEST}: conflict: the claim {manifest.claim} does not allow this field"
        )
    stated = _some_clues(puzzle, manifest.conflict)
    if record.WITHOUT_CLUE not in files:
        raise CertificateError(f"{record.WITHOUT_CLUE} is missing")
    lines = list(_lines(files, record.WITHOUT_CLUE))
    if len(lines) != stated.clue_count:
        raise CertificateError(
            f"{record.WITHOUT_CLUE} has {len(lines)} lines for {stated.clue_count} clues"
        )
    for (clue, _), (place, text) in zip(stated.clues(), lines, strict=True):
        check_clock()
        others = replace(puzzle, board=stated.with_cell(clue, "."))
        _solution(place, text, others, is_line=True)
    return stated


def _some_clues(puzzle: Puzzle, cells: str) -> Board:
    """The board in the manifest with some of the clues of a puzzle."""
    where = f"{record.MANIFEST}: conflict"
    try:
        board = replace(puzzle.board, cells=cells)
    except BinairoError as error:
        raise CertificateError(f"{where}: {error}") from error
    for clue, value in board.clues():
        if puzzle.board[clue] != value:
            raise CertificateError(f"{where}: {clue} is {value}, which is no clue of the puzzle")
    return board


def _text(files: Files, name: str) -> str:
    return files[name].decode("ascii", errors="replace")


def _lines(files: Files, name: str) -> Iterator[tuple[str, str]]:
    """The lines of a file, with their places for messages."""
    lines = _text(files, name).split("\n")
    if lines.pop():
        raise CertificateError(f"{name}: the last line does not end")
    for number, line in enumerate(lines, 1):
        yield f"{name}, line {number}", line


def _solution(where: str, text: str, puzzle: Puzzle, *, is_line: bool) -> Board:
    """The board in a text, if it is a solution."""
    size = puzzle.board.height, puzzle.board.width
    try:
        board = Board(*size, text) if is_line else Board.from_rows(text.split())
        broken = violations(puzzle, board)
    except BinairoError as error:
        raise CertificateError(f"{where} is not a solution: {error}") from error
    if not board.is_full:
        raise CertificateError(f"{where} is not a solution: it has open cells")
    if broken:
        fault = f"it breaks {broken[0].rule}: {broken[0]}"
        raise CertificateError(f"{where} is not a solution: {fault}")
    return board
