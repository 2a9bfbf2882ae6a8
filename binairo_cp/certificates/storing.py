"""Store certificates in a folder or a zip, and choose their names."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from binairo_cp.certificates import container, proof_solvers, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BinairoError, SourceError
from binairo_cp.formats.output_files import file_name
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import Outcome

if TYPE_CHECKING:
    from binairo_cp.reduction.fewest import Among


@dataclass(frozen=True, slots=True)
class Store:
    """Where to store certificates, and how to create them.

    Attributes:
        out: The path of a zip or a folder.
        solver: The solver that writes the proofs.
        count: Whether to certify the number of solutions if there are several.
        fewest: To certify the smallest number of clues: what they are chosen among.
        single: Whether `out` is the certificate itself, not a folder of certificates.
    """

    out: str
    solver: str = proof_solvers.DEFAULT_SOLVER
    count: bool = False
    fewest: Among | None = None
    single: bool = False

    @property
    def may_be_single(self) -> bool:
        """Whether `out` can be the certificate of a single puzzle, and is not a folder for many."""
        path = Path(self.out)
        is_folder = path.is_dir() and not (path / record.MANIFEST).exists()
        return not (self.out.endswith("/") or is_folder)

    def add(self, puzzle: Puzzle, outcome: Outcome, id: str, seconds: float | None) -> str:
        """Create and store the certificate of an outcome.

        Returns:
            The path of the certificate.

        Raises:
            CertificateError, BackendError, BudgetExceeded: As for `making.certify`.
            SourceError: The certificate can't be written.
        """
        # Imported here because it loads the checkers.
        from binairo_cp.certificates import making

        files, _ = making.certify(
            puzzle,
            outcome,
            id=id or None,
            solver=self.solver,
            seconds=seconds,
            count=self.count,
            fewest=self.fewest,
        )
        path = Path(self.out)
        if self.single:
            container.write(files, path)
            return str(path)
        return str(_put(files, puzzle, path, file_name(id)))


def _put(files: Files, puzzle: Puzzle, folder: Path, name: str) -> Path:
    """Write a zip; if another puzzle has the name, append a hash of the puzzle to it."""
    path = folder / f"{name}.zip"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # Exclusive creation reserves the name, since other processes choose names too.
            path.open("xb").close()
        except FileExistsError:
            if not _is_of(path, puzzle):
                mark = sha256(files[record.PUZZLE]).hexdigest()[:8]
                path = folder / f"{name}-{mark}.zip"
    except OSError as error:
        raise SourceError(str(path), f"can't be written: {error.strerror or error}") from error
    container.write(files, path)
    return path


def _is_of(path: Path, puzzle: Puzzle) -> bool:
    """Whether a file is a certificate of the same puzzle."""
    from binairo_cp.certificates import checking

    with suppress(BinairoError):
        _, other = checking.puzzle_of(container.read(path))
        return other == puzzle
    return False
