"""Build the web page with esbuild: ``make page``, or ``python build_tools/page.py``; needs npm.

The built files lie in ``service/built``, and travel in the wheel. Without them, or if a source has
changed since, the server serves the modules one by one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_STATIC = _ROOT / "binairo_cp" / "service" / "static"
_STYLES = ("style.css", "picture.css", "eink.css")
_MODULES = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning")


def main() -> None:
    """Build the page.

    Raises:
        SystemExit: npm or esbuild is missing or failed, and said why.
    """
    tools = _ROOT / "build" / "page"
    tools.mkdir(parents=True, exist_ok=True)
    shutil.copy(_ROOT / "build_tools" / "package.json", tools)
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("The page is built with npm, which is not installed; without it, nothing is lost.")
    _run([npm, "install", "--silent", "--no-audit", "--no-fund"], tools)
    sys.path.insert(0, str(_ROOT))
    from binairo_cp.service.page import BUILT, SOURCES, digest

    esbuild = [str(tools / "node_modules" / ".bin" / "esbuild"), *_MODULES]
    shutil.rmtree(BUILT, ignore_errors=True)
    # What is rarely needed is a file of its own, so that the first view needs few requests.
    for options in (
        ["--splitting", "--external:./offline.js", "app.js", *_STYLES],
        ["embed.js", "offline.js"],
    ):
        _run([*esbuild, f"--outdir={BUILT}", *options], _STATIC)
    (BUILT / SOURCES).write_text(digest(_STATIC), encoding="utf-8")


def _run(command: list[str], folder: Path) -> None:
    status = subprocess.run(command, cwd=folder).returncode
    if status:
        sys.exit(f"{Path(command[0]).name} failed with the exit status {status}.")


if __name__ == "__main__":
    main()
