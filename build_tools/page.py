"""Build the web page with esbuild: ``make page``, or ``python build_tools/page.py``; needs npm.

With ``--check`` it finds faults in the modules instead, with eslint and the types of tsc.

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
    is_check = "--check" in sys.argv
    try:
        tools = _installed()
    except SystemExit as reason:
        if not is_check:
            raise
        print(f"The modules of the page are not checked. {reason}")
        return
    if is_check:
        programs, places = tools / "node_modules" / ".bin", _ROOT / "build_tools"
        _run(
            [str(programs / "eslint"), "--config", str(places / "eslint.config.mjs"), "."], _STATIC
        )
        _run([str(programs / "tsc"), "--project", str(places / "jsconfig.json")], _STATIC)
        return
    sys.path.insert(0, str(_ROOT))
    from binairo_cp.service.page import BUILT, SOURCES, digest

    esbuild = [str(tools / "node_modules" / ".bin" / "esbuild"), *_MODULES]
    shutil.rmtree(BUILT, ignore_errors=True)
    # What is rarely needed is a file of its own, so that the first view needs few requests.
    for options in (
        ["--splitting", "--external:./offline.js", "app.js", *_STYLES],
        ["embed.js", "offline.js", "solver.js"],
    ):
        _run([*esbuild, f"--outdir={BUILT}", *options], _STATIC)
    (BUILT / SOURCES).write_text(digest(_STATIC), encoding="utf-8")


def _installed() -> Path:
    """The folder with the tools from npm, which are fetched once for each list of them."""
    tools, wanted = _ROOT / "build" / "page", _ROOT / "build_tools" / "package.json"
    mark = tools / "installed.json"
    if not mark.exists() or mark.read_text() != wanted.read_text():
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("This takes npm, which is not installed; without it, nothing is lost.")
        tools.mkdir(parents=True, exist_ok=True)
        shutil.copy(wanted, tools)
        _run([npm, "install", "--silent", "--no-audit", "--no-fund"], tools)
        shutil.copy(wanted, mark)
    return tools


def _run(command: list[str], folder: Path) -> None:
    status = subprocess.run(command, cwd=folder).returncode
    if status:
        sys.exit(f"{Path(command[0]).name} failed with the exit status {status}.")


if __name__ == "__main__":
    main()
