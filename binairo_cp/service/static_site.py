"""Write the web page as a folder for any host that serves files, without our server."""

from __future__ import annotations

from pathlib import Path

from binairo_cp.errors import ServiceError
from binairo_cp.workers.extras import require_extra

with require_extra("service", ServiceError):
    from binairo_cp.service import page, stock


def write_site(folder: Path, puzzles: dict[str, bytes]) -> dict[str, bytes]:
    """Write the page. Files of a site that was there are replaced; others stay.

    Args:
        folder: where to write.
        puzzles: the files with puzzles; without one, the page has those of the package.

    Returns:
        The files by name, relative to the folder.

    Raises:
        ServiceError: this installation has no page, or the folder can't be written.
    """
    found = page.read(alone_with=puzzles)
    if found is None:
        raise ServiceError("this installation has no page")
    texts = {
        "index.html": found.html,
        "embed.html": found.embedded,
        page.WORKER: found.worker,
        page.MANIFEST: found.manifest,
    }
    files = {name: text.encode() for name, text in texts.items()}
    place = f"static/{found.version}"
    files |= {f"{place}/{name}": each.content for name, each in found.files.items()}
    try:
        (folder / place).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise ServiceError(f"can't write {error.filename}: {error.strerror}") from error
    return files


def puzzles_of(per_level: int | None, days: int | None, seed: str | None) -> dict[str, bytes]:
    """The files with puzzles, as `stock.files` makes them; empty without any choice."""
    if (per_level, days, seed) == (None, None, None):
        return {}
    return stock.files(per_level or 20, days or 365, seed or "binairo")
