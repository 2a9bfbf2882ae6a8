"""Where certificates are put, and under which names."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from binairo_cp.certificates import container, proof_solvers, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BinairoError, SourceError
from binairo_cp.formats.output_files import file_name
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import Outcome


@dataclass(frozen=True, slots=True)
class Store:
    """A place for certificates.

    Attributes:
        out: a zip, or a folder.
        solver: who makes the proofs.
        single: `out` is the certificate, and not a folder of certificates.
    """

    out: str
    solver: str = proof_solvers.DEFAULT_SOLVER
    single: bool = False

    @property
    def may_be_single(self) -> bool:
        """Whether a single puzzle's certificate is `out` itself, and not something in it."""
        path = Path(self.out)
        is_folder = path.is_dir() and not (path / record.MANIFEST).exists()
        return not (self.out.endswith("/") or is_folder)

    def add(self, puzzle: Puzzle, outcome: Outcome, id: str, seconds: float | None) -> str:
        """Make the certificate of what is known of a puzzle, and put it where it belongs.

        Returns:
            Where it is.

        Raises:
            CertificateError, BackendError, BudgetExceeded: it can't be made, as `making.certify`.
            SourceError: it can't be written.
        """
        # Imported here, since it loads the checkers.
        from binairo_cp.certificates import making

        files, _ = making.certify(
            puzzle, outcome, id=id or None, solver=self.solver, seconds=seconds
        )
        path = Path(self.out)
        if self.single:
            container.write(files, path)
            return str(path)
        return str(_put(files, puzzle, path, file_name(id)))


def _put(files: Files, puzzle: Puzzle, folder: Path, name: str) -> Path:
    """Write a zip under a name, or if another puzzle has it, under one that tells them apart."""
    path = folder / f"{name}.zip"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # Whoever makes the file has its name: other processes look for names too.
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
    """Whether a file is an earlier certificate of the same puzzle."""
    from binairo_cp.certificates import checking

    with suppress(BinairoError):
        _, other = checking.puzzle_of(container.read(path))
        return other == puzzle
    return False
