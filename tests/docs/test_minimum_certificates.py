"""The kept certificates of the fewest clues of 8x8 boards."""

from __future__ import annotations

import tarfile
from pathlib import Path
from types import ModuleType

import pytest

from binairo_cp import Board, Puzzle, check
from binairo_cp.certificates import checking
from binairo_cp.certificates.container import Files
from docs import minimum_certificates
from docs.minimum_certificates import CERTIFICATES, PUZZLES
from tests.certificates.test_standalone import result, standalone

__all__ = ["standalone"]  # a fixture


@pytest.fixture(scope="module")
def kept() -> dict[str, Files]:
    """The certificates by their names."""
    certificates: dict[str, Files] = {}
    with tarfile.open(CERTIFICATES) as archive:
        for member in archive:
            _, name, file = member.name.split("/")
            content = archive.extractfile(member)
            certificates.setdefault(name, {})[file] = content.read()
    return certificates


def solutions(name: str) -> list[str]:
    puzzles = PUZZLES[name].read_text().split()
    return [check(Puzzle(Board(8, 8, cells))).solutions[0].cells for cells in puzzles]


def test_every_board_has_a_certificate(kept: dict[str, Files]) -> None:
    found = {name: files["solution.txt"].decode().replace("\n", "") for name, files in kept.items()}
    expected = {
        f"{kind}-{k:03}": cells for kind in PUZZLES for k, cells in enumerate(solutions(kind), 1)
    }
    assert found == expected
    assert len(found) == 18 + 218 + 56


def assert_valid(
    names: list[str], kept: dict[str, Files], standalone: ModuleType, folder: Path
) -> None:
    """Both verifiers accept certificates, with the number of clues of the puzzles.

    The second one reads only LRAT proofs, which only the certificates of 7 clues have.
    """
    clues = {
        f"{kind}-{k:03}": 64 - cells.count(".")
        for kind, path in PUZZLES.items()
        for k, cells in enumerate(path.read_text().split(), 1)
    }
    for name in names:
        claim = f"{clues[name]} is the smallest number of clues"
        assert str(checking.check(kept[name])) == f"valid: {claim}"
        if "fewer_clues.lrat.gz" in kept[name]:
            (folder / name).mkdir()
            assert result(standalone, kept[name], folder / name) == claim


def test_both_verifiers_accept_some(
    kept: dict[str, Files], standalone: ModuleType, tmp_path: Path
) -> None:
    assert_valid(["fewest-001", "most-100", "sample-030"], kept, standalone, tmp_path)


@pytest.mark.slow
def test_both_verifiers_accept_more(
    kept: dict[str, Files], standalone: ModuleType, tmp_path: Path
) -> None:
    assert_valid(sorted(kept)[::12], kept, standalone, tmp_path)


@pytest.mark.slow
def test_a_certificate_can_be_made_again(kept: dict[str, Files]) -> None:
    cells = PUZZLES["most"].read_text().split()[0]
    again = minimum_certificates.certificate(cells, "most-001")
    assert again.keys() == kept["most-001"].keys()
    for name in ("puzzle.json", "solution.txt", "formula.cnf"):
        assert without_comments(again[name]) == without_comments(kept["most-001"][name])


def without_comments(content: bytes) -> list[bytes]:
    return [line for line in content.splitlines() if not line.startswith(b"c ")]
