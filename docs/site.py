"""The documentation site: ``python -m docs.site [FOLDER]``.

Sphinx makes pages of the docs, with a search that needs no server. Pdoc makes the API reference.
The site needs no other: open `index.html`. A link to a page or a heading that does not exist is an
error, as any other warning.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

from docs import man, reference
from docs.site_pages import API_FOLDER, MANUAL_PAGE

DOCS = Path(__file__).resolve().parent


def build(folder: Path) -> None:
    """Write the site to a folder.

    Raises:
        SystemExit: Sphinx has a warning, which it prints.
    """
    with tempfile.TemporaryDirectory() as cache:
        options = ["--quiet", "--fail-on-warning", "--keep-going", "--fresh-env", "-d", cache]
        source = [*options, "-c", str(DOCS), str(DOCS.parent), str(folder)]
        if status := sphinx_build(source):
            raise SystemExit(status)
    reference.build(folder / API_FOLDER)
    man.main(str(folder / MANUAL_PAGE))


if __name__ == "__main__":
    build(Path(sys.argv[1] if len(sys.argv) > 1 else "build/docs"))
