"""The parts of the package's metadata that depend on where its home is.

`home` in pyproject.toml, under `[tool.binairo-cp]`, is the one place to set it. With it, a package
index links to the repository, and the relative links of the README lead there. Without it, there
are no such links, and everything else works.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).resolve().parent / "build_tools"))
from kernels import extensions

_RELATIVE_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def readme(text: str, home: str, version: str) -> str:
    """The README with links to files of the tagged version in the repository."""
    return _RELATIVE_LINK.sub(rf"]({home}/blob/{version}/\1)", text) if home else text


def urls(home: str, version: str) -> dict[str, str]:
    """The links that a package index shows beside the README."""
    if not home:
        return {}
    files = f"{home}/blob/{version}"
    return {
        "Homepage": home,
        "Documentation": f"{files}/docs/index.md",
        "Changelog": f"{files}/CHANGELOG.md",
    }


def main() -> None:
    """Complete the metadata of pyproject.toml."""
    here = Path(__file__).resolve().parent
    stated = tomllib.loads((here / "pyproject.toml").read_text("utf-8"))
    home, version = stated["tool"]["binairo-cp"]["home"].rstrip("/"), stated["project"]["version"]
    if home and not home.startswith("https://"):
        raise SystemExit(f"pyproject.toml: [tool.binairo-cp] home is {home!r}; expected https://")
    setup(
        long_description=readme((here / "README.md").read_text("utf-8"), home, version),
        long_description_content_type="text/markdown",
        project_urls=urls(home, version),
        ext_modules=extensions(),
        options={
            "build_ext": {"parallel": os.cpu_count()},
            "bdist_wheel": {"py_limited_api": "cp311"},
        },
    )


if __name__ == "__main__":
    main()
